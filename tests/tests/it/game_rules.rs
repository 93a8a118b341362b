//! The native rules on small maps made in memory.

use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{
    animation, configstring, entity_flag, entity_type, event, means_of_death, pers, pm_flag, pm_type, stat,
    team, weapon,
};
use fogline_common::proto::limits::SOLID_BRUSH_MODEL;
use fogline_common::proto::{PlayerState, UserCmd, button, contents, sv_flag};
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::game_host::{Match, client};
use fogline_tests::tiny_map::TinyMap;

const WORLD: &str = r#"{ "classname" "worldspawn" "music" "music/test.ogg" "message" "Test Room" }"#;
const WALKER: &str = "\\name\\Walker\\model\\sarge\\handicap\\100\\cg_predictItems\\1\\ip\\10.0.0.1:27960";
const OTHER: &str = "\\name\\Other\\model\\major\\handicap\\100\\cg_predictItems\\1\\ip\\10.0.0.2:27960";

/// Entity text: the world, then more.
fn with(more: &str) -> String {
    format!("{WORLD}\n{more}")
}

/// A spawn point that looks along +x.
fn spawn_at(x: i32, y: i32, z: i32) -> String {
    format!(r#"{{ "classname" "info_player_deathmatch" "origin" "{x} {y} {z}" "angle" "0" }}"#)
}

fn plain_match(entities: &str) -> Match {
    Match::new(TinyMap::room(&with(entities)).build(), Config::default())
}

fn forward() -> UserCmd {
    UserCmd { forward_move: 127, ..UserCmd::default() }
}

fn attack(weapon: i32) -> UserCmd {
    UserCmd { buttons: button::ATTACK, weapon: weapon as u8, ..UserCmd::default() }
}

fn still() -> UserCmd {
    UserCmd { weapon: weapon::MACHINEGUN as u8, ..UserCmd::default() }
}

fn health(ps: &PlayerState) -> i32 {
    ps.stats[stat::HEALTH as usize]
}

fn score(ps: &PlayerState) -> i32 {
    ps.persistant[pers::SCORE as usize]
}

/// Players in a row along x, 100 units apart. The first stands at the end and looks at the others, who look back; the
/// protection of the fresh is over.
fn line_up(config: Config, count: usize) -> (Match, Vec<ClientNum>) {
    let spawn = |at: usize| {
        let (x, yaw, flags) = (100 * at as i32 - 200, if at == 0 { 0 } else { 180 }, i32::from(at == 0));
        format!(
            r#"{{ "classname" "info_player_deathmatch" "origin" "{x} 0 26" "angle" "{yaw}" "spawnflags" "{flags}" }}"#
        )
    };
    let spawns: String = (0..count).map(spawn).collect();
    let mut run = Match::new(TinyMap::room(&with(&spawns)).build(), config);
    run.host.config.sv_cheats = true;
    // A player of the server's own machine begins at the spot that is marked for it.
    let local = "\\name\\Walker\\ip\\localhost\\cg_predictItems\\1";
    let players: Vec<_> =
        (0..count).map(|slot| run.join(slot, if slot == 0 { local } else { OTHER })).collect();
    let stand: Vec<_> = players.iter().map(|&num| (num, still())).collect();
    run.hold_all(&stand, 1000);
    (run, players)
}

/// A line of two.
fn duel(config: Config) -> (Match, ClientNum, ClientNum) {
    let (run, players) = line_up(config, 2);
    (run, players[0], players[1])
}

#[test]
fn a_level_tells_clients_what_they_insist_on() {
    let run = plain_match(&spawn_at(0, 0, 32));
    assert_eq!(run.configstring(configstring::GAME_VERSION), "baseoa-1");
    assert_eq!(run.configstring(configstring::MUSIC), "music/test.ogg");
    assert_eq!(run.configstring(configstring::MESSAGE), "Test Room");
    assert_eq!(run.configstring(configstring::LEVEL_START_TIME), "1000");
    assert_eq!(run.configstring(configstring::ITEMS).len(), 61);
    assert_eq!(run.configstring(configstring::SCORES1), "-9999");
    assert!(run.host.logged.iter().any(|line| line.starts_with("InitGame: ")));
}

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
    for (flags, expected) in [(0, 115), (fogline_common::openarena::dm_flag::NO_FALLING, 125)] {
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

#[test]
fn players_are_solid_to_each_other() {
    let (mut run, a, b) = duel(Config::default());
    run.hold_all(&[(a, forward()), (b, still())], 2000);
    let (first, second) = (run.player(a).origin, run.player(b).origin);
    assert!(second.x - first.x >= 30.0, "{first:?} ran through {second:?}");
}

#[test]
fn bullets_kill_and_everybody_is_told() {
    let (mut run, a, b) = duel(Config::default());
    run.command(b, "give health 30");
    run.host.logged.clear();
    let mut seen_mark = false;
    for _ in 0..40 {
        run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 50);
        let flesh = entity_type::EVENTS + event::BULLET_HIT_FLESH;
        seen_mark |= !run.find(|e| e.state.entity_type == flesh && e.state.other_entity == 0).is_empty();
        if health(&run.player(b)) <= 0 {
            break;
        }
    }
    assert!(seen_mark && health(&run.player(b)) <= 0);
    let obituary = run.find(|e| e.state.entity_type == entity_type::EVENTS + event::OBITUARY)[0];
    let shared = run.game.entities().get(obituary);
    assert_eq!(shared.link.sv_flags, sv_flag::BROADCAST);
    assert_eq!((shared.state.other_entity, shared.state.other_entity2), (1, 0));
    assert_eq!(shared.state.event_parm, means_of_death::MACHINEGUN);
    assert!(run.host.logged.contains(&"Kill: 0 1 3: Walker killed Other by MOD_MACHINEGUN".to_owned()));
    assert_eq!(score(&run.player(a)), 1);
    assert!(run.player(a).persistant[pers::HITS as usize] >= 5);
    assert_eq!(
        (run.configstring(configstring::SCORES1), run.configstring(configstring::SCORES2)),
        ("1", "0")
    );
    let dead = run.player(b);
    assert_eq!(dead.pm_type, pm_type::DEAD);
    assert_eq!(dead.legs_anim & !128, animation::BOTH_DEATH1);
    assert_eq!(run.game.entities().get(b.entity()).link.contents, contents::CORPSE);

    // The obituary lives for a short time, the body comes back on demand and not before.
    run.hold_all(&[(a, still()), (b, still())], 500);
    assert!(run.find(|e| e.state.entity_type == entity_type::EVENTS + event::OBITUARY).is_empty());
    run.hold_all(&[(b, attack(weapon::MACHINEGUN))], 500);
    assert_eq!(run.player(b).pm_type, pm_type::DEAD);
    run.hold_all(&[(b, still())], 1000);
    run.hold_all(&[(b, attack(weapon::MACHINEGUN))], 100);
    let back = run.player(b);
    assert_eq!((back.pm_type, health(&back)), (pm_type::NORMAL, 125));
    assert_eq!(back.persistant[pers::SPAWN_COUNT as usize], dead.persistant[pers::SPAWN_COUNT as usize] + 1);
    assert_ne!(back.flags & entity_flag::TELEPORT_BIT, dead.flags & entity_flag::TELEPORT_BIT);
    let bodies = run.find(|e| e.link.contents == contents::CORPSE);
    assert_eq!(bodies.len(), 1);
    assert!((64..72).contains(&bodies[0].index()));
    assert_eq!(run.state(bodies[0]).legs_anim & !128, animation::BOTH_DEAD1);
    // And sinks in the end.
    run.hold_all(&[(b, still())], 8000);
    assert!(run.find(|e| e.link.contents == contents::CORPSE).is_empty());
}

#[test]
fn pain_is_shown_to_who_feels_it() {
    let (mut run, a, b) = duel(Config::default());
    let before = run.player(b);
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 150);
    let after = run.player(b);
    assert!(health(&after) < health(&before));
    assert_ne!(after.damage_event, before.damage_event);
    assert!(after.damage_count > 0);
    assert_eq!(after.persistant[pers::ATTACKER as usize], 0);
    assert_eq!(after.external_event & 0xff, event::PAIN);
}

#[test]
fn armor_takes_two_thirds() {
    let (mut run, a, b) = duel(Config::default());
    run.command(b, "give armor 100");
    run.command(b, "give health 100");
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 100);
    let ps = run.player(b);
    let (lost_health, lost_armor) = (100 - health(&ps), 100 - ps.stats[stat::ARMOR as usize]);
    // A bullet of 7: armor takes ceil(7 * 0.66) = 5.
    assert!(
        lost_armor > 0 && lost_armor % 5 == 0 && lost_health * 5 == lost_armor * 2,
        "{lost_health} {lost_armor}"
    );
}

#[test]
fn every_weapon_without_missiles_kills_and_says_so() {
    for (weapon, name, means) in [
        (weapon::SHOTGUN, "shotgun", "MOD_SHOTGUN"),
        (weapon::LIGHTNING, "lightning", "MOD_LIGHTNING"),
        (weapon::RAILGUN, "railgun", "MOD_RAILGUN"),
    ] {
        let (mut run, a, b) = duel(Config::default());
        run.command(a, &format!("give weapon_{name}"));
        run.command(a, "give ammo");
        let raise = UserCmd { weapon: weapon as u8, ..UserCmd::default() };
        run.hold_all(&[(a, raise), (b, still())], 1000);
        run.hold_all(&[(a, attack(weapon)), (b, still())], 2000);
        let kill = run.host.logged.iter().any(|line| line.starts_with("Kill: 0 1 ") && line.ends_with(means));
        assert!(kill, "{name}: {:?}", run.host.logged);
    }
}

#[test]
fn the_railgun_goes_through_two_and_is_impressive() {
    let (mut run, players) = line_up(Config::default(), 3);
    let [a, b, c] = players[..] else { panic!("three players") };
    run.command(a, "give weapon_railgun");
    let raise = UserCmd { weapon: weapon::RAILGUN as u8, ..UserCmd::default() };
    run.hold_all(&[(a, raise), (b, still()), (c, still())], 1000);
    let before = [b, c].map(|num| health(&run.player(num)));
    run.hold_all(&[(a, attack(weapon::RAILGUN)), (b, still()), (c, still())], 50);
    let after = [b, c].map(|num| health(&run.player(num)));
    assert_eq!([before[0] - after[0], before[1] - after[1]], [100, 100]);
    assert_eq!(run.player(a).persistant[pers::IMPRESSIVE_COUNT as usize], 1);
    assert!(run.game.entities().get(b.entity()).link.linked);
    assert_eq!(run.find(|e| e.state.entity_type == entity_type::EVENTS + event::RAILTRAIL).len(), 1);
}

#[test]
fn the_gauntlet_hits_only_within_reach() {
    let (mut run, a, b) = duel(Config::default());
    let switch = UserCmd { weapon: weapon::GAUNTLET as u8, ..UserCmd::default() };
    run.hold_all(&[(a, switch), (b, still())], 1000);
    run.hold_all(&[(a, attack(weapon::GAUNTLET)), (b, still())], 500);
    assert!(health(&run.player(b)) > 100);
    let charge = UserCmd { forward_move: 127, ..attack(weapon::GAUNTLET) };
    run.hold_all(&[(a, charge), (b, still())], 2000);
    assert!(run.host.logged.iter().any(|line| line.starts_with("Kill: 0 1 2:")), "{:?}", run.host.logged);
    assert_eq!(run.player(a).persistant[pers::GAUNTLET_FRAG_COUNT as usize], 1);
}

#[test]
fn killing_oneself_costs_a_point_while_few_play() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.command(num, "kill");
    assert_eq!((score(&run.player(num)), run.player(num).pm_type), (-1, pm_type::DEAD));
    assert!(run.host.logged.contains(&"Kill: 0 0 20: Walker killed Walker by MOD_SUICIDE".to_owned()));
}

#[test]
fn a_spectator_flies_follows_and_returns() {
    let mut run = plain_match(&spawn_at(100, 0, 32));
    let player = run.join(0, WALKER);
    let watcher = run.join(1, OTHER);
    run.command(watcher, "team spectator");
    run.hold_all(&[(player, still()), (watcher, forward())], 200);
    assert_eq!(run.player(watcher).pm_type, pm_type::SPECTATOR);
    assert!(!run.game.entities().get(watcher.entity()).link.linked);
    assert!(run.configstring(configstring::PLAYERS + 1).contains("\\t\\3\\"));

    run.command(watcher, "follownext");
    run.hold_all(&[(player, forward()), (watcher, still())], 500);
    let (seen, own) = (run.player(watcher), run.player(player));
    assert_eq!((seen.client_num, seen.origin), (0, own.origin));
    assert_eq!(seen.pm_flags & pm_flag::FOLLOW, pm_flag::FOLLOW);
    run.command(watcher, "follow");
    assert_eq!((run.player(watcher).client_num, run.player(watcher).origin), (1, own.origin));
    assert_eq!(run.player(watcher).pm_flags & pm_flag::FOLLOW, 0);

    run.command(watcher, "follow Walker");
    assert_eq!(run.player(watcher).client_num, 0);
    run.game.client_disconnect(&mut run.host, player);
    run.frame();
    assert_eq!(run.player(watcher).client_num, 1);
    run.hold(watcher, 5000, still());
    run.command(watcher, "team free");
    run.hold(watcher, 100, still());
    assert_eq!(run.player(watcher).pm_type, pm_type::NORMAL);
}

#[test]
fn scores_come_as_four_numbers_and_fifteen_for_each_player() {
    let mut run = plain_match(&(spawn_at(0, 0, 32) + &spawn_at(500, 0, 32)));
    let a = run.join(0, WALKER);
    run.join(3, OTHER);
    run.host.sent.clear();
    run.command(a, "score");
    let (to, text) = run.host.sent.last().expect("an answer").clone();
    assert_eq!(to, Some(a));
    let words: Vec<&str> = text.split(' ').collect();
    assert_eq!(words[..2], ["scores", "2"]);
    let numbers: Vec<i32> = words[1..].iter().map(|word| word.parse().expect("numbers only")).collect();
    assert_eq!(numbers.len(), 4 + 2 * 15);
    assert_eq!((numbers[4], numbers[19], numbers[6]), (0, 3, 48));
}

#[test]
fn the_fraglimit_leads_through_the_scores_to_the_next_map() {
    let config = Config { fraglimit: 1, nextmap: "map oa_dm5".to_owned(), ..Config::default() };
    let (mut run, a, b) = duel(config);
    run.command(b, "give health 5");
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 1000);
    assert!(run.was_told("Walker^7 hit the fraglimit."));
    assert!(run.host.logged.contains(&"Exit: Fraglimit hit.".to_owned()));
    assert!(run.host.logged.contains(&"score: 1  ping: 48  client: 0 Walker".to_owned()));
    assert_eq!(run.configstring(configstring::INTERMISSION), "1");
    run.hold_all(&[(a, still()), (b, still())], 1500);
    assert_eq!(run.player(a).pm_type, pm_type::INTERMISSION);
    assert_eq!(run.player(b).pm_type, pm_type::INTERMISSION);
    assert!(run.host.queued.is_empty());
    // Both press a button: on after five seconds of scores.
    run.hold_all(&[(a, attack(2)), (b, attack(2))], 500);
    assert_eq!(run.player(a).stats[stat::CLIENTS_READY as usize], 3);
    run.hold_all(&[(a, still()), (b, still())], 5000);
    assert_eq!(run.host.queued, ["vstr nextmap\n"]);
}

#[test]
fn a_map_restart_keeps_who_plays_and_who_looks_on() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let player = run.join(0, WALKER);
    let watcher = run.join(1, OTHER);
    run.command(watcher, "team spectator");
    run.command(player, "kill");
    run.restart(9);
    run.hold_all(&[(player, still()), (watcher, still())], 100);
    assert_eq!((score(&run.player(player)), run.player(player).pm_type), (0, pm_type::NORMAL));
    assert_eq!(run.player(watcher).persistant[pers::TEAM as usize], team::SPECTATOR);
    assert_eq!(run.configstring(configstring::INTERMISSION), "");
}

#[test]
fn the_timelimit_ends_a_match() {
    let config = Config { timelimit: 1, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 32))).build(), config);
    run.join(0, WALKER);
    for _ in 0..1300 {
        run.frame();
    }
    assert!(run.host.logged.contains(&"Exit: Timelimit hit.".to_owned()));
}

#[test]
fn teams_are_joined_balanced_and_do_not_shoot_each_other() {
    let config = Config { g_gametype: 3, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 32))).build(), config);
    for slot in 0..3 {
        let num = run.join(slot, WALKER);
        assert_eq!(run.player(num).persistant[pers::TEAM as usize], team::SPECTATOR);
        run.command(num, "team auto");
    }
    let team_of = |run: &Match, slot: usize| run.player(client(slot)).persistant[pers::TEAM as usize];
    assert_eq!((team_of(&run, 0), team_of(&run, 1), team_of(&run, 2)), (team::RED, team::BLUE, team::RED));
    assert_eq!(run.player(client(0)).ammo[weapon::MACHINEGUN as usize], 50);
    run.command(client(0), "say_team hello mates");
    let heard: Vec<_> =
        run.host.sent.iter().filter(|(_, text)| text.starts_with("tchat")).map(|(to, _)| *to).collect();
    assert_eq!(heard, [Some(client(0)), Some(client(2))]);
}

#[test]
fn a_tournament_is_two_players_and_a_queue() {
    let config = Config { g_gametype: 1, ..Config::default() };
    let spawns = spawn_at(0, 0, 32) + &spawn_at(500, 0, 32);
    let mut run = Match::new(TinyMap::room(&with(&spawns)).build(), config);
    for slot in 0..4 {
        run.join(slot, WALKER);
        run.frame();
    }
    let team_of = |run: &Match, slot: usize| run.player(client(slot)).persistant[pers::TEAM as usize];
    let teams: Vec<i32> = (0..4).map(|slot| team_of(&run, slot)).collect();
    assert_eq!(teams, [team::FREE, team::FREE, team::SPECTATOR, team::SPECTATOR]);
    run.command(client(3), "team free");
    assert_eq!(team_of(&run, 3), team::SPECTATOR, "both places are taken");
    run.game.client_disconnect(&mut run.host, client(0));
    run.frame();
    assert_eq!((team_of(&run, 2), team_of(&run, 3)), (team::FREE, team::SPECTATOR));
}

#[test]
fn another_game_type_makes_sessions_anew() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.command(num, "team spectator");
    run.host.config.g_gametype = 3;
    run.restart(3);
    run.command(num, "team red");
    run.host.config.g_gametype = 0;
    run.restart(4);
    assert_eq!(run.player(num).persistant[pers::TEAM as usize], team::FREE);
}

#[test]
fn talk_reaches_everybody_in_the_form_that_clients_show() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let a = run.join(0, WALKER);
    let b = run.join(1, OTHER);
    run.host.sent.clear();
    run.command(a, "say hello there");
    let line = "chat \"Walker^7\u{19}: ^2hello there\"".to_owned();
    assert_eq!(run.host.sent, [(Some(a), line.clone()), (Some(b), line)]);
    assert!(run.host.logged.contains(&"say: Walker: hello there".to_owned()));
    run.command(b, "tell 0 psst");
    assert!(run.was_told("chat \"\u{19}[Other^7\u{19}]\u{19}: ^6psst\""));
    run.command(a, "callvote map oa_dm1");
    assert!(run.was_told("Voting is not offered"));
    run.command(a, "frobnicate");
    assert!(run.was_told("unknown cmd frobnicate"));
}

#[test]
fn cheats_work_only_where_the_host_allows_them() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.command(num, "give all");
    assert!(run.was_told("Cheats are not enabled"));
    assert_eq!(run.player(num).stats[stat::ARMOR as usize], 0);
    run.host.config.sv_cheats = true;
    run.command(num, "give all");
    assert_eq!(run.player(num).stats[stat::ARMOR as usize], 200);
    run.command(num, "give weapon_railgun");
    run.command(num, "noclip");
    run.hold(num, 100, UserCmd { up_move: 127, ..still() });
    assert_eq!(run.player(num).pm_type, pm_type::NOCLIP);
    run.command(num, "where");
    assert!(run.was_told("(0 0 "));
}

#[test]
fn who_does_nothing_is_warned_and_dropped() {
    let config = Config { g_inactivity: 15, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 32))).build(), config);
    let num = run.join(0, WALKER);
    run.hold(num, 10_000, still());
    assert!(run.was_told("Ten seconds until inactivity drop"));
    assert!(run.host.dropped.is_empty());
    run.hold(num, 6000, still());
    assert_eq!(run.host.dropped.first(), Some(&(num, "Dropped due to inactivity".to_owned())));
}

#[test]
fn the_wrong_password_is_refused_with_a_reason() {
    let config = Config { g_password: "secret".to_owned(), ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 32))).build(), config);
    run.host.userinfos.insert(0, "\\name\\A\\password\\guess".to_owned());
    let answer = run.game.client_connect(&mut run.host, client(0), true, false);
    assert_eq!(answer, Err("Invalid password".to_owned()));
    run.host.userinfos.insert(0, "\\name\\A\\password\\secret".to_owned());
    assert_eq!(run.game.client_connect(&mut run.host, client(0), true, false), Ok(()));
}

#[test]
fn lava_burns_and_water_drowns() {
    let pool = |made_of| {
        let map = TinyMap::room(&with(&spawn_at(0, 0, 32)));
        let map = map.matter(Bounds::new(vec3(-900.0, -900.0, 0.0), vec3(900.0, 900.0, 400.0)), made_of);
        let mut run = Match::new(map.build(), Config::default());
        let num = run.join(0, WALKER);
        (run, num)
    };
    let (mut run, num) = pool(contents::LAVA);
    run.hold(num, 1000, still());
    assert!(health(&run.player(num)) <= 0);
    assert!(run.host.logged.iter().any(|line| line.ends_with("by MOD_LAVA")));
    let (mut run, num) = pool(contents::WATER);
    run.hold(num, 11_000, still());
    assert!(health(&run.player(num)) > 100);
    run.hold(num, 4000, still());
    assert!(health(&run.player(num)) < 112, "{} after 15 s under water", health(&run.player(num)));
}

#[test]
fn the_same_inputs_give_the_same_states() {
    let play = || {
        let (mut run, a, b) = duel(Config::default());
        run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, forward())], 3000);
        run.command(b, "kill");
        run.hold_all(&[(a, forward()), (b, attack(weapon::MACHINEGUN))], 3000);
        let states: Vec<_> = run.find(|_| true).iter().map(|&num| run.state(num)).collect();
        (states, run.player(a), run.player(b), run.host.sent)
    };
    assert!(play() == play());
}

#[test]
fn a_player_that_leaves_leaves_nothing() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.hold(num, 200, still());
    run.game.client_disconnect(&mut run.host, num);
    assert_eq!(run.configstring(configstring::PLAYERS), "");
    assert_eq!(run.configstring(configstring::SCORES1), "-9999");
    assert!(!run.game.entities().get(num.entity()).link.linked);
    assert!(run.host.logged.contains(&"ClientDisconnect: 0".to_owned()));
    let again = run.join(0, OTHER);
    run.hold(again, 200, still());
    assert_eq!(score(&run.player(again)), 0);
}
