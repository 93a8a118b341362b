//! What the player stands on, and how hard it came down.

use super::{Move, WaterLevel};
use crate::ids::EntityNum;
use crate::math::{Vec3, vec3};
use crate::openarena::{event, pm_flag, stat};
use crate::proto::surface;
use crate::trace::Trace;

/// What a step knows of the ground. Zero when nothing is near.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ground {
    /// There is a plane to slide along, perhaps too steep to stand on.
    pub(super) touching: bool,
    /// It carries: friction and jumps.
    pub(super) walking: bool,
    /// Its normal, also when already left.
    pub(super) normal: Vec3,
    /// Its surface flags.
    pub(super) surface_flags: i32,
}

impl Ground {
    pub(super) const fn is_slick(&self) -> bool {
        self.surface_flags & surface::SLICK != 0
    }
}

impl Move<'_> {
    /// Looks a quarter unit down. Source: `PM_GroundTrace`.
    pub(super) fn find_ground(&mut self) {
        let mut trace = self.trace(self.ps.origin, self.just_below());
        self.note_ground(&trace);
        if trace.all_solid {
            match self.trace_when_stuck() {
                Some(better) => trace = better,
                None => return self.leave_ground(),
            }
            self.note_ground(&trace);
        }
        if trace.fraction == 1.0 {
            if self.ps.ground_entity != EntityNum::NONE_ON_WIRE {
                self.begin_fall();
            }
            return self.leave_ground();
        }
        // Thrown off: moving up, and away from the plane.
        if self.ps.velocity.z > 0.0 && self.ps.velocity.dot(trace.plane.normal) > 10.0 {
            self.jump_animation();
            return self.leave_ground();
        }
        if trace.plane.normal.z < MIN_WALK_NORMAL {
            self.leave_ground();
            self.ground.touching = true;
            return;
        }
        self.stand_on(&trace);
    }

    fn stand_on(&mut self, trace: &Trace) {
        self.ground.touching = true;
        self.ground.walking = true;
        if self.flag(pm_flag::TIME_WATERJUMP) {
            self.clear_flags(pm_flag::TIME_WATERJUMP | pm_flag::TIME_LAND);
            self.ps.pm_time = 0;
        }
        if self.ps.ground_entity == EntityNum::NONE_ON_WIRE {
            self.land();
            // Not for running down a slope.
            if self.velocity_before.z < -200.0 {
                self.set_flags(pm_flag::TIME_LAND);
                self.ps.pm_time = LAND_PAUSE_MS;
            }
        }
        self.ps.ground_entity = EntityNum::to_wire(trace.entity);
        self.out.touched.note(trace.entity);
    }

    fn note_ground(&mut self, trace: &Trace) {
        self.ground.normal = trace.plane.normal;
        self.ground.surface_flags = trace.surface_flags;
    }

    /// Nothing to stand on any more; the plane's normal stays known.
    pub(super) fn leave_ground(&mut self) {
        self.ps.ground_entity = EntityNum::NONE_ON_WIRE;
        self.ground.touching = false;
        self.ground.walking = false;
    }

    fn just_below(&self) -> Vec3 {
        vec3(self.ps.origin.x, self.ps.origin.y, self.ps.origin.z - 0.25)
    }

    /// Inside something solid: if a place one unit off is free, the ground below counts after all; else the player hangs where
    /// it is. Source: `PM_CorrectAllSolid`.
    fn trace_when_stuck(&self) -> Option<Trace> {
        let origin = self.ps.origin;
        let around = [-1.0, 0.0, 1.0];
        for x in around {
            for y in around {
                for z in around {
                    let near = origin + vec3(x, y, z);
                    if !self.trace(near, near).all_solid {
                        return Some(self.trace(origin, self.just_below()));
                    }
                }
            }
        }
        None
    }

    /// The ground has just gone. A real drop looks like a jump, a stair does not. Source: `PM_GroundTraceMissed`.
    fn begin_fall(&mut self) {
        let mut deep_below = self.ps.origin;
        deep_below.z -= 64.0;
        if self.trace(self.ps.origin, deep_below).fraction == 1.0 {
            self.jump_animation();
        }
    }

    /// The player came down: animation, and by force a sound, which the server also hurts by. Source: `PM_CrashLand`.
    fn land(&mut self) {
        self.land_animation();
        let Some(mut force) = self.landing_force() else { return };
        if self.flag(pm_flag::DUCKED) {
            force *= 2.0;
        }
        match self.out.water_level {
            WaterLevel::Dry => {}
            WaterLevel::Feet => force *= 0.5,
            WaterLevel::Waist => force *= 0.25,
            WaterLevel::Under => return,
        }
        if force < 1.0 {
            return;
        }
        if self.ground.surface_flags & surface::NODAMAGE == 0 {
            if force > 60.0 {
                self.add_event(event::FALL_FAR);
            } else if force > 40.0 {
                // A grunt, and the dead do not grunt.
                if self.ps.stats[stat::HEALTH as usize] > 0 {
                    self.add_event(event::FALL_MEDIUM);
                }
            } else if force > 7.0 {
                self.add_event(event::FALL_SHORT);
            } else {
                self.add_event(self.footstep_sound());
            }
        }
        self.ps.bob_cycle = 0;
    }

    /// Square of the speed at the moment of touch, over 10000: solved from the fall of this step, because the speed at its end
    /// is that after the landing. `None` if the fall does not reach that far down.
    fn landing_force(&self) -> Option<f32> {
        let fallen = self.ps.origin.z - self.origin_before.z;
        let speed = self.velocity_before.z;
        let acceleration = -self.ps.gravity as f32;
        let half = acceleration / 2.0;
        let discriminant = speed * speed - 4.0 * half * -fallen;
        if discriminant < 0.0 {
            return None;
        }
        let time = ((f64::from(-speed) - f64::from(discriminant).sqrt()) / f64::from(2.0 * half)) as f32;
        let at_touch = speed + time * acceleration;
        Some((f64::from(at_touch * at_touch) * 0.0001) as f32)
    }
}

/// Steeper slopes do not carry. Unit: upward part of the normal.
pub(crate) const MIN_WALK_NORMAL: f32 = 0.7;
/// How long a hard landing lasts.
const LAND_PAUSE_MS: i32 = 250;

#[cfg(test)]
mod tests {
    use super::super::test_world::{Brush, Room, player, run};
    use super::*;
    use crate::proto::{PlayerState, UserCmd};

    /// The event at the end of a fall from so high above the floor of a room.
    fn fall(room: &Room, mut ps: PlayerState, height: f32) -> Option<i32> {
        ps.origin.z = 24.125 + height + 0.3;
        ps.ground_entity = EntityNum::NONE_ON_WIRE;
        let before = ps.event_sequence;
        for _ in 0..300 {
            run(&mut ps, room, UserCmd::default(), 7);
        }
        assert_eq!(ps.ground(), Some(EntityNum::WORLD), "from {height}: {ps:?}");
        (ps.event_sequence != before).then(|| ps.events[((ps.event_sequence - 1) & 1) as usize])
    }

    #[test]
    fn a_landing_sounds_by_its_speed() {
        let from = |height: f32| fall(&tall(), player(), height);
        // Force is the square of the speed over 10000: 7 at 265, 40 at 632, 60 at 775 units a second.
        assert_eq!(from(4.0), None);
        assert_eq!(from(40.0), Some(event::FOOTSTEP));
        assert_eq!(from(50.0), Some(event::FALL_SHORT));
        assert_eq!(from(245.0), Some(event::FALL_SHORT));
        assert_eq!(from(260.0), Some(event::FALL_MEDIUM));
        assert_eq!(from(370.0), Some(event::FALL_MEDIUM));
        assert_eq!(from(385.0), Some(event::FALL_FAR));
    }

    /// The overbounce that players know: a step that ends in the last quarter unit above the floor touches nothing, so the
    /// fall's speed is kept, and walking turns it along the floor's normal.
    #[test]
    fn a_fall_that_ends_a_hair_above_the_floor_bounces_back() {
        let mut ps = player();
        ps.origin.z += 4.0;
        ps.ground_entity = EntityNum::NONE_ON_WIRE;
        let mut fastest = 0.0f32;
        for _ in 0..60 {
            run(&mut ps, &Room::default(), UserCmd::default(), 4);
            fastest = fastest.max(ps.velocity.z);
        }
        assert!((fastest - 80.0).abs() < 0.1, "{fastest}");
    }

    #[test]
    fn soft_surfaces_and_water_break_a_fall() {
        let mut soft = tall();
        soft.brushes[0].surface_flags = surface::NODAMAGE;
        assert_eq!(fall(&soft, player(), 400.0), None);
        let knee_deep = fall(&tall().flooded(4.0), player(), 400.0);
        assert!(
            knee_deep == Some(event::WATER_TOUCH) || knee_deep == Some(event::FALL_SHORT),
            "{knee_deep:?}"
        );
    }

    fn tall() -> Room {
        let mut room = Room::default();
        room.brushes.remove(1);
        room
    }

    #[test]
    fn a_hard_landing_pauses() {
        let mut ps = player();
        ps.origin.z = 100.0;
        ps.ground_entity = EntityNum::NONE_ON_WIRE;
        while ps.ground().is_none() {
            run(&mut ps, &Room::default(), UserCmd::default(), 8);
        }
        assert!(ps.pm_flags & pm_flag::TIME_LAND != 0 && ps.pm_time > 200);
    }

    #[test]
    fn what_moves_up_fast_does_not_stand() {
        let mut ps = player();
        ps.velocity.z = 11.0;
        run(&mut ps, &Room::default(), UserCmd::default(), 1);
        assert_eq!(ps.ground(), None);
        let mut ps = player();
        ps.velocity.z = 9.0;
        run(&mut ps, &Room::default(), UserCmd::default(), 1);
        assert_eq!(ps.ground(), Some(EntityNum::WORLD));
    }

    #[test]
    fn one_deep_inside_something_hangs_still_and_one_just_inside_gets_out() {
        let block = || Brush::new([-100.0, -100.0, 0.0], [100.0, 100.0, 200.0]);
        let mut ps = player();
        run(&mut ps, &Room::default().with(block()), UserCmd { forward_move: 127, ..UserCmd::default() }, 50);
        assert_eq!((ps.origin, ps.ground()), (player().origin, None));

        // Half a unit into the floor: the step up that every blocked move tries leads out.
        let mut ps = player();
        ps.origin.z = 23.5;
        run(&mut ps, &Room::default(), UserCmd::default(), 8);
        assert_eq!((ps.origin.z, ps.ground()), (24.125, Some(EntityNum::WORLD)));
    }

    #[test]
    fn who_stands_on_something_touches_it() {
        let mut platform = Brush::new([-64.0, -64.0, 0.0], [64.0, 64.0, 16.0]);
        platform.entity = EntityNum::new(77).expect("in range");
        let mut ps = player();
        ps.origin.z += 16.0;
        let out = run(&mut ps, &Room::default().with(platform), UserCmd::default(), 8);
        assert_eq!(ps.ground(), EntityNum::new(77));
        assert_eq!(out.touched[..], [EntityNum::new(77).expect("in range")]);
    }
}
