//! The frozen copy of the world that all snapshots of a frame are built from.

use crate::game::{EntityTable, SharedEntity};
use crate::world::{LinkRecord, World};
use fogline_common::ids::EntityNum;
use fogline_common::time::ServerTime;

/// One linked entity.
#[derive(Clone, Copy, Debug)]
pub struct Captured {
    /// Its number.
    pub num: EntityNum,
    /// What it was.
    pub entity: SharedEntity,
    /// What it touched.
    pub record: LinkRecord,
}

/// Every linked entity at one moment, by ascending number. The buffers are kept from frame to frame.
#[derive(Debug, Default)]
pub struct WorldFrame {
    /// The moment.
    pub time: ServerTime,
    entities: Vec<Captured>,
}

impl WorldFrame {
    /// Takes the copy.
    pub fn capture(&mut self, time: ServerTime, table: &dyn EntityTable, world: &World) {
        self.time = time;
        self.entities.clear();
        for raw in 0..table.len() {
            let Some(num) = EntityNum::new(raw) else { break };
            let Some(record) = world.record(num) else { continue };
            let entity = table.get(num);
            self.entities.push(Captured { num, entity, record: *record });
        }
    }

    /// The entities, ascending.
    pub fn entities(&self) -> &[Captured] {
        &self.entities
    }

    /// One entity by number.
    pub fn get(&self, num: EntityNum) -> Option<&Captured> {
        self.entities
            .binary_search_by_key(&num, |captured| captured.num)
            .ok()
            .map(|index| &self.entities[index])
    }
}
