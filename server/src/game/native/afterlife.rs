//! A shot that was on its way when its shooter died: fired by a player that, as it drew the world, was still alive.
//!
//! The player as it was at its death moves on as its own client predicted it, for as long as commands from before come in; what
//! its weapon does then counts. Nothing else of it does: it cannot be seen, touched or hit.

use super::NativeGame;
use super::think::{LiveWorld, settings};
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{event, means_of_death};
use fogline_common::pmove::{PmoveInput, pmove};
use fogline_common::proto::{PlayerState, mask};
use fogline_common::time::ServerTime;

/// A player as it was when it died.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ghost {
    ps: PlayerState,
    died_at: ServerTime,
}

impl NativeGame {
    /// A player is about to be dead. What its client does not know of is left out: the push of what killed it.
    pub(super) fn remember_alive(&mut self, num: ClientNum) {
        let died_at = self.level.time;
        let client = &mut self.clients[num.index()];
        let mut ps = client.ps;
        if let Some((_, velocity)) = client.life.pushed.filter(|(frame, _)| *frame == died_at) {
            ps.velocity = velocity;
        }
        client.life.last_alive = Some(Ghost { ps, died_at });
    }

    /// The dead player's usercmd may be from before its death: then its weapon fires.
    pub(super) fn fire_from_before_death(&mut self, host: &mut dyn Host, num: ClientNum) {
        let Some(mut ghost) = self.clients[num.index()].life.last_alive else { return };
        if self.clients[num.index()].health() > 0 || !host.fired_before(num, ghost.died_at) {
            self.clients[num.index()].life.last_alive = None;
            return;
        }
        let old_sequence = ghost.ps.event_sequence;
        // Its health ran out only on the server.
        ghost.ps.stats[fogline_common::openarena::stat::HEALTH as usize] = 1;
        let world = LiveWorld { host, entities: &self.entities };
        let input = PmoveInput {
            cmd: self.clients[num.index()].cmd,
            tracer: &world,
            trace_mask: mask::PLAYERSOLID,
            settings: settings(host),
            gauntlet_hit: false,
        };
        pmove(&mut ghost.ps, &input);
        self.clients[num.index()].life.last_alive = Some(ghost);
        let newest = ghost.ps.event_sequence;
        for sequence in old_sequence.max(newest - 2)..newest {
            if ghost.ps.events[(sequence & 1) as usize] == event::FIRE_WEAPON {
                self.fire_late(host, num, &ghost.ps);
            }
        }
    }

    /// The dead read how late their killer saw them, and for how long they had been out of its sight.
    pub(super) fn explain_death(
        &self,
        host: &mut dyn Host,
        num: ClientNum,
        killer: Option<ClientNum>,
        means: i32,
    ) {
        let Some(killer) = killer.filter(|&by| by != num && HIT_AT_ONCE.contains(&means)) else { return };
        if !host.config().g_deathreport {
            return;
        }
        let Some(shot) = host.explain_shot(killer, &self.entities, num) else { return };
        let name = &self.clients[killer.index()].player.name;
        let cover = match shot.behind_cover.0 {
            ..=0 => "you were in its sight".to_owned(),
            ms => format!("you had been behind cover for {ms} ms"),
        };
        host.send_server_command(
            Some(num),
            &format!(
                "print \"{name}^7 saw you {} ms late, the shot was judged {} ms back, {cover}\n\"",
                shot.delay.0, shot.rewound.0
            ),
        );
    }
}

/// Deaths by shots that are judged as their shooter drew the world.
const HIT_AT_ONCE: [i32; 5] = [
    means_of_death::GAUNTLET,
    means_of_death::MACHINEGUN,
    means_of_death::SHOTGUN,
    means_of_death::RAILGUN,
    means_of_death::LIGHTNING,
];
