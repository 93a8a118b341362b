//! Whether two players may run into each other before the next look.
//!
//! Clients predict their own movement against the players that they know of. One who is met behind a corner without having been
//! told of would be a wall that nobody sees, so whoever can be met is told of, whichever way both turn.

use super::lines::Lines;
use crate::visibility::Pose;
use fogline_common::math::{Bounds, Vec3, vec3};

/// How far each of the two may come. Unit: world units; running speed for 150 ms, and a little for what moves faster.
const STRIDE: f32 = 56.0;
/// What of a player is swept: its box without the part that steps go under.
const WAIST: Bounds = Bounds { mins: vec3(-15.0, -15.0, -6.0), maxs: vec3(15.0, 15.0, 16.0) };

/// Whether two players may touch, by a way that is clear for both.
pub(super) fn may_meet(a: &Pose, b: &Pose, lines: &mut Lines<'_>) -> bool {
    if !a.body.grown(2.0 * STRIDE).touches(&b.body) {
        return false;
    }
    let (from, to) = (places(a, lines), places(b, lines));
    from.iter().any(|&from| to.iter().any(|&to| lines.clear(from, to)))
}

/// Where a player is, and where it can be after a stride to each side.
fn places(pose: &Pose, lines: &Lines<'_>) -> [Vec3; 5] {
    let origin = vec3(pose.eye.x, pose.eye.y, pose.eye.z - pose.view_height as f32);
    let stride = |x: f32, y: f32| lines.sweep(origin, origin + vec3(x * STRIDE, y * STRIDE, 0.0), WAIST);
    [origin, stride(1.0, 0.0), stride(-1.0, 0.0), stride(0.0, 1.0), stride(0.0, -1.0)]
}
