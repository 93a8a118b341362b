//! Rays that begin together and part little, such as a shotgun's pellets: the tree is walked once for all of them.
//!
//! A lane is one ray. On the way down each lane has the stretch of its way that can be in this part of the tree, and a part in which
//! no lane has one is passed over. The stretches err to the side of more, and what is met in the end is clipped as for one
//! ray alone, so each ray gets the answer that [`ClipMap::trace`] has for it. Only where two surfaces lie in one another may it be
//! stopped by the other of them.

use super::brush::{Brush, Reach};
use super::shape::Ray;
use super::sweep::{Outcome, clip_brush};
use super::{ClipMap, Leaf};
use crate::math::{Bounds, Vec3};
use crate::trace::{Trace, TraceRequest};

/// Rays of a fan; more are several fans.
const LANES: usize = 12;
/// As far as this beyond a plane or a box still counts as there. Unit: world units. Far more than the clip epsilon and rounding.
const MARGIN: f32 = 1.0;
/// Slots of [`Seen`]; a power of two.
const SEEN_SLOTS: usize = 128;

/// A number for each lane.
type Lanes = [f32; LANES];

/// The stretch of each lane's way that may be in a part of the tree; none if it ends before it begins. Unit: shares of the way.
#[derive(Clone, Copy)]
struct Stretch {
    from: Lanes,
    to: Lanes,
}

impl Stretch {
    /// Lanes that have one, a bit each.
    fn lanes(&self) -> u32 {
        let mut set = 0;
        for lane in 0..LANES {
            set |= u32::from(self.from[lane] <= self.to[lane]) << lane;
        }
        set
    }

    fn is_empty(&self) -> bool {
        let mut any = false;
        for lane in 0..LANES {
            any |= self.from[lane] <= self.to[lane];
        }
        !any
    }
}

/// Volumes and the lanes that have been clipped by them. It forgets, which costs a second test and changes nothing.
struct Seen([(u32, u32); SEEN_SLOTS]);

impl Seen {
    /// Those of `lanes` that have not been here, as far as is remembered; remembers them.
    fn fresh(&mut self, number: u32, lanes: u32) -> u32 {
        let slot = &mut self.0[number as usize % SEEN_SLOTS];
        if slot.0 != number {
            *slot = (number, 0);
        }
        let fresh = lanes & !slot.1;
        slot.1 |= lanes;
        fresh
    }
}

struct Fan<'m> {
    map: &'m ClipMap,
    start: Vec3,
    mask: i32,
    ends: [Vec3; LANES],
    /// The way of each lane, and one over it; infinite where it goes nowhere. Shape: by axis.
    way: [Lanes; 3],
    inverse: [Lanes; 3],
    reach: [Reach; LANES],
    /// Where each lane has been stopped so far.
    fraction: Lanes,
    out: [Outcome; LANES],
    seen: Seen,
}

impl ClipMap {
    /// How far several rays come, each as by [`ClipMap::trace`]; `traces` has one place for each. Rays that begin at one point share
    /// most of the work.
    ///
    /// # Panics
    /// If there are fewer places than rays.
    pub fn trace_fan(&self, rays: &[TraceRequest], traces: &mut [Trace]) {
        assert!(rays.len() <= traces.len(), "{} rays for {} answers", rays.len(), traces.len());
        for (rays, traces) in rays.chunks(LANES).zip(traces.chunks_mut(LANES)) {
            let is_alike = |ray: &TraceRequest| {
                ray.start == rays[0].start
                    && ray.mask == rays[0].mask
                    && ray.bounds == Bounds::POINT
                    && ray.end != ray.start
            };
            if rays.len() > 1 && rays.iter().all(is_alike) {
                let mut fan = Fan::new(self, rays);
                fan.descend(0, Stretch { from: [0.0; LANES], to: fan.fraction });
                for ((ray, trace), out) in rays.iter().zip(traces).zip(&fan.out) {
                    *trace = out.to_trace(ray);
                }
            } else {
                for (ray, trace) in rays.iter().zip(traces) {
                    *trace = self.trace(ray);
                }
            }
        }
    }
}

impl<'m> Fan<'m> {
    /// Of one to [`LANES`] rays; lanes without a ray go nowhere and meet nothing.
    fn new(map: &'m ClipMap, rays: &[TraceRequest]) -> Self {
        let start = rays[0].start;
        let end = |lane: usize| rays.get(lane).map_or(start, |ray| ray.end);
        let way: [Lanes; 3] =
            std::array::from_fn(|axis| std::array::from_fn(|lane| end(lane)[axis] - start[axis]));
        Self {
            map,
            start,
            mask: rays[0].mask,
            ends: std::array::from_fn(end),
            way,
            inverse: way.map(|way| way.map(|way| 1.0 / way)),
            reach: std::array::from_fn(|lane| {
                let end = end(lane);
                Reach::of(&Bounds::new(start.min(end), start.max(end)))
            }),
            fraction: std::array::from_fn(|lane| if lane < rays.len() { 1.0 } else { -1.0 }),
            out: [Outcome::CLEAR; LANES],
            seen: Seen([(u32::MAX, 0); SEEN_SLOTS]),
        }
    }

    fn descend(&mut self, mut at: i32, mut part: Stretch) {
        let map = self.map;
        while at >= 0 {
            let node = &map.nodes[at as usize];
            if node.below.contents & self.mask == 0 {
                return;
            }
            // Only brushes are bounded by their boxes whatever the way: see the walk of one ray.
            self.narrow(&mut part, (!node.below.curved).then_some(&node.below.bounds));
            if part.is_empty() {
                return;
            }
            let distance = node.distance_to(self.start);
            let near = usize::from(distance < 0.0);
            let (first, second) = if node.axis < 3 {
                let axis = node.axis as usize;
                split(&part, distance, &self.way[axis], &self.inverse[axis])
            } else {
                let normal = node.plane.normal;
                let slope: Lanes = std::array::from_fn(|lane| {
                    self.way[0][lane] * normal.x + self.way[1][lane] * normal.y + self.way[2][lane] * normal.z
                });
                split(&part, distance, &slope, &slope.map(|slope| 1.0 / slope))
            };
            if !second.is_empty() {
                self.descend(node.children[near], first);
                (at, part) = (node.children[1 - near], second);
            } else {
                (at, part) = (node.children[near], first);
            }
        }
        let leaf = &map.leafs[!at as usize];
        if leaf.below.contents & self.mask != 0 {
            self.narrow(&mut part, (!leaf.below.curved).then_some(&leaf.below.bounds));
            self.through_leaf(leaf, part.lanes());
        }
    }

    /// Takes off what lies outside of a box, and what lies behind what has been met.
    #[inline]
    fn narrow(&self, part: &mut Stretch, bounds: Option<&Bounds>) {
        for lane in 0..LANES {
            part.to[lane] = less(self.fraction[lane], part.to[lane]);
        }
        let Some(bounds) = bounds else { return };
        for axis in 0..3 {
            let low = bounds.mins[axis] - MARGIN - self.start[axis];
            let high = bounds.maxs[axis] + MARGIN - self.start[axis];
            for lane in 0..LANES {
                let (a, b) = (low * self.inverse[axis][lane], high * self.inverse[axis][lane]);
                let (first, last) = if a < b { (a, b) } else { (b, a) };
                part.from[lane] = more(first, part.from[lane]);
                part.to[lane] = less(last, part.to[lane]);
            }
        }
    }

    /// Lanes that come near a box before they are stopped, a bit each.
    #[inline]
    fn meeting(&self, bounds: &Bounds) -> u32 {
        let mut part = Stretch { from: [0.0; LANES], to: self.fraction };
        self.narrow(&mut part, Some(bounds));
        part.lanes()
    }

    fn through_leaf(&mut self, leaf: &Leaf, lanes: u32) {
        if lanes == 0 {
            return;
        }
        let map = self.map;
        for &number in &map.leaf_brushes[leaf.solids.brushes()] {
            let brush = &map.brushes[number as usize];
            if brush.contents & self.mask == 0 {
                continue;
            }
            let near = if brush.axial { lanes & self.meeting(&brush.bounds) } else { lanes };
            if near != 0 {
                let fresh = self.seen.fresh(number, near);
                self.through_brush(brush, fresh);
            }
        }
        for &number in &map.leaf_patches[leaf.solids.patches()] {
            let patch = &map.patches[number as usize];
            if patch.contents & self.mask == 0 {
                continue;
            }
            let fresh = self.seen.fresh(map.brushes.len() as u32 + number, lanes);
            for lane in lanes_of(fresh) {
                if self.out[lane].fraction > 0.0 && self.reach[lane].touches(&patch.bounds) {
                    let ray = self.ray(lane);
                    patch.clip(&ray, true, &mut self.out[lane]);
                    self.fraction[lane] = self.out[lane].fraction;
                }
            }
        }
    }

    fn through_brush(&mut self, brush: &Brush, lanes: u32) {
        for lane in lanes_of(lanes) {
            if self.reach[lane].touches(&brush.bounds) && self.out[lane].fraction > 0.0 {
                let ray = self.ray(lane);
                clip_brush(self.map, brush, &ray, &mut self.out[lane]);
                self.fraction[lane] = self.out[lane].fraction;
            }
        }
    }

    fn ray(&self, lane: usize) -> Ray {
        Ray { start: self.start, end: self.ends[lane] }
    }
}

fn lanes_of(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// The larger; the second if the first is no number.
#[inline]
fn more(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller; the second if the first is no number.
#[inline]
fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The stretches on the near side of a plane, where all lanes begin, and on the far side. They overlap by the margin.
/// `slope`: what the whole way adds to the distance; `inverse`: one over that.
#[inline]
fn split(part: &Stretch, distance: f32, slope: &Lanes, inverse: &Lanes) -> (Stretch, Stretch) {
    let sign = if distance < 0.0 { -1.0 } else { 1.0 };
    let off = distance * sign;
    let (mut near, mut far) = (*part, *part);
    for lane in 0..LANES {
        let (crosses, inverse) = (slope[lane] * sign < 0.0, inverse[lane].abs());
        let (enters, leaves) = ((off - MARGIN) * inverse, (off + MARGIN) * inverse);
        near.to[lane] = if crosses { less(leaves, part.to[lane]) } else { part.to[lane] };
        far.from[lane] = if crosses { more(enters, part.from[lane]) } else { part.from[lane] };
        far.to[lane] = if crosses { part.to[lane] } else { less(-enters, part.to[lane]) };
    }
    (near, far)
}
