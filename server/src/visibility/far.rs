//! Fourth gate: distance. In the compat profile the reference's classifier, which also narrows with the angle to the view;
//! otherwise a plain distance, where the map or the host has set one.
//!
//! Source: facts page "visibility-openmohaa", sections 3 (gate 14), 4 and 7.

use super::{Cause, Mode, Profile, Scene, Target, Verdict, View};
use fogline_common::math::Vec3;

/// How the reference sorts entities by distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Near: mode 1 does not look further.
    In,
    /// Between: to be looked for.
    Clip,
    /// Too far away.
    Out,
}

/// What the classifier is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Where the client looks from.
    pub viewpoint: Vec3,
    /// Where it looks; a unit vector.
    pub forward: Vec3,
    /// Its field of view. Unit: degrees.
    pub fov: f32,
    /// Middle of the entity.
    pub center: Vec3,
    /// How far it reaches from there.
    pub radius: f32,
    /// It is a player.
    pub is_player: bool,
    /// Velocity that clients are told of. Unit: units/s.
    pub velocity: Vec3,
    /// The far distance, 128 units short of the limit.
    pub far: f32,
}

/// Field of view that is assumed of every client: the protocol does not tell the real one. Unit: degrees.
pub const FOV: f32 = 80.0;
/// Far distance of a map that has none, and the greatest. Source: the clamp of gate 14.
const GREATEST: f32 = 12_000.0;
/// What lies this far behind the far distance is still told.
const MARGIN: f32 = 128.0;
/// Added to what the map says. Source: section 7.
const MAP_MARGIN: i32 = 32;
/// Who is slower counts as standing. Unit: units/s.
const SLOW: f32 = 5.0;
/// Nearer than this is [`Class::In`]; four times this for who stands.
const NEAR: f32 = 640.0;
/// Squared lengths below this are not taken the root of.
const TINY: f32 = 1.192_09e-7;

/// Sorts one entity. Source: section 4; every threshold is as there.
pub fn classify(sphere: &Sphere) -> Class {
    let mut back = sphere.viewpoint - sphere.center;
    let squared = back.length_squared();
    let mut distance = squared;
    if squared > TINY {
        distance = f64::from(squared).sqrt() as f32;
        back = back * (1.0 / distance);
    }
    let gap = distance - sphere.radius;
    let limit = sphere.far + MARGIN;
    if gap >= limit {
        return Class::Out;
    }
    let mut measure = (sphere.fov / 80.0) * gap;
    if sphere.is_player && sphere.velocity.length() < SLOW {
        measure *= 0.25;
    }
    if measure <= NEAR {
        return Class::In;
    }
    let aside = (sphere.forward.dot(back) + 0.5).max(0.0);
    if measure * (aside * 2.0 + 1.0) >= limit { Class::Out } else { Class::Clip }
}

/// What the reference stores for a map's far distance: squared, once. The square of what is beyond 46 308 wraps.
pub fn stored(map_far: i32) -> i32 {
    if map_far == 0 {
        return 0;
    }
    let grown = map_far.wrapping_add(MAP_MARGIN);
    grown.wrapping_mul(grown)
}

/// What the reference's classifier is given for a stored far distance.
pub fn effective(stored: i32) -> f32 {
    let far = stored as f32;
    if far < 1.0 { GREATEST } else { far.min(GREATEST) }
}

/// The far distance as it was meant: not squared, and none if the map has none.
pub fn linear(map_far: i32) -> Option<f32> {
    (map_far > 0).then(|| map_far.saturating_add(MAP_MARGIN) as f32)
}

/// Withholds what is too far away: in the compat profile anything, otherwise players.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    let rules = scene.rules;
    if rules.mode == Mode::Off || view.watcher.is_none_or(|watcher| watcher.sees_all) {
        return Verdict::Pass;
    }
    let out = match (rules.profile, rules.far, target.pose) {
        (Profile::Compat, ..) => class_of(view, target, scene) == Class::Out,
        (Profile::Meant, Some(far), Some(pose)) => {
            let nearest = view.origin.max(pose.body.mins).min(pose.body.maxs);
            view.origin.distance(nearest) >= far + MARGIN
        }
        (Profile::Meant, ..) => false,
    };
    if out { Verdict::Withhold(Cause::TooFar) } else { Verdict::Pass }
}

/// The class of a target, in either profile.
pub fn class_of(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Class {
    let link = &target.entity.link;
    let told = target.entity.state.pos.delta;
    let velocity = match scene.rules.profile {
        Profile::Compat => told,
        Profile::Meant => target.pose.map_or(told, |pose| pose.velocity),
    };
    classify(&Sphere {
        viewpoint: view.origin,
        forward: view.watcher.map_or(Vec3::ZERO, |watcher| watcher.forward),
        fov: FOV,
        center: link.bounds.center() + link.origin,
        radius: link.bounds.size().length() * 0.5,
        is_player: target.pose.is_some(),
        velocity,
        far: scene.rules.far.unwrap_or(GREATEST),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::halls::{Halls, middle};
    use crate::visibility::{Pose, Rules};
    use fogline_common::ids::ClientNum;
    use fogline_common::math::{Bounds, vec3};

    fn check(rules: Rules, distance: f32, expected: Verdict) {
        let mut halls = Halls::new();
        let num = halls.put(5, middle(1), 0, 0);
        halls.rules = rules;
        let [watcher, player] = [0, 5].map(|n| Pose::at(ClientNum::new(n).unwrap(), middle(1)));
        // The nearest side of the body counts.
        let body = Bounds::POINT.grown(10.0).translated(middle(1));
        let from = middle(1) - vec3(distance + 10.0, 0.0, 0.0);
        let clip = halls.world.clip_map().clone();
        let view = View { watcher: Some(&watcher), ..View::new(watcher.player, from, &clip) };
        let target = Target {
            entity: &halls.entities[num.index()],
            record: halls.world.record(num).unwrap(),
            pose: Some(&Pose { body, ..player }),
            seen_until: None,
        };
        assert_eq!(judge(&view, &target, &halls.scene()), expected, "at {distance}");
    }

    #[test]
    fn a_far_plane_withholds_players_beyond_it() {
        let rules = Rules { far: linear(68), ..Rules::default() };
        assert_eq!(rules.far, Some(100.0));
        check(rules, 227.9, Verdict::Pass);
        check(rules, 228.0, Verdict::Withhold(Cause::TooFar));
        check(Rules { mode: Mode::Off, ..rules }, 228.0, Verdict::Pass);
        check(Rules::default(), 20_000.0, Verdict::Pass);
    }
}
