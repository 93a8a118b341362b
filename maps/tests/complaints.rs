//! What the compiler complains of: each complaint stands at its line, names entity and brush as the editor counts them, a place in
//! the map, and what to do.
#![allow(clippy::disallowed_methods, reason = "writes a small game folder for the tests")]

use fogline_maps::build::{Options, build};
use fogline_maps::diagnostics::{Diagnostic, Severity};
use fogline_maps::map_file::MapFile;
use fogline_maps::material::Materials;
use fogline_maps::search_path::SearchPath;
use fogline_maps::vis::Level;
use std::path::PathBuf;

/// A box as an editor writes it, seven lines.
fn brush(mins: [i32; 3], maxs: [i32; 3], shader: &str) -> String {
    let ([a, b, c], [x, y, z]) = (mins, maxs);
    let faces = [
        format!("( {a} {y} {z} ) ( {a} {b} {z} ) ( {a} {b} {c} )"),
        format!("( {x} {y} {z} ) ( {x} {y} {c} ) ( {x} {b} {c} )"),
        format!("( {x} {b} {z} ) ( {x} {b} {c} ) ( {a} {b} {c} )"),
        format!("( {x} {y} {z} ) ( {a} {y} {z} ) ( {a} {y} {c} )"),
        format!("( {x} {y} {c} ) ( {a} {y} {c} ) ( {a} {b} {c} )"),
        format!("( {x} {y} {z} ) ( {x} {b} {z} ) ( {a} {b} {z} )"),
    ];
    format!("{{\n{}\n}}\n", faces.map(|points| format!("{points} {shader} 0 0 0 1 1")).join("\n"))
}

/// Lines of a brush of [`brush`].
const BRUSH_LINES: usize = 8;
/// Brushes of the room: what is added to the world is number six.
const WALLS: usize = 6;
/// The line after the room's walls.
const AFTER_WALLS: usize = 3 + WALLS * BRUSH_LINES;

/// A closed room of 256 units with a player and a lamp in it; more brushes of the world, more entities.
fn room(brushes: &str, entities: &str) -> String {
    let walls: String = (0..3)
        .flat_map(|axis| [-1, 1].map(|side| (axis, side)))
        .map(|(axis, side)| {
            let (mut mins, mut maxs) = ([-144; 3], [144; 3]);
            (mins[axis], maxs[axis]) = if side < 0 { (-144, -128) } else { (128, 144) };
            brush(mins, maxs, "common/caulk")
        })
        .collect();
    format!(
        "{{\n\"classname\" \"worldspawn\"\n{walls}{brushes}}}\n\
        {{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"0 0 0\"\n}}\n\
        {{\n\"classname\" \"light\"\n\"origin\" \"0 0 64\"\n}}\n{entities}"
    )
}

fn said(text: &str, path: SearchPath) -> Vec<Diagnostic> {
    let map = match MapFile::parse(text.as_bytes()) {
        Ok(map) => map,
        Err(wrong) => return vec![Diagnostic::from(&wrong)],
    };
    let mut said = Vec::new();
    let options = Options { vis: Some(Level::Fast), light: true, ..Options::default() };
    build(&map, Materials::new(path), &options, &mut said, &mut |_| {});
    said
}

/// The game folder of these tests: one script.
fn game() -> SearchPath {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("complaints");
    std::fs::create_dir_all(folder.join("scripts")).expect("a folder of ours");
    let script = "textures/test/mist\n{\nsurfaceparm fog\nsurfaceparm trans\n}\n\
        textures/test/blend\n{\nq3map_alphaMod dotproduct2 ( 0 0 1 )\n}\n";
    std::fs::write(folder.join("scripts/test.shader"), script).expect("a file of ours");
    SearchPath::new(&folder).expect("a folder that is there")
}

/// The one complaint with a code: it begins with `start` where an editor looks, holds each of `parts`, and says what to do.
fn check(text: &str, path: SearchPath, code: &str, start: &str, parts: &[&str]) {
    let said = said(text, path);
    let [one] = &said.iter().filter(|one| one.code == code).collect::<Vec<_>>()[..] else {
        panic!("{code} is said once in {said:#?}");
    };
    let shown = one.to_text("x.map");
    assert!(shown.starts_with(start), "{start} in {shown}");
    for part in parts {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(!one.help.is_empty(), "what to do: {shown}");
    let json = one.to_json("x.map");
    let place = start.split(':').nth(1).expect("a line");
    assert_eq!(json["line"].to_string(), place, "{json}");
}

/// Where a brush of the world stands that was added to the room first.
fn here(what: &str) -> String {
    format!("x.map:{AFTER_WALLS}: warning: entity 0 (worldspawn), brush 6: {what}")
}

#[test]
fn a_sound_room_is_not_complained_of() {
    assert_eq!(said(&room("", ""), SearchPath::empty()), []);
}

#[test]
fn missing_materials_are_listed_with_their_first_faces() {
    let block = brush([0, 0, -128], [16, 16, -100], "test/nowhere")
        + &brush([32, 0, -128], [48, 16, -100], "test/nowhere");
    let other = brush([64, 0, -128], [80, 16, -100], "test/lost");
    let text = room(&(block + &other), "");
    let line = AFTER_WALLS + 1;
    check(
        &text,
        game(),
        "missing-materials",
        &format!("x.map:{line}: warning: entity 0 (worldspawn), brush 6: 2 materials were not found"),
        &[
            &format!("textures/test/nowhere, first at entity 0 brush 6 (line {line})"),
            &format!("textures/test/lost, first at entity 0 brush 8 (line {})", line + 2 * BRUSH_LINES),
            "at 0 16 -100",
            "--basepath",
        ],
    );
    let start =
        format!("x.map:{line}: warning: entity 0 (worldspawn), brush 6: 2 materials were looked up nowhere");
    check(&text, SearchPath::empty(), "no-basepath", &start, &["--basepath DIR"]);
}

#[test]
fn a_missing_height_map_is_a_warning_at_its_entity() {
    let terrain = "{\n\"classname\" \"func_group\"\n\"alphamap\" \"maps/hills.pcx\"\n}\n";
    let text = room("", terrain);
    let line = text.lines().count() - 3;
    check(
        &text,
        SearchPath::empty(),
        "not-supported",
        &format!("x.map:{line}: warning: entity 3 (func_group): 1 height maps are not read"),
        &["maps/hills.pcx of entity 3", "do not fade into each other"],
    );
}

#[test]
fn fog_is_named_as_not_supported_at_its_brush() {
    let text = room(&brush([-64, -64, -128], [64, 64, -64], "test/mist"), "");
    let parts = ["fog (textures/test/mist)", "at 0 0 -96", "delete the brush"];
    check(&text, game(), "not-supported", &here("fog"), &parts);
}

#[test]
fn what_a_script_asks_in_vain_is_said_at_its_first_face() {
    let text = room(&brush([-64, -64, -128], [64, 64, -64], "test/blend"), "");
    let start = format!("x.map:{}: warning: entity 0 (worldspawn), brush 6: not done", AFTER_WALLS + 1);
    check(
        &text,
        game(),
        "not-supported",
        &start,
        &["q3map_alphamod of textures/test/blend", "at -64 64 -64"],
    );
}

#[test]
fn files_of_other_games_and_tools_are_named_at_their_first_line() {
    for (text, name) in [
        ("Version 2\n{\n}\n", "Doom 3"),
        ("versioninfo\n{\n}\n", "Source engine"),
        ("iwmap 4\n", "Call of Duty"),
        ("IBSP\u{2e}", "compiled map"),
        ("PRT1\n0\n0\n", "portal file"),
        ("<?xml version=\"1.0\"?>", "XML"),
    ] {
        check(
            text,
            SearchPath::empty(),
            "syntax",
            "x.map:1: error: this is ",
            &[name, "choose the .map of the right game"],
        );
    }
    let brush_of_doom = "{\n\"classname\" \"worldspawn\"\n{\nbrushDef3\n{\n";
    let start = "x.map:4: error: entity 0, brush 0: this is ";
    check(brush_of_doom, SearchPath::empty(), "syntax", start, &["Doom 3"]);
}

#[test]
fn damaged_brushes_stand_at_their_lines_with_a_place() {
    let inside_out = brush([0, 0, 64], [64, 64, 0], "common/caulk");
    let parts = ["at 0 64 0", "delete it, or rebuild it"];
    check(&room(&inside_out, ""), SearchPath::empty(), "no-volume", &here("the brush has no volume"), &parts);
    let flat = brush([0, 0, 0], [64, 64, 0], "common/caulk");
    let start =
        format!("x.map:{}: warning: entity 0 (worldspawn), brush 6: the three points", AFTER_WALLS + 1);
    check(&room(&flat, ""), SearchPath::empty(), "flat-face", &start, &["at 0 64 0", "rebuild the brush"]);
    let far = brush([0, 0, 0], [64, 64, 900_000], "common/caulk");
    let parts = ["at 0 0 0", "maps end at"];
    check(&room(&far, ""), SearchPath::empty(), "out-of-bounds", &here("the brush is open"), &parts);
}

#[test]
fn what_the_game_alone_has_or_the_compiler_lacks_is_said_at_its_entity() {
    let decal = "{\n\"classname\" \"_decal\"\n\"origin\" \"1 2 3\"\n}\n";
    let model = "{\n\"classname\" \"misc_model\"\n\"model\" \"models/lost.md3\"\n\"origin\" \"1 2 3\"\n}\n";
    let line = room("", "").lines().count() + 1;
    let start = format!("x.map:{line}: warning: entity 3 (_decal): _decal is not supported");
    check(&room("", decal), SearchPath::empty(), "not-supported", &start, &["at 1 2 3", "delete it"]);
    let start = format!("x.map:{line}: warning: entity 3 (misc_model): 1 models are not part of the map");
    check(
        &room("", model),
        game(),
        "missing-models",
        &start,
        &["models/lost.md3 was not found", "--basepath"],
    );
}

#[test]
fn an_idle_area_portal_and_an_unlit_map_are_said() {
    let text = room(&brush([-8, -8, -128], [8, 8, 0], "common/areaportal"), "");
    let parts = ["at 0 0 -64", "it must fill its doorway"];
    check(&text, SearchPath::empty(), "idle-areaportal", &here("the area portal"), &parts);
    let dark = room("", "").replace("\"light\"", "\"target_position\"");
    let start = "x.map:1: warning: entity 0 (worldspawn): there is no light";
    check(&dark, SearchPath::empty(), "no-lights", start, &["place light entities"]);
}

#[test]
fn a_leak_is_an_error_at_its_entity_with_the_brushes_beside_the_hole() {
    let text = room("", "").replacen(&brush([-144, -144, 128], [144, 144, 144], "common/caulk"), "", 1);
    let said = said(&text, SearchPath::empty());
    let leak = said.iter().find(|one| one.code == "leak").expect("a leak");
    assert_eq!(leak.severity, Severity::Error);
    let shown = leak.to_text("x.map");
    let line = text.lines().position(|line| line.contains("\"light\"")).expect("a lamp");
    for part in [
        &format!("x.map:{line}: error: entity 2 (light): the map leaks: light at 0 0 64 reaches the outside"),
        "close the hole near",
        "beside it entity 0 brush",
        ".lin and .pts",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
}
