//! An ioquake3 client, which speaks its own wire, and a headless player of the legacy wire on one server.

use crate::scenes::{self, COMPANION, DANCE, STAIRS, WALKER, check_listed, keep_log, length, photograph};
use crate::{alone, deadline};
use fogline_common::wire::netchan::WireKind;
use fogline_tests::stock::client::{Kind, StockClient};
use fogline_tests::stock::companion::Companion;
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::screen::Screen;
use fogline_tests::stock::server::LiveServer;
use fogline_tools::client::config::{ClientConfig, Engine};

#[test]
fn an_ioquake3_client_plays_on_its_own_wire_beside_a_legacy_one() {
    let Some(base) = installed() else { return };
    let _alone = alone();
    let deadline = deadline();
    let mut server = LiveServer::start(&base, &["devmap oa_dm1"]);
    let screen = Screen::start(deadline);
    let mut client = StockClient::start(Kind::Ioquake3, WALKER, &base, &screen, server.address, deadline);
    let companion = Companion::join(
        server.address,
        ClientConfig {
            engine: Engine::OpenArena,
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
    assert_eq!(view.player(WALKER).and_then(|seen| seen.wire), Some(WireKind::Ioq3));
    assert_eq!(view.player(COMPANION).and_then(|seen| seen.wire), Some(WireKind::Legacy));

    check_listed(server.address, "oa_dm1", &[WALKER, COMPANION]);
    for scene in [&STAIRS, &DANCE] {
        let trail = scenes::play(scene, &mut client, &server);
        assert!(length(&trail) > 300.0, "{}: walked only {}", scene.name, length(&trail));
    }
    photograph("ioquake3-oa_dm1", &screen, &client);
    // Not within the second after another command, or the flood protection takes it.
    client.order("wait 45\nsay both wires");
    let view = server.wait_until("its words in the log", deadline, |view| {
        view.lines.iter().any(|line| line.contains("say: walker: both wires"))
    });
    assert_eq!(view.metrics.packet_faults.iter().sum::<u64>(), 0, "{:?}", view.metrics.packet_faults);
    scenes::report("ioquake3", joined, &mut client, &server);

    companion.wait_for_text("both wires", deadline);
    let counts = companion.leave();
    assert_eq!((counts.parse_errors, counts.warnings, counts.snapshots_without_base), (0, 0, 0));
    client.wait_for("the companion's leaving", 0, |line| line.contains("companion disconnected"));
    server.end();
    client.wait_for("the goodbye", 0, |line| line.contains("Server was shut down"));
    keep_log("ioquake3", &mut client);
    assert_eq!(client.complaints(), Vec::<String>::new());
}
