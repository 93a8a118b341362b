//! What 64 moving players cost the server: one frame with time per phase, their packets, and the share of a core.
//!
//! The bots' own work is not counted: a meter stands around the server's calls alone.
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use criterion::{Criterion, criterion_group, criterion_main};
use fogline_common::time::Millis;
use fogline_server::telemetry::Phase;
use fogline_tests::bot::BotConfig;
use fogline_tests::checks::CheckConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::measured::Measured;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::script::Script;
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const BOTS: usize = 64;
const FPS: u32 = 20;
const SEED: u64 = 64;

type Timed = Sim<Measured<Box<dyn Fn() -> u64>>>;

/// Time spent in each phase, and when the present one began.
struct PhaseClock {
    spent: [Duration; Phase::ALL.len()],
    current: Option<(usize, Instant)>,
}

fn clock() -> Box<dyn Fn() -> u64> {
    let start = Instant::now();
    Box::new(move || start.elapsed().as_nanos() as u64)
}

fn match_of(bots: usize, mode: u32, phases: &Arc<Mutex<PhaseClock>>) -> Timed {
    let setup = Setup::installed_or_halls("oa_dm5")
        .with("set sv_maxclients 64")
        .with("set fraglimit 0")
        .with(&format!("set sv_netoptimize {mode}"));
    let bot = BotConfig { script: Script::Wander, ..BotConfig::default() };
    let mut server = fixture::server(SEED, &setup);
    let phases = phases.clone();
    server.watch_phases(Box::new(move |phase| {
        let mut clock = phases.lock().expect("nobody panics with it");
        let now = Instant::now();
        if let Some((index, since)) = clock.current.take() {
            clock.spent[index] += now - since;
        }
        clock.current = Phase::ALL.iter().position(|&other| other == phase).map(|index| (index, now));
    }));
    // In such a crowd players are pushed by others whom they see a moment late: no prediction knows of that.
    let checks = CheckConfig { may_miss: true, ..CheckConfig::default() };
    let config = SimConfig { checks, ..SimConfig::alike(bots, &bot, LinkPair::default()) };
    let mut sim = Sim::new(SEED, config, Measured::new(server, clock()));
    sim.set_map(&fixture::clip_map(&setup.map));
    sim.run_until_all_active();
    sim.run(Millis(2_000));
    sim
}

/// As a stock server tells, and with players out of sight withheld.
fn frame(c: &mut Criterion) {
    for mode in [0, 2, 3] {
        frame_in_mode(c, mode);
    }
}

fn frame_in_mode(c: &mut Criterion, mode: u32) {
    let phases = Arc::new(Mutex::new(PhaseClock { spent: Default::default(), current: None }));
    let mut sim = match_of(BOTS, mode, &phases);
    sim.server.reset();
    phases.lock().expect("nobody panics with it").spent = Default::default();

    let mut frames = 0u64;
    let mut packets = 0u64;
    c.bench_function(&format!("frame/64 players, sv_netoptimize {mode}"), |b| {
        b.iter_custom(|count| {
            let before = (sim.server.in_frames, sim.server.in_receive);
            sim.run(Millis(1000 / FPS as i32 * count as i32));
            frames += count;
            packets += sim.server.in_receive - before.1;
            Duration::from_nanos(black_box(sim.server.in_frames - before.0))
        });
    });
    let spent = phases.lock().expect("nobody panics with it").spent;
    let per_frame = |nanos: f64| nanos / frames as f64 / 1000.0;
    println!("mean of {frames} frames of {BOTS} players, sv_netoptimize {mode}, µs:");
    for (phase, spent) in Phase::ALL.iter().zip(spent) {
        println!("  {phase:?}: {:.1}", per_frame(spent.as_nanos() as f64));
    }
    println!("  packets between frames: {:.1}", per_frame(packets as f64));
    println!("  worst frame: {:.1}", sim.server.worst_frame as f64 / 1000.0);
    let total = per_frame((sim.server.in_frames + sim.server.in_receive) as f64);
    println!("  all: {total:.1}, {:.2} % of a core at {FPS} Hz", total * f64::from(FPS) / 1e6 * 100.0);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(5));
    targets = frame
}
criterion_main!(benches);
