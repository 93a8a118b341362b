//! The table of configstrings, and how a change of one travels as reliable commands.

use fogline_common::ids::ConfigstringNum;
use fogline_common::proto::limits::{MAX_CONFIGSTRINGS, MAX_GAMESTATE_CHARS};

/// Text of a `cs` command's value at or beyond this length travels in pieces.
const CHUNK_FROM: usize = 1000;
/// Length of a piece. Source: facts page "q3-protocol-facts", section 8.
const CHUNK: usize = 999;

/// All configstrings of a map.
#[derive(Debug)]
pub struct Configstrings {
    texts: Vec<String>,
}

impl Default for Configstrings {
    fn default() -> Self {
        Self { texts: vec![String::new(); MAX_CONFIGSTRINGS] }
    }
}

impl Configstrings {
    /// A configstring's text, or `""`.
    pub fn get(&self, num: ConfigstringNum) -> &str {
        &self.texts[num.index()]
    }

    /// Replaces a text. Whether it changed.
    pub fn set(&mut self, num: ConfigstringNum, text: &str) -> bool {
        let slot = &mut self.texts[num.index()];
        if slot == text {
            return false;
        }
        text.clone_into(slot);
        true
    }

    /// The non-empty ones, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (ConfigstringNum, &str)> {
        self.texts
            .iter()
            .enumerate()
            .filter(|(_, text)| !text.is_empty())
            .filter_map(|(raw, text)| Some((ConfigstringNum::new(raw)?, text.as_str())))
    }

    /// Bytes that the texts take in a client's gamestate, terminators included.
    pub fn gamestate_chars(&self) -> usize {
        self.iter().map(|(_, text)| text.len() + 1).sum::<usize>() + 1
    }

    /// A sentence that names the largest texts, if the gamestate is near or beyond what clients can hold.
    pub fn size_warning(&self) -> Option<String> {
        let total = self.gamestate_chars();
        if total * 10 <= MAX_GAMESTATE_CHARS * 9 {
            return None;
        }
        let mut largest: Vec<(ConfigstringNum, &str)> = self.iter().collect();
        largest.sort_by_key(|(num, text)| (std::cmp::Reverse(text.len()), *num));
        let names: Vec<String> = largest
            .iter()
            .take(3)
            .map(|(num, text)| format!("{} ({} bytes)", num.index(), text.len()))
            .collect();
        Some(format!(
            "the gamestate takes {total} of {MAX_GAMESTATE_CHARS} bytes; the largest configstrings are {}",
            names.join(", ")
        ))
    }
}

/// The reliable commands that carry one configstring, in order.
pub fn update_commands(num: ConfigstringNum, text: &str) -> Vec<String> {
    let num = num.index();
    if text.len() < CHUNK_FROM {
        return vec![format!("cs {num} \"{text}\"\n")];
    }
    let mut rest = text;
    let mut commands = Vec::with_capacity(text.len() / CHUNK + 1);
    while !rest.is_empty() {
        let mut cut = rest.len().min(CHUNK);
        while !rest.is_char_boundary(cut) {
            cut -= 1;
        }
        let (piece, after) = rest.split_at(cut);
        let word = match (commands.is_empty(), after.is_empty()) {
            (true, _) => "bcs0",
            (false, false) => "bcs1",
            (false, true) => "bcs2",
        };
        commands.push(format!("{word} {num} \"{piece}\"\n"));
        rest = after;
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a client makes of the commands: `bcs0` begins, `bcs1` goes on, `bcs2` ends, `cs` is all at once.
    fn reassemble(commands: &[String]) -> String {
        let mut text = String::new();
        for command in commands {
            let (_, rest) = command.split_once('"').unwrap();
            text += rest.rsplit_once('"').unwrap().0;
        }
        text
    }

    #[test]
    fn long_texts_arrive_whole_through_pieces() {
        let num = ConfigstringNum::new(5).unwrap();
        for length in [0, 1, 998, 999, 1000, 1001, 1997, 1998, 1999, 2998, 5000] {
            let text: String = ('a'..='z').cycle().take(length).collect();
            let commands = update_commands(num, &text);
            assert_eq!(reassemble(&commands), text, "{length}");
            assert!(commands.iter().all(|c| c.len() <= 1022), "{length}");
            if length >= 1000 {
                assert!(commands[0].starts_with("bcs0 ") && commands.last().unwrap().starts_with("bcs2 "));
                assert!(commands[1..commands.len() - 1].iter().all(|c| c.starts_with("bcs1 ")));
            }
        }
    }

    #[test]
    fn a_full_gamestate_names_its_largest_strings() {
        let mut strings = Configstrings::default();
        assert!(strings.size_warning().is_none());
        for raw in 10..26 {
            strings.set(ConfigstringNum::new(raw).unwrap(), &"x".repeat(900 + raw));
        }
        let warning = strings.size_warning().unwrap();
        assert!(warning.contains("25 (925 bytes), 24 (924 bytes)"), "{warning}");
    }

    #[test]
    fn setting_the_same_text_is_no_change() {
        let mut strings = Configstrings::default();
        let num = ConfigstringNum::SERVERINFO;
        assert!(strings.set(num, "\\a\\b") && !strings.set(num, "\\a\\b"));
    }
}
