//! One simulated player: a headless client, a mind that moves it, and what it went through.

use fogline_common::time::{Arrival, Millis};
use fogline_tools::client::config::ClientConfig;
use fogline_tools::client::events::{ClientCounts, DropReason, Event};
use fogline_tools::client::{Client, ClientState, Input};
use fogline_tools::script::{Mind, Script};
use std::sync::Arc;

/// What a bot does beside its script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// It leaves and comes back after so long, again and again.
    pub reconnect_every: Option<Millis>,
}

/// How a bot is made.
#[derive(Clone, Debug)]
pub struct BotConfig {
    /// Its client. Name, qport, guid and seed are set by the simulator if they are left at their defaults.
    pub client: ClientConfig,
    /// What it does in the game.
    pub script: Script,
    /// What it does beside it.
    pub habits: Habits,
    /// When it asks to be let in for the first time.
    pub joins_at: Arrival,
}

impl Default for BotConfig {
    fn default() -> Self {
        Self {
            client: ClientConfig::default(),
            script: Script::Wander,
            habits: Habits::default(),
            joins_at: Arrival::default(),
        }
    }
}

/// One simulated player.
pub struct Bot {
    /// Its client.
    pub client: Client,
    /// Its mind.
    pub mind: Mind,
    /// What its hands do in place of what its mind would, while a test wants to lead them.
    pub hands: Option<Input>,
    /// Text that it was shown, newest last, at most [`Bot::TEXTS_KEPT`].
    pub texts: Vec<String>,
    /// Connections lost that it did not end itself.
    pub lost: Vec<(Arrival, DropReason)>,
    /// Connections that reached the game.
    pub times_active: u32,
    /// Gamestates seen over all connections.
    pub gamestates: u64,
    /// Restarts seen over all connections.
    pub restarts: u64,
    /// Snapshots decoded since the check looked last: message numbers.
    pub fresh_snapshots: Vec<u32>,
    /// Files fetched over all connections: name and bytes.
    pub files: Vec<(String, Arc<[u8]>)>,
    /// Warnings, in words, at most [`Bot::TEXTS_KEPT`].
    pub warnings: Vec<String>,
    config: BotConfig,
    joined: Option<Arrival>,
    /// Counts of connections that are over.
    past: Vec<ClientCounts>,
}

impl Bot {
    /// Most texts that a bot remembers.
    pub const TEXTS_KEPT: usize = 400;
    /// A stock server refuses a client that comes back sooner. Source: `sv_reconnectlimit`.
    const COMES_BACK_AFTER: Millis = Millis(3500);

    /// A bot that has not joined yet.
    pub fn new(config: BotConfig, seed: u64) -> Self {
        Self {
            client: Client::new(config.client.clone()),
            mind: Mind::new(config.script, seed),
            hands: None,
            texts: Vec::new(),
            lost: Vec::new(),
            times_active: 0,
            gamestates: 0,
            restarts: 0,
            fresh_snapshots: Vec::new(),
            files: Vec::new(),
            warnings: Vec::new(),
            joined: None,
            past: Vec::new(),
            config,
        }
    }

    /// How it was made.
    pub fn config(&self) -> &BotConfig {
        &self.config
    }

    /// Whether it plays now.
    pub fn is_active(&self) -> bool {
        *self.client.state() == ClientState::Active
    }

    /// When it has something to do.
    pub fn next_wakeup(&self) -> Option<Arrival> {
        let Some(joined) = self.joined else { return Some(self.config.joins_at) };
        let leaves = self.config.habits.reconnect_every.map(|every| joined.after(every));
        match (self.client.next_wakeup(), leaves) {
            (Some(client), Some(leaves)) => Some(client.min(leaves)),
            (Some(client), None) => Some(client),
            // Out: it comes back only if that is its habit.
            (None, leaves) => leaves.map(|leaves| leaves.after(Self::COMES_BACK_AFTER)),
        }
    }

    /// Does what is due at `now`.
    pub fn advance(&mut self, now: Arrival) {
        if self.joined.is_none() {
            if now < self.config.joins_at {
                return;
            }
            self.joined = Some(now);
        }
        self.leave_or_come_back(now);
        let by_itself = self.mind.input(now, &self.client);
        self.client.input = self.hands.unwrap_or(by_itself);
        if self.is_active()
            && let Some(words) = self.mind.words(now, &self.client)
            && let Err(error) = self.client.command(&words)
        {
            self.note_warning(format!("could not say {words:?}: {error}"));
        }
        self.client.advance(now);
        self.take_events(now);
    }

    /// A datagram of the server came.
    pub fn receive(&mut self, now: Arrival, datagram: &[u8]) {
        self.client.receive(now, datagram);
        self.take_events(now);
    }

    /// Counts of this and all earlier connections.
    pub fn all_counts(&self) -> impl Iterator<Item = ClientCounts> {
        self.past.iter().copied().chain([self.client.counts()])
    }

    fn leave_or_come_back(&mut self, now: Arrival) {
        let (Some(every), Some(joined)) = (self.config.habits.reconnect_every, self.joined) else { return };
        if matches!(self.client.state(), ClientState::Disconnected(_)) {
            if now >= joined.after(every).after(Self::COMES_BACK_AFTER) {
                self.begin_anew(now);
            }
        } else if now >= joined.after(every) {
            self.client.disconnect(now);
        }
    }

    /// Another client comes in its place.
    pub fn begin_anew(&mut self, now: Arrival) {
        self.past.push(self.client.counts());
        let seed = self.config.client.seed.wrapping_add(self.past.len() as u64);
        let config = ClientConfig { seed, ..self.config.client.clone() };
        let map = self.client.map().cloned();
        self.client = Client::new(config);
        self.client.set_map(map);
        self.fresh_snapshots.clear();
        self.joined = Some(now);
    }

    fn take_events(&mut self, now: Arrival) {
        while let Some(event) = self.client.poll_event() {
            match event {
                Event::Print(text) | Event::Chat(text) | Event::Command(text) => self.note_text(text),
                Event::Active => self.times_active += 1,
                Event::Gamestate { .. } => {
                    self.gamestates += 1;
                    self.fresh_snapshots.clear();
                }
                Event::Downloaded { name, bytes } => self.files.push((name, bytes)),
                Event::MapRestart => self.restarts += 1,
                Event::Snapshot { message, .. } => self.fresh_snapshots.push(message),
                Event::Dropped(DropReason::Left) => (),
                Event::Dropped(reason) => self.lost.push((now, reason)),
                Event::Warning(text) => self.note_warning(text),
                Event::Connected | Event::Configstring(_) => (),
            }
        }
    }

    fn note_text(&mut self, text: String) {
        if self.texts.len() == Self::TEXTS_KEPT {
            self.texts.remove(0);
        }
        self.texts.push(text);
    }

    fn note_warning(&mut self, text: String) {
        if self.warnings.len() < Self::TEXTS_KEPT {
            self.warnings.push(text);
        }
    }
}
