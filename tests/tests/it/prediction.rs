//! The claim itself: with nobody else around, a client and the server agree on every step, under every setting of movement.

use fogline_common::time::Millis;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::client::predict::MissCause;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

/// A lone player walks for half a minute. Misses are for spawns, deaths and movers alone.
fn walk_alone(seed: u64, script: Script, frame: Millis, setup: &Setup) {
    let client = ClientConfig { frame, ..ClientConfig::default() };
    let bot = BotConfig { client, script, ..BotConfig::default() };
    let far = LinkConfig { delay: Millis(45), jitter: Millis(15), ..LinkConfig::default() };
    let mut sim = fixture::sim(seed, SimConfig::alike(1, &bot, LinkPair::both(far)), setup);
    sim.run_until_all_active();
    sim.run(Millis(30_000));
    let walker = &sim.bots[0].client;
    let counts = walker.counts().predict;
    assert!(counts.compared > 250, "compared {} in half a minute", counts.compared);
    assert_eq!(counts.frozen, 0);
    let excused = [MissCause::Spawn, MissCause::Changed, MissCause::Mover];
    let unexcused: Vec<_> =
        walker.predictor().misses().filter(|miss| !excused.contains(&miss.cause)).collect();
    // Lava, slime and long falls hurt, and a hit may push.
    let hurt = unexcused.iter().all(|miss| miss.cause == MissCause::Knockback);
    assert!(hurt, "{setup:?}, {script:?}: {unexcused:?}");
    assert!(counts.misses <= 12, "{setup:?}, {script:?}: {counts:?}");
}

fn on_maps(seed: u64, lines: &[&str]) {
    for (index, map) in ["oa_dm5", "oa_dm1"].into_iter().enumerate() {
        let setup = lines.iter().fold(Setup::installed_or_halls(map), |setup, line| setup.with(line));
        let script = [Script::Wander, Script::Strafe, Script::Jump][(seed as usize + index) % 3];
        walk_alone(seed + index as u64, script, Millis(8 + (seed as i32 % 3) * 7), &setup);
    }
}

#[test]
fn a_lone_walker_is_predicted_on_default_settings() {
    on_maps(100, &[]);
    on_maps(110, &[]);
    on_maps(120, &[]);
}

#[test]
fn a_lone_walker_is_predicted_in_fixed_steps() {
    on_maps(130, &["set pmove_fixed 1", "set pmove_msec 8"]);
    on_maps(140, &["set pmove_fixed 1", "set pmove_msec 33"]);
}

#[test]
fn a_lone_walker_is_predicted_with_rounded_velocity() {
    on_maps(150, &["set pmove_float 0"]);
}

#[test]
fn a_lone_walker_is_predicted_at_other_frame_rates() {
    on_maps(160, &["set sv_fps 10"]);
    on_maps(170, &["set sv_fps 40"]);
    on_maps(180, &["set sv_fps 125"]);
}

#[test]
fn a_lone_walker_is_predicted_under_other_rules() {
    on_maps(190, &["set dmflags 128"]);
    on_maps(200, &["set g_gravity 300"]);
    on_maps(210, &["set g_speed 600"]);
}
