//! The native rules on the installed OpenArena maps.
//!
//! A minute with eight players on each of them, and the table of it in `server/docs/maps.md`:
//! `FOGLINE_BLESS=1 cargo test --release -p fogline-tests --test it game_maps::a_minute -- --ignored`.
#![allow(clippy::disallowed_methods, reason = "the page of maps is written when asked to")]

use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::math::Vec3;
use fogline_common::openarena::{entity_type, stat};
use fogline_common::proto::UserCmd;
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::fixture::installed_map;
use fogline_tests::game_host::Match;
use fogline_tests::gamedata;
use fogline_tests::map_watch::MapWatch;
use std::sync::Arc;

/// A bot that runs, turns and jumps without a plan.
fn wander(step: i32) -> UserCmd {
    UserCmd {
        angles: [0, (step * 211) & 65535, 0],
        forward_move: 127,
        up_move: if step % 40 < 10 { 127 } else { 0 },
        buttons: i32::from(step % 30 < 15),
        weapon: 2,
        ..UserCmd::default()
    }
}

#[test]
fn nothing_of_oa_dm1_and_oa_dm5_is_left_out() {
    for name in ["oa_dm1", "oa_dm5"] {
        let Some(map) = installed_map(name) else { return };
        let run = Match::new(map, Config::default());
        assert_eq!(run.host.printed, Vec::<String>::new(), "{name}");
        assert!(run.find(|e| e.state.entity_type == entity_type::MOVER).len() >= 3, "{name}");
    }
}

#[test]
fn eight_wanderers_stay_in_the_world_of_oa_dm1_and_oa_dm5() {
    for name in ["oa_dm1", "oa_dm5"] {
        let Some(map) = installed_map(name) else { return };
        let mut run = Match::new(map, Config::default());
        let players: Vec<_> =
            (0..8).map(|slot| run.join(slot, &format!("\\name\\Bot{slot}\\cg_predictItems\\1"))).collect();
        let mut farthest = 0.0_f32;
        let starts: Vec<Vec3> = players.iter().map(|&num| run.player(num).origin).collect();
        for step in 0..600 {
            let commands: Vec<_> =
                players.iter().map(|&num| (num, wander(step + num.index() as i32 * 37))).collect();
            run.hold_all(&commands, 50);
            for (&num, start) in players.iter().zip(&starts) {
                let ps = run.player(num);
                assert!(
                    ps.origin.is_finite() && ps.velocity.is_finite(),
                    "{name}: {num} is at {:?}",
                    ps.origin
                );
                assert!(ps.origin.z > -4000.0, "{name}: {num} fell out of the world: {:?}", ps.origin);
                farthest = farthest.max(ps.origin.distance(*start));
            }
        }
        assert!(farthest > 300.0, "{name}: nobody came farther than {farthest}");
        assert!(
            run.host.logged.iter().any(|line| line.starts_with("Item: ")),
            "{name}: nobody took anything"
        );
        let alive = players.iter().filter(|&&num| run.player(num).stats[stat::HEALTH as usize] > 0).count();
        assert!(alive >= 1, "{name}");
    }
}

#[test]
fn every_installed_map_begins() {
    let mut spawned = 0;
    let installed = gamedata::each_map(|pak, name, bytes| {
        let bsp = Bsp::parse(bytes).unwrap_or_else(|error| panic!("{pak} {name}: {error}"));
        let map = Arc::new(ClipMap::build(&bsp).unwrap_or_else(|error| panic!("{pak} {name}: {error}")));
        let has_places = map.entity_text().contains("info_player_deathmatch");
        let mut run = Match::new(Arc::clone(&map), Config::default());
        let odd: Vec<_> = run.host.printed.iter().filter(|line| line.starts_with("map entity")).collect();
        assert!(odd.is_empty(), "{pak} {name}: {odd:?}");
        assert!(run.game.entities().len() < 1000, "{pak} {name} leaves no room");
        if has_places {
            let num = run.join(0, "\\name\\Visitor\\cg_predictItems\\1");
            run.hold(num, 500, UserCmd::default());
            let origin = run.player(num).origin;
            let inside = map.leaf_cluster(map.leaf_at(origin)).is_some();
            assert!(inside, "{pak} {name}: the visitor stands outside the world at {origin:?}");
            spawned += 1;
        }
    });
    assert!(!installed || spawned > 60, "only {spawned} maps have places for players");
}

/// Players of the long run.
const CROWD: usize = 8;

/// What a minute on a map came to.
struct Minute {
    shortest_way: f32,
    deaths: usize,
    items: usize,
    movers: usize,
    remarks: Vec<String>,
}

/// A minute of eight wanderers. Whoever falls out of the world, or gets beyond numbers, ends the test.
fn minute(name: &str, map: &Arc<ClipMap>) -> Minute {
    let mut run = Match::new(Arc::clone(map), Config { sv_maxclients: 16, ..Config::default() });
    let players: Vec<_> =
        (0..CROWD).map(|slot| run.join(slot, &format!("\\name\\Bot{slot}\\cg_predictItems\\1"))).collect();
    let mut last: Vec<Vec3> = players.iter().map(|&num| run.player(num).origin).collect();
    let mut ways = [0.0_f32; CROWD];
    let mut watch = MapWatch::new(&run);
    for step in 0..1200 {
        let commands: Vec<_> =
            players.iter().map(|&num| (num, wander(step / 3 + num.index() as i32 * 37))).collect();
        run.hold_all(&commands, 50);
        for (at, &num) in players.iter().enumerate() {
            let ps = run.player(num);
            let moved = ps.origin.distance(last[at]);
            // What is farther was a teleporter or a spawn.
            ways[at] += if moved < 200.0 { moved } else { 0.0 };
            last[at] = ps.origin;
        }
        watch.look(&run, &players);
    }
    assert!(watch.faults.is_empty(), "{name}: {:?}", watch.faults);
    let count = |start: &str| run.host.logged.iter().filter(|line| line.starts_with(start)).count();
    Minute {
        shortest_way: ways.iter().copied().fold(f32::INFINITY, f32::min),
        deaths: count("Kill: "),
        items: count("Item: "),
        movers: watch.mover_count(),
        remarks: run.host.printed.clone(),
    }
}

#[test]
#[ignore = "two minutes: sixty seconds on each of a hundred maps"]
fn a_minute_with_eight_players_on_every_map() {
    let mut page = String::from(
        "# Maps\n\nEvery map of OpenArena 0.8.8's packages, played for a minute by eight players who wander without a plan (free\n\
         for all, 20 Hz). None of them left the world, no mover stood still on its way for twenty seconds, and none that should\n\
         stayed away; the test `a_minute_with_eight_players_on_every_map` asserts it and writes this page. \"Way\" is the shortest\n\
         way that one of the eight went.\n\n\
         | pak | map | way | deaths | items taken | movers | what the host is told |\n|---|---|---|---|---|---|---|\n",
    );
    let installed = gamedata::each_map(|pak, name, bytes| {
        let bsp = Bsp::parse(bytes).unwrap_or_else(|error| panic!("{pak} {name}: {error}"));
        let map = Arc::new(ClipMap::build(&bsp).unwrap_or_else(|error| panic!("{pak} {name}: {error}")));
        let minute = minute(&format!("{pak} {name}"), &map);
        let unknown = minute.remarks.iter().any(|line| line.contains("does not have"));
        assert!(!unknown, "{pak} {name}: {:?}", minute.remarks);
        let remarks = minute.remarks.join("; ").replace('|', "/");
        let name = name.trim_start_matches("maps/").trim_end_matches(".bsp");
        page.push_str(&format!(
            "| {pak} | `{name}` | {:.0} | {} | {} | {} | {remarks} |\n",
            minute.shortest_way, minute.deaths, minute.items, minute.movers
        ));
    });
    assert!(installed, "the maps are not installed");
    if std::env::var_os("FOGLINE_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/docs/maps.md");
        std::fs::write(path, &page).expect("the page can be written");
    }
    println!("{page}");
}
