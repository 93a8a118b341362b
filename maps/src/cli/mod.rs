//! The commands of `fogmap`, one file each. Standard output is for answers, standard error for progress and complaints.

mod build;
mod inspect;
mod progress;
mod vis;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Map tool of the Fogline server: what map sources and portal files become, and whether it is right.
#[derive(Debug, Parser)]
#[command(name = "fogmap", version)]
pub struct Fogmap {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compile a map source. Exit code 3: it leaks.
    Build(build::Build),
    /// Print what is in a compiled map, against the engines' limits, and how much its clusters see.
    Info(inspect::Info),
    /// Compare two compiled maps as a player would: contents at points, how far rays and boxes come. Exit code 1: they differ.
    Diff(inspect::Diff),
    /// Compute which clusters may see each other, or check what was computed.
    Vis(vis::Vis),
}

impl Fogmap {
    /// Runs the command. An error is one sentence; the exit code says what an answer was.
    pub fn run(&self) -> Result<ExitCode, String> {
        match &self.command {
            Command::Build(build) => build.run(),
            Command::Info(info) => info.run(),
            Command::Diff(diff) => diff.run(),
            Command::Vis(vis) => vis.run(),
        }
    }
}
