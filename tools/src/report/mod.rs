//! `fogtool report`: runs a stated plan and writes the page of measurements, with tables and drawings.
//!
//! A plan is a TOML file in `tools/plans/`: sections with a title, a text and a command of this program. Each section says which
//! command made it, on what kind of machine, at which commit, and how busy the machine was; how many samples there are stands in the
//! tables. Sections of the page that the plan does not name stay as they are, so that several plans share one page.

mod page;
mod plan;

use crate::report::page::Page;
use crate::report::plan::{Plan, Section, ServerKind};
use crate::rim::process;
use crate::rim::{read_file, write_file};
use crate::swarm::bar;
use crate::versus::contender::{Contender, Running, Scene, fogline_beside_us};
use clap::Args;
use fogline_common::time::Arrival;
use fogline_server::io::Clock;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Largest plan or page that is read.
const FILE_MAX_BYTES: u64 = 1 << 22;

/// Which plan.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// The plan.
    pub plan: PathBuf,
    /// Only sections whose title holds this.
    #[arg(long, value_name = "WORDS")]
    pub only: Option<String>,
    /// Where the page goes, instead of where the plan says.
    #[arg(long)]
    pub page: Option<PathBuf>,
    /// Where drawings go, instead of where the plan says.
    #[arg(long)]
    pub pictures: Option<PathBuf>,
    /// The folder that holds baseoa, for commands that need a server.
    #[arg(long, default_value = "/usr/lib/openarena")]
    pub basepath: PathBuf,
    /// The stock server.
    #[arg(long, default_value = "/usr/lib/ioquake3/ioq3ded")]
    pub ioq3ded: PathBuf,
}

/// Runs the plan and writes the page. Whether every command could do its work; what it found may be bad.
///
/// # Errors
/// A sentence, if the plan makes no sense or a file cannot be read or written.
pub fn run(args: &ReportArgs) -> Result<bool, String> {
    let text = read_text(&args.plan)?;
    let plan = Plan::parse(&text).map_err(|sentence| format!("{}: {sentence}", args.plan.display()))?;
    let path = args.page.clone().unwrap_or_else(|| PathBuf::from(&plan.page));
    let pictures = args.pictures.clone().unwrap_or_else(|| PathBuf::from(&plan.pictures));
    let wanted: Vec<&Section> = plan
        .sections
        .iter()
        .filter(|section| args.only.as_ref().is_none_or(|words| section.title.contains(words.as_str())))
        .collect();
    if wanted.is_empty() {
        return Err(format!("{}: no section is to be run", args.plan.display()));
    }
    let mut page = Page::parse(&if path.exists() { read_text(&path)? } else { plan.head.clone() });
    let bar = bar(wanted.len() as u64);
    let mut all_ran = true;
    for section in wanted {
        bar.set_message(section.title.clone());
        let (body, ran) = write_section(args, section, &pictures, &path)?;
        all_ran &= ran;
        page.put(&section.title, &body);
        // After each, so that a plan that is stopped has not been run for nothing.
        write_file(&path, page.render().as_bytes())?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    say!("{}", path.display());
    Ok(all_ran)
}

fn read_text(path: &Path) -> Result<String, String> {
    Ok(String::from_utf8_lossy(&read_file(path, FILE_MAX_BYTES)?).into_owned())
}

/// A section's text, and whether its command did its work.
fn write_section(
    args: &ReportArgs,
    section: &Section,
    pictures: &Path,
    page: &Path,
) -> Result<(String, bool), String> {
    let mut body = section.text.trim().to_owned();
    let Some(command) = &section.command else { return Ok((body + "\n", true)) };
    let server = section.server.map(|kind| start_server(args, section, kind)).transpose()?;
    let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if let Some(server) = &server {
        for word in &mut words {
            *word = word.replace("{server}", &server.address().to_string());
            *word = word.replace("{pid}", &server.pid().to_string());
        }
    }
    if let Some(flag) = &section.pictures_flag {
        let folder = pictures.display().to_string();
        words.extend(flag.split_whitespace().map(|word| word.replace("{pictures}", &folder)));
    }
    words.push("--markdown".to_owned());
    let (clock, load) = (Clock::start(), process::load());
    let (output, code) = process::run_self(&words)?;
    let seconds = clock.now().micros_since(Arrival::default()) / 1_000_000;
    let shown = command.replace("{server}", "ADDRESS").replace("{pid}", "PID");
    let busy = |load: Option<f64>| load.map_or("unknown".to_owned(), |load| format!("{load:.1}"));
    let _ = write!(
        body,
        "\n\n* command: `fogtool {shown}`{}\n* commit `{}`; {}; load average {} before, {} after; took {seconds} s{}\n\n{}",
        section.server.map_or("", ServerKind::words),
        process::commit(),
        process::host(),
        busy(load),
        busy(process::load()),
        if code == 0 { String::new() } else { format!("; exit code {code}") },
        page::only_columns(&output, &section.columns)
    );
    // Links are from the page.
    let folder = pictures.strip_prefix(page.parent().unwrap_or(Path::new(""))).unwrap_or(pictures);
    for picture in &section.show {
        let _ = write!(body, "\n![{picture}]({}/{picture})\n", folder.display());
    }
    Ok((body, code <= 1))
}

fn start_server(args: &ReportArgs, section: &Section, kind: ServerKind) -> Result<Running, String> {
    let scene = Scene {
        ioq3ded: args.ioq3ded.clone(),
        fogline: fogline_beside_us()?,
        basepath: args.basepath.clone(),
        map: section.map.clone(),
    };
    let contender = match kind {
        ServerKind::Stock => Contender::Stock,
        ServerKind::Fogline => Contender::Filtered,
    };
    Running::start(&scene, contender, section.fps)
}
