//! Moving through the world: slide along what is hit, climb what is low.

use super::Move;
use crate::math::Vec3;
use crate::openarena::event;

/// Velocity with its part into the plane removed, and a little more, so that it leads off the plane.
/// Source: `PM_ClipVelocity`, always with its overbounce of 1.001.
pub(super) fn clip_velocity(velocity: Vec3, normal: Vec3) -> Vec3 {
    let into = velocity.dot(normal);
    let backoff = if into < 0.0 { into * OVERCLIP } else { into / OVERCLIP };
    velocity - normal * backoff
}

/// Planes that a slide must not turn against.
struct ClipPlanes {
    normals: [Vec3; MAX_CLIP_PLANES],
    count: usize,
}

impl ClipPlanes {
    fn push(&mut self, normal: Vec3) {
        self.normals[self.count] = normal;
        self.count += 1;
    }

    fn known(&self) -> &[Vec3] {
        &self.normals[..self.count]
    }

    /// Velocities along all planes: the present one and the one at the end of the step. One plane turns it along the plane, two
    /// along their crease; `None` where three planes leave no way.
    fn redirect(&self, velocity: Vec3, end_velocity: Vec3) -> Option<(Vec3, Vec3)> {
        let planes = self.known();
        let Some(i) = planes.iter().position(|&plane| enters(velocity, plane)) else {
            return Some((velocity, end_velocity));
        };
        let first = planes[i];
        let mut clipped = clip_velocity(velocity, first);
        let mut end_clipped = clip_velocity(end_velocity, first);
        for (j, &second) in planes.iter().enumerate() {
            if j == i || !enters(clipped, second) {
                continue;
            }
            clipped = clip_velocity(clipped, second);
            end_clipped = clip_velocity(end_clipped, second);
            if clipped.dot(first) >= 0.0 {
                continue;
            }
            let crease = first.cross(second).normalized();
            clipped = crease * crease.dot(velocity);
            end_clipped = crease * crease.dot(end_velocity);
            let third = |(k, &plane): (usize, &Vec3)| k != i && k != j && enters(clipped, plane);
            if planes.iter().enumerate().any(third) {
                return None;
            }
        }
        Some((clipped, end_clipped))
    }
}

/// Whether a velocity leads into a plane, or not surely away from it.
fn enters(velocity: Vec3, normal: Vec3) -> bool {
    f64::from(velocity.dot(normal)) < 0.1
}

impl Move<'_> {
    /// Moves for the length of the step and slides along up to four things in the way. Whether anything was. With `gravity`
    /// the fall of this step is included. Source: `PM_SlideMove`.
    pub(super) fn slide_move(&mut self, gravity: bool) -> bool {
        let mut end_velocity = self.ps.velocity;
        if gravity {
            end_velocity.z -= self.ps.gravity as f32 * self.frame_time;
            self.ps.velocity.z = (self.ps.velocity.z + end_velocity.z) * 0.5;
        }
        let primal = end_velocity;
        if gravity && self.ground.touching {
            self.ps.velocity = clip_velocity(self.ps.velocity, self.ground.normal);
        }

        let mut planes = ClipPlanes { normals: [Vec3::ZERO; MAX_CLIP_PLANES], count: 0 };
        if self.ground.touching {
            planes.push(self.ground.normal);
        }
        // Never back against where it was going.
        planes.push(self.ps.velocity.normalized());

        let mut time_left = self.frame_time;
        let mut bumps = 0;
        while bumps < MAX_BUMPS {
            let trace = self.trace(self.ps.origin, self.ps.origin.mul_add(time_left, self.ps.velocity));
            if trace.all_solid {
                // Stuck: no fall builds up, but the player may still push sideways.
                self.ps.velocity.z = 0.0;
                return true;
            }
            if trace.fraction > 0.0 {
                self.ps.origin = trace.end;
            }
            if trace.fraction == 1.0 {
                break;
            }
            bumps += 1;
            self.out.touched.note(trace.entity);
            time_left -= time_left * trace.fraction;

            if planes.count == MAX_CLIP_PLANES {
                self.ps.velocity = Vec3::ZERO;
                return true;
            }
            let normal = trace.plane.normal;
            if planes.known().iter().any(|&known| f64::from(normal.dot(known)) > 0.99) {
                // The same plane again: a matter of rounding, a nudge off it helps.
                self.ps.velocity = normal + self.ps.velocity;
                continue;
            }
            planes.push(normal);
            let Some((along, end_along)) = planes.redirect(self.ps.velocity, end_velocity) else {
                self.ps.velocity = Vec3::ZERO;
                return true;
            };
            self.ps.velocity = along;
            end_velocity = end_along;
        }

        if gravity {
            self.ps.velocity = end_velocity;
        }
        // A timed push (knockback, water jump) is not lost to a wall.
        if self.ps.pm_time != 0 {
            self.ps.velocity = primal;
        }
        bumps != 0
    }

    /// Slides, and where something was in the way tries again from a step higher. Source: `PM_StepSlideMove`.
    pub(super) fn step_slide_move(&mut self, gravity: bool) {
        let start = self.ps.origin;
        let start_velocity = self.ps.velocity;
        if !self.slide_move(gravity) {
            return;
        }
        let mut below = start;
        below.z -= STEP_SIZE;
        let floor = self.trace(start, below);
        let no_floor = floor.fraction == 1.0 || f64::from(floor.plane.normal.z) < 0.7;
        if self.ps.velocity.z > 0.0 && no_floor {
            return;
        }
        let mut above = start;
        above.z += STEP_SIZE;
        let headroom = self.trace(start, above);
        if headroom.all_solid {
            return;
        }
        let climbed = headroom.end.z - start.z;
        self.ps.origin = headroom.end;
        self.ps.velocity = start_velocity;
        self.slide_move(gravity);

        let mut down = self.ps.origin;
        down.z -= climbed;
        let settled = self.trace(self.ps.origin, down);
        if !settled.all_solid {
            self.ps.origin = settled.end;
        }
        if settled.fraction < 1.0 {
            self.ps.velocity = clip_velocity(self.ps.velocity, settled.plane.normal);
        }
        self.step_event(self.ps.origin.z - start.z);
    }

    /// Tells the client by how much to smooth its view.
    fn step_event(&mut self, height: f32) {
        if height > 2.0 {
            self.add_event(match height {
                h if h < 7.0 => event::STEP_4,
                h if h < 11.0 => event::STEP_8,
                h if h < 15.0 => event::STEP_12,
                _ => event::STEP_16,
            });
        }
    }
}

/// How much more than the part into a plane is taken away.
const OVERCLIP: f32 = 1.001;
/// Highest step that is climbed without a jump.
pub(crate) const STEP_SIZE: f32 = 18.0;
const MAX_BUMPS: u32 = 4;
const MAX_CLIP_PLANES: usize = 5;

#[cfg(test)]
mod tests {
    use super::super::test_world::{Room, player, run};
    use super::*;
    use crate::math::vec3;
    use crate::proto::UserCmd;

    #[test]
    fn clipping_leads_a_little_off_the_plane() {
        let up = vec3(0.0, 0.0, 1.0);
        let down = clip_velocity(vec3(10.0, 0.0, -100.0), up);
        assert!(down.x == 10.0 && down.z > 0.0 && down.z < 0.11, "{down:?}");
        let already_off = clip_velocity(vec3(0.0, 0.0, 100.0), up);
        assert!(already_off.z > 0.0 && already_off.z < 0.11, "{already_off:?}");
    }

    #[test]
    fn a_wall_takes_the_speed_into_it_and_leaves_the_rest() {
        let mut ps = player();
        ps.origin = vec3(240.0, 0.0, 24.125);
        ps.velocity = vec3(200.0, 200.0, 0.0);
        ps.pm_flags = 0;
        run(
            &mut ps,
            &Room::default(),
            UserCmd { angles: [0, 8192, 0], forward_move: 127, ..UserCmd::default() },
            50,
        );
        assert!(ps.velocity.x.abs() < 1.0 && ps.velocity.y > 150.0, "{:?}", ps.velocity);
    }

    #[test]
    fn three_planes_stop_dead() {
        let mut planes = ClipPlanes { normals: [Vec3::ZERO; MAX_CLIP_PLANES], count: 0 };
        planes.push(vec3(1.0, 0.0, 0.0));
        assert_eq!(planes.redirect(vec3(5.0, 1.0, 1.0), Vec3::ZERO), Some((vec3(5.0, 1.0, 1.0), Vec3::ZERO)));
        planes.push(vec3(0.0, 1.0, 0.0));
        let diagonal = std::f32::consts::FRAC_1_SQRT_2;
        planes.push(vec3(-diagonal, -diagonal, 0.0));
        assert_eq!(planes.redirect(vec3(-1.0, -1.0, 0.0), Vec3::ZERO), None);
    }

    #[test]
    fn two_planes_lead_along_their_crease() {
        let mut planes = ClipPlanes { normals: [Vec3::ZERO; MAX_CLIP_PLANES], count: 0 };
        let slant = vec3(0.6, 0.0, 0.8);
        planes.push(slant);
        planes.push(vec3(-1.0, 0.0, 0.0));
        let (along, end) = planes.redirect(vec3(0.0, 7.0, -100.0), vec3(0.0, 7.0, -120.0)).expect("a way");
        assert!((along - vec3(0.0, 7.0, 0.0)).length() < 1e-3, "{along:?}");
        assert!((end - vec3(0.0, 7.0, 0.0)).length() < 1e-3, "{end:?}");
    }

    #[test]
    fn stairs_are_climbed_with_an_event_for_each_step() {
        let mut ps = player();
        ps.origin = vec3(20.0, -150.0, 24.125);
        let mut steps = 0;
        for _ in 0..100 {
            let before = ps.event_sequence;
            run(&mut ps, &Room::furnished(), UserCmd { forward_move: 127, ..UserCmd::default() }, 8);
            let newest = ps.events[((ps.event_sequence - 1) & 1) as usize];
            steps += u32::from(ps.event_sequence > before && newest == event::STEP_16);
        }
        assert_eq!(steps, 6);
        assert!((ps.origin.z - 24.125 - 96.0).abs() < 0.2, "{:?}", ps.origin);
    }

    #[test]
    fn a_ramp_is_walked_up_at_full_speed_without_events() {
        let mut ps = player();
        ps.origin = vec3(0.0, 60.0, 24.125);
        let events = |ps: &crate::proto::PlayerState| ps.events.contains(&event::STEP_4);
        for _ in 0..60 {
            let cmd = UserCmd { angles: [0, 16384, 0], forward_move: 127, ..UserCmd::default() };
            run(&mut ps, &Room::furnished(), cmd, 8);
        }
        assert!(ps.origin.z > 60.0 && !events(&ps), "{:?}", ps.origin);
        assert!((ps.velocity.length() - 320.0).abs() < 2.0, "{:?}", ps.velocity);
    }
}
