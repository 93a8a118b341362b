//! A stock client that does what a cfg script says.
//!
//! It is started with a script that polls for orders: each is a numbered cfg file in its home, put there whole by a rename, and
//! ends by naming the next and by saying on the console that it is done. So nobody types into a window and nobody guesses how
//! long loading takes.

use super::Deadline;
use super::process::Process;
use super::screen::Screen;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Frames between two looks for an order.
const POLL_FRAMES: u32 = 3;
/// Frames per second: what a software renderer can do on a busy machine.
const MAX_FPS: u32 = 30;
/// The longest wait for anything: joining, on a machine that has other work.
const STEP: Duration = Duration::from_secs(100);

/// Which client, and which wire it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// OpenArena 0.8.8 as Debian starts it: the legacy wire.
    OpenArena,
    /// ioquake3 on its own settings, on OpenArena's data: its own wire of 71.
    Ioquake3,
}

/// A running client.
#[derive(Debug)]
pub struct StockClient {
    process: Process,
    home: TempDir,
    /// Its home's game folder, where orders are put.
    folder: PathBuf,
    /// Its console, colour codes taken out.
    log: Vec<String>,
    /// When each line of it was written.
    stamps: Vec<Instant>,
    next_order: u32,
    deadline: Deadline,
    started: Instant,
}

/// What a client said while it carried out an order, and how long it took.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Lines of its console.
    pub lines: Vec<String>,
    /// Time from handing in to done.
    pub took: Duration,
}

impl Carried {
    /// Lines by which `cg_showmiss` tells that the server had us more than 0.1 units from where we reckoned to be.
    ///
    /// Not among them is the line "prediction error" alone, which tells of any difference at all: Debian builds its cgame with
    /// `-ffast-math`, which rounds otherwise than the game's own bytecode and we do.
    pub fn misses(&self) -> Vec<&str> {
        let is_miss = |line: &&String| line.contains("Prediction miss");
        self.lines.iter().filter(is_miss).map(String::as_str).collect()
    }
}

impl StockClient {
    /// Starts one with `cg_showmiss 1`, that connects to `server` at once.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(
        kind: Kind,
        name: &str,
        base: &Path,
        screen: &Screen,
        server: SocketAddr,
        deadline: Deadline,
    ) -> Self {
        Self::start_with("", kind, name, base, screen, server, deadline)
    }

    /// The same with more words on its command line, parted by blanks.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start_with(
        more: &str,
        kind: Kind,
        name: &str,
        base: &Path,
        screen: &Screen,
        server: SocketAddr,
        deadline: Deadline,
    ) -> Self {
        let home = TempDir::new().expect("a temporary folder");
        let folder = home.path().join(".stock/baseoa");
        fs::create_dir_all(&folder).expect("a folder of ours");
        let poll = format!(
            "set poll \"vstr order; wait {POLL_FRAMES}; vstr poll\"\nset order \"execq order1.cfg\"\nvstr poll\n"
        );
        fs::write(folder.join("poll.cfg"), poll).expect("a file of ours");
        fs::write(folder.join("order1.cfg"), "\n").expect("a file of ours");
        let program = match kind {
            Kind::OpenArena => "/usr/games/openarena".to_owned(),
            Kind::Ioquake3 => format!(
                "/usr/lib/ioquake3/ioquake3 +set com_basegame baseoa +set fs_basepath {} +set vm_cgame 0 +set vm_ui 0",
                base.display()
            ),
        };
        // Where both want a processor the server goes first.
        let words = format!(
            "-n 5 {program} +set com_homepath .stock +set cl_motd 0 +set r_mode 3 +set r_fullscreen 0 \
             +set com_maxfps {MAX_FPS} +set com_maxfpsUnfocused {MAX_FPS} +set name {name} +set cg_showmiss 1 {more} \
             +connect {server} +exec poll.cfg"
        );
        let arguments: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let environment = [
            ("DISPLAY", screen.display().to_owned()),
            ("HOME", home.path().display().to_string()),
            ("SDL_AUDIODRIVER", "dummy".to_owned()),
            ("LIBGL_ALWAYS_SOFTWARE", "1".to_owned()),
        ];
        let process = Process::start("nice", &arguments, &environment);
        let started = Instant::now();
        Self { process, home, folder, log: Vec::new(), stamps: Vec::new(), next_order: 1, deadline, started }
    }

    /// Waits for a line, among those that came already too, from line number `from` on. Gives back its number.
    ///
    /// # Panics
    /// If it does not come in time, with the last that came.
    pub fn wait_for(&mut self, what: &str, from: usize, wanted: impl Fn(&str) -> bool) -> usize {
        let mut at = from;
        let deadline = self.deadline.within(STEP);
        loop {
            while let Some(line) = self.log.get(at) {
                if wanted(line) {
                    return at;
                }
                at += 1;
            }
            match self.process.next_stamped(deadline) {
                Ok((when, line)) => self.keep(when, &line),
                Err(why) => {
                    let tail = &self.log[self.log.len().saturating_sub(40)..];
                    panic!("{what}: {why}; the client said last {tail:#?}");
                }
            }
        }
    }

    /// Has it carry out a cfg script, and waits until it has.
    ///
    /// # Panics
    /// If it has not in time.
    pub fn order(&mut self, script: &str) -> Carried {
        let (from, since) = (self.log().len(), Instant::now());
        let done = self.give_order(script);
        let end = self.wait_for(&format!("{done}, {script:?}"), from, |line| line == done);
        Carried { lines: self.log[from..end].to_vec(), took: since.elapsed() }
    }

    /// Has it carry out a cfg script. The line that it will say when it has comes back.
    fn give_order(&mut self, script: &str) -> String {
        let (number, next) = (self.next_order, self.next_order + 1);
        self.next_order = next;
        let done = format!("order {number} is done");
        // Key states belong to nobody but the script: the last words come when its waits are over.
        let text = format!("set order \"execq order{next}.cfg\"\n{script}\necho {done}\n");
        fs::write(self.folder.join(format!("order{next}.cfg")), "\n").expect("a file of ours");
        let draft = self.folder.join("draft");
        fs::write(&draft, text).expect("a file of ours");
        fs::rename(&draft, self.folder.join(format!("order{number}.cfg"))).expect("a file of ours");
        done
    }

    /// Everything that it has said so far.
    pub fn log(&mut self) -> &[String] {
        while let Some((when, line)) = self.process.try_stamped() {
            self.keep(when, &line);
        }
        &self.log
    }

    fn keep(&mut self, when: Instant, line: &str) {
        self.log.push(plain(line));
        self.stamps.push(when);
    }

    /// What it said since a moment, and when.
    pub fn said_since(&mut self, moment: Instant) -> Vec<(Instant, String)> {
        self.log();
        let lines = self.stamps.iter().copied().zip(&self.log);
        lines.filter(|(when, _)| *when >= moment).map(|(when, line)| (when, line.clone())).collect()
    }

    /// Since it was started.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Processor time that it used so far.
    pub fn processor_time(&self) -> Option<Duration> {
        self.process.processor_time()
    }

    /// Lines that tell of a server message that could not be read, of an error of the client or of its cgame.
    pub fn complaints(&mut self) -> Vec<String> {
        self.log().iter().filter(|line| COMPLAINTS.iter().any(|word| line.contains(word))).cloned().collect()
    }

    /// How often the server's state was not the one predicted, by the cgame's number of what differed: 7 for flags (the server
    /// marks a player who was silent for some frames), 15 for health that counts down, 8 for events. They come with the stock
    /// server as often.
    pub fn differences(&mut self) -> Vec<(u32, usize)> {
        let mut counts = std::collections::BTreeMap::new();
        for line in self.log() {
            let code =
                line.split_once("errorcode ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
            if let Some(code) = code {
                *counts.entry(code).or_insert(0) += 1;
            }
        }
        counts.into_iter().collect()
    }

    /// The bytes of a file in its home's game folder, if it is there.
    pub fn own_file(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join(name)).ok()
    }

    /// A place in its home for a picture.
    pub fn picture_path(&self, name: &str) -> PathBuf {
        self.home.path().join(format!("{name}.png"))
    }
}

/// What a healthy client never says. Source: `cl_parse.c`, `cl_cgame.c`, `cg_*.c` by what they print.
const COMPLAINTS: [&str; 13] = [
    "ERROR",
    "llegible server message",
    "read past end of server message",
    "bad command byte",
    "Delta from invalid frame",
    "Delta frame too old",
    "Delta parseEntitiesNum too old",
    "end of message",
    "CL_GetServerCommand",
    "CG_GetServerCommand",
    "Unknown client game command",
    "Unknown event",
    "Bad entity type",
];

/// A line without colour codes.
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '^' && chars.peek().is_some_and(char::is_ascii_digit) {
            chars.next();
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out_and_nothing_else() {
        assert_eq!(plain("walker^7: ^2he^llo^"), "walker: he^llo^");
    }

    #[test]
    fn a_miss_is_told_from_its_neighbours() {
        let lines =
            ["Prediction miss: 8.875000", "prediction error", "PredictionTeleport", "errorcode 7 at 3"];
        let carried = Carried { lines: lines.map(str::to_owned).to_vec(), took: Duration::ZERO };
        assert_eq!(carried.misses(), ["Prediction miss: 8.875000"]);
    }
}
