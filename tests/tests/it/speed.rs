//! The simulator is fast enough to be the main test.
#![allow(clippy::disallowed_methods, reason = "the time that it takes is the claim")]

use fogline_common::time::Millis;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;
use fogline_tools::script::Script;
use std::time::{Duration, Instant};

/// Well under this on one core of a small machine; a machine shared with much else gets more.
const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn a_minute_of_eight_players_takes_well_under_ten_seconds() {
    let bot = BotConfig { script: Script::Fight, ..BotConfig::default() };
    let config = SimConfig::alike(8, &bot, LinkPair::default());
    let mut sim = fixture::sim(61, config, &Setup::installed_or_halls("oa_dm5"));
    let begin = Instant::now();
    sim.run(Millis(60_000));
    let took = begin.elapsed();
    eprintln!("one minute of eight players: {took:.2?}, {} snapshots compared", sim.checks.compared);
    assert!(took < LIMIT, "took {took:.2?}");
}
