//! The image of a portal's face about its camera: the place that everything which the portal shows is seen through, as large as the
//! face, at all angles that the camera may be turned by.
//!
//! Part of it may lie in a floor or a wall. Clients do not draw walls from behind, so a line from there passes what it starts in, and
//! proofs, which speak of places that light comes to, say nothing of it. What does is the eye: it stands to the camera as the
//! viewer's stands to the face. If it is above the top of the dark part then all its lines through that part lead below this
//! height, and the same along each axis.

use super::windows::nearest;
use fogline_common::collision::ClipMap;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::portal_surfaces::PortalSurface;

/// An image.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Box around all of it.
    pub place: Bounds,
    /// Boxes around what of it lies in something that stops light.
    dark: Vec<Bounds>,
    turn: Option<Turn>,
}

/// Where a camera is, where it looks, and by which angles it may be turned about that, from and to (degrees).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is.
    pub origin: Vec3,
    /// Unit vector.
    pub forward: Vec3,
    /// From and to.
    pub angles: [f32; 2],
}

/// How a client takes places before the face to places about the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    middle: Vec3,
    own: [Vec3; 3],
    camera: Camera,
}

/// Images are worked out for angles so far apart. Unit: degrees.
const STEP: f32 = 2.0;
/// A camera that turns by more counts as one that turns round.
const WIDE: f32 = 90.0;
/// Room for what is rounded. Unit: world units.
const ROUNDED: f32 = 0.01;
/// Of an image that lies in more volumes nothing is known.
const MOST_DARK: usize = 16;

impl Image {
    /// A mirror's, which is the face. Nobody sees what of it lies in a wall.
    pub fn of_mirror(surface: &PortalSurface) -> Self {
        Self { place: surface.bounds, dark: Vec::new(), turn: None }
    }

    /// The image of a face that looks through an entity at `entity`. `None`: where light comes to it cannot be told.
    pub fn new(surface: &PortalSurface, entity: Vec3, camera: &Camera, clip: &ClipMap) -> Option<Self> {
        let normal = surface.plane.normal;
        let across = perpendicular(normal);
        let turn = Turn {
            middle: entity.mul_add(-surface.plane.distance_to(entity), normal),
            own: [normal, across, normal.cross(across)],
            camera: *camera,
        };
        let place = turn.around(surface.corners.iter().copied());
        let finite = place.mins.is_finite() && place.maxs.is_finite();
        let dark = Some(place).filter(|_| finite).and_then(|place| dark_parts(&place, clip))?;
        Some(Self { place, dark, turn: Some(turn) })
    }

    /// Whether eyes in the one box may see any of the other along a line that begins in the dark.
    pub fn may_pass_dark(&self, eyes: &Bounds, bodies: &Bounds) -> bool {
        let Some(turn) = self.turn.filter(|_| !self.dark.is_empty()) else { return false };
        let eyes = turn.around((0..8).map(|corner| {
            let at = |axis: usize| if corner >> axis & 1 == 1 { eyes.maxs[axis] } else { eyes.mins[axis] };
            vec3(at(0), at(1), at(2))
        }));
        let keeps_below = |dark: &Bounds, axis: usize| {
            let (top, bottom) = (dark.maxs[axis], dark.mins[axis]);
            (eyes.mins[axis] >= top && bodies.mins[axis] >= top)
                || (eyes.maxs[axis] <= bottom && bodies.maxs[axis] <= bottom)
        };
        !self.dark.iter().all(|dark| (0..3).any(|axis| keeps_below(dark, axis)))
    }
}

impl Turn {
    /// Box around where these places are taken to, at all angles.
    fn around(&self, places: impl Iterator<Item = Vec3>) -> Bounds {
        let back = -self.camera.forward;
        let aside = perpendicular(self.camera.forward);
        let above = back.cross(aside);
        let [from, to] = self.camera.angles;
        let steps = ((to - from) / STEP).ceil() as usize;
        let mut found = Bounds::EMPTY;
        for place in places {
            let local = place - self.middle;
            let [depth, y, z] = [0, 1, 2].map(|axis| local.dot(self.own[axis]));
            let center = self.camera.origin.mul_add(depth, back);
            let reach = y.hypot(z);
            if to - from > WIDE {
                let half = |axis: usize| reach * (1.0 - back[axis] * back[axis]).max(0.0).sqrt();
                let half = vec3(half(0), half(1), half(2));
                found = found.union(Bounds::new(center - half, center + half).grown(ROUNDED));
                continue;
            }
            // Between two steps an arc leaves the box of its ends by less than this.
            let sagitta = reach * (1.0 - (STEP / 2.0).to_radians().cos());
            for step in 0..=steps {
                let (sin, cos) = (from + step as f32 * STEP).min(to).to_radians().sin_cos();
                let at = center + aside * (y * cos - z * sin) + above * (y * sin + z * cos);
                found = found.union(Bounds::new(at, at).grown(sagitta + ROUNDED));
            }
        }
        found
    }
}

/// A direction at right angles to another, as clients choose it. Source: `PerpendicularVector`.
fn perpendicular(to: Vec3) -> Vec3 {
    let least = (1..3).fold(0, |least, axis| if to[axis].abs() < to[least].abs() { axis } else { least });
    let axis = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)][least];
    axis.mul_add(-axis.dot(to), to).normalized()
}

/// Boxes around the parts of a place that are in what stops light. `None` if there may be more: the rest touches leafs that are in no
/// cluster, or there are too many.
fn dark_parts(place: &Bounds, clip: &ClipMap) -> Option<Vec<Bounds>> {
    let mut dark: Vec<Bounds> = Vec::new();
    clip.each_leaf_touched(place, &mut |leaf| {
        let overlaps =
            |&occluder: &_| clip.occluder_planes(occluder).all(|plane| nearest(place, &plane) < 0.0);
        for occluder in clip.occluders_in(leaf).filter(overlaps) {
            let volume = clip.occluder_bounds(occluder);
            let part = Bounds { mins: volume.mins.max(place.mins), maxs: volume.maxs.min(place.maxs) };
            if !dark.contains(&part) {
                dark.push(part);
            }
        }
        dark.len() <= MOST_DARK
    });
    if dark.len() > MOST_DARK {
        return None;
    }
    let mut rest = vec![*place];
    for part in &dark {
        rest = rest.iter().flat_map(|piece| outside(piece, part)).collect();
    }
    let mut lit = rest.iter().filter(|piece| {
        let (whole, left) = (place.size(), piece.size());
        (0..3).all(|axis| left[axis] > 2.0 * ROUNDED || left[axis] >= whole[axis])
    });
    let is_in_clusters = |piece: &Bounds| {
        let skin = (piece.size() * 0.4).min(Vec3::splat(ROUNDED));
        let inner = Bounds { mins: piece.mins + skin, maxs: piece.maxs - skin };
        clip.each_leaf_touched(&inner, &mut |leaf| clip.leaf_cluster(leaf).is_some())
    };
    lit.all(is_in_clusters).then_some(dark)
}

/// What of a box is outside of another, in boxes.
fn outside(place: &Bounds, hole: &Bounds) -> Vec<Bounds> {
    if !place.touches(hole) {
        return vec![*place];
    }
    let (mut rest, mut pieces) = (*place, Vec::new());
    for axis in 0..3 {
        if rest.mins[axis] < hole.mins[axis] {
            let mut piece = rest;
            piece.maxs[axis] = hole.mins[axis];
            rest.mins[axis] = hole.mins[axis];
            pieces.push(piece);
        }
        if rest.maxs[axis] > hole.maxs[axis] {
            let mut piece = rest;
            piece.mins[axis] = hole.maxs[axis];
            rest.maxs[axis] = hole.maxs[axis];
            pieces.push(piece);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::proof::walls::wedges;
    use fogline_common::math::Plane;

    /// A face of 64 by 48 across x.
    fn face() -> PortalSurface {
        let corner =
            |n: u8| vec3(0.0, if n & 1 == 1 { 32.0 } else { -32.0 }, if n & 2 == 2 { 24.0 } else { -24.0 });
        let corners: Vec<Vec3> = [0, 1, 3, 2].map(corner).to_vec();
        PortalSurface {
            corners,
            bounds: Bounds::new(vec3(0.0, -32.0, -24.0), vec3(0.0, 32.0, 24.0)),
            plane: Plane { normal: vec3(1.0, 0.0, 0.0), dist: 0.0 },
            one_sided: true,
            range: 256.0,
        }
    }

    /// The floor's top is z = 0; the camera looks along it.
    fn camera(z: f32, angles: [f32; 2]) -> Camera {
        Camera { origin: vec3(0.0, 300.0, z), forward: vec3(0.0, 1.0, 0.0), angles }
    }

    fn image(z: f32, angles: [f32; 2]) -> Option<Image> {
        Image::new(&face(), vec3(4.0, 0.0, 0.0), &camera(z, angles), &wedges())
    }

    #[test]
    fn an_image_is_as_large_as_the_face_and_as_wide_as_it_turns() {
        let about = |angles, half: [f32; 3]| {
            let place = image(100.0, angles).unwrap().place;
            let size = place.size();
            (0..3).all(|axis| (size[axis] - 2.0 * half[axis]).abs() < 0.1)
                && place.center().distance(vec3(0.0, 300.0, 100.0)) < 0.1
        };
        assert!(about([0.0, 0.0], [32.0, 0.0, 24.0]));
        assert!(about([90.0, 90.0], [24.0, 0.0, 32.0]));
        assert!(about([0.0, 360.0], [40.0, 0.0, 40.0]), "all the way round a corner comes 40 far");
        let swings = image(100.0, [-4.0, 4.0]).unwrap().place.size();
        let farthest = 32.0 * 4.0_f32.to_radians().cos() + 24.0 * 4.0_f32.to_radians().sin();
        assert!((0.0..0.2).contains(&(swings.x / 2.0 - farthest)), "{swings:?}");
    }

    #[test]
    fn through_what_lies_in_the_floor_only_what_is_below_may_be_seen_from_above() {
        let before = |z: f32| Bounds::POINT.grown(5.0).translated(vec3(100.0, 0.0, z));
        let body = |z: f32| Bounds::POINT.grown(5.0).translated(vec3(0.0, 500.0, z));
        let half_in_the_floor = image(0.0, [0.0, 0.0]).unwrap();
        assert!(!half_in_the_floor.may_pass_dark(&before(20.0), &body(20.0)));
        assert!(half_in_the_floor.may_pass_dark(&before(20.0), &body(-200.0)));
        assert!(
            half_in_the_floor.may_pass_dark(&before(-4.0), &body(20.0)),
            "an eye that is turned into the floor"
        );
        assert!(
            !image(100.0, [0.0, 0.0]).unwrap().may_pass_dark(&before(20.0), &body(-200.0)),
            "nothing is dark"
        );
    }

    #[test]
    fn a_mirrors_image_is_its_face() {
        assert_eq!(Image::of_mirror(&face()).place, face().bounds);
    }
}
