//! Players leave and come back, and slots are neither lost nor given twice.

use fogline_common::time::{Arrival, Millis};
use fogline_tests::bot::{Bot, BotConfig, Habits};
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;
use fogline_tools::client::ClientState;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

fn fair() -> LinkPair {
    LinkPair::both(LinkConfig { delay: Millis(25), jitter: Millis(10), ..LinkConfig::default() })
}

#[test]
fn players_who_come_and_go_disturb_nobody() {
    let bot = |index: i32| {
        let restless = index % 2 == 1;
        let reconnect_every = restless.then_some(Millis(4000 + index * 300));
        let habits = Habits { reconnect_every };
        (BotConfig { script: Script::Strafe, habits, ..BotConfig::default() }, fair())
    };
    let config = SimConfig { bots: (0..8).map(bot).collect(), ..SimConfig::default() };
    let mut sim = fixture::sim(71, config, &Setup::halls());
    sim.run(Millis(60_000));
    for (index, bot) in sim.bots.iter().enumerate() {
        let times = bot.times_active;
        if index % 2 == 1 {
            assert!((5..=16).contains(&times), "bot {index} came {times} times");
        } else {
            assert_eq!(times, 1, "bot {index} had to come back");
        }
    }
    let nums: Vec<_> =
        sim.bots.iter().filter(|bot| bot.is_active()).map(|bot| bot.client.client_num()).collect();
    let mut distinct = nums.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), nums.len(), "a slot was given twice: {nums:?}");
}

/// A full server says so, keeps saying so to those who wait, and lets one in when a place is free.
#[test]
fn a_full_server_lets_one_in_when_a_place_is_free() {
    let early = BotConfig { script: Script::Wander, ..BotConfig::default() };
    let late = BotConfig { joins_at: Arrival::from_millis(2000), ..early.clone() };
    let bots = [early.clone(), early, late].map(|bot| (bot, fair())).to_vec();
    let config = SimConfig { bots, ..SimConfig::default() };
    let setup = Setup::halls().with("set sv_maxclients 2");
    let mut sim = fixture::sim(72, config, &setup);
    sim.run(Millis(6000));
    assert!(sim.bots[..2].iter().all(Bot::is_active));
    let waiting = &sim.bots[2];
    assert_eq!(*waiting.client.state(), ClientState::Connecting);
    assert!(waiting.texts.iter().any(|text| text.contains("full")), "was told {:?}", waiting.texts);
    let now = sim.now();
    sim.bots[0].client.disconnect(now);
    let let_in = sim.run_until(Millis(10_000), |sim| sim.bots[2].is_active());
    assert!(let_in, "{:?} {:?}", sim.bots[2].client.state(), sim.bots[2].texts);
}

/// A client that dies without a word is forgotten after `sv_timeout`, and the others read why.
#[test]
fn a_silent_client_times_out() {
    let bot = BotConfig { script: Script::Idle, ..BotConfig::default() };
    let setup = Setup::halls().with("set sv_timeout 5");
    let mut sim = fixture::sim(73, SimConfig::alike(2, &bot, fair()), &setup);
    sim.run_until_all_active();
    let dead = LinkConfig { loss: 1.0, ..LinkConfig::default() };
    sim.network.relink(0, LinkPair::both(dead));
    sim.run(Millis(8000));
    let told = &sim.bots[1].texts;
    assert!(told.iter().any(|text| text.contains("timed out")), "was told {told:?}");
    assert!(sim.bots[1].is_active());
}
