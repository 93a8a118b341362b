//! Down the tree, near side first, to every leaf that a sweep may touch.

use super::SURFACE_CLIP_EPSILON;
use super::shape::Shape;
use super::sweep::Sweep;
use crate::math::{Vec3, vec3};

/// A piece of the way: shares of the whole, and the points there.
#[derive(Clone, Copy)]
struct Piece {
    from: f32,
    to: f32,
    start: Vec3,
    end: Vec3,
}

impl Piece {
    /// The point at a share of this piece, and its share of the whole way.
    #[inline]
    fn at(&self, share: f32) -> (f32, Vec3) {
        let whole = self.from + (self.to - self.from) * share;
        let (start, end) = (self.start, self.end);
        let point = vec3(
            start.x + share * (end.x - start.x),
            start.y + share * (end.y - start.y),
            start.z + share * (end.z - start.z),
        );
        (whole, point)
    }
}

impl<S: Shape> Sweep<'_, S> {
    /// Source: `CM_TraceThroughTree`.
    pub(super) fn through_tree(&mut self) {
        let (start, end) = self.shape.way();
        self.descend(0, Piece { from: 0.0, to: 1.0, start, end });
    }

    fn descend(&mut self, mut at: i32, mut piece: Piece) {
        if self.out.fraction <= piece.from {
            return;
        }
        let map = self.map;
        while at >= 0 {
            let node = &map.nodes[at as usize];
            if !self.may_touch(&node.below) {
                return;
            }
            let (t1, t2) = (node.distance_to(piece.start), node.distance_to(piece.end));
            let reach = if node.axis < 3 { self.extents[node.axis as usize] } else { self.slanted_extent };
            if t1 >= reach + 1.0 && t2 >= reach + 1.0 {
                at = node.children[0];
                continue;
            }
            if t1 < -reach - 1.0 && t2 < -reach - 1.0 {
                at = node.children[1];
                continue;
            }
            let (near, until, since) = crossing(t1, t2, reach);
            let (to, middle) = piece.at(until);
            self.descend(
                node.children[near],
                Piece { from: piece.from, to, start: piece.start, end: middle },
            );
            let (from, middle) = piece.at(since);
            if self.out.fraction <= from {
                return;
            }
            piece = Piece { from, to: piece.to, start: middle, end: piece.end };
            at = node.children[near ^ 1];
        }
        let leaf = &map.leafs[!at as usize];
        // Only brushes are bounded by their boxes whatever the way: a ray that starts exactly on a border of a facet is not
        // stopped by that border, and may hit the facet's plane far outside of the patch.
        if self.may_touch(&leaf.below)
            && (leaf.solids.patch_count > 0 || self.course.meets(&leaf.below.bounds, self.out.fraction))
        {
            self.through_solids(leaf.solids);
        }
    }
}

/// Which side comes first, up to which share of the piece it lasts, and from which share on the other begins. They overlap by
/// the shape's extent and the clip epsilon.
#[inline]
fn crossing(t1: f32, t2: f32, reach: f32) -> (usize, f32, f32) {
    let scaled = |distance: f32, epsilon: f64, scale: f32| {
        let share = ((f64::from(distance) + epsilon) * f64::from(scale)) as f32;
        let share = if share < 0.0 { 0.0 } else { share };
        if share > 1.0 { 1.0 } else { share }
    };
    if t1 < t2 {
        let scale = (1.0 / f64::from(t1 - t2)) as f32;
        let since = scaled(t1 + reach, SURFACE_CLIP_EPSILON, scale);
        let until = scaled(t1 - reach, SURFACE_CLIP_EPSILON, scale);
        (1, until, since)
    } else if t1 > t2 {
        let scale = (1.0 / f64::from(t1 - t2)) as f32;
        let since = scaled(t1 - reach, -SURFACE_CLIP_EPSILON, scale);
        let until = scaled(t1 + reach, SURFACE_CLIP_EPSILON, scale);
        (0, until, since)
    } else {
        (0, 1.0, 0.0)
    }
}
