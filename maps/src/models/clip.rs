//! Solid models: a thin brush behind each triangle, so that players and shots are stopped where the triangle is drawn.

use super::Mesh;
use crate::geometry::DVec3;
use crate::map_file::{self, Projection, Span};
use fogline_common::proto::contents;

/// How thick such a brush is. Unit: world units.
const THICKNESS: f64 = 4.0;
/// Triangles with a shorter height stop nobody. Unit: world units.
const LEAST_HEIGHT: f64 = 0.25;
/// What they are made of: solid, and not drawn.
const MATERIAL: &str = "common/caulk";

/// A detail brush for each triangle that is large enough, numbered from zero.
pub fn clip_brushes(mesh: &Mesh, span: Span) -> Vec<map_file::Brush> {
    let corners =
        mesh.triangles.iter().map(|triangle| triangle.map(|number| mesh.vertices[number as usize].position));
    let prisms = corners.filter_map(|corners| prism(corners, span));
    prisms.enumerate().map(|(number, faces)| map_file::Brush { faces, number, span }).collect()
}

/// The faces of a prism whose front is the triangle.
fn prism([a, b, c]: [DVec3; 3], span: Span) -> Option<Vec<map_file::Face>> {
    let cross = (a - b).cross(c - b);
    let longest =
        [(a, b), (b, c), (c, a)].map(|(from, to)| (to - from).length()).into_iter().fold(0.0, f64::max);
    if cross.length() < longest * LEAST_HEIGHT || longest < LEAST_HEIGHT {
        return None;
    }
    let back = cross.normalized() * -THICKNESS;
    let face = |points: [DVec3; 3]| map_file::Face {
        points,
        shader: MATERIAL.to_owned(),
        projection: Projection::Classic { shift: [0.0; 2], rotate: 0.0, scale: [1.0; 2] },
        contents: contents::DETAIL,
        span,
    };
    let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| face([to, from, from + back]));
    let ends = [face([a, b, c]), face([c + back, b + back, a + back])];
    Some(ends.into_iter().chain(sides).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brush::Brush;
    use crate::diagnostics::Site;
    use crate::geometry::{PlaneSet, dvec3};
    use crate::material::Materials;
    use crate::models::Vertex;
    use crate::search_path::SearchPath;

    #[test]
    fn a_triangle_becomes_a_solid_prism_behind_it_and_a_sliver_nothing() {
        let mut materials = Materials::new(SearchPath::empty());
        let places = [[0.0, 0.0, 10.0], [0.0, 64.0, 10.0], [64.0, 0.0, 10.0], [0.0, 64.1, 10.0]];
        let vertices = places.map(|[x, y, z]| Vertex {
            position: dvec3(x, y, z),
            normal: DVec3::axis(2),
            texture: [0.0; 2],
        });
        let material = materials.of_face("a");
        let mesh = Mesh { material, vertices: vertices.to_vec(), triangles: vec![[0, 1, 2], [0, 1, 3]] };
        let [source] = &clip_brushes(&mesh, Span::default())[..] else { panic!("one brush") };
        let brush = Brush::new(source, Site::default(), &mut PlaneSet::default(), &mut materials);
        let brush = brush.expect("a prism");
        assert!(brush.is_detail());
        assert_eq!((brush.bounds.mins, brush.bounds.maxs), (dvec3(0.0, 0.0, 6.0), dvec3(64.0, 64.0, 10.0)));
        assert!((brush.volume().expect("a volume").size() - 64.0 * 64.0 / 2.0 * 4.0).abs() < 1e-6);
    }
}
