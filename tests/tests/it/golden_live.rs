//! Conversations of a client with a real ioq3ded, decoded from both ends: `golden/live`.
//!
//! Nothing is known beforehand but the challenge: every command that the scramble and the keys need is taken from the conversation
//! itself. What was noted down beside the datagrams must agree, and what was decoded must encode to the same meaning, a client's
//! messages to the very same bytes.

use fogline_common::ids::{EntityNum, Sequence};
use fogline_common::proto::limits::{MAX_INFO_STRING, MAX_RELIABLE_COMMANDS, PACKET_BACKUP};
use fogline_common::proto::{EntityState, PlayerState};
use fogline_common::wire::adaptive::{self, CONNECT_PLAIN_BYTES};
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::fields::{ENTITY_FIELDS, Field, PLAYER_FIELDS};
use fogline_common::wire::messages::{
    ClientContext, ClientMessage, ServerContext, ServerMessage, ServerOp, SnapshotBases, SnapshotMessage,
    SnapshotRef,
};
use fogline_common::wire::netchan::{Netchan, Side, WireKind, detect_wire, is_out_of_band, peek_qport};
use fogline_common::wire::{ParseError, Warn, Warning};
use fogline_tests::golden::{jsonl, names, unhex};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// Real peers do nothing odd.
struct NoWarnings;

impl Warn for NoWarnings {
    fn warn(&mut self, warning: Warning) {
        panic!("{warning:?}");
    }
}

/// What a client keeps to understand the next message.
#[derive(Default)]
struct Memory {
    snapshots: BTreeMap<Sequence, SnapshotMessage>,
    baselines: BTreeMap<i32, EntityState>,
}

impl SnapshotBases for Memory {
    fn snapshot(&self, message: Sequence) -> Option<SnapshotRef<'_>> {
        self.snapshots.get(&message).map(SnapshotMessage::as_ref)
    }
    fn baseline(&self, number: EntityNum) -> Option<&EntityState> {
        self.baselines.get(&(number.index() as i32))
    }
}

/// The last commands of one end, by number.
struct Commands(Vec<Vec<u8>>);

impl Commands {
    fn new() -> Self {
        Self(vec![Vec::new(); MAX_RELIABLE_COMMANDS])
    }

    fn text(&self, sequence: i32) -> &[u8] {
        &self.0[sequence as usize % MAX_RELIABLE_COMMANDS]
    }
}

/// One who hears both ends.
struct Tap {
    wire: WireKind,
    at_server: Netchan,
    at_client: Netchan,
    client_commands: Commands,
    server_commands: Commands,
    newest_server_command: i32,
    checksum_feed: i32,
    memory: Memory,
    /// What the notes should say next.
    expected: VecDeque<Value>,
    server_messages: usize,
    same_bytes: usize,
    usercmds: usize,
}

impl Tap {
    fn new(wire: WireKind, challenge: i32, qport: u16) -> Self {
        Self {
            wire,
            at_server: Netchan::new(Side::Server, wire, challenge, qport),
            at_client: Netchan::new(Side::Client, wire, challenge, qport),
            client_commands: Commands::new(),
            server_commands: Commands::new(),
            newest_server_command: 0,
            checksum_feed: 0,
            memory: Memory::default(),
            expected: VecDeque::new(),
            server_messages: 0,
            same_bytes: 0,
            usercmds: 0,
        }
    }

    fn hear_client(&mut self, datagram: &[u8]) -> Option<ClientMessage> {
        let mut bytes = Vec::new();
        let commands = &self.server_commands;
        let received = self.at_server.receive(datagram, &mut bytes, |number| commands.text(number));
        received.unwrap_or_else(|e| panic!("{e}"))?;
        let command_text = |number| commands.text(number);
        let context =
            ClientContext { wire: self.wire, checksum_feed: self.checksum_feed, command_text: &command_text };
        let message =
            ClientMessage::parse(&bytes, &context, &mut NoWarnings).unwrap_or_else(|e| panic!("{e}"));
        let mut w = BitWriter::new();
        message.emit(&mut w, &context);
        w.write_byte(5);
        assert_eq!(w.bytes(), bytes, "what was decoded encodes to the same bytes: {message:?}");
        for op in &message.ops {
            use fogline_common::wire::messages::ClientOp;
            match op {
                ClientOp::Command { sequence, text } => {
                    self.client_commands.0[*sequence as usize % MAX_RELIABLE_COMMANDS].clone_from(text);
                }
                ClientOp::Move { cmds, .. } => self.usercmds += cmds.len(),
                ClientOp::Voice { .. } => {}
            }
        }
        Some(message)
    }

    fn hear_server(&mut self, datagram: &[u8]) {
        let mut bytes = Vec::new();
        let commands = &self.client_commands;
        let received = self.at_client.receive(datagram, &mut bytes, |number| commands.text(number));
        let Some(received) = received.unwrap_or_else(|e| panic!("{e}")) else { return };
        let message = self.parse(&bytes, received.sequence).unwrap_or_else(|e| panic!("{e}"));
        self.server_messages += 1;
        for op in message.ops {
            self.apply(op, received.sequence);
        }
    }

    fn parse(&mut self, bytes: &[u8], sequence: Sequence) -> Result<ServerMessage, ParseError> {
        let context = ServerContext { sequence, bases: &self.memory, has_download_begun: false };
        let message = ServerMessage::parse(bytes, &context, &mut NoWarnings)?;
        let mut w = BitWriter::new();
        message.emit(&mut w, &context);
        w.write_byte(8);
        // A value that the server holds more finely than the wire carries it seems unchanged to us where it changed to the server,
        // so ours may be shorter, but it says the same.
        assert!(w.len() <= bytes.len());
        assert_eq!(ServerMessage::parse(w.bytes(), &context, &mut NoWarnings).as_ref(), Ok(&message));
        self.same_bytes += usize::from(w.bytes() == bytes);
        Ok(message)
    }

    fn apply(&mut self, op: ServerOp, sequence: Sequence) {
        match op {
            ServerOp::Command { sequence, text } => {
                if sequence > self.newest_server_command {
                    self.newest_server_command = sequence;
                    self.expected.push_back(json!({ "serverCommand": sequence, "text": latin(&text) }));
                    self.server_commands.0[sequence as usize % MAX_RELIABLE_COMMANDS] = text;
                }
            }
            ServerOp::Gamestate(gamestate) => {
                let strings: BTreeMap<String, String> = gamestate
                    .configstrings
                    .iter()
                    .map(|(num, text)| (num.index().to_string(), latin(text)))
                    .collect();
                self.expected.push_back(json!({ "gamestate": {
                    "messageNum": sequence.0,
                    "serverCommandSequence": gamestate.head.command_sequence,
                    "configstrings": strings,
                    "baselines": gamestate.baselines.iter().map(noted_entity).collect::<Vec<_>>(),
                    "clientNum": gamestate.head.client.index(),
                    "checksumFeed": gamestate.head.checksum_feed,
                }}));
                self.checksum_feed = gamestate.head.checksum_feed;
                self.memory.baselines =
                    gamestate.baselines.iter().map(|state| (state.number, *state)).collect();
            }
            ServerOp::Snapshot(snapshot) => {
                assert!(snapshot.is_valid, "message {sequence:?} is a change from what never came");
                self.expected.push_back(noted_snapshot(&snapshot, sequence));
                self.memory.snapshots.insert(sequence, *snapshot);
                while self.memory.snapshots.len() > PACKET_BACKUP {
                    self.memory.snapshots.pop_first();
                }
            }
            ServerOp::Download(_) => panic!("nobody asked for a file"),
        }
    }
}

/// Bytes as the notes write them.
fn latin(text: &[u8]) -> String {
    text.iter().map(|&byte| char::from(byte)).collect()
}

fn noted_fields(words: &[u32], fields: &[Field]) -> Vec<i32> {
    fields.iter().map(|field| words[field.word] as i32).collect()
}

fn noted_entity(state: &EntityState) -> Value {
    json!([state.number, noted_fields(state.words(), &ENTITY_FIELDS)])
}

fn noted_snapshot(snapshot: &SnapshotMessage, sequence: Sequence) -> Value {
    let player: &PlayerState = &snapshot.player;
    let mask: String = snapshot.area_mask.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({ "snapshot": {
        "messageNum": sequence.0,
        "serverTime": snapshot.server_time.0,
        "deltaNum": snapshot.delta_num,
        "snapFlags": snapshot.flags,
        "areamask": mask,
        "ps": noted_fields(player.words(), &PLAYER_FIELDS),
        "stats": player.stats,
        "persistant": player.persistant,
        "ammo": player.ammo,
        "powerups": player.powerups,
        "entities": snapshot.entities.iter().map(noted_entity).collect::<Vec<_>>(),
    }})
}

/// The challenge that a packed `connect` carries.
fn check_connect(datagram: &[u8], challenge: i32) {
    let mut userinfo = Vec::new();
    adaptive::decompress(&datagram[CONNECT_PLAIN_BYTES..], MAX_INFO_STRING, &mut userinfo).unwrap();
    let userinfo = latin(&userinfo);
    assert!(userinfo.contains(&format!("\\challenge\\{challenge}")), "{userinfo}");
}

fn check(name: &str) {
    let rows = jsonl(name);
    let challenge = rows.iter().find_map(|row| row["challenge"].as_i64()).unwrap() as i32;
    let meta = &rows[0]["meta"];
    let wire = if meta["wire"] == "legacy" { WireKind::Legacy } else { WireKind::Ioq3 };
    let mut tap = Tap::new(wire, challenge, meta["qport"].as_u64().unwrap() as u16);
    let mut fields = None;
    let mut notes = 0;
    let mut unnoted = false;
    for row in &rows {
        if let Some(hex) = row["c2s"].as_str() {
            let datagram = unhex(hex);
            if is_out_of_band(&datagram) {
                if datagram[4..].starts_with(b"connect ") {
                    check_connect(&datagram, challenge);
                }
                continue;
            }
            assert_eq!(detect_wire(&datagram, challenge), wire);
            assert_eq!(peek_qport(&datagram), Some(tap.at_server.qport()));
            if let Some(message) = tap.hear_client(&datagram) {
                let said = json!({
                    "serverId": message.server_id,
                    "messageAck": message.message_acknowledge,
                    "reliableAck": message.reliable_acknowledge,
                });
                assert_eq!(Some(said), fields.take(), "{name}: acknowledgements");
            }
        } else if let Some(hex) = row["s2c"].as_str() {
            // The recording goes on for a moment after its notes end.
            unnoted |= !tap.expected.is_empty();
            let datagram = unhex(hex);
            if !is_out_of_band(&datagram) {
                tap.hear_server(&datagram);
            }
        } else if !row["c2s_fields"].is_null() {
            fields = Some(row["c2s_fields"].clone());
        } else if ["gamestate", "serverCommand", "snapshot"].iter().any(|key| !row[key].is_null()) {
            assert!(!unnoted, "{name}: a message before {row} was not noted");
            assert_eq!(tap.expected.pop_front().as_ref(), Some(row), "{name}");
            notes += 1;
        }
    }
    eprintln!(
        "{name}: {} server messages, {} of them encode to the same bytes; {notes} notes agree; {} usercmds",
        tap.server_messages, tap.same_bytes, tap.usercmds
    );
    assert!(notes > 100 && tap.usercmds > 100, "{name}: {notes} notes, {} usercmds", tap.usercmds);
    assert!(tap.same_bytes * 2 > tap.server_messages, "{name}: {} messages encode alike", tap.same_bytes);
}

#[test]
fn golden_live_conversations() {
    for name in names("live") {
        check(&name);
    }
}
