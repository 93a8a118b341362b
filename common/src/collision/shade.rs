//! What a volume hides from a point: a convex region, exactly.
//!
//! A line enters a convex volume by the last of the faces that it comes to from their front, and leaves by the first that it
//! comes to from behind. That the line from the eye to a point enters by one face before it leaves by another is linear in the
//! point. So what a volume hides lies behind all faces that the eye is in front of, and behind one plane through the eye for
//! each pair of a near and a far face. A facet of a curved surface is a volume without thickness: its surface is the near face,
//! each border a plane through the eye; cracks between facets stay open, as they are to rays.
//!
//! Far faces count as nearer by [`EARLY`], since a sweep leaves a volume that much too early: what is shaded here no ray of any
//! kind reaches, not one of light, which takes brushes for larger, and not one of a bullet. Where brushes touch, a line from one
//! into the other is shaded all the same: the face between them is far for the one and near for the other. Lines that come so
//! near to that face without crossing it are not.

use super::brush::Brush;
use super::course::Course;
use super::light::{Occluder, Placement};
use super::{ClipMap, SURFACE_CLIP_EPSILON, Solids, axial_planes};
use crate::math::{Bounds, Plane, Vec3, angle_vectors};

/// A point, in f64: what is cut again and again must not wander.
pub type Place = [f64; 3];

/// What lies behind a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Out of it; of any length.
    pub normal: Place,
    /// `normal · point` on the plane.
    pub dist: f64,
}

impl HalfSpace {
    /// Positive outside; a multiple of the distance.
    #[inline]
    pub fn outside(&self, point: &Place) -> f64 {
        dot(&self.normal, point) - self.dist
    }

    fn of(plane: &Plane) -> Self {
        Self { normal: place(plane.normal), dist: f64::from(plane.dist) }
    }

    /// `a` times the one and `b` times the other.
    fn mixed(a: f64, one: &Self, b: f64, other: &Self) -> Self {
        let normal = std::array::from_fn(|axis| a * one.normal[axis] + b * other.normal[axis]);
        Self { normal, dist: a * one.dist + b * other.dist }
    }
}

/// A point in f64.
pub fn place(point: Vec3) -> Place {
    point.to_array().map(f64::from)
}

fn dot(a: &Place, b: &Place) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// What is hidden from an eye: the common part of some half-spaces. Kept from one question to the next, so that none allocates.
#[derive(Clone, Debug, Default)]
pub struct Shade {
    sides: Vec<HalfSpace>,
    near: Vec<(HalfSpace, f64)>,
    far: Vec<(HalfSpace, f64)>,
}

/// How much too early a ray leaves a volume, and what rounding may add. Unit: world units.
const EARLY: f64 = SURFACE_CLIP_EPSILON + 1.0 / 128.0;
/// A volume of more faces hides nothing: mappers draw six to a dozen.
const MOST_FACES: usize = 32;

impl Shade {
    /// What bounds it.
    pub fn sides(&self) -> &[HalfSpace] {
        &self.sides
    }

    /// Whether a point is in it.
    #[inline]
    pub fn contains(&self, point: &Place) -> bool {
        self.sides.iter().all(|side| side.outside(point) <= 0.0)
    }

    /// Of a convex volume behind planes. False: the eye is not outside of it, or it has too many faces.
    fn fill(&mut self, eye: &Place, planes: impl Iterator<Item = Plane>) -> bool {
        let Self { sides, near, far } = self;
        sides.clear();
        near.clear();
        far.clear();
        for face in planes.map(|plane| HalfSpace::of(&plane)) {
            let list = if face.outside(eye) >= 0.0 { &mut *near } else { &mut *far };
            if list.iter().all(|(known, _)| *known != face) {
                list.push((face, face.outside(eye)));
            }
        }
        if near.is_empty() || near.len() + far.len() > MOST_FACES {
            return false;
        }
        sides.extend(near.iter().map(|(face, _)| *face));
        for (entered, before) in near.iter() {
            for (left, behind) in far.iter() {
                // With a point's distances n and f to the two: before / (before - n) <= (depth - EARLY) / (depth + f).
                let depth = -behind;
                let pair = HalfSpace::mixed(*before, left, depth - EARLY, entered);
                sides.push(HalfSpace { dist: pair.dist - before * EARLY, ..pair });
            }
        }
        true
    }

    /// Of a facet: its surface and the planes of its borders, which face out. False: the eye is not in front of it.
    pub(super) fn fill_facet(
        &mut self,
        eye: &Place,
        surface: &Plane,
        borders: impl Iterator<Item = Plane>,
    ) -> bool {
        let surface = HalfSpace::of(surface);
        let before = surface.outside(eye);
        if before <= 0.0 {
            return false;
        }
        self.sides.clear();
        self.sides.push(surface);
        let borders = borders.map(|plane| HalfSpace::of(&plane));
        self.sides
            .extend(borders.map(|border| HalfSpace::mixed(before, &border, -border.outside(eye), &surface)));
        true
    }

    /// Turned from how a model sees it to how the world does.
    fn turn_out(&mut self, placed: &Placement) {
        let axes = (placed.angles != Vec3::ZERO).then(|| angle_vectors(placed.angles));
        let origin = place(placed.origin);
        for side in &mut self.sides {
            if let Some(axes) = &axes {
                let [x, y, z] = side.normal;
                let (forward, right, up) = (place(axes.forward), place(axes.right), place(axes.up));
                side.normal = std::array::from_fn(|axis| x * forward[axis] - y * right[axis] + z * up[axis]);
            }
            side.dist += dot(&side.normal, &origin);
        }
    }
}

impl ClipMap {
    /// What one volume or facet of the world, not of its models, hides from `eye`, if it hides `point`. False if none does for
    /// sure: light may be stopped all the same.
    pub fn shade_between(&self, eye: Vec3, point: Vec3, shade: &mut Shade) -> bool {
        let mut found = false;
        self.each_leaf_on_way(eye, point, &mut |leaf| {
            found = self.shade_among(self.leafs[leaf.index()].solids, eye, point, shade);
            !found
        });
        found
    }

    /// The same of a model where it stands; points and shade are in the world.
    pub fn shade_of_model(&self, placed: &Placement, eye: Vec3, point: Vec3, shade: &mut Shade) -> bool {
        let Some(model) = self.models.get(placed.model) else { return false };
        let found = self.shade_among(model.solids, placed.to_model(eye), placed.to_model(point), shade);
        if found {
            shade.turn_out(placed);
        }
        found
    }

    /// What a brush hides from `eye`. False if that cannot be said. `placed`: it belongs to a model that stands there.
    pub fn shade_of(
        &self,
        occluder: Occluder,
        placed: Option<&Placement>,
        eye: Vec3,
        shade: &mut Shade,
    ) -> bool {
        let Some(brush) = self.brushes.get(occluder.index()).filter(|brush| brush.opaque) else {
            return false;
        };
        let eye = placed.map_or(eye, |placed| placed.to_model(eye));
        let found = self.fill_brush(brush, &place(eye), shade);
        if let Some(placed) = placed.filter(|_| found) {
            shade.turn_out(placed);
        }
        found
    }

    fn fill_brush(&self, brush: &Brush, eye: &Place, shade: &mut Shade) -> bool {
        let groups = &self.groups[brush.groups.range()];
        let slanted = groups.iter().flat_map(|group| (0..4).map(|lane| group.plane(lane)));
        shade.fill(eye, axial_planes(&brush.bounds).into_iter().chain(slanted))
    }

    fn shade_among(&self, solids: Solids, eye: Vec3, point: Vec3, shade: &mut Shade) -> bool {
        let way = Bounds { mins: eye.min(point), maxs: eye.max(point) };
        let (from, to) = (place(eye), place(point));
        let hides = |brush: &&Brush| {
            brush.opaque && brush.bounds.touches(&way) && self.brush_stops(brush, eye, point - eye)
        };
        let brushes =
            self.leaf_brushes[solids.brushes()].iter().map(|&number| &self.brushes[number as usize]);
        for brush in brushes.filter(hides) {
            if self.fill_brush(brush, &from, shade) && shade.contains(&to) {
                return true;
            }
        }
        let course = Course::new(eye, point, &Bounds::POINT);
        let patches =
            self.leaf_patches[solids.patches()].iter().map(|&number| &self.patches[number as usize]);
        patches
            .filter(|patch| patch.opaque && patch.bounds.touches(&way) && course.meets(&patch.bounds, 1.0))
            .any(|patch| patch.shade_between(&from, &to, shade))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bsp::testing::room;
    use crate::collision::Light;
    use crate::math::vec3;
    use crate::proto::mask;
    use crate::trace::TraceRequest;

    fn any(rng: &mut fastrand::Rng, bounds: &Bounds) -> Vec3 {
        let size = bounds.size();
        bounds.mins + vec3(rng.f32() * size.x, rng.f32() * size.y, rng.f32() * size.z)
    }

    #[test]
    fn no_ray_of_any_kind_reaches_what_is_shaded() {
        let map = ClipMap::build(&room()).unwrap();
        let (seed, around) = (3, map.model_bounds(0).unwrap());
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut shade = Shade::default();
        let (mut found, mut reached) = (0, 0);
        for round in 0..40_000 {
            let (eye, point) = (any(&mut rng, &around), any(&mut rng, &around));
            if map.is_dark(eye) || !map.shade_between(eye, point, &mut shade) {
                continue;
            }
            found += 1;
            for _ in 0..20 {
                let other = any(&mut rng, &around);
                let other = point.mul_add(rng.f32() * rng.f32(), other - point);
                if !shade.contains(&place(other)) {
                    continue;
                }
                reached += 1;
                let bullet = map.trace(&TraceRequest::ray(eye, other, mask::SOLID, None));
                assert_ne!(
                    map.light(eye, other),
                    Light::Passes,
                    "seed {seed} round {round}: {eye:?} {other:?}"
                );
                assert!(bullet.hit(), "seed {seed} round {round}: a bullet, {eye:?} {other:?}");
            }
        }
        assert!(found > 2_000 && reached > 10_000, "seed {seed}: {found} shades, {reached} points");
    }

    #[test]
    fn a_line_from_one_box_into_the_next_is_shaded() {
        let mut rng = fastrand::Rng::with_seed(9);
        let low = Bounds::new(vec3(0.0, -64.0, -64.0), vec3(16.0, 0.0, 64.0));
        let high = Bounds::new(vec3(0.0, 0.0, -64.0), vec3(16.0, 64.0, 64.0));
        let [mut one, mut other] = [Shade::default(), Shade::default()];
        for _ in 0..2_000 {
            let part = |rng: &mut fastrand::Rng, reach: f32| (rng.f32() - 0.5) * reach;
            let eye = vec3(-4.0 - rng.f32() * 200.0, part(&mut rng, 60.0), part(&mut rng, 60.0));
            assert!(one.fill(&place(eye), axial_planes(&low).into_iter()));
            assert!(other.fill(&place(eye), axial_planes(&high).into_iter()));
            // Across the face between them, anywhere inside of both.
            let seam = vec3(0.5 + rng.f32() * 15.0, 0.0, part(&mut rng, 100.0));
            let point = place(eye.mul_add(1.5 + rng.f32(), seam - eye));
            if point[0] > 16.0 && point[2].abs() < 60.0 {
                assert!(one.contains(&point) || other.contains(&point), "seed 9: {eye:?} {point:?}");
            }
        }
    }

    #[test]
    fn a_doors_shade_turns_with_it() {
        let map = ClipMap::build(&room()).unwrap();
        let placed = Placement { model: 1, origin: vec3(40.0, 0.0, 0.0), angles: vec3(0.0, 90.0, 0.0) };
        let (eye, point) = (vec3(100.0, 0.0, 32.0), vec3(0.0, 0.0, 32.0));
        let mut shade = Shade::default();
        assert!(map.shade_of_model(&placed, eye, point, &mut shade));
        assert!(shade.contains(&place(point)) && !shade.contains(&place(eye)));
        // The door is 64 broad there.
        assert!(!shade.contains(&place(vec3(0.0, 90.0, 32.0))));
        let apart = Placement { origin: vec3(40.0, 300.0, 0.0), ..placed };
        assert!(!map.shade_of_model(&apart, eye, point, &mut shade));
    }
}
