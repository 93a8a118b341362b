//! Sweeps through what has a place of its own: doors and platforms, and the boxes of players.

use super::ClipMap;
use super::sweep::{Goal, Way, capsule_radius, symmetric};
use crate::math::{Bounds, Vec3, angle_vectors, vec3};
use crate::trace::{Trace, TraceRequest};

impl ClipMap {
    /// Sweeps through a model that stands at `origin`, turned by `angles` (degrees); model 0 is the world. A model that is not
    /// there stops nothing.
    ///
    /// The box is not turned with a turned model (a capsule is), so that near corners the answer is only about right; clients
    /// predict the same. The plane's distance is that in the model's frame. Source: `CM_TransformedBoxTrace`.
    pub fn trace_model(&self, model: usize, origin: Vec3, angles: Vec3, request: &TraceRequest) -> Trace {
        let Some(found) = self.models.get(model) else { return Trace::clear(request.end) };
        let solids = (model != 0).then_some(found.solids);
        let (size, middle) = symmetric(&request.bounds);
        let radius = capsule_radius(&size);
        let straight = size.maxs.z - radius;
        let mut local = TraceRequest {
            start: request.start + middle - origin,
            end: request.end + middle - origin,
            bounds: size,
            ..*request
        };
        let turn = (angles != Vec3::ZERO).then(|| Turn::of(angles));
        let mut offset = vec3(0.0, 0.0, straight);
        if let Some(turn) = &turn {
            local.start = turn.to_model(local.start);
            local.end = turn.to_model(local.end);
            offset = turn.capsule_offset(straight);
        }
        let way = Way::of_model(&local, radius, request.capsule.then_some(offset));
        let mut outcome = way.through(self, solids, Goal::Nearest);
        if let Some(turn) = turn.filter(|_| outcome.fraction != 1.0) {
            outcome.plane.normal = turn.to_world(outcome.plane.normal);
        }
        outcome.to_trace_of_model(request)
    }
}

/// Sweeps through a box that stands at `origin`, such as a player. Boxes do not turn.
///
/// `contents` is what the box is made of. The original always takes `CONTENTS_BODY` here, whatever the entity's own contents
/// are: a mask without it passes through. The plane's distance is that in the box's frame. Source: `CM_TempBoxModel`.
pub fn trace_box(shape: &Bounds, origin: Vec3, contents: i32, request: &TraceRequest) -> Trace {
    let (size, middle) = symmetric(&request.bounds);
    let radius = capsule_radius(&size);
    let local = TraceRequest {
        start: request.start + middle - origin,
        end: request.end + middle - origin,
        bounds: size,
        ..*request
    };
    let offset = vec3(0.0, 0.0, size.maxs.z - radius);
    let way = Way::of_model(&local, radius, request.capsule.then_some(offset));
    way.through_box(shape, contents).to_trace_of_model(request)
}

/// The axes of a turned model: forward, left, up.
struct Turn {
    axes: [Vec3; 3],
}

impl Turn {
    fn of(angles: Vec3) -> Self {
        let axes = angle_vectors(angles);
        Self { axes: [axes.forward, -axes.right, axes.up] }
    }

    fn to_model(&self, point: Vec3) -> Vec3 {
        let [forward, left, up] = self.axes;
        vec3(forward.dot(point), left.dot(point), up.dot(point))
    }

    fn to_world(&self, normal: Vec3) -> Vec3 {
        let [forward, left, up] = self.axes;
        vec3(
            vec3(forward.x, left.x, up.x).dot(normal),
            vec3(forward.y, left.y, up.y).dot(normal),
            vec3(forward.z, left.z, up.z).dot(normal),
        )
    }

    /// Where a capsule's upper centre is in the model's frame. The second sign is the original's.
    fn capsule_offset(&self, straight: f32) -> Vec3 {
        let [forward, left, up] = self.axes;
        vec3(forward.z * straight, -left.z * straight, up.z * straight)
    }
}
