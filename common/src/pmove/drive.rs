//! What changes velocity without touching anything: friction, and the acceleration that a command asks for.

use super::{Move, WaterLevel};
use crate::math::Vec3;
use crate::openarena::{dm_flag, pm_flag, pm_type, powerup};

impl Move<'_> {
    /// Slows down by ground, liquid, flight and spectating, each of which adds up. Source: `PM_Friction`.
    pub(super) fn friction(&mut self) {
        let mut along = self.ps.velocity;
        if self.ground.walking {
            along.z = 0.0;
        }
        let speed = along.length();
        if speed < 1.0 {
            // Sinking in water goes on.
            self.ps.velocity.x = 0.0;
            self.ps.velocity.y = 0.0;
            return;
        }

        let mut drop = 0.0;
        let level = self.out.water_level;
        let grips = level <= WaterLevel::Feet && self.ground.walking && !self.ground.is_slick();
        if grips && !self.flag(pm_flag::TIME_KNOCKBACK) {
            drop += speed.max(STOP_SPEED) * GROUND_FRICTION * self.frame_time;
        }
        if level != WaterLevel::Dry {
            drop += speed * WATER_FRICTION * level.depth() as f32 * self.frame_time;
        }
        if self.has_powerup(powerup::FLIGHT) {
            drop += speed * FLIGHT_FRICTION * self.frame_time;
        }
        if self.ps.pm_type == pm_type::SPECTATOR {
            drop += speed * SPECTATOR_FRICTION * self.frame_time;
        }
        let kept = (speed - drop).max(0.0) / speed;
        self.ps.velocity = self.ps.velocity * kept;
    }

    /// Accelerates toward a wish. Source: `PM_Accelerate`.
    ///
    /// Only the part of the velocity along the wish counts against its speed, which is what makes strafe jumping gain speed.
    /// With `DF_NO_BUNNY` the velocity is pushed straight to the wished one and nothing is gained.
    pub(super) fn accelerate(&mut self, wish_dir: Vec3, wish_speed: f32, acceleration: f32) {
        let push = acceleration * self.frame_time * wish_speed;
        if self.input.settings.has(dm_flag::NO_BUNNY) {
            let (dir, missing) = (wish_dir * wish_speed - self.ps.velocity).normalize_with_length();
            self.ps.velocity = self.ps.velocity.mul_add(push.min(missing), dir);
            return;
        }
        let missing = wish_speed - self.ps.velocity.dot(wish_dir);
        if missing > 0.0 {
            self.ps.velocity = self.ps.velocity.mul_add(push.min(missing), wish_dir);
        }
    }

    /// Speed that one unit of command stands for, so that a diagonal is no faster than an axis. Source: `PM_CmdScale`.
    pub(super) fn command_scale(&self) -> f32 {
        let moves = [self.cmd.forward_move, self.cmd.right_move, self.cmd.up_move].map(i32::from);
        let greatest = moves.iter().fold(0, |most, m| most.max(m.abs()));
        if greatest == 0 {
            return 0.0;
        }
        let total = f64::from(moves.iter().map(|m| m * m).sum::<i32>()).sqrt() as f32;
        (f64::from(self.ps.speed as f32 * greatest as f32) / (127.0 * f64::from(total))) as f32
    }

    /// The direction that forward and right ask for, in units of the command.
    pub(super) fn planar_wish(&self) -> Vec3 {
        self.forward * f32::from(self.cmd.forward_move) + self.right * f32::from(self.cmd.right_move)
    }

    /// The velocity that the whole command asks for where up is a direction too. Zero for no command.
    pub(super) fn spatial_wish(&self, scale: f32) -> Vec3 {
        let mut wish = self.forward * scale * f32::from(self.cmd.forward_move)
            + self.right * scale * f32::from(self.cmd.right_move);
        wish.z += scale * f32::from(self.cmd.up_move);
        wish
    }

    /// Turns the legs to where the player goes, an eighth of a turn at a time, counted to the left. At rest, legs that were
    /// turned straight to a side come half back. Source: `PM_SetMovementDir`.
    pub(super) fn turn_legs(&mut self) {
        let dir = match (self.cmd.forward_move.signum(), self.cmd.right_move.signum()) {
            (1, 0) => 0,
            (1, -1) => 1,
            (0, -1) => 2,
            (-1, -1) => 3,
            (-1, 0) => 4,
            (-1, 1) => 5,
            (0, 1) => 6,
            (1, 1) => 7,
            _ => match self.ps.movement_dir {
                2 => 1,
                6 => 7,
                same => same,
            },
        };
        self.ps.movement_dir = dir;
    }
}

/// Below this speed the ground slows as if it were this speed.
pub(crate) const STOP_SPEED: f32 = 100.0;
pub(crate) const GROUND_FRICTION: f32 = 6.0;
pub(crate) const WATER_FRICTION: f32 = 1.0;
pub(crate) const FLIGHT_FRICTION: f32 = 3.0;
const SPECTATOR_FRICTION: f32 = 5.0;

pub(crate) const GROUND_ACCELERATION: f32 = 10.0;
pub(crate) const AIR_ACCELERATION: f32 = 1.0;
pub(crate) const WATER_ACCELERATION: f32 = 4.0;
pub(super) const FLIGHT_ACCELERATION: f32 = 8.0;

#[cfg(test)]
mod tests {
    use super::super::PmoveSettings;
    use super::super::test_world::{Room, player, run, run_with};
    use super::*;
    use crate::math::vec3;
    use crate::proto::{PlayerState, UserCmd};

    #[test]
    fn a_diagonal_is_no_faster_than_an_axis() {
        let speed = |forward_move: i8, right_move: i8| {
            let mut ps = player();
            let cmd = UserCmd { forward_move, right_move, ..UserCmd::default() };
            for _ in 0..50 {
                run(&mut ps, &Room::default(), cmd, 8);
            }
            ps.velocity.length()
        };
        assert!((speed(127, 0) - 320.0).abs() < 0.5);
        assert!((speed(127, 127) - 320.0).abs() < 0.5);
        assert!((speed(-64, 64) - 160.0).abs() < 2.0);
        assert!((speed(-128, 0) - 320.0 * 128.0 / 127.0).abs() < 0.5);
    }

    #[test]
    fn legs_turn_to_where_the_player_goes() {
        let dir = |forward_move: i8, right_move: i8, before: i32| {
            let mut ps = PlayerState { movement_dir: before, ..player() };
            run(&mut ps, &Room::default(), UserCmd { forward_move, right_move, ..UserCmd::default() }, 8);
            ps.movement_dir
        };
        let around = [(1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1)];
        assert_eq!(around.map(|(forward, right)| dir(forward, right, 5)), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|before| dir(0, 0, before)), [0, 1, 1, 3, 4, 5, 7, 7]);
    }

    /// Speed after a second in the air that turns with the view, from running speed.
    fn strafed(dm_flags: i32) -> f32 {
        let mut ps = player();
        ps.origin.z = 120.0;
        ps.gravity = 0;
        ps.velocity = vec3(320.0, 0.0, 0.0);
        let settings = PmoveSettings { dm_flags, float_velocity: true, fixed_step_ms: None };
        for frame in 0..60 {
            let cmd = UserCmd {
                forward_move: 127,
                right_move: 127,
                angles: [0, 9000 + frame * 100, 0],
                ..UserCmd::default()
            };
            run_with(&mut ps, &Room::default(), cmd, 8, settings);
        }
        ps.velocity.length()
    }

    #[test]
    fn strafing_in_the_air_gains_speed_unless_forbidden() {
        assert!(strafed(0) > 330.0, "{}", strafed(0));
        assert!(strafed(dm_flag::NO_BUNNY) <= 320.01, "{}", strafed(dm_flag::NO_BUNNY));
    }
}
