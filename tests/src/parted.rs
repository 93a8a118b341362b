//! A room with a wall across its middle: all of it is one area and in one PVS, and nobody sees who is on the other side.

use crate::fixture::{self, Setup};
use crate::sim::{Sim, SimConfig};
use crate::tiny_map::{CEILING, ROOM, TinyMap};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tools::client::Input;

/// From being placed until everything of it is over: flashes, sounds, the push of the teleport.
const SETTLES: Millis = Millis(3000);

/// The map. Whoever enters begins on the side of larger x.
pub fn setup() -> Setup {
    let mut spots = String::from("{\n\"classname\" \"worldspawn\"\n}\n");
    for at in ["800 -800 32", "800 800 32", "600 -800 32", "600 800 32"] {
        spots += &format!("{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{at}\"\n}}\n");
    }
    let wall = Bounds::new(vec3(-16.0, -ROOM, 0.0), vec3(16.0, ROOM, CEILING));
    Setup::of_file("parted", TinyMap::room(&spots).one_area().solid(wall).file())
}

/// A match with the bots where they are to stand, and everything of their placing over.
pub fn placed(seed: u64, config: SimConfig, setup: &Setup, places: &[Vec3]) -> Sim<Server> {
    let mut sim = fixture::sim(seed, config, setup);
    let map = format!("devmap {}", setup.map);
    for line in ["set sv_floodProtect 0", "set fraglimit 0", "set timelimit 0", &map] {
        sim.console(line);
    }
    sim.run_until_all_active();
    for (bot, at) in sim.bots.iter_mut().zip(places) {
        bot.hands = Some(Input { look: vec3(0.0, 90.0, 0.0), ..Input::default() });
        let place = format!("setviewpos {} {} {} 90", at.x, at.y, at.z);
        bot.client.command(&place).expect("a short command");
    }
    sim.run(SETTLES);
    sim
}
