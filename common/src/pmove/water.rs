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
        self.ps.velocity.z = 350.0;
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
pub(super) const SWIM_SCALE: f32 = 0.5;
/// Where one who does nothing goes. Unit: units a second.
const SINK_VELOCITY: f32 = -60.0;
/// A leap ends by itself after this.
const WATER_JUMP_MS: i32 = 2000;
