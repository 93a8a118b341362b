//! Where on its picture a point of a compiled map lies: for comparing maps, and for asking what a compile came to.

use fogline_common::bsp::{Bsp, Surface};
use fogline_common::math::Vec3;

/// A point this near to a triangle's plane lies on it. Unit: world units.
const NEAR: f32 = 0.1;
/// Share of a triangle by which a point may lie beyond its edges.
const RIM: f32 = 1e-3;

/// Texture coordinates at a point of a surface that is drawn as triangles; `None` if it does not lie on it.
pub fn at(bsp: &Bsp, surface: &Surface, place: Vec3) -> Option<[f32; 2]> {
    let corners = &bsp.draw_verts[surface.verts.range()];
    bsp.draw_indexes[surface.indexes.range()].chunks_exact(3).find_map(|triangle| {
        let [a, b, c] = [0, 1, 2].map(|at| corners.get(triangle[at] as usize));
        let (a, b, c) = (a?, b?, c?);
        let [u, v] = shares(place, [a.position, b.position, c.position])?;
        Some([0, 1].map(|part| a.texture[part] * (1.0 - u - v) + b.texture[part] * u + c.texture[part] * v))
    })
}

/// How much of the second and the third corner a point of a triangle is; `None` if it lies elsewhere.
fn shares(place: Vec3, [a, b, c]: [Vec3; 3]) -> Option<[f32; 2]> {
    let (along, across, way) = (b - a, c - a, place - a);
    let normal = along.cross(across);
    let size = normal.dot(normal);
    if size <= 0.0 || way.dot(normal).abs() > NEAR * size.sqrt() {
        return None;
    }
    let u = way.cross(across).dot(normal) / size;
    let v = along.cross(way).dot(normal) / size;
    (u >= -RIM && v >= -RIM && u + v <= 1.0 + RIM).then_some([u, v])
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn points_of_a_triangle_have_shares_of_its_corners_and_others_none() {
        let corners = [vec3(0.0, 0.0, 5.0), vec3(8.0, 0.0, 5.0), vec3(0.0, 4.0, 5.0)];
        assert_eq!(shares(vec3(2.0, 1.0, 5.0), corners), Some([0.25, 0.25]));
        assert_eq!(shares(vec3(8.0, 0.0, 5.0), corners), Some([1.0, 0.0]));
        assert_eq!(shares(vec3(6.0, 3.0, 5.0), corners), None);
        assert_eq!(shares(vec3(2.0, 1.0, 6.0), corners), None);
    }
}
