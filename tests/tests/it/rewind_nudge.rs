//! `g_projectileNudge`: missiles begin where they would be if they had been thrown when their shooter saw it, and skip nothing.
//!
//! A million of them: `cargo test --release -p fogline-tests --test it rewind_nudge -- --ignored --nocapture`

use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, angle_to_short, vec3};
use fogline_common::openarena::{entity_type, event, shared, trajectory, weapon};
use fogline_common::proto::UserCmd;
use fogline_common::proto::limits::MAX_ENTITIES;
use fogline_common::time::{Millis, ServerTime};
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{OTHER, attack, health, still, with};
use fogline_tests::standoff::{Standoff, room};
use fogline_tests::tiny_map::TinyMap;

/// Weapons that throw, what to give for them, and whether what they throw flies straight.
const THROWERS: [(i32, &str); 6] = [
    (weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher"),
    (weapon::GRENADE_LAUNCHER, "weapon_grenadelauncher"),
    (weapon::PLASMAGUN, "weapon_plasmagun"),
    (weapon::BFG, "weapon_bfg"),
    (weapon::NAILGUN, "weapon_nailgun"),
    (weapon::PROX_LAUNCHER, "weapon_prox_launcher"),
];

/// A shooter at the west that looks east, weapon raised, whose picture is this old; another player somewhere.
fn range(map: TinyMap, other: Vec3, weapon: i32, item: &str, delay: Millis) -> (Match, ClientNum, ClientNum) {
    let config = Config { g_projectilenudge: true, ..Config::default() };
    let mut run = Match::new(map.build(), config);
    run.host.config.sv_cheats = true;
    let a = run.join(0, "\\name\\Walker\\ip\\localhost\\cg_predictItems\\1");
    // Away from where the other begins.
    run.command(a, "setviewpos -200 0 26 0");
    let b = run.join(1, OTHER);
    for words in [&format!("give {item}"), "give ammo", "give health 100"] {
        run.command(a, words);
    }
    run.command(b, &format!("setviewpos {} {} {} 0", other.x, other.y, other.z));
    run.command(b, "give health 100");
    let hold = UserCmd { weapon: weapon as u8, ..UserCmd::default() };
    run.hold_all(&[(a, hold), (b, still())], 2000);
    run.host.delays.insert(a.index(), delay);
    (run, a, b)
}

fn open_room() -> TinyMap {
    TinyMap::room(&with(r#"{ "classname" "info_player_deathmatch" "origin" "-600 -600 26" }"#))
}

fn missiles(run: &Match) -> Vec<EntityNum> {
    run.find(|e| e.state.entity_type == entity_type::MISSILE)
}

/// Where something burst.
fn burst(run: &Match) -> Option<Vec3> {
    let is_end =
        |event: i32| matches!(event & !shared::EV_EVENT_BITS, event::MISSILE_HIT | event::MISSILE_MISS);
    let found = run.find(|e| e.state.entity_type == entity_type::GENERAL && is_end(e.state.event));
    Some(run.state(*found.first()?).pos.base)
}

const FAR: Vec3 = vec3(-600.0, 800.0, 26.0);

#[test]
fn a_missile_is_where_it_would_be_without_the_delay() {
    for (weapon, item) in THROWERS.into_iter().filter(|(weapon, _)| *weapon != weapon::NAILGUN) {
        for delay in [30, 120, 200] {
            // The same shot twice: in time, and late but nudged.
            let place = |late: i32| {
                let (mut run, a, b) = range(open_room(), FAR, weapon, item, Millis(late));
                let fired_at = run.now;
                run.hold_all(&[(a, attack(weapon)), (b, still())], 50);
                let missile = missiles(&run)[0];
                let state = run.state(missile);
                let entity = run.game.entities().get(missile);
                assert!(
                    entity.link.origin.distance(state.pos.at(run.now)) < 0.01,
                    "it is where it is told to be"
                );
                (run, fired_at, missile)
            };
            let (in_time, at, missile) = place(0);
            let (late, late_at, nudged) = place(delay);
            assert_eq!(at, late_at);
            for ahead in [50, 100, 250] {
                let honest = in_time.state(missile).pos.at(at + Millis(ahead + delay));
                let caught_up = late.state(nudged).pos.at(at + Millis(ahead));
                assert!(honest.distance(caught_up) <= 2.0, "{item}, {delay} ms: {honest:?} {caught_up:?}");
            }
        }
    }
}

#[test]
fn without_the_cvar_or_without_delay_nothing_is_nudged() {
    for (on, delay) in [(false, 200), (true, 0)] {
        let (mut run, a, b) =
            range(open_room(), FAR, weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher", Millis(delay));
        run.host.config.g_projectilenudge = on;
        let fired_at = run.now;
        run.hold_all(&[(a, attack(weapon::ROCKET_LAUNCHER)), (b, still())], 50);
        assert_eq!(run.state(missiles(&run)[0]).pos.time, fired_at.0 - 50);
    }
}

#[test]
fn a_nudged_grenade_bursts_as_much_earlier() {
    let (mut run, a, b) =
        range(open_room(), FAR, weapon::GRENADE_LAUNCHER, "weapon_grenadelauncher", Millis(200));
    let fired_at = run.now;
    run.hold_all(&[(a, attack(weapon::GRENADE_LAUNCHER)), (b, still())], 50);
    while burst(&run).is_none() {
        run.hold_all(&[(a, still()), (b, still())], 50);
        assert!(run.now - fired_at < Millis(3000), "it never bursts");
    }
    assert_eq!(run.now - fired_at, Millis(2500 - 200));
}

#[test]
fn a_nudged_missile_stops_at_the_wall_before_it() {
    let wall = Bounds::new(vec3(-100.0, -300.0, 0.0), vec3(-98.0, 300.0, 300.0));
    for (weapon, item) in
        [(weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher"), (weapon::PLASMAGUN, "weapon_plasmagun")]
    {
        // Behind the wall, where the missile would be by now.
        let (mut run, a, b) =
            range(open_room().solid(wall), vec3(-40.0, 0.0, 26.0), weapon, item, Millis(200));
        run.hold_all(&[(a, attack(weapon)), (b, still())], 50);
        let place = burst(&run).unwrap_or_else(|| panic!("{item} is past the wall"));
        assert_eq!(place.x, -101.0, "{item}");
        assert_eq!(health(&run.player(b)), 100, "{item}");
    }
}

#[test]
fn a_nudged_missile_hits_who_stands_on_its_way() {
    for (weapon, item) in [
        (weapon::ROCKET_LAUNCHER, "weapon_rocketlauncher"),
        (weapon::PLASMAGUN, "weapon_plasmagun"),
        (weapon::BFG, "weapon_bfg"),
    ] {
        let (mut run, a, b) = range(open_room(), vec3(-100.0, 0.0, 26.0), weapon, item, Millis(200));
        run.hold_all(&[(a, attack(weapon)), (b, still())], 50);
        assert!(health(&run.player(b)) < 100, "{item} went through");
        assert!(missiles(&run).is_empty(), "{item} flies on");
    }
}

#[test]
fn a_mine_that_is_nudged_into_a_wall_sticks_to_it_on_its_side() {
    let wall = Bounds::new(vec3(-100.0, -300.0, 0.0), vec3(-90.0, 300.0, 300.0));
    let (mut run, a, b) =
        range(open_room().solid(wall), FAR, weapon::PROX_LAUNCHER, "weapon_prox_launcher", Millis(200));
    run.hold_all(&[(a, attack(weapon::PROX_LAUNCHER)), (b, still())], 50);
    let mine = missiles(&run)[0];
    let place = run.state(mine).pos.base;
    assert!(place.x <= -100.0 && place.x > -110.0, "{place:?}");
}

/// Missiles of one match thrown ahead at a thin sheet somewhere, this way and that. How many were thrown, and how many burst at it.
///
/// # Panics
/// If one is past the sheet, or further along its way than it may be.
fn at_a_sheet(seed: u64, turns: u32) -> (u32, u32) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let x = rng.i32(-150..400) as f32;
    let sheet = Bounds::new(vec3(x, -1024.0, 0.0), vec3(x + 1.0, 1024.0, 1024.0));
    // Most of those that throw often.
    let (weapon, item) = THROWERS[[0, 1, 2, 2, 2, 2, 2, 3, 4, 4, 4][rng.usize(..11)]];
    let delay = Millis(rng.i32(1..1000));
    let (mut run, a, b) = range(open_room().solid(sheet), FAR, weapon, item, delay);
    // What bursts near it hurts its thrower.
    run.command(a, "god");
    let missiles_each = if weapon == weapon::NAILGUN { 15 } else { 1 };
    let before = run.player(a).ammo[weapon as usize];
    let mut burst_there = 0;
    for _ in 0..turns {
        let mut cmd = attack(weapon);
        cmd.angles[1] = angle_to_short(rng.f32() * 120.0 - 60.0);
        cmd.angles[0] = angle_to_short(rng.f32() * 40.0 - 30.0);
        for _ in 0..10 {
            let since = run.now;
            let mut known = [false; MAX_ENTITIES];
            missiles(&run).into_iter().for_each(|missile| known[missile.index()] = true);
            run.hold_all(&[(a, cmd), (b, still())], 50);
            for missile in missiles(&run) {
                let at = run.game.entities().get(missile).link.origin;
                let told = run.state(missile).pos;
                let case = format!("seed {seed}, sheet at {x}, {item}, {delay:?}");
                assert!(at.x <= x, "{case}: {at:?}");
                // One that has not bounced sets off where it was thrown, a frame before, and as much earlier as it is ahead.
                let is_fresh = !std::mem::replace(&mut known[missile.index()], true);
                let earliest = since - Millis(delay.0 + 50);
                let flies_straight = told.kind == trajectory::LINEAR;
                assert!(
                    !is_fresh || !flies_straight || told.time >= earliest.0,
                    "{case}: {told:?} at {since:?}"
                );
            }
            if let Some(place) = burst(&run) {
                assert!(place.x <= x, "seed {seed}: {place:?}");
                burst_there += u32::from(place.x > x - 2.0);
            }
        }
    }
    let thrown = before - run.player(a).ammo[weapon as usize];
    (thrown.unsigned_abs() * missiles_each, burst_there)
}

/// As many missiles as asked for.
fn at_sheets(seeds: std::ops::RangeFrom<u64>, count: u32, turns: u32) {
    let (mut thrown, mut burst_there, mut matches) = (0, 0, 0);
    for seed in seeds {
        let (more, burst) = at_a_sheet(seed, turns);
        (thrown, burst_there, matches) = (thrown + more, burst_there + burst, matches + 1);
        if thrown >= count {
            break;
        }
    }
    println!("{thrown} missiles in {matches} matches, {burst_there} frames with one that burst at the sheet");
    assert!(burst_there > count / 50, "{burst_there} of {thrown}");
}

#[test]
fn no_nudge_of_any_size_goes_through_a_sheet() {
    at_sheets(41.., 1000, 4);
}

#[test]
#[ignore = "minutes"]
fn no_nudge_of_a_million_goes_through_a_sheet() {
    at_sheets(1000.., 1_000_000, 40);
}

/// Through clients and server: how long before the frame the missile of a shooter with this line set off.
fn head_start(round_trip: i32, lines: &[&str]) -> i32 {
    let setup = lines.iter().fold(room("", |map| map), |setup, line| setup.with(line));
    let mut it = Standoff::new(42, Millis(round_trip), 2, &setup);
    it.place(&[(0, vec3(-800.0, -300.0, 26.0)), (1, vec3(-500.0, 500.0, 26.0))]);
    it.arm(0, weapon::ROCKET_LAUNCHER);
    it.pull(0, vec3(1000.0, -300.0, 40.0));
    let rocket = |sim: &fogline_tests::sim::Sim<fogline_server::server::Server>| {
        let snapshot = sim.bots[1].client.snapshots().newest()?;
        let found = snapshot.entities.iter().find(|state| state.entity_type == entity_type::MISSILE)?;
        Some((snapshot.time, found.pos.time))
    };
    let mut seen: Option<(ServerTime, i32)> = None;
    it.run_until("the rocket", |sim| {
        seen = rocket(sim);
        seen.is_some()
    });
    let (frame, set_off) = seen.expect("it was seen");
    // It was fired in the frame before the one that first shows it, 50 ms on its way.
    frame.0 - 50 - set_off - 50
}

#[test]
fn a_rocket_of_a_distant_client_is_nudged_by_what_that_client_drew() {
    assert_eq!(head_start(160, &[]), 0, "off by default");
    let on = ["set g_projectileNudge 1"];
    let near = head_start(20, &on);
    assert!((20..=90).contains(&near), "{near}");
    let far = head_start(120, &on);
    assert!((120..=200).contains(&far) && far > near, "{far}");
    // At most the cap.
    assert_eq!(head_start(400, &on), 200);
    assert_eq!(head_start(400, &["set g_projectileNudge 1", "set sv_maxunlag 80"]), 80);
}
