//! Random lines against a table: each line that runs through a row of portals proves that the clusters on its way see each other.
//!
//! A line counts only where it passes every portal with a clearance from its edges, so that rounding cannot make it up. The
//! table is wrong, beyond doubt, if it lacks a pair that a line proves. The other way round nothing follows.

use super::bits::BitTable;
use super::graph::{Portal, PortalGraph};
use super::polygon::{Plane, Polygon, cross, dot, sub};
use super::table::VisTable;
use crate::prt::Point;
use rayon::prelude::*;

/// What to shoot.
#[derive(Clone, Copy, Debug)]
pub struct RayPlan {
    /// How many lines.
    pub rays: u64,
    /// Replays the same lines.
    pub seed: u64,
    /// Least distance of a line from every edge of the portals that it passes. Unit: world units.
    pub clearance: f64,
}

/// A pair that a table lacks, and the line that proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// The clusters at the ends.
    pub pair: [usize; 2],
    /// Where the line crosses the first portal that was chosen.
    pub origin: Point,
    /// Unit vector.
    pub direction: Point,
    /// Clusters in the order in which the line passes them.
    pub path: Vec<usize>,
}

/// What the lines showed.
#[derive(Clone, Debug)]
pub struct RayReport {
    /// Pairs proved, both ways round, the diagonal included.
    pub proved: BitTable,
    /// One hole for each pair that is missing, at most [`MAX_HOLES`].
    pub holes: Vec<Hole>,
}

/// Most holes that are kept of one run.
pub const MAX_HOLES: usize = 64;
/// Longest line. Unit: clusters.
const MAX_PATH: usize = 512;
/// A line that meets a portal flatter than this does not count as passing it: in the plane of two openings of one wall, rounding
/// alone decides on which side of it the line is. Unit: sine of the angle.
const LEAST_SLOPE: f64 = 1e-3;
/// Lines of one task.
const CHUNK: u64 = 1 << 16;

/// Shoots lines: the pairs of clusters that they prove to see each other.
pub fn prove(graph: &PortalGraph, plan: &RayPlan) -> BitTable {
    shoot_all(graph, None, plan).proved
}

/// Shoots lines and holds each against the table.
pub fn check(graph: &PortalGraph, table: &VisTable, plan: &RayPlan) -> RayReport {
    shoot_all(graph, Some(table), plan)
}

fn shoot_all(graph: &PortalGraph, table: Option<&VisTable>, plan: &RayPlan) -> RayReport {
    let shapes: Vec<Shape> = (0..graph.portal_count()).map(|portal| Shape::new(graph, portal)).collect();
    let clusters = graph.cluster_count();
    let empty = || RayReport { proved: BitTable::new(clusters, clusters), holes: Vec::new() };
    let range = Range { graph, shapes: &shapes, table, plan };
    let mut report = (0..plan.rays.div_ceil(CHUNK))
        .into_par_iter()
        .fold(empty, |mut report, chunk| {
            let mut rng = Rng::of_task(plan.seed, chunk);
            let mut path = Vec::new();
            for _ in 0..CHUNK.min(plan.rays - chunk * CHUNK) {
                range.shoot(&mut rng, &mut path, &mut report);
            }
            report
        })
        .reduce(empty, |mut a, b| {
            a.proved.or_with(&b.proved);
            a.holes.extend(b.holes);
            a
        });
    report.holes.sort_by_key(|hole| hole.pair);
    report.holes.dedup_by_key(|hole| hole.pair);
    report.holes.truncate(MAX_HOLES);
    report
}

struct Range<'a> {
    graph: &'a PortalGraph,
    shapes: &'a [Shape],
    table: Option<&'a VisTable>,
    plan: &'a RayPlan,
}

impl Range<'_> {
    fn shoot(&self, rng: &mut Rng, path: &mut Vec<usize>, report: &mut RayReport) {
        if self.shapes.is_empty() {
            return;
        }
        let first = rng.below(self.shapes.len());
        let portal = self.graph.portal(first);
        let origin = self.shapes[first].random_point(rng);
        let direction = match rng.below(3) {
            0 => rng.direction(),
            1 => sub(self.shapes[rng.below(self.shapes.len())].random_point(rng), origin),
            _ => sub(self.shapes[self.stroll(portal, rng)].random_point(rng), origin),
        };
        let length = dot(direction, direction).sqrt();
        if length < 1e-6 || !self.shapes[first].holds(origin, self.plan.clearance) {
            return;
        }
        let mut direction = direction.map(|v| v / length);
        let slope = dot(direction, portal.plane.normal);
        if slope.abs() < LEAST_SLOPE {
            return;
        }
        if slope < 0.0 {
            direction = direction.map(|v| -v);
        }
        path.clear();
        self.walk(portal.from as usize, origin, direction.map(|v| -v), path);
        path.reverse();
        self.walk(portal.to as usize, origin, direction, path);
        self.judge(path, origin, direction, report);
    }

    /// A portal two to five clusters on.
    fn stroll(&self, from: &Portal, rng: &mut Rng) -> usize {
        let mut portal = from;
        let mut number = from.twin as usize;
        for _ in 0..2 + rng.below(4) {
            let leaving = self.graph.leaving(portal.to as usize);
            number = leaving.start + rng.below(leaving.len());
            portal = self.graph.portal(number);
        }
        number
    }

    /// Notes the clusters from one on, until the line hits a wall or comes too near to an edge.
    fn walk(&self, start: usize, origin: Point, direction: Point, path: &mut Vec<usize>) {
        let mut cluster = start;
        let mut travelled = -1e-6;
        path.push(cluster);
        while path.len() < MAX_PATH {
            let exit = self.graph.leaving(cluster).find_map(|number| {
                let plane = &self.graph.portal(number).plane;
                let speed = dot(plane.normal, direction);
                if speed < LEAST_SLOPE {
                    return None;
                }
                let at = -plane.distance(origin) / speed;
                let point = [0, 1, 2].map(|axis| origin[axis] + at * direction[axis]);
                (at > travelled && self.shapes[number].holds(point, self.plan.clearance))
                    .then_some((number, at))
            });
            let Some((number, at)) = exit else { return };
            travelled = at - 1e-6;
            cluster = self.graph.portal(number).to as usize;
            path.push(cluster);
        }
    }

    fn judge(&self, path: &[usize], origin: Point, direction: Point, report: &mut RayReport) {
        for (index, &a) in path.iter().enumerate() {
            for &b in &path[..index] {
                report.proved.set(a, b);
                report.proved.set(b, a);
                if self.table.is_none_or(|table| table.sees(a, b) && table.sees(b, a)) {
                    continue;
                }
                let pair = [a.min(b), a.max(b)];
                if report.holes.len() < MAX_HOLES && report.holes.iter().all(|hole| hole.pair != pair) {
                    report.holes.push(Hole { pair, origin, direction, path: path.to_vec() });
                }
            }
        }
    }
}

/// A portal as a target: its edges as planes, and where its points lie.
struct Shape {
    edges: Vec<Plane>,
    points: Vec<Point>,
}

impl Shape {
    fn new(graph: &PortalGraph, number: usize) -> Self {
        let mut polygon = Polygon::default();
        graph.winding(number, &mut polygon);
        let normal = graph.portal(number).plane.normal;
        let points: Vec<Point> = (0..polygon.len()).map(|index| polygon.point(index)).collect();
        let mut edges = Vec::new();
        for (index, &point) in points.iter().enumerate() {
            let inward = cross(normal, sub(points[(index + 1) % points.len()], point));
            let length = dot(inward, inward).sqrt();
            if length > 1e-9 {
                let inward = inward.map(|v| v / length);
                edges.push(Plane { normal: inward, dist: dot(inward, point) });
            }
        }
        Self { edges, points }
    }

    #[inline]
    fn holds(&self, point: Point, clearance: f64) -> bool {
        self.edges.iter().all(|edge| edge.distance(point) >= clearance)
    }

    /// A point of a random triangle of the fan.
    fn random_point(&self, rng: &mut Rng) -> Point {
        let second = 1 + rng.below(self.points.len() - 2);
        let (mut u, mut v) = (rng.unit(), rng.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let [a, b, c] = [self.points[0], self.points[second], self.points[second + 1]];
        [0, 1, 2].map(|axis| a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]))
    }
}

/// SplitMix64.
struct Rng(u64);

impl Rng {
    /// A stream of its own for each task: neighbouring states would give the same numbers, one step apart.
    fn of_task(seed: u64, task: u64) -> Self {
        let scrambled = Self(task).next();
        Self(Self(seed ^ scrambled).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform on the ball, so not of unit length.
    fn direction(&mut self) -> Point {
        loop {
            let point = [0; 3].map(|_: i32| self.unit() * 2.0 - 1.0);
            if (1e-3..=1.0).contains(&dot(point, point)) {
                return point;
            }
        }
    }
}
