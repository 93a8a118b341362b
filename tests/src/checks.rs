//! What must hold after every step of a simulated match, whatever it is about.
//!
//! * every datagram decodes, without error and without warning;
//! * a decoded snapshot is the one that the server built;
//! * server time never goes back on one map;
//! * nobody is lost who did not leave;
//! * nobody's movement is predicted wrongly without a cause that its client cannot know of;
//! * nobody waits longer for a snapshot than is allowed.

use crate::bot::Bot;
use crate::sim::{BuiltSnapshot, ServerUnderTest};
use fogline_common::ids::Sequence;
use fogline_common::proto::PlayerState;
use fogline_common::time::{Arrival, Millis};
use fogline_tools::client::snapshot::Snapshot;
use std::net::SocketAddr;

/// What is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckConfig {
    /// Connections may be lost.
    pub may_lose: bool,
    /// Prediction may miss without a cause.
    pub may_miss: bool,
    /// Longest wait for a snapshot, where one is set.
    pub longest_gap: Option<Millis>,
}

/// The checks and what they counted.
#[derive(Debug)]
pub struct Checks {
    /// What is allowed; may be changed during a run.
    pub config: CheckConfig,
    /// Snapshots that were compared with what the server built.
    pub compared: u64,
    /// Snapshots that the server no longer knew when the client had them.
    pub forgotten: u64,
    /// Datagrams that the server sent.
    pub datagrams: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The largest of them.
    pub largest: usize,
    bots: Vec<Seen>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    lost: usize,
    unexplained: u64,
    parse_errors: u64,
    warnings: usize,
}

impl Checks {
    pub(crate) fn new(config: CheckConfig, bot_count: usize) -> Self {
        Self {
            config,
            compared: 0,
            forgotten: 0,
            datagrams: 0,
            bytes: 0,
            largest: 0,
            bots: vec![Seen::default(); bot_count],
        }
    }

    /// The server sent a datagram.
    pub(crate) fn sent(&mut self, _to: SocketAddr, size: usize) {
        self.datagrams += 1;
        self.bytes += size as u64;
        self.largest = self.largest.max(size);
    }

    pub(crate) fn after_step(
        &mut self,
        now: Arrival,
        server: &impl ServerUnderTest,
        bots: &mut [Bot],
        seed: u64,
    ) {
        for (index, bot) in bots.iter_mut().enumerate() {
            let at = || format!("seed {seed}, bot {index}, at {} ms", now.0 / 1000);
            self.check_snapshots(server, bot, &at);
            self.check_bot(index, bot, &at);
        }
    }

    fn check_snapshots(&mut self, server: &impl ServerUnderTest, bot: &mut Bot, at: &impl Fn() -> String) {
        let Some(num) = bot.client.client_num() else { return };
        for message in bot.fresh_snapshots.drain(..) {
            let Some(decoded) = bot.client.snapshots().get(message) else { continue };
            let Some(built) = server.built_snapshot(num, Sequence(message)) else {
                self.forgotten += 1;
                continue;
            };
            self.compared += 1;
            if let Some(difference) = difference(decoded, &built) {
                panic!("{}: snapshot of message {message}: {difference}", at());
            }
        }
    }

    fn check_bot(&mut self, index: usize, bot: &Bot, at: &impl Fn() -> String) {
        let seen = &mut self.bots[index];
        let counts = bot.client.counts();
        if counts.parse_errors > seen.parse_errors || bot.warnings.len() > seen.warnings {
            panic!("{}: could not read the server: {:?}, {:?}", at(), bot.lost, bot.warnings);
        }
        if bot.lost.len() > seen.lost {
            seen.lost = bot.lost.len();
            assert!(self.config.may_lose, "{}: lost: {:?}; was told {:?}", at(), bot.lost, last(&bot.texts));
        }
        if counts.predict.unexplained > seen.unexplained && !self.config.may_miss {
            let misses: Vec<_> = bot.client.predictor().misses().collect();
            panic!("{}: predicted wrongly: {:?}", at(), misses.last());
        }
        seen.unexplained = counts.predict.unexplained;
        if let Some(limit) = self.config.longest_gap {
            let gap = counts.longest_gap;
            assert!(gap <= limit, "{}: waited {} ms for a snapshot", at(), gap.0);
        }
    }
}

fn last(texts: &[String]) -> &[String] {
    &texts[texts.len().saturating_sub(3)..]
}

/// What differs between a decoded and a built snapshot, in words.
fn difference(decoded: &Snapshot, built: &BuiltSnapshot<'_>) -> Option<String> {
    if decoded.time != built.time {
        return Some(format!("time {:?} was built as {:?}", decoded.time, built.time));
    }
    let mask = &decoded.area_mask[..decoded.area_bytes];
    if mask != built.area_mask {
        return Some(format!("area mask {mask:x?} was built as {:x?}", built.area_mask));
    }
    let (got, made) = (as_sent(&decoded.player), as_sent(built.player));
    if got != made {
        return Some(format!("player {got:?} was built as {made:?}"));
    }
    if decoded.entities.len() != built.entities.len() {
        let numbers = |states: &[fogline_common::proto::EntityState]| -> Vec<i32> {
            states.iter().map(|state| state.number).collect()
        };
        let (got, made) = (numbers(&decoded.entities), numbers(built.entities));
        return Some(format!("entities {got:?} were built as {made:?}"));
    }
    let mut pairs = decoded.entities.iter().zip(built.entities);
    pairs.find(|(got, made)| got != made).map(|(got, made)| format!("entity {got:?} was built as {made:?}"))
}

/// The player without what never travels.
fn as_sent(player: &PlayerState) -> PlayerState {
    PlayerState {
        external_event_time: 0,
        ping: 0,
        pmove_frame_count: 0,
        jumppad_frame: 0,
        entity_event_sequence: 0,
        ..*player
    }
}
