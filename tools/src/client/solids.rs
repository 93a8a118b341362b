//! The solid world as a client's prediction knows it: the map, and the boxes and brush models that the snapshot says are solid.
//!
//! Source: `CG_BuildSolidList`, `CG_ClipMoveToEntities`, `CG_PointContents` of OpenArena's cgame; the packing of `solid` is in the
//! facts page "q3-protocol-facts", section 8.

use crate::client::lerp::Style;
use crate::client::scene::Scene;
use fogline_common::collision::{ClipMap, trace_box};
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{entity_type, trajectory};
use fogline_common::proto::limits::{MAX_CLIENTS, SOLID_BRUSH_MODEL};
use fogline_common::proto::{EntityState, contents, mask};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::{Trace, TraceRequest, Tracer};
use std::collections::BTreeMap;

/// Something solid.
#[derive(Clone, Copy, Debug)]
struct Solid {
    num: EntityNum,
    state: EntityState,
    /// Where it is drawn.
    origin: Vec3,
    /// How it is drawn turned.
    angles: Vec3,
}

/// All that the snapshot says is solid, and the jump pads in it.
#[derive(Debug, Default)]
pub(crate) struct Solids {
    solids: Vec<Solid>,
    pads: Vec<EntityState>,
    /// Where players have been lately, those included that have left or that are not drawn yet.
    players: Vec<(EntityNum, Vec3, ServerTime)>,
    /// Which models have been moving lately, and where.
    moving: Vec<(usize, Vec3, ServerTime)>,
    /// The model of each brush entity, and where it was when it was last told of.
    stood: BTreeMap<EntityNum, (usize, Vec3)>,
}

/// How long what is gone may still have been in the way.
const REMEMBERED: Millis = Millis(500);

/// The box that a packed `solid` stands for. `None` for a brush model and for what is not solid.
pub fn unpack_box(solid: i32) -> Option<Bounds> {
    if solid == 0 || solid == SOLID_BRUSH_MODEL {
        return None;
    }
    let (x, down, up) = ((solid & 255) as f32, (solid >> 8 & 255) as f32, ((solid >> 16 & 255) - 32) as f32);
    Some(Bounds::new(vec3(-x, -x, -down), vec3(x, x, up)))
}

impl Solids {
    /// Takes them from the snapshots; players where they were last drawn.
    pub(crate) fn gather(&mut self, scene: &Scene, drawn: ServerTime, style: Style) {
        self.solids.clear();
        self.pads.clear();
        let Some(moment) = scene.moment(drawn) else { return };
        let newest = match scene.next() {
            Some(next) if !scene.next_is_teleport && !scene.teleported => Some(next),
            _ => scene.current(),
        };
        self.players.retain(|(.., seen)| drawn - *seen <= REMEMBERED);
        self.moving.retain(|(.., seen)| drawn - *seen <= REMEMBERED);
        let told = newest.map_or(drawn, |snapshot| snapshot.time);
        for listed in newest.iter().flat_map(|snapshot| &snapshot.entities) {
            let Some(num) = listed.num() else { continue };
            if num.index() < MAX_CLIENTS && listed.solid != 0 {
                self.remember(num, listed.pos.base, drawn);
            }
            if listed.solid == SOLID_BRUSH_MODEL {
                self.note_mover(num, listed, drawn, told);
            }
            let Some(state) = scene.entity(num) else { continue };
            match state.entity_type {
                entity_type::PUSH_TRIGGER => self.pads.push(*state),
                entity_type::ITEM | entity_type::TELEPORT_TRIGGER => (),
                _ if listed.solid != 0 => {
                    let Some(at) = scene.drawn(num, &moment, style) else { continue };
                    self.solids.push(Solid { num, state: *state, origin: at.origin, angles: at.angles });
                }
                _ => (),
            }
        }
    }

    /// Notes where a brush model is while it moves: as it is drawn, and as the snapshot of `told` has it, where it has pushed players
    /// already. One that is fast comes and goes between two snapshots: it stands in each, but not at the same place.
    fn note_mover(&mut self, num: EntityNum, state: &EntityState, drawn: ServerTime, told: ServerTime) {
        let model = state.model_index as usize;
        let now = state.pos.at(told);
        let before = self.stood.insert(num, (model, now)).filter(|before| *before != (model, now));
        if before.is_some_and(|(known, _)| known == model) || state.pos.kind != trajectory::STATIONARY {
            let places = [Some(state.pos.at(drawn)), Some(now), before.map(|(_, at)| at)];
            self.moving.extend(places.into_iter().flatten().map(|at| (model, at, drawn)));
        }
    }

    fn remember(&mut self, num: EntityNum, at: Vec3, seen: ServerTime) {
        match self.players.iter_mut().find(|(known, place, _)| *known == num && *place == at) {
            Some((.., last)) => *last = seen,
            None => self.players.push((num, at, seen)),
        }
    }

    /// The whole solid world, movers where they stand at `physics_time`.
    pub(crate) fn in_world<'a>(&'a self, map: &'a ClipMap, physics_time: ServerTime) -> SolidWorld<'a> {
        SolidWorld { map, solids: self, physics_time }
    }

    /// Jump pads that a box touches.
    pub(crate) fn pads_touching(
        &self,
        map: &ClipMap,
        origin: Vec3,
        bounds: Bounds,
    ) -> impl Iterator<Item = &EntityState> {
        let touches = move |pad: &&EntityState| {
            let stand = TraceRequest::sweep(origin, origin, bounds, mask::ALL, None);
            pad.solid == SOLID_BRUSH_MODEL
                && map.trace_model(pad.model_index as usize, Vec3::ZERO, Vec3::ZERO, &stand).start_solid
        };
        self.pads.iter().filter(touches)
    }

    /// Whether a player was so near lately.
    pub(crate) fn player_near(&self, point: Vec3, distance: f32) -> bool {
        self.players.iter().any(|(_, at, _)| at.distance(point) < distance)
    }

    /// Whether a player there may have touched something that was moving lately: the server moved it before we knew.
    pub(crate) fn mover_near(&self, map: &ClipMap, point: Vec3, margin: f32) -> bool {
        self.moving.iter().any(|&(model, at, _)| {
            map.model_bounds(model).is_some_and(|bounds| bounds.translated(at).grown(margin).contains(point))
        })
    }
}

/// The solid world of one prediction.
pub(crate) struct SolidWorld<'a> {
    map: &'a ClipMap,
    solids: &'a Solids,
    physics_time: ServerTime,
}

impl SolidWorld<'_> {
    fn trace_solid(&self, solid: &Solid, request: &TraceRequest) -> Trace {
        match unpack_box(solid.state.solid) {
            Some(shape) => trace_box(&shape, solid.origin, contents::BODY, request),
            None if solid.state.solid == SOLID_BRUSH_MODEL => {
                let origin = solid.state.pos.at(self.physics_time);
                self.map.trace_model(solid.state.model_index as usize, origin, solid.angles, request)
            }
            None => Trace::clear(request.end),
        }
    }
}

impl Tracer for SolidWorld<'_> {
    fn trace(&self, request: &TraceRequest) -> Trace {
        let mut nearest = self.map.trace(request);
        nearest.entity = (nearest.fraction != 1.0).then_some(EntityNum::WORLD);
        for solid in self.solids.solids.iter().filter(|solid| Some(solid.num) != request.pass) {
            let mut hit = self.trace_solid(solid, request);
            if hit.all_solid || hit.fraction < nearest.fraction {
                hit.entity = Some(solid.num);
                nearest = hit;
            } else if hit.start_solid {
                nearest.start_solid = true;
            }
            if nearest.all_solid {
                break;
            }
        }
        nearest
    }

    fn point_contents(&self, point: Vec3, pass: Option<EntityNum>) -> i32 {
        let models = self.solids.solids.iter().filter(|solid| solid.state.solid == SOLID_BRUSH_MODEL);
        models.filter(|solid| Some(solid.num) != pass).fold(self.map.contents_at(point), |found, solid| {
            let state = &solid.state;
            let model = state.model_index as usize;
            found | self.map.model_contents_at(model, state.origin, state.angles, point)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_players_box_survives_the_packing() {
        let solid = 15 | 24 << 8 | (32 + 32) << 16;
        assert_eq!(unpack_box(solid), Some(Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0))));
        assert_eq!(unpack_box(SOLID_BRUSH_MODEL), None);
        assert_eq!(unpack_box(0), None);
    }

    #[test]
    fn a_button_that_jumps_between_two_snapshots_has_moved() {
        let mut solids = Solids::default();
        let num = EntityNum::new(70).expect("a number");
        let mut button = EntityState { model_index: 4, solid: SOLID_BRUSH_MODEL, ..EntityState::default() };
        solids.note_mover(num, &button, ServerTime(50), ServerTime(100));
        solids.note_mover(num, &button, ServerTime(100), ServerTime(150));
        assert_eq!(solids.moving, [], "it stands");
        button.pos.base = vec3(0.0, 0.0, 40.0);
        solids.note_mover(num, &button, ServerTime(150), ServerTime(200));
        let seen = |z| (4, vec3(0.0, 0.0, z), ServerTime(150));
        assert_eq!(solids.moving, [seen(40.0), seen(40.0), seen(0.0)]);
    }

    #[test]
    fn a_lift_is_where_it_is_drawn_and_where_the_server_has_it() {
        let mut solids = Solids::default();
        let num = EntityNum::new(70).expect("a number");
        let mut lift = EntityState { model_index: 4, solid: SOLID_BRUSH_MODEL, ..EntityState::default() };
        (lift.pos.kind, lift.pos.delta) = (trajectory::LINEAR, vec3(0.0, 0.0, 1000.0));
        solids.note_mover(num, &lift, ServerTime(50), ServerTime(100));
        let seen = |z| (4, vec3(0.0, 0.0, z), ServerTime(50));
        assert_eq!(solids.moving, [seen(50.0), seen(100.0)]);
    }
}
