//! Console text to commands, and a command to words.
//!
//! Commands end at a newline, or at a `;` outside quotes. Words end at white space or a quote; a quoted word may be empty.
//! `//` comments run to the end of the line and `/* */` comments over lines. Source: `Cbuf_Execute` and `Cmd_TokenizeString`
//! of the stock engine, with one difference: a `//` right behind a `:` is no comment, so that addresses stay whole.

/// Words of one command at most; the rest is left out. Source: the stock engine's limit.
const MAX_WORDS: usize = 1024;

/// The first command of `text`, and what follows it. The command may be empty.
pub fn next_command(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let (mut at, mut quoted) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' | b'\r' => break,
            b';' if !quoted => break,
            b'"' => quoted = !quoted,
            _ if !quoted => {
                if let Some(end) = comment_end(bytes, at) {
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    (&text[..at], text.get(at + 1..).unwrap_or(""))
}

/// `text` without leading blanks, separators and comments. Empty if no command is left in it.
pub fn skip_blank(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte <= b' ' || byte == b';' {
            at += 1;
        } else if let Some(end) = comment_end(bytes, at) {
            at = end;
        } else {
            break;
        }
    }
    &text[at..]
}

/// The words of one command.
pub fn words(command: &str) -> Vec<String> {
    let bytes = command.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while words.len() < MAX_WORDS {
        while bytes.get(at).is_some_and(|&byte| byte <= b' ') {
            at += 1;
        }
        let Some(&byte) = bytes.get(at) else { break };
        if let Some(end) = comment_end(bytes, at) {
            at = end;
        } else if byte == b'"' {
            let start = at + 1;
            let len = bytes[start..].iter().position(|&b| b == b'"').unwrap_or(bytes.len() - start);
            words.push(command[start..start + len].to_owned());
            at = (start + len + 1).min(bytes.len());
        } else {
            let start = at;
            while let Some(&b) = bytes.get(at)
                && b > b' '
                && b != b'"'
                && comment_end(bytes, at).is_none()
            {
                at += 1;
            }
            words.push(command[start..at].to_owned());
        }
    }
    words
}

/// Where the comment that begins at `at` ends: at its newline, or behind its `*/`.
fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        if at > 0 && bytes[at - 1] == b':' {
            return None;
        }
        let line = rest.iter().position(|&b| b == b'\n' || b == b'\r');
        Some(line.map_or(bytes.len(), |len| at + len))
    } else if rest.starts_with(b"/*") {
        let close = rest[2..].windows(2).position(|pair| pair == b"*/");
        Some(close.map_or(bytes.len(), |len| at + 2 + len + 2))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn commands(mut text: &str) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        while !text.is_empty() {
            let (command, rest) = next_command(text);
            found.push(words(command));
            text = rest;
        }
        found.retain(|words| !words.is_empty());
        found
    }

    fn check(text: &str, expected: &[&[&str]]) {
        assert_eq!(commands(text), expected, "{text:?}");
    }

    #[test]
    fn text_is_cut_as_hosts_expect() {
        check("say hi\nmap oa_dm1", &[&["say", "hi"], &["map", "oa_dm1"]]);
        check("a;b ; c\r\n", &[&["a"], &["b"], &["c"]]);
        check(
            "set d1 \"map q3dm7 ; set nextmap vstr d2\"",
            &[&["set", "d1", "map q3dm7 ; set nextmap vstr d2"]],
        );
        check("seta x \"\"", &[&["seta", "x", ""]]);
        check("a\"b c\"d", &[&["a", "b c", "d"]]);
        check("say \"never closed; really\nquit", &[&["say", "never closed; really"], &["quit"]]);
        check("", &[]);
        check(" ; ;;\n", &[]);
    }

    #[test]
    fn comments_are_left_out_and_addresses_are_not() {
        check("// a; b\nmap m", &[&["map", "m"]]);
        check("set a 1 // one; two", &[&["set", "a", "1"]]);
        check("set a 1//one", &[&["set", "a", "1"]]);
        check("set a /* x; y\nz */ 2; b", &[&["set", "a", "2"], &["b"]]);
        check("sets sv_dlURL http://example.org/a", &[&["sets", "sv_dlURL", "http://example.org/a"]]);
        check("say \"// no comment /* here\"", &[&["say", "// no comment /* here"]]);
        check("a /* never closed\nb", &[&["a"]]);
        check("/*/ still open */ x", &[&["x"]]);
    }

    #[test]
    fn skipping_blanks_stops_at_the_next_command() {
        assert_eq!(skip_blank(" ;\n// x\n/* y */ map m"), "map m");
        assert_eq!(skip_blank("\n // the end"), "");
    }

    proptest! {
        #[test]
        fn any_text_is_consumed_and_no_word_holds_a_quote(text in "[a-c\"; /*\n:\\\\é]{0,60}") {
            let mut rest = text.as_str();
            let mut rounds = 0;
            while !rest.is_empty() {
                let (command, next) = next_command(rest);
                prop_assert!(next.len() < rest.len());
                prop_assert!(words(command).iter().all(|word| !word.contains('"')));
                rest = next;
                rounds += 1;
            }
            prop_assert!(rounds <= text.len());
            prop_assert!(skip_blank(&text).len() <= text.len());
        }

        #[test]
        fn quoted_words_come_back_as_they_were(list in prop::collection::vec("[a-z;/* :]{0,8}", 1..6)) {
            let text: Vec<String> = list.iter().map(|word| format!("\"{word}\"")).collect();
            prop_assert_eq!(words(&text.join(" ")), list);
        }
    }
}
