//! Reads golden vectors: data recorded from the original programs, in `tests/golden/` or in the folder that `FOGLINE_GOLDEN` names.
//!
//! The folder is laid out as `huffman/`, `delta/`, `netchan/`, `cm/`, `pmove/`, `live/`, `visibility/`; any recording of the same
//! shape can be tried.
#![allow(clippy::disallowed_methods, reason = "test data is read from disk")]

use flate2::read::GzDecoder;
use serde_json::Value;
use std::io::Read;
use std::path::PathBuf;

/// The folder that golden tests read.
pub fn folder() -> PathBuf {
    std::env::var_os("FOGLINE_GOLDEN")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/golden")), PathBuf::from)
}

/// Bytes of a golden file, unpacked if its name ends in `.gz`. `None` if another recording has no such file.
///
/// # Panics
/// If the project's own copy lacks the file, or the file cannot be read.
pub fn bytes(name: &str) -> Option<Vec<u8>> {
    // Another recording may have packed what we have plain, or the other way round.
    let other = name.strip_suffix(".gz").map_or_else(|| format!("{name}.gz"), str::to_owned);
    let found = [name, &other].into_iter().find(|name| folder().join(name).exists());
    let name = found.unwrap_or(name);
    let path = folder().join(name);
    let raw = match std::fs::read(&path) {
        Ok(raw) => raw,
        Err(_) if std::env::var_os("FOGLINE_GOLDEN").is_some() => {
            eprintln!("skipped: {} is not in this recording", path.display());
            return None;
        }
        Err(error) => panic!("{}: {error}", path.display()),
    };
    if !name.ends_with(".gz") {
        return Some(raw);
    }
    let mut unpacked = Vec::new();
    GzDecoder::new(&raw[..]).read_to_end(&mut unpacked).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Some(unpacked)
}

/// Lines of a golden text file.
pub fn lines(name: &str) -> Vec<String> {
    let Some(bytes) = bytes(name) else { return Vec::new() };
    String::from_utf8(bytes).unwrap_or_else(|e| panic!("{name}: {e}")).lines().map(str::to_owned).collect()
}

/// Rows of a golden file of one JSON value a line.
pub fn jsonl(name: &str) -> Vec<Value> {
    let parse = |(n, line): (usize, &String)| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{name}:{}: {e}", n + 1))
    };
    lines(name).iter().enumerate().map(parse).collect()
}

/// Rows of a golden CSV file, its header first and apart. No field holds a comma.
pub fn csv(name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut rows = lines(name).into_iter().map(|line| line.split(',').map(str::to_owned).collect());
    (rows.next().unwrap_or_default(), rows.collect())
}

/// Bytes written in hex.
///
/// # Panics
/// If it is not hex.
pub fn unhex(text: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap_or_else(|| panic!("{text:?} is not hex")) as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Names of the files in a folder of golden files, in order, as the other functions take them.
pub fn names(under: &str) -> Vec<String> {
    let path = folder().join(under);
    let Ok(entries) = std::fs::read_dir(&path) else {
        assert!(std::env::var_os("FOGLINE_GOLDEN").is_some(), "{} cannot be listed", path.display());
        return Vec::new();
    };
    let mut names: Vec<String> =
        entries.filter_map(|entry| Some(format!("{under}/{}", entry.ok()?.file_name().to_str()?))).collect();
    names.sort();
    names
}
