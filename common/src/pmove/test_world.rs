//! A small closed world for tests: a room of solid brushes, with stairs, a ramp, a low ceiling and a pool if wanted.

use super::{PmoveInput, PmoveOutput, PmoveSettings, pmove};
use crate::ids::EntityNum;
use crate::math::{Bounds, Plane, Vec3, vec3};
use crate::openarena::{shared, stat};
use crate::proto::{PlayerState, UserCmd, contents, mask};
use crate::trace::{Trace, TraceRequest, Tracer};
use std::cell::Cell;

/// Solid stuff: the points behind all of its planes.
pub(super) struct Brush {
    pub(super) planes: Vec<Plane>,
    pub(super) surface_flags: i32,
    pub(super) entity: EntityNum,
}

impl Brush {
    pub(super) fn new(mins: [f32; 3], maxs: [f32; 3]) -> Self {
        let sides = |axis: usize| {
            let mut normal = Vec3::ZERO;
            normal[axis] = 1.0;
            [Plane { normal, dist: maxs[axis] }, Plane { normal: -normal, dist: -mins[axis] }]
        };
        Self { planes: (0..3).flat_map(sides).collect(), surface_flags: 0, entity: EntityNum::WORLD }
    }

    /// As the engine does it; on startsolid the trace keeps going.
    fn clip(&self, request: &TraceRequest, trace: &mut Trace) {
        let (mut enter, mut leave, mut hit) = (-1.0f32, 1.0f32, Plane::default());
        let (mut starts_out, mut gets_out) = (false, false);
        for plane in &self.planes {
            let corner = |axis: usize| {
                if plane.normal[axis] < 0.0 { request.bounds.maxs[axis] } else { request.bounds.mins[axis] }
            };
            let dist = plane.dist - plane.normal.dot(vec3(corner(0), corner(1), corner(2)));
            let (d1, d2) = (plane.normal.dot(request.start) - dist, plane.normal.dot(request.end) - dist);
            gets_out |= d2 > 0.0;
            starts_out |= d1 > 0.0;
            if d1 > 0.0 && (d2 >= EPSILON || d2 >= d1) {
                return;
            }
            if d1 > d2 {
                let fraction = ((d1 - EPSILON) / (d1 - d2)).max(0.0);
                if fraction > enter {
                    (enter, hit) = (fraction, *plane);
                }
            } else if d1 < d2 {
                leave = leave.min((d1 + EPSILON) / (d1 - d2));
            }
        }
        if !starts_out {
            trace.start_solid = true;
            if !gets_out {
                trace.all_solid = true;
                trace.fraction = 0.0;
                trace.entity = Some(self.entity);
            }
        } else if enter < leave && enter > -1.0 && enter < trace.fraction {
            trace.fraction = enter;
            trace.plane = hit;
            trace.surface_flags = self.surface_flags;
            trace.entity = Some(self.entity);
        }
    }
}

pub(super) struct Room {
    pub(super) brushes: Vec<Brush>,
    /// Below this is `liquid`.
    pub(super) liquid_top: f32,
    pub(super) liquid: i32,
    pub(super) traces: Cell<u32>,
}

/// The free inside of the room.
pub(super) const INSIDE: Bounds = Bounds::new(vec3(-SIDE, -SIDE, 0.0), vec3(SIDE, SIDE, HEIGHT));

impl Default for Room {
    fn default() -> Self {
        let (s, h, t) = (SIDE, HEIGHT, SIDE + 64.0);
        let brushes = vec![
            Brush::new([-t, -t, -64.0], [t, t, 0.0]),
            Brush::new([-t, -t, h], [t, t, h + 64.0]),
            Brush::new([-t, -t, -64.0], [-s, t, h + 64.0]),
            Brush::new([s, -t, -64.0], [t, t, h + 64.0]),
            Brush::new([-t, -t, -64.0], [t, -s, h + 64.0]),
            Brush::new([-t, s, -64.0], [t, t, h + 64.0]),
        ];
        Self { brushes, liquid_top: f32::NEG_INFINITY, liquid: contents::WATER, traces: Cell::new(0) }
    }
}

impl Room {
    pub(super) fn with(mut self, brush: Brush) -> Self {
        self.brushes.push(brush);
        self
    }

    pub(super) fn flooded(mut self, top: f32) -> Self {
        self.liquid_top = top;
        self
    }

    /// Steps of 16 up in the direction of x, a ramp up in that of y, and a ledge to crawl under.
    pub(super) fn furnished() -> Self {
        let mut room = Self::default();
        for step in 0..6 {
            let x = 80.0 + 24.0 * step as f32;
            room = room.with(Brush::new([x, -SIDE, 0.0], [SIDE, -64.0, 16.0 * (step + 1) as f32]));
        }
        let mut ramp = Brush::new([-64.0, 100.0, -8.0], [64.0, SIDE, 120.0]);
        let normal = vec3(0.0, -0.5, 0.866_025_4);
        ramp.planes.push(Plane { normal, dist: normal.dot(vec3(0.0, 100.0, 0.0)) });
        room.with(ramp).with(Brush::new([-200.0, -200.0, 44.0], [-100.0, -100.0, 60.0]))
    }
}

impl Tracer for Room {
    fn trace(&self, request: &TraceRequest) -> Trace {
        self.traces.set(self.traces.get() + 1);
        let mut trace = Trace::clear(request.end);
        for brush in &self.brushes {
            brush.clip(request, &mut trace);
        }
        if trace.fraction < 1.0 {
            trace.end = request.start.mul_add(trace.fraction, request.end - request.start);
        }
        trace
    }

    fn point_contents(&self, point: Vec3, _pass: Option<EntityNum>) -> i32 {
        let inside = |brush: &Brush| brush.planes.iter().all(|plane| plane.distance_to(point) < 0.0);
        let solid = if self.brushes.iter().any(inside) { contents::SOLID } else { 0 };
        solid | if point.z < self.liquid_top { self.liquid } else { 0 }
    }
}

/// One who stands in the middle of the room.
pub(super) fn player() -> PlayerState {
    let mut ps = PlayerState {
        origin: vec3(0.0, 0.0, 24.125),
        gravity: shared::DEFAULT_GRAVITY,
        speed: 320,
        view_height: shared::DEFAULT_VIEWHEIGHT,
        ground_entity: EntityNum::to_wire(Some(EntityNum::WORLD)),
        ..PlayerState::default()
    };
    ps.stats[stat::HEALTH as usize] = 100;
    ps.stats[stat::MAX_HEALTH as usize] = 100;
    ps
}

/// Runs one command of so many ms.
pub(super) fn run(ps: &mut PlayerState, room: &Room, cmd: UserCmd, ms: i32) -> PmoveOutput {
    run_with(ps, room, cmd, ms, PmoveSettings { float_velocity: true, ..PmoveSettings::default() })
}

/// The same under other settings.
pub(super) fn run_with(
    ps: &mut PlayerState,
    room: &Room,
    cmd: UserCmd,
    ms: i32,
    settings: PmoveSettings,
) -> PmoveOutput {
    let cmd = UserCmd { server_time: ps.command_time + ms, ..cmd };
    let input =
        PmoveInput { cmd, tracer: room, trace_mask: mask::PLAYERSOLID, settings, gauntlet_hit: false };
    pmove(ps, &input)
}

const SIDE: f32 = 256.0;
const HEIGHT: f32 = 256.0;
/// The engine's own distance kept from what is hit.
const EPSILON: f32 = 0.125;
