//! `fogmap check` and `fogmap diff`: whether a compiled map's PVS holds, and what a player would notice between two.

use super::info;
use crate::check;
use crate::compare::{self, Plan};
use crate::disk;
use clap::Args;
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Diff {
    /// Compiled map.
    #[arg(value_name = "A.bsp")]
    a: PathBuf,
    /// Another.
    #[arg(value_name = "B.bsp")]
    b: PathBuf,
    /// Points and sweeps to compare.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    samples: u32,
    /// Replays the same ones.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Most differing samples in a thousand that still count as the same.
    #[arg(long, value_name = "N", default_value_t = 0.0)]
    allow: f64,
}

#[derive(Debug, Args)]
pub(super) struct Check {
    /// Compiled map.
    #[arg(value_name = "FILE.bsp")]
    file: PathBuf,
    /// Rays to shoot.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    rays: u64,
    /// Replays the same ones.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; 0 takes all cores. The answer is the same for any number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

impl Check {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let bsp = load(&self.file)?;
        let report = super::vis::pool(self.threads)?
            .install(|| check::check(&bsp, self.rays, self.seed))
            .map_err(|e| format!("{}: {e}", self.file.display()))?;
        say!("{} rays from the open prove {} pairs", report.rays, report.proved);
        for hole in &report.holes {
            let ([a, b], [from, to]) = (hole.clusters, hole.points);
            say!(
                "hole: {a} does not see {b}, but nothing stands between {} {} {} and {} {} {}",
                from.x,
                from.y,
                from.z,
                to.x,
                to.y,
                to.z
            );
        }
        if report.through_rock > 0 {
            say!(
                "{} rays flew through rock: brushes that close the tree but stop no shot; nothing beyond is counted",
                report.through_rock
            );
        }
        say!("{} holes", report.hole_count);
        Ok(if report.hole_count == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl Diff {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let (a, b) = (load(&self.a)?, load(&self.b)?);
        for ((name, one, _), (_, other, _)) in info::lines(&a).into_iter().zip(info::lines(&b)) {
            say!("{name:<20}{one:>9}{other:>9}");
        }
        let build =
            |bsp: &Bsp, path: &Path| ClipMap::build(bsp).map_err(|e| format!("{}: {e}", path.display()));
        let plan = Plan { samples: self.samples, seed: self.seed };
        let report = compare::compare(&build(&a, &self.a)?, &build(&b, &self.b)?, &plan);
        say!("contents differ at  {:>9} of {} points", report.points_off, report.asked);
        for (point, one, other) in &report.points {
            say!("    {} {} {}: {one:#x} and {other:#x}", point.x, point.y, point.z);
        }
        for (what, count, examples) in
            [("rays", report.rays_off, &report.rays), ("boxes", report.boxes_off, &report.boxes)]
        {
            say!("{what} end apart     {count:>9} of {}", report.swept);
            for (start, end, one, other) in examples {
                say!(
                    "    {} {} {} to {} {} {}: {one} and {other}",
                    start.x,
                    start.y,
                    start.z,
                    end.x,
                    end.y,
                    end.z
                );
            }
        }
        let off = f64::from(report.points_off + report.rays_off + report.boxes_off);
        let all = f64::from(report.asked + 2 * report.swept).max(1.0);
        Ok(if 1000.0 * off / all > self.allow { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

pub(super) fn load(path: &Path) -> Result<Bsp, String> {
    Bsp::parse(&disk::read(path)?).map_err(|e| format!("{}: {e}", path.display()))
}
