//! Votes of everybody who plays: called, cast, counted, and done three seconds after they pass.
//!
//! Source: `Cmd_CallVote_f`, `Cmd_Vote_f`, `CheckVote`, `CountVotes`.

use super::NativeGame;
use super::level::{Stage, set_configstring};
use super::motions::{Motion, vote_flags};
use crate::game::{Host, Record};
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{configstring, dm_flag, entity_flag, shared};
use fogline_common::proto::sv_flag;
use fogline_common::time::{Millis, ServerTime};

/// How long a vote is open.
const OPEN: Millis = Millis(shared::VOTE_TIME);
/// Between passing and being done.
const PAUSE: Millis = Millis(3000);

/// A vote that is open.
#[derive(Clone, Debug)]
pub(super) struct Vote {
    motion: Motion,
    shown: String,
    called: ServerTime,
    by: ClientNum,
    /// Ballots as everybody was last told: for and against.
    told: (usize, usize),
}

/// How an open vote stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Who may vote.
    pub(super) voters: usize,
    /// For it.
    pub(super) yes: usize,
    /// Against it.
    pub(super) no: usize,
}

impl Count {
    /// Whether it has passed (true) or failed; `None` while it may still do either.
    pub(super) fn verdict(self, is_over: bool, light: bool) -> Option<bool> {
        if self.yes > self.voters / 2 {
            return Some(true);
        }
        if self.no >= self.voters.div_ceil(2).max(1) {
            return Some(false);
        }
        is_over.then(|| light && self.passes_lightly())
    }

    /// Under `DF_LIGHT_VOTING` a vote that nobody finished passes by those who cared.
    fn passes_lightly(self) -> bool {
        self.yes > self.no * 2 || self.yes > self.no && self.yes >= 2 && self.yes * 10 > self.voters * 3
    }
}

/// A sentence for one player's console.
pub(super) fn tell(host: &mut dyn Host, num: ClientNum, text: &str) {
    host.send_server_command(Some(num), &format!("print \"{text}\n\""));
}

impl NativeGame {
    /// `callvote`.
    pub(super) fn call_vote(&mut self, host: &mut dyn Host, num: ClientNum, words: &[&str]) {
        if let Err(refusal) = self.may_call(host, num) {
            return tell(host, num, &refusal);
        }
        let proposal = match self.propose(host, words) {
            Ok(proposal) => proposal,
            Err(refusal) => return tell(host, num, &refusal),
        };
        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        client.player.votes_called += 1;
        let name = client.player.name.clone();
        host.send_server_command(None, &format!("print \"{name}^7 called a vote.\n\""));
        let record = Record::new("vote_called", format!("callvote: {num} {name}: {}", proposal.shown));
        host.log_game(
            &record.int("client", num.index() as i32).text("name", &name).text("vote", &proposal.shown),
        );
        for other in self.slots() {
            let client = &mut self.clients[other.index()];
            client.ps.flags &= !entity_flag::VOTED;
            client.player.ballot = None;
        }
        let client = &mut self.clients[num.index()];
        client.ps.flags |= entity_flag::VOTED;
        client.player.ballot = Some(true);
        for (index, text) in [
            (configstring::VOTE_TIME, now.0.max(1).to_string().as_str()),
            (configstring::VOTE_STRING, &proposal.shown),
            (configstring::VOTE_YES, "1"),
            (configstring::VOTE_NO, "0"),
        ] {
            set_configstring(host, index, text);
        }
        self.vote =
            Some(Vote { motion: proposal.motion, shown: proposal.shown, called: now, by: num, told: (1, 0) });
    }

    fn may_call(&self, host: &dyn Host, num: ClientNum) -> Result<(), String> {
        let client = &self.clients[num.index()];
        let config = host.config();
        if !config.g_allowvote {
            return Err("Voting is not allowed here.".to_owned());
        }
        if client.session.muted {
            return Err("You are muted and cannot call a vote.".to_owned());
        }
        if self.vote.is_some() || self.passed_vote.is_some() {
            return Err("A vote is already in progress.".to_owned());
        }
        if client.player.votes_called >= config.g_maxvotes {
            return Err("You have called as many votes as are allowed on one map.".to_owned());
        }
        if client.spectating() {
            return Err("Spectators cannot call a vote.".to_owned());
        }
        let wait: Millis = client.player.may_vote_at - self.level.time;
        if wait > Millis(0) {
            return Err(format!(
                "Your last vote failed: you may call another in {} seconds.",
                wait.0 / 1000 + 1
            ));
        }
        Ok(())
    }

    /// `vote`. A ballot may be changed while the vote is open.
    pub(super) fn cast_vote(&mut self, host: &mut dyn Host, num: ClientNum, word: Option<&str>) {
        let refusal = if self.vote.is_none() {
            "No vote in progress."
        } else if self.clients[num.index()].spectating() {
            "Spectators cannot vote."
        } else {
            let client = &mut self.clients[num.index()];
            client.ps.flags |= entity_flag::VOTED;
            client.player.ballot = Some(is_yes(word));
            "Vote cast."
        };
        tell(host, num, refusal);
    }

    /// One frame of the open vote, and of the one that has passed.
    pub(super) fn run_votes(&mut self, host: &mut dyn Host) {
        if let Some((_, motion)) = self.passed_vote.take_if(|(at, _)| *at <= self.level.time) {
            self.carry_out(host, motion);
        }
        let Some(vote) = &self.vote else { return };
        let (called, told) = (vote.called, vote.told);
        let count = self.count_ballots();
        if told != (count.yes, count.no) {
            set_configstring(host, configstring::VOTE_YES, &count.yes.to_string());
            set_configstring(host, configstring::VOTE_NO, &count.no.to_string());
        }
        if let Some(vote) = &mut self.vote {
            vote.told = (count.yes, count.no);
        }
        let is_over = self.level.time - called >= OPEN;
        let light = host.config().dmflags & dm_flag::LIGHT_VOTING != 0;
        if let Some(passed) = count.verdict(is_over, light) {
            self.close_vote(host, passed);
        }
    }

    fn count_ballots(&self) -> Count {
        let mut count = Count::default();
        for num in self.playing() {
            let bot = self.entities[num.entity()].shared.link.sv_flags & sv_flag::BOT != 0;
            let client = &self.clients[num.index()];
            if client.spectating() || bot {
                continue;
            }
            count.voters += 1;
            count.yes += usize::from(client.player.ballot == Some(true));
            count.no += usize::from(client.player.ballot == Some(false));
        }
        count
    }

    fn close_vote(&mut self, host: &mut dyn Host, passed: bool) {
        let Some(vote) = self.vote.take() else { return };
        let (text, word) = if passed { ("Vote passed.", "passed") } else { ("Vote failed.", "failed") };
        host.send_server_command(None, &format!("print \"{text}\n\""));
        let record = Record::new("vote_closed", format!("vote: {word}: {}", vote.shown));
        host.log_game(&record.text("vote", &vote.shown).text("outcome", word));
        set_configstring(host, configstring::VOTE_TIME, "");
        let now = self.level.time;
        if passed {
            self.passed_vote = Some((now + PAUSE, vote.motion));
        } else {
            let pause = Millis(host.config().g_votecooldown.saturating_mul(1000));
            self.clients[vote.by.index()].player.may_vote_at = now + pause;
        }
    }

    /// The host ends the open vote as it likes, or takes back one that has passed. The sentence that it reads.
    pub(super) fn overrule_vote(&mut self, host: &mut dyn Host, pass: bool) -> &'static str {
        if self.vote.is_some() {
            self.close_vote(host, pass);
            if pass { "the vote has passed" } else { "the vote has failed" }
        } else if !pass && self.passed_vote.take().is_some() {
            host.send_server_command(None, "print \"Vote cancelled.\n\"");
            "the vote that had passed is taken back"
        } else {
            "no vote is in progress"
        }
    }

    fn carry_out(&mut self, host: &mut dyn Host, motion: Motion) {
        match motion {
            Motion::Console(text) => host.queue_console(&text),
            Motion::Shuffle => self.shuffle_teams(host),
            Motion::Kick { client, address, name } => {
                let minutes = host.config().g_voteban;
                if minutes > 0 {
                    host.ban_address(&address, minutes, "voted away");
                }
                // Another may have the slot by now.
                let still = &self.clients[client.index()];
                if still.playing() && still.player.name == name {
                    host.drop_client(client, "was kicked by vote");
                }
            }
        }
    }

    /// What clients are told about votes follows what the host allows.
    pub(super) fn publish_vote_flags(&self, host: &mut dyn Host) {
        let flags = vote_flags(host);
        if host.config().voteflags != flags {
            host.set_cvar("voteflags", &flags.to_string());
        }
    }

    /// No vote outlives its map.
    pub(super) fn forget_votes(&mut self) {
        self.vote = None;
        self.passed_vote = None;
        self.team_votes = Default::default();
    }

    /// Players of both sides are dealt out anew by rank, one, two, two, two; then the map begins again. Source: `ShuffleTeams`.
    pub(super) fn shuffle_teams(&mut self, host: &mut dyn Host) {
        use fogline_common::openarena::team::{BLUE, RED};
        if self.level.stage != Stage::Play {
            return;
        }
        let on_a_side: Vec<ClientNum> = self
            .level
            .ranking
            .iter()
            .copied()
            .filter(|num| matches!(self.clients[num.index()].session.team, RED | BLUE))
            .collect();
        for (at, num) in on_a_side.into_iter().enumerate() {
            let side = if at.div_ceil(2) % 2 == 0 { RED } else { BLUE };
            self.clients[num.index()].session.team = side;
            self.clients[num.index()].session.leader = false;
        }
        host.queue_console("map_restart 0\n");
    }
}

/// Whether a ballot is for it.
pub(super) fn is_yes(word: Option<&str>) -> bool {
    word.is_some_and(|word| word.starts_with(['y', 'Y', '1']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_majority_of_those_who_play_decides() {
        let count = |voters, yes, no| Count { voters, yes, no };
        assert_eq!(count(1, 1, 0).verdict(false, false), Some(true));
        assert_eq!(count(2, 1, 0).verdict(false, false), None);
        assert_eq!(count(2, 1, 1).verdict(false, false), Some(false));
        assert_eq!(count(5, 3, 0).verdict(false, false), Some(true));
        assert_eq!(count(5, 2, 2).verdict(false, false), None);
        assert_eq!(count(5, 2, 3).verdict(false, false), Some(false));
        assert_eq!(count(5, 2, 0).verdict(true, false), Some(false));
        assert_eq!(count(0, 0, 0).verdict(true, false), Some(false));
    }

    #[test]
    fn light_voting_lets_those_decide_who_care() {
        let count = |voters, yes, no| Count { voters, yes, no }.verdict(true, true);
        assert_eq!(count(10, 1, 0), Some(true));
        assert_eq!(count(10, 2, 1), Some(false));
        assert_eq!(count(10, 4, 3), Some(true));
        assert_eq!(count(10, 0, 0), Some(false));
    }
}
