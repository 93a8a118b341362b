//! The words of a map source: brackets, quoted text, bare words. Comments (`//`, `/* */`) are passed over.

use super::Span;

/// A word and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub kind: TokenKind<'a>,
    pub span: Span,
}

/// What a word is. Text is as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'a> {
    /// One of `{ } ( ) [ ]`.
    Bracket(u8),
    /// Between quotes.
    Quoted(&'a [u8]),
    /// Up to the next space or bracket.
    Word(&'a [u8]),
}

impl TokenKind<'_> {
    /// For messages: at most forty characters of it.
    pub(super) fn shown(&self) -> String {
        let text = match self {
            Self::Bracket(bracket) => return char::from(*bracket).to_string(),
            Self::Quoted(text) | Self::Word(text) => String::from_utf8_lossy(text),
        };
        let mut shown: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
        if text.chars().count() > 40 {
            shown.push('…');
        }
        shown
    }
}

/// Walks the text; a copy of it is a place to come back to.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        // A byte order mark is no part of the first word.
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { text, at, line: 1, line_start: at }
    }

    /// A place without length, for what is missing at the end.
    pub(super) fn here(&self) -> Span {
        Span { start: self.at, len: 0, line: self.line, column: self.at - self.line_start + 1 }
    }

    /// From the beginning of `first` to where the walk has come.
    pub(super) fn since(&self, first: Span) -> Span {
        Span { len: self.at.saturating_sub(first.start), ..first }
    }

    fn bump(&mut self) {
        if self.text[self.at] == b'\n' {
            self.line += 1;
            self.line_start = self.at + 1;
        }
        self.at += 1;
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            let rest = &self.text[self.at..];
            if byte.is_ascii_whitespace() || byte == 0 {
                self.bump();
            } else if rest.starts_with(b"//") {
                while self.text.get(self.at).is_some_and(|&byte| byte != b'\n') {
                    self.bump();
                }
            } else if rest.starts_with(b"/*") {
                let end = rest.windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 2);
                for _ in 0..end {
                    self.bump();
                }
            } else {
                return;
            }
        }
    }

    /// The next word; brackets end bare words.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        self.word(|byte| byte.is_ascii_whitespace() || b"{}()[]\"".contains(&byte))
    }

    /// The next word, in which brackets may stand: the name of a material.
    pub(super) fn next_name(&mut self) -> Option<Token<'a>> {
        self.skip_space();
        match self.text.get(self.at) {
            Some(b'(' | b')' | b'"') | None => self.next(),
            Some(_) => self.bare(u8::is_ascii_whitespace),
        }
    }

    /// The next word without taking it.
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// Like [`Lexer::peek`], but only on the line where the walk is.
    pub(super) fn peek_on_line(&self) -> Option<Token<'a>> {
        self.peek().filter(|token| token.span.line == self.line)
    }

    fn word(&mut self, ends: impl Fn(u8) -> bool) -> Option<Token<'a>> {
        self.skip_space();
        let span = self.here();
        match *self.text.get(self.at)? {
            bracket @ (b'{' | b'}' | b'(' | b')' | b'[' | b']') => {
                self.bump();
                Some(Token { kind: TokenKind::Bracket(bracket), span: self.since(span) })
            }
            b'"' => {
                self.bump();
                let start = self.at;
                // Text does not go on over the end of a line, so that a lost quote is found where it was lost.
                while self.text.get(self.at).is_some_and(|&byte| byte != b'"' && byte != b'\n') {
                    self.bump();
                }
                let text = &self.text[start..self.at];
                if self.text.get(self.at) == Some(&b'"') {
                    self.bump();
                }
                Some(Token { kind: TokenKind::Quoted(text), span: self.since(span) })
            }
            _ => self.bare(|&byte| ends(byte)),
        }
    }

    fn bare(&mut self, ends: impl Fn(&u8) -> bool) -> Option<Token<'a>> {
        let span = self.here();
        let start = self.at;
        while self.text.get(self.at).is_some_and(|byte| !ends(byte)) {
            self.bump();
        }
        Some(Token { kind: TokenKind::Word(&self.text[start..self.at]), span: self.since(span) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text.as_bytes());
        std::iter::from_fn(|| lexer.next()).map(|token| token.kind.shown()).collect()
    }

    #[test]
    fn brackets_need_no_space_and_comments_are_no_words() {
        assert_eq!(words("{(1 -2)}// x\n\"a b\"/* ( */c"), ["{", "(", "1", "-2", ")", "}", "a b", "c"]);
    }

    #[test]
    fn places_count_lines_and_columns_from_one() {
        let mut lexer = Lexer::new(b"a\n  bc");
        lexer.next();
        let token = lexer.next().expect("a word");
        assert_eq!(token.span, Span { start: 4, len: 2, line: 2, column: 3 });
    }

    #[test]
    fn names_may_hold_brackets() {
        let mut lexer = Lexer::new(b" {grate[1] 0");
        assert_eq!(lexer.next_name().expect("a name").kind, TokenKind::Word(b"{grate[1]"));
    }

    #[test]
    fn text_that_is_never_closed_ends_with_its_line() {
        assert_eq!(words("\"abc\ndef"), ["abc", "def"]);
    }
}
