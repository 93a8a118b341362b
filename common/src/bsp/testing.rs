//! A small map made in memory, for the tests of this crate.

use super::{
    Brush, BrushSide, Bsp, Child, DrawVert, Leaf, Model, Node, Shader, Span, Surface, SurfaceKind, Visibility,
};
use crate::ids::{AreaNum, ClusterNum};
use crate::math::{Bounds, Plane, Vec3, vec3};
use crate::proto::{contents, surface};

/// Materials of [`room`].
const SOLID: u32 = 0;
const WATER: u32 = 1;
const SLICK: u32 = 2;

/// A floor with its top at z 0, from -256 to 256 each way. East of x 0 (cluster 0, area 0) a pool of water stands on it
/// (64..128, -64..64, 0..32); west (cluster 1, area 1) an arch of one patch (-160..-96, -64..64, 0..64) that is slick. Model 1
/// is a door of 16 by 64 by 64 about its own origin, with a ramp-like cut at its top edge. East and west do not see one another.
pub(crate) fn room() -> Bsp {
    let mut bsp = Bsp {
        entities: b"{\n\"classname\" \"worldspawn\"\n}\n\0".to_vec(),
        shaders: vec![
            Shader::new("textures/test/solid", 0, contents::SOLID),
            Shader::new("textures/test/water", surface::NOMARKS, contents::WATER),
            Shader::new("textures/test/slick", surface::SLICK, contents::SOLID),
        ],
        ..Bsp::default()
    };
    let up = push_plane(&mut bsp, vec3(0.0, 0.0, 1.0), 0.0);
    let east = push_plane(&mut bsp, vec3(1.0, 0.0, 0.0), 0.0);
    bsp.nodes =
        vec![node(up, [Child::Node(1), Child::Leaf(0)]), node(east, [Child::Leaf(1), Child::Leaf(2)])];

    push_brush(&mut bsp, vec3(-256.0, -256.0, -16.0), vec3(256.0, 256.0, 0.0), SOLID, &[]);
    push_brush(&mut bsp, vec3(64.0, -64.0, 0.0), vec3(128.0, 64.0, 32.0), WATER, &[]);
    let slant = std::f32::consts::FRAC_1_SQRT_2;
    let cut = Plane { normal: vec3(slant, 0.0, slant), dist: 64.0 * slant };
    push_brush(&mut bsp, vec3(-8.0, -32.0, 0.0), vec3(8.0, 32.0, 64.0), SOLID, &[cut]);
    push_arch(&mut bsp);

    bsp.leaf_brushes = vec![0, 0, 1];
    bsp.leaf_surfaces = vec![0];
    bsp.leafs = vec![
        leaf(None, Span { first: 0, count: 1 }, Span::default()),
        leaf(Some(0), Span { first: 1, count: 2 }, Span::default()),
        leaf(Some(1), Span { first: 0, count: 1 }, Span { first: 0, count: 1 }),
    ];
    let world = Bounds::new(vec3(-256.0, -256.0, -16.0), vec3(256.0, 256.0, 128.0));
    let door = Bounds::new(vec3(-8.0, -32.0, 0.0), vec3(8.0, 32.0, 64.0));
    bsp.models = vec![
        Model { bounds: world, surfaces: Span { first: 0, count: 1 }, brushes: Span { first: 0, count: 2 } },
        Model { bounds: door, surfaces: Span::default(), brushes: Span { first: 2, count: 1 } },
    ];
    bsp.visibility = Some(Visibility { cluster_count: 2, row_bytes: 1, rows: vec![0b01, 0b10] });
    bsp
}

fn push_plane(bsp: &mut Bsp, normal: Vec3, dist: f32) -> u32 {
    bsp.planes.push(Plane { normal, dist });
    bsp.planes.push(Plane { normal: -normal, dist: -dist });
    bsp.planes.len() as u32 - 2
}

fn push_brush(bsp: &mut Bsp, mins: Vec3, maxs: Vec3, shader: u32, cuts: &[Plane]) {
    let first = bsp.brush_sides.len() as u32;
    for axis in 0..3 {
        let mut normal = Vec3::ZERO;
        normal[axis] = 1.0;
        let low = push_plane(bsp, normal, mins[axis]) + 1;
        let high = push_plane(bsp, normal, maxs[axis]);
        bsp.brush_sides.extend([BrushSide { plane: low, shader }, BrushSide { plane: high, shader }]);
    }
    for cut in cuts {
        let plane = push_plane(bsp, cut.normal, cut.dist);
        bsp.brush_sides.push(BrushSide { plane, shader });
    }
    let count = bsp.brush_sides.len() as u32 - first;
    bsp.brushes.push(Brush { sides: Span { first, count }, shader });
}

/// Three by three control points: up, over and down again along x.
fn push_arch(bsp: &mut Bsp) {
    for y in [-64.0, 0.0, 64.0] {
        for (x, z) in [(-160.0, 0.0), (-128.0, 128.0), (-96.0, 0.0)] {
            bsp.draw_verts.push(DrawVert {
                position: vec3(x, y, z),
                texture: [0.0; 2],
                lightmap: [0.0; 2],
                normal: vec3(0.0, 0.0, 1.0),
                color: [255; 4],
            });
        }
    }
    bsp.surfaces.push(Surface {
        shader: SLICK,
        fog: None,
        kind: SurfaceKind::Patch,
        verts: Span { first: 0, count: 9 },
        indexes: Span::default(),
        lightmap: -3,
        lightmap_corner: [0; 2],
        lightmap_size: [0; 2],
        lightmap_origin: Vec3::ZERO,
        lightmap_vectors: [Vec3::ZERO; 3],
        patch_size: [3, 3],
    });
}

fn node(plane: u32, children: [Child; 2]) -> Node {
    Node { plane, children, mins: [-256; 3], maxs: [256; 3] }
}

fn leaf(place: Option<u32>, brushes: Span, surfaces: Span) -> Leaf {
    Leaf {
        cluster: place.map(ClusterNum::new),
        area: place.map(AreaNum::new),
        mins: [-256; 3],
        maxs: [256; 3],
        surfaces,
        brushes,
    }
}
