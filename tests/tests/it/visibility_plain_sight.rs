//! Who is in plain sight is never left out: running, jumping, crouching, in water, on a lift, through a door as it opens.
//!
//! After each frame of a match every pair of living players is looked at by many random lines from the one's eye into the other's
//! body, through the map and its doors as the frame has them. Whoever is seen so must be in that frame's snapshot.

use fogline_common::collision::{ClipMap, Placement};
use fogline_common::ids::Sequence;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{entity_type, stat, trajectory};
use fogline_common::proto::{EntityState, PlayerState, button, contents, mask};
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{Setup, sim};
use fogline_tests::gamedata;
use fogline_tests::network::LinkPair;
use fogline_tests::places::{BODY, is_clear, is_seen, standing_places};
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

fn is_door(state: &&EntityState) -> bool {
    state.entity_type == entity_type::MOVER
}

/// Where a door or platform is at the moment of a snapshot.
fn placed(state: &EntityState, snapshot: &BuiltSnapshot<'_>) -> Placement {
    Placement {
        model: usize::try_from(state.model_index).unwrap_or(0),
        origin: state.pos.at(snapshot.time),
        angles: state.apos.at(snapshot.time),
    }
}

/// Doors and platforms in a snapshot.
fn doors(snapshot: &BuiltSnapshot<'_>) -> Vec<Placement> {
    snapshot.entities.iter().filter(is_door).map(|state| placed(state, snapshot)).collect()
}

/// Whether a door is about on the way from an eye to a player.
fn is_between(map: &ClipMap, door: &Placement, eye: Vec3, player: Vec3) -> bool {
    let way = Bounds { mins: eye.min(player), maxs: eye.max(player) };
    map.model_bounds(door.model).is_some_and(|bounds| bounds.translated(door.origin).touches(&way))
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
        let moves = |state: &&EntityState| state.pos.kind != trajectory::STATIONARY;
        let moving: Vec<Placement> =
            viewer.entities.iter().filter(is_door).filter(moves).map(|state| placed(state, viewer)).collect();
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
            if moving.iter().any(|door| is_between(map, door, me.eye(), other.origin)) {
                *seen.counts.entry("past a moving door").or_insert(0) += 1;
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
    check(&seen, &["on a moving lift", "past a moving door"]);
}

/// Models of the movers of a class that work by themselves, without a button or a shot.
fn machines_of(map: &ClipMap, class: &str) -> Vec<usize> {
    let wanted = format!("\"classname\" \"{class}\"");
    let alone = |block: &&str| !block.contains("\"targetname\"") && !block.contains("\"health\"");
    let blocks = map.entity_text().split('}').filter(|block| block.contains(&wanted)).filter(alone);
    let model = |block: &str| block.split_once("\"model\" \"*")?.1.split_once('"')?.0.parse().ok();
    blocks.filter_map(model).collect()
}

/// A place to stand near a point, on the floor below it.
fn floor_at(map: &ClipMap, point: Vec3) -> Option<Vec3> {
    let down = point - vec3(0.0, 0.0, 160.0);
    let trace = map.trace(&TraceRequest::sweep(point, down, BODY, mask::PLAYERSOLID, None));
    (!trace.start_solid && trace.fraction < 1.0 && trace.plane.normal.z > 0.7).then_some(trace.end)
}

/// Places at some distance of a point that it can be seen from.
fn onlookers(map: &ClipMap, point: Vec3, count: usize, rng: &mut fastrand::Rng) -> Vec<Vec3> {
    let mut places = standing_places(map, 4000, rng);
    let eye = vec3(0.0, 0.0, 26.0);
    places.retain(|place| {
        (80.0..700.0).contains(&place.distance(point)) && is_clear(map, &[], *place + eye, point)
    });
    places.truncate(count);
    places
}

/// The places of two walkers or riders of a machine, the way that they look, and those of two who look on from each side.
fn about_machine(
    map: &ClipMap,
    model: usize,
    is_lift: bool,
    rng: &mut fastrand::Rng,
) -> Option<Vec<(Vec3, f32)>> {
    let bounds = map.model_bounds(model)?;
    let (middle, size) = (bounds.center(), bounds.size());
    let (sides, looks) = if is_lift {
        // It waits below for who steps on it; in the file it is above.
        let at = vec3(middle.x, middle.y, bounds.maxs.z + 30.0);
        ([at, at], [0.0, 90.0])
    } else {
        let (across, yaw) =
            if size.x < size.y { (vec3(1.0, 0.0, 0.0), 0.0) } else { (vec3(0.0, 1.0, 0.0), 90.0) };
        let [back, forth] = [-90.0, 90.0].map(|way| floor_at(map, middle.mul_add(way, across)));
        ([back?, forth?], [yaw, yaw + 180.0])
    };
    let mut places: Vec<(Vec3, f32)> = sides.into_iter().zip(looks).collect();
    for side in sides {
        let found = onlookers(map, side + vec3(0.0, 0.0, 20.0), 2, rng);
        places.extend(found.into_iter().map(|place| (place, 0.0)));
    }
    (places.len() == 6).then_some(places)
}

/// Two go through each door of a map or ride each lift, and four look on.
fn about_machines(name: &str, class: &str, seed: u64, seen: &mut Seen) {
    let setup = Setup::installed_or_halls(name);
    let (map, mut rng) = (setup.clip_map(), fastrand::Rng::with_seed(seed));
    let is_lift = class == "func_plat";
    let mut sim = sim(seed, bots(&[Script::Idle; 6]), &setup);
    sim.console("set sv_floodProtect 0");
    sim.console(&format!("devmap {name}"));
    sim.run_until_all_active();
    for model in machines_of(&map, class).into_iter().take(4) {
        let Some(places) = about_machine(&map, model, is_lift, &mut rng) else { continue };
        for frame in 0..300 {
            // Riders step on anew when the lift has come down.
            let placed = if is_lift { frame % 100 == 0 } else { frame == 0 };
            for (bot, (at, yaw)) in sim.bots.iter_mut().zip(&places).filter(|_| placed) {
                let command = format!("setviewpos {} {} {} {yaw}", at.x, at.y, at.z + 26.0);
                bot.client.command(&command).expect("a short command");
            }
            for (index, (_, yaw)) in places.iter().enumerate() {
                let walks = !is_lift && index < 2;
                let forward = if !walks {
                    0
                } else if frame % 80 < 40 {
                    100
                } else {
                    -100
                };
                let look = vec3(0.0, *yaw, 0.0);
                sim.bots[index].hands = Some(Input { look, forward, ..Input::default() });
            }
            sim.run(FRAME);
            look(&sim, &map, &mut rng, seen);
        }
    }
}

#[test]
fn who_rides_the_lifts_of_a_real_map_in_sight_is_never_left_out() {
    if gamedata::base_path().is_some() {
        let mut seen = Seen::default();
        about_machines("oa_dm7", "func_plat", 36, &mut seen);
        check(&seen, &["on a moving lift"]);
    }
}

#[test]
fn who_goes_through_the_doors_of_real_maps_in_sight_is_never_left_out() {
    if gamedata::base_path().is_some() {
        let mut seen = Seen::default();
        about_machines("oa_koth1", "func_door", 37, &mut seen);
        about_machines("sleekgrinder", "func_door", 38, &mut seen);
        check(&seen, &["past a moving door"]);
    }
}
