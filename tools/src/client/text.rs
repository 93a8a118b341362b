//! A command line as the engine splits it: blanks, double quotes, `//` and `/* */` comments.
//!
//! Source: `Cmd_TokenizeString`. It lives on its own here since the client must split what a server *says*, whatever our own
//! console does.

/// The tokens, quotes taken off. Tokens borrow from the text.
pub fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(|&b| b <= b' ') {
            at += 1;
        }
        let rest = &text[at..];
        if rest.is_empty() || rest.starts_with("//") {
            return found;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            let Some(end) = comment.find("*/") else { return found };
            at += end + 4;
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.find('"').unwrap_or(quoted.len());
            found.push(&quoted[..end]);
            at += (end + 2).min(rest.len());
        } else {
            let end = plain_end(rest);
            found.push(&rest[..end]);
            at += end;
        }
    }
}

/// A plain token ends at a blank, a quote or a comment.
fn plain_end(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let ends = |at: usize| {
        bytes[at] <= b' ' || bytes[at] == b'"' || rest[at..].starts_with("//") || rest[at..].starts_with("/*")
    };
    (0..bytes.len()).filter(|&at| rest.is_char_boundary(at)).find(|&at| ends(at)).unwrap_or(bytes.len())
}

/// Leading number of a text, 0 without one. Source: `atoi`.
pub fn int(text: &str) -> i32 {
    let text = text.trim_start();
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let digits = digits.bytes().take_while(u8::is_ascii_digit);
    let value = digits.fold(0i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(1 << 40));
    (if negative { -value } else { value }) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_join_blanks_split_comments_end() {
        assert_eq!(tokens("cs 5 \"a b\"\n"), ["cs", "5", "a b"]);
        assert_eq!(tokens("  a/*x*/b \"\" \"open // still"), ["a", "b", "", "open // still"]);
        assert_eq!(tokens("a // b"), ["a"]);
        assert!(tokens("").is_empty() && tokens(" /* never closed").is_empty());
    }

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        assert_eq!(["12x", "-3", " 7", "", "x"].map(int), [12, -3, 7, 0, 0]);
    }
}
