//! Light: whether it comes from one point to another, and which brush stops it if it does not.
//!
//! What is drawn and solid stops light: brushes that are solid, not translucent, drawn on at least one side and sky on none;
//! patches that are solid, not translucent and drawn, from their front. Clip brushes, liquids, fog, glass and sky do not.
//! These are facts of the map file; no shader script is read, so a grate that a mapper did not mark as translucent counts as a
//! wall (quirks.md).
//!
//! The answer errs to the side of passing: a surface seen from behind, or a way that ends exactly on it, stops nothing more
//! than its brush does. A brush is convex, so the points that it hides from one point are convex too: what hides all corners of
//! a box hides the box ([`ClipMap::occludes`]).

use super::brush::Brush;
use super::course::Course;
use super::shape::Ray;
use super::sweep::{Outcome, Seen};
use super::{ClipMap, Solids};
use crate::math::{Bounds, Vec3, angle_vectors};
use crate::proto::{contents, surface};

/// A convex volume of the map, or of one of its models, that stops light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occluder(pub(super) u32);

impl Occluder {
    /// Its number among the brushes of the map.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whether light comes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Light {
    /// Nothing is in the way.
    Passes,
    /// A brush is in the way.
    StoppedBy(Occluder),
    /// A curved surface is in the way, which is not convex.
    StoppedByPatch,
}

/// Where a model stands and how it is turned (degrees).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Number of the model.
    pub model: usize,
    /// Where it stands.
    pub origin: Vec3,
    /// How it is turned.
    pub angles: Vec3,
}

impl Placement {
    /// A point of the world as the model sees it.
    pub fn to_model(&self, point: Vec3) -> Vec3 {
        let local = point - self.origin;
        if self.angles == Vec3::ZERO {
            return local;
        }
        let axes = angle_vectors(self.angles);
        Vec3::new(axes.forward.dot(local), -axes.right.dot(local), axes.up.dot(local))
    }
}

/// Seams between brushes let no light through. Unit: world units by which a brush is larger than in the map, as for sweeps.
const SEAM: f32 = 1.0 / 8.0;

impl ClipMap {
    /// Whether light comes from one point to the other through the world without its models. If both a curved surface and a
    /// brush are in the way, it is the brush that is named.
    pub fn light(&self, start: Vec3, end: Vec3) -> Light {
        let mut beam = Beam::new(self, start, end);
        self.each_leaf_on_way(start, end, &mut |leaf| {
            beam.among(self.leafs[leaf.index()].solids);
            !matches!(beam.found, Light::StoppedBy(_))
        });
        beam.found
    }

    /// The same through a model alone, between points as the model sees them.
    pub fn light_through_model(&self, model: usize, start: Vec3, end: Vec3) -> Light {
        let Some(found) = self.models.get(model) else { return Light::Passes };
        let mut beam = Beam::new(self, start, end);
        beam.among(found.solids);
        beam.found
    }

    /// Whether this volume alone stops light between the points. For a volume of a model: points as the model sees them.
    #[inline]
    pub fn occludes(&self, occluder: Occluder, start: Vec3, end: Vec3) -> bool {
        match self.brushes.get(occluder.0 as usize) {
            Some(brush) => brush.opaque && self.brush_stops(brush, start, end - start),
            None => false,
        }
    }

    /// Whether a point is inside something that stops light.
    pub fn is_dark(&self, point: Vec3) -> bool {
        let leaf = &self.leafs[self.leaf_at(point).index()];
        self.leaf_brushes[leaf.solids.brushes()].iter().any(|&number| {
            let brush = &self.brushes[number as usize];
            brush.opaque && self.brush_stops(brush, point, Vec3::ZERO)
        })
    }

    /// The part of the way that lies behind all planes is not empty.
    #[inline]
    pub(super) fn brush_stops(&self, brush: &Brush, start: Vec3, way: Vec3) -> bool {
        let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
        for axis in 0..3 {
            let (s, d) = (start[axis], way[axis]);
            let (low, high) = (brush.bounds.mins[axis] - SEAM - s, brush.bounds.maxs[axis] + SEAM - s);
            if d == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return false;
                }
                continue;
            }
            let inverse = 1.0 / d;
            let (a, b) = (low * inverse, high * inverse);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        if enter > leave {
            return false;
        }
        if brush.groups.count == 0 {
            return true;
        }
        for group in &self.groups[brush.groups.range()] {
            for lane in 0..4 {
                let plane = group.plane(lane);
                let d1 = start.dot(plane.normal) - plane.dist - SEAM;
                let slope = way.dot(plane.normal);
                if slope == 0.0 {
                    if d1 > 0.0 {
                        return false;
                    }
                    continue;
                }
                let share = -d1 / slope;
                if slope < 0.0 {
                    enter = enter.max(share);
                } else {
                    leave = leave.min(share);
                }
            }
            if enter > leave {
                return false;
            }
        }
        true
    }
}

/// Whether a brush of these contents and faces is drawn and lets no light through.
///
/// Clients draw the sky first and as if it were infinitely far away, and then whoever stands behind it: it hides nothing.
pub(super) fn is_opaque(brush_contents: i32, surface_flags: impl Iterator<Item = i32>) -> bool {
    if brush_contents & contents::SOLID == 0 || brush_contents & contents::TRANSLUCENT != 0 {
        return false;
    }
    let (mut drawn, mut sky) = (false, false);
    for flags in surface_flags {
        drawn |= flags & surface::NODRAW == 0;
        sky |= flags & surface::SKY != 0;
    }
    drawn && !sky
}

/// A ray of light in progress.
struct Beam<'m> {
    map: &'m ClipMap,
    start: Vec3,
    end: Vec3,
    way: Vec3,
    bounds: Bounds,
    course: Course,
    seen: Seen,
    found: Light,
}

impl<'m> Beam<'m> {
    fn new(map: &'m ClipMap, start: Vec3, end: Vec3) -> Self {
        let bounds = Bounds { mins: start.min(end), maxs: start.max(end) }.grown(SEAM);
        let (course, seen) = (Course::new(start, end, &Bounds::POINT), Seen::new());
        Self { map, start, end, way: end - start, bounds, course, seen, found: Light::Passes }
    }

    fn among(&mut self, solids: Solids) {
        let map = self.map;
        for &number in &map.leaf_brushes[solids.brushes()] {
            let brush = &map.brushes[number as usize];
            if brush.opaque
                && brush.bounds.touches(&self.bounds)
                && !self.seen.again(number)
                && map.brush_stops(brush, self.start, self.way)
            {
                self.found = Light::StoppedBy(Occluder(number));
                return;
            }
        }
        for &number in &map.leaf_patches[solids.patches()] {
            let patch = &map.patches[number as usize];
            if !patch.opaque
                || !patch.bounds.touches(&self.bounds)
                || !self.course.meets(&patch.bounds, 1.0)
                || self.seen.again(map.brushes.len() as u32 + number)
            {
                continue;
            }
            if self.found == Light::StoppedByPatch {
                return;
            }
            let mut outcome = Outcome::CLEAR;
            patch.clip(&Ray { start: self.start, end: self.end }, true, &mut outcome);
            if outcome.hit() {
                self.found = Light::StoppedByPatch;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_and_solid_stops_light() {
        let drawn = [surface::NODRAW, 0];
        for (made_of, faces, opaque) in [
            (contents::SOLID, &drawn[..], true),
            (contents::SOLID | contents::DETAIL, &drawn[..], true),
            (contents::SOLID, &[surface::NODRAW][..], false),
            (contents::SOLID, &[0, surface::SKY][..], false),
            (contents::SOLID | contents::TRANSLUCENT, &drawn[..], false),
            (contents::WATER, &drawn[..], false),
            (contents::PLAYERCLIP, &drawn[..], false),
        ] {
            assert_eq!(is_opaque(made_of, faces.iter().copied()), opaque, "{made_of:#x}");
        }
    }
}
