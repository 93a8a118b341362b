//! Votes within a team: who leads it. Source: `Cmd_CallTeamVote_f`, `Cmd_TeamVote_f`, `CheckTeamVote`.

use super::NativeGame;
use super::level::set_configstring;
use super::votes::{Count, is_yes, tell};
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{configstring, entity_flag, shared, team};
use fogline_common::proto::sv_flag;
use fogline_common::time::{Millis, ServerTime};

/// A vote that a team has open.
#[derive(Clone, Copy, Debug)]
pub(super) struct TeamVote {
    leader: ClientNum,
    called: ServerTime,
}

/// Place of a side among two; `None` for who is on none.
fn side_of(team: i32) -> Option<usize> {
    match team {
        team::RED => Some(0),
        team::BLUE => Some(1),
        _ => None,
    }
}

impl NativeGame {
    /// `callteamvote`.
    pub(super) fn call_team_vote(&mut self, host: &mut dyn Host, num: ClientNum, words: &[&str]) {
        let own = self.clients[num.index()].session.team;
        let Some(side) = side_of(own) else {
            return tell(host, num, "Only who plays in a team may call a team vote.");
        };
        let refusal = if !host.config().g_allowvote {
            Some("Voting is not allowed here.")
        } else if self.team_votes[side].is_some() {
            Some("A team vote is already in progress.")
        } else if self.clients[num.index()].player.team_votes_called >= host.config().g_maxvotes {
            Some("You have called as many team votes as are allowed on one map.")
        } else if words.first().is_none_or(|word| !word.eq_ignore_ascii_case("leader")) {
            Some("Team vote commands are: leader <player>.")
        } else {
            None
        };
        if let Some(refusal) = refusal {
            return tell(host, num, refusal);
        }
        let leader = match words.get(1..).unwrap_or(&[]).join(" ").as_str() {
            "" => num,
            who => match self.find_client(who) {
                Ok(leader) if self.clients[leader.index()].session.team == own => leader,
                Ok(_) => return tell(host, num, "That player is not on your team."),
                Err(reason) => return tell(host, num, &reason),
            },
        };
        let now = self.level.time;
        self.clients[num.index()].player.team_votes_called += 1;
        let name = self.clients[num.index()].player.name.clone();
        for mate in self.members(own) {
            tell(host, mate, &format!("{name}^7 called a team vote."));
            let client = &mut self.clients[mate.index()];
            client.ps.flags &= !entity_flag::TEAMVOTED;
            client.player.team_ballot = None;
        }
        let client = &mut self.clients[num.index()];
        client.ps.flags |= entity_flag::TEAMVOTED;
        client.player.team_ballot = Some(true);
        self.team_votes[side] = Some(TeamVote { leader, called: now });
        for (index, text) in [
            (configstring::TEAMVOTE_TIME, now.0.max(1).to_string()),
            (configstring::TEAMVOTE_STRING, format!("leader {leader}")),
            (configstring::TEAMVOTE_YES, "1".to_owned()),
            (configstring::TEAMVOTE_NO, "0".to_owned()),
        ] {
            set_configstring(host, index + side as u16, &text);
        }
    }

    /// `teamvote`.
    pub(super) fn cast_team_vote(&mut self, host: &mut dyn Host, num: ClientNum, word: Option<&str>) {
        let side = side_of(self.clients[num.index()].session.team);
        let Some(side) = side.filter(|&side| self.team_votes[side].is_some()) else {
            return tell(host, num, "No team vote in progress.");
        };
        let client = &mut self.clients[num.index()];
        if client.player.team_ballot.is_some() {
            return tell(host, num, "Team vote already cast.");
        }
        client.ps.flags |= entity_flag::TEAMVOTED;
        client.player.team_ballot = Some(is_yes(word));
        tell(host, num, "Team vote cast.");
        let count = self.count_team_ballots(side);
        set_configstring(host, configstring::TEAMVOTE_YES + side as u16, &count.yes.to_string());
        set_configstring(host, configstring::TEAMVOTE_NO + side as u16, &count.no.to_string());
    }

    /// One frame of the votes of both teams.
    pub(super) fn run_team_votes(&mut self, host: &mut dyn Host) {
        for side in 0..self.team_votes.len() {
            let Some(vote) = self.team_votes[side] else { continue };
            let is_over = self.level.time - vote.called >= Millis(shared::VOTE_TIME);
            let Some(passed) = self.count_team_ballots(side).verdict(is_over, false) else { continue };
            self.team_votes[side] = None;
            set_configstring(host, configstring::TEAMVOTE_TIME + side as u16, "");
            let own = if side == 0 { team::RED } else { team::BLUE };
            let text = if passed { "Team vote passed." } else { "Team vote failed." };
            for mate in self.members(own) {
                tell(host, mate, text);
            }
            if passed && self.clients[vote.leader.index()].session.team == own {
                self.set_leader(host, own, vote.leader);
            }
        }
    }

    fn members(&self, own: i32) -> impl Iterator<Item = ClientNum> + use<> {
        let members: Vec<ClientNum> =
            self.playing().filter(|num| self.clients[num.index()].session.team == own).collect();
        members.into_iter()
    }

    fn count_team_ballots(&self, side: usize) -> Count {
        let own = if side == 0 { team::RED } else { team::BLUE };
        let mut count = Count::default();
        for num in self.playing() {
            let client = &self.clients[num.index()];
            let bot = self.entities[num.entity()].shared.link.sv_flags & sv_flag::BOT != 0;
            if client.session.team != own || bot {
                continue;
            }
            count.voters += 1;
            count.yes += usize::from(client.player.team_ballot == Some(true));
            count.no += usize::from(client.player.team_ballot == Some(false));
        }
        count
    }

    /// One leads the team from now on, and nobody else does. Source: `SetLeader`.
    fn set_leader(&mut self, host: &mut dyn Host, own: i32, leader: ClientNum) {
        for mate in self.members(own) {
            let leads = mate == leader;
            if std::mem::replace(&mut self.clients[mate.index()].session.leader, leads) != leads {
                self.read_userinfo(host, mate);
            }
        }
    }
}
