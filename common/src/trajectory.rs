//! Where a [`Trajectory`] is at a moment: movers, missiles, items and interpolated players, alike on both ends.
//!
//! Source: `BG_EvaluateTrajectory` and `BG_EvaluateTrajectoryDelta` of OpenArena 0.8.8; facts page "q3-protocol-facts",
//! section 10. Times are turned into f32 seconds through f64, as C does.

use crate::math::Vec3;
use crate::openarena::trajectory as kind;
use crate::proto::Trajectory;
use crate::time::ServerTime;
use std::f64::consts::TAU;

/// Gravity of every trajectory, whatever the server's setting. Unit: world units per s². Source: `DEFAULT_GRAVITY`.
pub const GRAVITY: f64 = 800.0;

impl Trajectory {
    /// The position (or the angles) at `time`. A kind that nobody knows stays at its base.
    pub fn at(&self, time: ServerTime) -> Vec3 {
        match self.kind {
            kind::LINEAR => self.base.mul_add(self.seconds_until(time), self.delta),
            kind::LINEAR_STOP => {
                let end = self.time.wrapping_add(self.duration);
                let seconds = self.seconds_until(ServerTime(time.0.min(end))).max(0.0);
                self.base.mul_add(seconds, self.delta)
            }
            kind::SINE => {
                let phase = (f64::from(self.turns_until(time)) * TAU).sin() as f32;
                self.base.mul_add(phase, self.delta)
            }
            kind::GRAVITY => {
                let seconds = self.seconds_until(time);
                let mut at = self.base.mul_add(seconds, self.delta);
                let fall = 0.5 * GRAVITY * f64::from(seconds) * f64::from(seconds);
                at.z = (f64::from(at.z) - fall) as f32;
                at
            }
            _ => self.base,
        }
    }

    /// The velocity at `time`, per second. For [`SINE`](kind::SINE) it is the half of the cosine that the original computes.
    pub fn velocity_at(&self, time: ServerTime) -> Vec3 {
        match self.kind {
            kind::LINEAR => self.delta,
            kind::LINEAR_STOP if time.0 > self.time.wrapping_add(self.duration) => Vec3::ZERO,
            kind::LINEAR_STOP => self.delta,
            kind::SINE => {
                let phase = (f64::from(self.turns_until(time)) * TAU).cos() as f32;
                self.delta * (phase * 0.5)
            }
            kind::GRAVITY => {
                // Here the original's constant is an integer, so that all of it is in f32.
                let mut velocity = self.delta;
                velocity.z -= GRAVITY as f32 * self.seconds_until(time);
                velocity
            }
            _ => Vec3::ZERO,
        }
    }

    fn seconds_until(&self, time: ServerTime) -> f32 {
        (f64::from(time.0.wrapping_sub(self.time)) * 0.001) as f32
    }

    /// Periods of a sine; none if it has no duration, where the original divides by zero.
    fn turns_until(&self, time: ServerTime) -> f32 {
        if self.duration == 0 { 0.0 } else { time.0.wrapping_sub(self.time) as f32 / self.duration as f32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec3;

    fn along_x(kind: i32, duration: i32) -> Trajectory {
        Trajectory { kind, time: 1000, duration, base: vec3(10.0, 0.0, 0.0), delta: vec3(100.0, 0.0, 0.0) }
    }

    #[test]
    fn what_does_not_move_stays_at_its_base() {
        for kind in [kind::STATIONARY, kind::INTERPOLATE, 77] {
            assert_eq!(along_x(kind, 0).at(ServerTime(9000)), vec3(10.0, 0.0, 0.0));
            assert_eq!(along_x(kind, 0).velocity_at(ServerTime(9000)), Vec3::ZERO);
        }
    }

    #[test]
    fn a_stopping_line_is_clamped_at_both_ends_and_a_plain_line_at_none() {
        let stop = along_x(kind::LINEAR_STOP, 500);
        assert_eq!([0, 1500, 9000].map(|t| stop.at(ServerTime(t)).x), [10.0, 60.0, 60.0]);
        assert_eq!(stop.velocity_at(ServerTime(1501)), Vec3::ZERO);
        let line = along_x(kind::LINEAR, 0);
        assert_eq!([500, 1500].map(|t| line.at(ServerTime(t)).x), [-40.0, 60.0]);
    }

    #[test]
    fn a_sine_swings_once_in_its_duration() {
        let sine = along_x(kind::SINE, 400);
        let at = [1000, 1100, 1300].map(|t| sine.at(ServerTime(t)).x);
        assert!((at[0] - 10.0).abs() < 1e-3 && (at[1] - 110.0).abs() < 1e-3 && (at[2] + 90.0).abs() < 1e-3);
    }

    #[test]
    fn a_sine_of_no_duration_stays_at_its_base() {
        assert_eq!(along_x(kind::SINE, 0).at(ServerTime(1234)), vec3(10.0, 0.0, 0.0));
    }

    #[test]
    fn a_falling_thing_falls_by_half_g_t_squared() {
        let fall = along_x(kind::GRAVITY, 0);
        assert_eq!(fall.at(ServerTime(2000)), vec3(110.0, 0.0, -400.0));
        assert_eq!(fall.velocity_at(ServerTime(2000)), vec3(100.0, 0.0, -800.0));
    }
}
