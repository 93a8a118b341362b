//! Whether a compiled map's PVS holds: where a ray goes, there is sight, both ways.
//!
//! Rays start anywhere in the open and fly until something stops them; from the start, every place on the way must be visible. It
//! is asked of the finished map alone, so it tests tree, portals, clusters and vis together.

use crate::samples::SplitMix;
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClusterNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::{contents, mask};
use fogline_common::trace::TraceRequest;
use std::collections::BTreeSet;

/// A pair that a ray proves and the PVS lacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// The row and the bit that is missing.
    pub clusters: [usize; 2],
    /// Both ends of the proof.
    pub points: [Vec3; 2],
}

/// What rays found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Rays that began in the open.
    pub rays: u64,
    /// Different pairs of clusters that they prove, both ways counted once.
    pub proved: usize,
    /// Different pairs that are missing.
    pub hole_count: usize,
    /// The first [`MAX_SHOWN`] of them.
    pub holes: Vec<Hole>,
}

/// Holes that a report keeps.
pub const MAX_SHOWN: usize = 20;
/// Longest ray. Unit: world units.
const REACH: f32 = 16384.0;
/// Places asked on each ray.
const PLACES: u32 = 8;
/// Rays are sharper than the world is exact: this near to a wall, they prove nothing. Unit: world units.
const CLEARANCE: f32 = 0.5;

/// Shoots rays. The same seed shoots the same ones.
pub fn check(clip: &ClipMap, rays: u64, seed: u64) -> Report {
    let mut report = Report::default();
    let Some(around) = clip.model_bounds(0) else { return report };
    let mut random = SplitMix::new(seed);
    let mut proved: BTreeSet<[usize; 2]> = BTreeSet::new();
    let mut missing: BTreeSet<[usize; 2]> = BTreeSet::new();
    let thin = Bounds::new(Vec3::splat(-CLEARANCE), Vec3::splat(CLEARANCE));
    for _ in 0..rays {
        let start = random.point(&around);
        let way = random.point(&Bounds::new(Vec3::splat(-1.0), Vec3::splat(1.0)));
        let Some(from) = open_cluster(clip, start) else { continue };
        if way.length() < 0.1 {
            continue;
        }
        report.rays += 1;
        let end = start + way.normalized() * REACH;
        let hit = clip.trace(&TraceRequest::sweep(start, end, thin, mask::SHOT, None));
        if hit.start_solid {
            continue;
        }
        for _ in 0..PLACES {
            let place = start + (hit.end - start) * random.share();
            let Some(to) = clip.leaf_cluster(clip.leaf_at(place)) else { continue };
            for (pair, points) in [([from, to], [start, place]), ([to, from], [place, start])] {
                let pair = pair.map(ClusterNum::index);
                proved.insert(pair);
                if !clip.pvs(Some(ClusterNum::new(pair[0] as u32)))[pair[1]] && missing.insert(pair) {
                    report.hole_count += 1;
                    if report.holes.len() < MAX_SHOWN {
                        report.holes.push(Hole { clusters: pair, points });
                    }
                }
            }
        }
    }
    report.proved = proved.len();
    report
}

fn open_cluster(clip: &ClipMap, place: Vec3) -> Option<ClusterNum> {
    let cluster = clip.leaf_cluster(clip.leaf_at(place))?;
    (clip.contents_at(place) & contents::SOLID == 0).then_some(cluster)
}
