//! A match of one OpenArena client and one headless player of the other wire, from the first word to the goodbye.

use crate::scenes::{
    self, COMPANION, DANCE, STAIRS, SWIM, Scene, WADE, WALKER, check_listed, keep_log, length, photograph,
    span_ms,
};
use crate::{alone, deadline};
use fogline_common::math::{angle_vectors, vec3};
use fogline_common::openarena::stat;
use fogline_common::proto::{PlayerState, contents};
use fogline_common::wire::netchan::WireKind;
use fogline_tests::fixture::clip_map;
use fogline_tests::stock::Deadline;
use fogline_tests::stock::client::{Kind, StockClient};
use fogline_tests::stock::companion::Companion;
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::screen::Screen;
use fogline_tests::stock::server::LiveServer;
use fogline_tools::client::config::{ClientConfig, Engine};

/// Usercmds' time that is judged in all, at least. Unit: ms.
const JUDGED_MS: i32 = 60_000;
/// Of it on the first map.
const JUDGED_ON_LAND_MS: i32 = 36_000;
/// Most rounds of a set of scenes: how far a script walks, and what it shoots, hangs on the client's frame rate.
const ROUNDS: u32 = 24;

#[test]
fn an_openarena_client_plays_a_match_without_a_prediction_miss() {
    let Some(base) = installed() else { return };
    let _alone = alone();
    let deadline = deadline();
    // Orders come fast, and each is a client command.
    let commands = ["set sv_floodProtect 0", "set fraglimit 0", "set timelimit 0", "devmap oa_dm1"];
    let mut server = LiveServer::start(&base, &commands);
    let screen = Screen::start(deadline);
    let mut client = StockClient::start(Kind::OpenArena, WALKER, &base, &screen, server.address, deadline);
    let companion = Companion::join(
        server.address,
        ClientConfig {
            engine: Engine::Ioquake3,
            name: COMPANION.to_owned(),
            qport: 7,
            ..ClientConfig::default()
        },
    );
    client.wait_for("to enter the game", 0, |line| line == format!("{WALKER} entered the game"));
    let joined = client.age();
    let view = server.wait_until("both play", deadline, |view| {
        [WALKER, COMPANION].iter().all(|name| view.player(name).is_some_and(|seen| seen.is_active))
    });
    assert_eq!(view.player(WALKER).and_then(|seen| seen.wire), Some(WireKind::Legacy));
    assert_eq!(view.player(COMPANION).and_then(|seen| seen.wire), Some(WireKind::Ioq3));
    let connected_at = view.player(WALKER).map(|seen| seen.connected_at);

    talks(&mut client, &server, &companion, deadline);
    check_listed(server.address, "oa_dm1", &[WALKER, COMPANION]);
    let mut judged = meets(&mut client, &server, &screen, deadline);
    judged += walks(&mut client, &server, JUDGED_ON_LAND_MS - judged);
    restarts(&mut client, &server);
    changes_map(&mut client, &server, deadline);
    judged += swims(&mut client, &server, JUDGED_MS - judged);
    photograph("openarena-oa_dm5", &screen, &client);
    assert!(judged >= JUDGED_MS, "only {judged} ms were judged");

    let view = server.view();
    assert_eq!(view.player(WALKER).map(|seen| seen.connected_at), connected_at, "it had to connect again");
    assert!(view.metrics.usercmds > 1000, "{} usercmds", view.metrics.usercmds);
    assert_eq!(view.metrics.packet_faults.iter().sum::<u64>(), 0, "{:?}", view.metrics.packet_faults);
    scenes::report("openarena", joined, &mut client, &server);

    server.end();
    client.wait_for("the goodbye", 0, |line| line.contains("Server was shut down"));
    keep_log("openarena", &mut client);
    assert_eq!(client.complaints(), Vec::<String>::new());
}

/// Each hears what the other says.
fn talks(client: &mut StockClient, server: &LiveServer, companion: &Companion, deadline: Deadline) {
    let from = client.log().len();
    companion.command("say welcome, walker");
    client.wait_for("the companion's words", from, |line| line == "companion: welcome, walker");
    client.order("say hello from a cfg");
    server.wait_until("the walker's words in the log", deadline, |view| {
        view.lines.iter().any(|line| line.contains("say: walker: hello from a cfg"))
    });
    companion.wait_for_text("hello from a cfg", deadline);
}

/// Stairs and all kinds of steps, again and again until `wanted` ms are judged and each kind has been seen. Time that was.
fn walks(client: &mut StockClient, server: &LiveServer, wanted: i32) -> i32 {
    let (mut judged, mut climbed, mut walked, mut jumped, mut shot) = (0, 0.0_f32, 0.0, false, false);
    for _ in 0..ROUNDS {
        let trail = scenes::play(&STAIRS, client, server);
        let heights = trail.iter().map(|player| player.origin.z);
        let (low, high) = (heights.clone().fold(f32::MAX, f32::min), heights.fold(f32::MIN, f32::max));
        climbed = climbed.max(high - low);
        judged += span_ms(&trail);

        let trail = scenes::play(&DANCE, client, server);
        walked += length(&trail);
        jumped |= trail.iter().any(|player| player.velocity.z > 100.0);
        // What it picks up on the way it may shoot with too.
        let fires =
            |pair: &[PlayerState]| pair[0].weapon == pair[1].weapon && ammo(&pair[0]) > ammo(&pair[1]);
        shot |= trail.windows(2).any(fires);
        judged += span_ms(&trail);
        if judged >= wanted && climbed > 60.0 && walked > 400.0 && jumped && shot {
            return judged;
        }
    }
    panic!(
        "{judged} of {wanted} ms: climbed {climbed}, walked {walked} units, jumped: {jumped}, shot: {shot}"
    );
}

/// Whether a player stands; velocity is not rounded, so that one who stands still sinks a little.
fn is_at_rest(player: &PlayerState) -> bool {
    player.velocity.length() < 1.0
}

/// Rounds of the weapon in hand.
fn ammo(player: &PlayerState) -> i32 {
    usize::try_from(player.weapon).ok().and_then(|weapon| player.ammo.get(weapon)).copied().unwrap_or(0)
}

/// Walks into the companion, sees it and shoots it. Time that was judged, in ms.
fn meets(client: &mut StockClient, server: &LiveServer, screen: &Screen, deadline: Deadline) -> i32 {
    // Where it spawned, on whole units: others are told whole units, while the server stops players at the exact place. With
    // the stock server it is the same, so one who pushes against a player between units misses by the rest.
    let view = server
        .wait_until("the companion stands", deadline, |view| view.state(COMPANION).is_some_and(is_at_rest));
    let (stands, yaw) =
        view.state(COMPANION).map_or_else(Default::default, |player| (player.origin, player.view_angles.y));
    assert_eq!((stands.x.fract(), stands.y.fract()), (0.0, 0.0), "it is not where it spawned");
    let from = stands + angle_vectors(vec3(0.0, yaw, 0.0)).forward * 230.0;
    let before = format!("{} {} {} {}", from.x, from.y, from.z + 16.0, yaw + 180.0);
    let collide = Scene {
        name: "collide",
        place: &before,
        script: "+forward\nwait 60\n-forward\n+moveleft\nwait 5\n-moveleft\n+forward\nwait 20\n-forward\n+back\nwait 15\n-back",
    };
    let trail = scenes::play(&collide, client, server);
    let gap = |player: &PlayerState| {
        let apart = player.origin - stands;
        apart.x.abs().max(apart.y.abs())
    };
    let nearest = trail.iter().map(gap).fold(f32::MAX, f32::min);
    assert!((29.9..31.0).contains(&nearest), "two players came as near as {nearest}, of 30 to 31");

    client.order(&format!("setviewpos {before}\nwait 30"));
    photograph("openarena-companion", screen, client);
    client.order("+attack\nwait 60\n-attack");
    server.wait_until("the companion is hit", deadline, |view| {
        view.state(COMPANION).is_some_and(|player| player.stats[stat::HEALTH as usize] < 100)
            || view.lines.iter().any(|line| line.contains("walker killed companion"))
    });
    span_ms(&trail)
}

/// The map starts over: the client goes on.
fn restarts(client: &mut StockClient, server: &LiveServer) {
    let from = client.log().len();
    server.console("map_restart 0");
    client.wait_for("the restart", from, |line| line.contains("CG_MapRestart"));
    client.wait_for("to enter the game again", from, |line| line == format!("{WALKER} entered the game"));
    let trail = scenes::play(&STAIRS, client, server);
    assert!(length(&trail) > 200.0, "walked only {} after the restart", length(&trail));
}

/// Another map: the client loads it and goes on.
fn changes_map(client: &mut StockClient, server: &LiveServer, deadline: Deadline) {
    let from = client.log().len();
    server.console("devmap oa_dm5");
    client.wait_for("to enter the next map", from, |line| line == format!("{WALKER} entered the game"));
    server.wait_until("it plays on the next map", deadline, |view| {
        view.map.as_deref() == Some("oa_dm5") && view.player(WALKER).is_some_and(|seen| seen.is_active)
    });
}

/// Swims and wades until `wanted` ms are judged and both were seen. Time that was.
fn swims(client: &mut StockClient, server: &LiveServer, wanted: i32) -> i32 {
    let map = clip_map("oa_dm5");
    let is_wet = |player: &&PlayerState, height: f32| {
        let mut point = player.origin;
        point.z += height;
        map.contents_at(point) & contents::WATER != 0
    };
    let (mut judged, mut swum, mut waded) = (0, 0.0, 0);
    for _ in 0..ROUNDS {
        let trail = scenes::play(&SWIM, client, server);
        let under = trail.iter().filter(|player| is_wet(player, player.view_height as f32)).count();
        assert!(under * 4 > trail.len(), "under water in {under} of {} frames", trail.len());
        swum += length(&trail);
        judged += span_ms(&trail);
        let trail = scenes::play(&WADE, client, server);
        waded += trail.iter().filter(|player| is_wet(player, -20.0)).count();
        judged += span_ms(&trail);
        if judged >= wanted && swum > 300.0 && waded > 0 {
            return judged;
        }
    }
    panic!("{judged} of {wanted} ms: swum {swum} units, waded in {waded} frames");
}
