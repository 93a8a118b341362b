//! What a host adds to votes in files: maps that may be voted for, and votes of its own.
//!
//! `votemaps.cfg` names maps, between blanks; without the file every map may be voted for. `votecustom.cfg` has for each vote
//! `{ votecommand "name" displayname "what voters read" command "what the console runs" }`. Source: `allowedMap`, `getCustomVote`.

use super::NativeGame;
use super::entity_string::parse;
use crate::game::Host;
use fogline_common::ids::ClientNum;

/// Votes of a host that are kept.
const MOST_CUSTOM: usize = 12;
/// Maps that are kept.
const MOST_MAPS: usize = 1024;

/// A vote of the host's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CustomVote {
    /// What is typed.
    pub(super) name: String,
    /// What voters read.
    pub(super) shown: String,
    /// What the console runs.
    pub(super) command: String,
}

impl NativeGame {
    /// A level begins: the files are read anew.
    pub(super) fn read_vote_files(&mut self, host: &mut dyn Host) {
        let maps = host.config().g_votemapsfile.clone();
        self.vote_maps = host.read_text(&maps).map(|text| words(&text));
        let custom = host.config().g_votecustomfile.clone();
        let text = host.read_text(&custom).unwrap_or_default();
        let mut oddities = Vec::new();
        self.custom_votes = custom_votes(&text, &mut |sentence| oddities.push(sentence));
        for sentence in oddities {
            host.print(&format!("{custom}: {sentence}"));
        }
    }

    /// A client that enters is told what its vote menu may offer.
    pub(super) fn tell_custom_votes(&self, host: &mut dyn Host, num: ClientNum) {
        if !self.custom_votes.is_empty() {
            let names: Vec<&str> = self.custom_votes.iter().map(|vote| vote.name.as_str()).collect();
            host.send_server_command(Some(num), &format!("customvotes {}", names.join(" ")));
        }
    }
}

/// Words between blanks, comments left out.
fn words(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let words =
        lines.flat_map(|line| line.split_ascii_whitespace()).map(|word| word.trim_matches('"').to_owned());
    words.filter(|word| !word.is_empty()).take(MOST_MAPS).collect()
}

fn custom_votes(text: &str, complain: &mut dyn FnMut(String)) -> Vec<CustomVote> {
    let mut broken = 0;
    let blocks = parse(text, &mut |_| broken += 1);
    if broken > 0 {
        complain(format!("{broken} places make no sense and are left out"));
    }
    let mut votes = Vec::new();
    for fields in blocks {
        let (name, command) = (fields.text("votecommand"), fields.text("command"));
        let plain = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') && !name.is_empty();
        if !plain || command.is_empty() {
            complain("a vote without a plain votecommand or without a command is left out".to_owned());
            continue;
        }
        if votes.len() == MOST_CUSTOM {
            complain(format!("only the first {MOST_CUSTOM} votes are kept"));
            break;
        }
        let shown = fields.get("displayname").unwrap_or(command);
        let shown = shown.chars().filter(|c| !c.is_control() && *c != '"').take(100).collect();
        votes.push(CustomVote { name: name.to_owned(), shown, command: command.to_owned() });
    }
    votes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_votes_are_read_and_what_makes_no_sense_is_named() {
        assert_eq!(words("oa_dm1 \"oa_dm2\" // no\n\toa_dm3\n"), ["oa_dm1", "oa_dm2", "oa_dm3"]);
        let mut said = Vec::new();
        let text = "{ votecommand \"low\" displayname \"Low gravity?\" command \"g_gravity 300\" }\n{ votecommand \"a b\" command x }";
        let votes = custom_votes(text, &mut |sentence| said.push(sentence));
        assert_eq!((votes.len(), votes[0].shown.as_str(), said.len()), (1, "Low gravity?", 1));
        assert!(custom_votes("nonsense", &mut |_| {}).is_empty());
    }
}
