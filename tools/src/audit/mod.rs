//! `fogtool audit`: what a visibility filter hides, how long it tells too early, and whom it shows too late.
//!
//! Either a real match is audited, from the trace that the server wrote (`sv_vistrace`) and the records that `fogtool swarm
//! --record` made of its clients; or matches are played in virtual time ([`bout`]), one for each map, link and mode, and audited.
//!
//! * [`record`], [`trace`]: the two halves, and how they are brought together.
//! * [`hull`], [`truth`]: what could be seen, whatever was told.
//! * [`crossing`]: S, A, R, V of each crossing, and what follows. [`stats`]: quantiles with intervals. [`picture`]: drawings.

pub mod bout;
pub mod crossing;
pub mod hull;
pub mod picture;
pub mod record;
mod report;
pub mod stats;
pub mod trace;
pub mod truth;

use crate::audit::bout::BoutConfig;
use crate::audit::crossing::{Crossing, PairFound, PairTime, Told, Viewer};
use crate::audit::record::Record;
use crate::audit::stats::Times;
use crate::audit::trace::{Fit, Joined, Trace};
use crate::audit::truth::{Bodies, Truth};
use crate::lag::proxy::Links;
use crate::link::LinkConfig;
use crate::rim::maps::{LoadedMap, Maps};
use crate::rim::picture::Drawings;
use crate::rim::{read_file, write_file};
use crate::script::Script;
use crate::swarm::bar;
use crate::table::Output;
use clap::Args;
use fogline_common::collision::ClipMap;
use fogline_common::time::Millis;
use indicatif::ProgressBar;
use std::path::PathBuf;
use std::str::FromStr;

/// Largest file that is read.
const FILE_MAX_BYTES: u64 = 1 << 31;
/// Part of the bar that playing a match takes; the rest is looking at it.
const PLAYING: f64 = 0.3;

/// What is audited.
#[derive(Args, Debug)]
pub struct AuditArgs {
    /// The server's trace of a match that was played: the file that `sv_vistrace` names.
    #[arg(long, value_name = "FILE", requires = "records")]
    pub trace: Option<PathBuf>,
    /// The clients' records of that match, by `fogtool swarm --record`. Without a trace they are audited alone.
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Maps to play on, with commas between.
    #[arg(long, value_delimiter = ',', default_value = "oa_dm5")]
    pub maps: Vec<String>,
    /// How the filter is set in each match: off, 1, 2, `1_compat`, `2_compat`, 3.
    #[arg(long, value_delimiter = ',', default_value = "off,2_compat,2")]
    pub modes: Vec<Mode>,
    /// Links as RTT/JITTER/LOSS, in ms, ms and percent, with commas between; jitter and loss may be left out.
    #[arg(long, value_delimiter = ',', default_value = "0,60,120")]
    pub links: Vec<LinkSpec>,
    /// Players in each match.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=64))]
    pub clients: u16,
    /// How long each match is, in seconds of its own time.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=36_000))]
    pub seconds: u32,
    /// What the players do.
    #[arg(long, default_value = "strafe")]
    pub script: Script,
    /// Frames per second of the server, and snapshots that clients want.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(i32).range(5..=125))]
    pub fps: i32,
    /// Time from one frame of a client to the next, in ms.
    #[arg(long, value_name = "MS", default_value_t = 8, value_parser = clap::value_parser!(i32).range(1..=100))]
    pub frame: i32,
    /// A further setting of the server, NAME=VALUE; may be given more than once.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Decides everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// More than this later than without a filter, in ms, may be only one crossing in a hundred; else the exit code is 1.
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    pub limit: f64,
    /// Write every crossing to this file, as CSV: those too that ended undrawn.
    #[arg(long, value_name = "FILE")]
    pub crossings: Option<PathBuf>,
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

/// How the filter is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// As the server's trace names it.
    pub name: String,
    settings: [(&'static str, &'static str); 2],
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mode, compat) = match text {
            "off" => ("0", "0"),
            "1" => ("1", "0"),
            "2" => ("2", "0"),
            "1_compat" => ("1", "1"),
            "2_compat" => ("2", "1"),
            "3" => ("3", "0"),
            _ => return Err(format!("mode {text:?} is not one of off, 1, 2, 1_compat, 2_compat, 3")),
        };
        Ok(Self {
            name: text.to_owned(),
            settings: [("sv_netoptimize", mode), ("sv_netoptimize_compat", compat)],
        })
    }
}

/// A link as the command line has it: RTT/JITTER/LOSS.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// As it was written.
    pub name: String,
    /// Both directions.
    pub links: Links,
}

impl FromStr for LinkSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/');
        let mut next = |what: &str, most: f64| -> Result<f64, String> {
            let part = parts.next().unwrap_or("0");
            let number = part.parse::<f64>().ok().filter(|number| (0.0..=most).contains(number));
            number.ok_or_else(|| format!("{what} {part:?} of link {text:?} must be 0 to {most}"))
        };
        let (rtt, jitter, loss) = (next("RTT", 2000.0)?, next("jitter", 500.0)?, next("loss", 100.0)?);
        if parts.next().is_some() {
            return Err(format!("link {text:?} has more than RTT/JITTER/LOSS"));
        }
        let way = |delay: i32| LinkConfig {
            delay: Millis(delay),
            jitter: Millis(jitter as i32),
            loss: loss / 100.0,
            ..LinkConfig::default()
        };
        let down = (rtt / 2.0) as i32;
        let links = Links { up: way(rtt as i32 - down), down: way(down) };
        let mut name = format!("rtt {rtt:.0}");
        if jitter > 0.0 || loss > 0.0 {
            name += &format!("/{jitter:.0}/{loss}");
        }
        Ok(Self { name, links })
    }
}

/// What was found of one match.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The map.
    pub map: String,
    /// The link.
    pub link: String,
    /// How the filter was set.
    pub mode: String,
    /// By pair.
    pub pairs: Vec<PairFound>,
    /// Sounds of the hidden that were given to clients, if there was a trace.
    pub sounds: Option<u64>,
    /// How the halves fitted together.
    pub fit: Fit,
    /// Lines that the trace lacks, as it says itself.
    pub lost_lines: u64,
    /// Lines that the oracle followed.
    pub rays: u64,
}

impl Group {
    /// What tells it from others of its map.
    pub fn label(&self) -> String {
        format!("mode {}, {}", self.mode, self.link)
    }

    /// Every crossing.
    pub fn crossings(&self) -> impl Iterator<Item = &Crossing> {
        self.pairs.iter().flat_map(|pair| &pair.crossings)
    }

    /// A time of every crossing that has it, grouped by pair.
    pub fn times(&self, pick: impl Fn(&Crossing) -> Option<crossing::Span>) -> Times {
        Times::new(self.pairs.iter().map(|pair| pair.crossings.iter().filter_map(&pick).collect()))
    }

    /// The time of all pairs together.
    pub fn time(&self) -> PairTime {
        sum(self.pairs.iter())
    }

    /// Whether at most one crossing in a hundred is later than without a filter by more than `limit_ms`. No crossings prove
    /// nothing.
    pub fn is_in_time(&self, limit_ms: f64) -> bool {
        let excess = self.times(|crossing| Some(crossing.excess));
        matches!(excess.quantile(0.99), Some(crossing::Span::Exact(late)) if late <= limit_ms)
    }

    /// Whether both halves fit together and nothing is missing.
    pub fn is_whole(&self) -> bool {
        self.fit.disagree == 0 && self.lost_lines == 0
    }
}

/// The time of pairs together.
pub fn sum<'a>(pairs: impl Iterator<Item = &'a PairFound>) -> PairTime {
    pairs.fold(PairTime::default(), |sum, pair| PairTime {
        hidden_us: sum.hidden_us + pair.time.hidden_us,
        leaked_us: sum.leaked_us + pair.time.leaked_us,
        seen_us: sum.seen_us + pair.time.seen_us,
        missed_us: sum.missed_us + pair.time.missed_us,
    })
}

/// Looks at every pair of a match. `trace` may be missing: then what came is what was sent.
pub fn examine(
    records: &[Record],
    trace: Option<&Trace>,
    clip: &ClipMap,
    mut progress: impl FnMut(f64),
) -> Group {
    let bodies = Bodies::of_records(records);
    let mut truth = Truth::new(clip);
    let mut group = Group { sounds: trace.map(|_| 0), ..Group::default() };
    for (n, record) in records.iter().enumerate() {
        let joined = trace.map_or_else(|| Joined::untraced(record), |trace| trace.join(record));
        group.fit = group.fit.plus(joined.fit);
        if let (Some(trace), Some(sounds)) = (trace, &mut group.sounds) {
            *sounds += trace.sounds(record.client);
        }
        let viewer = Viewer::new(&joined.record);
        let told = Told { with: &joined.with, without: &joined.without };
        for target in bodies.players().filter(|&target| target != record.client) {
            let pair = truth.of_pair(&joined.record, &bodies, target);
            group.pairs.push(viewer.pair(target, &pair, told));
        }
        progress((n + 1) as f64 / records.len() as f64);
    }
    group.rays = truth.rays();
    group
}

/// Audits and prints. Whether everything fitted together and every match kept to the limit.
///
/// # Errors
/// A sentence, if a file cannot be read or written or a match not be played.
pub fn run(args: &AuditArgs) -> Result<bool, String> {
    let maps = Maps::open(args.basepath.as_deref());
    let (groups, loaded) = match &args.records {
        Some(records) => recorded(args, records, &maps)?,
        None => played(args, &maps)?,
    };
    show!("{}", report::render(&groups, args.output));
    if let Some(path) = &args.crossings {
        write_file(path, report::crossings(&groups).as_bytes())?;
    }
    if args.drawings.are_wanted() {
        for map in &loaded {
            let own: Vec<&Group> = groups.iter().filter(|group| group.map == map.name).collect();
            for (name, svg) in picture::charts(&own) {
                args.drawings.write(&format!("audit_{}_{name}", map.name), &svg)?;
            }
            if let Some(last) = own.last() {
                let svg = picture::corners(last, &map.bsp);
                args.drawings.write(&format!("audit_{}_corners", map.name), &svg)?;
            }
        }
    }
    report::complaints(&groups, args.limit).iter().for_each(|sentence| eprintln!("fogtool: {sentence}"));
    Ok(groups.iter().all(|group| group.is_whole() && group.is_in_time(args.limit)))
}

/// A match that was played elsewhere.
fn recorded(args: &AuditArgs, path: &PathBuf, maps: &Maps) -> Result<(Vec<Group>, Vec<LoadedMap>), String> {
    let text = |path: &PathBuf| {
        read_file(path, FILE_MAX_BYTES).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let say = |path: &PathBuf| {
        let name = path.display().to_string();
        move |sentence: String| format!("{name}: {sentence}")
    };
    let records = Record::read(&text(path)?).map_err(say(path))?;
    let Some(name) = records.first().map(|record| record.map.clone()) else {
        return Err(format!("{}: there is no client in it", path.display()));
    };
    if let Some(other) = records.iter().find(|record| record.map != name) {
        return Err(format!("{}: clients on {name} and on {}", path.display(), other.map));
    }
    let map = maps.load(&name)?;
    let trace = match &args.trace {
        Some(path) => Some(Trace::read(&text(path)?, &name).map_err(say(path))?),
        None => None,
    };
    let bar = bar(1000);
    bar.set_message(format!("{} clients on {name}", records.len()));
    let group =
        examine(&records, trace.as_ref(), &map.clip, |share| bar.set_position((share * 1000.0) as u64));
    bar.finish_and_clear();
    let mut pings: Vec<i32> = records.iter().map(|record| record.shortest_ping).collect();
    pings.sort_unstable();
    let mode = trace.as_ref().map_or("unknown".to_owned(), |trace| trace.mode.clone());
    let link = format!("ping {}", pings[pings.len() / 2]);
    let lost_lines = trace.map_or(0, |trace| trace.lost);
    Ok((vec![Group { map: name, link, mode, lost_lines, ..group }], vec![map]))
}

/// Matches in virtual time, one for each map, link and mode.
fn played(args: &AuditArgs, maps: &Maps) -> Result<(Vec<Group>, Vec<LoadedMap>), String> {
    let mut groups = Vec::new();
    let mut loaded = Vec::new();
    let bar = bar((args.maps.len() * args.links.len() * args.modes.len() * 1000) as u64);
    for name in &args.maps {
        let map = maps.load(name)?;
        for link in &args.links {
            for mode in &args.modes {
                bar.set_message(format!("{name}, {}, mode {}", link.name, mode.name));
                groups.push(one(args, &map, link, mode, &bar)?);
            }
        }
        loaded.push(map);
    }
    bar.finish_and_clear();
    Ok((groups, loaded))
}

fn one(
    args: &AuditArgs,
    map: &LoadedMap,
    link: &LinkSpec,
    mode: &Mode,
    bar: &ProgressBar,
) -> Result<Group, String> {
    let begin = bar.position();
    let show = |share: f64| bar.set_position(begin + (share * 1000.0) as u64);
    let mut settings: Vec<(String, String)> =
        mode.settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    settings.push(("sv_fps".to_owned(), args.fps.to_string()));
    for setting in &args.settings {
        let (name, value) =
            setting.split_once('=').ok_or_else(|| format!("--set {setting}: write NAME=VALUE"))?;
        settings.push((name.to_owned(), value.to_owned()));
    }
    let config = BoutConfig {
        map: map.clone(),
        settings,
        cheats: args.script == Script::Rocket,
        clients: usize::from(args.clients),
        script: args.script,
        links: link.links,
        snaps: args.fps,
        frame: Millis(args.frame),
        span: Millis(args.seconds as i32 * 1000),
        seed: args.seed,
    };
    let bout = bout::play(&config, |share| show(share * PLAYING))?;
    let mut trace = Trace::default();
    for line in &bout.trace {
        trace.take_line(line, &map.name)?;
    }
    let group = examine(&bout.records, Some(&trace), &map.clip, |share| {
        show(PLAYING + share * (1.0 - PLAYING));
    });
    Ok(Group {
        map: map.name.clone(),
        link: link.name.clone(),
        mode: mode.name.clone(),
        lost_lines: trace.lost,
        ..group
    })
}
