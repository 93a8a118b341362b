//! Touches that the client predicts: jump pads and items.

use super::add_predictable_event;
use crate::math::{PITCH, angle_normalize_180, vector_to_angles};
use crate::openarena::{event, pm_type, powerup};
use crate::proto::{EntityState, PlayerState};
use crate::time::ServerTime;

/// Throws the player along the pad's `origin2`. Its sound comes once, however long the player is inside the trigger.
/// The flying and those without a body pass. Source: `BG_TouchJumpPad`.
pub fn touch_jump_pad(ps: &mut PlayerState, pad: &EntityState) {
    if ps.pm_type != pm_type::NORMAL || ps.powerups[powerup::FLIGHT as usize] != 0 {
        return;
    }
    if ps.jumppad_entity != pad.number {
        let pitch = angle_normalize_180(vector_to_angles(pad.origin2)[PITCH]).abs();
        let is_steep = pitch >= 45.0;
        add_predictable_event(ps, event::JUMP_PAD, i32::from(is_steep));
    }
    ps.jumppad_entity = pad.number;
    ps.jumppad_frame = ps.pmove_frame_count;
    ps.velocity = pad.origin2;
}

/// To be called after a move and its touches: a pad that this move did not touch will sound again.
/// Source: the end of `G_TouchTriggers`.
pub fn forget_left_jump_pad(ps: &mut PlayerState) {
    if ps.jumppad_frame != ps.pmove_frame_count {
        ps.jumppad_frame = 0;
        ps.jumppad_entity = 0;
    }
}

/// Whether a player is near enough to an item to take it; ducking makes no difference. Source: `BG_PlayerTouchesItem`.
pub fn player_touches_item(ps: &PlayerState, item: &EntityState, at: ServerTime) -> bool {
    let offset = ps.origin - item.pos.at(at);
    // Farther on one side than on the other, as in every release of the game.
    (-50.0..=44.0).contains(&offset.x)
        && (-36.0..=36.0).contains(&offset.y)
        && (-36.0..=36.0).contains(&offset.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec3;

    fn pad(number: i32) -> EntityState {
        EntityState { number, origin2: vec3(0.0, 100.0, 600.0), ..EntityState::default() }
    }

    #[test]
    fn a_pad_throws_each_frame_and_sounds_once() {
        let mut ps = PlayerState { pmove_frame_count: 5, ..PlayerState::default() };
        touch_jump_pad(&mut ps, &pad(70));
        ps.pmove_frame_count = 6;
        ps.velocity.z = -3.0;
        touch_jump_pad(&mut ps, &pad(70));
        forget_left_jump_pad(&mut ps);
        assert_eq!((ps.event_sequence, ps.velocity), (1, pad(70).origin2));
        assert_eq!((ps.events[0], ps.event_parms[0]), (event::JUMP_PAD, 1));

        ps.pmove_frame_count = 7;
        forget_left_jump_pad(&mut ps);
        touch_jump_pad(&mut ps, &pad(70));
        assert_eq!(ps.event_sequence, 2);
    }

    #[test]
    fn the_flying_and_the_bodiless_pass_over_a_pad() {
        let mut flying = PlayerState::default();
        flying.powerups[powerup::FLIGHT as usize] = 1;
        let spectator = PlayerState { pm_type: pm_type::SPECTATOR, ..PlayerState::default() };
        for mut ps in [flying, spectator] {
            let before = ps;
            touch_jump_pad(&mut ps, &pad(70));
            assert_eq!(ps, before);
        }
    }

    #[test]
    fn an_items_reach_is_the_references_box_edges_included() {
        let check = |offset: [f32; 3], touches: bool| {
            let item = EntityState {
                pos: crate::proto::Trajectory { base: vec3(10.0, 20.0, 30.0), ..Default::default() },
                ..EntityState::default()
            };
            let ps = PlayerState { origin: vec3(10.0, 20.0, 30.0) + offset.into(), ..PlayerState::default() };
            assert_eq!(player_touches_item(&ps, &item, ServerTime(0)), touches, "{offset:?}");
        };
        check([0.0, 0.0, 0.0], true);
        check([44.0, 36.0, -36.0], true);
        check([-50.0, -36.0, 36.0], true);
        check([44.01, 0.0, 0.0], false);
        check([-50.01, 0.0, 0.0], false);
        check([0.0, 36.01, 0.0], false);
        check([0.0, 0.0, -36.01], false);
    }
}
