//! Off the ground by other means: flight, spectating, noclip, the grapple, and not moving at all in an invulnerability sphere.

use super::Move;
use super::drive::{FLIGHT_ACCELERATION, GROUND_ACCELERATION, GROUND_FRICTION, STOP_SPEED};
use crate::math::Vec3;
use crate::openarena::shared;

impl Move<'_> {
    /// The flight powerup, and spectators. Source: `PM_FlyMove`.
    pub(super) fn fly_move(&mut self) {
        self.friction();
        let scale = self.command_scale();
        let wish = if scale == 0.0 { Vec3::ZERO } else { self.spatial_wish(scale) };
        let (wish_dir, wish_speed) = wish.normalize_with_length();
        self.accelerate(wish_dir, wish_speed, FLIGHT_ACCELERATION);
        self.step_slide_move(false);
    }

    /// Through everything. Source: `PM_NoclipMove`.
    pub(super) fn noclip_move(&mut self) {
        self.ps.view_height = shared::DEFAULT_VIEWHEIGHT;
        let speed = self.ps.velocity.length();
        if speed < 1.0 {
            self.ps.velocity = Vec3::ZERO;
        } else {
            let drop = speed.max(STOP_SPEED) * (GROUND_FRICTION * 1.5) * self.frame_time;
            self.ps.velocity = self.ps.velocity * ((speed - drop).max(0.0) / speed);
        }
        let scale = self.command_scale();
        let mut wish = self.planar_wish();
        wish.z += f32::from(self.cmd.up_move);
        let (wish_dir, wish_length) = wish.normalize_with_length();
        self.accelerate(wish_dir, wish_length * scale, GROUND_ACCELERATION);
        self.ps.origin = self.ps.origin.mul_add(self.frame_time, self.ps.velocity);
    }

    /// The hook pulls to a point just before where it holds, slower when near. Source: `PM_GrappleMove`.
    pub(super) fn grapple_pull(&mut self) {
        let goal = self.ps.grapple_point + self.forward * -16.0;
        let (dir, distance) = (goal - self.ps.origin).normalize_with_length();
        self.ps.velocity = dir * if distance <= 100.0 { 10.0 * distance } else { 800.0 };
        self.ground.touching = false;
    }

    /// In the sphere nothing moves. Source: `PM_InvulnerabilityMove`.
    pub(super) fn invulnerability_move(&mut self) {
        self.stop_moves();
        self.ps.velocity = Vec3::ZERO;
    }
}
