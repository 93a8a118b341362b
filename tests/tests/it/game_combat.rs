//! Shots, pain, death and what burns, on small maps made in memory.

use fogline_common::math::{Bounds, vec3};
use fogline_common::openarena::{
    animation, configstring, entity_flag, entity_type, event, means_of_death, pers, pm_type, stat, weapon,
};
use fogline_common::proto::{UserCmd, contents, sv_flag};
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{
    WALKER, attack, duel, forward, health, line_up, score, spawn_at, still, with,
};
use fogline_tests::tiny_map::TinyMap;

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
        (weapon::CHAINGUN, "chaingun", "MOD_CHAINGUN"),
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
fn two_kills_within_three_seconds_are_excellent() {
    let (mut run, players) = line_up(Config::default(), 3);
    let [a, b, c] = players[..] else { panic!("three players") };
    run.command(a, "give weapon_railgun");
    let raise = UserCmd { weapon: weapon::RAILGUN as u8, ..UserCmd::default() };
    run.hold_all(&[(a, raise), (b, still()), (c, still())], 1000);
    run.command(b, "give health 50");
    run.command(c, "give health 50");
    run.hold_all(&[(a, attack(weapon::RAILGUN)), (b, still()), (c, still())], 50);
    let ps = run.player(a);
    assert_eq!((score(&ps), ps.persistant[pers::EXCELLENT_COUNT as usize]), (2, 1));
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
fn killing_oneself_costs_a_point_that_one_has() {
    let (mut run, players) = line_up(Config::default(), 3);
    let (num, other) = (players[0], players[1]);
    run.command(other, "give health 5");
    run.hold_all(&[(num, attack(weapon::MACHINEGUN)), (other, still())], 500);
    assert_eq!(score(&run.player(num)), 1);
    for expected in [0, 0] {
        run.command(num, "kill");
        assert_eq!((score(&run.player(num)), run.player(num).pm_type), (expected, pm_type::DEAD));
        run.hold(num, 3000, attack(weapon::MACHINEGUN));
    }
    assert!(run.host.logged.contains(&"Kill: 0 0 20: Walker killed Walker by MOD_SUICIDE".to_owned()));
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
