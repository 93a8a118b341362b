//! Feeds a recorded run again, as fast as it goes, and says whether the same came out.

use super::Drive;
use super::journal::{Digest, Entry, JournalError, Reader};
use fogline_common::time::Arrival;
use std::io::Read;

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Calls made.
    pub calls: u64,
    /// Advances among them.
    pub advances: u64,
    /// Datagrams that came out.
    pub datagrams: u64,
    /// The first advance after which other datagrams had been sent than in the recorded run.
    pub diverged_at: Option<Arrival>,
    /// The journal ends in a torn record.
    pub torn: bool,
}

/// Feeds `drive` all that the journal holds. `log` takes its lines.
///
/// # Errors
/// [`JournalError`], after all calls before the damage were made.
pub fn replay(
    journal: &mut Reader<impl Read>,
    drive: &mut dyn Drive,
    log: &mut dyn FnMut(&str),
) -> Result<Outcome, JournalError> {
    let mut outcome = Outcome::default();
    let mut digest = Digest::default();
    let mut datagram = Vec::new();
    while let Some((at, entry)) = journal.next_entry()? {
        outcome.calls += 1;
        let mut recorded = None;
        match entry {
            Entry::Datagram { from, bytes } => drive.receive(at, from, &bytes),
            Entry::Line(line) => drive.console_line(at, &line),
            Entry::Resolved { name, addresses } => drive.resolved(at, &name, &addresses),
            Entry::Reload => drive.reload(at),
            Entry::Advance { digest } => {
                outcome.advances += 1;
                recorded = Some(digest);
                drive.advance(at);
            }
            Entry::Shutdown(reason) => drive.shutdown(at, &reason),
        }
        loop {
            datagram.clear();
            let Some(to) = drive.poll_transmit(&mut datagram) else { break };
            outcome.datagrams += 1;
            digest.add(to, &datagram);
        }
        while let Some(line) = drive.poll_log() {
            log(&line);
        }
        // The rim asks for names after every input; the answers are in the journal.
        while drive.poll_resolve().is_some() {}
        if recorded.is_some_and(|recorded| recorded != digest.value()) {
            outcome.diverged_at.get_or_insert(at);
        }
    }
    outcome.torn = journal.torn();
    Ok(outcome)
}
