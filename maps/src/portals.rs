//! Portals: the polygons through which leafs of a tree touch each other, and the outside.
//!
//! The six sides of a box around the map open to the outside. Walking down the tree, each split adds one portal, its plane cut
//! to the cell, and deals out the portals of the cell to its halves.

use crate::geometry::epsilon::{OUTSIDE_MARGIN, PORTAL, WORLD_REACH};
use crate::geometry::{Box3, DVec3, Place, Plane, PlaneNum, PlaneSet, Winding};
use crate::tree::{CellNum, Tree};

/// An opening between two leafs.
#[derive(Clone, Debug)]
pub struct Portal {
    /// Its outline; it faces from the first leaf into the second.
    pub winding: Winding,
    /// The leafs that it joins.
    pub leafs: [CellNum; 2],
    /// Made by a hint brush.
    pub hint: bool,
    /// The plane whose split made it; `None` for the sides of the box around the map.
    pub plane: Option<PlaneNum>,
    /// Too small for anything to pass: not a way for a leak.
    pub tiny: bool,
}

impl Portal {
    /// The leaf on the other side.
    pub fn other(&self, leaf: CellNum) -> CellNum {
        if self.leafs[0] == leaf { self.leafs[1] } else { self.leafs[0] }
    }
}

/// All portals of a tree.
#[derive(Clone, Debug, Default)]
pub struct Portals {
    /// In the order in which the walk made them.
    pub all: Vec<Portal>,
    /// Numbers of the portals of each cell; empty for inner nodes. The last is the outside's.
    pub of_cell: Vec<Vec<usize>>,
    /// The number that stands for the outside.
    pub outside: CellNum,
    /// The sides of the box around the map, facing out.
    shell: Vec<Plane>,
    /// The limit was reached, so not all are here.
    cut_short: bool,
}

/// Most portals, pieces that were cut on among them. Real maps have some ten thousands; only a damaged tree has more.
const MAX_PORTALS: usize = 1 << 22;

/// Smaller ones are what rounding left. Unit: square world units.
const NO_AREA: f64 = 1e-6;

impl Portals {
    /// Finds them. `bounds` is the box of the map, as it was given to the tree.
    pub fn build(tree: &Tree, bounds: Box3, planes: &PlaneSet) -> Self {
        let outside = tree.cells.len();
        let mut portals = Self { of_cell: vec![Vec::new(); outside + 1], outside, ..Self::default() };
        portals.add_shell(bounds);
        for cell in 0..tree.cells.len() {
            if let Some(split) = tree.cells[cell].split {
                let own = std::mem::take(&mut portals.of_cell[cell]);
                let plane = planes[split.plane];
                let middle = portals.cut_to_cell(tree, cell, &plane, planes);
                for portal in own {
                    portals.deal_out(portal, cell, &plane, split.children);
                }
                if let Some(winding) = middle {
                    // The plane's front is the first child's side, so the way from second to first is along the normal.
                    portals.add(
                        winding,
                        [split.children[1], split.children[0]],
                        split.hint,
                        Some(split.plane),
                    );
                }
            }
        }
        portals.drop_dealt_out();
        portals
    }

    /// Whether there are more than can be counted, so that some are missing.
    pub fn is_cut_short(&self) -> bool {
        self.cut_short
    }

    fn add_shell(&mut self, bounds: Box3) {
        let around = bounds.grown(OUTSIDE_MARGIN);
        self.shell = (0..6)
            .map(|way| {
                let (axis, up) = (way / 2, way % 2 == 1);
                let normal = DVec3::axis(axis) * if up { 1.0 } else { -1.0 };
                Plane { normal, dist: if up { around.maxs[axis] } else { -around.mins[axis] } }
            })
            .collect();
        for number in 0..6 {
            let plane = &self.shell[number];
            let mut winding = Some(Winding::square(plane, WORLD_REACH * 2.0));
            for other in self.shell.iter().enumerate().filter(|(other, _)| *other != number) {
                winding = winding.and_then(|winding| winding.behind(other.1, PORTAL));
            }
            if let Some(winding) = winding {
                self.add(winding, [0, self.outside], false, None);
            }
        }
    }

    fn add(&mut self, winding: Winding, leafs: [CellNum; 2], hint: bool, plane: Option<PlaneNum>) {
        if self.all.len() == MAX_PORTALS {
            self.cut_short = true;
            return;
        }
        for leaf in leafs {
            self.of_cell[leaf].push(self.all.len());
        }
        let tiny = winding.is_tiny();
        self.all.push(Portal { winding, leafs, hint, plane, tiny });
    }

    /// A split's plane, as much of it as lies in the cell.
    fn cut_to_cell(&self, tree: &Tree, cell: CellNum, plane: &Plane, planes: &PlaneSet) -> Option<Winding> {
        let mut winding = Winding::square(plane, WORLD_REACH * 2.0);
        let (mut below, mut above) = (cell, tree.cells[cell].parent);
        while let Some(parent) = above {
            let split = tree.cells[parent].split.as_ref()?;
            let wall = &planes[split.plane];
            winding = if split.children[0] == below {
                winding.in_front(wall, PORTAL)
            } else {
                winding.behind(wall, PORTAL)
            }?;
            (below, above) = (parent, tree.cells[parent].parent);
        }
        for wall in &self.shell {
            winding = winding.behind(wall, PORTAL)?;
        }
        Some(winding).filter(|winding| winding.area() > NO_AREA)
    }

    /// Gives a portal of a cell to the half that it touches, or a piece to each.
    fn deal_out(&mut self, number: usize, cell: CellNum, plane: &Plane, children: [CellNum; 2]) {
        let side = usize::from(self.all[number].leafs[1] == cell);
        match self.all[number].winding.place(plane, PORTAL) {
            Place::Front | Place::On => self.give(number, side, children[0]),
            Place::Back => self.give(number, side, children[1]),
            Place::Across => {
                let portal = &self.all[number];
                let (leafs, hint, own) = (portal.leafs, portal.hint, portal.plane);
                let other = leafs[1 - side];
                let (front, back) = portal.winding.split(plane, PORTAL);
                self.of_cell[other].retain(|&known| known != number);
                self.all[number].leafs = [GONE; 2];
                for (piece, child) in [front, back].into_iter().zip(children) {
                    if let Some(winding) = piece.filter(|piece| piece.area() > NO_AREA) {
                        let mut leafs = leafs;
                        leafs[side] = child;
                        self.add(winding, leafs, hint, own);
                    }
                }
            }
        }
    }

    fn give(&mut self, number: usize, side: usize, child: CellNum) {
        self.all[number].leafs[side] = child;
        self.of_cell[child].push(number);
    }

    /// Closes the ranks after portals that were replaced by their pieces.
    fn drop_dealt_out(&mut self) {
        self.all.retain(|portal| portal.leafs != [GONE; 2]);
        self.of_cell.iter_mut().for_each(Vec::clear);
        for (number, portal) in self.all.iter().enumerate() {
            for leaf in portal.leafs {
                self.of_cell[leaf].push(number);
            }
        }
    }

    /// The leafs that touch a leaf, each with the portal between them.
    pub fn neighbours(&self, leaf: CellNum) -> impl Iterator<Item = (usize, CellNum)> + '_ {
        self.of_cell[leaf].iter().map(move |&portal| (portal, self.all[portal].other(leaf)))
    }
}

/// Stands in place of the leafs of a portal that was replaced by its pieces.
const GONE: CellNum = usize::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::SplitFace;

    #[test]
    fn two_halves_share_one_portal_of_the_whole_section() {
        let mut planes = PlaneSet::default();
        let plane = Plane { normal: DVec3::axis(0), dist: 10.0 };
        let winding = Winding::square(&plane, 8.0);
        let number = planes.find(plane, &[]);
        let face = SplitFace { plane: number, bounds: winding.bounds(), winding, priority: 0, hint: false };
        let bounds = Box3 { mins: DVec3::splat(-56.0), maxs: DVec3::splat(56.0) };
        let tree = Tree::build(bounds, vec![face], [0.0; 3], &mut planes);
        let portals = Portals::build(&tree, bounds, &planes);
        let between: Vec<&Portal> =
            portals.all.iter().filter(|portal| !portal.leafs.contains(&portals.outside)).collect();
        let [portal] = between[..] else { panic!("one portal") };
        assert!((portal.winding.area() - 128.0 * 128.0).abs() < 1e-6);
        // Faces from its first leaf into its second.
        let middle = |leaf: CellNum| tree.cells[leaf].bounds.center();
        assert!((middle(portal.leafs[1]) - middle(portal.leafs[0])).dot(portal.winding.normal()) > 0.0);
        assert_eq!(portals.of_cell[portals.outside].len(), 10);
    }
}
