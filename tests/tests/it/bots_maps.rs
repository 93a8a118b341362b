//! Server-side bots on OpenArena's own maps: they find their ways, move, fetch and fight, and fall out of no world.
//!
//! Every installed map, as the table of `server/docs/bots.md` has it (some minutes):
//! `cargo test --release -p fogline-tests --test it bots_maps::on_every -- --ignored --nocapture`. `FOGLINE_ONLY=oa_dm1,oa_dm5`
//! takes some of them.

use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::openarena::game_type;
use fogline_tests::bot_match::{BotMatch, config};
use fogline_tests::game_host::Match;
use fogline_tests::gamedata;
use std::sync::Arc;

/// What every bot must have moved in a minute. Unit: units.
const LEAST_MOVED: f32 = 2000.0;
/// A minute, and as many bots as the table is made with.
const MINUTE_MS: i32 = 60_000;
const BOTS: usize = 8;

fn begin(bytes: &[u8], game: i32) -> BotMatch {
    let bsp = Bsp::parse(bytes).expect("an installed map can be read");
    let clip = ClipMap::build(&bsp).expect("an installed map is solid");
    BotMatch::new(Match::new(Arc::new(clip), config(game)), BOTS, 3)
}

/// A minute on a map: the row of the table, and what was wrong.
fn minute(name: &str, bytes: &[u8]) -> (String, Option<String>) {
    let mut game = begin(bytes, game_type::FFA);
    let ways = game.ways().unwrap_or_default();
    game.play(MINUTE_MS);
    let (least, moved) = game.least_moved();
    let mean = game.moved.iter().sum::<f32>() / BOTS as f32;
    let means = |names: &[&str]| names.iter().map(|name| game.killed_by(name)).sum::<usize>();
    let row = format!(
        "| {name} | {} | {} | {} | {} | {} | {mean:.0} | {moved:.0} | {} | {} | {} | {} |",
        ways.nodes,
        ways.edges,
        ways.regions,
        ways.things,
        ways.moves,
        game.frags(),
        game.logged("Item:"),
        means(&["MOD_TRIGGER_HURT", "MOD_FALLING"]),
        means(&["MOD_LAVA", "MOD_SLIME", "MOD_WATER"]),
    );
    let lowest = game.bots.iter().map(|&num| game.place(num).z).fold(f32::MAX, f32::min);
    let problem = if moved < LEAST_MOVED {
        Some(format!("{name}: {least} moved {moved:.0} and is at {:?}", game.place(least)))
    } else if lowest < game.lowest_of_world() {
        Some(format!("{name}: somebody fell out of the world, to {lowest:.0}"))
    } else {
        None
    };
    (row, problem)
}

#[test]
fn on_usual_maps_bots_get_about_fetch_and_fight() {
    for name in ["oa_dm1", "oa_dm4", "aggressor"] {
        let Some(bytes) = gamedata::map(name) else { return };
        let mut game = begin(&bytes, game_type::FFA);
        game.play(MINUTE_MS);
        let (least, moved) = game.least_moved();
        assert!(moved > LEAST_MOVED, "{name}: {least} moved {moved:.0} and is at {:?}", game.place(least));
        assert!(game.logged("Item:") > 10, "{name}: {} things taken", game.logged("Item:"));
        assert!(game.frags() > 5, "{name}: {} frags", game.frags());
    }
}

/// Some maps of those with flags; on which of the others they do not yet, the page of bots says.
#[test]
fn bots_capture_flags() {
    for name in ["czest2ctf", "ctf_gate1"] {
        let Some(bytes) = gamedata::map(name) else { return };
        let mut game = begin(&bytes, game_type::CTF);
        for _ in 0..5 {
            game.play(MINUTE_MS);
            if game.bots.iter().any(|&num| game.captures(num) > 0) {
                return;
            }
        }
    }
    panic!("nobody captured in five minutes");
}

#[test]
#[ignore = "every map takes minutes"]
fn on_every_installed_map_bots_get_about() {
    let only = std::env::var("FOGLINE_ONLY").unwrap_or_default();
    let mut problems = Vec::new();
    println!(
        "| map | places | edges | regions | things | moves | mean way | least way | frags | taken | fell | burnt |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    gamedata::each_map(|pak, path, bytes| {
        let name = path.trim_start_matches("maps/").trim_end_matches(".bsp");
        if only.is_empty() || only.split(',').any(|wanted| wanted == name) {
            let (row, problem) = minute(name, bytes);
            println!("{row} {pak}");
            problems.extend(problem);
        }
    });
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
#[ignore = "five minutes of flags on every map that has them"]
fn on_every_map_with_flags_bots_capture() {
    let mut problems = Vec::new();
    gamedata::each_map(|pak, path, bytes| {
        let has = |class: &[u8]| bytes.windows(class.len()).any(|part| part == class);
        if !has(b"team_CTF_redflag") || !has(b"team_CTF_blueflag") {
            return;
        }
        let mut game = begin(bytes, game_type::CTF);
        game.play(5 * MINUTE_MS);
        let captures: i32 = game.bots.iter().map(|&num| game.captures(num)).sum();
        let touched = game.logged("CTF:");
        println!("| {path} | {captures} | {touched} | {pak}");
        if captures == 0 {
            problems.push(format!("{path} of {pak}: no capture, {touched} touches"));
        }
    });
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}
