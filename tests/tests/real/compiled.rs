//! Real maps as `fogmap` compiles and packs them: a stock client fetches each from the server, draws it and walks in it.
//!
//! `FOGLINE_MAPS=DIR FOGLINE_PICTURES=DIR cargo test --release -p fogline-tests --test real compiled:: -- --ignored`, and then the
//! pictures must be looked at.

use crate::scenes::{self, Scene, WALKER, keep_log, length, span_ms};
use crate::{alone, deadline};
use fogline_tests::compiled;
use fogline_tests::stock::client::{Kind, StockClient};
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::screen::Screen;
use fogline_tests::stock::server::LiveServer;
use std::fs;
use tempfile::TempDir;

/// Maps, under names that no client has, and how many places in each are looked at.
const MAPS: [&str; 4] = ["oa_dm1", "kaos", "pul1duel-oa", "ctf_gate1"];
/// Places where a player begins that are looked at.
const PLACES: usize = 6;
/// Walks on, jumps, turns, steps to both sides, from wherever it is put.
const STROLL: &str = "+forward\nwait 30\n+left\nwait 12\n-left\n+moveup\nwait 8\n-moveup\nwait 15\n+moveleft\nwait 15\n-moveleft\n\
                      +right\nwait 20\n-right\nwait 20\n-forward\n+back\nwait 20\n-back";

#[test]
#[ignore = "compiles maps and starts a client for each; the module says how to run it"]
fn a_client_fetches_and_draws_compiled_maps_and_walks_without_a_miss() {
    let Some(base) = installed() else { return };
    let _alone = alone();
    let sources = compiled::sources();
    for map in MAPS {
        let Some((_, source)) = sources.iter().find(|(name, _)| name == map) else { continue };
        let name = format!("fog_{}", map.replace('-', "_"));
        let file = compiled::compile(source, Some(&base), true);
        let spawns = spawns(&file);
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir_all(folder.path().join("baseoa")).expect("a folder of ours");
        let pak = compiled::packed(&name, &file, &base);
        fs::write(folder.path().join(format!("baseoa/{name}.pk3")), &pak).expect("a file of ours");

        let deadline = deadline();
        let more = format!("devmap {name}");
        let mut server =
            LiveServer::start(folder.path(), &["set sv_dlRate 0", "set sv_floodProtect 0", &more]);
        let screen = Screen::start(deadline);
        let mut client = StockClient::start_with(
            "+set cl_allowDownload 1",
            Kind::OpenArena,
            WALKER,
            &base,
            &screen,
            server.address,
            deadline,
        );
        client.wait_for("to enter the game", 0, |line| line == format!("{WALKER} entered the game"));
        let joined = client.age();
        assert!(client.own_file(&format!("{name}.pk3")).is_some_and(|came| came == pak), "{name}");
        client.order("set cg_draw2D 0\nset cg_drawGun 0\nwait 3");
        let (mut judged, mut walked, mut colours) = (0, 0.0, 0);
        for (number, place) in spawns.iter().take(PLACES).enumerate() {
            let scene = Scene { name: "stroll", place, script: STROLL };
            let trail = scenes::stroll(&scene, &mut client, &server);
            let ride = scenes::rode(&trail);
            eprintln!(
                "{name} {place}: {:.0} units{}",
                length(&trail),
                if ride { ", over a mover" } else { "" }
            );
            judged += if ride { 0 } else { span_ms(&trail) };
            // One that begins before a wall may not come far.
            walked += length(&trail);
            scenes::put(place, &mut client, &server);
            colours = colours.max(scenes::look(&format!("{name}-{number}"), &screen, &client).colour_count);
        }
        assert!(colours > 2000, "{name}: {colours} colours at most, so every picture is blank");
        assert!(walked > 200.0 * PLACES as f32, "{name}: walked only {walked} units in all");
        assert!(judged > 10_000, "{name}: only {judged} ms were judged");
        scenes::report(&name, joined, &mut client, &server);
        server.end();
        client.wait_for("the goodbye", 0, |line| line.contains("Server was shut down"));
        keep_log(&name, &mut client);
        assert_eq!(client.complaints(), Vec::<String>::new(), "{name}");
    }
}

/// Where players begin, as `setviewpos` wants it.
fn spawns(file: &[u8]) -> Vec<String> {
    let map = compiled::clip_map(file);
    let value = |entity: &str, key: &str| {
        entity
            .split(&format!("\"{key}\" \""))
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .map(str::to_owned)
    };
    let all = map.entity_text().split('}').filter(|entity| entity.contains("\"info_player_deathmatch\""));
    all.filter_map(|entity| {
        let origin = value(entity, "origin")?;
        let numbers: Vec<f32> = origin.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [x, y, z] = numbers[..] else { return None };
        Some(format!("{x} {y} {} {}", z + 20.0, value(entity, "angle").unwrap_or_else(|| "0".to_owned())))
    })
    .collect()
}
