//! Long matches on bad links: nobody falls out of step, nothing grows.
#![allow(clippy::disallowed_methods, reason = "the size of this very process is read from the system")]

use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tests::bot::{Bot, BotConfig};
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

const SCRIPTS: [Script; 6] =
    [Script::Wander, Script::Fight, Script::Jump, Script::Strafe, Script::Chat, Script::Fight];

fn soak(seed: u64, players: usize) -> Sim<Server> {
    let links = LinkPair::both(LinkConfig {
        delay: Millis(40),
        jitter: Millis(100),
        loss: 0.05,
        ..LinkConfig::default()
    });
    let bot = |index: usize| {
        let script = SCRIPTS[index % SCRIPTS.len()];
        (BotConfig { script, ..BotConfig::default() }, links)
    };
    let config = SimConfig { bots: (0..players).map(bot).collect(), ..SimConfig::default() };
    // Nobody wins: an intermission would make the match short.
    let setup = Setup::installed_or_halls("oa_dm5").with("set fraglimit 0").with("set timelimit 0");
    let mut sim = fixture::sim(seed, config, &setup);
    sim.run_until_all_active();
    sim
}

/// Bytes of memory of this process that are in use, where the system tells.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = status.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

fn check(sim: &Sim<Server>) {
    for bot in &sim.bots {
        assert!(bot.is_active(), "seed {}: {:?}", sim.seed(), bot.client.state());
        assert_eq!(bot.times_active, 1, "seed {}: somebody had to come back", sim.seed());
    }
    assert!(sim.checks.compared > 100);
    assert!(sim.network.in_flight() < 1000);
}

#[test]
fn short_soak_on_bad_links_stays_in_step() {
    let mut sim = soak(41, 8);
    sim.run(Millis(30_000));
    check(&sim);
}

/// Sixteen players, half an hour, 5 % loss, 100 ms jitter. Run with `cargo test --release -- --ignored long_soak`.
#[test]
#[ignore = "takes minutes"]
fn long_soak_on_bad_links_stays_in_step_and_does_not_grow() {
    let mut sim = soak(42, 16);
    // By then every bounded buffer has reached its bound: rings, remembered texts, spare messages.
    sim.run(Millis(600_000));
    let early = resident_bytes();
    for minute in 10..30 {
        sim.run(Millis(60_000));
        let misses: u64 = sim.bots.iter().map(|bot| bot.client.counts().predict.misses).sum();
        eprintln!("minute {}: {:?} bytes, {misses} misses", minute + 1, resident_bytes());
    }
    check(&sim);
    let (Some(early), Some(late)) = (early, resident_bytes()) else { return };
    assert!(late <= early + early / 50, "grew from {early} to {late} bytes in 20 minutes");
    assert!(sim.bots.iter().all(Bot::is_active));
}
