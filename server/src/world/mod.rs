//! What is linked where: which entities stand near a place, in which clusters and areas, and what a sweep through map and
//! entities hits.
//!
//! In: shared entities to link, the game's [`EntityTable`] to ask about. Out: link records for visibility, traces, contents.
//! It keeps no entity: a record holds the place of the last link, and a trace uses links only to pick candidates; where a
//! candidate really is it asks of the table. Nothing here allocates once the first map has been played for a while.
//!
//! Source: facts page "q3-protocol-facts", section 8; `sv_world.c` of ioquake3 for behaviour.

mod clip;
mod link;

pub(crate) use clip::swept_box;
pub use link::{LinkRecord, MAX_ENTITY_CLUSTERS};

use crate::game::SharedEntity;
use bitvec::order::Lsb0;
use bitvec::slice::BitSlice;
use fogline_common::collision::{AreaPortals, ClipMap};
use fogline_common::ids::{AreaNum, ClusterNum, EntityNum, LeafNum};
use fogline_common::math::Vec3;
use fogline_common::portal_surfaces::PortalSurfaces;
use fogline_common::proto::limits::MAX_ENTITIES;
use fogline_common::proto::mask;
use link::Sectors;
use std::fmt;
use std::sync::Arc;

/// A map and what is linked into it.
pub struct World {
    map: Arc<ClipMap>,
    portals: AreaPortals,
    surfaces: Arc<PortalSurfaces>,
    sectors: Sectors,
    /// Shape: by entity number.
    records: Vec<LinkRecord>,
    /// Work space of linking.
    leafs: Vec<LeafNum>,
    /// Work space of linking.
    clusters: Vec<ClusterNum>,
}

impl World {
    /// The map with nothing in it and every area portal shut.
    pub fn new(map: Arc<ClipMap>) -> Self {
        let sectors = Sectors::new(&map.model_bounds(0).unwrap_or_default());
        let portals = AreaPortals::new(map.area_count());
        Self {
            map,
            portals,
            surfaces: Arc::default(),
            sectors,
            records: vec![LinkRecord::default(); MAX_ENTITIES],
            leafs: Vec::with_capacity(1024),
            clusters: Vec::with_capacity(1024),
        }
    }

    /// Takes everything out and shuts every area portal, as for the start of a level.
    pub fn clear(&mut self) {
        self.sectors.clear();
        self.records.fill(LinkRecord::default());
        self.portals = AreaPortals::new(self.map.area_count());
    }

    /// The same map, of which is known what shows the world from elsewhere.
    #[must_use]
    pub fn with_portal_surfaces(self, surfaces: PortalSurfaces) -> Self {
        Self { surfaces: Arc::new(surfaces), ..self }
    }

    /// What of the map shows the world from elsewhere, if that is known.
    pub fn portal_surfaces(&self) -> &Arc<PortalSurfaces> {
        &self.surfaces
    }

    /// The map.
    pub fn clip_map(&self) -> &Arc<ClipMap> {
        &self.map
    }

    /// Which areas are joined by open portals.
    pub fn area_portals(&self) -> &AreaPortals {
        &self.portals
    }

    /// Where an entity was linked last, or `None` if it is not in the world.
    pub fn record(&self, num: EntityNum) -> Option<&LinkRecord> {
        Some(&self.records[num.index()]).filter(|record| record.linked)
    }

    /// Makes an entity an inline model of the map. Its contents are those of anything solid until the game says otherwise.
    /// Source: `SV_SetBrushModel`.
    ///
    /// # Errors
    /// If the map has no such inline model: the sentence to log.
    pub fn set_brush_model(&self, entity: &mut SharedEntity, model: usize) -> Result<(), String> {
        let inline = self.map.model_count().saturating_sub(1);
        let bounds = self.map.model_bounds(model).filter(|_| model > 0);
        let Some(bounds) = bounds else {
            return Err(format!("the map has no inline model *{model}; it has {inline}"));
        };
        entity.state.model_index = model as i32;
        entity.link.bounds = bounds;
        entity.link.brush_model = true;
        entity.link.contents = mask::ALL;
        Ok(())
    }

    /// Whether the two points can see each other by PVS and, unless `through_doors`, by areas. Source: `SV_inPVS`,
    /// `SV_inPVSIgnorePortals`.
    pub fn in_pvs(&self, a: Vec3, b: Vec3, through_doors: bool) -> bool {
        let (from, to) = (self.map.leaf_at(a), self.map.leaf_at(b));
        let visible = match self.map.leaf_cluster(to) {
            Some(cluster) => is_set(self.map.pvs(self.map.leaf_cluster(from)), cluster),
            None => false,
        };
        let joined = || match (self.map.leaf_area(from), self.map.leaf_area(to)) {
            (Some(a), Some(b)) => self.portals.connected(a, b),
            _ => false,
        };
        visible && (through_doors || joined())
    }

    /// A door opened or closed: joins or parts the two areas in which it was linked last. An entity in one area alone changes
    /// nothing. Source: `SV_AdjustAreaPortalState`.
    pub fn adjust_area_portal(&mut self, num: EntityNum, open: bool) {
        if let [Some(a), Some(b)] = self.records[num.index()].areas {
            self.portals.adjust(a, b, open);
        }
    }

    /// The area of a point.
    pub fn area_at(&self, point: Vec3) -> Option<AreaNum> {
        self.map.leaf_area(self.map.leaf_at(point))
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let linked = self.records.iter().filter(|record| record.linked).count();
        f.debug_struct("World").field("linked", &linked).finish_non_exhaustive()
    }
}

/// Whether a cluster is in a PVS row.
fn is_set(row: &BitSlice<u8, Lsb0>, cluster: ClusterNum) -> bool {
    row.get(cluster.index()).is_some_and(|bit| *bit)
}
