//! No leak: while a player is withheld, what it does changes no byte of what others are sent. See `server/docs/leaks.md`.
//!
//! On many maps from many seeds: `cargo test --release -p fogline-tests --test it visibility_leak -- --ignored --nocapture`.
//! `FOGLINE_ONLY=oa_dm1,kaos` takes some of the maps, `FOGLINE_SEED=202` one of the seeds.
//!
//! By mode 2, which tells of whom one can see: mode 3 tells of whom it cannot prove hidden, and what a player does changes that.
#![allow(clippy::disallowed_methods, reason = "which maps and seeds are the caller's choice")]

use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_server::visibility::hearing::HEARING;
use fogline_tests::fixture::Setup;
use fogline_tests::gamedata;
use fogline_tests::places::hidden_places;
use fogline_tests::tiny_map::{CEILING, ROOM, TinyMap};
use fogline_tests::twins::{Act, Twins, Watch};

/// Maps on which one can be in a PVS, out of sight and out of hearing.
const FAR_MAPS: [&str; 4] = ["oa_ctf2", "ctf_gate1", "czest3ctf", "oa_rpg3dm2"];
const BOTH: [Watch; 2] = [Watch::Stands, Watch::Fights];
/// How far the hidden player may come from where it is put.
const ROAM: f32 = 150.0;

/// Two rooms that have nothing in common but a wall; the whole of it is one area and in one PVS.
fn two_rooms() -> Setup {
    let mut spots = String::from("{\n\"classname\" \"worldspawn\"\n}\n");
    for at in ["-800 -800 32", "-600 -800 32", "-800 -600 32", "-600 -600 32", "800 800 32"] {
        spots += &format!("{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{at}\"\n}}\n");
    }
    let wall = Bounds::new(vec3(-16.0, -ROOM, 0.0), vec3(16.0, ROOM, CEILING));
    Setup::of_file("two_rooms", TinyMap::room(&spots).one_area().solid(wall).file())
}

/// What a round showed.
#[derive(Default)]
struct Shown {
    rounds: u32,
    /// Steps in which an observer that was not told of the hidden player was sent the same.
    steps: u64,
    /// Steps in which it was told of something that it saw or heard, in one run only.
    excused: u64,
    leaks: Vec<String>,
}

/// One round: every act after the other, at places of a map that this seed chooses.
fn round(setup: &Setup, seed: u64, acts: &[Act], beyond: f32, watches: &[Watch], shown: &mut Shown) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let Some(places) = hidden_places(&setup.clip_map(), watches.len(), beyond..f32::MAX, ROAM, &mut rng)
    else {
        return;
    };
    let observers: Vec<(Vec3, Watch)> = places[1..].iter().copied().zip(watches.iter().copied()).collect();
    let mut twins = Twins::new(seed, setup, places[0], &observers);
    'acts: for &doing in acts {
        for act in [doing, Act::Stand] {
            if twins.blind_count() == 0 {
                break;
            }
            if let Err(leak) = twins.act(act) {
                shown.leaks.push(format!("{} seed {seed}, in or after {doing:?}: {leak}", setup.map));
                // The runs are no twins any more.
                break 'acts;
            }
        }
    }
    shown.rounds += 1;
    shown.steps += twins.compared;
    shown.excused += twins.excused;
}

fn setups(maps: &[&str]) -> Vec<Setup> {
    let mut setups = vec![two_rooms()];
    if gamedata::base_path().is_some() {
        setups.extend(maps.iter().map(|map| Setup::installed_or_halls(map)));
    }
    setups
}

fn check(
    maps: &[&str],
    seeds: std::ops::Range<u64>,
    acts: &[Act],
    beyond: f32,
    watches: &[Watch],
    setting: &str,
) {
    let mut failed = false;
    for setup in setups(maps) {
        let setup = setup.with("set sv_netoptimize 2").with(setting);
        let mut shown = Shown::default();
        for seed in seeds.clone() {
            round(&setup, seed, acts, beyond, watches, &mut shown);
        }
        eprintln!(
            "{}: {} rounds, {} steps the same, {} in which it was seen or heard, {} leaks",
            setup.map,
            shown.rounds,
            shown.steps,
            shown.excused,
            shown.leaks.len()
        );
        shown.leaks.iter().for_each(|leak| eprintln!("  {leak}"));
        failed |= !shown.leaks.is_empty() || shown.rounds == 0;
    }
    assert!(!failed, "see above");
}

/// Within hearing too: nobody hears it.
#[test]
fn what_a_hidden_player_does_in_silence_tells_nobody() {
    check(&["oa_dm5"], 1..3, &Act::SILENT, 0.0, &BOTH, "");
}

#[test]
fn what_a_hidden_player_does_out_of_hearing_tells_nobody() {
    check(&["oa_ctf2"], 1..2, &Act::all(), HEARING + ROAM, &BOTH, "");
}

/// Whoever hears nothing is told nothing, however near.
#[test]
fn without_sounds_a_hidden_player_tells_nobody_at_all() {
    check(&["oa_dm5"], 1..2, &Act::all(), 0.0, &BOTH, "set sv_netoptimize_sounds 0");
}

#[test]
#[ignore = "minutes of work"]
fn a_hidden_player_tells_nobody_on_many_maps_from_many_seeds() {
    const MAPS: [&str; 8] =
        ["oa_dm1", "oa_dm5", "oa_ctf2", "ctf_gate1", "czest3ctf", "aggressor", "kaos", "oa_rpg3dm2"];
    let only = |name: &str| std::env::var(name).ok();
    let (maps, seed) = (only("FOGLINE_ONLY"), only("FOGLINE_SEED").map(|text| text.parse().expect("a seed")));
    let some = |all: &[&'static str]| -> Vec<&'static str> {
        let wanted = |map: &&&str| maps.as_ref().is_none_or(|maps| maps.split(',').any(|name| name == **map));
        all.iter().filter(wanted).copied().collect()
    };
    let mut claims = 0;
    let mut claim =
        |maps: &[&'static str], seeds: std::ops::Range<u64>, acts: &[Act], beyond: f32, setting: &str| {
            let seeds = match seed {
                Some(seed) if !seeds.contains(&seed) => return,
                Some(seed) => seed..seed + 1,
                None => seeds,
            };
            claims += 1;
            check(&some(maps), seeds, acts, beyond, &BOTH, setting);
        };
    claim(&MAPS, 100..112, &Act::SILENT, 0.0, "");
    claim(&MAPS, 200..208, &Act::all(), 0.0, "set sv_netoptimize_sounds 0");
    claim(&FAR_MAPS, 300..308, &Act::all(), HEARING + ROAM, "");
    assert!(claims > 0, "no such seed");
}
