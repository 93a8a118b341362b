//! Whether two compiled maps are the same to a player: what is at random points, and how far random boxes come.
//!
//! Points and sweeps are drawn from the box that both worlds share, by a seed, so that a report can be had again.

use crate::samples::SplitMix;
use fogline_common::collision::ClipMap;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::trace::TraceRequest;

/// Bits of a point's contents that a player notices: solid, liquids, clip, triggers of the engine.
pub const NOTICED: i32 = {
    use fogline_common::proto::contents::{LAVA, NODROP, PLAYERCLIP, SLIME, SOLID, WATER};
    SOLID | LAVA | SLIME | WATER | PLAYERCLIP | NODROP
};

/// How many samples of each kind, and from which seed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Points, and sweeps of each of the two shapes.
    pub samples: u32,
    /// Replays the same ones.
    pub seed: u64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Points at which the noticed contents differ, with both contents; at most [`MAX_SHOWN`].
    pub points: Vec<(Vec3, i32, i32)>,
    /// How many of them there are.
    pub points_off: u32,
    /// Rays (from the open) that end further apart than [`NEAR`]: start, end, both fractions; at most [`MAX_SHOWN`].
    pub rays: Vec<(Vec3, Vec3, f32, f32)>,
    /// How many of them there are.
    pub rays_off: u32,
    /// The same for a player's box.
    pub boxes: Vec<(Vec3, Vec3, f32, f32)>,
    /// How many of them there are.
    pub boxes_off: u32,
    /// Samples of each kind that were in the open in both maps.
    pub swept: u32,
    /// Samples of points.
    pub asked: u32,
}

/// Examples that a report keeps of each kind.
pub const MAX_SHOWN: usize = 8;
/// Sweeps that end nearer to each other are the same. Unit: world units.
pub const NEAR: f32 = 0.25;
/// A standing player. Source: `playerMins`, `playerMaxs`.
const PLAYER: Bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));

/// Compares the worlds of two maps.
pub fn compare(a: &ClipMap, b: &ClipMap, plan: &Plan) -> Report {
    let mut report = Report::default();
    let (Some(one), Some(other)) = (a.model_bounds(0), b.model_bounds(0)) else { return report };
    let shared = Bounds::new(one.mins.max(other.mins), one.maxs.min(other.maxs));
    let mut random = SplitMix::new(plan.seed);
    for _ in 0..plan.samples {
        let point = random.point(&shared);
        let way = random.point(&Bounds::new(Vec3::splat(-512.0), Vec3::splat(512.0)));
        report.asked += 1;
        let (here, there) = (a.contents_at(point) & NOTICED, b.contents_at(point) & NOTICED);
        if here != there {
            report.points_off += 1;
            if report.points.len() < MAX_SHOWN {
                report.points.push((point, here, there));
            }
        }
        let solid = fogline_common::proto::contents::SOLID;
        // Inside matters; the void around a map does not.
        let open = |map: &ClipMap| {
            map.contents_at(point) & solid == 0 && map.leaf_cluster(map.leaf_at(point)).is_some()
        };
        if !open(a) || !open(b) {
            continue;
        }
        report.swept += 1;
        let end = point + way;
        let ray = TraceRequest::ray(point, end, fogline_common::proto::mask::SHOT, None);
        if let Some(fractions) = apart(a, b, &ray) {
            report.rays_off += 1;
            if report.rays.len() < MAX_SHOWN {
                report.rays.push((point, end, fractions.0, fractions.1));
            }
        }
        let player = TraceRequest::sweep(point, end, PLAYER, fogline_common::proto::mask::PLAYERSOLID, None);
        if let Some(fractions) = apart(a, b, &player) {
            report.boxes_off += 1;
            if report.boxes.len() < MAX_SHOWN {
                report.boxes.push((point, end, fractions.0, fractions.1));
            }
        }
    }
    report
}

/// Both fractions, if a sweep ends at different places.
fn apart(a: &ClipMap, b: &ClipMap, request: &TraceRequest) -> Option<(f32, f32)> {
    let (one, other) = (a.trace(request), b.trace(request));
    let differs = one.start_solid != other.start_solid || one.end.distance(other.end) > NEAR;
    differs.then_some((one.fraction, other.fraction))
}
