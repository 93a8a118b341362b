//! `fogmap`: the map tool's command line. Commands live in [`fogline_maps::cli`]; this only runs one and prints what went wrong.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match fogline_maps::cli::Fogmap::parse().run() {
        Ok(code) => code,
        Err(sentence) => {
            eprintln!("fogmap: {sentence}");
            ExitCode::from(2)
        }
    }
}
