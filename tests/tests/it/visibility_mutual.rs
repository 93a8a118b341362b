//! Mutual sight: while nothing moves, both players of a pair are told of each other or neither is.
//!
//! Exact, in the default profile, for every pair that the map's own data (areas and PVS, as on a stock server) withholds from
//! neither. By itself sight is not mutual: one may see the other's weapon over a ledge, and be below it with all of its body.

use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::vec3;
use fogline_common::openarena::{pers, powerup, weapon};
use fogline_common::time::Millis;
use fogline_server::visibility::Cause;
use fogline_tests::fixture::installed_map;
use fogline_tests::places::standing_places;
use fogline_tests::stage::Stage;
use std::sync::Arc;

const PLAYERS: usize = 24;

#[derive(Debug, Default)]
struct Found {
    told: u32,
    hidden: u32,
    /// One of the two is withheld by the map's own data.
    by_map: u32,
}

/// Players that stand about as players may, each round elsewhere.
fn survey(name: &str, map: Arc<ClipMap>, rounds: u32, seed: u64) -> Found {
    let mut rng = fastrand::Rng::with_seed(seed);
    let places = standing_places(&map, 1000, &mut rng);
    let mut stage = Stage::new(map);
    let players: Vec<ClientNum> = (0..PLAYERS).map(|_| stage.player(places[0])).collect();
    let mut found = Found::default();
    for round in 0..rounds {
        for &player in &players {
            pose(&mut stage, player, &mut rng);
            stage.state(player).persistant[pers::SPAWN_COUNT as usize] = round as i32;
            stage.place(player, places[rng.usize(..places.len())]);
        }
        // Long enough for nothing to linger; then several frames in which nothing moves.
        stage.now += Millis(5000);
        for _ in 0..3 {
            stage.now += Millis(50);
            let told = tell(&mut stage, &players, &mut rng);
            for (a, b) in pairs() {
                match (told[a][b], told[b][a]) {
                    (Some(there), Some(back)) => {
                        assert_eq!(
                            there, back,
                            "{name}, seed {seed}, round {round}: {a} told of {b}: {there}, {b} of {a}: {back}"
                        );
                        *if there { &mut found.told } else { &mut found.hidden } += 1;
                    }
                    _ => found.by_map += 1,
                }
            }
        }
    }
    eprintln!("{name}, seed {seed}: {found:?}");
    found
}

/// Standing or crouching, armed or not, looking anywhere, some with a flag or a glow.
fn pose(stage: &mut Stage, player: ClientNum, rng: &mut fastrand::Rng) {
    let crouches = rng.u8(..4) == 0;
    let entity = stage.entity(player.index());
    entity.link.bounds.maxs.z = if crouches { 16.0 } else { 32.0 };
    entity.state.weapon = if rng.bool() { weapon::MACHINEGUN } else { 0 };
    entity.state.powerups = match rng.u8(..12) {
        0 => 1 << powerup::QUAD,
        1 => 1 << powerup::REDFLAG,
        _ => 0,
    };
    let state = stage.state(player);
    state.view_height = if crouches { 12 } else { 26 };
    state.view_angles = vec3(rng.f32() * 120.0 - 60.0, rng.f32() * 360.0, 0.0);
}

/// Who is told of whom, `None` if the map's own data withholds it. Snapshots are built in any order, and some not at all.
fn tell(stage: &mut Stage, players: &[ClientNum], rng: &mut fastrand::Rng) -> Vec<Vec<Option<bool>>> {
    let mut order: Vec<usize> = (0..players.len()).collect();
    rng.shuffle(&mut order);
    stage.freeze();
    let mut told = vec![vec![None; players.len()]; players.len()];
    for viewer in order {
        stage.build(players[viewer]);
        for (target, slot) in told[viewer].iter_mut().enumerate() {
            *slot = match stage.builder.cause(players[target]) {
                Some(Cause::NotInPvs | Cause::NoCluster | Cause::ClosedArea) | None => None,
                Some(cause) => Some(cause != Cause::OutOfSight),
            };
        }
    }
    told
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..PLAYERS).flat_map(|a| (a + 1..PLAYERS).map(move |b| (a, b)))
}

fn check(name: &str, rounds: u32, seed: u64) {
    let Some(map) = installed_map(name) else { return };
    let found = survey(name, map, rounds, seed);
    assert!(found.told > 500 && found.hidden > 500, "{name}: {found:?}");
}

#[test]
fn while_nothing_moves_both_are_told_of_each_other_or_neither_is() {
    for (seed, name) in (41..).zip(["oa_dm1", "oa_dm5", "ctf_gate1", "czest3ctf"]) {
        check(name, 12, seed);
    }
}

/// Everywhere: `cargo test --release -p fogline-tests --test it visibility_mutual -- --ignored --nocapture`
#[test]
#[ignore = "a minute of work"]
fn while_nothing_moves_sight_is_mutual_on_many_maps() {
    let maps =
        ["oa_dm1", "oa_dm5", "oa_dm6", "aggressor", "kaos", "oa_ctf2", "ctf_gate1", "czest3ctf", "oa_thor"];
    for (seed, name) in (50..).zip(maps) {
        check(name, 200, seed);
    }
}
