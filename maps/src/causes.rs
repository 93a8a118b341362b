//! Which brushes make the most portals: those that a mapper may want to make detail.
//!
//! A portal lies in the plane of a split, and a split was chosen for the face of a brush. Of the brushes with a face in that plane,
//! the one nearest to the portal is taken for its cause. Planes without a brush are those of the block grid.

use crate::compiled::Compiled;
use crate::geometry::{Box3, DVec3, PlaneNum, dvec3};
use fogline_common::bsp::Bsp;
use std::collections::BTreeMap;

/// A brush of the world and what it makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cause {
    /// Its number in the compiled map.
    pub brush: usize,
    /// Portals between clusters that lie in its planes, nearer to it than to others.
    pub portals: usize,
    /// Its box.
    pub bounds: Box3,
}

/// All causes, the greatest first, and how many portals the block grid makes.
pub fn find(compiled: &Compiled, bsp: &Bsp) -> (Vec<Cause>, usize) {
    let boxes = boxes_of_world(bsp);
    let mut in_plane: BTreeMap<PlaneNum, Vec<usize>> = BTreeMap::new();
    for (number, brush) in bsp.brushes.iter().take(boxes.len()).enumerate() {
        for side in &bsp.brush_sides[brush.sides.range()] {
            let pair = compiled.planes.of_index(side.plane as usize).canonical();
            in_plane.entry(pair).or_default().push(number);
        }
    }
    let mut counts = vec![0; boxes.len()];
    let mut grid = 0;
    for (number, _) in compiled.openings() {
        let portal = &compiled.portals.all[number];
        let (Some(plane), around) = (portal.plane, portal.winding.bounds()) else { continue };
        let candidates = in_plane.get(&plane.canonical()).map_or(&[][..], Vec::as_slice);
        let apart = |&brush: &usize| gap(&boxes[brush], &around);
        match candidates.iter().copied().min_by(|a, b| apart(a).total_cmp(&apart(b))) {
            Some(brush) => counts[brush] += 1,
            None => grid += 1,
        }
    }
    let mut causes: Vec<Cause> = counts
        .into_iter()
        .zip(boxes)
        .enumerate()
        .filter(|(_, (portals, _))| *portals > 0)
        .map(|(brush, (portals, bounds))| Cause { brush, portals, bounds })
        .collect();
    causes.sort_by_key(|cause| (std::cmp::Reverse(cause.portals), cause.brush));
    (causes, grid)
}

/// How far two boxes are apart.
fn gap(a: &Box3, b: &Box3) -> f64 {
    DVec3::from([0, 1, 2].map(|axis| (a.mins[axis] - b.maxs[axis]).max(b.mins[axis] - a.maxs[axis]).max(0.0)))
        .length()
}

/// Boxes of the world's brushes, from their first six sides.
fn boxes_of_world(bsp: &Bsp) -> Vec<Box3> {
    let brushes = bsp.models.first().map_or(&[][..], |world| &bsp.brushes[world.brushes.range()]);
    let dist = |side: usize| f64::from(bsp.planes[bsp.brush_sides[side].plane as usize].dist);
    brushes
        .iter()
        .map(|brush| match brush.sides.range() {
            sides if sides.len() >= 6 => {
                let at = |place| dist(sides.start + place);
                Box3 { mins: dvec3(-at(0), -at(2), -at(4)), maxs: dvec3(at(1), at(3), at(5)) }
            }
            _ => Box3 { mins: DVec3::ZERO, maxs: DVec3::ZERO },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Options, build};
    use crate::map_file::MapFile;
    use crate::material::Materials;
    use crate::search_path::SearchPath;

    #[test]
    fn a_pillar_in_a_room_causes_the_rooms_portals() {
        let map = MapFile::parse(include_bytes!("../../tests/maps/pillar.map")).expect("a small map");
        let materials = Materials::new(SearchPath::empty());
        let built = build(&map, materials, &Options::default(), &mut Vec::new(), &mut |_| {});
        let bsp = built.bsp.expect("a map");
        let compiled = Compiled::open(&bsp).expect("a sound map");
        let (causes, grid) = find(&compiled, &bsp);
        let all: usize = causes.iter().map(|cause| cause.portals).sum();
        assert_eq!(all + grid, built.portals.expect("portals").portals.len());
        let site = &built.brush_sites[causes[0].brush];
        assert!(causes[0].portals >= 2, "the first of {causes:?}, brush {:?}", site.brush);
    }
}
