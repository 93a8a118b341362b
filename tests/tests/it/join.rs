//! Each kind of client joins, with the other two on the same server and port.

use fogline_common::time::Millis;
use fogline_common::wire::netchan::WireKind;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::client::config::{ClientConfig, Engine};

const ENGINES: [Engine; 3] = [Engine::OpenArena, Engine::Quake3, Engine::Ioquake3];

/// One of each kind, some seconds into a match.
fn joined() -> Sim<Server> {
    let bot = |engine: Engine| {
        let client = ClientConfig { engine, name: format!("{engine:?}"), ..ClientConfig::default() };
        (BotConfig { client, ..BotConfig::default() }, LinkPair::default())
    };
    let config = SimConfig { bots: ENGINES.map(bot).to_vec(), ..SimConfig::default() };
    let mut sim = fixture::sim(71, config, &Setup::halls());
    sim.run_until_all_active();
    sim.run(Millis(3000));
    sim
}

fn check(engine: Engine, wire: WireKind) {
    let sim = joined();
    let index = ENGINES.iter().position(|&e| e == engine).unwrap();
    let bot = &sim.bots[index];
    assert!(bot.is_active(), "{engine:?}: {:?}", bot.client.state());
    assert_eq!(bot.client.wire(), Some(wire));
    let counts = bot.client.counts();
    assert!(counts.snapshots >= 50, "{} snapshots in 3 s", counts.snapshots);
    assert_eq!(counts.snapshots_without_base, 0);
    assert!(counts.snapshots > counts.snapshots_whole + 40, "hardly any snapshot was a delta");
    assert_eq!(bot.times_active, 1);
    assert!(counts.predict.compared > 40, "compared {}", counts.predict.compared);
    let others = bot.texts.iter().filter(|text| text.contains("entered the game")).count();
    assert!(others >= 1, "heard of nobody: {:?}", bot.texts);
    assert!(sim.checks.compared > 100);
}

#[test]
fn join_legacy_71() {
    check(Engine::OpenArena, WireKind::Legacy);
}

#[test]
fn join_legacy_68() {
    check(Engine::Quake3, WireKind::Legacy);
}

/// The server may answer an ioquake3 client on either wire; both are right, and this one detects its own.
#[test]
fn join_ioq3_71() {
    check(Engine::Ioquake3, WireKind::Ioq3);
}
