//! What is drawn: the visible parts of brush faces as flat polygons, and patches as they are.

use crate::brush::{Brush, Side};
use crate::geometry::{DVec3, PlaneNum, PlaneSet, Winding};
use crate::leafs::{Leaf, filter_face};
use crate::material::{Compile, MaterialNum, Materials};
use crate::scene::{Model, Patch};
use crate::tree::{CellNum, Tree};

/// A corner or a control point.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// In the frame of the model.
    pub position: DVec3,
    /// Unit vector.
    pub normal: DVec3,
    /// Texture coordinates.
    pub texture: [f64; 2],
    /// Light, 0 to 255 and beyond before it is written. Unit: the file's own.
    pub light: [f64; 3],
}

/// Something to draw.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// What it is made of.
    pub material: MaterialNum,
    /// Corners, clockwise seen from the front; for a patch its control points, row by row.
    pub corners: Vec<Corner>,
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
        let mut surface = flat(side, visible, DVec3::ZERO, planes, materials);
        filter_face(tree, planes, side.plane, visible, |cell, _| {
            if !leafs[cell].opaque {
                surface.leafs.push(cell);
            }
        });
        finish(&mut surface.leafs);
        drawn.push(surface);
    }
    for patch in &model.patches {
        let mut surface = curved(patch);
        crate::patches::leafs_touched(patch, tree, planes, &mut surface.leafs);
        surface.leafs.retain(|&cell| !leafs[cell].opaque);
        finish(&mut surface.leafs);
        drawn.push(surface);
    }
    drawn
}

/// All that is drawn of a model that moves: every face of it.
pub fn of_model(model: &Model, planes: &PlaneSet, materials: &Materials) -> Vec<Drawn> {
    let sides = drawn_sides(&model.brushes, materials);
    let flats =
        sides.filter_map(|side| Some(flat(side, side.winding.as_ref()?, model.origin, planes, materials)));
    flats.chain(model.patches.iter().map(curved)).collect()
}

fn finish(leafs: &mut Vec<CellNum>) {
    leafs.sort_unstable();
    leafs.dedup();
}

fn drawn_sides<'a>(brushes: &'a [Brush], materials: &'a Materials) -> impl Iterator<Item = &'a Side> {
    let hidden = [Compile::NODRAW, Compile::SKIP, Compile::HINT, Compile::AREAPORTAL, Compile::FOG];
    let sides = brushes.iter().flat_map(|brush| &brush.sides);
    sides.filter(move |side| {
        side.material.is_some_and(|number| !hidden.iter().any(|&flag| materials[number].is(flag)))
    })
}

/// `origin` is where the model's frame stands: pictures are laid on in the map's frame.
fn flat(side: &Side, winding: &Winding, origin: DVec3, planes: &PlaneSet, materials: &Materials) -> Drawn {
    let normal = planes[side.plane].normal;
    let material = side.material.expect("only faces with a material are drawn");
    let picture = materials[material].picture;
    let corner = |&position: &DVec3| Corner {
        position,
        normal,
        texture: side.projection.coordinates(normal, position + origin, picture),
        light: [255.0; 3],
    };
    let mut corners: Vec<Corner> = winding.points().iter().rev().map(corner).collect();
    // Large numbers lose their fraction in f32; whole pictures make no difference.
    for axis in 0..2 {
        let least = corners.iter().map(|corner| corner.texture[axis]).fold(f64::INFINITY, f64::min).floor();
        corners.iter_mut().for_each(|corner| corner.texture[axis] -= least);
    }
    Drawn { material, corners, shape: Shape::Flat(side.plane), leafs: Vec::new() }
}

fn curved(patch: &Patch) -> Drawn {
    let normals = crate::patches::normals(patch);
    let corners = patch.points.iter().zip(normals).map(|(point, normal)| Corner {
        position: point.position,
        normal,
        texture: point.texture,
        light: [255.0; 3],
    });
    Drawn {
        material: patch.material,
        corners: corners.collect(),
        shape: Shape::Patch(patch.size),
        leafs: Vec::new(),
    }
}
