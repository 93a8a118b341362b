//! Those who mean harm cause no panic, throw no honest player out, and make nobody wait.

use fogline_common::time::Millis;
use fogline_server::intake::counts::Cause;
use fogline_server::server::Server;
use fogline_server::telemetry::PacketFault;
use fogline_tests::attacker::{Cheat, Eavesdropper, Stranger};
use fogline_tests::bot::{Bot, BotConfig};
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::client::config::{ClientConfig, Engine};
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

/// Nobody waits longer for a snapshot, whoever else is on the network.
const LONGEST_GAP: Millis = Millis(500);

/// Six honest players of all kinds on fair links.
fn honest_match(seed: u64) -> Sim<Server> {
    let engines = [Engine::OpenArena, Engine::Quake3, Engine::Ioquake3];
    let links = LinkPair::both(LinkConfig { delay: Millis(20), jitter: Millis(10), ..LinkConfig::default() });
    let bot = |index: usize| {
        let client = ClientConfig { engine: engines[index % 3], ..ClientConfig::default() };
        (BotConfig { client, script: Script::Strafe, ..BotConfig::default() }, links)
    };
    let mut config = SimConfig { bots: (0..6).map(bot).collect(), ..SimConfig::default() };
    config.checks.longest_gap = Some(LONGEST_GAP);
    let mut sim = fixture::sim(seed, config, &Setup::halls().with("set rconPassword sesame"));
    sim.run_until_all_active();
    sim
}

fn check(sim: &Sim<Server>) {
    for bot in &sim.bots {
        assert!(bot.is_active(), "seed {}: {:?}", sim.seed(), bot.client.state());
        assert_eq!(bot.times_active, 1, "seed {}: somebody had to come back", sim.seed());
    }
}

#[test]
fn strangers_disturb_nobody() {
    let mut sim = honest_match(51);
    for n in 0..4 {
        sim.add_outsider(Box::new(Stranger::new(510 + n, Millis(2))));
    }
    let sent_before = sim.checks.bytes_to_strangers;
    sim.run(Millis(10_000));
    check(&sim);
    let answered = sim.checks.bytes_to_strangers - sent_before;
    let asked = sim.checks.bytes_from_outsiders;
    assert!(answered < asked / 10, "answered {answered} bytes to {asked}: an amplifier");
    let counts = sim.server.stranger_counts();
    let expected = [
        Cause::UnknownCommand,
        Cause::Oversized,
        Cause::GlobalFlood,
        Cause::EchoTooLong,
        Cause::ConnectMalformed,
        Cause::BadChallenge,
        Cause::DisconnectIgnored,
    ];
    for cause in expected {
        assert!(counts.of(cause) > 0, "nothing was counted as {}: {counts:?}", cause.label());
    }
    assert_eq!(counts.of(Cause::RconPassed), 0);
    assert_eq!(counts.of(Cause::ConnectPassed), sim.bots.len() as u64, "somebody got in");
    assert!(sim.server.metrics().faults(PacketFault::Stranger) > 0);
}

#[test]
fn an_eavesdropper_takes_nobody_over() {
    let mut sim = honest_match(52);
    sim.add_outsider(Box::new(Eavesdropper::new(520, Millis(3))));
    sim.run(Millis(15_000));
    check(&sim);
    for fault in [PacketFault::OutOfOrder, PacketFault::Message, PacketFault::Unproven] {
        assert!(sim.server.metrics().faults(fault) > 0, "nothing was counted as {fault:?}");
    }
}

#[test]
fn cheats_hurt_only_themselves() {
    let mut sim = honest_match(53);
    for n in 0..4 {
        let engine = if n % 2 == 0 { Engine::OpenArena } else { Engine::Ioquake3 };
        let config = ClientConfig { engine, ..ClientConfig::default() };
        sim.add_outsider(Box::new(Cheat::new(530 + u64::from(n), n, Millis(40), config)));
    }
    sim.run(Millis(30_000));
    check(&sim);
    for fault in [PacketFault::Message, PacketFault::Acknowledge] {
        assert!(sim.server.metrics().faults(fault) > 0, "nothing was counted as {fault:?}");
    }
}

#[test]
fn a_room_full_of_all_of_them_is_still_a_match() {
    let mut sim = honest_match(54);
    for n in 0..2 {
        sim.add_outsider(Box::new(Stranger::new(540 + n, Millis(4))));
        sim.add_outsider(Box::new(Eavesdropper::new(545 + n, Millis(10))));
        sim.add_outsider(Box::new(Cheat::new(550 + n, n as u8, Millis(60), ClientConfig::default())));
    }
    sim.run(Millis(15_000));
    check(&sim);
}

/// A player's router gives it another port: it plays on, from there.
#[test]
fn a_player_whose_port_changes_plays_on() {
    let mut sim = honest_match(55);
    let mut address = sim.network.address(0);
    for port in [40_001, 40_002, 40_003] {
        address.set_port(port);
        sim.network.readdress(0, address);
        sim.run(Millis(3000));
    }
    check(&sim);
    assert!(sim.bots.iter().all(Bot::is_active));
}
