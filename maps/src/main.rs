//! `fogmap`: the map tool's command line. Commands live in [`fogline_maps::cli`]; this only runs one and prints what went wrong.

use fogline_maps::cli::Fogmap;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match Fogmap::from_words(&words).and_then(|fogmap| fogmap.run()) {
        Ok(code) => code,
        Err(sentence) => {
            eprintln!("fogmap: {sentence}");
            ExitCode::from(2)
        }
    }
}
