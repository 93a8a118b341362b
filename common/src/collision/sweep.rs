//! A sweep in progress: where it goes, what it has met so far, and what a leaf has for it.

use super::brush::{AXIAL_SIDES, AxialOrder, Brush, Clip, Reach, axial_distances, group_distances};
use super::course::Course;
use super::shape::{BoxShape, Capsule, Ray, Shape};
use super::{ClipMap, Extent, Solids};
use crate::math::{Bounds, Plane, Vec3, vec3};
use crate::trace::{Trace, TraceRequest};

/// What has been met so far.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub all_solid: bool,
    pub start_solid: bool,
    pub fraction: f32,
    pub plane: Plane,
    pub surface_flags: i32,
    pub contents: i32,
}

impl Outcome {
    pub(super) const CLEAR: Self = Self {
        all_solid: false,
        start_solid: false,
        fraction: 1.0,
        plane: Plane { normal: Vec3::ZERO, dist: 0.0 },
        surface_flags: 0,
        contents: 0,
    };

    /// Whether anything is in the way.
    pub(super) fn hit(&self) -> bool {
        self.fraction < 1.0 || self.start_solid
    }

    /// The whole way is inside something of these contents.
    pub(super) fn stuck_in(&mut self, contents: i32) {
        self.start_solid = true;
        self.all_solid = true;
        self.fraction = 0.0;
        self.contents = contents;
    }

    /// The answer; the end is taken from the way as it was asked for.
    pub(super) fn to_trace(self, request: &TraceRequest) -> Trace {
        let end = if self.fraction == 1.0 { request.end } else { self.end(request) };
        self.at(end)
    }

    /// The answer for something that has a place of its own; the end is computed even if nothing was hit, as the original does.
    pub(super) fn to_trace_of_model(self, request: &TraceRequest) -> Trace {
        self.at(self.end(request))
    }

    fn end(&self, request: &TraceRequest) -> Vec3 {
        request.start.mul_add(self.fraction, request.end - request.start)
    }

    fn at(self, end: Vec3) -> Trace {
        Trace {
            all_solid: self.all_solid,
            start_solid: self.start_solid,
            fraction: self.fraction,
            end,
            plane: self.plane,
            surface_flags: self.surface_flags,
            contents: self.contents,
            entity: None,
        }
    }
}

/// What a sweep is for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// The nearest obstacle.
    Nearest,
    /// Whether there is one.
    Any,
}

/// Where a sweep goes, with the box made symmetric. Source: `CM_Trace`, its first half.
pub(super) struct Way {
    start: Vec3,
    end: Vec3,
    /// The box from its middle.
    size: Bounds,
    /// Half of the capsule's straight part; `None` for a box.
    capsule: Option<Vec3>,
    radius: f32,
    /// Start and end were asked to be the same point.
    still: bool,
    mask: i32,
}

/// A box about its own middle, and where that is. Source: `CM_Trace`, which does this to avoid trouble with turned models.
pub(super) fn symmetric(bounds: &Bounds) -> (Bounds, Vec3) {
    let middle = (bounds.mins + bounds.maxs) * 0.5;
    (Bounds::new(bounds.mins - middle, bounds.maxs - middle), middle)
}

/// Radius of the capsule that fits a symmetric box.
pub(super) fn capsule_radius(size: &Bounds) -> f32 {
    if size.maxs.x > size.maxs.z { size.maxs.z } else { size.maxs.x }
}

impl Way {
    /// As asked, in the frame of the world.
    pub(super) fn of_world(request: &TraceRequest) -> Self {
        let (size, middle) = symmetric(&request.bounds);
        let radius = capsule_radius(&size);
        Self {
            start: request.start + middle,
            end: request.end + middle,
            size,
            capsule: request.capsule.then(|| vec3(0.0, 0.0, size.maxs.z - radius)),
            radius,
            still: request.start == request.end,
            mask: request.mask,
        }
    }

    /// In the frame of a model: `local` is the request there, `radius` and `capsule` belong to its box before it was moved.
    pub(super) fn of_model(local: &TraceRequest, radius: f32, capsule: Option<Vec3>) -> Self {
        Self { radius, capsule, ..Self::of_world(local) }
    }

    /// Sweeps through the tree, or through some solids only.
    pub(super) fn through(&self, map: &ClipMap, solids: Option<Solids>, goal: Goal) -> Outcome {
        if self.still {
            // A point that does not move is tested as a box of no extent, also against patches.
            return match self.capsule {
                Some(offset) => {
                    Sweep::new(map, self, self.capsule_shape(offset), goal).stand(&self.size, solids)
                }
                None => Sweep::new(map, self, self.box_shape(), goal).stand(&self.size, solids),
            };
        }
        if self.size.mins == Vec3::ZERO {
            let ray = Ray { start: self.start, end: self.end };
            let mut sweep = Sweep::new(map, self, ray, goal);
            sweep.point = true;
            sweep.extents = Vec3::ZERO;
            sweep.slanted_extent = 0.0;
            return sweep.go(solids);
        }
        match self.capsule {
            Some(offset) => Sweep::new(map, self, self.capsule_shape(offset), goal).go(solids),
            None => Sweep::new(map, self, self.box_shape(), goal).go(solids),
        }
    }

    /// Sweeps through a box, the order of whose faces is that of the original's temporary boxes.
    pub(super) fn through_box(&self, bounds: &Bounds, contents: i32) -> Outcome {
        let mut outcome = Outcome::CLEAR;
        if contents & self.mask == 0 {
            return outcome;
        }
        if self.still {
            if self.bounds().touches(bounds) {
                outcome.stuck_in(contents);
            }
            return outcome;
        }
        if Reach::of(&self.bounds()).touches(bounds) {
            match self.capsule {
                Some(offset) => clip_box(&self.capsule_shape(offset), bounds, contents, &mut outcome),
                None => clip_box(&self.box_shape(), bounds, contents, &mut outcome),
            }
        }
        outcome
    }

    fn box_shape(&self) -> BoxShape {
        BoxShape { start: self.start, end: self.end, size: self.size }
    }

    fn capsule_shape(&self, offset: Vec3) -> Capsule {
        Capsule { start: self.start, end: self.end, radius: self.radius, offset }
    }

    /// The shape about its middle, as a box.
    fn about_middle(&self) -> Bounds {
        self.capsule.map_or(self.size, |offset| {
            let reach = offset.abs() + Vec3::splat(self.radius);
            Bounds::new(-reach, reach)
        })
    }

    /// The box that the whole sweep stays in.
    fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::POINT;
        for axis in 0..3 {
            let (a, b) = (self.start[axis], self.end[axis]);
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            if let Some(offset) = self.capsule {
                let (offset, radius) = (f64::from(offset[axis]).abs(), f64::from(self.radius));
                bounds.mins[axis] = (f64::from(low) - offset - radius) as f32;
                bounds.maxs[axis] = (f64::from(high) + offset + radius) as f32;
            } else {
                bounds.mins[axis] = low + self.size.mins[axis];
                bounds.maxs[axis] = high + self.size.maxs[axis];
            }
        }
        bounds
    }
}

/// Clips a sweep by a brush. False: the way misses it. Source: `CM_TraceThroughBrush`.
#[inline]
pub(super) fn clip_brush<S: Shape>(map: &ClipMap, brush: &Brush, shape: &S, outcome: &mut Outcome) -> bool {
    let mut clip = Clip::new();
    let mut first = 0;
    if brush.axial {
        let (start, end) = axial_distances(shape, &brush.bounds, AxialOrder::LowFirst);
        if !clip.planes(&start, &end, first) {
            return false;
        }
        first = AXIAL_SIDES;
    }
    for group in &map.groups[brush.groups.range()] {
        let (start, end) = group_distances(shape, group);
        if !clip.planes(&start, &end, first) {
            return false;
        }
        first += 4;
    }
    let sides = &map.sides[brush.sides()];
    clip.apply(outcome, brush.contents, |lead| (sides[lead].plane, sides[lead].surface_flags));
    true
}

fn clip_box<S: Shape>(shape: &S, bounds: &Bounds, contents: i32, outcome: &mut Outcome) {
    let mut clip = Clip::new();
    let (start, end) = axial_distances(shape, bounds, AxialOrder::HighFirst);
    if clip.planes(&start, &end, 0) {
        clip.apply(outcome, contents, |face| {
            let (axis, up) = (face / 2, face % 2 == 0);
            let mut normal = Vec3::ZERO;
            normal[axis] = if up { 1.0 } else { -1.0 };
            (Plane { normal, dist: if up { bounds.maxs[axis] } else { -bounds.mins[axis] } }, 0)
        });
    }
}

/// Slots of [`Seen`]; a power of two.
const SEEN_SLOTS: usize = 64;

/// Volumes that this sweep has tested. It forgets, which costs a second test and changes nothing: clipping twice by the same
/// volume gives what clipping once does. So it needs no table the size of the map, and no state outside the sweep.
pub(super) struct Seen([u32; SEEN_SLOTS]);

impl Seen {
    pub(super) const fn new() -> Self {
        Self([u32::MAX; SEEN_SLOTS])
    }

    /// Whether this one was tested and is still remembered; remembers it.
    #[inline]
    pub(super) fn again(&mut self, number: u32) -> bool {
        let slot = &mut self.0[number as usize % SEEN_SLOTS];
        std::mem::replace(slot, number) == number
    }
}

/// A shape on its way through a map.
pub(super) struct Sweep<'m, S> {
    pub map: &'m ClipMap,
    pub shape: S,
    pub mask: i32,
    pub bounds: Bounds,
    pub reach: Reach,
    pub course: Course,
    /// No extent: patches are met as surfaces, not as volumes.
    pub point: bool,
    /// Half extents, by which axial planes of the tree are widened.
    pub extents: Vec3,
    /// By how much other planes of the tree are widened.
    pub slanted_extent: f32,
    pub goal: Goal,
    pub seen: Seen,
    pub out: Outcome,
}

impl<'m, S: Shape> Sweep<'m, S> {
    fn new(map: &'m ClipMap, way: &Way, shape: S, goal: Goal) -> Self {
        let bounds = way.bounds();
        Self {
            course: Course::new(way.start, way.end, &way.about_middle()),
            map,
            shape,
            mask: way.mask,
            reach: Reach::of(&bounds),
            bounds,
            point: false,
            extents: way.size.maxs,
            // The original's figure: far more than any box reaches.
            slanted_extent: 2048.0,
            goal,
            seen: Seen::new(),
            out: Outcome::CLEAR,
        }
    }

    fn go(mut self, solids: Option<Solids>) -> Outcome {
        match solids {
            Some(solids) => self.through_solids(solids),
            None => self.through_tree(),
        }
        self.out
    }

    fn stand(mut self, size: &Bounds, solids: Option<Solids>) -> Outcome {
        match solids {
            Some(solids) => self.stand_among(solids),
            None => self.stand_in_world(size),
        }
        self.out
    }

    /// Whether anything of this extent could stop the sweep; what is passed over here would be passed over one by one.
    #[inline]
    pub(super) fn may_touch(&self, extent: &Extent) -> bool {
        extent.contents & self.mask != 0 && self.reach.touches(&extent.bounds)
    }

    /// What a leaf or model has in the way. Source: `CM_TraceThroughLeaf`.
    pub(super) fn through_solids(&mut self, solids: Solids) {
        let map = self.map;
        for &number in &map.leaf_brushes[solids.brushes()] {
            let brush = &map.brushes[number as usize];
            if brush.contents & self.mask == 0
                || !self.reach.touches(&brush.bounds)
                || brush.axial && !self.course.meets(&brush.bounds, self.out.fraction)
                || self.seen.again(number)
            {
                continue;
            }
            self.through_brush(brush);
            if self.out.fraction == 0.0 {
                return;
            }
        }
        for &number in &map.leaf_patches[solids.patches()] {
            let patch = &map.patches[number as usize];
            if patch.contents & self.mask == 0
                || !self.reach.touches(&patch.bounds)
                || self.seen.again(self.patch_mark(number))
            {
                continue;
            }
            patch.clip(&self.shape, self.point, &mut self.out);
            self.decide();
            if self.out.fraction == 0.0 {
                return;
            }
        }
    }

    /// Patches are remembered under numbers beyond those of brushes.
    pub(super) fn patch_mark(&self, patch: u32) -> u32 {
        self.map.brushes.len() as u32 + patch
    }

    fn through_brush(&mut self, brush: &Brush) {
        if clip_brush(self.map, brush, &self.shape, &mut self.out) {
            self.decide();
        }
    }

    /// If only whether is asked, the first thing met ends the sweep: nothing is nearer than nothing.
    fn decide(&mut self) {
        if self.goal == Goal::Any && self.out.hit() {
            self.out.fraction = 0.0;
        }
    }
}
