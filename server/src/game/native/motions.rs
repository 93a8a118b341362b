//! What players may vote about: a call is checked once, completely, and becomes what is done if the vote passes.
//!
//! Source: `Cmd_CallVote_f`, `allowedVote` and its relatives; text for the console is made here, never by a player.

use super::NativeGame;
use super::client::is_team_game;
use super::number::leading_int;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::proto::info_string;

/// Everything that can be voted about, and the bit by which clients know that it is allowed. Source: `VF_*`; kick has none.
const KINDS: [(&str, i32); 11] = [
    ("map_restart", 1),
    ("nextmap", 2),
    ("map", 4),
    ("g_gametype", 8),
    ("kick", 0),
    ("clientkick", 16),
    ("g_doWarmup", 32),
    ("timelimit", 64),
    ("fraglimit", 128),
    ("shuffle", 512),
    ("custom", 256),
];
/// Game types by the word that voters read.
const GAME_TYPES: [(i32, &str); 4] =
    [(0, "Free For All"), (1, "Tournament"), (3, "Team Deathmatch"), (4, "Capture the Flag")];

/// What is done if a vote passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// The console runs this.
    Console(String),
    /// Somebody goes, and its address stays out for a while.
    Kick {
        /// The slot.
        client: ClientNum,
        /// Address when the vote was called, for who leaves before it ends.
        address: String,
        /// Name when the vote was called.
        name: String,
    },
    /// The teams are mixed anew.
    Shuffle,
}

/// A motion, and as what it is put to the vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    /// What is done.
    pub(super) motion: Motion,
    /// What voters read.
    pub(super) shown: String,
}

impl NativeGame {
    /// What a player proposes; else the sentence that it reads.
    pub(super) fn propose(&self, host: &dyn Host, words: &[&str]) -> Result<Proposal, String> {
        let (name, argument) = (words.first().copied().unwrap_or(""), words.get(1).copied().unwrap_or(""));
        let kind = KINDS.iter().find(|(kind, _)| kind.eq_ignore_ascii_case(name)).map(|(kind, _)| *kind);
        let Some(kind) = kind.filter(|kind| is_allowed(&host.config().g_votenames, kind)) else {
            return Err(format!("Vote commands are: {}.", allowed_kinds(host).join(", ")));
        };
        let console = |text: String, shown: String| Ok(Proposal { motion: Motion::Console(text), shown });
        match kind {
            "map_restart" => console("map_restart 5\n".to_owned(), "Restart map?".to_owned()),
            "nextmap" => match self.next_level(host) {
                "map_restart 0\n" => Err("There is no next map: nextmap is not set.".to_owned()),
                next => console(next.to_owned(), "Next map?".to_owned()),
            },
            "map" => self.propose_map(host, argument),
            "custom" => self.propose_custom(argument),
            "g_gametype" => propose_game_type(host, argument),
            "g_doWarmup" => {
                let on = leading_int(argument) != 0;
                let shown = if on { "Enable warmup?" } else { "Disable warmup?" };
                console(format!("g_doWarmup {}\n", i32::from(on)), shown.to_owned())
            }
            "timelimit" => {
                let config = host.config();
                let range = (config.g_votemintimelimit, config.g_votemaxtimelimit);
                propose_limit("timelimit", leading_int(argument), range)
            }
            "fraglimit" => {
                let config = host.config();
                let range = (config.g_voteminfraglimit, config.g_votemaxfraglimit);
                propose_limit("fraglimit", leading_int(argument), range)
            }
            "shuffle" if !is_team_game(host.config().g_gametype) => {
                Err("Teams can be shuffled in team games only.".to_owned())
            }
            "shuffle" => Ok(Proposal { motion: Motion::Shuffle, shown: "Shuffle teams?".to_owned() }),
            // By number for one, by name for the other.
            "clientkick" if argument.is_empty() || !argument.bytes().all(|c| c.is_ascii_digit()) => {
                Err("Say the number of the player to kick.".to_owned())
            }
            "clientkick" => self.propose_kick(host, argument),
            _ => self.propose_kick(host, &words[1..].join(" ")),
        }
    }

    fn propose_kick(&self, host: &dyn Host, who: &str) -> Result<Proposal, String> {
        let client = self.find_client(who)?;
        let player = &self.clients[client.index()].player;
        if player.local {
            return Err("The host cannot be kicked.".to_owned());
        }
        let address = info_string::value(host.userinfo(client), "ip").to_owned();
        let name = player.name.clone();
        let shown = format!("Kick {name}^7?");
        Ok(Proposal { motion: Motion::Kick { client, address, name }, shown })
    }
}

impl NativeGame {
    /// One of the host's own votes.
    fn propose_custom(&self, name: &str) -> Result<Proposal, String> {
        let Some(vote) = self.custom_votes.iter().find(|vote| vote.name.eq_ignore_ascii_case(name)) else {
            let names: Vec<&str> = self.custom_votes.iter().map(|vote| vote.name.as_str()).collect();
            return Err(format!("Custom vote commands are: {}", names.join(" ")));
        };
        let motion = Motion::Console(format!("{}\n", vote.command));
        Ok(Proposal { motion, shown: vote.shown.clone() })
    }

    /// A map that is there and, if the host has a list, in it.
    fn propose_map(&self, host: &dyn Host, name: &str) -> Result<Proposal, String> {
        let listed = |map: &&String| {
            self.vote_maps.as_ref().is_none_or(|list| list.iter().any(|one| one.eq_ignore_ascii_case(map)))
        };
        propose_map(&host.maps(), name, listed)
    }
}

fn propose_map(maps: &[String], name: &str, listed: impl Fn(&&String) -> bool) -> Result<Proposal, String> {
    let Some(map) = maps.iter().filter(listed).find(|map| map.eq_ignore_ascii_case(name)) else {
        let name: String =
            name.chars().filter(|c| c.is_ascii_graphic() && !matches!(c, '"' | '%')).take(40).collect();
        return Err(format!("Map {name} is not on this server."));
    };
    Ok(Proposal {
        motion: Motion::Console(format!("map \"{map}\"\n")),
        shown: format!("Change map to: {map}?"),
    })
}

fn propose_game_type(host: &dyn Host, argument: &str) -> Result<Proposal, String> {
    let config = host.config();
    let number = leading_int(argument);
    let known = GAME_TYPES.iter().find(|(game, _)| *game == number && !argument.is_empty());
    let Some((_, name)) = known else {
        return Err("These rules play game types 0, 1, 3 and 4.".to_owned());
    };
    if number == config.g_gametype {
        return Err("That is the current game type.".to_owned());
    }
    if !is_allowed(&config.g_votegametypes, &number.to_string()) {
        return Err("That game type is not available.".to_owned());
    }
    // Another game type needs the map loaded anew.
    let text = format!("g_gametype {number};map \"{}\"\n", config.mapname);
    Ok(Proposal { motion: Motion::Console(text), shown: format!("Change gametype to: {name}?") })
}

/// A limit within what the host allows; 0 takes it away, where no highest one is set.
fn propose_limit(what: &str, limit: i32, (least, most): (i32, i32)) -> Result<Proposal, String> {
    let fits = if limit == 0 { most == 0 || least == 0 && what == "timelimit" } else { limit >= least };
    if limit < 0 || !fits || most > 0 && limit > most {
        let most = if most > 0 { most.to_string() } else { "any".to_owned() };
        return Err(format!("The {what} may be voted from {least} to {most}."));
    }
    let shown = match limit {
        0 => format!("Remove {what}?"),
        _ => format!("Change {what} to: {limit}?"),
    };
    Ok(Proposal { motion: Motion::Console(format!("{what} {limit}\n")), shown })
}

/// Whether a list such as `/map/kick/` has the word; `*` has every word.
fn is_allowed(list: &str, word: &str) -> bool {
    list.trim() == "*" || list.split('/').any(|one| one.eq_ignore_ascii_case(word))
}

fn allowed_kinds(host: &dyn Host) -> Vec<&'static str> {
    let list = &host.config().g_votenames;
    KINDS.iter().map(|(kind, _)| *kind).filter(|kind| is_allowed(list, kind)).collect()
}

/// The bits by which clients know what they may vote about.
pub(super) fn vote_flags(host: &dyn Host) -> i32 {
    if !host.config().g_allowvote {
        return 0;
    }
    let list = &host.config().g_votenames;
    KINDS.iter().filter(|(kind, _)| is_allowed(list, kind)).fold(0, |bits, (_, bit)| bits | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_between_slashes() {
        assert!(is_allowed("/map/kick/", "KICK") && is_allowed("*", "kick"));
        assert!(!is_allowed("/map_restart/", "map") && !is_allowed("", "map"));
    }

    #[test]
    fn limits_stay_within_what_the_host_allows() {
        let check =
            |limit, range| propose_limit("fraglimit", limit, range).map(|p| p.shown).unwrap_or_default();
        assert_eq!(check(20, (0, 0)), "Change fraglimit to: 20?");
        assert_eq!(check(0, (0, 0)), "Remove fraglimit?");
        for (limit, range) in [(-1, (0, 0)), (5, (10, 30)), (31, (10, 30)), (0, (10, 30))] {
            assert_eq!(check(limit, range), "", "{limit} {range:?}");
        }
    }
}
