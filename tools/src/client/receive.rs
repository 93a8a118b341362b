//! What comes in: answers in the open, then one message after another.
//!
//! Source: `CL_PacketEvent`, `CL_ParseServerMessage`, `CL_ParseGamestate`, `CL_ParseSnapshot`, `CL_ParsePacketEntities`.

use crate::client::events::{DropReason, Event};
use crate::client::handshake::{CONNECTIONLESS, Heard};
use crate::client::snapshot::Snapshot;
use crate::client::{Client, ClientState, Link};
use fogline_common::ids::EntityNum;
use fogline_common::proto::limits::{
    BIG_INFO_STRING, ENTITY_NUM_BITS, MAX_MAP_AREA_BYTES, MAX_SNAPSHOT_ENTITIES, MAX_STRING_CHARS,
};
use fogline_common::time::{Arrival, Millis, ServerTime};
use fogline_common::wire::ParseError;
use fogline_common::wire::bits::BitReader;
use fogline_common::wire::delta::{read_entity, read_player};
use fogline_common::wire::netchan::{Netchan, Received, Side};

/// A server that forgot us is believed only if it has been silent for so long.
const FORGOTTEN_AFTER: Millis = Millis(3000);

/// Parts of a server message. Source: facts page "q3-protocol-facts", section 8.
mod op {
    pub(super) const NOP: u8 = 1;
    pub(super) const GAMESTATE: u8 = 2;
    pub(super) const CONFIGSTRING: u8 = 3;
    pub(super) const BASELINE: u8 = 4;
    pub(super) const COMMAND: u8 = 5;
    pub(super) const DOWNLOAD: u8 = 6;
    pub(super) const SNAPSHOT: u8 = 7;
    pub(super) const EOF: u8 = 8;
}

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
        let mut reader = BitReader::new(message);
        if let Err(error) = self.parse_message(now, received.sequence.0, &mut reader) {
            self.counts.parse_errors += 1;
            self.drop(DropReason::Error(format!("server message {}: {error}", received.sequence.0)));
        }
    }

    fn parse_message(&mut self, now: Arrival, message: u32, r: &mut BitReader<'_>) -> Result<(), ParseError> {
        let acknowledge = r.expect_long("reliable acknowledge")?;
        self.outgoing.acknowledge(acknowledge);
        loop {
            match r.expect_byte("server operation")? {
                op::EOF => return Ok(()),
                op::NOP => self.warn(format!("message {message}: an operation that does nothing")),
                op::COMMAND => self.parse_command(r)?,
                op::GAMESTATE => self.parse_gamestate(now, r)?,
                op::SNAPSHOT => self.parse_snapshot(now, message, r)?,
                op::DOWNLOAD => self.parse_download(r)?,
                op => return Err(ParseError::UnknownOp { reading: "server operation", op, at_bit: r.bit() }),
            }
        }
    }

    fn parse_command(&mut self, r: &mut BitReader<'_>) -> Result<(), ParseError> {
        let number = r.expect_long("server command number")?;
        self.text.clear();
        r.expect_text(MAX_STRING_CHARS, "server command", &mut self.text)?;
        if self.incoming.take(number, &self.text) {
            self.counts.server_commands += 1;
        }
        Ok(())
    }

    fn parse_gamestate(&mut self, now: Arrival, r: &mut BitReader<'_>) -> Result<(), ParseError> {
        self.world.clear(&self.config);
        self.predictor.clear();
        self.last_snapshot = None;
        self.counts.gamestates += 1;
        self.incoming.sequence = r.expect_long("server command number of gamestate")?;
        loop {
            match r.expect_byte("gamestate operation")? {
                op::EOF => break,
                op::CONFIGSTRING => {
                    let index = i32::from(r.expect_short("configstring number")?);
                    self.text.clear();
                    r.expect_text(BIG_INFO_STRING, "configstring", &mut self.text)?;
                    let text = String::from_utf8_lossy(&self.text);
                    if let Err(error) = self.world.configstrings.set(index, &text) {
                        self.drop(DropReason::Error(error.to_string()));
                        return Ok(());
                    }
                }
                op::BASELINE => {
                    let number = r.expect_bits(ENTITY_NUM_BITS, "baseline number")?;
                    let state = read_entity(r, number, None)?;
                    self.world.baselines[number as usize] = state;
                }
                op => return Err(ParseError::UnknownOp { reading: "gamestate", op, at_bit: r.bit() }),
            }
        }
        self.world.client_num = r.expect_long("client number")?;
        self.world.checksum_feed = r.expect_long("checksum feed")?;
        self.take_systeminfo();
        self.state = ClientState::Loading { until: now.after(self.config.load_time) };
        let (server_id, client_num) = (self.world.server_id, self.world.client_num);
        self.events.push(Event::Gamestate { server_id, client_num });
        Ok(())
    }

    fn parse_snapshot(
        &mut self,
        now: Arrival,
        message: u32,
        r: &mut BitReader<'_>,
    ) -> Result<(), ParseError> {
        let mut snapshot = std::mem::take(&mut self.snapshot_buffer);
        let result = self.read_snapshot(message, r, &mut snapshot);
        self.snapshot_buffer = match result? {
            Some(()) => self.file_snapshot(now, snapshot),
            None => snapshot,
        };
        Ok(())
    }

    /// Reads a snapshot. `None` if it is a change of one that is not here: then it is read to its end and forgotten, and the
    /// next packet, which cannot acknowledge it as the newest snapshot, asks for a whole one.
    fn read_snapshot(
        &mut self,
        message: u32,
        r: &mut BitReader<'_>,
        into: &mut Snapshot,
    ) -> Result<Option<()>, ParseError> {
        into.message = message;
        into.command_sequence = self.incoming.sequence;
        into.time = ServerTime(r.expect_long("snapshot time")?);
        let back = u32::from(r.expect_byte("delta distance")?);
        into.delta_from = (back != 0).then(|| message.wrapping_sub(back));
        into.flags = i32::from(r.expect_byte("snapshot flags")?);
        into.area_bytes = usize::from(r.expect_byte("area mask size")?);
        if into.area_bytes > MAX_MAP_AREA_BYTES {
            let value = into.area_bytes as i32;
            return Err(ParseError::OutOfRange { reading: "area mask size", value, at_bit: r.bit() });
        }
        into.area_mask = Default::default();
        for byte in &mut into.area_mask[..into.area_bytes] {
            *byte = r.expect_byte("area mask")?;
        }
        let base = into.delta_from.and_then(|from| self.world.snapshots.get(from));
        into.player = read_player(r, base.map(|base| &base.player))?;
        let old = base.map_or(&[][..], |base| &base.entities);
        into.entities.clear();
        read_entities(r, old, &self.world.baselines, &mut into.entities)?;
        if into.delta_from.is_some() && base.is_none() {
            self.counts.snapshots_without_base += 1;
            return Ok(None);
        }
        Ok(Some(()))
    }

    /// Files a snapshot; the buffer that it displaces comes back.
    fn file_snapshot(&mut self, now: Arrival, mut snapshot: Snapshot) -> Snapshot {
        let (message, time) = (snapshot.message, snapshot.time);
        let outgoing = self.link.as_ref().map_or(1, |link| link.netchan.outgoing().0);
        snapshot.ping = self.world.moves.ping(outgoing, snapshot.player.command_time, now);
        self.counts.snapshots += 1;
        self.counts.snapshots_whole += u64::from(snapshot.delta_from.is_none());
        if self.state == ClientState::Active {
            let gap = self.last_snapshot.map_or(Millis(0), |last| now.since(last));
            self.counts.longest_gap = self.counts.longest_gap.max(gap);
        }
        self.last_snapshot = Some(now);
        self.world.is_new_snapshot = true;
        self.events.push(Event::Snapshot { message, time });
        self.world.snapshots.file(snapshot)
    }

    /// Nothing is downloaded: the server's refusal is shown, and that is all.
    fn parse_download(&mut self, r: &mut BitReader<'_>) -> Result<(), ParseError> {
        let block = r.expect_short("download block")?;
        if block == 0 && r.expect_long("download size")? < 0 {
            self.text.clear();
            r.expect_text(MAX_STRING_CHARS, "download refusal", &mut self.text)?;
            let text = String::from_utf8_lossy(&self.text).into_owned();
            self.events.push(Event::Print(text));
            return Ok(());
        }
        let bytes = r.expect_short("download length")?;
        for _ in 0..bytes.max(0) {
            r.expect_byte("download data")?;
        }
        Ok(())
    }
}

/// Reads the entities of a snapshot as changes of `old` and of the baselines.
fn read_entities(
    r: &mut BitReader<'_>,
    old: &[fogline_common::proto::EntityState],
    baselines: &[Option<fogline_common::proto::EntityState>],
    into: &mut Vec<fogline_common::proto::EntityState>,
) -> Result<(), ParseError> {
    let mut old = old.iter().peekable();
    loop {
        let number = r.expect_bits(ENTITY_NUM_BITS, "entity number")?;
        if number == EntityNum::NONE_ON_WIRE {
            into.extend(old);
            return Ok(());
        }
        while let Some(unchanged) = old.next_if(|state| state.number < number) {
            into.push(*unchanged);
        }
        let from = old.next_if(|state| state.number == number).or(baselines[number as usize].as_ref());
        into.extend(read_entity(r, number, from)?);
        if into.len() > MAX_SNAPSHOT_ENTITIES {
            let value = into.len() as i32;
            return Err(ParseError::OutOfRange { reading: "entities of a snapshot", value, at_bit: r.bit() });
        }
    }
}
