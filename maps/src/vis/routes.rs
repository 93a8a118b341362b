//! Routes that add nothing: a chain that comes to a portal which an earlier chain from the same source has entered, with nothing left
//! that the earlier one did not have, can find nothing new, and is not followed.
//!
//! ```text
//!        __ a __
//!   source      q ...      both ways round the pillar lead to q; where both leave the whole of source and q, and all that
//!        \_ b __/          may be seen by the second may be seen by the first, the second is a repetition
//! ```
//!
//! Why this loses no line: all lines through the second chain's parts of source and portal run through the first chain's parts too;
//! what lies outside the planes between those parts is out of sight of both, and of what chains are followed for, the first had all
//! that the second has, since what is wanted only shrinks. In doubt (many points, a part that sticks out) a chain is followed.

use super::graph::PortalGraph;
use super::polygon::{Plane, Polygon, cross, dot, sub};
use crate::prt::Point;

/// Most points of a part that is remembered.
const MAX_CORNERS: usize = 8;
/// A part may stick out so far of the one that is to hold it: rounding, far below what a clip takes for nothing. Unit: world units.
const STICKS_OUT: f64 = 1e-6;

/// What earlier chains from one source came to which portal with.
#[derive(Default)]
pub(super) struct Routes {
    /// Shape: portals.
    slots: Vec<Slot>,
    /// Room for entries, the first `used` of them of this source.
    entries: Vec<Entry>,
    used: usize,
    /// Numbers the source.
    source: u32,
}

/// Where a portal's entry is, if it is of this source.
#[derive(Clone, Copy, Default)]
struct Slot {
    of: u32,
    entry: u32,
}

#[derive(Default)]
struct Entry {
    /// All chains on from here have been followed.
    finished: bool,
    /// Nothing of the portal was cut off.
    whole: bool,
    source: Outline,
    pass: Outline,
    /// What all portals of the chain might see, this one included.
    might: Vec<u64>,
}

#[derive(Clone, Copy, Default)]
struct Outline {
    len: usize,
    points: [Point; MAX_CORNERS],
}

impl Routes {
    /// Forgets everything: the next chains are of another source.
    pub(super) fn begin(&mut self, graph: &PortalGraph) {
        if self.slots.len() != graph.portal_count() || self.source == u32::MAX {
            self.slots = vec![Slot::default(); graph.portal_count()];
            self.source = 0;
        }
        self.source += 1;
        self.used = 0;
    }

    /// What an earlier chain came to a portal with, if all chains on from there are done and it had all that may be seen by this one.
    pub(super) fn with_all(&self, portal: usize, might: &[u64]) -> Option<Been<'_>> {
        let slot = self.slots[portal];
        let entry = self.entries[..self.used].get(slot.entry as usize).filter(|_| slot.of == self.source)?;
        let had_all = || might.iter().zip(&entry.might).all(|(now, then)| now & !then == 0);
        (entry.finished && had_all()).then_some(Been(entry))
    }

    /// A chain has entered a portal. `whole`: nothing of that was cut off.
    pub(super) fn enter(&mut self, portal: usize, [source, pass]: [&Polygon; 2], whole: bool, might: &[u64]) {
        let slot = &mut self.slots[portal];
        if slot.of != self.source {
            *slot = Slot { of: self.source, entry: self.used as u32 };
            self.used += 1;
            if self.used > self.entries.len() {
                self.entries.push(Entry::default());
            }
        }
        let entry = &mut self.entries[slot.entry as usize];
        (entry.finished, entry.whole) = (false, whole);
        entry.source.take(source);
        entry.pass.take(pass);
        entry.might.clear();
        entry.might.extend_from_slice(might);
    }

    /// All chains on from the one that entered a portal last have been followed.
    pub(super) fn finish(&mut self, portal: usize) {
        self.entries[self.slots[portal].entry as usize].finished = true;
    }
}

/// An earlier chain that came to a portal.
pub(super) struct Been<'a>(&'a Entry);

impl Been<'_> {
    /// It had the whole portal, and all of this part of the source.
    pub(super) fn had_whole(&self, source_plane: &Plane, source: &Polygon) -> bool {
        self.0.whole && self.0.source.holds(source_plane, source)
    }

    /// It had all of these parts of source and portal.
    pub(super) fn had(&self, [source_plane, pass_plane]: [&Plane; 2], [source, pass]: [&Polygon; 2]) -> bool {
        self.0.pass.holds(pass_plane, pass) && self.0.source.holds(source_plane, source)
    }
}

impl Outline {
    /// One with too many points is remembered as nothing, which holds nothing.
    fn take(&mut self, polygon: &Polygon) {
        self.len = if polygon.len() > MAX_CORNERS { 0 } else { polygon.len() };
        for index in 0..self.len {
            self.points[index] = polygon.point(index);
        }
    }

    /// Whether a polygon of the same plane lies in this one.
    fn holds(&self, plane: &Plane, polygon: &Polygon) -> bool {
        self.len > 0
            && (0..self.len).all(|index| {
                let start = self.points[index];
                let along = sub(self.points[if index + 1 == self.len { 0 } else { index + 1 }], start);
                let inward = cross(plane.normal, along);
                let reach = STICKS_OUT * dot(inward, inward).sqrt();
                polygon.extent(&Plane { normal: inward, dist: dot(inward, start) }).0 >= -reach
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Plane = Plane { normal: [0.0, 0.0, 1.0], dist: 0.0 };

    fn square(low: f64, high: f64) -> Polygon {
        Polygon::new(&[[low, low, 0.0], [high, low, 0.0], [high, high, 0.0], [low, high, 0.0]])
    }

    fn two_rooms() -> PortalGraph {
        let door = [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 8.0, 8.0]];
        PortalGraph::new(2, [([0, 1], &door[..])].into_iter()).expect("a door")
    }

    #[test]
    fn a_chain_that_has_less_of_everything_is_a_repetition() {
        let mut routes = Routes::default();
        routes.begin(&two_rooms());
        let (large, small) = (square(0.0, 8.0), square(1.0, 8.0));
        assert!(routes.with_all(1, &[0]).is_none(), "nobody was there");
        routes.enter(1, [&large, &large], true, &[0b110]);
        assert!(routes.with_all(1, &[0b010]).is_none(), "the first is still under way");
        routes.finish(1);
        let been = routes.with_all(1, &[0b010]).expect("the first is done");
        assert!(been.had([&UP; 2], [&small, &large]) && been.had_whole(&UP, &small));
        assert!(!been.had([&UP; 2], [&small, &square(-1.0, 2.0)]), "a part sticks out");
        assert!(routes.with_all(1, &[0b011]).is_none(), "the second may see more");
        routes.enter(1, [&small, &large], false, &[0b110]);
        routes.finish(1);
        let been = routes.with_all(1, &[0b110]).expect("the second is done");
        assert!(!been.had_whole(&UP, &small) && !been.had([&UP; 2], [&large, &large]));
        routes.begin(&two_rooms());
        assert!(routes.with_all(1, &[0]).is_none(), "of another source");
    }

    #[test]
    fn parts_with_many_points_hold_nothing() {
        let many: Vec<Point> = (0..MAX_CORNERS + 1)
            .map(|at| {
                let turn = at as f64 / (MAX_CORNERS + 1) as f64 * std::f64::consts::TAU;
                [turn.cos(), turn.sin(), 0.0]
            })
            .collect();
        let (mut outline, many) = (Outline::default(), Polygon::new(&many));
        outline.take(&many);
        assert!(!outline.holds(&UP, &many));
        outline.take(&square(-2.0, 2.0));
        assert!(outline.holds(&UP, &many));
    }
}
