//! Why a datagram or a message was refused.

use crate::ids::Sequence;
use crate::proto::limits::MAX_MESSAGE_BYTES;
use std::fmt;

/// Why a datagram or a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetchanError {
    /// Too short for its header.
    Short {
        /// Bytes that there were.
        bytes: usize,
    },
    /// Not numbered at all: a connectionless packet.
    OutOfBand,
    /// The checksum does not fit challenge and number.
    WrongChecksum {
        /// The number claimed.
        sequence: Sequence,
    },
    /// The last message accepted has this very number.
    Duplicate {
        /// That number.
        sequence: Sequence,
    },
    /// A newer message was accepted before.
    Old {
        /// The number claimed.
        sequence: Sequence,
        /// The newest accepted.
        newest: Sequence,
    },
    /// A fragment that does not begin where the last one ended.
    FragmentOutOfOrder {
        /// Number of its message.
        sequence: Sequence,
        /// Byte where it begins.
        start: usize,
        /// Byte where it should.
        expected: usize,
    },
    /// A fragment that claims more than its datagram has.
    FragmentTruncated {
        /// Bytes claimed.
        claimed: usize,
        /// Bytes that there were.
        bytes: usize,
    },
    /// A message, from outside or our own, beyond the limit.
    MessageTooLong {
        /// Bytes that it has, at least.
        bytes: usize,
    },
    /// So many messages wait for their turn that another may not join.
    QueueFull {
        /// How many wait.
        waiting: usize,
    },
}

impl NetchanError {
    /// One word for the cause, for counting.
    pub const fn cause(&self) -> &'static str {
        match self {
            Self::Short { .. } => "short",
            Self::OutOfBand => "out_of_band",
            Self::WrongChecksum { .. } => "wrong_checksum",
            Self::Duplicate { .. } => "duplicate",
            Self::Old { .. } => "old",
            Self::FragmentOutOfOrder { .. } => "fragment_out_of_order",
            Self::FragmentTruncated { .. } => "fragment_truncated",
            Self::MessageTooLong { .. } => "message_too_long",
            Self::QueueFull { .. } => "queue_full",
        }
    }
}

impl fmt::Display for NetchanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { bytes } => write!(f, "netchan: {bytes} bytes are too few for a header"),
            Self::OutOfBand => write!(f, "netchan: the datagram is connectionless"),
            Self::WrongChecksum { sequence } => {
                write!(f, "netchan: checksum of message {} is wrong", sequence.0)
            }
            Self::Duplicate { sequence } => write!(f, "netchan: message {} came before", sequence.0),
            Self::Old { sequence, newest } => {
                write!(f, "netchan: message {} is older than {}", sequence.0, newest.0)
            }
            Self::FragmentOutOfOrder { sequence, start, expected } => {
                write!(
                    f,
                    "netchan: fragment of message {} begins at byte {start}, not {expected}",
                    sequence.0
                )
            }
            Self::FragmentTruncated { claimed, bytes } => {
                write!(f, "netchan: fragment claims {claimed} bytes and has {bytes}")
            }
            Self::MessageTooLong { bytes } => {
                write!(f, "netchan: message of {bytes} bytes or more, {MAX_MESSAGE_BYTES} are allowed")
            }
            Self::QueueFull { waiting } => write!(f, "netchan: {waiting} messages wait to be sent already"),
        }
    }
}

impl std::error::Error for NetchanError {}
