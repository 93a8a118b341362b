//! What players say to each other, and how it is shown. Source: `G_Say`, `G_SayTo`, `G_Voice`.

use super::NativeGame;
use super::client::is_team_game;
use crate::game::{Host, Record};
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{game_type, team};

/// Bytes of a chat line. Source: `MAX_SAY_TEXT`.
const MAX_SAY_BYTES: usize = 149;
/// Keeps clients from reading the colon after a name as their own syntax. Source: `EC`.
const ESCAPE: char = '\u{19}';

/// Who hears something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// Everybody.
    All,
    /// The speaker's team.
    Team,
    /// One player.
    One(ClientNum),
}

impl NativeGame {
    /// A player says something.
    pub(super) fn say(&mut self, host: &mut dyn Host, from: ClientNum, to: Audience, words: &[&str]) {
        let text = spoken(words);
        if text.is_empty() {
            return;
        }
        if self.clients[from.index()].session.muted {
            super::votes::tell(host, from, "You are muted.");
            return;
        }
        let to = match to {
            Audience::Team if !is_team_game(host.config().g_gametype) => Audience::All,
            to => to,
        };
        let name = self.clients[from.index()].player.name.clone();
        let place = self.place_told(host, from, to);
        let (kind, log, line) = match to {
            Audience::All => {
                ("say", format!("say: {name}: {text}"), format!("chat \"{name}^7{ESCAPE}: ^2{text}\""))
            }
            Audience::Team => (
                "say_team",
                format!("sayteam: {name}: {text}"),
                format!("tchat \"{ESCAPE}({name}^7{ESCAPE}){place}{ESCAPE}: ^5{text}\""),
            ),
            Audience::One(other) => (
                "tell",
                format!("tell: {name} to {}: {text}", self.clients[other.index()].player.name),
                format!("chat \"{ESCAPE}[{name}^7{ESCAPE}]{place}{ESCAPE}: ^6{text}\""),
            ),
        };
        let record = Record::new(kind, log).int("client", from.index() as i32).text("name", &name);
        let record = match to {
            Audience::One(other) => record.int("to", other.index() as i32),
            Audience::All | Audience::Team => record,
        };
        host.log_game(&record.text("text", &text));
        self.send_heard(host, from, to, &line);
    }

    /// Where the speaker is, for ears of its own team, if the map has a name for that. Source: `Team_GetLocationMsg`.
    fn place_told(&self, host: &dyn Host, from: ClientNum, to: Audience) -> String {
        let game = host.config().g_gametype;
        let mates = match to {
            Audience::All => false,
            Audience::Team => true,
            Audience::One(other) => self.same_team(game, from.entity(), other.entity()),
        };
        if !mates || !is_team_game(game) || self.clients[from.index()].spectating() {
            return String::new();
        }
        match self.location_of(host, from) {
            0 => String::new(),
            at => format!(" ({})", self.level.locations[at - 1].1),
        }
    }

    /// A player plays a sample of the voice chat to others.
    pub(super) fn voice(
        &mut self,
        host: &mut dyn Host,
        from: ClientNum,
        to: Audience,
        voice_only: bool,
        words: &[&str],
    ) {
        let sample = spoken(words);
        if sample.is_empty()
            || self.clients[from.index()].session.muted
            || host.config().g_gametype == game_type::TOURNAMENT
        {
            return;
        }
        let (command, colour) = match to {
            Audience::All => ("vchat", '2'),
            Audience::Team => ("vtchat", '5'),
            Audience::One(_) => ("vtell", '6'),
        };
        let line = format!("{command} {} {from} {} {sample}", i32::from(voice_only), u32::from(colour));
        self.send_heard(host, from, to, &line);
    }

    /// Sends a line to all who may hear it; who tells hears itself.
    fn send_heard(&self, host: &mut dyn Host, from: ClientNum, to: Audience, line: &str) {
        let game = host.config().g_gametype;
        for other in self.slots() {
            let client = &self.clients[other.index()];
            let meant = match to {
                Audience::All => true,
                Audience::Team => self.clients[from.index()].session.team == client.session.team,
                Audience::One(one) => other == one || other == from,
            };
            // In a tournament nobody talks to those who fight.
            let disturbs = game == game_type::TOURNAMENT
                && client.session.team == team::FREE
                && self.clients[from.index()].session.team != team::FREE;
            if client.playing() && meant && !disturbs {
                host.send_server_command(Some(other), line);
            }
        }
    }
}

/// Words as one line that cannot end the command that carries it.
fn spoken(words: &[&str]) -> String {
    let mut text = words.join(" ");
    text.retain(|c| c != '"' && (c == ESCAPE || !c.is_control()));
    let mut end = text.len().min(MAX_SAY_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_not_break_out_of_its_command() {
        assert_eq!(spoken(&["he\"llo", "wo\nrld"]), "hello world");
        assert_eq!(spoken(&["é"; 200]).len(), 149);
    }
}
