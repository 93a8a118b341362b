//! Reading the text of a connectionless datagram: one line, words, numbers.

/// As the stock server reads text: whatever is not ASCII is a dot. Control characters too, so no log line can be forged.
pub fn printable(text: &[u8]) -> String {
    text.iter().map(|&byte| if (b' '..0x7f).contains(&byte) { char::from(byte) } else { '.' }).collect()
}

/// The text up to a line's end or a terminator.
pub fn first_line(payload: &[u8]) -> &[u8] {
    payload.split(|&byte| byte == b'\n' || byte == 0).next().unwrap_or_default()
}

/// As C's `atoi`, saturating: a sign and the digits that follow.
pub fn leading_int(text: &[u8]) -> i32 {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let magnitude = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0_i64, |sum, digit| (sum * 10 + i64::from(digit - b'0')).min(1 << 40));
    let value = if negative { -magnitude } else { magnitude };
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Words between blanks; quotes keep blanks together.
pub struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    /// The words of `line`.
    pub const fn of(line: &'a [u8]) -> Self {
        Self(line)
    }

    /// What has not been read yet, as it was written.
    pub const fn rest(&self) -> &'a [u8] {
        self.0
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.0.trim_ascii_start();
        let (word, rest) = match text.strip_prefix(b"\"") {
            Some(quoted) => {
                let end = quoted.iter().position(|&byte| byte == b'"').unwrap_or(quoted.len());
                (&quoted[..end], quoted.get(end + 1..).unwrap_or_default())
            }
            None => {
                let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
                if end == 0 {
                    return None;
                }
                text.split_at(end)
            }
        };
        self.0 = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_keep_blanks_and_an_open_quote_ends_with_the_line() {
        let words = |text: &'static str| Words::of(text.as_bytes()).map(printable).collect::<Vec<_>>();
        assert_eq!(words("a  \"b c\" d"), ["a", "b c", "d"]);
        assert_eq!(words("\"\" x \"y z"), ["", "x", "y z"]);
        assert!(words(" \t").is_empty());
    }

    #[test]
    fn the_second_line_is_not_read() {
        assert_eq!(first_line(b"status\nquit"), b"status");
        assert_eq!(first_line(b"status\0quit"), b"status");
    }

    #[test]
    fn a_number_beyond_its_range_stays_at_the_end() {
        assert_eq!(leading_int(b"99999999999999999999"), i32::MAX);
        assert_eq!(leading_int(b"-99999999999999999999"), i32::MIN);
        assert_eq!(leading_int(b"x1"), 0);
    }

    proptest! {
        #[test]
        fn a_number_reads_as_c_reads_it(value: i32, tail in "[a-z ]{0,4}") {
            prop_assert_eq!(leading_int(format!(" {value}{tail}").as_bytes()), value);
        }
    }
}
