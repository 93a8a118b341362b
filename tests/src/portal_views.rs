//! What a stock client draws through portals, line by line: an account of its second view that shares nothing with the server's.
//!
//! Source: `R_GetPortalOrientations`, `R_MirrorViewBySurface`, `SurfIsOffscreen`, `CG_Portal`.

use crate::game_host::Match;
use crate::gamedata;
use crate::places::is_clear;
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::byte_to_direction;
use fogline_common::portal_surfaces::{PortalShaders, PortalSurface, PortalSurfaces};
use fogline_common::proto::sv_flag;
use fogline_server::config::Config;
use fogline_server::game::{Game, SharedEntity};
use std::sync::Arc;

/// A map with what shows it from elsewhere.
pub struct PortalMap {
    /// What is solid.
    pub clip: Arc<ClipMap>,
    /// Its faces.
    pub surfaces: PortalSurfaces,
    /// Its portal entities, as the game has them.
    pub portals: Vec<SharedEntity>,
}

/// A line that a client draws: from the eye to the face, and on from the face's image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glance {
    /// Where it leaves the image.
    pub from: Vec3,
    /// Where it goes.
    pub along: Vec3,
}

impl PortalMap {
    /// An installed map. `None` if the data is not installed.
    ///
    /// # Panics
    /// If the map is damaged.
    pub fn installed(name: &str) -> Option<Self> {
        let mut shaders = PortalShaders::default();
        gamedata::each_file("scripts/", ".shader", |_, _, bytes| {
            shaders.add_script(&String::from_utf8_lossy(bytes));
        });
        let bsp = Bsp::parse(&gamedata::map(name)?).unwrap_or_else(|error| panic!("{name}: {error}"));
        let clip = Arc::new(ClipMap::build(&bsp).unwrap_or_else(|error| panic!("{name}: {error}")));
        let run = Match::new(clip.clone(), Config::default());
        let entities = run.game.entities();
        let all = (0..entities.len()).filter_map(|number| {
            let num = fogline_common::ids::EntityNum::new(number)?;
            Some(entities.get(num)).filter(|entity| entity.link.sv_flags & sv_flag::PORTAL != 0)
        });
        Some(Self { surfaces: PortalSurfaces::of(&bsp, &shaders), portals: all.collect(), clip })
    }

    /// Pairs of an entity and a face that a client may join.
    pub fn pairs(&self) -> Vec<(&SharedEntity, &PortalSurface)> {
        let faces = self.surfaces.known().unwrap_or_default();
        let near = |entity: &SharedEntity, face: &PortalSurface| {
            (entity.state.pos.base.dot(face.plane.normal) - face.plane.dist).abs() <= 64.0
        };
        let of = |entity| faces.iter().filter(move |face| near(entity, face)).map(move |face| (entity, face));
        self.portals.iter().flat_map(of).collect()
    }

    /// A random line that a client may draw from an eye through a face, at some moment. `None` if the face is not drawn, or the place
    /// on it that was picked is not in sight.
    pub fn glance(
        &self,
        (entity, face): (&SharedEntity, &PortalSurface),
        eye: Vec3,
        rng: &mut fastrand::Rng,
    ) -> Option<Glance> {
        let (state, normal) = (&entity.state, face.plane.normal);
        let at = on_face(face, rng);
        let is_mirror = state.pos.base == state.origin2;
        let in_range = face.corners.iter().any(|corner| corner.distance(eye) <= face.range);
        let before = eye.dot(normal) > face.plane.dist;
        if !before || !(in_range || is_mirror) || !is_clear(&self.clip, &[], eye, at.mul_add(0.25, normal)) {
            return None;
        }
        let toward = (at - eye).normalized();
        if is_mirror {
            let along = toward.mul_add(-2.0 * toward.dot(normal), normal);
            return Some(Glance { from: at, along });
        }
        let forward = byte_to_direction(state.event_parm);
        let roll = f64::from(state.client_num) * 360.0 / 256.0;
        let angle = match (state.powerups != 0, state.frame != 0) {
            (false, _) => roll.trunc(),
            (true, true) => rng.f64() * 360.0,
            (true, false) => roll.trunc() + 4.0 * (rng.f64() * std::f64::consts::TAU).sin(),
        };
        let back = -forward;
        let aside = turned(perpendicular(forward), back, angle.to_radians() as f32);
        let camera = [back, aside, back.cross(aside)];
        let across = perpendicular(normal);
        let own = [normal, across, normal.cross(across)];
        let there = |vector: Vec3| {
            (0..3).fold(Vec3::ZERO, |sum, axis| sum.mul_add(vector.dot(own[axis]), camera[axis]))
        };
        let middle = state.pos.base.mul_add(face.plane.dist - state.pos.base.dot(normal), normal);
        Some(Glance { from: state.origin2 + there(at - middle), along: there(toward) })
    }

    /// Whether a line comes to a box, and light with it.
    pub fn reaches(&self, glance: &Glance, body: &Bounds) -> bool {
        let (mut enter, mut leave) = (0.5_f32, 8192.0_f32);
        for axis in 0..3 {
            let inverse = 1.0 / glance.along[axis];
            let ends = [body.mins, body.maxs].map(|end| (end[axis] - glance.from[axis]) * inverse);
            if ends[0].is_nan() || ends[1].is_nan() {
                return false;
            }
            enter = enter.max(ends[0].min(ends[1]));
            leave = leave.min(ends[0].max(ends[1]));
        }
        let [near, far] = [0.25, enter].map(|way| glance.from.mul_add(way, glance.along));
        enter < leave && !self.clip.is_dark(near) && is_clear(&self.clip, &[], near, far)
    }
}

/// A place on a face, at its rim more often than not.
fn on_face(face: &PortalSurface, rng: &mut fastrand::Rng) -> Vec3 {
    let first = rng.usize(..face.corners.len());
    let [a, b, c] = [0, 1, 2].map(|next| face.corners[(first + next) % face.corners.len()]);
    let share = |rng: &mut fastrand::Rng| if rng.bool() { rng.f32() } else { f32::from(rng.u8(..2)) };
    let (u, v) = (share(rng), share(rng));
    let edge = a.mul_add(u, b - a);
    edge.mul_add(v, c - edge)
}

fn turned(vector: Vec3, about: Vec3, radians: f32) -> Vec3 {
    let along = about * vector.dot(about);
    along + (vector - along) * radians.cos() + about.cross(vector) * radians.sin()
}

fn perpendicular(to: Vec3) -> Vec3 {
    let mut least = 0;
    for axis in 1..3 {
        if to[axis].abs() < to[least].abs() {
            least = axis;
        }
    }
    let unit = match least {
        0 => vec3(1.0, 0.0, 0.0),
        1 => vec3(0.0, 1.0, 0.0),
        _ => vec3(0.0, 0.0, 1.0),
    };
    (unit - to * unit.dot(to)).normalized()
}
