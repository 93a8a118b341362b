//! A shape that does not move: is it inside anything?

use super::Solids;
use super::brush::{AXIAL_SIDES, Brush};
use super::shape::Shape;
use super::sweep::Sweep;
use crate::math::Bounds;

/// Leafs that are looked at; further ones are not, as in the original. Source: `MAX_POSITION_LEAFS`.
const MAX_POSITION_LEAFS: usize = 1024;

impl<S: Shape> Sweep<'_, S> {
    /// Source: `CM_PositionTest`. The leafs are those of the box, even for a capsule.
    pub(super) fn stand_in_world(&mut self, size: &Bounds) {
        let (start, _) = self.shape.way();
        let around = Bounds::new(start + size.mins, start + size.maxs).grown(1.0);
        let map = self.map;
        let mut left = MAX_POSITION_LEAFS;
        map.each_leaf_in_box(&around, 0, &mut |leaf| {
            self.stand_among(map.leafs[leaf.index()].solids);
            left -= 1;
            left > 0 && !self.out.all_solid
        });
    }

    /// Source: `CM_TestInLeaf`.
    pub(super) fn stand_among(&mut self, solids: Solids) {
        let map = self.map;
        for &number in &map.leaf_brushes[solids.brushes()] {
            let brush = &map.brushes[number as usize];
            if brush.contents & self.mask == 0 || !self.bounds.touches(&brush.bounds) {
                continue;
            }
            if !self.seen.again(number) && self.stands_in(brush) {
                self.out.stuck_in(brush.contents);
                return;
            }
        }
        for &number in &map.leaf_patches[solids.patches()] {
            let patch = &map.patches[number as usize];
            if patch.contents & self.mask == 0 || self.seen.again(self.patch_mark(number)) {
                continue;
            }
            if patch.holds(&self.shape) {
                self.out.stuck_in(patch.contents);
                return;
            }
        }
    }

    /// The bounds have been looked at; they stand for the first six faces. Source: `CM_TestBoxInBrush`.
    fn stands_in(&self, brush: &Brush) -> bool {
        let sides = &self.map.sides[brush.sides()];
        sides[AXIAL_SIDES..]
            .iter()
            .all(|side| self.shape.distances(side.plane.normal, side.plane.dist).0 <= 0.0)
    }
}
