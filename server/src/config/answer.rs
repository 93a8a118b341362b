//! What a change of a cvar answers: notes beside success, and reasons for refusal.

use super::store::{MAX_NAME_BYTES, MAX_USER_CVARS};
use std::fmt;

/// What was done besides what was asked. Displays as one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The value lay outside the range.
    Clamped {
        /// The cvar.
        name: String,
        /// What was asked for.
        asked: String,
        /// The range.
        range: String,
        /// What it is now.
        kept: String,
    },
    /// The value waits for the next map.
    Latched {
        /// The cvar.
        name: String,
        /// What it will be.
        value: String,
    },
    /// The value is accepted, and something should be said of it.
    Advice(String),
}

/// Why a cvar was left alone. Displays as one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CvarError {
    /// A name that no cvar can have.
    BadName(String),
    /// A value with characters that cannot be kept or sent.
    BadValue(String),
    /// Not a number where one is needed.
    NotANumber {
        /// The cvar.
        name: String,
        /// What was asked for.
        asked: String,
        /// What it still is.
        kept: String,
    },
    /// Protected; the sentence says by what.
    Protected {
        /// The cvar.
        name: String,
        /// How it can be changed, if it can.
        why: &'static str,
    },
    /// A rule of its own forbids the value; the sentence says which.
    Refused(String),
    /// The info string that it travels in would be too long.
    InfoFull {
        /// The cvar.
        name: String,
        /// serverinfo or systeminfo.
        info: &'static str,
        /// Bytes that it would have.
        bytes: usize,
        /// Bytes that it may have.
        limit: usize,
    },
    /// Too many cvars were made.
    TooMany(String),
    /// No cvar has this name.
    Unknown(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clamped { name, asked, range, kept } => {
                write!(f, "{name} cannot be {asked}, the range is {range}; it is {kept} now")
            }
            Self::Latched { name, value } => write!(f, "{name} will be \"{value}\" from the next map on"),
            Self::Advice(sentence) => f.write_str(sentence),
        }
    }
}

impl fmt::Display for CvarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName(name) => {
                write!(
                    f,
                    "\"{name}\" cannot be a cvar: 1 to {MAX_NAME_BYTES} characters, no space, quote, \\, / or ;"
                )
            }
            Self::BadValue(why) | Self::Refused(why) => f.write_str(why),
            Self::NotANumber { name, asked, kept } => {
                write!(f, "{name} cannot be \"{asked}\", which is not a number; it stays {kept}")
            }
            Self::Protected { name, why } => write!(f, "{name} {why}"),
            Self::InfoFull { name, info, bytes, limit } => write!(
                f,
                "{name} was not changed: {info} would be {bytes}/{limit} bytes; shorten it, or unset a key added with sets"
            ),
            Self::TooMany(name) => {
                write!(
                    f,
                    "{name} was not made: there are {MAX_USER_CVARS} cvars besides the server's own already"
                )
            }
            Self::Unknown(name) => write!(f, "there is no cvar {name}"),
        }
    }
}

impl std::error::Error for CvarError {}
