//! Planes that keep a box and a window apart, the window a convex polygon: what a line that has come from the one through the other
//! cannot recross.
//!
//! Candidates are tangent to both: through a corner of the window and an edge of the box, or through an edge of the window and a
//! corner of the box. Each is *tried* before it counts, so nothing rests on how it was found.

use super::flood::range;
use fogline_common::math::{Bounds, Plane, Vec3};

/// A line passes a portal at most this far beside it: what a bullet is moved aside at the rims of brushes, at a crack, or round an
/// edge. Unit: world units.
pub(super) const STRAY: f32 = 0.75;
/// Planes are moved outward by so much more, for whatever f32 rounds. Unit: world units.
pub(super) const ROUNDING: f32 = 0.05;
/// Shorter vectors say nothing of where they lead. Unit: world units, squared.
const NO_LENGTH: f32 = 1.0e-4;

/// Adds planes with `bounds` behind, farther than [`STRAY`], and the window in front or on it.
pub(super) fn cleave(bounds: &Bounds, window: &[Vec3], found: &mut Vec<Plane>) {
    let tangents = Tangents { bounds, window, around: bounds.grown(STRAY + ROUNDING) };
    tangents.of_corners(found);
    tangents.of_edges(found);
}

/// The box around what of a box is in front of a plane moved back by `by`. Empty if nothing is.
pub(super) fn in_front(bounds: &Bounds, plane: &Plane, by: f32) -> Bounds {
    let Plane { normal, dist } = *plane;
    let highest = range(bounds, normal).1;
    let lack = dist - by - highest;
    if lack > 0.0 {
        return Bounds::EMPTY;
    }
    let mut left = *bounds;
    for axis in 0..3 {
        let part = normal[axis];
        // From the farthest corner no farther back than to the plane.
        if part > FLAT {
            left.mins[axis] = left.mins[axis].max(bounds.maxs[axis] + lack / part);
        } else if part < -FLAT {
            left.maxs[axis] = left.maxs[axis].min(bounds.mins[axis] + lack / part);
        }
    }
    left
}

/// A plane that faces an axis by less says nothing of it.
const FLAT: f32 = 1.0e-3;

struct Tangents<'a> {
    bounds: &'a Bounds,
    window: &'a [Vec3],
    around: Bounds,
}

impl Tangents<'_> {
    /// Planes along an axis through a corner of the window that touch an edge of the box.
    fn of_corners(&self, found: &mut Vec<Plane>) {
        for axis in 0..3 {
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            for corner in self.window {
                for (up_a, up_b) in [(false, false), (false, true), (true, false), (true, true)] {
                    let mut normal = Vec3::ZERO;
                    normal[a] = pick(&self.around, b, up_b) - corner[b];
                    normal[b] = corner[a] - pick(&self.around, a, up_a);
                    let (side_a, side_b) = (sign(up_a) * normal[a], sign(up_b) * normal[b]);
                    if side_a >= 0.0 && side_b >= 0.0 {
                        self.consider(normal, found);
                    } else if side_a <= 0.0 && side_b <= 0.0 {
                        self.consider(-normal, found);
                    }
                }
            }
        }
    }

    /// Planes through an edge of the window that touch a corner of the box.
    fn of_edges(&self, found: &mut Vec<Plane>) {
        for (index, &corner) in self.window.iter().enumerate() {
            let along = self.window[(index + 1) % self.window.len()] - corner;
            for number in 0..8 {
                let up = [number & 1 != 0, number & 2 != 0, number & 4 != 0];
                let mut towards = Vec3::ZERO;
                let mut side = Vec3::ZERO;
                for axis in 0..3 {
                    towards[axis] = pick(&self.around, axis, up[axis]) - corner[axis];
                    side[axis] = sign(up[axis]);
                }
                let normal = along.cross(towards);
                let sides = [normal.x * side.x, normal.y * side.y, normal.z * side.z];
                // Only where that corner is the farthest of the box is the rest behind.
                if sides.iter().all(|&part| part >= 0.0) {
                    self.consider(normal, found);
                } else if sides.iter().all(|&part| part <= 0.0) {
                    self.consider(-normal, found);
                }
            }
        }
    }

    /// Adds the plane of this direction that touches the window, if the box is far enough behind.
    fn consider(&self, normal: Vec3, found: &mut Vec<Plane>) {
        let length = normal.length_squared();
        if length < NO_LENGTH {
            return;
        }
        let normal = normal * (1.0 / length.sqrt());
        let highest = range(self.bounds, normal).1 + STRAY;
        let mut lowest = f32::INFINITY;
        for point in self.window {
            lowest = lowest.min(normal.dot(*point));
            if lowest <= highest {
                return;
            }
        }
        found.push(Plane { normal, dist: lowest });
    }
}

fn pick(bounds: &Bounds, axis: usize, up: bool) -> f32 {
    if up { bounds.maxs[axis] } else { bounds.mins[axis] }
}

fn sign(up: bool) -> f32 {
    if up { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    fn square(x: f32, half: f32) -> [Vec3; 4] {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(y, z)| vec3(x, y * half, z * half))
    }

    #[test]
    fn the_planes_between_a_box_and_a_doorway_bound_what_is_seen_through_it() {
        let eyes = Bounds::POINT.grown(10.0).translated(vec3(-100.0, 0.0, 0.0));
        let mut planes = Vec::new();
        cleave(&eyes, &square(0.0, 20.0), &mut planes);
        let is_seen =
            |y: f32, z: f32| planes.iter().all(|plane| plane.distance_to(vec3(100.0, y, z)) >= -2.0 * STRAY);
        // From (-90, -10) past the side at y = 20 the way leads to y = 53 at x = 100.
        assert!(is_seen(0.0, 0.0) && is_seen(52.0, 0.0) && is_seen(0.0, -52.0));
        assert!(!is_seen(58.0, 0.0) && !is_seen(0.0, -58.0) && !is_seen(-58.0, 40.0));
        // A box that the window touches is on both its sides.
        planes.clear();
        cleave(&eyes, &square(-91.0, 20.0), &mut planes);
        assert_eq!(planes, []);
    }

    #[test]
    fn a_box_is_cut_down_to_what_is_in_front() {
        let cube = Bounds::POINT.grown(10.0);
        let slanted = Plane { normal: vec3(0.6, 0.8, 0.0), dist: 11.0 };
        let left = in_front(&cube, &slanted, 0.0);
        assert!((left.mins.x - 5.0).abs() < 1e-4 && (left.mins.y - 6.25).abs() < 1e-4, "{left:?}");
        assert_eq!((left.maxs, left.mins.z), (cube.maxs, -10.0));
        assert!(in_front(&cube, &Plane { dist: 15.0, ..slanted }, 0.0).mins.x > 1.0e9);
        assert_eq!(in_front(&cube, &Plane { dist: 15.0, ..slanted }, 30.0), cube);
    }

    #[test]
    fn lines_through_a_window_stay_in_front_of_the_planes_from_there_on() {
        let mut rng = fastrand::Rng::with_seed(6);
        let mut planes = Vec::new();
        let mut cut = 0;
        for round in 0..4000 {
            let mut any = |reach: f32| {
                let mut part = || (rng.f32() - 0.5) * reach;
                vec3(part(), part(), part())
            };
            let box_of = |a: Vec3, b: Vec3| Bounds::POINT.translated(a).including(b);
            let at = any(400.0);
            let eyes = box_of(at, at + any(120.0));
            let (middle, right, up) = (any(400.0), any(80.0), any(80.0));
            let window = [middle, middle + right, middle + right + up, middle + up];
            planes.clear();
            cleave(&eyes, &window, &mut planes);
            cut += usize::from(!planes.is_empty());
            for _ in 0..30 {
                let mut share = || rng.f32();
                let size = eyes.size();
                let eye = eyes.mins + vec3(share() * size.x, share() * size.y, share() * size.z);
                let beside = vec3(share() - 0.5, share() - 0.5, share() - 0.5).normalized() * STRAY;
                let passed = middle + right * share() + up * share() + beside;
                let later = eye.mul_add(1.0 + share() * 5.0, passed - eye);
                for plane in &planes {
                    let by = plane.distance_to(later);
                    assert!(by >= -STRAY - 0.01, "seed 6, round {round}: {by} of {plane:?}");
                }
            }
        }
        assert!(cut > 2000, "{cut}");
    }
}
