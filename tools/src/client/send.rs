//! What goes out: requests in the open, then one packet after another.
//!
//! Source: `CL_WritePacket`, `CL_ReadyToSendPacket`, `CL_Netchan_Transmit`.

use crate::client::events::DropReason;
use crate::client::{Client, ClientState};
use fogline_common::proto::UserCmd;
use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::delta::{move_key, write_usercmd};

/// Parts of a client message. Source: facts page "q3-protocol-facts", section 7.
mod op {
    pub(super) const MOVE: i32 = 2;
    pub(super) const MOVE_NO_DELTA: i32 = 3;
    pub(super) const COMMAND: i32 = 4;
}

/// Before it is primed a client sends at most one packet in so long.
const IDLE_GAP: Millis = Millis(1000);

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
        w.write_long(self.world.server_id);
        w.write_long(link.message);
        w.write_long(self.incoming.sequence);
        for (number, text) in self.outgoing.pending() {
            w.write_byte(op::COMMAND);
            w.write_long(number);
            w.write_text(text, fogline_common::proto::limits::MAX_STRING_CHARS);
        }
        let numbers = self.world.moves.to_send(link.netchan.outgoing().0, self.config.packet_dup.min(5));
        if numbers.is_empty() {
            return;
        }
        // A delta is asked for only from the very message that is acknowledged.
        let newest = self.world.snapshots.newest().map(|snapshot| snapshot.message);
        let can_delta = newest == u32::try_from(link.message).ok() && !self.config.no_delta;
        w.write_byte(if can_delta { op::MOVE } else { op::MOVE_NO_DELTA });
        w.write_byte(numbers.clone().count() as i32);
        let key_text = self.incoming.text(self.incoming.sequence);
        let key = move_key(self.world.checksum_feed, link.message, key_text);
        let mut before = UserCmd::default();
        for number in numbers {
            let cmd = self.world.moves.get(number);
            write_usercmd(w, key, &before, &cmd);
            before = cmd;
        }
    }
}
