//! The line that a shape's middle follows, against boxes that hold obstacles.

use crate::math::{Bounds, Vec3, vec3};

/// A box passed at this distance is not met. Unit: world units. Far more than the clip epsilon and rounding together, so that
/// a box that is passed over holds nothing that plane by plane would have stopped the shape: each obstacle has its axial
/// planes among those that it is clipped by.
const MARGIN: f32 = 1.0;

/// A straight way, and how far the shape reaches on each side of it.
pub(super) struct Course {
    start: Vec3,
    /// One over the way, axis by axis; infinite where it goes nowhere.
    inverse: Vec3,
    /// By how much boxes are grown at their low and high faces.
    grown: Bounds,
}

impl Course {
    /// `reach`: the shape about its middle.
    pub(super) fn new(start: Vec3, end: Vec3, reach: &Bounds) -> Self {
        let way = end - start;
        let inverse = vec3(1.0 / way.x, 1.0 / way.y, 1.0 / way.z);
        // A shape hits a low face with its high side.
        let grown = Bounds::new(-reach.maxs - Vec3::splat(MARGIN), Vec3::splat(MARGIN) - reach.mins);
        Self { start, inverse, grown }
    }

    /// Whether a box is met before `fraction` of the way.
    #[inline]
    pub(super) fn meets(&self, bounds: &Bounds, fraction: f32) -> bool {
        let (mut enter, mut leave) = (0.0_f32, fraction);
        for axis in 0..3 {
            let low = (bounds.mins[axis] + self.grown.mins[axis] - self.start[axis]) * self.inverse[axis];
            let high = (bounds.maxs[axis] + self.grown.maxs[axis] - self.start[axis]) * self.inverse[axis];
            let (first, last) = if low < high { (low, high) } else { (high, low) };
            enter = if first > enter { first } else { enter };
            leave = if last < leave { last } else { leave };
        }
        enter <= leave
    }
}
