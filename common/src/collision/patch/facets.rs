//! Facets of a grid: two triangles a cell, or one quad where both lie in one plane; each with its neighbours' planes as
//! borders, or a plane that stands on the edge. Bevels are in [`super::bevels`].
//!
//! ```text
//!  i,j ---- top ---- i+1,j        triangle 0: i,j  i+1,j  i+1,j+1
//!   |  \              |           triangle 1: i+1,j+1  i,j+1  i,j
//!  left   diagonal  right
//!   |              \  |
//!  i,j+1 - bottom - i+1,j+1
//! ```
//!
//! Which planes are shared, and in which order they are found, decides what a sweep hits; so the order is the original's.
//! Source: `CM_PatchCollideFromGrid`.

use super::grid::Grid;
use super::winding::{MAX_MAP_BOUNDS, Winding, normalized};
use super::{Border, Facet, bevels};
use crate::math::{Plane, Vec3};

/// Source: `MAX_FACETS`.
const MAX_FACETS: usize = 1024;
/// Source: `MAX_PATCH_PLANES`.
const MAX_PLANES: usize = 4096;
/// Points this near to a plane are on it. Source: `PLANE_TRI_EPSILON`.
const TRIANGLE_EPSILON: f64 = 0.1;
/// How high a plane on an edge is stood up.
const EDGE_HEIGHT: f32 = 4.0;

/// Planes and facets of a grid.
pub(super) fn facets_of(grid: &Grid) -> Result<(Vec<Plane>, Vec<Facet>), &'static str> {
    let mut builder = Builder { grid, planes: Planes(Vec::new()), cells: Vec::new(), facets: Vec::new() };
    builder.find_triangle_planes()?;
    for x in 0..grid.width() - 1 {
        for y in 0..grid.height() - 1 {
            builder.add_cell(x, y)?;
        }
    }
    Ok((builder.planes.0, builder.facets))
}

/// The distinct planes of a patch so far.
pub(super) struct Planes(pub Vec<Plane>);

impl Planes {
    /// Adds a plane.
    pub(super) fn push(&mut self, plane: Plane) -> Result<u32, &'static str> {
        if self.0.len() == MAX_PLANES {
            return Err("the patch has too many planes");
        }
        self.0.push(plane);
        Ok(self.0.len() as u32 - 1)
    }

    /// The plane of three points, or one that is near them and faces the same way; `None` if they are in a line.
    /// Source: `CM_FindPlane`.
    fn through(&mut self, a: Vec3, b: Vec3, c: Vec3) -> Result<Option<u32>, &'static str> {
        let (normal, length) = normalized((c - a).cross(b - a));
        if length == 0.0 {
            return Ok(None);
        }
        let near = |plane: &Plane, point: Vec3| {
            let distance = f64::from(plane.distance_to(point));
            (-TRIANGLE_EPSILON..=TRIANGLE_EPSILON).contains(&distance)
        };
        let known = self.0.iter().position(|plane| {
            normal.dot(plane.normal) >= 0.0 && near(plane, a) && near(plane, b) && near(plane, c)
        });
        if let Some(known) = known {
            return Ok(Some(known as u32));
        }
        self.push(Plane { normal, dist: a.dot(normal) }).map(Some)
    }

    /// A border's plane, facing away from the facet it bounds: what is kept of a polygon is behind it, so it is turned
    /// around for cutting unless it faces inward already.
    pub(super) fn cutting(&self, border: Border) -> Plane {
        let plane = self.0[border.plane as usize];
        if border.inward { plane } else { Plane { normal: -plane.normal, dist: -plane.dist } }
    }

    /// The polygon that the borders leave of a plane.
    pub(super) fn polygon<'b>(
        &self,
        surface: u32,
        borders: impl IntoIterator<Item = &'b Border>,
    ) -> Option<Winding> {
        let whole = Winding::of_plane(&self.0[surface as usize]);
        borders.into_iter().try_fold(whole, |left, &border| left.chopped(&self.cutting(border)))
    }
}

/// The edges of a cell.
#[derive(Clone, Copy)]
enum Edge {
    Top,
    Right,
    Bottom,
    Left,
    DiagonalOfFirst,
    DiagonalOfSecond,
}

/// Planes of a cell's two triangles; `None` for one without area.
type CellPlanes = [Option<u32>; 2];

struct Builder<'a> {
    grid: &'a Grid,
    planes: Planes,
    /// Column after column.
    cells: Vec<CellPlanes>,
    facets: Vec<Facet>,
}

impl Builder<'_> {
    fn point(&self, x: usize, y: usize) -> Vec3 {
        self.grid.columns[x][y]
    }

    fn cell(&self, x: usize, y: usize) -> CellPlanes {
        self.cells[x * (self.grid.height() - 1) + y]
    }

    fn find_triangle_planes(&mut self) -> Result<(), &'static str> {
        for x in 0..self.grid.width() - 1 {
            for y in 0..self.grid.height() - 1 {
                let (start, end) = (self.point(x, y), self.point(x + 1, y + 1));
                let first = self.planes.through(start, self.point(x + 1, y), end)?;
                let second = self.planes.through(end, self.point(x, y + 1), start)?;
                self.cells.push([first, second]);
            }
        }
        Ok(())
    }

    /// A plane that stands on an edge, facing out of the triangle. Source: `CM_EdgePlaneNum`.
    fn edge_plane(&mut self, x: usize, y: usize, edge: Edge) -> Result<Option<u32>, &'static str> {
        let corners =
            [self.point(x, y), self.point(x + 1, y), self.point(x, y + 1), self.point(x + 1, y + 1)];
        let [a, b, c, d] = corners;
        // The point on which the plane is stood up, the other one, the triangle, and whether they change places.
        let (from, to, triangle, swap) = match edge {
            Edge::Top => (a, b, 0, false),
            Edge::Right => (b, d, 0, false),
            Edge::Bottom => (c, d, 1, true),
            Edge::Left => (a, c, 1, true),
            Edge::DiagonalOfFirst => (d, a, 0, false),
            Edge::DiagonalOfSecond => (a, d, 1, false),
        };
        let cell = self.cell(x, y);
        let Some(plane) = cell[triangle].or(cell[1 - triangle]) else { return Ok(None) };
        let up = from.mul_add(EDGE_HEIGHT, self.planes.0[plane as usize].normal);
        if swap { self.planes.through(to, from, up) } else { self.planes.through(from, to, up) }
    }

    /// The neighbour's plane beyond an edge, unless there is none or it is the triangle's own.
    fn border(
        &mut self,
        (x, y): (usize, usize),
        edge: Edge,
        neighbour: Option<(usize, usize)>,
    ) -> Result<Option<u32>, &'static str> {
        // Triangle of the neighbour that touches the edge, and own triangle at it.
        let (theirs, ours) = match edge {
            Edge::Top | Edge::Right => (1, 0),
            _ => (0, 1),
        };
        let own = self.cell(x, y)[ours];
        let beyond = neighbour.and_then(|(x, y)| self.cell(x, y)[theirs]);
        if beyond.is_none() || beyond == own { self.edge_plane(x, y, edge) } else { Ok(beyond) }
    }

    fn add_cell(&mut self, x: usize, y: usize) -> Result<(), &'static str> {
        let (last_x, last_y) = (self.grid.width() - 2, self.grid.height() - 2);
        let (around, down) = (self.grid.wraps_across, self.grid.wraps_down);
        let above = if y > 0 { Some((x, y - 1)) } else { down.then_some((x, last_y)) };
        let below = if y < last_y { Some((x, y + 1)) } else { down.then_some((x, 0)) };
        let before = if x > 0 { Some((x - 1, y)) } else { around.then_some((last_x, y)) };
        let after = if x < last_x { Some((x + 1, y)) } else { around.then_some((0, y)) };
        let top = self.border((x, y), Edge::Top, above)?;
        let bottom = self.border((x, y), Edge::Bottom, below)?;
        let left = self.border((x, y), Edge::Left, before)?;
        let right = self.border((x, y), Edge::Right, after)?;
        self.check_room()?;

        let [first, second] = self.cell(x, y);
        let [a, b, c, d] =
            [self.point(x, y), self.point(x + 1, y), self.point(x, y + 1), self.point(x + 1, y + 1)];
        if first == second {
            return self.add_facet(first, &[top, right, bottom, left], &[a, b, d, c]);
        }
        let third = match second.or(bottom) {
            None => self.edge_plane(x, y, Edge::DiagonalOfFirst)?,
            known => known,
        };
        self.add_facet(first, &[top, right, third], &[a, b, d])?;
        self.check_room()?;
        let third = match first.or(top) {
            None => self.edge_plane(x, y, Edge::DiagonalOfSecond)?,
            known => known,
        };
        self.add_facet(second, &[bottom, left, third], &[d, c, a])
    }

    fn check_room(&self) -> Result<(), &'static str> {
        if self.facets.len() < MAX_FACETS { Ok(()) } else { Err("the patch has too many facets") }
    }

    /// Adds a facet, if it is one: with a plane, and bounded by its borders on all sides.
    fn add_facet(
        &mut self,
        surface: Option<u32>,
        borders: &[Option<u32>],
        corners: &[Vec3],
    ) -> Result<(), &'static str> {
        let Some(surface) = surface else { return Ok(()) };
        let borders: Option<Vec<Border>> =
            borders.iter().map(|&plane| self.oriented(plane?, corners)).collect();
        let Some(borders) = borders else { return Ok(()) };
        if !self.is_bounded(surface, &borders) {
            return Ok(());
        }
        let borders = bevels::with_bevels(&mut self.planes, surface, borders)?;
        self.facets.push(Facet { surface, borders: borders.into() });
        Ok(())
    }

    /// A border with the side on which the corners are; `None` if all are on the plane. Source: `CM_SetBorderInward`.
    fn oriented(&self, plane: u32, corners: &[Vec3]) -> Option<Border> {
        let distance = |&point: &Vec3| f64::from(self.planes.0[plane as usize].distance_to(point));
        let front = corners.iter().any(|point| distance(point) > TRIANGLE_EPSILON);
        let back = corners.iter().any(|point| distance(point) < -TRIANGLE_EPSILON);
        (front || back).then_some(Border { plane, inward: front && !back })
    }

    /// Source: `CM_ValidateFacet`.
    fn is_bounded(&self, surface: u32, borders: &[Border]) -> bool {
        let Some(polygon) = self.planes.polygon(surface, borders) else { return false };
        let bounds = polygon.bounds();
        (0..3).all(|axis| {
            let (min, max) = (bounds.mins[axis], bounds.maxs[axis]);
            max - min <= MAX_MAP_BOUNDS && min < MAX_MAP_BOUNDS && max > -MAX_MAP_BOUNDS
        })
    }
}
