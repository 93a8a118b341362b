//! Debian's ioq3ded with OpenArena's own game, on a port of its own.

use super::Deadline;
use super::process::Process;
use fogline_common::time::Millis;
use fogline_tools::rim::ask::{Patience, ask};
use fogline_tools::rim::process::free_port;
use std::net::SocketAddr;
use std::path::Path;
use tempfile::TempDir;

/// Where Debian puts it.
const PROGRAM: &str = "/usr/lib/ioquake3/ioq3ded";

/// A stock server that runs until it is dropped.
#[derive(Debug)]
pub struct Dedicated {
    process: Process,
    /// Where it listens.
    pub address: SocketAddr,
    lines: Vec<String>,
    /// What it writes goes here.
    _home: TempDir,
}

impl Dedicated {
    /// Whether it is installed.
    pub fn is_installed() -> bool {
        Path::new(PROGRAM).exists()
    }

    /// Starts one on the game data below `base`, with these settings and then these commands, such as `["devmap", "oa_dm5"]`.
    ///
    /// # Panics
    /// If it does not come up in time.
    pub fn start(base: &Path, settings: &[(&str, &str)], commands: &[&[&str]], deadline: Deadline) -> Self {
        let port = free_port().expect("a free port");
        let home = TempDir::new().expect("a temporary folder");
        let folders = [base, home.path()].map(|path| path.to_str().expect("the path is text").to_owned());
        let port_text = port.to_string();
        let own = [
            ("dedicated", "1"),
            ("vm_game", "0"),
            ("com_protocol", "71"),
            ("com_legacyprotocol", "71"),
            ("com_basegame", "baseoa"),
            ("fs_basepath", &folders[0]),
            ("fs_homepath", &folders[1]),
            ("net_ip", "127.0.0.1"),
            ("net_enabled", "1"),
            ("net_port", &port_text),
            ("sv_pure", "0"),
            ("sv_floodProtect", "0"),
            ("fraglimit", "0"),
            ("timelimit", "0"),
        ];
        let mut words: Vec<String> = own
            .iter()
            .chain(settings)
            .flat_map(|(name, value)| ["+set", name, value])
            .map(str::to_owned)
            .collect();
        for command in commands {
            let (first, rest) = command.split_first().expect("a command has a word");
            words.push(format!("+{first}"));
            words.extend(rest.iter().map(|word| (*word).to_owned()));
        }
        let process = Process::start(PROGRAM, &words, &[]);
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let patience = Patience { timeout: Millis(250), tries: 1, quiet: None };
        while !matches!(ask(address, b"getinfo ready", "infoResponse", &patience), Ok(Some(_))) {
            assert!(!deadline.left().is_zero(), "the stock server does not come up");
        }
        Self { process, address, lines: Vec::new(), _home: home }
    }

    /// Everything that it has said so far.
    pub fn lines(&mut self) -> &[String] {
        while let Some(line) = self.process.try_line() {
            self.lines.push(line);
        }
        &self.lines
    }
}
