//! What hosts do to a running match from the console: mute, lock, put into teams, overrule votes, mix the teams.

use super::NativeGame;
use crate::game::Host;
use fogline_common::openarena::team;

/// Commands of the host that the rules answer, and how they are used.
const USAGES: [(&str, &str); 10] = [
    ("forceteam", "<player> <free|red|blue|spectator>"),
    ("mute", "<player>"),
    ("unmute", "<player>"),
    ("lockteam", "<red|blue|free>"),
    ("unlockteam", "<red|blue|free>"),
    ("cancelvote", ""),
    ("passvote", ""),
    ("shuffle", ""),
    ("endmatch", ""),
    ("entitylist", ""),
];

impl NativeGame {
    /// A console word of the host. Whether the rules knew it.
    pub(super) fn host_command(&mut self, host: &mut dyn Host, args: &[&str]) -> bool {
        let Some((name, rest)) = args.split_first() else { return false };
        let Some((name, usage)) = USAGES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) else {
            return false;
        };
        match (*name, rest) {
            ("forceteam", [who, team, ..]) => match self.find_client(who) {
                Ok(num) => self.set_team(host, num, team),
                Err(reason) => host.print(&reason),
            },
            ("mute" | "unmute", [_, ..]) => self.mute(host, &rest.join(" "), *name == "mute"),
            ("lockteam" | "unlockteam", [team, ..]) => self.lock(host, team, *name == "lockteam"),
            ("cancelvote", _) => {
                let answer = self.overrule_vote(host, false);
                host.print(answer);
            }
            ("passvote", _) => {
                let answer = self.overrule_vote(host, true);
                host.print(answer);
            }
            ("shuffle", _) => self.shuffle_teams(host),
            ("endmatch", _) => {
                if self.level.stage == super::level::Stage::Play {
                    self.end_match(host, "Ended by the host.");
                }
            }
            ("entitylist", _) => self.list_entities(host),
            _ => host.print(&format!("usage: {name} {usage}")),
        }
        true
    }

    fn mute(&mut self, host: &mut dyn Host, who: &str, muted: bool) {
        match self.find_client(who) {
            Ok(num) => {
                self.clients[num.index()].session.muted = muted;
                let word = if muted { "muted" } else { "no longer muted" };
                super::votes::tell(host, num, &format!("You are {word}."));
                host.print(&format!("{} is {word}", self.clients[num.index()].player.name));
            }
            Err(reason) => host.print(&reason),
        }
    }

    fn lock(&mut self, host: &mut dyn Host, word: &str, locked: bool) {
        let side = match word.to_ascii_lowercase().as_str() {
            "red" | "r" => team::RED,
            "blue" | "b" => team::BLUE,
            "free" | "f" => team::FREE,
            _ => {
                host.print("there are the teams red, blue and free");
                return;
            }
        };
        self.locked_teams[side as usize] = locked;
        let state = if locked { "locked" } else { "open" };
        let name = super::client::team_name(side);
        host.print(&format!("team {name} is {state}"));
        host.send_server_command(None, &format!("cp \"The {name} team is {state}.\n\""));
    }

    fn list_entities(&self, host: &mut dyn Host) {
        for num in self.entities.numbers() {
            let entity = &self.entities[num];
            let kind = format!("{:?}", entity.kind);
            let kind = kind.split([' ', '(']).next().unwrap_or("");
            let at = entity.shared.link.origin;
            host.print(&format!("{:4} {kind:12} {:.0} {:.0} {:.0}", num.index(), at.x, at.y, at.z));
        }
    }
}
