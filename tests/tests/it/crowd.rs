//! A full server: everybody at once, and nobody is lost.

use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tests::bot::{Bot, BotConfig};
use fogline_tests::checks::CheckConfig;
use fogline_tests::fixture::{self, SECOND_MAP, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

/// All slots.
const PLAYERS: usize = 64;

fn crowd(seed: u64, from_afar: bool) -> Sim<Server> {
    let links = LinkPair::both(LinkConfig { delay: Millis(25), ..LinkConfig::default() });
    let bot = BotConfig { script: Script::Wander, ..BotConfig::default() };
    // In a crowd players are pushed by others whom they see a moment late.
    let checks = CheckConfig { may_miss: true, ..CheckConfig::default() };
    let config = SimConfig { checks, from_afar, ..SimConfig::alike(PLAYERS, &bot, links) };
    let setup = Setup::installed_or_halls("oa_dm5").with("set sv_maxclients 64").with("set fraglimit 0");
    let mut sim = fixture::sim(seed, config, &setup);
    sim.run_until_all_active();
    sim
}

#[test]
fn a_full_server_fills_at_once_and_changes_the_map_without_losing_anyone() {
    let mut sim = crowd(31, false);
    sim.run(Millis(3_000));
    sim.console(&format!("map {SECOND_MAP}"));
    let all = sim
        .run_until(Millis(30_000), |sim| sim.bots.iter().all(|bot| bot.times_active >= 2 && bot.is_active()));
    assert!(all, "seed {}: not everybody came along", sim.seed());
    sim.run(Millis(3_000));
    assert!(sim.bots.iter().all(Bot::is_active));
}

#[test]
fn rates_of_players_from_afar_are_kept_to() {
    let mut sim = crowd(32, true);
    sim.run(Millis(2_000));
    let bytes = |sim: &Sim<Server>| sim.server.metrics().bytes_out;
    let before = bytes(&sim);
    sim.run(Millis(10_000));
    let per_player = (bytes(&sim) - before) as f64 / PLAYERS as f64 / 10.0;
    // A stock client asks for 25000; one datagram may be under way beyond it.
    assert!(per_player <= 25_000.0 + 140.0, "seed {}: {per_player} bytes/s to each", sim.seed());
    assert!(sim.bots.iter().all(Bot::is_active));
}
