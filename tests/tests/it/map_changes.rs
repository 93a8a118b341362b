//! The map changes or starts over, and everybody is still there.

use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tests::bot::{Bot, BotConfig};
use fogline_tests::fixture::{self, SECOND_MAP, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::client::config::{ClientConfig, Engine};
use fogline_tools::link::LinkConfig;

fn match_of_six(seed: u64, links: LinkPair) -> Sim<Server> {
    let engines = [Engine::OpenArena, Engine::Quake3, Engine::Ioquake3];
    let bot = |index: usize| {
        // Some load the map at once, some slowly.
        let load_time = Millis(index as i32 * 400);
        let client = ClientConfig { engine: engines[index % 3], load_time, ..ClientConfig::default() };
        (BotConfig { client, ..BotConfig::default() }, links)
    };
    let config = SimConfig { bots: (0..6).map(bot).collect(), ..SimConfig::default() };
    let mut sim = fixture::sim(seed, config, &Setup::halls());
    sim.run_until_all_active();
    sim.run(Millis(2000));
    sim
}

fn bad_links() -> LinkPair {
    LinkPair::both(LinkConfig {
        delay: Millis(50),
        jitter: Millis(50),
        loss: 0.1,
        duplicate: 0.05,
        reorder: 0.05,
        reorder_by: Millis(80),
        ..LinkConfig::default()
    })
}

/// Everybody plays, on a map that was told of `times` times.
fn all_play(sim: &mut Sim<Server>, done: impl Fn(&Bot) -> bool) {
    let done = sim.run_until(Millis(20_000), |sim| sim.bots.iter().all(|bot| bot.is_active() && done(bot)));
    let states: Vec<_> = sim.bots.iter().map(|bot| (bot.client.state().clone(), bot.gamestates)).collect();
    assert!(done, "seed {}: {states:?}", sim.seed());
    sim.run(Millis(2000));
    assert!(sim.bots.iter().all(Bot::is_active));
}

fn change_map_thrice(links: LinkPair) {
    let mut sim = match_of_six(11, links);
    for (changes, map) in [SECOND_MAP, "halls", SECOND_MAP].into_iter().enumerate() {
        let ids: Vec<_> = sim.bots.iter().map(|bot| bot.client.server_id()).collect();
        sim.console(&format!("map {map}"));
        all_play(&mut sim, |bot| bot.times_active >= changes as u32 + 2);
        let changed = sim.bots.iter().zip(ids).all(|(bot, before)| bot.client.server_id() != before);
        assert!(changed, "somebody still plays the old map");
    }
}

fn restart_thrice(links: LinkPair) {
    let mut sim = match_of_six(12, links);
    let gamestates: Vec<_> = sim.bots.iter().map(|bot| bot.gamestates).collect();
    for restarts in 1..=3 {
        sim.console("map_restart 0");
        all_play(&mut sim, |bot| bot.restarts >= restarts);
    }
    let after: Vec<_> = sim.bots.iter().map(|bot| bot.gamestates).collect();
    assert_eq!(after, gamestates, "a restart needs no new gamestate");
}

#[test]
fn map_change_loses_nobody() {
    change_map_thrice(LinkPair::default());
}

#[test]
fn map_change_loses_nobody_on_bad_links() {
    change_map_thrice(bad_links());
}

#[test]
fn map_restart_loses_nobody() {
    restart_thrice(LinkPair::default());
}

#[test]
fn map_restart_loses_nobody_on_bad_links() {
    restart_thrice(bad_links());
}

/// Change upon change before anybody has loaded the one before.
#[test]
fn hasty_changes_lose_nobody() {
    let mut sim = match_of_six(13, bad_links());
    for map in ["halls", SECOND_MAP, "halls", SECOND_MAP] {
        sim.console(&format!("map {map}"));
        sim.run(Millis(150));
        sim.console("map_restart 0");
        sim.run(Millis(250));
    }
    all_play(&mut sim, |_| true);
}

/// A goodbye reaches everybody, with its reason.
#[test]
fn shutdown_tells_everybody_why() {
    let mut sim = match_of_six(14, LinkPair::default());
    sim.checks.config.may_lose = true;
    sim.shutdown("closing time");
    sim.run(Millis(1000));
    for bot in &sim.bots {
        let reasons: Vec<_> = bot.lost.iter().map(|(_, reason)| reason.to_string()).collect();
        assert_eq!(reasons.len(), 1, "{reasons:?}");
        assert!(reasons[0].contains("closing time"), "{reasons:?}");
    }
}

/// One who is thrown out reads why, and can come back.
#[test]
fn a_kicked_player_reads_why() {
    let mut sim = match_of_six(15, LinkPair::default());
    sim.checks.config.may_lose = true;
    let num = sim.bots[2].client.client_num().unwrap();
    sim.console(&format!("clientkick {num}"));
    sim.run(Millis(1500));
    let reasons: Vec<_> = sim.bots[2].lost.iter().map(|(_, reason)| reason.to_string()).collect();
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].contains("kicked"), "{reasons:?}");
    let others = sim.bots.iter().enumerate().filter(|(index, _)| *index != 2);
    for (index, bot) in others {
        assert!(bot.is_active() && bot.texts.iter().any(|text| text.contains("kicked")), "bot {index}");
    }
}
