//! What a box may run into: the brushes and curved surfaces about a place, laid open for those who reason about movement.

use super::ClipMap;
use super::cells::axial_planes;
use super::sweep::Seen;
use crate::math::{Bounds, Plane};

/// Something to run into.
#[derive(Clone, Copy)]
pub enum Obstacle<'m> {
    /// A brush.
    Brush(Volume<'m>),
    /// A facet of a curved surface, a thin volume.
    Facet(Volume<'m>),
    /// A volume of which its box says nothing: somewhere in this box.
    Other(Bounds),
}

/// A convex volume of the map.
#[derive(Clone, Copy)]
pub struct Volume<'m> {
    map: &'m ClipMap,
    part: Part,
}

/// What of the map a volume is: names it as long as the map is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A brush, by number.
    Brush(u32),
    /// A facet of a curved surface, by both numbers.
    Facet {
        /// The surface.
        patch: u32,
        /// Which of its facets.
        facet: u32,
    },
}

impl<'m> Volume<'m> {
    /// Which one it is.
    pub fn part(&self) -> Part {
        self.part
    }

    /// Box around it; of a facet that around its whole surface.
    pub fn bounds(&self) -> Bounds {
        match self.part {
            Part::Brush(number) => self.map.brushes[number as usize].bounds,
            Part::Facet { patch, .. } => self.map.patches[patch as usize].bounds,
        }
    }

    /// What it is made of.
    pub fn contents(&self) -> i32 {
        match self.part {
            Part::Brush(number) => self.map.brushes[number as usize].contents,
            Part::Facet { patch, .. } => self.map.patches[patch as usize].contents,
        }
    }

    /// Whether its box is all of it.
    pub fn is_box(&self) -> bool {
        matches!(self.part, Part::Brush(number) if self.map.brushes[number as usize].groups.count == 0)
    }

    /// The planes that it lies behind, of a brush the six of its box first. Some may come twice.
    pub fn planes(&self) -> impl Iterator<Item = Plane> + use<'m> {
        let map = self.map;
        let brush = match self.part {
            Part::Brush(number) => Some(&map.brushes[number as usize]),
            Part::Facet { .. } => None,
        };
        let facet = match self.part {
            Part::Facet { patch, facet } => Some(map.patches[patch as usize].facet_planes(facet as usize)),
            Part::Brush(_) => None,
        };
        let groups = brush.map_or(&[][..], |brush| &map.groups[brush.groups.range()]);
        brush
            .map(|brush| axial_planes(&brush.bounds))
            .into_iter()
            .flatten()
            .chain(groups.iter().flat_map(|group| (0..4).map(|lane| group.plane(lane))))
            .chain(facet.into_iter().flatten())
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
                    Obstacle::Brush(Volume { map: self, part: Part::Brush(number) })
                } else {
                    Obstacle::Other(extent.bounds)
                });
            }
            for &number in &self.leaf_patches[solids.patches()] {
                let patch = &self.patches[number as usize];
                let is_new = !seen.again(self.brushes.len() as u32 + number);
                if patch.contents & mask != 0 && patch.bounds.touches(bounds) && is_new {
                    for facet in 0..patch.facet_count() as u32 {
                        visit(Obstacle::Facet(Volume {
                            map: self,
                            part: Part::Facet { patch: number, facet },
                        }));
                    }
                }
            }
            true
        });
    }
}
