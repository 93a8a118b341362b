//! Server-side bots on OpenArena's own maps: they find their ways, move, fetch, fight and bring flags home, and fall out of no world.
//!
//! Every installed map for a minute, and every map with flags for five (an hour); each writes its page when asked to:
//! `FOGLINE_BLESS=1 cargo test --release -p fogline-tests --test it bots_maps::on_every -- --ignored --nocapture`.
//! `FOGLINE_ONLY=oa_dm1,oa_dm5` takes some of them.
#![allow(clippy::disallowed_methods, reason = "the pages are written when asked to")]

use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::openarena::{configstring, game_type, pm_type};
use fogline_server::config::Config;
use fogline_tests::bot_match::{BotMatch, config};
use fogline_tests::game_host::Match;
use fogline_tests::gamedata;
use std::sync::Arc;

/// What every bot must have moved in a minute. Unit: units.
const LEAST_MOVED: f32 = 2000.0;
/// A minute, and as many bots as the tables are made with.
const MINUTE_MS: i32 = 60_000;
const BOTS: usize = 8;

/// Plays on a map, given its name, its pack and its bytes: the row of a table, and what was wrong.
type Play = fn(&str, &str, &[u8]) -> (String, Vec<String>);

fn begin(bytes: &[u8], game: i32) -> BotMatch {
    let bsp = Bsp::parse(bytes).expect("an installed map can be read");
    let clip = ClipMap::build(&bsp).expect("an installed map is solid");
    BotMatch::new(Match::new(Arc::new(clip), config(game)), BOTS, 3)
}

/// What was wrong with a match.
fn faults(name: &str, game: &BotMatch) -> Vec<String> {
    let all = game.unknown().into_iter().chain(&game.watch.faults);
    all.map(|fault| format!("{name}: {fault}")).collect()
}

/// A minute on a map: the row of the table, and what was wrong.
fn minute(name: &str, pak: &str, bytes: &[u8]) -> (String, Vec<String>) {
    let mut game = begin(bytes, game_type::FFA);
    let ways = game.ways().unwrap_or_default();
    game.play(MINUTE_MS);
    let (least, moved) = game.least_moved();
    let mean = game.moved.iter().sum::<f32>() / BOTS as f32;
    let means = |names: &[&str]| names.iter().map(|name| game.killed_by(name)).sum::<usize>();
    let row = format!(
        "| {name} | {pak} | {} | {} | {} | {} | {} | {} | {mean:.0} | {moved:.0} | {} | {} | {} | {} |",
        ways.nodes,
        ways.edges,
        ways.regions,
        ways.things,
        ways.moves,
        game.watch.mover_count(),
        game.frags(),
        game.logged("Item:"),
        means(&["MOD_TRIGGER_HURT", "MOD_FALLING"]),
        means(&["MOD_LAVA", "MOD_SLIME", "MOD_WATER"]),
    );
    let mut problems = faults(name, &game);
    if moved < LEAST_MOVED {
        problems.push(format!("{name}: {least} moved {moved:.0} and is at {:?}", game.place(least)));
    }
    (row, problems)
}

/// Five minutes of flags on a map: the row of the table, and what was wrong.
fn five_minutes_of_flags(name: &str, pak: &str, bytes: &[u8]) -> (String, Vec<String>) {
    let mut game = begin(bytes, game_type::CTF);
    let ways = game.ways_between_flags();
    game.play(5 * MINUTE_MS);
    let captures: i32 = game.bots.iter().map(|&num| game.captures(num)).sum();
    // Numbers of the log's words: 0 taken, 1 captured, 2 returned, 3 its carrier killed.
    let told = |what: u32| game.told_of_flags(what);
    let row = format!(
        "| {name} | {pak} | {ways} | {} | {} | {} | {captures} | {} |",
        told(0),
        told(3),
        told(2),
        game.frags()
    );
    let mut problems = faults(name, &game);
    // Some maps have flags for other game types only, or in a wall.
    if captures == 0 && !ways.contains("missing") {
        problems.push(format!("{name} of {pak}: no capture; {ways}; taken {} times", told(0)));
    }
    (row, problems)
}

/// Plays on all maps that are wanted, prints the table, writes it if asked to, and fails with all that was wrong.
fn every_map(page: &str, head: &str, wanted: impl Fn(&[u8]) -> bool, play: Play) {
    let only = std::env::var("FOGLINE_ONLY").unwrap_or_default();
    let (mut problems, mut text) = (Vec::new(), head.to_owned());
    println!("{head}");
    gamedata::each_map(|pak, path, bytes| {
        let name = path.trim_start_matches("maps/").trim_end_matches(".bsp");
        let is_named = only.is_empty() || only.split(',').any(|wanted| wanted == name);
        if is_named && wanted(bytes) {
            let (row, faults) = play(name, pak.trim_end_matches(".pk3"), bytes);
            println!("{row}");
            text.push_str(&row);
            text.push('\n');
            faults.iter().for_each(|fault| println!("  {fault}"));
            problems.extend(faults);
        }
    });
    if std::env::var_os("FOGLINE_BLESS").is_some() {
        let path = format!("{}/../server/docs/{page}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, &text).expect("the page can be written");
    }
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
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
        assert_eq!(faults(name, &game), Vec::<String>::new());
    }
}

/// Some maps of those with flags; all of them are on the page of flags.
#[test]
fn bots_capture_flags() {
    for name in ["ctf_gate1", "oa_ctf2"] {
        let Some(bytes) = gamedata::map(name) else { return };
        let mut game = begin(&bytes, game_type::CTF);
        let captured = (0..5).any(|_| {
            game.play(MINUTE_MS);
            game.bots.iter().any(|&num| game.captures(num) > 0)
        });
        assert!(captured, "{name}: nobody captured in five minutes; {}", game.ways_between_flags());
    }
}

#[test]
fn bots_play_capture_the_flag_from_the_first_capture_to_the_next_map() {
    let Some(bytes) = gamedata::map("oa_ctf2") else { return };
    let clip = ClipMap::build(&Bsp::parse(&bytes).expect("a map")).expect("a map is solid");
    let config = Config { capturelimit: 1, ..config(game_type::CTF) };
    let mut game = BotMatch::new(Match::new(Arc::new(clip), config), BOTS, 3);
    let until = |game: &mut BotMatch, what: &str, seconds: i32, done: &dyn Fn(&BotMatch) -> bool| {
        let done = (0..seconds).any(|_| {
            game.play(1000);
            done(game)
        });
        assert!(done, "{what}: {:?}", game.run.host.logged);
    };
    until(&mut game, "the limit", 600, &|game| game.logged("Exit: Capturelimit hit.") == 1);
    assert_eq!(game.told_of_flags(1), 1);
    let scores =
        [configstring::SCORES1, configstring::SCORES2].map(|side| game.run.configstring(side).to_owned());
    assert!(scores == ["1", "0"] || scores == ["0", "1"], "{scores:?}");
    let sits =
        |game: &BotMatch| game.bots.iter().all(|&num| game.run.player(num).pm_type == pm_type::INTERMISSION);
    until(&mut game, "the scores", 10, &sits);
    assert!(game.run.host.queued.is_empty(), "the scores stay for a while");
    until(&mut game, "the next map", 70, &|game| !game.run.host.queued.is_empty());
}

#[test]
#[ignore = "every map takes minutes"]
fn on_every_installed_map_bots_get_about() {
    let head = "# Bots on every map\n\n\
        Eight bots of skill 3, free for all, 60 simulated seconds, on all 100 maps of OpenArena 0.8.8's packages (replaced ones\n\
        too). The test `on_every_installed_map_bots_get_about` writes this page and fails if an entity is unknown, if anybody is\n\
        outside of the world, if a mover stands still on its way or does not come back, or if a bot moves less than 2,000 units.\n\
        Moves are the work of building the walk graph; ways are in units. `fell` are deaths in spaces that hurt and by falls (most\n\
        of them by knockback over open space), `burnt` those in lava, slime and water.\n\n\
        | map | of | places | edges | regions | things | moves | movers | mean way | least way | frags | taken | fell | burnt |\n\
        |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    every_map("bots_on_maps.md", head, |_| true, minute);
}

#[test]
#[ignore = "five minutes of flags on every map that has them"]
fn on_every_map_with_flags_bots_capture() {
    let head = "# Bots and flags\n\n\
        Four bots of skill 3 against four, capture the flag, five simulated minutes, on every map of OpenArena 0.8.8's packages\n\
        that has both flags. The test `on_every_map_with_flags_bots_capture` writes this page and fails where no flag is brought\n\
        home. Ways are what the walk graph says of the time from stand to stand.\n\n\
        | map | of | ways | taken | carriers killed | returned | captures | frags |\n\
        |---|---|---|---|---|---|---|---|\n";
    let has_flags = |bytes: &[u8]| {
        let has = |class: &[u8]| bytes.windows(class.len()).any(|part| part == class);
        has(b"team_CTF_redflag") && has(b"team_CTF_blueflag")
    };
    every_map("bots_with_flags.md", head, has_flags, five_minutes_of_flags);
}
