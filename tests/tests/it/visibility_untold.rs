//! What else could tell of a player out of sight, of what the table in `server/docs/leaks.md` names: glows, loop sounds, blasts, mines
//! and scores.

use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{entity_type, event, powerup};
use fogline_common::proto::{EntityState, sv_flag};
use fogline_common::time::Millis;
use fogline_server::config::Config;
use fogline_server::game::SharedEntity;
use fogline_tests::game_scene::{duel, still};
use fogline_tests::stage::Stage;
use fogline_tests::tiny_map::{CEILING, ROOM, TinyMap};

const FLOOR: f32 = 24.0;
/// Behind the wall; at its end, where what is lit up beside it shows; and in sight.
const DEEP: Vec3 = vec3(60.0, -220.0, FLOOR);
const AT_THE_END: Vec3 = vec3(60.0, -10.0, FLOOR);
const IN_SIGHT: Vec3 = vec3(300.0, 700.0, FLOOR);

/// A viewer before a wall, and somebody at a place, with these powerups and this loop sound.
fn scene(at: Vec3, powerups: &[i32], loop_sound: i32) -> (Stage, ClientNum, ClientNum) {
    let wall = Bounds::new(vec3(-16.0, -ROOM, 0.0), vec3(16.0, 0.0, CEILING));
    let mut stage = Stage::new(TinyMap::room("").one_area().solid(wall).build());
    let viewer = stage.player(vec3(-300.0, -500.0, FLOOR));
    let target = stage.player(at);
    let entity = stage.entity(target.index());
    entity.state.powerups = powerups.iter().map(|&number| 1 << number).sum();
    entity.state.loop_sound = loop_sound;
    stage.place(target, at);
    (stage, viewer, target)
}

/// All that the viewer is told of a frame later.
fn told(stage: &mut Stage, viewer: ClientNum) -> Vec<EntityState> {
    stage.step(Millis(50));
    stage.freeze();
    stage.build(viewer);
    stage.told().copied().collect()
}

fn has(told: &[EntityState], player: ClientNum) -> bool {
    told.iter().any(|state| state.num() == Some(player.entity()))
}

#[test]
fn a_glow_tells_of_a_player_where_it_shows_and_nowhere_else() {
    for glow in [powerup::QUAD, powerup::REDFLAG, powerup::BLUEFLAG, powerup::NEUTRALFLAG] {
        let is_told = |at: Vec3, powerups: &[i32]| {
            let (mut stage, viewer, target) = scene(at, powerups, 0);
            has(&told(&mut stage, viewer), target)
        };
        assert!(!is_told(AT_THE_END, &[]), "the wall hides all of it");
        assert!(is_told(AT_THE_END, &[glow]), "powerup {glow} lights up what is beside the wall");
        assert!(!is_told(DEEP, &[glow]), "the light of powerup {glow} does not reach so far");
    }
}

#[test]
fn a_loop_sound_is_told_with_its_player_and_without_it_nothing() {
    const BURNS: i32 = 77;
    let heard = |at: Vec3| {
        let (mut stage, viewer, _) = scene(at, &[], BURNS);
        told(&mut stage, viewer).iter().any(|state| state.loop_sound == BURNS || state.event_parm == BURNS)
    };
    assert!(heard(IN_SIGHT));
    assert!(!heard(DEEP));
}

#[test]
fn a_kamikaze_is_told_where_it_goes_off_and_what_all_hear_of_it_has_no_place() {
    let (mut stage, viewer, target) = scene(DEEP, &[], 0);
    assert!(!has(&told(&mut stage, viewer), target));
    for (number, kind) in [(100, event::KAMIKAZE), (101, event::GLOBAL_TEAM_SOUND)] {
        let entity = stage.entity(number);
        *entity = SharedEntity::default();
        entity.state.entity_type = entity_type::EVENTS + kind;
        entity.state.pos.base = DEEP;
        entity.link.origin = DEEP;
        entity.link.sv_flags = if kind == event::GLOBAL_TEAM_SOUND { sv_flag::BROADCAST } else { 0 };
        stage.link(number);
    }
    let told = told(&mut stage, viewer);
    let places = |kind: i32| -> Vec<Vec3> {
        let those = told.iter().filter(|state| state.entity_type == entity_type::EVENTS + kind);
        those.map(|state| state.pos.base).collect()
    };
    assert!(!has(&told, target));
    assert_eq!(places(event::KAMIKAZE), [DEEP], "it kills whoever set it off, and reaches 1320 units");
    assert_eq!(places(event::GLOBAL_TEAM_SOUND), [Vec3::ZERO]);
}

#[test]
fn a_burst_on_a_hidden_player_is_told_to_who_sees_or_hears_it() {
    // Mines that ride on somebody belong to their carrier: `a_mine_that_hits_somebody_rides_on_it`.
    let is_told = |ear: Vec3, hears: bool| {
        let (mut stage, viewer, target) = scene(DEEP, &[], 0);
        if !hears {
            stage.rules.hearing = fogline_server::visibility::Hearing::Nothing;
        }
        stage.place(viewer, ear);
        let entity = stage.entity(100);
        *entity = SharedEntity::default();
        entity.state.entity_type = entity_type::GENERAL;
        entity.state.event = event::MISSILE_MISS;
        entity.state.pos.base = DEEP;
        entity.link.origin = DEEP;
        entity.link.owner = target.index() as i32;
        stage.link(100);
        let told = told(&mut stage, viewer);
        assert!(!has(&told, target));
        told.iter().any(|state| state.event == event::MISSILE_MISS)
    };
    let beside_the_wall = vec3(-300.0, -500.0, FLOOR);
    assert!(is_told(beside_the_wall, true), "it is heard");
    assert!(!is_told(beside_the_wall, false), "it is neither seen nor heard");
}

#[test]
fn scores_tell_no_place() {
    let asked = |place: &str| {
        let (mut run, a, b) = duel(Config::default());
        run.hold_all(&[(a, still()), (b, still())], 500);
        run.command(b, place);
        run.hold_all(&[(a, still()), (b, still())], 1500);
        run.host.sent.clear();
        run.command(a, "score");
        let of_scores = run.host.sent.iter().filter(|(_, line)| line.starts_with("scores "));
        of_scores.map(|(_, line)| line.clone()).collect::<Vec<_>>()
    };
    let here = asked("setviewpos -700 -700 30 0");
    assert_eq!(here.len(), 1);
    assert_eq!(here, asked("setviewpos 600 500 30 90"));
}
