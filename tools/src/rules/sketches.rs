//! Rules of other servers, each as one function in our own words.
//!
//! They are sketches: made from the facts page "peers" (section 1a), with the defaults that it gives, on this engine's rays, boxes
//! and speeds. They rank ideas; they are not measurements of those programs. What a program samples at random is drawn by seed.

use crate::rules::judge::{Look, Memory};
use crate::rules::paths::Stance;
use fogline_common::math::{Bounds, Vec3, angle_vectors, vec3};
use fogline_common::time::Millis;

/// The eight corners of a box.
fn corners(body: &Bounds) -> [Vec3; 8] {
    std::array::from_fn(|n| {
        let pick = |axis: usize| if n >> axis & 1 == 0 { body.mins[axis] } else { body.maxs[axis] };
        vec3(pick(0), pick(1), pick(2))
    })
}

/// Across the line of sight, level, of length one.
fn aside(look: &Look<'_>) -> Vec3 {
    let way = look.target.stand.origin - look.viewer.stand.origin;
    vec3(-way.y, way.x, 0.0).normalized()
}

/// Snapshots that hold a rule's memory at least until the next one.
fn at_least_a_period(look: &Look<'_>, span: i32) -> Millis {
    Millis(span.max(look.period.0 + 1))
}

fn sees_any(look: &Look<'_>, eye: Vec3, points: &[Vec3]) -> bool {
    points.iter().any(|&point| look.clear(eye, point))
}

/// Knows the future: tells of whom a frame that is drawn from this snapshot will show in sight, and of nobody else.
pub(super) fn oracle(look: &Look<'_>, _: &mut Memory) -> bool {
    look.will_be_seen
}

/// Tells nobody, to see that the measure catches it.
pub(super) fn nobody(_: &Look<'_>, _: &mut Memory) -> bool {
    false
}

/// `DarkPlaces`: eight random points of the body from the eye and from the eye as far ahead as the ping, at most 0.2 s; 0.2 s of hold.
/// The target is not looked ahead for.
pub(super) fn darkplaces(look: &Look<'_>, memory: &mut Memory) -> bool {
    const SAMPLES: usize = 8;
    const JITTER: f32 = 16.0;
    let eye = look.viewer.stand.eye();
    let ahead = eye.mul_add((look.rtt.0 as f32 / 1000.0).min(0.2), look.viewer.velocity);
    let body = look.body();
    let size = body.size();
    let mut sees = false;
    for from in [eye, if look.clear(eye, ahead) { ahead } else { eye }] {
        for _ in 0..SAMPLES {
            let mut random = || memory.rng.f32();
            let inside = vec3(random() * size.x, random() * size.y, random() * size.z);
            let off = vec3(random() - 0.5, random() - 0.5, random() - 0.5) * JITTER;
            let from = if look.clear(from, from + off) { from + off } else { from };
            sees |= look.clear(from, body.mins + inside);
        }
    }
    memory.hold(sees, look.now, Millis(200))
}

/// `R1Q2`: corners and origin from the eye; then, from the eye 0.15 s and the ping ahead, those of the target 0.15 s ahead. No hold.
pub(super) fn r1q2(look: &Look<'_>, _: &mut Memory) -> bool {
    let eye = look.viewer.stand.eye();
    let body = look.body();
    if sees_any(look, eye, &corners(&body)) || look.clear(eye, look.target.stand.origin) {
        return true;
    }
    let eye = eye.mul_add(0.15 + look.rtt.0 as f32 / 1000.0, look.viewer.velocity);
    let way = look.target.velocity * 0.15;
    sees_any(look, eye, &corners(&body.translated(way))) || look.clear(eye, look.target.stand.origin + way)
}

/// `ETLegacy`: the corners of a wide box, now and with both moved on for 0.1 s along the walls. No hold.
pub(super) fn etlegacy(look: &Look<'_>, _: &mut Memory) -> bool {
    const WIDE: Bounds = Bounds { mins: vec3(-30.0, -30.0, -44.0), maxs: vec3(30.0, 30.0, 56.0) };
    let sees = |eye: Vec3, origin: Vec3| sees_any(look, eye, &corners(&WIDE.translated(origin)));
    let (eye, origin) = (look.viewer.stand.eye(), look.target.stand.origin);
    sees(eye, origin) || {
        let moved = |stance: &Stance| look.way(stance, 0.1);
        sees(eye + moved(look.viewer), origin + moved(look.target))
    }
}

/// `FTEQW`: corners and origin from the eye, nothing ahead, no hold.
pub(super) fn fteqw(look: &Look<'_>, _: &mut Memory) -> bool {
    let eye = look.viewer.stand.eye();
    sees_any(look, eye, &corners(&look.body())) || look.clear(eye, look.target.stand.origin)
}

/// `CornerCulling`: hidden only if one convex volume hides the whole body from all four places to which the eye can step in 110 ms,
/// to either side and 20 units up or down. About 47 ms of hold.
pub(super) fn corner_culling(look: &Look<'_>, memory: &mut Memory) -> bool {
    const REACH_S: f32 = 0.11;
    const SPEED_MAX: f32 = 250.0;
    const RISE: f32 = 20.0;
    let eye = look.viewer.stand.eye();
    let reach = (look.viewer.velocity.length() + SPEED_MAX / 2.0).min(SPEED_MAX) * REACH_S;
    let side = aside(look) * reach;
    let peeks = [
        eye + side + vec3(0.0, 0.0, RISE),
        eye + side - vec3(0.0, 0.0, RISE),
        eye - side + vec3(0.0, 0.0, RISE),
        eye - side - vec3(0.0, 0.0, RISE),
    ];
    let body = corners(&look.body());
    let hides =
        |occluder| peeks.iter().all(|&peek| body.iter().all(|&corner| look.occludes(occluder, peek, corner)));
    let hidden = memory.occluders.into_iter().flatten().any(hides) || {
        let middle = look.body().center();
        let found = body
            .into_iter()
            .chain([middle])
            .filter_map(|point| look.occluder(eye, point))
            .find(|&found| hides(found));
        if let Some(found) = found {
            memory.occluders.rotate_right(1);
            memory.occluders[0] = Some(found);
        }
        found.is_some()
    };
    memory.hold(!hidden, look.now, Millis(47))
}

/// `CS2FOW`: from the eye, from 48 units and 0.4 units a millisecond of round trip to either side (at most 128), from above and from
/// the feet, to corners eight units outside the body, chest, feet and muzzle. 47 ms of hold.
pub(super) fn cs2fow(look: &Look<'_>, memory: &mut Memory) -> bool {
    const STEP_MS: i32 = 25;
    let eye = look.viewer.stand.eye();
    let rtt = (look.rtt.0 + STEP_MS - 1) / STEP_MS * STEP_MS;
    let side = aside(look) * (48.0 + 0.4 * rtt as f32).min(128.0);
    let to = |place: Vec3| if look.clear(eye, place) { place } else { eye };
    let eyes =
        [eye, to(eye + side), to(eye - side), to(eye + vec3(0.0, 0.0, 16.0)), look.viewer.stand.origin];
    let target = look.target;
    let muzzle = target.stand.eye().mul_add(40.0, angle_vectors(target.view_angles).forward);
    let mut points = corners(&look.body().grown(8.0)).to_vec();
    points.extend([look.body().center(), target.stand.origin - vec3(0.0, 0.0, 20.0), muzzle]);
    let sees = eyes.iter().any(|&eye| sees_any(look, eye, &points));
    memory.hold(sees, look.now, at_least_a_period(look, 47))
}
