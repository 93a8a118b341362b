//! Small maps made in memory: boxes of matter in one or two areas, and inline models, for tests of the rules.

use fogline_common::bsp::{Brush, BrushSide, Bsp, Child, Leaf, Model, Node, Shader, Span};
use fogline_common::collision::ClipMap;
use fogline_common::ids::{AreaNum, ClusterNum};
use fogline_common::math::{Bounds, Plane, Vec3, vec3};
use fogline_common::proto::contents;
use std::sync::Arc;

/// Half the extent of the room of [`TinyMap::room`].
pub const ROOM: f32 = 1024.0;
/// Height of that room.
pub const CEILING: f32 = 1024.0;

/// A map under construction. The plane x = 0 parts it into two clusters, and into two areas unless they are joined.
#[derive(Debug, Default)]
pub struct TinyMap {
    bsp: Bsp,
    world_brush_count: u32,
    entities: String,
    is_one_area: bool,
}

impl TinyMap {
    /// Nothing yet but the entities of the text.
    pub fn empty(entities: &str) -> Self {
        Self { entities: entities.to_owned(), ..Self::default() }
    }

    /// Both sides of the plane x = 0 are one area: no door parts them.
    #[must_use]
    pub fn one_area(mut self) -> Self {
        self.is_one_area = true;
        self
    }

    /// A closed room, floor at z = 0, [`ROOM`] to each side, [`CEILING`] high, with the entities of the text.
    pub fn room(entities: &str) -> Self {
        let mut map = Self::empty(entities);
        let (far, thick) = (ROOM + 64.0, 64.0);
        for (mins, maxs) in [
            (vec3(-far, -far, -thick), vec3(far, far, 0.0)),
            (vec3(-far, -far, CEILING), vec3(far, far, CEILING + thick)),
            (vec3(-far, -far, 0.0), vec3(-ROOM, far, CEILING)),
            (vec3(ROOM, -far, 0.0), vec3(far, far, CEILING)),
            (vec3(-ROOM, -far, 0.0), vec3(ROOM, -ROOM, CEILING)),
            (vec3(-ROOM, ROOM, 0.0), vec3(ROOM, far, CEILING)),
        ] {
            map = map.solid(Bounds::new(mins, maxs));
        }
        map
    }

    /// A box of solid matter.
    #[must_use]
    pub fn solid(self, bounds: Bounds) -> Self {
        self.matter(bounds, contents::SOLID)
    }

    /// A box of the world made of this.
    ///
    /// # Panics
    /// Once the map has inline models: the world's brushes come first.
    #[must_use]
    pub fn matter(mut self, bounds: Bounds, made_of: i32) -> Self {
        assert!(self.bsp.models.is_empty(), "the world's brushes come before inline models");
        self.brush(&bounds, made_of);
        self.world_brush_count += 1;
        self
    }

    /// The next inline model (`*1`, `*2`, …): one solid box.
    #[must_use]
    pub fn model(mut self, bounds: Bounds) -> Self {
        let brush = self.bsp.brushes.len() as u32;
        self.brush(&bounds, contents::SOLID);
        self.bsp.models.push(Model {
            bounds,
            surfaces: Span::default(),
            brushes: Span { first: brush, count: 1 },
        });
        self
    }

    fn brush(&mut self, bounds: &Bounds, made_of: i32) {
        let shader = self.bsp.shaders.len() as u32;
        self.bsp.shaders.push(Shader::new("textures/test", 0, made_of));
        let first = self.bsp.brush_sides.len() as u32;
        for axis in 0..3 {
            let mut normal = Vec3::ZERO;
            normal[axis] = 1.0;
            let up = self.bsp.planes.len() as u32;
            self.bsp.planes.push(Plane { normal, dist: bounds.maxs[axis] });
            self.bsp.planes.push(Plane { normal: -normal, dist: -bounds.maxs[axis] });
            self.bsp.planes.push(Plane { normal, dist: bounds.mins[axis] });
            self.bsp.planes.push(Plane { normal: -normal, dist: -bounds.mins[axis] });
            self.bsp.brush_sides.push(BrushSide { plane: up + 3, shader });
            self.bsp.brush_sides.push(BrushSide { plane: up, shader });
        }
        self.bsp.brushes.push(Brush { sides: Span { first, count: 6 }, shader });
    }

    /// The finished map.
    ///
    /// # Panics
    /// If the map is not sound, which would be a fault of this builder.
    pub fn build(self) -> Arc<ClipMap> {
        // Through the file form, so that what tests stand on is a map as files are.
        let parsed = Bsp::parse(&self.file()).unwrap_or_else(|error| panic!("tiny map: {error}"));
        Arc::new(ClipMap::build(&parsed).unwrap_or_else(|error| panic!("tiny map: {error}")))
    }

    /// The finished map as a file.
    pub fn file(mut self) -> Vec<u8> {
        let count = self.world_brush_count;
        let extent = [-4096, 4096];
        let (mins, maxs) = ([extent[0]; 3], [extent[1]; 3]);
        let bounds = Bounds::new(Vec3::splat(-ROOM - 64.0), Vec3::splat(ROOM + 64.0));
        let world = Model { bounds, surfaces: Span::default(), brushes: Span { first: 0, count } };
        self.bsp.models.insert(0, world);
        let split = self.bsp.planes.len() as u32;
        self.bsp.planes.push(Plane { normal: vec3(1.0, 0.0, 0.0), dist: 0.0 });
        self.bsp.planes.push(Plane { normal: vec3(-1.0, 0.0, 0.0), dist: 0.0 });
        self.bsp.nodes.push(Node { plane: split, children: [Child::Leaf(0), Child::Leaf(1)], mins, maxs });
        self.bsp.leaf_brushes = (0..count).collect();
        for side in 0..2 {
            self.bsp.leafs.push(Leaf {
                cluster: Some(ClusterNum::new(side)),
                area: Some(AreaNum::new(if self.is_one_area { 0 } else { side })),
                mins,
                maxs,
                surfaces: Span::default(),
                brushes: Span { first: 0, count },
            });
        }
        self.bsp.entities = self.entities.into_bytes();
        self.bsp.emit()
    }
}
