//! Mode 3 in small scenes: what is proved hidden, what is told because it is not, and for how long.

use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::time::Millis;
use fogline_server::config::Config;
use fogline_server::visibility::twoclock::clock::Line;
use fogline_server::visibility::{Cause, Rules};
use fogline_tests::stage::Stage;
use fogline_tests::tiny_map::{CEILING, TinyMap};
use std::sync::Arc;

/// 60 ms there and back, 20 snapshots a second.
const USUAL: Line = Line {
    age: Millis(115),
    quickest: Millis(115),
    spacing: Millis(8),
    period: Millis(50),
    jitter: Millis(0),
};
const FRAME: Millis = Millis(50);

/// A wall across the middle up to y = 0.
fn walled() -> Arc<ClipMap> {
    let wall = Bounds::new(vec3(-16.0, -1024.0, 0.0), vec3(16.0, 0.0, CEILING));
    TinyMap::room("").one_area().solid(wall).build()
}

fn at(x: f32, y: f32) -> Vec3 {
    vec3(x, y, 24.125)
}

fn stage(change: impl FnOnce(&mut Config)) -> Stage {
    let mut config = Config { sv_netoptimize: 3, ..Config::default() };
    change(&mut config);
    let mut stage = Stage::new(walled());
    stage.rules = Rules::new(&config, 0, 20);
    stage
}

fn player(stage: &mut Stage, place: Vec3, velocity: Vec3) -> ClientNum {
    let player = stage.player(place);
    *stage.line(player) = USUAL;
    let state = stage.state(player);
    (state.speed, state.gravity, state.velocity) = (320, 800, velocity);
    player
}

/// What the first player finds of the second.
fn found(
    viewer: (Vec3, Vec3),
    target: (Vec3, Vec3),
    change: impl FnOnce(&mut Stage, [ClientNum; 2]),
) -> Cause {
    let mut stage = stage(|_| ());
    let a = player(&mut stage, viewer.0, viewer.1);
    let b = player(&mut stage, target.0, target.1);
    change(&mut stage, [a, b]);
    stage.look(a, b)
}

const STILL: Vec3 = Vec3::ZERO;

#[test]
fn whoever_cannot_be_seen_whatever_both_do_is_withheld() {
    let hidden = |viewer, target| found(viewer, target, |_, _| ());
    assert_eq!(hidden((at(-200.0, -400.0), STILL), (at(200.0, -400.0), STILL)), Cause::OutOfSight);
    assert_eq!(hidden((at(-200.0, 400.0), STILL), (at(200.0, 400.0), STILL)), Cause::InSight);
    // Hidden now, but two steps to the side are enough.
    assert_ne!(hidden((at(-30.0, -30.0), STILL), (at(200.0, -300.0), STILL)), Cause::OutOfSight);
}

#[test]
fn one_who_runs_away_from_the_corner_has_to_stop_first() {
    let from = at(-60.0, -20.0);
    let to = (at(120.0, -60.0), STILL);
    let run = |y: f32| found((from, vec3(0.0, y, 0.0)), to, |_, _| ());
    assert_ne!(run(320.0), Cause::OutOfSight);
    assert_eq!(run(-320.0), Cause::OutOfSight);
}

#[test]
fn the_longer_the_line_the_more_is_told() {
    let ask = |age: i32| {
        found((at(-60.0, -110.0), STILL), (at(120.0, -200.0), STILL), |stage, [viewer, _]| {
            stage.line(viewer).age = Millis(age);
        })
    };
    assert_eq!(ask(10), Cause::OutOfSight);
    assert_ne!(ask(350), Cause::OutOfSight);
}

#[test]
fn doors_hide_nothing_since_they_may_open() {
    let slab = Bounds::new(vec3(-16.0, 0.0, 0.0), vec3(16.0, 1024.0, CEILING));
    let wall = Bounds::new(vec3(-16.0, -1024.0, 0.0), vec3(16.0, 0.0, CEILING));
    let map = TinyMap::room("").one_area().solid(wall).model(slab).build();
    for (mode, expected) in [(2, Cause::OutOfSight), (3, Cause::Unproved)] {
        let mut stage = Stage::new(map.clone());
        stage.rules = Rules::new(&Config { sv_netoptimize: mode, ..Config::default() }, 0, 20);
        let a = player(&mut stage, at(-300.0, 400.0), STILL);
        let b = player(&mut stage, at(300.0, 400.0), STILL);
        stage.model(100, 1, Vec3::ZERO);
        let cause = stage.look(a, b);
        assert_eq!(cause == Cause::OutOfSight, expected == Cause::OutOfSight, "mode {mode}: {cause:?}");
    }
}

#[test]
fn without_time_for_proofs_all_are_told_of() {
    let mut stage = stage(|config| config.sv_netoptimize_budget = 0);
    let a = player(&mut stage, at(-200.0, -400.0), STILL);
    let b = player(&mut stage, at(200.0, -400.0), STILL);
    assert_eq!(stage.look(a, b), Cause::OverBudget);
}

#[test]
fn a_telling_lasts_one_snapshot_longer_than_its_need() {
    let mut stage = stage(|_| ());
    let a = player(&mut stage, at(-200.0, 400.0), STILL);
    let b = player(&mut stage, at(200.0, 400.0), STILL);
    assert_eq!(stage.look(a, b), Cause::InSight);
    stage.place(a, at(-200.0, -400.0));
    stage.place(b, at(200.0, -400.0));
    stage.now += FRAME;
    assert_eq!(stage.look(a, b), Cause::Held);
    stage.now += FRAME;
    assert_eq!(stage.look(a, b), Cause::OutOfSight);
}

#[test]
fn most_looks_are_settled_by_what_is_known() {
    let mut stage = stage(|_| ());
    let a = player(&mut stage, at(-200.0, -400.0), STILL);
    let b = player(&mut stage, at(200.0, -400.0), STILL);
    assert_eq!(stage.look(a, b), Cause::OutOfSight);
    let rays = stage.work.rays.get();
    for _ in 0..20 {
        stage.now += FRAME;
        assert_eq!(stage.look(a, b), Cause::OutOfSight);
    }
    assert_eq!(stage.work.rays.get(), rays);
    assert_eq!(stage.work.pairs_without_ray.get(), 20);
}

#[test]
fn what_is_found_of_two_serves_both_ways_of_looking() {
    for (y, expected) in [(-400.0, Cause::OutOfSight), (400.0, Cause::InSight)] {
        let mut stage = stage(|_| ());
        let a = player(&mut stage, at(-200.0, y), STILL);
        let b = player(&mut stage, at(200.0, y), STILL);
        assert_eq!(stage.look(a, b), expected);
        let work = |stage: &Stage| (stage.work.searches.get(), stage.work.rays.get());
        let first = work(&stage);
        assert!(first.1 > 0);
        assert_eq!(stage.look(b, a), expected);
        assert_eq!(work(&stage), first, "{expected:?} was looked for twice");
    }
}

#[test]
fn who_is_in_sight_is_looked_for_again_after_a_while() {
    let mut stage = stage(|_| ());
    let a = player(&mut stage, at(-200.0, 400.0), STILL);
    let b = player(&mut stage, at(200.0, 400.0), STILL);
    let mut rays = Vec::new();
    for _ in 0..5 {
        assert_eq!(stage.look(a, b), Cause::InSight);
        rays.push(stage.work.rays.get());
        stage.now += Millis(25);
    }
    assert_eq!(rays, [1, 1, 2, 2, 3]);
}

#[test]
fn the_dead_look_from_around_themselves_and_spectators_see_all() {
    let corner = (at(-30.0, -100.0), STILL);
    let target = (at(200.0, -330.0), STILL);
    let dead = |stage: &mut Stage, [viewer, _]: [ClientNum; 2]| {
        stage.state(viewer).view_height = -16;
        *stage.line(viewer) = Line { age: Millis(0), quickest: Millis(0), ..USUAL };
    };
    let alive = |stage: &mut Stage, [viewer, _]: [ClientNum; 2]| {
        *stage.line(viewer) = Line { age: Millis(0), quickest: Millis(0), ..USUAL };
    };
    assert_eq!(found(corner, target, alive), Cause::OutOfSight);
    assert_ne!(found((at(-30.0, -60.0), STILL), target, dead), Cause::OutOfSight);
}
