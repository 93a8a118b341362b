//! Planes that have one polygon behind and the other in front: no line through both can come back over them.
//!
//! ```text
//!   edge polygon   other polygon         seen along the edge: a = how far inside the edge polygon,
//!        |            /                                       b = how far in front of it
//!        |           / j      plane
//!        e--------- /-------------->     the plane through edge e and the point whose direction (a, b) turns
//!                  k                     least away from the inside; all other points lie in front of it
//! ```
//!
//! One plane for every edge of either polygon, found in one pass over the other's points. In doubt a plane is left out:
//! that costs bits and never a sight line.

use super::counters::Counters;
use super::graph::PortalGraph;
use super::polygon::{MAX_POINTS, ON_PLANE, Plane, Polygon, cross, dot, sub};
use crate::prt::Point;

/// Most planes kept for a pair of polygons.
pub const MAX_SEPARATORS: usize = 24;
/// A point may stand on the wrong side of a plane by so much. Unit: world units.
const ASTRAY: f64 = 1e-6;
/// A point nearer to the line of an edge than this turns no plane about it: they touch. Unit: world units.
const TOUCHING: f64 = 1e-5;
/// An edge shorter than this carries no plane. Unit: world units.
const SHORT_EDGE: f64 = 1e-3;

/// Separating planes of a source and a pass polygon: source behind, pass and all that is seen through both in front.
#[derive(Clone, Debug)]
pub struct Separators {
    len: usize,
    planes: [Plane; MAX_SEPARATORS],
    inside: [f64; MAX_POINTS],
    ahead: [f64; MAX_POINTS],
}

impl Default for Separators {
    fn default() -> Self {
        Self {
            len: 0,
            planes: [Plane::default(); MAX_SEPARATORS],
            inside: [0.0; MAX_POINTS],
            ahead: [0.0; MAX_POINTS],
        }
    }
}

impl Separators {
    /// Finds the planes. Each plane's normal points from source to pass.
    pub fn find(&mut self, source: &Polygon, source_plane: &Plane, pass: &Polygon, pass_plane: &Plane) {
        self.len = 0;
        let covered = self.about_edges(source, &source_plane.normal, pass, 1.0, 0);
        self.about_edges(pass, &pass_plane.normal, source, -1.0, covered);
    }

    /// The planes.
    #[inline]
    pub fn planes(&self) -> &[Plane] {
        &self.planes[..self.len]
    }

    /// Which of some columns of one word of a row no line through both polygons can meet.
    #[inline]
    pub fn hidden(&mut self, graph: &PortalGraph, word: usize, columns: u64, counters: &mut Counters) -> u64 {
        let bounds = graph.word_bounds(word);
        counters.targets += 1;
        // Planes that have all 64 in front decide nothing about any of them.
        let mut cutting = [0_u8; MAX_SEPARATORS];
        let mut count = 0;
        for (index, plane) in self.planes[..self.len].iter().enumerate() {
            let (least, greatest) = bounds.extent(plane);
            if greatest <= ON_PLANE {
                return columns;
            }
            cutting[count] = index as u8;
            count += usize::from(least <= ON_PLANE);
        }
        let cutting = &mut cutting[..count];
        if cutting.is_empty() {
            return 0;
        }
        let mut hidden = 0;
        let mut left = columns;
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            let column = word * 64 + bit;
            let slab = graph.slab(column);
            counters.targets += 1;
            let by = cutting.iter().position(|&index| {
                let plane = &self.planes[index as usize];
                let (distance, reach) = slab.reach(plane);
                distance <= ON_PLANE - reach
                    || (!slab.filled
                        && distance - reach <= ON_PLANE
                        && graph.extent(column, plane).1 <= ON_PLANE)
            });
            if let Some(index) = by {
                hidden |= 1 << bit;
                // What hid one portal will most likely hide its neighbour.
                cutting.swap(0, index);
            }
        }
        hidden
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Planes through each edge of `edges` that have it on one side and `other` on the other, but for the edges in `skip`.
    /// `side` is 1 where `other` lies along the normal, and -1 where it lies against it, the edges then being those of the pass.
    /// Answers which edges of `other` lie in one of the planes.
    #[inline]
    fn about_edges(&mut self, edges: &Polygon, normal: &Point, other: &Polygon, side: f64, skip: u64) -> u64 {
        let ahead = normal.map(|v| v * side);
        other.distances(&Plane { normal: ahead, dist: 0.0 }, &mut self.ahead);
        let count = edges.len();
        let mut covered = 0;
        for index in 0..count {
            if self.len == MAX_SEPARATORS {
                break;
            }
            if index < 64 && skip >> index & 1 != 0 {
                continue;
            }
            let start = edges.point(index);
            let along = sub(edges.point(if index + 1 == count { 0 } else { index + 1 }), start);
            let inward = cross(*normal, along);
            let length = dot(inward, inward).sqrt();
            if length < SHORT_EDGE {
                continue;
            }
            let scale = 1.0 / length;
            let about = Edge { inward: inward.map(|v| v * scale), ahead, start };
            let Some((a, b, on)) = self.least_turn(other, &about) else { continue };
            let out = [0, 1, 2].map(|axis| (a * ahead[axis] - b * about.inward[axis]) * side);
            let plane = Plane { normal: out, dist: dot(out, start) };
            if holds_back(edges, &plane, side) {
                self.planes[self.len] = plane;
                self.len += 1;
                covered |= on & on.rotate_right(1);
                covered |= u64::from(on & 1 != 0 && on >> (other.len() - 1).min(63) & 1 != 0)
                    << (other.len() - 1).min(63);
            }
        }
        covered
    }

    /// The direction, as (inward, ahead) of unit length, of the point that turns least from inward, if all points lie beyond it;
    /// and a bit for each of the first 64 points that lies in the plane.
    ///
    /// The least turn from inward to ahead is the greatest ratio of the two distances, so that four points are compared at once
    /// and no branch depends on them.
    #[inline]
    fn least_turn(&mut self, other: &Polygon, edge: &Edge) -> Option<(f64, f64, u64)> {
        let room = other.len().next_multiple_of(4);
        other.distances(&Plane { normal: edge.inward, dist: dot(edge.inward, edge.start) }, &mut self.inside);
        let (inside, ahead) = (&self.inside[..room], &self.ahead[..room]);
        let shift = dot(edge.ahead, edge.start);
        let mut steepest = [f64::NEG_INFINITY; 4];
        for (a, b) in inside.as_chunks::<4>().0.iter().zip(ahead.as_chunks::<4>().0) {
            for lane in 0..4 {
                let (a, b) = (a[lane], b[lane] - shift);
                let level = if a > TOUCHING { f64::INFINITY } else { f64::NEG_INFINITY };
                let ratio = if b > TOUCHING { a / b } else { level };
                steepest[lane] = if ratio > steepest[lane] { ratio } else { steepest[lane] };
            }
        }
        let greater = |a: f64, b: f64| if a > b { a } else { b };
        let ratio = greater(greater(steepest[0], steepest[1]), greater(steepest[2], steepest[3]));
        let scale = 1.0 / (1.0 + ratio * ratio).sqrt();
        if !ratio.is_finite() || scale <= ASTRAY {
            return None;
        }
        let (best_a, best_b) = (ratio * scale, scale);
        let (mut on, mut least) = (0, [f64::INFINITY; 4]);
        let fours = inside.as_chunks::<4>().0.iter().zip(ahead.as_chunks::<4>().0);
        for (number, (a, b)) in fours.enumerate() {
            for lane in 0..4 {
                let (a, b) = (a[lane], b[lane] - shift);
                let side = best_a * b - best_b * a;
                on |= u64::from((side <= ASTRAY) & (b > TOUCHING)) << ((number * 4 + lane) & 63);
                least[lane] = if side < least[lane] { side } else { least[lane] };
            }
        }
        // Those that fill up the last four repeat a point.
        on = if other.len() > 63 { 0 } else { on & ((1 << other.len()) - 1) };
        let astray = least.iter().any(|&side| side < -ASTRAY);
        (!astray).then_some((best_a, best_b, on))
    }
}

/// An edge and the directions that turns about it are measured in.
struct Edge {
    inward: Point,
    ahead: Point,
    start: Point,
}

/// Whether the polygon whose edge carries the plane stays on its own side: behind for the source, in front for the pass.
#[inline]
fn holds_back(edges: &Polygon, plane: &Plane, side: f64) -> bool {
    let (least, greatest) = edges.extent(plane);
    if side > 0.0 { greatest <= ASTRAY } else { least >= -ASTRAY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square_at(x: f64, size: f64) -> (Polygon, Plane) {
        let points: [Point; 4] = [[x, -size, -size], [x, size, -size], [x, size, size], [x, -size, size]];
        (Polygon::new(&points), Plane { normal: [1.0, 0.0, 0.0], dist: x })
    }

    #[test]
    fn two_windows_give_planes_that_keep_source_behind_and_pass_in_front() {
        let (source, source_plane) = square_at(0.0, 8.0);
        let (pass, pass_plane) = square_at(16.0, 4.0);
        let mut found = Separators::default();
        found.find(&source, &source_plane, &pass, &pass_plane);
        assert_eq!(found.planes().len(), 4, "parallel edges share their plane");
        for plane in found.planes() {
            assert!(source.extent(plane).1 <= ASTRAY, "{plane:?}");
            assert!(pass.extent(plane).0 >= -ASTRAY, "{plane:?}");
            // The cone opens by 12 units in 16: at 32 it reaches 16.
            assert!(
                (plane.distance([32.0, 16.0, 0.0]).abs() < 1e-9) || plane.distance([32.0, 15.9, 0.0]) > 0.0
            );
        }
        let beside = [32.0, 16.1, 0.0];
        assert!(found.planes().iter().any(|plane| plane.distance(beside) < 0.0));
    }

    #[test]
    fn windows_that_share_an_edge_get_only_planes_that_hold() {
        let (source, source_plane) = square_at(0.0, 8.0);
        let floor: [Point; 4] = [[0.0, 8.0, -8.0], [16.0, 8.0, -8.0], [16.0, -8.0, -8.0], [0.0, -8.0, -8.0]];
        let down = Plane { normal: [0.0, 0.0, -1.0], dist: 8.0 };
        let pass = Polygon::new(&floor);
        let mut found = Separators::default();
        found.find(&source, &source_plane, &pass, &down);
        // A line that hugs the shared edge goes down at any slant, so nothing below the floor is out of sight.
        for plane in found.planes() {
            assert!(source.extent(plane).1 <= ASTRAY && pass.extent(plane).0 >= -ASTRAY, "{plane:?}");
            assert!(plane.distance([8.0, -40.0, -16.0]) > 0.0, "{plane:?}");
        }
    }
}
