//! The steps of a start, in order: settings, files, sockets, threads, server, commands, loop.

use super::Ending;
use super::flags::Flags;
use crate::arena;
use crate::config::{By, Config, Cvars, Flags as CvarFlags};
use crate::console::apply_sets;
use crate::files::missing_map_data;
use crate::game::native::NativeGame;
use crate::io::fifo::Fifo;
use crate::io::files::{DiskFiles, SearchPath};
use crate::io::journal::{Header, Reader};
use crate::io::logs;
use crate::io::recorder::Recorder;
use crate::io::replay::replay;
use crate::io::replayed_files::{ReplayedFiles, read_configs};
use crate::io::socket::{self, Bound, Listen};
use crate::io::{self, Clock, Outputs, Rim};
use crate::server::Server;
use fogline_common::time::Arrival;
use std::fs::File;
use std::io::{BufReader, Write};
use std::net::IpAddr;
use std::path::Path;

/// Why the program ends before it served anybody.
struct Refusal {
    ending: Ending,
    /// For the host.
    sentence: String,
}

fn refuse(ending: Ending) -> impl FnOnce(String) -> Refusal {
    move |sentence| Refusal { ending, sentence }
}

/// Does what the command line asks for. `commands` are the console commands in words.
pub fn run(flags: &Flags, commands: &[Vec<String>]) -> Ending {
    let done = if let Some(journal) = &flags.replay {
        run_again(journal)
    } else {
        settings(flags, commands).and_then(|cvars| {
            if flags.dump_cvars {
                say(&dump(&cvars));
                Ok(Ending::Clean)
            } else if flags.check_config {
                check(cvars, commands)
            } else {
                serve(cvars, flags, commands)
            }
        })
    };
    done.unwrap_or_else(|refusal| {
        let _ = writeln!(std::io::stderr(), "fogline: {}", refusal.sentence);
        refusal.ending
    })
}

/// The cvars after the flags and the `+set` commands; later ones win.
fn settings(flags: &Flags, commands: &[Vec<String>]) -> Result<Cvars, Refusal> {
    let mut cvars = Cvars::new();
    flags.apply(&mut cvars).map_err(|error| refuse(Ending::BadConfig)(error.to_string()))?;
    apply_sets(&mut cvars, commands);
    cvars.seal();
    Ok(cvars)
}

fn serve(cvars: Cvars, flags: &Flags, commands: &[Vec<String>]) -> Result<Ending, Refusal> {
    let clock = Clock::start();
    let (disk, notes) = open_files(cvars.config(), commands)?;
    let bound = bind(cvars.config())?;
    let fatal = |what: &str, error: std::io::Error| refuse(Ending::Fatal)(format!("{what}: {error}"));
    let mut rim = Rim::start(clock, &bound, std::io::stdout()).map_err(|error| fatal("threads", error))?;
    rim.outputs.print(concat!("Fogline ", env!("CARGO_PKG_VERSION")));
    notes.iter().chain(&bound.notes).for_each(|note| rim.outputs.print(note));

    keep_logs(cvars.config(), disk.search_path(), &mut rim.outputs);
    let fifo = open_fifo(cvars.config(), disk.search_path(), &mut rim);
    let abandon = fifo.as_ref().map(Fifo::remover);
    rim.watch_signals(move || abandon.into_iter().for_each(|remove| remove()))
        .map_err(|error| fatal("signals", error))?;
    rim.watch_stdin().map_err(|error| fatal("standard input", error))?;
    rim.run_at_reload(commands.iter().filter_map(|command| exec_line(command)).collect());

    let seed = io::entropy().map(u64::from_le_bytes).map_err(|error| fatal("random seed", error))?;
    let started = clock.now();
    if let Some(path) = &flags.journal {
        let header = journal_header(started, seed, &cvars, commands, &disk);
        rim.record(Recorder::start(path, &header).map_err(refuse(Ending::Fatal))?);
    }
    let mut server = Server::new(cvars, Box::new(disk), Box::new(NativeGame::new()), seed, started);
    begin(&mut server, commands, started);
    rim.carry(&mut server);
    if let Some(sentence) = missing_map(&server, commands) {
        rim.finish();
        return Err(refuse(Ending::NoGameData)(sentence));
    }
    // A command line that ends with quit has done its work by now.
    for address in bound.addresses.iter().filter(|_| !server.is_finished()) {
        rim.outputs
            .print(&format!("Ready: {} at {address}", server.map().unwrap_or("no map yet (type: map NAME)")));
    }
    io::run(rim, &mut server);
    drop(fifo);
    Ok(Ending::Clean)
}

/// The files of the search path, and sentences about what of them could not be used. Without game data there is the arena of the
/// program, and a command line that wants another map ends here.
fn open_files(config: &Config, commands: &[Vec<String>]) -> Result<(DiskFiles, Vec<String>), Refusal> {
    let (disk, mut notes) = DiskFiles::open_with_arena(SearchPath::from_config(config));
    if let Some(sentence) = missing_map_data(&disk) {
        if wanted_map(commands).is_some_and(|wanted| wanted.get(1).is_none_or(|name| name != arena::NAME)) {
            let wrong_base = disk.search_path().wrong_base.clone();
            return Err(refuse(Ending::NoGameData)(wrong_base.unwrap_or(sentence)));
        }
        notes.push(sentence);
    }
    Ok((disk, notes))
}

/// Runs the command line. One that starts no map plays on the arena.
fn begin(server: &mut Server, commands: &[Vec<String>], now: Arrival) {
    server.start_up(commands);
    if server.map().is_none() && !server.is_finished() && wanted_map(commands).is_none() {
        server.console_line(now, &format!("map {}", arena::NAME));
    }
}

/// The last command of the command line that starts a map.
fn wanted_map(commands: &[Vec<String>]) -> Option<&Vec<String>> {
    commands.iter().rev().find(|command| {
        command.first().is_some_and(|name| ["map", "devmap"].iter().any(|map| name.eq_ignore_ascii_case(map)))
    })
}

fn listen(config: &Config) -> Result<Listen, String> {
    let wanted = |bit: i32, cvar, text, v6| {
        (config.net_enabled & bit != 0).then(|| socket::parse_ip(cvar, text, v6)).transpose()
    };
    let v4 = wanted(1, "net_ip", &config.net_ip, false)?;
    let v6 = wanted(2, "net_ip6", &config.net_ip6, true)?;
    Ok(Listen {
        v4: v4.and_then(|ip| if let IpAddr::V4(ip) = ip { Some(ip) } else { None }),
        v6: v6.and_then(|ip| if let IpAddr::V6(ip) = ip { Some(ip) } else { None }),
        port: u16::try_from(config.net_port)
            .map_err(|_| format!("net_port {}: must be below 65536", config.net_port))?,
        strict: config.net_portstrict,
    })
}

fn bind(config: &Config) -> Result<Bound, Refusal> {
    let listen = listen(config).map_err(refuse(Ending::BadConfig))?;
    socket::bind(&listen).map_err(refuse(Ending::Fatal))
}

/// The log files that the host wants. Without one the server still serves, so a failure is told.
fn keep_logs(config: &Config, search: &SearchPath, outputs: &mut Outputs) {
    let (Some(home), Some(game)) = (&search.home, search.games.first()) else { return };
    let folder = home.join(game);
    let mut keep = |name: &str, append: bool, keep: fn(&mut Outputs, File) -> std::io::Result<()>| {
        if name.is_empty() {
            return;
        }
        let file = logs::open(&folder, name, append);
        let kept = file.and_then(|file| keep(outputs, file).map_err(|error| error.to_string()));
        kept.unwrap_or_else(|sentence| outputs.print(&sentence));
    };
    if config.logfile > 0 {
        keep(logs::TRANSCRIPT, config.logfile >= 3, Outputs::keep_transcript);
    }
    keep(&config.g_log, true, Outputs::keep_games);
    keep(&config.g_logjson, true, Outputs::keep_games_json);
    keep(&config.sv_shotlog, true, Outputs::keep_shots);
    if !config.sv_claimlog.is_empty() {
        let limit_bytes = u64::from(config.sv_claimlogsize.unsigned_abs()) * 1024;
        let kept = outputs.keep_claims(&folder, &config.sv_claimlog, limit_bytes);
        kept.unwrap_or_else(|error| outputs.print(&error.to_string()));
    }
    outputs.keep_files_in(&folder);
}

/// The FIFO of `com_pipefile`, below the home path's game folder. Without it the server still serves, so a failure is told.
fn open_fifo(config: &Config, search: &SearchPath, rim: &mut Rim) -> Option<Fifo> {
    if config.com_pipefile.is_empty() {
        return None;
    }
    let (Some(home), Some(game)) = (&search.home, search.games.first()) else {
        rim.outputs.print("com_pipefile: there is no home path; give one with --homepath DIR");
        return None;
    };
    match Fifo::open(&home.join(game), &config.com_pipefile, rim.inputs()) {
        Ok(fifo) => {
            rim.outputs.print(&format!("console lines are taken from {}", fifo.path().display()));
            Some(fifo)
        }
        Err(sentence) => {
            rim.outputs.print(&sentence);
            None
        }
    }
}

/// The cfg files that the command line runs are run again at a reload.
fn exec_line(command: &[String]) -> Option<String> {
    match command {
        [name, file] if name.eq_ignore_ascii_case("exec") => Some(format!("exec \"{file}\"")),
        _ => None,
    }
}

/// A sentence, if the command line wants a map and none runs. Why is in the log.
fn missing_map(server: &Server, commands: &[Vec<String>]) -> Option<String> {
    let wanted = wanted_map(commands)?;
    let running = server.map().is_some() || server.is_finished();
    (!running).then(|| {
        format!(
            "the map of +{} could not be started; \"fogline +fdir *.bsp +quit\" lists the maps that there are",
            wanted.join(" ")
        )
    })
}

/// Starts everything but the network, on files that are not written, and says what went wrong.
fn check(cvars: Cvars, commands: &[Vec<String>]) -> Result<Ending, Refusal> {
    let (disk, notes) = open_files(cvars.config(), commands)?;
    listen(cvars.config()).map_err(refuse(Ending::BadConfig))?;
    notes.iter().for_each(|note| say(note));
    let files = ReplayedFiles::new(&read_configs(&disk), Box::new(disk));
    let mut server = Server::new(cvars, Box::new(files), Box::new(NativeGame::new()), 0, Arrival(0));
    begin(&mut server, commands, Arrival(0));
    while let Some(line) = server.poll_log() {
        say(&line);
    }
    match missing_map(&server, commands) {
        Some(sentence) => Err(refuse(Ending::NoGameData)(sentence)),
        None => {
            say("Everything could be read.");
            Ok(Ending::Clean)
        }
    }
}

/// A recorded run, ready to be fed again: the server as it was when the recording began, and the journal after its header.
/// Game data comes from this machine, cfg files from the journal; nothing is written to the disk.
///
/// # Errors
/// A sentence, if the journal cannot be read or the machine has no game data.
pub fn open_recorded(path: &Path) -> Result<(Server, Reader<BufReader<File>>), String> {
    recorded(path).map_err(|refusal| refusal.sentence)
}

fn recorded(path: &Path) -> Result<(Server, Reader<BufReader<File>>), Refusal> {
    let (header, journal) =
        Reader::open(path).map_err(|error| refuse(Ending::Fatal)(format!("{}: {error}", path.display())))?;
    let mut cvars = Cvars::new();
    for (name, value) in &header.cvars {
        cvars.set(name, value, By::Host).map_err(|error| refuse(Ending::BadConfig)(error.to_string()))?;
    }
    cvars.seal();
    let (disk, _) = open_files(cvars.config(), &header.commands)?;
    let files = ReplayedFiles::new(&header.configs, Box::new(disk));
    let mut server =
        Server::new(cvars, Box::new(files), Box::new(NativeGame::new()), header.seed, header.started);
    begin(&mut server, &header.commands, header.started);
    Ok((server, journal))
}

fn run_again(path: &Path) -> Result<Ending, Refusal> {
    let (mut server, mut journal) = recorded(path)?;
    let outcome = replay(&mut journal, &mut server, &mut |line| say(line))
        .map_err(|error| refuse(Ending::Fatal)(error.to_string()))?;
    say(&format!(
        "replayed {} inputs and {} frames, {} datagrams came out{}",
        outcome.calls - outcome.advances,
        outcome.advances,
        outcome.datagrams,
        if outcome.torn { "; the journal ends in a torn record" } else { "" }
    ));
    match outcome.diverged_at {
        None => Ok(Ending::Clean),
        Some(at) => {
            let sentence = format!("the replay differs from the recorded run from {} ms on", at.0 / 1000);
            Err(refuse(Ending::Fatal)(sentence))
        }
    }
}

/// What the journal of a run begins with: the cvars as they are before the first command, and every cfg file of the search path.
pub fn journal_header(
    started: Arrival,
    seed: u64,
    cvars: &Cvars,
    commands: &[Vec<String>],
    disk: &DiskFiles,
) -> Header {
    Header { started, seed, cvars: changed(cvars), commands: commands.to_vec(), configs: read_configs(disk) }
}

/// The cvars that are not at their default.
fn changed(cvars: &Cvars) -> Vec<(String, String)> {
    let changed = cvars.iter().filter(|var| var.value() != var.default() && !var.flags().has(CvarFlags::ROM));
    changed.map(|var| (var.name().to_owned(), var.value().to_owned())).collect()
}

/// Every cvar that can be set, as a cfg file. What is secret is not shown.
fn dump(cvars: &Cvars) -> String {
    let mut text = String::new();
    for var in cvars.iter().filter(|var| !var.flags().has(CvarFlags::ROM)) {
        let doc = var.entry().map_or("Made on the command line.", |entry| entry.doc());
        let secret = var.flags().has(CvarFlags::SECRET);
        let (mark, value) = if secret { ("// ", "") } else { ("", var.value()) };
        text.push_str(&format!("// {doc}\n{mark}set {} \"{value}\"\n\n", var.name()));
    }
    text
}

/// Standard output may be closed; that ends nothing.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
