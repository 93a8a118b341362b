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
use fogline_common::proto::limits::ENTITY_NUM_BITS;
use fogline_common::proto::{EntityState, PlayerState};
use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::bits::{BitReader, BitWriter};
use fogline_common::wire::delta::{read_entity, read_player, write_entity, write_player};
use fogline_tools::client::snapshot::Snapshot;

/// What is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckConfig {
    /// Connections may be lost.
    pub may_lose: bool,
    /// Prediction may miss without a cause. It must be allowed where usercmds are lost: the server then runs others than the
    /// client did. The simulator allows it to bots whose way up loses or reorders.
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
    /// Bytes of those that went to nobody who plays.
    pub bytes_to_strangers: u64,
    /// Bytes that outsiders sent.
    pub bytes_from_outsiders: u64,
    bots: Vec<Seen>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    may_miss: bool,
    lost: usize,
    unexplained: u64,
}

impl Checks {
    pub(crate) fn new(config: CheckConfig, loses_usercmds: &[bool]) -> Self {
        Self {
            config,
            compared: 0,
            forgotten: 0,
            datagrams: 0,
            bytes: 0,
            largest: 0,
            bytes_to_strangers: 0,
            bytes_from_outsiders: 0,
            bots: loses_usercmds.iter().map(|&may_miss| Seen { may_miss, ..Seen::default() }).collect(),
        }
    }

    /// The server sent a datagram.
    pub(crate) fn sent(&mut self, size: usize, to_a_stranger: bool) {
        if to_a_stranger {
            self.bytes_to_strangers += size as u64;
        }
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
        if counts.parse_errors > 0 || !bot.warnings.is_empty() {
            panic!("{}: could not read the server: {:?}, {:?}", at(), bot.lost, bot.warnings);
        }
        if bot.lost.len() > seen.lost {
            seen.lost = bot.lost.len();
            assert!(self.config.may_lose, "{}: lost: {:?}; was told {:?}", at(), bot.lost, last(&bot.texts));
        }
        if counts.predict.unexplained > seen.unexplained && !self.config.may_miss && !seen.may_miss {
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
    let made = player_as_sent(built.player);
    if decoded.player != made {
        return Some(format!("player {:?} was built as {made:?}", decoded.player));
    }
    if decoded.entities.len() != built.entities.len() {
        let numbers =
            |states: &[EntityState]| -> Vec<i32> { states.iter().map(|state| state.number).collect() };
        let (got, made) = (numbers(&decoded.entities), numbers(&built.entities));
        return Some(format!("entities {got:?} were built as {made:?}"));
    }
    let mut pairs =
        decoded.entities.iter().zip(&built.entities).map(|(got, made)| (got, entity_as_sent(made)));
    pairs.find(|(got, made)| *got != made).map(|(got, made)| format!("entity {got:?} was built as {made:?}"))
}

/// The player as the wire can say it: without what never travels, and each number within its width.
fn player_as_sent(player: &PlayerState) -> PlayerState {
    let mut writer = BitWriter::new();
    write_player(&mut writer, None, player);
    writer.write_byte(0);
    read_player(&mut BitReader::new(writer.bytes()), None).expect("it was just written")
}

/// The entity as the wire can say it.
fn entity_as_sent(entity: &EntityState) -> EntityState {
    let mut writer = BitWriter::new();
    write_entity(&mut writer, None, Some(entity), true);
    writer.write_byte(0);
    let mut reader = BitReader::new(writer.bytes());
    let number = reader.read_bits(ENTITY_NUM_BITS);
    read_entity(&mut reader, number, None).expect("it was just written").expect("it is not gone")
}
