//! Fifth gate: whether a player can be seen, now or soon.
//!
//! [`compat`] asks exactly the rays of the reference, in its order. [`judge`] in the default profile asks whether any part of the
//! body can be seen, from where the viewer is and from where it will be, at where the target is and where it will be ([`ahead`]
//! says where that is). One clear line decides for "seen", and the line of the last time is tried first. For "hidden" it looks
//! for a proof about all lines at once ([`settle`]); only where there is none is the body felt over ([`cover`]), and whoever cannot
//! be proved hidden so either counts as seen.

pub mod ahead;
pub mod compat;
pub mod cover;
mod eyes;
pub mod lines;
mod piece;
mod settle;

pub use eyes::Eyes;

use super::recall::Line;
use super::{Cause, Class, Mode, Pose, Profile, Scene, Target, Verdict, View, class_of};
use fogline_common::math::{Bounds, Vec3};
use lines::Lines;
pub(super) use settle::Question;
pub use settle::Settled;

/// Withholds a player whom the viewer cannot see and will not see soon. Anything else passes.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    let (Some(watcher), Some(pose)) = (view.watcher, target.pose) else { return Verdict::Pass };
    let rules = scene.rules;
    if matches!(rules.mode, Mode::Off | Mode::Proved) {
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
    let before = scene.work.rays.get();
    let found = if view.through_portal {
        let eyes = view.eyes.unwrap_or_else(|| Eyes::new(view, watcher, scene));
        finds(&eyes, watcher, pose, scene)
    } else {
        either_finds(watcher, pose, scene)
    };
    scene.work.add_pair(before);
    found.map_or(Verdict::Pass, Verdict::Send)
}

/// Whether one of two players finds the other: then each is told of the other, so that nobody is looked at by one whom it could
/// not know of. The looks of a moment are kept, and each serves both.
fn either_finds(watcher: &Pose, pose: &Pose, scene: &Scene<'_>) -> Option<Cause> {
    let recall = scene.recall;
    let (there, back) = (recall.look(watcher, pose), recall.look(pose, watcher));
    if let Some(cause) = there.flatten().or(back.flatten()) {
        return Some(cause);
    }
    let look = |viewer: &Pose, target: &Pose| {
        let found = finds(&recall.eyes_of(viewer, scene), viewer, target, scene);
        recall.note_look(viewer, target, found);
        found
    };
    there.unwrap_or_else(|| look(watcher, pose)).or_else(|| back.unwrap_or_else(|| look(pose, watcher)))
}

/// Whether one player sees another, or will see it soon.
fn finds(eyes: &Eyes, watcher: &Pose, pose: &Pose, scene: &Scene<'_>) -> Option<Cause> {
    let mut lines = Lines::new(scene, watcher, pose, eyes.provable);
    let found = look(eyes, pose, &mut lines);
    lines.finish();
    found
}

/// Free-flying spectators see all; team mates each other, where the host says so.
pub(super) fn is_entitled(watcher: &Pose, pose: &Pose, teammates: bool) -> bool {
    watcher.sees_all || (teammates && watcher.team.is_some() && watcher.team == pose.team)
}

/// The default profile: any part of the body, from any of the places that the viewer looks from.
fn look(eyes: &Eyes, pose: &Pose, lines: &mut Lines<'_>) -> Option<Cause> {
    if eyes.dark {
        return Some(Cause::InSight);
    }
    let whole = Question { eyes: eyes.whole, bodies: pose.whole() };
    let present = Question { eyes: eyes.now, bodies: pose.drawn() };
    let mut settled = settle::by_memory(&whole, &present, lines);
    if settled == Settled::Nothing {
        if sees_as_before(eyes, pose, lines, true) {
            return Some(Cause::InSight);
        }
        // Most who can be seen at all can be seen here.
        let blocker = lines.blocker(eyes.present()[0], pose.head());
        if blocker.is_none() {
            lines.saw(Line { eye: 0, to_ahead: false, at: None });
            return Some(Cause::InSight);
        }
        settled = settle::by_search(&whole, &present, blocker, settled, lines);
    }
    if settled == Settled::Nothing {
        if lines.is_given_up() {
            return Some(Cause::InSight);
        }
        for (number, &eye) in eyes.present().iter().enumerate() {
            if let Some(at) = sees(eye, &pose.body, pose, lines) {
                lines.saw(Line { eye: number as u8, to_ahead: false, at: Some(at) });
                return Some(Cause::InSight);
            }
        }
    }
    if settled == Settled::Whole || (eyes.ahead.is_none() && pose.ahead.is_none()) {
        return None;
    }
    look_ahead(eyes, pose, lines)
}

/// The same with either or both after the look-ahead.
fn look_ahead(eyes: &Eyes, pose: &Pose, lines: &mut Lines<'_>) -> Option<Cause> {
    if sees_as_before(eyes, pose, lines, false) {
        return Some(Cause::Ahead);
    }
    let present = eyes.present().iter().copied().enumerate().map(|(number, eye)| (number as u8, eye));
    let ahead = eyes.ahead.map(|eye| (Line::AHEAD_EYE, eye));
    if let Some(there) = &pose.ahead {
        for (number, eye) in present.chain(ahead) {
            if let Some(at) = cover::open_line(eye, &there.body, lines) {
                lines.saw(Line { eye: number, to_ahead: true, at: Some(at - there.body.mins) });
                return Some(Cause::Ahead);
            }
        }
    }
    let (number, eye) = ahead?;
    let at = sees(eye, &pose.body, pose, lines)?;
    lines.saw(Line { eye: number, to_ahead: false, at: Some(at) });
    Some(Cause::Ahead)
}

/// A line to a body or to what is drawn besides it, as a place from the body's lowest corner.
fn sees(eye: Vec3, body: &Bounds, pose: &Pose, lines: &mut Lines<'_>) -> Option<Vec3> {
    cover::open_line(eye, body, lines)
        .or_else(|| {
            pose.points.as_slice().iter().copied().find(|&point| !cover::is_hidden(eye, point, lines))
        })
        .map(|at| at - body.mins)
}

/// Whether the line along which it was seen last is open still.
fn sees_as_before(eyes: &Eyes, pose: &Pose, lines: &mut Lines<'_>, present: bool) -> bool {
    let Some(line) = lines.known.line.filter(|line| line.is_present() == present) else { return false };
    let eye = if line.eye == Line::AHEAD_EYE {
        eyes.ahead
    } else {
        eyes.present().get(usize::from(line.eye)).copied()
    };
    let body = if line.to_ahead { pose.ahead.map(|ahead| ahead.body) } else { Some(pose.body) };
    let (Some(eye), Some(body)) = (eye, body) else { return false };
    let at = line.at.map_or(pose.head(), |at| body.mins + at);
    // Points that are drawn outside of the body come and go.
    body.contains(at) && lines.clear(eye, at)
}
