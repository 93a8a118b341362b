//! A server without any game data plays on its own arena; a stock client that has no copy fetches it and plays.

use crate::scenes::{self, Scene, WALKER, keep_log, length, photograph, span_ms};
use crate::{alone, deadline};
use fogline_server::arena;
use fogline_tests::stock::client::{Kind, StockClient};
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::screen::Screen;
use fogline_tests::stock::server::LiveServer;
use tempfile::TempDir;

/// Up the stairs of the hall and some of it back.
const HALL_STAIRS: Scene<'static> = Scene {
    name: "stairs of the hall",
    place: "328 -250 40 90",
    script: "+forward\nwait 60\n-forward\n+back\nwait 40\n-back",
};
/// Into a round pillar and along it, to both sides.
const PILLAR: Scene<'static> = Scene {
    name: "round pillar",
    place: "-176 -330 40 88",
    script: "+forward\nwait 30\n+moveleft\nwait 30\n-moveleft\n+moveright\nwait 40\n-moveright\n+moveup\nwait 15\n-moveup\n-forward",
};
/// Into the pool, along its ground and up again.
const POOL: Scene<'static> = Scene {
    name: "pool",
    place: "-150 -760 -80 -10",
    script: "+forward\nwait 50\n+moveup\nwait 20\n-moveup\n+left\nwait 20\n-left\n+movedown\nwait 15\n-movedown\n-forward",
};
/// Along the glass and the grates of the bridge.
const BRIDGE: Scene<'static> = Scene {
    name: "bridge of grates",
    place: "-300 -832 40 0",
    script: "+forward\nwait 60\n+moveup\nwait 10\n-moveup\n-forward\n+back\nwait 30\n-back",
};

/// Places from which pictures are taken.
const VIEWS: [(&str, &str); 8] = [
    ("hall", "340 -350 60 125"),
    ("balcony", "-320 340 240 -40"),
    ("pool-room", "-420 -620 60 -40"),
    ("glass-room", "800 80 60 -140"),
    ("vault", "860 350 60 130"),
    ("lift-room", "-960 -150 60 45"),
    ("library", "-40 840 240 8"),
    ("grate", "-860 -330 60 90"),
];

#[test]
fn a_client_without_the_arena_fetches_it_and_plays() {
    let Some(base) = installed() else { return };
    let _alone = alone();
    let deadline = deadline();
    let nothing = TempDir::new().expect("a temporary folder");
    let mut server =
        LiveServer::start(nothing.path(), &["set sv_floodProtect 0", &format!("devmap {}", arena::NAME)]);
    let screen = Screen::start(deadline);
    let more = "+set cl_allowDownload 1";
    let mut client =
        StockClient::start_with(more, Kind::OpenArena, WALKER, &base, &screen, server.address, deadline);
    client.wait_for("to enter the game", 0, |line| line == format!("{WALKER} entered the game"));
    let joined = client.age();
    let view = server.wait_until("it plays", deadline, |view| {
        view.map.as_deref() == Some(arena::NAME) && view.player(WALKER).is_some_and(|seen| seen.is_active)
    });
    assert_eq!(view.metrics.downloads_complete, 1, "{:#?}", view.lines);
    let came = client.own_file(&format!("{}.pk3", arena::NAME));
    assert!(came.is_some_and(|came| came == arena::PAK), "the file in its home is not the one that was sent");

    let mut judged = 0;
    // A script waits for pictures, so a quick machine needs more rounds for the same time.
    while judged <= 10_000 {
        for scene in [&HALL_STAIRS, &PILLAR, &POOL, &BRIDGE] {
            let trail = scenes::play(scene, &mut client, &server);
            assert!(length(&trail) > 150.0, "{}: walked only {}", scene.name, length(&trail));
            judged += span_ms(&trail);
        }
    }
    client.order("set cg_draw2D 0\nset cg_drawGun 0\nwait 3");
    for (name, place) in VIEWS {
        scenes::put(place, &mut client, &server);
        photograph(&format!("arena-{name}"), &screen, &client);
    }
    scenes::report("arena", joined, &mut client, &server);
    server.end();
    client.wait_for("the goodbye", 0, |line| line.contains("Server was shut down"));
    keep_log("arena", &mut client);
    assert_eq!(client.complaints(), Vec::<String>::new());
}
