//! A snapshot as a client keeps it, and the ring of those it can delta from.

use fogline_common::ids::{EntityNum, Sequence};
use fogline_common::proto::limits::{MAX_MAP_AREA_BYTES, PACKET_BACKUP};
use fogline_common::proto::{EntityState, PlayerState};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::wire::messages::{SnapshotBases, SnapshotRef};

/// One decoded snapshot.
#[derive(Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Sequence of the message that carried it.
    pub message: u32,
    /// The moment that it shows.
    pub time: ServerTime,
    /// Flags; see [`snap_flag`](fogline_common::proto::snap_flag).
    pub flags: i32,
    /// The message that it was a change of; `None` if it came whole.
    pub delta_from: Option<u32>,
    /// Bytes of the area mask that came.
    pub area_bytes: usize,
    /// Areas that cannot be seen, one bit each.
    pub area_mask: [u8; MAX_MAP_AREA_BYTES],
    /// Our own player.
    pub player: PlayerState,
    /// Everything else, ascending by number.
    pub entities: Vec<EntityState>,
    /// Newest server command that had come when it did.
    pub command_sequence: i32,
    /// Time from sending the newest usercmd that it answers; 999 if none is known.
    pub ping: Millis,
}

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        let mut entities = std::mem::take(&mut self.entities);
        entities.clone_from(&source.entities);
        *self = Self { entities, ..source.head() };
    }
}

impl Snapshot {
    /// Everything but the entities.
    fn head(&self) -> Self {
        Self { entities: Vec::new(), ..*self }
    }
}

/// The last [`PACKET_BACKUP`] snapshots, by message number.
#[derive(Debug)]
pub struct SnapshotRing {
    slots: Vec<Slot>,
    newest: Option<u32>,
}

#[derive(Debug, Default)]
struct Slot {
    valid: bool,
    snapshot: Snapshot,
}

impl Default for SnapshotRing {
    fn default() -> Self {
        Self { slots: std::iter::repeat_with(Slot::default).take(PACKET_BACKUP).collect(), newest: None }
    }
}

impl SnapshotRing {
    /// Forgets everything, for a new gamestate. Buffers are kept.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.valid = false);
        self.newest = None;
    }

    /// The newest snapshot.
    pub fn newest(&self) -> Option<&Snapshot> {
        self.get(self.newest?)
    }

    /// The snapshot of that message, if it came and is not yet overwritten.
    pub fn get(&self, message: u32) -> Option<&Snapshot> {
        let slot = &self.slots[message as usize % PACKET_BACKUP];
        (slot.valid && slot.snapshot.message == message).then_some(&slot.snapshot)
    }

    /// The oldest snapshot that is newer than `message`.
    pub fn after(&self, message: Option<u32>) -> Option<&Snapshot> {
        let newest = self.newest?;
        let oldest_kept = newest.saturating_sub(PACKET_BACKUP as u32 - 1);
        let from = message.map_or(oldest_kept, |seen| seen.saturating_add(1).max(oldest_kept));
        (from..=newest).find_map(|message| self.get(message))
    }

    /// Files a snapshot. Those between the last and this one never came, and are
    /// forgotten, so that nobody takes what the slots held before for them.
    pub fn file(&mut self, snapshot: Snapshot) {
        let message = snapshot.message;
        let first_missing = self.newest.map_or(message, |newest| newest.saturating_add(1));
        for missing in first_missing.max(message.saturating_sub(PACKET_BACKUP as u32 - 1))..message {
            self.slots[missing as usize % PACKET_BACKUP].valid = false;
        }
        self.newest = Some(message);
        let slot = &mut self.slots[message as usize % PACKET_BACKUP];
        slot.valid = true;
        slot.snapshot = snapshot;
    }
}

/// What a snapshot of a server may be a change of: those that came before, and the baselines of the gamestate.
pub(crate) struct Bases<'a> {
    pub(crate) snapshots: &'a SnapshotRing,
    pub(crate) baselines: &'a [Option<EntityState>],
}

impl SnapshotBases for Bases<'_> {
    fn snapshot(&self, message: Sequence) -> Option<SnapshotRef<'_>> {
        let base = self.snapshots.get(message.0)?;
        Some(SnapshotRef { player: &base.player, entities: &base.entities })
    }

    fn baseline(&self, number: EntityNum) -> Option<&EntityState> {
        self.baselines.get(number.index())?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(message: u32) -> Snapshot {
        Snapshot { message, ..Snapshot::default() }
    }

    #[test]
    fn a_lost_message_is_no_base_even_where_its_slot_held_an_older_one() {
        let mut ring = SnapshotRing::default();
        for message in (1..=33).filter(|n| *n != 3) {
            ring.file(snapshot(message));
        }
        assert!(ring.get(1).is_none() && ring.get(3).is_none() && ring.get(35).is_none());
        assert!(ring.get(2).is_some() && ring.get(33).is_some());
    }

    #[test]
    fn snapshots_are_read_in_order_and_gaps_are_skipped() {
        let mut ring = SnapshotRing::default();
        for message in [4, 6, 9] {
            ring.file(snapshot(message));
        }
        let mut seen = Vec::new();
        let mut last = None;
        while let Some(next) = ring.after(last) {
            seen.push(next.message);
            last = Some(next.message);
        }
        assert_eq!(seen, [4, 6, 9]);
    }
}
