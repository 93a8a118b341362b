//! What players see through hides nobody, although the map file calls it solid: by the shader scripts, or by the host's list.

use fogline_common::bsp::Bsp;
use fogline_common::collision::{ClipMap, Glass, Light};
use fogline_common::ids::Sequence;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::time::Millis;
use fogline_server::visibility::proof::Prover;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::gamedata;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{ServerUnderTest, SimConfig};
use fogline_tests::tiny_map::{CEILING, ROOM, TinyMap};
use fogline_tools::client::Input;
use fogline_tools::script::Script;
use std::sync::Arc;

/// Two halves of a room with a wall between them, in one PVS.
fn walled() -> Setup {
    let mut text = String::from("{\n\"classname\" \"worldspawn\"\n}\n");
    for at in ["-400 0 32", "400 0 32"] {
        text += &format!("{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{at}\"\n}}\n");
    }
    let wall = Bounds::new(vec3(-16.0, -ROOM, 0.0), vec3(16.0, ROOM, CEILING));
    Setup::of_file("walled", TinyMap::room(&text).one_area().solid(wall).file())
}

/// Whether one who stands on one side of the wall is told of one on the other, which the default rules and proofs must agree about.
fn tells(setup: &Setup) -> bool {
    let [default, proved] = [2, 3].map(|mode| tells_in(setup, mode));
    assert_eq!(default, proved, "modes 2 and 3 take different things for glass");
    proved
}

fn tells_in(setup: &Setup, mode: i32) -> bool {
    let still = BotConfig { script: Script::Idle, ..BotConfig::default() };
    let mut sim = fixture::sim(5, SimConfig::alike(2, &still, LinkPair::default()), setup);
    sim.console("set sv_floodProtect 0");
    sim.console(&format!("set sv_netoptimize {mode}"));
    sim.console("devmap walled");
    sim.run_until_all_active();
    for (bot, x) in sim.bots.iter_mut().zip([-300, 300]) {
        bot.hands = Some(Input::default());
        bot.client.command(&format!("setviewpos {x} 100 40 0")).expect("a short command");
    }
    sim.run(Millis(3000));
    let num = sim.bots[0].client.client_num().expect("it plays");
    let other = sim.bots[1].client.client_num().expect("it plays").index() as i32;
    let next = sim
        .server
        .clients()
        .get(num)
        .and_then(|client| client.channel.as_ref())
        .expect("it plays")
        .outgoing();
    let newest = sim.server.built_snapshot(num, Sequence(next.0 - 1)).expect("it was just built");
    newest.entities.iter().any(|state| state.number == other)
}

#[test]
fn a_grate_hides_nobody() {
    assert!(!tells(&walled()), "a wall hides");
    let script = |stages: &str| {
        walled().with_file("scripts/any.shader", format!("textures/test\n{{\n{stages}\n}}\n").into())
    };
    assert!(tells(&script("{\nmap textures/test.tga\nalphaFunc GE128\n}")));
    assert!(!tells(&script("{\nmap $lightmap\n}\n{\nmap textures/test.tga\nblendFunc filter\n}")));
}

#[test]
fn a_host_knows_better_than_the_map() {
    let list = |text: &str| walled().with_file("maps/walled.glass", text.to_owned().into());
    assert!(tells(&list("// the wall in the middle\nat 0 0 50\n")));
    assert!(tells(&list("textures/te*\n")));
    assert!(!tells(&list("at 0 0 -5000\n")));
    assert!(!tells(&walled().with_file("maps/other.glass", b"textures/test\n".to_vec())));
}

/// On real maps, by their own scripts: a line through what is seen through is open, and no proof says otherwise.
#[test]
fn the_grates_of_real_maps_are_found() {
    let mut glass = Glass::default();
    let found = gamedata::each_file("scripts/", ".shader", |_, _, bytes| {
        glass.add_script(&String::from_utf8_lossy(bytes));
    });
    if !found {
        return;
    }
    for (name, least) in [("oa_thor", 50), ("oa_dm6", 10), ("oa_dm1", 0)] {
        let bsp = Bsp::parse(&gamedata::map(name).expect("the data is there")).unwrap();
        let (plain, seeing) = (ClipMap::build(&bsp).unwrap(), ClipMap::build_with(&bsp, &glass).unwrap());
        eprintln!("{name}: {} solids are seen through", seeing.glass_count());
        assert!(seeing.glass_count() >= least, "{name}: {}", seeing.glass_count());
        let prover = Prover::build(Arc::new(ClipMap::build_with(&bsp, &glass).unwrap()));
        let (mut rng, mut opened) = (fastrand::Rng::with_seed(8), 0);
        let bounds = plain.model_bounds(0).unwrap();
        let any = |rng: &mut fastrand::Rng| -> Vec3 {
            let size = bounds.size();
            bounds.mins + vec3(rng.f32() * size.x, rng.f32() * size.y, rng.f32() * size.z)
        };
        for _ in 0..60_000 {
            let from = any(&mut rng);
            let to = from.mul_add(0.1, any(&mut rng) - from);
            if !prover.is_lit(from)
                || plain.light(from, to) == Light::Passes
                || seeing.light(from, to) != Light::Passes
            {
                continue;
            }
            opened += 1;
            let [eyes, bodies] = [from, to].map(|point| Bounds::POINT.translated(point));
            assert_eq!(
                prover.prove(&eyes, &bodies, &mut Default::default()),
                None,
                "{name}: {from:?} {to:?}"
            );
        }
        eprintln!("{name}: {opened} lines opened");
    }
}
