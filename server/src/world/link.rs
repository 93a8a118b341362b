//! Linking: an entity's box in the world, the sector that holds it, the clusters and areas that it touches.

use super::World;
use crate::game::{EntityTable, SharedEntity};
use fogline_common::ids::{AreaNum, ClusterNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::contents;
use fogline_common::proto::limits::{MAX_ENTITIES, SOLID_BRUSH_MODEL};

/// Clusters kept of one entity by name. Source: `MAX_ENT_CLUSTERS`.
pub const MAX_ENTITY_CLUSTERS: usize = 16;
/// Levels of the sector tree. Source: `AREA_DEPTH`.
const SECTOR_DEPTH: u32 = 4;
/// Nodes of a full binary tree of that depth.
const SECTOR_COUNT: usize = (1 << (SECTOR_DEPTH + 1)) - 1;
/// The end of a sector's list.
const NOBODY: u16 = u16::MAX;

/// Where an entity was linked last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkRecord {
    /// It is in the world.
    pub linked: bool,
    /// Its box in the world as linked, grown by one unit.
    pub bounds: Bounds,
    /// The areas that it touches; both are set for a door between two. A third is ignored, as in the original.
    pub areas: [Option<AreaNum>; 2],
    /// If it touches more clusters than are kept by name: the highest of them. Those not named all lie between the last named
    /// one and this one, both included. The original keeps its leafs' clusters unsorted and with repetitions, scans from
    /// whichever came last, and takes the highest for invisible; see `common/docs/quirks.md#clusters`.
    pub overflow: Option<ClusterNum>,
    named: [Option<ClusterNum>; MAX_ENTITY_CLUSTERS],
    named_count: u8,
    sector: u8,
}

impl LinkRecord {
    /// The lowest clusters that it touches, each once, ascending, at most [`MAX_ENTITY_CLUSTERS`].
    pub fn clusters(&self) -> impl Iterator<Item = ClusterNum> + '_ {
        self.named[..usize::from(self.named_count)].iter().flatten().copied()
    }

    /// Whether any cluster that it touches, or may touch if it touches too many to name, is visible.
    pub fn touches_visible(&self, visible: impl Fn(ClusterNum) -> bool) -> bool {
        if self.clusters().any(&visible) {
            return true;
        }
        let (Some(last), Some(highest)) = (self.clusters().last(), self.overflow) else { return false };
        (last.index()..=highest.index()).any(|at| visible(ClusterNum::new(at as u32)))
    }
}

impl World {
    /// Puts an entity into the world or moves it there, and writes its link data: box, link count, `solid`. Source:
    /// `SV_LinkEntity`.
    pub fn link(&mut self, num: EntityNum, entity: &mut SharedEntity) {
        self.unlink(num, entity);
        entity.state.solid = encode_solid(entity);
        let bounds = world_bounds(entity).grown(1.0);
        entity.link.abs_bounds = bounds;

        let mut record = LinkRecord { linked: true, bounds, ..LinkRecord::default() };
        self.map.leafs_in_box(&bounds, usize::MAX, &mut self.leafs);
        self.clusters.clear();
        for &leaf in &self.leafs {
            if let Some(area) = self.map.leaf_area(leaf) {
                note_area(&mut record.areas, area);
            }
            self.clusters.extend(self.map.leaf_cluster(leaf));
        }
        self.clusters.sort_unstable();
        self.clusters.dedup();
        for (slot, &cluster) in record.named.iter_mut().zip(&self.clusters) {
            *slot = Some(cluster);
        }
        record.named_count = self.clusters.len().min(MAX_ENTITY_CLUSTERS) as u8;
        if self.clusters.len() > MAX_ENTITY_CLUSTERS {
            record.overflow = self.clusters.last().copied();
        }
        record.sector = self.sectors.insert(num, &bounds);
        self.records[num.index()] = record;
        entity.link.linked = true;
        entity.link.link_count = entity.link.link_count.wrapping_add(1);
    }

    /// Takes an entity out of the world. Source: `SV_UnlinkEntity`.
    pub fn unlink(&mut self, num: EntityNum, entity: &mut SharedEntity) {
        entity.link.linked = false;
        let record = &mut self.records[num.index()];
        if std::mem::take(&mut record.linked) {
            self.sectors.remove(num, record.sector);
        }
    }

    /// Linked entities of the table whose box in the world touches `bounds`, ascending, appended to `found`. Source:
    /// `SV_AreaEntities`.
    pub fn entities_in_box(&self, entities: &dyn EntityTable, bounds: &Bounds, found: &mut Vec<EntityNum>) {
        let first = found.len();
        let count = entities.len();
        self.for_each_in_box(bounds, |num| {
            if num.index() < count {
                found.push(num);
            }
        });
        found[first..].sort_unstable();
    }

    /// Calls `visit` with every linked entity whose box as linked touches `bounds`, in no meaningful order.
    pub(crate) fn for_each_in_box(&self, bounds: &Bounds, mut visit: impl FnMut(EntityNum)) {
        self.sectors.for_each_touching(bounds, &mut visit);
    }
}

fn note_area(areas: &mut [Option<AreaNum>; 2], area: AreaNum) {
    match areas {
        [None, _] => areas[0] = Some(area),
        [Some(first), _] if *first == area => {}
        // The original keeps the last of several.
        _ => areas[1] = Some(area),
    }
}

/// The entity's box in the world; a turned brush model gets the box around every way of turning it.
fn world_bounds(entity: &SharedEntity) -> Bounds {
    let link = &entity.link;
    if link.brush_model && link.angles != Vec3::ZERO {
        let farthest = link.bounds.mins.abs().max(link.bounds.maxs.abs());
        return Bounds::POINT.grown(farthest.length()).translated(link.origin);
    }
    link.bounds.translated(link.origin)
}

/// The box as clients predict with it: one byte for the half width, one for the depth, one for the height plus 32.
fn encode_solid(entity: &SharedEntity) -> i32 {
    let link = &entity.link;
    if link.brush_model {
        return SOLID_BRUSH_MODEL;
    }
    if link.contents & (contents::SOLID | contents::BODY) == 0 {
        return 0;
    }
    // Boxes are taken as square and centred, which those of players are.
    let byte = |value: f32| (value as i32).clamp(1, 255);
    let [wide, down, up] = [link.bounds.maxs.x, -link.bounds.mins.z, link.bounds.maxs.z + 32.0].map(byte);
    up << 16 | down << 8 | wide
}

/// A tree that halves the world by turns in x and y; an entity hangs at the deepest node that holds all of its box. Source:
/// `SV_CreateworldSector`.
#[derive(Debug)]
pub(super) struct Sectors {
    /// Shape: node n has the children 2n+1 (greater side) and 2n+2.
    splits: [f32; SECTOR_COUNT],
    /// Shape: first entity of each node.
    heads: [u16; SECTOR_COUNT],
    /// Shape: by entity, what a walk along a node's list needs of it, two in a cache line.
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    bounds: Bounds,
    next: u16,
    previous: u16,
}

impl Link {
    const NONE: Self = Self { bounds: Bounds::EMPTY, next: NOBODY, previous: NOBODY };
}

impl Sectors {
    pub(super) fn new(world: &Bounds) -> Self {
        let mut splits = [0.0; SECTOR_COUNT];
        fill_splits(&mut splits, 0, 0, world);
        Self { splits, heads: [NOBODY; SECTOR_COUNT], links: vec![Link::NONE; MAX_ENTITIES] }
    }

    pub(super) fn clear(&mut self) {
        self.heads = [NOBODY; SECTOR_COUNT];
        self.links.fill(Link::NONE);
    }

    fn insert(&mut self, num: EntityNum, bounds: &Bounds) -> u8 {
        let mut node = 0;
        for depth in 0..SECTOR_DEPTH {
            let axis = depth as usize & 1;
            let split = self.splits[node];
            if bounds.mins[axis] > split {
                node = 2 * node + 1;
            } else if bounds.maxs[axis] < split {
                node = 2 * node + 2;
            } else {
                break;
            }
        }
        let own = num.index() as u16;
        let head = std::mem::replace(&mut self.heads[node], own);
        self.links[num.index()] = Link { bounds: *bounds, next: head, previous: NOBODY };
        if head != NOBODY {
            self.links[usize::from(head)].previous = own;
        }
        node as u8
    }

    fn remove(&mut self, num: EntityNum, sector: u8) {
        let Link { next, previous, .. } = self.links[num.index()];
        match previous {
            NOBODY => self.heads[usize::from(sector)] = next,
            before => self.links[usize::from(before)].next = next,
        }
        if next != NOBODY {
            self.links[usize::from(next)].previous = previous;
        }
    }

    fn for_each_touching(&self, bounds: &Bounds, mut visit: impl FnMut(EntityNum)) {
        let mut pending = [0_usize; SECTOR_DEPTH as usize + 1];
        let mut pending_count = 1;
        while pending_count > 0 {
            pending_count -= 1;
            let node = pending[pending_count];
            let mut at = self.heads[node];
            while let Some(link) = self.links.get(usize::from(at)) {
                if let Some(num) = EntityNum::new(usize::from(at)).filter(|_| link.bounds.touches(bounds)) {
                    visit(num);
                }
                at = link.next;
            }
            if 2 * node + 2 >= SECTOR_COUNT {
                continue;
            }
            let axis = depth_of(node) & 1;
            if bounds.maxs[axis] >= self.splits[node] {
                pending[pending_count] = 2 * node + 1;
                pending_count += 1;
            }
            if bounds.mins[axis] <= self.splits[node] {
                pending[pending_count] = 2 * node + 2;
                pending_count += 1;
            }
        }
    }
}

fn depth_of(node: usize) -> usize {
    (node + 1).ilog2() as usize
}

fn fill_splits(splits: &mut [f32; SECTOR_COUNT], node: usize, depth: u32, bounds: &Bounds) {
    if depth == SECTOR_DEPTH {
        return;
    }
    let axis = depth as usize & 1;
    let middle = 0.5 * (bounds.maxs[axis] + bounds.mins[axis]);
    splits[node] = middle;
    let (mut greater, mut smaller) = (*bounds, *bounds);
    greater.mins[axis] = middle;
    smaller.maxs[axis] = middle;
    fill_splits(splits, 2 * node + 1, depth + 1, &greater);
    fill_splits(splits, 2 * node + 2, depth + 1, &smaller);
}

const _: () = assert!(MAX_ENTITIES < NOBODY as usize && SECTOR_COUNT <= u8::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;
    use proptest::prelude::*;

    fn num(raw: usize) -> EntityNum {
        EntityNum::new(raw).unwrap()
    }

    fn arena() -> Bounds {
        Bounds::new(Vec3::splat(-1000.0), Vec3::splat(1000.0))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_box_query_visits_exactly_what_it_touches(
            boxes in prop::collection::vec((-1200.0..1200.0_f32, -1200.0..1200.0_f32, 0.0..300.0_f32), 1..40),
            asked in (-1200.0..1200.0_f32, -1200.0..1200.0_f32, 0.0..300.0_f32),
            removed in 0..40_usize,
        ) {
            let make = |&(x, y, size): &(f32, f32, f32)| {
                Bounds::new(vec3(x, y, 0.0), vec3(x + size, y + size, 10.0))
            };
            let mut sectors = Sectors::new(&arena());
            let placed: Vec<Bounds> = boxes.iter().map(make).collect();
            let homes: Vec<u8> = placed.iter().enumerate().map(|(at, b)| sectors.insert(num(at), b)).collect();
            let removed = removed % placed.len();
            sectors.remove(num(removed), homes[removed]);
            let asked = make(&asked);
            let mut seen = Vec::new();
            sectors.for_each_touching(&asked, |found| seen.push(found.index()));
            for (at, bounds) in placed.iter().enumerate() {
                let visits = seen.iter().filter(|&&n| n == at).count();
                let expected = usize::from(at != removed && bounds.touches(&asked));
                prop_assert_eq!(visits, expected, "box {:?} of {:?}", bounds, asked);
            }
        }
    }

    #[test]
    fn an_entity_of_many_clusters_is_visible_in_each_of_them() {
        let mut record =
            LinkRecord { overflow: Some(ClusterNum::new(40)), named_count: 16, ..LinkRecord::default() };
        for (at, slot) in record.named.iter_mut().enumerate() {
            *slot = Some(ClusterNum::new(at as u32));
        }
        let only = |wanted: u32| move |cluster: ClusterNum| cluster.index() == wanted as usize;
        for cluster in 0..=40 {
            assert!(record.touches_visible(only(cluster)), "cluster {cluster}");
        }
        assert!(!record.touches_visible(only(41)));
        record.overflow = None;
        assert!(record.touches_visible(only(15)) && !record.touches_visible(only(16)));
    }

    #[test]
    fn a_players_box_is_encoded_as_clients_decode_it() {
        let mut player = SharedEntity::default();
        player.link.contents = contents::BODY;
        player.link.bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
        assert_eq!(encode_solid(&player), 64 << 16 | 24 << 8 | 15);
        player.link.contents = contents::CORPSE;
        assert_eq!(encode_solid(&player), 0);
        player.link.brush_model = true;
        assert_eq!(encode_solid(&player), 0xff_ffff);
    }

    #[test]
    fn a_turned_brush_model_fits_its_box_however_it_turns() {
        let mut door = SharedEntity::default();
        door.link.brush_model = true;
        door.link.bounds = Bounds::new(vec3(0.0, 0.0, 0.0), vec3(3.0, 4.0, 0.0));
        door.link.origin = vec3(100.0, 0.0, 0.0);
        assert_eq!(world_bounds(&door), door.link.bounds.translated(door.link.origin));
        door.link.angles = vec3(0.0, 90.0, 0.0);
        assert_eq!(world_bounds(&door), Bounds::new(vec3(95.0, -5.0, -5.0), vec3(105.0, 5.0, 5.0)));
    }
}
