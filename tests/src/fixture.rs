//! The one way in which tests build a server: real server, real rules, files in memory.

use crate::gamedata;
use crate::halls;
use crate::sim::{BuiltSnapshot, ServerUnderTest, Sim, SimConfig};
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::time::Arrival;
use fogline_server::config::Cvars;
use fogline_server::files::MemoryFiles;
use fogline_server::game::Game;
use fogline_server::game::native::NativeGame;
use fogline_server::server::Server;
use std::net::SocketAddr;
use std::sync::Arc;

/// Name of the second map that every fixture has: the halls again.
pub const SECOND_MAP: &str = "halls2";

/// What a server is set up with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The map that it runs.
    pub map: String,
    /// Console lines before that map is loaded.
    pub before: Vec<String>,
    /// Files besides its maps, by game path.
    pub files: Vec<(String, Vec<u8>)>,
    /// A pk3 file that clients may be sent.
    pub pak: Option<PakFile>,
}

/// A pk3 file: what clients know it by, what it is, and the file of the setup that comes from it.
#[derive(Clone, Debug)]
pub struct PakFile {
    /// Game folder, slash, name without ending.
    pub name: String,
    /// What clients compare.
    pub checksum: i32,
    /// All of it, whether it is a zip or not.
    pub bytes: Vec<u8>,
    /// Game path of a file that comes from it.
    pub holds: String,
}

impl Setup {
    /// The map made in code.
    pub fn halls() -> Self {
        Self { map: halls::NAME.to_owned(), before: Vec::new(), files: Vec::new(), pak: None }
    }

    /// A map of the installed game data, or the one made in code where there is none.
    pub fn installed_or_halls(name: &str) -> Self {
        let map = if gamedata::base_path().is_some() { name } else { halls::NAME };
        Self { map: map.to_owned(), before: Vec::new(), files: Vec::new(), pak: None }
    }

    /// A map of one's own.
    pub fn of_file(name: &str, file: Vec<u8>) -> Self {
        let files = vec![(map_path(name), file)];
        Self { map: name.to_owned(), before: Vec::new(), files, pak: None }
    }

    /// With one more file.
    #[must_use]
    pub fn with_file(mut self, path: &str, bytes: Vec<u8>) -> Self {
        self.files.push((path.to_owned(), bytes));
        self
    }

    /// With a pk3 file that the file at `holds` comes from.
    #[must_use]
    pub fn with_pak(mut self, name: &str, checksum: i32, bytes: Vec<u8>, holds: &str) -> Self {
        self.pak = Some(PakFile { name: name.to_owned(), checksum, bytes, holds: holds.to_owned() });
        self
    }

    /// With one more console line.
    #[must_use]
    pub fn with(mut self, line: &str) -> Self {
        self.before.push(line.to_owned());
        self
    }

    /// The map, to predict in.
    ///
    /// # Panics
    /// If there is none or it is damaged.
    pub fn clip_map(&self) -> Arc<ClipMap> {
        clip(&self.map, &self.bytes())
    }

    fn bytes(&self) -> Vec<u8> {
        let own = self.files.iter().find(|(path, _)| *path == map_path(&self.map));
        own.map_or_else(|| map_bytes(&self.map), |(_, bytes)| bytes.clone())
    }
}

/// The map that a setup names, to predict in.
///
/// # Panics
/// If there is none or it is damaged.
pub fn clip_map(name: &str) -> Arc<ClipMap> {
    clip(name, &map_bytes(name))
}

/// An installed map, or `None` if the data is not installed.
///
/// # Panics
/// If the data is there and has no such map, or the map is damaged.
pub fn installed_map(name: &str) -> Option<Arc<ClipMap>> {
    Some(clip(name, &gamedata::map(name)?))
}

fn clip(name: &str, file: &[u8]) -> Arc<ClipMap> {
    let bsp = Bsp::parse(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    Arc::new(ClipMap::build(&bsp).unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn map_path(name: &str) -> String {
    format!("maps/{name}.bsp")
}

fn map_bytes(name: &str) -> Vec<u8> {
    if [halls::NAME, SECOND_MAP].contains(&name) {
        return halls::file();
    }
    gamedata::map(name).unwrap_or_else(|| panic!("{name} is not installed"))
}

/// A server that runs the setup's map.
///
/// # Panics
/// If the map cannot be loaded, with what the server said.
pub fn server(seed: u64, setup: &Setup) -> Server {
    server_of(seed, setup, Box::new(NativeGame::new()))
}

/// The same with other rules.
///
/// # Panics
/// If the map cannot be loaded, with what the server said.
pub fn server_of(seed: u64, setup: &Setup, game: Box<dyn Game>) -> Server {
    let mut files = MemoryFiles::default();
    for name in [halls::NAME, SECOND_MAP] {
        files.insert(&map_path(name), map_bytes(name));
    }
    files.insert(&map_path(&setup.map), setup.bytes());
    for (path, bytes) in &setup.files {
        files.insert(path, bytes.clone());
    }
    if let Some(pak) = &setup.pak {
        let held = setup.files.iter().find(|(path, _)| *path == pak.holds);
        let held = held.map_or_else(|| setup.bytes(), |(_, bytes)| bytes.clone());
        files.insert_pak(&pak.name, pak.checksum, pak.bytes.clone(), &[(&pak.holds, &held)]);
    }
    let now = Arrival::default();
    let mut server = Server::new(Cvars::new(), Box::new(files), game, seed, now);
    let lines = setup.before.iter().cloned().chain([format!("map {}", setup.map)]);
    for line in lines {
        server.console_line(now, &line);
    }
    if server.map() != Some(setup.map.as_str()) {
        let said: Vec<_> = std::iter::from_fn(|| server.poll_log()).collect();
        panic!("{} is not running: {said:#?}", setup.map);
    }
    server
}

/// A match on a server set up so; every bot predicts in its map.
pub fn sim(seed: u64, config: SimConfig, setup: &Setup) -> Sim<Server> {
    let mut sim = Sim::new(seed, config, server(seed, setup));
    sim.set_map(&setup.clip_map());
    sim
}

impl ServerUnderTest for Server {
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
        Self::receive(self, now, from, datagram);
    }

    fn console_line(&mut self, now: Arrival, line: &str) {
        Self::console_line(self, now, line);
    }

    fn advance(&mut self, now: Arrival) {
        Self::advance(self, now);
    }

    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        Self::poll_transmit(self, out)
    }

    fn next_wakeup(&self) -> Arrival {
        Self::next_wakeup(self)
    }

    fn shutdown(&mut self, now: Arrival, reason: &str) {
        Self::shutdown(self, now, reason);
    }

    fn built_snapshot(&self, client: ClientNum, message: Sequence) -> Option<BuiltSnapshot<'_>> {
        let built = self.sent_snapshot(client, message)?;
        Some(BuiltSnapshot {
            time: built.time,
            area_mask: &built.area_mask[..built.area_bytes],
            player: &built.player,
            entities: self.states().of(built)?.copied().collect(),
        })
    }

    fn poll_log(&mut self) -> Option<String> {
        Self::poll_log(self)
    }

    fn poll_game_log(&mut self) -> Option<String> {
        Self::poll_game_log(self)
    }
}
