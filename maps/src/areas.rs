//! Clusters and areas: the numbers by which the server knows leafs.
//!
//! A cluster is one leaf of the structural tree, so it is convex, which the vis relies on. An area is what can be reached without
//! passing an area portal; a leaf in an area portal brush belongs to the first area that touches it.

use crate::leafs::Leaf;
use crate::portals::Portals;
use crate::prt::{FLAG_HINT, FilePortal, PortalFile};
use crate::tree::Tree;

/// Numbers the leafs that are not opaque, in tree order. Returns how many there are.
pub fn number_clusters(tree: &Tree, leafs: &mut [Leaf]) -> u32 {
    let mut count = 0;
    for cell in tree.leafs() {
        if !leafs[cell].opaque {
            leafs[cell].cluster = Some(count);
            count += 1;
        }
    }
    count
}

/// Numbers the areas. Returns how many there are.
pub fn number_areas(tree: &Tree, portals: &Portals, leafs: &mut [Leaf]) -> u32 {
    let mut count = 0;
    for start in tree.leafs() {
        if leafs[start].opaque || leafs[start].areaportal || leafs[start].area.is_some() {
            continue;
        }
        let mut pending = vec![start];
        while let Some(cell) = pending.pop() {
            if cell == portals.outside || leafs[cell].opaque || leafs[cell].area.is_some() {
                continue;
            }
            leafs[cell].area = Some(count);
            // An area ends in the portal that bounds it.
            if !leafs[cell].areaportal {
                pending.extend(portals.neighbours(cell).map(|(_, other)| other));
            }
        }
        count += 1;
    }
    // Area portals that touch no open leaf but each other.
    for cell in tree.leafs() {
        if !leafs[cell].opaque && leafs[cell].area.is_none() {
            leafs[cell].area = Some(0);
            count = count.max(1);
        }
    }
    count
}

/// The openings between clusters, as the vis takes them.
pub fn portal_file(portals: &Portals, leafs: &[Leaf], cluster_count: u32) -> PortalFile {
    let cluster = |leaf: usize| leafs.get(leaf).and_then(|leaf| leaf.cluster);
    let openings = portals.all.iter().filter_map(|portal| {
        let clusters = [cluster(portal.leafs[0])?, cluster(portal.leafs[1])?];
        let winding = portal.winding.points().iter().map(|point| point.to_array()).collect();
        Some(FilePortal { clusters, flags: if portal.hint { FLAG_HINT } else { 0 }, winding })
    });
    PortalFile { cluster_count, portals: openings.collect(), faces: None }
}
