//! Why bytes from outside were refused, and what was odd about bytes that were not.

use super::bits::BitReader;
use std::fmt;

/// Why a message could not be read. `reading` names what was being read, `at_bit` is the cursor then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The message ended too early.
    Truncated {
        /// What was being read.
        reading: &'static str,
        /// Cursor of the reader.
        at_bit: usize,
    },
    /// A number beyond what its meaning allows.
    OutOfRange {
        /// What was being read.
        reading: &'static str,
        /// What was found.
        value: i32,
        /// Cursor of the reader.
        at_bit: usize,
    },
    /// Text without a terminator within its limit.
    TextTooLong {
        /// What was being read.
        reading: &'static str,
        /// Bytes that it may have, terminator included.
        limit: usize,
        /// Cursor of the reader.
        at_bit: usize,
    },
    /// A byte that begins no part of such a message.
    UnknownOp {
        /// What was being read.
        reading: &'static str,
        /// What was found.
        op: u8,
        /// Cursor of the reader.
        at_bit: usize,
    },
}

impl ParseError {
    /// One word for the cause, for counting.
    pub const fn cause(&self) -> &'static str {
        match self {
            Self::Truncated { .. } => "truncated",
            Self::OutOfRange { .. } => "out_of_range",
            Self::TextTooLong { .. } => "text_too_long",
            Self::UnknownOp { .. } => "unknown_op",
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { reading, at_bit } => {
                write!(f, "{reading}: the message ends at bit {at_bit}, in the middle of it")
            }
            Self::OutOfRange { reading, value, at_bit } => {
                write!(f, "{reading}: {value} before bit {at_bit} is out of range")
            }
            Self::TextTooLong { reading, limit, at_bit } => {
                write!(f, "{reading}: text before bit {at_bit} has no end within {limit} bytes")
            }
            Self::UnknownOp { reading, op, at_bit } => {
                write!(f, "{reading}: {op} before bit {at_bit} begins nothing that is known")
            }
        }
    }
}

impl std::error::Error for ParseError {}

/// Something odd that was nevertheless understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// An operation that does nothing.
    Nop {
        /// Cursor of the reader.
        at_bit: usize,
    },
    /// Bytes after the end-of-message mark.
    AfterEnd {
        /// How many, the one under the cursor not counted.
        bytes: usize,
    },
}

/// Where warnings go: to a log in production, to a panic in tests of what we emit ourselves.
pub trait Warn {
    /// Takes one.
    fn warn(&mut self, warning: Warning);
}

/// Drops warnings.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoreWarnings;

impl Warn for IgnoreWarnings {
    fn warn(&mut self, _: Warning) {}
}

impl Warn for Vec<Warning> {
    fn warn(&mut self, warning: Warning) {
        self.push(warning);
    }
}

/// Reads that refuse to go past the end.
impl BitReader<'_> {
    /// Fails if a read went past the end.
    ///
    /// # Errors
    /// [`ParseError::Truncated`].
    #[inline]
    pub fn check(&self, reading: &'static str) -> Result<(), ParseError> {
        if self.past_end() { Err(ParseError::Truncated { reading, at_bit: self.bit() }) } else { Ok(()) }
    }

    /// Warns of bytes beyond the cursor, for which an ended message has no use.
    pub(super) fn warn_after_end(&self, warn: &mut dyn Warn) {
        let bytes = self.bytes_left();
        if bytes > 0 {
            warn.warn(Warning::AfterEnd { bytes });
        }
    }

    /// `|width|` bits.
    ///
    /// # Errors
    /// [`ParseError::Truncated`].
    #[inline]
    pub fn expect_bits(&mut self, width: i32, reading: &'static str) -> Result<i32, ParseError> {
        let value = self.read_bits(width);
        self.check(reading).map(|()| value)
    }

    /// One byte.
    ///
    /// # Errors
    /// [`ParseError::Truncated`].
    #[inline]
    pub fn expect_byte(&mut self, reading: &'static str) -> Result<u8, ParseError> {
        let value = self.read_byte();
        self.check(reading).map(|()| value as u8)
    }

    /// 16 bits, sign-extended.
    ///
    /// # Errors
    /// [`ParseError::Truncated`].
    pub fn expect_short(&mut self, reading: &'static str) -> Result<i16, ParseError> {
        let value = self.read_short();
        self.check(reading).map(|()| value as i16)
    }

    /// 32 bits.
    ///
    /// # Errors
    /// [`ParseError::Truncated`].
    #[inline]
    pub fn expect_long(&mut self, reading: &'static str) -> Result<i32, ParseError> {
        let value = self.read_long();
        self.check(reading).map(|()| value)
    }

    /// Text up to its terminator, at most `max_bytes` with it; see [`read_text`](Self::read_text).
    ///
    /// # Errors
    /// [`ParseError::Truncated`] or [`ParseError::TextTooLong`].
    pub fn expect_text(
        &mut self,
        max_bytes: usize,
        reading: &'static str,
        into: &mut Vec<u8>,
    ) -> Result<(), ParseError> {
        if self.read_text(max_bytes, into) {
            return Ok(());
        }
        self.check(reading)?;
        Err(ParseError::TextTooLong { reading, limit: max_bytes, at_bit: self.bit() })
    }
}
