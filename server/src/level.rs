//! One map while it runs.

use crate::clients::configstrings::Configstrings;
use crate::downloads::offer::Offers;
use crate::visibility::proof::Prover;
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
    /// What proves of the map that something is hidden.
    pub prover: Prover,
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
    /// Far distance of the map: key `farplane` of its worldspawn, 0 for none.
    pub far: i32,
    /// Frame rate when the map was loaded.
    pub nominal_fps: i32,
    /// The pk3 files that clients may fetch.
    pub offers: Offers,
}

impl Level {
    /// A map that nothing has happened on yet.
    pub(crate) fn new(
        name: &str,
        world: World,
        server_id: i32,
        checksum_feed: i32,
        nominal_fps: i32,
    ) -> Self {
        let far = worldspawn_value(world.clip_map().entity_text(), "farplane");
        let far = far.and_then(|text| text.trim().parse::<f32>().ok()).unwrap_or(0.0) as i32;
        Self {
            far,
            nominal_fps,
            name: name.to_owned(),
            prover: Prover::build(world.clip_map().clone()),
            world,
            configstrings: Configstrings::default(),
            baselines: vec![EntityState::default(); MAX_ENTITIES].into(),
            server_id,
            loaded_server_id: server_id,
            checksum_feed,
            time: ServerTime(0),
            started: ServerTime(0),
            offers: Offers::default(),
        }
    }
}

/// A value of the first entity of the entity text, which is the world itself.
fn worldspawn_value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let world = text.split('}').next().unwrap_or("");
    let mut quoted = world.split('"').skip(1).step_by(2);
    while let (Some(name), Some(value)) = (quoted.next(), quoted.next()) {
        if name.eq_ignore_ascii_case(key) {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worlds_own_key_is_read_and_no_others() {
        let text = "{\n\"classname\" \"worldspawn\"\n\"FarPlane\" \"4000\"\n}\n{\n\"farplane2\" \"7\"\n}";
        assert_eq!(worldspawn_value(text, "farplane"), Some("4000"));
        assert_eq!(worldspawn_value(text, "farplane2"), None);
        assert_eq!(worldspawn_value("", "farplane"), None);
    }
}
