//! Fifth gate: whether a player can be seen, now or soon.
//!
//! Lines of sight are rays through the map and its doors. [`compat`] asks exactly the rays of the reference, in its order;
//! [`judge`] in the default profile asks whether any part of the body can be seen, from where the viewer is and from where it
//! will be, at where the target is and where it will be ([`ahead`] says where that is). It looks for a proof first: one convex
//! brush that hides all of the box; see [`cover`].

pub mod ahead;
pub mod compat;
pub mod cover;
pub mod lines;
mod meet;

use super::{Cause, Class, Mode, Pose, Profile, Scene, Target, Verdict, View, class_of};
use fogline_common::math::Vec3;
use lines::Lines;

/// A portal's far end is looked from at its middle and this far above, below and to its sides.
const PORTAL_SPREAD: f32 = 32.0;
/// From this far behind and above its eye a dead player sees itself lie. Source: `cg_thirdPersonRange`.
const BEHIND: f32 = 40.0;

/// Withholds a player whom the viewer cannot see and will not see soon. Anything else passes.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    let (Some(watcher), Some(pose)) = (view.watcher, target.pose) else { return Verdict::Pass };
    let rules = scene.rules;
    if rules.mode == Mode::Off {
        return Verdict::Pass;
    }
    if is_entitled(watcher, pose, rules.teammates) {
        return Verdict::Send(Cause::Entitled);
    }
    if rules.profile == Profile::Compat {
        return compat::judge(view, target, scene);
    }
    if rules.mode == Mode::FarOnly && class_of(view, target, scene) == Class::In {
        return Verdict::Send(Cause::Near);
    }
    let mut lines = Lines::new(scene, watcher.player, pose.player);
    let verdict = look(view, watcher, pose, &mut lines);
    lines.finish();
    verdict
}

/// Free-flying spectators see all; team mates each other, where the host says so.
fn is_entitled(watcher: &Pose, pose: &Pose, teammates: bool) -> bool {
    watcher.sees_all || (teammates && watcher.team.is_some() && watcher.team == pose.team)
}

/// The default profile: any part of the body, from any of the places that the viewer looks from.
fn look(view: &View<'_>, watcher: &Pose, pose: &Pose, lines: &mut Lines<'_>) -> Verdict {
    let mut eyes = [view.origin; 5];
    let eye_count = if view.through_portal {
        spread(&mut eyes, PORTAL_SPREAD, 0.0, lines)
    } else if watcher.view_height < 0 {
        // Whoever lies dead sees itself from outside.
        spread(&mut eyes, BEHIND, 8.0, lines)
    } else {
        1
    };
    for &eye in &eyes[..eye_count] {
        if lines.is_inside(eye) || sees(eye, &pose.body, pose, lines) {
            return Verdict::Send(Cause::InSight);
        }
    }
    let ahead_eye = watcher.ahead.filter(|_| !view.through_portal).map(|ahead| ahead.eye);
    if let Some(ahead) = &pose.ahead {
        for eye in eyes[..eye_count].iter().copied().chain(ahead_eye) {
            if cover::is_visible(eye, &ahead.body, lines) {
                return Verdict::Send(Cause::Ahead);
            }
        }
    }
    if let Some(eye) = ahead_eye
        && sees(eye, &pose.body, pose, lines)
    {
        return Verdict::Send(Cause::Ahead);
    }
    let meets = !view.through_portal && meet::may_meet(watcher, pose, lines);
    if meets { Verdict::Send(Cause::Reach) } else { Verdict::Pass }
}

fn sees(eye: Vec3, body: &fogline_common::math::Bounds, pose: &Pose, lines: &mut Lines<'_>) -> bool {
    cover::is_visible(eye, body, lines) || pose.points.as_slice().iter().any(|&point| lines.clear(eye, point))
}

/// Fills `eyes` with the middle and four places around it, as far as light comes there. How many.
fn spread(eyes: &mut [Vec3; 5], reach: f32, up: f32, lines: &mut Lines<'_>) -> usize {
    let middle = eyes[0];
    let mut count = 1;
    for (x, y) in [(reach, 0.0), (-reach, 0.0), (0.0, reach), (0.0, -reach)] {
        let place = middle + Vec3::new(x, y, up);
        if lines.clear(middle, place) {
            eyes[count] = place;
            count += 1;
        }
    }
    count
}
