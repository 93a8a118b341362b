//! The reference's decision about one pair of players, its rays and their order included.
//!
//! Source: facts page "visibility-openmohaa", section 5. What it does oddly is kept and pinned by the fixtures F2..F6 and F10.

use super::lines::Effort;
use crate::visibility::{Cause, Class, Mode, Scene, Target, Verdict, View, class_of};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::contents;
use fogline_common::time::ServerTime;
use fogline_common::trace::TraceRequest;

/// Contents that stop the reference's rays.
pub const RAY_MASK: i32 = contents::SOLID | contents::LAVA | contents::SLIME;

/// What the decision is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Where the viewer looks from.
    pub viewer_eye: Vec3,
    /// Unit: units/s.
    pub viewer_velocity: Vec3,
    /// Where it looks; a unit vector.
    pub forward: Vec3,
    /// The target's eye.
    pub target_eye: Vec3,
    /// Unit: units/s.
    pub target_velocity: Vec3,
    /// Height of the target's eye above its origin.
    pub target_view_height: i32,
}

/// What is settled about the pair before any ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// How much is withheld.
    pub mode: Mode,
    /// How the classifier sorts the target.
    pub class: Class,
    /// Until when the target counts as seen.
    pub until: Option<ServerTime>,
    /// The moment.
    pub now: ServerTime,
    /// Look-ahead. Unit: seconds.
    pub horizon: f32,
}

/// Decides about one pair; `clear` is asked for each ray in turn.
pub fn decide(terms: &Terms, pair: &Pair, mut clear: impl FnMut(Vec3, Vec3) -> bool) -> Verdict {
    if terms.mode == Mode::Off {
        return Verdict::Send(Cause::InView);
    }
    if terms.mode == Mode::FarOnly && terms.class == Class::In {
        return Verdict::Send(Cause::Near);
    }
    if terms.until.is_some_and(|until| until > terms.now) {
        return Verdict::Send(Cause::Held);
    }
    // Taken once, from where both are now.
    let facing = pair.forward.dot((pair.target_eye - pair.viewer_eye).normalized());
    let lowered = (pair.target_view_height / 2) as f32;
    let mut either = |from: Vec3, to: Vec3| {
        let low = Vec3::new(to.x, to.y, to.z - lowered);
        clear(from, to) || (facing >= 0.0 && clear(from, low))
    };
    if either(pair.viewer_eye, pair.target_eye) {
        return Verdict::Send(Cause::InSight);
    }
    if pair.target_velocity.length() <= 0.0 {
        return Verdict::Withhold(Cause::OutOfSight);
    }
    let from = pair.viewer_eye.mul_add(terms.horizon, pair.viewer_velocity);
    let to = pair.target_eye.mul_add(terms.horizon, pair.target_velocity);
    if either(from, to) { Verdict::Send(Cause::Ahead) } else { Verdict::Withhold(Cause::OutOfSight) }
}

/// The gate in the compat profile. Rays go from the eye whatever the viewpoint is, as in the reference (F1).
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    let (Some(watcher), Some(pose)) = (view.watcher, target.pose) else { return Verdict::Pass };
    let terms = Terms {
        mode: scene.rules.mode,
        class: class_of(view, target, scene),
        until: target.seen_until,
        now: scene.now,
        horizon: scene.rules.horizon,
    };
    let pair = Pair {
        viewer_eye: watcher.eye,
        viewer_velocity: watcher.velocity,
        forward: watcher.forward,
        target_eye: pose.eye,
        target_velocity: pose.velocity,
        target_view_height: pose.view_height,
    };
    let mut rays = 0;
    let verdict = decide(&terms, &pair, |from, to| {
        rays += 1;
        clear(scene, from, to)
    });
    let before = scene.work.rays.get();
    scene.work.add_look(&Effort { rays, ..Effort::default() });
    scene.work.add_pair(before);
    verdict
}

/// One ray: the world stops it unless it begins inside; a brush model stops it also then.
fn clear(scene: &Scene<'_>, from: Vec3, to: Vec3) -> bool {
    let request = TraceRequest::ray(from, to, RAY_MASK, None);
    if scene.clip.trace(&request).fraction != 1.0 {
        return false;
    }
    let way = Bounds { mins: from.min(to), maxs: from.max(to) }.grown(1.0);
    !scene.movers.iter().filter(|mover| mover.contents & RAY_MASK != 0 && mover.bounds.touches(&way)).any(
        |mover| {
            let placed = &mover.placement;
            let trace = scene.clip.trace_model(placed.model, placed.origin, placed.angles, &request);
            trace.all_solid || trace.start_solid || trace.fraction != 1.0
        },
    )
}
