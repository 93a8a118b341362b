//! A mapper saves, and who plays on the server stands in the new map: `fogmap build --watch --rcon` and a server behind its real rim.
//!
//! No stock client is needed, and no game data: the map is one of the small ones.

use crate::{alone, deadline};
use fogline_common::bsp::Bsp;
use fogline_maps::cli::{Fogmap, Turn};
use fogline_server::arena;
use fogline_tests::stock::companion::Companion;
use fogline_tests::stock::server::{LiveServer, View};
use fogline_tools::client::config::ClientConfig;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use tempfile::TempDir;

/// Two rooms; the western one is used.
const ROOMS: &str = include_str!("../../maps/two_rooms.map");
const PLAYER: &str = "mapper";
const PASSWORD: &str = "sesame";

/// The rooms with one place to begin.
fn map_with_spawn_at(x: i32) -> String {
    let world = ROOMS.split("{\n\"classname\" \"info_player").next().expect("the world");
    format!("{world}{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{x} 0 32\"\n}}\n")
}

/// All but the entities.
fn rest_of(file: &Path) -> Vec<u8> {
    let mut bsp = Bsp::parse(&fs::read(file).expect("a compiled map")).expect("a sound map");
    bsp.entities.clear();
    bsp.emit()
}

fn stands_at(view: &View, x: f32) -> bool {
    view.map.as_deref() == Some("rooms")
        && view.player(PLAYER).is_some_and(|player| player.is_active)
        && view.state(PLAYER).is_some_and(|player| (player.origin.x - x).abs() < 8.0)
}

#[test]
fn a_saved_map_is_compiled_and_loaded_under_the_feet_of_who_plays() {
    let _alone = alone();
    let (deadline, folder) = (deadline(), TempDir::new().expect("a temporary folder"));
    let maps = folder.path().join("baseoa/maps");
    fs::create_dir_all(&maps).expect("a folder of ours");
    let (source, compiled) = (folder.path().join("rooms.map"), maps.join("rooms.bsp"));
    fs::write(&source, map_with_spawn_at(-200)).expect("a file of ours");

    let settings =
        [&format!("set rconPassword {PASSWORD}"), "set g_doWarmup 0", &format!("devmap {}", arena::NAME)];
    let mut server = LiveServer::start(folder.path(), &settings);
    let words: Vec<OsString> = [
        "build".into(),
        source.clone().into_os_string(),
        "--out".into(),
        compiled.clone().into_os_string(),
        "--watch".into(),
        "--rcon".into(),
        server.address.to_string().into(),
        "--rcon-password".into(),
        PASSWORD.into(),
    ]
    .into();
    let (told, turns) = channel::<Turn>();
    let (save, saved) = channel::<()>();
    let tool = thread::spawn(move || {
        let fogmap = Fogmap::from_words(&words)?;
        fogmap.watch(&mut |turn| told.send(turn).is_ok() && saved.recv().is_ok())
    });
    let turn = || turns.recv().expect("the tool goes on");

    assert_eq!(turn(), Turn { failed: false, only_entities: false });
    server.wait_until("it has the map", deadline, |view| view.map.as_deref() == Some("rooms"));
    let before = rest_of(&compiled);
    let player =
        Companion::join(server.address, ClientConfig { name: PLAYER.to_owned(), ..ClientConfig::default() });
    server.wait_until("the player stands in the west", deadline, |view| stands_at(view, -200.0));

    // Entities alone: one lump is written, and the game begins anew with it.
    fs::write(&source, map_with_spawn_at(-80)).expect("a file of ours");
    save.send(()).expect("the tool waits");
    assert_eq!(turn(), Turn { failed: false, only_entities: true });
    assert_eq!(rest_of(&compiled), before, "nothing but entities was written");
    server.wait_until("the player stands in the east", deadline, |view| stands_at(view, -80.0));

    // A map that is none is not loaded, and the tool goes on.
    fs::write(&source, "{\n\"classname\" \"worldspawn\"\n{\n").expect("a file of ours");
    save.send(()).expect("the tool waits");
    assert_eq!(turn(), Turn { failed: true, only_entities: false });

    // Geometry: all of it is compiled.
    fs::write(&source, map_with_spawn_at(-140).replace("base/wall", "base/floor")).expect("a file of ours");
    save.send(()).expect("the tool waits");
    assert_eq!(turn(), Turn { failed: false, only_entities: false });
    server.wait_until("the player stands in the new map", deadline, |view| stands_at(view, -140.0));
    assert_ne!(rest_of(&compiled), before);

    drop(save);
    tool.join().expect("the tool does not panic").expect("and has no complaint");
    player.leave();
    server.end();
}
