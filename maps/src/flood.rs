//! From where the entities are, everything that can be reached is inside. If that is the outside too, the map leaks.

use crate::diagnostics::Site;
use crate::geometry::{DVec3, PlaneSet};
use crate::leafs::Leaf;
use crate::portals::Portals;
use crate::scene::SceneEntity;
use crate::tree::{CellNum, Tree};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the flood found.
#[derive(Clone, Debug, Default)]
pub struct Flood {
    /// Whether an entity can reach a cell.
    pub reached: Vec<bool>,
    /// Whether any entity is in the open at all.
    pub inhabited: bool,
    /// The way out, if there is one.
    pub leak: Option<Leak>,
}

/// A way from an entity to the outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Leak {
    /// The entity from which the way is shortest.
    pub entity: Site,
    /// From the outside to the entity.
    pub path: Vec<DVec3>,
    /// The middle of the narrowest opening on the way, most likely the hole.
    pub hole: DVec3,
    /// Number of that opening.
    pub portal: usize,
}

/// Entities stand on floors; this lifts them out. Unit: world units. Source: facts/map-tools.md, section 4.
const LIFT: f64 = 1.0;

/// A point entity in the open.
struct Seed<'a> {
    site: &'a Site,
    point: DVec3,
    leaf: CellNum,
}

/// Floods from the point entities through every opening that is not tiny.
pub fn flood(
    tree: &Tree,
    planes: &PlaneSet,
    portals: &Portals,
    leafs: &[Leaf],
    entities: &[SceneEntity],
) -> Flood {
    let seeds = seeds(tree, planes, leafs, entities);
    let mut reached = vec![false; tree.cells.len() + 1];
    let mut pending: Vec<CellNum> = seeds.iter().map(|seed| seed.leaf).collect();
    while let Some(leaf) = pending.pop() {
        if std::mem::replace(&mut reached[leaf], true) || leaf == portals.outside {
            continue;
        }
        pending.extend(ways(portals, leafs, leaf).map(|(_, other)| other).filter(|&other| !reached[other]));
    }
    let leaks = reached[portals.outside];
    let leak = if leaks { shortest_way_out(portals, leafs, &seeds) } else { None };
    Flood { reached, inhabited: !seeds.is_empty(), leak }
}

/// Makes rock of what was not reached. Returns how many leafs that were.
pub fn fill_outside(tree: &Tree, leafs: &mut [Leaf], flood: &Flood) -> usize {
    let mut filled = 0;
    for cell in tree.leafs() {
        if !flood.reached[cell] && !leafs[cell].opaque {
            leafs[cell].opaque = true;
            filled += 1;
        }
    }
    filled
}

/// Entities without a model that stand in the open. One with a model is a wall, not an inhabitant.
fn seeds<'a>(tree: &Tree, planes: &PlaneSet, leafs: &[Leaf], entities: &'a [SceneEntity]) -> Vec<Seed<'a>> {
    let points = entities.iter().filter(|entity| entity.model.is_none()).filter_map(|entity| {
        let origin = entity.entity.vector("origin").filter(|&origin| origin != DVec3::ZERO)?;
        Some((&entity.site, origin + DVec3::axis(2) * LIFT))
    });
    let seeds = points.map(|(site, point)| Seed { site, point, leaf: tree.leaf_at(point, planes) });
    seeds.filter(|seed| !leafs[seed.leaf].opaque && !tree.cells.is_empty()).collect()
}

fn ways<'a>(
    portals: &'a Portals,
    leafs: &'a [Leaf],
    leaf: CellNum,
) -> impl Iterator<Item = (usize, CellNum)> + 'a {
    portals.neighbours(leaf).filter(move |&(portal, other)| {
        !portals.all[portal].tiny && (other == portals.outside || !leafs[other].opaque)
    })
}

/// A distance that can be compared: lengths are never NaN, and below zero is not reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Length(u64);

impl Length {
    fn new(length: f64) -> Self {
        // Sixteenths of a thousandth of a unit are finer than any map.
        Self((length * 16_000.0) as u64)
    }
}

/// Dijkstra over the openings, from all entities at once.
fn shortest_way_out(portals: &Portals, leafs: &[Leaf], seeds: &[Seed<'_>]) -> Option<Leak> {
    let centers: Vec<DVec3> = portals.all.iter().map(|portal| portal.winding.center()).collect();
    // Per opening: how far, from which opening or seed.
    let mut best: Vec<Option<(Length, f64, From)>> = vec![None; portals.all.len()];
    let mut queue = BinaryHeap::new();
    for (number, seed) in seeds.iter().enumerate() {
        for (portal, other) in ways(portals, leafs, seed.leaf) {
            let length = (centers[portal] - seed.point).length();
            queue.push(Reverse((Length::new(length), portal, other, From::Seed(number))));
        }
    }
    while let Some(Reverse((length, portal, leaf, from))) = queue.pop() {
        if best[portal].is_some() {
            continue;
        }
        let way = match from {
            From::Seed(seed) => (centers[portal] - seeds[seed].point).length(),
            From::Portal(before) => {
                best[before].map_or(0.0, |(_, way, _)| way) + (centers[portal] - centers[before]).length()
            }
        };
        best[portal] = Some((length, way, from));
        if leaf == portals.outside {
            return Some(way_back(portals, &centers, seeds, portal, |portal| {
                best[portal].map(|(.., from)| from)
            }));
        }
        for (next, other) in ways(portals, leafs, leaf) {
            if best[next].is_none() {
                let length = way + (centers[next] - centers[portal]).length();
                queue.push(Reverse((Length::new(length), next, other, From::Portal(portal))));
            }
        }
    }
    None
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    Seed(usize),
    Portal(usize),
}

fn way_back(
    portals: &Portals,
    centers: &[DVec3],
    seeds: &[Seed<'_>],
    last: usize,
    from: impl Fn(usize) -> Option<From>,
) -> Leak {
    let mut path = Vec::new();
    let mut narrowest = (f64::INFINITY, last);
    let mut at = last;
    let seed = loop {
        path.push(centers[at]);
        let area = portals.all[at].winding.area();
        if area < narrowest.0 {
            narrowest = (area, at);
        }
        match from(at) {
            Some(From::Portal(before)) => at = before,
            Some(From::Seed(seed)) => break seed,
            None => break 0,
        }
    };
    path.push(seeds[seed].point);
    Leak { entity: seeds[seed].site.clone(), path, hole: centers[narrowest.1], portal: narrowest.1 }
}
