//! Where a player comes if it goes on as now: no farther than its box can be swept, sliding along what it meets.

use fogline_common::collision::ClipMap;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::mask;
use fogline_common::trace::TraceRequest;

/// What the player is about to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Where it is.
    pub origin: Vec3,
    /// Its box around that.
    pub bounds: Bounds,
    /// Unit: units/s.
    pub velocity: Vec3,
    /// How fast it falls faster, 0 on the ground. Unit: units/s².
    pub gravity: f32,
}

/// Walls that one look-ahead slides along.
const SLIDES: usize = 3;
/// Steps that a player walks up. Source: `STEPSIZE`.
const STEP: f32 = 18.0;

/// How far the player comes in `seconds`, as a way from its origin.
///
/// Sweeps go through the map alone: a door that is shut may open.
pub fn way(clip: &ClipMap, course: &Course, seconds: f32) -> Vec3 {
    let mut wish = course.velocity * seconds;
    wish.z -= 0.5 * course.gravity * seconds * seconds;
    let flat = slide(clip, course, course.origin, wish) - course.origin;
    if (flat - wish).length_squared() < 1.0 {
        return flat;
    }
    // What stopped it may be a step.
    let sweep = |from: Vec3, way: Vec3| {
        let request = TraceRequest::sweep(from, from + way, course.bounds, mask::PLAYERSOLID, None);
        clip.trace(&request)
    };
    let up = sweep(course.origin, vec3(0.0, 0.0, STEP)).end;
    let over = slide(clip, course, up, wish);
    let stepped = sweep(over, vec3(0.0, 0.0, -STEP)).end - course.origin;
    let level = |way: Vec3| way.x * way.x + way.y * way.y;
    if level(stepped) > level(flat) { stepped } else { flat }
}

fn slide(clip: &ClipMap, course: &Course, from: Vec3, wish: Vec3) -> Vec3 {
    let (mut at, mut left) = (from, wish);
    for _ in 0..SLIDES {
        let request = TraceRequest::sweep(at, at + left, course.bounds, mask::PLAYERSOLID, None);
        let trace = clip.trace(&request);
        if trace.all_solid {
            break;
        }
        at = trace.end;
        if trace.fraction >= 1.0 {
            break;
        }
        left = left * (1.0 - trace.fraction);
        let into = left.dot(trace.plane.normal);
        if into < 0.0 {
            left = left.mul_add(-into, trace.plane.normal);
        }
    }
    at
}
