//! The base bound: which portals could face each other at all, and what a flood through such portals can reach.
//!
//! Nothing here may lose a sight line. A portal counts as in front as soon as a point of it is; portals in one plane cannot be
//! crossed by one line and do not count; two faces of a wedge thinner than the tolerance look like one plane and do count,
//! which their normals tell apart.

use super::bits::{self, BitTable};
use super::graph::{Bounds, PortalGraph};
use super::polygon::dot;
use rayon::prelude::*;

/// Two portals whose points all lie within this of each other's planes may be the faces of a thin wedge. Unit: world units.
/// Ten times what rounding to whole numbers in a portal file can move a point.
const WEDGE: f64 = 0.01;

/// A portal counts as in front of another when a point of it is further in front than this. Unit: world units. The rounding of
/// portal files is twice as fine: near the edge where the faces of a wedge meet, a line may pass both with so little between.
const IN_FRONT: f64 = 1e-6;

/// Facing portals, and which of them a flood from the first reaches: an upper bound of what it sees. Symmetric.
pub fn flood_table(graph: &PortalGraph) -> BitTable {
    let count = graph.portal_count();
    let mut table = BitTable::new(count, count);
    let words = table.words_per_row().max(1);
    let columns = Columns::of(graph);
    let rows = table.words_mut().par_chunks_mut(words).enumerate();
    rows.for_each(|(portal, row)| columns.facing_beyond(graph, portal, row));
    table.or_mirror();
    table.words_mut().par_chunks_mut(words).enumerate().for_each_init(
        || Flood { front: vec![0; words], open: Vec::new() },
        |flood, (portal, row)| {
            flood.front.copy_from_slice(row);
            row.fill(0);
            flood.run(graph, portal, row);
        },
    );
    table.and_mirror();
    table
}

struct Flood {
    front: Vec<u64>,
    open: Vec<u32>,
}

impl Flood {
    /// Walks from cluster to cluster through portals of the front row.
    fn run(&mut self, graph: &PortalGraph, portal: usize, row: &mut [u64]) {
        let start = graph.portal(portal);
        bits::set(row, start.twin as usize);
        self.open.push(start.to);
        while let Some(cluster) = self.open.pop() {
            for next in graph.leaving(cluster as usize) {
                let column = graph.portal(next).twin as usize;
                if bits::has(&self.front, column) {
                    bits::clear(&mut self.front, column);
                    bits::set(row, column);
                    self.open.push(graph.portal(next).to);
                }
            }
        }
    }
}

/// Spheres and planes of all portals, one column for each number, so that neighbours are measured at once.
struct Columns {
    center: [Vec<f64>; 3],
    radius: Vec<f64>,
    normal: [Vec<f64>; 3],
    dist: Vec<f64>,
}

/// What spheres alone tell of a pair.
const APART: u8 = 0;
const FACING: u8 = 1;
const DOUBTFUL: u8 = 2;

impl Columns {
    fn of(graph: &PortalGraph) -> Self {
        let all = || (0..graph.portal_count()).map(|number| graph.portal(number));
        Self {
            center: [0, 1, 2].map(|axis| all().map(|portal| portal.sphere.center[axis]).collect()),
            radius: all().map(|portal| portal.sphere.radius).collect(),
            normal: [0, 1, 2].map(|axis| all().map(|portal| portal.plane.normal[axis]).collect()),
            dist: all().map(|portal| portal.plane.dist).collect(),
        }
    }

    /// The columns beyond a portal's own that face it, into its row. Facing is symmetric, so the rest is known from other rows.
    fn facing_beyond(&self, graph: &PortalGraph, portal: usize, row: &mut [u64]) {
        let (first, twin) = (portal + 1, graph.portal(portal).twin as usize);
        for word in first / 64..row.len() {
            let (start, end) = ((word * 64).max(first), ((word + 1) * 64).min(graph.portal_count()));
            // All 64 behind at once.
            if start >= end || graph.word_bounds(word).extent(&graph.portal(portal).plane).1 < -2.0 * WEDGE {
                continue;
            }
            let mut told = [APART; 64];
            self.tell(graph, portal, start, &mut told[..end - start]);
            for (column, told) in (start..end).zip(told) {
                if told != APART && column != twin && (told == FACING || faces(graph, portal, column)) {
                    bits::set(row, column);
                }
            }
        }
    }

    /// The first two tests of [`faces`], for neighbours, without a branch.
    fn tell(&self, graph: &PortalGraph, portal: usize, start: usize, told: &mut [u8]) {
        let own = graph.portal(portal);
        let ([a, b, c], own_dist) = (own.plane.normal, own.plane.dist);
        let ([x, y, z], own_radius) = (own.sphere.center, own.sphere.radius);
        let part = start..start + told.len();
        let ([cx, cy, cz], radius) =
            (self.center.each_ref().map(|all| &all[part.clone()]), &self.radius[part.clone()]);
        let ([nx, ny, nz], dist) = (self.normal.each_ref().map(|all| &all[part.clone()]), &self.dist[part]);
        for (at, told) in told.iter_mut().enumerate() {
            let ahead = a * cx[at] + b * cy[at] + c * cz[at] - own_dist;
            let seen_back = nx[at] * x + ny[at] * y + nz[at] * z - dist[at];
            let apart = (ahead < -radius[at] - WEDGE) | (seen_back < -own_radius - WEDGE);
            let facing = (ahead > radius[at]) & (seen_back > own_radius);
            *told = if apart {
                APART
            } else if facing {
                FACING
            } else {
                DOUBTFUL
            };
        }
    }
}

/// Whether a line may leave through `a`, forwards, and later run backwards through `b`. Symmetric.
pub fn faces(graph: &PortalGraph, a: usize, b: usize) -> bool {
    let (pa, pb) = (graph.portal(a), graph.portal(b));
    let (da, db) = (pa.plane.distance(pb.sphere.center), pb.plane.distance(pa.sphere.center));
    if da < -pb.sphere.radius - WEDGE || db < -pa.sphere.radius - WEDGE {
        return false;
    }
    if da > pb.sphere.radius && db > pa.sphere.radius {
        return true;
    }
    let b_from_a = graph.extent(b, &pa.plane);
    let a_from_b = graph.extent(a, &pb.plane);
    if [b_from_a, a_from_b].iter().all(|&(least, greatest)| least > -WEDGE && greatest < WEDGE) {
        return dot(pa.plane.normal, pb.plane.normal) < 0.0 && overlap(graph.bounds(a), graph.bounds(b));
    }
    b_from_a.1 > IN_FRONT && a_from_b.1 > IN_FRONT
}

/// Whether two flat boxes share more than an edge: room on two axes or more, contact on the third.
fn overlap(a: &Bounds, b: &Bounds) -> bool {
    let room = [0, 1, 2].map(|axis| a.maxs[axis].min(b.maxs[axis]) - a.mins[axis].max(b.mins[axis]));
    room.iter().all(|&r| r > -WEDGE) && room.iter().filter(|&&r| r > WEDGE).count() >= 2
}
