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
//! * [`ClipMap::trace`], [`ClipMap::trace_fan`], [`ClipMap::blocked`]: through the world.
//! * [`ClipMap::trace_model`]: through a door or platform. [`trace_box`]: through a player.
//! * [`ClipMap::light`]: whether one point can be seen from another. [`ClipMap::shade_between`]: what else is hidden by what is
//!   between them.
//! * [`ClipMap::contents_at`], [`ClipMap::leaf_at`], [`ClipMap::leafs_in_box`], [`ClipMap::pvs`]: where a point or box is.
//!
//! Source: `CM_*` of ioquake3; differences are in `common/docs/quirks.md`.

mod alone;
mod areas;
mod brush;
mod build;
mod cells;
mod cluster;
mod contents;
mod course;
mod fan;
mod glass;
mod light;
mod model;
mod near;
mod patch;
mod position;
mod shade;
mod shape;
mod sweep;
mod tree;

pub use alone::MapAlone;
pub use areas::AreaPortals;
pub use cells::axial_planes;
pub use glass::Glass;
pub use light::{Light, Occluder, Placement};
pub use model::trace_box;
pub use near::{Obstacle, Part, Volume};
pub use shade::{HalfSpace, Place, Shade, place};

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
    glass_count: usize,
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
    /// There are patches among them.
    curved: bool,
}

impl Extent {
    /// A box that every sweep meets.
    const EVERYWHERE: Bounds = Bounds::new(Vec3::splat(f32::NEG_INFINITY), Vec3::splat(f32::INFINITY));
    const NOTHING: Self = Self { bounds: Bounds::EMPTY, contents: 0, curved: false };

    fn union(self, other: Self) -> Self {
        Self {
            bounds: self.bounds.union(other.bounds),
            contents: self.contents | other.contents,
            curved: self.curved | other.curved,
        }
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
        build::build(bsp, &Glass::default())
    }

    /// The same, with what players see through although the map file says otherwise. It matters to light alone.
    ///
    /// # Errors
    /// As [`ClipMap::build`].
    pub fn build_with(bsp: &Bsp, glass: &Glass) -> Result<Self, BspError> {
        build::build(bsp, glass)
    }

    /// Brushes and patches that stop light by the map file, and are seen through all the same.
    pub fn glass_count(&self) -> usize {
        self.glass_count
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bsp::testing::room;
    use crate::ids::LeafNum;
    use crate::math::vec3;
    use crate::proto::{contents, surface};

    const BOX: Bounds = Bounds::new(vec3(-16.0, -16.0, -16.0), vec3(16.0, 16.0, 16.0));

    fn map() -> ClipMap {
        ClipMap::build(&room()).unwrap()
    }

    fn sweep(start: Vec3, end: Vec3, bounds: Bounds) -> TraceRequest {
        TraceRequest::sweep(start, end, bounds, contents::SOLID, None)
    }

    #[test]
    fn a_fall_ends_an_eighth_above_the_floor() {
        let (start, end) = (vec3(200.0, 0.0, 100.0), vec3(200.0, 0.0, -100.0));
        let ray = map().trace(&sweep(start, end, Bounds::POINT));
        assert_eq!(
            (ray.end.z, ray.plane.normal, ray.contents),
            (0.125, vec3(0.0, 0.0, 1.0), contents::SOLID)
        );
        let body = map().trace(&sweep(start, end, BOX));
        assert_eq!((body.end.z, body.plane.dist), (16.125, 0.0));
        let capsule = map().trace(&TraceRequest { capsule: true, ..sweep(start, end, BOX) });
        assert_eq!(capsule.end.z, 16.125);
    }

    #[test]
    fn a_mask_decides_what_stops() {
        let map = map();
        let (start, end) = (vec3(96.0, 0.0, 100.0), vec3(96.0, 0.0, 10.0));
        assert!(!map.trace(&sweep(start, end, Bounds::POINT)).hit());
        let water = TraceRequest { mask: contents::WATER, ..sweep(start, end, Bounds::POINT) };
        let trace = map.trace(&water);
        assert_eq!((trace.end.z, trace.surface_flags), (32.125, surface::NOMARKS));
        assert_eq!(map.contents_at(end), contents::WATER);
        assert_eq!(map.contents_at(start), 0);
    }

    #[test]
    fn starting_inside_is_told_apart_from_being_stuck() {
        let map = map();
        let inside = vec3(0.0, 0.0, -8.0);
        let out = map.trace(&sweep(inside, vec3(0.0, 0.0, 50.0), Bounds::POINT));
        assert!(out.start_solid && !out.all_solid && out.fraction == 1.0);
        let stuck = map.trace(&sweep(inside, vec3(0.0, 0.0, -9.0), Bounds::POINT));
        assert!(stuck.start_solid && stuck.all_solid && stuck.fraction == 0.0);
        let still = map.trace(&sweep(inside, inside, BOX));
        assert!(still.start_solid && still.all_solid);
        let above = vec3(0.0, 0.0, 16.125);
        assert!(!map.trace(&sweep(above, above, BOX)).hit());
    }

    #[test]
    fn an_arch_stops_a_ray_from_its_front_and_a_box_from_outside() {
        let map = map();
        let (start, end) = (vec3(-128.0, 0.0, 200.0), vec3(-128.0, 0.0, 20.0));
        let ray = map.trace(&sweep(start, end, Bounds::POINT));
        assert!((ray.end.z - 64.0).abs() < 8.0 && ray.surface_flags == surface::SLICK, "{ray:?}");
        assert!(!map.trace(&sweep(end, start, Bounds::POINT)).hit(), "from below it is not there");
        let body = map.trace(&sweep(start, end, BOX));
        assert!(body.end.z > ray.end.z + 15.0, "{body:?}");
    }

    #[test]
    fn a_ray_from_exactly_a_patchs_border_hits_the_plane_beyond_it() {
        let map = map();
        let end = vec3(-128.0, 300.0, 20.0);
        let on = map.trace(&sweep(vec3(-128.0, 64.0, 200.0), end, Bounds::POINT));
        assert!(on.surface_flags == surface::SLICK && on.end.y > 200.0, "{on:?}");
        let beside = map.trace(&sweep(vec3(-128.0, 64.25, 200.0), end, Bounds::POINT));
        assert!(!beside.hit(), "{beside:?}");
    }

    #[test]
    fn blocked_says_what_a_trace_says() {
        let map = map();
        let places =
            [vec3(-200.0, 0.0, 20.0), vec3(-128.0, 0.0, 20.0), vec3(200.0, 5.0, 90.0), vec3(0.0, 0.0, -8.0)];
        for start in places {
            for end in places {
                let trace = map.trace(&sweep(start, end, Bounds::POINT));
                assert_eq!(map.blocked(start, end, contents::SOLID), trace.hit(), "{start:?} to {end:?}");
            }
        }
    }

    #[test]
    fn a_door_stops_where_it_stands_and_turned_as_it_is() {
        let map = map();
        let (start, end) = (vec3(100.0, 0.0, 32.0), vec3(0.0, 0.0, 32.0));
        let ahead = map.trace_model(1, vec3(40.0, 0.0, 0.0), Vec3::ZERO, &sweep(start, end, Bounds::POINT));
        assert!((ahead.end.x - 48.125).abs() < 1e-4, "{ahead:?}");
        let turned = vec3(0.0, 90.0, 0.0);
        let broad = map.trace_model(1, vec3(40.0, 0.0, 0.0), turned, &sweep(start, end, Bounds::POINT));
        assert!((broad.end.x - 72.125).abs() < 1e-4 && broad.plane.normal.x > 0.999, "{broad:?}");
        assert!(!map.trace_model(9, Vec3::ZERO, Vec3::ZERO, &sweep(start, end, Bounds::POINT)).hit());
        let inside = map.model_contents_at(1, vec3(40.0, 0.0, 0.0), turned, vec3(60.0, 0.0, 5.0));
        assert_eq!(inside, contents::SOLID);
    }

    #[test]
    fn a_body_stops_a_mask_that_has_bodies() {
        let (start, end) = (vec3(100.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0));
        let request = TraceRequest { mask: contents::BODY, ..sweep(start, end, Bounds::POINT) };
        let trace = trace_box(&BOX, vec3(10.0, 0.0, 0.0), contents::BODY, &request);
        assert!((trace.end.x - 26.125).abs() < 1e-4 && trace.contents == contents::BODY, "{trace:?}");
        assert!(
            !trace_box(&BOX, vec3(10.0, 0.0, 0.0), contents::BODY, &sweep(start, end, Bounds::POINT)).hit()
        );
    }

    #[test]
    fn a_place_has_its_leaf_cluster_area_and_row() {
        let map = map();
        let (east, west) = (map.leaf_at(vec3(9.0, 0.0, 9.0)), map.leaf_at(vec3(-9.0, 0.0, 9.0)));
        assert_eq!(
            (map.leaf_area(east), map.leaf_area(west)),
            (Some(AreaNum::new(0)), Some(AreaNum::new(1)))
        );
        assert!(map.pvs(map.leaf_cluster(west))[1] && !map.pvs(map.leaf_cluster(west))[0]);
        assert_eq!(map.leaf_cluster(map.leaf_at(vec3(0.0, 0.0, -9.0))), None);

        let mut list = Vec::new();
        let last = map.leafs_in_box(&BOX, 1, &mut list);
        assert_eq!(
            (list.as_slice(), last),
            (&[LeafNum::new(1)][..], Some(LeafNum::new(2))),
            "overflow keeps the last"
        );
        assert_eq!(map.leafs_in_box(&BOX.translated(vec3(0.0, 0.0, -40.0)), 8, &mut list), None);
    }

    #[test]
    fn a_map_without_visibility_data_sees_everything() {
        let map = ClipMap::build(&Bsp { visibility: None, ..room() }).unwrap();
        assert!(map.pvs(map.leaf_cluster(LeafNum::new(1)))[..map.cluster_count()].all());
        assert!(map.pvs(None).all() && map.cluster_count() == 2);
    }

    #[test]
    fn a_patch_curved_beyond_all_measure_is_refused() {
        let mut bsp = room();
        bsp.draw_verts[4].position.z = 1.0e9;
        let error = ClipMap::build(&bsp).err().map(|error| error.to_string());
        assert_eq!(
            error.as_deref(),
            Some("lump surfaces, byte 0 (record 0): the patch is too finely curved")
        );
    }
}
