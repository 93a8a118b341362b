//! One client of a swarm: the headless client, its mind, its socket, its meter.

use crate::audit::record::Recorder;
use crate::client::config::ClientConfig;
use crate::client::events::{ClientCounts, DropReason, Event};
use crate::client::{Client, ClientState};
use crate::script::{Mind, Script};
use crate::swarm::meter::Meter;
use fogline_common::ids::ClientNum;
use fogline_common::time::Arrival;
use fogline_common::wire::netchan::WireKind;
use std::net::SocketAddr;

/// One client of a swarm.
pub struct Member {
    /// The client.
    pub client: Client,
    /// Its measurements.
    pub meter: Meter,
    /// Index of its socket.
    pub socket: usize,
    /// Its server.
    pub server: SocketAddr,
    /// When it first asks to be let in.
    pub starts: Arrival,
    /// Keeps what it receives and draws, if that is wanted.
    pub recorder: Option<Recorder>,
    last_words: Option<String>,
    mind: Mind,
}

/// What one client measured.
#[derive(Clone, Debug)]
pub struct MemberResult {
    /// Its name.
    pub name: String,
    /// Its slot, if it was let in.
    pub slot: Option<usize>,
    /// The framing that it and the server agreed on.
    pub wire: Option<WireKind>,
    /// Whether it played when the measuring ended.
    pub was_active: bool,
    /// What the server said to it last, or why it is out.
    pub last_words: Option<String>,
    /// How long was measured. Unit: s.
    pub seconds: f64,
    /// What was counted meanwhile; errors since it was started.
    pub counts: ClientCounts,
    /// Intervals, sizes, pings.
    pub meter: Meter,
}

impl MemberResult {
    /// Whether it read everything that came. A snapshot whose base is missing counts only if nothing got lost on the way.
    pub fn read_all(&self) -> bool {
        let baseless = self.counts.snapshots_without_base > 0 && self.counts.messages_lost == 0;
        self.counts.parse_errors == 0 && self.counts.warnings == 0 && !baseless
    }
}

impl Member {
    /// One that starts at `starts`.
    pub fn new(
        config: ClientConfig,
        script: Script,
        socket: usize,
        server: SocketAddr,
        starts: Arrival,
    ) -> Self {
        let mind = Mind::new(script, config.seed);
        let client = Client::new(config);
        Self {
            client,
            meter: Meter::default(),
            socket,
            server,
            starts,
            recorder: None,
            last_words: None,
            mind,
        }
    }

    /// Whether it plays.
    pub fn is_active(&self) -> bool {
        *self.client.state() == ClientState::Active
    }

    /// Whether it is out, and did not leave by itself.
    pub fn is_lost(&self) -> bool {
        matches!(self.client.state(), ClientState::Disconnected(reason) if *reason != DropReason::Left)
    }

    /// What it measured, `seconds` after the measuring began.
    pub fn result(&self, seconds: f64) -> MemberResult {
        MemberResult {
            name: self.client.config().name.clone(),
            slot: self.client.client_num().map(ClientNum::index),
            wire: self.client.wire(),
            was_active: self.is_active(),
            last_words: self.last_words.clone(),
            seconds,
            counts: self.meter.since_begin(&self.client.counts()),
            meter: self.meter.clone(),
        }
    }

    /// When it has something to do; `None` once it is out.
    pub fn next_wakeup(&self) -> Option<Arrival> {
        self.client.next_wakeup().map(|wakeup| wakeup.max(self.starts))
    }

    /// A datagram came from its server.
    pub fn receive(&mut self, now: Arrival, datagram: &[u8]) {
        let before = self.client.counts();
        self.client.receive(now, datagram);
        let ping = self.client.snapshots().newest().map_or(999, |snapshot| snapshot.ping.0.max(0));
        let counts = [&before, &self.client.counts()];
        self.meter.received(now, datagram.len(), counts, u64::from(ping.unsigned_abs()));
        self.note(now);
        self.listen();
    }

    /// Does what is due.
    pub fn advance(&mut self, now: Arrival) {
        self.client.input = self.mind.input(now, &self.client);
        if self.is_active()
            && let Some(words) = self.mind.words(now, &self.client)
        {
            // A command that finds no room is said again later, or is not missed.
            let _ = self.client.command(&words);
        }
        self.client.advance(now);
        self.note(now);
        self.listen();
    }

    fn note(&mut self, now: Arrival) {
        if let Some(recorder) = &mut self.recorder {
            recorder.note(now, &self.client);
        }
    }

    fn listen(&mut self) {
        while let Some(event) = self.client.poll_event() {
            match event {
                Event::Print(text) => self.last_words = Some(text.trim().to_owned()),
                Event::Dropped(reason) => self.last_words = Some(reason.to_string()),
                _ => (),
            }
        }
    }
}
