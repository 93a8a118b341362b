//! The commands of `fogmap`, one file each. Standard output is for answers, standard error for progress and complaints.

/// Prints a line of an answer. Who reads it may have heard enough (`fogmap info x.bsp | head`), which is no error.
macro_rules! say {
    ($($words:tt)*) => { $crate::cli::say_line(format_args!($($words)*)) };
}

mod build;
mod complain;
mod info;
mod inspect;
mod pack;
mod preview;
mod progress;
mod q3map2;
mod vis;
mod watch;

pub use build::Turn;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::fmt::Arguments;
use std::io::Write;
use std::process::ExitCode;

fn say_line(words: Arguments<'_>) {
    let _ = writeln!(std::io::stdout(), "{words}");
}

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
    /// Print what is in a map, against the engines' limits, how much its clusters see, and which brushes make the most portals.
    Info(info::Info),
    /// Draw a compiled map from above: its clusters in colours, or what a point can see.
    Preview(preview::Preview),
    /// Shoot rays through a compiled map and name every pair of clusters that one proves and the PVS lacks. Exit code 1: there is one.
    Check(inspect::Check),
    /// Compare two compiled maps as a player would: contents at points, how far rays and boxes come. Exit code 1: they differ.
    Diff(inspect::Diff),
    /// Make the pk3 file of a compiled map: with all that it uses and the game itself does not have.
    Pack(pack::Pack),
    /// Compute which clusters may see each other, or check what was computed.
    Vis(vis::Vis),
}

impl Fogmap {
    /// From the words after the program's name: its own, or those of q3map2 as editors have them in their build menus.
    ///
    /// Ends the program with a text where help was asked for, or the words make no sense.
    pub fn from_words(words: &[OsString]) -> Result<Self, String> {
        let translated = q3map2::translate(words)?;
        let own = translated.as_deref().unwrap_or(words);
        Ok(Self::parse_from(std::iter::once(&OsString::from("fogmap")).chain(own)))
    }

    /// Runs `build --watch` with a stand-in for the mapper: `saved` is called after each compile, and answers whether the source has
    /// been saved again. False ends it.
    ///
    /// # Errors
    /// A sentence, if a file cannot be read or written, or if it is another command.
    pub fn watch(&self, saved: &mut dyn FnMut(Turn) -> bool) -> Result<ExitCode, String> {
        match &self.command {
            Command::Build(build) => build.watch(saved),
            _ => Err("only a build can be watched".to_owned()),
        }
    }

    /// Runs the command. An error is one sentence; the exit code says what an answer was.
    pub fn run(&self) -> Result<ExitCode, String> {
        match &self.command {
            Command::Build(build) => build.run(),
            Command::Info(info) => info.run(),
            Command::Preview(preview) => preview.run(),
            Command::Check(check) => check.run(),
            Command::Diff(diff) => diff.run(),
            Command::Pack(pack) => pack.run(),
            Command::Vis(vis) => vis.run(),
        }
    }
}
