//! Cracks: where solids touch by no more than their edges, so that bullets come from one side of them to the other.
//!
//! ```text
//!        cell above          Two slabs of a floor, cut to wedges below, meet tip to tip. No opening leads from below to above,
//!   =========#=========      and yet a bullet passes at the `#`: it enters each of the two 1/8 late, in a manner of speaking, and
//!    \       |       /       at a tip so narrow it is out again by then.
//!        cell below
//! ```
//!
//! The boundary of what is dark is made of the openings between lit cells and dark leafs. Where two of them that belong to
//! different cells come as near to each other as a bullet can be inside of a solid, and no portals lead round through the
//! open, a crack joins their cells. At all other edges portals do lead round, so there are few.

use super::dark::{Media, Medium};
use super::tree::{Opening, Openings};
use super::winding::{Cut, Point, Winding, to_vec3};
use fogline_common::collision::ClipMap;
use fogline_common::math::{Bounds, Vec3};

/// Bullets pass through what they enter by less than 1/8. Unit: world units.
const DEPTH: f64 = 0.15;
/// A portal that leads round an edge comes as near to it, what brushes cover of it being cut away. Unit: world units.
pub(super) const ROUND: f32 = 0.3;
/// Cracks are looked at in pieces no longer than this. Unit: world units.
const PIECE: f64 = 32.0;
/// Cells looked at on the way round an edge.
pub(super) const MOST_ROUND: usize = 16;

/// Where two cells are joined although no opening joins them.
pub(super) struct Crack {
    pub cells: [u32; 2],
    pub plane: Cut,
    pub piece: Winding,
}

/// Part of the boundary of what is dark.
struct Face<'o> {
    cell: u32,
    opening: &'o Opening,
    bounds: Bounds,
    /// What is near to it lies behind all of these.
    near: Vec<Cut>,
}

/// The cracks of a map. `leads_round`: whether portals lead from one cell to the other about a place.
pub(super) fn cracks(
    clip: &ClipMap,
    media: &Media,
    openings: &Openings,
    leads_round: impl Fn([u32; 2], Vec3) -> bool,
) -> Vec<Crack> {
    let faces: Vec<Face<'_>> = openings.all.iter().filter_map(|opening| Face::of(opening, media)).collect();
    let mut of_leaf: Vec<Vec<u32>> = vec![Vec::new(); clip.leaf_count()];
    for (index, face) in faces.iter().enumerate() {
        for leaf in face.opening.leafs {
            of_leaf[leaf as usize].push(index as u32);
        }
    }
    let mut found = Vec::new();
    let mut met = vec![u32::MAX; faces.len()];
    for (index, face) in faces.iter().enumerate() {
        let around = face.bounds.grown(DEPTH as f32);
        clip.each_leaf_touched(&around, &mut |leaf| {
            for &other in &of_leaf[leaf.index()] {
                if other as usize <= index || met[other as usize] == index as u32 {
                    continue;
                }
                met[other as usize] = index as u32;
                let other = &faces[other as usize];
                if other.cell != face.cell && other.bounds.touches(&around) {
                    between(face, other, &leads_round, &mut found);
                }
            }
            true
        });
    }
    found
}

/// Cracks between two faces.
fn between(
    face: &Face<'_>,
    other: &Face<'_>,
    leads_round: &impl Fn([u32; 2], Vec3) -> bool,
    found: &mut Vec<Crack>,
) {
    let strip =
        other.near.iter().fold(face.opening.winding.clone(), |strip, cut| strip.in_front_of(&cut.flipped()));
    if strip.points.len() < 3 {
        return;
    }
    let cells = [face.cell, other.cell];
    for piece in pieces(&strip) {
        let middle = piece.middle();
        let towards =
            |point: &Point| -> Point { std::array::from_fn(|axis| 0.9 * point[axis] + 0.1 * middle[axis]) };
        let places = std::iter::once(middle).chain(piece.points.iter().map(towards));
        if !places.map(|place| to_vec3(&place)).all(|place| leads_round(cells, place)) {
            found.push(Crack { cells, plane: face.opening.plane, piece });
        }
    }
}

/// A polygon in pieces along its longest axis.
fn pieces(whole: &Winding) -> Vec<Winding> {
    let range = |axis: usize| {
        let parts = whole.points.iter().map(|point| point[axis]);
        parts.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), part| (low.min(part), high.max(part)))
    };
    let length = |axis: &usize| range(*axis).1 - range(*axis).0;
    let axis = (0..3).max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(0);
    let (low, high) = range(axis);
    let mut normal = [0.0; 3];
    normal[axis] = 1.0;
    let mut rest = whole.clone();
    let mut pieces = Vec::new();
    let mut at = low + PIECE;
    while at < high {
        let cut = Cut { normal, dist: at };
        pieces.push(rest.in_front_of(&cut.flipped()));
        rest = rest.in_front_of(&cut);
        at += PIECE;
    }
    pieces.push(rest);
    pieces.retain(|piece| piece.points.len() >= 3);
    pieces
}

impl<'o> Face<'o> {
    fn of(opening: &'o Opening, media: &Media) -> Option<Self> {
        let [front, back] = opening.leafs.map(|leaf| media.of_leaf[leaf as usize]);
        let cell = match (front, back) {
            (Medium::Open(cell), Medium::Dark) | (Medium::Dark, Medium::Open(cell)) => cell,
            _ => return None,
        };
        let points = &opening.winding.points;
        let bounds = points.iter().map(to_vec3).fold(Bounds::EMPTY, Bounds::including);
        let near = opening.winding.prism(&opening.plane, DEPTH);
        Some(Self { cell, opening, bounds, near })
    }
}
