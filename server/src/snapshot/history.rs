//! The snapshots of one client that may still serve as delta bases.

use super::states::{StateLog, StateRef};
use fogline_common::ids::Sequence;
use fogline_common::proto::limits::{MAX_MAP_AREA_BYTES, MAX_SNAPSHOT_ENTITIES, PACKET_BACKUP};
use fogline_common::proto::{EntityState, PlayerState};
use fogline_common::time::ServerTime;
use fogline_common::wire::messages::SnapshotRef;

/// All that one client is told of one moment. Encoding cannot add facts to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The message that carried it; 0 while it was never sent.
    pub message: Sequence,
    /// The moment. Unit: ms of server time, as the client reads it.
    pub time: ServerTime,
    /// The newest server command sent until then. A client runs it when it draws this snapshot.
    pub commands: i32,
    /// Areas that are *not* to be drawn, a bit each. Shape: the first [`area_bytes`](Self::area_bytes) count.
    pub area_mask: [u8; MAX_MAP_AREA_BYTES],
    /// Bytes of the mask that travel.
    pub area_bytes: usize,
    /// The client's own player, or the one it follows.
    pub player: PlayerState,
    /// Everything else, by ascending number, as [`StateLog`] keeps it. Has room for all that the protocol allows.
    pub entities: Vec<StateRef>,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            message: Sequence(0),
            time: ServerTime(0),
            commands: 0,
            area_mask: [0; MAX_MAP_AREA_BYTES],
            area_bytes: 0,
            player: PlayerState::default(),
            entities: Vec::with_capacity(MAX_SNAPSHOT_ENTITIES),
        }
    }
}

impl Snapshot {
    /// Nothing but the player: for one who is on its way out.
    pub(super) fn show_nothing(&mut self, time: ServerTime, player: &PlayerState) {
        self.time = time;
        self.area_bytes = 0;
        self.player = *player;
        self.entities.clear();
    }
}

/// Ring of the last [`PACKET_BACKUP`] snapshots; a slot's buffers are reused.
#[derive(Debug)]
pub struct SnapshotHistory {
    ring: Box<[Snapshot]>,
}

/// A base must be younger than this, so that its slot cannot have been reused when the client applies the delta.
const OLDEST_BASE: u32 = PACKET_BACKUP as u32 - 3;

impl Default for SnapshotHistory {
    fn default() -> Self {
        Self { ring: (0..PACKET_BACKUP).map(|_| Snapshot::default()).collect() }
    }
}

impl SnapshotHistory {
    /// The slot that message `sequence` will carry.
    pub fn slot(&mut self, sequence: Sequence) -> &mut Snapshot {
        &mut self.ring[index(sequence)]
    }

    /// The snapshot that message `sequence` carried, if it is still here.
    pub fn get(&self, sequence: Sequence) -> Option<&Snapshot> {
        let snapshot = &self.ring[index(sequence)];
        (snapshot.message == sequence && sequence != Sequence(0)).then_some(snapshot)
    }

    /// What to delta against in message `next`, and how many messages back it lies.
    ///
    /// `None` (a full snapshot) if the client has acknowledged nothing, or nothing recent enough.
    pub fn base<'a>(
        &'a self,
        acknowledged: Option<Sequence>,
        next: Sequence,
        states: &'a StateLog,
    ) -> Option<(u8, SnapshotRef<'a, impl Iterator<Item = &'a EntityState> + use<'a>>)> {
        let acknowledged = acknowledged?;
        let age = next.0.checked_sub(acknowledged.0)?;
        if age == 0 || age >= OLDEST_BASE {
            return None;
        }
        let base = self.get(acknowledged)?;
        Some((age as u8, SnapshotRef { player: &base.player, entities: states.of(base)? }))
    }

    /// The newest server command that a client has run by the time it draws `drawn`, if it has received everything up to message
    /// `received`. `None` if nothing of that is remembered.
    pub fn commands_run(&self, received: Sequence, drawn: ServerTime) -> Option<i32> {
        let shown = |snapshot: &&Snapshot| {
            snapshot.message != Sequence(0) && snapshot.message <= received && snapshot.time <= drawn
        };
        self.ring.iter().filter(shown).map(|snapshot| snapshot.commands).max()
    }

    /// Forgets everything: a new map, a new connection.
    pub fn clear(&mut self) {
        for snapshot in &mut self.ring {
            snapshot.message = Sequence(0);
        }
    }
}

fn index(sequence: Sequence) -> usize {
    sequence.0 as usize & (PACKET_BACKUP - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_recent_and_was_really_sent() {
        let states = StateLog::for_clients(0);
        let mut history = SnapshotHistory::default();
        for n in 1..=40 {
            history.slot(Sequence(n)).message = Sequence(n);
        }
        let age = |acknowledged: u32| {
            history.base(Some(Sequence(acknowledged)), Sequence(41), &states).map(|(age, _)| age)
        };
        assert!(history.base(None, Sequence(41), &states).is_none());
        assert_eq!(age(40), Some(1));
        assert_eq!(age(13), Some(28));
        assert_eq!(age(12), None);
        assert_eq!(age(41), None);
        assert_eq!(age(99), None);
        assert_eq!(age(0), None);
    }

    #[test]
    fn commands_have_run_once_their_snapshot_is_drawn() {
        let mut history = SnapshotHistory::default();
        for n in 1..=5 {
            let slot = history.slot(Sequence(n));
            (slot.message, slot.time, slot.commands) =
                (Sequence(n), ServerTime(n as i32 * 50), n as i32 * 10);
        }
        let run = |received, drawn| history.commands_run(Sequence(received), ServerTime(drawn));
        assert_eq!(run(5, 200), Some(40));
        assert_eq!(run(5, 199), Some(30));
        assert_eq!(run(2, 1000), Some(20));
        assert_eq!(run(5, 49), None);
    }

    #[test]
    fn a_cleared_history_offers_no_base() {
        let (mut history, states) = (SnapshotHistory::default(), StateLog::for_clients(0));
        history.slot(Sequence(5)).message = Sequence(5);
        history.clear();
        assert!(history.base(Some(Sequence(5)), Sequence(6), &states).is_none());
    }
}
