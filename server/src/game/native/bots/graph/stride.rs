//! One leg of a walk, by the real pmove: from a place in a direction, until it stands, swims, or comes to harm.

use super::{CELL, Scenery};
use crate::game::{EntityTable, Host, SharedEntity};
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3, YAW, angle_to_short, angle_vectors, vec3, vector_to_angles};
use fogline_common::openarena::{event, pm_type, stat};
use fogline_common::pmove::{PmoveInput, PmoveSettings, pmove, touch_jump_pad};
use fogline_common::proto::{PlayerState, UserCmd, contents, mask};
use fogline_common::trace::{Trace, TraceRequest, Tracer};

/// Length of one move. Unit: ms.
const TICK_MS: i32 = 50;
/// A leg that has not come to rest by then has failed, flights of jump pads included.
const MOST_TICKS: u32 = 120;
/// So near to where it wants to go it has arrived.
const NEAR: f32 = 8.0;
/// A walker that comes no farther than this in two moves is held up.
const LEAST_PROGRESS: f32 = 5.0;
/// It is already running when a leg begins.
const RUN_UP: f32 = 240.0;

/// What a leg tries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    /// From here.
    pub(super) from: Vec3,
    /// To here; only the way across counts, unless it swims.
    pub(super) to: Vec3,
    /// The jump key: not at all, at the start, or all the time.
    pub(super) key: Key,
    /// It runs at full speed already.
    pub(super) at_speed: bool,
    /// While a jump pad throws it, it holds this direction.
    pub(super) steer: Option<Vec3>,
    /// It is on this mover, and wants to stand on anything else.
    pub(super) leaves: Option<i32>,
    /// Lower than this it has failed.
    pub(super) lowest: f32,
}

impl Leg {
    /// A run.
    pub(super) fn run(from: Vec3, to: Vec3) -> Self {
        Self { from, to, key: Key::Up, at_speed: false, steer: None, leaves: None, lowest: f32::MIN }
    }
}

/// When the jump key is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Never.
    Up,
    /// As the leg begins.
    Tapped,
    /// Always.
    Held,
    /// It dives: the crouch key is down.
    Down,
}

/// What a leg met on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    /// Its own feet.
    OnFoot,
    /// A jump pad.
    ByPad,
    /// A teleporter.
    ByTeleporter,
}

/// How a leg ended well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// Where it stands or swims.
    pub(super) origin: Vec3,
    /// How long it took. Unit: ms.
    pub(super) time: i32,
    /// What it met.
    pub(super) carried: Carried,
    /// What it stands on.
    pub(super) ground: i32,
    /// It swims.
    pub(super) swims: bool,
    /// It was off the ground for this many moves.
    pub(super) airborne: u32,
    /// Damage of the fall. Unit: points.
    pub(super) hurt: i32,
    /// It was held up before it came where it wanted to go.
    pub(super) held_up: bool,
}

/// Who walks legs, and in what.
#[derive(Clone, Copy)]
pub(super) struct Walker<'a> {
    /// The map.
    pub(super) host: &'a dyn Host,
    /// What it meets.
    pub(super) scenery: &'a Scenery,
    /// What stops it.
    pub(super) solid: &'a [SharedEntity],
    /// How players move here.
    pub(super) settings: PmoveSettings,
    /// Unit: units/s².
    pub(super) gravity: i32,
    /// Unit: units/s.
    pub(super) speed: i32,
}

struct NoEntities;

impl EntityTable for NoEntities {
    fn len(&self) -> usize {
        0
    }

    fn get(&self, _: EntityNum) -> SharedEntity {
        SharedEntity::default()
    }
}

impl Tracer for Walker<'_> {
    fn trace(&self, request: &TraceRequest) -> Trace {
        self.host.trace_still(request, self.solid)
    }

    fn point_contents(&self, point: Vec3, pass: Option<EntityNum>) -> i32 {
        self.host.point_contents(&NoEntities, point, pass)
    }
}

impl Walker<'_> {
    /// Walks a leg. `None` if it came to harm, or nowhere. `work` counts the moves.
    pub(super) fn walk(&self, leg: &Leg, work: &mut u64) -> Option<Arrival> {
        let mut ps = self.body_at(leg);
        let mut arrival = Arrival {
            origin: leg.from,
            time: 0,
            carried: Carried::OnFoot,
            ground: EntityNum::NONE_ON_WIRE,
            swims: false,
            airborne: 0,
            hurt: 0,
            held_up: false,
        };
        let heading = flat(leg.to - leg.from);
        let mut before = [leg.from; 2];
        let mut arrived = false;
        for tick in 0..MOST_TICKS {
            let cmd = self.command(leg, &ps, tick, arrived, arrival.carried);
            let input = PmoveInput {
                cmd,
                tracer: self,
                trace_mask: mask::PLAYERSOLID | contents::BOTCLIP,
                settings: self.settings,
                gauntlet_hit: false,
            };
            let events = ps.event_sequence;
            let came_from = ps.origin;
            let output = pmove(&mut ps, &input);
            *work += 1;
            arrival.time += TICK_MS;
            arrival.hurt += fall_damage(&ps, events);
            let harm =
                output.water_level.depth() > 0 && output.water_type & (contents::LAVA | contents::SLIME) != 0;
            if harm || ps.origin.z < self.scenery.floor.max(leg.lowest) {
                return None;
            }
            let launched = self.meet_triggers(&mut ps, came_from, output.bounds, &mut arrival)?;
            arrival.swims = output.water_level.depth() >= 2;
            arrival.ground = ps.ground_entity;
            arrival.origin = ps.origin;
            let on_ground = ps.ground_entity != EntityNum::NONE_ON_WIRE && !launched;
            arrival.airborne += u32::from(!on_ground && !arrival.swims);
            let left = leg.to - ps.origin;
            let vertical = heading == Vec3::ZERO;
            arrived |=
                if vertical { left.z.abs() < NEAR } else { flat(left).dot(heading.normalized()) <= NEAR };
            arrived |= on_ground && leg.key == Key::Tapped && arrival.airborne >= 2;
            arrived |= on_ground && leg.leaves.is_some_and(|mover| mover != ps.ground_entity);
            let rests = (on_ground && (ps.velocity.z.abs() < 1.0 || arrived)) || arrival.swims;
            if rests && (arrived || arrival.carried != Carried::OnFoot) {
                return Some(arrival);
            }
            let moved = ps.origin.distance(before[(tick & 1) as usize]);
            before[(tick & 1) as usize] = ps.origin;
            if tick >= 2 && rests && moved < LEAST_PROGRESS {
                arrival.held_up = true;
                return Some(arrival);
            }
        }
        None
    }

    /// Lets a body fall to where it stands (or swims).
    pub(super) fn settle(&self, at: Vec3, work: &mut u64) -> Option<Arrival> {
        let stuck =
            TraceRequest::sweep(at, at, crate::game::native::spots::PLAYER_BOUNDS, mask::PLAYERSOLID, None);
        if self.trace(&stuck).start_solid {
            return None;
        }
        self.walk(&Leg::run(at, at), work)
    }

    /// Contents of the map at a point.
    pub(super) fn host_contents(&self, point: Vec3) -> i32 {
        self.point_contents(point, None)
    }

    fn body_at(&self, leg: &Leg) -> PlayerState {
        let heading = flat(leg.to - leg.from).normalized();
        let mut ps = PlayerState {
            origin: leg.from,
            velocity: heading * if leg.at_speed { self.speed as f32 } else { RUN_UP },
            gravity: self.gravity,
            speed: self.speed,
            pm_type: pm_type::NORMAL,
            ground_entity: EntityNum::NONE_ON_WIRE,
            ..PlayerState::default()
        };
        ps.stats[stat::HEALTH as usize] = 100;
        ps.stats[stat::MAX_HEALTH as usize] = 100;
        ps
    }

    fn command(&self, leg: &Leg, ps: &PlayerState, tick: u32, arrived: bool, carried: Carried) -> UserCmd {
        let mut cmd = UserCmd { server_time: ps.command_time + TICK_MS, ..UserCmd::default() };
        let heading = match (carried, leg.steer) {
            (Carried::OnFoot, _) if !arrived => flat(leg.to - ps.origin),
            (Carried::ByPad, Some(steer)) => steer,
            _ => Vec3::ZERO,
        };
        if heading != Vec3::ZERO {
            cmd.angles[YAW] = angle_to_short(vector_to_angles(heading)[YAW]);
            cmd.forward_move = 127;
        }
        let on_foot = carried == Carried::OnFoot;
        cmd.up_move = match leg.key {
            Key::Tapped if tick < 1 => 127,
            Key::Held if on_foot => 127,
            Key::Down if on_foot => -127,
            _ => 0,
        };
        cmd
    }

    /// Pads, teleporters and harm. Whether a pad threw the body; `None` for harm, which is met all along a move: who falls fast
    /// may be past a thin space that hurts in the next frame, but only by luck.
    fn meet_triggers(
        &self,
        ps: &mut PlayerState,
        came_from: Vec3,
        bounds: Bounds,
        arrival: &mut Arrival,
    ) -> Option<bool> {
        let body = bounds.translated(ps.origin);
        let way = bounds.translated(came_from).union(body);
        let meets_in = |entity: &SharedEntity, space: &Bounds| {
            entity.link.abs_bounds.touches(space) && self.host.touches(entity, space)
        };
        if self.scenery.hurts.iter().any(|hurt| meets_in(hurt, &way)) {
            return None;
        }
        let meets = |entity: &SharedEntity| meets_in(entity, &body);
        if let Some((_, view)) = self.scenery.teleporters.iter().find(|(entity, _)| meets(entity)) {
            if arrival.carried == Carried::ByTeleporter {
                return None;
            }
            arrival.carried = Carried::ByTeleporter;
            ps.origin = view.origin + vec3(0.0, 0.0, 1.0);
            ps.velocity = angle_vectors(view.angles).forward * 400.0;
            return Some(false);
        }
        let Some(pad) = self.scenery.pads.iter().find(|pad| meets(pad)) else { return Some(false) };
        arrival.carried = Carried::ByPad;
        touch_jump_pad(ps, &pad.state);
        Some(true)
    }
}

/// Points of damage by falls since an event.
fn fall_damage(ps: &PlayerState, since: i32) -> i32 {
    let mut points = 0;
    for sequence in since.max(ps.event_sequence - 2)..ps.event_sequence {
        points += match ps.events[(sequence & 1) as usize] {
            event::FALL_MEDIUM => 5,
            event::FALL_FAR => 10,
            _ => 0,
        };
    }
    points
}

/// The part of a vector that lies in the plane.
pub(super) fn flat(vector: Vec3) -> Vec3 {
    vec3(vector.x, vector.y, 0.0)
}

const _: () = assert!(CELL > NEAR * 2.0);
