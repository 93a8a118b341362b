//! Missiles on small maps made in memory: how they fly, what they hit, and what their blasts reach.

use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, PITCH, Vec3, angle_to_short, vec3};
use fogline_common::openarena::{entity_flag, entity_type, event, shared, trajectory, weapon};
use fogline_common::proto::{UserCmd, sv_flag};
use fogline_common::time::Millis;
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{OTHER, attack, duel, health, still, with};
use fogline_tests::tiny_map::TinyMap;

/// In hand.
fn holding(weapon: i32) -> UserCmd {
    UserCmd { weapon: weapon as u8, ..UserCmd::default() }
}

/// Fires, looking down by so many degrees.
fn attack_below(weapon: i32, degrees: f32) -> UserCmd {
    let mut cmd = attack(weapon);
    cmd.angles[PITCH] = angle_to_short(degrees);
    cmd
}

/// Two players with 100 health, the first at the west looking east with this weapon raised, the other where it says.
fn range(
    map: impl Fn(TinyMap) -> TinyMap,
    other: Vec3,
    weapon: i32,
    item: &str,
) -> (Match, ClientNum, ClientNum) {
    let spawns = format!(
        r#"{{ "classname" "info_player_deathmatch" "origin" "-200 0 26" "angle" "0" "spawnflags" "1" }}
           {{ "classname" "info_player_deathmatch" "origin" "{} {} {}" "angle" "180" }}"#,
        other.x, other.y, other.z
    );
    let mut run = Match::new(map(TinyMap::room(&with(&spawns))).build(), Config::default());
    run.host.config.sv_cheats = true;
    let a = run.join(0, "\\name\\Walker\\ip\\localhost\\cg_predictItems\\1");
    let b = run.join(1, OTHER);
    run.command(a, &format!("give {item}"));
    for num in [a, b] {
        run.command(num, "give health 100");
    }
    run.hold_all(&[(a, holding(weapon)), (b, still())], 1000);
    (run, a, b)
}

fn missiles(run: &Match) -> Vec<EntityNum> {
    run.find(|e| e.state.entity_type == entity_type::MISSILE)
}

/// Where something burst, and the event that says so.
fn burst(run: &Match) -> Option<(Vec3, i32)> {
    let is_end =
        |event: i32| matches!(event & !shared::EV_EVENT_BITS, event::MISSILE_HIT | event::MISSILE_MISS);
    let found = run.find(|e| e.state.entity_type == entity_type::GENERAL && is_end(e.state.event));
    let state = run.state(*found.first()?);
    Some((state.pos.base, state.event & !shared::EV_EVENT_BITS))
}

#[test]
fn a_rocket_flies_as_clients_are_told() {
    let far = vec3(-200.0, 600.0, 26.0);
    let (mut run, a, b) = range(|map| map, far, weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher");
    let fired_at = run.now;
    run.hold_all(&[(a, attack(weapon::ROCKET_LAUNCHER)), (b, still())], 50);
    let rocket = missiles(&run)[0];
    let entity = run.game.entities().get(rocket);
    let (state, eye) = (entity.state, run.player(a).origin);
    assert_eq!((state.weapon, state.other_entity), (weapon::ROCKET_LAUNCHER, a.index() as i32));
    assert_eq!((state.pos.kind, state.pos.time), (trajectory::LINEAR, fired_at.0 - 50));
    assert_eq!(state.pos.delta, vec3(900.0, 0.0, 0.0));
    assert_eq!(state.pos.base, vec3(eye.x + 14.0, 0.0, eye.z + 26.0).truncated());
    assert_eq!((entity.link.sv_flags, entity.link.owner), (sv_flag::USE_CURRENT_ORIGIN, a.index() as i32));
    for _ in 0..10 {
        assert_eq!(run.game.entities().get(rocket).link.origin, state.pos.at(run.now));
        run.hold_all(&[(a, still()), (b, still())], 50);
    }
}

#[test]
fn every_missile_kills_and_says_so() {
    for (weapon, item, means) in [
        (weapon::GRENADE_LAUNCHER, "weapon_grenadelauncher", "MOD_GRENADE"),
        (weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher", "MOD_ROCKET"),
        (weapon::PLASMAGUN, "weapon_plasmagun", "MOD_PLASMA"),
        (weapon::BFG, "weapon_bfg", "MOD_BFG"),
        (weapon::NAILGUN, "weapon_nailgun", "MOD_NAIL"),
    ] {
        let (mut run, a, b) = duel(Config::default());
        for line in [&format!("give {item}"), "give ammo", "give health 999"] {
            run.command(a, line);
        }
        run.hold_all(&[(a, holding(weapon)), (b, still())], 1000);
        // A lobbed grenade would pass over a head that near.
        let degrees = if weapon == weapon::GRENADE_LAUNCHER { 20.0 } else { 0.0 };
        run.hold_all(&[(a, attack_below(weapon, degrees)), (b, still())], 3000);
        let kills: Vec<_> = run.host.logged.iter().filter(|line| line.starts_with("Kill: 0 1 ")).collect();
        assert!(kills.first().is_some_and(|line| line.contains(means)), "{item}: {:?}", run.host.logged);
    }
}

#[test]
fn a_blast_hurts_by_distance_and_not_through_walls() {
    let wall = |map: TinyMap| map.solid(Bounds::new(vec3(100.0, -300.0, 0.0), vec3(116.0, 300.0, 300.0)));
    let shoot = |other: Vec3| {
        let (mut run, a, b) = range(wall, other, weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher");
        run.hold_all(&[(a, attack(weapon::ROCKET_LAUNCHER)), (b, still())], 50);
        let stood_at = run.player(b).origin;
        while burst(&run).is_none() {
            run.hold_all(&[(a, still()), (b, still())], 50);
            assert!(run.now.0 < 20_000, "the rocket never bursts");
        }
        let place = burst(&run).expect("it burst");
        (place, stood_at, 100 - health(&run.player(b)))
    };
    let ((place, event), stood_at, lost) = shoot(vec3(60.0, 90.0, 26.0));
    assert_eq!((place.x, place.y, event), (99.0, 0.0, event::MISSILE_MISS));
    // Linked boxes are a unit larger than the body.
    let body = Bounds::new(vec3(-16.0, -16.0, -25.0), vec3(16.0, 16.0, 33.0)).translated(stood_at);
    let beside = (body.mins - place).max(place - body.maxs).max(Vec3::ZERO).length();
    assert!(beside > 20.0 && lost > 0);
    assert_eq!(lost, (100.0 * (1.0 - beside / 120.0)) as i32);
    let (_, _, lost) = shoot(vec3(150.0, 0.0, 26.0));
    assert_eq!(lost, 0);
}

#[test]
fn a_direct_hit_is_not_a_blast_as_well() {
    let (mut run, a, b) =
        range(|map| map, vec3(100.0, 0.0, 26.0), weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher");
    run.command(b, "give health 150");
    run.hold_all(&[(a, attack(weapon::ROCKET_LAUNCHER)), (b, still())], 50);
    run.hold_all(&[(a, still()), (b, still())], 300);
    assert_eq!(health(&run.player(b)), 50);
    let hit = run.find(|e| e.state.event & !shared::EV_EVENT_BITS == event::MISSILE_HIT);
    assert_eq!(run.state(hit[0]).other_entity, b.index() as i32);
    // What is left of the rocket goes with its event.
    run.hold_all(&[(a, still()), (b, still())], 500);
    assert!(burst(&run).is_none() && missiles(&run).is_empty());
}

#[test]
fn a_grenade_bounces_and_bursts_after_its_time() {
    let far = vec3(-200.0, 600.0, 26.0);
    let (mut run, a, b) = range(|map| map, far, weapon::GRENADE_LAUNCHER, "weapon_grenadelauncher");
    let fired_at = run.now;
    run.hold_all(&[(a, attack_below(weapon::GRENADE_LAUNCHER, 30.0)), (b, still())], 50);
    let grenade = missiles(&run)[0];
    let state = run.state(grenade);
    assert_eq!(state.pos.kind, trajectory::GRAVITY);
    assert_ne!(state.flags & entity_flag::BOUNCE_HALF, 0);
    let mut bounced = false;
    while burst(&run).is_none() {
        assert!(run.now - fired_at <= Millis(2500), "it should have burst");
        run.hold_all(&[(a, still()), (b, still())], 50);
        let state = run.state(grenade);
        bounced |= state.event & !shared::EV_EVENT_BITS == event::GRENADE_BOUNCE;
        assert!(run.game.entities().get(grenade).link.origin.z > -1.0, "it fell through the floor");
    }
    assert!(bounced);
    assert_eq!(run.now - fired_at, Millis(2500));
    // Its burst points up.
    assert_eq!(run.state(grenade).event_parm, 5);
}

#[test]
fn a_rocket_at_ones_feet_costs_half_and_lifts() {
    let far = vec3(-200.0, 600.0, 26.0);
    let jump = |suit: bool| {
        let (mut run, a, b) = range(|map| map, far, weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher");
        if suit {
            run.command(a, "give item_enviro");
        }
        run.hold_all(&[(a, attack_below(weapon::ROCKET_LAUNCHER, 87.0)), (b, still())], 50);
        let mut fastest = 0.0_f32;
        for _ in 0..4 {
            run.hold_all(&[(a, still()), (b, still())], 50);
            fastest = fastest.max(run.player(a).velocity.z);
        }
        (health(&run.player(a)), fastest)
    };
    let (left, speed) = jump(false);
    assert_eq!(left, 50);
    assert!(speed > 300.0, "{speed}");
    // A battle suit keeps the blast off, but not its push.
    let (left, speed) = jump(true);
    assert_eq!(left, 100);
    assert!(speed > 300.0, "{speed}");
}

#[test]
fn quad_damage_is_for_missiles_too() {
    let (mut run, a, b) = range(|map| map, vec3(100.0, 0.0, 26.0), weapon::PLASMAGUN, "weapon_plasmagun");
    run.command(a, "give item_quad");
    run.hold_all(&[(a, attack(weapon::PLASMAGUN)), (b, still())], 50);
    run.hold_all(&[(a, holding(weapon::PLASMAGUN)), (b, still())], 300);
    assert_eq!(health(&run.player(b)), 40);
}
