//! A point or direction, and a box.

use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub};

/// A point or a direction in f64. Unit: world units, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DVec3 {
    /// East.
    pub x: f64,
    /// North.
    pub y: f64,
    /// Up.
    pub z: f64,
}

/// Shorthand for the three parts of a [`DVec3`].
pub const fn dvec3(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3 { x, y, z }
}

impl DVec3 {
    /// The origin.
    pub const ZERO: Self = dvec3(0.0, 0.0, 0.0);

    /// The same value on each axis.
    pub const fn splat(value: f64) -> Self {
        dvec3(value, value, value)
    }

    /// One along an axis (0, 1, 2).
    pub fn axis(axis: usize) -> Self {
        let mut unit = Self::ZERO;
        unit[axis] = 1.0;
        unit
    }

    /// Dot product.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Cross product.
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        dvec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Length.
    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Unit vector; zero stays zero.
    #[must_use]
    pub fn normalized(self) -> Self {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { self }
    }

    /// Smaller of each axis.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        dvec3(self.x.min(other.x), self.y.min(other.y), self.z.min(other.z))
    }

    /// Greater of each axis.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        dvec3(self.x.max(other.x), self.y.max(other.y), self.z.max(other.z))
    }

    /// The axis of the part that is largest without its sign; the first of equals.
    pub fn major_axis(self) -> usize {
        let parts = self.to_array().map(f64::abs);
        let (mut best, mut axis) = (parts[0], 0);
        for (number, &part) in parts.iter().enumerate().skip(1) {
            if part > best {
                (best, axis) = (part, number);
            }
        }
        axis
    }

    /// The parts.
    pub const fn to_array(self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }

    /// As the .bsp file stores it.
    pub fn to_f32(self) -> fogline_common::math::Vec3 {
        // Adding zero turns -0 into 0, so that equal points have equal bytes.
        fogline_common::math::vec3(self.x as f32 + 0.0, self.y as f32 + 0.0, self.z as f32 + 0.0)
    }

    /// Whether no part is infinite or NaN.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl From<[f64; 3]> for DVec3 {
    fn from([x, y, z]: [f64; 3]) -> Self {
        dvec3(x, y, z)
    }
}

impl Add for DVec3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        dvec3(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl AddAssign for DVec3 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for DVec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        dvec3(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f64> for DVec3 {
    type Output = Self;
    fn mul(self, scale: f64) -> Self {
        dvec3(self.x * scale, self.y * scale, self.z * scale)
    }
}

impl Neg for DVec3 {
    type Output = Self;
    fn neg(self) -> Self {
        dvec3(-self.x, -self.y, -self.z)
    }
}

impl Index<usize> for DVec3 {
    type Output = f64;
    fn index(&self, axis: usize) -> &f64 {
        match axis {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}

impl IndexMut<usize> for DVec3 {
    fn index_mut(&mut self, axis: usize) -> &mut f64 {
        match axis {
            0 => &mut self.x,
            1 => &mut self.y,
            _ => &mut self.z,
        }
    }
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box3 {
    /// Lowest corner.
    pub mins: DVec3,
    /// Highest corner.
    pub maxs: DVec3,
}

impl Box3 {
    /// Holds nothing.
    pub const EMPTY: Self = Self { mins: DVec3::splat(f64::INFINITY), maxs: DVec3::splat(f64::NEG_INFINITY) };

    /// The box around points.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::including)
    }

    /// This and a point.
    #[must_use]
    pub fn including(self, point: DVec3) -> Self {
        Self { mins: self.mins.min(point), maxs: self.maxs.max(point) }
    }

    /// This and another box.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { mins: self.mins.min(other.mins), maxs: self.maxs.max(other.maxs) }
    }

    /// Larger by a margin on every side.
    #[must_use]
    pub fn grown(self, margin: f64) -> Self {
        Self { mins: self.mins - DVec3::splat(margin), maxs: self.maxs + DVec3::splat(margin) }
    }

    /// Whether the boxes have a point in common.
    pub fn touches(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.mins[axis] <= other.maxs[axis] && self.maxs[axis] >= other.mins[axis])
    }

    /// Whether a point is in the box.
    pub fn contains(&self, point: DVec3) -> bool {
        (0..3).all(|axis| self.mins[axis] <= point[axis] && self.maxs[axis] >= point[axis])
    }

    /// The middle.
    pub fn center(&self) -> DVec3 {
        (self.mins + self.maxs) * 0.5
    }

    /// Whether it holds no point.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.mins[axis] > self.maxs[axis])
    }
}
