//! Which animation the two halves of the body play. A change flips the toggle bit, so that the same animation can start again.

use super::Move;
use crate::openarena::{animation, event, pm_flag, pm_type, shared, weapon, weapon_state};
use crate::proto::button;

impl Move<'_> {
    pub(super) fn start_torso(&mut self, anim: i32) {
        if self.ps.pm_type < pm_type::DEAD {
            self.ps.torso_anim = restarted(self.ps.torso_anim, anim);
        }
    }

    fn continue_torso(&mut self, anim: i32) {
        if !plays(self.ps.torso_anim, anim) && self.ps.torso_timer <= 0 {
            self.start_torso(anim);
        }
    }

    fn start_legs(&mut self, anim: i32) {
        if self.ps.pm_type < pm_type::DEAD && self.ps.legs_timer <= 0 {
            self.ps.legs_anim = restarted(self.ps.legs_anim, anim);
        }
    }

    pub(super) fn continue_legs(&mut self, anim: i32) {
        if !plays(self.ps.legs_anim, anim) {
            self.start_legs(anim);
        }
    }

    fn force_legs(&mut self, anim: i32) {
        self.ps.legs_timer = 0;
        self.start_legs(anim);
    }

    /// Off the ground, forward or backward by the command.
    pub(super) fn jump_animation(&mut self) {
        if self.cmd.forward_move >= 0 {
            self.force_legs(animation::LEGS_JUMP);
            self.clear_flags(pm_flag::BACKWARDS_JUMP);
        } else {
            self.force_legs(animation::LEGS_JUMPB);
            self.set_flags(pm_flag::BACKWARDS_JUMP);
        }
    }

    /// Back on the ground, as it was left.
    pub(super) fn land_animation(&mut self) {
        let backwards = self.flag(pm_flag::BACKWARDS_JUMP);
        self.force_legs(if backwards { animation::LEGS_LANDB } else { animation::LEGS_LAND });
        self.ps.legs_timer = LAND_MS;
    }

    /// How the weapon in hand is held at rest.
    pub(super) fn standing_torso(&self) -> i32 {
        if self.ps.weapon == weapon::GAUNTLET { animation::TORSO_STAND2 } else { animation::TORSO_STAND }
    }

    /// Source: `PM_TorsoAnimation`.
    pub(super) fn torso_at_rest(&mut self) {
        if self.ps.weapon_state == weapon_state::READY {
            self.continue_torso(self.standing_torso());
        }
    }

    /// Taunts and team gestures, one at a time. Source: `PM_Animate`.
    pub(super) fn gesture(&mut self) {
        let Some(&(_, anim, ms)) = GESTURES.iter().find(|&&(bit, ..)| self.cmd.buttons & bit != 0) else {
            return;
        };
        if self.ps.torso_timer != 0 {
            return;
        }
        self.start_torso(anim);
        self.ps.torso_timer = ms;
        if anim == animation::TORSO_GESTURE {
            self.add_event(event::TAUNT);
        }
    }

    /// Source: `PM_DropTimers`.
    pub(super) fn drop_timers(&mut self) {
        if self.ps.pm_time != 0 {
            if self.msec >= self.ps.pm_time {
                self.clear_flags(pm_flag::ALL_TIMES);
                self.ps.pm_time = 0;
            } else {
                self.ps.pm_time -= self.msec;
            }
        }
        for timer in [&mut self.ps.legs_timer, &mut self.ps.torso_timer] {
            if *timer > 0 {
                *timer = (*timer - self.msec).max(0);
            }
        }
    }
}

const fn plays(current: i32, anim: i32) -> bool {
    current & !shared::ANIM_TOGGLEBIT == anim
}

const fn restarted(current: i32, anim: i32) -> i32 {
    ((current & shared::ANIM_TOGGLEBIT) ^ shared::ANIM_TOGGLEBIT) | anim
}

/// Button, animation and its length in ms; the first pressed counts.
const GESTURES: [(i32, i32, i32); 7] = [
    (button::GESTURE, animation::TORSO_GESTURE, 34 * 66 + 50),
    (button::GETFLAG, animation::TORSO_GETFLAG, 600),
    (button::GUARDBASE, animation::TORSO_GUARDBASE, 600),
    (button::PATROL, animation::TORSO_PATROL, 600),
    (button::FOLLOWME, animation::TORSO_FOLLOWME, 600),
    (button::AFFIRMATIVE, animation::TORSO_AFFIRMATIVE, 600),
    (button::NEGATIVE, animation::TORSO_NEGATIVE, 600),
];
/// How long the legs show a landing.
const LAND_MS: i32 = 130;

#[cfg(test)]
mod tests {
    use super::super::test_world::{Room, player, run};
    use super::*;
    use crate::proto::{PlayerState, UserCmd};

    fn press(ps: &mut PlayerState, buttons: i32, ms: i32) {
        run(ps, &Room::default(), UserCmd { buttons, ..UserCmd::default() }, ms);
    }

    #[test]
    fn a_taunt_plays_to_its_end_and_is_heard_once() {
        let mut ps = player();
        press(&mut ps, button::GESTURE, 8);
        assert!(plays(ps.torso_anim, animation::TORSO_GESTURE));
        assert_eq!((ps.torso_timer, ps.event_sequence, ps.events[0]), (2294, 1, event::TAUNT));
        press(&mut ps, button::GESTURE | button::PATROL, 60);
        assert_eq!((ps.torso_timer, ps.event_sequence), (2234, 1));
        for _ in 0..50 {
            press(&mut ps, 0, 60);
        }
        assert!(plays(ps.torso_anim, animation::TORSO_STAND));
    }

    #[test]
    fn team_gestures_are_silent() {
        for (bit, anim, _) in &GESTURES[1..] {
            let mut ps = player();
            press(&mut ps, *bit, 8);
            assert!(plays(ps.torso_anim, *anim));
            assert_eq!((ps.torso_timer, ps.event_sequence), (600, 0));
        }
    }

    #[test]
    fn the_same_animation_again_differs_by_its_toggle() {
        assert_eq!(restarted(5, 5), 5 | shared::ANIM_TOGGLEBIT);
        assert_eq!(restarted(5 | shared::ANIM_TOGGLEBIT, 5), 5);
    }

    #[test]
    fn the_dead_keep_their_pose() {
        let mut ps = PlayerState { pm_type: pm_type::DEAD, legs_anim: 3, torso_anim: 3, ..player() };
        ps.stats[0] = -1;
        press(&mut ps, button::GESTURE, 50);
        assert_eq!((ps.legs_anim, ps.torso_anim), (3, 3));
    }
}
