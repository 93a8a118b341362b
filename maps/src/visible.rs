//! Which part of each face can be seen from where players are: what touches a leaf that is not rock and not outside.

use crate::brush::Brush;
use crate::geometry::{DVec3, PlaneSet, Winding};
use crate::leafs::{Leaf, filter_face};
use crate::material::{Compile, Materials};
use crate::tree::{SplitFace, Tree};

/// Sets [`crate::brush::Side::visible`] of all faces to the convex outline of the pieces that can be seen.
pub fn find(tree: &Tree, planes: &PlaneSet, leafs: &[Leaf], brushes: &mut [Brush]) {
    for side in brushes.iter_mut().flat_map(|brush| &mut brush.sides) {
        let Some(winding) = &side.winding else { continue };
        let mut seen: Vec<DVec3> = Vec::new();
        let mut whole = true;
        filter_face(tree, planes, side.plane, winding, |cell, piece| {
            if leafs[cell].opaque {
                whole = false;
            } else {
                seen.extend_from_slice(piece.points());
            }
        });
        side.visible =
            if whole { Some(winding.clone()) } else { Winding::hull(&seen, planes[side.plane].normal) };
    }
}

/// Priority of a hint's faces: before all others.
const HINT: i32 = 1000;
/// Priority of an area portal's faces: after all others.
const AREAPORTAL: i32 = -1000;

/// The faces that a tree is built from: those of structural brushes, but for skips. With `only_visible`, what was found to be
/// visible of them.
pub fn split_faces(brushes: &[Brush], materials: &Materials, only_visible: bool) -> Vec<SplitFace> {
    let mut faces = Vec::new();
    for brush in brushes.iter().filter(|brush| !brush.is_detail()) {
        for side in &brush.sides {
            let (Some(material), Some(winding)) = (side.material, side.winding.as_ref()) else { continue };
            let material = &materials[material];
            if material.is(Compile::SKIP) {
                continue;
            }
            let Some(winding) = (if only_visible { side.visible.as_ref() } else { Some(winding) }) else {
                continue;
            };
            let hint = material.is(Compile::HINT);
            let priority = match () {
                () if hint => HINT,
                () if material.is(Compile::AREAPORTAL) || material.is(Compile::ANTIPORTAL) => AREAPORTAL,
                () => 0,
            };
            let (plane, winding) = (side.plane.canonical(), winding.clone());
            faces.push(SplitFace { plane, bounds: winding.bounds(), winding, priority, hint });
        }
    }
    faces
}
