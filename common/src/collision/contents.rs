//! What a point is in: water, lava, solid.

use super::brush::Reach;
use super::{ClipMap, Solids};
use crate::math::{Bounds, Vec3, angle_vectors};

impl ClipMap {
    /// Contents at a point of the world, all brushes there together. Patches have no inside. Source: `CM_PointContents`.
    pub fn contents_at(&self, point: Vec3) -> i32 {
        let leaf = self.leaf_at(point);
        self.contents_in(self.leafs[leaf.index()].solids, point)
    }

    /// Contents at a point, of an inline model that stands at `origin` turned by `angles` (degrees). A model that is not
    /// there has none. Source: `CM_TransformedPointContents`.
    pub fn model_contents_at(&self, model: usize, origin: Vec3, angles: Vec3, point: Vec3) -> i32 {
        let mut local = point - origin;
        if angles != Vec3::ZERO {
            let axes = angle_vectors(angles);
            local = Vec3::new(local.dot(axes.forward), -local.dot(axes.right), local.dot(axes.up));
        }
        match self.models.get(model) {
            None => 0,
            Some(_) if model == 0 => self.contents_at(local),
            Some(model) => self.contents_in(model.solids, local),
        }
    }

    fn contents_in(&self, solids: Solids, point: Vec3) -> i32 {
        let reach = Reach::of(&Bounds::new(point, point));
        let brushes =
            self.leaf_brushes[solids.brushes()].iter().map(|&number| &self.brushes[number as usize]);
        brushes
            .filter(|brush| reach.touches(&brush.bounds))
            .filter(|brush| {
                // In the original's order of factors, which matters to no product.
                self.sides[brush.sides()].iter().all(|side| point.dot(side.plane.normal) <= side.plane.dist)
            })
            .fold(0, |contents, brush| contents | brush.contents)
    }
}
