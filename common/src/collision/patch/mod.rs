//! A curved surface to collide with: flat facets, each with the borders and bevels that make it a thin volume.
//!
//! Control points come in ([`Patch::build`]), become a grid of points on the curve ([`grid`]), then facets ([`facets`]).
//! A box or capsule meets facets as volumes, a ray meets them as surfaces seen from the front. Source: `cm_patch.c`.

mod bevels;
mod facets;
mod grid;
mod winding;

use super::brush::Clip;
use super::light::is_opaque;
use super::shade::{Place, Shade};
use super::shape::Shape;
use super::sweep::Outcome;
use super::{Extent, SURFACE_CLIP_EPSILON};
use crate::math::{Bounds, Plane, Vec3};

/// A curved surface as its facets.
pub(super) struct Patch {
    /// One unit larger than the grid on each side.
    pub bounds: Bounds,
    pub contents: i32,
    /// It is drawn and lets no light through.
    pub opaque: bool,
    surface_flags: i32,
    planes: Box<[Plane]>,
    facets: Box<[Facet]>,
}

/// A triangle or quad.
struct Facet {
    /// Of `Patch::planes`.
    surface: u32,
    borders: Box<[Border]>,
}

/// A side of a facet.
#[derive(Clone, Copy)]
struct Border {
    /// Of `Patch::planes`.
    plane: u32,
    /// The plane faces the facet, so it is used turned around.
    inward: bool,
}

/// Stands for "the plane is not crossed ahead"; larger than every share of a way. Source: `CM_TracePointThroughPatchCollide`.
const NOT_AHEAD: f32 = 99999.0;

impl Patch {
    /// Facets of a grid of `across` times `down` control points, rows one after the other.
    ///
    /// # Errors
    /// Why the surface cannot be collided with: it is too finely curved for the limits of the original.
    pub(super) fn build(
        across: usize,
        points: &[Vec3],
        contents: i32,
        surface_flags: i32,
    ) -> Result<Self, &'static str> {
        let grid = grid::Grid::of_patch(across, points)?;
        let bounds = grid.bounds().grown(1.0);
        let (planes, facets) = facets::facets_of(&grid)?;
        let opaque = is_opaque(contents, [surface_flags].into_iter());
        Ok(Self { bounds, contents, opaque, surface_flags, planes: planes.into(), facets: facets.into() })
    }

    /// What it may stop.
    pub(super) fn extent(&self) -> Extent {
        Extent { bounds: self.bounds, contents: self.contents, curved: true }
    }

    /// Number of facets.
    pub(super) fn facet_count(&self) -> usize {
        self.facets.len()
    }

    /// The planes that a facet lies behind, its own first.
    pub(super) fn facet_planes(&self, number: usize) -> impl Iterator<Item = Plane> + use<'_> {
        let facet = &self.facets[number];
        let border = |border: &Border| {
            let plane = self.planes[border.plane as usize];
            if border.inward { Plane { normal: -plane.normal, dist: -plane.dist } } else { plane }
        };
        std::iter::once(self.planes[facet.surface as usize]).chain(facet.borders.iter().map(border))
    }

    /// Stops a sweep at the surface. Source: `CM_TraceThroughPatch`.
    pub(super) fn clip<S: Shape>(&self, shape: &S, point: bool, outcome: &mut Outcome) {
        let before = outcome.fraction;
        for facet in &self.facets {
            if point {
                self.clip_ray(facet, shape, outcome);
            } else {
                self.clip_volume(facet, shape, outcome);
            }
        }
        if outcome.fraction < before {
            outcome.surface_flags = self.surface_flags;
            outcome.contents = self.contents;
        }
    }

    /// Source: `CM_TracePointThroughPatchCollide`.
    fn clip_ray<S: Shape>(&self, facet: &Facet, shape: &S, outcome: &mut Outcome) {
        let (start, end) = shape.way();
        let distances = |plane: &Plane| (plane.distance_to(start), plane.distance_to(end));
        let crossing = |d1: f32, d2: f32| {
            let share = if d1 == d2 { NOT_AHEAD } else { d1 / (d1 - d2) };
            if share <= 0.0 { NOT_AHEAD } else { share }
        };
        let surface = &self.planes[facet.surface as usize];
        let (d1, d2) = distances(surface);
        if d1 <= 0.0 {
            return;
        }
        let met = crossing(d1, d2);
        if met > outcome.fraction {
            return;
        }
        for border in &facet.borders {
            let (d1, d2) = distances(&self.planes[border.plane as usize]);
            let left = crossing(d1, d2);
            let in_front = d1 > 0.0;
            if if in_front ^ border.inward { left > met } else { left < met } {
                return;
            }
        }
        let fraction = ((f64::from(d1) - SURFACE_CLIP_EPSILON) / f64::from(d1 - d2)) as f32;
        outcome.fraction = if fraction < 0.0 { 0.0 } else { fraction };
        outcome.plane = *surface;
    }

    /// Source: `CM_TraceThroughPatchCollide`.
    fn clip_volume<S: Shape>(&self, facet: &Facet, shape: &S, outcome: &mut Outcome) {
        let mut clip = Clip::new();
        let mut plane = self.expanded_surface(facet, shape);
        let mut best = plane;
        let mut last_met = None;
        if clip.plane(shape.ends(plane.normal), &plane).is_none() {
            return;
        }
        for (number, border) in facet.borders.iter().enumerate() {
            plane = self.expanded_border(*border, shape);
            match clip.plane(shape.ends(plane.normal), &plane) {
                None => return,
                Some(false) => {}
                Some(true) => {
                    last_met = Some(number);
                    best = plane;
                }
            }
        }
        // The last border is the surface turned around: nothing is stopped from behind.
        if last_met.is_some_and(|number| number + 1 == facet.borders.len()) {
            return;
        }
        if clip.enter < clip.leave && clip.enter >= 0.0 && clip.enter < outcome.fraction {
            outcome.fraction = clip.enter;
            outcome.plane = best;
        }
    }

    /// What one facet hides from `eye`, if it hides `point`.
    pub(super) fn shade_between(&self, eye: &Place, point: &Place, shade: &mut Shade) -> bool {
        let outward = |border: &Border| {
            let plane = self.planes[border.plane as usize];
            if border.inward { Plane { normal: -plane.normal, dist: -plane.dist } } else { plane }
        };
        self.facets.iter().any(|facet| {
            let borders = facet.borders.iter().filter(|border| border.plane != facet.surface).map(outward);
            shade.fill_facet(eye, &self.planes[facet.surface as usize], borders) && shade.contains(point)
        })
    }

    /// Whether a shape that does not move is in one of the facets. Source: `CM_PositionTestInPatchCollide`.
    pub(super) fn holds<S: Shape>(&self, shape: &S) -> bool {
        let in_front = |plane: Plane| plane.distance_to(shape.ends(plane.normal).0) > 0.0;
        self.facets.iter().any(|facet| {
            !in_front(self.expanded_surface(facet, shape))
                && facet.borders.iter().all(|&border| !in_front(self.expanded_border(border, shape)))
        })
    }

    #[inline]
    fn expanded_surface<S: Shape>(&self, facet: &Facet, shape: &S) -> Plane {
        let Plane { normal, dist } = self.planes[facet.surface as usize];
        Plane { normal, dist: shape.expanded(normal, dist) }
    }

    #[inline]
    fn expanded_border<S: Shape>(&self, border: Border, shape: &S) -> Plane {
        let Plane { normal, dist } = self.planes[border.plane as usize];
        if border.inward {
            Plane { normal: -normal, dist: shape.expanded_border(normal, -dist) }
        } else {
            Plane { normal, dist: shape.expanded_border(normal, dist) }
        }
    }
}

impl Clip {
    /// Clips by one plane of a facet. `None`: the way misses the facet; else whether this is the latest entry so far.
    /// Source: `CM_CheckFacetPlane`.
    #[inline]
    fn plane(&mut self, (start, end): (Vec3, Vec3), plane: &Plane) -> Option<bool> {
        let (d1, d2) = (plane.distance_to(start), plane.distance_to(end));
        if d1 > 0.0 && (d2 >= SURFACE_CLIP_EPSILON as f32 || d2 >= d1) {
            return None;
        }
        Some(!(d1 <= 0.0 && d2 <= 0.0) && self.cross(d1, d2, 0))
    }
}
