//! Patches to triangles, where the mapper says into how many parts each curve is cut (`patchDef3`).
//!
//! ```text
//! +---+---+---+      a piece of three by three control points with 3 across and 2 down
//! |   |   |   |
//! +---+---+---+      pieces share the corners where they meet
//! |   |   |   |
//! +---+---+---+
//! ```
//!
//! The client cuts patches of a map as it likes (`r_subdivisions`), so what is to be cut just so is drawn as a mesh. The patch itself
//! stays, not drawn, since players walk on patches alone.

use crate::geometry::DVec3;
use crate::models::Vertex;
use crate::scene::Patch;

/// Parts of one piece, each way; more make no curve rounder. Unit: parts.
const MAX_PARTS: u32 = 32;

/// Corners, row by row, and triangles that run clockwise seen from the front. 0 parts are one.
pub fn cut(patch: &Patch, parts: [u32; 2]) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let parts = parts.map(|parts| parts.clamp(1, MAX_PARTS) as usize);
    let [across, down] = [0, 1].map(|way| (patch.size[way] - 1) / 2 * parts[way] + 1);
    let points = patch.points.iter().zip(crate::patches::normals(patch));
    let points: Vec<Vertex> = points
        .map(|(point, normal)| Vertex { position: point.position, normal, texture: point.texture })
        .collect();
    let mut vertices = Vec::with_capacity(across * down);
    for y in 0..down {
        for x in 0..across {
            vertices.push(at(&points, patch.size, [x, y], parts));
        }
    }
    let mut triangles = Vec::with_capacity((across - 1) * (down - 1) * 2);
    for y in 0..down - 1 {
        for x in 0..across - 1 {
            let at = |x: usize, y: usize| (y * across + x) as u32;
            // The front is where the way across turns into the way down.
            let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    (vertices, triangles)
}

/// The place of a curve of so many control points across and down that is so many parts from its beginning, each way.
pub(crate) fn at(points: &[Vertex], size: [usize; 2], steps: [usize; 2], parts: [usize; 2]) -> Vertex {
    let [(first_x, along), (first_y, away)] = [0, 1].map(|way| {
        // The last corner belongs to the last piece.
        let piece = (steps[way] / parts[way]).min((size[way] - 1) / 2 - 1);
        (piece * 2, (steps[way] - piece * parts[way]) as f64 / parts[way] as f64)
    });
    let (wide, high) = (weights(along), weights(away));
    let mut vertex = Vertex { position: DVec3::ZERO, normal: DVec3::ZERO, texture: [0.0; 2] };
    for (y, high) in high.into_iter().enumerate() {
        for (x, wide) in wide.into_iter().enumerate() {
            let (point, weight) = (&points[(first_y + y) * size[0] + first_x + x], wide * high);
            vertex.position += point.position * weight;
            vertex.normal += point.normal * weight;
            vertex.texture = [0, 1].map(|part| vertex.texture[part] + point.texture[part] * weight);
        }
    }
    Vertex { normal: vertex.normal.normalized(), ..vertex }
}

/// What each of three control points counts at a place of a quadratic curve.
fn weights(at: f64) -> [f64; 3] {
    [(1.0 - at) * (1.0 - at), 2.0 * at * (1.0 - at), at * at]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Site;
    use crate::geometry::dvec3;
    use crate::map_file::ControlPoint;
    use crate::material::Materials;
    use crate::search_path::SearchPath;

    /// Five points across, three down: flat, but for one that pulls the second piece up.
    fn patch() -> Patch {
        let material = Materials::new(SearchPath::empty()).of_face("a");
        let points = (0..15).map(|at| {
            let (x, y) = (f64::from(at % 5), f64::from(at / 5));
            let z = if at == 8 { 16.0 } else { 0.0 };
            ControlPoint { position: dvec3(x * 8.0, y * 8.0, z), texture: [x / 4.0, y / 2.0] }
        });
        let (points, site) = (points.collect(), Site::default());
        Patch { material, size: [5, 3], points, subdivisions: Some([3, 2]), site }
    }

    #[test]
    fn parts_across_and_down_are_not_mixed_up() {
        let (vertices, triangles) = cut(&patch(), [3, 2]);
        assert_eq!((vertices.len(), triangles.len()), (7 * 3, 6 * 2 * 2));
        // Rows of seven: the first piece ends with its fourth corner.
        assert_eq!(vertices[3].position, dvec3(16.0, 0.0, 0.0));
        assert_eq!((vertices[20].position, vertices[20].texture), (dvec3(32.0, 16.0, 0.0), [1.0, 1.0]));
        let (turned, _) = cut(&patch(), [2, 3]);
        assert_eq!(turned.len(), 5 * 4);
    }

    #[test]
    fn corners_lie_on_the_curve_and_triangles_face_its_front() {
        let (vertices, triangles) = cut(&patch(), [2, 2]);
        // The middle of the second piece: a quarter of the pull, as the middle point counts a half both ways.
        assert_eq!(vertices[5 + 3].position, dvec3(24.0, 8.0, 4.0));
        for [a, b, c] in triangles.iter().map(|corners| corners.map(|corner| &vertices[corner as usize])) {
            let front = (a.position - b.position).cross(c.position - b.position);
            assert!(front.dot(a.normal) > 0.0, "clockwise seen from the front");
        }
    }
}
