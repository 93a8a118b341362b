//! The simulator is fast enough to be the main test.
#![allow(clippy::disallowed_methods, reason = "the time that it takes is the claim")]

use fogline_common::time::Millis;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::SimConfig;
use fogline_tools::script::Script;
use std::time::{Duration, Instant};

/// Well under this on one core of a small machine.
const LIMIT: Duration = Duration::from_secs(10);

/// Time that this thread has had a core, where the system tells; it does not count others' work on a busy machine.
fn core_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_ascii_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[test]
fn a_minute_of_eight_players_takes_well_under_ten_seconds() {
    let bot = BotConfig { script: Script::Fight, ..BotConfig::default() };
    let config = SimConfig::alike(8, &bot, LinkPair::default());
    let mut sim = fixture::sim(61, config, &Setup::installed_or_halls("oa_dm5"));
    let (begin, core_begin) = (Instant::now(), core_time());
    sim.run(Millis(60_000));
    let by_core = core_time().zip(core_begin).map(|(now, begin)| now - begin);
    let took = by_core.unwrap_or_else(|| begin.elapsed());
    eprintln!(
        "one minute of eight players: {took:.2?} of a core, {} snapshots compared",
        sim.checks.compared
    );
    assert!(took < LIMIT, "took {took:.2?}");
}
