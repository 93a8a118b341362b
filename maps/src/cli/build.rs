//! `fogmap build`: a map source in, a compiled map, its portals and, if it leaks, the way out.
#![allow(
    clippy::disallowed_methods,
    reason = "progress and timings need the clock; nothing computed depends on it"
)]

use crate::build::{self, Built, Options, Stage};
use crate::diagnostics::{Diagnostic, Severity, spell};
use crate::map_file::MapFile;
use crate::material::Materials;
use crate::prt::Shape;
use crate::search_path::SearchPath;
use crate::vis::{Level, Progress};
use crate::{disk, flood::Leak};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The map leaks.
const EXIT_LEAK: u8 = 3;

#[derive(Debug, Args)]
pub(super) struct Build {
    /// Map source.
    #[arg(value_name = "FILE.map")]
    file: PathBuf,
    /// How far the vis goes.
    #[arg(long, value_enum, default_value_t = Vis::Fast)]
    vis: Vis,
    /// Where the compiled map goes; beside the source if not given.
    #[arg(long, value_name = "FILE.bsp")]
    out: Option<PathBuf>,
    /// The game's folder, with its pk3 files: materials are looked up there.
    #[arg(long, value_name = "DIR")]
    basepath: Option<PathBuf>,
    /// Print one JSON object instead of text: what is wrong, counts, seconds, files.
    #[arg(long)]
    json: bool,
    /// Do not write the portal file.
    #[arg(long)]
    no_prt: bool,
    /// Leave all white instead of lighting vertices and models.
    #[arg(long)]
    no_light: bool,
    /// Only look whether the map leaks.
    #[arg(long)]
    leaktest: bool,
    /// Threads of the vis; 0 takes all cores. The result is the same for any number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Vis {
    None,
    Fast,
    Medium,
    Full,
}

impl Build {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let start = Instant::now();
        let text = disk::read(&self.file)?;
        let mut said = Vec::new();
        let built = match MapFile::parse(&text) {
            Ok(map) => self.compile(&map, &mut said)?,
            Err(wrong) => {
                said.push(Diagnostic::from(&wrong));
                Built::default()
            }
        };
        let out = self.out.clone().unwrap_or_else(|| self.file.with_extension("bsp"));
        let files = write(&out, &built, !self.no_prt)?;
        self.report(&built, &said, &files, start.elapsed().as_secs_f64());
        let failed = said.iter().any(|one| one.severity == Severity::Error && one.code != "leak");
        Ok(match () {
            () if failed => ExitCode::FAILURE,
            () if built.leak.is_some() => ExitCode::from(EXIT_LEAK),
            () => ExitCode::SUCCESS,
        })
    }

    fn compile(&self, map: &MapFile, said: &mut Vec<Diagnostic>) -> Result<Built, String> {
        let path = self.basepath.as_deref().map_or_else(|| Ok(SearchPath::empty()), SearchPath::new)?;
        let level = match self.vis {
            Vis::None => None,
            Vis::Fast => Some(Level::Fast),
            Vis::Medium => Some(Level::Medium),
            Vis::Full => Some(Level::Full),
        };
        let options = Options { vis: level, light: !self.no_light, leak_test: self.leaktest };
        let mut line = super::progress::ProgressLine::new();
        let pool = super::vis::pool(self.threads)?;
        let quiet = self.json;
        let built = pool.install(|| {
            // Materials hold open archives, which stay on one thread.
            let materials = Materials::new(path);
            build::build(map, materials, &options, said, &mut |stage| {
                if !quiet {
                    line.tell(&spell_stage(stage));
                }
            })
        });
        line.end();
        Ok(built)
    }

    fn report(&self, built: &Built, said: &[Diagnostic], files: &[PathBuf], seconds: f64) {
        let name = self.file.display().to_string();
        let counts = &built.counts;
        if self.json {
            let report = serde_json::json!({
                "diagnostics": said.iter().map(|one| one.to_json(&name)).collect::<Vec<_>>(),
                "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
                "leak": built.leak.is_some(),
                "seconds": seconds,
                "counts": {
                    "brushes": counts.brushes, "detail": counts.detail, "patches": counts.patches,
                    "models": counts.models, "leafs": counts.leafs, "clusters": counts.clusters,
                    "portals": counts.portals, "areas": counts.areas, "depth": counts.depth,
                },
            });
            println!("{report}");
            return;
        }
        // The leak first: all else can wait.
        let (leaks, others): (Vec<_>, Vec<_>) = said.iter().partition(|one| one.code == "leak");
        for one in leaks.into_iter().chain(others) {
            eprintln!("{}", one.to_text(&name));
        }
        if built.bsp.is_some() {
            println!(
                "{} brushes ({} detail), {} patches, {} models; {} leafs, {} clusters, {} portals, {} areas; {seconds:.2} s",
                counts.brushes,
                counts.detail,
                counts.patches,
                counts.models,
                counts.leafs,
                counts.clusters,
                counts.portals,
                counts.areas
            );
        }
        for file in files {
            println!("{}", file.display());
        }
    }
}

fn spell_stage(stage: Stage) -> String {
    match stage {
        Stage::Brushes => "brushes".to_owned(),
        Stage::Outside => "looking for leaks".to_owned(),
        Stage::Tree => "tree and portals".to_owned(),
        Stage::Faces => "faces".to_owned(),
        Stage::Vis(Progress::Base) => "vis: base bound".to_owned(),
        Stage::Vis(Progress::Medium) => "vis: tightening the bound".to_owned(),
        Stage::Vis(Progress::Flow(done, all)) => format!("vis: {done} of {all} clusters"),
        Stage::Light => "light".to_owned(),
        Stage::Emit => "writing".to_owned(),
    }
}

/// Writes what there is, and takes away the traces of a leak that is closed.
fn write(out: &Path, built: &Built, prt: bool) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut put = |path: PathBuf, bytes: &[u8]| {
        disk::write(&path, bytes)?;
        files.push(path);
        Ok::<(), String>(())
    };
    if let Some(bsp) = &built.bsp {
        put(out.to_owned(), &bsp.emit())?;
    }
    if let Some(portals) = built.portals.as_ref().filter(|_| prt) {
        put(out.with_extension("prt"), portals.emit(Shape::Quake3).as_bytes())?;
    }
    for ending in ["lin", "pts"] {
        let path = out.with_extension(ending);
        match &built.leak {
            Some(leak) => put(path, points_of(leak).as_bytes())?,
            None if built.bsp.is_some() => disk::remove(&path)?,
            None => {}
        }
    }
    Ok(files)
}

/// A point a line, from the outside to the entity. Editors of both families read this.
fn points_of(leak: &Leak) -> String {
    leak.path.iter().map(|&point| spell(point) + "\n").collect()
}
