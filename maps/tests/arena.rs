//! The arena that the server has built in: its source gives its bytes, and it is what it is meant to be.
//!
//! After a change of `maps/arena`: give the map a new name, since clients keep what they have fetched under the old one, and
//!
//! ```text
//! fogmap build maps/arena/NAME.map --vis full --no-prt --basepath maps/arena --out NAME.bsp
//! fogmap pack NAME.bsp --basepath maps/arena --out maps/arena/NAME.pk3
//! ```
#![allow(clippy::disallowed_methods, reason = "reads the arena of the repository")]

use fogline_common::bsp::{Bsp, SurfaceKind};
use fogline_common::collision::{AreaPortals, ClipMap};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::{contents, mask};
use fogline_common::trace::TraceRequest;
use fogline_maps::build::{Options, build};
use fogline_maps::check;
use fogline_maps::map_file::MapFile;
use fogline_maps::material::Materials;
use fogline_maps::pack::{Packed, pack};
use fogline_maps::search_path::SearchPath;
use fogline_maps::vis::Level;
use std::path::PathBuf;
use std::sync::LazyLock;

const NAME: &str = "fogarena1";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("arena")
}

fn search_path() -> SearchPath {
    SearchPath::new(&folder()).unwrap()
}

/// The arena as it is compiled now.
static COMPILED: LazyLock<(Bsp, Vec<u8>, ClipMap)> = LazyLock::new(|| {
    let text = std::fs::read(folder().join(format!("{NAME}.map"))).unwrap();
    let map = MapFile::parse(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut said = Vec::new();
    let options = Options { vis: Some(Level::Full), light: true, ..Options::default() };
    let built = build(&map, Materials::new(search_path()), &options, &mut said, &mut |_| {});
    assert!(said.is_empty(), "{said:#?}");
    let file = built.bsp.expect("it compiles").emit();
    let bsp = Bsp::parse(&file).unwrap();
    let clip = ClipMap::build(&bsp).unwrap();
    (bsp, file, clip)
});

fn clip() -> &'static ClipMap {
    &COMPILED.2
}

fn packed() -> Packed {
    let (bsp, file, _) = &*COMPILED;
    pack(NAME, bsp, file, &search_path()).unwrap()
}

/// Rooms, by a place in each.
const HALL: Vec3 = vec3(0.0, -256.0, 60.0);
const POOL_ROOM: Vec3 = vec3(-380.0, -640.0, 60.0);
const GLASS_ROOM: Vec3 = vec3(600.0, -100.0, 60.0);
const VAULT: Vec3 = vec3(704.0, 400.0, 60.0);
const LIFT_ROOM: Vec3 = vec3(-900.0, -100.0, 60.0);
const WEST_PASSAGE: Vec3 = vec3(-860.0, -300.0, 60.0);
const LIBRARY: Vec3 = vec3(0.0, 800.0, 260.0);

fn sees(a: Vec3, b: Vec3) -> bool {
    let cluster = |place| clip().leaf_cluster(clip().leaf_at(place)).expect("a place in the open");
    let (a, b) = (cluster(a), cluster(b));
    let both = [clip().pvs(Some(a))[b.index()], clip().pvs(Some(b))[a.index()]];
    assert_eq!(both[0], both[1], "one way only");
    both[0]
}

fn count(class: &str) -> usize {
    clip().entity_text().matches(&format!("\"classname\" \"{class}\"")).count()
}

#[test]
fn the_source_gives_the_bytes_that_the_server_has() {
    let packed = packed();
    assert_eq!(packed.missing, Vec::<String>::new());
    let kept = std::fs::read(folder().join(format!("{NAME}.pk3"))).unwrap();
    assert!(
        packed.bytes == kept,
        "maps/arena/{NAME}.pk3 is not what its source gives; see the head of this file"
    );
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(kept)).unwrap();
    let mut map = Vec::new();
    std::io::Read::read_to_end(&mut zip.by_name(&format!("maps/{NAME}.bsp")).unwrap(), &mut map).unwrap();
    assert!(map == COMPILED.1, "the map in the pack");
}

#[test]
fn the_pack_holds_what_the_map_uses_and_no_more() {
    let packed = packed();
    assert!(packed.bytes.len() < 400_000, "{} bytes", packed.bytes.len());
    let names: Vec<&str> = packed.files.iter().map(|(name, _)| name.as_str()).collect();
    for wanted in [
        "levelshots/fogarena1.jpg",
        "maps/fogarena1.bsp",
        "scripts/fogarena1.arena",
        "scripts/fogarena1.shader",
        "textures/fogarena1/brick.jpg",
        "textures/fogarena1/glow.jpg",
        "textures/fogarena1/grate.tga",
    ] {
        assert!(names.contains(&wanted), "{wanted} is not among {names:?}");
    }
    assert!(names.iter().all(|name| !name.contains("common/") && !name.ends_with(".map")), "{names:?}");
    assert_eq!(packed.bytes, self::packed().bytes);
}

#[test]
fn what_must_not_see_each_other_does_not() {
    for (a, b) in [
        (POOL_ROOM, LIBRARY),
        (POOL_ROOM, LIFT_ROOM),
        (LIBRARY, GLASS_ROOM),
        (LIBRARY, LIFT_ROOM),
        (LIBRARY, VAULT),
    ] {
        assert!(!sees(a, b), "{a:?} sees {b:?}");
    }
}

#[test]
fn glass_grate_and_door_are_seen_through() {
    for (a, b) in [(HALL, vec3(330.0, -200.0, 100.0)), (WEST_PASSAGE, LIFT_ROOM), (GLASS_ROOM, VAULT)] {
        assert!(sees(a, b), "{a:?} does not see {b:?}");
    }
    assert!(sees(vec3(330.0, -200.0, 100.0), vec3(500.0, -200.0, 100.0)), "through the glass");
    // Both stop players and shots.
    let stopped = |a: Vec3, b: Vec3| clip().trace(&TraceRequest::ray(a, b, mask::SHOT, None)).hit();
    assert!(stopped(vec3(330.0, -200.0, 100.0), vec3(500.0, -200.0, 100.0)));
    assert!(stopped(vec3(-860.0, -300.0, 60.0), vec3(-860.0, -100.0, 60.0)));
}

#[test]
fn no_ray_finds_a_hole_in_the_pvs() {
    let report = check::check(&COMPILED.0, 60_000, 1).unwrap();
    assert_eq!(report.hole_count, 0, "{:?}", report.holes);
    assert!(report.proved > 100, "{} pairs", report.proved);
}

#[test]
fn the_vault_is_an_area_of_its_own_behind_its_door() {
    assert_eq!(clip().area_count(), 2);
    let area = |place| clip().leaf_area(clip().leaf_at(place)).unwrap();
    let mut portals = AreaPortals::new(clip().area_count());
    assert!(!portals.connected(area(HALL), area(VAULT)));
    assert!(portals.connected(area(HALL), area(LIBRARY)));
    portals.adjust(area(GLASS_ROOM), area(VAULT), true);
    assert!(portals.connected(area(HALL), area(VAULT)));
}

#[test]
fn it_has_what_a_match_needs() {
    assert_eq!(count("info_player_deathmatch"), 8);
    let one_each = [
        "func_plat",
        "trigger_push",
        "trigger_teleport",
        "misc_portal_surface",
        "misc_portal_camera",
        "weapon_rocketlauncher",
        "weapon_railgun",
        "weapon_lightning",
        "weapon_shotgun",
        "weapon_plasmagun",
        "weapon_grenadelauncher",
        "item_armor_body",
        "item_armor_combat",
        "item_health_mega",
        "info_player_intermission",
    ];
    for class in one_each {
        assert_eq!(count(class), 1, "{class}");
    }
    assert_eq!(count("func_door"), 2);
    assert!(COMPILED.0.surfaces.iter().filter(|one| one.kind == SurfaceKind::Patch).count() >= 6);
    assert_eq!(clip().contents_at(vec3(0.0, -832.0, -80.0)) & contents::WATER, contents::WATER);
}

#[test]
fn everybody_begins_with_room_around_and_ground_below() {
    let text = clip().entity_text();
    let player = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
    let mut spawns = 0;
    for entity in text.split('}').filter(|entity| entity.contains("\"info_player_deathmatch\"")) {
        let origin = entity.split("\"origin\" \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let numbers: Vec<f32> = origin.split(' ').map(|word| word.parse().unwrap()).collect();
        let place = vec3(numbers[0], numbers[1], numbers[2]);
        let below = vec3(place.x, place.y, place.z - 64.0);
        let fall = clip().trace(&TraceRequest::sweep(place, below, player, mask::PLAYERSOLID, None));
        assert!(!fall.start_solid && fall.hit() && fall.fraction < 0.5, "{origin}: {fall:?}");
        spawns += 1;
    }
    assert_eq!(spawns, 8);
}
