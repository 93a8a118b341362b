//! The railgun: one ray through everybody in a row.

use super::{Shot, snapped_toward};
use crate::game::Host;
use crate::game::native::NativeGame;
use fogline_common::ids::EntityNum;
use fogline_common::openarena::{direction_to_byte, entity_flag, event, means_of_death, pers, weapon};
use fogline_common::proto::{contents, surface};
use fogline_common::trace::Trace;

/// Points of a hit.
const RAIL_DAMAGE: i32 = 100;
/// How far it reaches.
const RAIL_RANGE: f32 = 8192.0;
/// Bodies that it goes through at most.
const MOST_HITS: usize = 4;
/// Says in an event that nothing bursts at the end.
const NO_IMPACT: i32 = 255;
/// Hits in a row that are impressive.
const IMPRESSIVE_HITS: i32 = 2;

/// One shot. Source: `weapon_railgun_fire`.
pub(super) fn railgun(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    let end = shot.muzzle.mul_add(RAIL_RANGE, shot.axes.forward);
    let mut passed = [EntityNum::WORLD; MOST_HITS];
    let mut passed_count = 0;
    let mut hits = 0;
    let trace = loop {
        let trace = game.trace_shot(host, shot, end);
        let Some(hit) = trace.entity.filter(|&hit| game.entities.in_use(hit)) else { break trace };
        hits += i32::from(game.is_accurate(host, shot.shooter, hit));
        game.damage(host, &shot.damage(hit, RAIL_DAMAGE, means_of_death::RAILGUN));
        if trace.contents & contents::SOLID != 0 || !game.entities.in_use(hit) {
            break trace;
        }
        // Out of the world for the rest of this shot, so that the next ray goes past it.
        game.unlink(host, hit);
        passed[passed_count] = hit;
        passed_count += 1;
        if passed_count == MOST_HITS {
            break trace;
        }
    };
    for &hit in &passed[..passed_count] {
        game.link(host, hit);
    }
    draw_trail(game, host, shot, &trace);
    count_accuracy(game, host, shot, hits);
}

fn draw_trail(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot, trace: &Trace) {
    let end = snapped_toward(trace.end, shot.muzzle);
    let Some(trail) = game.temporary_event(host, end, event::RAILTRAIL) else { return };
    let state = &mut game.entities[trail].shared.state;
    // Its owner's colours, from about where the gun is drawn.
    state.client_num = shot.shooter.index() as i32;
    state.origin2 = shot.muzzle.mul_add(4.0, shot.axes.right).mul_add(-1.0, shot.axes.up);
    state.event_parm = if trace.surface_flags & surface::NOIMPACT != 0 {
        NO_IMPACT
    } else {
        direction_to_byte(trace.plane.normal)
    };
}

/// Every second hit in a row is impressive.
fn count_accuracy(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot, hits: i32) {
    let client = &mut game.clients[shot.shooter.index()];
    if hits == 0 {
        client.life.rail_hits = 0;
        return;
    }
    client.player.statistics.count_hit(weapon::RAILGUN);
    client.life.rail_hits += hits;
    if client.life.rail_hits >= IMPRESSIVE_HITS {
        client.life.rail_hits -= IMPRESSIVE_HITS;
        client.count(pers::IMPRESSIVE_COUNT);
        game.award(host, shot.shooter, entity_flag::AWARD_IMPRESSIVE, 2, "IMPRESSIVE");
    }
}
