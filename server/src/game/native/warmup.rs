//! Before the match: waiting until enough have come, then counting down. Points do not count until the restart that begins it.
//!
//! Source: `CheckTournament`, and `SP_worldspawn` for who warms up at all.

use super::NativeGame;
use super::client::is_team_game;
use super::level::set_configstring;
use crate::game::{Host, Record};
use fogline_common::openarena::{configstring, game_type, team};
use fogline_common::time::{Millis, ServerTime};

/// What the configstring says while more players are needed.
const WAITING: &str = "-1";

/// How far the warm-up has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Warmup {
    /// There is none, or it is over: the match counts.
    #[default]
    Over,
    /// More players are needed.
    Waiting,
    /// Enough are here.
    Counting {
        /// The match begins then.
        until: ServerTime,
        /// `g_warmup` when the countdown began; another value begins it anew.
        length_s: i32,
    },
    /// The restart that begins the match has been asked for.
    Restarting,
}

impl NativeGame {
    /// A level begins. After the restart that ends a warm-up there is none; else `g_doWarmup` decides.
    pub(super) fn begin_warmup(&mut self, host: &mut dyn Host) {
        let warmed_up = std::mem::take(&mut self.warmed_up);
        if !warmed_up && host.config().g_dowarmup {
            self.wait_for_players(host);
        }
    }

    /// Whether points count and limits end the match.
    pub(super) fn match_counts(&self) -> bool {
        self.level.warmup == Warmup::Over
    }

    /// One frame of it.
    pub(super) fn run_warmup(&mut self, host: &mut dyn Host) {
        // In the first frames after a restart nobody has come back yet.
        if self.level.playing_count == 0 {
            return;
        }
        let game = host.config().g_gametype;
        if self.level.warmup == Warmup::Restarting
            || self.level.warmup == Warmup::Over && game != game_type::TOURNAMENT
        {
            return;
        }
        if !self.enough_players(game) {
            if self.level.warmup != Warmup::Waiting {
                self.wait_for_players(host);
            }
            return;
        }
        let (now, length_s) = (self.level.time, host.config().g_warmup);
        match self.level.warmup {
            Warmup::Counting { until, length_s: of_start } if of_start == length_s => {
                if now > until {
                    self.start_match(host);
                }
            }
            Warmup::Waiting | Warmup::Counting { .. } if length_s > 1 => {
                // One less, for what the restart itself takes.
                let until = now + Millis((length_s - 1).saturating_mul(1000));
                self.level.warmup = Warmup::Counting { until, length_s };
                set_configstring(host, configstring::WARMUP, &until.0.to_string());
            }
            Warmup::Waiting | Warmup::Counting { .. } => self.start_match(host),
            Warmup::Over | Warmup::Restarting => {}
        }
    }

    fn wait_for_players(&mut self, host: &mut dyn Host) {
        self.level.warmup = Warmup::Waiting;
        set_configstring(host, configstring::WARMUP, WAITING);
        host.log_game(&Record::new("warmup", "Warmup:"));
    }

    fn start_match(&mut self, host: &mut dyn Host) {
        self.level.warmup = Warmup::Restarting;
        self.warmed_up = true;
        host.queue_console("map_restart 0\n");
    }

    fn enough_players(&self, game: i32) -> bool {
        match game {
            game_type::TOURNAMENT => self.level.playing_count == 2,
            _ if is_team_game(game) => {
                self.team_size(team::RED, None) > 0 && self.team_size(team::BLUE, None) > 0
            }
            _ => self.level.playing_count >= 2,
        }
    }
}
