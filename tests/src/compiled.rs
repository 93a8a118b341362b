//! Maps as `fogmap` compiles and packs them: the arena of the program, and sources of real maps where they are present: in the
//! folder that `FOGLINE_MAPS` names, or in `../shared/maps` beside the workspace.
#![allow(clippy::disallowed_methods, reason = "map sources are read from disk")]

use flate2::read::GzDecoder;
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_maps::build::{Options, build};
use fogline_maps::map_file::MapFile;
use fogline_maps::material::Materials;
use fogline_maps::pack::pack;
use fogline_maps::search_path::SearchPath;
use fogline_maps::vis::Level;
use fogline_server::arena;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The arena's .bsp file.
///
/// # Panics
/// If the program's pk3 file has none.
pub fn arena_file() -> Vec<u8> {
    let mut zip = zip::ZipArchive::new(Cursor::new(arena::PAK)).expect("the program's pk3 file");
    let mut file = Vec::new();
    let mut inside = zip.by_name(&format!("maps/{}.bsp", arena::NAME)).expect("the arena");
    inside.read_to_end(&mut file).expect("a whole file");
    file
}

/// The solid world of a .bsp file.
///
/// # Panics
/// If it is damaged.
pub fn clip_map(file: &[u8]) -> Arc<ClipMap> {
    let bsp = Bsp::parse(file).unwrap_or_else(|error| panic!("{error}"));
    Arc::new(ClipMap::build(&bsp).unwrap_or_else(|error| panic!("{error}")))
}

/// Sources of real maps by name, in order. Empty with a note on stderr where there are none.
pub fn sources() -> Vec<(String, PathBuf)> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/maps");
    let folder = std::env::var_os("FOGLINE_MAPS").map_or_else(beside, PathBuf::from).join("source");
    let Ok(listing) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: no map sources; set FOGLINE_MAPS to the folder that holds source/NAME.map.gz");
        return Vec::new();
    };
    let mut found: Vec<(String, PathBuf)> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((path.file_name()?.to_str()?.strip_suffix(".map.gz")?.to_owned(), path)))
        .collect();
    found.sort();
    found
}

/// The .bsp file of a source, with materials of the game data below `base`.
///
/// # Panics
/// If it does not compile.
pub fn compile(source: &Path, base: Option<&Path>, light: bool) -> Vec<u8> {
    let file = std::fs::File::open(source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let mut text = Vec::new();
    GzDecoder::new(file)
        .read_to_end(&mut text)
        .unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let map = MapFile::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let path = base.map_or_else(SearchPath::empty, game_data);
    let options = Options { vis: Some(Level::Fast), light, ..Options::default() };
    let mut said = Vec::new();
    let built = build(&map, Materials::new(path), &options, &mut said, &mut |_| {});
    let bsp = built.bsp.unwrap_or_else(|| panic!("{}: {said:#?}", source.display()));
    bsp.emit()
}

/// The pk3 file of a compiled map under a name.
///
/// # Panics
/// If it cannot be made.
pub fn packed(name: &str, file: &[u8], base: &Path) -> Vec<u8> {
    let bsp = Bsp::parse(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    pack(name, &bsp, file, &game_data(base)).unwrap_or_else(|error| panic!("{error}")).bytes
}

fn game_data(base: &Path) -> SearchPath {
    SearchPath::new(base).unwrap_or_else(|error| panic!("{error}"))
}
