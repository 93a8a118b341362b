//! The frozen copy of the world that all snapshots of a frame are built from.

use super::players::{self, Seat};
use crate::game::{EntityTable, SharedEntity};
use crate::visibility::{Mover, Pose, Rules};
use crate::world::{LinkRecord, World};
use fogline_common::collision::ClipMap;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::proto::limits::MAX_CLIENTS;
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
    /// Shape: by slot.
    poses: Vec<Option<Pose>>,
    movers: Vec<Mover>,
}

impl WorldFrame {
    /// Takes the copy.
    pub fn capture(&mut self, time: ServerTime, table: &dyn EntityTable, world: &World) {
        self.time = time;
        self.entities.clear();
        self.movers.clear();
        self.poses.clear();
        for raw in 0..table.len() {
            let Some(num) = EntityNum::new(raw) else { break };
            let Some(record) = world.record(num) else { continue };
            let entity = table.get(num);
            if entity.link.brush_model {
                self.movers.push(players::mover(&entity));
            }
            self.entities.push(Captured { num, entity, record: *record });
        }
    }

    /// Adds how each player stands. Call after [`capture`](Self::capture).
    pub fn observe(&mut self, seats: impl Iterator<Item = Seat>, clip: &ClipMap, rules: &Rules) {
        self.poses.resize(MAX_CLIENTS, None);
        for seat in seats {
            let entity = self.get(seat.player.entity()).map(|captured| captured.entity);
            self.poses[seat.player.index()] = players::pose(&seat, entity.as_ref(), clip, rules);
        }
    }

    /// How a player stands, if it does not look through another's eyes.
    pub fn pose(&self, player: ClientNum) -> Option<&Pose> {
        self.poses.get(player.index())?.as_ref()
    }

    /// Doors, platforms and other brush models.
    pub fn movers(&self) -> &[Mover] {
        &self.movers
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
