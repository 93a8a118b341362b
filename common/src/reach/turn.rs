//! What faces that are touched make of a velocity.
//!
//! A contact takes the part into the plane away: v becomes v + an, a >= 0. Along d that is v·d + a n·d, or v·Pd, P the projection
//! on the plane: so along d the velocity is at most the largest v·u, u being d or d projected on planes one after the other. It grows
//! only by planes that face d. Where two planes lead into each other it is projected on their crease.

use super::touch::Touch;
use crate::math::{Vec3, vec3};
use crate::pmove::limits::MIN_WALK_NORMAL;

/// Faces that are looked at one by one.
pub(super) const MOST_FACES: usize = 16;
/// A plane faces a direction if the cosine is above this.
const FACING: f32 = 1.0e-4;

/// The velocity that may be turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// As it is now.
    pub velocity: Vec3,
    /// Least and greatest speed upward that it may come to. Unit: units/s.
    pub upward: [f32; 2],
    /// All of it is at most that. Unit: units/s.
    pub whole: f32,
}

impl Motion {
    /// How fast it is along a vector.
    fn along(&self, u: Vec3) -> f32 {
        let level = vec3(self.velocity.x, self.velocity.y, 0.0);
        level.dot(u) + (self.upward[0] * u.z).max(self.upward[1] * u.z)
    }
}

/// How fast the motion may be along a level direction after any contacts, and without a push since. Unit: units/s.
pub(super) fn turned(touch: &Touch, motion: &Motion, along: Vec3) -> f32 {
    let straight = motion.along(along);
    let Some(faces) = touch.faces() else { return motion.whole };
    let depth = DEPTH.saturating_sub(faces.len() / FEW).max(1);
    let mut search = Search { faces, motion, most: straight, depth };
    search.project(along, 1.0, &[]);
    search.creases(along, touch);
    // Swimmers keep their speed along what is below them, however steep.
    let leads_on = |normal: &&Vec3| touch.corners || touch.water && normal.z > 0.0;
    let along_wall = |normal: &Vec3| motion.whole * (along - *normal * normal.dot(along)).length();
    search.most = faces.iter().filter(leads_on).map(along_wall).fold(search.most, f32::max);
    let stuck = if touch.sticks() { 0.0 } else { f32::NEG_INFINITY };
    search.most.max(stuck).min(motion.whole.max(straight))
}

struct Search<'a> {
    faces: &'a [Vec3],
    motion: &'a Motion,
    most: f32,
    /// Contacts in a row that are followed exactly.
    depth: usize,
}

/// Contacts in a row that are followed exactly, and one less for each so many faces.
const DEPTH: usize = 3;
const FEW: usize = 4;

impl Search<'_> {
    /// All projections of a vector, `done` being the faces that it has been projected on. Ground may have kept up to `kept` times what
    /// a projection leaves, and need not have.
    fn project(&mut self, u: Vec3, kept: f32, done: &[usize]) {
        let mut further = 0.0;
        for (at, &normal) in self.faces.iter().enumerate() {
            let facing = normal.dot(u);
            // What is below takes what leads off it as well. Ground keeps the speed.
            let (below, carries) = (normal.z > FACING, normal.z >= MIN_WALK_NORMAL);
            if done.last() == Some(&at) || (facing <= FACING && !(below && facing < -FACING)) {
                continue;
            }
            if done.len() == self.depth {
                further += facing.abs() * kept;
                continue;
            }
            let kept = if carries { kept / normal.z } else { kept };
            let projected = u - normal * facing;
            let most = self.motion.along(projected);
            self.most = self.most.max(most).max(most * kept);
            let mut next = [0; DEPTH];
            next[..done.len()].copy_from_slice(done);
            next[done.len()] = at;
            self.project(projected, kept, &next[..=done.len()]);
        }
        if further > 0.0 {
            let straight = self.motion.along(u);
            let more = straight.max(straight * kept) + further * self.motion.whole;
            self.most = self.most.max(more.min(self.motion.whole * (u.length() * kept).min(1.0)));
        }
    }

    fn creases(&mut self, along: Vec3, touch: &Touch) {
        for (at, &first) in self.faces.iter().enumerate() {
            // What lies level makes a wedge with a slope.
            for second in self.faces[..at].iter().copied().chain(touch.level_faces()) {
                let crease = first.cross(second);
                // Of planes that open up each is left in peace by what the other makes of a velocity.
                if first.dot(second) >= 0.0 || crease.length_squared() < 1.0e-6 {
                    continue;
                }
                let crease = crease.normalized();
                let u = crease * crease.dot(along);
                // What met a third before may have been turned in any way.
                let before = self.faces.iter().any(|normal| normal.dot(u) > FACING);
                let most = if before { self.motion.whole * u.length() } else { self.motion.along(u) };
                self.most = self.most.max(most);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EAST: Vec3 = vec3(1.0, 0.0, 0.0);

    /// Speed along `along` that a level runner may have after contacts with these faces.
    fn run(velocity: Vec3, faces: &[Vec3], along: Vec3) -> f32 {
        let motion = Motion { velocity, upward: [0.0, 0.0], whole: velocity.length() };
        turned(&Touch::of(faces), &motion, along)
    }

    #[test]
    fn a_wall_turns_by_its_slant_and_only_to_where_it_faces() {
        let slant = vec3(0.6, 0.8, 0.0);
        // Southward into the wall: 0.8 of it is taken, of which 0.6 leads east.
        let south = vec3(0.0, -300.0, 0.0);
        assert!((run(south, &[slant], EAST) - 300.0 * 0.8 * 0.6).abs() < 0.1);
        assert!((run(south, &[slant], -EAST)).abs() < 0.1);
        // An upright wall across the way stops and turns nothing.
        assert!((run(vec3(-300.0, 0.0, 0.0), &[EAST], EAST)).abs() < 0.1);
        assert!((run(vec3(-300.0, 0.0, 0.0), &[], EAST) + 300.0).abs() < 0.1);
    }

    #[test]
    fn a_wedge_of_ground_and_a_slanted_ceiling_stops() {
        let (slant, up) = (vec3(-0.6, 0.0, -0.8), vec3(0.0, 0.0, 1.0));
        let east = vec3(300.0, 0.0, 0.0);
        assert!((run(east, &[slant, up], -EAST)).abs() < 0.1);
        assert!(run(east, &[slant], -EAST) < -100.0);
    }

    #[test]
    fn no_faces_make_more_of_a_velocity_than_it_is() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..2000 {
            let mut any = || (rng.f32() - 0.5) * 2.0;
            let faces = [vec3(any(), any(), 0.0), vec3(any(), any(), any()), vec3(any(), any(), any())]
                .map(Vec3::normalized);
            let velocity = vec3(any() * 400.0, any() * 400.0, 0.0);
            let [most, straight] = [&faces[..], &[]].map(|faces| run(velocity, faces, EAST));
            assert!(most <= velocity.length() + 0.1 && most >= straight, "{faces:?} {velocity:?}: {most}");
        }
    }
}
