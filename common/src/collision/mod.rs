//! The solid world: how far a box, a ray or a capsule comes, what is at a point, which leafs, clusters and areas a place is in.
//!
//! A [`ClipMap`] is made of a [`Bsp`] once and never changes, so any number of threads may ask it at the same time. What does
//! change (open doors) is in [`AreaPortals`], outside. Nothing here knows entities: [`Trace::entity`] is always `None`, and
//! the world layer says what was hit; `TraceRequest::pass` is not looked at.
//!
//! Answers agree with the stock engine to the last bit, so that a client's prediction and the server's move are the same:
//! all sums are f32 in the original's order, and f64 just where C promotes to it. A sweep stops [`SURFACE_CLIP_EPSILON`] short
//! of what it hits.
//!
//! * [`ClipMap::trace`], [`ClipMap::blocked`]: through the world. [`ClipMap::trace_model`]: through a door or platform.
//!   [`trace_box`]: through a player.
//! * [`ClipMap::contents_at`], [`ClipMap::leaf_at`], [`ClipMap::leafs_in_box`], [`ClipMap::pvs`]: where a point or box is.
//!
//! Source: `CM_*` of ioquake3; differences are in `common/docs/quirks.md`.

mod areas;
mod brush;
mod build;
mod cluster;
mod contents;
mod course;
mod model;
mod patch;
mod position;
mod shape;
mod sweep;
mod tree;

pub use areas::AreaPortals;
pub use model::trace_box;

use crate::bsp::{Bsp, BspError};
use crate::ids::{AreaNum, ClusterNum};
use crate::math::{Bounds, Plane, Vec3};
use crate::trace::{Trace, TraceRequest};
use bitvec::prelude::{BitSlice, BitVec, Lsb0};
use brush::{Brush, PlaneGroup, Side};
use patch::Patch;
use std::ops::Range;
use sweep::{Goal, Way};

/// How far from a surface a sweep stops, so that rounding on the wire never puts it inside. Unit: world units.
pub const SURFACE_CLIP_EPSILON: f64 = 0.125;

/// A map to collide with. Shape: flat arrays that refer to one another by index, all checked when it was built.
pub struct ClipMap {
    nodes: Box<[Node]>,
    leafs: Box<[Leaf]>,
    /// Brush numbers, in spans that leafs and models own.
    leaf_brushes: Box<[u32]>,
    /// Patch numbers, in spans that leafs and models own.
    leaf_patches: Box<[u32]>,
    brushes: Box<[Brush]>,
    /// Faces of all brushes, for what was hit.
    sides: Box<[Side]>,
    /// Non-axial faces of all brushes, four at a time, for the arithmetic.
    groups: Box<[PlaneGroup]>,
    patches: Box<[Patch]>,
    models: Box<[Model]>,
    cluster_count: usize,
    area_count: usize,
    /// Bits from one row to the next.
    row_bits: usize,
    pvs: BitVec<u8, Lsb0>,
    entity_text: String,
    checksum: u32,
}

/// A plane of the tree. Shape: one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Node {
    below: Extent,
    plane: Plane,
    /// 0, 1, 2: the plane is axial and faces up that axis. 3: it is not.
    axis: u32,
    /// In front and behind: a node, or the complement of a leaf.
    children: [i32; 2],
}

/// A convex piece of the map.
#[derive(Clone, Copy)]
struct Leaf {
    below: Extent,
    solids: Solids,
    cluster: Option<ClusterNum>,
    area: Option<AreaNum>,
}

/// What there is to collide with in a part of the tree: a sweep that cannot meet any of it need not go there.
#[derive(Clone, Copy)]
struct Extent {
    /// Around all brushes and patches that the leafs name; these reach beyond the leafs.
    bounds: Bounds,
    /// Contents of any of them.
    contents: i32,
}

impl Extent {
    /// A box that every sweep meets.
    const EVERYWHERE: Bounds = Bounds::new(Vec3::splat(f32::NEG_INFINITY), Vec3::splat(f32::INFINITY));
    const NOTHING: Self = Self { bounds: Bounds::EMPTY, contents: 0 };

    fn union(self, other: Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), contents: self.contents | other.contents }
    }
}

/// What a leaf or a model has to collide with: spans of `leaf_brushes` and `leaf_patches`.
#[derive(Clone, Copy, Default)]
struct Solids {
    first_brush: u32,
    brush_count: u32,
    first_patch: u32,
    patch_count: u32,
}

impl Solids {
    fn brushes(self) -> Range<usize> {
        self.first_brush as usize..(self.first_brush + self.brush_count) as usize
    }

    fn patches(self) -> Range<usize> {
        self.first_patch as usize..(self.first_patch + self.patch_count) as usize
    }
}

/// The world or an inline model.
struct Model {
    bounds: Bounds,
    solids: Solids,
}

impl ClipMap {
    /// Makes the solid world of a map.
    ///
    /// # Errors
    /// If the map is not sound (see [`Bsp::check`]) or a patch is too finely curved.
    pub fn build(bsp: &Bsp) -> Result<Self, BspError> {
        build::build(bsp)
    }

    /// Sweeps through the world.
    pub fn trace(&self, request: &TraceRequest) -> Trace {
        Way::of_world(request).through(self, None, Goal::Nearest).to_trace(request)
    }

    /// Whether anything in the world stops a ray: exactly when [`ClipMap::trace`] of it hits, and sooner known, because the
    /// first thing met decides.
    pub fn blocked(&self, start: Vec3, end: Vec3, mask: i32) -> bool {
        let request = TraceRequest::ray(start, end, mask, None);
        Way::of_world(&request).through(self, None, Goal::Any).hit()
    }

    /// Number of models: the world and the inline models.
    pub fn model_count(&self) -> usize {
        self.models.len()
    }

    /// Box around a model, one unit larger than the file has it on each side. `None` if there is no such model.
    pub fn model_bounds(&self, model: usize) -> Option<Bounds> {
        self.models.get(model).map(|model| model.bounds)
    }

    /// Number of clusters.
    pub fn cluster_count(&self) -> usize {
        self.cluster_count
    }

    /// Number of areas.
    pub fn area_count(&self) -> usize {
        self.area_count
    }

    /// Entity text of the map.
    pub fn entity_text(&self) -> &str {
        &self.entity_text
    }

    /// Checksum of the map file, which clients compare. Source: `CM_LoadMap`.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// The row of a cluster: bit j says whether cluster j may be visible from it. At least [`ClipMap::cluster_count`] bits.
    ///
    /// No cluster, or one that is not there, gets the first row, as in the original. Without visibility data all bits are set.
    pub fn pvs(&self, cluster: Option<ClusterNum>) -> &BitSlice<u8, Lsb0> {
        let row = cluster.map_or(0, ClusterNum::index);
        let start = row.saturating_mul(self.row_bits);
        let end = start.saturating_add(self.row_bits);
        self.pvs.get(start..end).unwrap_or(&self.pvs[..self.row_bits])
    }
}
