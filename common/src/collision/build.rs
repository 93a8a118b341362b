//! From the map file to the flat arrays that sweeps go through.

use super::brush::{AXIAL_SIDES, Brush, PlaneGroup, Side};
use super::glass::Glass;
use super::light::is_opaque;
use super::patch::Patch;
use super::{ClipMap, Extent, Leaf, Model, Node, Solids};
use crate::bsp::{self, Bsp, BspError, Lump, Span, SurfaceKind};
use crate::ids::{AreaNum, ClusterNum};
use crate::math::{Bounds, Vec3, vec3};
use crate::proto::surface;
use bitvec::prelude::{BitVec, Lsb0};

/// Facets of all patches of a map. The original has no such limit; installed maps stay far below it (see `quirks.md`). It
/// bounds what a small damaged file can cost.
const MAX_MAP_FACETS: usize = 1 << 16;

pub(super) fn build(bsp: &Bsp, glass: &Glass) -> Result<ClipMap, BspError> {
    bsp.check()?;
    let (mut patches, patch_of_surface) = build_patches(bsp)?;
    let lists = Lists::new(bsp, &patch_of_surface);
    let mut parts = build_brushes(bsp);
    let glass_count = let_through(bsp, glass, &mut parts, &patch_of_surface, &mut patches);
    let leafs: Box<[Leaf]> = bsp
        .leafs
        .iter()
        .map(|leaf| {
            let solids = lists.solids_of_leaf(leaf);
            let brushes = lists.brushes[solids.brushes()].iter().map(|&n| parts.brushes[n as usize].extent());
            let patches = lists.patches[solids.patches()].iter().map(|&n| patches[n as usize].extent());
            let below = brushes.chain(patches).fold(Extent::NOTHING, Extent::union);
            Leaf { below, solids, cluster: leaf.cluster, area: leaf.area }
        })
        .collect();
    // Bounds are spread by one unit. Source: `CMod_LoadSubmodels`.
    let models = bsp
        .models
        .iter()
        .map(|model| Model { bounds: model.bounds.grown(1.0), solids: lists.solids_of_model(model) });
    let models = models.collect();
    let (cluster_count, row_bits, pvs) = build_pvs(bsp);
    Ok(ClipMap {
        nodes: build_nodes(bsp, &leafs),
        leafs,
        models,
        leaf_brushes: lists.brushes.into(),
        leaf_patches: lists.patches.into(),
        brushes: parts.brushes.into(),
        sides: parts.sides.into(),
        groups: parts.groups.into(),
        patches,
        cluster_count,
        area_count: count(bsp.leafs.iter().filter_map(|leaf| leaf.area).map(AreaNum::index)),
        row_bits,
        pvs,
        entity_text: bsp.entity_text(),
        checksum: bsp.checksum,
        glass_count,
    })
}

/// One more than the highest index.
fn count(indexes: impl Iterator<Item = usize>) -> usize {
    indexes.max().map_or(0, |highest| highest + 1)
}

/// Number of clusters, bits of a row, and the rows. Source: `CMod_LoadVisibility`.
fn build_pvs(bsp: &Bsp) -> (usize, usize, BitVec<u8, Lsb0>) {
    if let Some(visibility) = &bsp.visibility {
        let (clusters, row_bytes) = (visibility.cluster_count as usize, visibility.row_bytes as usize);
        return (clusters, row_bytes * 8, BitVec::from_slice(&visibility.rows[..clusters * row_bytes]));
    }
    let clusters = count(bsp.leafs.iter().filter_map(|leaf| leaf.cluster).map(ClusterNum::index));
    let row_bits = clusters.next_multiple_of(8);
    (clusters, row_bits, BitVec::repeat(true, row_bits))
}

/// The lists that leafs and models own spans of: the file's own, then all numbers in order for models.
struct Lists {
    brushes: Vec<u32>,
    patches: Vec<u32>,
    first_of_models: (u32, u32),
    /// Patches among the leaf surfaces before each of them.
    patches_before_entry: Vec<u32>,
    /// Patches among the surfaces before each of them.
    patches_before_surface: Vec<u32>,
}

impl Lists {
    fn new(bsp: &Bsp, patch_of_surface: &[Option<u32>]) -> Self {
        let mut brushes = bsp.leaf_brushes.clone();
        let entries = bsp.leaf_surfaces.iter().map(|&surface| patch_of_surface[surface as usize]);
        let mut patches: Vec<u32> = entries.clone().flatten().collect();
        let first_of_models = (brushes.len() as u32, patches.len() as u32);
        let patches_before_surface = running_count(patch_of_surface.iter().copied());
        brushes.extend(0..bsp.brushes.len() as u32);
        patches.extend(patch_of_surface.iter().flatten());
        let patches_before_entry = running_count(entries);
        Self { brushes, patches, first_of_models, patches_before_entry, patches_before_surface }
    }

    fn solids_of_leaf(&self, leaf: &bsp::Leaf) -> Solids {
        solids((0, 0), leaf.brushes, leaf.surfaces, &self.patches_before_entry)
    }

    fn solids_of_model(&self, model: &bsp::Model) -> Solids {
        solids(self.first_of_models, model.brushes, model.surfaces, &self.patches_before_surface)
    }
}

/// How many there are before each entry, and in all at the end.
fn running_count(patches: impl Iterator<Item = Option<u32>>) -> Vec<u32> {
    let mut before = vec![0];
    let mut sum = 0;
    before.extend(patches.map(|patch| {
        sum += u32::from(patch.is_some());
        sum
    }));
    before
}

fn solids(first: (u32, u32), brushes: Span, surfaces: Span, patches_before: &[u32]) -> Solids {
    let (brush_range, surface_range) = (brushes.range(), surfaces.range());
    let (start, end) = (patches_before[surface_range.start], patches_before[surface_range.end]);
    Solids {
        first_brush: first.0 + brush_range.start as u32,
        brush_count: brushes.count,
        first_patch: first.1 + start,
        patch_count: end - start,
    }
}

fn build_nodes(bsp: &Bsp, leafs: &[Leaf]) -> Box<[Node]> {
    let mut nodes: Vec<Node> = bsp.nodes.iter().map(|node| build_node(bsp, node)).collect();
    // Children after their parents, so that backwards each finds its children done. Only what hangs on the root is visited.
    let mut order = vec![0];
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        order.extend(nodes[at].children.iter().filter(|&&child| child >= 0).map(|&child| child as usize));
        next += 1;
    }
    for &at in order.iter().rev() {
        let extent = |child: i32| {
            if child < 0 { leafs[!child as usize].below } else { nodes[child as usize].below }
        };
        let [front, back] = nodes[at].children;
        nodes[at].below = extent(front).union(extent(back));
    }
    nodes.into()
}

fn build_node(bsp: &Bsp, node: &bsp::Node) -> Node {
    let plane = bsp.planes[node.plane as usize];
    let axis = plane.normal.to_array().iter().position(|&part| part == 1.0).unwrap_or(3);
    let children = node.children.map(bsp::Child::to_file);
    Node { below: Extent::NOTHING, plane, axis: axis as u32, children }
}

struct Brushes {
    brushes: Vec<Brush>,
    sides: Vec<Side>,
    groups: Vec<PlaneGroup>,
}

fn build_brushes(bsp: &Bsp) -> Brushes {
    let sides: Vec<Side> = bsp
        .brush_sides
        .iter()
        .map(|side| Side {
            plane: bsp.planes[side.plane as usize],
            surface_flags: bsp.shaders[side.shader as usize].surface_flags,
        })
        .collect();
    let mut brushes = Vec::with_capacity(bsp.brushes.len());
    let mut groups = Vec::new();
    for brush in &bsp.brushes {
        let own = &sides[brush.sides.range()];
        let axial = is_axial(own);
        let contents = bsp.shaders[brush.shader as usize].contents;
        let rest = &own[if axial { AXIAL_SIDES } else { 0 }..];
        let first = groups.len();
        groups.extend(rest.chunks(4).map(PlaneGroup::new));
        brushes.push(Brush {
            bounds: axial_bounds(own),
            contents,
            sides: brush.sides,
            groups: Span { first: first as u32, count: (groups.len() - first) as u32 },
            axial,
            // The bounds of a brush that is not axial say nothing.
            opaque: axial && is_opaque(contents, own.iter().map(|side| side.surface_flags)),
        });
    }
    Brushes { brushes, sides, groups }
}

/// Makes what is seen through let light through. How many brushes and patches that were.
fn let_through(
    bsp: &Bsp,
    glass: &Glass,
    parts: &mut Brushes,
    patch_of_surface: &[Option<u32>],
    patches: &mut [Patch],
) -> usize {
    let clear = glass.among(bsp);
    let mut count = 0;
    for (record, brush) in bsp.brushes.iter().zip(&mut parts.brushes).filter(|(_, brush)| brush.opaque) {
        let drawn =
            |side: &bsp::BrushSide| bsp.shaders[side.shader as usize].surface_flags & surface::NODRAW == 0;
        let own = &bsp.brush_sides[record.sides.range()];
        let holds = |place: &Vec3| {
            parts.sides[record.sides.range()].iter().all(|side| side.plane.distance_to(*place) <= 0.0)
        };
        if own.iter().any(|side| clear[side.shader as usize] && drawn(side))
            || glass.places().iter().any(holds)
        {
            brush.opaque = false;
            count += 1;
        }
    }
    for (surface, patch) in bsp.surfaces.iter().zip(patch_of_surface) {
        let Some(patch) = patch.map(|patch| &mut patches[patch as usize]) else { continue };
        if patch.opaque && clear[surface.shader as usize] {
            patch.opaque = false;
            count += 1;
        }
    }
    count
}

/// The box that the first six sides stand for, whatever their planes are. Source: `CM_BoundBrush`.
fn axial_bounds(sides: &[Side]) -> Bounds {
    let dist = |side: usize| sides[side].plane.dist;
    Bounds::new(vec3(-dist(0), -dist(2), -dist(4)), vec3(dist(1), dist(3), dist(5)))
}

fn is_axial(sides: &[Side]) -> bool {
    sides.iter().take(AXIAL_SIDES).enumerate().all(|(number, side)| {
        let mut normal = Vec3::ZERO;
        normal[number / 2] = if number % 2 == 0 { -1.0 } else { 1.0 };
        side.plane.normal == normal
    })
}

/// Patches, and which surface became which of them.
type Patches = (Box<[Patch]>, Vec<Option<u32>>);

/// Source: `CMod_LoadPatches`.
fn build_patches(bsp: &Bsp) -> Result<Patches, BspError> {
    let mut patches = Vec::new();
    let mut patch_of_surface = vec![None; bsp.surfaces.len()];
    let mut points = Vec::new();
    let mut facets = 0;
    for (record, surface) in bsp.surfaces.iter().enumerate() {
        if surface.kind != SurfaceKind::Patch {
            continue;
        }
        let [across, down] = surface.patch_size.map(i32::unsigned_abs);
        let control = Span { first: surface.verts.first, count: across * down };
        points.clear();
        points.extend(bsp.draw_verts[control.range()].iter().map(|vert| vert.position));
        let shader = &bsp.shaders[surface.shader as usize];
        let patch = Patch::build(across as usize, &points, shader.contents, shader.surface_flags)
            .and_then(|patch| {
                facets += patch.facet_count();
                if facets <= MAX_MAP_FACETS {
                    Ok(patch)
                } else {
                    Err("the map's patches have too many facets")
                }
            })
            .map_err(|reason| BspError::Broken { lump: Lump::Surfaces, record, reason })?;
        patch_of_surface[record] = Some(patches.len() as u32);
        patches.push(patch);
    }
    Ok((patches.into(), patch_of_surface))
}
