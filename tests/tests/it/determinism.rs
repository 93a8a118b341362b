//! One seed, one match: every byte that the server sends is the same again, and another seed gives another match.

use fogline_common::time::Millis;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

fn hash_of(seed: u64) -> (u64, u64) {
    let links = LinkPair::both(LinkConfig {
        delay: Millis(30),
        jitter: Millis(20),
        loss: 0.05,
        duplicate: 0.02,
        ..LinkConfig::default()
    });
    let bot = BotConfig { script: Script::Fight, ..BotConfig::default() };
    let mut sim = fixture::sim(seed, SimConfig::alike(6, &bot, links), &Setup::installed_or_halls("oa_dm5"));
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
