//! A match to be audited, in virtual time: a server, players and the links between them in one process.
//!
//! One seed is one match, however busy the machine is, and an hour of it does not take an hour. The server is the program's own,
//! with its trace on; the players are the swarm's; the links are the proxy's.

use crate::audit::record::{Record, Recorder};
use crate::client::config::ClientConfig;
use crate::lag::proxy::{Links, Proxy, Target};
use crate::rim::maps::LoadedMap;
use crate::script::Script;
use crate::swarm::member::Member;
use fogline_common::time::{Arrival, Millis};
use fogline_server::config::{By, Cvars};
use fogline_server::files::MemoryFiles;
use fogline_server::game::native::NativeGame;
use fogline_server::server::Server;
use fogline_server::telemetry::TraceOutput;
use std::net::SocketAddr;

/// The last player must be in the game by then.
const JOIN_TIMEOUT: Millis = Millis(20_000);
/// Between two joins.
const JOIN_EVERY: Millis = Millis(50);
/// Between the last join and what counts.
const SETTLE: Millis = Millis(2000);
/// Longest that a snapshot waits before it is on its way.
const ON_THE_WAY: Millis = Millis(50);
/// Settings of every match; `sv_vistrace` is a name that is never opened here.
const SETTINGS: [(&str, &str); 7] = [
    ("sv_vistrace", "audit.jsonl"),
    ("sv_maxclients", "64"),
    ("sv_pure", "0"),
    ("sv_floodProtect", "0"),
    ("g_gametype", "0"),
    ("timelimit", "0"),
    ("fraglimit", "0"),
];

/// What is played.
#[derive(Clone)]
pub struct BoutConfig {
    /// Where.
    pub map: LoadedMap,
    /// Settings of the server beside the usual ones.
    pub settings: Vec<(String, String)>,
    /// Players may cheat.
    pub cheats: bool,
    /// How many players.
    pub clients: usize,
    /// What they do.
    pub script: Script,
    /// How they are connected.
    pub links: Links,
    /// Snapshots per second that each wants.
    pub snaps: i32,
    /// Time from one frame of a player to the next.
    pub frame: Millis,
    /// How long they play after all have joined.
    pub span: Millis,
    /// Decides everything random.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Bout {
    /// What each player lived through.
    pub records: Vec<Record>,
    /// The server's trace.
    pub trace: Vec<String>,
}

/// Plays a match. `progress` is told how much of it is done, 0 to 1.
///
/// # Errors
/// A sentence, if a setting makes no sense, the map does not start, or not every player gets into the game.
pub fn play(config: &BoutConfig, progress: impl FnMut(f64)) -> Result<Bout, String> {
    play_watched(config, progress, |_| ())
}

/// The same; `look` is shown the server again and again while it counts.
///
/// # Errors
/// As [`play`].
pub fn play_watched(
    config: &BoutConfig,
    mut progress: impl FnMut(f64),
    mut look: impl FnMut(&Server),
) -> Result<Bout, String> {
    let mut bout = Stage::new(config)?;
    let joined = Arrival::default().after(Millis(JOIN_EVERY.0 * config.clients as i32)).after(JOIN_TIMEOUT);
    while bout.now < joined && !bout.members.iter().all(Member::is_active) {
        bout.step(joined);
    }
    if let Some(outside) = bout.members.iter().find(|member| !member.is_active()) {
        let words = outside.result(0.0).last_words.unwrap_or_else(|| "nothing".to_owned());
        return Err(format!("a player does not get into the game; the server's last words: {words}"));
    }
    let begin = bout.now.after(SETTLE);
    // What is on its way when the players' records begin is in the trace too.
    let down = &config.links.down;
    let way = Millis((down.delay.0 + down.jitter.0 + down.reorder_by.0 + ON_THE_WAY.0).clamp(0, SETTLE.0));
    let traced = bout.now.after(Millis(SETTLE.0 - way.0));
    while bout.now < traced {
        bout.step(traced);
    }
    bout.trace.clear();
    while bout.now < begin {
        bout.step(begin);
    }
    // What came before counts for nobody.
    for member in &mut bout.members {
        member.recorder = Some(Recorder::new(Some(config.links.down.delay.0.max(0) as u64 * 1000)));
    }
    let end = begin.after(config.span);
    while bout.now < end {
        bout.step(end);
        look(&bout.server);
        progress(bout.now.micros_since(begin) as f64 / (f64::from(config.span.0.max(1)) * 1000.0));
    }
    let recorders = bout.members.into_iter().filter_map(|member| member.recorder);
    Ok(Bout { records: recorders.filter_map(Recorder::into_record).collect(), trace: bout.trace })
}

/// The match as it is being played.
struct Stage {
    server: Server,
    members: Vec<Member>,
    proxy: Proxy,
    trace: Vec<String>,
    now: Arrival,
    buffer: Vec<u8>,
}

/// Where a player plays from; each in a network of its own, all of them near.
fn address(index: usize) -> SocketAddr {
    SocketAddr::from(([10, 1, (index / 200) as u8, (index % 200) as u8], 27_960))
}

impl Stage {
    fn new(config: &BoutConfig) -> Result<Self, String> {
        let mut rng = fastrand::Rng::with_seed(config.seed);
        let server = server(config, rng.u64(..))?;
        let mut proxy = Proxy::new(config.links, rng.u64(..));
        let mut members = Vec::new();
        for index in 0..config.clients {
            let client = ClientConfig {
                name: format!("player{index:02}"),
                qport: 1000 + index as u16,
                guid: format!("{:032X}", rng.u128(..)),
                seed: rng.u64(..),
                rate: 90_000,
                snaps: config.snaps,
                frame: config.frame,
                ..ClientConfig::default()
            };
            let starts = Arrival::default().after(Millis(JOIN_EVERY.0 * index as i32));
            let mut member = Member::new(client, config.script, index, address(index), starts);
            member.client.set_map(Some(config.map.clip.clone()));
            proxy.admit(Arrival::default(), address(index), index);
            members.push(member);
        }
        let now = Arrival::default();
        Ok(Self { server, members, proxy, trace: Vec::new(), now, buffer: Vec::new() })
    }

    /// On to the next thing that happens, at most to `until`.
    fn step(&mut self, until: Arrival) {
        let wakeups = self.members.iter().filter_map(Member::next_wakeup);
        let next = wakeups.chain(self.proxy.next_arrival()).chain([self.server.next_wakeup()]).min();
        self.now = next.unwrap_or(until).clamp(self.now, until);
        let now = self.now;
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some(target) = self.proxy.pop_arrived(now, &mut buffer) {
            match target {
                Target::Server(index) => {
                    self.server.receive(now, address(index), &buffer);
                    self.drain_server();
                }
                Target::Client(to) => {
                    if let Some(index) = self.proxy.port_of(to) {
                        self.members[index].receive(now, &buffer);
                        self.drain_member(index);
                    }
                }
            }
        }
        self.buffer = buffer;
        for index in 0..self.members.len() {
            if self.members[index].next_wakeup().is_some_and(|due| due <= now) {
                self.members[index].advance(now);
                self.drain_member(index);
            }
        }
        if self.server.next_wakeup() <= now {
            self.server.advance(now);
            self.drain_server();
        }
    }

    fn drain_member(&mut self, index: usize) {
        let mut out = Vec::new();
        while self.members[index].client.poll_transmit(&mut out) {
            self.proxy.send_up(self.now, index, &out);
        }
    }

    fn drain_server(&mut self) {
        let mut out = Vec::new();
        while let Some(to) = self.server.poll_transmit(&mut out) {
            if let Some(index) = self.proxy.port_of(to) {
                self.proxy.send_down(self.now, index, &out);
            }
        }
        while let Some(output) = self.server.poll_vistrace() {
            if let TraceOutput::Line(line) = output {
                self.trace.push(line.to_string());
            }
        }
        while self.server.poll_log().is_some() {}
        while self.server.poll_game_log().is_some() {}
    }
}

/// A server that runs the map of a match, before anybody has joined.
///
/// # Errors
/// A sentence, if a setting makes no sense or the map does not start.
pub fn server(config: &BoutConfig, seed: u64) -> Result<Server, String> {
    let mut cvars = Cvars::new();
    let own = config.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in SETTINGS.into_iter().chain(own) {
        cvars.set(name, value, By::Host).map_err(|error| error.to_string())?;
    }
    cvars.seal();
    let mut files = MemoryFiles::default();
    files.insert(&format!("maps/{}.bsp", config.map.name), config.map.file.clone());
    let game = Box::new(NativeGame::new());
    let mut server = Server::new(cvars, Box::new(files), game, seed, Arrival::default());
    let command = if config.cheats { "devmap" } else { "map" };
    server.console_line(Arrival::default(), &format!("{command} {}", config.map.name));
    if server.map() != Some(config.map.name.as_str()) {
        let said: Vec<String> = std::iter::from_fn(|| server.poll_log()).collect();
        return Err(format!("{} does not start: {}", config.map.name, said.join(" ")));
    }
    Ok(server)
}
