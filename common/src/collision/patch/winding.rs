//! A convex polygon that planes are cut off from. Source: `cm_polylib.c`, as collision uses it.

use crate::math::{Bounds, Plane, Vec3, vec3};

/// Beyond every map. Source: `MAX_MAP_BOUNDS`.
pub(super) const MAX_MAP_BOUNDS: f32 = 65535.0;
/// Points this near to a plane are on it.
const ON_EPSILON: f32 = 0.1;

/// Corners in order.
#[derive(Clone)]
pub(super) struct Winding {
    pub points: Vec<Vec3>,
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Front,
    Back,
    On,
}

impl Winding {
    /// A square on the plane that is larger than any map. Source: `BaseWindingForPlane`.
    pub(super) fn of_plane(plane: &Plane) -> Self {
        let mut major = 0;
        for axis in 1..3 {
            if plane.normal[axis].abs() > plane.normal[major].abs() {
                major = axis;
            }
        }
        let mut up = if major == 2 { vec3(1.0, 0.0, 0.0) } else { vec3(0.0, 0.0, 1.0) };
        up = up.mul_add(-up.dot(plane.normal), plane.normal);
        up = normalized(up).0;
        let middle = plane.normal * plane.dist;
        let right = up.cross(plane.normal) * MAX_MAP_BOUNDS;
        up = up * MAX_MAP_BOUNDS;
        let points = vec![middle - right + up, middle + right + up, middle + right - up, middle - right - up];
        Self { points }
    }

    /// What is left in front of the plane; `None` if nothing is. Source: `ChopWindingInPlace`.
    pub(super) fn chopped(self, plane: &Plane) -> Option<Self> {
        let distances: Vec<f32> = self.points.iter().map(|&point| plane.distance_to(point)).collect();
        let side = |distance: f32| {
            if distance > ON_EPSILON {
                Side::Front
            } else if distance < -ON_EPSILON {
                Side::Back
            } else {
                Side::On
            }
        };
        if !distances.iter().any(|&distance| side(distance) == Side::Front) {
            return None;
        }
        if !distances.iter().any(|&distance| side(distance) == Side::Back) {
            return Some(self);
        }
        let count = self.points.len();
        let mut points = Vec::with_capacity(count + 4);
        for (here, &point) in self.points.iter().enumerate() {
            let next = (here + 1) % count;
            let (from, to) = (distances[here], distances[next]);
            if side(from) != Side::Back {
                points.push(point);
            }
            if side(from) == Side::On || side(to) == Side::On || side(from) == side(to) {
                continue;
            }
            points.push(split(plane, point, self.points[next], from / (from - to)));
        }
        Some(Self { points })
    }

    /// Box around it. Source: `WindingBounds`.
    pub(super) fn bounds(&self) -> Bounds {
        let empty = Bounds::new(Vec3::splat(MAX_MAP_BOUNDS), Vec3::splat(-MAX_MAP_BOUNDS));
        self.points.iter().fold(empty, |bounds, &point| bounds.including(point))
    }
}

/// The point of an edge that is on the plane, exactly so if the plane is axial.
fn split(plane: &Plane, from: Vec3, to: Vec3, share: f32) -> Vec3 {
    let mut middle = Vec3::ZERO;
    for axis in 0..3 {
        middle[axis] = if plane.normal[axis] == 1.0 {
            plane.dist
        } else if plane.normal[axis] == -1.0 {
            -plane.dist
        } else {
            from[axis] + share * (to[axis] - from[axis])
        };
    }
    middle
}

/// Unit vector and length as the *engine* computes them: the length is the square times one over its root. Zero stays zero.
/// Source: `VectorNormalize` of the engine.
pub(super) fn normalized(vector: Vec3) -> (Vec3, f32) {
    let square = vector.length_squared();
    if square == 0.0 {
        return (vector, 0.0);
    }
    let inverse = 1.0 / square.sqrt();
    (vector * inverse, square * inverse)
}
