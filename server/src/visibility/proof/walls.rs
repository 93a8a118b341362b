//! Maps for tests: two halls in a row along x with a wall between them, of whatever the test wants; and a floor of two slabs.
//!
//! ```text
//!   x  -300      -10  10       300
//!       | hall 0 | wall | hall 1 |      the wall's leaf has no cluster
//! ```

use fogline_common::bsp::{Brush, BrushSide, Bsp, Child, Leaf, Model, Node, Shader, Span};
use fogline_common::collision::ClipMap;
use fogline_common::ids::{AreaNum, ClusterNum};
use fogline_common::math::{Bounds, Plane, Vec3, vec3};
use fogline_common::proto::contents;
use std::sync::Arc;

/// What the wall is made of.
#[derive(Clone, Copy)]
pub(super) struct Wall {
    pub contents: i32,
    pub surface_flags: i32,
    /// It reaches up to this y; 600 is beyond the map.
    pub until_y: f32,
    /// The leaf has a cluster of its own.
    pub cluster: Option<u32>,
}

pub(super) fn map(wall: Wall) -> Arc<ClipMap> {
    let span = |first, count| Span { first, count };
    let leaf = |cluster: Option<u32>, brushes| Leaf {
        cluster: cluster.map(ClusterNum::new),
        area: cluster.map(|_| AreaNum::new(0)),
        mins: [-300; 3],
        maxs: [300; 3],
        surfaces: span(0, 0),
        brushes,
    };
    // Planes come in opposite pairs; the even ones face up their axis.
    let planes = [(0, -10.0), (0, 10.0), (1, -600.0), (1, wall.until_y), (2, -600.0), (2, 600.0)]
        .into_iter()
        .flat_map(|(axis, dist)| {
            let mut normal = Vec3::ZERO;
            normal[axis] = 1.0;
            [Plane { normal, dist }, Plane { normal: -normal, dist: -dist }]
        })
        .collect();
    let side = |plane| BrushSide { plane, shader: 0 };
    let node = |plane, front, back| Node { plane, children: [front, back], mins: [-300; 3], maxs: [300; 3] };
    let bsp = Bsp {
        entities: b"{\n\"classname\" \"worldspawn\"\n}\n\0".to_vec(),
        shaders: vec![Shader { name: [0; 64], surface_flags: wall.surface_flags, contents: wall.contents }],
        planes,
        nodes: vec![node(0, Child::Node(1), Child::Leaf(0)), node(2, Child::Leaf(2), Child::Leaf(1))],
        leafs: vec![leaf(Some(0), span(0, 0)), leaf(wall.cluster, span(0, 1)), leaf(Some(1), span(0, 0))],
        leaf_brushes: vec![0],
        models: vec![Model {
            bounds: Bounds::new(vec3(-300.0, -300.0, -300.0), vec3(300.0, 300.0, 300.0)),
            surfaces: span(0, 0),
            brushes: span(0, 1),
        }],
        brushes: vec![Brush { sides: span(0, 6), shader: 0 }],
        brush_sides: [1, 2, 5, 6, 9, 10].map(side).to_vec(),
        ..Bsp::default()
    };
    Arc::new(ClipMap::build(&bsp).expect("the halls are sound"))
}

/// A floor at z = 0 between two halls, of two slabs that are cut to wedges below and meet tip to tip at y = 0.
///
/// ```text
///    z = 0  =====#=====  hall 0 above
///              \    /     hall 1 below
/// ```
pub(in crate::visibility) fn wedges() -> Arc<ClipMap> {
    let span = |first, count| Span { first, count };
    let leaf = |cluster: Option<u32>, brushes| Leaf {
        cluster: cluster.map(ClusterNum::new),
        area: cluster.map(|_| AreaNum::new(0)),
        mins: [-300, -600, -300],
        maxs: [300, 600, 300],
        surfaces: span(0, 0),
        brushes,
    };
    let slant = |y: f32| vec3(0.0, y, 2.0).normalized();
    let axial = [(0, -300.0), (0, 300.0), (1, -600.0), (1, 0.0), (1, 600.0), (2, -300.0), (2, 0.0)];
    let axial = axial.map(|(axis, dist)| {
        let mut normal = Vec3::ZERO;
        normal[axis] = 1.0;
        Plane { normal, dist }
    });
    let slants = [1.0, -1.0].map(|y| Plane { normal: slant(y), dist: 0.0 });
    let planes = axial.into_iter().chain(slants);
    let planes =
        planes.flat_map(|plane| [plane, Plane { normal: -plane.normal, dist: -plane.dist }]).collect();
    let side = |plane| BrushSide { plane, shader: 0 };
    let node = |plane, front, back| Node { plane, children: [front, back], mins: [-300; 3], maxs: [300; 3] };
    let bsp = Bsp {
        entities: b"{\n\"classname\" \"worldspawn\"\n}\n\0".to_vec(),
        shaders: vec![Shader { name: [0; 64], surface_flags: 0, contents: contents::SOLID }],
        planes,
        nodes: vec![
            node(12, Child::Leaf(0), Child::Node(1)),
            node(6, Child::Node(2), Child::Node(3)),
            node(14, Child::Leaf(2), Child::Leaf(1)),
            node(16, Child::Leaf(3), Child::Leaf(4)),
        ],
        leafs: vec![
            leaf(Some(0), span(0, 0)),
            leaf(Some(1), span(0, 0)),
            leaf(None, span(0, 1)),
            leaf(None, span(1, 1)),
            leaf(Some(1), span(0, 0)),
        ],
        leaf_brushes: vec![0, 1],
        models: vec![Model {
            // The slabs reach beyond what may be asked about.
            bounds: Bounds::new(vec3(-40.0, -300.0, -40.0), vec3(40.0, 300.0, 40.0)),
            surfaces: span(0, 0),
            brushes: span(0, 2),
        }],
        brushes: vec![Brush { sides: span(0, 7), shader: 0 }, Brush { sides: span(7, 7), shader: 0 }],
        brush_sides: [1, 2, 7, 8, 11, 12, 15, 1, 2, 5, 6, 11, 12, 17].map(side).to_vec(),
        ..Bsp::default()
    };
    Arc::new(ClipMap::build(&bsp).expect("the floor is sound"))
}
