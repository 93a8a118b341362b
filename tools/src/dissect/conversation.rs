//! Listens in on conversations between clients and servers: both ends' netchans, commands and snapshots at once, but nothing is
//! ever sent.

use crate::client::reliable::Incoming;
use crate::client::snapshot::{Bases, Snapshot, SnapshotRing};
use fogline_common::ids::Sequence;
use fogline_common::proto::limits::{MAX_ENTITIES, MAX_INFO_STRING, MAX_MAP_AREA_BYTES};
use fogline_common::proto::{EntityState, info_string};
use fogline_common::wire::Warning;
use fogline_common::wire::adaptive::{self, CONNECT_PLAIN_BYTES};
use fogline_common::wire::messages::{
    ClientContext, ClientMessage, ClientOp, Download, Gamestate, ServerContext, ServerMessage, ServerOp,
    SnapshotMessage,
};
use fogline_common::wire::netchan::{Netchan, Side, detect_wire, is_out_of_band};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// Conversations that are followed at once; one that begins beyond that is not read.
const MAX_CONVERSATIONS: usize = 1024;
/// Longest text that is shown of a command, unless everything is wanted. Unit: characters.
const TEXT_SHOWN: usize = 80;

/// What a datagram is and says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// `open`, `client`, `server`, or `stranger` if the conversation's beginning was not heard.
    pub kind: &'static str,
    /// Number of its message.
    pub number: Option<u32>,
    /// What it says.
    pub says: String,
}

/// All conversations, by client and server.
#[derive(Default)]
pub struct Dissector {
    conversations: BTreeMap<(SocketAddr, SocketAddr), Conversation>,
    full: bool,
    /// Datagrams of known conversations that could not be read.
    pub unreadable: u64,
}

impl Dissector {
    /// One that has heard nothing; `full` for every field of every message.
    pub fn new(full: bool) -> Self {
        Self { full, ..Self::default() }
    }

    /// Takes the next datagram.
    pub fn hear(&mut self, from: SocketAddr, to: SocketAddr, datagram: &[u8]) -> Heard {
        if is_out_of_band(datagram) {
            return Heard { kind: "open", number: None, says: self.hear_open(from, to, &datagram[4..]) };
        }
        let full = self.full;
        let (kind, heard) = if let Some(conversation) = self.conversations.get_mut(&(from, to)) {
            ("client", conversation.hear_client(datagram, full))
        } else if let Some(conversation) = self.conversations.get_mut(&(to, from)) {
            ("server", conversation.hear_server(datagram, full))
        } else {
            let says = "its connect was not heard".to_owned();
            return Heard { kind: "stranger", number: None, says };
        };
        match heard {
            Ok((number, says)) => Heard { kind, number: Some(number), says },
            Err(reason) => {
                self.unreadable += 1;
                Heard { kind, number: None, says: format!("cannot be read: {reason}") }
            }
        }
    }

    /// The message that was read last of what this server said to this client, as it is before the netchan.
    pub fn last_message(&self, server: SocketAddr, client: SocketAddr) -> &[u8] {
        self.conversations.get(&(client, server)).map_or(&[], |conversation| &conversation.message)
    }

    fn hear_open(&mut self, from: SocketAddr, to: SocketAddr, text: &[u8]) -> String {
        let Some(packed) = text.strip_prefix(b"connect ") else { return shown(text, self.full) };
        debug_assert_eq!(CONNECT_PLAIN_BYTES, 4 + b"connect ".len());
        let mut plain = Vec::new();
        if let Err(error) = adaptive::decompress(packed, MAX_INFO_STRING + 2, &mut plain) {
            return format!("connect, {error}");
        }
        let plain = String::from_utf8_lossy(&plain).into_owned();
        let userinfo = plain.trim_matches('"');
        let number = |key: &str| info_string::value(userinfo, key).parse::<i32>().ok();
        if let (Some(challenge), Some(qport)) = (number("challenge"), number("qport")) {
            let is_known =
                self.conversations.get(&(from, to)).is_some_and(|known| known.challenge == challenge);
            if !is_known && self.conversations.len() < MAX_CONVERSATIONS {
                self.conversations.insert((from, to), Conversation::new(challenge, qport as u16));
            }
        }
        format!("connect {plain}")
    }
}

/// Reads the messages of a demo, of which only the server's half is there.
pub struct Playback {
    conversation: Conversation,
    full: bool,
    /// Messages that could not be read.
    pub unreadable: u64,
}

impl Playback {
    /// One that has read nothing; `full` for every field of every message.
    pub fn new(full: bool) -> Self {
        Self { conversation: Conversation::new(0, 0), full, unreadable: 0 }
    }

    /// Takes the next message.
    pub fn hear(&mut self, sequence: u32, message: &[u8]) -> Heard {
        self.conversation.message.clear();
        self.conversation.message.extend_from_slice(message);
        match self.conversation.read_server(Sequence(sequence), self.full) {
            Ok((number, says)) => Heard { kind: "server", number: Some(number), says },
            Err(reason) => {
                self.unreadable += 1;
                let says = format!("cannot be read: {reason}");
                Heard { kind: "server", number: Some(sequence), says }
            }
        }
    }

    /// The snapshot that a message brought, if it is among the newest and could be read.
    pub fn snapshot(&self, sequence: u32) -> Option<&Snapshot> {
        self.conversation.snapshots.get(sequence)
    }

    /// Commands that the message read last brought for the first time.
    pub fn commands(&self) -> &[String] {
        &self.conversation.new_commands
    }
}

/// One client's connection.
struct Conversation {
    challenge: i32,
    qport: u16,
    /// The server's ear and the client's, once the client has spoken and shown its framing.
    ears: Option<(Netchan, Netchan)>,
    from_client: Incoming,
    from_server: Incoming,
    /// What the server's newest message commanded for the first time.
    new_commands: Vec<String>,
    checksum_feed: i32,
    baselines: Box<[Option<EntityState>]>,
    snapshots: SnapshotRing,
    message: Vec<u8>,
}

/// Number and text of a message, or why it could not be read.
type Told = Result<(u32, String), String>;

impl Conversation {
    fn new(challenge: i32, qport: u16) -> Self {
        Self {
            challenge,
            qport,
            ears: None,
            from_client: Incoming::default(),
            from_server: Incoming::default(),
            new_commands: Vec::new(),
            checksum_feed: 0,
            baselines: vec![None; MAX_ENTITIES].into_boxed_slice(),
            snapshots: SnapshotRing::default(),
            message: Vec::new(),
        }
    }

    fn hear_client(&mut self, datagram: &[u8], full: bool) -> Told {
        let (challenge, qport) = (self.challenge, self.qport);
        let ears = self.ears.get_or_insert_with(|| {
            let wire = detect_wire(datagram, challenge);
            let ear = |side| Netchan::new(side, wire, challenge, qport);
            (ear(Side::Server), ear(Side::Client))
        });
        let said = &self.from_server;
        let received = ears.0.receive(datagram, &mut self.message, |number| said.text(number));
        let Some(received) = received.map_err(|error| error.to_string())? else {
            return Ok((piece_number(datagram), "a piece".to_owned()));
        };
        let context = ClientContext {
            wire: ears.0.wire(),
            checksum_feed: self.checksum_feed,
            command_text: &|number| said.text(number),
        };
        let mut warnings: Vec<Warning> = Vec::new();
        let message = ClientMessage::parse(&self.message, &context, &mut warnings)
            .map_err(|error| error.to_string())?;
        for op in &message.ops {
            if let ClientOp::Command { sequence, text } = op {
                self.from_client.take(*sequence, text);
            }
        }
        let says = if full { format!("{message:?}") } else { tell_client(&message) };
        Ok((received.sequence.0, with(says, &warnings)))
    }

    fn hear_server(&mut self, datagram: &[u8], full: bool) -> Told {
        let Some(ears) = &mut self.ears else { return Err("the client has not yet spoken".to_owned()) };
        let said = &self.from_client;
        let received = ears.1.receive(datagram, &mut self.message, |number| said.text(number));
        let Some(received) = received.map_err(|error| error.to_string())? else {
            return Ok((piece_number(datagram), "a piece".to_owned()));
        };
        self.read_server(received.sequence, full)
    }

    /// Reads the message at hand as the server's.
    fn read_server(&mut self, sequence: Sequence, full: bool) -> Told {
        let bases = Bases { snapshots: &self.snapshots, baselines: &self.baselines };
        let context = ServerContext { sequence, bases: &bases, has_download_begun: false };
        let mut warnings: Vec<Warning> = Vec::new();
        let message = ServerMessage::parse(&self.message, &context, &mut warnings)
            .map_err(|error| error.to_string())?;
        let says = if full { format!("{message:?}") } else { tell_server(&message) };
        self.new_commands.clear();
        for op in message.ops {
            match op {
                ServerOp::Command { sequence, text } => {
                    if self.from_server.take(sequence, &text) {
                        self.new_commands.push(String::from_utf8_lossy(&text).into_owned());
                    }
                }
                ServerOp::Gamestate(gamestate) => self.take_gamestate(&gamestate),
                ServerOp::Snapshot(snapshot) if snapshot.is_valid => {
                    self.take_snapshot(sequence, *snapshot);
                }
                ServerOp::Snapshot(_) | ServerOp::Download(_) => (),
            }
        }
        Ok((sequence.0, with(says, &warnings)))
    }

    fn take_gamestate(&mut self, gamestate: &Gamestate) {
        self.checksum_feed = gamestate.head.checksum_feed;
        self.from_server.sequence = gamestate.head.command_sequence;
        self.snapshots.clear();
        self.baselines.fill(None);
        for state in &gamestate.baselines {
            if let Some(num) = state.num() {
                self.baselines[num.index()] = Some(*state);
            }
        }
    }

    fn take_snapshot(&mut self, sequence: Sequence, came: SnapshotMessage) {
        let mut area_mask = [0; MAX_MAP_AREA_BYTES];
        area_mask[..came.area_mask.len()].copy_from_slice(&came.area_mask);
        self.snapshots.file(Snapshot {
            message: sequence.0,
            time: came.server_time,
            flags: came.flags,
            area_bytes: came.area_mask.len(),
            area_mask,
            player: came.player,
            entities: came.entities,
            ..Snapshot::default()
        });
    }
}

/// The number of a datagram that is a piece: its first field without the mark.
fn piece_number(datagram: &[u8]) -> u32 {
    datagram.first_chunk().map_or(0, |four| u32::from_le_bytes(*four) & 0x7fff_ffff)
}

fn with(mut says: String, warnings: &[Warning]) -> String {
    for warning in warnings {
        says.push_str(&format!("; odd: {warning:?}"));
    }
    says
}

fn tell_client(message: &ClientMessage) -> String {
    let mut says =
        format!("has message {} and command {}", message.message_acknowledge, message.reliable_acknowledge);
    for op in &message.ops {
        says += &match op {
            ClientOp::Command { sequence, text } => format!("; command {sequence} {}", shown(text, false)),
            ClientOp::Move { delta, cmds } => {
                let times = cmds.iter().map(|cmd| cmd.server_time.to_string()).collect::<Vec<_>>().join(" ");
                format!("; usercmds at {times}{}", if *delta { "" } else { ", wants a whole snapshot" })
            }
            ClientOp::Voice { bytes } => format!("; voice, {bytes} bytes"),
        };
    }
    says
}

fn tell_server(message: &ServerMessage) -> String {
    let mut says = format!("ran command {}", message.reliable_acknowledge);
    for op in &message.ops {
        says += &match op {
            ServerOp::Command { sequence, text } => format!("; command {sequence} {}", shown(text, false)),
            ServerOp::Gamestate(gamestate) => format!(
                "; gamestate: slot {}, {} configstrings, {} baselines",
                gamestate.head.client.index(),
                gamestate.configstrings.len(),
                gamestate.baselines.len()
            ),
            ServerOp::Snapshot(snapshot) => tell_snapshot(snapshot),
            ServerOp::Download(Download::Refused { reason }) => {
                format!("; refuses a file: {}", shown(reason, false))
            }
            ServerOp::Download(Download::Block { .. }) => "; a part of a file".to_owned(),
        };
    }
    says
}

fn tell_snapshot(snapshot: &SnapshotMessage) -> String {
    if !snapshot.is_valid {
        return format!("; snapshot at {} whose base was not heard", snapshot.server_time.0);
    }
    let base = match snapshot.delta_num {
        0 => "whole".to_owned(),
        back => format!("from {back} before"),
    };
    let at = snapshot.player.origin;
    format!(
        "; snapshot at {}, {base}, {} entities, eyes of {} at {:.0} {:.0} {:.0}",
        snapshot.server_time.0,
        snapshot.entities.len(),
        snapshot.player.client_num,
        at.x,
        at.y,
        at.z
    )
}

/// Text with its line breaks and odd bytes made visible.
fn shown(text: &[u8], full: bool) -> String {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_end_matches('\0');
    let is_short = full || text.chars().count() <= TEXT_SHOWN;
    if is_short {
        format!("{text:?}")
    } else {
        format!("{:?}…", text.chars().take(TEXT_SHOWN).collect::<String>())
    }
}
