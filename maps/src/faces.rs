//! What is drawn: the visible parts of brush faces as flat polygons, patches as they are, models as triangles.

use crate::brush::{Brush, Side};
use crate::geometry::epsilon::{SAME_POINT, TREE};
use crate::geometry::{DVec3, Plane, PlaneNum, PlaneSet, Winding};
use crate::leafs::{Leaf, filter_face};
use crate::material::{Compile, Material, MaterialNum, Materials};
use crate::models;
use crate::scene::{Model, Patch};
use crate::tessellation;
use crate::tree::{CellNum, Tree};

/// A corner or a control point, in the frame of the model.
pub use crate::models::Vertex as Corner;

/// Something to draw.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// What it is made of.
    pub material: MaterialNum,
    /// Corners; for a patch its control points, row by row.
    pub corners: Vec<Corner>,
    /// Convex polygons of the corners, clockwise seen from the front; triangles for a mesh, none for a patch.
    pub polygons: Vec<Vec<u32>>,
    /// Shape.
    pub shape: Shape,
    /// Leafs of the world that it touches, rising. Empty for models that move.
    pub leafs: Vec<CellNum>,
}

/// What kind of surface it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A convex polygon on a plane.
    Flat(PlaneNum),
    /// A grid of control points, across and down.
    Patch([usize; 2]),
    /// The same, to be walked on but not drawn: a mesh is drawn in its place.
    HiddenPatch([usize; 2]),
    /// Triangles.
    Mesh,
}

/// All that is drawn of the world, and where.
pub fn of_world(
    model: &Model,
    tree: &Tree,
    planes: &PlaneSet,
    leafs: &[Leaf],
    materials: &Materials,
) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    for side in drawn_sides(&model.brushes, materials) {
        let Some(visible) = &side.visible else { continue };
        for piece in blocks(side, visible, materials) {
            let mut surface = flat(side, &piece, DVec3::ZERO, planes, materials);
            filter_face(tree, planes, side.plane, &piece, |cell, _| {
                if !leafs[cell].opaque {
                    surface.leafs.push(cell);
                }
            });
            finish(&mut surface.leafs);
            drawn.push(surface);
        }
    }
    for patch in &model.patches {
        let mut surface = curved(patch);
        crate::patches::leafs_touched(patch, tree, planes, &mut surface.leafs);
        surface.leafs.retain(|&cell| !leafs[cell].opaque);
        finish(&mut surface.leafs);
        drawn.push(surface);
    }
    for mut surface in meshes(model, materials) {
        let places: Vec<DVec3> = surface.corners.iter().map(|corner| corner.position).collect();
        for triangle in &surface.polygons {
            let corners: Vec<DVec3> = triangle.iter().map(|&number| places[number as usize]).collect();
            crate::patches::leafs_near(&corners, TREE, tree, planes, &mut surface.leafs);
        }
        surface.leafs.retain(|&cell| !leafs[cell].opaque);
        finish(&mut surface.leafs);
        drawn.push(surface);
    }
    drawn
}

/// All that is drawn of a model that moves: every face of it.
pub fn of_model(model: &Model, planes: &PlaneSet, materials: &Materials) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    for side in drawn_sides(&model.brushes, materials) {
        let pieces = side.winding.iter().flat_map(|winding| blocks(side, winding, materials));
        drawn.extend(pieces.map(|piece| flat(side, &piece, model.origin, planes, materials)));
    }
    drawn.extend(model.patches.iter().map(curved));
    drawn.extend(meshes(model, materials));
    drawn
}

/// Triangles of models, and of patches whose mapper says into how many parts they are cut.
fn meshes<'a>(model: &'a Model, materials: &'a Materials) -> impl Iterator<Item = Drawn> + 'a {
    let cut = model.patches.iter().flat_map(|patch| {
        let (vertices, triangles) =
            patch.subdivisions.map(|parts| tessellation::cut(patch, parts)).unwrap_or_default();
        models::in_surfaces(patch.material, &vertices, &triangles)
    });
    let all = model.meshes.iter().cloned().chain(cut);
    all.filter(|mesh| !is_hidden(&materials[mesh.material])).map(|mesh| Drawn {
        material: mesh.material,
        corners: mesh.vertices,
        polygons: mesh.triangles.into_iter().map(Vec::from).collect(),
        shape: Shape::Mesh,
        leafs: Vec::new(),
    })
}

/// Edge of the cells into which faces are cut, so that light can vary over them. Unit: world units.
const CELL: f64 = 64.0;
/// Cells of a surface, each way: with its corners it stays below the 64 that renderers take.
const BLOCK_CELLS: f64 = 6.0;

/// The pieces of a face that become surfaces. Sky is not lit, so it stays whole.
fn blocks(side: &Side, winding: &Winding, materials: &Materials) -> Vec<Winding> {
    if side.material.is_some_and(|number| materials[number].is(Compile::SKY)) {
        return vec![winding.clone()];
    }
    diced(winding, CELL * BLOCK_CELLS)
}

/// Cuts a polygon by the planes of a grid in the world, so that neighbours are cut at the same places.
pub(crate) fn diced(winding: &Winding, step: f64) -> Vec<Winding> {
    let mut pieces = vec![winding.clone()];
    for axis in 0..3 {
        let around = winding.bounds();
        let first = (around.mins[axis] / step).floor() as i64 + 1;
        let last = (around.maxs[axis] / step).ceil() as i64;
        for line in first..last {
            let wall = Plane { normal: DVec3::axis(axis), dist: line as f64 * step };
            let halves = pieces.iter().flat_map(|piece| {
                let (front, back) = piece.split(&wall, CUT);
                [front, back].into_iter().flatten()
            });
            pieces = halves.collect();
        }
    }
    pieces
}

/// Slivers narrower than this are not cut off. Unit: world units.
const CUT: f64 = 1.0;

fn finish(leafs: &mut Vec<CellNum>) {
    leafs.sort_unstable();
    leafs.dedup();
}

fn drawn_sides<'a>(brushes: &'a [Brush], materials: &'a Materials) -> impl Iterator<Item = &'a Side> {
    let sides = brushes.iter().flat_map(|brush| &brush.sides);
    sides.filter(move |side| side.material.is_some_and(|number| !is_hidden(&materials[number])))
}

fn is_hidden(material: &Material) -> bool {
    let hidden = [Compile::NODRAW, Compile::SKIP, Compile::HINT, Compile::AREAPORTAL, Compile::FOG];
    hidden.iter().any(|&flag| material.is(flag))
}

/// `origin` is where the model's frame stands: pictures are laid on in the map's frame.
fn flat(side: &Side, winding: &Winding, origin: DVec3, planes: &PlaneSet, materials: &Materials) -> Drawn {
    let normal = planes[side.plane].normal;
    let material = side.material.expect("only faces with a material are drawn");
    let picture = materials[material].picture;
    let sky = materials[material].is(Compile::SKY);
    let cells = if sky { vec![winding.clone()] } else { diced(winding, CELL) };
    let mut corners: Vec<Corner> = Vec::new();
    let mut polygons = Vec::new();
    for cell in cells {
        let numbers = cell.points().iter().rev().map(|&position| {
            let known = corners.iter().position(|corner| (corner.position - position).length() < SAME_POINT);
            let number = known.unwrap_or_else(|| {
                let texture = side.projection.coordinates(normal, position + origin, picture);
                corners.push(Corner { position, normal, texture });
                corners.len() - 1
            });
            number as u32
        });
        polygons.push(numbers.collect());
    }
    // Large numbers lose their fraction in f32; whole pictures make no difference.
    for axis in 0..2 {
        let least = corners.iter().map(|corner| corner.texture[axis]).fold(f64::INFINITY, f64::min).floor();
        corners.iter_mut().for_each(|corner| corner.texture[axis] -= least);
    }
    Drawn { material, corners, polygons, shape: Shape::Flat(side.plane), leafs: Vec::new() }
}

fn curved(patch: &Patch) -> Drawn {
    let normals = crate::patches::normals(patch);
    let corners = patch.points.iter().zip(normals).map(|(point, normal)| Corner {
        position: point.position,
        normal,
        texture: point.texture,
    });
    Drawn {
        material: patch.material,
        corners: corners.collect(),
        polygons: Vec::new(),
        shape: if patch.subdivisions.is_some() {
            Shape::HiddenPatch(patch.size)
        } else {
            Shape::Patch(patch.size)
        },
        leafs: Vec::new(),
    }
}
