//! Who comes round a corner and runs into somebody whom it had not been told of predicts the collision all the same: mode 2's sight
//! and look-ahead tell of whoever is met before it is met, so that nobody else need be told of. Mode 3 tells of whom one could meet.

use fogline_common::ids::Sequence;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{ServerUnderTest, Sim, SimConfig};
use fogline_tests::tiny_map::{CEILING, ROOM, TinyMap};
use fogline_tools::client::Input;
use fogline_tools::client::predict::MissCause;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

/// Half the width of a player.
const HALF: f32 = 15.0;
/// Half the width of the wall, which ends at y = 0.
const WALL: f32 = 4.0;

/// A room with a thin wall that ends in the middle of it, in one PVS.
fn walled() -> Setup {
    let mut text = String::from("{\n\"classname\" \"worldspawn\"\n}\n");
    for at in ["-400 -400 32", "400 -400 32"] {
        text += &format!("{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{at}\"\n}}\n");
    }
    let wall = Bounds::new(vec3(-WALL, -ROOM, 0.0), vec3(WALL, 0.0, CEILING));
    Setup::of_file("corner", TinyMap::room(&text).one_area().solid(wall).file())
}

/// One who runs and one who stands.
struct Corner {
    sim: Sim<Server>,
}

impl Corner {
    /// The runner starts at `from`, with this round trip; the other stands at `stands`.
    fn new(seed: u64, round_trip: Millis, from: Vec3, stands: Vec3) -> Self {
        let still = BotConfig { script: Script::Idle, ..BotConfig::default() };
        let one_way = LinkConfig { delay: Millis(round_trip.0 / 2), ..LinkConfig::default() };
        let mut sim = fixture::sim(seed, SimConfig::alike(2, &still, LinkPair::both(one_way)), &walled());
        sim.console("set sv_floodProtect 0");
        sim.console("set sv_netoptimize 2");
        sim.console("devmap corner");
        sim.run_until_all_active();
        // Teleporting pushes: both are pushed against the wall.
        for (bot, (at, yaw)) in sim.bots.iter_mut().zip([(from, 0.0), (stands, 180.0)]) {
            bot.hands = Some(Input { look: vec3(0.0, yaw, 0.0), ..Input::default() });
            let place = format!("setviewpos {} {} {} {yaw}", at.x, at.y, at.z);
            bot.client.command(&place).expect("a short command");
        }
        sim.run(Millis(3000));
        Self { sim }
    }

    fn place(&self, bot: usize) -> Vec3 {
        self.sim.bots[bot].client.predicted().expect("it plays").origin
    }

    /// Whether the runner is told of the other.
    fn is_told(&self) -> bool {
        let [num, other] = [0, 1].map(|bot| self.sim.bots[bot].client.client_num().expect("it plays"));
        let client = self.sim.server.clients().get(num).and_then(|client| client.channel.as_ref());
        let next = client.expect("it plays").outgoing();
        let newest = self.sim.server.built_snapshot(num, Sequence(next.0 - 1)).expect("it was just built");
        newest.entities.iter().any(|state| state.number == other.index() as i32)
    }

    /// The runner runs to where `to` says, from where it is, for so many drawn frames or until it is `there`.
    fn run(&mut self, frames: u32, to: impl Fn(Vec3) -> Vec3, there: impl Fn(Vec3) -> bool) {
        for _ in 0..frames {
            let at = self.place(0);
            if there(at) {
                return;
            }
            let way = to(at) - at;
            let look = vec3(0.0, way.y.atan2(way.x).to_degrees(), 0.0);
            self.sim.bots[0].hands = Some(Input { look, forward: 127, ..Input::default() });
            self.sim.run(Millis(8));
        }
    }
}

/// Round the end of the wall, as near to it as may be, and into who stands behind it. The misses on the way.
fn round_the_corner(round_trip: Millis, run_up: f32, seed: u64) -> Vec<(MissCause, f32)> {
    let stands = vec3(WALL + HALF + 2.0, -26.0, 40.0);
    let from = vec3(-WALL - HALF - 2.0, -26.0 - run_up, 40.0);
    let mut corner = Corner::new(seed, round_trip, from, stands);
    assert!(!corner.is_told(), "it is behind the wall");
    let before = corner.sim.bots[0].client.counts().predict.misses;
    let met = corner.place(1);
    let apart = |at: Vec3| (at.x - met.x).abs().max((at.y - met.y).abs());
    corner.run(300, |at| at + vec3(0.0, 1.0, 0.0), |at| at.y > HALF + 1.0);
    corner.run(300, |_| met, |at| apart(at) < 2.0 * HALF + 0.5);
    let at = corner.place(0);
    assert!(apart(at) < 2.0 * HALF + 0.5, "seed {seed}: they have not met: {at:?} and {met:?}");
    // On for as long as it takes the server to answer.
    corner.run(60, |_| met, |_| false);
    let misses = corner.sim.bots[0].client.counts().predict.misses - before;
    let all: Vec<_> = corner.sim.bots[0].client.predictor().misses().collect();
    all[all.len() - (misses as usize).min(all.len())..]
        .iter()
        .map(|miss| (miss.cause, miss.distance))
        .collect()
}

#[test]
fn who_is_met_behind_a_corner_is_told_of_before_it_is_met() {
    for (index, round_trip) in [0, 50, 100, 150].into_iter().enumerate() {
        for (turn, run_up) in [0.0, 40.0, 200.0].into_iter().enumerate() {
            let misses = round_the_corner(Millis(round_trip), run_up, 60 + 3 * index as u64 + turn as u64);
            assert!(misses.is_empty(), "round trip {round_trip} ms, run-up {run_up}: {misses:?}");
        }
    }
}
