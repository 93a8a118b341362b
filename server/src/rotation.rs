//! The order in which maps are played, from a plain text file: a map on each line, then settings for it, `#` begins a comment.
//!
//! ```text
//! # Sunday evening
//! oa_dm1
//! oa_ctf2  g_gametype=4 capturelimit=5
//! ```
//! In: the text of such a file, which a host wrote. Out: entries, and a sentence for each line that makes no sense. It knows no
//! files and no server.

use std::fmt;

/// Lines read at most.
pub const MAX_ENTRIES: usize = 256;
/// Settings of one entry.
const MAX_SETTINGS: usize = 32;

/// One map of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name of the map, as `map` takes it.
    pub map: String,
    /// Cvars that are set before it starts.
    pub settings: Vec<(String, String)>,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.map)?;
        self.settings.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// The order of maps, and where in it the server is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    entries: Vec<Entry>,
    /// The entry that was started last.
    at: Option<usize>,
    /// The file that the entries came from.
    file: String,
}

impl Rotation {
    /// The order that a file asked for; it has not begun.
    pub fn new(file: &str, entries: Vec<Entry>) -> Self {
        Self { entries, at: None, file: file.to_owned() }
    }

    /// The file that the entries came from, `""` if nothing was read yet.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The maps in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry that is being played, if it was started from here.
    pub fn current(&self) -> Option<usize> {
        self.at
    }

    /// An entry was started.
    pub fn started(&mut self, at: usize) {
        self.at = Some(at);
    }

    /// The entry after the current one; while nothing was started from here, the one after the running map, or the first.
    pub fn next(&self, running: &str) -> usize {
        let count = self.entries.len().max(1);
        let at = self.at.or_else(|| self.entries.iter().position(|e| e.map.eq_ignore_ascii_case(running)));
        at.map_or(0, |at| (at + 1) % count)
    }
}

/// The entries of a file. `complain` gets a sentence for each line that is left out.
pub fn parse(text: &str, complain: &mut dyn FnMut(String)) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        let line = line.split("//").next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        if entries.len() == MAX_ENTRIES {
            complain(format!("line {}: only the first {MAX_ENTRIES} maps are kept", at + 1));
            break;
        }
        match parse_line(line) {
            Ok(entry) => entries.push(entry),
            Err(reason) => complain(format!("line {}: {reason}; the line is left out", at + 1)),
        }
    }
    entries
}

fn parse_line(line: &str) -> Result<Entry, String> {
    let mut words = line.split_ascii_whitespace();
    let map = words.next().unwrap_or("");
    let map = map.strip_suffix(".bsp").unwrap_or(map);
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | ';' | '\\' | '/' | '$' | '=');
    if map.is_empty() || map.len() > 56 || map.starts_with('.') || !map.chars().all(plain) {
        return Err(format!("{:?} is no map name", shown(map)));
    }
    let mut settings = Vec::new();
    for word in words {
        let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(format!("{:?} is not of the form cvar=value", shown(word)));
        };
        if settings.len() == MAX_SETTINGS {
            return Err(format!("it has more than {MAX_SETTINGS} settings"));
        }
        settings.push((name.to_owned(), value.to_owned()));
    }
    Ok(Entry { map: map.to_owned(), settings })
}

fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_line_by_line_and_what_makes_no_sense_is_named() {
        let text =
            "# evening\noa_dm1\n\noa_ctf2.bsp g_gametype=4 capturelimit=5 // big\n../x\nq3dm6 4\n a;quit\r\n";
        let mut complaints = Vec::new();
        let entries = parse(text, &mut |sentence| complaints.push(sentence));
        let lines: Vec<String> = entries.iter().map(Entry::to_string).collect();
        assert_eq!(lines, ["oa_dm1", "oa_ctf2 g_gametype=4 capturelimit=5"]);
        assert_eq!(
            complaints,
            [
                "line 5: \"../x\" is no map name; the line is left out",
                "line 6: \"4\" is not of the form cvar=value; the line is left out",
                "line 7: \"a;quit\" is no map name; the line is left out",
            ]
        );
    }

    #[test]
    fn the_order_goes_round_and_begins_after_the_running_map() {
        let entries = parse("a\nb\nc", &mut |_| {});
        let mut order = Rotation::new("x", entries);
        assert_eq!((order.next("elsewhere"), order.next("B"), order.next("c")), (0, 2, 0));
        order.started(1);
        assert_eq!(order.next("c"), 2);
        order.started(2);
        assert_eq!(order.next("c"), 0);
        assert_eq!(Rotation::default().next("a"), 0);
    }

    #[test]
    fn a_huge_file_is_cut() {
        let mut complaints = 0;
        assert_eq!(parse(&"a\n".repeat(1000), &mut |_| complaints += 1).len(), MAX_ENTRIES);
        assert_eq!(complaints, 1);
    }
}
