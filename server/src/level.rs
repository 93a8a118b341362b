//! One map while it runs.

use crate::clients::configstrings::Configstrings;
use crate::world::World;
use fogline_common::proto::EntityState;
use fogline_common::proto::limits::MAX_ENTITIES;
use fogline_common::time::ServerTime;

/// One map while it runs: made by `map`, kept by `map_restart`, dropped by the next `map`.
#[derive(Debug)]
pub(crate) struct Level {
    /// The map's name, as in `maps/NAME.bsp`.
    pub name: String,
    /// The solid map and what is linked in it.
    pub world: World,
    /// What every client is told when it joins.
    pub configstrings: Configstrings,
    /// The states that deltas of new entities start from. Shape: by entity number, zero where there is none.
    pub baselines: Box<[EntityState]>,
    /// Number of this map or restart, which clients echo. Below 2^24, so that the scramble stays decodable.
    pub server_id: i32,
    /// The number at the last full map load: clients between the two have only missed a restart.
    pub loaded_server_id: i32,
    /// Keys the usercmds of this map.
    pub checksum_feed: i32,
    /// The clock that snapshots carry.
    pub time: ServerTime,
    /// When the map was loaded or restarted, of that clock.
    pub started: ServerTime,
}

impl Level {
    /// A map that nothing has happened on yet.
    pub(crate) fn new(name: &str, world: World, server_id: i32, checksum_feed: i32) -> Self {
        Self {
            name: name.to_owned(),
            world,
            configstrings: Configstrings::default(),
            baselines: vec![EntityState::default(); MAX_ENTITIES].into(),
            server_id,
            loaded_server_id: server_id,
            checksum_feed,
            time: ServerTime(0),
            started: ServerTime(0),
        }
    }
}
