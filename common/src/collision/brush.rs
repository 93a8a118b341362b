//! Clipping a sweep by a convex volume: the latest entry and the earliest exit over all its planes.

use super::shape::Shape;
use super::sweep::Outcome;
use super::{Extent, SURFACE_CLIP_EPSILON};
use crate::bsp::Span;
use crate::math::{Bounds, Plane, Vec3, vec3};
use std::ops::Range;

/// A convex volume. Shape: 48 bytes; its bounds are its six axial planes, unless `axial` says otherwise.
#[derive(Clone, Copy)]
pub(super) struct Brush {
    pub bounds: Bounds,
    pub contents: i32,
    /// All faces, of `ClipMap::sides`.
    pub sides: Span,
    /// Faces that the bounds do not stand for, of `ClipMap::groups`.
    pub groups: Span,
    /// The first six faces are -x +x -y +y -z +z, so that the bounds do for them.
    pub axial: bool,
    /// It is drawn and lets no light through.
    pub opaque: bool,
}

/// Faces that every brush of a compiled map begins with.
pub(super) const AXIAL_SIDES: usize = 6;

impl Brush {
    pub(super) fn sides(&self) -> Range<usize> {
        self.sides.range()
    }

    /// What it may stop. Bounds that do not come from axial planes say nothing about where it is.
    pub(super) fn extent(&self) -> Extent {
        let bounds = if self.axial { self.bounds } else { Extent::EVERYWHERE };
        Extent { bounds, contents: self.contents, curved: false }
    }
}

/// A face.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub plane: Plane,
    pub surface_flags: i32,
}

/// Four planes side by side, one cache line; short ones repeat their last plane, which changes no answer.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct PlaneGroup {
    x: [f32; 4],
    y: [f32; 4],
    z: [f32; 4],
    dist: [f32; 4],
}

impl PlaneGroup {
    /// One of the planes.
    #[inline]
    pub(super) fn plane(&self, lane: usize) -> Plane {
        Plane { normal: vec3(self.x[lane], self.y[lane], self.z[lane]), dist: self.dist[lane] }
    }

    /// Of one to four planes.
    pub(super) fn new(sides: &[Side]) -> Self {
        let plane = |lane: usize| sides[lane.min(sides.len() - 1)].plane;
        Self {
            x: std::array::from_fn(|lane| plane(lane).normal.x),
            y: std::array::from_fn(|lane| plane(lane).normal.y),
            z: std::array::from_fn(|lane| plane(lane).normal.z),
            dist: std::array::from_fn(|lane| plane(lane).dist),
        }
    }
}

/// The box that a sweep stays in, grown by the clip epsilon: what lies outside cannot be hit.
///
/// Source: `CM_BoundsIntersect`, which compares in f64; the limits here are those f32 values between which the f64 comparison
/// changes its answer.
#[derive(Clone, Copy)]
pub(super) struct Reach(Bounds);

impl Reach {
    pub(super) fn of(bounds: &Bounds) -> Self {
        let up = |value: f32| {
            let wide = f64::from(value) + SURFACE_CLIP_EPSILON;
            let near = wide as f32;
            if f64::from(near) > wide { near.next_down() } else { near }
        };
        let down = |value: f32| -up(-value);
        let (low, high) = (bounds.mins, bounds.maxs);
        Self(Bounds::new(
            vec3(down(low.x), down(low.y), down(low.z)),
            vec3(up(high.x), up(high.y), up(high.z)),
        ))
    }

    #[inline]
    pub(super) fn touches(&self, bounds: &Bounds) -> bool {
        (bounds.mins.x <= self.0.maxs.x)
            & (bounds.mins.y <= self.0.maxs.y)
            & (bounds.mins.z <= self.0.maxs.z)
            & (bounds.maxs.x >= self.0.mins.x)
            & (bounds.maxs.y >= self.0.mins.y)
            & (bounds.maxs.z >= self.0.mins.z)
    }
}

/// How far a sweep has been clipped by the planes of one volume. Source: `CM_TraceThroughBrush`.
pub(super) struct Clip {
    /// Share of the way at which the last plane so far is entered; -1 if none is.
    pub enter: f32,
    /// Share of the way at which the first plane so far is left.
    pub leave: f32,
    /// The plane that `enter` belongs to.
    pub lead: usize,
    start_out: bool,
    end_out: bool,
}

impl Clip {
    pub(super) const fn new() -> Self {
        Self { enter: -1.0, leave: 1.0, lead: 0, start_out: false, end_out: false }
    }

    /// Clips by planes numbered from `first`, given the distances of start and end to each. False: the way misses the volume.
    #[inline]
    pub(super) fn planes<const N: usize>(&mut self, start: &[f32; N], end: &[f32; N], first: usize) -> bool {
        let mut misses = false;
        for (&d1, &d2) in start.iter().zip(end) {
            misses |= (d1 > 0.0) & ((d2 >= SURFACE_CLIP_EPSILON as f32) | (d2 >= d1));
        }
        if misses {
            return false;
        }
        for (lane, (&d1, &d2)) in start.iter().zip(end).enumerate() {
            self.start_out |= d1 > 0.0;
            self.end_out |= d2 > 0.0;
            if !((d1 <= 0.0) & (d2 <= 0.0)) {
                self.cross(d1, d2, first + lane);
            }
        }
        true
    }

    /// The way crosses a plane. True if that is the latest entry so far.
    #[inline]
    pub(super) fn cross(&mut self, d1: f32, d2: f32, plane: usize) -> bool {
        if d1 > d2 {
            let fraction = ((f64::from(d1) - SURFACE_CLIP_EPSILON) / f64::from(d1 - d2)) as f32;
            let fraction = if fraction < 0.0 { 0.0 } else { fraction };
            if fraction > self.enter {
                self.enter = fraction;
                self.lead = plane;
                return true;
            }
        } else {
            let fraction = ((f64::from(d1) + SURFACE_CLIP_EPSILON) / f64::from(d1 - d2)) as f32;
            let fraction = if fraction > 1.0 { 1.0 } else { fraction };
            if fraction < self.leave {
                self.leave = fraction;
            }
        }
        false
    }

    /// What the volume does to the sweep once all its planes have been seen; `face` tells plane and surface flags of one.
    #[inline]
    pub(super) fn apply(
        &self,
        outcome: &mut Outcome,
        contents: i32,
        face: impl FnOnce(usize) -> (Plane, i32),
    ) {
        if !self.start_out {
            outcome.start_solid = true;
            if !self.end_out {
                outcome.all_solid = true;
                outcome.fraction = 0.0;
                outcome.contents = contents;
            }
        } else if self.enter < self.leave && self.enter > -1.0 && self.enter < outcome.fraction {
            outcome.fraction = self.enter;
            (outcome.plane, outcome.surface_flags) = face(self.lead);
            outcome.contents = contents;
        }
    }
}

/// In which order the two planes of an axis come; the first of two entered at once is the one that is reported.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum AxialOrder {
    /// As in map files: -x +x -y +y -z +z.
    LowFirst,
    /// As in the original's temporary boxes: +x -x +y -y +z -z.
    HighFirst,
}

/// Distances of start and end to the six faces of a box.
#[inline]
pub(super) fn axial_distances<S: Shape>(
    shape: &S,
    bounds: &Bounds,
    order: AxialOrder,
) -> ([f32; 6], [f32; 6]) {
    let (mut start, mut end) = ([0.0; 6], [0.0; 6]);
    for axis in 0..3 {
        let low = shape.below(axis, bounds.mins[axis]);
        let high = shape.above(axis, bounds.maxs[axis]);
        let (first, second) = if order == AxialOrder::LowFirst { (low, high) } else { (high, low) };
        (start[axis * 2], end[axis * 2]) = first;
        (start[axis * 2 + 1], end[axis * 2 + 1]) = second;
    }
    (start, end)
}

/// Distances of start and end to four planes.
#[inline]
pub(super) fn group_distances<S: Shape>(shape: &S, group: &PlaneGroup) -> ([f32; 4], [f32; 4]) {
    let (mut start, mut end) = ([0.0; 4], [0.0; 4]);
    for lane in 0..4 {
        let normal = Vec3::new(group.x[lane], group.y[lane], group.z[lane]);
        (start[lane], end[lane]) = shape.distances(normal, group.dist[lane]);
    }
    (start, end)
}
