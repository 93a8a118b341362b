//! What the visibility filter costs: time for an ordered pair of players, rays a frame, and how much is decided without a ray.
//!
//! Players stand and run at random on real maps; each frame all of them are moved and every one's snapshot is built. Printed: a
//! table by map, players and mode; and the same places with every ray of a naive filter (eye to eight corners and the middle, no
//! memory, no proof, no look-ahead). Skipped where the maps are not installed.
#![allow(clippy::disallowed_methods, reason = "the time that it takes is what it measures")]

use fogline_common::bsp::Bsp;
use fogline_common::collision::{ClipMap, Light};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::mask;
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;
use fogline_server::config::Config;
use fogline_server::visibility::proof::{Flow, Space};
use fogline_server::visibility::twoclock::clock::Line;
use fogline_server::visibility::{Cause, Rules, Work};
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::sync::Arc;

#[path = "../../tests/src/gamedata.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests, a library that others use more of")]
mod gamedata;
#[path = "../../tests/src/stage.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests, a library that others use more of")]
mod stage;

const BODY: Bounds = Bounds { mins: vec3(-15.0, -15.0, -24.0), maxs: vec3(15.0, 15.0, 32.0) };
const FRAMES: usize = 60;
/// Frames before the first that counts.
const WARM_UP: usize = 5;
/// Frames of mode 3, enough to say what the slowest hundredth takes, and how many come before.
const LONG: usize = 400;
const LONG_WARM_UP: usize = 20;
/// Every client's line in mode 3: 60 ms there and back at 40 Hz.
const LINE: Line =
    Line { age: Millis(92), quickest: Millis(92), spacing: Millis(8), period: Millis(25), jitter: Millis(0) };

fn load(name: &str) -> Option<Arc<ClipMap>> {
    let bsp = Bsp::parse(&gamedata::map(name)?).expect("a sound map");
    Some(Arc::new(ClipMap::build(&bsp).expect("a sound map")))
}

/// Somewhere to stand.
fn place(map: &ClipMap, rng: &mut fastrand::Rng) -> Vec3 {
    let bounds = map.model_bounds(0).unwrap_or_default();
    loop {
        let size = bounds.size();
        let from = bounds.mins + vec3(rng.f32() * size.x, rng.f32() * size.y, rng.f32() * size.z);
        let down = from - vec3(0.0, 0.0, 128.0);
        let trace = map.trace(&TraceRequest::sweep(from, down, BODY, mask::PLAYERSOLID, None));
        let inside = map.leaf_cluster(map.leaf_at(from)).is_some();
        if inside && !trace.start_solid && trace.fraction < 1.0 && trace.plane.normal.z > 0.7 {
            return trace.end;
        }
    }
}

/// Players that run about: each goes on until it meets something.
fn run(map: &ClipMap, stage: &mut stage::Stage, players: &[ClientNum], rng: &mut fastrand::Rng) {
    for &player in players {
        let state = *stage.state(player);
        let to = state.origin + state.velocity * 0.025;
        let trace = map.trace(&TraceRequest::sweep(state.origin, to, BODY, mask::PLAYERSOLID, None));
        if trace.fraction < 1.0 || rng.u8(..) < 6 {
            let turn = rng.f32() * std::f32::consts::TAU;
            let speed = if rng.u8(..4) == 0 { 0.0 } else { 320.0 };
            stage.state(player).velocity = vec3(turn.cos() * speed, turn.sin() * speed, 0.0);
        }
        stage.place(player, trace.end);
    }
}

/// Means of a frame.
struct Row {
    frame_us: f64,
    pairs: f64,
    rays: f64,
    /// Shares of the pairs that were looked for.
    without: f64,
    felt: f64,
    undecided: f64,
    /// Share of those that the stock gates let through.
    withheld: f64,
}

/// Time that this thread has had on a core. Unit: ns.
fn spent() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn measure(map: &Arc<ClipMap>, count: usize, mode: i32, compat: bool) -> Row {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut stage = stage::Stage::new(map.clone());
    let config =
        Config { sv_netoptimize: mode, sv_netoptimize_compat: compat, sv_fps: 40, ..Config::default() };
    stage.rules = Rules::new(&config, 0, 40);
    let players: Vec<ClientNum> = (0..count).map(|_| stage.player(place(map, &mut rng))).collect();
    let (mut took, mut considered, mut withheld) = (0, 0, 0);
    for frame in 0..FRAMES + WARM_UP {
        if frame == WARM_UP {
            (took, considered, withheld) = (0, 0, 0);
            stage.work = Work::default();
        }
        run(map, &mut stage, &players, &mut rng);
        stage.now.0 += 25;
        let begin = spent();
        stage.freeze();
        for &player in &players {
            let counts = stage.build(player);
            considered += counts.players;
            withheld += counts.withheld;
        }
        took += spent() - begin;
    }
    let frames = FRAMES as f64;
    let share = |part: &Cell<u64>| part.get() as f64 / stage.work.pairs.get().max(1) as f64;
    Row {
        frame_us: took as f64 / frames / 1000.0,
        pairs: stage.work.pairs.get() as f64 / frames,
        rays: stage.work.rays.get() as f64 / frames,
        without: share(&stage.work.pairs_without_ray),
        felt: share(&stage.work.felt),
        undecided: share(&stage.work.undecided),
        withheld: f64::from(withheld) / f64::from(considered.max(1)),
    }
}

/// Time and rays of a frame if every ray is cast for every pair that the PVS lets through.
fn naive(map: &ClipMap, count: usize) -> (f64, f64) {
    const ROUNDS: usize = 10;
    let mut rng = fastrand::Rng::with_seed(9);
    let places: Vec<Vec3> = (0..count).map(|_| place(map, &mut rng)).collect();
    let (mut rays, mut clear) = (0u64, 0u64);
    let begin = spent();
    for (&from, &to) in
        (0..ROUNDS).flat_map(|_| &places).flat_map(|from| places.iter().map(move |to| (from, to)))
    {
        let eye = from + vec3(0.0, 0.0, 26.0);
        let row = map.pvs(map.leaf_cluster(map.leaf_at(eye)));
        if !map.leaf_cluster(map.leaf_at(to)).is_some_and(|cluster| row[cluster.index()]) {
            continue;
        }
        for corner in 0..9 {
            let pick = |bit: i32, low: f32, high: f32| if corner >> bit & 1 == 0 { low } else { high };
            let offset = vec3(pick(0, -21.0, 21.0), pick(1, -21.0, 21.0), pick(2, -24.0, 38.0));
            let at = if corner == 8 { to } else { to + offset };
            rays += 1;
            clear += u64::from(map.light(eye, at) == Light::Passes);
        }
    }
    std::hint::black_box(clear);
    ((spent() - begin) as f64 / (ROUNDS as f64 * 1000.0), rays as f64 / ROUNDS as f64)
}

/// What mode 3 costs in one scene.
struct Proved {
    /// What each frame took. Unit: ns.
    frames: Vec<u64>,
    /// Of all frames: working out where everybody may be. Unit: ns.
    sets: u64,
    /// Players that a client might have been told of, looked for among those, and searched for a proof of.
    pairs: u64,
    searches: u64,
    rays: u64,
    /// Flows that came out, and that proved something.
    flows: [u64; 2],
    causes: [u64; Cause::ALL.len()],
}

/// 64 players at 40 Hz.
fn crowd(map: &Arc<ClipMap>, config: &Config, rng: &mut fastrand::Rng) -> (stage::Stage, Vec<ClientNum>) {
    let mut stage = stage::Stage::new(map.clone());
    stage.rules = Rules::new(config, 0, 40);
    let players: Vec<ClientNum> = (0..64).map(|_| stage.player(place(map, rng))).collect();
    for &player in &players {
        (stage.state(player).speed, stage.state(player).gravity) = (320, 800);
        *stage.line(player) = LINE;
    }
    (stage, players)
}

fn measure_proved(map: &Arc<ClipMap>, mode: i32, budget: i32) -> Proved {
    let mut rng = fastrand::Rng::with_seed(9);
    let config =
        Config { sv_netoptimize: mode, sv_netoptimize_budget: budget, sv_fps: 40, ..Config::default() };
    let (mut stage, players) = crowd(map, &config, &mut rng);
    let mut proved = Proved {
        frames: Vec::new(),
        sets: 0,
        pairs: 0,
        searches: 0,
        rays: 0,
        flows: [0; 2],
        causes: Default::default(),
    };
    for frame in 0..LONG + LONG_WARM_UP {
        run(map, &mut stage, &players, &mut rng);
        stage.now.0 += 25;
        if frame == LONG_WARM_UP {
            stage.work = Work::default();
        }
        let begin = spent();
        stage.freeze();
        let frozen = spent();
        let mut causes: [u64; Cause::ALL.len()] = Default::default();
        for &player in &players {
            stage.build(player);
            for cause in players.iter().filter_map(|&target| stage.builder.cause(target)) {
                causes[cause as usize] += 1;
            }
        }
        if frame >= LONG_WARM_UP {
            proved.frames.push(spent() - begin);
            proved.sets += frozen - begin;
            proved.causes.iter_mut().zip(causes).for_each(|(sum, count)| *sum += count);
        }
    }
    let work = &stage.work;
    (proved.pairs, proved.searches, proved.rays) = (work.pairs.get(), work.searches.get(), work.rays.get());
    proved.flows = [work.flows.get(), work.flows_proved.get()];
    proved.frames.sort_unstable();
    proved
}

/// Mode 3 against the same scene in mode 0.
fn prove() {
    println!(
        "Mode 3, 64 players at 40 Hz. Added to a frame of mode 0, of it the sets; of that for each ordered pair; frames; share of a core;"
    );
    println!(
        "looked for in a frame; of those without a search; rays; then shares of all pairs by what was found."
    );
    println!(
        "map       budget µs  added µs  sets µs  ns/pair  p50 µs  p99 µs   core  looked  cached    rays"
    );
    let named: Vec<String> = std::env::args().skip(1).collect();
    for name in ["oa_dm5", "oa_ctf2", "ctf_gate1", "oa_dm1", "aggressor"] {
        let is_asked = named.iter().any(|other| other == name) || named.len() < 3;
        let Some(map) = load(name).filter(|_| is_asked) else { continue };
        let off = measure_proved(&map, 0, 0);
        let mean = |frames: &[u64]| frames.iter().sum::<u64>() as f64 / frames.len() as f64 / 1000.0;
        let without = mean(&off.frames);
        for budget in [Config::default().sv_netoptimize_budget, 100_000] {
            let on = measure_proved(&map, 3, budget);
            let added = mean(&on.frames) - without;
            let at = |share: f64| {
                on.frames[(share * (on.frames.len() - 1) as f64) as usize] as f64 / 1000.0 - without
            };
            let a_frame = |count: u64| count as f64 / LONG as f64;
            println!(
                "{name:9} {budget:>9} {added:>9.0} {:>8.0} {:>8.0} {:>7.0} {:>7.0} {:>5.1}% {:>7.0} {:>6.1}% {:>7.0}",
                a_frame(on.sets.saturating_sub(off.sets)) / 1000.0,
                added * 1000.0 / (64.0 * 63.0),
                at(0.5),
                at(0.99),
                added / 25_000.0 * 100.0,
                a_frame(on.pairs),
                100.0 - on.searches as f64 * 100.0 / on.pairs.max(1) as f64,
                a_frame(on.rays),
            );
            let all = on.causes.iter().sum::<u64>().max(1) as f64;
            let found = Cause::ALL.iter().filter(|&&cause| on.causes[cause as usize] > 0);
            let found = found.map(|&cause| {
                format!("{} {:.1} %", cause.name(), on.causes[cause as usize] as f64 * 100.0 / all)
            });
            let [flows, proofs] = on.flows.map(a_frame);
            println!(
                "          {}; {flows:.1} flows a frame, {proofs:.1} proofs",
                found.collect::<Vec<_>>().join(", ")
            );
        }
        prices(name, &map);
    }
}

/// What the pieces of work cost that the budget counts.
fn prices(name: &str, map: &Arc<ClipMap>) {
    let mut rng = fastrand::Rng::with_seed(10);
    let config = Config { sv_netoptimize: 3, sv_fps: 40, ..Config::default() };
    let (mut stage, players) = crowd(map, &config, &mut rng);
    stage.freeze();
    let sets = |player: ClientNum| stage.pose(player).and_then(|pose| pose.sets);
    let mut asked = Vec::new();
    for (viewer, target) in players.iter().flat_map(|a| players.iter().map(move |b| (*a, *b))) {
        let (Some(eyes), Some(bodies)) =
            (sets(viewer).map(|sets| sets.eye), sets(target).and_then(|sets| sets.body(LINE.period)))
        else {
            continue;
        };
        if !eyes.touches(&bodies) && map.light(eyes.center(), bodies.center()) != Light::Passes {
            asked.push((eyes, bodies));
        }
    }
    let prover = stage.prover.clone().expect("a stage has one");
    let mut space = Space::default();
    let mut each = |what: &mut dyn FnMut(&Bounds, &Bounds, &mut Space) -> bool| {
        let begin = spent();
        let mut held = 0;
        for (eyes, bodies) in &asked {
            held += u32::from(what(eyes, bodies, &mut space));
        }
        let ns = (spent() - begin) as f64 / asked.len().max(1) as f64;
        (ns, f64::from(held) * 100.0 / asked.len().max(1) as f64)
    };
    let ray = each(&mut |eyes, bodies, _| map.light(eyes.center(), bodies.center()) == Light::Passes);
    let search = each(&mut |eyes, bodies, _| prover.find_solid(eyes, bodies).is_some());
    let flood = each(&mut |eyes, bodies, space| prover.is_sealed(eyes, bodies, space));
    let (mut flow, mut steps) = (Flow::default(), 0);
    let crooked = each(&mut |eyes, bodies, _| {
        let found = prover.is_crooked(eyes, bodies, &mut flow);
        steps += u64::from(flow.steps());
        found
    });
    let known: Vec<_> = asked.iter().map(|(eyes, bodies)| prover.find_solid(eyes, bodies)).collect();
    let mut next = known.iter();
    let check = each(&mut |eyes, bodies, _| {
        next.next().copied().flatten().is_some_and(|solid| prover.hides(solid, &eyes.grown(1.0), bodies))
    });
    println!(
        "          {name}: check {:.0} ns, ray {:.0} ns, search {:.0} ns ({:.0} % found), flood {:.0} ns ({:.0} % sealed), \
         flow {:.0} ns ({:.0} % crooked, {:.0} steps)",
        check.0 * 100.0 / search.1.max(1.0),
        ray.0,
        search.0,
        search.1,
        flood.0,
        flood.1,
        crooked.0,
        crooked.1,
        steps as f64 / asked.len().max(1) as f64,
    );
}

fn main() {
    prove();
    // `cargo bench ... -- proved` ends here.
    if std::env::args().any(|word| word == "proved") {
        return;
    }
    println!(
        "µs and ns are time on a core. Of a frame: what all snapshots take; added to that of mode 0; of that for each ordered pair"
    );
    println!(
        "of players, and for each that the stock gates let through (looked for). Then rays a frame, and shares of the pairs looked for:"
    );
    println!("without a ray, felt over by rays, given up; and withheld.");
    println!(
        "map      players mode      frame µs  added µs  ns/pair  looked for  ns/each    rays  no ray   felt  up  withheld"
    );
    for name in ["oa_dm5", "oa_ctf2", "ctf_gate1"] {
        let Some(map) = load(name) else { continue };
        for count in [16, 32, 64] {
            let off = measure(&map, count, 0, false).frame_us;
            println!("{name:9} {count:>6} 0         {off:>8.0}");
            let modes = [(1, false, "1"), (2, false, "2"), (1, true, "1 compat"), (2, true, "2 compat")];
            for (mode, compat, label) in modes {
                let row = measure(&map, count, mode, compat);
                let added = row.frame_us - off;
                let percent = |share: f64| (share * 1000.0).round() / 10.0;
                println!(
                    "{name:9} {count:>6} {label:9} {:>8.0} {added:>9.0} {:>8.0} {:>11.0} {:>8.0} {:>7.0} {:>6}% {:>5}% {:>2}% {:>8}%",
                    row.frame_us,
                    added * 1000.0 / (count * (count - 1)) as f64,
                    row.pairs,
                    added * 1000.0 / row.pairs.max(1.0),
                    row.rays,
                    percent(row.without),
                    percent(row.felt),
                    percent(row.undecided),
                    percent(row.withheld),
                );
            }
            let (us, rays) = naive(&map, count);
            println!("{name:9} {count:>6} all rays           {us:>9.0} {rays:>37.0}");
        }
    }
}
