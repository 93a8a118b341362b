//! Players walk on maps that `fogmap` compiled, and none of them falls out of the world.
//!
//! The arena always. With sources of real maps, all of those too: `FOGLINE_MAPS=DIR cargo test --release -p fogline-tests --test it
//! compiled_maps:: -- --ignored` (compiling a dozen of them takes longer than a test may).

use fogline_common::collision::ClipMap;
use fogline_common::math::Vec3;
use fogline_common::time::Millis;
use fogline_server::arena;
use fogline_tests::bot::BotConfig;
use fogline_tests::compiled;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::gamedata;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;

/// How many walk.
const PLAYERS: usize = 8;
/// For how long.
const SPAN: Millis = Millis(30_000);
/// How often they are looked for.
const LOOK_EVERY: Millis = Millis(100);

/// Whether a place is inside the map, and not in the void around it.
fn is_inside(map: &ClipMap, place: Vec3) -> bool {
    map.leaf_cluster(map.leaf_at(place)).is_some()
}

/// Eight clients walk about for half a minute. Units that the one who came farthest went, and misses that nothing explains.
fn walk(name: &str, file: Vec<u8>) -> (f32, u64) {
    let map = compiled::clip_map(&file);
    let setup = Setup::of_file(name, file);
    let mut sim =
        fixture::sim(8, SimConfig::alike(PLAYERS, &BotConfig::default(), LinkPair::default()), &setup);
    sim.run_until_all_active();
    sim.run(Millis(500));
    let places = |sim: &fogline_tests::sim::Sim<_>| -> Vec<Vec3> {
        let bots = &sim.bots;
        bots.iter().filter_map(|bot| bot.client.predicted().map(|player| player.origin)).collect()
    };
    let mut before = places(&sim);
    assert_eq!(before.len(), PLAYERS, "{name}");
    let mut gone = [0.0_f32; PLAYERS];
    for _ in 0..SPAN.0 / LOOK_EVERY.0 {
        sim.run(LOOK_EVERY);
        let now = places(&sim);
        assert_eq!(now.len(), PLAYERS, "{name}");
        for (bot, (from, to)) in before.iter().zip(&now).enumerate() {
            assert!(
                to.is_finite() && is_inside(&map, *to),
                "{name}: bot {bot} fell out of the world at {to:?}"
            );
            gone[bot] += from.distance(*to).min(200.0);
        }
        before = now;
    }
    let unexplained = sim.bots.iter().map(|bot| bot.client.counts().predict.unexplained).sum();
    (gone.into_iter().fold(0.0, f32::max), unexplained)
}

#[test]
fn eight_clients_walk_the_arena_for_half_a_minute() {
    let (farthest, unexplained) = walk(arena::NAME, compiled::arena_file());
    assert!(farthest > 3000.0, "nobody went farther than {farthest}");
    assert_eq!(unexplained, 0, "prediction missed");
}

#[test]
#[ignore = "compiles a dozen maps; the module says how to run it"]
fn eight_clients_walk_every_map_of_the_sources_for_half_a_minute() {
    let base = gamedata::base_path();
    for (name, path) in compiled::sources() {
        let file = compiled::compile(&path, base.as_deref(), false);
        let (farthest, unexplained) = walk(&name, file);
        eprintln!("{name}: {farthest:.0} units, {unexplained} unexplained misses");
        assert!(farthest > 1500.0, "{name}: nobody went farther than {farthest}");
        assert_eq!(unexplained, 0, "{name}: prediction missed");
    }
}
