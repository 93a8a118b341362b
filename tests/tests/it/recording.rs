//! Demos that the server records: whoever is recorded, everybody is in them, and they can be played.

use fogline_common::ids::{ClientNum, EntityNum, Sequence};
use fogline_common::math::vec3;
use fogline_common::proto::EntityState;
use fogline_common::proto::limits::MAX_ENTITIES;
use fogline_common::time::Millis;
use fogline_common::wire::Warning;
use fogline_common::wire::messages::{
    ServerContext, ServerMessage, ServerOp, SnapshotBases, SnapshotMessage, SnapshotRef,
};
use fogline_server::recording::DemoOutput;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::network::LinkPair;
use fogline_tests::parted::{placed, setup};
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::dissect::conversation::Playback;
use fogline_tools::dissect::demo::Demo;
use fogline_tools::script::Script;
use std::collections::BTreeMap;

/// Two players in two rooms: neither is ever told of the other.
fn parted() -> Sim<Server> {
    let still = BotConfig { script: Script::Idle, ..BotConfig::default() };
    let config = SimConfig::alike(2, &still, LinkPair::default());
    placed(5, config, &setup(), &[vec3(-500.0, 0.0, 40.0), vec3(500.0, 0.0, 40.0)])
}

/// The demos that came out, by file.
fn demos(sim: &mut Sim<Server>) -> BTreeMap<String, Vec<u8>> {
    let (mut names, mut files, mut ended) = (BTreeMap::new(), BTreeMap::new(), 0);
    while let Some(output) = sim.server.poll_demo() {
        match output {
            DemoOutput::Begin { id, stem, ending } => {
                names.insert(id, format!("{stem}.{ending}"));
            }
            DemoOutput::Bytes { id, bytes } => {
                files.entry(names[&id].clone()).or_insert_with(Vec::new).extend_from_slice(&bytes);
            }
            DemoOutput::End { .. } => ended += 1,
        }
    }
    assert_eq!(ended, files.len(), "every demo has its end");
    files
}

/// A reader of demos that keeps all that it was told.
struct Viewer {
    baselines: Vec<Option<EntityState>>,
    snapshots: Vec<(Sequence, SnapshotMessage)>,
    commands: Vec<String>,
}

impl SnapshotBases for Viewer {
    fn snapshot(&self, message: Sequence) -> Option<SnapshotRef<'_>> {
        let found = self.snapshots.iter().rev().find(|(number, _)| *number == message)?;
        Some(found.1.as_ref())
    }

    fn baseline(&self, number: EntityNum) -> Option<&EntityState> {
        self.baselines[number.index()].as_ref()
    }
}

impl Viewer {
    fn watch(file: &[u8]) -> Self {
        let mut viewer =
            Self { baselines: vec![None; MAX_ENTITIES], snapshots: Vec::new(), commands: Vec::new() };
        for read in Demo::new(file) {
            let (number, message) = read.expect("the demo is whole");
            let sequence = Sequence(number);
            let context = ServerContext { sequence, bases: &viewer, has_download_begun: false };
            let mut warnings: Vec<Warning> = Vec::new();
            let message = ServerMessage::parse(message, &context, &mut warnings).expect("a server's message");
            assert!(warnings.is_empty(), "{warnings:?}");
            for op in message.ops {
                match op {
                    ServerOp::Gamestate(gamestate) => {
                        for state in &gamestate.baselines {
                            viewer.baselines[state.num().expect("a number").index()] = Some(*state);
                        }
                    }
                    ServerOp::Snapshot(snapshot) => {
                        assert!(snapshot.is_valid);
                        viewer.snapshots.push((sequence, *snapshot));
                    }
                    ServerOp::Command { text, .. } => {
                        viewer.commands.push(String::from_utf8_lossy(&text).into_owned());
                    }
                    ServerOp::Download(_) => panic!("a demo has no files in it"),
                }
            }
        }
        viewer
    }

    /// Snapshots that tell of a player.
    fn times_told_of(&self, player: ClientNum) -> usize {
        let tells = |snapshot: &SnapshotMessage| {
            snapshot.entities.iter().any(|state| state.num() == Some(player.entity()))
        };
        self.snapshots.iter().filter(|(_, snapshot)| tells(snapshot)).count()
    }
}

#[test]
fn a_recorder_is_told_of_players_whom_the_recorded_one_is_not_told_of() {
    let mut sim = parted();
    let withheld = sim.server.metrics().players_withheld;
    sim.console("startserverdemo all final");
    sim.run(Millis(3000));
    sim.console("stopserverdemo all");
    sim.run(Millis(100));
    let demos = demos(&mut sim);
    assert_eq!(
        demos.keys().map(String::as_str).collect::<Vec<_>>(),
        ["demos/final-0.dm_71", "demos/final-1.dm_71"]
    );
    let withheld = sim.server.metrics().players_withheld - withheld;
    assert!(withheld >= 2 * 55, "the clients themselves were told of each other: {withheld}");
    for (own, (file, demo)) in demos.iter().enumerate() {
        let viewer = Viewer::watch(demo);
        let other = ClientNum::new(1 - own).expect("a slot");
        // Twenty snapshots a second.
        assert!((58..=62).contains(&viewer.snapshots.len()), "{file}: {}", viewer.snapshots.len());
        assert_eq!(viewer.times_told_of(other), viewer.snapshots.len(), "{file}");
        assert!(viewer.snapshots.iter().all(|(_, shown)| shown.player.client_num == own as i32));
        assert!(viewer.snapshots[1..].iter().all(|(_, shown)| shown.delta_num == 1), "{file}");
    }
}

#[test]
fn what_the_recorded_player_is_told_in_words_is_in_its_demo() {
    let mut sim = parted();
    sim.console("startserverdemo 0");
    sim.run(Millis(500));
    sim.console("say to all of you");
    sim.console("sayto 1 to one of you");
    sim.console("set sv_hostname another");
    sim.run(Millis(500));
    sim.console("map_restart 0");
    sim.run(Millis(1000));
    // With the player's leaving it is over.
    let now = sim.now();
    sim.bots[0].client.disconnect(now);
    sim.run(Millis(200));
    let demos = demos(&mut sim);
    let (file, demo) = demos.first_key_value().expect("a demo");
    assert!(file.starts_with("demos/parted-0-"), "{file}");
    let viewer = Viewer::watch(demo);
    let said = |words: &str| viewer.commands.iter().filter(|text| text.contains(words)).count();
    assert_eq!((said("to all of you"), said("to one of you")), (1, 0), "{:?}", viewer.commands);
    assert!(said("cs 0 ") > 0 && said("another") > 0 && said("map_restart") == 1, "{:?}", viewer.commands);
}

#[test]
fn a_demo_is_read_by_fogtool() {
    let mut sim = parted();
    sim.console("startserverdemo 1 whole");
    sim.run(Millis(2000));
    // A map's end is its end too.
    sim.console("killserver");
    let demos = demos(&mut sim);
    let mut playback = Playback::new(true);
    let mut heard = Vec::new();
    for read in Demo::new(&demos["demos/whole.dm_71"]) {
        let (number, message) = read.expect("the demo is whole");
        heard.push(playback.hear(number, message).says);
    }
    assert_eq!(playback.unreadable, 0, "{heard:?}");
    assert!(heard.len() > 38 && heard[0].contains("Gamestate"), "{}", heard[0]);
}

#[test]
fn recording_changes_nothing_that_is_sent() {
    let hash = |records: bool| {
        let mut sim = parted();
        if records {
            sim.console("startserverdemo all");
        }
        sim.run(Millis(2000));
        sim.sent_hash
    };
    assert_eq!(hash(true), hash(false));
}
