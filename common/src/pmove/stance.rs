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
