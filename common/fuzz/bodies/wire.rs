//! What is tried with any bytes at all: parsers must answer with a value or an error, and what they answered must emit and parse
//! again. Used by the fuzz targets, and by a test that replays the corpus.
#![allow(dead_code, reason = "each fuzz target uses one of the functions")]

use fogline_common::ids::{EntityNum, Sequence};
use fogline_common::proto::limits::{MAX_MESSAGE_BYTES, MAX_PACKET_USERCMDS};
use fogline_common::proto::{EntityState, PlayerState, UserCmd};
use fogline_common::wire::IgnoreWarnings;
use fogline_common::wire::adaptive;
use fogline_common::wire::bits::{BitReader, BitWriter};
use fogline_common::wire::messages::{
    ClientContext, ClientMessage, ClientOp, ServerContext, ServerMessage, SnapshotBases, SnapshotRef,
};
use fogline_common::wire::netchan::{Netchan, Side, WireKind, detect_wire, peek_qport};

/// What takes any bytes and does not panic.
pub(crate) type Target = fn(&[u8]);

/// Every target by the name of its folder in the corpus.
pub(crate) const TARGETS: [(&str, Target); 5] = [
    ("wire_client_message", client_message),
    ("wire_server_message", server_message),
    ("wire_netchan", netchan),
    ("wire_adaptive", adaptive),
    ("wire_bits", bits),
];

/// A client's message without header and scramble.
pub(crate) fn client_message(data: &[u8]) {
    let context =
        ClientContext { wire: WireKind::Ioq3, checksum_feed: 0x5eed, command_text: &|_| b"print \"hello\"" };
    let Ok(message) = ClientMessage::parse(data, &context, &mut IgnoreWarnings) else { return };
    let mut w = BitWriter::new();
    message.emit(&mut w, &context);
    w.write_byte(5);
    if w.overflowed() {
        return;
    }
    let again =
        ClientMessage::parse(w.bytes(), &context, &mut IgnoreWarnings).expect("what was emitted parses");
    assert_eq!(
        (again.server_id, again.message_acknowledge),
        (message.server_id, message.message_acknowledge)
    );
    if message.ops.iter().all(travels_unchanged) {
        assert_eq!(again, message);
    }
}

/// Whether an operation is one that a client would send: voice is not emitted, time does not run backwards, and no value uses the
/// code word that is no byte.
fn travels_unchanged(op: &ClientOp) -> bool {
    match op {
        ClientOp::Command { .. } => true,
        ClientOp::Voice { .. } => false,
        ClientOp::Move { cmds, .. } => {
            assert!(!cmds.is_empty() && cmds.len() <= MAX_PACKET_USERCMDS);
            let fits = |cmd: &UserCmd| {
                [cmd.angles[0], cmd.angles[1], cmd.angles[2], cmd.buttons]
                    .iter()
                    .all(|v| (0..=65535).contains(v))
            };
            let first = UserCmd::default();
            let before = std::iter::once(&first).chain(cmds);
            cmds.iter().all(fits)
                && before.zip(cmds).all(|(a, b)| b.server_time.wrapping_sub(a.server_time) >= 0)
        }
    }
}

/// One snapshot and one baseline for whatever is asked for.
struct Bases {
    player: PlayerState,
    entities: [EntityState; 3],
}

impl SnapshotBases for Bases {
    fn snapshot(&self, message: Sequence) -> Option<SnapshotRef<'_>> {
        (message.0 % 2 == 1).then_some(SnapshotRef { player: &self.player, entities: &self.entities })
    }
    fn baseline(&self, number: EntityNum) -> Option<&EntityState> {
        self.entities.get(number.index() % 4)
    }
}

/// A server's message without header and scramble.
pub(crate) fn server_message(data: &[u8]) {
    let entities = [3, 70, 500].map(|number| EntityState { number, weapon: 2, ..EntityState::default() });
    let bases = Bases { player: PlayerState { gravity: 800, ..PlayerState::default() }, entities };
    let context = ServerContext { sequence: Sequence(100), bases: &bases, has_download_begun: false };
    let Ok(message) = ServerMessage::parse(data, &context, &mut IgnoreWarnings) else { return };
    let mut w = BitWriter::new();
    message.emit(&mut w, &context);
    w.write_byte(8);
    if !w.overflowed() {
        let again = ServerMessage::parse(w.bytes(), &context, &mut IgnoreWarnings);
        assert_eq!(again.map(|again| again.ops.len()), Ok(message.ops.len()));
    }
}

/// Datagrams, each after a byte of its length.
pub(crate) fn netchan(data: &[u8]) {
    for wire in [WireKind::Legacy, WireKind::Ioq3] {
        let mut server = Netchan::new(Side::Server, wire, 1, 2);
        let mut client = Netchan::new(Side::Client, wire, 1, 2);
        let mut message = Vec::new();
        let mut rest = data;
        while let Some((&length, after)) = rest.split_first() {
            let (datagram, after) = after.split_at(usize::from(length).min(after.len()));
            rest = after;
            for netchan in [&mut server, &mut client] {
                let before = netchan.incoming();
                let received = netchan.receive(datagram, &mut message, |_| b"say hello");
                assert!(message.len() <= MAX_MESSAGE_BYTES);
                match received {
                    Ok(Some(received)) => assert!(received.sequence > before && netchan.incoming() > before),
                    _ => assert_eq!(netchan.incoming(), before),
                }
            }
            let _ = (detect_wire(datagram, 77), peek_qport(datagram));
        }
    }
}

/// The packed part of a connect packet.
pub(crate) fn adaptive(data: &[u8]) {
    let mut plain = Vec::new();
    if adaptive::decompress(data, 1024, &mut plain).is_ok() {
        assert!(plain.len() <= 1024);
        let mut again = Vec::new();
        adaptive::decompress(&adaptive::compress(&plain), 1024, &mut again).expect("what was packed unpacks");
        assert_eq!(again, plain);
    }
}

/// Reads whose widths are the first bytes.
pub(crate) fn bits(data: &[u8]) {
    let (widths, stream) = data.split_at(data.len() / 4);
    let mut r = BitReader::new(stream);
    for &width in widths {
        match i32::from(width) % 64 - 31 {
            0 => r.read_data(&mut [0; 9]),
            width => _ = r.read_bits(width),
        }
        assert!(r.bit() <= stream.len() * 8 && r.touched() <= stream.len() + 1);
    }
}
