//! The compiled map: everything that was found, in the lumps that clients and servers read.
//!
//! Order is fixed everywhere, so the same map gives the same bytes. Source: facts/map-tools.md, section 6.

use crate::brush::Brush;
use crate::faces::{Drawn, Shape};
use crate::geometry::{Box3, PlaneNum};
use crate::leafs::Leaf;
use crate::map_file;
use crate::material::MaterialNum;
use crate::portals::Portals;
use crate::scene::Scene;
use crate::tree::Tree;
use fogline_common::bsp::{self, Bsp, Child, Span, SurfaceKind, Visibility};
use fogline_common::ids::{AreaNum, ClusterNum};
use fogline_common::math::{Bounds, Plane, Vec3};
use fogline_common::proto::surface;
use std::collections::BTreeMap;

/// Lit by its vertices. Source: facts/map-tools.md, section 6.
const LIGHTMAP_BY_VERTEX: i32 = -3;

/// All that the map file is made of.
pub struct Parts<'a> {
    /// Planes, materials, brushes, entities.
    pub scene: &'a Scene,
    /// The tree.
    pub tree: &'a Tree,
    /// Its openings, for the boxes of leafs.
    pub portals: &'a Portals,
    /// What is in its leafs.
    pub leafs: &'a [Leaf],
    /// What is drawn of each model.
    pub drawn: &'a [Vec<Drawn>],
    /// Which cluster may see which.
    pub visibility: Option<Visibility>,
}

/// Writes the lumps. Nothing is lit yet: all colours are white, and the light grid is empty.
pub fn emit(parts: Parts<'_>) -> Bsp {
    let mut emitter = Emitter::new(parts.scene);
    emitter.bsp.entities = entity_text(parts.scene);
    let mut first_brush = 0;
    for (model, drawn) in parts.scene.models.iter().zip(parts.drawn) {
        let surfaces = emitter.surfaces(drawn);
        let brushes = emitter.brushes(&model.brushes);
        let boxes = model.brushes.iter().map(|brush| brush.bounds);
        let around =
            boxes.chain(model.patches.iter().map(crate::scene::Patch::bounds)).fold(Box3::EMPTY, Box3::union);
        emitter.bsp.models.push(bsp::Model { bounds: bounds(&around), surfaces, brushes });
        first_brush += brushes.count;
    }
    debug_assert_eq!(first_brush as usize, emitter.bsp.brushes.len());
    let world = parts.drawn.first().map_or(&[][..], Vec::as_slice);
    emitter.tree(parts.tree, parts.portals, parts.leafs, world);
    emitter.bsp.visibility = parts.visibility;
    emitter.bsp
}

struct Emitter<'a> {
    scene: &'a Scene,
    bsp: Bsp,
    /// Numbers of planes in the file, by pair.
    planes: BTreeMap<usize, u32>,
    /// Numbers of shaders in the file.
    shaders: BTreeMap<(Option<MaterialNum>, bool), u32>,
}

impl<'a> Emitter<'a> {
    fn new(scene: &'a Scene) -> Self {
        Self { scene, bsp: Bsp::default(), planes: BTreeMap::new(), shaders: BTreeMap::new() }
    }

    /// Planes that nothing uses stay out; pairs stay together.
    fn plane(&mut self, number: PlaneNum) -> u32 {
        let pair = number.canonical();
        let first = match self.planes.get(&pair.index()) {
            Some(&first) => first,
            None => {
                let first = self.bsp.planes.len() as u32;
                for side in [pair, pair.opposite()] {
                    let plane = self.scene.planes[side];
                    self.bsp
                        .planes
                        .push(Plane { normal: plane.normal.to_f32(), dist: plane.dist as f32 + 0.0 });
                }
                self.planes.insert(pair.index(), first);
                first
            }
        };
        first + u32::from(!number.is_canonical())
    }

    /// `drawn` is false for what is only walked on, whatever its script says.
    fn shader(&mut self, material: Option<MaterialNum>, drawn: bool) -> u32 {
        if let Some(&known) = self.shaders.get(&(material, drawn)) {
            return known;
        }
        let shader = material.map_or_else(
            || bsp::Shader::new("noshader", 0, 0),
            |number| {
                let material = &self.scene.materials[number];
                let hidden = if drawn { 0 } else { surface::NODRAW };
                bsp::Shader::new(&material.name, material.flags.surface | hidden, material.flags.contents)
            },
        );
        self.bsp.shaders.push(shader);
        let number = self.bsp.shaders.len() as u32 - 1;
        self.shaders.insert((material, drawn), number);
        number
    }

    fn brushes(&mut self, brushes: &[Brush]) -> Span {
        let first = self.bsp.brushes.len() as u32;
        for brush in brushes {
            let sides = Span { first: self.bsp.brush_sides.len() as u32, count: brush.sides.len() as u32 };
            for side in &brush.sides {
                let record = bsp::BrushSide {
                    plane: self.plane(side.plane),
                    shader: self.shader(side.material, true),
                };
                self.bsp.brush_sides.push(record);
            }
            let shader = self.shader(Some(brush.material), true);
            self.bsp.brushes.push(bsp::Brush { sides, shader });
        }
        Span { first, count: brushes.len() as u32 }
    }

    fn surfaces(&mut self, drawn: &[Drawn]) -> Span {
        let first = self.bsp.surfaces.len() as u32;
        for surface in drawn {
            self.surface(surface);
        }
        Span { first, count: drawn.len() as u32 }
    }

    fn surface(&mut self, drawn: &Drawn) {
        let verts = Span { first: self.bsp.draw_verts.len() as u32, count: drawn.corners.len() as u32 };
        self.bsp.draw_verts.extend(drawn.corners.iter().map(|corner| bsp::DrawVert {
            position: corner.position.to_f32(),
            texture: corner.texture.map(|part| part as f32 + 0.0),
            lightmap: [0.0; 2],
            normal: corner.normal.to_f32(),
            color: [255; 4],
        }));
        let first_index = self.bsp.draw_indexes.len() as u32;
        // Polygons run clockwise, so fans about their first corners do too.
        for polygon in &drawn.polygons {
            let fan = polygon[1..].windows(2).flat_map(|pair| [polygon[0], pair[0], pair[1]]);
            self.bsp.draw_indexes.extend(fan);
        }
        let (kind, vectors, patch_size) = match drawn.shape {
            Shape::Mesh => (SurfaceKind::Triangles, [Vec3::ZERO; 3], [0; 2]),
            Shape::Flat(plane) => {
                let normal = self.scene.planes[plane].normal.to_f32();
                (SurfaceKind::Planar, [Vec3::ZERO, Vec3::ZERO, normal], [0; 2])
            }
            Shape::Patch(size) | Shape::HiddenPatch(size) => {
                let around = Box3::around(drawn.corners.iter().map(|corner| corner.position));
                let vectors = [around.mins.to_f32(), around.maxs.to_f32(), Vec3::ZERO];
                (SurfaceKind::Patch, vectors, size.map(|side| side as i32))
            }
        };
        let shader = self.shader(Some(drawn.material), !matches!(drawn.shape, Shape::HiddenPatch(_)));
        self.bsp.surfaces.push(bsp::Surface {
            shader,
            fog: None,
            kind,
            verts,
            indexes: Span { first: first_index, count: self.bsp.draw_indexes.len() as u32 - first_index },
            lightmap: LIGHTMAP_BY_VERTEX,
            lightmap_corner: [0; 2],
            lightmap_size: [0; 2],
            lightmap_origin: Vec3::ZERO,
            lightmap_vectors: vectors,
            patch_size,
        });
    }

    fn tree(&mut self, tree: &Tree, portals: &Portals, leafs: &[Leaf], world: &[Drawn]) {
        let mut surfaces_of = vec![Vec::new(); tree.cells.len()];
        for (number, surface) in world.iter().enumerate() {
            for &cell in &surface.leafs {
                surfaces_of[cell].push(number as u32);
            }
        }
        let boxes = boxes(tree, portals);
        let mut numbers = Vec::with_capacity(tree.cells.len());
        let (mut node_count, mut leaf_count) = (0, 0);
        for cell in &tree.cells {
            let count = if cell.split.is_some() { &mut node_count } else { &mut leaf_count };
            numbers.push(if cell.split.is_some() { Child::Node(*count) } else { Child::Leaf(*count) });
            *count += 1;
        }
        for (number, cell) in tree.cells.iter().enumerate() {
            let (mins, maxs) = whole(&boxes[number]);
            if let Some(split) = &cell.split {
                let (plane, children) = (self.plane(split.plane), split.children.map(|child| numbers[child]));
                self.bsp.nodes.push(bsp::Node { plane, children, mins, maxs });
                continue;
            }
            let leaf = &leafs[number];
            let surfaces = append(&mut self.bsp.leaf_surfaces, &surfaces_of[number]);
            let brushes = append(&mut self.bsp.leaf_brushes, &leaf.brushes);
            let (cluster, area) = (leaf.cluster.map(ClusterNum::new), leaf.area.map(AreaNum::new));
            self.bsp.leafs.push(bsp::Leaf { cluster, area, mins, maxs, surfaces, brushes });
        }
    }
}

fn append(list: &mut Vec<u32>, numbers: &[u32]) -> Span {
    let first = list.len() as u32;
    list.extend_from_slice(numbers);
    Span { first, count: numbers.len() as u32 }
}

/// The boxes of cells: of leafs from their openings, of nodes from what is below.
fn boxes(tree: &Tree, portals: &Portals) -> Vec<Box3> {
    let mut boxes: Vec<Box3> = vec![Box3::EMPTY; tree.cells.len()];
    for number in (0..tree.cells.len()).rev() {
        let cell = &tree.cells[number];
        boxes[number] = if let Some(split) = &cell.split {
            boxes[split.children[0]].union(boxes[split.children[1]])
        } else {
            let openings = portals.of_cell[number].iter().map(|&portal| portals.all[portal].winding.bounds());
            openings.fold(Box3::EMPTY, Box3::union)
        };
    }
    // A leaf that rounding left without openings is nowhere, but has a box all the same.
    for (known, cell) in boxes.iter_mut().zip(&tree.cells) {
        if known.is_empty() {
            *known = Box3 { mins: cell.bounds.mins, maxs: cell.bounds.mins };
        }
    }
    boxes
}

fn whole(around: &Box3) -> ([i32; 3], [i32; 3]) {
    let low = around.mins.to_array().map(|part| part.floor() as i32);
    let high = around.maxs.to_array().map(|part| part.ceil() as i32);
    (low, high)
}

fn bounds(around: &Box3) -> Bounds {
    if around.is_empty() { Bounds::POINT } else { Bounds::new(around.mins.to_f32(), around.maxs.to_f32()) }
}

/// Entities as the game reads them, ended by a NUL.
///
/// Lights have done their work, unless the world says `_keepLights`. Quotes cannot stand in a value, so they become apostrophes.
pub fn entity_text(scene: &Scene) -> Vec<u8> {
    let world = scene.entities.first().map(|world| &world.entity);
    let keeps = |key: &str| world.and_then(|world| world.number(key)).is_some_and(|value| value != 0.0);
    let keep_lights = keeps("_keepLights") || keeps("keepLights");
    let mut text = String::new();
    for entity in &scene.entities {
        let entity = &entity.entity;
        if !keep_lights && entity.class().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("light")) {
            continue;
        }
        push_entity(&mut text, entity);
    }
    text.push('\0');
    text.into_bytes()
}

fn push_entity(text: &mut String, entity: &map_file::Entity) {
    text.push_str("{\n");
    for (key, value) in &entity.pairs {
        let clean = |part: &str| part.replace('"', "'").replace('\0', "");
        text.push_str(&format!("\"{}\" \"{}\"\n", clean(key), clean(value)));
    }
    text.push_str("}\n");
}
