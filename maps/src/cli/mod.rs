//! The commands of `fogmap`, one file each. Standard output is for answers, standard error for progress and complaints.

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
    /// Compute which clusters may see each other, or check what was computed.
    Vis(vis::Vis),
}

impl Fogmap {
    /// Runs the command. An error is one sentence; the exit code says what an answer was.
    pub fn run(&self) -> Result<ExitCode, String> {
        match &self.command {
            Command::Vis(vis) => vis.run(),
        }
    }
}
