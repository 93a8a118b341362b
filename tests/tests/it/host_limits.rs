//! What a host allows.

use fogline_common::time::Millis;
use fogline_tests::bot::BotConfig;
use fogline_tests::checks::CheckConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;
use fogline_tools::link::LinkConfig;

/// Two players, near and far, on a server with one more setting. Who is still there after ten seconds?
fn who_stays(seed: u64, from_afar: bool, setting: &str) -> [bool; 2] {
    let links = |delay| LinkPair::both(LinkConfig { delay: Millis(delay), ..LinkConfig::default() });
    let bots = [10, 150].map(|delay| (BotConfig::default(), links(delay))).to_vec();
    let checks = CheckConfig { may_lose: true, ..CheckConfig::default() };
    let mut sim = fixture::sim(seed, SimConfig { bots, checks, from_afar }, &Setup::halls().with(setting));
    sim.run_until_all_active();
    sim.run(Millis(10_000));
    [0, 1].map(|index| sim.bots[index].lost.is_empty())
}

#[test]
fn a_ping_that_the_host_does_not_want_is_sent_away() {
    assert_eq!(who_stays(41, true, "set sv_maxPing 200"), [true, false]);
    assert_eq!(who_stays(42, true, "set sv_minPing 200"), [false, true]);
    assert_eq!(who_stays(43, true, "set sv_maxPing 0"), [true, true]);
}

#[test]
fn the_hosts_own_network_may_have_any_ping() {
    assert_eq!(who_stays(44, false, "set sv_maxPing 200"), [true, true]);
}

#[test]
fn timescale_moves_the_world_faster_for_everybody() {
    let bot = BotConfig::default();
    let mut sim = fixture::sim(45, SimConfig::alike(1, &bot, LinkPair::default()), &Setup::halls());
    sim.console("devmap halls");
    sim.run_until_all_active();
    sim.run(Millis(1_000));
    sim.console("set timescale 0.5");
    sim.run(Millis(500));
    let time = |sim: &fogline_tests::sim::Sim<fogline_server::server::Server>| {
        sim.server.level_time().expect("a map runs").0
    };
    let before = time(&sim);
    sim.run(Millis(2_000));
    assert_eq!(time(&sim) - before, 1_000);
}
