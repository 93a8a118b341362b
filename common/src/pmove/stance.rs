//! The box that a player fills and the height of the eye: standing, ducked, dead, or inside an invulnerability sphere.

use super::Move;
use crate::math::{Bounds, vec3};
use crate::openarena::{pm_flag, pm_type, powerup, shared};
use crate::trace::TraceRequest;

impl Move<'_> {
    /// Ducks, stands up where there is room, and sets bounds and eye. Source: `PM_CheckDuck`.
    pub(super) fn take_stance(&mut self) {
        if self.has_powerup(powerup::INVULNERABILITY) {
            self.out.bounds = if self.flag(pm_flag::INVULEXPAND) { SPHERE } else { body(DUCKED_TOP) };
            self.set_flags(pm_flag::DUCKED);
            self.ps.view_height = shared::CROUCH_VIEWHEIGHT;
            return;
        }
        self.clear_flags(pm_flag::INVULEXPAND);

        if self.ps.pm_type == pm_type::DEAD {
            self.out.bounds = body(DEAD_TOP);
            self.ps.view_height = shared::DEAD_VIEWHEIGHT;
            return;
        }
        if self.cmd.up_move < 0 {
            self.set_flags(pm_flag::DUCKED);
        } else if self.flag(pm_flag::DUCKED) && self.can_stand() {
            self.clear_flags(pm_flag::DUCKED);
        }
        let (top, eye) = if self.flag(pm_flag::DUCKED) {
            (DUCKED_TOP, shared::CROUCH_VIEWHEIGHT)
        } else {
            (STANDING_TOP, shared::DEFAULT_VIEWHEIGHT)
        };
        self.out.bounds = body(top);
        self.ps.view_height = eye;
    }

    fn can_stand(&self) -> bool {
        let here = self.ps.origin;
        let request = TraceRequest::sweep(here, here, body(STANDING_TOP), self.mask, self.who());
        !self.input.tracer.trace(&request).all_solid
    }
}

/// The box of a player whose head is at `top`.
const fn body(top: f32) -> Bounds {
    Bounds::new(vec3(-15.0, -15.0, shared::MINS_Z as f32), vec3(15.0, 15.0, top))
}

const STANDING_TOP: f32 = 32.0;
const DUCKED_TOP: f32 = 16.0;
const DEAD_TOP: f32 = -8.0;
/// The box around an invulnerability sphere.
const SPHERE: Bounds = Bounds::new(vec3(-42.0, -42.0, -42.0), vec3(42.0, 42.0, 42.0));

#[cfg(test)]
mod tests {
    use super::super::test_world::{Brush, Room, player, run};
    use super::*;
    use crate::proto::{PlayerState, UserCmd};

    fn box_and_eye(ps: &mut PlayerState, room: &Room, up_move: i8) -> (f32, i32) {
        let out = run(ps, room, UserCmd { up_move, ..UserCmd::default() }, 8);
        (out.bounds.maxs.z, ps.view_height)
    }

    #[test]
    fn a_ducked_player_is_lower_until_released() {
        let mut ps = player();
        assert_eq!(box_and_eye(&mut ps, &Room::default(), 0), (32.0, 26));
        assert_eq!(box_and_eye(&mut ps, &Room::default(), -127), (16.0, 12));
        assert_eq!(box_and_eye(&mut ps, &Room::default(), 0), (32.0, 26));
    }

    #[test]
    fn nobody_stands_up_into_a_ceiling() {
        let low = Room::default().with(Brush::new([-64.0, -64.0, 44.0], [64.0, 64.0, 60.0]));
        let mut ps = player();
        box_and_eye(&mut ps, &low, -127);
        assert_eq!(box_and_eye(&mut ps, &low, 0), (16.0, 12));
        assert_eq!(box_and_eye(&mut ps, &Room::default(), 0), (32.0, 26));
    }

    #[test]
    fn the_dead_lie_flat() {
        let mut ps = player();
        ps.pm_type = pm_type::DEAD;
        assert_eq!(box_and_eye(&mut ps, &Room::default(), 0), (-8.0, -16));
    }

    #[test]
    fn the_sphere_is_large_only_when_the_server_found_room() {
        let mut ps = player();
        ps.powerups[powerup::INVULNERABILITY as usize] = 1;
        assert_eq!(box_and_eye(&mut ps, &Room::default(), 0), (16.0, 12));
        ps.pm_flags |= pm_flag::INVULEXPAND;
        assert_eq!(box_and_eye(&mut ps, &Room::default(), 0), (42.0, 12));
        ps.powerups = [0; 16];
        box_and_eye(&mut ps, &Room::default(), 0);
        assert_eq!(ps.pm_flags & pm_flag::INVULEXPAND, 0);
    }
}
