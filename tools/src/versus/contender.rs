//! The servers that are compared, and how each is started, asked whether it is ready, and ended.

use crate::rim::ask::{Patience, ask};
use crate::rim::process::{Owned, free_port, start};
use fogline_common::time::Millis;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// Askings whether a server is ready, before it counts as broken.
const READY_TRIES: u32 = 80;
/// Time between two of them.
const READY_EVERY: Millis = Millis(250);
/// Settings that both servers take, so that they do the same work.
const ALIKE: [(&str, &str); 10] = [
    ("dedicated", "1"),
    ("sv_maxclients", "64"),
    ("sv_pure", "0"),
    ("sv_lanForceRate", "1"),
    ("sv_floodProtect", "0"),
    ("bot_enable", "0"),
    ("g_gametype", "0"),
    ("timelimit", "0"),
    ("fraglimit", "0"),
    ("com_basegame", "baseoa"),
];

/// A server that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// Debian's ioquake3 with OpenArena's game.
    Stock,
    /// Fogline, hiding nothing beyond the potentially visible set: what the stock server does.
    Plain,
    /// Fogline with its filter, in the mode that it starts with.
    Filtered,
}

impl Contender {
    /// The stock server first: the others are compared with it.
    pub const ALL: [Self; 3] = [Self::Stock, Self::Plain, Self::Filtered];

    /// As tables call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stock => "ioq3ded",
            Self::Plain => "Fogline, mode 0",
            Self::Filtered => "Fogline, mode 2",
        }
    }
}

/// Where the servers and their data are.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The stock server.
    pub ioq3ded: PathBuf,
    /// Fogline.
    pub fogline: PathBuf,
    /// The folder that holds `baseoa`.
    pub basepath: PathBuf,
    /// The map.
    pub map: String,
}

/// The program `fogline` in the folder of this program.
///
/// # Errors
/// If there is none.
pub fn fogline_beside_us() -> Result<PathBuf, String> {
    let us = std::env::current_exe().map_err(|error| format!("this program's own place: {error}"))?;
    let beside = us.with_file_name(format!("fogline{}", std::env::consts::EXE_SUFFIX));
    if beside.exists() {
        Ok(beside)
    } else {
        Err(format!("{} is not there; name the server with --fogline PATH", beside.display()))
    }
}

/// A server at work, on loopback, with a home folder of its own. Both end with this value.
pub struct Running {
    process: Owned,
    address: SocketAddr,
    // After the process: fields are dropped in order.
    _home: TempDir,
}

impl Running {
    /// Starts one and waits until it answers.
    ///
    /// # Errors
    /// A sentence, with what the server said last, if it does not come up.
    pub fn start(scene: &Scene, contender: Contender, fps: u32) -> Result<Self, String> {
        let say = |error: std::io::Error| format!("{}: {error}", contender.name());
        let home = tempfile::tempdir().map_err(say)?;
        let port = free_port().map_err(say)?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let log = home.path().join("transcript");
        let mut command = command(scene, contender);
        let mut set = |name: &str, value: &str| {
            command.args(["+set", name, value]);
        };
        ALIKE.iter().for_each(|(name, value)| set(name, value));
        set("fs_homepath", &home.path().to_string_lossy());
        set("fs_basepath", &scene.basepath.to_string_lossy());
        set("net_ip", "127.0.0.1");
        set("net_enabled", "1");
        set("net_port", &port.to_string());
        set("sv_fps", &fps.to_string());
        command.args(["+map", &scene.map]);
        let process = start(&mut command, &log).map_err(say)?;
        let mut running = Self { process, address, _home: home };
        let patience = Patience { timeout: READY_EVERY, tries: 1, quiet: None };
        for _ in 0..READY_TRIES {
            let answer = ask(address, b"getinfo ready", "infoResponse", &patience).map_err(say)?;
            if answer.is_some() {
                return Ok(running);
            }
            if running.process.has_ended() {
                break;
            }
        }
        Err(format!(
            "{} does not come up; it said last:\n{}",
            contender.name(),
            running.process.last_words(&log)
        ))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }
}

/// The program and the settings that only it has.
fn command(scene: &Scene, contender: Contender) -> Command {
    let fogline = |mode: &str| {
        let mut command = Command::new(&scene.fogline);
        command.args(["+set", "sv_netoptimize", mode]);
        command
    };
    match contender {
        Contender::Plain => fogline("0"),
        Contender::Filtered => fogline("2"),
        Contender::Stock => {
            let mut command = Command::new(&scene.ioq3ded);
            // The game is native code here; one protocol number is what Debian starts OpenArena with.
            for (name, value) in [("vm_game", "0"), ("com_protocol", "71"), ("com_legacyprotocol", "71")] {
                command.args(["+set", name, value]);
            }
            command
        }
    }
}
