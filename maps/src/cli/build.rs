//! `fogmap build`: a map source in, a compiled map, its portals and, if it leaks, the way out.
#![allow(
    clippy::disallowed_methods,
    reason = "progress and timings need the clock; nothing computed depends on it"
)]

use super::complain;
use super::progress::ProgressLine;
use super::watch::{self, Server};
use crate::build::{self, Built, Options, Stage};
use crate::cache::{self, Memory};
use crate::diagnostics::{Diagnostic, Severity, spell};
use crate::map_file::MapFile;
use crate::material::Materials;
use crate::prt::Shape;
use crate::scene::Scene;
use crate::search_path::SearchPath;
use crate::vis::Level;
use crate::{disk, emit, flood::Leak, lump};
use clap::{Args, ValueEnum};
use fogline_common::bsp::{Bsp, Lump};
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
    /// Compile all of it, even if only entities changed since the last time.
    #[arg(long)]
    fresh: bool,
    /// Compile again whenever the source is saved, until interrupted.
    #[arg(long)]
    watch: bool,
    /// After each compile that succeeds, have this server load the map.
    #[arg(long, value_name = "HOST:PORT")]
    rcon: Option<String>,
    /// That server's rconPassword.
    #[arg(
        long,
        value_name = "WORD",
        env = "FOGMAP_RCON_PASSWORD",
        hide_env_values = true,
        default_value = ""
    )]
    rcon_password: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Vis {
    None,
    Fast,
    Medium,
    Full,
}

/// What one compile was about and came to.
struct Outcome {
    said: Vec<Diagnostic>,
    built: Built,
    files: Vec<PathBuf>,
    /// Nothing but entities differed, so the rest of the file was kept.
    only_entities: bool,
}

/// One compile of `build --watch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// There is no usable map.
    pub failed: bool,
    /// Nothing but entities differed, so the rest of the file was kept.
    pub only_entities: bool,
}

impl Build {
    pub(super) fn run(&self) -> Result<ExitCode, String> {
        let text = disk::read(&self.file)?;
        let (code, turn) = self.once(&text)?;
        if !self.watch {
            return Ok(code);
        }
        let mut before = text;
        self.go_on(turn, &mut |_| {
            if !self.json {
                eprintln!("waiting for {} to be saved", self.file.display());
            }
            before = watch::wait_for_change(&self.file, &before, watch::PAUSE);
            true
        })
    }

    /// Compiles, and again each time `saved` answers that the source has been saved.
    pub(super) fn watch(&self, saved: &mut dyn FnMut(Turn) -> bool) -> Result<ExitCode, String> {
        let (_, turn) = self.once(&disk::read(&self.file)?)?;
        self.go_on(turn, saved)
    }

    fn go_on(&self, mut turn: Turn, saved: &mut dyn FnMut(Turn) -> bool) -> Result<ExitCode, String> {
        while saved(turn) {
            (_, turn) = self.once(&disk::read(&self.file)?)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Compiles what stands in the file now.
    fn once(&self, text: &[u8]) -> Result<(ExitCode, Turn), String> {
        let start = Instant::now();
        let outcome = match MapFile::parse(text) {
            Ok(map) => self.compile(&map)?,
            Err(wrong) => Outcome {
                said: vec![Diagnostic::from(&wrong)],
                built: Built::default(),
                files: Vec::new(),
                only_entities: false,
            },
        };
        self.report(&outcome, &String::from_utf8_lossy(text), start.elapsed().as_secs_f64());
        let failed = outcome.said.iter().any(|one| one.severity == Severity::Error && one.code != "leak");
        if !failed && !self.leaktest {
            self.tell_server();
        }
        let code = match () {
            () if failed => ExitCode::FAILURE,
            () if outcome.built.leak.is_some() => ExitCode::from(EXIT_LEAK),
            () => ExitCode::SUCCESS,
        };
        Ok((code, Turn { failed, only_entities: outcome.only_entities }))
    }

    fn out(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| self.file.with_extension("bsp"))
    }

    /// A server that does not answer is a sentence, not a failed compile.
    fn tell_server(&self) {
        let Some(address) = &self.rcon else { return };
        let server = Server { address: address.clone(), password: self.rcon_password.clone() };
        let name = self.out().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match server.command(&format!("map {name}")) {
            Ok(answer) if answer.is_empty() => eprintln!("{address}: told to load {name}"),
            Ok(answer) => eprintln!("{address}: {answer}"),
            Err(sentence) => eprintln!("fogmap: {sentence}"),
        }
    }

    fn compile(&self, map: &MapFile) -> Result<Outcome, String> {
        let path = self.basepath.as_deref().map_or_else(|| Ok(SearchPath::empty()), SearchPath::new)?;
        let mut line = ProgressLine::new();
        let pool = super::vis::pool(self.threads)?;
        let outcome = pool.install(|| {
            let mut said = Vec::new();
            line.tell(spell_stage(Stage::Brushes));
            let scene = Scene::new(map, Materials::new(path), &mut said);
            if let Some(files) = self.only_entities(map, &scene)? {
                return Ok(Outcome { said, built: Built::default(), files, only_entities: true });
            }
            self.compile_all(map, scene, said, &mut line)
        });
        line.end();
        outcome
    }

    fn compile_all(
        &self,
        map: &MapFile,
        scene: Scene,
        mut said: Vec<Diagnostic>,
        line: &mut ProgressLine,
    ) -> Result<Outcome, String> {
        let memory = Memory::new(map, &scene, &self.options(), &tool(), &[]);
        let built =
            build::build_scene(map, scene, &self.build_options(), &mut said, &mut |stage| match stage {
                Stage::Vis(progress) => line.tell_vis(progress),
                stage => line.tell(spell_stage(stage)),
            });
        let files = write(&self.out(), &built, !self.no_prt)?;
        let remembered = self.out().with_extension(MEMORY_ENDING);
        match &built.bsp {
            Some(bsp) if built.leak.is_none() && !self.leaktest => {
                let memory = memory.with_lumps_of(&bsp.emit());
                disk::write(&remembered, memory.emit().as_bytes())?;
            }
            _ => disk::remove(&remembered)?,
        }
        Ok(Outcome { said, built, files, only_entities: false })
    }

    /// Writes the entities alone, if nothing else has changed since the last compile. `None` if it has.
    fn only_entities(&self, map: &MapFile, scene: &Scene) -> Result<Option<Vec<PathBuf>>, String> {
        let out = self.out();
        let memory = out.with_extension(MEMORY_ENDING);
        if self.fresh || self.leaktest || !memory.exists() || !out.exists() {
            return Ok(None);
        }
        let Some(memory) = Memory::parse(&String::from_utf8_lossy(&disk::read(&memory)?)) else {
            return Ok(None);
        };
        let file = disk::read(&out)?;
        let Ok(bsp) = Bsp::parse(&file) else { return Ok(None) };
        if memory != Memory::new(map, scene, &self.options(), &tool(), &file)
            || !cache::is_still_closed(&bsp, scene)
        {
            return Ok(None);
        }
        let entities = emit::entity_text(scene);
        let located = |e: &dyn std::fmt::Display| format!("{}: {e}", out.display());
        let file = lump::replace(&file, Lump::Entities, &entities).map_err(|e| located(&e))?;
        disk::write(&out, &file)?;
        Ok(Some(vec![out]))
    }

    fn build_options(&self) -> Options {
        let level = match self.vis {
            Vis::None => None,
            Vis::Fast => Some(Level::Fast),
            Vis::Medium => Some(Level::Medium),
            Vis::Full => Some(Level::Full),
        };
        Options { vis: level, light: !self.no_light, leak_test: self.leaktest }
    }

    /// What of the command line shapes the map.
    fn options(&self) -> String {
        format!("{:?} {}", self.build_options(), !self.no_prt)
    }

    fn report(&self, outcome: &Outcome, text: &str, seconds: f64) {
        let name = self.file.display().to_string();
        let Outcome { said, built, files, only_entities } = outcome;
        if self.json {
            let counts = &built.counts;
            let report = serde_json::json!({
                "diagnostics": said.iter().map(|one| one.to_json(&name)).collect::<Vec<_>>(),
                "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
                "leak": built.leak.is_some(),
                "only_entities": only_entities,
                "seconds": seconds,
                "counts": {
                    "brushes": counts.brushes, "detail": counts.detail, "patches": counts.patches,
                    "models": counts.models, "leafs": counts.leafs, "clusters": counts.clusters,
                    "portals": counts.portals, "areas": counts.areas, "depth": counts.depth,
                },
            });
            say!("{report}");
            return;
        }
        // The leak first: all else can wait.
        let (leaks, others): (Vec<_>, Vec<_>) = said.iter().partition(|one| one.code == "leak");
        for one in leaks.into_iter().chain(others) {
            eprintln!("{}", complain::to_text(one, &name, text));
        }
        if *only_entities {
            say!("only entities changed: everything else was kept; {seconds:.2} s");
        } else if built.bsp.is_some() {
            say!("{}; {seconds:.2} s", built.counts);
        }
        for file in files {
            say!("{}", file.display());
        }
    }
}

/// Beside a compiled map stands what is remembered of its compile, with this ending.
const MEMORY_ENDING: &str = "fogcache";

/// Stands for the program: another build of it may compile otherwise.
fn tool() -> String {
    let program = std::env::current_exe().and_then(std::fs::metadata);
    let stamp = program.map(|data| (data.len(), data.modified().ok()));
    format!("{} {stamp:?}", env!("CARGO_PKG_VERSION"))
}

fn spell_stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Brushes => "brushes",
        Stage::Outside => "looking for leaks",
        Stage::Tree => "tree and portals",
        Stage::Faces => "faces",
        Stage::Vis(_) => "vis",
        Stage::Light => "light",
        Stage::Emit => "writing",
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
