//! Counters of the engine. Bad input is counted by cause; nothing is dropped in silence.

use crate::snapshot::build::BuildCounts;
use crate::visibility::Cause;

/// Why a sequenced packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PacketFault {
    /// Longer or shorter than any packet may be.
    Size,
    /// No client has this address and qport.
    Stranger,
    /// Older than or the same as one already received, or fragments in a wrong order.
    OutOfOrder,
    /// The checksum or header does not fit.
    Header,
    /// The message does not parse.
    Message,
    /// It acknowledges what was never sent.
    Acknowledge,
    /// It came from another port and did not prove to be the player's.
    Unproven,
}

impl PacketFault {
    /// Every cause, for tables.
    pub const ALL: [Self; 7] = [
        Self::Size,
        Self::Stranger,
        Self::OutOfOrder,
        Self::Header,
        Self::Message,
        Self::Acknowledge,
        Self::Unproven,
    ];
}

/// Counters since the server started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Frames run.
    pub frames: u64,
    /// Frames given up in stalls. Unit: ms.
    pub stalled_ms: u64,
    /// Sequenced packets accepted.
    pub packets: u64,
    /// Sequenced packets dropped, in the order of [`PacketFault::ALL`].
    pub packet_faults: [u64; PacketFault::ALL.len()],
    /// Usercmds executed.
    pub usercmds: u64,
    /// Snapshots sent.
    pub snapshots: u64,
    /// Snapshots sent without a delta base.
    pub full_snapshots: u64,
    /// Snapshots left out because a client's line was busy.
    pub rate_delays: u64,
    /// Snapshots that did not fit a message and were left out.
    pub oversized_snapshots: u64,
    /// Entities left out of full snapshots.
    pub entity_drops: u64,
    /// Portals not looked through because a snapshot had too many.
    pub viewpoint_drops: u64,
    /// Text commands of clients not passed to the game because they came too fast.
    pub flooded_commands: u64,
    /// Commands refused for their length.
    pub overlong_commands: u64,
    /// Entities sent or withheld, in the order of [`Cause::ALL`].
    pub causes: [u64; Cause::ALL.len()],
    /// Players that clients might have been told of, over all snapshots.
    pub players_considered: u64,
    /// Of those, withheld: far or out of sight.
    pub players_withheld: u64,
    /// Entities left out because they would have told of a withheld player.
    pub redacted: u64,
    /// Sounds of players out of sight that clients were given.
    pub unseen_sounds: u64,
    /// What telling of the withheld players would have taken, at least. Unit: bytes.
    pub saved_bytes: u64,
    /// Files that clients began to fetch.
    pub downloads: u64,
    /// Files that clients have fetched to their end.
    pub downloads_complete: u64,
    /// Blocks of files sent.
    pub download_blocks: u64,
    /// Bytes of datagrams sent.
    pub bytes_out: u64,
    /// Datagrams sent.
    pub datagrams_out: u64,
    /// Bytes of datagrams received.
    pub bytes_in: u64,
    /// Datagrams received.
    pub datagrams_in: u64,
}

impl Metrics {
    /// Counts a dropped packet.
    pub fn fault(&mut self, fault: PacketFault) {
        self.packet_faults[fault as usize] += 1;
    }

    /// How often packets were dropped for this cause.
    pub fn faults(&self, fault: PacketFault) -> u64 {
        self.packet_faults[fault as usize]
    }
}

impl Metrics {
    /// Adds what building one snapshot found.
    pub(crate) fn count_build(&mut self, counts: &BuildCounts) {
        for (sum, count) in self.causes.iter_mut().zip(counts.causes) {
            *sum += u64::from(count);
        }
        self.entity_drops += u64::from(counts.full_drops);
        self.viewpoint_drops += u64::from(counts.viewpoint_drops);
        self.players_considered += u64::from(counts.players);
        self.players_withheld += u64::from(counts.withheld);
        self.redacted += u64::from(counts.redacted);
        self.unseen_sounds += u64::from(counts.sounds);
        self.saved_bytes += u64::from(counts.saved_bytes);
    }
}
