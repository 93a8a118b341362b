//! The same match twice: on calm links, and on bad ones. What goes wrong in both is logic, what goes wrong in one is load.

use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::client::config::{ClientConfig, Engine};
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

const SCRIPTS: [Script; 8] = [
    Script::Wander,
    Script::Strafe,
    Script::Jump,
    Script::Fight,
    Script::Chat,
    Script::Peek,
    Script::Idle,
    Script::Fight,
];

/// Eight players, one of each script, on engines in turn.
fn match_of_eight(seed: u64, links: LinkPair, setup: &Setup) -> Sim<Server> {
    let engines = [Engine::OpenArena, Engine::Quake3, Engine::Ioquake3];
    let bot = |(index, script): (usize, Script)| {
        let client = ClientConfig { engine: engines[index % 3], ..ClientConfig::default() };
        (BotConfig { client, script, ..BotConfig::default() }, links)
    };
    let bots = SCRIPTS.into_iter().enumerate().map(bot).collect();
    fixture::sim(seed, SimConfig { bots, ..SimConfig::default() }, setup)
}

fn snapshots(sim: &Sim<Server>) -> Vec<u64> {
    sim.bots.iter().map(|bot| bot.client.counts().snapshots).collect()
}

#[test]
fn calm_match_delivers_every_snapshot_once() {
    let mut sim = match_of_eight(1, LinkPair::default(), &Setup::installed_or_halls("oa_dm5"));
    sim.run_until_all_active();
    let before = snapshots(&sim);
    sim.run(Millis(20_000));
    for (bot, before) in sim.bots.iter().zip(before) {
        let counts = bot.client.counts();
        let received = counts.snapshots - before;
        assert!((398..=401).contains(&received), "{received} snapshots in 20 s at 20 Hz");
        assert_eq!((counts.messages_lost, counts.refused, counts.snapshots_without_base), (0, 0, 0));
        assert!(counts.longest_gap <= Millis(60), "gap of {} ms", counts.longest_gap.0);
    }
}

#[test]
fn disturbed_match_loses_packets_and_nobody() {
    let bad = LinkConfig {
        delay: Millis(60),
        jitter: Millis(40),
        loss: 0.08,
        duplicate: 0.03,
        reorder: 0.03,
        reorder_by: Millis(70),
        ..LinkConfig::default()
    };
    let mut sim = match_of_eight(1, LinkPair::both(bad), &Setup::installed_or_halls("oa_dm5"));
    sim.run_until_all_active();
    sim.run(Millis(20_000));
    let lost: u64 = sim.bots.iter().map(|bot| bot.client.counts().messages_lost).sum();
    let refused: u64 = sim.bots.iter().map(|bot| bot.client.counts().refused).sum();
    assert!(lost > 50 && refused > 50, "the links were not bad: lost {lost}, refused {refused}");
    for bot in &sim.bots {
        assert!(bot.is_active(), "{:?}", bot.client.state());
        let counts = bot.client.counts();
        assert!(counts.snapshots > 300, "{} snapshots", counts.snapshots);
        assert!(counts.predict.compared > 100, "compared {}", counts.predict.compared);
    }
}

/// Short calm matches of many seeds. `FOGLINE_SEEDS=200` tries as many, from where `FOGLINE_FIRST_SEED` says.
#[test]
fn every_seed_stays_in_step() {
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .map_or(default, |text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    let first = number("FOGLINE_FIRST_SEED", 1000);
    for seed in first..first + number("FOGLINE_SEEDS", 3) {
        let setup = if seed % 2 == 0 { Setup::halls() } else { Setup::installed_or_halls("oa_dm5") };
        let near = LinkConfig { delay: Millis((seed % 50) as i32), ..LinkConfig::default() };
        let mut sim = match_of_eight(seed, LinkPair::both(near), &setup);
        sim.run_until_all_active();
        sim.run(Millis(10_000));
    }
}

/// A modem line: the server paces itself by `rate`, and a gamestate in fragments still gets through.
#[test]
fn narrow_links_are_paced_by_rate() {
    let narrow = LinkConfig { delay: Millis(80), rate_bytes_per_s: Some(6000), ..LinkConfig::default() };
    let bot = BotConfig {
        client: ClientConfig { rate: 4000, ..ClientConfig::default() },
        script: Script::Strafe,
        ..BotConfig::default()
    };
    let links = LinkPair { up: LinkConfig::default(), down: narrow };
    let setup = Setup::installed_or_halls("oa_dm5");
    // Players of the host's own network get the full rate.
    let config = SimConfig { from_afar: true, ..SimConfig::alike(4, &bot, links) };
    let mut sim = fixture::sim(5, config, &setup);
    sim.run_until_all_active();
    sim.run(Millis(10_000));
    for index in 0..sim.bots.len() {
        assert!(sim.bots[index].is_active());
        let (_, down) = sim.network.counts(index);
        assert_eq!(down.over_rate, 0, "the server sent more than the rate allows");
    }
}
