//! A finished map, opened again: its tree and the portals between its clusters, as the compiler had them.
//!
//! Any `.bsp` will do, whoever compiled it. The planes of the file are single precision, so corners may move by what that rounds
//! away; the server asks the same planes, so the portals are true of what it will ask.

use crate::geometry::epsilon::WORLD_REACH;
use crate::geometry::{Box3, DVec3, PlaneSet, dvec3};
use crate::portals::Portals;
use crate::prt::{FilePortal, MAX_CLUSTERS, PortalFile};
use crate::tree::{Cell, CellNum, Split, Tree};
use fogline_common::bsp::{Bsp, Child};
use std::fmt;

/// The tree of a finished map.
pub struct Compiled {
    /// Its cells, in walking order.
    pub tree: Tree,
    /// Its planes, numbered as in the file.
    pub planes: PlaneSet,
    /// Openings between its leafs, the closed ones among them too.
    pub portals: Portals,
    /// What each cell is in the file.
    pub records: Vec<Child>,
    /// The cluster of each cell; `None` for inner nodes and for rock.
    pub clusters: Vec<Option<u32>>,
    /// One more than the greatest number of a cluster.
    pub cluster_count: u32,
}

/// Why a finished map cannot be opened. Display is one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompiledError {
    /// A cluster number beyond what vis takes.
    TooManyClusters(u32),
    /// More portals than any sound tree of this size has.
    TooManyPortals,
    /// There is no tree.
    NoTree,
}

impl fmt::Display for CompiledError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyClusters(count) => {
                write!(
                    f,
                    "{count} clusters, the most that vis takes are {MAX_CLUSTERS}; compile the map again"
                )
            }
            Self::TooManyPortals => {
                write!(f, "its tree has more portals than a sound one could have; compile the map again")
            }
            Self::NoTree => {
                write!(f, "the map has no tree, so there is nothing to see from; compile it again")
            }
        }
    }
}

impl std::error::Error for CompiledError {}

impl Compiled {
    /// Opens a map.
    pub fn open(bsp: &Bsp) -> Result<Self, CompiledError> {
        if bsp.nodes.is_empty() {
            return Err(CompiledError::NoTree);
        }
        let numbers = bsp.leafs.iter().filter_map(|leaf| leaf.cluster);
        let cluster_count = numbers.map(|number| number.index() as u32 + 1).max().unwrap_or(0);
        if cluster_count > MAX_CLUSTERS {
            return Err(CompiledError::TooManyClusters(cluster_count));
        }
        let planes = PlaneSet::of_file(bsp.planes.iter().map(|plane| {
            let normal = plane.normal;
            (dvec3(f64::from(normal.x), f64::from(normal.y), f64::from(normal.z)), f64::from(plane.dist))
        }));
        let bounds = bounds_of(bsp);
        let (tree, records) = tree_of(bsp, &planes, bounds);
        let portals = Portals::build(&tree, bounds, &planes);
        if portals.is_cut_short() {
            return Err(CompiledError::TooManyPortals);
        }
        let clusters = records
            .iter()
            .map(|record| match *record {
                Child::Leaf(leaf) => bsp.leafs[leaf as usize].cluster.map(|number| number.index() as u32),
                Child::Node(_) => None,
            })
            .collect();
        Ok(Self { tree, planes, portals, records, clusters, cluster_count })
    }

    /// The cluster of a cell.
    pub fn cluster_of(&self, cell: CellNum) -> Option<u32> {
        self.clusters.get(cell).copied().flatten()
    }

    /// The cluster that a point is in.
    pub fn cluster_at(&self, point: DVec3) -> Option<u32> {
        self.cluster_of(self.tree.leaf_at(point, &self.planes))
    }

    /// Openings between different clusters, with their numbers in [`Self::portals`].
    pub fn openings(&self) -> impl Iterator<Item = (usize, [u32; 2])> + '_ {
        self.portals.all.iter().enumerate().filter_map(|(number, portal)| {
            let clusters = [self.cluster_of(portal.leafs[0])?, self.cluster_of(portal.leafs[1])?];
            (clusters[0] != clusters[1]).then_some((number, clusters))
        })
    }

    /// The same, as vis takes them.
    pub fn portal_file(&self) -> PortalFile {
        let portals = self.openings().map(|(number, clusters)| {
            let winding = &self.portals.all[number].winding;
            FilePortal {
                clusters,
                flags: 0,
                winding: winding.points().iter().map(|p| p.to_array()).collect(),
            }
        });
        PortalFile { cluster_count: self.cluster_count, portals: portals.collect(), faces: None }
    }
}

/// The box of the world, and of whatever its tree says is in it.
fn bounds_of(bsp: &Bsp) -> Box3 {
    let reach = |value: f64| if value.is_finite() { value.clamp(-WORLD_REACH, WORLD_REACH) } else { 0.0 };
    let whole = |parts: [i32; 3]| DVec3::from(parts.map(|part| reach(f64::from(part))));
    let world = bsp.models.first().map_or(Box3::EMPTY, |world| {
        let [mins, maxs] = [world.bounds.mins, world.bounds.maxs]
            .map(|at| dvec3(reach(f64::from(at.x)), reach(f64::from(at.y)), reach(f64::from(at.z))));
        Box3 { mins, maxs }
    });
    let open = bsp.leafs.iter().filter(|leaf| leaf.cluster.is_some());
    open.fold(world, |all, leaf| all.including(whole(leaf.mins)).including(whole(leaf.maxs)))
}

/// Cells in walking order, the front first; the reader has proved that it is a tree.
fn tree_of(bsp: &Bsp, planes: &PlaneSet, bounds: Box3) -> (Tree, Vec<Child>) {
    let mut tree = Tree::default();
    let mut records = Vec::with_capacity(bsp.nodes.len() + bsp.leafs.len());
    let mut pending = vec![(Child::Node(0), None)];
    while let Some((record, slot)) = pending.pop() {
        let number = tree.cells.len();
        records.push(record);
        let parent = slot.map(|(parent, _): (CellNum, usize)| parent);
        let mut split = None;
        if let Child::Node(node) = record {
            let node = &bsp.nodes[node as usize];
            split = Some(Split {
                plane: planes.of_index(node.plane as usize),
                children: [usize::MAX; 2],
                hint: false,
            });
            pending.push((node.children[1], Some((number, 1))));
            pending.push((node.children[0], Some((number, 0))));
        }
        tree.cells.push(Cell { parent, split, bounds });
        if let Some((parent, side)) = slot
            && let Some(split) = tree.cells[parent].split.as_mut()
        {
            split.children[side] = number;
        }
    }
    (tree, records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Options, build};
    use crate::map_file::MapFile;
    use crate::material::Materials;
    use crate::search_path::SearchPath;
    use crate::vis::Level;

    #[test]
    fn a_finished_map_has_the_portals_that_it_was_compiled_with() {
        let text = include_bytes!("../../tests/maps/window.map");
        let map = MapFile::parse(text).expect("a small map");
        let options = Options { vis: Some(Level::Fast), ..Options::default() };
        let materials = Materials::new(SearchPath::empty());
        let built = build(&map, materials, &options, &mut Vec::new(), &mut |_| {});
        let (bsp, portals) = (built.bsp.expect("a map"), built.portals.expect("portals"));
        let again = Compiled::open(&bsp).expect("a sound map").portal_file();
        assert_eq!(again.cluster_count, portals.cluster_count);
        let sorted = |file: &PortalFile| {
            let mut pairs: Vec<[u32; 2]> = file.portals.iter().map(|portal| portal.clusters).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(sorted(&again), sorted(&portals));
    }

    #[test]
    fn a_map_without_a_tree_is_refused_in_a_sentence() {
        let error = Compiled::open(&Bsp::default()).err().expect("no tree");
        assert!(error.to_string().contains("no tree"));
    }
}
