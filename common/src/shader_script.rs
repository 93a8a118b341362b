//! Words and definitions of shader scripts, for what a server has to know of how things are drawn.
//!
//! What cannot be understood is passed over, as clients do.

/// Longer names are none. Source: `MAX_QPATH`.
pub(crate) const MOST_NAME: usize = 64;

/// A name as it is compared: small letters, no ending.
pub(crate) fn plain(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace('\\', "/");
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    match name[file..].rfind('.') {
        Some(dot) => name[..file + dot].to_owned(),
        None => name,
    }
}

/// Words of a script, without comments.
pub(crate) struct Words<'t> {
    rest: &'t str,
}

impl<'t> Words<'t> {
    /// From its first word on.
    pub(crate) fn of(text: &'t str) -> Self {
        Self { rest: text }
    }

    /// Goes on to the next definition, into its braces. Its name.
    pub(crate) fn next_definition(&mut self) -> Option<&'t str> {
        loop {
            let name = self.next()?;
            let is_name = name != "{" && name != "}" && name.len() <= MOST_NAME;
            if is_name && self.next() == Some("{") {
                return Some(name);
            }
        }
    }

    /// Passes over blanks and comments. Whether a line ended.
    fn pass_blanks(&mut self) -> bool {
        let mut ended = false;
        loop {
            let rest = self.rest.trim_start();
            ended |= self.rest[..self.rest.len() - rest.len()].contains('\n');
            self.rest = if let Some(comment) = rest.strip_prefix("//") {
                comment.find('\n').map_or("", |end| &comment[end..])
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.find("*/").map_or("", |end| &comment[end + 2..])
            } else {
                self.rest = rest;
                return ended;
            };
        }
    }

    /// The next word.
    pub(crate) fn next(&mut self) -> Option<&'t str> {
        self.pass_blanks();
        self.take()
    }

    /// The next word if it stands on the same line.
    pub(crate) fn next_on_line(&mut self) -> Option<&'t str> {
        if self.pass_blanks() || self.rest.starts_with(['{', '}']) { None } else { self.take() }
    }

    fn take(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = match self.rest.as_bytes()[0] {
            b'{' | b'}' => 1,
            _ => {
                let ends = |letter: char| letter.is_whitespace() || letter == '{' || letter == '}';
                self.rest.find(ends).unwrap_or(self.rest.len())
            }
        };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}
