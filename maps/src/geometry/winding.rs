//! Convex polygons. Points run counter-clockwise seen from the front of the plane, that is about its normal.

use super::epsilon::{SAME_POINT, TINY_EDGE};
use super::{Box3, DVec3, Plane};

/// A convex polygon with three points or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Winding {
    points: Vec<DVec3>,
}

/// Where something lies relative to a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere behind it.
    Front,
    /// Nowhere in front of it.
    Back,
    /// Neither.
    On,
    /// Both.
    Across,
}

impl Place {
    /// From the least and the greatest distance.
    pub fn of_range(low: f64, high: f64, epsilon: f64) -> Self {
        match (low < -epsilon, high > epsilon) {
            (false, true) => Self::Front,
            (true, false) => Self::Back,
            (false, false) => Self::On,
            (true, true) => Self::Across,
        }
    }
}

impl Winding {
    /// From points in order. `None` with fewer than three.
    pub fn new(points: Vec<DVec3>) -> Option<Self> {
        (points.len() >= 3).then_some(Self { points })
    }

    /// A square on a plane that reaches `reach` units to each side of the foot of the origin.
    pub fn square(plane: &Plane, reach: f64) -> Self {
        let main = plane.normal.major_axis();
        let up = if main == 2 { DVec3::axis(0) } else { DVec3::axis(2) };
        let up = (up - plane.normal * up.dot(plane.normal)).normalized();
        let right = up.cross(plane.normal);
        let foot = plane.normal * plane.dist;
        let (up, right) = (up * reach, right * reach);
        Self { points: vec![foot - right - up, foot + right - up, foot + right + up, foot - right + up] }
    }

    /// The corners.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Corner pairs, the last to the first included.
    pub fn edges(&self) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        let next = self.points.iter().cycle().skip(1);
        self.points.iter().copied().zip(next.copied())
    }

    /// Seen from behind.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { points: self.points.iter().rev().copied().collect() }
    }

    /// Moved.
    #[must_use]
    pub fn translated(&self, offset: DVec3) -> Self {
        Self { points: self.points.iter().map(|&point| point + offset).collect() }
    }

    /// The box around it.
    pub fn bounds(&self) -> Box3 {
        Box3::around(self.points.iter().copied())
    }

    /// The middle of the corners.
    pub fn center(&self) -> DVec3 {
        let sum = self.points.iter().fold(DVec3::ZERO, |sum, &point| sum + point);
        sum * (1.0 / self.points.len() as f64)
    }

    /// Twice its area along its normal.
    fn doubled(&self) -> DVec3 {
        let base = self.points[0];
        let fans = self.points.windows(2).skip(1);
        fans.fold(DVec3::ZERO, |sum, pair| sum + (pair[0] - base).cross(pair[1] - base))
    }

    /// Area. Unit: square world units.
    pub fn area(&self) -> f64 {
        self.doubled().length() / 2.0
    }

    /// The direction that it faces.
    pub fn normal(&self) -> DVec3 {
        self.doubled().normalized()
    }

    /// Least and greatest distance from a plane.
    pub fn range(&self, plane: &Plane) -> (f64, f64) {
        self.points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &point| {
            let dist = plane.distance_to(point);
            (low.min(dist), high.max(dist))
        })
    }

    /// Where it lies.
    pub fn place(&self, plane: &Plane, epsilon: f64) -> Place {
        let (low, high) = self.range(plane);
        Place::of_range(low, high, epsilon)
    }

    /// Whether fewer than three of its edges are worth the name.
    pub fn is_tiny(&self) -> bool {
        self.edges().filter(|&(a, b)| (b - a).length() > TINY_EDGE).count() < 3
    }

    /// What is in front and what is behind. What lies on the plane, within `epsilon`, goes to neither.
    pub fn split(&self, plane: &Plane, epsilon: f64) -> (Option<Self>, Option<Self>) {
        let distances: Vec<f64> = self.points.iter().map(|&point| plane.distance_to(point)).collect();
        let high = distances.iter().any(|&dist| dist > epsilon);
        let low = distances.iter().any(|&dist| dist < -epsilon);
        if !(high && low) {
            return (high.then(|| self.clone()), low.then(|| self.clone()));
        }
        let (mut front, mut back) = (Vec::new(), Vec::new());
        for (index, &point) in self.points.iter().enumerate() {
            let dist = distances[index];
            if dist >= -epsilon {
                front.push(point);
            }
            if dist <= epsilon {
                back.push(point);
            }
            let after = (index + 1) % self.points.len();
            let next = distances[after];
            if (dist > epsilon && next < -epsilon) || (dist < -epsilon && next > epsilon) {
                let cut = crossing(plane, (point, dist), (self.points[after], next));
                front.push(cut);
                back.push(cut);
            }
        }
        (Self::new(front), Self::new(back))
    }

    /// What is in front of a plane; what lies on it stays whole.
    pub fn in_front(&self, plane: &Plane, epsilon: f64) -> Option<Self> {
        match self.place(plane, epsilon) {
            Place::Front | Place::On => Some(self.clone()),
            Place::Back => None,
            Place::Across => self.split(plane, epsilon).0,
        }
    }

    /// What is behind a plane; what lies on it stays whole.
    pub fn behind(&self, plane: &Plane, epsilon: f64) -> Option<Self> {
        self.in_front(&plane.flipped(), epsilon)
    }

    /// The convex outline of points that lie on a plane; `None` if they span no area.
    pub fn hull(points: &[DVec3], normal: DVec3) -> Option<Self> {
        let main = normal.major_axis();
        // Seen along the main axis of the normal, turning left stays turning left if the normal looks up that axis.
        let (u, v) = ((main + 1) % 3, (main + 2) % 3);
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| a[u].total_cmp(&b[u]).then(a[v].total_cmp(&b[v])));
        sorted.dedup_by(|a, b| (*a - *b).length() < SAME_POINT);
        let half = |points: &mut dyn Iterator<Item = DVec3>| {
            let mut chain: Vec<DVec3> = Vec::new();
            for point in points {
                while chain.len() >= 2
                    && !turns_left(chain[chain.len() - 2], chain[chain.len() - 1], point, u, v)
                {
                    chain.pop();
                }
                chain.push(point);
            }
            chain.pop();
            chain
        };
        let mut outline = half(&mut sorted.iter().copied());
        outline.extend(half(&mut sorted.iter().rev().copied()));
        if normal[main] < 0.0 {
            outline.reverse();
        }
        Self::new(outline).filter(|hull| !hull.is_tiny())
    }
}

/// Whether the way from `a` by `b` to `c` turns left by more than what rounding of the corners explains.
fn turns_left(a: DVec3, b: DVec3, c: DVec3, u: usize, v: usize) -> bool {
    let turn = (b[u] - a[u]) * (c[v] - b[v]) - (b[v] - a[v]) * (c[u] - b[u]);
    let span = (b - a).length().max((c - b).length());
    turn > span * 1e-4
}

/// Where an edge crosses a plane. The same point whichever way the edge is walked; exactly on the plane if that is axial.
fn crossing(plane: &Plane, a: (DVec3, f64), b: (DVec3, f64)) -> DVec3 {
    let (front, behind) = if a.1 > b.1 { (a, b) } else { (b, a) };
    let share = front.1 / (front.1 - behind.1);
    let mut cut = front.0 + (behind.0 - front.0) * share;
    if let Some(axis) = plane.exact_axis() {
        cut[axis] = plane.dist * plane.normal[axis];
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::super::dvec3;
    use super::*;

    fn square() -> (Plane, Winding) {
        let plane = Plane { normal: dvec3(0.0, 0.0, 1.0), dist: 8.0 };
        (plane, Winding::square(&plane, 64.0))
    }

    #[test]
    fn square_faces_the_way_of_its_plane() {
        for normal in
            [dvec3(0.0, 0.0, 1.0), dvec3(0.0, -1.0, 0.0), dvec3(0.6, 0.0, -0.8), dvec3(1.0, 0.0, 0.0)]
        {
            let plane = Plane { normal, dist: -5.0 };
            let square = Winding::square(&plane, 100.0);
            assert!((square.normal() - normal).length() < 1e-9, "{normal:?}");
            assert!((square.area() - 40_000.0).abs() < 1e-6);
            assert_eq!(square.place(&plane, 1e-9), Place::On);
        }
    }

    #[test]
    fn halves_of_a_split_make_the_whole() {
        let (_, square) = square();
        let plane = Plane { normal: dvec3(0.8, 0.6, 0.0), dist: 10.0 };
        let (front, back) = square.split(&plane, 1e-3);
        let (front, back) = (front.expect("a front"), back.expect("a back"));
        assert!((front.area() + back.area() - square.area()).abs() < 1e-6);
        assert_eq!(front.place(&plane, 1e-3), Place::Front);
        assert_eq!(back.place(&plane, 1e-3), Place::Back);
    }

    #[test]
    fn hull_keeps_corners_and_drops_what_lies_between() {
        for sign in [1.0, -1.0] {
            let normal = dvec3(0.0, 0.0, sign);
            let points: Vec<DVec3> = [(0., 0.), (4., 0.), (8., 0.), (8., 8.), (0., 8.), (3., 3.), (0., 0.)]
                .map(|(x, y)| dvec3(x, y, 5.0))
                .to_vec();
            let hull = Winding::hull(&points, normal).expect("a square");
            assert_eq!(hull.points().len(), 4);
            assert_eq!(hull.normal(), normal);
        }
    }
}
