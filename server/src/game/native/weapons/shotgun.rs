//! The shotgun: eleven pellets, whose pattern clients draw from the same seed.

use super::{BULLET_RANGE, Shot};
use crate::game::Host;
use crate::game::native::NativeGame;
use fogline_common::ids::EntityNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{event, means_of_death, shared, weapon};
use fogline_common::proto::surface;
use fogline_common::trace::{Trace, TraceRequest};

/// Points of a pellet.
const PELLET_DAMAGE: i32 = 10;
/// Pellets of a blast.
const PELLETS: usize = shared::DEFAULT_SHOTGUN_COUNT as usize;
/// Length of the direction that the event carries, in whole units.
const DIRECTION_LENGTH: f32 = 4096.0;

/// One blast. Source: `weapon_supershotgun_fire`, `ShotgunPattern`.
pub(super) fn shotgun(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    // Clients know the direction in whole units alone, so the pellets go by that too.
    let direction = (shot.axes.forward * DIRECTION_LENGTH).truncated();
    if let Some(blast) = game.temporary_event(host, shot.muzzle, event::SHOTGUN) {
        let state = &mut game.entities[blast].shared.state;
        state.origin2 = direction;
        state.event_parm = shot.spread.seed();
        state.other_entity = shot.shooter.index() as i32;
    }
    let forward = direction.normalized();
    let right = perpendicular(forward);
    let up = forward.cross(right);
    let mut spread = shot.spread;
    let rays: [TraceRequest; PELLETS] = std::array::from_fn(|_| {
        let width = (shared::DEFAULT_SHOTGUN_SPREAD * 16) as f32;
        let (sideways, upward) = (spread.crandom() * width, spread.crandom() * width);
        let end = shot.muzzle.mul_add(BULLET_RANGE, forward).mul_add(sideways, right).mul_add(upward, up);
        shot.ray(end)
    });
    let mut traces = rays.map(|ray| Trace::clear(ray.end));
    host.trace_all_as_seen_by(shot.shooter, &game.entities, &rays, &mut traces);
    let mut hit_somebody = false;
    let mut is_changed = false;
    for (ray, mut trace) in rays.iter().zip(traces) {
        // What broke or set something off may let the next pellets through, and who is in pieces does.
        let is_gone =
            |hit: EntityNum| hit != EntityNum::WORLD && game.entities[hit].shared.link.contents == 0;
        if is_changed || trace.entity.is_some_and(is_gone) {
            trace = host.trace_as_seen_by(shot.shooter, &game.entities, ray);
        }
        is_changed |= trace.entity.is_some_and(|hit| game.entities.in_use(hit) && !game.is_flesh(hit));
        hit_somebody |= pellet(game, host, shot, &trace);
    }
    if hit_somebody {
        game.clients[shot.shooter.index()].player.statistics.count_hit(weapon::SHOTGUN);
    }
}

/// One pellet. Whether it hit an enemy.
fn pellet(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot, trace: &Trace) -> bool {
    let Some(hit) = trace.entity.filter(|_| trace.surface_flags & surface::NOIMPACT == 0) else {
        return false;
    };
    if !game.entities.in_use(hit) {
        return false;
    }
    game.damage(host, &shot.damage(hit, PELLET_DAMAGE, means_of_death::SHOTGUN));
    // As in the original, a pellet that kills does not count.
    game.is_accurate(host, shot.shooter, hit)
}

/// A unit vector at a right angle to one: the axis that it leans on least, brought into its plane. Source: `PerpendicularVector`.
pub(in crate::game::native) fn perpendicular(to: Vec3) -> Vec3 {
    let mut axis = 0;
    let mut least = 1.0;
    for at in 0..3 {
        if to[at].abs() < least {
            axis = at;
            least = to[at].abs();
        }
    }
    let mut from = Vec3::ZERO;
    from[axis] = 1.0;
    let inverse = 1.0 / to.dot(to);
    let share = to.dot(from) * inverse;
    (from - (to * inverse) * share).normalized()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn a_perpendicular_is_one() {
        for to in [vec3(1.0, 0.0, 0.0), vec3(0.0, 0.0, -1.0), vec3(3.0, -2.0, 1.0).normalized()] {
            let other = perpendicular(to);
            assert!(other.dot(to).abs() < 1e-6 && (other.length() - 1.0).abs() < 1e-6, "{to:?} {other:?}");
        }
    }
}
