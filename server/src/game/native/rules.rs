//! When a match is over, who is how good, and what the points are. Source: `CalculateRanks`, `CheckExitRules`, `AddScore`.

use super::NativeGame;
use super::client::{Connection, SpectatorView, is_team_game};
use super::level::{Stage, set_configstring};
use crate::game::{Host, Record};
use fogline_common::ids::ClientNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{configstring, game_type, pers, shared, team};
use fogline_common::time::Millis;
use std::cmp::Ordering;

/// Between the last point and the scores.
pub(super) const ENDING_TIME: Millis = Millis(1000);

impl NativeGame {
    /// Points for a player, and in team deathmatch for its team. None before the match, and none after it.
    ///
    /// While no more than two play, a mishap in a game without teams is not the fool's loss but the other's gain.
    pub(super) fn add_score(&mut self, host: &mut dyn Host, num: ClientNum, origin: Vec3, points: i32) {
        if !self.match_counts() || self.level.stage.is_intermission() {
            return;
        }
        let game = host.config().g_gametype;
        if points < 0 && !is_team_game(game) && self.playing_number(None) < 3 {
            for other in self.slots() {
                if other != num && self.clients[other.index()].in_game() {
                    self.score_plum(host, other, origin, -points);
                    self.clients[other.index()].ps.persistant[pers::SCORE as usize] -= points;
                    self.log_score(host, other);
                }
            }
            self.rank(host);
            return;
        }
        self.score_plum(host, num, origin, points);
        let client = &mut self.clients[num.index()];
        client.ps.persistant[pers::SCORE as usize] += points;
        let side = client.session.team;
        if game == game_type::TEAM && matches!(side, team::RED | team::BLUE) {
            self.level.team_scores[side as usize] += points;
            let score = self.level.team_scores[side as usize];
            let line = format!("TeamScore: {side} {score}: Team {side} now has {score} points");
            host.log_game(&Record::new("team_score", line).int("team", side).int("score", score));
        }
        self.log_score(host, num);
        self.rank(host);
    }

    fn log_score(&self, host: &mut dyn Host, num: ClientNum) {
        let client = &self.clients[num.index()];
        let (name, score) = (&client.player.name, client.score());
        let line = format!("PlayerScore: {num} {score}: {name} now has {score} points");
        let record = Record::new("player_score", line).int("client", num.index() as i32);
        host.log_game(&record.text("name", name).int("score", score));
    }

    /// Sorts all clients, tells everybody who is how good, and ends the match if that is due.
    pub(super) fn rank(&mut self, host: &mut dyn Host) {
        let game = host.config().g_gametype;
        let mut ranking = std::mem::take(&mut self.level.ranking);
        ranking.clear();
        ranking.extend(self.slots().filter(|num| self.clients[num.index()].connection != Connection::Absent));
        ranking.sort_by(|&a, &b| self.compare(a, b));
        self.level.playing_count =
            ranking.iter().take_while(|num| self.clients[num.index()].in_game()).count();
        if is_team_game(game) {
            self.rank_teams(&ranking);
        } else {
            self.rank_players(&ranking);
        }
        let (first, second) = if is_team_game(game) {
            let scores = &self.level.team_scores;
            (scores[team::RED as usize], scores[team::BLUE as usize])
        } else {
            let score = |at: usize| {
                ranking.get(at).map_or(shared::SCORE_NOT_PRESENT, |num| self.clients[num.index()].score())
            };
            (score(0), score(1))
        };
        self.level.ranking = ranking;
        set_number(host, configstring::SCORES1, first);
        set_number(host, configstring::SCORES2, second);
        self.check_limits(host);
        if matches!(self.level.stage, Stage::Intermission { .. }) {
            self.send_scores_to_all(host);
        }
    }

    /// Players before those still coming in before spectators, each by points. Source: `SortRanks`.
    fn compare(&self, a: ClientNum, b: ClientNum) -> Ordering {
        let (left, right) = (&self.clients[a.index()], &self.clients[b.index()]);
        let class = |client: &super::client::Client| {
            if client.spectating() && client.session.view == SpectatorView::Scoreboard {
                3
            } else if client.connection == Connection::Connecting {
                2
            } else {
                i32::from(client.spectating())
            }
        };
        class(left)
            .cmp(&class(right))
            .then_with(|| match class(left) {
                1 => left.session.spectating_since.cmp(&right.session.spectating_since),
                _ => right.score().cmp(&left.score()),
            })
            .then_with(|| a.cmp(&b))
    }

    fn rank_teams(&mut self, ranking: &[ClientNum]) {
        let scores = &self.level.team_scores;
        // 0: red leads, 1: blue leads, 2: tied.
        let rank = match scores[team::RED as usize].cmp(&scores[team::BLUE as usize]) {
            Ordering::Greater => 0,
            Ordering::Less => 1,
            Ordering::Equal => 2,
        };
        for num in ranking {
            self.clients[num.index()].ps.persistant[pers::RANK as usize] = rank;
        }
    }

    fn rank_players(&mut self, ranking: &[ClientNum]) {
        let players = &ranking[..self.level.playing_count];
        for (at, num) in players.iter().enumerate() {
            let score = self.clients[num.index()].score();
            let equals = |other: &ClientNum| self.clients[other.index()].score() == score;
            let first = players.iter().position(equals).unwrap_or(at);
            let tied = players.iter().filter(|other| equals(other)).count() > 1;
            let rank = first as i32 | if tied { shared::RANK_TIED_FLAG } else { 0 };
            self.clients[num.index()].ps.persistant[pers::RANK as usize] = rank;
        }
    }

    /// In a tournament who waited longest plays next. Source: `AddTournamentPlayer`.
    pub(super) fn fill_tournament(&mut self, host: &mut dyn Host) {
        if host.config().g_gametype != game_type::TOURNAMENT || self.playing_number(None) >= 2 {
            return;
        }
        let waits = |num: &ClientNum| {
            let session = &self.clients[num.index()].session;
            session.team == team::SPECTATOR && session.view != SpectatorView::Scoreboard
        };
        let next =
            self.playing().filter(waits).min_by_key(|num| self.clients[num.index()].session.spectating_since);
        if let Some(next) = next {
            self.set_team(host, next, "free");
        }
    }

    /// Whether the lead is shared, so that the match goes on. Source: `ScoreIsTied`.
    fn is_tied(&self, host: &dyn Host) -> bool {
        if self.level.playing_count < 2 {
            return false;
        }
        if is_team_game(host.config().g_gametype) {
            let scores = &self.level.team_scores;
            return scores[team::RED as usize] == scores[team::BLUE as usize];
        }
        let score = |at: usize| self.level.ranking.get(at).map(|num| self.clients[num.index()].score());
        score(0) == score(1)
    }

    /// Ends the match at the host's limits, unless it is tied. Source: `CheckExitRules`.
    pub(super) fn check_limits(&mut self, host: &mut dyn Host) {
        if self.level.stage != Stage::Play || !self.match_counts() {
            return;
        }
        let config = host.config();
        let (frag_limit, game) = (config.fraglimit, config.g_gametype);
        let time_is_up = self.time_is_up(config.timelimit);
        if self.is_tied(host) {
            if time_is_up {
                self.play_on(host);
            }
            return;
        }
        if time_is_up {
            host.send_server_command(None, "print \"Timelimit hit.\n\"");
            self.end_match(host, "Timelimit hit.");
            return;
        }
        if game == game_type::CTF && self.check_capture_limit(host) {
            return;
        }
        if self.level.playing_count == 0 || frag_limit <= 0 {
            return;
        }
        if game == game_type::TEAM {
            for (team, name) in [(team::RED, "Red"), (team::BLUE, "Blue")] {
                if self.level.team_scores[team as usize] >= frag_limit {
                    host.send_server_command(None, &format!("print \"{name} hit the fraglimit.\n\""));
                    self.end_match(host, "Fraglimit hit.");
                    return;
                }
            }
        } else if !is_team_game(game) {
            let winner = self.playing().find(|num| {
                let client = &self.clients[num.index()];
                client.session.team == team::FREE && client.score() >= frag_limit
            });
            if let Some(winner) = winner {
                let name = &self.clients[winner.index()].player.name;
                host.send_server_command(None, &format!("print \"{name}^7 hit the fraglimit.\n\""));
                self.end_match(host, "Fraglimit hit.");
            }
        }
    }

    fn time_is_up(&self, limit_minutes: i32) -> bool {
        let played_ms = i64::from((self.level.time - self.level.start).0);
        let limit_ms = i64::from(limit_minutes) * 60_000 + i64::from(self.level.overtime.0);
        limit_minutes > 0 && played_ms >= limit_ms
    }

    /// The time is up and nobody leads: some minutes more, or on until somebody does.
    fn play_on(&mut self, host: &mut dyn Host) {
        let minutes = host.config().g_overtime;
        if minutes > 0 {
            self.level.overtime.0 = self.level.overtime.0.saturating_add(minutes * 60_000);
            let unit = if minutes == 1 { "minute" } else { "minutes" };
            host.send_server_command(None, &format!("cp \"Overtime: {minutes} {unit} more\n\""));
            host.log_game(&Record::new("overtime", format!("Overtime: {minutes}")).int("minutes", minutes));
        } else if !self.level.sudden_death {
            self.level.sudden_death = true;
            host.send_server_command(None, "cp \"Sudden death: the next point decides\n\"");
            host.log_game(&Record::new("sudden_death", "SuddenDeath:"));
        }
    }

    /// In capture the flag the first team with enough captures has won. Whether one has.
    fn check_capture_limit(&mut self, host: &mut dyn Host) -> bool {
        let limit = host.config().capturelimit;
        let reached = |&(team, _): &(i32, &str)| self.level.team_scores[team as usize] >= limit;
        let winner = [(team::RED, "Red"), (team::BLUE, "Blue")].into_iter().find(reached);
        let Some((_, name)) = winner.filter(|_| limit > 0) else { return false };
        host.send_server_command(None, &format!("print \"{name} hit the capturelimit.\n\""));
        self.end_match(host, "Capturelimit hit.");
        true
    }

    /// The match is over: the log has the final points, everybody gets a moment to see. Source: `LogExit`.
    pub(super) fn end_match(&mut self, host: &mut dyn Host, reason: &str) {
        self.level.stage = Stage::Ending { since: self.level.time };
        set_configstring(host, configstring::INTERMISSION, "1");
        host.log_game(&Record::new("exit", format!("Exit: {reason}")).text("reason", reason));
        if is_team_game(host.config().g_gametype) {
            let scores = &self.level.team_scores;
            let (red, blue) = (scores[team::RED as usize], scores[team::BLUE as usize]);
            let record = Record::new("team_scores", format!("red:{red}  blue:{blue}"));
            host.log_game(&record.int("red", red).int("blue", blue));
        }
        for at in 0..self.level.ranking.len().min(32) {
            let num = self.level.ranking[at];
            let client = &self.clients[num.index()];
            if client.spectating() || client.connection == Connection::Connecting {
                continue;
            }
            let ping = host.ping(num).min(999);
            let line =
                format!("score: {}  ping: {ping}  client: {num} {}", client.score(), client.player.name);
            let record = Record::new("final_score", line).int("client", num.index() as i32);
            host.log_game(
                &record.text("name", &client.player.name).int("score", client.score()).int("ping", ping),
            );
        }
    }
}

fn set_number(host: &mut dyn Host, index: u16, value: i32) {
    set_configstring(host, index, &value.to_string());
}
