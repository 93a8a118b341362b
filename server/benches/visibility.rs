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
use fogline_common::trace::TraceRequest;
use fogline_server::config::Config;
use fogline_server::visibility::{Rules, Work};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

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

/// Time that this thread has had on a core, where the system says so; else time. Unit: ns.
fn spent(since: Instant) -> u64 {
    let own = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_core = own.and_then(|text| text.split(' ').next()?.parse().ok());
    on_core.unwrap_or_else(|| since.elapsed().as_nanos() as u64)
}

fn measure(map: &Arc<ClipMap>, count: usize, mode: i32, compat: bool) -> Row {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut stage = stage::Stage::new(map.clone());
    let config =
        Config { sv_netoptimize: mode, sv_netoptimize_compat: compat, sv_fps: 40, ..Config::default() };
    stage.rules = Rules::new(&config, 0, 40);
    let players: Vec<ClientNum> = (0..count).map(|_| stage.player(place(map, &mut rng))).collect();
    let (mut took, mut considered, mut withheld) = (0, 0, 0);
    let start = Instant::now();
    for frame in 0..FRAMES + WARM_UP {
        if frame == WARM_UP {
            (took, considered, withheld) = (0, 0, 0);
            stage.work = Work::default();
        }
        run(map, &mut stage, &players, &mut rng);
        stage.now.0 += 25;
        let begin = spent(start);
        stage.freeze();
        for &player in &players {
            let counts = stage.build(player);
            considered += counts.players;
            withheld += counts.withheld;
        }
        took += spent(start) - begin;
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
    let start = Instant::now();
    let begin = spent(start);
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
    ((spent(start) - begin) as f64 / (ROUNDS as f64 * 1000.0), rays as f64 / ROUNDS as f64)
}

fn main() {
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
