//! The host's console and the log files: lines to a stream from a thread of its own, so that a blocked terminal or a full disk
//! holds up nobody, and a closed one ends nothing.

use super::Input;
use crate::telemetry::lost_records;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use std::fmt::{Display, Write as _};
use std::io::Write;
use std::time::Duration;

/// Lines that may wait; more are dropped, and the next line that fits says how many.
const MAX_WAITING: usize = 4096;
/// The same for a trace, of which a full server writes as many in a frame.
const MAX_WAITING_TRACE: usize = 32_768;
/// How long the end of the program waits for the last lines.
const FAREWELL: Duration = Duration::from_millis(500);

/// Writes lines. `T` is what is handed to its thread: a line in words, or what the thread puts into words.
pub(super) struct LineWriter<T = String> {
    lines: Sender<T>,
    done: Receiver<()>,
    dropped: u64,
    /// What is written in place of dropped lines.
    in_place: fn(u64) -> T,
}

impl LineWriter {
    pub(super) fn start(out: impl Write + Send + 'static) -> std::io::Result<Self> {
        let (lines, waiting) = bounded::<String>(MAX_WAITING);
        let (ended, done) = bounded(1);
        super::start_thread("console", move || {
            write_lines(out, &waiting);
            drop(ended);
        })?;
        Ok(Self {
            lines,
            done,
            dropped: 0,
            in_place: |count| format!("({count} lines were lost: the console is blocked)"),
        })
    }

    /// The same for lines of JSON.
    pub(super) fn start_records(out: impl Write + Send + 'static) -> std::io::Result<Self> {
        Ok(Self { in_place: lost_records, ..Self::start(out)? })
    }

    /// Writes JSON lines to a file that its thread opens. If it cannot, it tells `notes` why and takes the lines for nothing.
    pub(super) fn start_trace<W: Write>(
        open: impl FnOnce() -> Result<W, String> + Send + 'static,
        notes: Sender<Input>,
    ) -> std::io::Result<Self> {
        Self::start_trace_of(open, notes, lost_records)
    }

    /// Queues a line. Control characters become dots: no name may forge a line or paint the terminal.
    pub(super) fn line(&mut self, line: &str) {
        self.item(line.chars().map(|c| if c.is_control() && c != '\t' { '.' } else { c }).collect());
    }
}

impl<T: Display + Send + 'static> LineWriter<T> {
    /// Writes to a file that its thread opens what is put into words by that thread as well.
    pub(super) fn start_trace_of<W: Write>(
        open: impl FnOnce() -> Result<W, String> + Send + 'static,
        notes: Sender<Input>,
        in_place: fn(u64) -> T,
    ) -> std::io::Result<Self> {
        let (lines, waiting) = bounded::<T>(MAX_WAITING_TRACE);
        let (ended, done) = bounded(1);
        super::start_thread("trace", move || {
            match open() {
                Ok(file) => write_lines(file, &waiting),
                Err(sentence) => {
                    let _ = notes.send(Input::Note(sentence));
                    drop(notes);
                    waiting.iter().for_each(drop);
                }
            }
            drop(ended);
        })?;
        Ok(Self { lines, done, dropped: 0, in_place })
    }

    /// Queues what is a line when put into words, or counts it as dropped.
    pub(super) fn item(&mut self, item: T) {
        if self.dropped > 0 && self.offer((self.in_place)(self.dropped)) {
            self.dropped = 0;
        }
        if self.dropped > 0 || !self.offer(item) {
            self.dropped += 1;
        }
    }

    /// Waits until all is written, but not for long.
    pub(super) fn finish(self) {
        drop(self.lines);
        let _ = self.done.recv_timeout(FAREWELL);
    }

    fn offer(&self, line: T) -> bool {
        !matches!(self.lines.try_send(line), Err(TrySendError::Full(_)))
    }
}

/// Writes until nobody sends. A stream that refuses is given up, its lines are taken and forgotten.
fn write_lines<T: Display>(mut out: impl Write, waiting: &Receiver<T>) {
    let mut batch = String::new();
    let mut broken = false;
    while let Ok(line) = waiting.recv() {
        batch.clear();
        for line in std::iter::once(line).chain(waiting.try_iter().take(256)) {
            let _ = writeln!(batch, "{line}");
        }
        if !broken {
            broken = out.write_all(batch.as_bytes()).and_then(|()| out.flush()).is_err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io;

    /// A stream that hands on what is written, and fails if nobody takes it.
    struct Pipe(Sender<Vec<u8>>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_come_out_in_order_and_clean() {
        let (sender, receiver) = crossbeam_channel::unbounded();
        let mut writer = LineWriter::start(Pipe(sender)).unwrap();
        writer.line("one");
        writer.line("two\x1b[2J\nForged: line");
        writer.finish();
        let text = receiver.iter().collect::<Vec<_>>().concat();
        assert_eq!(text, b"one\ntwo.[2J.Forged: line\n");
    }

    #[test]
    fn a_closed_stream_ends_nothing() {
        let (sender, receiver) = crossbeam_channel::unbounded();
        drop(receiver);
        let mut writer = LineWriter::start(Pipe(sender)).unwrap();
        for n in 0..3 * MAX_WAITING {
            writer.line(&n.to_string());
        }
        writer.finish();
    }

    #[test]
    fn a_trace_is_opened_by_its_thread_and_a_refusal_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.jsonl");
        let (notes, told) = bounded(1);
        let file = path.clone();
        let open = move || File::create(file).map_err(|error| error.to_string());
        let mut writer = LineWriter::start_trace(open, notes.clone()).unwrap();
        writer.line("{}");
        writer.finish();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "{}\n");
        let mut writer = LineWriter::start_trace(|| Err::<File, _>("no room".to_owned()), notes).unwrap();
        writer.line("{}");
        assert!(
            matches!(told.recv_timeout(Duration::from_secs(10)), Ok(Input::Note(note)) if note == "no room")
        );
        writer.finish();
    }

    /// Says which thread put it into words.
    struct Worded(String);

    impl Display for Worded {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{} by {}", self.0, std::thread::current().name().unwrap_or("none"))
        }
    }

    #[test]
    fn a_trace_is_put_into_words_by_its_thread_and_never_waited_for() {
        let (sender, receiver) = bounded(0);
        let lost = |count: u64| Worded(format!("{count} lost"));
        let mut writer =
            LineWriter::start_trace_of(move || Ok::<_, String>(Pipe(sender)), bounded(1).0, lost).unwrap();
        for n in 0..2 * MAX_WAITING_TRACE {
            writer.item(Worded(n.to_string()));
        }
        let dropped = writer.dropped;
        assert!(dropped > 0);
        receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        writer.item(Worded("after".to_owned()));
        let reader = std::thread::spawn(move || receiver.iter().collect::<Vec<_>>().concat());
        writer.finish();
        let text = String::from_utf8(reader.join().unwrap()).unwrap();
        let told = format!("{dropped} lost by trace\nafter by trace\n");
        assert!(text.ends_with(&told), "{}", &text[text.len().saturating_sub(200)..]);
    }

    #[test]
    fn a_blocked_stream_drops_lines_and_says_so() {
        let (sender, receiver) = bounded(0);
        let mut writer = LineWriter::start(Pipe(sender)).unwrap();
        for n in 0..2 * MAX_WAITING {
            writer.line(&n.to_string());
        }
        assert!(writer.dropped > 0);
        let first = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(first.starts_with(b"0\n"));
        // The next batch is taken from the queue now, so there is room again.
        receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        writer.line("after");
        let reader = std::thread::spawn(move || receiver.iter().collect::<Vec<_>>().concat());
        writer.finish();
        let text = String::from_utf8(reader.join().unwrap()).unwrap();
        assert!(text.contains("lines were lost") && text.ends_with("after\n"), "{text}");
    }
}
