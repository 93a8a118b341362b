//! The scoreboard as clients are sent it. Source: `DeathmatchScoreboardMessage`; facts page "q3-protocol-facts", section 9.

use super::NativeGame;
use super::client::Connection;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{pers, team};
use fogline_common::proto::limits::MAX_COMMAND_TEXT;
use std::fmt::Write as _;

/// Room for the command's own words before the rows.
const HEADER_BYTES: usize = 48;

impl NativeGame {
    /// Sends the scoreboard: a head of four numbers, then fifteen for each player, best first, as many as fit.
    pub(super) fn send_scores(&mut self, host: &mut dyn Host, to: ClientNum) {
        let mut rows = String::new();
        let mut count = 0;
        for at in 0..self.level.ranking.len() {
            let row = self.score_row(host, self.level.ranking[at]);
            if HEADER_BYTES + rows.len() + row.len() > MAX_COMMAND_TEXT {
                break;
            }
            rows.push_str(&row);
            count += 1;
        }
        let scores = &self.level.team_scores;
        let (red, blue) = (scores[team::RED as usize], scores[team::BLUE as usize]);
        host.send_server_command(Some(to), &format!("scores {count} {red} {blue} 0{rows}"));
    }

    /// Client, score, ping, minutes, flags, powerups, accuracy, impressive, excellent, gauntlet, defend, assist, perfect, captures,
    /// eliminated.
    fn score_row(&self, host: &dyn Host, num: ClientNum) -> String {
        let client = &self.clients[num.index()];
        let ping = match client.connection {
            Connection::Connecting => -1,
            _ => host.ping(num).min(999),
        };
        let minutes = (self.level.time - client.player.entered).0 / 60_000;
        let accuracy = client.player.statistics.accuracy();
        let of = |index: i32| client.ps.persistant[index as usize];
        let perfect = i32::from(of(pers::RANK) == 0 && of(pers::KILLED) == 0);
        let powerups = self.entities[num.entity()].shared.state.powerups;
        let mut row = String::with_capacity(64);
        for value in [
            num.index() as i32,
            client.score(),
            ping,
            minutes,
            0,
            powerups,
            accuracy,
            of(pers::IMPRESSIVE_COUNT),
            of(pers::EXCELLENT_COUNT),
            of(pers::GAUNTLET_FRAG_COUNT),
            of(pers::DEFEND_COUNT),
            of(pers::ASSIST_COUNT),
            perfect,
            of(pers::CAPTURES),
            0,
        ] {
            // Writing to a string cannot fail.
            let _ = write!(row, " {value}");
        }
        row
    }

    /// Sends the scoreboard to everybody in the world.
    pub(super) fn send_scores_to_all(&mut self, host: &mut dyn Host) {
        for num in self.slots() {
            if self.clients[num.index()].playing() {
                self.send_scores(host, num);
            }
        }
    }
}
