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

#[cfg(test)]
mod tests {
    use super::super::PmoveSettings;
    use super::super::test_world::{Room, player, run_with};
    use super::*;
    use crate::proto::UserCmd;

    /// Events of 1.2 seconds of moving, to and fro.
    fn heard(room: &Room, buttons: i32, up_move: i8, dm_flags: i32) -> Vec<i32> {
        let mut ps = player();
        let mut events = Vec::new();
        let settings = PmoveSettings { dm_flags, float_velocity: true, fixed_step_ms: None };
        for frame in 0..150 {
            let forward_move = if frame % 60 < 30 { 64 } else { -64 };
            let cmd = UserCmd { forward_move, buttons, up_move, ..UserCmd::default() };
            let before = ps.event_sequence;
            run_with(&mut ps, room, cmd, 8, settings);
            events.extend((before..ps.event_sequence).map(|n| ps.events[(n & 1) as usize]));
        }
        events
    }

    #[test]
    fn runners_are_heard_and_walkers_and_the_ducked_are_not() {
        // 0.4 of 256 in a ms, two feet a cycle: one in 320 ms.
        assert_eq!(heard(&Room::default(), 0, 0, 0), [event::FOOTSTEP; 4]);
        assert_eq!(heard(&Room::default(), button::WALKING, 0, 0), []);
        assert_eq!(heard(&Room::default(), 0, -1, 0), []);
        assert_eq!(heard(&Room::default(), 0, 0, dm_flag::NO_FOOTSTEPS), []);
    }

    #[test]
    fn ground_and_water_have_their_own_sound() {
        let mut metal = Room::default();
        metal.brushes[0].surface_flags = surface::METALSTEPS;
        assert_eq!(heard(&metal, 0, 0, 0)[0], event::FOOTSTEP_METAL);
        let mut mute = Room::default();
        mute.brushes[0].surface_flags = surface::NOSTEPS;
        assert_eq!(heard(&mute, 0, 0, 0)[0], event::NONE);
        assert_eq!(heard(&Room::default().flooded(8.0), button::WALKING, 0, 0)[0], event::FOOTSPLASH);
    }
}
