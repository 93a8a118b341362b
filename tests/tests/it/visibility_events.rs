//! Events that name nobody, from within a player out of sight: they are told neither when they begin nor later, wherever that player
//! has gone meanwhile; and what was heard once is not heard again when it comes into view.

use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{entity_flag, entity_type, event};
use fogline_common::time::Millis;
use fogline_server::game::SharedEntity;
use fogline_tests::stage::Stage;
use fogline_tests::tiny_map::{CEILING, ROOM, TinyMap};

const FLOOR: f32 = 24.0;
const FRAME: Millis = Millis(50);
/// Behind the wall, and beside it.
const HIDDEN: Vec3 = vec3(300.0, -500.0, FLOOR);
const IN_SIGHT: Vec3 = vec3(300.0, 700.0, FLOOR);

/// A viewer, and somebody whom a wall hides.
fn scene() -> (Stage, ClientNum, ClientNum) {
    let wall = Bounds::new(vec3(-16.0, -ROOM, 0.0), vec3(16.0, 0.0, CEILING));
    let mut stage = Stage::new(TinyMap::room("").one_area().solid(wall).build());
    let viewer = stage.player(vec3(-300.0, -500.0, FLOOR));
    let target = stage.player(HIDDEN);
    assert!(!sees(&mut stage, viewer, target));
    (stage, viewer, target)
}

/// Whether the target is told of in this frame.
fn sees(stage: &mut Stage, viewer: ClientNum, target: ClientNum) -> bool {
    stage.freeze();
    stage.build(viewer);
    stage.told().any(|state| state.num() == Some(target.entity()))
}

/// An event that lives alone begins at a place.
fn begin(stage: &mut Stage, number: usize, kind: i32, at: Vec3, by: Option<ClientNum>) {
    let entity = stage.entity(number);
    *entity = SharedEntity::default();
    entity.state.entity_type = entity_type::EVENTS + kind;
    entity.state.pos.base = at;
    entity.link.origin = at;
    if let Some(by) = by {
        entity.state.flags |= entity_flag::PLAYER_EVENT;
        entity.state.other_entity = by.index() as i32;
    }
    stage.link(number);
}

/// Places of events of this kind that the viewer was told in this frame.
fn told(stage: &Stage, kind: i32) -> Vec<Vec3> {
    let is_one = |entity_type: i32| entity_type == entity_type::EVENTS + kind;
    stage.told().filter(|state| is_one(state.entity_type)).map(|state| state.pos.base).collect()
}

#[test]
fn a_sound_does_not_come_out_when_its_maker_has_walked_away() {
    for kind in [event::GENERAL_SOUND, event::INVUL_IMPACT, event::JUICED, event::GIB_PLAYER] {
        let (mut stage, viewer, target) = scene();
        begin(&mut stage, 100, kind, HIDDEN, None);
        for frame in 0..6 {
            assert!(!sees(&mut stage, viewer, target));
            let exact = stage
                .told()
                .any(|state| state.entity_type == entity_type::EVENTS + kind && state.pos.base == HIDDEN);
            assert!(!exact, "event {kind}, frame {frame}");
            stage.step(FRAME);
            stage.place(target, HIDDEN + vec3(0.0, -20.0 * (frame + 1) as f32, 0.0));
        }
    }
}

#[test]
fn who_comes_into_view_is_not_heard_again_from_where_it_was() {
    let (mut stage, viewer, target) = scene();
    begin(&mut stage, 100, event::FOOTSTEP, HIDDEN, Some(target));
    assert!(!sees(&mut stage, viewer, target));
    let [heard] = told(&stage, event::FOOTSTEP)[..] else { panic!("heard once") };
    stage.step(FRAME);
    stage.place(target, IN_SIGHT);
    assert!(sees(&mut stage, viewer, target));
    assert_eq!(told(&stage, event::FOOTSTEP), [heard], "it lasts as it was");
    // What it does from now on is told as it is.
    stage.step(FRAME);
    begin(&mut stage, 101, event::FOOTSTEP, IN_SIGHT, Some(target));
    assert!(sees(&mut stage, viewer, target));
    assert!(told(&stage, event::FOOTSTEP).contains(&IN_SIGHT));
}
