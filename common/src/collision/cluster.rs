//! Where a point or a box is in the tree: leafs, their clusters and areas.

use super::{ClipMap, Node};
use crate::ids::{AreaNum, ClusterNum, LeafNum};
use crate::math::{Bounds, Vec3};

/// Where a box lies to a plane.
enum Side {
    Front,
    Back,
    Both,
}

impl ClipMap {
    /// The leaf that a point is in. Source: `CM_PointLeafnum`.
    pub fn leaf_at(&self, point: Vec3) -> LeafNum {
        let mut at = 0_i32;
        while at >= 0 {
            let node = &self.nodes[at as usize];
            at = node.children[usize::from(node.distance_to(point) < 0.0)];
        }
        LeafNum::new(!at as u32)
    }

    /// The cluster of a leaf; `None` in solid and for a leaf that is not there.
    pub fn leaf_cluster(&self, leaf: LeafNum) -> Option<ClusterNum> {
        self.leafs.get(leaf.index()).and_then(|leaf| leaf.cluster)
    }

    /// The area of a leaf; `None` in solid and for a leaf that is not there.
    pub fn leaf_area(&self, leaf: LeafNum) -> Option<AreaNum> {
        self.leafs.get(leaf.index()).and_then(|leaf| leaf.area)
    }

    /// Replaces `list` by the leafs that a box touches, in the original's order, the first `limit` of them. Returns the last
    /// one that has a cluster, counted beyond the limit too: linking falls back on it when the list overflows. Where no leaf
    /// has a cluster it is `None` (the original says leaf 0). Source: `CM_BoxLeafnums`.
    pub fn leafs_in_box(&self, bounds: &Bounds, limit: usize, list: &mut Vec<LeafNum>) -> Option<LeafNum> {
        list.clear();
        let mut last = None;
        self.each_leaf_in_box(bounds, 0, &mut |leaf| {
            if self.leaf_cluster(leaf).is_some() {
                last = Some(leaf);
            }
            if list.len() < limit {
                list.push(leaf);
            }
            true
        });
        last
    }

    /// Calls `visit` for each leaf that a box touches, front before back, until it says false.
    pub(super) fn each_leaf_in_box(
        &self,
        bounds: &Bounds,
        mut at: i32,
        visit: &mut impl FnMut(LeafNum) -> bool,
    ) -> bool {
        while at >= 0 {
            let node = &self.nodes[at as usize];
            match node.side_of(bounds) {
                Side::Front => at = node.children[0],
                Side::Back => at = node.children[1],
                Side::Both => {
                    if !self.each_leaf_in_box(bounds, node.children[0], visit) {
                        return false;
                    }
                    at = node.children[1];
                }
            }
        }
        visit(LeafNum::new(!at as u32))
    }
}

impl Node {
    /// Signed distance of a point, positive in front.
    pub(super) fn distance_to(&self, point: Vec3) -> f32 {
        if self.axis < 3 {
            point[self.axis as usize] - self.plane.dist
        } else {
            self.plane.distance_to(point)
        }
    }

    /// Source: `BoxOnPlaneSide`; a box that only touches an axial plane counts as being on one side of it.
    fn side_of(&self, bounds: &Bounds) -> Side {
        let dist = self.plane.dist;
        if self.axis < 3 {
            let axis = self.axis as usize;
            return if dist <= bounds.mins[axis] {
                Side::Front
            } else if dist >= bounds.maxs[axis] {
                Side::Back
            } else {
                Side::Both
            };
        }
        let normal = self.plane.normal;
        let (mut farthest, mut nearest) = (0.0, 0.0);
        for axis in 0..3 {
            let (low, high) = (normal[axis] * bounds.mins[axis], normal[axis] * bounds.maxs[axis]);
            let flip = normal[axis] < 0.0;
            farthest += if flip { low } else { high };
            nearest += if flip { high } else { low };
        }
        match (farthest >= dist, nearest < dist) {
            (true, true) => Side::Both,
            (true, false) => Side::Front,
            // A plane of no extent or with a broken normal can be on neither side; the original goes down both.
            (false, true) => Side::Back,
            (false, false) => Side::Both,
        }
    }
}
