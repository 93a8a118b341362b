//! The fixtures F1 to F14 of the visibility filter, each in both profiles: what the reference does, and what was meant.
//!
//! The table is `server/docs/visibility.md`. Scenes are those of the facts page, section 11, brought to Quake III's sizes: eyes
//! 50 above the floor. W is a wall across the middle: x -16..16, y -1024..0.

use fogline_common::collision::ClipMap;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{entity_type, event, pers, shared, trajectory};
use fogline_common::pmove::player_state_to_entity_state;
use fogline_common::proto::{EntityState, PlayerState, contents, sv_flag};
use fogline_common::time::Millis;
use fogline_server::config::Config;
use fogline_server::visibility::far::{effective, stored};
use fogline_server::visibility::{Cause, Hearing, Rules};
use fogline_tests::stage::Stage;
use fogline_tests::tiny_map::{CEILING, TinyMap};
use std::sync::Arc;

const FLOOR: f32 = 24.0;
const FRAME: Millis = Millis(50);

fn at(x: f32, y: f32) -> Vec3 {
    vec3(x, y, FLOOR)
}

fn block(from: [f32; 3], to: [f32; 3]) -> Bounds {
    Bounds::new(from.into(), to.into())
}

fn room(boxes: &[Bounds]) -> Arc<ClipMap> {
    boxes.iter().fold(TinyMap::room("").one_area(), |map, bounds| map.solid(*bounds)).build()
}

/// The room with W.
fn walled() -> Arc<ClipMap> {
    room(&[block([-16.0, -1024.0, 0.0], [16.0, 0.0, CEILING])])
}

fn rules(compat: bool, change: impl FnOnce(&mut Config)) -> Rules {
    let mut config = Config { sv_netoptimize: 2, sv_netoptimize_compat: compat, ..Config::default() };
    change(&mut config);
    Rules::new(&config, 0, 20)
}

fn stage(map: &Arc<ClipMap>, compat: bool) -> Stage {
    let mut stage = Stage::new(map.clone());
    stage.rules = rules(compat, |_| {});
    stage
}

/// A scene of two players in both profiles: what compat finds, what default finds.
fn both(map: &Arc<ClipMap>, viewer: Vec3, target: Vec3, change: impl Fn(&mut Stage)) -> [Cause; 2] {
    [true, false].map(|compat| {
        let mut stage = stage(map, compat);
        let (a, b) = (stage.player(viewer), stage.player(target));
        change(&mut stage);
        stage.look(a, b)
    })
}

#[test]
fn f01_a_portal_is_looked_through_from_its_far_end() {
    let found = both(&walled(), at(-300.0, -500.0), at(300.0, -500.0), |stage| {
        let portal = stage.entity(100);
        portal.link.sv_flags = sv_flag::PORTAL;
        portal.link.origin = at(-200.0, -500.0);
        portal.link.bounds = Bounds::POINT.grown(8.0);
        portal.state.entity_type = entity_type::PORTAL;
        portal.state.origin = at(-200.0, -500.0);
        portal.state.origin2 = vec3(300.0, -200.0, 100.0);
        stage.link(100);
    });
    assert_eq!(found, [Cause::OutOfSight, Cause::InSight]);
}

#[test]
fn f02_there_is_no_lean_in_this_protocol() {
    for roll in [0.0, 40.0, -40.0] {
        let found = both(&walled(), at(-100.0, -60.0), at(600.0, -200.0), |stage| {
            let viewer = fogline_common::ids::ClientNum::new(0).unwrap();
            stage.state(viewer).view_angles = vec3(0.0, 0.0, roll);
        });
        assert_eq!(found, [Cause::OutOfSight; 2], "roll {roll}");
    }
}

#[test]
fn f03_what_is_seen_does_not_depend_on_where_one_looks() {
    // A beam that hides the eyes and not what is below them.
    let map = room(&[block([560.0, -1024.0, 45.0], [580.0, 1024.0, CEILING])]);
    let look = |yaw: f32| {
        both(&map, at(0.0, 0.0), at(600.0, 0.0), |stage| {
            let viewer = fogline_common::ids::ClientNum::new(0).unwrap();
            stage.state(viewer).view_angles = vec3(0.0, yaw, 0.0);
        })
    };
    assert_eq!(look(0.0), [Cause::InSight, Cause::InSight]);
    assert_eq!(look(180.0), [Cause::OutOfSight, Cause::InSight]);
}

/// The frame in which the target is first told of.
fn first_frame(map: &Arc<ClipMap>, compat: bool, viewer: (Vec3, Vec3), target: (Vec3, Vec3)) -> i32 {
    let mut stage = stage(map, compat);
    let (a, b) = (stage.player(viewer.0), stage.player(target.0));
    stage.state(a).velocity = viewer.1;
    stage.state(b).velocity = target.1;
    for frame in 0..40 {
        if stage.look(a, b) != Cause::OutOfSight {
            return frame;
        }
        stage.step(FRAME);
    }
    panic!("never told of");
}

#[test]
fn f04_who_stands_still_is_looked_for_ahead_of_a_runner_too() {
    // The line between the eyes opens after 431 ms.
    let (viewer, target) = ((at(-400.0, -200.0), vec3(0.0, 250.0, 0.0)), at(400.0, 100.0));
    assert_eq!(first_frame(&walled(), true, viewer, (target, Vec3::ZERO)), 9);
    assert_eq!(first_frame(&walled(), true, viewer, (target, vec3(0.0, 0.001, 0.0))), 6);
    let meant = first_frame(&walled(), false, viewer, (target, Vec3::ZERO));
    assert!(meant <= 6, "only in frame {meant}");
}

#[test]
fn f05_any_part_of_the_body_counts() {
    let seen = [Cause::OutOfSight, Cause::InSight];
    // Legs under a gate.
    let gate = room(&[block([280.0, -1024.0, 30.0], [290.0, 1024.0, CEILING])]);
    assert_eq!(both(&gate, at(0.0, 0.0), at(310.0, 0.0), |_| {}), seen);
    // A shoulder beside the edge of the wall.
    assert_eq!(both(&walled(), at(-400.0, 4.0), at(400.0, -10.0), |_| {}), seen);
    // The head over a ledge.
    let ledge = room(&[block([280.0, -1024.0, 0.0], [290.0, 1024.0, 52.0])]);
    assert_eq!(both(&ledge, at(0.0, 0.0), at(310.0, 0.0), |_| {}), seen);
    // The tip of a weapon beside the edge.
    let found = both(&walled(), at(-400.0, 4.0), at(40.0, -40.0), |stage| {
        let target = fogline_common::ids::ClientNum::new(1).unwrap();
        stage.state(target).view_angles = vec3(0.0, 90.0, 0.0);
        stage.entity(1).state.weapon = 2;
    });
    assert_eq!(found, seen);
    // Crouched behind the ledge: hidden, rightly.
    let found = both(&ledge, at(0.0, 0.0), at(310.0, 0.0), |stage| {
        stage.entity(1).link.bounds.maxs.z = 16.0;
        stage.link(1);
        let target = fogline_common::ids::ClientNum::new(1).unwrap();
        stage.state(target).view_height = 12;
    });
    assert_eq!(found, [Cause::OutOfSight; 2]);
}

#[test]
fn f05_what_light_passes_hides_nothing() {
    let wall = block([280.0, -1024.0, 0.0], [290.0, 1024.0, CEILING]);
    for (made_of, expected) in [
        (contents::SOLID, [Cause::OutOfSight; 2]),
        (contents::SOLID | contents::TRANSLUCENT, [Cause::OutOfSight, Cause::InSight]),
        (contents::LAVA, [Cause::OutOfSight, Cause::InSight]),
        (contents::SLIME, [Cause::OutOfSight, Cause::InSight]),
        (contents::WATER, [Cause::InSight; 2]),
        (contents::PLAYERCLIP, [Cause::InSight; 2]),
        (contents::FOG, [Cause::InSight; 2]),
    ] {
        let map = TinyMap::room("").one_area().matter(wall, made_of).build();
        assert_eq!(both(&map, at(0.0, 0.0), at(400.0, 0.0), |_| {}), expected, "{made_of:#x}");
    }
}

/// Frames in which the target is told of while it stands in sight for the first `seen` of them and is put out of sight then.
fn told_frames(compat: bool, seen: i32) -> Vec<i32> {
    let mut stage = stage(&walled(), compat);
    let (a, b) = (stage.player(at(-400.0, 200.0)), stage.player(at(400.0, 200.0)));
    let mut told = Vec::new();
    for frame in 0..14 {
        if frame == seen {
            stage.place(b, at(400.0, -500.0));
        }
        if stage.look(a, b) != Cause::OutOfSight {
            told.push(frame);
        }
        stage.step(FRAME);
    }
    told
}

#[test]
fn f06_a_linger_begins_when_sight_is_lost() {
    // Compat: three more frames after the success, whatever happens in them.
    assert_eq!(told_frames(true, 1), [0, 1, 2, 3]);
    assert_eq!(told_frames(true, 4), [0, 1, 2, 3]);
    assert_eq!(told_frames(true, 5), [0, 1, 2, 3, 4, 5, 6, 7]);
    // Default: 200 ms after the last success.
    assert_eq!(told_frames(false, 1), [0, 1, 2, 3]);
    assert_eq!(told_frames(false, 4), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(told_frames(false, 5), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn f06_another_life_is_not_lingered_on() {
    for (compat, expected) in [(true, Cause::Held), (false, Cause::OutOfSight)] {
        let mut stage = stage(&walled(), compat);
        let (a, b) = (stage.player(at(-400.0, 200.0)), stage.player(at(400.0, 200.0)));
        assert_eq!(stage.look(a, b), Cause::InSight);
        stage.step(FRAME);
        // It dies and is born elsewhere.
        stage.place(b, at(400.0, -500.0));
        stage.state(b).persistant[pers::SPAWN_COUNT as usize] += 1;
        assert_eq!(stage.look(a, b), expected);
    }
}

#[test]
fn f07_a_far_plane_is_as_far_as_it_says() {
    assert_eq!(effective(stored(4000)), 12_000.0);
    for (compat, expected) in [(true, Cause::InSight), (false, Cause::TooFar)] {
        let mut stage = stage(&room(&[]), compat);
        stage.rules = rules(compat, |config| config.sv_farplane = 100);
        let (a, b) = (stage.player(at(-300.0, 0.0)), stage.player(at(300.0, 0.0)));
        assert_eq!(stage.look(a, b), expected);
        stage.place(b, at(-100.0, 0.0));
        assert_ne!(stage.look(a, b), Cause::TooFar);
    }
}

#[test]
fn f08_clients_are_told_positions_of_the_frame_and_nothing_to_guess_from() {
    let mut player = PlayerState { velocity: vec3(250.0, 0.0, 0.0), ..PlayerState::default() };
    let mut state = EntityState::default();
    player_state_to_entity_state(&mut player, &mut state);
    assert_eq!(state.pos.kind, trajectory::INTERPOLATE);
}

/// A hidden player steps at a place; what the viewer is told of it.
fn heard(hearing: Hearing, place: Vec3) -> Vec<Vec3> {
    let mut stage = stage(&walled(), false);
    stage.rules.hearing = hearing;
    let (a, b) = (stage.player(at(-100.0, -500.0)), stage.player(place));
    assert_eq!(stage.look(a, b), Cause::OutOfSight);
    stage.step(FRAME);
    stage.entity(b.index()).state.event = event::FOOTSTEP | shared::EV_EVENT_BIT1;
    assert_eq!(stage.look(a, b), Cause::OutOfSight);
    let steps = stage.told().filter(|s| s.entity_type == entity_type::EVENTS + event::FOOTSTEP);
    steps.map(|state| state.pos.base).collect()
}

#[test]
fn f09_the_hidden_are_heard_from_about_where_they_are() {
    let place = at(100.0, -500.0);
    assert_eq!(heard(Hearing::Nothing, place), []);
    assert_eq!(heard(Hearing::Exact, place), [place]);
    assert_eq!(heard(Hearing::Rounded(128.0), place), [vec3(92.0, -438.0, 66.0)]);
    // Beyond hearing.
    assert_eq!(heard(Hearing::Exact, at(1000.0, 600.0)), []);
}

#[test]
fn f09_a_frame_without_a_snapshot_loses_no_sound() {
    let mut stage = stage(&walled(), false);
    let (a, b) = (stage.player(at(-100.0, -500.0)), stage.player(at(100.0, -500.0)));
    stage.freeze();
    stage.build(a);
    stage.step(FRAME);
    stage.entity(b.index()).state.event = event::FOOTSTEP | shared::EV_EVENT_BIT1;
    stage.freeze();
    // This frame is not sent to the client.
    stage.step(FRAME);
    stage.freeze();
    stage.build(a);
    let steps = stage.told().filter(|s| s.entity_type == entity_type::EVENTS + event::FOOTSTEP);
    assert_eq!(steps.count(), 1);
}

#[test]
fn f10_the_look_ahead_follows_the_frame_rate() {
    let horizon = |compat| {
        let config =
            Config { sv_netoptimize: 2, sv_fps: 40, sv_netoptimize_compat: compat, ..Config::default() };
        Rules::new(&config, 0, 20).horizon
    };
    assert!((horizon(true) - 0.150).abs() < 1e-6);
    assert!((horizon(false) - 0.075).abs() < 1e-6);
}

#[test]
fn f10_nobody_is_looked_for_from_inside_a_wall() {
    // The viewer runs into W; 150 ms on, it would be through.
    let found = both(&walled(), at(-48.0, -300.0), at(900.0, -300.0), |stage| {
        let [viewer, target] = [0, 1].map(|n| fogline_common::ids::ClientNum::new(n).unwrap());
        stage.state(viewer).velocity = vec3(450.0, 0.0, 0.0);
        stage.state(target).velocity = vec3(0.0, 10.0, 0.0);
    });
    assert_eq!(found, [Cause::Ahead, Cause::OutOfSight]);
}

#[test]
fn f13_who_moves_is_told_by_its_true_velocity() {
    let mode_one = |compat: bool| {
        let mut stage = stage(&walled(), compat);
        stage.rules = rules(compat, |config| config.sv_netoptimize = 1);
        let (a, b) = (stage.player(at(-450.0, -500.0)), stage.player(at(450.0, -500.0)));
        // Clients are told no velocity, so the reference takes it for standing, and what stands for near.
        stage.state(b).velocity = vec3(300.0, 0.0, 0.0);
        stage.look(a, b)
    };
    assert_eq!([mode_one(true), mode_one(false)], [Cause::Near, Cause::OutOfSight]);
}

#[test]
fn doors_hide_at_rest_and_reveal_before_they_open() {
    let door = block([-16.0, -1024.0, 0.0], [16.0, 1024.0, CEILING]);
    let map = TinyMap::room("").one_area().model(door).build();
    let mut stage = stage(&map, false);
    let (a, b) = (stage.player(at(-300.0, 0.0)), stage.player(at(300.0, 0.0)));
    stage.model(100, 1, Vec3::ZERO);
    assert_eq!(stage.look(a, b), Cause::OutOfSight);
    // It begins to open, and no gap is there yet.
    stage.entity(100).state.pos.kind = trajectory::LINEAR_STOP;
    stage.link(100);
    assert_eq!(stage.look(a, b), Cause::InSight);
    // It rests open.
    stage.model(100, 1, vec3(0.0, 0.0, CEILING));
    assert_eq!(stage.look(a, b), Cause::InSight);
}

#[test]
fn both_see_each_other_or_neither_does() {
    let mut rng = fastrand::Rng::with_seed(11);
    let pillar = block([-60.0, -60.0, 0.0], [60.0, 60.0, 300.0]);
    let map = room(&[block([-16.0, -1024.0, 0.0], [16.0, -200.0, CEILING]), pillar]);
    let mut stage = stage(&map, false);
    let (a, b) = (stage.player(at(-300.0, 0.0)), stage.player(at(300.0, 0.0)));
    let mut counts = [0; 2];
    for round in 0..400 {
        // Another life each round, so that nothing lingers.
        for player in [a, b] {
            let mut place = || rng.f32() * 1900.0 - 950.0;
            stage.place(player, at(place(), place()));
            stage.state(player).persistant[pers::SPAWN_COUNT as usize] = round;
        }
        let (forth, back) = (stage.look(a, b), stage.look(b, a));
        // Eye to body and body to eye are not the same lines: only a sliver may differ.
        counts[usize::from(forth == back)] += 1;
    }
    assert!(counts[0] * 20 < counts[1], "seed 11: {counts:?}");
}

#[test]
fn a_spectator_sees_all_and_a_follower_what_the_followed_does() {
    let mut stage = stage(&walled(), false);
    let (a, b) = (stage.player(at(-400.0, -500.0)), stage.player(at(400.0, -500.0)));
    assert_eq!(stage.look(a, b), Cause::OutOfSight);
    let fly = stage.player(at(-400.0, -500.0));
    stage.state(fly).pm_type = fogline_common::openarena::pm_type::SPECTATOR;
    assert_eq!(stage.look(fly, b), Cause::Entitled);
    // It follows a.
    let followed = *stage.state(a);
    *stage.state(fly) = followed;
    assert_eq!(stage.look(fly, b), Cause::OutOfSight);
    assert!(stage.told().all(|state| state.number != a.index() as i32));
}

#[test]
fn everybody_sees_all_at_an_intermission() {
    use fogline_common::openarena::pm_type;
    for over in [pm_type::INTERMISSION, pm_type::SPINTERMISSION] {
        let mut stage = stage(&walled(), false);
        let (a, b) = (stage.player(at(-400.0, -500.0)), stage.player(at(400.0, -500.0)));
        assert_eq!(stage.look(a, b), Cause::OutOfSight);
        stage.state(a).pm_type = over;
        assert_eq!(stage.look(a, b), Cause::Entitled);
        // It is no right of the other's.
        assert_eq!(stage.look(b, a), Cause::OutOfSight);
    }
}

#[test]
fn the_veto_of_the_game_turns_the_filter_off() {
    for (veto, expected) in [(false, Cause::OutOfSight), (true, Cause::InView)] {
        let mut stage = stage(&walled(), false);
        stage.rules = rules(false, |config| config.g_netoptimize = !veto);
        let (a, b) = (stage.player(at(-400.0, -500.0)), stage.player(at(400.0, -500.0)));
        assert_eq!(stage.look(a, b), expected);
    }
}

#[test]
fn team_mates_know_of_one_another_if_the_host_says_so() {
    use fogline_common::openarena::team;
    for (setting, teams, expected) in [
        (true, [team::RED, team::RED], Cause::Entitled),
        (true, [team::RED, team::BLUE], Cause::OutOfSight),
        (true, [team::FREE, team::FREE], Cause::OutOfSight),
        (false, [team::RED, team::RED], Cause::OutOfSight),
    ] {
        let mut stage = stage(&walled(), false);
        stage.rules.teammates = setting;
        let (a, b) = (stage.player(at(-400.0, -500.0)), stage.player(at(400.0, -500.0)));
        for (player, team) in [a, b].into_iter().zip(teams) {
            stage.state(player).persistant[pers::TEAM as usize] = team;
        }
        assert_eq!(stage.look(a, b), expected, "{setting} {teams:?}");
    }
}
