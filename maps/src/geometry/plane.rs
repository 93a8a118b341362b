//! Planes, each kept once, in opposite pairs.

use super::epsilon::{SAME_NORMAL, SAME_PLANE, WHOLE_DIST};
use super::{Box3, DVec3};
use robust::{Coord3D, orient3d};
use std::collections::HashMap;

/// A plane: points with `normal · p == dist`; what has more is in front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit vector.
    pub normal: DVec3,
    /// Distance from the origin along the normal.
    pub dist: f64,
}

impl Plane {
    /// Through three points as editors write them: clockwise seen from the front. `None` if they lie on one line.
    ///
    /// Whether they do is decided exactly, whatever the coordinates: they must be seen as flat from each of the three axes.
    pub fn through(points: [DVec3; 3]) -> Option<Self> {
        let [a, b, c] = points;
        let far = (0..3).any(|axis| {
            let apex = a + DVec3::axis(axis);
            orient3d(coord(a), coord(b), coord(c), coord(apex)) != 0.0
        });
        let cross = (a - b).cross(c - b);
        let normal = cross.normalized();
        if !far || !normal.is_finite() || (normal.length() - 1.0).abs() > 0.5 {
            return None;
        }
        let normal = snapped_normal(normal);
        let mut dist = b.dot(normal);
        if normal.to_array().iter().any(|part| part.abs() == 1.0) && (dist - dist.round()).abs() < WHOLE_DIST
        {
            dist = dist.round();
        }
        Some(Self { normal, dist })
    }

    /// How far a point is in front; negative behind.
    #[inline]
    pub fn distance_to(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.dist
    }

    /// The same plane seen from behind.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { normal: -self.normal, dist: -self.dist }
    }

    /// The axis that the plane stands on exactly, if there is one.
    pub fn exact_axis(&self) -> Option<usize> {
        (0..3).find(|&axis| self.normal[axis].abs() == 1.0)
    }

    /// Least and greatest distance of a box's points.
    pub fn range_of_box(&self, around: &Box3) -> (f64, f64) {
        let (mut low, mut high) = (-self.dist, -self.dist);
        for axis in 0..3 {
            let part = self.normal[axis];
            let (a, b) = (part * around.mins[axis], part * around.maxs[axis]);
            low += a.min(b);
            high += a.max(b);
        }
        (low, high)
    }
}

fn coord(point: DVec3) -> Coord3D<f64> {
    Coord3D { x: point.x, y: point.y, z: point.z }
}

/// Normals that nearly are axes become axes; tiny parts become zero.
fn snapped_normal(normal: DVec3) -> DVec3 {
    for axis in 0..3 {
        if (normal[axis].abs() - 1.0).abs() < SAME_NORMAL
            && (0..3).all(|other| other == axis || normal[other].abs() < SAME_NORMAL)
        {
            return DVec3::axis(axis) * normal[axis].signum();
        }
    }
    // A part this small is what is left of a sum that should have been zero.
    let clean = normal.to_array().map(|part| if part.abs() < 1e-12 { 0.0 } else { part });
    DVec3::from(clean)
}

/// Number of a plane in a [`PlaneSet`]. `opposite` is the same plane seen from behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaneNum(u32);

impl PlaneNum {
    /// The same plane seen from behind.
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The one of the pair that tree nodes use; axial ones face up their axis.
    #[must_use]
    pub const fn canonical(self) -> Self {
        Self(self.0 & !1)
    }

    /// Whether this is the one that tree nodes use.
    pub const fn is_canonical(self) -> bool {
        self.0 & 1 == 0
    }

    /// For indexing.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All planes of a map. Pairs stand together, the one with the positive main part first.
#[derive(Debug, Default)]
pub struct PlaneSet {
    planes: Vec<Plane>,
    /// Canonical planes by the whole part of their distance. Only looked up in, never walked.
    buckets: HashMap<i64, Vec<PlaneNum>>,
}

impl PlaneSet {
    /// The planes of a finished map, under the numbers that they have there: normal and distance, pairs together.
    pub fn of_file(planes: impl Iterator<Item = (DVec3, f64)>) -> Self {
        let unit = planes.map(|(normal, dist)| {
            // Single precision leaves normals a little too long or too short; both sides of the equation are divided.
            let length = normal.length();
            let scale = if length > 0.5 && length < 2.0 { 1.0 / length } else { 1.0 };
            Plane { normal: normal * scale, dist: dist * scale }
        });
        Self { planes: unit.collect(), buckets: HashMap::new() }
    }

    /// The number of a plane by its place.
    ///
    /// # Panics
    /// There is no such plane.
    pub fn of_index(&self, index: usize) -> PlaneNum {
        assert!(index < self.planes.len(), "plane {index} of {}", self.planes.len());
        PlaneNum(index as u32)
    }

    /// The number of a plane that passes through `points`, a known one where there is one near enough.
    pub fn find(&mut self, plane: Plane, points: &[DVec3]) -> PlaneNum {
        let flip = plane.normal[plane.normal.major_axis()] < 0.0;
        let canonical = if flip { plane.flipped() } else { plane };
        let number = self.known(&canonical, points).unwrap_or_else(|| self.add(canonical));
        if flip { number.opposite() } else { number }
    }

    fn known(&self, plane: &Plane, points: &[DVec3]) -> Option<PlaneNum> {
        let bucket = plane.dist.floor() as i64;
        let candidates = (bucket - 1..=bucket + 1).filter_map(|bucket| self.buckets.get(&bucket)).flatten();
        candidates
            .copied()
            .filter(|&number| {
                let known = &self[number];
                let off = known.normal - plane.normal;
                (known.dist - plane.dist).abs() < SAME_PLANE
                    && off.to_array().iter().all(|part| part.abs() < SAME_NORMAL)
                    && points.iter().all(|&point| known.distance_to(point).abs() < SAME_PLANE)
            })
            .min()
    }

    fn add(&mut self, plane: Plane) -> PlaneNum {
        let number = PlaneNum(self.planes.len() as u32);
        self.planes.push(plane);
        self.planes.push(plane.flipped());
        self.buckets.entry(plane.dist.floor() as i64).or_default().push(number);
        number
    }

    /// All planes; pairs stand together.
    pub fn all(&self) -> &[Plane] {
        &self.planes
    }
}

impl std::ops::Index<PlaneNum> for PlaneSet {
    type Output = Plane;
    fn index(&self, number: PlaneNum) -> &Plane {
        &self.planes[number.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::dvec3;
    use super::*;

    #[test]
    fn points_on_one_line_span_no_plane() {
        let line = [dvec3(0.1, 0.1, 0.1), dvec3(0.2, 0.2, 0.2), dvec3(0.4, 0.4, 0.4)];
        assert_eq!(Plane::through(line), None);
        assert_eq!(Plane::through([DVec3::ZERO; 3]), None);
    }

    #[test]
    fn nearly_axial_planes_become_axial_and_pairs_stand_together() {
        let floor = [dvec3(0.0, 0.0, 64.0), dvec3(0.0, 64.0, 64.0), dvec3(64.0, 64.0, 64.000_001)];
        let plane = Plane::through(floor).expect("three points apart");
        assert_eq!((plane.normal, plane.dist), (dvec3(0.0, 0.0, 1.0), 64.0));
        let mut set = PlaneSet::default();
        let up = set.find(plane, &floor);
        let down = set.find(plane.flipped(), &floor);
        assert_eq!(down, up.opposite());
        assert!(up.is_canonical());
        assert_eq!(set.all().len(), 2);
    }

    #[test]
    fn planes_that_part_far_from_the_origin_are_two() {
        let mut set = PlaneSet::default();
        let near = [dvec3(0.0, 0.0, 0.0), dvec3(0.0, 64.0, 0.0), dvec3(64.0, 64.0, 0.0)];
        let tilted = [dvec3(9000.0, 0.0, 1.0), dvec3(0.0, 9000.0, 0.0), dvec3(0.0, 0.0, 0.0)];
        let a = set.find(Plane::through(near).expect("a plane"), &near);
        let b = set.find(Plane::through(tilted).expect("a plane"), &tilted);
        assert_ne!(a.canonical(), b.canonical());
    }
}
