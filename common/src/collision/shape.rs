//! What is swept: a ray, a box or an upright capsule, each seen from a plane that it may hit.

use crate::math::{Bounds, Vec3, vec3};

/// What is moved along the way, seen from a plane.
pub(super) trait Shape {
    /// Middle of the shape at start and end.
    fn way(&self) -> (Vec3, Vec3);
    /// The points at start and end from which distances to a plane of this normal are taken.
    fn ends(&self, normal: Vec3) -> (Vec3, Vec3);
    /// A plane moved outward so that the points of [`Shape::ends`] do for the whole shape.
    fn expanded(&self, normal: Vec3, dist: f32) -> f32;
    /// The same for a border of a patch facet: its plane, and the distance to move, which is that of the plane turned around
    /// if the border faces inward.
    fn expanded_border(&self, normal: Vec3, dist: f32) -> f32;
    /// Distances of start and end to a face that looks down an axis.
    fn below(&self, axis: usize, min: f32) -> (f32, f32);
    /// Distances of start and end to a face that looks up an axis.
    fn above(&self, axis: usize, max: f32) -> (f32, f32);

    /// Distances of start and end to a plane.
    #[inline]
    fn distances(&self, normal: Vec3, dist: f32) -> (f32, f32) {
        let dist = self.expanded(normal, dist);
        let (start, end) = self.ends(normal);
        (start.dot(normal) - dist, end.dot(normal) - dist)
    }
}

/// No extent.
pub(super) struct Ray {
    pub start: Vec3,
    pub end: Vec3,
}

impl Shape for Ray {
    fn way(&self) -> (Vec3, Vec3) {
        (self.start, self.end)
    }
    #[inline]
    fn ends(&self, _normal: Vec3) -> (Vec3, Vec3) {
        (self.start, self.end)
    }
    #[inline]
    fn expanded(&self, _normal: Vec3, dist: f32) -> f32 {
        dist
    }
    #[inline]
    fn expanded_border(&self, _normal: Vec3, dist: f32) -> f32 {
        dist
    }
    #[inline]
    fn below(&self, axis: usize, min: f32) -> (f32, f32) {
        (min - self.start[axis], min - self.end[axis])
    }
    #[inline]
    fn above(&self, axis: usize, max: f32) -> (f32, f32) {
        (self.start[axis] - max, self.end[axis] - max)
    }
}

/// An axis-aligned box around its middle.
pub(super) struct BoxShape {
    pub start: Vec3,
    pub end: Vec3,
    /// Lowest and highest corner from the middle; opposite but for rounding.
    pub size: Bounds,
}

impl BoxShape {
    /// How far the corner nearest to a plane stands out toward it; negative.
    #[inline]
    fn corner(&self, normal: Vec3) -> f32 {
        let pick = |normal: f32, low: f32, high: f32| if normal < 0.0 { high } else { low };
        let corner = vec3(
            pick(normal.x, self.size.mins.x, self.size.maxs.x),
            pick(normal.y, self.size.mins.y, self.size.maxs.y),
            pick(normal.z, self.size.mins.z, self.size.maxs.z),
        );
        corner.dot(normal)
    }
}

impl Shape for BoxShape {
    fn way(&self) -> (Vec3, Vec3) {
        (self.start, self.end)
    }
    #[inline]
    fn ends(&self, _normal: Vec3) -> (Vec3, Vec3) {
        (self.start, self.end)
    }
    #[inline]
    fn expanded(&self, normal: Vec3, dist: f32) -> f32 {
        dist - self.corner(normal)
    }
    #[inline]
    fn expanded_border(&self, normal: Vec3, dist: f32) -> f32 {
        dist + self.corner(normal).abs()
    }
    #[inline]
    fn below(&self, axis: usize, min: f32) -> (f32, f32) {
        let min = min - self.size.maxs[axis];
        (min - self.start[axis], min - self.end[axis])
    }
    #[inline]
    fn above(&self, axis: usize, max: f32) -> (f32, f32) {
        let max = max - self.size.mins[axis];
        (self.start[axis] - max, self.end[axis] - max)
    }
}

/// Two spheres and what lies between them.
pub(super) struct Capsule {
    pub start: Vec3,
    pub end: Vec3,
    pub radius: f32,
    /// From the middle to the centre of the upper sphere; turned with a turned model.
    pub offset: Vec3,
}

impl Shape for Capsule {
    fn way(&self) -> (Vec3, Vec3) {
        (self.start, self.end)
    }
    #[inline]
    fn ends(&self, normal: Vec3) -> (Vec3, Vec3) {
        if normal.dot(self.offset) > 0.0 {
            (self.start - self.offset, self.end - self.offset)
        } else {
            (self.start + self.offset, self.end + self.offset)
        }
    }
    #[inline]
    fn expanded(&self, _normal: Vec3, dist: f32) -> f32 {
        dist + self.radius
    }
    #[inline]
    fn expanded_border(&self, _normal: Vec3, dist: f32) -> f32 {
        dist + self.radius
    }
    #[inline]
    fn below(&self, axis: usize, min: f32) -> (f32, f32) {
        let (min, offset) = (min - self.radius, self.offset[axis].abs());
        (min - (self.start[axis] + offset), min - (self.end[axis] + offset))
    }
    #[inline]
    fn above(&self, axis: usize, max: f32) -> (f32, f32) {
        let (max, offset) = (max + self.radius, self.offset[axis].abs());
        ((self.start[axis] - offset) - max, (self.end[axis] - offset) - max)
    }
}
