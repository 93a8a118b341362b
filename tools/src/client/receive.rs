//! What comes in: answers in the open, then one message after another.
//!
//! Source: `CL_PacketEvent`, `CL_ParseServerMessage`, `CL_ParseGamestate`, `CL_ParseSnapshot`.

use crate::client::events::{DropReason, Event};
use crate::client::handshake::{CONNECTIONLESS, Heard};
use crate::client::snapshot::{Bases, Snapshot};
use crate::client::{Client, ClientState, Link};
use fogline_common::ids::Sequence;
use fogline_common::proto::limits::MAX_MAP_AREA_BYTES;
use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::Warning;
use fogline_common::wire::messages::{Gamestate, ServerContext, ServerMessage, ServerOp, SnapshotMessage};
use fogline_common::wire::netchan::{Netchan, Received, Side};

/// A server that forgot us is believed only if it has been silent for so long.
const FORGOTTEN_AFTER: Millis = Millis(3000);

impl Client {
    /// A datagram came from the server's address.
    pub fn receive(&mut self, now: Arrival, datagram: &[u8]) {
        if matches!(self.state, ClientState::Disconnected(_)) {
            return;
        }
        self.counts.datagrams_in += 1;
        self.counts.bytes_in += datagram.len() as u64;
        match datagram.strip_prefix(&CONNECTIONLESS) {
            Some(text) => self.hear(now, &String::from_utf8_lossy(text)),
            None => self.receive_sequenced(now, datagram),
        }
    }

    fn hear(&mut self, now: Arrival, text: &str) {
        let connecting = self.state == ClientState::Connecting;
        match self.handshake.hear(self.config.engine, text, connecting) {
            Heard::Progress => self.send_handshake(now),
            Heard::Accepted { challenge, wire } => {
                let netchan = Netchan::new(Side::Client, wire, challenge, self.config.qport);
                self.link = Some(Link { netchan, message: 0 });
                self.state = ClientState::Connected;
                self.next_frame = now;
                self.heard = Some(now);
                self.spoke = None;
                self.events.push(Event::Connected);
            }
            Heard::Print(text) => self.events.push(Event::Print(text)),
            Heard::Disconnect => {
                if self.heard.is_some_and(|heard| now.since(heard) >= FORGOTTEN_AFTER) {
                    self.drop(DropReason::ByServer("disconnected for unknown reason".to_owned()));
                }
            }
            Heard::Ignored(_) => self.counts.open_ignored += 1,
        }
    }

    fn receive_sequenced(&mut self, now: Arrival, datagram: &[u8]) {
        let Some(link) = &mut self.link else {
            self.counts.refused += 1;
            return;
        };
        let mut message = std::mem::take(&mut self.message);
        let outgoing = &self.outgoing;
        match link.netchan.receive(datagram, &mut message, |number| outgoing.text(number)) {
            Ok(Some(received)) => self.handle_message(now, received, &message),
            Ok(None) => self.heard = Some(now),
            Err(_) => self.counts.refused += 1,
        }
        self.message = message;
    }

    fn handle_message(&mut self, now: Arrival, received: Received, message: &[u8]) {
        self.heard = Some(now);
        self.counts.messages += 1;
        self.counts.messages_lost += u64::from(received.dropped);
        if let Some(link) = &mut self.link {
            link.message = received.sequence.0 as i32;
        }
        self.read_message(now, received.sequence, message);
    }

    fn read_message(&mut self, now: Arrival, sequence: Sequence, message: &[u8]) {
        let bases = Bases { snapshots: &self.world.snapshots, baselines: &self.world.baselines };
        let context =
            ServerContext { sequence, bases: &bases, has_download_begun: self.downloads.has_begun() };
        let mut warnings: Vec<Warning> = Vec::new();
        let message = match ServerMessage::parse(message, &context, &mut warnings) {
            Ok(message) => message,
            Err(error) => {
                self.counts.parse_errors += 1;
                return self.drop(DropReason::Error(format!("server message {}: {error}", sequence.0)));
            }
        };
        for warning in warnings {
            self.warn(format!("server message {}: {warning:?}", sequence.0));
        }
        self.outgoing.acknowledge(message.reliable_acknowledge);
        for op in message.ops {
            match op {
                ServerOp::Command { sequence, text } => {
                    self.counts.server_commands += u64::from(self.incoming.take(sequence, &text));
                }
                ServerOp::Gamestate(gamestate) => self.take_gamestate(now, *gamestate),
                ServerOp::Snapshot(snapshot) => self.take_snapshot(now, sequence, *snapshot),
                ServerOp::Download(part) => self.take_download(now, part),
            }
        }
    }

    fn take_gamestate(&mut self, now: Arrival, gamestate: Gamestate) {
        self.world.clear(&self.config);
        self.predictor.clear();
        self.last_snapshot = None;
        self.counts.gamestates += 1;
        self.incoming.sequence = gamestate.head.command_sequence;
        for (num, text) in &gamestate.configstrings {
            let text = String::from_utf8_lossy(text);
            if let Err(error) = self.world.configstrings.set(num.index() as i32, &text) {
                return self.drop(DropReason::Error(error.to_string()));
            }
        }
        for state in gamestate.baselines {
            if let Some(num) = state.num() {
                self.world.baselines[num.index()] = Some(state);
            }
        }
        self.world.client_num = gamestate.head.client.index() as i32;
        self.world.checksum_feed = gamestate.head.checksum_feed;
        self.take_systeminfo();
        if !(self.config.downloads && self.begin_downloads()) {
            self.state = ClientState::Loading { until: now.after(self.config.load_time) };
        }
        let (server_id, client_num) = (self.world.server_id, self.world.client_num);
        self.events.push(Event::Gamestate { server_id, client_num });
    }

    /// Takes a snapshot. One that is a change of what is not here is forgotten; the next packet, which cannot acknowledge it as
    /// the newest snapshot, asks for a whole one.
    fn take_snapshot(&mut self, now: Arrival, sequence: Sequence, came: SnapshotMessage) {
        if !came.is_valid {
            self.counts.snapshots_without_base += 1;
            return;
        }
        let mut area_mask = [0; MAX_MAP_AREA_BYTES];
        area_mask[..came.area_mask.len()].copy_from_slice(&came.area_mask);
        let outgoing = self.link.as_ref().map_or(1, |link| link.netchan.outgoing().0);
        let message = sequence.0;
        self.world.snapshots.file(Snapshot {
            message,
            time: came.server_time,
            flags: came.flags,
            delta_from: (came.delta_num != 0).then(|| message - u32::from(came.delta_num)),
            area_bytes: came.area_mask.len(),
            area_mask,
            player: came.player,
            entities: came.entities,
            command_sequence: self.incoming.sequence,
            ping: self.world.moves.ping(outgoing, came.player.command_time, now),
        });
        self.counts.snapshots += 1;
        self.counts.snapshots_whole += u64::from(came.delta_num == 0);
        if self.state == ClientState::Active {
            let gap = self.last_snapshot.map_or(Millis(0), |last| now.since(last));
            self.counts.longest_gap = self.counts.longest_gap.max(gap);
        }
        self.last_snapshot = Some(now);
        self.world.is_new_snapshot = true;
        self.events.push(Event::Snapshot { message, time: came.server_time });
    }
}
