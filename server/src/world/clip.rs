//! Sweeps and contents through the map and everything linked into it.

use super::World;
use crate::game::{EntityTable, SharedEntity};
use fogline_common::collision::trace_box;
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::{contents, mask};
use fogline_common::trace::{Trace, TraceRequest};

impl World {
    /// How far a sweep comes through the map and the linked entities.
    ///
    /// Who sweeps (`request.pass`) does not hit itself, nor what it owns, nor what its owner owns. An entity stops the sweep
    /// only if its contents are asked for. Entities are tested where the table has them now; what was linked elsewhere and
    /// moved since is a candidate only where it was linked. Source: `SV_Trace`, `SV_ClipMoveToEntities`.
    pub fn trace(&self, entities: &dyn EntityTable, request: &TraceRequest) -> Trace {
        self.trace_except(entities, request, |_| false)
    }

    /// The same as if the entities that `skips` names were not there.
    pub fn trace_except(
        &self,
        entities: &dyn EntityTable,
        request: &TraceRequest,
        skips: impl Fn(EntityNum) -> bool,
    ) -> Trace {
        let mut best = self.trace_map(request);
        if best.fraction == 0.0 {
            return best;
        }
        // Only as far as the world lets it come.
        let end = if best.fraction < 1.0 { best.end } else { request.end };
        let swept = swept_box(request, end);
        let count = entities.len();
        self.for_each_in_box(&swept, |num| {
            if num.index() < count && !skips(num) {
                self.clip(entities, &mut best, &entities.get(num), num, request);
            }
        });
        best
    }

    /// How far a sweep comes through the map alone.
    pub fn trace_map(&self, request: &TraceRequest) -> Trace {
        let mut trace = self.map.trace(request);
        trace.entity = (trace.fraction < 1.0).then_some(EntityNum::WORLD);
        trace
    }

    /// The same for several rays; `traces` has one place for each. Rays that begin at one point share most of the work.
    ///
    /// # Panics
    /// If there are fewer places than rays.
    pub fn trace_map_all(&self, rays: &[TraceRequest], traces: &mut [Trace]) {
        self.map.trace_fan(rays, traces);
        for trace in &mut traces[..rays.len()] {
            trace.entity = (trace.fraction < 1.0).then_some(EntityNum::WORLD);
        }
    }

    /// Brings one more entity into the answer of a sweep, if it may stop it. It is taken as it is handed in, wherever the table
    /// has it.
    pub fn clip(
        &self,
        entities: &dyn EntityTable,
        best: &mut Trace,
        entity: &SharedEntity,
        num: EntityNum,
        request: &TraceRequest,
    ) {
        let meets = entity.link.linked && request.mask & entity.link.contents != 0;
        if best.all_solid || request.pass == Some(num) || !meets {
            return;
        }
        if let (Some(pass), Some(owner)) = (request.pass, EntityNum::from_wire(entity.link.owner))
            && (owner == pass || Some(owner) == owner_of(entities, pass))
        {
            return;
        }
        merge(best, self.trace_entity(entity, request), num);
    }

    /// How far a sweep comes through the map and `solid` alone. The entities are taken as they are handed in, linked or not;
    /// a hit is told by the number in their state.
    pub fn trace_still(&self, request: &TraceRequest, solid: &[SharedEntity]) -> Trace {
        let mut best = self.map.trace(request);
        best.entity = (best.fraction < 1.0).then_some(EntityNum::WORLD);
        let swept = swept_box(request, request.end);
        for entity in solid {
            let meets = request.mask & entity.link.contents != 0 && entity.link.abs_bounds.touches(&swept);
            if let Some(num) = EntityNum::from_wire(entity.state.number).filter(|_| meets && !best.all_solid)
            {
                merge(&mut best, self.trace_entity(entity, request), num);
            }
        }
        best
    }

    /// The same against one entity alone, whatever its contents and owner. Source: `SV_ClipToEntity`.
    pub fn trace_entity(&self, entity: &SharedEntity, request: &TraceRequest) -> Trace {
        let link = &entity.link;
        if link.brush_model {
            let model = usize::try_from(entity.state.model_index).unwrap_or(usize::MAX);
            return self.map.trace_model(model, link.origin, link.angles, request);
        }
        // As in the original every box is made of bodies, so that a mask without them passes.
        trace_box(&link.bounds, link.origin, contents::BODY, request)
    }

    /// Contents at a point, of the map and of linked brush models. Other entities have no inside: clients predict so, and what
    /// the original adds here (`CONTENTS_BODY` inside players) nothing asks for. Source: `SV_PointContents`.
    pub fn point_contents(&self, entities: &dyn EntityTable, point: Vec3, pass: Option<EntityNum>) -> i32 {
        let mut all = self.map.contents_at(point);
        let count = entities.len();
        self.for_each_in_box(&Bounds::POINT.translated(point), |num| {
            if num.index() >= count || pass == Some(num) {
                return;
            }
            let entity = entities.get(num);
            if entity.link.linked && entity.link.brush_model {
                let model = usize::try_from(entity.state.model_index).unwrap_or(usize::MAX);
                all |= self.map.model_contents_at(model, entity.link.origin, entity.link.angles, point);
            }
        });
        all
    }

    /// Whether a box in the world really touches the entity's shape. Source: `SV_EntityContact`.
    pub fn touches(&self, entity: &SharedEntity, bounds: &Bounds) -> bool {
        let request = TraceRequest::sweep(Vec3::ZERO, Vec3::ZERO, *bounds, mask::ALL, None);
        self.trace_entity(entity, &request).start_solid
    }
}

fn owner_of(entities: &dyn EntityTable, num: EntityNum) -> Option<EntityNum> {
    if num.index() >= entities.len() {
        return None;
    }
    EntityNum::from_wire(entities.get(num).link.owner)
}

/// Everything that the sweep may meet on its way to `end`, one unit larger.
pub(crate) fn swept_box(request: &TraceRequest, end: Vec3) -> Bounds {
    let ends = Bounds { mins: request.start.min(end), maxs: request.start.max(end) };
    Bounds { mins: ends.mins + request.bounds.mins, maxs: ends.maxs + request.bounds.maxs }.grown(1.0)
}

/// The nearer hit stays; being inside anything is remembered.
fn merge(best: &mut Trace, trace: Trace, num: EntityNum) {
    if trace.all_solid {
        best.all_solid = true;
        best.entity = Some(num);
    } else if trace.start_solid {
        best.start_solid = true;
        best.entity = Some(num);
    }
    let nearer = trace.fraction < best.fraction;
    // Of two at the same distance the lower number counts, so that the order of linking does not show.
    let first_of_equals = trace.fraction == best.fraction
        && trace.fraction < 1.0
        && best.entity.is_some_and(|other| other != EntityNum::WORLD && num < other);
    if nearer || first_of_equals {
        let start_solid = best.start_solid;
        *best = Trace { entity: Some(num), ..trace };
        best.start_solid |= start_solid;
    }
}
