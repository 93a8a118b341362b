//! What clients draw through portals: for each portal entity the faces that look through it, and where what they show is seen from.
//!
//! A stock client draws such a face by a second view, whose eye stands to the camera as its own stands to the face, and clips what
//! is behind the camera's plane. So whatever is drawn there is on a line through the face's *image*: as large as the face, in that
//! plane, about the camera. A mirror's image is the face itself. Cameras swing and turn, so a box has to hold all of it.
//!
//! A face looks through the first entity of the snapshot that is within 64 units of its *plane*, wherever in it. So each entity has
//! all such faces of the map. A face that is not beside its entity has no image here: the client draws the map as it is seen
//! from there, and it may leave out the very walls that are before the image.
//!
//! Source: `R_GetPortalOrientations`, `R_MirrorViewBySurface`, `SurfIsOffscreen`, `CG_Portal`.

use super::image::{Camera, Image};
use fogline_common::collision::ClipMap;
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Plane, Vec3, vec3};
use fogline_common::openarena::{byte_to_direction, trajectory};
use fogline_common::portal_surfaces::{PortalSurface, PortalSurfaces};
use fogline_common::proto::EntityState;
use std::sync::Arc;

/// A face as one portal entity has it show the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The entity.
    pub entity: EntityNum,
    /// Whoever sees nothing of this box sees nothing of the face.
    pub face: Bounds,
    /// What it shows is seen from in here; without it nothing can be said.
    pub image: Option<Image>,
    /// It is not drawn for eyes behind this.
    side: Option<Plane>,
    /// It is not drawn for eyes farther away than this.
    range: f32,
    /// What is behind this is not shown.
    clip: Plane,
}

/// The windows of all portal entities, kept while nothing about them changes.
#[derive(Debug, Default)]
pub struct Windows {
    /// Ascending by entity.
    all: Vec<Window>,
    keys: Vec<Key>,
    surfaces: Arc<PortalSurfaces>,
}

/// What the windows of an entity depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    entity: EntityNum,
    origin: Vec3,
    origin2: Vec3,
    at_rest: bool,
    direction: i32,
    turns: [i32; 3],
}

/// A face looks through an entity that is so near to its plane. Source: `R_GetPortalOrientations`. Unit: world units, one of slack.
const NEAR_PLANE: f32 = 65.0;
/// Room about faces and planes for what is rounded. Unit: world units.
const ROOM: f32 = 1.0;
/// A camera that swings does so by this to each side. Source: `R_GetPortalOrientations`. Unit: degrees.
const SWING: f32 = 4.0;

impl Window {
    /// Whether the face may be drawn for any of these eyes, if they see it at all.
    pub fn is_drawn_for(&self, eyes: &Bounds) -> bool {
        let apart = (eyes.mins - self.face.maxs).max(self.face.mins - eyes.maxs).max(Vec3::ZERO);
        let in_range = apart.length_squared() <= self.range * self.range;
        in_range && self.side.is_none_or(|side| reaches_before(eyes, &side))
    }

    /// Whether any of these bodies is before the camera.
    pub fn is_before(&self, bodies: &Bounds) -> bool {
        reaches_before(bodies, &self.clip)
    }

    fn of(key: &Key, surface: &PortalSurface, clip: &ClipMap) -> Self {
        let is_mirror = key.origin == key.origin2;
        let side = surface.one_sided.then_some(surface.plane);
        let face = surface.bounds.grown(ROOM);
        let beside = face.grown(NEAR_PLANE).contains(key.origin);
        let range = if is_mirror { f32::INFINITY } else { surface.range };
        let window = Self { entity: key.entity, face, image: None, side, range, clip: surface.plane };
        if is_mirror {
            return Self { image: beside.then(|| Image::of_mirror(surface)), ..window };
        }
        let forward = byte_to_direction(key.direction);
        let plane = Plane { normal: forward, dist: forward.dot(key.origin2) };
        let camera = Camera { origin: key.origin2, forward, angles: key.angles() };
        let image =
            Some(()).filter(|()| beside).and_then(|()| Image::new(surface, key.origin, &camera, clip));
        Self { image, clip: plane, ..window }
    }
}

impl Windows {
    /// The windows of an entity, and the number of the first among all. `None`: what it shows is not known.
    pub fn of(&self, entity: EntityNum) -> Option<(usize, &[Window])> {
        let first = self.all.partition_point(|window| window.entity < entity);
        let count = self.all[first..].partition_point(|window| window.entity == entity);
        (count > 0).then(|| (first, &self.all[first..first + count]))
    }

    /// Works them out where anything has changed. The portal entities of the moment, ascending.
    pub fn settle<'s>(
        &mut self,
        portals: impl Iterator<Item = (EntityNum, &'s EntityState)> + Clone,
        surfaces: &Arc<PortalSurfaces>,
        clip: &ClipMap,
    ) {
        let keys = portals.map(|(entity, state)| Key::of(entity, state));
        if Arc::ptr_eq(surfaces, &self.surfaces) && keys.clone().eq(self.keys.iter().copied()) {
            return;
        }
        self.surfaces = surfaces.clone();
        self.keys.clear();
        self.keys.extend(keys);
        self.all.clear();
        let Some(surfaces) = surfaces.known() else { return };
        for key in &self.keys {
            let near = |surface: &&PortalSurface| surface.plane.distance_to(key.origin).abs() < NEAR_PLANE;
            let own = surfaces.iter().filter(near);
            // Where none is beside it, the scripts that we have are not the clients'.
            let is_beside = |surface: &PortalSurface| surface.bounds.grown(NEAR_PLANE).contains(key.origin);
            if key.is_sound() && own.clone().any(is_beside) {
                self.all.extend(own.map(|surface| Window::of(key, surface, clip)));
            }
        }
    }
}

impl Key {
    fn of(entity: EntityNum, state: &EntityState) -> Self {
        Self {
            entity,
            origin: state.pos.base,
            origin2: state.origin2,
            at_rest: state.pos.kind == trajectory::STATIONARY,
            direction: state.event_parm,
            turns: [state.powerups, state.frame, state.client_num],
        }
    }

    fn is_sound(&self) -> bool {
        let looks = self.origin == self.origin2 || byte_to_direction(self.direction) != Vec3::ZERO;
        self.at_rest && looks && self.origin.is_finite() && self.origin2.is_finite()
    }

    /// By which angles the camera may be turned about its direction, from and to. Unit: degrees.
    fn angles(&self) -> [f32; 2] {
        let [turns, speed, roll] = self.turns;
        if turns != 0 && speed != 0 {
            return [0.0, 360.0];
        }
        // Clients cut the roll to whole degrees.
        let roll = roll as f32 / 256.0 * 360.0;
        let about = if turns != 0 { SWING + ROOM } else { ROOM };
        [roll - about, roll + about]
    }
}

/// Distance of a box from a plane, of its corner farthest back.
pub(super) fn nearest(place: &Bounds, plane: &Plane) -> f32 {
    let at = |axis: usize| if plane.normal[axis] < 0.0 { place.maxs[axis] } else { place.mins[axis] };
    plane.distance_to(vec3(at(0), at(1), at(2)))
}

/// Whether any of a box is before a plane, or nearly.
fn reaches_before(place: &Bounds, plane: &Plane) -> bool {
    let back = Plane { normal: -plane.normal, dist: -plane.dist };
    nearest(place, &back) < ROOM
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::halls::{Halls, middle};
    use fogline_common::openarena::direction_to_byte;

    const UP: f32 = 48.0;
    const ACROSS: f32 = 24.0;

    /// A face across x at -150, seen from its front at larger x, in hall 0.
    fn face() -> PortalSurface {
        let corners: Vec<Vec3> = [(-ACROSS, -UP), (ACROSS, -UP), (ACROSS, UP), (-ACROSS, UP)]
            .map(|(y, z)| middle(0) + vec3(0.0, y, z) * 0.5)
            .to_vec();
        PortalSurface {
            bounds: corners.iter().fold(Bounds::EMPTY, |bounds, &corner| bounds.including(corner)),
            corners,
            plane: Plane { normal: vec3(1.0, 0.0, 0.0), dist: middle(0).x },
            one_sided: true,
            range: 60.0,
        }
    }

    /// What an entity 8 before the face shows, its camera in hall 2 looking along y.
    fn windows(surfaces: Vec<PortalSurface>, change: impl FnOnce(&mut EntityState)) -> Windows {
        let halls = Halls::new();
        let mut state = EntityState::default();
        state.pos.base = middle(0) + vec3(8.0, 0.0, 0.0);
        state.origin2 = middle(2);
        state.event_parm = direction_to_byte(vec3(0.0, 1.0, 0.0));
        change(&mut state);
        let mut windows = Windows::default();
        let surfaces = Arc::new(PortalSurfaces::from(surfaces));
        windows.settle(std::iter::once((portal(), &state)), &surfaces, halls.world.clip_map());
        windows
    }

    fn portal() -> EntityNum {
        EntityNum::new(70).unwrap()
    }

    fn one(change: impl FnOnce(&mut EntityState)) -> Window {
        let found = windows(vec![face()], change);
        let (first, all) = found.of(portal()).unwrap();
        assert_eq!((first, all.len()), (0, 1));
        all[0].clone()
    }

    /// Half the sides of an image, about the camera.
    fn sides(change: impl FnOnce(&mut EntityState)) -> Vec3 {
        let image = one(change).image.unwrap().place;
        assert!(image.center().distance(middle(2)) < 0.5, "{image:?}");
        image.size() * 0.5
    }

    fn is_near(found: Vec3, expected: Vec3) {
        assert!(
            (found - expected).abs().to_array().into_iter().all(|off| off < 0.6),
            "{found:?}, {expected:?}"
        );
    }

    #[test]
    fn an_image_is_as_large_as_the_face_in_the_plane_of_the_camera() {
        is_near(sides(|_| ()), vec3(12.0, 0.0, 24.0));
        // A quarter of a turn of roll.
        is_near(sides(|state| state.client_num = 64), vec3(24.0, 0.0, 12.0));
        let fixed = sides(|_| ());
        let swings = sides(|state| state.powerups = 1);
        assert!(swings.x > fixed.x + 1.0 && swings.x < fixed.x + 3.0, "{swings:?}");
        let turns = sides(|state| (state.powerups, state.frame) = (1, 25));
        let reach = vec3(12.0, 24.0, 0.0).length();
        is_near(turns, vec3(reach, 0.0, reach));
    }

    #[test]
    fn the_image_of_a_mirror_is_the_face_itself() {
        let window = one(|state| state.origin2 = state.pos.base);
        assert_eq!(window.image.as_ref().map(|image| image.place), Some(face().bounds));
        let body = |x: f32| Bounds::POINT.grown(4.0).translated(middle(0) + vec3(x, 0.0, 0.0));
        assert!(window.is_before(&body(20.0)) && !window.is_before(&body(-20.0)));
        assert!(window.is_drawn_for(&body(400.0)), "a mirror has no range");
    }

    #[test]
    fn a_face_is_drawn_for_eyes_before_it_and_in_its_range() {
        let window = one(|_| ());
        let drawn =
            |x: f32| window.is_drawn_for(&Bounds::POINT.grown(2.0).translated(middle(0) + vec3(x, 0.0, 0.0)));
        assert_eq!([30.0, 60.0, 70.0, -10.0].map(drawn), [true, true, false, false]);
        let body = |y: f32| Bounds::POINT.grown(4.0).translated(middle(2) + vec3(0.0, y, 0.0));
        assert!(window.is_before(&body(20.0)) && !window.is_before(&body(-20.0)));
    }

    #[test]
    fn nothing_is_known_where_no_face_is_beside_the_entity() {
        let far = |state: &mut EntityState| state.pos.base.y += 200.0;
        assert!(windows(vec![face()], far).of(portal()).is_none(), "in its plane, but elsewhere");
        assert!(windows(vec![face()], |state| state.pos.base.x += 70.0).of(portal()).is_none());
        assert!(windows(vec![], |_| ()).of(portal()).is_none());
        assert!(windows(vec![face()], |state| state.event_parm = 200).of(portal()).is_none());
        assert!(windows(vec![face()], |state| state.pos.kind = trajectory::SINE).of(portal()).is_none());
    }

    #[test]
    fn a_face_elsewhere_in_the_plane_shows_the_same_with_no_image_known() {
        let mut other = face();
        other.corners.iter_mut().for_each(|corner| corner.y += 300.0);
        other.bounds = other.bounds.translated(vec3(0.0, 300.0, 0.0));
        let found = windows(vec![face(), other], |_| ());
        let (_, all) = found.of(portal()).unwrap();
        assert_eq!(all.iter().map(|window| window.image.is_some()).collect::<Vec<_>>(), [true, false]);
    }
}
