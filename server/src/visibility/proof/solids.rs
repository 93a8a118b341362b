//! Convex volumes that light does not cross, and whether one of them hides one box from another.
//!
//! The lemma that all stands on: if a convex volume meets every segment between a corner of one box and a corner of the other,
//! it meets every segment between the boxes. (Seen from a corner of the first, what the volume hides is convex, so with the
//! corners of the second box it hides all of it; then the same seen from any point of the second.) `server/docs/proofs.md`.

use super::winding::{Cut, Point, Winding};
use fogline_common::collision::{ClipMap, Occluder, axial_planes};
use fogline_common::math::{Bounds, Plane, Vec3};

/// A volume, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Solid(u32);

impl Solid {
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    #[cfg(test)]
    pub(in crate::visibility) const fn numbered(number: u32) -> Self {
        Self(number)
    }
}

/// All of them. Shape: spans of `planes`, in the order of the volumes.
#[derive(Default)]
pub(super) struct Solids {
    planes: Vec<Plane>,
    /// Where the planes of each begin, and at the end where those of the last end.
    first: Vec<u32>,
}

/// Volumes are smaller in proofs than they are, by more than f32 rounds. Unit: world units.
const SHRINK: f32 = 0.03;
/// A volume of more planes takes no part. What mappers draw has six to a dozen.
const MOST_PLANES: usize = 32;
/// A plane is left out if without it the volume sticks out by less than this, which is below [`SHRINK`]. Unit: world units.
const STICKS_OUT: f64 = 0.02;

impl Solids {
    pub(super) fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Adds a brush of the map. `None` if it has too many faces or no inside.
    pub(super) fn add_brush(&mut self, clip: &ClipMap, occluder: Occluder) -> Option<Solid> {
        let planes: Vec<Plane> = clip.occluder_planes(occluder).collect();
        self.add(&needed(&planes)?)
    }

    /// Adds a box.
    pub(super) fn add_box(&mut self, bounds: &Bounds) -> Option<Solid> {
        self.add(&axial_planes(bounds))
    }

    /// Adds what lies behind all of some planes.
    pub(super) fn add(&mut self, planes: &[Plane]) -> Option<Solid> {
        if planes.is_empty() || planes.len() > MOST_PLANES {
            return None;
        }
        if self.first.is_empty() {
            self.first.push(0);
        }
        let shrunk = planes.iter().map(|plane| Plane { dist: plane.dist - SHRINK, ..*plane });
        self.planes.extend(shrunk);
        self.first.push(self.planes.len() as u32);
        Some(Solid(self.len() as u32 - 1))
    }

    fn planes(&self, solid: Solid) -> &[Plane] {
        &self.planes[self.first[solid.index()] as usize..self.first[solid.index() + 1] as usize]
    }

    /// Whether this volume meets every segment from one hull to the other.
    pub(super) fn hides(&self, solid: Solid, eyes: &Corners, bodies: &Corners) -> bool {
        meets_all(self.planes(solid), eyes, bodies)
    }

    /// Whether a segment lies wholly in front of a face, so that this volume hides nothing between boxes about its ends.
    #[inline]
    pub(super) fn is_beside(&self, solid: Solid, from: Vec3, to: Vec3) -> bool {
        self.planes(solid).iter().any(|plane| (plane.distance_to(from) > 0.0) & (plane.distance_to(to) > 0.0))
    }
}

/// Those planes of a convex volume that bound it: map files have bevels besides, which only touch an edge. `None` if it has no
/// inside.
fn needed(planes: &[Plane]) -> Option<Vec<Plane>> {
    let mut all: Vec<Plane> = Vec::with_capacity(planes.len());
    for plane in planes {
        if !all.contains(plane) {
            all.push(*plane);
        }
    }
    let cuts: Vec<Cut> = all.iter().map(|plane| Cut::of(plane).flipped()).collect();
    let face = |own: usize, others: &[usize]| {
        let others = others.iter().filter(|&&other| other != own);
        others.fold(Winding::on(&cuts[own], REACH), |face, &other| face.in_front_of(&cuts[other]))
    };
    let every: Vec<usize> = (0..all.len()).collect();
    let (mut kept, rest): (Vec<usize>, Vec<usize>) =
        every.iter().partition(|&&index| !face(index, &every).is_nothing());
    let corners: Vec<Point> = kept.iter().flat_map(|&index| face(index, &kept).points).collect();
    let sticks_out =
        |index: &usize| corners.iter().any(|corner| cuts[*index].distance_to(corner) < -STICKS_OUT);
    kept.extend(rest.into_iter().filter(sticks_out));
    (kept.len() >= 4).then(|| kept.into_iter().map(|index| all[index]).collect())
}

/// Half the side of what a face is cut from. More than any map measures.
const REACH: f64 = 300_000.0;

/// The corners of a box. Shape: eight lanes, the unused ones repeat the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners {
    x: [f32; 8],
    y: [f32; 8],
    z: [f32; 8],
    count: usize,
    middle: Vec3,
    half: Vec3,
}

impl Corners {
    /// The corners of a box, each once.
    pub(super) fn of(bounds: &Bounds) -> Self {
        let Bounds { mins, maxs } = *bounds;
        let (middle, half) = (bounds.center(), bounds.size() * 0.5);
        let mut all = Self { x: [mins.x; 8], y: [mins.y; 8], z: [mins.z; 8], count: 1, middle, half };
        if mins.x < maxs.x {
            all.double(|lane| (maxs.x, lane.1, lane.2));
        }
        if mins.y < maxs.y {
            all.double(|lane| (lane.0, maxs.y, lane.2));
        }
        if mins.z < maxs.z {
            all.double(|lane| (lane.0, lane.1, maxs.z));
        }
        all
    }

    fn double(&mut self, moved: impl Fn((f32, f32, f32)) -> (f32, f32, f32)) {
        for from in 0..self.count {
            let to = self.count + from;
            (self.x[to], self.y[to], self.z[to]) = moved((self.x[from], self.y[from], self.z[from]));
        }
        self.count *= 2;
    }

    /// Signed distances to a plane.
    #[inline]
    fn distances(&self, plane: &Plane) -> [f32; 8] {
        let Plane { normal, dist } = *plane;
        std::array::from_fn(|lane| {
            normal.x * self.x[lane] + normal.y * self.y[lane] + normal.z * self.z[lane] - dist
        })
    }

    /// Whether any corner is in front of a plane.
    #[inline]
    fn reaches_before(&self, plane: &Plane) -> bool {
        let (normal, half) = (plane.normal, self.half);
        let reach = normal.x.abs() * half.x + normal.y.abs() * half.y + normal.z.abs() * half.z;
        plane.distance_to(self.middle) + reach > 0.0
    }
}

/// The greater of two numbers; of a NaN and another, the second. One instruction, unlike `f32::max`.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller of two numbers.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Faces that a bundle of segments may cross; then nothing is claimed. From a box into a box it crosses six at most.
const MOST_CROSSED: usize = 12;

/// Keeps a quotient of two zeros from being none. Shares of the way are compared, so that it errs to the side of "no".
const NEVER_ZERO: f32 = 1.0e-9;

/// Whether all segments between two sets of corners meet the volume behind `planes`.
fn meets_all(planes: &[Plane], eyes: &Corners, bodies: &Corners) -> bool {
    // A plane that some eye and some body are both in front of lets that segment pass. Of the others there are two kinds that
    // say anything: those that only eyes are in front of, by which segments enter, and those that only bodies are, by which
    // they leave.
    let mut crossed = [(0, false); MOST_CROSSED];
    let (mut count, mut entry_count) = (0, 0);
    for (index, plane) in planes.iter().enumerate() {
        let (enters, leaves) = (eyes.reaches_before(plane), bodies.reaches_before(plane));
        if enters & leaves {
            return false;
        }
        if enters | leaves {
            if count == MOST_CROSSED {
                return false;
            }
            crossed[count] = (index, enters);
            count += 1;
            entry_count += usize::from(enters);
        }
    }
    if entry_count == 0 || entry_count == count {
        // One of the two lies within.
        return true;
    }
    let mut distances = [([0.0; 8], [0.0; 8]); MOST_CROSSED];
    for (&(index, _), distances) in crossed[..count].iter().zip(&mut distances) {
        *distances = (eyes.distances(&planes[index]), bodies.distances(&planes[index]));
    }
    (0..eyes.count).all(|eye| {
        let (mut enter, mut leave) = ([0.0_f32; 8], [1.0_f32; 8]);
        for ((_, enters), (near, far)) in crossed[..count].iter().zip(&distances) {
            if *enters {
                let near = greater(near[eye], 0.0);
                for lane in 0..8 {
                    enter[lane] = greater(enter[lane], near / (near - smaller(far[lane], 0.0) + NEVER_ZERO));
                }
            } else {
                let depth = greater(-near[eye], 0.0);
                for lane in 0..8 {
                    leave[lane] =
                        smaller(leave[lane], depth / (depth + greater(far[lane], 0.0) + NEVER_ZERO));
                }
            }
        }
        let mut all = true;
        for lane in 0..8 {
            all &= enter[lane] <= leave[lane];
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    fn any(rng: &mut fastrand::Rng, reach: f32) -> Vec3 {
        let mut part = || (rng.f32() - 0.5) * reach;
        vec3(part(), part(), part())
    }

    /// Share of a segment at which it enters a volume, exactly. `None` if it misses.
    fn meets(planes: &[Plane], from: Vec3, to: Vec3) -> bool {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let [from, to] = [from, to].map(|point| point.to_array().map(f64::from));
        for cut in planes.iter().map(Cut::of) {
            let (near, far) = (cut.distance_to(&from), cut.distance_to(&to));
            if near > 0.0 && far > 0.0 {
                return false;
            }
            if near > 0.0 {
                enter = enter.max(near / (near - far));
            } else if far > 0.0 {
                leave = leave.min(near / (near - far));
            }
        }
        enter <= leave
    }

    /// The lemma: a volume that meets all segments between corners meets all segments. Its own arithmetic is tried with it.
    #[test]
    fn what_hides_the_corners_hides_everything_between() {
        let seed = 11;
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut claimed, mut tried) = (0, 0);
        for _ in 0..60_000 {
            let mut planes: Vec<Plane> = (0..rng.usize(..5))
                .map(|_| Plane { normal: any(&mut rng, 2.0).normalized(), dist: 20.0 + rng.f32() * 60.0 })
                .collect();
            let size = vec3(4.0 + rng.f32() * 60.0, 40.0 + rng.f32() * 200.0, 40.0 + rng.f32() * 200.0);
            planes.extend(axial_planes(&Bounds::new(-size, size)));
            let mut solids = Solids::default();
            let Some(solid) = solids.add(&planes) else { continue };
            let reach = rng.f32() * 120.0;
            let grown = |rng: &mut fastrand::Rng, x: f32| {
                let middle = vec3(x, (rng.f32() - 0.5) * 200.0, (rng.f32() - 0.5) * 200.0);
                Bounds::POINT
                    .translated(middle)
                    .including(middle + any(rng, reach))
                    .including(middle + any(rng, reach))
            };
            let (near, far) = (-20.0 - rng.f32() * 300.0, 20.0 + rng.f32() * 300.0);
            let (eyes, bodies) = (grown(&mut rng, near), grown(&mut rng, far));
            if !solids.hides(solid, &Corners::of(&eyes), &Corners::of(&bodies)) {
                continue;
            }
            claimed += 1;
            for _ in 0..30 {
                let [from, to] = [eyes, bodies].map(|bounds| {
                    let mut part = |axis: usize| bounds.mins[axis] + rng.f32() * bounds.size()[axis];
                    vec3(part(0), part(1), part(2))
                });
                tried += 1;
                assert!(meets(&planes, from, to), "seed {seed}: {from:?} to {to:?} misses {planes:?}");
            }
        }
        assert!(claimed > 5_000, "seed {seed}: only {claimed} of 60000 were claimed, {tried} segments tried");
    }

    #[test]
    fn a_box_hides_what_is_behind_it_and_no_more() {
        let mut solids = Solids::default();
        let wall = solids.add_box(&Bounds::new(vec3(-8.0, -100.0, -100.0), vec3(8.0, 100.0, 100.0))).unwrap();
        let hides = |y: f32| {
            let eyes = Corners::of(&Bounds::POINT.grown(10.0).translated(vec3(-50.0, 0.0, 0.0)));
            let bodies = Corners::of(&Bounds::POINT.grown(20.0).translated(vec3(50.0, y, 0.0)));
            solids.hides(wall, &eyes, &bodies)
        };
        assert!(hides(0.0) && hides(75.0));
        assert!(!hides(190.0) && !hides(300.0));
    }

    #[test]
    fn bevels_are_left_out_and_faces_are_not() {
        let mut planes = axial_planes(&Bounds::POINT.grown(10.0)).to_vec();
        let slanted = |dist: f32| Plane { normal: vec3(0.6, 0.8, 0.0), dist };
        planes.push(slanted(14.0));
        assert_eq!(needed(&planes).unwrap().len(), 6, "it touches an edge");
        planes.push(slanted(9.0));
        let kept = needed(&planes).unwrap();
        assert!(kept.contains(&slanted(9.0)) && !kept.contains(&slanted(14.0)), "{kept:?}");
        assert_eq!(needed(&[slanted(1.0)]), None);
    }
}
