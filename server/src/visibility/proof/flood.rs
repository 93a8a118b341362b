//! Whether any way of light leads from one box to another at all: a flood over portals, as far as straight lines between the
//! two boxes come.
//!
//! Every line between the boxes stays in their hull and crosses from cell to cell through portals, so only portals that touch
//! the hull are flooded through. If no cell of the second box is reached, no line reaches it. The map's own PVS is not asked:
//! its rows miss clusters that can be seen.

use super::cracks::{MOST_ROUND, ROUND, cracks};
use super::dark::{Media, Medium, passable};
use super::tree::Openings;
use super::winding::{Cut, Winding, to_vec3};
use fogline_common::collision::{ClipMap, axial_planes};
use fogline_common::math::{Bounds, Plane, Vec3, vec3};

/// Portals count as touched from this far outside the hull. Unit: world units. It makes up for rims that rounding took, and
/// for whatever f32 rounds.
const TOUCH: f32 = 0.1;

/// The way through a portal into a cell.
pub(super) struct Way {
    /// Around the portal.
    pub bounds: Bounds,
    pub to: u32,
    /// Of `Cells::gaps`.
    pub gap: u32,
}

/// A portal between two cells.
pub(super) struct Gap {
    plane: Plane,
    /// The plane is not axial, so that the bounds do not say all.
    slanted: bool,
    /// Of `Cells::points`.
    points: std::ops::Range<u32>,
}

/// The cells of a map and the gaps between them.
#[derive(Default)]
pub(super) struct Cells {
    gaps: Vec<Gap>,
    points: Vec<Vec3>,
    /// In spans that cells own, so that what a flood looks at first lies side by side.
    ways: Vec<Way>,
    first_way: Vec<u32>,
    /// Cell, gap, cell behind it, and its bounds: what the ways are made of.
    joined: Vec<(u32, u32, u32, Bounds)>,
    /// How many of the gaps are cracks.
    pub crack_count: usize,
}

/// Work space of floods, kept from one to the next.
#[derive(Debug, Default)]
pub struct Space {
    /// Number of the flood that a cell was reached in. Shape: by cell.
    reached: Vec<u32>,
    /// Number of the flood that a cell is a goal of. Shape: by cell.
    goal: Vec<u32>,
    next: Vec<u32>,
    flood: u32,
}

impl Space {
    /// A new flood over so many cells.
    pub(super) fn begin(&mut self, cell_count: usize) {
        if self.flood == u32::MAX || self.reached.len() < cell_count {
            *self = Self { next: std::mem::take(&mut self.next), ..Self::default() };
            self.reached.resize(cell_count, 0);
            self.goal.resize(cell_count, 0);
        }
        self.flood += 1;
        self.next.clear();
    }

    /// The flood may begin in this cell.
    pub(super) fn start(&mut self, cell: u32) {
        if self.reached[cell as usize] != self.flood {
            self.reached[cell as usize] = self.flood;
            self.next.push(cell);
        }
    }

    /// The flood must not come to this cell. False if it has already.
    pub(super) fn forbid(&mut self, cell: u32) -> bool {
        self.goal[cell as usize] = self.flood;
        self.reached[cell as usize] != self.flood
    }
}

impl Cells {
    pub(super) fn new(clip: &ClipMap, media: &Media, openings: &Openings) -> Self {
        let mut cells = Self::default();
        for opening in &openings.all {
            let [front, back] = opening.leafs.map(|leaf| media.of_leaf[leaf as usize]);
            let (Medium::Open(front), Medium::Open(back)) = (front, back) else { continue };
            if front == back {
                continue;
            }
            for piece in passable(clip, opening) {
                cells.join([front, back], &opening.plane, &piece);
            }
        }
        cells.settle(media.cell_count);
        let cracks = cracks(clip, media, openings, |pair, place| cells.leads_round(pair, place));
        for crack in &cracks {
            cells.join(crack.cells, &crack.plane, &crack.piece);
        }
        cells.crack_count = cracks.len();
        cells.settle(media.cell_count);
        cells.joined = Vec::new();
        cells
    }

    /// A portal between two cells.
    pub(super) fn join(&mut self, [front, back]: [u32; 2], plane: &Cut, piece: &Winding) {
        let normal = Vec3::from(plane.normal.map(|part| part as f32));
        let plane = Plane { normal, dist: plane.dist as f32 };
        let first = self.points.len() as u32;
        self.points.extend(piece.points.iter().map(to_vec3));
        let points = &self.points[first as usize..];
        let bounds = points.iter().fold(Bounds::EMPTY, |bounds, &point| bounds.including(point));
        let gap = self.gaps.len() as u32;
        self.joined.extend([(front, gap, back, bounds), (back, gap, front, bounds)]);
        let slanted = normal.to_array().into_iter().filter(|&part| part != 0.0).count() > 1;
        self.gaps.push(Gap { plane, slanted, points: first..self.points.len() as u32 });
    }

    /// Puts the ways of each cell side by side.
    pub(super) fn settle(&mut self, cell_count: usize) {
        self.joined.sort_unstable_by_key(|&(cell, gap, ..)| (cell, gap));
        self.first_way = (0..=cell_count as u32)
            .map(|cell| self.joined.partition_point(|&(from, ..)| from < cell) as u32)
            .collect();
        self.ways = self.joined.iter().map(|&(_, gap, to, bounds)| Way { bounds, to, gap }).collect();
    }

    /// Whether portals lead from one cell to the other that all come near to a place.
    fn leads_round(&self, [from, to]: [u32; 2], place: Vec3) -> bool {
        let mut reached = [from; MOST_ROUND];
        let (mut count, mut next) = (1, 0);
        while next < count {
            let cell = reached[next];
            next += 1;
            for way in self.ways_of(cell) {
                let is_near = way.bounds.grown(ROUND).contains(place);
                if !is_near || reached[..count].contains(&way.to) || !self.comes_near(way.gap, place) {
                    continue;
                }
                if way.to == to {
                    return true;
                }
                if count < MOST_ROUND {
                    reached[count] = way.to;
                    count += 1;
                }
            }
        }
        false
    }

    /// Whether a portal comes near to a place.
    fn comes_near(&self, gap: u32, place: Vec3) -> bool {
        let Gap { plane, points, .. } = &self.gaps[gap as usize];
        let points = &self.points[points.start as usize..points.end as usize];
        let middle = points.iter().fold(Vec3::ZERO, |sum, &point| sum + point) * (1.0 / points.len() as f32);
        let outside = |(index, &point): (usize, &Vec3)| {
            let out = (points[(index + 1) % points.len()] - point).cross(plane.normal).normalized();
            let out = if out.dot(middle - point) > 0.0 { -out } else { out };
            out.dot(place - point) > ROUND
        };
        plane.distance_to(place).abs() <= ROUND && !points.iter().enumerate().any(outside)
    }

    pub(super) fn ways_of(&self, cell: u32) -> &[Way] {
        &self.ways[self.first_way[cell as usize] as usize..self.first_way[cell as usize + 1] as usize]
    }

    /// Corners of a portal, in order round it.
    pub(super) fn points_of(&self, gap: u32) -> &[Vec3] {
        let points = &self.gaps[gap as usize].points;
        &self.points[points.start as usize..points.end as usize]
    }

    /// Whether a portal lies outside of a hull. May say no for one that does.
    pub(super) fn misses(&self, shaft: &Shaft, way: &Way) -> bool {
        !shaft.may_touch(&way.bounds) || shaft.misses(&self.gaps[way.gap as usize], &way.bounds, &self.points)
    }

    /// Number of portals.
    pub(super) fn gap_count(&self) -> usize {
        self.gaps.len()
    }

    /// Whether the flood that `space` has been prepared for stays away from every cell that it must not come to.
    pub(super) fn keeps_apart(&self, shaft: &Shaft, space: &mut Space) -> bool {
        let middle = shaft.bodies.center();
        while let Some(cell) = space.next.pop() {
            let mut nearest = f32::INFINITY;
            for &Way { ref bounds, to, gap } in self.ways_of(cell) {
                if !shaft.may_touch(bounds) || space.reached[to as usize] == space.flood {
                    continue;
                }
                if shaft.misses(&self.gaps[gap as usize], bounds, &self.points) {
                    continue;
                }
                if space.goal[to as usize] == space.flood {
                    return false;
                }
                space.reached[to as usize] = space.flood;
                space.next.push(to);
                // The way that comes nearest to the goal is followed first: a flood that gets there shall get there soon.
                let distance = (bounds.clamp(middle) - middle).length_squared();
                let last = space.next.len() - 1;
                if distance < nearest {
                    nearest = distance;
                } else {
                    space.next.swap(last, last - 1);
                }
            }
        }
        true
    }
}

/// The hull of two boxes. Its faces are those of the box around both, and planes along an axis that touch an edge of each.
#[derive(Debug)]
pub(super) struct Shaft {
    around: Bounds,
    eyes: Bounds,
    bodies: Bounds,
    /// The hull is behind each. Shape: the first `count`.
    planes: [Plane; MOST_SIDES],
    count: usize,
}

/// At most two planes along each axis.
const MOST_SIDES: usize = 6;

impl Shaft {
    pub(super) fn new(eyes: &Bounds, bodies: &Bounds) -> Self {
        let none = Plane { normal: Vec3::ZERO, dist: 0.0 };
        let around = eyes.union(*bodies).grown(TOUCH);
        let mut shaft = Self { around, eyes: *eyes, bodies: *bodies, planes: [none; MOST_SIDES], count: 0 };
        for axis in 0..3 {
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            // Seen along the axis both are rectangles. A common tangent goes through the same corner of each.
            for (up_a, up_b) in [(false, false), (false, true), (true, false), (true, true)] {
                shaft.add_tangent([a, b], [up_a, up_b]);
            }
        }
        shaft
    }

    /// Calls with each of its faces; the hull is behind.
    pub(super) fn each_face(&self, mut visit: impl FnMut(&Plane)) {
        axial_planes(&self.around).iter().chain(&self.planes[..self.count]).for_each(&mut visit);
    }

    /// The plane through one edge of each box, if both lie on one side of it and it is not a face of `around`.
    fn add_tangent(&mut self, [a, b]: [usize; 2], [up_a, up_b]: [bool; 2]) {
        let corner = |bounds: &Bounds| {
            let pick = |axis: usize, up: bool| if up { bounds.maxs[axis] } else { bounds.mins[axis] };
            (pick(a, up_a), pick(b, up_b))
        };
        let (from, to) = (corner(&self.eyes), corner(&self.bodies));
        let (along_a, along_b) = (to.0 - from.0, to.1 - from.1);
        // Facing out of this corner, so that it is the outermost of each box.
        let sign = |up: bool| if up { 1.0 } else { -1.0 };
        let (mut out_a, mut out_b) = (along_b, -along_a);
        if out_a * sign(up_a) < 0.0 || out_b * sign(up_b) < 0.0 {
            (out_a, out_b) = (-out_a, -out_b);
        }
        let length = (out_a * out_a + out_b * out_b).sqrt();
        if out_a * sign(up_a) <= 0.0 || out_b * sign(up_b) <= 0.0 || length <= 0.0 || self.count == MOST_SIDES
        {
            return;
        }
        let mut normal = vec3(0.0, 0.0, 0.0);
        normal[a] = out_a / length;
        normal[b] = out_b / length;
        // Of both edges the outer, whatever was rounded.
        let outermost = |corner: (f32, f32)| normal[a] * corner.0 + normal[b] * corner.1;
        let dist = outermost(from).max(outermost(to)) + TOUCH;
        self.planes[self.count] = Plane { normal, dist };
        self.count += 1;
    }

    /// Whether a portal of these bounds may be touched.
    #[inline]
    fn may_touch(&self, bounds: &Bounds) -> bool {
        let (low, high) = (&self.around.mins, &self.around.maxs);
        (bounds.mins.x <= high.x)
            & (bounds.mins.y <= high.y)
            & (bounds.mins.z <= high.z)
            & (bounds.maxs.x >= low.x)
            & (bounds.maxs.y >= low.y)
            & (bounds.maxs.z >= low.z)
    }

    /// Whether a portal that may be touched lies outside all the same. May say no for one that does.
    fn misses(&self, gap: &Gap, bounds: &Bounds, points: &[Vec3]) -> bool {
        if gap.slanted {
            let Plane { normal, dist } = gap.plane;
            let ((low, high), (low2, high2)) = (range(&self.eyes, normal), range(&self.bodies, normal));
            if low.min(low2) > dist + TOUCH || high.max(high2) < dist - TOUCH {
                return true;
            }
        }
        let span = gap.points.start as usize..gap.points.end as usize;
        self.planes[..self.count].iter().any(|plane| {
            let (low, high) = range(bounds, plane.normal);
            low > plane.dist
                || (high > plane.dist
                    && points[span.clone()].iter().all(|&point| plane.distance_to(point) > 0.0))
        })
    }
}

/// Least and greatest of `normal · point` over a box.
#[inline]
pub(super) fn range(bounds: &Bounds, normal: Vec3) -> (f32, f32) {
    let (mut low, mut high) = (0.0, 0.0);
    for axis in 0..3 {
        let (a, b) = (bounds.mins[axis] * normal[axis], bounds.maxs[axis] * normal[axis]);
        low += if a < b { a } else { b };
        high += if a < b { b } else { a };
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a portal across x, with these corners in y and z, lies outside of the hull.
    fn misses(corners: &[(f32, f32)]) -> bool {
        let eyes = Bounds::POINT.grown(10.0).translated(vec3(-100.0, 0.0, 0.0));
        let bodies = Bounds::POINT.grown(30.0).translated(vec3(100.0, 0.0, 0.0));
        let points: Vec<Vec3> = corners.iter().map(|&(y, z)| vec3(0.0, y, z)).collect();
        let bounds = points.iter().fold(Bounds::EMPTY, |bounds, &point| bounds.including(point));
        let plane = Plane { normal: vec3(1.0, 0.0, 0.0), dist: 0.0 };
        let shaft = Shaft::new(&eyes, &bodies);
        let gap = Gap { plane, slanted: true, points: 0..points.len() as u32 };
        !shaft.may_touch(&bounds) || shaft.misses(&gap, &bounds, &points)
    }

    #[test]
    fn a_portal_beside_the_hull_is_not_touched() {
        // At x = 0 the hull is about 22 to each side.
        assert!(misses(&[(24.0, -5.0), (60.0, -5.0), (60.0, 5.0), (24.0, 5.0)]));
        assert!(!misses(&[(18.0, -5.0), (60.0, -5.0), (60.0, 5.0), (18.0, 5.0)]));
    }

    #[test]
    fn a_corner_that_touches_the_hull_is_enough() {
        assert!(!misses(&[(21.0, 0.0), (60.0, 40.0), (60.0, -40.0)]));
        // A sliver without any width that touches counts as well.
        assert!(!misses(&[(21.0, 0.0), (60.0, 0.0), (40.0, 0.0)]));
        assert!(misses(&[(24.0, 0.0), (60.0, 40.0), (60.0, -40.0)]));
    }

    #[test]
    fn every_line_between_the_boxes_is_in_the_hull() {
        let mut rng = fastrand::Rng::with_seed(4);
        for round in 0..2000 {
            let mut any = |reach: f32| {
                let mut part = || (rng.f32() - 0.5) * reach;
                vec3(part(), part(), part())
            };
            let [eyes, bodies] =
                [(); 2].map(|()| Bounds::POINT.grown(0.0).translated(any(600.0)).including(any(600.0)));
            let shaft = Shaft::new(&eyes, &bodies);
            for _ in 0..40 {
                let [e, b] = [eyes, bodies].map(|bounds| {
                    let mut part = |axis: usize| bounds.mins[axis] + rng.f32() * bounds.size()[axis];
                    vec3(part(0), part(1), part(2))
                });
                let at = e.mul_add(rng.f32(), b - e);
                let normal = vec3(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() + 0.1).normalized();
                let bounds = Bounds::POINT.translated(at);
                let plane = Plane { normal, dist: normal.dot(at) };
                assert!(
                    shaft.may_touch(&bounds)
                        && !shaft.misses(&Gap { plane, slanted: true, points: 0..1 }, &bounds, &[at]),
                    "seed 4, round {round}: {at:?} of {eyes:?} and {bodies:?}"
                );
            }
        }
    }
}
