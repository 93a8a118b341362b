//! `fogmap vis`: portal file or finished map in, visibility out; and `fogmap vis check`, which shoots lines at the answer.
#![allow(
    clippy::disallowed_methods,
    reason = "progress and timings need the clock; nothing computed depends on it"
)]

use super::progress::ProgressLine;
use crate::compiled::Compiled;
use crate::prt::{PortalFile, Shape};
use crate::vis::rays::{self, Hole, RayPlan};
use crate::vis::{self, Level, PortalGraph, VisTable};
use crate::{disk, lump};
use clap::{Args, Subcommand};
use fogline_common::bsp::{Bsp, Lump};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Vis {
    #[command(subcommand)]
    check: Option<VisCommand>,
    /// Portal file, or finished map: its portals are found again in its tree, and its visibility is replaced.
    #[arg(value_name = "FILE.prt|FILE.bsp", required = true)]
    file: Option<PathBuf>,
    /// Only the base bound: what a flood through portals in front of each other reaches.
    #[arg(long, conflicts_with = "medium")]
    fast: bool,
    /// The base bound tightened by what neighbouring portals let through. Never slower than the whole flow.
    #[arg(long)]
    medium: bool,
    /// Threads; 0 takes all cores. The answer is the same for any number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Write the visibility lump here: int32 clusters, int32 bytes a row, rows, little endian. With the ending .bsp, and a map
    /// given, write the map here instead of in its own place.
    #[arg(long, value_name = "FILE.bin")]
    out: Option<PathBuf>,
    /// Of a finished map, write the portals here.
    #[arg(long, value_name = "FILE.prt")]
    saveprt: Option<PathBuf>,
    /// Print what work was done.
    #[arg(long)]
    stats: bool,
}

#[derive(Debug, Subcommand)]
enum VisCommand {
    /// Shoot random lines through the portals and name every pair that they prove and the table lacks; exit 1 if there is one.
    Check(Check),
}

#[derive(Debug, Args)]
struct Check {
    /// Portal file, or finished map.
    #[arg(value_name = "FILE.prt|FILE.bsp")]
    portals: PathBuf,
    /// Visibility lump, as --out writes it.
    #[arg(value_name = "FILE.bin")]
    table: PathBuf,
    /// How many lines.
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    rays: u64,
    /// Replays the same lines.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Least distance of a line from the edges of the portals that it passes, in units.
    #[arg(long, value_name = "UNITS", default_value_t = 0.02)]
    clearance: f64,
    /// Threads; 0 takes all cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

impl Vis {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        match (&self.check, &self.file) {
            (Some(VisCommand::Check(check)), _) => check.run(),
            (None, Some(file)) => self.compute(file),
            (None, None) => Err("a portal file is wanted".to_owned()),
        }
    }

    fn level(&self) -> Level {
        match (self.fast, self.medium) {
            (true, _) => Level::Fast,
            (_, true) => Level::Medium,
            _ => Level::Full,
        }
    }

    fn compute(&self, path: &Path) -> Result<ExitCode, String> {
        let input = Input::read(path)?;
        if let Some(out) = &self.saveprt {
            disk::write(out, input.portals.emit(Shape::Quake3).as_bytes())?;
        }
        let graph = PortalGraph::from_file(&input.portals).map_err(|e| format!("{}: {e}", path.display()))?;
        let start = Instant::now();
        let (table, counters) = pool(self.threads)?.install(|| {
            let mut line = ProgressLine::new();
            let answer = vis::compute(&graph, self.level(), &mut |progress| line.tell_vis(progress));
            line.end();
            answer
        });
        let clusters = table.cluster_count();
        let share = 100.0 * table.count() as f64 / ((clusters * clusters).max(1)) as f64;
        say!(
            "{clusters} clusters, {} portals, {} pairs visible ({share:.1} %)",
            graph.portal_count() / 2,
            table.count()
        );
        if self.stats {
            say!("seconds {:.2}", start.elapsed().as_secs_f64());
            say!(
                "chains {} tests {} spheres {} clips {} repeats {} targets {} cut {}",
                counters.chains,
                counters.tests,
                counters.spheres,
                counters.clips,
                counters.repeats,
                counters.targets,
                counters.chains_cut
            );
        }
        self.write(path, &input, &table.to_lump())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Puts the answer where it was asked for.
    fn write(&self, path: &Path, input: &Input, visibility: &[u8]) -> Result<(), String> {
        let is_map = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bsp"));
        match (&input.map, &self.out) {
            (Some(map), out) if out.as_deref().is_none_or(is_map) => {
                let map = lump::replace(map, Lump::Visibility, visibility)
                    .map_err(|e| format!("{}: {e}", path.display()))?;
                let out = out.as_deref().unwrap_or(path);
                disk::write(out, &map)?;
                say!("{}", out.display());
            }
            (_, Some(out)) => disk::write(out, visibility)?,
            (_, None) => {}
        }
        Ok(())
    }
}

/// What a run begins with.
struct Input {
    portals: PortalFile,
    /// The bytes of the finished map that the portals are of.
    map: Option<Vec<u8>>,
}

impl Input {
    /// A portal file or a finished map, told apart by their first bytes.
    fn read(path: &Path) -> Result<Self, String> {
        let bytes = disk::read(path)?;
        let located = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        if bytes.starts_with(b"IBSP") {
            let bsp = Bsp::parse(&bytes).map_err(|e| located(&e))?;
            let portals = Compiled::open(&bsp).map_err(|e| located(&e))?.portal_file();
            return Ok(Self { portals, map: Some(bytes) });
        }
        let portals = PortalFile::parse(&bytes).map_err(|e| located(&e))?;
        Ok(Self { portals, map: None })
    }
}

impl Check {
    fn run(&self) -> Result<ExitCode, String> {
        let graph = load(&self.portals)?;
        let lump = disk::read(&self.table)?;
        let table = VisTable::from_lump(&lump).map_err(|e| format!("{}: {e}", self.table.display()))?;
        if table.cluster_count() != graph.cluster_count() {
            return Err(format!(
                "{} has {} clusters and {} has {}: they are not of one map",
                self.table.display(),
                table.cluster_count(),
                self.portals.display(),
                graph.cluster_count()
            ));
        }
        let plan = RayPlan { rays: self.rays, seed: self.seed, clearance: self.clearance };
        let report = pool(self.threads)?.install(|| rays::check(&graph, &table, &plan));
        let proved = report.proved.count();
        say!("{} rays prove {proved} of {} pairs", self.rays, table.count());
        if !table.is_symmetric() {
            say!("the table is not symmetric");
        }
        for hole in &report.holes {
            say!("{}", describe(hole));
        }
        if report.holes.is_empty() && table.is_symmetric() {
            return Ok(ExitCode::SUCCESS);
        }
        Ok(ExitCode::from(1))
    }
}

fn describe(hole: &Hole) -> String {
    let [a, b] = hole.pair;
    let spell = |point: [f64; 3]| format!("{:.3} {:.3} {:.3}", point[0], point[1], point[2]);
    let path: Vec<String> = hole.path.iter().map(ToString::to_string).collect();
    format!(
        "hole: {a} and {b} see each other along the line through {} towards {}, by clusters {}",
        spell(hole.origin),
        spell(hole.direction),
        path.join(" ")
    )
}

fn load(path: &Path) -> Result<PortalGraph, String> {
    PortalGraph::from_file(&Input::read(path)?.portals).map_err(|e| format!("{}: {e}", path.display()))
}

pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| format!("no threads to work with: {e}"))
}
