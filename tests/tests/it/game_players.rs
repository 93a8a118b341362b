//! Bodies, pads, teleporters, doors and items, on small maps made in memory.

use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{configstring, dm_flag, entity_flag, entity_type, event, pers, weapon};
use fogline_common::proto::contents;
use fogline_common::proto::limits::SOLID_BRUSH_MODEL;
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{WALKER, forward, health, plain_match, spawn_at, still, with};
use fogline_tests::tiny_map::TinyMap;

#[test]
fn a_player_appears_on_the_floor_with_what_the_rules_give() {
    let mut run = plain_match(&spawn_at(100, 50, 32));
    let num = run.join(0, WALKER);
    run.hold(num, 500, still());
    let ps = run.player(num);
    assert_eq!((ps.origin.x, ps.origin.y), (100.0, 50.0));
    assert!((ps.origin.z - 24.125).abs() < 0.01, "stands at {}", ps.origin.z);
    assert_eq!(ps.ground_entity, EntityNum::WORLD.index() as i32);
    assert_eq!(health(&ps), 125);
    assert_eq!(ps.weapon, weapon::MACHINEGUN);
    assert_eq!(ps.ammo[weapon::MACHINEGUN as usize], 100);
    assert_eq!(ps.persistant[pers::SPAWN_COUNT as usize], 1);
    assert_eq!(ps.flags & entity_flag::TELEPORT_BIT, entity_flag::TELEPORT_BIT);
    let state = run.state(num.entity());
    assert_eq!(state.entity_type, entity_type::PLAYER);
    assert_eq!(state.solid, 64 << 16 | 24 << 8 | 15);
    assert_eq!(state.pos.base, ps.origin.truncated());
    assert!(run.was_told("Walker^7 entered the game"));
    assert_eq!(
        run.configstring(configstring::PLAYERS),
        "n\\Walker\\t\\0\\model\\sarge\\hmodel\\\\g_redteam\\\\g_blueteam\\\\c1\\\\c2\\\\hc\\100\\w\\0\\l\\0\\tt\\0\\tl\\0"
    );
}

#[test]
fn health_above_the_usual_counts_down_once_a_second() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.hold(num, 5000, still());
    let left = health(&run.player(num));
    assert!((119..=121).contains(&left), "125 became {left} in five seconds");
}

#[test]
fn a_player_walks_and_stops_at_the_wall() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.hold(num, 1000, forward());
    let x = run.player(num).origin.x;
    assert!((250.0..330.0).contains(&x), "walked {x} in a second at 320 a second");
    run.hold(num, 4000, forward());
    let x = run.player(num).origin.x;
    assert!((1024.0 - x - 15.125).abs() < 0.01, "the wall's face is at 1024, the player at {x}");
}

#[test]
fn usercmds_from_the_future_and_from_long_ago_are_bounded() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.hold(num, 1000, still());
    let now = run.now.0;
    run.think_at(num, now + 60_000, forward());
    assert_eq!(run.player(num).command_time, now + 200);
    let before = run.player(num);
    run.think_at(num, now - 5000, forward());
    run.think_at(num, i32::MIN, forward());
    assert_eq!(run.player(num), before);
    run.think_at(num, i32::MAX, forward());
    assert_eq!(run.player(num).command_time, now + 200);
}

#[test]
fn a_long_fall_hurts_unless_the_host_says_otherwise() {
    for (flags, expected) in [(0, 115), (dm_flag::NO_FALLING, 125)] {
        let config = Config { dmflags: flags, ..Config::default() };
        let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 700))).build(), config);
        let num = run.join(0, WALKER);
        for _ in 0..40 {
            run.hold(num, 50, still());
            if run.player(num).ground().is_some() {
                break;
            }
        }
        // A second or two of counting down is over by then.
        let left = health(&run.player(num));
        assert!((expected - 2..=expected).contains(&left), "dmflags {flags}: {left} points left");
    }
}

#[test]
fn a_jump_pad_throws_to_its_target() {
    let entities = format!(
        r#"{} {{ "classname" "trigger_push" "model" "*1" "target" "top" }}
        {{ "classname" "target_position" "targetname" "top" "origin" "300 0 400" }}"#,
        spawn_at(0, 0, 32)
    );
    let map =
        TinyMap::room(&with(&entities)).model(Bounds::new(vec3(180.0, -40.0, 0.0), vec3(260.0, 40.0, 16.0)));
    let mut run = Match::new(map.build(), Config::default());
    let pad = run.find(|e| e.state.entity_type == entity_type::PUSH_TRIGGER)[0];
    assert_eq!(run.state(pad).solid, SOLID_BRUSH_MODEL);
    assert_eq!(run.state(pad).model_index, 1);
    let num = run.join(0, WALKER);
    let mut highest = 0.0_f32;
    for _ in 0..60 {
        run.hold(num, 50, forward());
        highest = highest.max(run.player(num).origin.z);
    }
    assert!((370.0..440.0).contains(&highest), "the target is 400 high, the flight reached {highest}");
}

#[test]
fn a_teleporter_moves_at_once_and_flips_the_teleport_bit() {
    let entities = format!(
        r#"{} {{ "classname" "trigger_teleport" "model" "*1" "target" "there" }}
        {{ "classname" "misc_teleporter_dest" "targetname" "there" "origin" "-500 300 32" "angle" "90" }}"#,
        spawn_at(0, 0, 32)
    );
    let map =
        TinyMap::room(&with(&entities)).model(Bounds::new(vec3(100.0, -40.0, 0.0), vec3(140.0, 40.0, 80.0)));
    let mut run = Match::new(map.build(), Config::default());
    let num = run.join(0, WALKER);
    let bit = run.player(num).flags & entity_flag::TELEPORT_BIT;
    while run.player(num).origin.x >= 0.0 && run.now.0 < 5000 {
        run.hold(num, 50, forward());
    }
    let ps = run.player(num);
    assert!(ps.origin.distance(vec3(-500.0, 300.0, 33.0)) < 60.0, "arrived at {:?}", ps.origin);
    assert!((ps.view_angles.y - 90.0).abs() < 0.1, "looks along {}", ps.view_angles.y);
    assert_ne!(ps.flags & entity_flag::TELEPORT_BIT, bit);
    for flash in [event::PLAYER_TELEPORT_OUT, event::PLAYER_TELEPORT_IN] {
        assert!(!run.find(|e| e.state.entity_type == entity_type::EVENTS + flash).is_empty());
    }
}

#[test]
fn a_door_opens_for_who_comes_near_and_joins_its_areas_only_while_open() {
    let entities =
        format!(r#"{} {{ "classname" "func_door" "model" "*1" "angle" "-1" }}"#, spawn_at(-400, 0, 32));
    let wall = |from: f32, to: f32| Bounds::new(vec3(-8.0, from, 0.0), vec3(8.0, to, 1024.0));
    let map = TinyMap::room(&with(&entities))
        .solid(wall(-1024.0, -64.0))
        .solid(wall(64.0, 1024.0))
        .solid(Bounds::new(vec3(-8.0, -64.0, 128.0), vec3(8.0, 64.0, 1024.0)))
        .model(Bounds::new(vec3(-4.0, -64.0, 0.0), vec3(4.0, 64.0, 128.0)));
    let mut run = Match::new(map.build(), Config::default());
    let door = run.find(|e| e.state.entity_type == entity_type::MOVER)[0];
    assert_eq!(run.state(door).solid, SOLID_BRUSH_MODEL);
    let areas_joined =
        |run: &Match| run.host.world.in_pvs(vec3(-50.0, 0.0, 40.0), vec3(50.0, 0.0, 40.0), false);
    assert!(!areas_joined(&run));

    let num = run.join(0, WALKER);
    let mut joined_on_the_way = false;
    for _ in 0..60 {
        run.hold(num, 50, forward());
        joined_on_the_way |= areas_joined(&run);
        if run.player(num).origin.x > 300.0 {
            break;
        }
    }
    assert!(run.player(num).origin.x > 300.0, "the door stopped the player at {}", run.player(num).origin.x);
    assert!(joined_on_the_way);
    run.hold(num, 4000, forward());
    assert!(!areas_joined(&run), "the door shuts behind the player");
    assert_eq!(run.state(door).pos.at(run.now), Vec3::ZERO);
}

#[test]
fn a_door_turns_back_from_whom_it_would_crush() {
    let entities = format!(
        r#"{} {{ "classname" "func_door" "model" "*1" "angle" "-1" "wait" "0.2" "dmg" "0" }}"#,
        spawn_at(0, 0, 32)
    );
    let map = TinyMap::room(&with(&entities))
        .model(Bounds::new(vec3(-40.0, -40.0, 100.0), vec3(40.0, 40.0, 300.0)));
    let mut run = Match::new(map.build(), Config::default());
    let door = run.find(|e| e.state.entity_type == entity_type::MOVER)[0];
    let num = run.join(0, WALKER);
    // It hangs over the player's head and its space reaches down to the floor, so it keeps moving.
    run.hold(num, 6000, still());
    assert!(run.player(num).origin.z < 30.0 && health(&run.player(num)) > 100);
    assert!(run.state(door).pos.at(run.now).z >= 0.0);
}

#[test]
fn an_item_is_taken_when_useful_and_comes_back() {
    let entities = format!(
        r#"{} {{ "classname" "item_health" "origin" "200 0 40" }} {{ "classname" "weapon_shotgun" "origin" "0 500 40" }}"#,
        spawn_at(0, 0, 32)
    );
    let mut run = plain_match(&entities);
    let health_item = 5;
    let item =
        run.find(|e| e.state.entity_type == entity_type::ITEM && e.state.model_index == health_item)[0];
    assert!((run.state(item).pos.base.z - 15.125).abs() < 0.01, "it lies on the floor");
    assert_eq!(&run.configstring(configstring::ITEMS)[5..6], "1");
    assert_eq!(&run.configstring(configstring::ITEMS)[9..10], "1");
    let num = run.join(0, WALKER);
    // Unhurt: it stays.
    run.hold(num, 1500, forward());
    assert_eq!(run.state(item).flags & entity_flag::NODRAW, 0);
    run.host.config.sv_cheats = true;
    run.command(num, "give health 40");
    run.command(num, "setviewpos 200 0 30 0");
    run.hold(num, 100, still());
    assert_eq!(health(&run.player(num)), 65);
    let events = run.player(num).events;
    assert!(events.contains(&event::ITEM_PICKUP), "its client predicts pickups: {events:?}");
    assert!(run.host.logged.iter().any(|line| line == "Item: 0 item_health"));
    assert_eq!(run.state(item).flags & entity_flag::NODRAW, entity_flag::NODRAW);
    run.command(num, "setviewpos -500 0 30 0");
    run.hold(num, 34_000, still());
    assert_eq!(run.state(item).flags & entity_flag::NODRAW, entity_flag::NODRAW);
    run.hold(num, 2000, still());
    assert_eq!(run.state(item).flags & entity_flag::NODRAW, 0);
    assert_eq!(run.game.entities().get(item).link.contents, contents::TRIGGER);
}
