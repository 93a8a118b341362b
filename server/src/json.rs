//! Text as JSON writes it.

use std::fmt::Write as _;

/// Appends `raw` as a JSON string, whatever bytes it was made of.
pub(crate) fn quote(text: &mut String, raw: &str) {
    text.push('"');
    for c in raw.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_out_of_its_string_or_its_line() {
        let mut text = String::new();
        quote(&mut text, "a\"b\\c\nd\u{7f}\u{2028}e");
        assert_eq!(text, "\"a\\\"b\\\\c\\u000ad\\u007f\\u2028e\"");
    }
}
