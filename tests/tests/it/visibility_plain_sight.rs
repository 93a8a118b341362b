//! Who is in plain sight is never left out: running, jumping, crouching, in water, on a lift, through a door as it opens.
//!
//! After each frame of a match every pair of living players is looked at by many random lines from the one's eye into the other's
//! body, through the map and its doors as the frame has them. Whoever is seen so must be in that frame's snapshot.

use fogline_common::collision::{ClipMap, Placement};
use fogline_common::ids::Sequence;
use fogline_common::math::{Bounds, vec3};
use fogline_common::openarena::{entity_type, stat, trajectory};
use fogline_common::proto::{EntityState, PlayerState, button, contents};
use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{Setup, sim};
use fogline_tests::gamedata;
use fogline_tests::network::LinkPair;
use fogline_tests::places::{BODY, is_seen};
use fogline_tests::sim::{BuiltSnapshot, ServerUnderTest, Sim, SimConfig};
use fogline_tests::tiny_map::{CEILING, ROOM, TinyMap};
use fogline_tools::client::Input;
use fogline_tools::script::Script;
use std::collections::BTreeMap;

/// Lines that are tried from each eye into each body.
const LINES: usize = 24;
const FRAME: Millis = Millis(50);

/// How often somebody in sight was looked at, by what the two were doing.
#[derive(Default)]
struct Seen {
    counts: BTreeMap<&'static str, u32>,
    pairs: u32,
}

fn newest(sim: &Sim<Server>, bot: usize) -> Option<BuiltSnapshot<'_>> {
    let num = sim.bots[bot].client.client_num()?;
    let next = sim.server.clients().get(num)?.channel.as_ref()?.outgoing();
    sim.server.built_snapshot(num, Sequence(next.0.checked_sub(1)?))
}

fn is_crouched(player: &PlayerState) -> bool {
    player.view_height < 20
}

fn body(player: &PlayerState) -> Bounds {
    let mut body = BODY;
    if is_crouched(player) {
        body.maxs.z = 16.0;
    }
    body.translated(player.origin)
}

/// Doors and platforms in a snapshot, where they are at its moment.
fn doors(snapshot: &BuiltSnapshot<'_>) -> Vec<Placement> {
    let is_door = |state: &&EntityState| state.entity_type == entity_type::MOVER;
    let placed = |state: &EntityState| Placement {
        model: usize::try_from(state.model_index).unwrap_or(0),
        origin: state.pos.at(snapshot.time),
        angles: state.apos.at(snapshot.time),
    };
    snapshot.entities.iter().filter(is_door).map(placed).collect()
}

/// What somebody does.
fn doing(player: &PlayerState, map: &ClipMap, snapshot: &BuiltSnapshot<'_>, seen: &mut Seen) {
    let speed = vec3(player.velocity.x, player.velocity.y, 0.0).length();
    let mut count = |what, is: bool| *seen.counts.entry(what).or_insert(0) += u32::from(is);
    count("running", speed > 200.0 && player.ground().is_some());
    count("in the air", player.ground().is_none());
    count("crouching", is_crouched(player));
    count("in water", map.contents_at(player.origin) & contents::WATER != 0);
    let stands_on = player.ground().map(|num| num.index() as i32);
    let carried = |state: &EntityState| {
        Some(state.number) == stands_on
            && state.entity_type == entity_type::MOVER
            && state.pos.kind != trajectory::STATIONARY
    };
    count("on a moving lift", snapshot.entities.iter().any(carried));
}

/// Looks at every pair after the newest frame.
fn look(sim: &Sim<Server>, map: &ClipMap, rng: &mut fastrand::Rng, seen: &mut Seen) {
    let snapshots: Vec<_> = (0..sim.bots.len()).filter_map(|bot| newest(sim, bot)).collect();
    for viewer in &snapshots {
        let doors = doors(viewer);
        let moving = viewer
            .entities
            .iter()
            .any(|state| state.entity_type == entity_type::MOVER && state.pos.kind != trajectory::STATIONARY);
        for target in &snapshots {
            let (me, other) = (viewer.player, target.player);
            let lives = |player: &PlayerState| player.stats[stat::HEALTH as usize] > 0;
            if me.client_num == other.client_num || viewer.time != target.time || !lives(me) || !lives(other)
            {
                continue;
            }
            if !is_seen(map, &doors, me.eye(), &body(other), LINES, rng) {
                continue;
            }
            seen.pairs += 1;
            doing(other, map, target, seen);
            if moving && !doors.is_empty() && (me.origin.x > 0.0) != (other.origin.x > 0.0) {
                *seen.counts.entry("while a door moves").or_insert(0) += 1;
            }
            let told = viewer.entities.iter().any(|state| state.number == other.client_num);
            assert!(
                told,
                "seed {}, at {:?}: {:?} with eyes at {:?} is not told of {:?} at {:?} with velocity {:?}",
                sim.seed(),
                viewer.time,
                me.client_num,
                me.eye(),
                other.client_num,
                other.origin,
                other.velocity
            );
        }
    }
}

fn bots(scripts: &[Script]) -> SimConfig {
    let bot = |&script: &Script| (BotConfig { script, ..BotConfig::default() }, LinkPair::default());
    SimConfig { bots: scripts.iter().map(bot).collect(), ..SimConfig::default() }
}

fn check(seen: &Seen, needed: &[&str]) {
    eprintln!("{} pairs in sight: {:?}", seen.pairs, seen.counts);
    for what in needed {
        assert!(seen.counts.get(what).is_some_and(|&count| count > 20), "nobody {what}: {:?}", seen.counts);
    }
}

fn walk_about(name: &str, seed: u64, frames: u32, needed: &[&str]) {
    let setup = Setup::installed_or_halls(name);
    let scripts = [Script::Wander, Script::Strafe, Script::Jump, Script::Crouch, Script::Peek, Script::Jump];
    let mut sim = sim(seed, bots(&scripts), &setup);
    sim.run_until_all_active();
    let (map, mut rng, mut seen) = (setup.clip_map(), fastrand::Rng::with_seed(seed), Seen::default());
    for _ in 0..frames {
        sim.run(FRAME);
        look(&sim, &map, &mut rng, &mut seen);
    }
    check(&seen, needed);
}

#[test]
fn who_walks_about_in_sight_is_never_left_out() {
    walk_about("oa_dm1", 31, 400, &["running", "in the air", "crouching"]);
    walk_about("oa_ctf2", 32, 300, &[]);
}

#[test]
fn who_swims_in_sight_is_never_left_out() {
    if gamedata::base_path().is_some() {
        walk_about("oa_dm5", 33, 600, &["in water"]);
    }
}

/// A wall with a door in it that opens by itself, and a lift on each side.
fn machines() -> Setup {
    let mut text = String::from("{\n\"classname\" \"worldspawn\"\n}\n");
    for (at, x) in [-400, -200, 200, 400].into_iter().enumerate() {
        let y = if at % 2 == 0 { -600 } else { -500 };
        text += &format!("{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{x} {y} 32\"\n}}\n");
    }
    text += "{\n\"classname\" \"func_door\"\n\"model\" \"*1\"\n\"angle\" \"-1\"\n\"speed\" \"80\"\n\"wait\" \"1\"\n\"lip\" \"0\"\n}\n";
    for model in [2, 3] {
        text += &format!(
            "{{\n\"classname\" \"func_plat\"\n\"model\" \"*{model}\"\n\"height\" \"184\"\n\"speed\" \"100\"\n}}\n"
        );
    }
    let block = |from: [f32; 3], to: [f32; 3]| Bounds::new(from.into(), to.into());
    let map = TinyMap::room(&text)
        .one_area()
        .solid(block([-16.0, -ROOM, 0.0], [16.0, -96.0, CEILING]))
        .solid(block([-16.0, 96.0, 0.0], [16.0, ROOM, CEILING]))
        .solid(block([-16.0, -96.0, 160.0], [16.0, 96.0, CEILING]))
        .model(block([-16.0, -96.0, 0.0], [16.0, 96.0, 160.0]))
        .model(block([-760.0, 160.0, 184.0], [-240.0, 560.0, 200.0]))
        .model(block([240.0, 160.0, 184.0], [760.0, 560.0, 200.0]));
    Setup::of_file("machines", map.file())
}

#[test]
fn who_rides_or_goes_through_a_door_in_sight_is_never_left_out() {
    let setup = machines();
    let mut sim = sim(34, bots(&[Script::Idle; 4]), &setup);
    sim.console("set sv_floodProtect 0");
    sim.console("devmap machines");
    sim.run_until_all_active();
    // Two go to and fro through the door, each from its side; two ride.
    let places = [(-200.0, 0.0, 0.0), (250.0, -40.0, 180.0), (-620.0, 360.0, 0.0), (620.0, 360.0, 180.0)];
    for (bot, (x, y, yaw)) in sim.bots.iter_mut().zip(places) {
        let command = format!("setviewpos {x} {y} 45 {yaw}");
        bot.client.command(&command).expect("a short command");
    }
    let (map, mut rng, mut seen) = (setup.clip_map(), fastrand::Rng::with_seed(34), Seen::default());
    for frame in 0..800 {
        for (index, (_, _, yaw)) in places.into_iter().enumerate() {
            let look = vec3(0.0, yaw, 0.0);
            let forward = match (index, frame % 120 < 60) {
                (0 | 1, true) => 60,
                (0 | 1, false) => -60,
                _ => 0,
            };
            sim.bots[index].hands =
                Some(Input { look, forward, buttons: button::WALKING, ..Input::default() });
        }
        sim.run(FRAME);
        look(&sim, &map, &mut rng, &mut seen);
    }
    check(&seen, &["on a moving lift", "while a door moves"]);
}
