//! The map as all that there is to meet: no doors, no players.

use super::ClipMap;
use crate::ids::EntityNum;
use crate::math::Vec3;
use crate::trace::{Trace, TraceRequest, Tracer};

/// A map without entities: whatever is hit is the world.
#[derive(Clone, Copy)]
pub struct MapAlone<'m>(pub &'m ClipMap);

impl Tracer for MapAlone<'_> {
    fn trace(&self, request: &TraceRequest) -> Trace {
        let trace = self.0.trace(request);
        Trace { entity: (trace.fraction < 1.0).then_some(EntityNum::WORLD), ..trace }
    }

    fn point_contents(&self, point: Vec3, _: Option<EntityNum>) -> i32 {
        self.0.contents_at(point)
    }
}
