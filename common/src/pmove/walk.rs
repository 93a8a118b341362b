//! On foot: walking, jumping, falling, and lying dead.

use super::drive::{AIR_ACCELERATION, GROUND_ACCELERATION};
use super::slide::clip_velocity;
use super::water::SWIM_SCALE;
use super::{JUMP_MOVE, Move, WaterLevel};
use crate::math::Vec3;
use crate::openarena::{event, pm_flag};

impl Move<'_> {
    /// On the ground. Source: `PM_WalkMove`.
    pub(super) fn walk_move(&mut self) {
        let normal = self.ground.normal;
        if self.out.water_level == WaterLevel::Under && self.forward.dot(normal) > 0.0 {
            self.water_move();
            return;
        }
        if self.jump() {
            if self.out.water_level > WaterLevel::Feet {
                self.water_move();
            } else {
                self.air_move();
            }
            return;
        }
        self.friction();

        let scale = self.command_scale();
        self.turn_legs();
        self.forward.z = 0.0;
        self.right.z = 0.0;
        self.forward = clip_velocity(self.forward, normal).normalized();
        self.right = clip_velocity(self.right, normal).normalized();
        let (wish_dir, wish_length) = self.planar_wish().normalize_with_length();
        let wish_speed = self.slowed_wish_speed(wish_length * scale);

        let slips = self.ground.is_slick() || self.flag(pm_flag::TIME_KNOCKBACK);
        self.accelerate(wish_dir, wish_speed, if slips { AIR_ACCELERATION } else { GROUND_ACCELERATION });
        if slips {
            self.ps.velocity.z -= self.ps.gravity as f32 * self.frame_time;
        }

        // Up or down a slope, speed is kept.
        let speed = self.ps.velocity.length();
        self.ps.velocity = clip_velocity(self.ps.velocity, normal).normalized() * speed;
        if self.ps.velocity.x == 0.0 && self.ps.velocity.y == 0.0 {
            return;
        }
        self.step_slide_move(false);
    }

    /// Ducked and wading players are slower.
    fn slowed_wish_speed(&self, wish_speed: f32) -> f32 {
        let speed = self.ps.speed as f32;
        let mut slowed = wish_speed;
        if self.flag(pm_flag::DUCKED) {
            slowed = slowed.min(speed * DUCK_SCALE);
        }
        if self.out.water_level != WaterLevel::Dry {
            let submerged = (f64::from(self.out.water_level.depth()) / 3.0) as f32;
            let wade_scale = (1.0 - (1.0 - f64::from(SWIM_SCALE)) * f64::from(submerged)) as f32;
            slowed = slowed.min(speed * wade_scale);
        }
        slowed
    }

    /// Jumps if the command says so and may: once for each press, and not before all buttons were up after a respawn.
    /// Source: `PM_CheckJump`.
    fn jump(&mut self) -> bool {
        if self.flag(pm_flag::RESPAWNED) || self.cmd.up_move < JUMP_MOVE {
            return false;
        }
        if self.flag(pm_flag::JUMP_HELD) {
            // Held up would make the command's other axes weaker.
            self.cmd.up_move = 0;
            return false;
        }
        self.leave_ground();
        self.set_flags(pm_flag::JUMP_HELD);
        self.ps.velocity.z = JUMP_VELOCITY;
        self.add_event(event::JUMP);
        self.jump_animation();
        true
    }

    /// In the air, with little control. Source: `PM_AirMove`.
    pub(super) fn air_move(&mut self) {
        self.friction();
        let scale = self.command_scale();
        self.turn_legs();
        self.forward.z = 0.0;
        self.right.z = 0.0;
        self.forward = self.forward.normalized();
        self.right = self.right.normalized();
        let (wish_dir, wish_length) = self.planar_wish().normalize_with_length();
        self.accelerate(wish_dir, wish_length * scale, AIR_ACCELERATION);

        // A slope too steep to stand on still carries.
        if self.ground.touching {
            self.ps.velocity = clip_velocity(self.ps.velocity, self.ground.normal);
        }
        self.step_slide_move(true);
    }

    /// A corpse comes to rest. Source: `PM_DeadMove`.
    pub(super) fn dead_move(&mut self) {
        if !self.ground.walking {
            return;
        }
        let speed = self.ps.velocity.length() - 20.0;
        self.ps.velocity = if speed <= 0.0 { Vec3::ZERO } else { self.ps.velocity.normalized() * speed };
    }
}

/// Speed upward at a jump. Unit: units a second.
pub(crate) const JUMP_VELOCITY: f32 = 270.0;
/// Share of the full speed that the ducked have.
const DUCK_SCALE: f32 = 0.25;

#[cfg(test)]
mod tests {
    use super::super::test_world::{Room, player, run};
    use super::*;
    use crate::ids::EntityNum;
    use crate::proto::{PlayerState, UserCmd, button};

    const UP: UserCmd = UserCmd {
        up_move: 127,
        server_time: 0,
        angles: [0; 3],
        buttons: 0,
        weapon: 0,
        forward_move: 0,
        right_move: 0,
    };

    fn jumps(ps: &mut PlayerState, cmd: UserCmd, frames: u32) -> u32 {
        let mut count = 0;
        for _ in 0..frames {
            let before = ps.event_sequence;
            run(ps, &Room::default(), cmd, 8);
            let newest = ps.events[((ps.event_sequence - 1) & 1) as usize];
            count += u32::from(ps.event_sequence != before && newest == event::JUMP);
        }
        count
    }

    #[test]
    fn one_press_is_one_jump() {
        let mut ps = player();
        assert_eq!(jumps(&mut ps, UP, 250), 1);
        assert_eq!(jumps(&mut ps, UserCmd::default(), 1), 0);
        assert_eq!(jumps(&mut ps, UP, 10), 1);
    }

    #[test]
    fn a_jump_goes_45_units_high() {
        let mut ps = player();
        let mut highest = 0.0f32;
        for _ in 0..100 {
            run(&mut ps, &Room::default(), UP, 8);
            highest = highest.max(ps.origin.z - 24.125);
        }
        assert!((highest - 45.5).abs() < 0.5, "{highest}");
    }

    #[test]
    fn after_a_respawn_a_jump_waits_for_all_buttons_up() {
        let mut ps = player();
        ps.pm_flags = pm_flag::RESPAWNED;
        assert_eq!(jumps(&mut ps, UserCmd { buttons: button::ATTACK, ..UP }, 5), 0);
        assert_eq!(jumps(&mut ps, UserCmd::default(), 1), 0);
        assert_eq!(jumps(&mut ps, UP, 1), 1);
    }

    #[test]
    fn the_ducked_creep_and_waders_are_slowed() {
        let speed = |up_move: i8, water: f32| {
            let room = Room::default().flooded(water);
            let mut ps = player();
            for _ in 0..80 {
                run(&mut ps, &room, UserCmd { forward_move: 127, up_move, ..UserCmd::default() }, 8);
            }
            ps.velocity.length()
        };
        assert!((speed(0, 0.0) - 320.0).abs() < 1.0);
        assert!((speed(-127, 0.0) - 80.0).abs() < 1.0);
        assert!((speed(0, 10.0) - 320.0 * 5.0 / 6.0).abs() < 1.0);
    }

    #[test]
    fn knockback_takes_the_grip() {
        let mut ps = PlayerState { pm_time: 200, pm_flags: pm_flag::TIME_KNOCKBACK, ..player() };
        ps.velocity.x = 300.0;
        run(&mut ps, &Room::default(), UserCmd::default(), 8);
        assert!(ps.velocity.x > 299.9, "{}", ps.velocity.x);
        ps.pm_time = 1;
        run(&mut ps, &Room::default(), UserCmd::default(), 8);
        run(&mut ps, &Room::default(), UserCmd::default(), 8);
        assert!(ps.velocity.x < 290.0 && ps.pm_flags & pm_flag::TIME_KNOCKBACK == 0);
    }

    #[test]
    fn a_corpse_comes_to_rest() {
        let mut ps = PlayerState { pm_type: crate::openarena::pm_type::DEAD, ..player() };
        ps.stats[0] = 0;
        ps.velocity.x = 200.0;
        for _ in 0..20 {
            run(&mut ps, &Room::default(), UserCmd { forward_move: 127, ..UserCmd::default() }, 50);
        }
        assert_eq!((ps.velocity, ps.ground()), (Vec3::ZERO, Some(EntityNum::WORLD)));
    }
}
