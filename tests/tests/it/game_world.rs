//! What maps are made of: every class has its state, and what acts by itself or when fired does, on small maps made in memory.
#![allow(
    clippy::disallowed_methods,
    reason = "the page of classes is read from disk, and written when asked to"
)]

use fogline_common::bsp::Bsp;
use fogline_common::math::{Bounds, vec3};
use fogline_common::openarena::{entity_type, means_of_death};
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_server::game::native::{ClassState, class_state};
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{OTHER, WALKER, duel, health, plain_match, score, spawn_at, still, with};
use fogline_tests::gamedata;
use fogline_tests::tiny_map::TinyMap;
use std::collections::BTreeMap;

/// Values of a key over all entities of an entity text.
fn values<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut quoted = line.split('"').skip(1).step_by(2);
        if let (Some(name), Some(value)) = (quoted.next(), quoted.next())
            && name.eq_ignore_ascii_case(key)
        {
            found.push(value);
        }
    }
    found
}

#[test]
fn every_class_of_the_installed_maps_has_its_state_and_its_row_in_the_docs() {
    let mut classes: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut maps = 0;
    let installed = gamedata::each_map(|pak, name, bytes| {
        maps += 1;
        let bsp = Bsp::parse(bytes).unwrap_or_else(|error| panic!("{pak} {name}: {error}"));
        let text = bsp.entity_text();
        let mut here: BTreeMap<&str, usize> = BTreeMap::new();
        for class in values(&text, "classname") {
            *here.entry(class).or_default() += 1;
        }
        for (class, count) in here {
            let row = classes.entry(class.to_owned()).or_default();
            *row = (row.0 + 1, row.1 + count);
        }
    });
    if !installed {
        return;
    }
    let mut page = format!(
        "# Entity classes\n\nEvery class that the {maps} maps of OpenArena 0.8.8's packages use, in how many of them, how often, and what becomes of\n\
         it. Made by the test `every_class_of_the_installed_maps_has_its_state_and_its_row_in_the_docs`, which writes it with\n\
         `FOGLINE_BLESS=1`. A class that stands in no table of `server/src/game/native/classes.rs` is named on the host's console.\n\n\
         | class | maps | entities | state |\n|---|---|---|---|\n"
    );
    let mut unknown = Vec::new();
    for (class, (maps, count)) in &classes {
        match class_state(class) {
            Some(state) => page.push_str(&format!("| `{class}` | {maps} | {count} | {state} |\n")),
            None => unknown.push(class),
        }
    }
    assert!(unknown.is_empty(), "{unknown:?}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/docs/classes.md");
    if std::env::var_os("FOGLINE_BLESS").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page);
}

#[test]
fn an_unknown_class_is_named_and_one_of_another_game_is_not() {
    let run = plain_match(
        r#"{ "classname" "info_player_deathmatch" "origin" "0 0 32" }
           { "classname" "misc_nonsense" } { "classname" "trigger_changelevel" }
           { "classname" "weapon_proxmine" "origin" "200 0 32" }"#,
    );
    assert_eq!(run.host.printed, ["The map asks for things that this game does not have: misc_nonsense"]);
    assert_eq!(run.find(|e| e.state.entity_type == entity_type::ITEM && e.state.model_index == 50).len(), 1);
    assert_eq!(class_state("trigger_changelevel"), Some(ClassState::OtherGame));
}

#[test]
fn a_timer_fires_again_and_again_until_it_is_stopped() {
    let mut run = plain_match(
        r#"{ "classname" "info_player_deathmatch" "origin" "0 0 32" "target" "clock" }
           { "classname" "func_timer" "targetname" "clock" "target" "words" "wait" "1" "random" "0" }
           { "classname" "target_print" "targetname" "words" "message" "tick\ntock %s" }"#,
    );
    let num = run.join(0, WALKER);
    run.hold(num, 4000, still());
    let ticks =
        run.host.sent.iter().filter(|(to, text)| to.is_none() && text == "cp \"tick\ntock s\"").count();
    assert!((4..=5).contains(&ticks), "{ticks}: {:?}", run.host.sent);
    // Somebody else appears: a second signal stops it.
    run.game.client_disconnect(&mut run.host, num);
    run.join(1, OTHER);
    run.host.sent.clear();
    for _ in 0..60 {
        run.frame();
    }
    assert!(!run.was_told("tick"));
}

#[test]
fn a_relay_is_for_one_side_and_points_are_given() {
    let entities = r#"
        { "classname" "info_player_deathmatch" "origin" "0 0 32" "target" "gate" }
        { "classname" "info_player_deathmatch" "origin" "300 0 32" "target" "gate" }
        { "classname" "target_relay" "targetname" "gate" "target" "prize" "spawnflags" "1" }
        { "classname" "target_score" "targetname" "prize" "count" "4" }"#;
    let config = Config { g_gametype: 3, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(entities)).build(), config);
    let (a, b) = (run.join(0, WALKER), run.join(1, OTHER));
    run.command(a, "team red");
    run.command(b, "team blue");
    assert_eq!((score(&run.player(a)), score(&run.player(b))), (4, 0));
}

#[test]
fn a_laser_burns_who_stands_in_it() {
    let entities = spawn_at(0, 0, 26)
        + r#"{ "classname" "target_laser" "origin" "-400 0 30" "angle" "0" "dmg" "5" "spawnflags" "1" }"#;
    let mut run = plain_match(&entities);
    let num = run.join(0, WALKER);
    run.hold(num, 2000, still());
    assert!((20..=35).contains(&health(&run.player(num))), "{}", health(&run.player(num)));
    let beam = run.find(|e| e.state.entity_type == entity_type::BEAM)[0];
    assert!((run.state(beam).origin2.x + 15.0).abs() < 1.0, "{:?}", run.state(beam).origin2);
    run.hold(num, 2000, still());
    let line =
        format!("Kill: 1022 0 {}: <world> killed Walker by MOD_TARGET_LASER", means_of_death::TARGET_LASER);
    assert!(run.host.logged.contains(&line), "{:?}", run.host.logged);
}

#[test]
fn a_shot_opens_a_door_at_rest_and_turns_no_other_round() {
    let door =
        r#"{ "classname" "func_door" "model" "*1" "angle" "-1" "health" "1" "speed" "50" "wait" "3" }"#;
    let entities = spawn_at(-200, 0, 26) + door;
    let map =
        TinyMap::room(&with(&entities)).model(Bounds::new(vec3(0.0, -200.0, 0.0), vec3(16.0, 200.0, 300.0)));
    let mut run = Match::new(map.build(), Config::default());
    let num = run.join(0, WALKER);
    let door = run.find(|e| e.state.entity_type == entity_type::MOVER)[0];
    run.hold(num, 500, still());
    assert_eq!(run.state(door).pos.at(run.now).z, 0.0);
    run.hold(num, 3000, fogline_tests::game_scene::attack(2));
    let high = run.state(door).pos.at(run.now).z;
    assert!(high > 120.0, "it opens under fire: {high}");
}

#[test]
fn who_rides_a_lift_goes_up_with_it_and_who_is_under_it_is_hurt() {
    let lift = r#"{ "classname" "func_plat" "model" "*1" "height" "200" "speed" "150" "dmg" "9" }"#;
    let entities = spawn_at(0, 0, 60) + &spawn_at(600, 600, 32) + lift;
    // Drawn where it goes to; it rests 200 lower, on the floor.
    let map = TinyMap::room(&with(&entities))
        .model(Bounds::new(vec3(-96.0, -96.0, 200.0), vec3(96.0, 96.0, 216.0)));
    let mut run = Match::new(map.build(), Config { sv_cheats: true, ..Config::default() });
    let num = run.join(0, WALKER);
    run.command(num, "setviewpos -90 0 60 0");
    let mut highest = 0.0_f32;
    for _ in 0..80 {
        run.hold(num, 50, still());
        highest = highest.max(run.player(num).origin.z);
    }
    assert!((235.0..245.0).contains(&highest), "carried to {highest}");
    // Under it while it comes down: hurt, and it goes up again.
    run.command(num, "setviewpos 600 600 30 0");
    run.hold(num, 4000, still());
    run.command(num, "setviewpos -90 0 60 0");
    run.hold(num, 1900, still());
    run.command(num, "setviewpos -90 0 30 0");
    let before = health(&run.player(num));
    run.hold(num, 3000, still());
    assert!(
        run.host.logged.iter().any(|line| line.contains("MOD_CRUSH"))
            || health(&run.player(num)) < before - 5
    );
}

#[test]
fn what_is_not_for_this_game_type_is_left_out() {
    let entities = spawn_at(0, 0, 32)
        + r#"{ "classname" "item_quad" "origin" "100 0 32" "notfree" "1" }
             { "classname" "item_haste" "origin" "200 0 32" "notteam" "1" }
             { "classname" "item_regen" "origin" "300 0 32" "gametype" "team ctf" }
             { "classname" "item_invis" "origin" "400 0 32" "gametype" "ffa" }"#;
    let items = |game: i32| {
        let config = Config { g_gametype: game, ..Config::default() };
        let run = Match::new(TinyMap::room(&with(&entities)).build(), config);
        let text = run.configstring(fogline_common::openarena::configstring::ITEMS).to_owned();
        [28, 30, 32, 31].map(|item| &text[item..=item] == "1")
    };
    assert_eq!(items(0), [false, true, false, true]);
    assert_eq!(items(3), [true, false, true, false]);
    let (run, _, _) = duel(Config::default());
    assert!(run.host.printed.is_empty());
}
