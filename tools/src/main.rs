//! `fogtool`: programs that measure Fogline and its peers.

use clap::{Parser, Subcommand};
use fogline_tools::audit::{self, AuditArgs};
use fogline_tools::corner::{self, CornerArgs};
use fogline_tools::dissect::{self, DissectArgs};
use fogline_tools::join::{self, JoinArgs};
use fogline_tools::lag::{self, LagArgs};
use fogline_tools::lesson::{self, LessonArgs};
use fogline_tools::query::{self, QueryArgs};
use fogline_tools::rcon::{self, RconArgs};
use fogline_tools::replay::{self, ReplayArgs};
use fogline_tools::report::{self, ReportArgs};
use fogline_tools::rules::{self, RulesArgs};
use fogline_tools::shot::{self, ShotArgs};
use fogline_tools::swarm::{self, SwarmArgs};
use fogline_tools::versus::{self, VersusArgs};
use fogline_tools::wall::{self, WallArgs};
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
    /// A bad connection between clients and a server: a UDP proxy.
    Lag(LagArgs),
    /// Many headless players, and what each of them got. Exit code 0 only if none was lost and every snapshot was read.
    Swarm(SwarmArgs),
    /// What the visibility filter hides, tells too early and shows too late, crossing by crossing. Exit code 0 only if server and
    /// clients agree and at most one crossing in a hundred is later than the limit.
    Audit(AuditArgs),
    /// The laboratory: one rule of visibility after another on the same paths and links, leak against lateness. Exit code 0 only if
    /// rules whose answer is known have it.
    Rules(RulesArgs),
    /// Fogline and the stock server side by side, with the same swarm. Exit code 0 only if every ratio could be concluded.
    Versus(VersusArgs),
    /// One corner and the four moments of a reveal on a time line, as a drawing.
    Corner(CornerArgs),
    /// A recorded run once more: whether the same comes out, and how long frames take. Exit code 0 only if it is the same.
    Replay(ReplayArgs),
    /// Captured datagrams or a demo as readable messages. Exit code 0 only if all could be read whose connection was heard from its
    /// beginning.
    Dissect(DissectArgs),
    /// Runs a plan of measurements and writes its page, with tables and drawings. Exit code 0 only if every command could do its work.
    Report(ReportArgs),
    /// What a server says of itself. Exit code 0 only if it answered.
    Query(QueryArgs),
    /// Sends a line to a server's console and prints the answer. Exit code 0 only if it answered and obeyed.
    Rcon(RconArgs),
    /// The textbook's scene of lag compensation, judged by the server's own code, as a table.
    Lesson(LessonArgs),
    /// Draws a shot of the server's shot log as an SVG. Exit code 0 only if there was one.
    Shot(ShotArgs),
    /// Two players, one wall, the same moment with the filter off and on, and what each was sent, as an SVG.
    Wall(WallArgs),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Join(args) => join::run(&args),
        Command::Lag(args) => lag::run(&args),
        Command::Swarm(args) => swarm::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Corner(args) => corner::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Versus(args) => versus::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Dissect(args) => dissect::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Rcon(args) => rcon::run(&args),
        Command::Lesson(args) => lesson::run(&args),
        Command::Shot(args) => shot::run(&args),
        Command::Wall(args) => wall::run(&args),
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
