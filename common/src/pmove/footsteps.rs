//! The cycle of the legs: which way they walk, and when a foot comes down.

use super::{Move, WaterLevel};
use crate::ids::EntityNum;
use crate::openarena::{animation, dm_flag, event, pm_flag, powerup};
use crate::proto::{button, surface};

impl Move<'_> {
    /// Source: `PM_Footsteps`.
    pub(super) fn footsteps(&mut self) {
        let velocity = self.ps.velocity;
        let squared = velocity.x * velocity.x + velocity.y * velocity.y;
        self.out.xy_speed = f64::from(squared).sqrt() as f32;

        if self.ps.ground_entity == EntityNum::NONE_ON_WIRE {
            if self.has_powerup(powerup::INVULNERABILITY) {
                self.continue_legs(animation::LEGS_IDLECR);
            }
            if self.out.water_level > WaterLevel::Feet {
                self.continue_legs(animation::LEGS_SWIM);
            }
            return;
        }
        let ducked = self.flag(pm_flag::DUCKED);
        if self.cmd.forward_move == 0 && self.cmd.right_move == 0 {
            if self.out.xy_speed < 5.0 {
                self.ps.bob_cycle = 0;
                self.continue_legs(if ducked { animation::LEGS_IDLECR } else { animation::LEGS_IDLE });
            }
            return;
        }

        let walks = self.cmd.buttons & button::WALKING != 0;
        let gait = GAITS[if ducked { 0 } else { 1 + usize::from(!walks) }];
        let backwards = self.flag(pm_flag::BACKWARDS_RUN);
        self.continue_legs(if backwards { gait.backward } else { gait.forward });

        let before = self.ps.bob_cycle;
        self.ps.bob_cycle = (before as f32 + gait.bob * self.msec as f32) as i32 & 255;
        // A foot comes down at a quarter and at three quarters of the cycle.
        if ((before + 64) ^ (self.ps.bob_cycle + 64)) & 128 != 0 {
            self.foot_down(gait.is_heard);
        }
    }

    fn foot_down(&mut self, is_heard: bool) {
        match self.out.water_level {
            WaterLevel::Dry if is_heard && !self.input.settings.has(dm_flag::NO_FOOTSTEPS) => {
                self.add_event(self.footstep_sound());
            }
            WaterLevel::Dry | WaterLevel::Under => {}
            WaterLevel::Feet => self.add_event(event::FOOTSPLASH),
            WaterLevel::Waist => self.add_event(event::SWIM),
        }
    }

    /// The sound of the ground; on ground without one still an event, [`event::NONE`]. Source: `PM_FootstepForSurface`.
    pub(super) fn footstep_sound(&self) -> i32 {
        let flags = self.ground.surface_flags;
        if flags & surface::NOSTEPS != 0 {
            event::NONE
        } else if flags & surface::METALSTEPS != 0 {
            event::FOOTSTEP_METAL
        } else {
            event::FOOTSTEP
        }
    }
}

/// A way to walk.
#[derive(Clone, Copy)]
struct Gait {
    forward: i32,
    backward: i32,
    /// Unit: 1/256 of a cycle in a ms.
    bob: f32,
    is_heard: bool,
}

/// Ducked, walking, running.
const GAITS: [Gait; 3] = [
    Gait { forward: animation::LEGS_WALKCR, backward: animation::LEGS_BACKCR, bob: 0.5, is_heard: false },
    Gait { forward: animation::LEGS_WALK, backward: animation::LEGS_BACKWALK, bob: 0.3, is_heard: false },
    Gait { forward: animation::LEGS_RUN, backward: animation::LEGS_BACK, bob: 0.4, is_heard: true },
];
