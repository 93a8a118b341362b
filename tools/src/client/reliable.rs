//! Reliable commands both ways: numbered, repeated until acknowledged, run once and in order.
//!
//! Source: `CL_AddReliableCommand`, `CL_ParseCommandString`, `CL_GetServerCommand`; facts page "q3-protocol-facts", sections 7 and 8.

use fogline_common::proto::limits::{MAX_RELIABLE_COMMANDS, MAX_STRING_CHARS};
use std::fmt;

/// Why a command cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// The server has acknowledged none of the last [`MAX_RELIABLE_COMMANDS`]. A stock client gives up here.
    Overflow,
    /// Longer than a string of the protocol.
    TooLong {
        /// Bytes that it has.
        bytes: usize,
    },
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overflow => write!(f, "client command: {MAX_RELIABLE_COMMANDS} wait for acknowledgement"),
            Self::TooLong { bytes } => {
                write!(f, "client command: {bytes} bytes, the limit is {}", MAX_STRING_CHARS - 1)
            }
        }
    }
}

impl std::error::Error for CommandError {}

/// The last [`MAX_RELIABLE_COMMANDS`] commands of one direction, by number.
#[derive(Clone, Debug)]
struct Texts(Vec<Vec<u8>>);

impl Default for Texts {
    fn default() -> Self {
        Self(vec![Vec::new(); MAX_RELIABLE_COMMANDS])
    }
}

impl Texts {
    fn at(&self, number: i32) -> &[u8] {
        &self.0[number as usize % MAX_RELIABLE_COMMANDS]
    }

    fn put(&mut self, number: i32, text: &[u8]) {
        let slot = &mut self.0[number as usize % MAX_RELIABLE_COMMANDS];
        slot.clear();
        slot.extend_from_slice(text);
    }
}

/// Our commands to the server.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    texts: Texts,
    /// Number of the newest.
    pub sequence: i32,
    /// Number of the newest that the server has run.
    pub acknowledged: i32,
}

impl Outgoing {
    /// Adds one.
    ///
    /// # Errors
    /// If it cannot be sent; then nothing is changed.
    pub fn add(&mut self, text: &str) -> Result<(), CommandError> {
        if text.len() >= MAX_STRING_CHARS {
            return Err(CommandError::TooLong { bytes: text.len() });
        }
        if self.sequence - self.acknowledged >= MAX_RELIABLE_COMMANDS as i32 {
            return Err(CommandError::Overflow);
        }
        self.sequence += 1;
        self.texts.put(self.sequence, text.as_bytes());
        Ok(())
    }

    /// The text of a number, as the scramble's key reads it: whatever stands in its place of the ring.
    pub fn text(&self, number: i32) -> &[u8] {
        self.texts.at(number)
    }

    /// What the server has not yet run, with numbers.
    pub fn pending(&self) -> impl Iterator<Item = (i32, &[u8])> {
        (self.acknowledged + 1..=self.sequence).map(|number| (number, self.texts.at(number)))
    }

    /// Takes the server's acknowledgement. One that cannot be true counts as all, as in a stock client.
    pub fn acknowledge(&mut self, number: i32) {
        let is_plausible = self.sequence.wrapping_sub(number) <= MAX_RELIABLE_COMMANDS as i32;
        self.acknowledged = if is_plausible { number.min(self.sequence) } else { self.sequence };
    }
}

/// The server's commands to us.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    texts: Texts,
    /// Number of the newest that came.
    pub sequence: i32,
    /// Number of the newest that was run.
    pub executed: i32,
}

impl Incoming {
    /// Takes one. Whether it is new.
    pub fn take(&mut self, number: i32, text: &[u8]) -> bool {
        if number <= self.sequence {
            return false;
        }
        self.sequence = number;
        self.texts.put(number, text);
        true
    }

    /// The text of a number, as the scramble's key reads it.
    pub fn text(&self, number: i32) -> &[u8] {
        self.texts.at(number)
    }

    /// The next to run, if it is at or below `through`. `Err` with its number if it is no longer kept.
    pub fn next(&mut self, through: i32) -> Option<Result<String, i32>> {
        let number = self.executed + 1;
        if number > through.min(self.sequence) {
            return None;
        }
        self.executed = number;
        if number <= self.sequence - MAX_RELIABLE_COMMANDS as i32 {
            return Some(Err(number));
        }
        Some(Ok(String::from_utf8_lossy(self.texts.at(number)).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_commands_are_those_the_server_has_not_run() {
        let mut out = Outgoing::default();
        for text in ["a", "b", "c"] {
            out.add(text).unwrap();
        }
        out.acknowledge(1);
        let pending: Vec<_> = out.pending().map(|(number, text)| (number, text.to_vec())).collect();
        assert_eq!(pending, [(2, b"b".to_vec()), (3, b"c".to_vec())]);
    }

    #[test]
    fn a_full_ring_and_a_long_text_are_refused() {
        let mut out = Outgoing::default();
        assert_eq!(out.add(&"x".repeat(1024)), Err(CommandError::TooLong { bytes: 1024 }));
        for _ in 0..MAX_RELIABLE_COMMANDS {
            out.add("x").unwrap();
        }
        assert_eq!(out.add("x"), Err(CommandError::Overflow));
    }

    #[test]
    fn repeats_are_ignored_and_each_runs_once() {
        let mut incoming = Incoming::default();
        assert!(incoming.take(1, b"a") && incoming.take(2, b"b") && !incoming.take(2, b"other"));
        assert_eq!(incoming.next(1), Some(Ok("a".to_owned())));
        assert_eq!(incoming.next(1), None);
        assert_eq!(incoming.next(9), Some(Ok("b".to_owned())));
        assert_eq!(incoming.next(9), None);
    }
}
