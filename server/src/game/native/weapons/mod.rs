//! What comes out of a weapon, and where from. A weapon is a row here and its function in the file of its kind.

mod hitscan;
mod missiles;
mod railgun;
mod shotgun;
mod spread;

use super::NativeGame;
use super::combat::Damage;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Axes, Vec3, angle_vectors};
use fogline_common::openarena::{powerup, weapon};
use fogline_common::pmove::carried_powerup;
use fogline_common::proto::{PlayerState, mask};
use fogline_common::trace::{Trace, TraceRequest};
use spread::Spread;

pub(super) use missiles::{GRENADE, MissileRow, PLASMA, ROCKET};
pub(super) use shotgun::perpendicular;

/// The muzzle is this far before the eye.
const MUZZLE_REACH: f32 = 14.0;
/// How far bullets fly.
const BULLET_RANGE: f32 = 8192.0 * 16.0;

/// Weapons whose shot has hit before a missile could fly.
const HITS_AT_ONCE: [i32; 4] = [weapon::MACHINEGUN, weapon::SHOTGUN, weapon::LIGHTNING, weapon::RAILGUN];

/// One shot about to be fired.
#[derive(Clone, Copy, Debug)]
struct Shot {
    shooter: ClientNum,
    muzzle: Vec3,
    axes: Axes,
    /// Factor on damage.
    factor: f32,
    spread: Spread,
}

impl Shot {
    /// A ray of this shot.
    fn ray(&self, end: Vec3) -> TraceRequest {
        TraceRequest::ray(self.muzzle, end, mask::SHOT, Some(self.shooter.entity()))
    }

    /// The damage of this shot to what it hit.
    fn damage(&self, hit: EntityNum, points: i32, means: i32) -> Damage {
        let own = self.shooter.entity();
        Damage::new(hit, (points as f32 * self.factor) as i32, means)
            .by(own)
            .with(own)
            .toward(self.axes.forward)
    }
}

/// The function of a weapon that fires by an event; the gauntlet hits before the move, see [`NativeGame::gauntlet_attack`].
fn fire_function(weapon: i32) -> Option<fn(&mut NativeGame, &mut dyn Host, &Shot)> {
    Some(match weapon {
        weapon::MACHINEGUN => hitscan::machinegun,
        weapon::SHOTGUN => shotgun::shotgun,
        weapon::LIGHTNING => hitscan::lightning,
        weapon::RAILGUN => railgun::railgun,
        weapon::GRENADE_LAUNCHER => missiles::grenade,
        weapon::ROCKET_LAUNCHER => missiles::rocket,
        weapon::PLASMAGUN => missiles::plasma,
        weapon::BFG => missiles::bfg,
        weapon::CHAINGUN => hitscan::chaingun,
        weapon::NAILGUN => missiles::nails,
        weapon::PROX_LAUNCHER => missiles::mine,
        weapon::GRAPPLING_HOOK => missiles::hook,
        _ => return None,
    })
}

impl NativeGame {
    /// The player's weapon goes off. Source: `FireWeapon`.
    pub(super) fn fire_weapon(&mut self, host: &mut dyn Host, num: ClientNum) {
        // Who shoots needs no protection.
        self.clients[num.index()].life.protected = false;
        let weapon = self.clients[num.index()].ps.weapon;
        let Some(fire) = fire_function(weapon) else { return };
        let pieces = if weapon == weapon::NAILGUN { missiles::NAIL_COUNT } else { 1 };
        self.clients[num.index()].player.statistics.count_shot(weapon, pieces);
        let shot = self.aim_shot(host, num);
        fire(self, host, &shot);
    }

    /// A weapon that hits at once goes off in the hands of a player who has died since; `ps` is what it was. See `afterlife`.
    pub(super) fn fire_late(&mut self, host: &mut dyn Host, num: ClientNum, ps: &PlayerState) {
        let Some(fire) = fire_function(ps.weapon).filter(|_| HITS_AT_ONCE.contains(&ps.weapon)) else {
            return;
        };
        self.clients[num.index()].player.statistics.count_shot(ps.weapon, 1);
        let shot = self.aim_from(host, num, ps, ps.origin.truncated());
        fire(self, host, &shot);
    }

    /// Where a shot begins and goes; whole units, as clients see it. Source: `CalcMuzzlePoint`.
    fn aim_shot(&self, host: &dyn Host, num: ClientNum) -> Shot {
        let place = self.entities[num.entity()].shared.state.pos.base;
        self.aim_from(host, num, &self.clients[num.index()].ps, place)
    }

    fn aim_from(&self, host: &dyn Host, num: ClientNum, ps: &PlayerState, origin: Vec3) -> Shot {
        let axes = angle_vectors(ps.view_angles);
        let mut eye = origin;
        eye.z += ps.view_height as f32;
        Shot {
            shooter: num,
            muzzle: eye.mul_add(MUZZLE_REACH, axes.forward).truncated(),
            axes,
            factor: damage_factor(host, ps),
            spread: Spread::of_time(self.clients[num.index()].life.attack_time),
        }
    }

    /// How far a ray of the shot comes in the world that the shooter was shown.
    fn trace_shot(&self, host: &dyn Host, shot: &Shot, end: Vec3) -> Trace {
        host.trace_as_seen_by(shot.shooter, &self.entities, &shot.ray(end))
    }

    /// Whether what was hit bleeds.
    fn is_flesh(&self, hit: EntityNum) -> bool {
        self.entities.in_use(hit) && self.entities[hit].takes_damage && self.entities.client_of(hit).is_some()
    }

    /// Whether the hit counts for accuracy. Source: `LogAccuracyHit`.
    pub(super) fn is_accurate(&self, host: &dyn Host, shooter: ClientNum, hit: EntityNum) -> bool {
        let own = shooter.entity();
        hit != own
            && self.is_flesh(hit)
            && self.entities[hit].health > 0
            && !self.same_team(host.config().g_gametype, own, hit)
    }
}

/// What quad damage and doubler make of a player's damage.
fn damage_factor(host: &dyn Host, ps: &PlayerState) -> f32 {
    let quad = if ps.powerups[powerup::QUAD as usize] != 0 { host.config().g_quadfactor } else { 1.0 };
    if carried_powerup(ps) == powerup::DOUBLER { quad * 2.0 } else { quad }
}

/// Whole units, rounded toward `to`, so that the mark never lies behind the wall. Source: `SnapVectorTowards` of OpenArena 0.8.8's
/// server half, which rounds down or up; other releases, and the client half for marks that it draws ahead, cut off instead.
pub(super) fn snapped_toward(point: Vec3, to: Vec3) -> Vec3 {
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
