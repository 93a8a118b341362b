//! A whole match in one value: a server, its bots, the network between them, and a clock that jumps from event to event.
//!
//! The server is driven by the same calls as in production, through [`ServerUnderTest`]. One seed decides everything random,
//! so the seed and the configuration are the whole report of a failing run; [`Sim::run`] puts them into the panic.

use crate::bot::{Bot, BotConfig};
use crate::checks::{CheckConfig, Checks};
use crate::network::{Delivery, LinkPair, Network};
use fogline_common::collision::ClipMap;
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::{EntityState, PlayerState};
use fogline_common::time::{Arrival, Millis, ServerTime};
use std::net::SocketAddr;
use std::sync::Arc;

/// A server as the program and the simulator drive it.
pub trait ServerUnderTest {
    /// A datagram came.
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]);
    /// The host typed a line.
    fn console_line(&mut self, now: Arrival, line: &str);
    /// Time has come.
    fn advance(&mut self, now: Arrival);
    /// The next datagram to send, and where to.
    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr>;
    /// When to come again.
    fn next_wakeup(&self) -> Arrival;
    /// The server ends.
    fn shutdown(&mut self, now: Arrival, reason: &str);
    /// What a message to a client carried, while the server still knows.
    fn built_snapshot(&self, client: ClientNum, message: Sequence) -> Option<BuiltSnapshot<'_>>;
    /// The next line for the host's console.
    fn poll_log(&mut self) -> Option<String>;
    /// The next line for the log of games.
    fn poll_game_log(&mut self) -> Option<String> {
        None
    }
}

/// A snapshot as the server built it.
#[derive(Clone, Debug)]
pub struct BuiltSnapshot<'a> {
    /// The moment that it shows.
    pub time: ServerTime,
    /// Areas that are not to be drawn.
    pub area_mask: &'a [u8],
    /// The client's own player.
    pub player: &'a PlayerState,
    /// Everything else, ascending.
    pub entities: Vec<EntityState>,
}

/// What a simulated match is made of.
#[derive(Clone, Debug, Default)]
pub struct SimConfig {
    /// The players, and how each is connected.
    pub bots: Vec<(BotConfig, LinkPair)>,
    /// What is checked after each step.
    pub checks: CheckConfig,
    /// The bots come from the internet and not from the host's own network, so rates and pings count.
    pub from_afar: bool,
}

impl SimConfig {
    /// `count` bots alike, on links alike.
    pub fn alike(count: usize, bot: &BotConfig, links: LinkPair) -> Self {
        Self { bots: vec![(bot.clone(), links); count], ..Self::default() }
    }
}

/// Something else on the network, such as an attacker: it is asked now and then for a datagram.
pub trait Outsider {
    /// The next datagram, from this address, and when to ask again. `None` for never.
    fn act(&mut self, now: Arrival, send: &mut dyn FnMut(SocketAddr, &[u8])) -> Option<Arrival>;
    /// The server sent it something.
    fn hear(&mut self, _now: Arrival, _datagram: &[u8]) {}
    /// A bot's datagram passed by on its way to the server.
    fn overhear(&mut self, _from: SocketAddr, _datagram: &[u8]) {}
    /// Whether an address reaches it, and not a bot.
    fn is_at(&self, address: SocketAddr) -> bool;
}

/// A simulated match.
pub struct Sim<S: ServerUnderTest> {
    /// The server.
    pub server: S,
    /// The players.
    pub bots: Vec<Bot>,
    /// The network.
    pub network: Network,
    /// What was checked and found.
    pub checks: Checks,
    /// What the server wrote to its console, at most the last [`Sim::LOG_KEPT`] lines.
    pub log: Vec<String>,
    /// Everything the server sent, folded into one number: equal runs have equal hashes.
    pub sent_hash: u64,
    /// The same for what each bot was sent, with how many datagrams that were.
    pub sent_to: Vec<(u64, u64)>,
    outsiders: Vec<(Box<dyn Outsider>, Option<Arrival>)>,
    now: Arrival,
    seed: u64,
    buffer: Vec<u8>,
}

impl<S: ServerUnderTest> Sim<S> {
    /// Most lines of the server's console that are kept.
    pub const LOG_KEPT: usize = 1000;

    /// A match that begins at the zero of its clock. `seed` decides everything random in bots and links; the server has been
    /// given its own.
    pub fn new(seed: u64, config: SimConfig, server: S) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut network = Network::default();
        let mut bots = Vec::new();
        let loses = |links: &LinkPair| links.up.loss > 0.0 || links.up.reorder > 0.0;
        let loses_usercmds: Vec<bool> = config.bots.iter().map(|(_, links)| loses(links)).collect();
        for (index, (mut bot, links)) in config.bots.into_iter().enumerate() {
            // Each in a network of its own, as players are.
            let first = if config.from_afar { [198, 18] } else { [10, 1] };
            let address =
                SocketAddr::from(([first[0], first[1], (index / 200) as u8, (index % 200) as u8], 27_960));
            network.connect(address, links, rng.u64(..));
            let defaults = fogline_tools::client::config::ClientConfig::default();
            if bot.client.name == defaults.name {
                bot.client.name = format!("bot{index}");
            }
            bot.client.qport = 1000 + index as u16;
            bot.client.guid = format!("{:032X}", u128::from(rng.u64(..)));
            bot.client.seed = rng.u64(..);
            bots.push(Bot::new(bot, rng.u64(..)));
        }
        let checks = Checks::new(config.checks, &loses_usercmds);
        let sent_to = vec![(FNV_OFFSET, 0); bots.len()];
        Self {
            server,
            bots,
            network,
            checks,
            log: Vec::new(),
            sent_hash: FNV_OFFSET,
            sent_to,
            outsiders: Vec::new(),
            now: Arrival::default(),
            seed,
            buffer: Vec::new(),
        }
    }

    /// Gives every bot the solid world to predict in.
    pub fn set_map(&mut self, map: &Arc<ClipMap>) {
        for bot in &mut self.bots {
            bot.client.set_map(Some(map.clone()));
        }
    }

    /// Lets somebody else onto the network.
    pub fn add_outsider(&mut self, outsider: Box<dyn Outsider>) {
        self.outsiders.push((outsider, Some(self.now)));
    }

    /// The simulated moment.
    pub fn now(&self) -> Arrival {
        self.now
    }

    /// The seed that replays this match.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The host types a line.
    pub fn console(&mut self, line: &str) {
        self.server.console_line(self.now, line);
        self.drain_server();
    }

    /// The server ends.
    pub fn shutdown(&mut self, reason: &str) {
        self.server.shutdown(self.now, reason);
        self.drain_server();
    }

    /// Runs for a span of simulated time.
    ///
    /// # Panics
    /// When a check fails, with the seed.
    pub fn run(&mut self, span: Millis) {
        let end = self.now.after(span);
        while let Some(next) = self.next_event().filter(|&next| next <= end) {
            self.now = self.now.max(next);
            self.step();
        }
        self.now = end;
    }

    /// Runs until something is true, at most for `span`. Whether it became true.
    pub fn run_until(&mut self, span: Millis, mut done: impl FnMut(&Self) -> bool) -> bool {
        let end = self.now.after(span);
        while !done(self) {
            let Some(next) = self.next_event().filter(|&next| next <= end) else {
                self.now = end;
                return done(self);
            };
            self.now = self.now.max(next);
            self.step();
        }
        true
    }

    /// Runs until every bot plays.
    ///
    /// # Panics
    /// If one does not within a minute.
    pub fn run_until_all_active(&mut self) {
        let all = self.run_until(Millis(60_000), |sim| sim.bots.iter().all(Bot::is_active));
        let states: Vec<_> = self.bots.iter().map(|bot| (bot.client.state(), bot.texts.last())).collect();
        assert!(all, "seed {}: not all are in the game after a minute: {states:?}", self.seed);
    }

    fn next_event(&self) -> Option<Arrival> {
        let bots = self.bots.iter().filter_map(Bot::next_wakeup);
        let outsiders = self.outsiders.iter().filter_map(|(_, wakeup)| *wakeup);
        let all = bots.chain(outsiders).chain(self.network.next_arrival()).chain([self.server.next_wakeup()]);
        all.min()
    }

    fn step(&mut self) {
        let now = self.now;
        while let Some(delivery) = self.network.pop_arrived(now) {
            match delivery {
                Delivery::AtServer(from, datagram) => {
                    for (outsider, _) in &mut self.outsiders {
                        outsider.overhear(from, &datagram);
                    }
                    self.server.receive(now, from, &datagram);
                    self.drain_server();
                }
                Delivery::AtEnd(index, datagram) => {
                    self.bots[index].receive(now, &datagram);
                    self.drain_bot(index);
                }
            }
        }
        self.run_outsiders();
        for index in 0..self.bots.len() {
            if self.bots[index].next_wakeup().is_some_and(|due| due <= now) {
                self.bots[index].advance(now);
                self.drain_bot(index);
            }
        }
        if self.server.next_wakeup() <= now {
            self.server.advance(now);
            self.drain_server();
        }
        self.checks.after_step(now, &self.server, &mut self.bots, self.seed);
    }

    fn run_outsiders(&mut self) {
        let now = self.now;
        let mut outsiders = std::mem::take(&mut self.outsiders);
        for (outsider, wakeup) in &mut outsiders {
            if !wakeup.is_some_and(|due| due <= now) {
                continue;
            }
            let mut datagrams = Vec::new();
            *wakeup = outsider.act(now, &mut |from, datagram| datagrams.push((from, datagram.to_vec())));
            for (from, datagram) in datagrams {
                self.checks.bytes_from_outsiders += datagram.len() as u64;
                self.server.receive(now, from, &datagram);
            }
        }
        self.outsiders = outsiders;
        self.drain_server();
    }

    fn drain_bot(&mut self, index: usize) {
        let mut buffer = std::mem::take(&mut self.buffer);
        while self.bots[index].client.poll_transmit(&mut buffer) {
            self.network.send_up(self.now, index, &buffer);
        }
        self.buffer = buffer;
    }

    fn drain_server(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some(to) = self.server.poll_transmit(&mut buffer) {
            self.fold(to, &buffer);
            self.checks.sent(buffer.len(), !self.network.has(to));
            match self.outsiders.iter_mut().find(|(outsider, _)| outsider.is_at(to)) {
                Some((outsider, _)) => outsider.hear(self.now, &buffer),
                None => self.network.send_down(self.now, to, &buffer),
            }
        }
        self.buffer = buffer;
        while let Some(line) = self.server.poll_log() {
            if self.log.len() == Self::LOG_KEPT {
                self.log.remove(0);
            }
            self.log.push(line);
        }
        while self.server.poll_game_log().is_some() {}
    }

    /// FNV-1a over address and bytes.
    fn fold(&mut self, to: SocketAddr, datagram: &[u8]) {
        let port = to.port().to_le_bytes();
        self.sent_hash = fnv(fnv(self.sent_hash, &port), datagram);
        if let Some(end) = self.network.end_at(to) {
            let (hash, count) = &mut self.sent_to[end];
            (*hash, *count) = (fnv(*hash, datagram), *count + 1);
        }
    }
}

/// Of nothing. Source: FNV-1a, 64 bits.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
