//! Which leafs no light enters, and the cells that the others are joined to.
//!
//! A compiler takes what is inside structural brushes and outside of the map, merges it as it likes, and gives it no cluster. But
//! structural brushes that do not stop light have none either, nor those of a sky, so the number alone proves nothing. What
//! does: light enters a leaf through its openings, so a leaf is *dark* if each of its openings to a leaf that is not is covered
//! by brushes of its own that stop light. What lies behind, wall or void, is as good as wall. Light that passes a brush of the
//! sky may come to the void, and walls may be merged with that; there, what keeps light out is that openings are covered
//! ([`passable`]).
//!
//! All others are open. Those of one cluster are one cell.

use super::tree::{Opening, Openings};
use super::winding::{Cut, Winding, to_vec3};
use fogline_common::collision::ClipMap;
use fogline_common::ids::LeafNum;
use fogline_common::math::Bounds;

/// What a leaf is to light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    /// No light comes here.
    Dark,
    /// Part of this cell.
    Open(u32),
}

/// Media of a map. Shape of `of_leaf`: by leaf.
pub(super) struct Media {
    pub of_leaf: Vec<Medium>,
    pub cell_count: usize,
}

/// Brushes cover what lies this far outside of them. Rays take brushes for 1/8 larger than they are, so that nothing passes
/// between. Unit: world units.
const COVERED: f64 = 0.1;
/// Narrower slits between brushes let no light through. Rays do not either, for the same reason. Unit: world units.
const SLIT: f64 = 0.05;
/// An opening that is cut into more pieces is not cut further.
const MOST_PIECES: usize = 256;
/// Pieces of one opening that are worth being told apart.
const FEW_PIECES: usize = 8;

impl Media {
    pub(super) fn of(clip: &ClipMap, openings: &Openings) -> Self {
        let cluster = |leaf: usize| clip.leaf_cluster(LeafNum::new(leaf as u32));
        let lit = lit(clip, openings);
        let mut cell_count = clip.cluster_count();
        let of_leaf = (0..clip.leaf_count())
            .map(|leaf| match cluster(leaf) {
                Some(cluster) => Medium::Open(cluster.index() as u32),
                None if !lit[leaf] => Medium::Dark,
                None => {
                    cell_count += 1;
                    Medium::Open(cell_count as u32 - 1)
                }
            })
            .collect();
        Self { of_leaf, cell_count }
    }
}

/// Which leafs light comes to: all that have a cluster, and what it enters from there. Shape: by leaf.
fn lit(clip: &ClipMap, openings: &Openings) -> Vec<bool> {
    let mut of_leaf: Vec<Vec<u32>> = vec![Vec::new(); clip.leaf_count()];
    for (index, opening) in openings.all.iter().enumerate() {
        for leaf in opening.leafs {
            of_leaf[leaf as usize].push(index as u32);
        }
    }
    let has_cluster = |leaf: usize| clip.leaf_cluster(LeafNum::new(leaf as u32)).is_some();
    let mut lit: Vec<bool> = (0..clip.leaf_count()).map(has_cluster).collect();
    let mut next: Vec<usize> = (0..lit.len()).filter(|&leaf| lit[leaf]).collect();
    while let Some(leaf) = next.pop() {
        for opening in of_leaf[leaf].iter().map(|&index| &openings.all[index as usize]) {
            let [front, back] = opening.leafs.map(|leaf| leaf as usize);
            let other = if front == leaf { back } else { front };
            if !lit[other] && !is_covered(clip, opening, other) {
                lit[other] = true;
                next.push(other);
            }
        }
    }
    lit
}

/// Whether brushes of a leaf cover one of its openings.
fn is_covered(clip: &ClipMap, opening: &Opening, leaf: usize) -> bool {
    uncovered(clip, vec![opening.winding.clone()], leaf as u32).is_empty()
}

/// What of an opening the brushes of both its leafs leave for light to pass, in pieces. Where it is too much in pieces, all.
pub(super) fn passable(clip: &ClipMap, opening: &Opening) -> Vec<Winding> {
    let [front, back] = opening.leafs;
    let left = uncovered(clip, vec![opening.winding.clone()], front);
    let left = uncovered(clip, left, back);
    if left.len() > FEW_PIECES { vec![opening.winding.clone()] } else { left }
}

/// What of some polygons the brushes of a leaf that stop light leave uncovered, but for slits.
fn uncovered(clip: &ClipMap, mut left: Vec<Winding>, leaf: u32) -> Vec<Winding> {
    let around =
        left.iter().flat_map(|piece| &piece.points).map(to_vec3).fold(Bounds::EMPTY, Bounds::including);
    let around = around.grown(1.0);
    for occluder in clip.occluders_in(LeafNum::new(leaf)) {
        if left.is_empty() || left.len() > MOST_PIECES {
            break;
        }
        if !clip.occluder_bounds(occluder).touches(&around) {
            continue;
        }
        let cuts: Vec<Cut> = clip
            .occluder_planes(occluder)
            .map(|plane| Cut::of(&plane))
            .map(|cut| Cut { dist: cut.dist + COVERED, ..cut })
            .collect();
        left = left.into_iter().flat_map(|piece| outside(piece, &cuts)).collect();
    }
    left.retain(|piece| piece.width() >= SLIT);
    left
}

/// What of a polygon lies outside of a volume, in pieces.
fn outside(mut inside: Winding, cuts: &[Cut]) -> Vec<Winding> {
    if cuts.iter().any(|cut| inside.points.iter().all(|point| cut.distance_to(point) >= 0.0)) {
        return vec![inside];
    }
    let mut pieces = Vec::new();
    for cut in cuts {
        let piece = inside.in_front_of(cut);
        if !piece.is_nothing() {
            pieces.push(piece);
        }
        inside = inside.in_front_of(&cut.flipped());
        if inside.is_nothing() {
            break;
        }
    }
    pieces
}
