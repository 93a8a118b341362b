//! Info strings: `\key\value\key\value`, the form of userinfo, serverinfo and browser replies.

use crate::proto::limits::MAX_INFO_STRING;
use std::fmt;

/// Why a pair could not be put into an info string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InfoError {
    /// The key or the value holds one of `\`, `"` or `;`.
    Forbidden {
        /// The offending text.
        text: String,
    },
    /// The string would grow beyond its limit.
    TooLong {
        /// The key that did not fit.
        key: String,
        /// Bytes that the string would have.
        bytes: usize,
        /// Bytes that it may have.
        limit: usize,
    },
}

impl fmt::Display for InfoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden { text } => {
                write!(f, "info string: {text:?} may not hold a backslash, quote or semicolon")
            }
            Self::TooLong { key, bytes, limit } => {
                write!(f, "info string: with {key:?} it would be {bytes} bytes, the limit is {limit}")
            }
        }
    }
}

impl std::error::Error for InfoError {}

/// The pairs in order of appearance. A key without a value has an empty one.
pub fn pairs(info: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut parts = info.strip_prefix('\\').unwrap_or(info).split('\\');
    std::iter::from_fn(move || {
        let key = parts.next()?;
        Some((key, parts.next().unwrap_or("")))
    })
    .filter(|(key, _)| !key.is_empty())
}

/// The value of `key`, compared without regard to case, or `""`.
pub fn value<'a>(info: &'a str, key: &str) -> &'a str {
    pairs(info).find(|(k, _)| k.eq_ignore_ascii_case(key)).map_or("", |(_, v)| v)
}

/// Sets `key`, replacing any earlier value; an empty value removes it. `limit` counts bytes with the terminator.
///
/// # Errors
/// On forbidden characters, or if the result would not fit; `info` is then unchanged.
pub fn set_limited(info: &mut String, key: &str, value: &str, limit: usize) -> Result<(), InfoError> {
    for text in [key, value] {
        if text.contains(['\\', '"', ';']) {
            return Err(InfoError::Forbidden { text: text.to_owned() });
        }
    }
    let mut next = String::with_capacity(info.len() + key.len() + value.len() + 2);
    for (k, v) in pairs(info).filter(|(k, _)| !k.eq_ignore_ascii_case(key)) {
        next.extend(["\\", k, "\\", v]);
    }
    if !value.is_empty() {
        next.extend(["\\", key, "\\", value]);
    }
    if next.len() >= limit {
        return Err(InfoError::TooLong { key: key.to_owned(), bytes: next.len() + 1, limit });
    }
    *info = next;
    Ok(())
}

/// [`set_limited`] with the usual limit of [`MAX_INFO_STRING`].
///
/// # Errors
/// As [`set_limited`].
pub fn set(info: &mut String, key: &str, value: &str) -> Result<(), InfoError> {
    set_limited(info, key, value, MAX_INFO_STRING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_replaced_and_removed() {
        let mut info = String::from("\\name\\a\\rate\\25000");
        set(&mut info, "NAME", "b").unwrap();
        assert_eq!(value(&info, "name"), "b");
        assert_eq!(value(&info, "rate"), "25000");
        set(&mut info, "rate", "").unwrap();
        assert_eq!(info, "\\NAME\\b");
    }

    #[test]
    fn what_does_not_fit_leaves_the_string_alone() {
        let mut info = String::from("\\a\\b");
        assert!(matches!(set(&mut info, "k", &"v".repeat(1100)), Err(InfoError::TooLong { .. })));
        assert!(matches!(set(&mut info, "k", "a;b"), Err(InfoError::Forbidden { .. })));
        assert_eq!(info, "\\a\\b");
    }

    #[test]
    fn odd_strings_are_read_without_complaint() {
        assert_eq!(pairs("").count(), 0);
        assert_eq!(pairs("\\").count(), 0);
        assert_eq!(pairs("\\lonely").collect::<Vec<_>>(), [("lonely", "")]);
    }
}
