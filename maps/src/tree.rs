//! Faces to a BSP tree.
//!
//! First the block grid splits, so that no cell is larger than a block; then, cell by cell, the face that shares its plane with
//! many others and cuts few. A cell without faces is a leaf. Source: facts/map-tools.md, section 4.

use crate::geometry::epsilon::TREE;
use crate::geometry::{Box3, DVec3, Place, Plane, PlaneNum, PlaneSet, Winding};
use std::collections::BTreeMap;

/// Number of a cell of a [`Tree`].
pub type CellNum = usize;

/// A face that may split space.
#[derive(Clone, Debug)]
pub struct SplitFace {
    /// The canonical one of its pair.
    pub plane: PlaneNum,
    /// Its outline.
    pub winding: Winding,
    /// The box around it.
    pub bounds: Box3,
    /// Added to its score: hints first, area portals late.
    pub priority: i32,
    /// Made by a hint brush.
    pub hint: bool,
}

/// An inner node or a leaf.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The cell that was split to make this one.
    pub parent: Option<CellNum>,
    /// How it is split; `None` for leafs.
    pub split: Option<Split>,
    /// A box that it lies in; may be larger than it is.
    pub bounds: Box3,
}

/// How a cell is split.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// A canonical plane.
    pub plane: PlaneNum,
    /// What lies in front and what behind.
    pub children: [CellNum; 2],
    /// Made by a hint brush.
    pub hint: bool,
}

/// A BSP tree. Cells stand in the order of a walk that takes the front first; the root is the first.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Inner nodes and leafs.
    pub cells: Vec<Cell>,
}

/// Cells thinner than this are not split off by the block grid. Unit: world units.
const GRID_MARGIN: f64 = 1.0;
/// Most comparisons of a face with a plane in the choice of one split; beyond, only every n-th plane is tried.
const MAX_COMPARISONS: usize = 1 << 21;

impl Tree {
    /// Splits a box by faces. `block` is the edge of a grid cell on each axis, 0 for no grid. Unit: world units.
    pub fn build(bounds: Box3, faces: Vec<SplitFace>, block: [f64; 3], planes: &mut PlaneSet) -> Self {
        let mut tree = Self::default();
        let mut pending = vec![Pending { slot: None, bounds, faces }];
        while let Some(Pending { slot, bounds, faces }) = pending.pop() {
            let number = tree.cells.len();
            if let Some((parent, side)) = slot {
                let split = tree.cells[parent].split.as_mut();
                split.expect("only split cells have children").children[side] = number;
            }
            let parent = slot.map(|(parent, _)| parent);
            tree.cells.push(Cell { parent, split: None, bounds });
            let Some((plane, hint)) = choose(&bounds, &faces, block, planes) else { continue };
            tree.cells[number].split = Some(Split { plane, children: [usize::MAX; 2], hint });
            let [front, back] = part(faces, plane, &planes[plane]);
            let [above, below] = halves(&bounds, &planes[plane]);
            pending.push(Pending { slot: Some((number, 1)), bounds: below, faces: back });
            pending.push(Pending { slot: Some((number, 0)), bounds: above, faces: front });
        }
        tree
    }

    /// Leafs in tree order.
    pub fn leafs(&self) -> impl Iterator<Item = CellNum> + '_ {
        (0..self.cells.len()).filter(|&cell| self.cells[cell].split.is_none())
    }

    /// The leaf that a point is in; points on a plane are in front.
    pub fn leaf_at(&self, point: DVec3, planes: &PlaneSet) -> CellNum {
        let mut cell = 0;
        while let Some(split) = &self.cells[cell].split {
            cell = split.children[usize::from(planes[split.plane].distance_to(point) < 0.0)];
        }
        cell
    }

    /// Cells from the root to the deepest leaf.
    pub fn depth(&self) -> usize {
        let mut depths = vec![1; self.cells.len()];
        for (number, cell) in self.cells.iter().enumerate() {
            if let Some(parent) = cell.parent {
                depths[number] = depths[parent] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }
}

struct Pending {
    slot: Option<(CellNum, usize)>,
    bounds: Box3,
    faces: Vec<SplitFace>,
}

/// The plane that splits a cell, and whether a hint made it; `None` for a leaf.
fn choose(
    bounds: &Box3,
    faces: &[SplitFace],
    block: [f64; 3],
    planes: &mut PlaneSet,
) -> Option<(PlaneNum, bool)> {
    for (axis, size) in block.into_iter().enumerate().filter(|&(_, size)| size > 0.0) {
        // A known plane may stand a little beside the grid line; the margin keeps the same line from splitting twice.
        let dist = size * (((bounds.mins[axis] + GRID_MARGIN) / size).floor() + 1.0);
        if bounds.maxs[axis] > dist + GRID_MARGIN && !faces.is_empty() {
            return Some((planes.find(Plane { normal: DVec3::axis(axis), dist }, &[]), false));
        }
    }
    best_face(faces, planes)
}

/// What is known of a plane before it is tried.
struct Candidate {
    facing: i32,
    priority: i32,
    hint: bool,
}

fn best_face(faces: &[SplitFace], planes: &PlaneSet) -> Option<(PlaneNum, bool)> {
    let mut candidates: BTreeMap<PlaneNum, Candidate> = BTreeMap::new();
    for face in faces {
        let known =
            candidates.entry(face.plane).or_insert(Candidate { facing: 0, priority: i32::MIN, hint: false });
        known.facing += 1;
        known.hint |= face.hint;
        known.priority = known.priority.max(face.priority);
    }
    let stride = (candidates.len() * faces.len()).div_ceil(MAX_COMPARISONS).max(1);
    let top = candidates.values().map(|candidate| candidate.priority).max()?;
    let mut best: Option<(i32, PlaneNum, bool)> = None;
    let worth_trying = candidates.iter().filter(|(_, candidate)| candidate.priority == top);
    for (&number, candidate) in worth_trying.step_by(stride) {
        let plane = &planes[number];
        let axial = plane.exact_axis().is_some();
        let ceiling = 5 * candidate.facing + if axial { 5 } else { 0 };
        // The score only falls with each face that is cut, so a plane that cannot win any more is given up.
        let cuts_allowed = best.map_or(i32::MAX, |(score, ..)| (ceiling - score) / 5);
        if cuts_allowed < 0 {
            continue;
        }
        let mut cuts = 0;
        for face in faces.iter().filter(|face| face.plane != number) {
            let (low, high) = plane.range_of_box(&face.bounds);
            if Place::of_range(low, high, TREE) == Place::Across
                && (axial || face.winding.place(plane, TREE) == Place::Across)
            {
                cuts += 1;
                if cuts > cuts_allowed {
                    break;
                }
            }
        }
        let score = ceiling - 5 * cuts;
        if best.is_none_or(|(known, ..)| score > known) {
            best = Some((score, number, candidate.hint));
        }
    }
    best.map(|(_, number, hint)| (number, hint))
}

/// Faces in front of and behind a plane; those on it have done their work.
fn part(faces: Vec<SplitFace>, number: PlaneNum, plane: &Plane) -> [Vec<SplitFace>; 2] {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for face in faces {
        if face.plane == number {
            continue;
        }
        match face.winding.place(plane, TREE) {
            Place::Front | Place::On => front.push(face),
            Place::Back => back.push(face),
            Place::Across => {
                let (ahead, behind) = face.winding.split(plane, TREE);
                let piece =
                    |winding: Winding| SplitFace { bounds: winding.bounds(), winding, ..face.clone() };
                front.extend(ahead.map(piece));
                back.extend(behind.map(piece));
            }
        }
    }
    [front, back]
}

fn halves(bounds: &Box3, plane: &Plane) -> [Box3; 2] {
    let (mut above, mut below) = (*bounds, *bounds);
    if let Some(axis) = plane.exact_axis() {
        above.mins[axis] = above.mins[axis].max(plane.dist);
        below.maxs[axis] = below.maxs[axis].min(plane.dist);
    }
    [above, below]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::dvec3;

    fn face(planes: &mut PlaneSet, axis: usize, dist: f64, priority: i32) -> SplitFace {
        let plane = Plane { normal: DVec3::axis(axis), dist };
        let winding = Winding::square(&plane, 64.0);
        let number = planes.find(plane, &[]);
        SplitFace { plane: number, bounds: winding.bounds(), winding, priority, hint: priority > 0 }
    }

    #[test]
    fn every_point_is_in_one_leaf_and_the_hint_splits_first() {
        let mut planes = PlaneSet::default();
        let faces = vec![
            face(&mut planes, 0, 8.0, 0),
            face(&mut planes, 1, 16.0, 1000),
            face(&mut planes, 0, -8.0, 0),
        ];
        let bounds = Box3 { mins: DVec3::splat(-64.0), maxs: DVec3::splat(64.0) };
        let tree = Tree::build(bounds, faces, [0.0; 3], &mut planes);
        let root = tree.cells[0].split.expect("the root is split");
        assert!(root.hint && planes[root.plane].normal == DVec3::axis(1));
        assert_eq!(tree.leafs().count(), 6);
        let a = tree.leaf_at(dvec3(0.0, 0.0, 0.0), &planes);
        assert_eq!(tree.leaf_at(dvec3(-8.0, 15.0, 3.0), &planes), a);
        assert_ne!(tree.leaf_at(dvec3(8.0, 0.0, 0.0), &planes), a);
    }

    #[test]
    fn no_cell_with_faces_is_larger_than_a_block() {
        let mut planes = PlaneSet::default();
        let faces = vec![face(&mut planes, 2, 3.0, 0)];
        let bounds = Box3 { mins: DVec3::splat(-200.0), maxs: DVec3::splat(200.0) };
        let tree = Tree::build(bounds, faces, [128.0, 0.0, 0.0], &mut planes);
        let at = |x: f64, z: f64| tree.leaf_at(dvec3(x, 0.0, z), &planes);
        assert_ne!(at(1.0, 1.0), at(-1.0, 1.0));
        assert_ne!(at(1.0, 1.0), at(1.0, 5.0));
    }
}
