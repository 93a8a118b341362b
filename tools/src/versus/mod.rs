//! `fogtool versus`: Fogline and a stock server side by side: same map, same swarm, in turn, again and again.

pub mod contender;
pub mod verdict;

use crate::rim::process;
use crate::script::Script;
use crate::swarm::{SwarmConfig, bar, is_good, measure, report};
use crate::table::{Output, Table};
use crate::versus::contender::{Contender, Running, Scene};
use crate::versus::verdict::{Row, Sample, table};
use clap::Args;
use fogline_common::time::Millis;
use std::path::PathBuf;

/// What is compared, and how long.
#[derive(Args, Debug)]
pub struct VersusArgs {
    /// Short runs of few players, to see that everything works; too few to conclude much.
    #[arg(long)]
    pub quick: bool,
    /// Numbers of players, with commas between.
    #[arg(long, value_delimiter = ',', default_value = "8,16,32,64")]
    pub clients: Vec<usize>,
    /// Frames per second of the servers, with commas between.
    #[arg(long, value_delimiter = ',', default_value = "20,40")]
    pub fps: Vec<u32>,
    /// How long each run measures.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub seconds: u32,
    /// How often each pair runs. Scatter can only be judged of two or more.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub repeats: u32,
    /// What the players do.
    #[arg(long, default_value = "wander")]
    pub script: Script,
    /// The map.
    #[arg(long, default_value = "oa_dm1")]
    pub map: String,
    /// The folder that holds baseoa, with the game's data and, for the stock server, its code.
    #[arg(long, default_value = "/usr/lib/openarena")]
    pub basepath: PathBuf,
    /// The stock server.
    #[arg(long, default_value = "/usr/lib/ioquake3/ioq3ded")]
    pub ioq3ded: PathBuf,
    /// Fogline; without it, the one beside this program.
    #[arg(long)]
    pub fogline: Option<PathBuf>,
    /// Decides everything random in the players.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How to print; Markdown with what was measured on which machine above the table.
    #[command(flatten)]
    pub output: Output,
}

/// The runs that were asked for.
#[derive(Clone, Debug, PartialEq)]
struct Plan {
    sizes: Vec<(usize, u32)>,
    seconds: u32,
    repeats: u32,
}

impl Plan {
    fn new(args: &VersusArgs) -> Result<Self, String> {
        let (clients, fps) =
            if args.quick { (vec![8, 32], vec![20]) } else { (args.clients.clone(), args.fps.clone()) };
        if let Some(count) = clients.iter().find(|count| !(1..=64).contains(*count)) {
            return Err(format!("--clients {count}: a server has 1 to 64 places"));
        }
        if let Some(rate) = fps.iter().find(|rate| !(10..=125).contains(*rate)) {
            return Err(format!("--fps {rate}: must be 10 to 125"));
        }
        let sizes = fps.iter().flat_map(|&fps| clients.iter().map(move |&clients| (clients, fps))).collect();
        let (seconds, repeats) = if args.quick { (4, 2) } else { (args.seconds, args.repeats) };
        Ok(Self { sizes, seconds, repeats })
    }

    fn runs(&self) -> u64 {
        self.sizes.len() as u64 * u64::from(self.repeats) * Contender::ALL.len() as u64
    }
}

/// Runs everything and prints. Whether every run was good and every ratio could be concluded.
///
/// # Errors
/// A sentence, if a server could not be started or the swarm not be run.
pub fn run(args: &VersusArgs) -> Result<bool, String> {
    let plan = Plan::new(args)?;
    let scene = Scene {
        ioq3ded: args.ioq3ded.clone(),
        fogline: args.fogline.clone().map_or_else(contender::fogline_beside_us, Ok)?,
        basepath: args.basepath.clone(),
        map: args.map.clone(),
    };
    let load_before = process::load();
    let bar = bar(plan.runs());
    let mut rows = Vec::new();
    let mut all_good = true;
    for &(clients, fps) in &plan.sizes {
        let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); Contender::ALL.len()];
        for repeat in 0..plan.repeats {
            for turn in 0..Contender::ALL.len() {
                // Each begins once, so that none always finds the machine as another left it.
                let index = (turn + repeat as usize) % Contender::ALL.len();
                let contender = Contender::ALL[index];
                bar.set_message(format!("{} {clients} at {fps}", contender.name()));
                let seed = args.seed.wrapping_add(u64::from(repeat));
                let config = swarm(args, &plan, clients, fps, seed);
                let (sample, good) = one_run(&scene, contender, fps, config)?;
                all_good &= good;
                samples[index].push(sample);
                bar.inc(1);
            }
        }
        rows.extend(Row::of(clients, fps, &samples));
    }
    bar.finish_and_clear();
    let compared = table(&rows);
    if args.output.markdown {
        show!("{}", page(args, &plan, load_before, &compared));
    } else {
        show!("{}", compared.render(args.output));
    }
    Ok(all_good && rows.iter().all(Row::concludes))
}

fn swarm(args: &VersusArgs, plan: &Plan, clients: usize, fps: u32, seed: u64) -> SwarmConfig {
    SwarmConfig {
        clients,
        span: Millis(plan.seconds as i32 * 1000),
        script: args.script,
        snaps: fps as i32,
        rate: 90_000,
        seed,
        ..SwarmConfig::default()
    }
}

/// One server, one swarm. The sample, and whether nobody was lost and everything was read.
fn one_run(
    scene: &Scene,
    contender: Contender,
    fps: u32,
    config: SwarmConfig,
) -> Result<(Sample, bool), String> {
    let server = Running::start(scene, contender, fps)?;
    let config = SwarmConfig { servers: vec![server.address()], pid: Some(server.pid()), ..config };
    let outcome = measure(&config, |_| ())?;
    for (reason, count) in report::losses(&outcome) {
        eprintln!("fogtool: {}: {count} lost: {reason}", contender.name());
    }
    let sample = Sample::of(&outcome).ok_or_else(|| format!("{}: nothing was measured", contender.name()))?;
    Ok((sample, is_good(&outcome)))
}

/// Everything that a reader needs to judge the table, and to repeat it.
fn page(args: &VersusArgs, plan: &Plan, load_before: Option<f64>, compared: &Table) -> String {
    let load = |load: Option<f64>| load.map_or("unknown".to_owned(), |load| format!("{load:.1}"));
    format!(
        "* machine: {}; load average {} before, {} after\n\
         * runs: {} s each after everybody joined, {} of each pair in turn, map {}, script {:?}, seeds {} and up\n\
         * the swarm runs on the same machine; bytes are UDP payload towards clients; MiB is memory in RAM at the end\n\
         * a ratio is the median over pairs of Fogline's figure by the stock server's; below 1 is in Fogline's favour\n\n{}",
        process::host(),
        load(load_before),
        load(process::load()),
        plan.seconds,
        plan.repeats,
        args.map,
        args.script,
        args.seed,
        compared.markdown()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: VersusArgs,
    }

    fn plan(words: &str) -> Result<Plan, String> {
        let line = format!("versus {words}");
        let line = Line::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())?;
        Plan::new(&line.args)
    }

    #[test]
    fn the_whole_plan_fits_a_quarter_of_an_hour() {
        let plan = plan("").unwrap();
        assert_eq!(plan.sizes.len(), 8);
        // Start, joining and settling take about three seconds.
        assert!(plan.runs() * u64::from(plan.seconds + 3) < 15 * 60);
    }

    #[test]
    fn plans_that_no_server_can_run_are_refused() {
        for words in ["--clients 65", "--clients 0", "--fps 5", "--repeats 1", "--clients x"] {
            assert!(plan(words).is_err(), "{words}");
        }
        assert_eq!(plan("--clients 3,4 --fps 30").unwrap().sizes, [(3, 30), (4, 30)]);
        assert_eq!(plan("--quick").unwrap().runs(), 12);
    }
}
