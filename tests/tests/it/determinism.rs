//! One seed, one match: every byte that the server sends is the same again, and another seed gives another match. A journal gives
//! it again without the players.

use fogline_common::time::Millis;
use fogline_server::io::journal::Reader;
use fogline_server::io::replay::replay;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, SECOND_MAP, Setup};
use fogline_tests::journalled::Journalled;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

fn config() -> SimConfig {
    let links = LinkPair::both(LinkConfig {
        delay: Millis(30),
        jitter: Millis(20),
        loss: 0.05,
        duplicate: 0.02,
        ..LinkConfig::default()
    });
    let bot = BotConfig { script: Script::Fight, ..BotConfig::default() };
    SimConfig::alike(6, &bot, links)
}

fn hash_of(seed: u64) -> (u64, u64) {
    let mut sim = fixture::sim(seed, config(), &Setup::installed_or_halls("oa_dm5"));
    sim.run(Millis(10_000));
    (sim.sent_hash, sim.checks.datagrams)
}

#[test]
fn same_seed_same_bytes_from_the_server() {
    let first = hash_of(31);
    assert!(first.1 > 500, "only {} datagrams", first.1);
    assert_eq!(first, hash_of(31));
    assert_ne!(first.0, hash_of(32).0, "another seed gives another match");
}

/// A match with a restart and a change of map in it.
fn journal_of(seed: u64, setup: &Setup) -> Vec<u8> {
    let mut sim = Sim::new(seed, config(), Journalled::new(fixture::server(seed, setup), seed));
    sim.set_map(&fixture::clip_map(&setup.map));
    sim.run(Millis(4000));
    sim.console("map_restart 0");
    sim.run(Millis(3000));
    sim.console(&format!("map {SECOND_MAP}"));
    sim.run(Millis(3000));
    sim.shutdown("the end");
    sim.server.journal
}

#[test]
fn a_journal_replays_to_the_same_bytes() {
    let setup = Setup::halls();
    let journal = journal_of(33, &setup);
    let replayed = |seed: u64| {
        let (header, mut reader) = Reader::new(&journal[..]).unwrap();
        assert_eq!(header.seed, 33);
        let mut server = fixture::server(seed, &setup);
        replay(&mut reader, &mut server, &mut |_| ()).unwrap()
    };
    let outcome = replayed(33);
    assert!(outcome.advances > 150 && outcome.datagrams > 500, "{outcome:?}");
    assert_eq!(outcome.diverged_at, None, "{outcome:?}");
    assert!(!outcome.torn);
    assert!(replayed(34).diverged_at.is_some(), "the digest would not notice another match");
}
