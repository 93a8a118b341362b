//! The walk graph: where one can stand (or swim) on a map, and how one comes from there to the next place.
//!
//! In: the map's collision and its entities at rest. Out: nodes on a grid of [`CELL`] units, edges that the game's own movement
//! has walked, regions, and travel times between regions. `scenery` is what a walker meets, `stride` walks one leg by the real
//! pmove, `explore` floods the map with it, `regions` and `times` sum it up, `search` finds ways. No AAS file is read.
//!
//! The flood is cut into units of work ([`Build::advance`]), so that a frame can do a fixed share of it: the graph is the same
//! whatever the shares, and a replayed journal builds it in the same frames.

mod build;
mod cells;
mod explore;
mod prune;
mod regions;
mod scenery;
mod search;
mod stride;
mod times;

pub(super) use build::Build;
pub(super) use scenery::Scenery;
pub(super) use search::{Search, Step};

use cells::Cells;
use fogline_common::math::{Vec3, vec3};
use times::Times;

/// Width of a cell of the grid. A doorway of 64 units leaves a player's middle 34, so that one row of cells always fits through.
pub(super) const CELL: f32 = 32.0;
/// A fall that costs nothing.
const SAFE_DROP: f32 = 220.0;
/// Where floor is whole, a node is never farther away than this.
const FLOOR_REACH: f32 = 27.0;
/// The eight neighbours of a cell, counter-clockwise from east.
pub(super) const DIRECTIONS: [(i32, i32); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
/// Milliseconds that a runner needs for a unit.
pub(super) const MS_PER_UNIT: f32 = 1000.0 / 320.0;

/// Number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeNum(pub(super) u32);

impl NodeNum {
    /// Place in the list of nodes.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place where a player stands or swims. The origin is that of the player's box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// Where.
    pub(super) origin: Vec3,
    /// Its region; see [`Graph::travel_ms`].
    pub(super) region: u16,
    /// The lift that it stands on, while that rests below.
    pub(super) lift: Option<u8>,
    /// It is in water, and nobody stands there.
    pub(super) swims: bool,
}

/// How one gets over an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Straight on, over steps and slopes.
    Walk,
    /// Over the brink, in a direction of [`DIRECTIONS`].
    Drop(u8),
    /// With a jump, in a direction.
    Jump(u8),
    /// Swimming, straight on.
    Swim,
    /// Out of the water or up in it, in a direction, with the jump key held.
    Climb(u8),
    /// Onto a jump pad in a direction; then, while flying, held in another one, if any.
    Pad(u8, Option<u8>),
    /// Into a teleporter in a direction.
    Teleport(u8),
    /// Up with a lift, then straight on.
    Lift(u8),
}

/// A way from one node to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    /// Where it leads.
    pub(super) to: NodeNum,
    /// What it costs. Unit: ms, of which some may stand for damage.
    pub(super) time: u16,
    /// How.
    pub(super) way: Way,
}

/// The finished graph.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// Shape: those of node n are `first_edge[n]..first_edge[n + 1]`.
    edges: Vec<Edge>,
    first_edge: Vec<u32>,
    cells: Cells,
    times: Times,
    /// What the walkers met.
    pub(super) scenery: Scenery,
    /// Units of work that building it took: moves of a player.
    pub(super) work: u64,
}

impl Graph {
    /// How many nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many edges.
    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// How many regions.
    pub(super) fn region_count(&self) -> usize {
        self.times.len()
    }

    /// A node.
    pub(super) fn node(&self, num: NodeNum) -> &Node {
        &self.nodes[num.index()]
    }

    /// The ways that lead from a node.
    pub(super) fn edges(&self, from: NodeNum) -> &[Edge] {
        let range = self.first_edge[from.index()] as usize..self.first_edge[from.index() + 1] as usize;
        &self.edges[range]
    }

    /// An edge by its place in the list of all.
    pub(super) fn edge(&self, at: u32) -> &Edge {
        &self.edges[at as usize]
    }

    /// About how long it takes from one node to another. Unit: ms; `None` if there is no way.
    pub(super) fn travel_ms(&self, from: NodeNum, to: NodeNum) -> Option<u32> {
        let (a, b) = (self.node(from), self.node(to));
        if a.region == b.region {
            return Some((a.origin.distance(b.origin) * MS_PER_UNIT) as u32);
        }
        self.times.between(a.region, b.region)
    }

    /// Nodes near a place, with their distances (heights count double), in no order.
    pub(super) fn near(&self, place: Vec3, mut visit: impl FnMut(NodeNum, f32)) {
        let (x, y) = cells::cell_of(place);
        for dy in -1..=1 {
            for dx in -1..=1 {
                for num in self.cells.in_cell(x + dx, y + dy) {
                    let offset = self.node(num).origin - place;
                    visit(num, offset.length() + offset.z.abs());
                }
            }
        }
    }

    /// Whether there is known floor (or water) under a place.
    pub(super) fn has_floor(&self, place: Vec3) -> bool {
        let mut found = false;
        self.near(place, |num, _| {
            let offset = self.node(num).origin - place;
            found |= vec3(offset.x, offset.y, 0.0).length() <= FLOOR_REACH && offset.z.abs() <= 40.0;
        });
        found
    }

    /// Whether one who goes over a brink at a place comes down on known floor, unhurt for the most part.
    pub(super) fn catches(&self, place: Vec3) -> bool {
        let mut found = false;
        self.near(place, |num, _| {
            let offset = self.node(num).origin - place;
            let below = (-SAFE_DROP..=60.0).contains(&offset.z);
            found |= below && vec3(offset.x, offset.y, 0.0).length() <= FLOOR_REACH;
        });
        found
    }

    /// The node nearest to a place, at most `reach` away.
    pub(super) fn nearest(&self, place: Vec3, reach: f32) -> Option<NodeNum> {
        let mut best = None;
        self.near(place, |num, distance| {
            if distance < reach && best.is_none_or(|(_, least)| distance < least) {
                best = Some((num, distance));
            }
        });
        best.map(|(num, _)| num)
    }
}

/// Where one heads for in a direction: the middle of the neighbouring cell.
pub(super) fn neighbour_middle(from: Vec3, direction: u8) -> Vec3 {
    let (x, y) = cells::cell_of(from);
    let (dx, dy) = DIRECTIONS[usize::from(direction & 7)];
    cells::middle(x + dx, y + dy, from.z)
}

/// A direction as a unit vector.
pub(super) fn unit(direction: u8) -> Vec3 {
    let (dx, dy) = DIRECTIONS[usize::from(direction & 7)];
    vec3(dx as f32, dy as f32, 0.0).normalized()
}

#[cfg(test)]
pub(super) mod sketch {
    //! Graphs put down by hand.

    use super::*;

    /// A graph of these places and ways, which are run straight.
    pub(in crate::game::native::bots) fn graph(places: &[Vec3], ways: &[(u32, u32, Way)]) -> Graph {
        let mut nodes: Vec<Node> =
            places.iter().map(|&origin| Node { origin, region: 0, lift: None, swims: false }).collect();
        let mut cells = Cells::default();
        places.iter().for_each(|&place| cells.push(place));
        let edges: Vec<(NodeNum, Edge)> = ways
            .iter()
            .map(|&(from, to, way)| {
                let way_length = places[from as usize].distance(places[to as usize]);
                let time = (way_length * MS_PER_UNIT) as u16;
                (NodeNum(from), Edge { to: NodeNum(to), time, way })
            })
            .collect();
        let rows = prune::rows(nodes.len(), &edges);
        let hubs = regions::assign(&mut nodes, &rows);
        let mut filling = times::Filling::new(&nodes, &rows, &hubs);
        while filling.fill_row() {}
        Graph {
            nodes,
            edges: rows.edges,
            first_edge: rows.first,
            cells,
            times: filling.finish(),
            scenery: Scenery::default(),
            work: 0,
        }
    }

    #[test]
    fn floor_is_felt_near_a_place_and_a_fall_is_caught_below_it() {
        let graph = graph(&[vec3(16.0, 16.0, 24.0)], &[]);
        assert!(graph.has_floor(vec3(30.0, 16.0, 24.0)) && !graph.has_floor(vec3(50.0, 16.0, 24.0)));
        assert!(graph.catches(vec3(16.0, 16.0, 200.0)) && !graph.catches(vec3(16.0, 16.0, 300.0)));
        assert!(!graph.has_floor(vec3(16.0, 16.0, 200.0)));
    }
}
