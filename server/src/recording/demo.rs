//! One demo that is being recorded: its messages, as a stock client would have written them.
//!
//! ```text
//! demo    record* | -1 i32 | -1 i32
//! record  sequence i32 | length i32 | message
//! ```
//!
//! The first message is a gamestate. Each after it has the server commands that the player was sent since, and a snapshot as a
//! change of the one before. Source: `CL_Record_f`, `CL_WriteDemoMessage`, `CL_ReadDemoMessage`.

use super::MAX_DEMO_BYTES;
use crate::level::Level;
use crate::snapshot::{Captured, Snapshot, StateLog, StateRef, WorldFrame};
use crate::visibility::{Verdict, wish_of_game};
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::math::Vec3;
use fogline_common::proto::limits::{
    MAX_CLIENTS, MAX_COMMAND_TEXT, MAX_MESSAGE_BYTES, MAX_RELIABLE_COMMANDS, MAX_SNAPSHOT_ENTITIES,
};
use fogline_common::proto::{PlayerState, snap_flag};
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::messages::{
    GamestateHead, SnapshotHead, SnapshotRef, write_end, write_gamestate, write_head, write_server_command,
    write_snapshot,
};
use std::collections::VecDeque;

/// What stands after the last message.
pub(super) const END: [u8; 8] = [255; 8];
/// Commands that one message takes: a client keeps 64 and runs those of a snapshot when it draws it.
const PER_MESSAGE: usize = MAX_RELIABLE_COMMANDS / 2;
/// Bytes of commands that one message takes, so that the snapshot has room.
const COMMAND_BYTES: usize = MAX_MESSAGE_BYTES / 4;
/// Commands that may wait for a message.
const MAX_WAITING: usize = 4096;

const _: () = assert!(COMMAND_BYTES > MAX_COMMAND_TEXT);

/// A demo that is being recorded.
#[derive(Debug)]
pub struct Demo {
    /// By which the rim knows it.
    pub(super) id: u32,
    /// Through whose eyes it is.
    pub player: ClientNum,
    /// Its file, as it was meant.
    pub file: String,
    /// Written so far.
    pub bytes: u64,
    /// The next message.
    sequence: Sequence,
    /// Number of the newest command that was written.
    command: i32,
    waiting: VecDeque<Vec<u8>>,
    last: Option<Snapshot>,
    spare: Snapshot,
    has_begun: bool,
    chosen: Vec<(f32, usize)>,
}

/// What a message is made from.
pub(super) struct Picture<'a> {
    pub(super) level: &'a Level,
    pub(super) frame: &'a WorldFrame,
    pub(super) states: &'a StateLog,
    pub(super) server_count: bool,
    pub(super) player: PlayerState,
}

impl Demo {
    pub(super) fn new(id: u32, player: ClientNum, file: &str) -> Self {
        Self {
            id,
            player,
            file: file.to_owned(),
            bytes: 0,
            sequence: Sequence(1),
            command: 0,
            waiting: VecDeque::new(),
            last: None,
            spare: Snapshot::default(),
            has_begun: false,
            chosen: Vec::new(),
        }
    }

    /// The player is sent a server command. What no client would survive it is not sent either.
    pub(super) fn hear(&mut self, text: &[u8]) {
        if text.len() <= MAX_COMMAND_TEXT && self.waiting.len() <= MAX_WAITING {
            self.waiting.push_back(text.to_vec());
        }
    }

    /// Commands that wait for the next message.
    #[cfg(test)]
    pub(super) fn commands_waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The records of one frame.
    ///
    /// # Errors
    /// Why the demo cannot go on.
    pub(super) fn record(
        &mut self,
        picture: &Picture<'_>,
        writer: &mut BitWriter,
    ) -> Result<Vec<u8>, &'static str> {
        if self.waiting.len() > MAX_WAITING {
            return Err("too many server commands came at once");
        }
        if self.bytes > MAX_DEMO_BYTES {
            return Err("it is as large as a demo may be");
        }
        let mut out = Vec::new();
        if !self.has_begun {
            self.has_begun = true;
            // The gamestate is as things are now: what came before is in it.
            self.waiting.clear();
            self.write_beginning(picture, writer);
            self.close(writer, &mut out)?;
        }
        self.write_moment(picture, writer);
        self.close(writer, &mut out)?;
        self.bytes += out.len() as u64;
        Ok(out)
    }

    fn write_beginning(&self, picture: &Picture<'_>, writer: &mut BitWriter) {
        let head = GamestateHead {
            command_sequence: self.command,
            client: self.player,
            checksum_feed: picture.level.checksum_feed,
        };
        let configstrings = picture.level.configstrings.iter().map(|(num, text)| (num, text.as_bytes()));
        writer.clear();
        write_head(writer, 0);
        write_gamestate(writer, &head, configstrings, &picture.level.baselines);
    }

    fn write_moment(&mut self, picture: &Picture<'_>, writer: &mut BitWriter) {
        writer.clear();
        write_head(writer, 0);
        let mut room = COMMAND_BYTES;
        for _ in 0..PER_MESSAGE {
            if self.waiting.front().is_none_or(|text| text.len() > room) {
                break;
            }
            let Some(text) = self.waiting.pop_front() else { break };
            room -= text.len();
            self.command += 1;
            write_server_command(writer, self.command, &text);
        }
        self.show(picture);
        let states = picture.states;
        let base = self
            .last
            .as_ref()
            .and_then(|last| Some(SnapshotRef { player: &last.player, entities: states.of(last)? }));
        let Some(entities) = states.of(&self.spare) else { return };
        let to = SnapshotRef { player: &self.spare.player, entities };
        let head = SnapshotHead {
            server_time: picture.frame.time,
            delta_num: u8::from(base.is_some()),
            flags: if picture.server_count { snap_flag::SERVERCOUNT } else { 0 },
            // Nothing is behind a closed door for who is told everything.
            area_mask: &[0; 32],
        };
        write_snapshot(writer, &head, base, to, &picture.level.baselines);
        let room = self.last.take().unwrap_or_default();
        self.last = Some(std::mem::replace(&mut self.spare, room));
    }

    /// Chooses what the snapshot shows: all that the game wants this player told of, whoever sees it.
    fn show(&mut self, picture: &Picture<'_>) {
        let player = picture.player;
        let own = usize::try_from(player.client_num).ok().and_then(ClientNum::new).unwrap_or(self.player);
        let entities = picture.frame.entities();
        self.chosen.clear();
        for (index, captured) in entities.iter().enumerate() {
            let is_told = captured.num != own.entity()
                && !matches!(wish_of_game(&captured.entity.link, own), Verdict::Withhold(_));
            if is_told {
                self.chosen.push((rank(captured, player.eye()), index));
            }
        }
        if self.chosen.len() > MAX_SNAPSHOT_ENTITIES {
            self.chosen.select_nth_unstable_by(MAX_SNAPSHOT_ENTITIES, |a, b| {
                a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
            });
            self.chosen.truncate(MAX_SNAPSHOT_ENTITIES);
            self.chosen.sort_unstable_by_key(|&(_, index)| index);
        }
        self.spare.player = player;
        self.spare.time = picture.frame.time;
        self.spare.entities.clear();
        let kept = |&(_, index): &(f32, usize)| -> StateRef { entities[index].kept };
        self.spare.entities.extend(self.chosen.iter().map(kept));
    }

    /// Ends the message in the writer and adds it as a record.
    fn close(&mut self, writer: &mut BitWriter, out: &mut Vec<u8>) -> Result<(), &'static str> {
        write_end(writer);
        let message = writer.bytes();
        if writer.overflowed() || message.len() > MAX_MESSAGE_BYTES {
            return Err("a message does not fit");
        }
        out.extend_from_slice(&self.sequence.0.to_le_bytes());
        out.extend_from_slice(&(message.len() as u32).to_le_bytes());
        out.extend_from_slice(message);
        self.sequence = self.sequence.next();
        Ok(())
    }
}

/// What is left out first if a snapshot is full: players never, of the rest what is farthest.
fn rank(captured: &Captured, eye: Vec3) -> f32 {
    if captured.num.client(MAX_CLIENTS).is_some() {
        return -1.0;
    }
    (captured.entity.link.origin - eye).length_squared()
}
