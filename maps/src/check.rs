//! Whether a compiled map's PVS holds: where a ray goes, there is sight, both ways.
//!
//! Rays start anywhere in the open and fly until something stops them; the clusters that one passes all see each other. It is asked
//! of the finished map alone, by its collision model and its tree, so it tests tree, portals, clusters and vis together.
//!
//! Some maps have walls that close the tree but stop no shot. What flies on through one is not drawn by any client, so a ray proves
//! nothing beyond it.

use crate::compiled::Compiled;
use crate::geometry::{DVec3, dvec3};
use crate::samples::SplitMix;
use crate::vis::bits::BitTable;
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClusterNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::{contents, mask};
use fogline_common::trace::TraceRequest;
use rayon::prelude::*;

/// A pair that a ray proves and the PVS lacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// The row and the bit that is missing.
    pub clusters: [usize; 2],
    /// A point in each, on one ray.
    pub points: [Vec3; 2],
}

/// What rays found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Rays that began in the open.
    pub rays: u64,
    /// Different pairs of clusters that they prove, each way counted, the diagonal included.
    pub proved: u64,
    /// Rays that flew on through rock.
    pub through_rock: u64,
    /// Different pairs that are missing.
    pub hole_count: usize,
    /// The first [`MAX_SHOWN`] of them.
    pub holes: Vec<Hole>,
}

/// Holes that a report keeps.
pub const MAX_SHOWN: usize = 20;
/// Longest ray. Unit: world units.
const REACH: f32 = 16384.0;
/// Rays are sharper than the world is exact: this near to a wall, they prove nothing. Unit: world units.
const CLEARANCE: f32 = 0.5;
/// A ray that is shorter within a cell does not prove that it was there. Unit: world units.
const LEAST_STAY: f64 = 0.05;
/// Rays of one task.
const CHUNK: u64 = 1 << 14;

/// Shoots rays. The same seed shoots the same ones, on any number of threads.
///
/// # Errors
/// A sentence, if the map cannot be used.
pub fn check(bsp: &Bsp, rays: u64, seed: u64) -> Result<Report, String> {
    let clip = ClipMap::build(bsp).map_err(|e| e.to_string())?;
    let compiled = Compiled::open(bsp).map_err(|e| e.to_string())?;
    let Some(around) = clip.model_bounds(0) else { return Ok(Report::default()) };
    let range = Range { clip: &clip, compiled: &compiled, around };
    let count = compiled.cluster_count as usize;
    let empty = || Found {
        proved: BitTable::new(count, count),
        missing: BitTable::new(count, count),
        ..Found::default()
    };
    let mut found = (0..rays.div_ceil(CHUNK))
        .into_par_iter()
        .fold(empty, |mut found, chunk| {
            let mut random = SplitMix::of_task(seed, chunk);
            for _ in 0..CHUNK.min(rays - chunk * CHUNK) {
                range.shoot(&mut random, &mut found);
            }
            found
        })
        .reduce(empty, Found::join);
    found.holes.sort_by_key(|hole| hole.clusters);
    found.holes.dedup_by_key(|hole| hole.clusters);
    Ok(Report {
        rays: found.rays,
        proved: found.proved.count(),
        through_rock: found.through_rock,
        hole_count: found.holes.len(),
        holes: found.holes.into_iter().take(MAX_SHOWN).collect(),
    })
}

#[derive(Default)]
struct Found {
    rays: u64,
    through_rock: u64,
    proved: BitTable,
    missing: BitTable,
    /// One for each pair that is missing.
    holes: Vec<Hole>,
    way: Vec<Stay>,
}

impl Found {
    fn join(mut self, other: Self) -> Self {
        self.rays += other.rays;
        self.through_rock += other.through_rock;
        self.proved.or_with(&other.proved);
        self.holes.extend(other.holes);
        self
    }
}

/// A cluster on the way of a ray, and a point of the ray in it.
struct Stay {
    cluster: usize,
    point: DVec3,
}

struct Range<'a> {
    clip: &'a ClipMap,
    compiled: &'a Compiled,
    around: Bounds,
}

impl Range<'_> {
    fn shoot(&self, random: &mut SplitMix, found: &mut Found) {
        let start = random.point(&self.around);
        let way = random.point(&Bounds::new(Vec3::splat(-1.0), Vec3::splat(1.0)));
        if way.length() < 0.1 || !self.is_open(start) {
            return;
        }
        found.rays += 1;
        let thin = Bounds::new(Vec3::splat(-CLEARANCE), Vec3::splat(CLEARANCE));
        let end = start + way.normalized() * REACH;
        let hit = self.clip.trace(&TraceRequest::sweep(start, end, thin, mask::SHOT, None));
        if hit.start_solid {
            return;
        }
        let mut stays = std::mem::take(&mut found.way);
        stays.clear();
        if self.walk(exact(start), exact(hit.end), &mut stays) {
            found.through_rock += 1;
        }
        self.judge(&stays, found);
        found.way = stays;
    }

    /// In a leaf with a cluster, and in no wall.
    fn is_open(&self, place: Vec3) -> bool {
        let leaf = self.clip.leaf_at(place);
        self.clip.leaf_cluster(leaf).is_some() && self.clip.contents_at(place) & contents::SOLID == 0
    }

    /// Notes the clusters on a segment, in order, up to the first rock. Whether there was some.
    fn walk(&self, start: DVec3, end: DVec3, stays: &mut Vec<Stay>) -> bool {
        let tree = &self.compiled.tree;
        let length = (end - start).length();
        let at = |share: f64| start + (end - start) * share;
        let mut pending = vec![(0, 0.0, 1.0)];
        while let Some((cell, from, to)) = pending.pop() {
            let Some(split) = &tree.cells[cell].split else {
                let Some(cluster) = self.compiled.cluster_of(cell) else {
                    return true;
                };
                let (cluster, stays_long) = (cluster as usize, (to - from) * length >= LEAST_STAY);
                if stays_long && stays.last().is_none_or(|last| last.cluster != cluster) {
                    stays.push(Stay { cluster, point: at((from + to) / 2.0) });
                }
                continue;
            };
            let plane = &self.compiled.planes[split.plane];
            let (a, b) = (plane.distance_to(at(from)), plane.distance_to(at(to)));
            let near = usize::from(a < 0.0);
            if (a < 0.0) == (b < 0.0) {
                pending.push((split.children[near], from, to));
                continue;
            }
            let crossing = from + (to - from) * (a / (a - b));
            pending.push((split.children[1 - near], crossing, to));
            pending.push((split.children[near], from, crossing));
        }
        false
    }

    /// All that lie on one ray see each other.
    fn judge(&self, stays: &[Stay], found: &mut Found) {
        for (index, one) in stays.iter().enumerate() {
            let row = self.clip.pvs(Some(ClusterNum::new(one.cluster as u32)));
            for (place, other) in stays.iter().enumerate() {
                found.proved.set(one.cluster, other.cluster);
                if row[other.cluster] || index == place {
                    continue;
                }
                let clusters = [one.cluster, other.cluster];
                if !found.missing.has(one.cluster, other.cluster) {
                    found.missing.set(one.cluster, other.cluster);
                    found.holes.push(Hole { clusters, points: [one.point, other.point].map(DVec3::to_f32) });
                }
            }
        }
    }
}

fn exact(point: Vec3) -> DVec3 {
    dvec3(f64::from(point.x), f64::from(point.y), f64::from(point.z))
}
