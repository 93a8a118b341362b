//! Vectors, boxes, planes and angles, in f32 and in the order in which C evaluates them.
//!
//! Movement and traces must agree with the client's prediction to the last bit as far as possible, so nothing here fuses a
//! multiply with an add, reorders a sum or takes a reciprocal that the original does not take.

use bytemuck::{Pod, Zeroable};
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

/// A point or a direction. Unit: world units, or none.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Vec3 {
    /// East.
    pub x: f32,
    /// North.
    pub y: f32,
    /// Up.
    pub z: f32,
}

/// Shorthand for [`Vec3::new`].
pub const fn vec3(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3 { x, y, z }
}

impl Vec3 {
    /// The origin.
    pub const ZERO: Self = vec3(0.0, 0.0, 0.0);

    /// From its parts.
    #[inline]
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    /// The same value on each axis.
    #[inline]
    pub const fn splat(value: f32) -> Self {
        vec3(value, value, value)
    }

    /// Dot product, summed x, y, z.
    #[inline]
    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Cross product.
    #[must_use]
    #[inline]
    pub fn cross(self, other: Self) -> Self {
        vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Squared length.
    #[inline]
    pub fn length_squared(self) -> f32 {
        self.dot(self)
    }

    /// Length: the root is taken in f64 and stored as f32, as C's `sqrt` does.
    #[inline]
    pub fn length(self) -> f32 {
        f64::from(self.length_squared()).sqrt() as f32
    }

    /// Distance to `other`.
    #[inline]
    pub fn distance(self, other: Self) -> f32 {
        (self - other).length()
    }

    /// Unit vector and length as the *game* computes them: scaled by one over the length. Zero stays zero.
    #[inline]
    pub fn normalize_with_length(self) -> (Self, f32) {
        let length = self.length();
        if length == 0.0 {
            return (self, 0.0);
        }
        (self * (1.0 / length), length)
    }

    /// Unit vector as the *game* computes it. Zero stays zero.
    #[must_use]
    #[inline]
    pub fn normalized(self) -> Self {
        self.normalize_with_length().0
    }

    /// `self + direction * scale`.
    #[must_use]
    #[inline]
    pub fn mul_add(self, scale: f32, direction: Self) -> Self {
        vec3(self.x + direction.x * scale, self.y + direction.y * scale, self.z + direction.z * scale)
    }

    /// Smaller of each axis.
    #[must_use]
    #[inline]
    pub fn min(self, other: Self) -> Self {
        vec3(self.x.min(other.x), self.y.min(other.y), self.z.min(other.z))
    }

    /// Greater of each axis.
    #[must_use]
    #[inline]
    pub fn max(self, other: Self) -> Self {
        vec3(self.x.max(other.x), self.y.max(other.y), self.z.max(other.z))
    }

    /// Each axis without its sign.
    #[must_use]
    #[inline]
    pub fn abs(self) -> Self {
        vec3(self.x.abs(), self.y.abs(), self.z.abs())
    }

    /// Each axis truncated toward zero, never to -0, as `SnapVector` of the game's entity code does by way of integers.
    #[must_use]
    #[inline]
    pub fn truncated(self) -> Self {
        vec3(self.x.trunc(), self.y.trunc(), self.z.trunc()) + Self::ZERO
    }

    /// Whether no axis is infinite or NaN.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// As an array, x first.
    #[inline]
    pub const fn to_array(self) -> [f32; 3] {
        [self.x, self.y, self.z]
    }
}

impl From<[f32; 3]> for Vec3 {
    #[inline]
    fn from([x, y, z]: [f32; 3]) -> Self {
        vec3(x, y, z)
    }
}

impl Add for Vec3 {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        vec3(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl AddAssign for Vec3 {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Vec3 {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        vec3(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl SubAssign for Vec3 {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<f32> for Vec3 {
    type Output = Self;
    #[inline]
    fn mul(self, scale: f32) -> Self {
        vec3(self.x * scale, self.y * scale, self.z * scale)
    }
}

impl Neg for Vec3 {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        vec3(-self.x, -self.y, -self.z)
    }
}

impl Index<usize> for Vec3 {
    type Output = f32;
    #[inline]
    fn index(&self, axis: usize) -> &f32 {
        match axis {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}

impl IndexMut<usize> for Vec3 {
    #[inline]
    fn index_mut(&mut self, axis: usize) -> &mut f32 {
        match axis {
            0 => &mut self.x,
            1 => &mut self.y,
            _ => &mut self.z,
        }
    }
}

/// An axis-aligned box.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Bounds {
    /// Lowest corner.
    pub mins: Vec3,
    /// Highest corner.
    pub maxs: Vec3,
}

impl Bounds {
    /// From its two corners.
    #[inline]
    pub const fn new(mins: Vec3, maxs: Vec3) -> Self {
        Self { mins, maxs }
    }

    /// The empty box: inside out, so that joining anything gives that thing.
    pub const EMPTY: Self = Self { mins: Vec3::splat(f32::INFINITY), maxs: Vec3::splat(f32::NEG_INFINITY) };

    /// No extent at all.
    pub const POINT: Self = Self { mins: Vec3::ZERO, maxs: Vec3::ZERO };

    /// Moved by `offset`.
    #[must_use]
    #[inline]
    pub fn translated(self, offset: Vec3) -> Self {
        Self { mins: self.mins + offset, maxs: self.maxs + offset }
    }

    /// Larger by `margin` on all sides.
    #[must_use]
    #[inline]
    pub fn grown(self, margin: f32) -> Self {
        Self { mins: self.mins - Vec3::splat(margin), maxs: self.maxs + Vec3::splat(margin) }
    }

    /// Smallest box around both.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { mins: self.mins.min(other.mins), maxs: self.maxs.max(other.maxs) }
    }

    /// Smallest box around this and a point.
    #[must_use]
    #[inline]
    pub fn including(self, point: Vec3) -> Self {
        Self { mins: self.mins.min(point), maxs: self.maxs.max(point) }
    }

    /// Whether the two share a point, touching included.
    #[inline]
    pub fn touches(&self, other: &Self) -> bool {
        self.mins.x <= other.maxs.x
            && self.mins.y <= other.maxs.y
            && self.mins.z <= other.maxs.z
            && other.mins.x <= self.maxs.x
            && other.mins.y <= self.maxs.y
            && other.mins.z <= self.maxs.z
    }

    /// Whether the point lies in the box, faces included.
    #[inline]
    pub fn contains(&self, point: Vec3) -> bool {
        self.touches(&Self { mins: point, maxs: point })
    }

    /// Whether the other lies in this one, faces included. Nothing lies in the empty box.
    #[inline]
    pub fn encloses(&self, other: &Self) -> bool {
        self.mins.x <= other.mins.x
            && self.mins.y <= other.mins.y
            && self.mins.z <= other.mins.z
            && self.maxs.x >= other.maxs.x
            && self.maxs.y >= other.maxs.y
            && self.maxs.z >= other.maxs.z
    }

    /// The place in the box that is nearest to a point.
    #[inline]
    pub fn clamp(&self, point: Vec3) -> Vec3 {
        point.max(self.mins).min(self.maxs)
    }

    /// Middle.
    #[inline]
    pub fn center(&self) -> Vec3 {
        (self.mins + self.maxs) * 0.5
    }

    /// Extent on each axis.
    #[inline]
    pub fn size(&self) -> Vec3 {
        self.maxs - self.mins
    }
}

/// A plane: the points with `normal · point == dist`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// Unit vector, toward the front.
    pub normal: Vec3,
    /// Distance from the origin along the normal.
    pub dist: f32,
}

impl Plane {
    /// Signed distance of a point, positive in front.
    #[inline]
    pub fn distance_to(&self, point: Vec3) -> f32 {
        self.normal.dot(point) - self.dist
    }
}

/// Directions of a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// Where the view looks.
    pub forward: Vec3,
    /// To its right.
    pub right: Vec3,
    /// Above it.
    pub up: Vec3,
}

/// Index of pitch in an angle triple (down is positive).
pub const PITCH: usize = 0;
/// Index of yaw in an angle triple (left is positive).
pub const YAW: usize = 1;
/// Index of roll in an angle triple.
pub const ROLL: usize = 2;

/// Directions of a view with these angles in degrees. Source: `AngleVectors`; sines in f64, stored as f32.
pub fn angle_vectors(angles: Vec3) -> Axes {
    let to_radians = std::f64::consts::PI * 2.0 / 360.0;
    let sin_cos = |degrees: f32| {
        let radians = f64::from((f64::from(degrees) * to_radians) as f32);
        (radians.sin() as f32, radians.cos() as f32)
    };
    let (sy, cy) = sin_cos(angles[YAW]);
    let (sp, cp) = sin_cos(angles[PITCH]);
    let (sr, cr) = sin_cos(angles[ROLL]);
    Axes {
        forward: vec3(cp * cy, cp * sy, -sp),
        right: vec3(-sr * sp * cy + -cr * -sy, -sr * sp * sy + -cr * cy, -sr * cp),
        up: vec3(cr * sp * cy + -sr * -sy, cr * sp * sy + -sr * cy, cr * cp),
    }
}

/// Degrees to 1/65536 of a turn, truncated and wrapped to 16 bits. Source: `ANGLE2SHORT`.
pub fn angle_to_short(degrees: f32) -> i32 {
    ((degrees * 65536.0 / 360.0) as i32) & 65535
}

/// 1/65536 of a turn to degrees. Source: `SHORT2ANGLE`.
pub fn short_to_angle(short: i32) -> f32 {
    (f64::from(short) * (360.0 / 65536.0)) as f32
}

/// Degrees brought to -180..=180. Source: `AngleNormalize180`, which goes through 16 bits.
pub fn angle_normalize_180(degrees: f32) -> f32 {
    let wrapped =
        ((360.0 / 65536.0) * f64::from(((f64::from(degrees) * (65536.0 / 360.0)) as i32) & 65535)) as f32;
    if wrapped > 180.0 { wrapped - 360.0 } else { wrapped }
}

/// Pitch and yaw of a direction, in degrees, roll zero. Source: `vectoangles`.
pub fn vector_to_angles(direction: Vec3) -> Vec3 {
    if direction.x == 0.0 && direction.y == 0.0 {
        return vec3(if direction.z > 0.0 { -90.0 } else { -270.0 }, 0.0, 0.0);
    }
    let turn = |radians: f64| {
        let degrees = (radians * 180.0 / std::f64::consts::PI) as f32;
        if degrees < 0.0 { degrees + 360.0 } else { degrees }
    };
    let yaw = if direction.x != 0.0 {
        turn(f64::from(direction.y).atan2(f64::from(direction.x)))
    } else if direction.y > 0.0 {
        90.0
    } else {
        270.0
    };
    let flat = (f64::from(direction.x * direction.x + direction.y * direction.y)).sqrt() as f32;
    vec3(-turn(f64::from(direction.z).atan2(f64::from(flat))), yaw, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_plain_angles_are_the_plain_axes() {
        let axes = angle_vectors(Vec3::ZERO);
        assert_eq!(axes.forward, vec3(1.0, 0.0, 0.0));
        assert_eq!(axes.right, vec3(0.0, -1.0, 0.0));
        assert_eq!(axes.up, vec3(0.0, 0.0, 1.0));
    }

    #[test]
    fn a_direction_and_its_angles_agree() {
        for yaw in [0.0, 45.0, 90.0, 135.0, 200.0, 270.0, 359.0] {
            let angles = vec3(-30.0, yaw, 0.0);
            let back = vector_to_angles(angle_vectors(angles).forward);
            let pitch = angle_normalize_180(back.x);
            assert!(
                (pitch + 30.0).abs() < 0.02 && (back.y - yaw).abs() < 0.02,
                "{angles:?} came back as {back:?}"
            );
        }
    }

    #[test]
    fn boxes_touch_at_faces() {
        let a = Bounds::new(Vec3::ZERO, Vec3::splat(1.0));
        assert!(a.touches(&a.translated(vec3(1.0, 0.0, 0.0))));
        assert!(!a.touches(&a.translated(vec3(1.001, 0.0, 0.0))));
        assert_eq!(Bounds::EMPTY.union(a), a);
    }
}
