//! Blasts: everybody near is hurt, the less the further away, unless something solid is between.

use super::NativeGame;
use super::combat::Damage;
use crate::game::Host;
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::mask;
use fogline_common::trace::TraceRequest;

/// Blasts push bodies as if their middle were this much higher, so that they fly.
const PUSH_LIFT: f32 = 24.0;
/// Besides its middle, points this far beside it decide whether a body is exposed.
const SIDE_STEP: f32 = 15.0;

/// Something bursts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blast {
    /// Where.
    pub(super) place: Vec3,
    /// Whose it is.
    pub(super) attacker: EntityNum,
    /// Points at the very place.
    pub(super) points: i32,
    /// Where it ends. Unit: units.
    pub(super) radius: f32,
    /// Not hurt by it.
    pub(super) spared: Option<EntityNum>,
    /// One of [`means_of_death`](fogline_common::openarena::means_of_death).
    pub(super) means: i32,
}

impl NativeGame {
    /// Hurts all that is near and exposed. Whether an enemy of the attacker was among them. Source: `G_RadiusDamage`.
    pub(super) fn radius_damage(&mut self, host: &mut dyn Host, blast: &Blast) -> bool {
        let radius = blast.radius.max(1.0);
        let attacker = self.entities.client_of(blast.attacker);
        let found = self.in_box(host, &Bounds::POINT.grown(radius).translated(blast.place));
        let mut hurt_enemy = false;
        for &num in &found {
            if Some(num) == blast.spared || !self.entities.in_use(num) || !self.entities[num].takes_damage {
                continue;
            }
            let distance = distance_to_box(blast.place, &self.entities[num].shared.link.abs_bounds);
            if distance >= radius || !self.is_exposed(host, num, blast.place) {
                continue;
            }
            let points = f64::from(blast.points) * (1.0 - f64::from(distance / radius));
            hurt_enemy |= attacker.is_some_and(|attacker| self.is_accurate(host, attacker, num));
            let direction = self.entities[num].shared.link.origin - blast.place + vec3(0.0, 0.0, PUSH_LIFT);
            let hit = Damage::new(num, points as i32, blast.means).by(blast.attacker).of_blast();
            self.damage(host, &hit.toward(direction));
        }
        self.put_back(found);
        hurt_enemy
    }

    /// Whether nothing solid covers the entity from the place altogether. Source: `CanDamage`.
    pub(super) fn is_exposed(&self, host: &dyn Host, num: EntityNum, place: Vec3) -> bool {
        let middle = self.entities[num].shared.link.abs_bounds.center();
        let look = |to: Vec3| host.trace(&self.entities, &TraceRequest::ray(place, to, mask::SOLID, None));
        let trace = look(middle);
        if trace.fraction == 1.0 || trace.entity == Some(num) {
            return true;
        }
        let sides = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        sides.iter().any(|&(x, y)| look(middle + vec3(x, y, 0.0) * SIDE_STEP).fraction == 1.0)
    }
}

/// How far a point is from a box; 0 inside.
pub(super) fn distance_to_box(point: Vec3, bounds: &Bounds) -> f32 {
    let outside = (bounds.mins - point).max(point - bounds.maxs).max(Vec3::ZERO);
    outside.length()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_to_the_nearest_point_of_the_box() {
        let bounds = Bounds::new(Vec3::splat(-10.0), Vec3::splat(10.0));
        assert_eq!(distance_to_box(vec3(1.0, -9.0, 3.0), &bounds), 0.0);
        assert_eq!(distance_to_box(vec3(13.0, 0.0, -14.0), &bounds), 5.0);
    }
}
