//! What a sweep asks and what it answers; shared by the collision model, the world and the movement code.

use crate::ids::EntityNum;
use crate::math::{Bounds, Plane, Vec3};

/// A straight sweep of a box from one point to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRequest {
    /// Where the box's origin begins.
    pub start: Vec3,
    /// Where it wants to end.
    pub end: Vec3,
    /// The box around that origin; [`Bounds::POINT`] for a ray.
    pub bounds: Bounds,
    /// Contents that stop it; see [`crate::proto::mask`].
    pub mask: i32,
    /// Who sweeps: neither this entity is hit, nor what it owns, nor what else its owner owns.
    pub pass: Option<EntityNum>,
    /// Sweep an upright capsule that fits the box instead of the box.
    pub capsule: bool,
}

impl TraceRequest {
    /// A sweep of no extent.
    pub const fn ray(start: Vec3, end: Vec3, mask: i32, pass: Option<EntityNum>) -> Self {
        Self { start, end, bounds: Bounds::POINT, mask, pass, capsule: false }
    }

    /// A sweep of a box.
    pub const fn sweep(start: Vec3, end: Vec3, bounds: Bounds, mask: i32, pass: Option<EntityNum>) -> Self {
        Self { start, end, bounds, mask, pass, capsule: false }
    }
}

/// How far a sweep came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trace {
    /// The whole sweep was inside solid.
    pub all_solid: bool,
    /// The sweep began inside solid.
    pub start_solid: bool,
    /// Share of the way that is free, `0.0..=1.0`; 1.0 means that nothing was hit.
    pub fraction: f32,
    /// Where the origin came to rest.
    pub end: Vec3,
    /// The plane that was hit; zero if none.
    pub plane: Plane,
    /// Surface flags of the face that was hit; see [`crate::proto::surface`].
    pub surface_flags: i32,
    /// Contents of what was hit; see [`crate::proto::contents`].
    pub contents: i32,
    /// What was hit: [`EntityNum::WORLD`] for the map itself, `None` for nothing.
    pub entity: Option<EntityNum>,
}

impl Trace {
    /// The answer for a way that is free to `end`.
    pub const fn clear(end: Vec3) -> Self {
        Self {
            all_solid: false,
            start_solid: false,
            fraction: 1.0,
            end,
            plane: Plane { normal: Vec3::ZERO, dist: 0.0 },
            surface_flags: 0,
            contents: 0,
            entity: None,
        }
    }

    /// Whether anything stopped the sweep.
    pub fn hit(&self) -> bool {
        self.fraction < 1.0 || self.start_solid
    }
}

/// A world to sweep through. Movement and weapons see nothing else of it.
pub trait Tracer {
    /// How far the sweep comes.
    fn trace(&self, request: &TraceRequest) -> Trace;
    /// Contents at a point; see [`crate::proto::contents`].
    fn point_contents(&self, point: Vec3, pass: Option<EntityNum>) -> i32;
}
