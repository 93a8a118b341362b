//! Mode 3 is never late: matches of the real server with stock clients behind all kinds of lines, each frame drawn held against the
//! dense oracle. Whoever could be seen in a frame, had everybody been told of, must be in the snapshot that it is drawn from.
//!
//! The quick version plays a few matches. The whole grid, each script on each line at each rate on one map after the other, takes an
//! hour or so and prints a line a match; `FOGLINE_ROUND=n` moves every match on by n maps:
//! `cargo test --release -p fogline-tests --test it visibility_pops:: -- --ignored --nocapture`

use fogline_common::time::Millis;
use fogline_tests::{gamedata, halls};
use fogline_tools::audit::bout::{BoutConfig, play};
use fogline_tools::audit::crossing::Span;
use fogline_tools::audit::trace::Trace;
use fogline_tools::audit::{LinkSpec, examine};
use fogline_tools::rim::maps::LoadedMap;
use fogline_tools::script::Script;

/// One match.
#[derive(Clone, Copy, Debug)]
struct Game {
    map: &'static str,
    script: Script,
    link: &'static str,
    fps: i32,
    snaps: i32,
    seconds: i32,
    clients: usize,
    seed: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Found {
    crossings: usize,
    /// Of those, shown later than without a filter: at all, and by more than a frame of the client.
    late: usize,
    late_by_frames: usize,
    seen_us: u64,
    missed_us: u64,
    hidden_us: u64,
    leaked_us: u64,
}

/// Time from one frame of a client to the next.
const FRAME: Millis = Millis(8);

fn load(name: &str) -> Option<LoadedMap> {
    if name == halls::NAME {
        return LoadedMap::parse(name, &halls::file()).ok();
    }
    LoadedMap::parse(name, &gamedata::map(name)?).ok()
}

/// What came of a match. What areas and the potentially visible set withhold is not the filter's: a stock server is late by it too.
fn watch(game: &Game) -> Option<Found> {
    let map = load(game.map)?;
    let link: LinkSpec = game.link.parse().unwrap();
    let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let config = BoutConfig {
        map: map.clone(),
        settings: vec![
            setting("sv_netoptimize", "3"),
            setting("sv_netoptimize_budget", "100000"),
            setting("sv_fps", &game.fps.to_string()),
        ],
        cheats: game.script == Script::Rocket,
        clients: game.clients,
        script: game.script,
        links: link.links,
        snaps: game.snaps,
        frame: FRAME,
        span: Millis(game.seconds * 1000),
        seed: game.seed,
    };
    let bout = play(&config, |_| ()).unwrap_or_else(|sentence| panic!("{game:?}: {sentence}"));
    let mut trace = Trace::default();
    bout.trace.iter().for_each(|line| trace.take_line(line, game.map).unwrap());
    let group = examine(&bout.records, Some(&trace), &map.clip, |_| ());
    let time = group.time();
    let by = |excess: Span| match excess {
        Span::Exact(ms) | Span::AtLeast(ms) => ms,
    };
    let late = |more: f64| group.crossings().filter(|crossing| by(crossing.excess) > more).count();
    let found = Found {
        crossings: group.crossings().count(),
        late: late(0.0),
        late_by_frames: late(f64::from(FRAME.0)),
        seen_us: time.seen_us,
        missed_us: time.missed_us,
        hidden_us: time.hidden_us,
        leaked_us: time.leaked_us,
    };
    for crossing in group.crossings().filter(|crossing| by(crossing.excess) > 0.0) {
        println!("late: {game:?}: {crossing:?}");
    }
    // Else nobody knows whom a server without a filter would have told of.
    assert!(group.is_whole() && group.fit.untraced == 0, "{game:?}: {:?}", group.fit);
    for missed in group.pairs.iter().flat_map(|pair| &pair.missed) {
        println!("missed: {game:?}: {missed:?}");
    }
    println!(
        "{game:?}: {} reveals, {} late, {} by more than a frame; missed {} of {} ms in sight; told of for {:.1} % of {} ms out of sight",
        found.crossings,
        found.late,
        found.late_by_frames,
        found.missed_us / 1000,
        found.seen_us / 1000,
        found.leaked_us as f64 * 100.0 / found.hidden_us.max(1) as f64,
        found.hidden_us / 1000,
    );
    Some(found)
}

const QUICK: Game = Game {
    map: halls::NAME,
    script: Script::Strafe,
    link: "60",
    fps: 20,
    snaps: 20,
    seconds: 8,
    clients: 4,
    seed: 1,
};

fn is_never_late(game: &Game) {
    let Some(found) = watch(game) else { return };
    assert_eq!((found.late, found.missed_us), (0, 0), "{game:?}: {found:?}");
    assert!(found.hidden_us > 0 && found.seen_us > 0, "{game:?}: nothing happened: {found:?}");
    assert!(found.leaked_us * 10 < found.hidden_us * 9, "{game:?}: hardly anything is withheld: {found:?}");
}

#[test]
fn nobody_comes_into_sight_late_on_even_lines() {
    is_never_late(&QUICK);
    is_never_late(&Game { link: "150", script: Script::Peek, ..QUICK });
    is_never_late(&Game { map: "oa_dm1", script: Script::Jump, seconds: 6, ..QUICK });
    is_never_late(&Game { map: "oa_dm5", fps: 40, snaps: 40, seconds: 6, ..QUICK });
}

/// Corners and doors; teleporters; portals, lifts, a train and doors; many doors and pads; lifts; pads; and nothing but corners.
const MAPS: [&str; 8] =
    ["oa_dm1", "oa_dm5", "aggressor", "oa_dm2", "kaos", "czest1dm", "oa_ctf2", halls::NAME];
const SCRIPTS: [Script; 6] =
    [Script::Strafe, Script::Jump, Script::Rocket, Script::Crouch, Script::Peek, Script::Fight];
const RATES: [(i32, i32); 4] = [(20, 20), (40, 20), (40, 40), (125, 40)];
/// Has no divisor in common with the number of matches.
const STRIDE: usize = 55;
const LINKS: [&str; 7] = ["0", "60", "150", "250", "60/20", "60/10/1", "150/20/2"];

#[test]
#[ignore = "an hour; see the module's text"]
fn nobody_comes_into_sight_late_on_any_line() {
    let round = std::env::var("FOGLINE_ROUND").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let (mut sums, mut worst) = ([Found::default(); 2], Vec::new());
    let count = RATES.len() * LINKS.len() * SCRIPTS.len();
    for number in 0..count {
        // In such an order that a part of the grid has something of everything.
        let cell = number * STRIDE % count;
        let (fps, snaps) = RATES[cell / SCRIPTS.len() / LINKS.len()];
        let (link, script) = (LINKS[cell / SCRIPTS.len() % LINKS.len()], SCRIPTS[cell % SCRIPTS.len()]);
        let map = MAPS[(cell + cell / SCRIPTS.len() + round) % MAPS.len()];
        let seed = (100 + cell + 1000 * round) as u64;
        let game = Game { map, script, link, fps, snaps, seconds: 12, clients: 6, seed };
        let Some(found) = watch(&game) else { continue };
        let uneven = link.contains('/');
        if found.late_by_frames > 0 || (!uneven && found.missed_us > 0) {
            worst.push(game);
        }
        let sum = &mut sums[usize::from(uneven)];
        sum.crossings += found.crossings;
        sum.late += found.late;
        sum.late_by_frames += found.late_by_frames;
        sum.missed_us += found.missed_us;
        sum.seen_us += found.seen_us;
        sum.hidden_us += found.hidden_us;
        sum.leaked_us += found.leaked_us;
    }
    let [even, uneven] = sums;
    println!("even lines: {even:?}");
    println!("uneven lines: {uneven:?}");
    assert_eq!((even.late, even.missed_us), (0, 0), "late on even lines: {worst:#?}");
    assert!(uneven.late_by_frames * 1000 <= uneven.crossings, "late on uneven lines: {worst:#?}");
}
