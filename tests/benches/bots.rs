//! What bots cost: a frame of sixteen at 40 Hz with time per phase, their thinking included, and how long the ways of a map take to
//! find. `FOGLINE_ONLY=oa_dm1,islandctf` takes other maps.
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use criterion::{Criterion, criterion_group, criterion_main};
use fogline_common::time::Arrival;
use fogline_server::server::Server;
use fogline_server::telemetry::Phase;
use fogline_tests::fixture::{self, Setup};
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const BOTS: u64 = 16;
const FPS: u64 = 40;
const FRAME_MS: u64 = 1000 / FPS;
const SEED: u64 = 16;
/// A small map, the usual one, and one of the largest; with the game type.
const MAPS: [(&str, u32); 4] = [("oa_dm1", 0), ("oa_dm5", 0), ("ctf_gate1", 4), ("hydronex2", 4)];

/// Time spent in each phase, and when the present one began.
#[derive(Default)]
struct PhaseClock {
    spent: [Duration; Phase::ALL.len()],
    current: Option<(usize, Instant)>,
}

/// A server of bots alone, and its clock.
struct Alone {
    server: Server,
    now_ms: u64,
    phases: Arc<Mutex<PhaseClock>>,
}

impl Alone {
    fn new(map: &str, game_type: u32) -> Self {
        let setup = Setup::installed_or_halls(map)
            .with("set sv_maxclients 24")
            .with("set fraglimit 0")
            .with("set timelimit 0")
            .with(&format!("set sv_fps {FPS}"))
            .with(&format!("set g_gametype {game_type}"));
        let mut server = fixture::server(SEED, &setup);
        let phases = Arc::new(Mutex::new(PhaseClock::default()));
        let kept = phases.clone();
        server.watch_phases(Box::new(move |phase| {
            let mut clock = kept.lock().expect("nobody panics with it");
            let now = Instant::now();
            if let Some((index, since)) = clock.current.take() {
                clock.spent[index] += now - since;
            }
            clock.current = Phase::ALL.iter().position(|&other| other == phase).map(|index| (index, now));
        }));
        let mut alone = Self { server, now_ms: 0, phases };
        for _ in 0..BOTS {
            alone.console("addbot random 3");
        }
        alone
    }

    fn console(&mut self, line: &str) {
        self.server.console_line(Arrival::from_millis(self.now_ms), line);
    }

    /// One frame. What it took.
    fn frame(&mut self) -> Duration {
        self.now_ms += FRAME_MS;
        let begin = Instant::now();
        self.server.advance(Arrival::from_millis(self.now_ms));
        begin.elapsed()
    }

    fn knows_its_ways(&mut self) -> bool {
        while self.server.poll_log().is_some() {}
        self.console("botlist");
        std::iter::from_fn(|| self.server.poll_log()).any(|line| line.starts_with("ways: "))
    }

    /// Runs until the ways are found: how many frames, all of their time, and the worst.
    fn find_ways(&mut self) -> (u32, Duration, Duration) {
        let (mut frames, mut all, mut worst) = (0, Duration::ZERO, Duration::ZERO);
        while !self.knows_its_ways() {
            let took = self.frame();
            (frames, all, worst) = (frames + 1, all + took, worst.max(took));
            assert!(frames < 200_000, "the ways are not found");
        }
        (frames, all, worst)
    }
}

fn bots(c: &mut Criterion) {
    let only = std::env::var("FOGLINE_ONLY").unwrap_or_default();
    let named: Vec<(&str, u32)> =
        only.split(',').filter(|name| !name.is_empty()).map(|name| (name, 0)).collect();
    let maps = if named.is_empty() { MAPS.to_vec() } else { named };
    for (map, game_type) in maps {
        let mut alone = Alone::new(map, game_type);
        let (frames, all, worst) = alone.find_ways();
        println!(
            "{map}: the ways were found in {frames} frames, {:.2} s of work, the worst frame {:.1} ms",
            all.as_secs_f64(),
            worst.as_secs_f64() * 1000.0
        );
        // They spread over the map first.
        for _ in 0..FPS * 10 {
            alone.frame();
        }
        *alone.phases.lock().expect("nobody panics with it") = PhaseClock::default();
        let (mut count_all, mut worst) = (0, Duration::ZERO);
        c.bench_function(&format!("bots/{BOTS} on {map}"), |b| {
            b.iter_custom(|count| {
                let mut spent = Duration::ZERO;
                for _ in 0..count {
                    let took = black_box(alone.frame());
                    spent += took;
                    worst = worst.max(took);
                }
                count_all += count;
                spent
            });
        });
        let clock = alone.phases.lock().expect("nobody panics with it");
        println!("{map}: mean of {count_all} frames of {BOTS} bots, µs:");
        let mut total = 0.0;
        for (phase, spent) in Phase::ALL.iter().zip(clock.spent) {
            let mean = spent.as_secs_f64() * 1e6 / count_all as f64;
            total += mean;
            println!("  {phase:?}: {mean:.1}");
        }
        let share = total * FPS as f64 / 1e6 * 100.0;
        println!(
            "  all: {total:.1}, {share:.2} % of a core at {FPS} Hz; worst {:.1} ms",
            worst.as_secs_f64() * 1000.0
        );
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(5));
    targets = bots
}
criterion_main!(benches);
