//! `fogtool`: programs that measure Fogline and its peers.

use clap::{Parser, Subcommand};
use fogline_tools::join::{self, JoinArgs};
use std::process::ExitCode;

/// Measures Fogline and its peers.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// One headless player joins a server, does something, and tells what it saw. Exit code 0 only if it was in the game to
    /// the end and read everything.
    Join(JoinArgs),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Join(args) => join::run(&args),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(sentence) => {
            eprintln!("fogtool: {sentence}");
            ExitCode::from(2)
        }
    }
}
