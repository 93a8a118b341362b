//! The records of the lumps. Source: facts page "map-tools", section 6.

use super::error::BspError;
use super::fields::{Fields, Put, Record};
use crate::ids::{AreaNum, ClusterNum};
use crate::math::{Bounds, Plane, Vec3};
use std::ops::Range;

/// Some records of another lump, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Number of the first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl Span {
    /// As a range for indexing. An empty span may stand anywhere in a file; its range is the empty one at zero.
    pub const fn range(self) -> Range<usize> {
        if self.count == 0 { 0..0 } else { self.first as usize..self.first as usize + self.count as usize }
    }
}

/// A material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shader {
    /// Path in the game data, NUL padded.
    pub name: [u8; 64],
    /// See [`crate::proto::surface`].
    pub surface_flags: i32,
    /// See [`crate::proto::contents`].
    pub contents: i32,
}

impl Shader {
    /// A material; a name beyond 63 bytes is cut.
    pub fn new(name: &str, surface_flags: i32, contents: i32) -> Self {
        let mut padded = [0; 64];
        let length = name.len().min(63);
        padded[..length].copy_from_slice(&name.as_bytes()[..length]);
        Self { name: padded, surface_flags, contents }
    }
}

/// Where a branch of the tree leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// Number of a node.
    Node(u32),
    /// Number of a leaf.
    Leaf(u32),
}

impl Child {
    /// From the file: `-(leaf + 1)` or a node.
    pub const fn from_file(raw: i32) -> Self {
        if raw < 0 { Self::Leaf(!raw as u32) } else { Self::Node(raw as u32) }
    }

    /// As the file has it.
    pub const fn to_file(self) -> i32 {
        match self {
            Self::Node(node) => node as i32,
            Self::Leaf(leaf) => !(leaf as i32),
        }
    }
}

/// A plane that splits space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The splitting plane.
    pub plane: u32,
    /// What lies in front and what behind.
    pub children: [Child; 2],
    /// Lowest corner, for drawing.
    pub mins: [i32; 3],
    /// Highest corner, for drawing.
    pub maxs: [i32; 3],
}

/// A convex piece of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its row in the PVS; `None` in solid.
    pub cluster: Option<ClusterNum>,
    /// Its area; `None` in solid.
    pub area: Option<AreaNum>,
    /// Lowest corner, for drawing.
    pub mins: [i32; 3],
    /// Highest corner, for drawing.
    pub maxs: [i32; 3],
    /// Of the leaf surfaces.
    pub surfaces: Span,
    /// Of the leaf brushes.
    pub brushes: Span,
}

/// The world, or a part of it that moves or triggers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Box around it.
    pub bounds: Bounds,
    /// Its surfaces.
    pub surfaces: Span,
    /// Its brushes.
    pub brushes: Span,
}

/// A convex volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brush {
    /// Its faces.
    pub sides: Span,
    /// Material that gives the contents.
    pub shader: u32,
}

/// A face of a brush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrushSide {
    /// Its plane, facing out.
    pub plane: u32,
    /// Material that gives the surface flags.
    pub shader: u32,
}

/// A vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawVert {
    /// Where it is.
    pub position: Vec3,
    /// Texture coordinates.
    pub texture: [f32; 2],
    /// Lightmap coordinates.
    pub lightmap: [f32; 2],
    /// Direction for light.
    pub normal: Vec3,
    /// Red, green, blue, alpha.
    pub color: [u8; 4],
}

/// A fog volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fog {
    /// Path in the game data, NUL padded.
    pub shader_name: [u8; 64],
    /// The brush that it fills; `None` for the whole map.
    pub brush: Option<u32>,
    /// Which side of that brush is drawn, -1 for none.
    pub visible_side: i32,
}

/// What a surface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceKind {
    /// Nothing that is drawn.
    Bad = 0,
    /// A flat face.
    Planar = 1,
    /// A grid of control points of a quadratic curve; it collides.
    Patch = 2,
    /// A mesh.
    Triangles = 3,
    /// A light's halo.
    Flare = 4,
}

/// Something to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Material.
    pub shader: u32,
    /// Fog that it is in. Not checked: an installed map names one that is not there, and only renderers look.
    pub fog: Option<u32>,
    /// What it is.
    pub kind: SurfaceKind,
    /// Vertices.
    pub verts: Span,
    /// Vertex numbers, relative to the first vertex.
    pub indexes: Span,
    /// Lightmap page; -1 none, -2 white, -3 by vertex.
    pub lightmap: i32,
    /// Place on the page.
    pub lightmap_corner: [i32; 2],
    /// Size on the page.
    pub lightmap_size: [i32; 2],
    /// The page in the world.
    pub lightmap_origin: Vec3,
    /// The page in the world; the third is a planar face's normal, the first two are a patch's box.
    pub lightmap_vectors: [Vec3; 3],
    /// Control points across and down, for a patch.
    pub patch_size: [i32; 2],
}

impl Record for u32 {
    const SIZE: usize = 4;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        fields.index("number")
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_i32(*self as i32);
    }
}

impl Record for Shader {
    const SIZE: usize = 72;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self { name: fields.bytes(), surface_flags: fields.i32(), contents: fields.i32() })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.name);
        out.put_i32s(&[self.surface_flags, self.contents]);
    }
}

impl Record for Plane {
    const SIZE: usize = 16;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        let plane = Self { normal: fields.vec3(), dist: fields.f32() };
        if plane.normal.is_finite() && plane.dist.is_finite() {
            Ok(plane)
        } else {
            Err(fields.broken("the plane is not finite"))
        }
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_f32s(&self.normal.to_array());
        out.put_f32s(&[self.dist]);
    }
}

impl Record for Node {
    const SIZE: usize = 36;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self {
            plane: fields.index("plane")?,
            children: [Child::from_file(fields.i32()), Child::from_file(fields.i32())],
            mins: fields.i32s(),
            maxs: fields.i32s(),
        })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_i32s(&[self.plane as i32, self.children[0].to_file(), self.children[1].to_file()]);
        out.put_i32s(&self.mins);
        out.put_i32s(&self.maxs);
    }
}

impl Record for Leaf {
    const SIZE: usize = 48;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self {
            cluster: fields.optional("cluster")?.map(ClusterNum::new),
            area: fields.optional("area")?.map(AreaNum::new),
            mins: fields.i32s(),
            maxs: fields.i32s(),
            surfaces: fields.span("leaf surfaces")?,
            brushes: fields.span("leaf brushes")?,
        })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_optional(self.cluster.map(|cluster| cluster.index() as u32));
        out.put_optional(self.area.map(|area| area.index() as u32));
        out.put_i32s(&self.mins);
        out.put_i32s(&self.maxs);
        out.put_span(self.surfaces);
        out.put_span(self.brushes);
    }
}

impl Record for Model {
    const SIZE: usize = 40;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self {
            bounds: Bounds::new(fields.vec3(), fields.vec3()),
            surfaces: fields.span("surfaces")?,
            brushes: fields.span("brushes")?,
        })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_f32s(&self.bounds.mins.to_array());
        out.put_f32s(&self.bounds.maxs.to_array());
        out.put_span(self.surfaces);
        out.put_span(self.brushes);
    }
}

impl Record for Brush {
    const SIZE: usize = 12;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self { sides: fields.span("sides")?, shader: fields.index("shader")? })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_span(self.sides);
        out.put_i32(self.shader as i32);
    }
}

impl Record for BrushSide {
    const SIZE: usize = 8;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self { plane: fields.index("plane")?, shader: fields.index("shader")? })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_i32s(&[self.plane as i32, self.shader as i32]);
    }
}

impl Record for DrawVert {
    const SIZE: usize = 44;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self {
            position: fields.vec3(),
            texture: fields.f32s(),
            lightmap: fields.f32s(),
            normal: fields.vec3(),
            color: fields.bytes(),
        })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_f32s(&self.position.to_array());
        out.put_f32s(&self.texture);
        out.put_f32s(&self.lightmap);
        out.put_f32s(&self.normal.to_array());
        out.extend_from_slice(&self.color);
    }
}

impl Record for Fog {
    const SIZE: usize = 72;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self { shader_name: fields.bytes(), brush: fields.optional("brush")?, visible_side: fields.i32() })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.shader_name);
        out.put_optional(self.brush);
        out.put_i32(self.visible_side);
    }
}

impl Record for Surface {
    const SIZE: usize = 104;
    fn read(fields: &mut Fields<'_>) -> Result<Self, BspError> {
        Ok(Self {
            shader: fields.index("shader")?,
            fog: fields.optional("fog")?,
            kind: match fields.i32() {
                0 => SurfaceKind::Bad,
                1 => SurfaceKind::Planar,
                2 => SurfaceKind::Patch,
                3 => SurfaceKind::Triangles,
                4 => SurfaceKind::Flare,
                _ => return Err(fields.broken("the surface is of no known kind")),
            },
            verts: fields.span("vertices")?,
            indexes: fields.span("draw indexes")?,
            lightmap: fields.i32(),
            lightmap_corner: fields.i32s(),
            lightmap_size: fields.i32s(),
            lightmap_origin: fields.vec3(),
            lightmap_vectors: [fields.vec3(), fields.vec3(), fields.vec3()],
            patch_size: fields.i32s(),
        })
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.put_i32(self.shader as i32);
        out.put_optional(self.fog);
        out.put_i32(self.kind as i32);
        out.put_span(self.verts);
        out.put_span(self.indexes);
        out.put_i32(self.lightmap);
        out.put_i32s(&self.lightmap_corner);
        out.put_i32s(&self.lightmap_size);
        out.put_f32s(&self.lightmap_origin.to_array());
        for vector in self.lightmap_vectors {
            out.put_f32s(&vector.to_array());
        }
        out.put_i32s(&self.patch_size);
    }
}
