//! What the system tells us: TERM and INT quit, HUP reloads, USR1 reports. A closed standard output is no signal here: the
//! Rust runtime ignores SIGPIPE, and writing says so.

use super::{Input, Signal};
use crossbeam_channel::Sender;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

/// Hands on signals from a thread of its own. A second TERM or INT does not wait for the server: `abandon` runs and the process
/// ends with 1.
pub(super) fn watch(inputs: Sender<Input>, abandon: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGUSR1])?;
    super::start_thread("signals", move || {
        let mut quitting = false;
        for number in signals.forever() {
            let signal = match number {
                SIGHUP => Signal::Reload,
                SIGUSR1 => Signal::Report,
                _ if quitting => break,
                _ => Signal::Quit,
            };
            quitting |= signal == Signal::Quit;
            // The channel may be full of a flood for a moment; a second signal must still be heard, so never wait for long.
            if inputs.send_timeout(Input::Signal(signal), std::time::Duration::from_millis(500)).is_err() {
                quitting &= signal != Signal::Quit;
            }
        }
        abandon();
        std::process::exit(1);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::low_level::raise;
    use std::time::Duration;

    #[test]
    fn signals_arrive_by_their_meaning() {
        let (sender, receiver) = crossbeam_channel::unbounded();
        watch(sender, || {}).unwrap();
        for (number, meaning) in
            [(SIGUSR1, Signal::Report), (SIGHUP, Signal::Reload), (SIGTERM, Signal::Quit)]
        {
            raise(number).unwrap();
            match receiver.recv_timeout(Duration::from_secs(10)) {
                Ok(Input::Signal(signal)) => assert_eq!(signal, meaning),
                other => panic!("{other:?}"),
            }
        }
    }
}
