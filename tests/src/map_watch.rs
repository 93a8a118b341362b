//! What must not happen on a map, looked for frame by frame: players outside of the world or beyond numbers, movers that stand
//! still on their way or do not come back.

use crate::game_host::Match;
use fogline_common::collision::ClipMap;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::{entity_type, stat, trajectory};
use fogline_server::game::Game;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A mover that does not do for so long what it should is stuck. Unit: frames.
const STUCK_FRAMES: u32 = 400;
/// Who is this near to a mover may hold it open. Unit: units.
const HOLDS_OPEN: f32 = 200.0;

#[derive(Debug)]
struct Mover {
    num: EntityNum,
    /// Where it was when the match began.
    rest: Vec3,
    place: Vec3,
    still: u32,
    away: u32,
    /// Frames that it may be away while nobody is near; `None` for one that never comes back.
    patience: Option<u32>,
}

/// Watches a match.
pub struct MapWatch {
    map: Arc<ClipMap>,
    movers: Vec<Mover>,
    /// What was wrong, the first of each kind and thing.
    pub faults: Vec<String>,
}

impl MapWatch {
    /// From now on.
    pub fn new(run: &Match) -> Self {
        let map = run.host.world.clip_map().clone();
        let waits = waits(map.entity_text());
        let movers = run.find(|e| e.state.entity_type == entity_type::MOVER).into_iter().map(|num| {
            let shared = run.game.entities().get(num);
            let rest = shared.link.origin;
            let wait_s = waits.get(&shared.state.model_index).copied().unwrap_or(Some(0.0));
            let patience = wait_s.map(|s| STUCK_FRAMES + (s * 1000.0) as u32 / Match::FRAME.0 as u32);
            Mover { num, rest, place: rest, still: 0, away: 0, patience }
        });
        Self { movers: movers.collect(), map, faults: Vec::new() }
    }

    /// How many movers the map has.
    pub fn mover_count(&self) -> usize {
        self.movers.len()
    }

    /// Looks at the world after a frame.
    pub fn look(&mut self, run: &Match, players: &[ClientNum]) {
        let mut living = Vec::new();
        for &num in players {
            let ps = run.player(num);
            if !(ps.origin.is_finite() && ps.velocity.is_finite()) {
                self.fault(format!("player {num} is at {:?}", ps.origin));
            } else if ps.stats[stat::HEALTH as usize] > 0 {
                living.push(ps.origin);
                let body = run.game.entities().get(num.entity()).link.abs_bounds;
                if is_outside(&self.map, &body) {
                    self.fault(format!("player {num} fell out of the world at {:?}", ps.origin));
                }
            }
        }
        let mut found = Vec::new();
        for mover in &mut self.movers {
            let shared = run.game.entities().get(mover.num);
            let goes =
                shared.state.pos.kind == trajectory::LINEAR_STOP && shared.state.pos.delta != Vec3::ZERO;
            let moved = shared.link.origin != mover.place;
            mover.place = shared.link.origin;
            mover.still = if goes && !moved { mover.still + 1 } else { 0 };
            let rests = shared.state.pos.kind == trajectory::STATIONARY && !moved;
            let near = shared.link.abs_bounds.grown(HOLDS_OPEN);
            let held = living.iter().any(|&at| near.contains(at));
            mover.away = if rests && mover.place != mover.rest && !held { mover.away + 1 } else { 0 };
            let (num, place) = (mover.num.index(), mover.place);
            if mover.still == STUCK_FRAMES {
                found.push(format!("mover {num} stands still on its way at {place:?}"));
            }
            if mover.patience.is_some_and(|most| mover.away == most) {
                found.push(format!("mover {num} stays at {place:?} and does not come back"));
            }
        }
        found.into_iter().for_each(|fault| self.fault(fault));
    }

    fn fault(&mut self, fault: String) {
        let kind = |text: &str| text.split(" at ").next().unwrap_or("").to_owned();
        if !self.faults.iter().any(|known| kind(known) == kind(&fault)) {
            self.faults.push(fault);
        }
    }
}

/// Whether all of a body is outside of what the compiler knows as inside. One point of it proves nothing: on `oa_ctf4ish` the air
/// close above a slope belongs to leaves that count as filled.
fn is_outside(map: &ClipMap, body: &Bounds) -> bool {
    let mut outside = true;
    map.each_leaf_touched(body, &mut |leaf| {
        outside &= map.leaf_cluster(leaf).is_none();
        outside
    });
    outside
}

/// How long movers stay open, by the number of their brush model; `None` for those that stay for ever, and for trains, which stop
/// at the end of their path. Unit: s.
fn waits(entities: &str) -> BTreeMap<i32, Option<f32>> {
    let value = |entity: &str, key: &str| {
        let (_, rest) = entity.split_once(&format!("\"{key}\" \""))?;
        Some(rest.split('"').next().unwrap_or("").to_owned())
    };
    let mut waits = BTreeMap::new();
    for entity in entities.split('}') {
        let model = value(entity, "model").and_then(|text| text.strip_prefix('*')?.parse::<i32>().ok());
        let Some(model) = model else { continue };
        let wait_s: f32 = value(entity, "wait").and_then(|text| text.trim().parse().ok()).unwrap_or(0.0);
        let is_train = entity.contains("\"func_train\"");
        waits.insert(model, Some(wait_s).filter(|&s| s >= 0.0 && !is_train));
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::installed_map;
    use fogline_common::math::vec3;

    #[test]
    fn who_is_outside_is_so_with_all_of_its_body() {
        let Some(map) = installed_map("oa_ctf4ish") else { return };
        let body = |at: Vec3| Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0)).translated(at);
        let above_slope = vec3(-1212.7, 245.7, 1275.1);
        assert_eq!(map.leaf_cluster(map.leaf_at(above_slope)), None);
        assert!(!is_outside(&map, &body(above_slope)));
        assert!(is_outside(&map, &body(vec3(0.0, 0.0, -500.0))));
    }

    #[test]
    fn who_stays_open_is_told_from_who_waits() {
        let text = "{ \"classname\" \"func_door\" \"model\" \"*1\" \"wait\" \"3.5\" }{ \"model\" \"*2\" \"wait\" \"-1\" }\
                    { \"classname\" \"func_train\" \"model\" \"*3\" }{ \"model\" \"*4\" }{ \"model\" \"a.md3\" }";
        let expected = [(1, Some(3.5)), (2, None), (3, None), (4, Some(0.0))];
        assert_eq!(waits(text).into_iter().collect::<Vec<_>>(), expected);
    }
}
