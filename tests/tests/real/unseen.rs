//! A real OpenArena client plays the sounds of a player whom it is not told of.

use crate::scenes::{COMPANION, WALKER, keep_log};
use crate::{alone, deadline};
use fogline_common::math::Vec3;
use fogline_common::proto::button;
use fogline_tests::fixture::clip_map;
use fogline_tests::places::hidden_places;
use fogline_tests::stock::client::{Kind, StockClient};
use fogline_tests::stock::companion::Companion;
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::screen::Screen;
use fogline_tests::stock::server::LiveServer;
use fogline_tools::client::Input;
use fogline_tools::client::config::{ClientConfig, Engine};

/// How far the companion comes from where it is put. Unit: world units.
const ROAM: f32 = 130.0;
/// Events under numbers from here up are the filter's, not the game's.
const FIRST_PASSING: u32 = 500;

/// What a client played while the companion ran, jumped and shot.
#[derive(Debug, Default)]
struct Played {
    steps: usize,
    jumps: usize,
    shots: usize,
    /// Events of footsteps, by the number of the entity that had them.
    step_entities: Vec<u32>,
    warnings: Vec<String>,
}

/// The lines that `s_show` and `cg_debugevents` print.
fn played(lines: &[String]) -> Played {
    let sounds =
        |part: &str| lines.iter().filter(|line| line.contains(" : sound/") && line.contains(part)).count();
    let entity = |line: &String| {
        let rest = line.strip_prefix("ent:")?;
        rest.contains("EV_FOOTSTEP").then(|| rest.split_whitespace().next()?.parse().ok())?
    };
    let is_warning = |line: &&String| line.contains("WARNING") || line.contains("CG_");
    Played {
        steps: sounds("player/footsteps/"),
        jumps: sounds("jump1"),
        shots: sounds("weapons/machinegun/"),
        step_entities: lines.iter().filter_map(entity).collect(),
        warnings: lines.iter().filter(is_warning).cloned().collect(),
    }
}

/// The companion runs to and fro, jumps and shoots once each way; the client stands and listens.
fn listen(client: &mut StockClient, companion: &Companion) -> Played {
    let from = client.log().len();
    let look = Vec3::ZERO;
    for round in 0..6 {
        let forward = if round % 2 == 0 { 127 } else { -127 };
        let up = if round % 2 == 0 { 127 } else { 0 };
        let buttons = if round > 3 { button::ATTACK } else { 0 };
        companion.hands(Input { look, forward, up: 0, buttons, ..Input::default() });
        client.order("wait 12");
        companion.hands(Input { look, up, buttons, ..Input::default() });
        client.order("wait 12");
    }
    companion.hands(Input { look, ..Input::default() });
    client.order("wait 30");
    played(&client.log()[from..])
}

#[test]
fn an_openarena_client_plays_the_sounds_of_the_unseen() {
    let Some(base) = installed() else { return };
    let _alone = alone();
    let deadline = deadline();
    let mut rng = fastrand::Rng::with_seed(12);
    let places = hidden_places(&clip_map("oa_dm5"), 1, 250.0..700.0, ROAM, &mut rng);
    let [hidden, listener] = places.expect("oa_dm5 has such places")[..] else { panic!("two places") };
    let commands = ["set sv_floodProtect 0", "set fraglimit 0", "set timelimit 0", "devmap oa_dm5"];
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
    server.wait_until("both play", deadline, |view| {
        [WALKER, COMPANION].iter().all(|name| view.player(name).is_some_and(|seen| seen.is_active))
    });
    let put = |at: Vec3| format!("setviewpos {} {} {} 0", at.x, at.y, at.z);
    companion.command(&put(hidden));
    client.order(&format!("set s_show 1\nset cg_debugevents 1\n{}\nwait 90", put(listener)));
    let stands = |name: &str, at: Vec3| {
        server.wait_until("everybody stands", deadline, |view| {
            view.state(name)
                .is_some_and(|player| player.velocity.length() < 1.0 && player.origin.distance(at) < ROAM)
        })
    };
    stands(WALKER, listener);
    stands(COMPANION, hidden);

    let with_sounds = listen(&mut client, &companion);
    eprintln!("the client played {with_sounds:?}");
    assert!(with_sounds.steps > 2, "{with_sounds:?}");
    assert!(with_sounds.jumps > 0, "{with_sounds:?}");
    assert!(with_sounds.shots > 2, "{with_sounds:?}");
    assert!(with_sounds.step_entities.len() > 2, "{with_sounds:?}");
    assert!(with_sounds.step_entities.iter().all(|&number| number >= FIRST_PASSING), "{with_sounds:?}");
    assert_eq!(with_sounds.warnings, Vec::<String>::new());

    // Without them it hears nothing, so it was these.
    server.console("set sv_netoptimize_sounds 0");
    client.order("wait 60");
    let without = listen(&mut client, &companion);
    assert_eq!((without.steps, without.jumps, without.shots), (0, 0, 0), "{without:?}");

    let counts = companion.leave();
    assert_eq!((counts.parse_errors, counts.warnings), (0, 0));
    server.end();
    client.wait_for("the goodbye", 0, |line| line.contains("Server was shut down"));
    keep_log("openarena-unseen", &mut client);
    assert_eq!(client.complaints(), Vec::<String>::new());
}
