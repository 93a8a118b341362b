//! What vis works on: clusters joined by directed portals, numbered so that the portals of a cluster stand together.
//!
//! A directed portal leaves one cluster and leads into another; its plane's normal points the way it leads. Two portals *face*
//! each other when a line can leave through the first and, later, run backwards through the second. Facing is symmetric, and
//! all portal tables here are tables of facing: row p, column c. The column of the portal that leads into cluster B through the
//! same opening as c (which leaves B) is c, so the columns of a cluster are one run of bits.

use super::polygon::{Plane, Polygon, cross, dot, extent, sub};
use crate::prt::{MAX_CLUSTERS, MAX_WINDING_POINTS, Point, PortalFile};
use std::fmt;
use std::ops::Range;

/// Most directed portals. The tables grow with the square: this many need 800 MB.
pub const MAX_DIRECTED_PORTALS: usize = 80_000;

/// Clusters and the openings between them.
#[derive(Clone, Debug)]
pub struct PortalGraph {
    /// First directed portal of each cluster, and one past the last at the end. Shape: clusters + 1.
    first: Vec<u32>,
    portals: Vec<Portal>,
    /// Points of all windings, each padded to a multiple of four. Shape: x, y, z.
    pool: [Vec<f64>; 3],
    /// Pairs of clusters that share an opening without area: they see each other, but nothing is seen through it.
    touching: Vec<[u32; 2]>,
    points: Vec<Span>,
    bounds: Vec<Bounds>,
    slabs: Vec<Slab>,
    word_bounds: Vec<Bounds>,
}

/// One directed portal.
#[derive(Clone, Copy, Debug)]
pub struct Portal {
    /// The cluster that it leaves.
    pub from: u32,
    /// The cluster that it leads into.
    pub to: u32,
    /// The same opening, the other way.
    pub twin: u32,
    /// Its normal points the way it leads.
    pub plane: Plane,
    /// Holds all points.
    pub sphere: Sphere,
}

/// A ball. Unit: world units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sphere {
    /// Middle.
    pub center: Point,
    /// Reach from the middle.
    pub radius: f64,
}

/// A box. Unit: world units.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Least of each axis.
    pub mins: Point,
    /// Greatest of each axis.
    pub maxs: Point,
}

/// A box by its middle. Unit: world units.
#[derive(Clone, Copy, Debug)]
pub struct Slab {
    /// Middle.
    pub center: Point,
    /// Half its size.
    pub half: Point,
    /// The portal fills it: a rectangle along two axes.
    pub filled: bool,
}

impl Slab {
    /// The distance of the middle from a plane, and how much nearer or further some point can be.
    #[inline]
    pub fn reach(&self, plane: &Plane) -> (f64, f64) {
        let [a, b, c] = plane.normal;
        let [x, y, z] = self.half;
        (plane.distance(self.center), a.abs() * x + b.abs() * y + c.abs() * z)
    }
}

/// Where a winding lies in the pool.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    len: u32,
}

/// Why portals cannot be used. Display is one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// More clusters than the limit.
    TooManyClusters(u32),
    /// More directed portals than the limit.
    TooManyPortals(usize),
    /// A portal, by its place in the input, names a cluster that does not exist, or one cluster twice.
    BadClusters(usize),
    /// A portal, by its place in the input, has too few or too many points.
    BadWinding(usize),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyClusters(count) => {
                write!(f, "{count} clusters, the most that vis takes are {MAX_CLUSTERS}")
            }
            Self::TooManyPortals(count) => write!(
                f,
                "{} portals, the most that vis takes are {}; make more brushes detail",
                count / 2,
                MAX_DIRECTED_PORTALS / 2
            ),
            Self::BadClusters(index) => write!(f, "portal {index} does not join two clusters of the map"),
            Self::BadWinding(index) => {
                write!(f, "portal {index} does not have 3 to {MAX_WINDING_POINTS} points")
            }
        }
    }
}

impl std::error::Error for GraphError {}

impl PortalGraph {
    /// From a portal file.
    pub fn from_file(file: &PortalFile) -> Result<Self, GraphError> {
        Self::new(file.cluster_count, file.portals.iter().map(|p| (p.clusters, p.winding.as_slice())))
    }

    /// From openings: the two clusters, and a convex winding that runs counter-clockwise about the way from the first to the second.
    pub fn new<'a>(
        cluster_count: u32,
        openings: impl Iterator<Item = ([u32; 2], &'a [Point])>,
    ) -> Result<Self, GraphError> {
        if cluster_count > MAX_CLUSTERS {
            return Err(GraphError::TooManyClusters(cluster_count));
        }
        let mut graph = Self {
            first: vec![0; cluster_count as usize + 1],
            portals: Vec::new(),
            pool: Default::default(),
            touching: Vec::new(),
            points: Vec::new(),
            bounds: Vec::new(),
            slabs: Vec::new(),
            word_bounds: Vec::new(),
        };
        let mut directed = Vec::new();
        for (index, (clusters, winding)) in openings.enumerate() {
            if clusters[0] == clusters[1] || clusters.iter().any(|&c| c >= cluster_count) {
                return Err(GraphError::BadClusters(index));
            }
            if !(3..=MAX_WINDING_POINTS).contains(&winding.len()) {
                return Err(GraphError::BadWinding(index));
            }
            match plane_of(winding) {
                Some(plane) => {
                    directed.push((clusters[0], index, winding, plane, clusters[1]));
                    directed.push((clusters[1], index, winding, plane.flipped(), clusters[0]));
                }
                None => graph.touching.push(clusters),
            }
        }
        if directed.len() > MAX_DIRECTED_PORTALS {
            return Err(GraphError::TooManyPortals(directed.len()));
        }
        graph.number(directed);
        Ok(graph)
    }

    /// Sorts directed portals by the cluster they leave and gives them their numbers.
    fn number(&mut self, mut directed: Vec<(u32, usize, &[Point], Plane, u32)>) {
        directed.sort_by_key(|&(from, index, _, _, to)| (from, index, to));
        let mut half: std::collections::BTreeMap<usize, u32> = std::collections::BTreeMap::new();
        for (number, (from, index, winding, plane, to)) in directed.into_iter().enumerate() {
            let number = number as u32;
            self.first[from as usize + 1] = number + 1;
            let twin = half.insert(index, number).unwrap_or(u32::MAX);
            if let Some(other) = self.portals.get_mut(twin as usize) {
                other.twin = number;
            }
            let forward = plane_of(winding).is_some_and(|p| dot(p.normal, plane.normal) > 0.0);
            let span = if forward { self.store(winding.iter()) } else { self.store(winding.iter().rev()) };
            self.points.push(span);
            self.bounds.push(bounds_of(winding));
            self.slabs.push(slab_of(winding));
            self.portals.push(Portal { from, to, twin, plane, sphere: sphere_of(winding) });
        }
        self.word_bounds = self.bounds.chunks(64).map(Bounds::around).collect();
        for cluster in 1..self.first.len() {
            self.first[cluster] = self.first[cluster].max(self.first[cluster - 1]);
        }
    }

    fn store<'a>(&mut self, winding: impl Iterator<Item = &'a Point>) -> Span {
        let start = self.pool[0].len();
        let mut last = [0.0; 3];
        for &point in winding {
            last = point;
            (0..3).for_each(|axis| self.pool[axis].push(point[axis]));
        }
        let len = self.pool[0].len() - start;
        for (column, last) in self.pool.iter_mut().zip(last) {
            column.resize(start + len.next_multiple_of(4), last);
        }
        Span { start: start as u32, len: len as u32 }
    }

    /// Number of clusters.
    pub fn cluster_count(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of directed portals: twice the openings that have an area.
    pub fn portal_count(&self) -> usize {
        self.portals.len()
    }

    /// One directed portal.
    #[inline]
    pub fn portal(&self, number: usize) -> &Portal {
        &self.portals[number]
    }

    /// The portals that leave a cluster, and so the columns of those that lead into it.
    #[inline]
    pub fn leaving(&self, cluster: usize) -> Range<usize> {
        self.first[cluster] as usize..self.first[cluster + 1] as usize
    }

    /// Pairs of clusters joined only by an opening without area.
    pub fn touching(&self) -> &[[u32; 2]] {
        &self.touching
    }

    /// The box of a portal.
    pub fn bounds(&self, number: usize) -> &Bounds {
        &self.bounds[number]
    }

    /// The box of a portal by its middle.
    #[inline]
    pub fn slab(&self, number: usize) -> &Slab {
        &self.slabs[number]
    }

    /// The box of the 64 portals whose bits share a word of a row: neighbours in the tree, so mostly neighbours in space.
    #[inline]
    pub fn word_bounds(&self, word: usize) -> &Bounds {
        &self.word_bounds[word]
    }

    /// The winding of a portal, counter-clockwise about its normal, into `into`.
    #[inline]
    pub fn winding(&self, number: usize, into: &mut Polygon) {
        into.load(self.points[number].len as usize, self.columns(number));
    }

    /// The least and the greatest distance of a portal's points from a plane.
    #[inline]
    pub fn extent(&self, number: usize, plane: &Plane) -> (f64, f64) {
        extent(plane, self.columns(number))
    }

    #[inline]
    fn columns(&self, number: usize) -> [&[f64]; 3] {
        let span = self.points[number];
        let room = span.start as usize..span.start as usize + (span.len as usize).next_multiple_of(4);
        [&self.pool[0][room.clone()], &self.pool[1][room.clone()], &self.pool[2][room]]
    }
}

impl Bounds {
    /// The box around boxes.
    fn around(boxes: &[Self]) -> Self {
        boxes.iter().fold(Self::EMPTY, |all, one| Self {
            mins: [0, 1, 2].map(|axis| all.mins[axis].min(one.mins[axis])),
            maxs: [0, 1, 2].map(|axis| all.maxs[axis].max(one.maxs[axis])),
        })
    }

    const EMPTY: Self = Self { mins: [f64::INFINITY; 3], maxs: [f64::NEG_INFINITY; 3] };

    /// The least and the greatest distance of its points from a plane.
    #[inline]
    pub fn extent(&self, plane: &Plane) -> (f64, f64) {
        let (mut middle, mut reach) = (-plane.dist, 0.0);
        for axis in 0..3 {
            let normal = plane.normal[axis];
            middle += normal * (self.maxs[axis] + self.mins[axis]) * 0.5;
            reach += normal.abs() * (self.maxs[axis] - self.mins[axis]) * 0.5;
        }
        (middle - reach, middle + reach)
    }
}

/// The plane through a winding's middle with the normal that all its edges agree on (Newell); None without area.
fn plane_of(winding: &[Point]) -> Option<Plane> {
    let base = winding[0];
    let mut normal = [0.0; 3];
    let mut middle = [0.0; 3];
    for (index, &point) in winding.iter().enumerate() {
        let next = winding[(index + 1) % winding.len()];
        let turn = cross(sub(point, base), sub(next, base));
        for axis in 0..3 {
            normal[axis] += turn[axis];
            middle[axis] += point[axis] / winding.len() as f64;
        }
    }
    let length = dot(normal, normal).sqrt();
    if length < 1e-6 {
        return None;
    }
    let normal = normal.map(|v| v / length);
    Some(Plane { normal, dist: dot(normal, middle) })
}

fn bounds_of(winding: &[Point]) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for point in winding {
        for (axis, &at) in point.iter().enumerate() {
            bounds.mins[axis] = bounds.mins[axis].min(at);
            bounds.maxs[axis] = bounds.maxs[axis].max(at);
        }
    }
    bounds
}

fn slab_of(winding: &[Point]) -> Slab {
    let bounds = bounds_of(winding);
    let center = [0, 1, 2].map(|axis| (bounds.mins[axis] + bounds.maxs[axis]) * 0.5);
    let half = [0, 1, 2].map(|axis| (bounds.maxs[axis] - bounds.mins[axis]) * 0.5);
    // Four points that are all corners of a flat box, and no two the same.
    let corner = |point: &Point| {
        (0..3).all(|axis| point[axis] == bounds.mins[axis] || point[axis] == bounds.maxs[axis])
    };
    let flat = half.iter().filter(|&&h| h == 0.0).count() == 1;
    let apart =
        winding.iter().enumerate().all(|(index, point)| winding[..index].iter().all(|other| other != point));
    Slab { center, half, filled: flat && winding.len() == 4 && apart && winding.iter().all(corner) }
}

fn sphere_of(winding: &[Point]) -> Sphere {
    let bounds = bounds_of(winding);
    let center = [0, 1, 2].map(|axis| (bounds.mins[axis] + bounds.maxs[axis]) / 2.0);
    let radius = winding.iter().map(|&p| dot(sub(p, center), sub(p, center))).fold(0.0, f64::max).sqrt();
    Sphere { center, radius: radius + 1e-6 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portals_of_a_cluster_stand_together_and_twins_find_each_other() {
        let at = |x: f64| [[x, 0.0, 0.0], [x, 8.0, 0.0], [x, 8.0, 8.0], [x, 0.0, 8.0]];
        let (a, b) = (at(64.0), at(0.0));
        let graph =
            PortalGraph::new(3, [([1, 2], &a[..]), ([0, 1], &b[..])].into_iter()).expect("a corridor");
        assert_eq!(graph.leaving(0), 0..1);
        assert_eq!(graph.leaving(1), 1..3);
        assert_eq!(graph.leaving(2), 3..4);
        for number in 0..graph.portal_count() {
            let portal = graph.portal(number);
            let twin = graph.portal(portal.twin as usize);
            assert_eq!((twin.twin as usize, twin.from, twin.to), (number, portal.to, portal.from));
            let way = f64::from(portal.to) - f64::from(portal.from);
            assert_eq!(portal.plane.normal, [way, 0.0, 0.0]);
        }
    }

    #[test]
    fn wrong_openings_are_refused() {
        let line = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        let check = |clusters, winding: &[Point], error| {
            assert_eq!(PortalGraph::new(2, [(clusters, winding)].into_iter()).err(), error);
        };
        check([0, 2], &line, Some(GraphError::BadClusters(0)));
        check([1, 1], &line, Some(GraphError::BadClusters(0)));
        check([0, 1], &line[..2], Some(GraphError::BadWinding(0)));
        check([0, 1], &line, None);
    }
}
