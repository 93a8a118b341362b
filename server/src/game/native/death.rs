//! Death: who is told, who scores, how the body falls, and what becomes of it.

use super::NativeGame;
use super::client::SpectatorView;
use super::combat::Damage;
use super::entity::{Entity, Kind, Think};
use crate::game::{Host, Record};
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{YAW, vec3, vector_to_angles};
use fogline_common::openarena::{
    animation, entity_flag, entity_type, event, game_type, means_of_death, pers, pm_type, shared, stat,
    trajectory, weapon,
};
use fogline_common::proto::{Trajectory, contents, sv_flag};
use fogline_common::time::{Millis, ServerTime};

/// The dead may come back after this.
const DEATH_PAUSE: Millis = Millis(1700);
/// A second kill within this is excellent.
const EXCELLENT_TIME: Millis = Millis(3000);
/// How long a sprite stays over a player's head.
const REWARD_TIME: Millis = Millis(2000);
/// A body begins to sink after this.
const BODY_REST: Millis = Millis(5000);
/// And is gone this much later.
const BODY_SINK: Millis = Millis(1500);
/// A lying body is this high.
const CORPSE_TOP: f32 = -8.0;

impl NativeGame {
    /// A player dies. Source: `player_die`.
    pub(super) fn die(&mut self, host: &mut dyn Host, num: ClientNum, hit: &Damage) {
        let in_match = self.level.stage == super::level::Stage::Play;
        if self.clients[num.index()].ps.pm_type == pm_type::DEAD || !in_match {
            return;
        }
        self.remember_alive(num);
        let killer = hit.attacker.and_then(|by| self.entities.client_of(by));
        self.note_almost_capture(host.config().g_gametype, num, killer);
        self.free_hook_of(host, num);
        self.drop_mine(num);
        self.clients[num.index()].ps.pm_type = pm_type::DEAD;
        self.announce_death(host, num, killer, hit);
        self.explain_death(host, num, killer, hit.means);
        self.clients[num.index()].count(pers::KILLED);
        self.score_death(host, num, killer, hit.means);
        if hit.means == means_of_death::SUICIDE {
            self.return_carried_flag(host, num);
        }
        self.give_rune_back(host, num);
        self.toss_items(host, num);
        self.show_scores_of_death(host, num);
        self.lay_down(num, hit, host.config().g_respawntime);

        let killer_num = EntityNum::to_wire(Some(killer.map_or(EntityNum::WORLD, ClientNum::entity)));
        let origin = self.entities[num.entity()].shared.link.origin;
        let may_gib = host.point_contents(&self.entities, origin, None) & contents::NODROP == 0;
        let torn = self.entities[num.entity()].health <= shared::GIB_HEALTH && may_gib;
        if torn || hit.means == means_of_death::SUICIDE {
            self.gib(host, num.entity(), killer_num);
        } else {
            self.fall_dead(num, killer_num);
            self.light_fuse(num);
        }
        if self.entities[num.entity()].shared.link.linked {
            self.link(host, num.entity());
        }
    }

    /// Everybody is told, and the log.
    fn announce_death(
        &mut self,
        host: &mut dyn Host,
        num: ClientNum,
        killer: Option<ClientNum>,
        hit: &Damage,
    ) {
        let name = |client: ClientNum| self.clients[client.index()].player.name.as_str();
        let killer_name = killer.map_or("<world>", name);
        let killer_num = killer.map_or(EntityNum::WORLD, ClientNum::entity);
        let line = format!(
            "Kill: {} {num} {}: {killer_name} killed {} by {}",
            killer_num.index(),
            hit.means,
            name(num),
            means_name(hit.means),
        );
        host.log_game(
            &Record::new("kill", line)
                .int("killer", killer_num.index() as i32)
                .text("killer_name", killer_name)
                .int("victim", num.index() as i32)
                .text("victim_name", name(num))
                .text("means", means_name(hit.means)),
        );
        let origin = self.entities[num.entity()].shared.link.origin;
        let by_mate =
            killer.is_some_and(|by| self.same_team(host.config().g_gametype, by.entity(), num.entity()));
        if let Some(obituary) = self.temporary_event(host, origin, event::OBITUARY) {
            let shared = &mut self.entities[obituary].shared;
            shared.state.event_parm = hit.means;
            shared.state.other_entity = num.index() as i32;
            shared.state.other_entity2 = killer_num.index() as i32;
            shared.state.generic1 = i32::from(by_mate);
            shared.link.sv_flags = sv_flag::BROADCAST;
        }
    }

    /// Points for the killer, or off the fool. Source: `player_die`.
    fn score_death(&mut self, host: &mut dyn Host, num: ClientNum, killer: Option<ClientNum>, means: i32) {
        let game = host.config().g_gametype;
        let now = self.level.time;
        let origin = self.entities[num.entity()].shared.link.origin;
        let enemy = killer.filter(|&by| by != num && !self.same_team(game, by.entity(), num.entity()));
        let Some(killer) = enemy else {
            let fool = killer.unwrap_or(num);
            self.clients[num.index()].player.statistics.suicides += i32::from(fool == num);
            // Nobody sinks below zero for a mishap while enough others play.
            let has_points = self.clients[num.index()].score() > 0;
            let pays = has_points && (killer.is_none() || game < game_type::TEAM);
            if pays || self.playing_number(None) < 3 {
                self.add_score(host, fool, origin, -1);
            }
            return;
        };
        self.clients[killer.index()].player.statistics.kills += 1;
        self.add_score(host, killer, origin, 1);
        if means == means_of_death::GAUNTLET {
            self.clients[killer.index()].count(pers::GAUNTLET_FRAG_COUNT);
            self.clients[num.index()].ps.persistant[pers::PLAYEREVENTS as usize] ^=
                fogline_common::openarena::player_event::GAUNTLETREWARD;
            self.award(host, killer, entity_flag::AWARD_GAUNTLET, 0, "GAUNTLET");
        }
        let last = self.clients[killer.index()].life.last_kill.replace(now);
        if last.is_some_and(|at| now - at < EXCELLENT_TIME) {
            self.clients[killer.index()].count(pers::EXCELLENT_COUNT);
            self.award(host, killer, entity_flag::AWARD_EXCELLENT, 1, "EXCELLENT");
        }
        self.clients[killer.index()].life.last_killed = Some(num);
        self.give_ctf_bonus(host, num, killer);
    }

    /// A sprite over a player's head, and a line in the log.
    pub(super) fn award(&mut self, host: &mut dyn Host, num: ClientNum, flag: i32, code: i32, name: &str) {
        let until = self.level.time + REWARD_TIME;
        let client = &mut self.clients[num.index()];
        client.ps.flags = (client.ps.flags & !super::think::AWARDS) | flag;
        client.life.reward_until = until;
        let line = format!("Award: {num} {code}: {} gained the {name} award!", client.player.name);
        let record = Record::new("award", line).int("client", num.index() as i32);
        host.log_game(&record.text("name", &client.player.name).text("award", name));
    }

    /// The dead and who watches them see the scores.
    fn show_scores_of_death(&mut self, host: &mut dyn Host, num: ClientNum) {
        self.send_scores(host, num);
        for other in self.slots() {
            let client = &self.clients[other.index()];
            let watches = client.session.view == SpectatorView::Follow(num);
            if client.playing() && client.spectating() && watches {
                self.send_scores(host, other);
            }
        }
    }

    /// The body is a corpse from now on, and looks at its killer.
    fn lay_down(&mut self, num: ClientNum, hit: &Damage, wave_s: i32) {
        let entity = num.entity();
        let own = self.entities[entity].shared.link.origin;
        let seen = [hit.attacker, hit.inflictor].into_iter().flatten().find(|&other| other != entity);
        let yaw = match seen.filter(|&other| self.entities.in_use(other)) {
            Some(other) => vector_to_angles(self.entities[other].shared.link.origin - own)[YAW],
            None => self.clients[num.index()].ps.view_angles[YAW],
        };
        let body = &mut self.entities[entity];
        body.takes_damage = true;
        body.shared.state.weapon = weapon::NONE;
        body.shared.state.powerups = 0;
        body.shared.state.loop_sound = 0;
        body.shared.state.angles = vec3(0.0, yaw, 0.0);
        body.shared.link.contents = contents::CORPSE;
        body.shared.link.bounds.maxs.z = CORPSE_TOP;
        let client = &mut self.clients[num.index()];
        client.ps.stats[stat::DEAD_YAW as usize] = yaw as i32;
        client.ps.view_angles = vec3(0.0, yaw, 0.0);
        client.ps.powerups = [0; 16];
        client.life.respawn_at = respawn_time(self.level.time + DEATH_PAUSE, wave_s);
    }

    /// One of three deaths, in turn.
    fn fall_dead(&mut self, num: ClientNum, killer: i32) {
        let death = self.level.next_death;
        self.level.next_death = (death + 1) % 3;
        let body = &mut self.entities[num.entity()];
        body.health = body.health.max(shared::GIB_HEALTH + 1);
        let anim = animation::BOTH_DEATH1 + 2 * death;
        let ps = &mut self.clients[num.index()].ps;
        for part in [&mut ps.legs_anim, &mut ps.torso_anim] {
            *part = ((*part & shared::ANIM_TOGGLEBIT) ^ shared::ANIM_TOGGLEBIT) | anim;
        }
        self.add_event(num.entity(), event::DEATH1 + death, killer);
    }

    /// Who leaves or changes sides alive dies first, at no cost to the team.
    pub(super) fn leave_body(&mut self, host: &mut dyn Host, num: ClientNum) {
        let scores = self.level.team_scores;
        self.entities[num.entity()].god = false;
        self.entities[num.entity()].health = 0;
        self.clients[num.index()].ps.stats[stat::HEALTH as usize] = 0;
        let hit = Damage::new(num.entity(), 0, means_of_death::SUICIDE).by(num.entity());
        self.die(host, num, &hit);
        self.level.team_scores = scores;
    }

    /// A body is hurt further. Source: `body_die`.
    pub(super) fn damage_corpse(&mut self, host: &mut dyn Host, num: EntityNum, by: Option<EntityNum>) {
        if self.entities[num].health <= shared::GIB_HEALTH {
            self.gib(host, num, EntityNum::to_wire(by.or(Some(EntityNum::WORLD))));
        }
    }

    /// A body bursts. Source: `GibEntity`.
    fn gib(&mut self, host: &mut dyn Host, num: EntityNum, killer: i32) {
        self.move_fuse(num, None);
        self.add_event(num, event::GIB_PLAYER, killer);
        let body = &mut self.entities[num];
        body.takes_damage = false;
        body.shared.state.entity_type = entity_type::INVISIBLE;
        body.shared.link.contents = 0;
        if body.shared.link.linked {
            self.link(host, num);
        }
    }

    /// The corpse of a player that comes back stays where it fell, in the oldest body's place. Source: `CopyToBodyQue`.
    pub(super) fn leave_corpse(&mut self, host: &mut dyn Host, num: ClientNum) {
        let player = num.entity();
        self.unlink(host, player);
        let origin = self.entities[player].shared.link.origin;
        if host.point_contents(&self.entities, origin, None) & contents::NODROP != 0 {
            return;
        }
        let body = self.next_body();
        self.unlink(host, body);
        self.move_fuse(body, None);
        self.move_fuse(player, Some(body));
        let dead = self.entities[player];
        let mut shared = dead.shared;
        shared.link.link_count = self.entities[body].shared.link.link_count;
        let state = &mut shared.state;
        state.number = body.index() as i32;
        state.flags = entity_flag::DEAD | (state.flags & entity_flag::KAMIKAZE);
        state.powerups = 0;
        state.loop_sound = 0;
        state.event = 0;
        let in_air = state.ground_entity == EntityNum::NONE_ON_WIRE;
        state.pos = Trajectory {
            kind: if in_air { trajectory::GRAVITY } else { trajectory::STATIONARY },
            time: if in_air { self.level.time.0 } else { 0 },
            duration: 0,
            base: origin,
            delta: if in_air { self.clients[num.index()].ps.velocity } else { Default::default() },
        };
        let lying = lying_animation(state.legs_anim);
        state.legs_anim = lying;
        state.torso_anim = lying;
        shared.link.owner = player.index() as i32;
        shared.link.contents = if dead.shared.link.contents == 0 { 0 } else { contents::CORPSE };
        shared.link.origin = origin;
        self.entities[body] = Entity {
            shared,
            kind: Kind::Body,
            health: dead.health,
            takes_damage: dead.health > shared::GIB_HEALTH,
            event_time: self.level.time,
            think: Some((self.level.time + BODY_REST, Think::SinkBody)),
            ..Entity::default()
        };
        self.link(host, body);
    }

    fn next_body(&mut self) -> EntityNum {
        let at = self.level.next_body;
        self.level.next_body = (at + 1) % super::pool::BODY_COUNT;
        EntityNum::new(fogline_common::proto::limits::MAX_CLIENTS + at).unwrap_or(EntityNum::WORLD)
    }

    /// Bodies sink into the ground and are gone. Source: `BodySink`.
    pub(super) fn sink_body(&mut self, host: &mut dyn Host, num: EntityNum) {
        let now = self.level.time;
        let body = &mut self.entities[num];
        if body.shared.state.pos.kind != trajectory::STATIONARY {
            body.shared.state.pos = Trajectory {
                kind: trajectory::STATIONARY,
                base: body.shared.link.origin,
                ..Trajectory::default()
            };
        }
        let since = *body.sinking_since.get_or_insert(now);
        if now - since > BODY_SINK {
            self.unlink(host, num);
            return;
        }
        body.shared.state.pos.base.z -= 1.0;
        body.think = Some((now + Millis(100), Think::SinkBody));
    }
}

/// When somebody who might come back at `earliest` does: with the next wave, if the host wants waves.
fn respawn_time(earliest: ServerTime, wave_s: i32) -> ServerTime {
    let wave_ms = wave_s.saturating_mul(1000);
    if wave_ms <= 0 {
        return earliest;
    }
    let waves = earliest.0.saturating_add(wave_ms - 1).div_euclid(wave_ms);
    ServerTime(waves.saturating_mul(wave_ms))
}

/// The last frame of a death.
fn lying_animation(legs: i32) -> i32 {
    match legs & !shared::ANIM_TOGGLEBIT {
        animation::BOTH_DEATH2 | animation::BOTH_DEAD2 => animation::BOTH_DEAD2,
        animation::BOTH_DEATH3 | animation::BOTH_DEAD3 => animation::BOTH_DEAD3,
        _ => animation::BOTH_DEAD1,
    }
}

/// The name of a means of death as logs have it.
fn means_name(means: i32) -> &'static str {
    usize::try_from(means).ok().and_then(|at| MEANS_NAMES.get(at)).copied().unwrap_or("MOD_UNKNOWN")
}

/// Shape: by means of death. Source: `modNames`; log readers know these words.
const MEANS_NAMES: [&str; 29] = [
    "MOD_UNKNOWN",
    "MOD_SHOTGUN",
    "MOD_GAUNTLET",
    "MOD_MACHINEGUN",
    "MOD_GRENADE",
    "MOD_GRENADE_SPLASH",
    "MOD_ROCKET",
    "MOD_ROCKET_SPLASH",
    "MOD_PLASMA",
    "MOD_PLASMA_SPLASH",
    "MOD_RAILGUN",
    "MOD_LIGHTNING",
    "MOD_BFG",
    "MOD_BFG_SPLASH",
    "MOD_WATER",
    "MOD_SLIME",
    "MOD_LAVA",
    "MOD_CRUSH",
    "MOD_TELEFRAG",
    "MOD_FALLING",
    "MOD_SUICIDE",
    "MOD_TARGET_LASER",
    "MOD_TRIGGER_HURT",
    "MOD_NAIL",
    "MOD_CHAINGUN",
    "MOD_PROXIMITY_MINE",
    "MOD_KAMIKAZE",
    "MOD_JUICED",
    "MOD_GRAPPLE",
];

const _: () = assert!(MEANS_NAMES.len() == means_of_death::GRAPPLE as usize + 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_come_back_in_waves_if_the_host_wants_it() {
        assert_eq!(respawn_time(ServerTime(7_300), 0), ServerTime(7_300));
        assert_eq!(respawn_time(ServerTime(7_300), 5), ServerTime(10_000));
        assert_eq!(respawn_time(ServerTime(10_000), 5), ServerTime(10_000));
        assert_eq!(respawn_time(ServerTime(i32::MAX - 1), 600), ServerTime(i32::MAX / 600_000 * 600_000));
    }
}
