//! Bevels of a facet: planes beside its own that keep a box from being stopped short of an edge.
//!
//! A box is clipped by moving each plane out by the box's extent, which overshoots at sharp edges; axial planes around the
//! facet and planes along its edges cut the overshoot off. Source: `CM_AddFacetBevels`.

use super::Border;
use super::facets::Planes;
use super::winding::{Winding, normalized};
use crate::math::{Plane, Vec3};

/// Most borders of a facet: four edges, six axial planes, sixteen edge bevels.
const MAX_BORDERS: usize = 4 + 6 + 16;
/// Normals this near are one. Source: `NORMAL_EPSILON`.
const NORMAL_EPSILON: f64 = 0.0001;
/// Distances this near are one. Source: `DIST_EPSILON`.
const DIST_EPSILON: f64 = 0.02;
/// A corner this far out shows that a plane is no bevel.
const BEVEL_EPSILON: f64 = 0.1;
/// Edges and cross products shorter than this have no direction.
const MIN_LENGTH: f32 = 0.5;

/// The borders of a facet and its bevels; the last is the facet's own plane turned around.
pub(super) fn with_bevels(
    planes: &mut Planes,
    surface: u32,
    mut borders: Vec<Border>,
) -> Result<Vec<Border>, &'static str> {
    let outline = borders.iter().filter(|border| border.plane != surface);
    let Some(polygon) = planes.polygon(surface, outline) else { return Ok(borders) };
    add_axial_bevels(planes, surface, &mut borders, &polygon)?;
    add_edge_bevels(planes, surface, &mut borders, &polygon)?;
    if borders.len() < MAX_BORDERS {
        borders.push(Border { plane: surface, inward: true });
    }
    Ok(borders)
}

fn add_axial_bevels(
    planes: &mut Planes,
    surface: u32,
    borders: &mut Vec<Border>,
    polygon: &Winding,
) -> Result<(), &'static str> {
    let bounds = polygon.bounds();
    for axis in 0..3 {
        for (direction, dist) in [(-1.0, -bounds.mins[axis]), (1.0, bounds.maxs[axis])] {
            let mut plane = Plane { normal: Vec3::ZERO, dist };
            plane.normal[axis] = direction;
            if is_new(planes, surface, borders, &plane) && borders.len() < MAX_BORDERS {
                let border = planes.like(plane)?;
                borders.push(border);
            }
        }
    }
    Ok(())
}

fn add_edge_bevels(
    planes: &mut Planes,
    surface: u32,
    borders: &mut Vec<Border>,
    polygon: &Winding,
) -> Result<(), &'static str> {
    let points = &polygon.points;
    for (number, &corner) in points.iter().enumerate() {
        let (edge, length) = normalized(corner - points[(number + 1) % points.len()]);
        let edge = snapped(edge);
        if length < MIN_LENGTH || edge.to_array().iter().any(|part| part.abs() == 1.0) {
            continue;
        }
        for axis in 0..3 {
            for direction in [-1.0, 1.0] {
                let mut axial = Vec3::ZERO;
                axial[axis] = direction;
                let (normal, length) = normalized(edge.cross(axial));
                if length < MIN_LENGTH {
                    continue;
                }
                let plane = Plane { normal, dist: corner.dot(normal) };
                let cuts = points.iter().any(|&point| f64::from(plane.distance_to(point)) > BEVEL_EPSILON);
                if cuts || !is_new(planes, surface, borders, &plane) || borders.len() >= MAX_BORDERS {
                    continue;
                }
                let border = planes.like(plane)?;
                // One that would leave nothing of the facet is dropped; its plane stays in the table, as in the original.
                if polygon.clone().chopped(&planes.cutting(border)).is_some() {
                    borders.push(border);
                }
            }
        }
    }
    Ok(())
}

fn is_new(planes: &Planes, surface: u32, borders: &[Border], plane: &Plane) -> bool {
    let known = |number: u32| same_plane(&planes.0[number as usize], plane).is_some();
    !known(surface) && !borders.iter().any(|border| known(border.plane))
}

impl Planes {
    /// A border of this plane, or of a known one that is the same but for rounding or facing. Source: `CM_FindPlane2`.
    fn like(&mut self, plane: Plane) -> Result<Border, &'static str> {
        for (number, known) in self.0.iter().enumerate() {
            if let Some(inward) = same_plane(known, &plane) {
                return Ok(Border { plane: number as u32, inward });
            }
        }
        Ok(Border { plane: self.push(plane)?, inward: false })
    }
}

/// Whether two planes are one, and if so whether they face opposite ways. Source: `CM_PlaneEqual`.
fn same_plane(a: &Plane, b: &Plane) -> Option<bool> {
    let near = |a: f32, b: f32, epsilon: f64| f64::from((a - b).abs()) < epsilon;
    let same = |b: &Plane| {
        near(a.normal.x, b.normal.x, NORMAL_EPSILON)
            && near(a.normal.y, b.normal.y, NORMAL_EPSILON)
            && near(a.normal.z, b.normal.z, NORMAL_EPSILON)
            && near(a.dist, b.dist, DIST_EPSILON)
    };
    if same(b) {
        Some(false)
    } else if same(&Plane { normal: -b.normal, dist: -b.dist }) {
        Some(true)
    } else {
        None
    }
}

/// A direction that is nearly axial made so. Source: `CM_SnapVector`.
fn snapped(direction: Vec3) -> Vec3 {
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            if f64::from((direction[axis] - sign).abs()) < NORMAL_EPSILON {
                let mut axial = Vec3::ZERO;
                axial[axis] = sign;
                return axial;
            }
        }
    }
    direction
}
