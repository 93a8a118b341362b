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
        self.ps.velocity = dir * if distance <= 100.0 { 10.0 * distance } else { GRAPPLE_SPEED };
        self.ground.touching = false;
    }

    /// In the sphere nothing moves. Source: `PM_InvulnerabilityMove`.
    pub(super) fn invulnerability_move(&mut self) {
        self.stop_moves();
        self.ps.velocity = Vec3::ZERO;
    }
}

/// Speed at which a distant hook pulls. Unit: units a second.
pub(crate) const GRAPPLE_SPEED: f32 = 800.0;

#[cfg(test)]
mod tests {
    use super::super::PmoveOutput;
    use super::super::test_world::{Room, player, run};
    use super::*;
    use crate::math::vec3;
    use crate::openarena::{pm_flag, pm_type, powerup};
    use crate::proto::{PlayerState, UserCmd};

    fn typed(pm_type: i32) -> PlayerState {
        PlayerState { pm_type, ..player() }
    }

    fn hold(ps: &mut PlayerState, cmd: UserCmd, ms: i32) -> PmoveOutput {
        (0..ms / 8).fold(PmoveOutput::default(), |_, _| run(ps, &Room::default(), cmd, 8))
    }

    #[test]
    fn spectators_fly_and_stop_at_walls_and_noclip_does_not() {
        let forward = UserCmd { forward_move: 127, ..UserCmd::default() };
        let (mut spectator, mut ghost) = (typed(pm_type::SPECTATOR), typed(pm_type::NOCLIP));
        hold(&mut spectator, forward, 2000);
        let out = hold(&mut ghost, forward, 2000);
        assert!(spectator.origin.x > 230.0 && spectator.origin.x < 241.0, "{:?}", spectator.origin);
        assert!(ghost.origin.x > 400.0, "{:?}", ghost.origin);
        assert_eq!(out.bounds, crate::math::Bounds::POINT);
    }

    #[test]
    fn nothing_moves_when_frozen_or_in_an_intermission() {
        for pm_type in [pm_type::FREEZE, pm_type::INTERMISSION, pm_type::SPINTERMISSION] {
            let mut ps = typed(pm_type);
            ps.velocity = vec3(100.0, 0.0, 0.0);
            hold(&mut ps, UserCmd { forward_move: 127, up_move: 127, ..UserCmd::default() }, 200);
            assert_eq!((ps.origin, ps.command_time), (player().origin, 200), "pm_type {pm_type}");
        }
    }

    #[test]
    fn flight_rises_and_hangs() {
        let mut ps = player();
        ps.powerups[powerup::FLIGHT as usize] = i32::MAX;
        hold(&mut ps, UserCmd { up_move: 127, ..UserCmd::default() }, 400);
        assert!(ps.origin.z > 80.0, "{:?}", ps.origin);
        hold(&mut ps, UserCmd::default(), 2000);
        let hangs_at = ps.origin;
        hold(&mut ps, UserCmd::default(), 500);
        assert_eq!(ps.origin, hangs_at);
    }

    #[test]
    fn flight_and_spectating_slow_by_their_own_friction() {
        let kept = |pm_type: i32, flies: bool| {
            let mut ps = PlayerState { pm_type, ground_entity: 1023, ..player() };
            ps.origin.z = 100.0;
            ps.velocity.x = 100.0;
            ps.powerups[powerup::FLIGHT as usize] = i32::from(flies);
            run(&mut ps, &Room::default(), UserCmd::default(), 10);
            ps.velocity.x
        };
        assert!((kept(pm_type::NORMAL, true) - 97.0).abs() < 1e-3);
        assert!((kept(pm_type::SPECTATOR, false) - 95.0).abs() < 1e-3);
        assert!((kept(pm_type::SPECTATOR, true) - 92.0).abs() < 1e-3);
        assert_eq!(kept(pm_type::NORMAL, false), 100.0);
    }

    #[test]
    fn the_hook_pulls_to_its_hold() {
        let mut ps = player();
        ps.pm_flags = pm_flag::GRAPPLE_PULL;
        ps.grapple_point = vec3(0.0, 200.0, 150.0);
        hold(&mut ps, UserCmd::default(), 1500);
        assert!(ps.origin.distance(ps.grapple_point) < 30.0, "{:?}", ps.origin);
    }

    #[test]
    fn the_sphere_holds_still() {
        let mut ps = player();
        ps.powerups[powerup::INVULNERABILITY as usize] = i32::MAX;
        ps.velocity = vec3(300.0, 0.0, 300.0);
        hold(&mut ps, UserCmd { forward_move: 127, ..UserCmd::default() }, 200);
        assert_eq!((ps.origin, ps.velocity), (player().origin, Vec3::ZERO));
    }
}
