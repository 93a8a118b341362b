//! Our server behind its real rim, on a free port of loopback, with a window to look in by.

use super::Deadline;
use super::moves::{Move, Moves, Witnessed};
use super::told::{Follower, Told};
use crossbeam_channel::Sender;
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::PlayerState;
use fogline_common::time::Arrival;
use fogline_common::wire::netchan::{Netchan, WireKind};
use fogline_server::clients::Session;
use fogline_server::config::{By, Cvars};
use fogline_server::console::apply_sets;
use fogline_server::io::files::{DiskFiles, SearchPath};
use fogline_server::io::recorder::Recorder;
use fogline_server::io::{self, Clock, Input, Observed, Rim, Signal, socket};
use fogline_server::program::journal_header;
use fogline_server::server::Server;
use fogline_server::snapshot::Snapshot;
use fogline_server::telemetry::Metrics;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::mpsc::{self, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tempfile::TempDir;

/// Most console lines that the window keeps.
const LINES_KEPT: usize = 10_000;
/// The longest wait for anything.
const STEP: Duration = Duration::from_secs(30);
/// Seed of everything random.
const SEED: u64 = 1;
/// Most states in the trail.
const TRAIL_KEPT: usize = 20_000;

/// What a player is known to do, after a frame.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its slot.
    pub num: ClientNum,
    /// Its name.
    pub name: String,
    /// The framing that it speaks, once it has spoken.
    pub wire: Option<WireKind>,
    /// It is in the world.
    pub is_active: bool,
    /// When it connected.
    pub connected_at: Arrival,
    /// The player as it was told it last.
    pub player: Option<PlayerState>,
}

/// The server after its latest frame.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The running map.
    pub map: Option<String>,
    /// Counters since the start.
    pub metrics: Metrics,
    /// Players, in slot order, those on their way out left aside.
    pub players: Vec<Seen>,
    /// What it wrote to its console.
    pub lines: Vec<String>,
    /// It has said goodbye.
    pub is_finished: bool,
}

impl View {
    /// The player of that name.
    pub fn player(&self, name: &str) -> Option<&Seen> {
        self.players.iter().find(|seen| seen.name == name)
    }

    /// The state of the player of that name.
    pub fn state(&self, name: &str) -> Option<&PlayerState> {
        self.player(name)?.player.as_ref()
    }
}

#[derive(Debug, Default)]
struct Window {
    view: Mutex<View>,
    /// What players were told of themselves, frame by frame, since somebody took it.
    trail: Mutex<Vec<(String, PlayerState)>>,
    follower: Mutex<Follower>,
    changed: Condvar,
}

/// A server that runs on a thread of its own, until it is dropped.
pub struct LiveServer {
    /// Where it listens.
    pub address: SocketAddr,
    inputs: Sender<Input>,
    window: Arc<Window>,
    moves: Moves,
    thread: Option<JoinHandle<()>>,
    /// What it writes goes here.
    _home: TempDir,
}

impl LiveServer {
    /// Starts one on the game data below `base` with these console commands, as on a command line. It is known to no master.
    ///
    /// # Panics
    /// If it cannot start, with what it said.
    pub fn start(base: &Path, commands: &[&str]) -> Self {
        let home = TempDir::new().expect("a temporary folder");
        let window = Arc::new(Window::default());
        let moves = Moves::default();
        let (ready, started) = channel();
        // The server stays on the thread that makes it.
        let thread = thread::spawn({
            let folders = [base, home.path()].map(|path| path.to_str().expect("the path is text").to_owned());
            let words: Vec<Vec<String>> =
                commands.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
            let (window, game) = (window.clone(), Witnessed::new(moves.clone()));
            move || serve(&folders, &words, game, &window, &ready)
        });
        let Ok((address, inputs)) = started.recv() else {
            panic!("{commands:?} started no server; it said {:#?}", lock(&window).lines)
        };
        Self { address, inputs, window, moves, thread: Some(thread), _home: home }
    }

    /// The host types a line.
    pub fn console(&self, line: &str) {
        let _ = self.inputs.send(Input::Line(line.to_owned()));
    }

    /// The server after its latest frame.
    pub fn view(&self) -> View {
        lock(&self.window).clone()
    }

    /// What the player of that name was told of itself in every frame since the last call.
    pub fn take_trail(&self, name: &str) -> Vec<PlayerState> {
        let mut trail = self.window.trail.lock().unwrap_or_else(PoisonError::into_inner);
        let all = std::mem::take(&mut *trail).into_iter();
        all.filter(|(of, _)| of == name).map(|(_, player)| player).collect()
    }

    /// Every usercmd of people's since the last call, and what became of it.
    pub fn take_moves(&self) -> Vec<Move> {
        self.moves.take()
    }

    /// What every player was told of itself since the last call, frame by frame.
    pub fn take_frames(&self) -> Vec<Vec<(String, PlayerState)>> {
        let mut trail = self.window.trail.lock().unwrap_or_else(PoisonError::into_inner);
        let mut frames: Vec<Vec<(String, PlayerState)>> = Vec::new();
        for (name, player) in std::mem::take(&mut *trail) {
            // Each frame has each player once.
            let begins = frames.last().is_none_or(|frame| frame.iter().any(|(known, _)| *known == name));
            if begins {
                frames.push(Vec::new());
            }
            if let Some(frame) = frames.last_mut() {
                frame.push((name, player));
            }
        }
        frames
    }

    /// Keeps from now on what the player of that name is told.
    pub fn follow(&self, name: &str) {
        self.window.follower.lock().unwrap_or_else(PoisonError::into_inner).follow(name);
    }

    /// What the followed player was told since it is followed.
    pub fn told(&self) -> Vec<Told> {
        self.window.follower.lock().unwrap_or_else(PoisonError::into_inner).all()
    }

    /// Waits until something is true of the server after a frame.
    ///
    /// # Panics
    /// At the deadline, with `what` and what the server said.
    pub fn wait_until(&self, what: &str, deadline: Deadline, done: impl Fn(&View) -> bool) -> View {
        let deadline = deadline.within(STEP);
        let mut view = lock(&self.window);
        while !done(&view) {
            let left = deadline.left();
            if left.is_zero() {
                let View { map, players, lines, .. } = &*view;
                let tail = &lines[lines.len().saturating_sub(30)..];
                let place = |player: &PlayerState| (player.origin, player.velocity);
                let players: Vec<_> = players
                    .iter()
                    .map(|p| (&p.name, p.wire, p.is_active, p.player.as_ref().map(place)))
                    .collect();
                panic!("{what}: not so in time; map {map:?}, players {players:?}, the server said {tail:#?}");
            }
            let woken = self.window.changed.wait_timeout(view, left);
            view = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        view.clone()
    }

    /// A signal asks it to end; waits until it has.
    pub fn end(&mut self) {
        let _ = self.inputs.send(Input::Signal(Signal::Quit));
        if let Some(thread) = self.thread.take() {
            // A panic of the server's has told of itself.
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking(), "the server panicked");
        }
    }
}

/// Starts a server on the data of the first folder, that writes to the second, says how to reach it, and runs it to its end.
fn serve(
    [base, home]: &[String; 2],
    commands: &[Vec<String>],
    game: Witnessed,
    window: &Arc<Window>,
    ready: &mpsc::Sender<(SocketAddr, Sender<Input>)>,
) {
    let mut cvars = Cvars::new();
    let settings = [
        ("fs_basepath", base.as_str()),
        ("fs_homepath", home),
        ("com_basegame", "baseoa"),
        ("dedicated", "1"),
    ];
    for (name, value) in settings {
        cvars.set(name, value, By::Host).unwrap_or_else(|error| panic!("{error}"));
    }
    apply_sets(&mut cvars, commands);
    cvars.seal();
    let clock = Clock::start();
    let (files, notes) = DiskFiles::open_with_arena(SearchPath::from_config(cvars.config()));
    let listen = socket::Listen { v4: Some(Ipv4Addr::LOCALHOST), v6: None, port: 0, strict: true };
    let bound = socket::bind(&listen).unwrap_or_else(|sentence| panic!("{sentence}"));
    let console = Lines { window: window.clone(), line: Vec::new() };
    let mut rim = Rim::start(clock, &bound, console).expect("the system has threads");
    notes.iter().for_each(|note| rim.outputs.print(note));
    rim.outputs.keep_files_in(&Path::new(home).join("baseoa"));
    let started = clock.now();
    // With it `fogtool replay` plays the run again, command by command, also after a test that failed.
    if let Some(folder) = std::env::var_os("FOGLINE_PICTURES") {
        let path = Path::new(&folder).join(format!("server-{}.journal", bound.addresses[0].port()));
        let header = journal_header(started, SEED, &cvars, commands, &files);
        rim.record(Recorder::start(&path, &header).unwrap_or_else(|sentence| panic!("{sentence}")));
    }
    let mut server = Server::new(cvars, Box::new(files), Box::new(game), SEED, started);
    server.start_up(commands);
    rim.carry(&mut server);
    if server.map().is_none() {
        rim.finish();
        return;
    }
    if ready.send((bound.addresses[0], rim.inputs())).is_ok() {
        let mut observed = Observed { server, look: |server: &Server| publish(window, server) };
        io::run(rim, &mut observed);
        publish(window, &observed.server);
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// A test that failed while it looked has spoilt nothing.
fn lock(window: &Window) -> std::sync::MutexGuard<'_, View> {
    window.view.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows the window how the server stands.
fn publish(window: &Window, server: &Server) {
    let mut view = lock(window);
    view.map = server.map().map(str::to_owned);
    view.metrics = server.metrics().clone();
    view.is_finished = server.is_finished();
    view.players = server.clients().living().map(|session| seen(server, session)).collect();
    let mut trail = window.trail.lock().unwrap_or_else(PoisonError::into_inner);
    let states = view.players.iter().filter_map(|seen| Some((seen.name.clone(), seen.player?)));
    if trail.len() < TRAIL_KEPT {
        trail.extend(states);
    }
    note_told(window, server, &view);
    window.changed.notify_all();
}

/// Keeps what the player that is followed was told last.
fn note_told(window: &Window, server: &Server, view: &View) {
    let mut follower = window.follower.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(num) = follower.name().and_then(|name| view.player(name)).map(|seen| seen.num) else { return };
    let session = server.clients().get(num);
    let Some(snapshot) = session.and_then(|session| newest(server, session)) else { return };
    let Some(entities) = server.states().of(snapshot) else { return };
    let players = view.players.iter().filter_map(|seen| Some((seen.name.clone(), seen.player?)));
    follower.add(Told {
        message: snapshot.message,
        time: snapshot.time,
        entities: entities.copied().collect(),
        players: players.collect(),
    });
}

/// The snapshot that a client was sent last.
fn newest<'a>(server: &'a Server, session: &Session) -> Option<&'a Snapshot> {
    let last = session.channel.as_ref()?.outgoing().0.checked_sub(1)?;
    server.sent_snapshot(session.num, Sequence(last))
}

fn seen(server: &Server, session: &Session) -> Seen {
    Seen {
        num: session.num,
        name: session.name.clone(),
        wire: session.channel.as_ref().map(Netchan::wire),
        is_active: session.is_active(),
        connected_at: session.connected_at,
        player: newest(server, session).map(|snapshot| snapshot.player),
    }
}

/// The console's output as lines in the window.
struct Lines {
    window: Arc<Window>,
    line: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let mut view = lock(&self.window);
            if view.lines.len() < LINES_KEPT {
                view.lines.push(String::from_utf8_lossy(&self.line).into_owned());
            }
            drop(view);
            self.window.changed.notify_all();
            self.line.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
