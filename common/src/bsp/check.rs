//! Every number of a map points at something that is there, and the tree is a tree.

use super::error::{BspError, Lump};
use super::records::{Child, Span, Surface, SurfaceKind};
use super::{Bsp, Visibility};
use crate::proto::limits::MAX_MAP_AREA_BYTES;

/// Areas that a snapshot's area mask has bits for. Source: `MAX_MAP_AREAS`.
const MAX_AREAS: usize = MAX_MAP_AREA_BYTES * 8;
/// Inline models, the world included, that an entity's `model_index` can name. Source: `MAX_SUBMODELS`.
const MAX_MODELS: usize = 256;
/// Nodes from the root to a leaf. The original has no limit; the installed maps go down to 74.
const MAX_TREE_DEPTH: usize = 1024;
/// Control points of one patch. Source: `MAX_PATCH_VERTS`.
const MAX_PATCH_POINTS: i32 = 1024;

/// Draw indexes of all surfaces together, which may share them; bounds the time that looking at them takes.
const MAX_DRAW_INDEXES: u64 = 1 << 26;

impl Bsp {
    /// Whether the map is sound: what [`Bsp::parse`] demands of a file, for maps made in memory.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), BspError> {
        let demanded = [
            (Lump::Shaders, self.shaders.len()),
            (Lump::Planes, self.planes.len()),
            (Lump::Nodes, self.nodes.len()),
            (Lump::Leafs, self.leafs.len()),
            (Lump::Models, self.models.len()),
        ];
        if let Some(&(lump, _)) = demanded.iter().find(|&&(_, count)| count == 0) {
            return Err(BspError::Empty { lump });
        }
        if self.models.len() > MAX_MODELS {
            let (found, limit) = (self.models.len(), MAX_MODELS);
            return Err(BspError::TooMany { lump: Lump::Models, found, limit });
        }
        self.check_tree()?;
        self.check_leafs()?;
        self.check_brushes()?;
        self.check_models()?;
        self.check_surfaces()?;
        self.check_visibility()
    }

    fn check_tree(&self) -> Result<(), BspError> {
        let (nodes, leafs, planes) = (self.nodes.len(), self.leafs.len(), self.planes.len());
        let mut has_parent = vec![false; nodes];
        has_parent[0] = true;
        for (record, node) in self.nodes.iter().enumerate() {
            let at = At { lump: Lump::Nodes, record };
            at.below("plane", node.plane, planes)?;
            for child in node.children {
                match child {
                    Child::Leaf(leaf) => at.below("leaf", leaf, leafs)?,
                    Child::Node(child) => {
                        at.below("child", child, nodes)?;
                        if std::mem::replace(&mut has_parent[child as usize], true) {
                            return Err(at.broken("a child has two parents: the tree is no tree"));
                        }
                    }
                }
            }
        }
        self.check_depth()
    }

    /// With one parent each, what hangs on the root is a tree; walks and recursion rely on its depth.
    fn check_depth(&self) -> Result<(), BspError> {
        let mut pending = vec![(0_u32, 1)];
        while let Some((record, depth)) = pending.pop() {
            let at = At { lump: Lump::Nodes, record: record as usize };
            if depth > MAX_TREE_DEPTH {
                return Err(at.broken("the tree is too deep"));
            }
            for child in self.nodes[record as usize].children {
                if let Child::Node(child) = child {
                    pending.push((child, depth + 1));
                }
            }
        }
        Ok(())
    }

    fn check_leafs(&self) -> Result<(), BspError> {
        let clusters = self.visibility.as_ref().map_or(self.leafs.len(), |vis| vis.cluster_count as usize);
        for (record, leaf) in self.leafs.iter().enumerate() {
            let at = At { lump: Lump::Leafs, record };
            if let Some(cluster) = leaf.cluster {
                at.below("cluster", cluster.index() as u32, clusters)?;
            }
            if let Some(area) = leaf.area {
                at.below("area", area.index() as u32, MAX_AREAS)?;
            }
            at.inside("end of leaf surfaces", leaf.surfaces, self.leaf_surfaces.len())?;
            at.inside("end of leaf brushes", leaf.brushes, self.leaf_brushes.len())?;
        }
        for (record, &surface) in self.leaf_surfaces.iter().enumerate() {
            At { lump: Lump::LeafSurfaces, record }.below("surface", surface, self.surfaces.len())?;
        }
        for (record, &brush) in self.leaf_brushes.iter().enumerate() {
            At { lump: Lump::LeafBrushes, record }.below("brush", brush, self.brushes.len())?;
        }
        Ok(())
    }

    fn check_brushes(&self) -> Result<(), BspError> {
        let mut sides_in_use = 0;
        for (record, brush) in self.brushes.iter().enumerate() {
            let at = At { lump: Lump::Brushes, record };
            at.inside("end of sides", brush.sides, self.brush_sides.len())?;
            at.below("shader", brush.shader, self.shaders.len())?;
            if brush.sides.count < 6 {
                return Err(at.broken("the brush has fewer than six sides"));
            }
            sides_in_use += u64::from(brush.sides.count);
            if sides_in_use > self.brush_sides.len() as u64 {
                return Err(at.broken("brushes share sides"));
            }
        }
        for (record, side) in self.brush_sides.iter().enumerate() {
            let at = At { lump: Lump::BrushSides, record };
            at.below("plane", side.plane, self.planes.len())?;
            at.below("shader", side.shader, self.shaders.len())?;
        }
        Ok(())
    }

    fn check_models(&self) -> Result<(), BspError> {
        for (record, model) in self.models.iter().enumerate() {
            let at = At { lump: Lump::Models, record };
            at.inside("end of surfaces", model.surfaces, self.surfaces.len())?;
            at.inside("end of brushes", model.brushes, self.brushes.len())?;
        }
        Ok(())
    }

    fn check_surfaces(&self) -> Result<(), BspError> {
        for (record, fog) in self.fogs.iter().enumerate() {
            if let Some(brush) = fog.brush {
                At { lump: Lump::Fogs, record }.below("brush", brush, self.brushes.len())?;
            }
        }
        let mut indexes_in_use = 0;
        for (record, surface) in self.surfaces.iter().enumerate() {
            let at = At { lump: Lump::Surfaces, record };
            at.below("shader", surface.shader, self.shaders.len())?;
            at.inside("end of vertices", surface.verts, self.draw_verts.len())?;
            at.inside("end of draw indexes", surface.indexes, self.draw_indexes.len())?;
            indexes_in_use += u64::from(surface.indexes.count);
            if indexes_in_use > MAX_DRAW_INDEXES {
                return Err(at.broken("the surfaces have too many draw indexes"));
            }
            for &index in &self.draw_indexes[surface.indexes.range()] {
                at.below("draw index", index, surface.verts.count as usize)?;
            }
            if surface.kind == SurfaceKind::Patch {
                self.check_patch(&at, surface)?;
            }
        }
        Ok(())
    }

    fn check_patch(&self, at: &At, surface: &Surface) -> Result<(), BspError> {
        let [across, down] = surface.patch_size;
        if across < 3 || down < 3 || across % 2 == 0 || down % 2 == 0 {
            return Err(at.broken("a patch needs an odd number of control points each way, three or more"));
        }
        let points = across.checked_mul(down).filter(|&points| points <= MAX_PATCH_POINTS);
        let Some(points) = points else { return Err(at.broken("the patch has too many control points")) };
        let control = Span { first: surface.verts.first, count: points.unsigned_abs() };
        at.inside("end of control points", control, self.draw_verts.len())?;
        if !self.draw_verts[control.range()].iter().all(|vert| vert.position.is_finite()) {
            return Err(at.broken("a control point of the patch is not finite"));
        }
        Ok(())
    }

    fn check_visibility(&self) -> Result<(), BspError> {
        let Some(Visibility { cluster_count, row_bytes, rows }) = &self.visibility else { return Ok(()) };
        let at = At { lump: Lump::Visibility, record: 0 };
        if u64::from(*row_bytes) * 8 < u64::from(*cluster_count) {
            return Err(at.broken("a row has fewer bits than there are clusters"));
        }
        if u64::from(*cluster_count) * u64::from(*row_bytes) > rows.len() as u64 {
            return Err(at.broken("the rows do not fit into the lump"));
        }
        if *cluster_count == 0 {
            return Err(at.broken("the lump has no clusters"));
        }
        Ok(())
    }
}

/// The record under test.
struct At {
    lump: Lump,
    record: usize,
}

impl At {
    fn below(&self, field: &'static str, value: u32, limit: usize) -> Result<(), BspError> {
        if (value as usize) < limit { Ok(()) } else { Err(self.out_of_range(field, u64::from(value), limit)) }
    }

    /// An empty span may stand anywhere.
    fn inside(&self, field: &'static str, span: Span, limit: usize) -> Result<(), BspError> {
        let end = u64::from(span.first) + u64::from(span.count);
        if span.count == 0 || end <= limit as u64 {
            Ok(())
        } else {
            Err(self.out_of_range(field, end, limit + 1))
        }
    }

    fn out_of_range(&self, field: &'static str, value: u64, limit: usize) -> BspError {
        let (lump, record) = (self.lump, self.record);
        BspError::OutOfRange { lump, record, field, value: value as i64, limit: limit as u64 }
    }

    fn broken(&self, reason: &'static str) -> BspError {
        BspError::Broken { lump: self.lump, record: self.record, reason }
    }
}
