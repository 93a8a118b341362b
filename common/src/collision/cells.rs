//! The tree and what stops light in it, laid open for those who reason about the map as a whole: which cells touch, what hides
//! what from where.
//!
//! Nothing here is needed to collide. [`ClipMap::each_leaf_on_way`] is the walk of a ray of light.

use super::light::Occluder;
use super::{ClipMap, Node};
use crate::bsp::Child;
use crate::ids::LeafNum;
use crate::math::{Bounds, Plane, Vec3, vec3};

/// By how much leafs overlap for a way, so that none is missed through rounding. Unit: world units.
const SLACK: f32 = 1.0 / 16.0;

impl Node {
    fn child(&self, side: usize) -> Child {
        Child::from_file(self.children[side])
    }
}

impl ClipMap {
    /// Number of planes that split the tree; the root is the first.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Number of leafs, those of inline models among them.
    pub fn leaf_count(&self) -> usize {
        self.leafs.len()
    }

    /// Number of brushes; [`Occluder::index`] is below it.
    pub fn brush_count(&self) -> usize {
        self.brushes.len()
    }

    /// Plane of a node, and what is in front of it and behind.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn split(&self, node: usize) -> (Plane, [Child; 2]) {
        let node = &self.nodes[node];
        (node.plane, [node.child(0), node.child(1)])
    }

    /// The brushes of a leaf that stop light.
    pub fn occluders_in(&self, leaf: LeafNum) -> impl Iterator<Item = Occluder> + '_ {
        let solids = self.leafs.get(leaf.index()).map(|leaf| leaf.solids).unwrap_or_default();
        let numbers = &self.leaf_brushes[solids.brushes()];
        numbers.iter().filter(|&&number| self.brushes[number as usize].opaque).map(|&number| Occluder(number))
    }

    /// Box around a volume that stops light. For a volume of a model: as the model sees it.
    pub fn occluder_bounds(&self, occluder: Occluder) -> Bounds {
        self.brushes.get(occluder.index()).map_or(Bounds::EMPTY, |brush| brush.bounds)
    }

    /// The planes that a volume which stops light lies behind, the six of its box first.
    pub fn occluder_planes(&self, occluder: Occluder) -> impl Iterator<Item = Plane> + '_ {
        let brush = self.brushes.get(occluder.index());
        let axial = brush.into_iter().flat_map(|brush| axial_planes(&brush.bounds));
        let groups = brush.map(|brush| &self.groups[brush.groups.range()]).unwrap_or_default();
        axial.chain(groups.iter().flat_map(|group| (0..4).map(|lane| group.plane(lane))))
    }

    /// Calls `visit` for each leaf that a way touches, near before far, until it says false.
    pub fn each_leaf_on_way(&self, start: Vec3, end: Vec3, visit: &mut impl FnMut(LeafNum) -> bool) {
        self.descend(0, &(start, end - start), [0.0, 1.0], visit);
    }

    /// Calls `visit` for each leaf that a box touches, until it says false. False if it did.
    pub fn each_leaf_touched(&self, bounds: &Bounds, visit: &mut impl FnMut(LeafNum) -> bool) -> bool {
        self.each_leaf_in_box(bounds, 0, visit)
    }

    /// The part of the way from the first share to the second, below a child. False: it was told to stop.
    fn descend(
        &self,
        mut at: i32,
        way: &(Vec3, Vec3),
        [mut from, to]: [f32; 2],
        visit: &mut impl FnMut(LeafNum) -> bool,
    ) -> bool {
        let (start, along) = *way;
        while at >= 0 {
            let node = &self.nodes[at as usize];
            let d1 = node.distance_to(start);
            let slope = match node.axis {
                axis @ 0..3 => along[axis as usize],
                _ => node.plane.normal.dot(along),
            };
            let (near, far) = (d1 + slope * from, d1 + slope * to);
            if near > SLACK && far > SLACK {
                at = node.children[0];
            } else if near < -SLACK && far < -SLACK {
                at = node.children[1];
            } else {
                // The side that the way comes from, even if all of it lies on the other.
                let first = usize::from(slope > 0.0);
                let (mut until, mut since) = (to, from);
                if slope.abs() > f32::EPSILON {
                    let (share, slack) = (-d1 / slope, SLACK / slope.abs());
                    (until, since) = (to.min(share + slack), from.max(share - slack));
                }
                if !self.descend(node.children[first], way, [from, until], visit) {
                    return false;
                }
                from = since;
                at = node.children[first ^ 1];
            }
        }
        visit(LeafNum::new(!at as u32))
    }
}

/// The six planes of a box, facing out.
pub fn axial_planes(bounds: &Bounds) -> [Plane; 6] {
    let Bounds { mins, maxs } = *bounds;
    [
        Plane { normal: vec3(-1.0, 0.0, 0.0), dist: -mins.x },
        Plane { normal: vec3(1.0, 0.0, 0.0), dist: maxs.x },
        Plane { normal: vec3(0.0, -1.0, 0.0), dist: -mins.y },
        Plane { normal: vec3(0.0, 1.0, 0.0), dist: maxs.y },
        Plane { normal: vec3(0.0, 0.0, -1.0), dist: -mins.z },
        Plane { normal: vec3(0.0, 0.0, 1.0), dist: maxs.z },
    ]
}
