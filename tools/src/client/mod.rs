//! A headless client of protocol 68 and 71, without socket and without clock.
//!
//! [`Client`] is a value that is fed and drained like the server: [`receive`](Client::receive) what came,
//! [`advance`](Client::advance) the clock, [`poll_transmit`](Client::poll_transmit) what must go out,
//! [`next_wakeup`](Client::next_wakeup) when to come again, [`poll_event`](Client::poll_event) what it noticed. Before a frame is
//! due its owner sets [`Client::input`], the hands of its player.
//!
//! It does what a stock client does, bugs that a server can see included, and draws nothing.
//!
//! * [`config`]: which engine, which player. [`events`]: what it noticed and counted.
//! * `handshake`, `receive`, `send`, `frame`: the four things it does. `download`: a fifth, if it may.
//! * [`reliable`], [`configstrings`], [`moves`], [`snapshot`]: what it keeps.
//! * [`clock`] decides which moment is drawn, [`scene`] between which snapshots, [`lerp`] where another entity is then.
//!   [`predict`] reckons where our own player is.

pub mod clock;
pub mod config;
pub mod configstrings;
mod download;
pub mod events;
mod frame;
mod handshake;
pub mod lerp;
pub mod moves;
pub mod predict;
mod receive;
pub mod reliable;
pub mod scene;
mod send;
pub mod snapshot;
pub mod solids;
pub mod text;

pub use send::MessageNumbers;

use crate::client::clock::ClientClock;
use crate::client::config::ClientConfig;
use crate::client::configstrings::Configstrings;
use crate::client::download::Downloads;
use crate::client::events::{ClientCounts, DropReason, Event, Events};
use crate::client::handshake::Handshake;
use crate::client::moves::Moves;
use crate::client::predict::Predictor;
use crate::client::reliable::{CommandError, Incoming, Outgoing};
use crate::client::scene::Scene;
use crate::client::snapshot::SnapshotRing;
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::limits::{MAX_ENTITIES, SOLID_BRUSH_MODEL};
use fogline_common::proto::{EntityState, PlayerState, UserCmd, info_string};
use fogline_common::time::{Arrival, ServerTime};
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::netchan::{Netchan, WireKind};
use std::collections::VecDeque;
use std::sync::Arc;

/// How far a client is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientState {
    /// Asks for a challenge, or to be let in.
    Connecting,
    /// Is in, and waits for the gamestate.
    Connected,
    /// Has the gamestate and fetches files that it lacks.
    Downloading,
    /// Has the gamestate and loads the map until then.
    Loading {
        /// When it is done.
        until: Arrival,
    },
    /// Sends usercmds and waits for the first snapshot in the game.
    Primed,
    /// Plays.
    Active,
    /// Is out.
    Disconnected(DropReason),
}

/// The hands of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Input {
    /// Where to look: pitch, yaw, roll in degrees of the world.
    pub look: Vec3,
    /// Forward, -127..=127.
    pub forward: i8,
    /// Right, -127..=127.
    pub right: i8,
    /// Up, -127..=127.
    pub up: i8,
    /// Bits of [`button`](fogline_common::proto::button).
    pub buttons: i32,
    /// The weapon to have in hand; `None` for the one that is.
    pub weapon: Option<u8>,
}

/// The sequenced connection.
struct Link {
    netchan: Netchan,
    /// Sequence of the newest message that came; 0 before the first.
    message: i32,
}

/// What one gamestate began: everything about one map.
struct World {
    server_id: i32,
    client_num: i32,
    checksum_feed: i32,
    configstrings: Configstrings,
    baselines: Box<[Option<EntityState>]>,
    snapshots: SnapshotRing,
    /// A snapshot came since the last drawn frame.
    is_new_snapshot: bool,
    moves: Moves,
    clock: ClientClock,
    /// The moment drawn last.
    drawn: ServerTime,
    scene: Scene,
}

/// A headless client.
pub struct Client {
    /// The hands of its player, read when a frame makes a usercmd.
    pub input: Input,
    config: ClientConfig,
    state: ClientState,
    userinfo: String,
    handshake: Handshake,
    link: Option<Link>,
    outgoing: Outgoing,
    incoming: Incoming,
    world: World,
    predictor: Predictor,
    downloads: Downloads,
    outbox: VecDeque<Vec<u8>>,
    /// Spare buffers for the outbox.
    spare: Vec<Vec<u8>>,
    writer: BitWriter,
    /// Buffers: the message being read, the usercmds being sent.
    message: Vec<u8>,
    cmds: Vec<UserCmd>,
    events: Events,
    counts: ClientCounts,
    next_frame: Arrival,
    /// When the newest datagram of the server came.
    heard: Option<Arrival>,
    /// When a packet was last sent.
    spoke: Option<Arrival>,
    last_snapshot: Option<Arrival>,
}

impl Client {
    /// A client that is about to ask for a challenge, at the first [`advance`](Self::advance).
    pub fn new(config: ClientConfig) -> Self {
        Self {
            input: Input::default(),
            state: ClientState::Connecting,
            userinfo: config.userinfo(),
            handshake: Handshake::new(config.seed),
            link: None,
            outgoing: Outgoing::default(),
            incoming: Incoming::default(),
            world: World::new(&config),
            predictor: Predictor::default(),
            downloads: Downloads::default(),
            outbox: VecDeque::new(),
            spare: Vec::new(),
            writer: BitWriter::new(),
            message: Vec::new(),
            cmds: Vec::new(),
            events: Events::default(),
            counts: ClientCounts::default(),
            next_frame: Arrival::default(),
            heard: None,
            spoke: None,
            last_snapshot: None,
            config,
        }
    }

    /// Gives it the solid world to predict in; without one it takes the server's word for where it is.
    pub fn set_map(&mut self, map: Option<Arc<ClipMap>>) {
        self.predictor.set_map(map);
    }

    /// The solid world that it predicts in.
    pub fn map(&self) -> Option<&Arc<ClipMap>> {
        self.predictor.map()
    }

    /// Moves the next datagram for the server into `out`. Whether there was one.
    pub fn poll_transmit(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(next) = self.outbox.pop_front() else { return false };
        out.clear();
        out.extend_from_slice(&next);
        self.spare.push(next);
        true
    }

    /// The next thing that it noticed.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// When [`advance`](Self::advance) has something to do. `None` once it is out.
    pub fn next_wakeup(&self) -> Option<Arrival> {
        match self.state {
            ClientState::Disconnected(_) => None,
            ClientState::Connecting => Some(self.handshake.next_send().unwrap_or_default()),
            _ => Some(self.next_frame),
        }
    }

    /// Says something that the server or its game understands, such as `say hello`.
    ///
    /// # Errors
    /// If it is too long, or too much waits for acknowledgement.
    pub fn command(&mut self, text: &str) -> Result<(), CommandError> {
        self.outgoing.add(text)
    }

    /// Changes a key of the userinfo, and tells the server if it is connected.
    ///
    /// # Errors
    /// As [`command`](Self::command).
    pub fn set_userinfo(&mut self, key: &str, value: &str) -> Result<(), CommandError> {
        if info_string::set(&mut self.userinfo, key, value).is_err() || self.link.is_none() {
            return Ok(());
        }
        let text = format!("userinfo \"{}\"", self.userinfo);
        self.outgoing.add(&text)
    }

    /// Leaves: tells the server so three times, as a stock client does, and is out.
    pub fn disconnect(&mut self, now: Arrival) {
        if self.link.is_some() && self.outgoing.add("disconnect").is_ok() {
            for _ in 0..3 {
                self.send_packet(now);
            }
        }
        self.drop(DropReason::Left);
    }

    /// How far it is.
    pub fn state(&self) -> &ClientState {
        &self.state
    }

    /// Who it is.
    pub fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// The wire in use, once connected.
    pub fn wire(&self) -> Option<WireKind> {
        self.link.as_ref().map(|link| link.netchan.wire())
    }

    /// Its slot, once it has a gamestate.
    pub fn client_num(&self) -> Option<ClientNum> {
        ClientNum::new(usize::try_from(self.world.client_num).ok()?)
    }

    /// `sv_serverid` of the current map, 0 before the first gamestate.
    pub fn server_id(&self) -> i32 {
        self.world.server_id
    }

    /// What the server told in configstrings.
    pub fn configstrings(&self) -> &Configstrings {
        &self.world.configstrings
    }

    /// The snapshots that came.
    pub fn snapshots(&self) -> &SnapshotRing {
        &self.world.snapshots
    }

    /// What it draws from.
    pub fn scene(&self) -> &Scene {
        &self.world.scene
    }

    /// The moment that it drew last.
    pub fn drawn(&self) -> ServerTime {
        self.world.drawn
    }

    /// Its own player by its own reckoning, once there is a snapshot.
    pub fn predicted(&self) -> Option<&PlayerState> {
        self.predictor.state()
    }

    /// Prediction, for its misses.
    pub fn predictor(&self) -> &Predictor {
        &self.predictor
    }

    /// Where another player was drawn last, if the current snapshot has it.
    pub fn drawn_player(&self, num: ClientNum) -> Option<Vec3> {
        let moment = self.world.scene.moment(self.world.drawn)?;
        Some(self.world.scene.drawn(num.entity(), &moment, self.config.style)?.origin)
    }

    /// The box of another player as it was drawn last: where it was drawn, in the stance of the snapshot drawn from. `None` if
    /// it has none.
    pub fn drawn_box(&self, num: ClientNum) -> Option<Bounds> {
        let shape = solids::unpack_box(self.world.scene.entity(num.entity())?.solid)?;
        Some(shape.translated(self.drawn_player(num)?))
    }

    /// The inline models of the current snapshot as they were drawn last: number, place, way of being turned.
    pub fn drawn_models(&self) -> impl Iterator<Item = (usize, Vec3, Vec3)> {
        let (scene, style) = (&self.world.scene, self.config.style);
        let moment = scene.moment(self.world.drawn);
        let listed = scene.current().into_iter().flat_map(|snapshot| &snapshot.entities);
        listed.filter(|state| state.solid == SOLID_BRUSH_MODEL).filter_map(move |state| {
            let at = scene.drawn(state.num()?, moment.as_ref()?, style)?;
            Some((usize::try_from(state.model_index).ok()?, at.origin, at.angles))
        })
    }

    /// What it counted.
    pub fn counts(&self) -> ClientCounts {
        ClientCounts { events_dropped: self.events.dropped, predict: self.predictor.counts, ..self.counts }
    }

    /// Ends the connection.
    fn drop(&mut self, reason: DropReason) {
        if matches!(self.state, ClientState::Disconnected(_)) {
            return;
        }
        self.events.push(Event::Dropped(reason.clone()));
        self.state = ClientState::Disconnected(reason);
        self.link = None;
    }

    fn warn(&mut self, text: String) {
        self.counts.warnings += 1;
        self.events.push(Event::Warning(text));
    }

    fn post(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        let mut datagram = self.spare.pop().unwrap_or_default();
        datagram.clear();
        fill(&mut datagram);
        self.counts.datagrams_out += 1;
        self.counts.bytes_out += datagram.len() as u64;
        self.outbox.push_back(datagram);
    }
}

impl World {
    fn new(config: &ClientConfig) -> Self {
        Self {
            server_id: 0,
            client_num: -1,
            checksum_feed: 0,
            configstrings: Configstrings::default(),
            baselines: vec![None; MAX_ENTITIES].into_boxed_slice(),
            snapshots: SnapshotRing::default(),
            is_new_snapshot: false,
            moves: Moves::default(),
            clock: ClientClock::new(config.clock),
            drawn: ServerTime(0),
            scene: Scene::default(),
        }
    }

    /// Forgets the map, as a stock client does when a gamestate begins. Buffers are kept.
    fn clear(&mut self, config: &ClientConfig) {
        self.configstrings.clear();
        self.baselines.fill(None);
        self.snapshots.clear();
        self.is_new_snapshot = false;
        self.moves.clear();
        self.clock = ClientClock::new(config.clock);
        self.drawn = ServerTime(0);
        self.scene.clear();
    }
}
