//! What goes out: requests in the open, then one packet after another.
//!
//! Source: `CL_WritePacket`, `CL_ReadyToSendPacket`, `CL_Netchan_Transmit`.

use crate::client::events::DropReason;
use crate::client::{Client, ClientState};
use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::delta::move_key;
use fogline_common::wire::messages::{write_client_command, write_client_head, write_move};

/// The numbers that a message of this client would begin with now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageNumbers {
    /// `sv_serverid` of the map that it knows.
    pub server_id: i32,
    /// The newest message that it has.
    pub message_acknowledge: i32,
    /// The newest server command that it has.
    pub reliable_acknowledge: i32,
    /// The number that its next command would have.
    pub next_command: i32,
}

/// Before it is primed a client sends at most one packet in so long.
const IDLE_GAP: Millis = Millis(1000);
/// While it fetches a file, one in so long.
const DOWNLOAD_GAP: Millis = Millis(50);

impl Client {
    pub(super) fn send_handshake(&mut self, now: Arrival) {
        let mut handshake = self.handshake.clone();
        let (config, userinfo) = (self.config.clone(), self.userinfo.clone());
        self.post(|datagram| handshake.write(now, &config, &userinfo, datagram));
        self.handshake = handshake;
    }

    /// Whether a packet may go out now.
    pub(super) fn is_time_to_send(&self, now: Arrival) -> bool {
        let (Some(link), Some(spoke)) = (&self.link, self.spoke) else { return self.link.is_some() };
        match self.state {
            ClientState::Primed | ClientState::Active => {
                let gap = 1000 / self.config.max_packets.clamp(15, 125);
                let sequence = link.netchan.outgoing().0;
                self.config.is_lan || self.world.moves.since_last_sent(sequence, now) >= Millis(gap)
            }
            ClientState::Downloading => now.since(spoke) >= DOWNLOAD_GAP,
            _ => now.since(spoke) >= IDLE_GAP,
        }
    }

    /// Sends everything that the server has not confirmed: commands, and the newest usercmds.
    pub(super) fn send_packet(&mut self, now: Arrival) {
        self.write_message();
        let Some(link) = &mut self.link else { return };
        let sequence = link.netchan.outgoing().0;
        let key_text = self.incoming.text(self.incoming.sequence);
        if let Err(error) = link.netchan.send(&mut self.writer, key_text) {
            self.drop(DropReason::Error(error.to_string()));
            return;
        }
        self.world.moves.sent(sequence, now);
        self.spoke = Some(now);
        self.transmit();
    }

    /// Sends a message that no honest client would, through this client's own channel: `write` fills it, given the numbers that
    /// an honest message would begin with. For trying how a server bears it.
    pub fn send_crafted(&mut self, write: impl FnOnce(&mut BitWriter, &MessageNumbers)) {
        let Some(link) = &mut self.link else { return };
        let numbers = MessageNumbers {
            server_id: self.world.server_id,
            message_acknowledge: link.message,
            reliable_acknowledge: self.incoming.sequence,
            next_command: self.outgoing.sequence + 1,
        };
        self.writer.clear();
        write(&mut self.writer, &numbers);
        // One that does not fit its buffer is not sent: it could not be put on the wire either.
        if link.netchan.send(&mut self.writer, self.incoming.text(self.incoming.sequence)).is_ok() {
            self.transmit();
        }
    }

    /// Puts what the netchan holds into the outbox.
    fn transmit(&mut self) {
        loop {
            let mut datagram = self.spare.pop().unwrap_or_default();
            datagram.clear();
            let Some(link) = &mut self.link else { return };
            if !link.netchan.poll_transmit(&mut datagram) {
                self.spare.push(datagram);
                return;
            }
            self.counts.datagrams_out += 1;
            self.counts.bytes_out += datagram.len() as u64;
            self.outbox.push_back(datagram);
        }
    }

    fn write_message(&mut self) {
        let Some(link) = &self.link else { return };
        let w = &mut self.writer;
        w.clear();
        write_client_head(w, self.world.server_id, link.message, self.incoming.sequence);
        for (number, text) in self.outgoing.pending() {
            write_client_command(w, number, text);
        }
        let numbers = self.world.moves.to_send(link.netchan.outgoing().0, self.config.packet_dup.min(5));
        if numbers.is_empty() {
            return;
        }
        self.cmds.clear();
        self.cmds.extend(numbers.map(|number| self.world.moves.get(number)));
        // A delta is asked for only from the very message that is acknowledged.
        let newest = self.world.snapshots.newest().map(|snapshot| snapshot.message);
        let can_delta = newest == u32::try_from(link.message).ok() && !self.config.no_delta;
        let key_text = self.incoming.text(self.incoming.sequence);
        let key = move_key(self.world.checksum_feed, link.message, key_text);
        write_move(w, can_delta, key, &self.cmds);
    }
}
