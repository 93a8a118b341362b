//! Console lines from a stream: standard input, or a FIFO.

use super::Input;
use crossbeam_channel::Sender;
use std::io::{BufRead, Read};

/// Longest line; what is longer is left out as a whole.
pub(super) const MAX_LINE_BYTES: usize = 8192;

/// Hands on every line of `stream` until it ends, fails, or nobody listens. Blocks while there is nothing to read, so a stream
/// at its end costs nothing.
pub(super) fn pump(mut stream: impl BufRead, inputs: &Sender<Input>) {
    let mut line = Vec::new();
    let mut overlong = false;
    loop {
        line.clear();
        match stream.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let whole = line.last() == Some(&b'\n') || line.len() < MAX_LINE_BYTES;
        let input = match (whole, overlong) {
            (true, false) => Input::Line(String::from_utf8_lossy(line.trim_ascii_end()).into_owned()),
            (true, true) => {
                Input::Note(format!("a console line of more than {MAX_LINE_BYTES} bytes was left out"))
            }
            (false, _) => {
                overlong = true;
                continue;
            }
        };
        overlong = false;
        let empty = matches!(&input, Input::Line(line) if line.is_empty());
        if !empty && inputs.send(input).is_err() {
            return;
        }
    }
}

/// Reads standard input from a thread of its own. A terminal that another job holds is left alone: reading it would stop us.
pub(super) fn pump_stdin(inputs: Sender<Input>) -> std::io::Result<()> {
    super::start_thread("stdin", move || {
        if !in_background() {
            pump(std::io::stdin().lock(), &inputs);
        }
    })
}

fn in_background() -> bool {
    let foreground = rustix::termios::tcgetpgrp(std::io::stdin());
    foreground.is_ok_and(|group| group != rustix::process::getpgrp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &[u8]) -> Vec<String> {
        let (sender, receiver) = crossbeam_channel::unbounded();
        pump(text, &sender);
        drop(sender);
        receiver
            .iter()
            .map(|input| match input {
                Input::Line(line) => line,
                Input::Note(note) => format!("note: {note}"),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_stream_at_its_end_gives_nothing_and_ends() {
        assert!(lines_of(b"").is_empty());
    }

    #[test]
    fn lines_come_whole_with_or_without_their_end() {
        assert_eq!(lines_of(b"status\r\n\n\nsay hi\nquit"), ["status", "say hi", "quit"]);
    }

    #[test]
    fn a_line_without_end_takes_no_memory_and_those_after_it_are_heard() {
        let text = [&vec![b'x'; 3 * MAX_LINE_BYTES + 5][..], b"\nstatus\n"].concat();
        let lines = lines_of(&text);
        assert!(lines.len() == 2 && lines[0].starts_with("note: ") && lines[1] == "status", "{lines:?}");
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(lines_of(b"say \xff\xfe\n"), ["say \u{fffd}\u{fffd}"]);
    }
}
