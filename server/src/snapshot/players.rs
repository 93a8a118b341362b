//! What the gates need to know of players and doors, read off the states of the game.
//!
//! Here the numbers of the OpenArena game are known (teleport bit, births, powerups), so that the gates need not know them.

use crate::game::SharedEntity;
use crate::visibility::sight::ahead::{self, Course};
use crate::visibility::twoclock::clock::Line;
use crate::visibility::{Ahead, Life, Mode, Mover, Points, Pose, Profile, Rules};
use fogline_common::collision::{ClipMap, Light, Placement};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, angle_vectors, vec3};
use fogline_common::openarena::{entity_flag, pers, pm_flag, pm_type, powerup, team, trajectory};
use fogline_common::proto::{PlayerState, mask};
use fogline_common::trace::TraceRequest;

/// One player slot in use.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    /// The slot.
    pub player: ClientNum,
    /// When its client connected. Unit: µs.
    pub connection: u64,
    /// What its client is told of its player.
    pub state: PlayerState,
    /// What is known of its line.
    pub line: Line,
}

/// By how much what is drawn is larger than the box that collides. Less than the thinnest wall that maps are built of, so that
/// nobody shows through one. Unit: world units.
const MARGIN: f32 = 6.0;
/// A body that falls is drawn upright for a while. Unit: world units above the origin.
const UPRIGHT: f32 = 32.0;
/// The weapon's tip before the eye, and below it.
const WEAPON_REACH: f32 = 40.0;
const WEAPON_DROP: f32 = 8.0;
/// A flag on the back ends this high above the origin.
const FLAG_TOP: f32 = 60.0;
/// How far a glow lights walls up so that one notices. Its light ends at 200 to 231.
const GLOW_REACH: f32 = 160.0;
/// Who is slower does not move. Unit: units/s.
const STILL: f32 = 1.0;

const FLAGS: i32 = 1 << powerup::REDFLAG | 1 << powerup::BLUEFLAG | 1 << powerup::NEUTRALFLAG;
/// Powerups that light up what is around.
const GLOWS: i32 = FLAGS | 1 << powerup::QUAD;

/// A brush model as the gates see it.
pub(super) fn mover(entity: &SharedEntity) -> Mover {
    let (state, link) = (&entity.state, &entity.link);
    Mover {
        placement: Placement {
            model: usize::try_from(state.model_index).unwrap_or(usize::MAX),
            origin: link.origin,
            angles: link.angles,
        },
        bounds: link.abs_bounds,
        contents: link.contents,
        rests: state.pos.kind == trajectory::STATIONARY && state.apos.kind == trajectory::STATIONARY,
    }
}

/// How a player stands. `None` if it looks through another's eyes.
pub(super) fn pose(
    seat: &Seat,
    entity: Option<&SharedEntity>,
    clip: &ClipMap,
    rules: &Rules,
) -> Option<Pose> {
    let ps = &seat.state;
    if ps.client_num != seat.player.index() as i32 {
        return None;
    }
    let watches = ps.pm_type == pm_type::SPECTATOR && ps.pm_flags & pm_flag::FOLLOW == 0;
    let over = matches!(ps.pm_type, pm_type::INTERMISSION | pm_type::SPINTERMISSION);
    let own_team = ps.persistant[pers::TEAM as usize];
    let mut pose = Pose {
        player: seat.player,
        eye: ps.eye(),
        forward: angle_vectors(ps.view_angles).forward,
        velocity: ps.velocity,
        view_height: ps.view_height,
        body: Bounds::POINT.translated(ps.origin),
        points: Points::default(),
        ahead: None,
        sets: None,
        life: Life {
            connection: seat.connection,
            births: ps.persistant[pers::SPAWN_COUNT as usize],
            teleports: ps.flags & entity_flag::TELEPORT_BIT != 0,
        },
        team: matches!(own_team, team::RED | team::BLUE).then_some(own_team),
        sees_all: watches || over,
    };
    if let Some(entity) = entity {
        pose.body = body(entity);
    }
    if rules.mode != Mode::Off && rules.profile == Profile::Meant {
        if rules.mode != Mode::Proved {
            look_ahead(&mut pose, ps, entity, clip, rules);
        }
        if let Some(entity) = entity {
            add_points(&mut pose, ps, entity, clip);
        }
    }
    Some(pose)
}

/// Box around what is drawn of a player.
fn body(entity: &SharedEntity) -> Bounds {
    let mut bounds = entity.link.bounds;
    if entity.state.flags & entity_flag::DEAD != 0 {
        bounds.maxs.z = bounds.maxs.z.max(UPRIGHT);
    }
    bounds.mins -= vec3(MARGIN, MARGIN, 0.0);
    bounds.maxs += vec3(MARGIN, MARGIN, MARGIN);
    bounds.translated(entity.link.origin)
}

fn look_ahead(
    pose: &mut Pose,
    ps: &PlayerState,
    entity: Option<&SharedEntity>,
    clip: &ClipMap,
    rules: &Rules,
) {
    if ps.velocity.length_squared() < STILL * STILL || rules.horizon <= 0.0 {
        return;
    }
    let falls = ps.ground().is_none() && matches!(ps.pm_type, pm_type::NORMAL | pm_type::DEAD);
    let course = Course {
        origin: ps.origin,
        bounds: entity.map_or(Bounds::POINT.grown(15.0), |entity| entity.link.bounds),
        velocity: ps.velocity,
        gravity: if falls { ps.gravity as f32 } else { 0.0 },
    };
    let way = ahead::way(clip, &course, rules.horizon);
    if way.length_squared() >= 1.0 {
        pose.ahead = Some(Ahead { eye: pose.eye + way, body: pose.body.translated(way) });
    }
}

/// What is drawn outside the box: the weapon's tip, a flag, and walls that a glow lights up.
fn add_points(pose: &mut Pose, ps: &PlayerState, entity: &SharedEntity, clip: &ClipMap) {
    let mut tip = pose.eye.mul_add(WEAPON_REACH, pose.forward);
    tip.z -= WEAPON_DROP;
    if entity.state.weapon != 0 && clip.light(pose.eye, tip) == Light::Passes {
        pose.points.push(tip);
    }
    let powerups = entity.state.powerups;
    if powerups & FLAGS != 0 {
        pose.points.push(ps.origin + vec3(0.0, 0.0, FLAG_TOP));
    }
    if powerups & GLOWS == 0 {
        return;
    }
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0)] {
        let mut to = Vec3::ZERO;
        to[axis] = GLOW_REACH * sign;
        let request = TraceRequest::ray(ps.origin, ps.origin + to, mask::SOLID, None);
        pose.points.push(clip.trace(&request).end);
    }
}
