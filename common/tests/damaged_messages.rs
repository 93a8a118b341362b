//! Replays the corpus of the fuzz targets, so that what once was found stays mended.
#![allow(clippy::disallowed_methods, reason = "test data is read from disk")]

#[path = "../fuzz/bodies/wire.rs"]
mod wire;

use std::path::Path;

fn replay(name: &str, target: wire::Target) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut count = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        let data = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        eprintln!("{}", path.display());
        target(&data);
        // Cut short and with a bit changed here and there, each is a case of its own.
        for cut in (0..data.len()).step_by(1 + data.len() / 64) {
            target(&data[..cut]);
            let mut changed = data.clone();
            changed[cut] ^= 1 << (cut % 8);
            target(&changed);
        }
        count += 1;
    }
    assert!(count > 0, "{} is empty", folder.display());
}

#[test]
fn corpus_of_the_wire_is_survived() {
    for (name, target) in wire::TARGETS {
        replay(name, target);
    }
}
