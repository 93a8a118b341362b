//! A player as the others see it: the entity state made from a player state.

use super::events::MAX_PS_EVENTS;
use crate::math::YAW;
use crate::openarena::{entity_flag, entity_type, pm_type, shared, stat, trajectory};
use crate::proto::{EntityState, PlayerState};
use crate::time::ServerTime;

/// Writes into `entity` what others may see of the player, positions cut to whole units.
///
/// What a player state does not say (box, light, owner…) stays as it is, and so does the last event while there is no newer
/// one. One pending predictable event is taken at each call and marked as taken in `ps`.
/// Source: `BG_PlayerStateToEntityState`, always snapping, which only the client's own prediction does not.
pub fn player_state_to_entity_state(ps: &mut PlayerState, entity: &mut EntityState) {
    entity.pos.kind = trajectory::INTERPOLATE;
    write_all_but_motion(ps, entity);
}

/// The same for clients that let others run on between snapshots: along the velocity from `at`, for at most 50 ms.
/// Source: `BG_PlayerStateToEntityStateExtraPolate`.
pub fn player_state_to_entity_state_extrapolated(
    ps: &mut PlayerState,
    entity: &mut EntityState,
    at: ServerTime,
) {
    entity.pos.kind = trajectory::LINEAR_STOP;
    entity.pos.time = at.0;
    entity.pos.duration = LONGEST_EXTRAPOLATION_MS;
    write_all_but_motion(ps, entity);
}

fn write_all_but_motion(ps: &mut PlayerState, entity: &mut EntityState) {
    let health = ps.stats[stat::HEALTH as usize];
    let is_unseen = ps.pm_type == pm_type::INTERMISSION
        || ps.pm_type == pm_type::SPECTATOR
        || health <= shared::GIB_HEALTH;
    entity.entity_type = if is_unseen { entity_type::INVISIBLE } else { entity_type::PLAYER };
    entity.number = ps.client_num;
    entity.client_num = ps.client_num;

    entity.pos.base = ps.origin.truncated();
    entity.pos.delta = ps.velocity;
    entity.apos.kind = trajectory::INTERPOLATE;
    entity.apos.base = ps.view_angles.truncated();
    entity.angles2[YAW] = ps.movement_dir as f32;
    entity.legs_anim = ps.legs_anim;
    entity.torso_anim = ps.torso_anim;

    let dead = if health <= 0 { entity_flag::DEAD } else { 0 };
    entity.flags = ps.flags & !entity_flag::DEAD | dead;
    take_event(ps, entity);

    entity.weapon = ps.weapon;
    entity.ground_entity = ps.ground_entity;
    entity.powerups =
        ps.powerups.iter().enumerate().fold(0, |bits, (bit, &ends)| bits | i32::from(ends != 0) << bit);
    entity.loop_sound = ps.loop_sound;
    entity.generic1 = ps.generic1;
}

/// An external event goes first; else the oldest predictable one that was not yet shown and is still known. Two bits of its
/// number make it differ from the one before.
fn take_event(ps: &mut PlayerState, entity: &mut EntityState) {
    if ps.external_event != 0 {
        entity.event = ps.external_event;
        entity.event_parm = ps.external_event_parm;
        return;
    }
    if ps.entity_event_sequence >= ps.event_sequence {
        return;
    }
    ps.entity_event_sequence = ps.entity_event_sequence.max(ps.event_sequence.saturating_sub(MAX_PS_EVENTS));
    let slot = (ps.entity_event_sequence & (MAX_PS_EVENTS - 1)) as usize;
    entity.event = ps.events[slot] | (ps.entity_event_sequence & 3) << 8;
    entity.event_parm = ps.event_parms[slot];
    ps.entity_event_sequence += 1;
}

const LONGEST_EXTRAPOLATION_MS: i32 = 50;

#[cfg(test)]
mod tests {
    use super::super::add_predictable_event;
    use super::*;
    use crate::math::vec3;
    use crate::openarena::{event, powerup};

    fn alive() -> PlayerState {
        let mut ps = PlayerState { client_num: 3, ..PlayerState::default() };
        ps.stats[stat::HEALTH as usize] = 100;
        ps
    }

    fn shown(ps: &mut PlayerState) -> EntityState {
        let mut entity = EntityState::default();
        player_state_to_entity_state(ps, &mut entity);
        entity
    }

    #[test]
    fn positions_are_cut_toward_zero_and_never_negative_zero() {
        let mut ps = alive();
        ps.origin = vec3(-0.9, 1.9, -17.5);
        ps.velocity = vec3(0.5, -0.5, 320.25);
        let entity = shown(&mut ps);
        assert_eq!(entity.pos.base.to_array().map(f32::to_bits), [0.0f32, 1.0, -17.0].map(f32::to_bits));
        assert_eq!(entity.pos.delta, ps.velocity);
    }

    #[test]
    fn who_is_seen_follows_type_and_health() {
        let check = |pm_type: i32, health: i32, seen_as: i32, dead: bool| {
            let mut ps = alive();
            ps.pm_type = pm_type;
            ps.stats[stat::HEALTH as usize] = health;
            let entity = shown(&mut ps);
            assert_eq!(
                (entity.entity_type, entity.flags & entity_flag::DEAD != 0),
                (seen_as, dead),
                "pm_type {pm_type}, health {health}"
            );
        };
        check(pm_type::NORMAL, 100, entity_type::PLAYER, false);
        check(pm_type::DEAD, 0, entity_type::PLAYER, true);
        check(pm_type::DEAD, -39, entity_type::PLAYER, true);
        check(pm_type::DEAD, -40, entity_type::INVISIBLE, true);
        check(pm_type::SPECTATOR, 100, entity_type::INVISIBLE, false);
        check(pm_type::INTERMISSION, 100, entity_type::INVISIBLE, false);
    }

    #[test]
    fn events_are_shown_one_a_call_with_their_toggle_bits() {
        let mut ps = alive();
        ps.event_sequence = 6;
        ps.entity_event_sequence = 6;
        add_predictable_event(&mut ps, event::JUMP, 0);
        add_predictable_event(&mut ps, event::FIRE_WEAPON, 7);
        let mut entity = EntityState::default();
        player_state_to_entity_state(&mut ps, &mut entity);
        assert_eq!(entity.event, event::JUMP | 0x200);
        player_state_to_entity_state(&mut ps, &mut entity);
        assert_eq!((entity.event, entity.event_parm), (event::FIRE_WEAPON | 0x300, 7));
        player_state_to_entity_state(&mut ps, &mut entity);
        assert_eq!(entity.event, event::FIRE_WEAPON | 0x300, "the last one stays");
    }

    #[test]
    fn events_that_were_overwritten_are_passed_over() {
        let mut ps = alive();
        for parm in 0..5 {
            add_predictable_event(&mut ps, event::FOOTSTEP, parm);
        }
        assert_eq!(shown(&mut ps).event_parm, 3);
        assert_eq!(shown(&mut ps).event_parm, 4);
    }

    #[test]
    fn an_external_event_goes_first_and_takes_nothing() {
        let mut ps = alive();
        add_predictable_event(&mut ps, event::JUMP, 0);
        ps.external_event = event::PAIN | 0x100;
        ps.external_event_parm = 42;
        let entity = shown(&mut ps);
        assert_eq!((entity.event, entity.event_parm), (event::PAIN | 0x100, 42));
        assert_eq!(ps.entity_event_sequence, 0);
    }

    #[test]
    fn powerups_travel_as_bits() {
        let mut ps = alive();
        ps.powerups[powerup::QUAD as usize] = 30_000;
        ps.powerups[powerup::FLIGHT as usize] = i32::MAX;
        assert_eq!(shown(&mut ps).powerups, 1 << powerup::QUAD | 1 << powerup::FLIGHT);
    }

    #[test]
    fn extrapolation_says_from_when_and_for_how_long() {
        let mut entity = EntityState::default();
        player_state_to_entity_state_extrapolated(&mut alive(), &mut entity, ServerTime(1234));
        assert_eq!(
            (entity.pos.kind, entity.pos.time, entity.pos.duration),
            (trajectory::LINEAR_STOP, 1234, 50)
        );
    }
}
