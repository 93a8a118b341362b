//! The configstrings that the server told of, and the commands that change them.
//!
//! Source: `CL_ParseGamestate`, `CL_ConfigstringModified`, `CL_GetServerCommand`.

use fogline_common::ids::ConfigstringNum;
use fogline_common::proto::info_string;
use fogline_common::proto::limits::{BIG_INFO_STRING, MAX_CONFIGSTRINGS, MAX_GAMESTATE_CHARS};
use std::fmt;

/// Why a stock client drops the connection over a configstring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigstringError {
    /// No such number.
    BadIndex {
        /// The number as it came.
        index: i32,
    },
    /// All texts together do not fit the client's buffer.
    GamestateFull {
        /// The number of the text that did not fit.
        index: usize,
        /// Bytes that all would take, terminators included.
        bytes: usize,
    },
    /// A text in pieces grew too long.
    PiecesTooLong {
        /// Bytes of the pieces so far.
        bytes: usize,
    },
}

impl fmt::Display for ConfigstringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadIndex { index } => write!(f, "configstring: there is no number {index}"),
            Self::GamestateFull { index, bytes } => write!(
                f,
                "configstring {index}: all together would take {bytes} bytes, the limit is {MAX_GAMESTATE_CHARS}"
            ),
            Self::PiecesTooLong { bytes } => {
                write!(f, "configstring in pieces: {bytes} bytes, the limit is {BIG_INFO_STRING}")
            }
        }
    }
}

impl std::error::Error for ConfigstringError {}

/// All configstrings of one client.
#[derive(Clone, Debug)]
pub struct Configstrings {
    texts: Vec<String>,
    /// Bytes of all that are not empty, terminators included, and the leading one.
    bytes: usize,
    /// A text that arrives in pieces, as the command that it will be.
    pieces: String,
}

impl Default for Configstrings {
    fn default() -> Self {
        Self { texts: vec![String::new(); MAX_CONFIGSTRINGS], bytes: 1, pieces: String::new() }
    }
}

impl Configstrings {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.texts.iter_mut().for_each(String::clear);
        self.bytes = 1;
        self.pieces.clear();
    }

    /// The text, or `""`.
    pub fn text(&self, num: ConfigstringNum) -> &str {
        &self.texts[num.index()]
    }

    /// The value of a key of `serverinfo`, as a number.
    pub fn serverinfo(&self, key: &str) -> &str {
        info_string::value(self.text(ConfigstringNum::SERVERINFO), key)
    }

    /// The value of a key of `systeminfo`.
    pub fn systeminfo(&self, key: &str) -> &str {
        info_string::value(self.text(ConfigstringNum::SYSTEMINFO), key)
    }

    /// Bytes that all of them take in a stock client's buffer.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes one.
    ///
    /// # Errors
    /// Where a stock client drops the connection; nothing is changed then.
    pub fn set(&mut self, index: i32, text: &str) -> Result<ConfigstringNum, ConfigstringError> {
        let num = usize::try_from(index).ok().and_then(ConfigstringNum::new);
        let num = num.ok_or(ConfigstringError::BadIndex { index })?;
        let taken = |len: usize| if len == 0 { 0 } else { len + 1 };
        let old = &mut self.texts[num.index()];
        let bytes = self.bytes - taken(old.len()) + taken(text.len());
        if bytes > MAX_GAMESTATE_CHARS {
            return Err(ConfigstringError::GamestateFull { index: num.index(), bytes });
        }
        old.clear();
        old.push_str(text);
        self.bytes = bytes;
        Ok(num)
    }

    /// Takes a piece of a long text: `bcs0` begins, `bcs1` goes on, `bcs2` ends. The finished command comes back.
    ///
    /// # Errors
    /// If it grows beyond what a stock client holds.
    pub fn take_piece(&mut self, tokens: &[&str]) -> Result<Option<String>, ConfigstringError> {
        let piece = |n: usize| tokens.get(n).copied().unwrap_or("");
        if piece(0) == "bcs0" {
            self.pieces.clear();
            self.pieces.extend(["cs ", piece(1), " \"", piece(2)]);
            return Ok(None);
        }
        let bytes = self.pieces.len() + piece(2).len() + 1;
        if bytes >= BIG_INFO_STRING {
            return Err(ConfigstringError::PiecesTooLong { bytes });
        }
        self.pieces.push_str(piece(2));
        if piece(0) == "bcs1" {
            return Ok(None);
        }
        self.pieces.push('"');
        Ok(Some(std::mem::take(&mut self.pieces)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_comes_in_pieces() {
        let mut strings = Configstrings::default();
        assert_eq!(strings.take_piece(&["bcs0", "7", "abc "]), Ok(None));
        assert_eq!(strings.take_piece(&["bcs1", "7", "def "]), Ok(None));
        let whole = strings.take_piece(&["bcs2", "7", "ghi"]).unwrap().unwrap();
        assert_eq!(whole, "cs 7 \"abc def ghi\"");
        let endless: Result<Vec<_>, _> =
            (0..9).map(|_| strings.take_piece(&["bcs1", "7", &"x".repeat(999)])).collect();
        assert!(matches!(endless, Err(ConfigstringError::PiecesTooLong { .. })));
    }

    #[test]
    fn the_buffer_of_a_stock_client_is_the_limit() {
        let mut strings = Configstrings::default();
        assert_eq!(strings.set(1024, "x"), Err(ConfigstringError::BadIndex { index: 1024 }));
        assert_eq!(strings.set(-1, "x"), Err(ConfigstringError::BadIndex { index: -1 }));
        strings.set(5, &"x".repeat(15_998)).unwrap();
        assert_eq!(strings.bytes(), MAX_GAMESTATE_CHARS);
        assert!(matches!(strings.set(6, "y"), Err(ConfigstringError::GamestateFull { bytes: 16_002, .. })));
        strings.set(5, "").unwrap();
        strings.set(6, "y").unwrap();
    }
}
