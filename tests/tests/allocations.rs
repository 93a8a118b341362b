//! A frame of a match that has settled takes no heap, nor do the packets of players who only move.
//!
//! The map has no items: what a pickup writes to the logs is text, and text takes heap.

use fogline_common::time::Millis;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::measured::Measured;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::script::Script;

#[global_allocator]
static HEAP: dhat::Alloc = dhat::Alloc;

/// Server time until every buffer has grown to its size.
const SETTLING: Millis = Millis(60_000);
const MEASURED: Millis = Millis(10_000);

#[test]
fn a_steady_frame_allocates_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let setup = Setup::halls();
    let bot = BotConfig { script: Script::Wander, ..BotConfig::default() };
    let server = fixture::server(7, &setup);
    let meter = || dhat::HeapStats::get().total_blocks;
    let mut sim = Sim::new(7, SimConfig::alike(8, &bot, LinkPair::default()), Measured::new(server, meter));
    sim.set_map(&fixture::clip_map(&setup.map));
    sim.run_until_all_active();
    sim.run(SETTLING);
    sim.server.reset();
    sim.run(MEASURED);
    assert_eq!(
        sim.server.in_frames, 0,
        "blocks allocated by frames in {MEASURED:?}, worst {}",
        sim.server.worst_frame
    );
    assert_eq!(sim.server.in_receive, 0, "blocks allocated by packets in {MEASURED:?}");
}
