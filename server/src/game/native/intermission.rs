//! Between matches: everybody looks at the scores until enough want to go on, then the next map is asked for.
//! Source: `BeginIntermission`, `CheckIntermissionExit`, `ExitLevel`.

use super::NativeGame;
use super::client::{Connection, SpectatorView};
use super::level::Stage;
use super::rules::ENDING_TIME;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::openarena::{entity_type, game_type, pers, pm_type, stat};
use fogline_common::proto::sv_flag;
use fogline_common::time::Millis;

/// The scores stay at least this long.
const SHORTEST: Millis = Millis(5000);
/// Once one player is ready the others have this long.
const AFTER_FIRST_READY: Millis = Millis(10_000);
/// Whoever is ready: the scores stay no longer than this. The stock game waits for ever while nobody presses a button, so a
/// server whose players went for tea stands still.
const LONGEST: Millis = Millis(60_000);

/// How long the next map may take to come.
const PATIENCE: Millis = Millis(5000);

impl NativeGame {
    /// Judges the match at the end of a frame.
    pub(super) fn check_match(&mut self, host: &mut dyn Host) {
        match self.level.stage {
            Stage::Play => {
                self.fill_tournament(host);
                self.run_warmup(host);
                self.check_limits(host);
            }
            Stage::Ending { since } if self.level.time - since >= ENDING_TIME => {
                self.begin_intermission(host);
            }
            Stage::Intermission { since, first_ready } => {
                let ready = self.count_ready();
                let first_ready = ready.1.then(|| first_ready.unwrap_or(self.level.time));
                self.level.stage = Stage::Intermission { since, first_ready };
                let now = self.level.time;
                let waited_long = first_ready.is_some_and(|at| now - at >= AFTER_FIRST_READY);
                let all_ready = ready.0;
                if now - since >= SHORTEST && (all_ready || waited_long || now - since >= LONGEST) {
                    self.leave_level(host);
                }
            }
            Stage::Leaving { since } if self.level.time - since >= PATIENCE => {
                // The host's `nextmap` led nowhere; play on here rather than stand still.
                self.level.stage = Stage::Leaving { since: self.level.time };
                host.print("The next map did not come; restarting this one. Check the cvar nextmap.");
                host.queue_console("map_restart 0\n");
            }
            Stage::Ending { .. } | Stage::Leaving { .. } => {}
        }
    }

    /// Everybody looks from the same place. The dead rise for it.
    pub(super) fn begin_intermission(&mut self, host: &mut dyn Host) {
        if self.level.stage.is_intermission() {
            return;
        }
        if host.config().g_gametype == game_type::TOURNAMENT {
            self.count_tournament(host);
        }
        self.level.stage = Stage::Intermission { since: self.level.time, first_ready: None };
        for num in self.slots() {
            if !self.clients[num.index()].playing() {
                continue;
            }
            if !self.clients[num.index()].spectating() && self.entities[num.entity()].health <= 0 {
                self.respawn(host, num);
            }
            self.move_to_intermission(host, num);
        }
        self.send_scores_to_all(host);
        self.publish_statistics(host);
    }

    /// The winner and the loser of a tournament game. Source: `AdjustTournamentScores`.
    fn count_tournament(&mut self, host: &mut dyn Host) {
        let (Some(&winner), Some(&loser)) = (self.level.ranking.first(), self.level.ranking.get(1)) else {
            return;
        };
        if self.level.playing_count >= 2 {
            self.clients[winner.index()].session.wins += 1;
            self.clients[loser.index()].session.losses += 1;
            self.read_userinfo(host, winner);
            self.read_userinfo(host, loser);
        }
    }

    /// A client looks at the scores from the intermission's place. Source: `MoveClientToIntermission`.
    pub(super) fn move_to_intermission(&mut self, host: &mut dyn Host, num: ClientNum) {
        let view = self.intermission_view();
        if self.clients[num.index()].session.view != SpectatorView::Scoreboard {
            self.clients[num.index()].session.view = SpectatorView::Free;
        }
        let client = &mut self.clients[num.index()];
        client.ps.origin = view.origin;
        client.ps.view_angles = view.angles;
        client.ps.pm_type = pm_type::INTERMISSION;
        client.ps.powerups = [0; 16];
        client.ps.flags = 0;
        client.life.ready_to_exit = false;
        let entity = num.entity();
        self.set_origin(entity, view.origin);
        let shared = &mut self.entities[entity].shared;
        shared.state.flags = 0;
        shared.state.entity_type = entity_type::GENERAL;
        shared.state.model_index = 0;
        shared.state.loop_sound = 0;
        shared.state.event = 0;
        shared.link.contents = 0;
        if shared.link.linked {
            self.unlink(host, entity);
        }
    }

    /// Whether all who are asked are ready, and whether anybody is (or nobody is asked). The scoreboard shows who.
    fn count_ready(&mut self) -> (bool, bool) {
        let bot = |game: &Self, num: EntityNum| game.entities[num].shared.link.sv_flags & sv_flag::BOT != 0;
        let (mut asked, mut ready, mut mask) = (0, 0, 0);
        for num in self.slots() {
            if !self.clients[num.index()].playing() || bot(self, num.entity()) {
                continue;
            }
            asked += 1;
            if self.clients[num.index()].life.ready_to_exit {
                ready += 1;
                if num.index() < 16 {
                    mask |= 1 << num.index();
                }
            }
        }
        for num in self.slots() {
            self.clients[num.index()].ps.stats[stat::CLIENTS_READY as usize] = mask;
        }
        (asked > 0 && ready == asked, ready > 0 || asked == 0)
    }

    /// What leads to the next level: the host's rotation, or its `nextmap`; without either the same map again. A tournament
    /// without a rotation stays, as in the original.
    pub(super) fn next_level(&self, host: &dyn Host) -> &'static str {
        let config = host.config();
        if !config.sv_maprotation.is_empty() {
            "rotation next\n"
        } else if config.g_gametype == game_type::TOURNAMENT || config.nextmap.is_empty() {
            "map_restart 0\n"
        } else {
            "vstr nextmap\n"
        }
    }

    /// On to the next map; in a tournament the loser makes room first.
    fn leave_level(&mut self, host: &mut dyn Host) {
        self.level.stage = Stage::Leaving { since: self.level.time };
        if host.config().g_gametype == game_type::TOURNAMENT {
            let loser = self.level.ranking.get(1).copied();
            if let Some(loser) = loser.filter(|_| self.level.playing_count == 2) {
                self.set_team(host, loser, "spectator");
            }
        }
        let next = self.next_level(host);
        host.queue_console(next);
        self.level.team_scores = [0; 4];
        for client in &mut self.clients {
            client.ps.persistant[pers::SCORE as usize] = 0;
            if client.connection == Connection::Playing {
                client.connection = Connection::Connecting;
            }
        }
    }
}
