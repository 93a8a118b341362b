//! Weapons that hit at once: machinegun and gauntlet.

use super::Shot;
use crate::game::Host;
use crate::game::native::NativeGame;
use crate::game::native::combat::Damage;
use crate::game::native::direction::direction_to_byte;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{event, game_type, means_of_death};
use fogline_common::proto::{mask, surface};
use fogline_common::trace::TraceRequest;

/// Points of a bullet.
const BULLET_DAMAGE: i32 = 7;
/// Points of a bullet in team deathmatch.
const BULLET_DAMAGE_TEAM: i32 = 5;
/// Half width of the machinegun's cone at [`RANGE`]. Unit: sixteenths of a world unit.
const BULLET_SPREAD: f32 = 200.0;
/// How far bullets fly.
const RANGE: f32 = 8192.0 * 16.0;
/// Points of the gauntlet.
const GAUNTLET_DAMAGE: i32 = 50;
/// How far the gauntlet reaches.
const GAUNTLET_REACH: f32 = 32.0;

/// One bullet. Source: `Bullet_Fire`.
pub(super) fn machinegun(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    let points = match host.config().g_gametype {
        game_type::TEAM => BULLET_DAMAGE_TEAM,
        _ => BULLET_DAMAGE,
    };
    let turn = game.rng.f32() * std::f32::consts::PI * 2.0;
    let up = turn.sin() * game.crandom() * BULLET_SPREAD * 16.0;
    let right = turn.cos() * game.crandom() * BULLET_SPREAD * 16.0;
    let end = shot.muzzle.mul_add(RANGE, shot.axes.forward);
    let end = end.mul_add(right, shot.axes.right).mul_add(up, shot.axes.up);

    let own = shot.shooter.entity();
    let request = TraceRequest::ray(shot.muzzle, end, mask::SHOT, Some(own));
    let trace = host.trace_as_seen_by(shot.shooter, &game.entities, &request);
    let Some(hit) = trace.entity.filter(|_| trace.surface_flags & surface::NOIMPACT == 0) else { return };
    let end = snapped_toward(trace.end, shot.muzzle);
    let flesh = game.hurts_a_player(hit);
    let (event, parm) = match flesh {
        true => (event::BULLET_HIT_FLESH, hit.index() as i32),
        false => (event::BULLET_HIT_WALL, direction_to_byte(trace.plane.normal)),
    };
    if let Some(mark) = game.temporary_event(host, end, event) {
        let state = &mut game.entities[mark].shared.state;
        state.event_parm = parm;
        state.other_entity = own.index() as i32;
    }
    if game.entities.in_use(hit) {
        if flesh && game.is_accurate(host, shot.shooter, hit) {
            game.clients[shot.shooter.index()].player.hits += 1;
        }
        let damage = Damage::new(hit, points * shot.quad, means_of_death::MACHINEGUN);
        game.damage(host, &damage.by(own).with(own).toward(shot.axes.forward));
    }
}

impl NativeGame {
    /// The gauntlet hits now, if somebody (or something that breaks) is within reach. Whether it did.
    /// Source: `CheckGauntletAttack`.
    pub(in crate::game::native) fn gauntlet_attack(&mut self, host: &mut dyn Host, num: ClientNum) -> bool {
        let own = num.entity();
        let shot = self.aim_shot(num);
        let end = shot.muzzle.mul_add(GAUNTLET_REACH, shot.axes.forward);
        let request = TraceRequest::ray(shot.muzzle, end, mask::SHOT, Some(own));
        let trace = host.trace_as_seen_by(num, &self.entities, &request);
        let Some(hit) = trace.entity.filter(|_| trace.surface_flags & surface::NOIMPACT == 0) else {
            return false;
        };
        if self.clients[num.index()].life.noclip || !self.entities.in_use(hit) {
            return false;
        }
        if self.hurts_a_player(hit) {
            let mark = self.temporary_event(host, trace.end, event::MISSILE_HIT);
            if let Some(mark) = mark {
                let weapon = self.clients[num.index()].ps.weapon;
                let state = &mut self.entities[mark].shared.state;
                state.other_entity = hit.index() as i32;
                state.event_parm = direction_to_byte(trace.plane.normal);
                state.weapon = weapon;
            }
        }
        if !self.entities[hit].takes_damage {
            return false;
        }
        if shot.quad > 1 {
            self.add_event(own, event::POWERUP_QUAD, 0);
        }
        let damage = Damage::new(hit, GAUNTLET_DAMAGE * shot.quad, means_of_death::GAUNTLET);
        self.damage(host, &damage.by(own).with(own).toward(shot.axes.forward));
        true
    }

    /// Whether what was hit bleeds.
    fn hurts_a_player(&self, hit: EntityNum) -> bool {
        self.entities.in_use(hit) && self.entities[hit].takes_damage && self.entities.client_of(hit).is_some()
    }

    /// Whether the hit counts for accuracy. Source: `LogAccuracyHit`.
    fn is_accurate(&self, host: &dyn Host, shooter: ClientNum, hit: EntityNum) -> bool {
        let own = shooter.entity();
        hit != own && self.entities[hit].health > 0 && !self.same_team(host.config().g_gametype, own, hit)
    }
}

/// Whole units, rounded toward `to`, so that the mark never lies behind the wall. Source: `SnapVectorTowards`.
fn snapped_toward(point: Vec3, to: Vec3) -> Vec3 {
    let snap = |value: f32, to: f32| if to <= value { value.floor() } else { value.ceil() };
    Vec3::new(snap(point.x, to.x), snap(point.y, to.y), snap(point.z, to.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_rounded_toward_the_shooter() {
        let point = Vec3::new(1.5, -1.5, 2.0);
        assert_eq!(snapped_toward(point, Vec3::ZERO), Vec3::new(1.0, -1.0, 2.0));
        assert_eq!(snapped_toward(point, Vec3::splat(9.0)), Vec3::new(2.0, -1.0, 2.0));
    }
}
