//! One side of one connection's numbered messages: framing, order, fragments, and what keeps strangers out.
//!
//! ```text
//!            4          2 *        4 **       2      2
//!          +----------+----------+----------+------+--------+---------
//!          | sequence | qport    | checksum | from | length | payload      little endian
//!          +----------+----------+----------+------+--------+---------
//!            bit 31:    * from     ** ioq3    only in fragments
//!            fragment     clients     wire
//! ```
//!
//! In: [`Netchan::examine`] looks at a datagram and changes nothing; [`Netchan::assemble`] adds fragments up; [`Netchan::unscramble`]
//! makes the message readable; [`Netchan::commit`] accepts its number, so that a server can do so only after the message has shown
//! that its sender knows the conversation. [`Netchan::receive`] is all four for those who trust the sender's address.
//!
//! Out: [`Netchan::send`] takes a message, [`Netchan::poll_transmit`] hands out one datagram at a time.
//!
//! Source: facts page "q3-protocol-facts", sections 1 and 4.

mod error;
mod scramble;

pub use error::NetchanError;

use super::bits::BitWriter;
use crate::ids::Sequence;
use crate::proto::limits::{FRAGMENT_BYTES, MAX_MESSAGE_BYTES, PACKET_BACKUP};
use scramble::{command_acknowledged, cross_client_message, cross_server_message};
use std::collections::VecDeque;

/// Which of the two framings a client speaks. The protocol number does not say: 71 may be either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireKind {
    /// Protocol 68 and OpenArena's 71: scrambled, no checksum.
    Legacy,
    /// ioquake3's own 71: a checksum in the header, not scrambled.
    Ioq3,
}

/// Which end of the connection this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// It receives from a client.
    Server,
    /// It receives from a server.
    Client,
}

/// What a datagram's header says; nothing is believed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Number of the message that it is, or is a part of.
    pub sequence: Sequence,
    /// The sender's qport, 0 from a server.
    pub qport: u16,
    /// Messages missing between the last one accepted and this.
    pub dropped: u32,
    /// Where a fragment begins in its message; `None` for a whole message.
    pub fragment_start: Option<usize>,
    /// Message or fragment.
    pub payload: &'a [u8],
}

/// A message accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Its number.
    pub sequence: Sequence,
    /// Messages missing before it.
    pub dropped: u32,
}

/// One side of one connection.
#[derive(Clone, Debug)]
pub struct Netchan {
    side: Side,
    wire: WireKind,
    challenge: i32,
    qport: u16,
    /// Of the newest message accepted.
    incoming: Sequence,
    /// For the next message handed to [`Netchan::send`].
    outgoing: Sequence,
    /// The message whose fragments are coming in, and what came of it.
    fragment_sequence: Sequence,
    fragments: Vec<u8>,
    /// Messages on their way out, oldest first.
    waiting: VecDeque<Outgoing>,
    /// Buffers for messages to come.
    spare: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
struct Outgoing {
    sequence: Sequence,
    /// Scrambled if the wire is so: the number that a message will bear is known when it joins the queue.
    bytes: Vec<u8>,
    sent_bytes: usize,
}

impl Netchan {
    /// A connection at its start: the first message each way is number 1.
    ///
    /// `challenge` is the one that the client was let in with, `qport` the number by which a client's packets are told from those of
    /// others at its address.
    pub const fn new(side: Side, wire: WireKind, challenge: i32, qport: u16) -> Self {
        Self {
            side,
            wire,
            challenge,
            qport,
            incoming: Sequence(0),
            outgoing: Sequence(1),
            fragment_sequence: Sequence(0),
            fragments: Vec::new(),
            waiting: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// The same connection taken up in the middle, as a recording of it begins: `incoming` was the newest message accepted, the next
    /// one sent will be `outgoing`.
    #[must_use]
    pub const fn taken_up_at(mut self, incoming: Sequence, outgoing: Sequence) -> Self {
        self.incoming = incoming;
        self.outgoing = outgoing;
        self
    }

    /// The framing spoken.
    pub const fn wire(&self) -> WireKind {
        self.wire
    }

    /// The challenge that the client was let in with.
    pub const fn challenge(&self) -> i32 {
        self.challenge
    }

    /// The client's qport.
    pub const fn qport(&self) -> u16 {
        self.qport
    }

    /// Number of the newest message accepted, 0 before the first.
    pub const fn incoming(&self) -> Sequence {
        self.incoming
    }

    /// The number that the next message handed to [`send`](Self::send) will bear.
    pub const fn outgoing(&self) -> Sequence {
        self.outgoing
    }

    /// Whether a message, or a part of one, still waits for [`poll_transmit`](Self::poll_transmit).
    pub fn has_unsent_fragments(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What the header says, if the datagram can be new. Changes nothing.
    ///
    /// # Errors
    /// Any but those of sending and of the order of fragments.
    pub fn examine<'a>(&self, datagram: &'a [u8]) -> Result<Packet<'a>, NetchanError> {
        let short = NetchanError::Short { bytes: datagram.len() };
        let mut rest = datagram;
        let numbered = u32::from_le_bytes(take(&mut rest).ok_or(short)?);
        if numbered == OUT_OF_BAND {
            return Err(NetchanError::OutOfBand);
        }
        let sequence = Sequence(numbered & !FRAGMENT_BIT);
        let qport = match self.side {
            Side::Server => u16::from_le_bytes(take(&mut rest).ok_or(short)?),
            Side::Client => 0,
        };
        if self.wire == WireKind::Ioq3
            && u32::from_le_bytes(take(&mut rest).ok_or(short)?) != checksum(self.challenge, sequence)
        {
            return Err(NetchanError::WrongChecksum { sequence });
        }
        if sequence == self.incoming {
            return Err(NetchanError::Duplicate { sequence });
        }
        if sequence < self.incoming {
            return Err(NetchanError::Old { sequence, newest: self.incoming });
        }
        let dropped = sequence.0 - self.incoming.0 - 1;
        if numbered & FRAGMENT_BIT == 0 {
            return Ok(Packet { sequence, qport, dropped, fragment_start: None, payload: rest });
        }
        let start = u16::from_le_bytes(take(&mut rest).ok_or(short)?).into();
        let claimed = u16::from_le_bytes(take(&mut rest).ok_or(short)?).into();
        let payload =
            rest.get(..claimed).ok_or(NetchanError::FragmentTruncated { claimed, bytes: rest.len() })?;
        Ok(Packet { sequence, qport, dropped, fragment_start: Some(start), payload })
    }

    /// Puts the message that `packet` is, or completes, into `message`; answers whether there is one now.
    ///
    /// A fragment of a newer message replaces what came of an older one. The message's number is not accepted by this.
    ///
    /// # Errors
    /// If a fragment is out of order, or the message grows too long.
    pub fn assemble(&mut self, packet: &Packet<'_>, message: &mut Vec<u8>) -> Result<bool, NetchanError> {
        let Some(start) = packet.fragment_start else {
            if packet.payload.len() > MAX_MESSAGE_BYTES {
                return Err(NetchanError::MessageTooLong { bytes: packet.payload.len() });
            }
            message.clear();
            message.extend_from_slice(packet.payload);
            return Ok(true);
        };
        let sequence = packet.sequence;
        if sequence != self.fragment_sequence {
            self.fragment_sequence = sequence;
            self.fragments.clear();
        }
        let expected = self.fragments.len();
        if start != expected {
            return Err(NetchanError::FragmentOutOfOrder { sequence, start, expected });
        }
        let bytes = expected + packet.payload.len();
        if bytes > MAX_MESSAGE_BYTES {
            return Err(NetchanError::MessageTooLong { bytes });
        }
        self.fragments.extend_from_slice(packet.payload);
        // Only the last fragment is not of full size; it may be empty.
        if packet.payload.len() == FRAGMENT_BYTES {
            return Ok(false);
        }
        message.clear();
        message.append(&mut self.fragments);
        Ok(true)
    }

    /// Makes an assembled message readable; nothing to do on the ioq3 wire. `command_text` is asked for the text of the command whose
    /// number the message acknowledges: one of the server's own if this is a server, else one of the client's own.
    pub fn unscramble<'t>(
        &self,
        sequence: Sequence,
        message: &mut [u8],
        command_text: impl FnOnce(i32) -> &'t [u8],
    ) {
        if self.wire != WireKind::Legacy {
            return;
        }
        match self.side {
            Side::Server => {
                let text = command_text(command_acknowledged(message, true));
                cross_client_message(message, self.challenge, text);
            }
            Side::Client => {
                let text = command_text(command_acknowledged(message, false));
                cross_server_message(message, self.challenge, sequence, text);
            }
        }
    }

    /// Accepts the message that `packet` was or completed: neither it nor one before it will be taken again.
    pub fn commit(&mut self, packet: &Packet<'_>) -> Received {
        self.incoming = self.incoming.max(packet.sequence);
        Received { sequence: packet.sequence, dropped: packet.dropped }
    }

    /// Takes a datagram in. If it completes a message, that is in `message`, readable, and its number accepted.
    ///
    /// # Errors
    /// As [`examine`](Self::examine) and [`assemble`](Self::assemble).
    pub fn receive<'t>(
        &mut self,
        datagram: &[u8],
        message: &mut Vec<u8>,
        command_text: impl FnOnce(i32) -> &'t [u8],
    ) -> Result<Option<Received>, NetchanError> {
        let packet = self.examine(datagram)?;
        if !self.assemble(&packet, message)? {
            return Ok(None);
        }
        self.unscramble(packet.sequence, message, command_text);
        Ok(Some(self.commit(&packet)))
    }

    /// Ends the message with its end mark and puts it behind those that wait. Answers with its number.
    ///
    /// `command_text` is what the legacy wire scrambles by. From a server: the last client command executed; from a client: the
    /// server command that the message acknowledges.
    ///
    /// # Errors
    /// If the message has overflowed its writer, or too many wait. Nothing is sent then and no number is used.
    pub fn send(&mut self, message: &mut BitWriter, command_text: &[u8]) -> Result<Sequence, NetchanError> {
        if self.waiting.len() >= WAITING_MESSAGES_MAX {
            return Err(NetchanError::QueueFull { waiting: self.waiting.len() });
        }
        message.write_byte(match self.side {
            Side::Server => SERVER_END_OF_MESSAGE,
            Side::Client => CLIENT_END_OF_MESSAGE,
        });
        if message.overflowed() || message.len() > MAX_MESSAGE_BYTES {
            return Err(NetchanError::MessageTooLong { bytes: message.len() });
        }
        let sequence = self.outgoing;
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(message.bytes());
        if self.wire == WireKind::Legacy {
            match self.side {
                Side::Server => cross_server_message(&mut bytes, self.challenge, sequence, command_text),
                Side::Client => cross_client_message(&mut bytes, self.challenge, command_text),
            }
        }
        self.waiting.push_back(Outgoing { sequence, bytes, sent_bytes: 0 });
        self.outgoing = sequence.next();
        Ok(sequence)
    }

    /// Puts the next datagram into `out`; answers whether there was one.
    pub fn poll_transmit(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(message) = self.waiting.front_mut() else { return false };
        let fragmented = message.bytes.len() >= FRAGMENT_BYTES;
        out.clear();
        let mark = if fragmented { FRAGMENT_BIT } else { 0 };
        out.extend_from_slice(&(message.sequence.0 | mark).to_le_bytes());
        if self.side == Side::Client {
            out.extend_from_slice(&self.qport.to_le_bytes());
        }
        if self.wire == WireKind::Ioq3 {
            out.extend_from_slice(&checksum(self.challenge, message.sequence).to_le_bytes());
        }
        let rest = &message.bytes[message.sent_bytes..];
        let piece = &rest[..rest.len().min(FRAGMENT_BYTES)];
        if fragmented {
            // Both fit 16 bits: a message is at most MAX_MESSAGE_BYTES.
            out.extend_from_slice(&(message.sent_bytes as u16).to_le_bytes());
            out.extend_from_slice(&(piece.len() as u16).to_le_bytes());
        }
        out.extend_from_slice(piece);
        message.sent_bytes += piece.len();
        // A message of a multiple of the fragment size ends with an empty fragment.
        if (!fragmented || piece.len() < FRAGMENT_BYTES)
            && let Some(sent) = self.waiting.pop_front()
            && self.spare.is_empty()
        {
            self.spare.push(sent.bytes);
        }
        true
    }
}

/// Whether a datagram is connectionless. One too short for a number is neither.
pub fn is_out_of_band(datagram: &[u8]) -> bool {
    datagram.starts_with(&OUT_OF_BAND.to_le_bytes())
}

/// The qport of a client's numbered datagram, by which a server finds whose it is.
pub fn peek_qport(datagram: &[u8]) -> Option<u16> {
    datagram.get(4..)?.first_chunk().copied().map(u16::from_le_bytes)
}

/// Which framing the sender of a client's numbered datagram speaks, if it was let in with `challenge`.
///
/// A legacy packet is mistaken once in 2³², but for challenges that make the checksum a plain number: never issue 0.
pub fn detect_wire(datagram: &[u8], challenge: i32) -> WireKind {
    let fields = datagram.first_chunk().zip(datagram.get(6..).and_then(<[u8]>::first_chunk));
    match fields {
        Some((&sequence, &found)) => {
            let sequence = Sequence(u32::from_le_bytes(sequence) & !FRAGMENT_BIT);
            let matches = u32::from_le_bytes(found) == checksum(challenge, sequence);
            if matches { WireKind::Ioq3 } else { WireKind::Legacy }
        }
        None => WireKind::Legacy,
    }
}

/// What the ioq3 wire puts after number and qport.
const fn checksum(challenge: i32, sequence: Sequence) -> u32 {
    let challenge = challenge as u32;
    challenge ^ sequence.0.wrapping_mul(challenge)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*taken)
}

/// In the sequence number: the datagram is a part of a message.
const FRAGMENT_BIT: u32 = 1 << 31;

/// In place of a sequence number: the datagram is connectionless.
const OUT_OF_BAND: u32 = u32::MAX;

/// The end mark, `svc_EOF`.
const SERVER_END_OF_MESSAGE: i32 = 8;

/// The end mark, `clc_EOF`.
const CLIENT_END_OF_MESSAGE: i32 = 5;

/// Messages that may wait. Ours; the reference has no limit. A peer remembers no more than this anyway.
const WAITING_MESSAGES_MAX: usize = PACKET_BACKUP;

const _: () = assert!(MAX_MESSAGE_BYTES <= u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CHALLENGE: i32 = -1_234_567;

    fn pair(wire: WireKind) -> (Netchan, Netchan) {
        (Netchan::new(Side::Server, wire, CHALLENGE, 777), Netchan::new(Side::Client, wire, CHALLENGE, 777))
    }

    fn message(bytes: &[u8]) -> BitWriter {
        let mut w = BitWriter::new();
        w.write_data(bytes);
        w
    }

    fn datagrams(netchan: &mut Netchan) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let mut out = Vec::new();
        while netchan.poll_transmit(&mut out) {
            all.push(out.clone());
        }
        all
    }

    #[test]
    fn looking_at_a_datagram_accepts_nothing() {
        let (mut server, mut client) = pair(WireKind::Ioq3);
        client.send(&mut message(b"hello"), b"").unwrap();
        let datagram = datagrams(&mut client).remove(0);
        let packet = server.examine(&datagram).unwrap();
        assert_eq!((packet.sequence, packet.qport, packet.dropped), (Sequence(1), 777, 0));
        assert_eq!(server.incoming(), Sequence(0));
        server.commit(&packet);
        assert_eq!(server.examine(&datagram), Err(NetchanError::Duplicate { sequence: Sequence(1) }));
    }

    #[test]
    fn each_refusal_has_its_cause() {
        let (mut server, mut client) = pair(WireKind::Ioq3);
        let mut into = Vec::new();
        for _ in 0..3 {
            client.send(&mut message(b"hello"), b"").unwrap();
        }
        let sent = datagrams(&mut client);
        let received = server.receive(&sent[2], &mut into, |_| b"").unwrap().unwrap();
        assert_eq!(received, Received { sequence: Sequence(3), dropped: 2 });
        let mut causes = Vec::new();
        let mut forged = sent[2].clone();
        forged[0] = 9;
        for bad in [&sent[2][..], &sent[0], &forged, &sent[2][..9], &[0xff; 20], &[]] {
            causes.push(server.receive(bad, &mut into, |_| b"").unwrap_err().cause());
        }
        assert_eq!(causes, ["duplicate", "old", "wrong_checksum", "short", "out_of_band", "short"]);
    }

    #[test]
    fn fragments_out_of_order_do_not_spoil_those_in_order() {
        let (mut server, mut client) = pair(WireKind::Legacy);
        client.send(&mut message(&[b'x'; 4000]), b"").unwrap();
        let sent = datagrams(&mut client);
        assert!(sent.len() > 2);
        let mut into = Vec::new();
        assert_eq!(server.receive(&sent[0], &mut into, |_| b""), Ok(None));
        let gap = server.receive(&sent[2], &mut into, |_| b"").unwrap_err();
        assert_eq!(gap.cause(), "fragment_out_of_order");
        assert!(server.receive(&sent[0], &mut into, |_| b"").is_err());
        for (n, datagram) in sent.iter().enumerate().skip(1) {
            let complete = server.receive(datagram, &mut into, |_| b"").unwrap().is_some();
            assert_eq!(complete, n + 1 == sent.len());
        }
        assert_eq!(server.incoming(), Sequence(1));
    }

    #[test]
    fn endless_fragments_end_at_the_limit() {
        let mut server = Netchan::new(Side::Server, WireKind::Legacy, CHALLENGE, 1);
        let mut into = Vec::new();
        for start in (0..=MAX_MESSAGE_BYTES).step_by(FRAGMENT_BYTES) {
            let mut datagram = vec![1, 0, 0, 0x80, 1, 0];
            datagram.extend_from_slice(&(start as u16).to_le_bytes());
            datagram.extend_from_slice(&(FRAGMENT_BYTES as u16).to_le_bytes());
            datagram.resize(10 + FRAGMENT_BYTES, 0);
            match server.receive(&datagram, &mut into, |_| b"") {
                Ok(received) => assert_eq!(received, None),
                Err(error) => {
                    assert_eq!(error.cause(), "message_too_long");
                    return;
                }
            }
        }
        panic!("no fragment was one too many");
    }

    #[test]
    fn a_queue_is_bounded_and_an_overflowed_message_refused() {
        let mut server = Netchan::new(Side::Server, WireKind::Legacy, CHALLENGE, 1);
        for n in 0..WAITING_MESSAGES_MAX {
            assert_eq!(server.send(&mut message(b"x"), b""), Ok(Sequence(n as u32 + 1)));
        }
        assert_eq!(server.send(&mut message(b"x"), b"").unwrap_err().cause(), "queue_full");
        let mut small = BitWriter::with_limit(4);
        small.write_data(&[200; 8]);
        let mut server = Netchan::new(Side::Server, WireKind::Legacy, CHALLENGE, 1);
        assert_eq!(server.send(&mut small, b"").unwrap_err().cause(), "message_too_long");
        assert_eq!(server.outgoing(), Sequence(1));
    }

    #[test]
    fn the_wire_is_told_by_the_first_packet() {
        for wire in [WireKind::Legacy, WireKind::Ioq3] {
            let (_, mut client) = pair(wire);
            for length in [10, 5000] {
                client.send(&mut message(&vec![b'y'; length]), b"").unwrap();
                for datagram in datagrams(&mut client) {
                    assert_eq!(detect_wire(&datagram, CHALLENGE), wire);
                    assert_eq!(peek_qport(&datagram), Some(777));
                }
            }
        }
        assert_eq!(detect_wire(&[1, 0, 0, 0, 9, 9, 1, 2, 3], CHALLENGE), WireKind::Legacy);
    }

    #[test]
    fn steady_sending_reuses_its_buffer() {
        let mut server = Netchan::new(Side::Server, WireKind::Legacy, CHALLENGE, 1);
        let mut out = Vec::new();
        for _ in 0..3 {
            server.send(&mut message(&[7; 500]), b"").unwrap();
            assert!(server.poll_transmit(&mut out));
            assert!(!server.poll_transmit(&mut out) && !server.has_unsent_fragments());
            assert_eq!(server.spare.len(), 1);
        }
    }

    proptest! {
        #[test]
        fn what_is_sent_arrives(
            lengths in proptest::collection::vec(prop_oneof![0..40usize, 800..1400usize, 2000..6000usize], 1..5),
            legacy: bool,
            from_server: bool,
            text in "[ -~]{0,40}",
        ) {
            let (server, client) = pair(if legacy { WireKind::Legacy } else { WireKind::Ioq3 });
            let (mut from, mut to) = if from_server { (server, client) } else { (client, server) };
            let mut plain = Vec::new();
            for &length in &lengths {
                let mut w = BitWriter::new();
                // Small leading numbers, as real messages have: they must lie within the clear bytes.
                (0..3).for_each(|n| w.write_long(n));
                w.write_data(&vec![length as u8; length]);
                from.send(&mut w, text.as_bytes()).unwrap();
                plain.push(w.bytes().to_vec());
            }
            let mut arrived = Vec::new();
            let mut into = Vec::new();
            for datagram in datagrams(&mut from) {
                prop_assert!(datagram.len() <= crate::proto::limits::MAX_PACKET_BYTES);
                if to.receive(&datagram, &mut into, |_| text.as_bytes()).unwrap().is_some() {
                    arrived.push(into.clone());
                }
            }
            prop_assert_eq!(arrived, plain);
        }

        #[test]
        fn no_datagram_upsets_it(
            all in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..20),
            legacy: bool,
        ) {
            let (mut server, mut client) = pair(if legacy { WireKind::Legacy } else { WireKind::Ioq3 });
            let mut into = Vec::new();
            for datagram in all {
                let _ = server.receive(&datagram, &mut into, |_| b"text");
                let _ = client.receive(&datagram, &mut into, |_| b"text");
                detect_wire(&datagram, 5);
            }
        }
    }
}
