//! Misses that the last bit makes.
//!
//! A move up or down a slope runs along its plane, a hair off: whether the sweep touches the plane is decided by the last bit, and
//! so is whether a fall that ends at the floor to a hair has landed. The real client's engine and cgame are built with
//! `-ffast-math`, which sums in another order than the source says and we do. See `common/docs/quirks.md#rounding`.
//!
//! Here this is told without the client's code: the server's commands are run again, once exactly, which must give the server's
//! states bit for bit, and then from a place that is off by a unit in the last place. Where the second lands as far from the first
//! as the client said that it was off, rounding made the miss.

use fogline_common::collision::{ClipMap, MapAlone};
use fogline_common::math::Vec3;
use fogline_common::pmove::{PmoveInput, PmoveSettings, pmove};
use fogline_common::proto::{PlayerState, mask};
use fogline_tests::stock::moves::Move;

/// How far off the places are that are tried. Unit: units in the last place of the largest coordinate.
const NUDGES: [f32; 6] = [-1.0, 1.0, -2.0, 2.0, -4.0, 4.0];
/// Most usercmds from the nudge to the miss: what a client runs ahead of what it was told.
const LONGEST: usize = 8;
/// A miss has the size that a nudge makes within this. Unit: units.
const SAME: f32 = 0.002;

/// Whether a miss of that size comes of rounding somewhere among these usercmds of one player, which follow one another.
pub(crate) fn makes(miss: f32, moves: &[Move], map: &ClipMap) -> bool {
    (0..moves.len()).any(|first| {
        let run = exact(&moves[first..moves.len().min(first + LONGEST)], map);
        let nudged = |nudge: Vec3| {
            let mut state = run.first().map(|a_move| a_move.before).unwrap_or_default();
            state.origin += nudge;
            run.iter().any(|a_move| {
                step(&mut state, a_move, map);
                (state.origin.distance(a_move.after.origin) - miss).abs() < SAME
            })
        };
        run.first().is_some_and(|a_move| nudges(a_move.before.origin).any(nudged))
    })
}

/// Those of the first moves that come out of the map and the command alone, bit for bit: no hit, no other player, no mover.
fn exact<'a>(moves: &'a [Move], map: &ClipMap) -> &'a [Move] {
    let is_exact = |(at, a_move): (usize, &Move)| {
        let mut state = a_move.before;
        step(&mut state, a_move, map);
        let follows = at == 0 || moves[at - 1].after.origin == a_move.before.origin;
        follows && state.origin == a_move.after.origin && state.velocity == a_move.after.velocity
    };
    let count = moves.iter().enumerate().take_while(|&pair| is_exact(pair)).count();
    &moves[..count]
}

fn step(state: &mut PlayerState, a_move: &Move, map: &ClipMap) {
    let settings = PmoveSettings { float_velocity: true, ..PmoveSettings::default() };
    let world = MapAlone(map);
    let input = PmoveInput {
        cmd: a_move.cmd,
        tracer: &world,
        trace_mask: mask::PLAYERSOLID,
        settings,
        gauntlet_hit: false,
    };
    pmove(state, &input);
}

/// Offsets of a place that are about what rounding is there.
fn nudges(origin: Vec3) -> impl Iterator<Item = Vec3> {
    let largest = origin.x.abs().max(origin.y.abs()).max(origin.z.abs());
    let last_place = f32::from_bits(largest.to_bits() + 1) - largest;
    NUDGES.into_iter().flat_map(move |count| {
        let by = count * last_place;
        [Vec3::new(by, 0.0, 0.0), Vec3::new(0.0, by, 0.0), Vec3::new(0.0, 0.0, by)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::ids::{ClientNum, EntityNum};
    use fogline_common::math::vec3;
    use fogline_common::openarena::{pm_flag, stat};
    use fogline_common::proto::UserCmd;
    use fogline_tests::fixture::installed_map;

    /// A living player of ctf_gate1.
    fn player(origin: Vec3, velocity: Vec3) -> PlayerState {
        let mut state = PlayerState {
            origin,
            velocity,
            gravity: 800,
            speed: 320,
            view_height: 26,
            ground_entity: EntityNum::NONE_ON_WIRE,
            weapon: 7,
            ..PlayerState::default()
        };
        state.stats[stat::HEALTH as usize] = 95;
        state
    }

    /// What comes of a player that runs forward so long (in ms), its head turned so far, each step from the end of the one before.
    fn moves(map: &ClipMap, mut state: PlayerState, steps: &[(i32, i32)], up_move: i8) -> Vec<Move> {
        let run = |&(ms, yaw): &(i32, i32)| {
            let server_time = state.command_time + ms;
            let cmd = UserCmd {
                server_time,
                angles: [0, yaw, 0],
                weapon: 7,
                forward_move: 127,
                up_move,
                ..UserCmd::default()
            };
            let client = ClientNum::new(0).expect("a slot");
            let mut a_move = Move { client, cmd, before: state, after: state };
            step(&mut state, &a_move, map);
            a_move.after = state;
            a_move
        };
        steps.iter().map(run).collect()
    }

    /// A step in which a ducked player leaves a ramp. A real client missed by 0.665225 in it: with its engine's sums the player
    /// comes to (-436.34302, 361, -38.629105).
    fn off_the_ramp(map: &ClipMap, shift: f32) -> Vec<Move> {
        let mut state = player(vec3(-432.91522 + shift, 360.875, -39.90262), vec3(-108.9008, 0.0, 54.4504));
        state.pm_flags = pm_flag::DUCKED;
        state.view_height = 12;
        state.ground_entity = EntityNum::WORLD.index() as i32;
        moves(map, state, &[(30, 25_875)], -127)
    }

    #[test]
    fn a_miss_is_roundings_only_where_the_last_bit_makes_just_that_miss() {
        let Some(map) = installed_map("ctf_gate1") else { return };
        let edge = off_the_ramp(&map, 0.0);
        assert_eq!(edge[0].after.origin, vec3(-435.68832, 360.9665, -38.516064));
        assert!(makes(0.665_225, &edge, &map));
        assert!(!makes(0.7, &edge, &map), "of another size");
        let aside = off_the_ramp(&map, 0.1);
        assert!(!makes(0.665_225, &aside, &map), "where no bit decides");
        let mut pushed = edge;
        pushed[0].after.velocity.x += 1.0;
        assert!(!makes(0.665_225, &pushed, &map), "where something else was at work");
    }

    /// A real client had drifted by two last places when it came to the floor, and touched it.
    #[test]
    fn a_fall_that_ends_at_the_floor_to_a_hair_is_rounding_too() {
        let Some(map) = installed_map("ctf_gate1") else { return };
        let falls = player(vec3(-153.30582, 360.87476, -95.4006), vec3(-31.339_275, -0.007_559_776, -243.6));
        let run = moves(&map, falls, &[(33, 1594 + 17_528), (31, 2435 + 17_528)], 0);
        assert_eq!(run[0].after.velocity.z, -270.0, "it keeps its fall");
        assert_eq!(run[1].after.origin, vec3(-156.75381, 360.87054, -103.86916));
        assert!(makes(0.808_891, &run, &map));
    }
}
