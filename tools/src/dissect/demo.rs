//! The messages of a demo, as a client of the family records them.
//!
//! ```text
//! demo    record*
//! record  sequence i32 | length i32 | message      both little-endian; a length of -1 ends the demo
//! ```
//!
//! A message is a server's, without the netchan around it and not scrambled. Source: `CL_WriteDemoMessage`, `CL_Record_f`.

use std::fmt;

/// Longest message of the protocol. Source: `MAX_MSGLEN`.
const MESSAGE_MAX: usize = 16_384;
/// Bytes before each message.
const HEAD_BYTES: usize = 8;

/// Why a demo could not be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoError {
    /// A message cannot be so long.
    Length {
        /// Where its record begins. Unit: bytes.
        offset: usize,
        /// What it claims. Unit: bytes.
        length: i32,
    },
    /// It ends inside a record.
    Torn {
        /// Where that begins. Unit: bytes.
        offset: usize,
    },
}

impl fmt::Display for DemoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { offset, length } => {
                write!(f, "demo: the message at byte {offset} claims to be {length} bytes long")
            }
            Self::Torn { offset } => write!(f, "demo: it ends inside the record at byte {offset}"),
        }
    }
}

impl std::error::Error for DemoError {}

/// The messages of a demo, in order; the last is an error if the demo is damaged there.
pub struct Demo<'a> {
    bytes: &'a [u8],
    at: usize,
    ended: bool,
}

impl<'a> Demo<'a> {
    /// Of a file's bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, ended: false }
    }

    fn number(&self, at: usize) -> Option<i32> {
        Some(i32::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }

    fn read(&mut self) -> Result<Option<(u32, &'a [u8])>, DemoError> {
        let offset = self.at;
        if offset == self.bytes.len() {
            return Ok(None);
        }
        let torn = DemoError::Torn { offset };
        let sequence = self.number(offset).ok_or(torn)?;
        let length = self.number(offset + 4).ok_or(torn)?;
        if length == -1 {
            return Ok(None);
        }
        let size = usize::try_from(length).ok().filter(|size| *size <= MESSAGE_MAX);
        let size = size.ok_or(DemoError::Length { offset, length })?;
        let begin = offset + HEAD_BYTES;
        let message = self.bytes.get(begin..begin + size).ok_or(torn)?;
        self.at = begin + size;
        Ok(Some((sequence.cast_unsigned(), message)))
    }
}

impl<'a> Iterator for Demo<'a> {
    type Item = Result<(u32, &'a [u8]), DemoError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read().transpose();
        self.ended = !matches!(read, Some(Ok(_)));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(sequence: i32, length: i32, message: &[u8]) -> Vec<u8> {
        [&sequence.to_le_bytes(), &length.to_le_bytes(), message].concat()
    }

    #[test]
    fn messages_come_in_order_until_the_mark_of_the_end() {
        let bytes =
            [record(7, 2, b"ab"), record(8, 0, b""), record(-1, -1, b""), record(9, 1, b"c")].concat();
        let read: Result<Vec<_>, _> = Demo::new(&bytes).collect();
        assert_eq!(read.unwrap(), [(7, &b"ab"[..]), (8, b"")]);
        assert_eq!(Demo::new(b"").count(), 0);
    }

    #[test]
    fn damage_is_told_with_its_place_and_ends_the_demo() {
        let whole = record(7, 2, b"ab");
        for (tail, error) in [
            (record(8, 9, b"ab"), DemoError::Torn { offset: 10 }),
            (vec![1, 2, 3], DemoError::Torn { offset: 10 }),
            (record(8, 99_999, b"ab"), DemoError::Length { offset: 10, length: 99_999 }),
            (record(8, -2, b"ab"), DemoError::Length { offset: 10, length: -2 }),
        ] {
            let bytes = [whole.clone(), tail].concat();
            let read: Vec<_> = Demo::new(&bytes).collect();
            assert_eq!(read, [Ok((7, &b"ab"[..])), Err(error)]);
        }
    }
}
