//! The grid over the map: which nodes stand in which cell.

use super::{CELL, NodeNum};
use fogline_common::math::{Vec3, vec3};
use std::collections::HashMap;

/// Nodes by cell. Looked up only, never walked through, so that no order of hashing shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    first: HashMap<(i32, i32), NodeNum>,
    /// Shape: by node, the next one in the same cell.
    next: Vec<Option<NodeNum>>,
}

impl Cells {
    /// The next node stands in the cell of `place`.
    pub(super) fn push(&mut self, place: Vec3) {
        let num = NodeNum(self.next.len() as u32);
        self.next.push(self.first.insert(cell_of(place), num));
    }

    /// Nodes of a cell, newest first.
    pub(super) fn in_cell(&self, x: i32, y: i32) -> impl Iterator<Item = NodeNum> + '_ {
        std::iter::successors(self.first.get(&(x, y)).copied(), |num| self.next[num.index()])
    }
}

/// The cell of a place.
pub(super) fn cell_of(place: Vec3) -> (i32, i32) {
    ((place.x / CELL).floor() as i32, (place.y / CELL).floor() as i32)
}

/// The middle of a cell, at a height.
pub(super) fn middle(x: i32, y: i32, z: f32) -> Vec3 {
    vec3((x as f32 + 0.5) * CELL, (y as f32 + 0.5) * CELL, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_holds_what_stands_in_it() {
        let mut cells = Cells::default();
        for place in [vec3(1.0, 1.0, 0.0), vec3(-1.0, 1.0, 0.0), vec3(31.0, 31.0, 200.0)] {
            cells.push(place);
        }
        assert_eq!(cells.in_cell(0, 0).collect::<Vec<_>>(), [NodeNum(2), NodeNum(0)]);
        assert_eq!(cells.in_cell(-1, 0).collect::<Vec<_>>(), [NodeNum(1)]);
        assert_eq!(cell_of(middle(-3, 7, 5.0)), (-3, 7));
    }
}
