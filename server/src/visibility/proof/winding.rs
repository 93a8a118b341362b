//! Convex polygons in space, cut by planes, in f64: what portals and the cells between them are made of.

use fogline_common::math::{Plane, Vec3};

/// A point. f64, so that what cutting adds stays far below every tolerance of a proof.
pub(super) type Point = [f64; 3];

/// A plane, in f64: `normal · point == dist`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub normal: Point,
    pub dist: f64,
}

impl Cut {
    pub(super) fn of(plane: &Plane) -> Self {
        Self { normal: plane.normal.to_array().map(f64::from), dist: f64::from(plane.dist) }
    }

    /// Signed distance, positive in front.
    pub(super) fn distance_to(&self, point: &Point) -> f64 {
        dot(&self.normal, point) - self.dist
    }

    /// The same plane that faces the other way.
    pub(super) fn flipped(&self) -> Self {
        Self { normal: self.normal.map(|part| -part), dist: -self.dist }
    }
}

/// A convex polygon. Shape: corners in order round it.
#[derive(Clone, Debug, Default)]
pub(super) struct Winding {
    pub points: Vec<Point>,
}

impl Winding {
    /// A square on a plane, reaching `reach` to each side of the point nearest to the origin.
    pub(super) fn on(plane: &Cut, reach: f64) -> Self {
        let [x, y, z] = plane.normal.map(f64::abs);
        let aside: Point = if z >= x && z >= y { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let right = scaled(&unit(&cross(&plane.normal, &aside)), reach);
        let up = scaled(&unit(&cross(&plane.normal, &right)), reach);
        let middle = scaled(&plane.normal, plane.dist);
        let corner = |r: f64, u: f64| -> Point {
            std::array::from_fn(|axis| middle[axis] + r * right[axis] + u * up[axis])
        };
        Self { points: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)] }
    }

    /// What lies in front of a plane or on it. Fewer than three corners are nothing.
    #[must_use]
    pub(super) fn in_front_of(&self, cut: &Cut) -> Self {
        let mut points = Vec::with_capacity(self.points.len() + 1);
        for (index, point) in self.points.iter().enumerate() {
            let next = &self.points[(index + 1) % self.points.len()];
            let (here, there) = (cut.distance_to(point), cut.distance_to(next));
            if here >= 0.0 {
                points.push(*point);
            }
            if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
                let share = here / (here - there);
                points.push(std::array::from_fn(|axis| point[axis] + share * (next[axis] - point[axis])));
            }
        }
        Self { points }
    }

    /// Area. Unit: square world units.
    pub(super) fn area(&self) -> f64 {
        let Some((first, rest)) = self.points.split_first() else { return 0.0 };
        let mut sum = [0.0; 3];
        for pair in rest.windows(2) {
            let part = cross(&minus(&pair[0], first), &minus(&pair[1], first));
            sum = std::array::from_fn(|axis| sum[axis] + part[axis]);
        }
        length(&sum) * 0.5
    }

    /// About how narrow it is: its area over its longest side. Unit: world units.
    pub(super) fn width(&self) -> f64 {
        let count = self.points.len();
        let sides = (0..count).map(|n| length(&minus(&self.points[(n + 1) % count], &self.points[n])));
        let longest = sides.fold(0.0, f64::max);
        if longest > 0.0 { self.area() / longest } else { 0.0 }
    }

    /// The mean of its corners.
    pub(super) fn middle(&self) -> Point {
        let share = 1.0 / self.points.len().max(1) as f64;
        std::array::from_fn(|axis| self.points.iter().map(|point| point[axis] * share).sum())
    }

    /// What is no farther from it than this, and a little more at its corners, lies behind all of these planes. It lies on `plane`.
    pub(super) fn prism(&self, plane: &Cut, reach: f64) -> Vec<Cut> {
        let back = plane.flipped();
        let mut cuts =
            vec![Cut { dist: plane.dist + reach, ..*plane }, Cut { dist: back.dist + reach, ..back }];
        let middle = self.middle();
        for (index, point) in self.points.iter().enumerate() {
            let along = minus(&self.points[(index + 1) % self.points.len()], point);
            let out = cross(&along, &plane.normal);
            if length(&along) < NO_LENGTH {
                continue;
            }
            let normal = unit(&out);
            let cut = Cut { normal, dist: dot(&normal, point) };
            let cut = if cut.distance_to(&middle) > 0.0 { cut.flipped() } else { cut };
            cuts.push(Cut { dist: cut.dist + reach, ..cut });
        }
        cuts
    }

    /// Nothing, or so small that it is what rounding left.
    pub(super) fn is_nothing(&self) -> bool {
        self.points.len() < 3 || self.area() < NO_AREA
    }
}

/// Shorter sides say nothing of where they lead. Unit: world units.
const NO_LENGTH: f64 = 1.0e-3;
/// Smaller ones are what rounding left. Unit: square world units.
const NO_AREA: f64 = 1.0e-4;

pub(super) fn to_vec3(point: &Point) -> Vec3 {
    Vec3::from(point.map(|part| part as f32))
}

fn dot(a: &Point, b: &Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn scaled(a: &Point, by: f64) -> Point {
    a.map(|part| part * by)
}

fn length(a: &Point) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: &Point) -> Point {
    scaled(a, 1.0 / length(a).max(f64::MIN_POSITIVE))
}

fn cross(a: &Point, b: &Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_square_have_half_its_area() {
        let floor = Cut { normal: [0.0, 0.0, 1.0], dist: 5.0 };
        let square = Winding::on(&floor, 10.0);
        assert!((square.area() - 400.0).abs() < 1e-9);
        let cut = Cut { normal: [1.0, 0.0, 0.0], dist: 0.0 };
        let (front, back) = (square.in_front_of(&cut), square.in_front_of(&cut.flipped()));
        assert!((front.area() - 200.0).abs() < 1e-9 && (back.area() - 200.0).abs() < 1e-9);
        assert!(front.points.iter().all(|point| point[0] >= 0.0 && (point[2] - 5.0).abs() < 1e-12));
    }

    #[test]
    fn what_only_touches_a_plane_is_nothing_behind_it() {
        let wall = Winding::on(&Cut { normal: [1.0, 0.0, 0.0], dist: 0.0 }, 10.0);
        let touched = wall.in_front_of(&Cut { normal: [0.0, 1.0, 0.0], dist: 10.0 });
        assert!(touched.is_nothing() && !wall.is_nothing(), "{touched:?}");
        assert!((wall.width() - 20.0).abs() < 1e-9);
    }
}
