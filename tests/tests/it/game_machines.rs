//! Machines of the map: trains, weapons that the map fires, gifts; and what players carry for later use.

use fogline_common::math::{Bounds, vec3};
use fogline_common::openarena::{entity_type, event, shared, stat, trajectory, weapon};
use fogline_common::proto::{UserCmd, button};
use fogline_common::time::Millis;
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{WALKER, health, plain_match, spawn_at, still, with};
use fogline_tests::tiny_map::TinyMap;

#[test]
fn a_train_goes_from_corner_to_corner_and_waits_where_it_should() {
    let entities = r#"
        { "classname" "func_train" "model" "*1" "target" "c1" "speed" "50" }
        { "classname" "path_corner" "targetname" "c1" "target" "c2" "origin" "0 200 100" "speed" "300" }
        { "classname" "path_corner" "targetname" "c2" "target" "c1" "origin" "300 200 100" "wait" "1" }"#;
    let map = TinyMap::room(&with(&(spawn_at(0, -200, 32) + entities)))
        .model(Bounds::new(vec3(-32.0, -32.0, 0.0), vec3(32.0, 32.0, 16.0)));
    let mut run = Match::new(map.build(), Config::default());
    let train = run.find(|e| e.state.entity_type == entity_type::MOVER)[0];
    let pos = run.state(train).pos;
    assert_eq!((pos.kind, pos.duration), (trajectory::LINEAR_STOP, 1000));
    assert_eq!((pos.base, pos.delta), (vec3(0.0, 200.0, 100.0), vec3(300.0, 0.0, 0.0)));
    let set_off = pos.time;
    while run.state(train).pos.kind == trajectory::LINEAR_STOP {
        run.frame();
        assert!(run.now.0 <= set_off + 1000);
        let origin = run.game.entities().get(train).link.origin;
        assert_eq!(origin, run.state(train).pos.at(run.now));
    }
    let arrived = run.now;
    assert_eq!(run.state(train).pos.base, vec3(300.0, 200.0, 100.0));
    while run.state(train).pos.kind == trajectory::STATIONARY {
        run.frame();
        assert!(run.now - arrived <= Millis(1000));
    }
    assert_eq!(run.now - arrived, Millis(1000));
    let back = run.state(train).pos;
    // At its own 50 units a second, since the corner names no speed.
    assert_eq!((back.time, back.duration, back.delta.x), (run.now.0, 6000, -50.0));
}

#[test]
fn a_train_without_a_path_stays_and_the_host_is_told() {
    let entities = r#"{ "classname" "func_train" "model" "*1" "target" "nowhere" }"#;
    let map = TinyMap::room(&with(&(spawn_at(0, -200, 32) + entities)))
        .model(Bounds::new(vec3(-32.0, -32.0, 0.0), vec3(32.0, 32.0, 16.0)));
    let run = Match::new(map.build(), Config::default());
    assert!(run.host.printed.iter().any(|line| line.contains("path_corner")), "{:?}", run.host.printed);
}

#[test]
fn a_shooter_fires_at_its_target_when_it_is_fired() {
    let mut run = plain_match(
        r#"{ "classname" "info_player_deathmatch" "origin" "0 0 32" "target" "gun" }
           { "classname" "shooter_rocket" "origin" "0 400 100" "targetname" "gun" "target" "aim" }
           { "classname" "info_notnull" "origin" "0 900 100" "targetname" "aim" }"#,
    );
    for _ in 0..10 {
        run.frame();
    }
    let num = run.join(0, WALKER);
    run.hold(num, 50, still());
    let rockets = run.find(|e| e.state.entity_type == entity_type::MISSILE);
    assert_eq!(rockets.len(), 1);
    let state = run.state(rockets[0]);
    assert_eq!((state.weapon, state.pos.base), (weapon::ROCKET_LAUNCHER, vec3(0.0, 400.0, 100.0)));
    assert!(state.pos.delta.y > 890.0 && (state.pos.delta.length() - 900.0).abs() < 2.0, "{state:?}");
    let gun = run.find(|e| e.state.event & !shared::EV_EVENT_BITS == event::FIRE_WEAPON);
    assert_eq!(state.other_entity, gun[0].index() as i32);
}

#[test]
fn gifts_go_to_who_fires_them() {
    let mut run = plain_match(
        r#"{ "classname" "info_player_deathmatch" "origin" "0 0 32" "target" "gift" }
           { "classname" "target_give" "targetname" "gift" "target" "goods" }
           { "classname" "item_armor_body" "origin" "300 0 32" "targetname" "goods" }
           { "classname" "weapon_railgun" "origin" "300 100 32" "targetname" "goods" }"#,
    );
    let num = run.join(0, WALKER);
    let ps = run.player(num);
    assert_eq!(ps.stats[stat::ARMOR as usize], 100);
    assert_ne!(ps.stats[stat::WEAPONS as usize] & 1 << weapon::RAILGUN, 0);
    assert!(run.find(|e| e.state.entity_type == entity_type::ITEM).is_empty());
}

#[test]
fn a_medkit_heals_once() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    run.host.config.sv_cheats = true;
    let num = run.join(0, WALKER);
    run.command(num, "give holdable_medkit");
    run.command(num, "give health 30");
    let press = UserCmd { buttons: button::USE_HOLDABLE, ..still() };
    run.hold(num, 100, still());
    run.hold(num, 200, press);
    let ps = run.player(num);
    assert_eq!((health(&ps), ps.stats[stat::HOLDABLE_ITEM as usize]), (125, 0));
    run.command(num, "give health 30");
    run.hold(num, 100, still());
    run.hold(num, 200, press);
    assert_eq!(health(&run.player(num)), 30);
}

#[test]
fn a_personal_teleporter_leads_to_a_spawn() {
    let mut run = plain_match(&(spawn_at(0, 0, 32) + &spawn_at(700, 500, 32)));
    run.host.config.sv_cheats = true;
    let num = run.join(0, WALKER);
    run.command(num, "give holdable_teleporter");
    run.hold(num, 500, still());
    let before = run.player(num);
    run.hold(num, 50, UserCmd { buttons: button::USE_HOLDABLE, ..still() });
    let after = run.player(num);
    assert_eq!(after.stats[stat::HOLDABLE_ITEM as usize], 0);
    let flash = entity_type::EVENTS + event::PLAYER_TELEPORT_OUT;
    assert_eq!(run.find(|e| e.state.entity_type == flash).len(), 1);
    assert_ne!(before.flags & 4, after.flags & 4, "clients must not blend the two places");
}

#[test]
fn regeneration_heals_every_second() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    run.host.config.sv_cheats = true;
    let num = run.join(0, WALKER);
    run.command(num, "give item_regen");
    run.command(num, "give health 50");
    run.hold(num, 2000, still());
    assert_eq!(health(&run.player(num)), 80);
    run.hold(num, 40_000, still());
    // It ended, and what is too much counts down.
    assert!((100..200).contains(&health(&run.player(num))), "{}", health(&run.player(num)));
}
