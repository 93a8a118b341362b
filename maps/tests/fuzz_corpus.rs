//! Replays the corpus of the fuzz targets, whole and damaged, so that what once was found stays mended.
#![allow(clippy::disallowed_methods, reason = "the fuzz corpus is read from disk")]

#[path = "../fuzz/bodies/compiled_map.rs"]
mod compiled_map;
#[path = "../fuzz/bodies/map_source.rs"]
mod map_source;
#[path = "../fuzz/bodies/model.rs"]
mod model;
#[path = "../fuzz/bodies/portal_file.rs"]
mod portal_file;

use std::path::Path;

/// Damaged copies of each file: cut short there, and with a byte changed there.
const DAMAGED: usize = 24;

fn replay(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut count = 0;
    for entry in entries {
        let path = entry.unwrap_or_else(|e| panic!("{}: {e}", folder.display())).path();
        let data = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        eprintln!("{}", path.display());
        target(&data);
        for cut in (0..data.len()).step_by(1 + data.len() / DAMAGED) {
            target(&data[..cut]);
            let mut changed = data.clone();
            changed[cut] ^= 1 << (cut % 7);
            target(&changed);
        }
        count += 1;
    }
    assert!(count > 0, "{} is empty", folder.display());
}

#[test]
fn corpus_of_compiled_maps_is_survived() {
    replay("compiled_map", compiled_map::exercise);
}

#[test]
fn corpus_of_map_sources_is_survived() {
    replay("map_source", map_source::exercise);
}

#[test]
fn corpus_of_models_is_survived() {
    replay("model", model::exercise);
}

#[test]
fn corpus_of_portal_files_is_survived() {
    replay("portal_file", portal_file::exercise);
}
