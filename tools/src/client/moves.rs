//! Usercmds made so far, and which packet carried how many of them.
//!
//! Source: `CL_CreateNewCommands`, `CL_WritePacket`, and the ping of `CL_ParseSnapshot`.

use fogline_common::proto::UserCmd;
use fogline_common::proto::limits::{MAX_PACKET_USERCMDS, PACKET_BACKUP};
use fogline_common::time::{Arrival, Millis};
use std::ops::RangeInclusive;

/// Usercmds that a client keeps. Source: `CMD_BACKUP`.
pub const CMD_BACKUP: usize = 64;

/// A packet that went out.
#[derive(Clone, Copy, Debug, Default)]
struct SentPacket {
    at: Arrival,
    /// Time of the newest usercmd in it.
    newest_time: i32,
    /// Number of that usercmd.
    newest_number: u32,
}

/// The ring of usercmds and the ring of packets. Usercmds are numbered from 1.
#[derive(Clone, Debug)]
pub struct Moves {
    cmds: [UserCmd; CMD_BACKUP],
    newest: u32,
    packets: [SentPacket; PACKET_BACKUP],
}

impl Default for Moves {
    fn default() -> Self {
        Self {
            cmds: [UserCmd::default(); CMD_BACKUP],
            newest: 0,
            packets: [SentPacket::default(); PACKET_BACKUP],
        }
    }
}

impl Moves {
    /// Forgets everything, for a new gamestate.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Forgets what the usercmds were, not how many: what map_restart does, so that none claims a time of before.
    pub fn blank(&mut self) {
        self.cmds = [UserCmd::default(); CMD_BACKUP];
    }

    /// Adds one.
    pub fn push(&mut self, cmd: UserCmd) {
        self.newest += 1;
        self.cmds[self.newest as usize % CMD_BACKUP] = cmd;
    }

    /// Number of the newest; 0 if there is none.
    pub const fn newest(&self) -> u32 {
        self.newest
    }

    /// A usercmd by number, if it is still kept. Numbers from before the first give an empty one, as in the original.
    pub fn get(&self, number: u32) -> UserCmd {
        self.cmds[number as usize % CMD_BACKUP]
    }

    /// Numbers of all that are kept, oldest first.
    pub fn kept(&self) -> RangeInclusive<u32> {
        self.newest.saturating_sub(CMD_BACKUP as u32 - 1).max(1)..=self.newest
    }

    /// Numbers to put into the packet that `sequence` will carry: all since the one before, and `duplicates` packets' worth
    /// again; at most what a packet may hold.
    pub fn to_send(&self, sequence: u32, duplicates: u32) -> RangeInclusive<u32> {
        let before = self.packets[sequence.wrapping_sub(1 + duplicates) as usize % PACKET_BACKUP];
        let count = self.newest.saturating_sub(before.newest_number).min(MAX_PACKET_USERCMDS as u32);
        self.newest + 1 - count..=self.newest
    }

    /// Notes that `sequence` went out at `now`.
    pub fn sent(&mut self, sequence: u32, now: Arrival) {
        let newest_time = if self.newest == 0 { 0 } else { self.get(self.newest).server_time };
        self.packets[sequence as usize % PACKET_BACKUP] =
            SentPacket { at: now, newest_time, newest_number: self.newest };
    }

    /// Time since the packet before `sequence` went out.
    pub fn since_last_sent(&self, sequence: u32, now: Arrival) -> Millis {
        now.since(self.packets[sequence.wrapping_sub(1) as usize % PACKET_BACKUP].at)
    }

    /// Time from sending the newest packet whose usercmds were all executed by `command_time`; 999 if none is known.
    /// `sequence` is the next to be sent.
    pub fn ping(&self, sequence: u32, command_time: i32, now: Arrival) -> Millis {
        (1..=PACKET_BACKUP as u32)
            .map(|back| &self.packets[sequence.wrapping_sub(back) as usize % PACKET_BACKUP])
            .find(|packet| command_time >= packet.newest_time)
            .map_or(Millis(999), |packet| now.since(packet.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cmd(server_time: i32) -> UserCmd {
        UserCmd { server_time, ..UserCmd::default() }
    }

    #[test]
    fn a_packet_repeats_what_the_one_before_carried() {
        let mut moves = Moves::default();
        for sequence in 1..=3 {
            moves.push(cmd(sequence * 20));
            moves.push(cmd(sequence * 20 + 10));
            let numbers = moves.to_send(sequence as u32, 1);
            let expected = if sequence == 1 { 1..=2 } else { sequence as u32 * 2 - 3..=sequence as u32 * 2 };
            assert_eq!(numbers, expected);
            moves.sent(sequence as u32, Arrival::from_millis(sequence as u64 * 20));
        }
        assert!(moves.to_send(4, 0).is_empty());
    }

    #[test]
    fn a_packet_never_holds_more_than_the_server_reads() {
        let mut moves = Moves::default();
        (0..200).for_each(|n| moves.push(cmd(n)));
        assert_eq!(moves.to_send(1, 1).count(), MAX_PACKET_USERCMDS);
        assert_eq!(moves.kept(), 137..=200);
    }

    #[test]
    fn ping_is_the_age_of_the_newest_packet_that_was_executed() {
        let mut moves = Moves::default();
        for sequence in 1..=4 {
            moves.push(cmd(sequence * 10));
            moves.sent(sequence as u32, Arrival::from_millis(sequence as u64 * 10));
        }
        assert_eq!(moves.ping(5, 25, Arrival::from_millis(75)), Millis(55));
        assert_eq!(moves.ping(5, 40, Arrival::from_millis(75)), Millis(35));
    }
}
