//! `fogtool rules`: the laboratory. Recorded or made-up ways of players are run through one rule after another, on the same map,
//! with the same clients behind the same links, and for each rule it is told how much it leaks and how late it shows.
//!
//! * [`RULES`] has an entry for each rule; a new one is one function and one line.
//! * [`paths`], [`walk`], [`crowd`]: where players went. [`watch`]: what a stock client would have lived through.
//! * [`judge`]: runs a rule. [`house`]: the server's own. `sketches`: those of others.
//! * What is measured is the audit's: [`truth`](crate::audit::truth) and [`crossing`](crate::audit::crossing).

pub mod crowd;
pub mod house;
pub mod judge;
mod lineup;
pub mod paths;
mod report;
mod sketches;
pub mod walk;
pub mod watch;

use crate::audit::crossing::{PairFound, Told, Viewer};
use crate::audit::record::Record;
use crate::audit::truth::{PairTruth, Truth};
use crate::audit::{Group, LinkSpec};
use crate::rim::maps::{LoadedMap, Maps};
use crate::rim::picture::Drawings;
use crate::rim::read_file;
use crate::rules::crowd::Crowd;
use crate::rules::judge::{Look, Match, Memory};
use crate::rules::paths::Paths;
use crate::rules::watch::{Condition, Watch, bodies, watch};
use crate::swarm::bar;
use crate::table::Output;
use clap::Args;
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::time::Millis;
use fogline_server::config::Config;
use std::path::PathBuf;
use std::sync::Arc;

/// Largest file that is read.
const FILE_MAX_BYTES: u64 = 1 << 31;

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// What tables call it.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// How it is run.
    pub how: How,
}

/// How a rule is run.
#[derive(Clone, Copy)]
pub enum How {
    /// All are told of all.
    Everybody,
    /// The server's own gates, set so.
    House(fn(&mut Config)),
    /// The same with a dense search for open lines in place of proofs.
    Floor(fn(&mut Config)),
    /// One function: whether the target is told of.
    Sketch(fn(&Look<'_>, &mut Memory) -> bool),
}

/// The rules, in the order of tables.
pub const RULES: [Rule; 16] = [
    Rule { name: "no filter", about: "everybody is told of everybody", how: How::Everybody },
    Rule {
        name: "PVS",
        about: "what every stock server does",
        how: How::House(|config| config.sv_netoptimize = 0),
    },
    Rule {
        name: "OpenMoHAA 1",
        about: "the reference's mode 1, to the ray",
        how: How::House(|config| set(config, 1, true)),
    },
    Rule {
        name: "OpenMoHAA 2",
        about: "the reference's mode 2, to the ray",
        how: How::House(|config| set(config, 2, true)),
    },
    Rule {
        name: "Fogline 1",
        about: "mode 1 as it was meant",
        how: How::House(|config| set(config, 1, false)),
    },
    Rule {
        name: "Fogline 2",
        about: "mode 2 as it was meant",
        how: How::House(|config| set(config, 2, false)),
    },
    Rule {
        name: "Fogline 3",
        about: "the server's default, the two-clock filter",
        how: How::House(|config| set(config, 3, false)),
    },
    Rule {
        name: "two-clock floor",
        about: "mode 3 with a perfect prover",
        how: How::Floor(|config| set(config, 3, false)),
    },
    Rule {
        name: "DarkPlaces",
        about: "random points, eye ahead by the ping, hold",
        how: How::Sketch(sketches::darkplaces),
    },
    Rule { name: "R1Q2", about: "corners, then both ahead", how: How::Sketch(sketches::r1q2) },
    Rule {
        name: "ETLegacy",
        about: "corners of a wide box, both ahead 0.1 s",
        how: How::Sketch(sketches::etlegacy),
    },
    Rule { name: "FTEQW", about: "corners, nothing ahead", how: How::Sketch(sketches::fteqw) },
    Rule {
        name: "CornerCulling",
        about: "one volume must hide from four peeks",
        how: How::Sketch(sketches::corner_culling),
    },
    Rule {
        name: "CS2FOW",
        about: "shoulders by the round trip, padded box, hold",
        how: How::Sketch(sketches::cs2fow),
    },
    Rule { name: "oracle", about: "knows the future", how: How::Sketch(sketches::oracle) },
    Rule {
        name: "nobody",
        about: "tells nobody: what the measure must catch",
        how: How::Sketch(sketches::nobody),
    },
];

fn set(config: &mut Config, mode: i32, compat: bool) {
    config.sv_netoptimize = mode;
    config.sv_netoptimize_compat = compat;
}

/// What is run.
#[derive(Args, Debug)]
pub struct RulesArgs {
    /// The map; with --records or --journal, the one that they name.
    #[arg(long, default_value = "oa_dm5")]
    pub map: String,
    /// Who goes about: `walkers`, hands that a seed moves; the server's own `bots`; or headless clients by one of the scripts of
    /// `fogtool swarm`. The last two play a match.
    #[arg(long, default_value = "walkers", conflicts_with_all = ["records", "journal"])]
    pub crowd: Crowd,
    /// How many of them.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=64))]
    pub walkers: u16,
    /// How long, in seconds of their own time.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(5..=36_000))]
    pub seconds: u32,
    /// Instead of walkers, the ways of the clients in this file of `fogtool swarm --record`.
    #[arg(long, value_name = "FILE", conflicts_with = "journal")]
    pub records: Option<PathBuf>,
    /// Instead of walkers, the ways of the players in this journal, which is run again.
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Only these rules, with commas between; all without.
    #[arg(long, value_delimiter = ',')]
    pub rules: Vec<String>,
    /// Links as RTT/JITTER/LOSS, in ms, ms and percent, with commas between; jitter and loss may be left out.
    #[arg(long, value_delimiter = ',', default_value = "0,60,60/20,120")]
    pub links: Vec<LinkSpec>,
    /// Frames per second of the server, with commas between.
    #[arg(long, value_delimiter = ',', default_value = "20,40")]
    pub fps: Vec<i32>,
    /// Snapshots per second that clients ask for; as many as there are frames without.
    #[arg(long, value_delimiter = ',')]
    pub snaps: Vec<i32>,
    /// Time from one frame of a client to the next, in ms.
    #[arg(long, value_name = "MS", default_value_t = 8, value_parser = clap::value_parser!(i32).range(1..=100))]
    pub frame: i32,
    /// Print a row for each rule with conditions side by side: per cent of crossings late; per cent of hidden time told (of that in
    /// the potentially visible set); median of the time known before a reveal, in ms.
    #[arg(long)]
    pub beside: bool,
    /// Decides everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Whether and where to draw.
    #[command(flatten)]
    pub drawings: Drawings,
    /// The folder that holds baseoa; without it, where distributions put it.
    #[arg(long)]
    pub basepath: Option<PathBuf>,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
}

/// One rule under one condition.
pub struct Row {
    /// The rule's name.
    pub rule: &'static str,
    /// The condition.
    pub condition: Condition,
    /// What was found.
    pub group: Group,
    /// Time in which a player was hidden and the potentially visible set told of it: what a filter can save. Unit: µs.
    pub hidden_in_pvs_us: u64,
}

/// Runs rules over paths under one condition. `progress` is told how many of the players have been looked at.
pub fn run_condition(
    map: &str,
    clip: &Arc<ClipMap>,
    paths: &Paths,
    rules: &[Rule],
    condition: &Condition,
    mut progress: impl FnMut(usize),
) -> Vec<Row> {
    let players = || ClientNum::all(paths.players.len());
    let watches: Vec<Watch> = players().map(|player| watch(paths, player, map, condition)).collect();
    let bodies = bodies(paths, condition);
    let mut truth = Truth::new(clip);
    let mut truths: Vec<Vec<PairTruth>> = Vec::new();
    for (n, watch) in watches.iter().enumerate() {
        let of = |target: ClientNum| match target.index() == n {
            true => PairTruth::default(),
            false => truth.of_pair(&watch.record, &bodies, target),
        };
        truths.push(players().map(of).collect());
        progress(n + 1);
    }
    let game = Match { clip, paths, condition, watches: &watches, truths: &truths };
    let pvs = judge::run(&RULES[1], &game);
    let hidden_in_pvs_us = found(&game, map, RULES[1].name, &pvs, &pvs).time().leaked_us;
    let row = |rule: &Rule| {
        let told = judge::run(rule, &game);
        // Without a filter there is still the potentially visible set, except for who has none even of that.
        let without = if matches!(rule.how, How::Everybody) { &told } else { &pvs };
        let group = found(&game, map, rule.name, &told, without);
        Row { rule: rule.name, condition: *condition, group, hidden_in_pvs_us }
    };
    rules.iter().map(row).collect()
}

/// Measures what a rule told.
fn found(game: &Match<'_>, map: &str, rule: &str, told: &judge::Told, without: &judge::Told) -> Group {
    let mut pairs: Vec<PairFound> = Vec::new();
    for (n, watch) in game.watches.iter().enumerate() {
        let viewer = Viewer::new(&watch.record);
        let told = Told { with: &told[n], without: &without[n] };
        let others = ClientNum::all(game.watches.len()).filter(|target| target.index() != n);
        pairs.extend(others.map(|target| viewer.pair(target, &game.truths[n][target.index()], told)));
    }
    Group { map: map.to_owned(), mode: rule.to_owned(), pairs, ..Group::default() }
}

/// Runs everything and prints. Whether the measure can be trusted: the oracle is never late, and who tells nobody always is.
///
/// # Errors
/// A sentence, if the map, the records or the journal cannot be read, or a drawing not be written.
pub fn run(args: &RulesArgs) -> Result<bool, String> {
    let rules = chosen(&args.rules)?;
    let (map, paths) = input(args)?;
    let conditions = conditions(args)?;
    let bar = bar((conditions.len() * paths.players.len()) as u64);
    let mut rows = Vec::new();
    for condition in &conditions {
        bar.set_message(report::condition_name(condition));
        let begin = bar.position();
        let progress = |done: usize| bar.set_position(begin + done as u64);
        rows.extend(run_condition(&map.name, &map.clip, &paths, &rules, condition, progress));
    }
    bar.finish_and_clear();
    let table = if args.beside { report::side_by_side(&rows) } else { report::table(&rows, &paths.source) };
    show!("{}", table.render(args.output));
    if args.drawings.are_wanted() {
        for (name, svg) in report::charts(&rows) {
            args.drawings.write(&format!("rules_{}_{name}", map.name), &svg)?;
        }
    }
    Ok(rows.iter().all(report::is_trusted))
}

fn chosen(names: &[String]) -> Result<Vec<Rule>, String> {
    if names.is_empty() {
        return Ok(RULES.to_vec());
    }
    let find = |name: &String| {
        let rule = RULES.iter().find(|rule| rule.name.eq_ignore_ascii_case(name)).copied();
        rule.ok_or_else(|| {
            let known: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
            format!("rule {name:?} is not one of {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

/// The map and the ways on it.
fn input(args: &RulesArgs) -> Result<(LoadedMap, Paths), String> {
    let maps = Maps::open(args.basepath.as_deref());
    if let Some(journal) = &args.journal {
        let (mut paths, name) = Paths::from_journal(journal)?;
        let map = maps.load(&name)?;
        paths.keep_inside(&map.clip);
        return Ok((map, paths));
    }
    if let Some(path) = &args.records {
        let text = String::from_utf8_lossy(&read_file(path, FILE_MAX_BYTES)?).into_owned();
        let records = Record::read(&text).map_err(|sentence| format!("{}: {sentence}", path.display()))?;
        let name = records.first().map(|record| record.map.clone()).unwrap_or_default();
        return Ok((maps.load(&name)?, Paths::from_records(&records)));
    }
    let map = maps.load(&args.map)?;
    let (count, span) = (usize::from(args.walkers), Millis(args.seconds as i32 * 1000));
    let paths = match args.crowd {
        Crowd::Walkers => walk::walk(&map.clip, count, span.0, args.seed),
        Crowd::Bots => crowd::bots(&map, count, span, args.seed),
        Crowd::Scripted(script) => crowd::scripted(&map, script, count, span, args.seed),
    };
    let paths = paths.map_err(|sentence| format!("{}: {sentence}", args.map))?;
    Ok((map, paths))
}

fn conditions(args: &RulesArgs) -> Result<Vec<Condition>, String> {
    if let Some(fps) = args.fps.iter().chain(&args.snaps).find(|fps| !(1..=125).contains(*fps)) {
        return Err(format!("{fps} frames or snapshots a second: must be 1 to 125"));
    }
    let mut conditions = Vec::new();
    for &fps in &args.fps {
        let snaps = if args.snaps.is_empty() { vec![fps] } else { args.snaps.clone() };
        for snaps in snaps {
            for link in &args.links {
                let down = link.links.down;
                conditions.push(Condition {
                    fps,
                    snaps,
                    rtt_ms: down.delay.0 + link.links.up.delay.0,
                    jitter_ms: down.jitter.0,
                    loss: down.loss,
                    frame: Millis(args.frame),
                    nudge: Millis(0),
                    seed: args.seed,
                });
            }
        }
    }
    Ok(conditions)
}
