//! Players without a server: hands that a seed moves, and movement by the real `pmove` in the real map.
//!
//! They run, turn where they are stuck, step out of cover and back, and jump now and then. Doors are open and nobody dies or is in
//! the way of another, so that a path is a matter of map and seed alone.

use crate::rules::paths::{Path, Paths, Stance};
use fogline_common::collision::{ClipMap, MapAlone};
use fogline_common::ids::EntityNum;
use fogline_common::math::{Vec3, angle_to_short, vec3};
use fogline_common::openarena::{pers, stat, weapon};
use fogline_common::pmove::{PmoveInput, PmoveSettings, pmove};
use fogline_common::proto::{PlayerState, UserCmd, mask};

/// Time of a usercmd. Unit: ms.
const COMMAND_MS: i32 = 8;
/// Speed and gravity of OpenArena's rules.
const SPEED: i32 = 320;
const GRAVITY: i32 = 800;
/// Players are put this high above their spawn point. Source: `SelectSpawnPoint`.
const SPAWN_LIFT: f32 = 9.0;
/// Whoever is slower for [`STUCK_MS`] turns.
const STUCK_SPEED: f32 = 40.0;
const STUCK_MS: i32 = 250;
/// Whoever falls this far below the map is born again.
const ABYSS: f32 = 256.0;
/// Walks so long before its path counts. Unit: ms.
const WARM_UP_MS: i32 = 1000;

/// The ways of `count` walkers over `span_ms`.
///
/// # Errors
/// A sentence, if the map has no place to begin at.
pub fn walk(clip: &ClipMap, count: usize, span_ms: i32, seed: u64) -> Result<Paths, String> {
    let spawns = spawn_points(clip.entity_text());
    if spawns.is_empty() {
        return Err("the map has no info_player_deathmatch".to_owned());
    }
    let mut rng = fastrand::Rng::with_seed(seed);
    let walker = |index: usize, seed: u64| {
        let mut walker = Walker::new(fastrand::Rng::with_seed(seed), spawns[index % spawns.len()]);
        let mut path = Path::default();
        let mut now = 0;
        while now < WARM_UP_MS + span_ms {
            now += COMMAND_MS;
            walker.step(clip, now, &spawns);
            if now > WARM_UP_MS {
                path.push(now - WARM_UP_MS, Stance::of(&walker.state));
            }
        }
        path
    };
    let players = (0..count).map(|index| walker(index, rng.u64(..))).collect();
    Ok(Paths { source: format!("{count} walkers of seed {seed}"), players })
}

struct Walker {
    rng: fastrand::Rng,
    state: PlayerState,
    yaw: f32,
    /// -127, 0 or 127.
    side: i8,
    forward: i8,
    next_turn: i32,
    next_side: i32,
    stuck_since: Option<i32>,
}

impl Walker {
    fn new(mut rng: fastrand::Rng, spawn: Vec3) -> Self {
        let yaw = rng.f32() * 360.0;
        let state = born(spawn, 1);
        Self { rng, state, yaw, side: 0, forward: 127, next_turn: 0, next_side: 0, stuck_since: None }
    }

    fn step(&mut self, clip: &ClipMap, now: i32, spawns: &[Vec3]) {
        let floor = clip.model_bounds(0).map_or(f32::MIN, |bounds| bounds.mins.z);
        if self.state.origin.z < floor - ABYSS {
            let births = self.state.persistant[pers::SPAWN_COUNT as usize] + 1;
            self.state = PlayerState {
                command_time: now - COMMAND_MS,
                ..born(spawns[self.rng.usize(..spawns.len())], births)
            };
        }
        self.decide(now);
        let hop = self.state.ground().is_some() && self.rng.f32() < 0.004;
        let cmd = UserCmd {
            server_time: now,
            angles: [0, angle_to_short(self.yaw), 0],
            weapon: weapon::MACHINEGUN as u8,
            forward_move: self.forward,
            right_move: self.side,
            up_move: if hop { 127 } else { 0 },
            ..UserCmd::default()
        };
        let input = PmoveInput {
            cmd,
            tracer: &MapAlone(clip),
            trace_mask: mask::PLAYERSOLID,
            settings: PmoveSettings { float_velocity: true, ..PmoveSettings::default() },
            gauntlet_hit: false,
        };
        pmove(&mut self.state, &input);
    }

    fn decide(&mut self, now: i32) {
        let velocity = self.state.velocity;
        if vec3(velocity.x, velocity.y, 0.0).length() >= STUCK_SPEED {
            self.stuck_since = None;
        }
        let stuck_since = *self.stuck_since.get_or_insert(now);
        if now - stuck_since >= STUCK_MS {
            self.yaw += 90.0 + self.rng.f32() * 180.0;
            self.stuck_since = None;
        } else if now >= self.next_turn {
            self.yaw += self.rng.f32() * 120.0 - 60.0;
            self.next_turn = now + self.rng.i32(500..3000);
        }
        self.yaw = self.yaw.rem_euclid(360.0);
        if now >= self.next_side {
            // Half of the time it runs straight on; else it steps to and fro, now and then on the spot.
            let roll = self.rng.u32(0..8);
            self.side = [0, 0, 0, 0, 127, 127, -127, -127][roll as usize];
            self.forward = if self.side != 0 && self.rng.bool() { 0 } else { 127 };
            self.next_side = now + self.rng.i32(250..900);
        }
    }
}

fn born(spawn: Vec3, births: i32) -> PlayerState {
    let mut state = PlayerState {
        origin: spawn + vec3(0.0, 0.0, SPAWN_LIFT),
        gravity: GRAVITY,
        speed: SPEED,
        view_height: 26,
        ground_entity: EntityNum::NONE_ON_WIRE,
        weapon: weapon::MACHINEGUN,
        ..PlayerState::default()
    };
    state.stats[stat::HEALTH as usize] = 100;
    state.stats[stat::WEAPONS as usize] = 1 << weapon::MACHINEGUN;
    state.persistant[pers::SPAWN_COUNT as usize] = births;
    state
}

/// Places of `info_player_deathmatch` in an entity text. Source: facts page "map-tools": quoted keys and values in braces.
fn spawn_points(entities: &str) -> Vec<Vec3> {
    let spawn = |entity: &str| {
        let words: Vec<&str> = entity.split('"').skip(1).step_by(2).collect();
        let value = |key: &str| words.chunks_exact(2).find(|pair| pair[0] == key).map(|pair| pair[1]);
        let origin = value("origin").filter(|_| value("classname") == Some("info_player_deathmatch"))?;
        let parts: Vec<f32> = origin.split_whitespace().filter_map(|part| part.parse().ok()).collect();
        let [x, y, z] = *parts.as_slice() else { return None };
        Some(vec3(x, y, z))
    };
    entities.split('}').filter_map(spawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spawn_points_are_read_and_others_left_out() {
        let text = "{\n\"classname\" \"worldspawn\"\n}\n{\n\"origin\" \"1 -2 3.5\"\n\"classname\" \"info_player_deathmatch\"\n}\n\
                    {\n\"classname\" \"info_player_intermission\"\n\"origin\" \"0 0 0\"\n}\n";
        assert_eq!(spawn_points(text), [vec3(1.0, -2.0, 3.5)]);
    }
}
