//! A file, sent in blocks.
//!
//! ```text
//! 6 | number 16 | file size 32, with the first block only | size 16 | size × 8        size 0: the file is complete
//! 6 | 0 16 | -1 32 | text                                                              refused
//! ```

use super::super::bits::{BitReader, BitWriter};
use super::super::error::ParseError;
use super::server::op;
use crate::proto::limits::{MAX_MESSAGE_BYTES, MAX_STRING_CHARS};

/// A part of a file, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Download {
    /// A part.
    Block {
        /// From 0, wrapping at 65536.
        number: u16,
        /// Size of the file, with its first block only.
        file_bytes: Option<i32>,
        /// The part; empty if the file is complete.
        data: Vec<u8>,
    },
    /// The server will not.
    Refused {
        /// Why, for the player to read.
        reason: Vec<u8>,
    },
}

/// Adds one block of a file.
///
/// # Panics
/// In debug builds if a block has more than 65535 bytes, or the size of its file is negative.
pub fn write_download_block(w: &mut BitWriter, number: u16, file_bytes: Option<i32>, data: &[u8]) {
    debug_assert!(data.len() <= u16::MAX.into() && file_bytes.is_none_or(|bytes| bytes >= 0));
    w.write_byte(op::DOWNLOAD.into());
    w.write_short(number.into());
    if let Some(bytes) = file_bytes {
        w.write_long(bytes);
    }
    w.write_short(data.len() as i32);
    w.write_data(data);
}

/// Adds that a file will not be sent. A client gives up the connection and shows `reason`.
pub fn write_download_refusal(w: &mut BitWriter, reason: &[u8]) {
    w.write_byte(op::DOWNLOAD.into());
    w.write_short(0);
    w.write_long(-1);
    w.write_text(reason, MAX_STRING_CHARS);
}

impl Download {
    /// `is_first` if no block of this file has come yet: only then block 0 carries the size.
    pub(super) fn read(r: &mut BitReader<'_>, is_first: bool) -> Result<Self, ParseError> {
        const READING: &str = "size of download block";
        let number = r.expect_short("number of download block")? as u16;
        let file_bytes = match number {
            0 if is_first => Some(r.expect_long("file size of download")?),
            _ => None,
        };
        if file_bytes.is_some_and(|bytes| bytes < 0) {
            let mut reason = Vec::new();
            r.expect_text(MAX_STRING_CHARS, "reason why a download is refused", &mut reason)?;
            return Ok(Self::Refused { reason });
        }
        let size = usize::from(r.expect_short(READING)? as u16);
        if size > MAX_MESSAGE_BYTES {
            return Err(ParseError::OutOfRange { reading: READING, value: size as i32, at_bit: r.bit() });
        }
        let mut data = vec![0; size];
        r.read_data(&mut data);
        r.check("data of download block")?;
        Ok(Self::Block { number, file_bytes, data })
    }

    pub(super) fn emit(&self, w: &mut BitWriter) {
        match self {
            Self::Block { number, file_bytes, data } => write_download_block(w, *number, *file_bytes, data),
            Self::Refused { reason } => write_download_refusal(w, reason),
        }
    }
}
