//! `fogmap info`, `fogmap check` and `fogmap diff`: what is in a compiled map, whether its PVS holds, and what a player would
//! notice between two.

use crate::check;
use crate::compare::{self, Plan};
use crate::disk;
use clap::Args;
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Info {
    /// Compiled map.
    #[arg(value_name = "FILE.bsp")]
    file: PathBuf,
}

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

/// A count and the limit that engines of the family have for it. Source: the original's `qfiles.h`.
type Line = (&'static str, usize, Option<usize>);

fn lines(bsp: &Bsp) -> [Line; 17] {
    let clusters = bsp.leafs.iter().filter_map(|leaf| leaf.cluster).map(|number| number.index() + 1).max();
    let areas = bsp.leafs.iter().filter_map(|leaf| leaf.area).map(|number| number.index() + 1).max();
    let entities = bsp.entity_text().matches('{').count();
    [
        ("entities", entities, Some(2048)),
        ("bytes of entities", bsp.entities.len(), Some(0x40000)),
        ("shaders", bsp.shaders.len(), Some(0x400)),
        ("planes", bsp.planes.len(), Some(0x20000)),
        ("nodes", bsp.nodes.len(), Some(0x20000)),
        ("leafs", bsp.leafs.len(), Some(0x20000)),
        ("clusters", clusters.unwrap_or(0), None),
        ("areas", areas.unwrap_or(0), Some(256)),
        ("leaf surfaces", bsp.leaf_surfaces.len(), Some(0x20000)),
        ("leaf brushes", bsp.leaf_brushes.len(), Some(0x40000)),
        ("models", bsp.models.len(), Some(0x400)),
        ("brushes", bsp.brushes.len(), Some(0x8000)),
        ("brush sides", bsp.brush_sides.len(), Some(0x20000)),
        ("vertices", bsp.draw_verts.len(), Some(0x80000)),
        ("draw indexes", bsp.draw_indexes.len(), Some(0x80000)),
        ("surfaces", bsp.surfaces.len(), Some(0x20000)),
        ("bytes of visibility", bsp.visibility.as_ref().map_or(0, |vis| vis.rows.len()), Some(0x200_000)),
    ]
}

impl Info {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let bsp = load(&self.file)?;
        for (name, count, limit) in lines(&bsp) {
            let share = limit
                .map_or(String::new(), |limit| format!("{:>6.1} %", 100.0 * count as f64 / limit as f64));
            println!("{name:<20}{count:>9}{share}");
        }
        density(&bsp);
        Ok(ExitCode::SUCCESS)
    }
}

/// How much clusters see: a histogram in tenths, and the five that see most.
fn density(bsp: &Bsp) {
    let Some(vis) = &bsp.visibility else {
        println!("no visibility: everything sees everything");
        return;
    };
    let rows = vis.rows.chunks_exact(vis.row_bytes.max(1) as usize).take(vis.cluster_count as usize);
    let counts: Vec<u32> = rows.map(|row| row.iter().map(|byte| byte.count_ones()).sum()).collect();
    let all = vis.cluster_count.max(1);
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    println!(
        "visible              {sum:>8} pairs, {:.1} %",
        100.0 * sum as f64 / (f64::from(all) * f64::from(all))
    );
    let mut histogram = [0_u32; 10];
    for &count in &counts {
        histogram[(u64::from(count) * 10 / u64::from(all)).min(9) as usize] += 1;
    }
    for (tenth, clusters) in histogram.into_iter().enumerate() {
        println!("  see {:>3}..{:>3} %      {clusters:>8} clusters", tenth * 10, tenth * 10 + 10);
    }
    let mut worst: Vec<(u32, usize)> =
        counts.into_iter().enumerate().map(|(number, count)| (count, number)).collect();
    worst.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    for (count, number) in worst.into_iter().take(5) {
        if let Some(leaf) =
            bsp.leafs.iter().find(|leaf| leaf.cluster.is_some_and(|own| own.index() == number))
        {
            let middle = [0, 1, 2].map(|axis| (leaf.mins[axis] + leaf.maxs[axis]) / 2);
            println!("  cluster {number} sees {count}, near {} {} {}", middle[0], middle[1], middle[2]);
        }
    }
}

impl Check {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let bsp = load(&self.file)?;
        let report = super::vis::pool(self.threads)?
            .install(|| check::check(&bsp, self.rays, self.seed))
            .map_err(|e| format!("{}: {e}", self.file.display()))?;
        println!("{} rays from the open prove {} pairs", report.rays, report.proved);
        for hole in &report.holes {
            let ([a, b], [from, to]) = (hole.clusters, hole.points);
            println!(
                "hole: {a} does not see {b}, but nothing stands between {} {} {} and {} {} {}",
                from.x, from.y, from.z, to.x, to.y, to.z
            );
        }
        if report.through_rock > 0 {
            println!(
                "{} rays flew through rock: brushes that close the tree but stop no shot; nothing beyond is counted",
                report.through_rock
            );
        }
        println!("{} holes", report.hole_count);
        Ok(if report.hole_count == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl Diff {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let (a, b) = (load(&self.a)?, load(&self.b)?);
        for ((name, one, _), (_, other, _)) in lines(&a).into_iter().zip(lines(&b)) {
            println!("{name:<20}{one:>9}{other:>9}");
        }
        let build =
            |bsp: &Bsp, path: &Path| ClipMap::build(bsp).map_err(|e| format!("{}: {e}", path.display()));
        let plan = Plan { samples: self.samples, seed: self.seed };
        let report = compare::compare(&build(&a, &self.a)?, &build(&b, &self.b)?, &plan);
        println!("contents differ at  {:>9} of {} points", report.points_off, report.asked);
        for (point, one, other) in &report.points {
            println!("    {} {} {}: {one:#x} and {other:#x}", point.x, point.y, point.z);
        }
        for (what, count, examples) in
            [("rays", report.rays_off, &report.rays), ("boxes", report.boxes_off, &report.boxes)]
        {
            println!("{what} end apart     {count:>9} of {}", report.swept);
            for (start, end, one, other) in examples {
                println!(
                    "    {} {} {} to {} {} {}: {one} and {other}",
                    start.x, start.y, start.z, end.x, end.y, end.z
                );
            }
        }
        let off = f64::from(report.points_off + report.rays_off + report.boxes_off);
        let all = f64::from(report.asked + 2 * report.swept).max(1.0);
        Ok(if 1000.0 * off / all > self.allow { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn load(path: &Path) -> Result<Bsp, String> {
    Bsp::parse(&disk::read(path)?).map_err(|e| format!("{}: {e}", path.display()))
}
