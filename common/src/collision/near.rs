//! What a box may run into: the brushes and curved surfaces about a place, laid open for those who reason about movement.

use super::ClipMap;
use super::cells::axial_planes;
use super::sweep::Seen;
use crate::math::{Bounds, Plane};

/// Something to run into.
#[derive(Clone, Copy)]
pub enum Obstacle<'m> {
    /// A convex volume.
    Brush(Volume<'m>),
    /// A curved surface, or a volume of which its box says nothing: somewhere in this box.
    Other(Bounds),
}

/// A convex volume of the map.
#[derive(Clone, Copy)]
pub struct Volume<'m> {
    map: &'m ClipMap,
    number: u32,
}

impl<'m> Volume<'m> {
    /// Box around it.
    pub fn bounds(&self) -> Bounds {
        self.map.brushes[self.number as usize].bounds
    }

    /// What it is made of.
    pub fn contents(&self) -> i32 {
        self.map.brushes[self.number as usize].contents
    }

    /// Whether its box is all of it.
    pub fn is_box(&self) -> bool {
        self.map.brushes[self.number as usize].groups.count == 0
    }

    /// The planes that it lies behind, the six of its box first. Some may come twice.
    pub fn planes(&self) -> impl Iterator<Item = Plane> + use<'m> {
        let brush = &self.map.brushes[self.number as usize];
        let groups = &self.map.groups[brush.groups.range()];
        axial_planes(&brush.bounds)
            .into_iter()
            .chain(groups.iter().flat_map(|group| (0..4).map(|lane| group.plane(lane))))
    }
}

impl ClipMap {
    /// Calls `visit` for whatever of these contents may be touched in a box. One thing may come more than once.
    pub fn each_obstacle<'m>(&'m self, bounds: &Bounds, mask: i32, visit: &mut impl FnMut(Obstacle<'m>)) {
        let mut seen = Seen::new();
        self.each_leaf_touched(bounds, &mut |leaf| {
            let solids = self.leafs[leaf.index()].solids;
            for &number in &self.leaf_brushes[solids.brushes()] {
                let brush = &self.brushes[number as usize];
                let extent = brush.extent();
                if brush.contents & mask == 0 || !extent.bounds.touches(bounds) || seen.again(number) {
                    continue;
                }
                visit(if brush.axial {
                    Obstacle::Brush(Volume { map: self, number })
                } else {
                    Obstacle::Other(extent.bounds)
                });
            }
            for &number in &self.leaf_patches[solids.patches()] {
                let patch = &self.patches[number as usize];
                let is_new = !seen.again(self.brushes.len() as u32 + number);
                if patch.contents & mask != 0 && patch.bounds.touches(bounds) && is_new {
                    visit(Obstacle::Other(patch.bounds));
                }
            }
            true
        });
    }
}
