//! Corners that lie on the edges of other faces: put into those edges too, or rounding shows the background through the seams.
//!
//! ```text
//!  +-----+-----+        +-----+-----+
//!  |     |     |        |     |     |
//!  +-----+-----+   ->   +-----+-----+
//!  |           |        | \   |   / |     the lower face gets the corner, and a middle to fan about
//!  +-----------+        +---- m ----+
//! ```

use crate::faces::{Corner, Drawn, Shape};
use crate::geometry::DVec3;
use std::collections::HashMap;

/// A corner this near to an edge lies on it. Unit: world units.
const NEAR: f64 = 0.05;
/// A corner this near to an end of an edge is that end. Unit: world units.
const END: f64 = 0.2;
/// Edge of the cells in which corners are looked up. Unit: world units.
const CELL: f64 = 64.0;
/// Corners of a flat surface that renderers take. Source: `MAX_FACE_POINTS`.
const MAX_CORNERS: usize = 64;

/// Corners by the cell of space that they are in. Only looked up in, never walked.
struct Corners {
    cells: HashMap<[i64; 3], Vec<DVec3>>,
}

impl Corners {
    fn new(drawn: &[Drawn]) -> Self {
        let mut cells: HashMap<[i64; 3], Vec<DVec3>> = HashMap::new();
        let flats = drawn.iter().filter(|surface| matches!(surface.shape, Shape::Flat(_)));
        for corner in flats.flat_map(|surface| &surface.corners) {
            let cell = cells.entry(cell_of(corner.position)).or_default();
            if !cell.contains(&corner.position) {
                cell.push(corner.position);
            }
        }
        Self { cells }
    }

    /// Shares of the way from `a` to `b` at which corners lie, rising.
    fn on_edge(&self, a: DVec3, b: DVec3) -> Vec<f64> {
        let (low, high) = (cell_of(a.min(b) - DVec3::splat(NEAR)), cell_of(a.max(b) + DVec3::splat(NEAR)));
        let length = (b - a).length();
        let way = (b - a) * (1.0 / length);
        let mut shares = Vec::new();
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    for &point in self.cells.get(&[x, y, z]).map_or(&[][..], Vec::as_slice) {
                        let along = (point - a).dot(way);
                        if along > END && along < length - END && (a + way * along - point).length() < NEAR {
                            shares.push(along / length);
                        }
                    }
                }
            }
        }
        shares.sort_by(f64::total_cmp);
        shares.dedup_by(|a, b| (*a - *b) * length < END);
        shares
    }
}

fn cell_of(point: DVec3) -> [i64; 3] {
    point.to_array().map(|part| (part / CELL).floor() as i64)
}

/// Puts the missing corners into all flat surfaces. One that would get too many corners keeps its seams.
pub fn close(drawn: &mut [Drawn]) {
    let corners = Corners::new(drawn);
    for surface in drawn.iter_mut().filter(|surface| matches!(surface.shape, Shape::Flat(_))) {
        let mut closed = Closed { corners: surface.corners.clone(), polygons: Vec::new() };
        for polygon in &surface.polygons {
            closed.add(polygon, &corners);
        }
        if closed.corners.len() <= MAX_CORNERS {
            (surface.corners, surface.polygons) = (closed.corners, closed.polygons);
        }
    }
}

struct Closed {
    corners: Vec<Corner>,
    polygons: Vec<Vec<u32>>,
}

impl Closed {
    fn add(&mut self, polygon: &[u32], known: &Corners) {
        let mut outline = Vec::with_capacity(polygon.len());
        for (at, &number) in polygon.iter().enumerate() {
            let next = polygon[(at + 1) % polygon.len()];
            let [a, b] = [number, next].map(|number| self.corners[number as usize]);
            outline.push(number);
            for share in known.on_edge(a.position, b.position) {
                let number = self.number_of(between(&a, &b, share));
                outline.push(number);
            }
        }
        if outline.len() == polygon.len() {
            self.polygons.push(outline);
            return;
        }
        // A fan about a corner would leave out the new ones on its own two edges; about the middle it leaves out none.
        let share = 1.0 / polygon.len() as f64;
        let first = self.corners[polygon[0] as usize];
        let middle = polygon.iter().map(|&number| &self.corners[number as usize]).fold(
            Corner { position: DVec3::ZERO, texture: [0.0; 2], ..first },
            |sum, corner| Corner {
                position: sum.position + corner.position * share,
                texture: [0, 1].map(|axis| sum.texture[axis] + corner.texture[axis] * share),
                ..sum
            },
        );
        let middle = self.number_of(middle);
        for (at, &number) in outline.iter().enumerate() {
            self.polygons.push(vec![middle, number, outline[(at + 1) % outline.len()]]);
        }
    }

    fn number_of(&mut self, corner: Corner) -> u32 {
        let known = self.corners.iter().position(|known| (known.position - corner.position).length() < NEAR);
        let number = known.unwrap_or_else(|| {
            self.corners.push(corner);
            self.corners.len() - 1
        });
        number as u32
    }
}

/// Texture coordinates are affine on a plane, so what lies between two corners has what lies between theirs.
fn between(a: &Corner, b: &Corner, share: f64) -> Corner {
    Corner {
        position: a.position + (b.position - a.position) * share,
        texture: [0, 1].map(|axis| a.texture[axis] + (b.texture[axis] - a.texture[axis]) * share),
        ..*a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Plane, PlaneSet, dvec3};
    use crate::material::Materials;
    use crate::search_path::SearchPath;

    fn square(mins: [f64; 2], maxs: [f64; 2]) -> Drawn {
        let corner = |x: f64, y: f64| Corner {
            position: dvec3(x, y, 0.0),
            normal: DVec3::axis(2),
            texture: [x / 64.0, y / 64.0],
        };
        let corners = vec![
            corner(mins[0], mins[1]),
            corner(mins[0], maxs[1]),
            corner(maxs[0], maxs[1]),
            corner(maxs[0], mins[1]),
        ];
        let plane = PlaneSet::default().find(Plane { normal: DVec3::axis(2), dist: 0.0 }, &[]);
        let material = Materials::new(SearchPath::empty()).of_face("a");
        Drawn {
            material,
            corners,
            polygons: vec![vec![0, 1, 2, 3]],
            shape: Shape::Flat(plane),
            leafs: Vec::new(),
        }
    }

    #[test]
    fn a_corner_on_an_edge_becomes_a_corner_of_it() {
        let mut drawn = [
            square([0.0, 0.0], [32.0, 32.0]),
            square([32.0, 0.0], [64.0, 32.0]),
            square([0.0, -64.0], [64.0, 0.0]),
        ];
        close(&mut drawn);
        assert_eq!(drawn[0].polygons, [[0, 1, 2, 3]], "its edges have no foreign corners");
        let lower = &drawn[2];
        assert_eq!((lower.corners.len(), lower.polygons.len()), (6, 5));
        let added = lower.corners[4];
        assert_eq!((added.position, added.texture), (dvec3(32.0, 0.0, 0.0), [0.5, 0.0]));
        for triangle in &lower.polygons {
            let [a, b, c] = [0, 1, 2].map(|at| lower.corners[triangle[at] as usize].position);
            assert!((c - a).cross(b - a).z > 0.0, "clockwise seen from above");
        }
    }
}
