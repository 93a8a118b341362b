//! Weapons whose one ray hits at once: machinegun, lightning and gauntlet.

use super::{BULLET_RANGE, Shot, snapped_toward};
use crate::game::Host;
use crate::game::native::NativeGame;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::openarena::{
    direction_to_byte, event, game_type, means_of_death, powerup, shared, weapon,
};
use fogline_common::proto::surface;
use fogline_common::trace::Trace;

/// Points of a bullet.
const BULLET_DAMAGE: i32 = 7;
/// Points of a bullet in team deathmatch.
const BULLET_DAMAGE_TEAM: i32 = 5;
/// Half width of the chaingun's cone, as below.
const CHAINGUN_SPREAD: f32 = 600.0;
/// Half width of the machinegun's cone at [`BULLET_RANGE`]. Unit: sixteenths of a world unit.
const BULLET_SPREAD: f32 = 200.0;
/// Points of the lightning, twenty times a second.
const LIGHTNING_DAMAGE: i32 = 8;
/// Points of the gauntlet.
const GAUNTLET_DAMAGE: i32 = 50;
/// How far the gauntlet reaches.
const GAUNTLET_REACH: f32 = 32.0;

/// One bullet of the machinegun.
pub(super) fn machinegun(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    let points = match host.config().g_gametype {
        game_type::TEAM => BULLET_DAMAGE_TEAM,
        _ => BULLET_DAMAGE,
    };
    let what = Bullet {
        weapon: weapon::MACHINEGUN,
        points,
        spread: BULLET_SPREAD,
        means: means_of_death::MACHINEGUN,
    };
    bullet(game, host, shot, &what);
}

/// One bullet of the chaingun, which is as hard and flies wider.
pub(super) fn chaingun(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    let what = Bullet {
        weapon: weapon::CHAINGUN,
        points: BULLET_DAMAGE,
        spread: CHAINGUN_SPREAD,
        means: means_of_death::CHAINGUN,
    };
    bullet(game, host, shot, &what);
}

/// What a bullet does, and how wide it may fly.
struct Bullet {
    weapon: i32,
    points: i32,
    spread: f32,
    means: i32,
}

/// One bullet. Source: `Bullet_Fire`.
fn bullet(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot, what: &Bullet) {
    let mut spread = shot.spread;
    let turn = f64::from((f64::from(spread.random()) * std::f64::consts::PI * 2.0) as f32);
    let up = (turn.sin() * f64::from(spread.crandom()) * f64::from(what.spread) * 16.0) as f32;
    let right = (turn.cos() * f64::from(spread.crandom()) * f64::from(what.spread) * 16.0) as f32;
    let end = shot.muzzle.mul_add(BULLET_RANGE, shot.axes.forward);
    let end = end.mul_add(right, shot.axes.right).mul_add(up, shot.axes.up);

    let trace = game.trace_shot(host, shot, end);
    let Some(hit) = trace.entity.filter(|_| trace.surface_flags & surface::NOIMPACT == 0) else { return };
    let flesh = game.is_flesh(hit);
    let (event, parm) = match flesh {
        true => (event::BULLET_HIT_FLESH, hit.index() as i32),
        false => (event::BULLET_HIT_WALL, direction_to_byte(trace.plane.normal)),
    };
    let end = snapped_toward(trace.end, shot.muzzle);
    if let Some(mark) = game.temporary_event(host, end, event) {
        let state = &mut game.entities[mark].shared.state;
        state.event_parm = parm;
        // Clients that predict their own shots know by this number which marks to leave out.
        state.client_num = shot.shooter.index() as i32;
        state.other_entity = shot.shooter.index() as i32;
    }
    if game.is_accurate(host, shot.shooter, hit) {
        game.clients[shot.shooter.index()].player.statistics.count_hit(what.weapon);
    }
    if game.entities.in_use(hit) {
        game.damage(host, &shot.damage(hit, what.points, what.means));
    }
}

/// One flash of lightning; the bolt itself is drawn by clients. Source: `Weapon_LightningFire`.
pub(super) fn lightning(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    let end = shot.muzzle.mul_add(shared::LIGHTNING_RANGE as f32, shot.axes.forward);
    let trace = game.trace_shot(host, shot, end);
    let Some(hit) = trace.entity else { return };
    let flesh = game.is_flesh(hit);
    let accurate = game.is_accurate(host, shot.shooter, hit);
    if game.entities.in_use(hit) {
        game.damage(host, &shot.damage(hit, LIGHTNING_DAMAGE, means_of_death::LIGHTNING));
    }
    if flesh {
        game.mark_hit(host, shot.shooter, hit, &trace);
        if accurate {
            game.clients[shot.shooter.index()].player.statistics.count_hit(weapon::LIGHTNING);
        }
    } else if trace.surface_flags & surface::NOIMPACT == 0
        && let Some(mark) = game.temporary_event(host, trace.end, event::MISSILE_MISS)
    {
        let shared = &mut game.entities[mark].shared;
        shared.state.event_parm = direction_to_byte(trace.plane.normal);
        // For the engine alone: clients are not told whose it is.
        shared.link.owner = shot.shooter.index() as i32;
    }
}

impl NativeGame {
    /// The gauntlet hits now, if somebody (or something that breaks) is within reach. Whether it did.
    /// Source: `CheckGauntletAttack`.
    pub(in crate::game::native) fn gauntlet_attack(&mut self, host: &mut dyn Host, num: ClientNum) -> bool {
        let shot = self.aim_shot(host, num);
        let trace = self.trace_shot(host, &shot, shot.muzzle.mul_add(GAUNTLET_REACH, shot.axes.forward));
        let Some(hit) = trace.entity.filter(|_| trace.surface_flags & surface::NOIMPACT == 0) else {
            return false;
        };
        if self.clients[num.index()].life.noclip || !self.entities.in_use(hit) {
            return false;
        }
        if self.is_flesh(hit) {
            self.mark_hit(host, num, hit, &trace);
        }
        if !self.entities[hit].takes_damage {
            return false;
        }
        if self.clients[num.index()].ps.powerups[powerup::QUAD as usize] != 0 {
            self.add_event(num.entity(), event::POWERUP_QUAD, 0);
        }
        self.damage(host, &shot.damage(hit, GAUNTLET_DAMAGE, means_of_death::GAUNTLET));
        true
    }

    /// Blood where a weapon that is held against somebody hit.
    fn mark_hit(&mut self, host: &mut dyn Host, shooter: ClientNum, hit: EntityNum, trace: &Trace) {
        let weapon = self.clients[shooter.index()].ps.weapon;
        if let Some(mark) = self.temporary_event(host, trace.end, event::MISSILE_HIT) {
            let state = &mut self.entities[mark].shared.state;
            state.other_entity = hit.index() as i32;
            state.event_parm = direction_to_byte(trace.plane.normal);
            state.weapon = weapon;
        }
    }
}
