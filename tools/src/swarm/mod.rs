//! `fogtool swarm`: many headless players on one thread, and what each of them got.

pub mod engine;
pub mod member;
pub mod meter;
pub mod report;

use crate::client::config::Engine;
use crate::join::{engine, load_map};
use crate::rim::maps::{Maps, running_map};
use crate::rim::{resolve, write_file};
use crate::script::Script;
use crate::swarm::engine::{Outcome, Swarm};
use crate::table::Output;
use clap::Args;
use fogline_common::collision::ClipMap;
use fogline_common::time::Millis;
use indicatif::{ProgressBar, ProgressStyle};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// Between the last join and the measuring.
const SETTLE: Millis = Millis(1000);
/// A swarm whose 99th percentile is later than this is told so. Unit: ms.
const LATE_MS: u64 = 10;

/// Which servers, how many players, and what they do.
#[derive(Args, Debug)]
pub struct SwarmArgs {
    /// The servers, as host or host:port; players are dealt out to them in turn.
    #[arg(required = true)]
    pub addresses: Vec<String>,
    /// How many players.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub clients: u16,
    /// How long to measure, after all have joined.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub seconds: u32,
    /// What they do: idle, wander, strafe, jump, peek, fight, chat.
    #[arg(long, default_value = "wander")]
    pub script: Script,
    /// Which framing to speak: legacy (OpenArena, protocol 68) or ioq3.
    #[arg(long, default_value = "legacy")]
    pub wire: String,
    /// 71 or 68.
    #[arg(long, default_value_t = 71)]
    pub protocol: i32,
    /// Bytes per second that each wants at most.
    #[arg(long, default_value_t = 25_000)]
    pub rate: i32,
    /// Snapshots per second that each wants at most.
    #[arg(long, default_value_t = 20)]
    pub snaps: i32,
    /// Time from one frame of a player to the next, in ms.
    #[arg(long, value_name = "MS", default_value_t = 16, value_parser = clap::value_parser!(i32).range(1..=1000))]
    pub frame: i32,
    /// Time from one player's joining to the next one's, in ms.
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(i32).range(0..=10_000))]
    pub join_every: i32,
    /// How long the last player may take to be in the game, in seconds.
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(i32).range(1..=600))]
    pub join_timeout: i32,
    /// The server's password.
    #[arg(long, default_value = "")]
    pub password: String,
    /// The map's .bsp file, so that players predict where they are; without it the map that the first server names is looked
    /// for where servers look, and if it is not there the players take the server's word.
    #[arg(long)]
    pub bsp: Option<PathBuf>,
    /// The folder that holds baseoa, to find the map in; without it, where distributions put it.
    #[arg(long)]
    pub basepath: Option<PathBuf>,
    /// Write what each client received and drew to this file, for `fogtool audit`.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// The server's process, if it is on this machine: its CPU time and memory are measured too.
    #[arg(long)]
    pub pid: Option<u32>,
    /// Decides everything random in the players.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Leave out the rows of single players.
    #[arg(long)]
    pub summary: bool,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
}

/// A swarm, in values that need no further looking up.
#[derive(Clone)]
pub struct SwarmConfig {
    /// At least one.
    pub servers: Vec<SocketAddr>,
    /// How many players.
    pub clients: usize,
    /// How long to measure.
    pub span: Millis,
    /// What they do.
    pub script: Script,
    /// Which engine they pretend to be.
    pub engine: Engine,
    /// Bytes per second that each wants at most.
    pub rate: i32,
    /// Snapshots per second that each wants at most.
    pub snaps: i32,
    /// Time from one frame of a player to the next.
    pub frame: Millis,
    /// Time from one player's joining to the next one's.
    pub join_every: Millis,
    /// How long the last player may take to join.
    pub join_timeout: Millis,
    /// Between the last join and the measuring.
    pub settle: Millis,
    /// The server's password.
    pub password: String,
    /// What they predict in.
    pub map: Option<Arc<ClipMap>>,
    /// The server's process.
    pub pid: Option<u32>,
    /// Keep what each client received and drew.
    pub records: bool,
    /// Decides everything random in the players.
    pub seed: u64,
}

impl Default for SwarmConfig {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            clients: 1,
            span: Millis(10_000),
            script: Script::Wander,
            engine: Engine::OpenArena,
            rate: 25_000,
            snaps: 20,
            frame: Millis(16),
            join_every: Millis(20),
            join_timeout: Millis(30_000),
            settle: SETTLE,
            password: String::new(),
            map: None,
            pid: None,
            records: false,
            seed: 1,
        }
    }
}

impl SwarmArgs {
    fn config(&self) -> Result<SwarmConfig, String> {
        let servers: Vec<SocketAddr> =
            self.addresses.iter().map(|address| resolve(address)).collect::<Result<_, _>>()?;
        Ok(SwarmConfig {
            map: self.map(servers[0])?,
            servers,
            clients: usize::from(self.clients),
            span: Millis(self.seconds as i32 * 1000),
            script: self.script,
            engine: engine(&self.wire, self.protocol)?,
            rate: self.rate,
            snaps: self.snaps,
            frame: Millis(self.frame),
            join_every: Millis(self.join_every),
            join_timeout: Millis(self.join_timeout * 1000),
            settle: SETTLE,
            password: self.password.clone(),
            pid: self.pid,
            records: self.record.is_some(),
            seed: self.seed,
        })
    }
}

impl SwarmArgs {
    /// The solid world that the players predict in.
    fn map(&self, server: SocketAddr) -> Result<Option<Arc<ClipMap>>, String> {
        if let Some(path) = &self.bsp {
            return load_map(path).map(|map| Some(Arc::new(map)));
        }
        let Some(name) = running_map(server)? else { return Ok(None) };
        match Maps::open(self.basepath.as_deref()).load(&name) {
            Ok(map) => Ok(Some(map.clip)),
            Err(sentence) => {
                eprintln!("fogtool: {sentence}; the players take the server's word for where they are");
                Ok(None)
            }
        }
    }
}

/// Lets a swarm play and measures it.
///
/// # Errors
/// A sentence, if it could not even try.
pub fn measure(config: &SwarmConfig, progress: impl FnMut(f64)) -> Result<Outcome, String> {
    let swarm = Swarm::new(config).map_err(|error| format!("{} sockets: {error}", config.clients))?;
    swarm.run(config, progress)
}

/// Whether every player got in, stayed, and read everything.
pub fn is_good(outcome: &Outcome) -> bool {
    outcome.results.iter().all(|result| result.was_active && result.read_all())
}

/// Measures and prints. Whether no player was lost and everything was read.
///
/// # Errors
/// A sentence, if it could not even try.
pub fn run(args: &SwarmArgs) -> Result<bool, String> {
    let config = args.config()?;
    let bar = bar(1000);
    bar.set_message(format!("{} players join", config.clients));
    let outcome = measure(&config, |share| {
        if share > 0.0 {
            bar.set_message("measuring");
        }
        bar.set_position((share * 1000.0) as u64);
    })?;
    bar.finish_and_clear();
    if let Some(path) = &args.record {
        let mut text = String::new();
        outcome.records.iter().for_each(|record| record.write(&mut text));
        write_file(path, text.as_bytes())?;
    }
    show!("{}", report::render(&outcome, args.output, !args.summary));
    for (reason, count) in report::losses(&outcome) {
        eprintln!("fogtool: {count} lost: {reason}");
    }
    let late_ms = outcome.lateness.quantile(0.99) / 1000;
    if late_ms >= LATE_MS {
        eprintln!(
            "fogtool: one frame in a hundred of the swarm was {late_ms} ms late or more: its own machine is too busy to time a server"
        );
    }
    Ok(is_good(&outcome))
}

/// A bar on the error output, if that is a terminal.
pub fn bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:<28} {wide_bar} {elapsed}").ok();
    let bar = ProgressBar::new(steps);
    style.map_or_else(|| bar.clone(), |style| bar.clone().with_style(style))
}
