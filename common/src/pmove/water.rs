//! In and on liquids: how deep, swimming, and the leap onto a ledge.

use super::drive::WATER_ACCELERATION;
use super::slide::clip_velocity;
use super::{Move, WaterLevel};
use crate::math::vec3;
use crate::openarena::{event, pm_flag, shared};
use crate::proto::{contents, mask};

impl Move<'_> {
    /// Samples feet, middle and eye. Source: `PM_SetWaterLevel`.
    pub(super) fn find_water_level(&mut self) {
        self.out.water_level = WaterLevel::Dry;
        self.out.water_type = 0;
        let origin = self.ps.origin;
        let feet = origin.z + shared::MINS_Z as f32;
        let contents_at = |z: f32| self.contents_at(vec3(origin.x, origin.y, z));
        let is_liquid = |z: f32| contents_at(z) & mask::WATER != 0;

        let at_feet = contents_at(feet + 1.0);
        if at_feet & mask::WATER == 0 {
            return;
        }
        let eye = self.ps.view_height - shared::MINS_Z;
        let level = if !is_liquid(feet + (eye / 2) as f32) {
            WaterLevel::Feet
        } else if !is_liquid(feet + eye as f32) {
            WaterLevel::Waist
        } else {
            WaterLevel::Under
        };
        self.out.water_type = at_feet;
        self.out.water_level = level;
    }

    /// Swimming. Source: `PM_WaterMove`.
    pub(super) fn water_move(&mut self) {
        if self.begin_water_jump() {
            self.water_jump_move();
            return;
        }
        self.friction();

        let scale = self.command_scale();
        let wish = if scale == 0.0 { vec3(0.0, 0.0, SINK_VELOCITY) } else { self.spatial_wish(scale) };
        let (wish_dir, wish_length) = wish.normalize_with_length();
        let wish_speed = wish_length.min(self.ps.speed as f32 * SWIM_SCALE);
        self.accelerate(wish_dir, wish_speed, WATER_ACCELERATION);

        // Up a slope under water, speed is kept.
        if self.ground.touching && self.ps.velocity.dot(self.ground.normal) < 0.0 {
            let speed = self.ps.velocity.length();
            self.ps.velocity = clip_velocity(self.ps.velocity, self.ground.normal).normalized() * speed;
        }
        self.slide_move(false);
    }

    /// Begins the leap out of the water if there is a ledge ahead with room above it. Source: `PM_CheckWaterJump`.
    fn begin_water_jump(&mut self) -> bool {
        if self.ps.pm_time != 0 || self.out.water_level != WaterLevel::Waist {
            return false;
        }
        let ahead = vec3(self.forward.x, self.forward.y, 0.0).normalized();
        let mut spot = self.ps.origin.mul_add(30.0, ahead);
        spot.z += 4.0;
        if self.contents_at(spot) & contents::SOLID == 0 {
            return false;
        }
        spot.z += 16.0;
        if self.contents_at(spot) & (contents::SOLID | contents::PLAYERCLIP | contents::BODY) != 0 {
            return false;
        }
        self.ps.velocity = self.forward * 200.0;
        self.ps.velocity.z = WATER_JUMP_VELOCITY;
        self.set_flags(pm_flag::TIME_WATERJUMP);
        self.ps.pm_time = WATER_JUMP_MS;
        true
    }

    /// The leap itself: no control, until the player falls again. Source: `PM_WaterJumpMove`.
    pub(super) fn water_jump_move(&mut self) {
        self.step_slide_move(true);
        self.ps.velocity.z -= self.ps.gravity as f32 * self.frame_time;
        if self.ps.velocity.z < 0.0 {
            self.clear_flags(pm_flag::ALL_TIMES);
            self.ps.pm_time = 0;
        }
    }

    /// Splashes and breaths as the level changes in a step. Source: `PM_WaterEvents`.
    pub(super) fn water_events(&mut self, before: WaterLevel) {
        let now = self.out.water_level;
        if before == WaterLevel::Dry && now != WaterLevel::Dry {
            self.add_event(event::WATER_TOUCH);
        }
        if before != WaterLevel::Dry && now == WaterLevel::Dry {
            self.add_event(event::WATER_LEAVE);
        }
        if before != WaterLevel::Under && now == WaterLevel::Under {
            self.add_event(event::WATER_UNDER);
        }
        if before == WaterLevel::Under && now != WaterLevel::Under {
            self.add_event(event::WATER_CLEAR);
        }
    }
}

/// Share of the full speed that swimmers have.
pub(crate) const SWIM_SCALE: f32 = 0.5;
/// Where one who does nothing goes. Unit: units a second.
const SINK_VELOCITY: f32 = -60.0;
/// Speed upward at the leap onto a ledge. Unit: units a second.
pub(crate) const WATER_JUMP_VELOCITY: f32 = 350.0;
/// A leap ends by itself after this.
const WATER_JUMP_MS: i32 = 2000;

#[cfg(test)]
mod tests {
    use super::super::test_world::{Brush, Room, player, run};
    use super::*;
    use crate::proto::UserCmd;

    #[test]
    fn depth_goes_by_feet_middle_and_eye() {
        let level = |top: f32| {
            let out = run(&mut player(), &Room::default().flooded(top), UserCmd::default(), 8);
            (out.water_level, out.water_type)
        };
        // The origin is 24.125 above the floor: feet are sampled at 1.1, the middle at 25.1, the eye at 50.1.
        assert_eq!(level(0.5), (WaterLevel::Dry, 0));
        assert_eq!(level(10.0), (WaterLevel::Feet, contents::WATER));
        assert_eq!(level(40.0), (WaterLevel::Waist, contents::WATER));
        assert_eq!(level(60.0), (WaterLevel::Under, contents::WATER));
    }

    #[test]
    fn idle_swimmers_sink_and_strokes_go_where_the_view_goes() {
        let pool = Room::default().flooded(220.0);
        let depth_after = |cmd: UserCmd| {
            let mut ps = player();
            ps.origin.z = 100.0;
            ps.ground_entity = 1023;
            for _ in 0..40 {
                run(&mut ps, &pool, cmd, 8);
            }
            ps.origin.z
        };
        assert!(depth_after(UserCmd::default()) < 95.0);
        assert!(depth_after(UserCmd { up_move: 127, ..UserCmd::default() }) > 110.0);
        let look_up = UserCmd { angles: [-8000, 0, 0], forward_move: 127, ..UserCmd::default() };
        assert!(depth_after(look_up) > 105.0);
    }

    #[test]
    fn water_sounds_as_it_rises_and_falls() {
        let mut ps = player();
        let mut newest = |top: f32| {
            let before = ps.event_sequence;
            run(&mut ps, &Room::default().flooded(top), UserCmd { up_move: 5, ..UserCmd::default() }, 1);
            let event = ps.events[((ps.event_sequence - 1) & 1) as usize];
            (ps.event_sequence - before, event)
        };
        // The level changes between steps here and not within one: no event. Within one, the next test has them.
        assert_eq!(newest(0.0).0, 0);
        assert_eq!(newest(60.0).0, 0);
    }

    #[test]
    fn falling_into_water_splashes_once() {
        let mut ps = player();
        ps.origin.z = 200.0;
        ps.ground_entity = 1023;
        let mut heard = Vec::new();
        for _ in 0..200 {
            let before = ps.event_sequence;
            run(&mut ps, &Room::default().flooded(100.0), UserCmd::default(), 8);
            heard.extend((before..ps.event_sequence).map(|n| ps.events[(n & 1) as usize]));
        }
        assert_eq!(heard[..2], [event::WATER_TOUCH, event::WATER_UNDER]);
    }

    #[test]
    fn swimmers_leap_onto_a_ledge_ahead() {
        // A ledge four to twenty units above the origin, seen at thirty units ahead.
        let pool = Room::default().flooded(40.0).with(Brush::new([20.0, -256.0, 0.0], [256.0, 256.0, 40.0]));
        let mut ps = player();
        run(&mut ps, &pool, UserCmd { forward_move: 127, ..UserCmd::default() }, 8);
        assert!(ps.pm_flags & pm_flag::TIME_WATERJUMP != 0 && ps.velocity.z > 300.0, "{:?}", ps.velocity);
        for _ in 0..100 {
            run(&mut ps, &pool, UserCmd { forward_move: 127, ..UserCmd::default() }, 8);
        }
        assert!(ps.origin.z > 60.0 && ps.pm_flags & pm_flag::TIME_WATERJUMP == 0, "{:?}", ps.origin);
    }
}
