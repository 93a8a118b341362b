//! What is in the leafs of a tree: brushes cut along it, and whether they fill a leaf.

use crate::brush::Brush;
use crate::geometry::epsilon::{SLIVER_VOLUME, TREE};
use crate::geometry::{Place, PlaneNum, PlaneSet, Winding};
use crate::material::Compile;
use crate::tree::{CellNum, Tree};

/// What is known of a leaf. Inner nodes have one too, unused, so that cell numbers index both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leaf {
    /// Nothing is seen through it: rock, or outside the map.
    pub opaque: bool,
    /// It lies in an area portal brush.
    pub areaportal: bool,
    /// Numbers of the world's brushes that reach into it, rising.
    pub brushes: Vec<u32>,
    /// Its row in the PVS.
    pub cluster: Option<u32>,
    /// Its area.
    pub area: Option<u32>,
}

/// Sorts the world's brushes into the leafs of a tree.
pub fn fill(tree: &Tree, planes: &PlaneSet, brushes: &[Brush]) -> Vec<Leaf> {
    let mut leafs = vec![Leaf::default(); tree.cells.len()];
    let mut pending = Vec::new();
    for (number, brush) in brushes.iter().enumerate() {
        pending.extend(brush.volume().map(|volume| (0, volume)));
        let fills = !brush.is_detail() && brush.is_opaque();
        let parts = !brush.is_detail() && brush.compile.has(Compile::AREAPORTAL);
        while let Some((cell, volume)) = pending.pop() {
            if let Some(split) = &tree.cells[cell].split {
                let (front, back) = volume.split(planes, split.plane);
                pending.extend(back.map(|volume| (split.children[1], volume)));
                pending.extend(front.map(|volume| (split.children[0], volume)));
                continue;
            }
            let leaf = &mut leafs[cell];
            if leaf.brushes.last() != Some(&(number as u32)) {
                leaf.brushes.push(number as u32);
            }
            if (fills || parts) && volume.size() > SLIVER_VOLUME {
                leaf.opaque |= fills;
                leaf.areaportal |= parts;
            }
        }
    }
    leafs
}

/// Calls `visit` with every leaf that a face touches from its front, and the piece of the face there.
///
/// A face on a node's plane touches the side that it faces.
pub fn filter_face(
    tree: &Tree,
    planes: &PlaneSet,
    plane: PlaneNum,
    winding: &Winding,
    mut visit: impl FnMut(CellNum, &Winding),
) {
    let normal = planes[plane].normal;
    let mut pending = vec![(0, winding.clone())];
    while let Some((cell, winding)) = pending.pop() {
        let Some(split) = &tree.cells[cell].split else {
            visit(cell, &winding);
            continue;
        };
        let wall = &planes[split.plane];
        let place = if split.plane == plane.canonical() { Place::On } else { winding.place(wall, TREE) };
        match place {
            Place::Front => pending.push((split.children[0], winding)),
            Place::Back => pending.push((split.children[1], winding)),
            Place::On => pending.push((split.children[usize::from(normal.dot(wall.normal) < 0.0)], winding)),
            Place::Across => {
                let (front, back) = winding.split(wall, TREE);
                pending.extend(back.map(|winding| (split.children[1], winding)));
                pending.extend(front.map(|winding| (split.children[0], winding)));
            }
        }
    }
}
