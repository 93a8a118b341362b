//! Where a player looks.

use crate::math::{PITCH, short_to_angle};
use crate::openarena::{pm_type, stat};
use crate::proto::{PlayerState, UserCmd};

/// Turns the view to where the command points. Pitch stops short of straight up and down, and the rest of such a turn is forgotten
/// rather than owed. The dead and those in an intermission keep their view. Source: `PM_UpdateViewAngles`.
pub fn update_view_angles(ps: &mut PlayerState, cmd: &UserCmd) {
    if ps.pm_type == pm_type::INTERMISSION || ps.pm_type == pm_type::SPINTERMISSION {
        return;
    }
    if ps.pm_type != pm_type::SPECTATOR && ps.stats[stat::HEALTH as usize] <= 0 {
        return;
    }
    for axis in 0..3 {
        let mut turned = cmd.angles[axis].wrapping_add(ps.delta_angles[axis]) as i16;
        if axis == PITCH && !(-STEEPEST..=STEEPEST).contains(&turned) {
            turned = turned.clamp(-STEEPEST, STEEPEST);
            ps.delta_angles[axis] = i32::from(turned).wrapping_sub(cmd.angles[axis]);
        }
        ps.view_angles[axis] = short_to_angle(i32::from(turned));
    }
}

/// Steepest pitch, almost 88 degrees. Unit: 1/65536 of a turn.
const STEEPEST: i16 = 16000;

#[cfg(test)]
mod tests {
    use super::*;

    fn alive() -> PlayerState {
        let mut ps = PlayerState::default();
        ps.stats[stat::HEALTH as usize] = 100;
        ps
    }

    #[test]
    fn pitch_stops_and_the_excess_is_not_owed() {
        let mut ps = alive();
        let mut cmd = UserCmd { angles: [20000, 0, 0], ..UserCmd::default() };
        update_view_angles(&mut ps, &cmd);
        assert_eq!(ps.view_angles.x, short_to_angle(16000));
        cmd.angles[0] -= 1000;
        update_view_angles(&mut ps, &cmd);
        assert_eq!(ps.view_angles.x, short_to_angle(15000));
    }

    #[test]
    fn angles_wrap_in_sixteen_bits() {
        let mut ps = alive();
        ps.delta_angles[1] = 60000;
        update_view_angles(&mut ps, &UserCmd { angles: [0, 60000, 0], ..UserCmd::default() });
        assert_eq!(ps.view_angles.y, short_to_angle(120_000 - 131_072));
    }

    #[test]
    fn the_dead_keep_their_view() {
        let mut ps = PlayerState::default();
        update_view_angles(&mut ps, &UserCmd { angles: [1, 2, 3], ..UserCmd::default() });
        assert_eq!(ps, PlayerState::default());
    }
}
