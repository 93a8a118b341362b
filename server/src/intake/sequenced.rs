//! Packets of connected clients: whose they are, whether they may be believed, and what they say.
//!
//! Nothing that a forger could send changes a connection: a message is parsed and its acknowledgements are weighed before its
//! number is accepted, and before a client is taken to have moved to another port.

use crate::clients::reliable::Reliable;
use crate::server::Server;
use crate::telemetry::PacketFault;
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::wire::messages::{ClientContext, ClientMessage};
use fogline_common::wire::netchan::{Netchan, NetchanError, Side, detect_wire, peek_qport};
use std::net::SocketAddr;

/// Messages that a client may be behind with its acknowledgement: one that loads a map hears nothing for a long time.
const MAX_BEHIND: i64 = 1 << 16;
/// The same for a client that claims to have moved to another port, which one that loads does not.
const MAX_BEHIND_MOVED: i64 = 64;

impl Server {
    /// One sequenced packet.
    pub(crate) fn handle_sequenced(&mut self, from: SocketAddr, datagram: &[u8]) {
        let mut message = std::mem::take(&mut self.client_message);
        match self.accept_sequenced(from, datagram, &mut message) {
            Ok(Some(num)) => {
                self.engine.metrics.packets += 1;
                self.apply_client_message(num, &message);
            }
            Ok(None) => self.engine.metrics.packets += 1,
            Err(fault) => self.engine.metrics.fault(fault),
        }
        self.client_message = message;
    }

    /// Finds the client and reads its message, if the packet completes one that may be believed.
    fn accept_sequenced(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        message: &mut ClientMessage,
    ) -> Result<Option<ClientNum>, PacketFault> {
        let Some(level) = &self.engine.level else { return Err(PacketFault::Stranger) };
        let qport = peek_qport(datagram).ok_or(PacketFault::Size)?;
        let num = self.engine.clients.claimed_by(from, qport).ok_or(PacketFault::Stranger)?;
        let session = self.engine.clients.get_mut(num).ok_or(PacketFault::Stranger)?;
        let moved = session.address != from;

        let mut first = None;
        let channel = match &mut session.channel {
            Some(channel) => channel,
            None if moved => return Err(PacketFault::Unproven),
            None => {
                let wire = detect_wire(datagram, session.challenge);
                first.insert(Netchan::new(Side::Server, wire, session.challenge, qport))
            }
        };
        let packet = channel.examine(datagram)?;
        if moved && packet.fragment_start.is_some() {
            return Err(PacketFault::Unproven);
        }
        if !channel.assemble(&packet, &mut self.packed)? {
            if let Some(channel) = first {
                session.channel = Some(channel);
            }
            return Ok(None);
        }
        let reliable = &session.reliable;
        channel.unscramble(packet.sequence, &mut self.packed, |number| reliable.text(number));
        let context = ClientContext {
            wire: channel.wire(),
            checksum_feed: level.checksum_feed,
            command_text: &|number| reliable.text(number),
        };
        message.parse_into(&self.packed, &context, &mut self.warnings).map_err(|_| PacketFault::Message)?;
        let limit = if moved { MAX_BEHIND_MOVED } else { MAX_BEHIND };
        if !could_say(reliable, channel.outgoing(), message, limit) {
            return Err(if moved { PacketFault::Unproven } else { PacketFault::Acknowledge });
        }
        channel.commit(&packet);
        if let Some(channel) = first {
            session.channel = Some(channel);
        }
        session.address = from;
        session.last_packet = self.engine.now;
        Ok(Some(num))
    }
}

/// Whether the message acknowledges what a client that has been sent all before `next` can honestly have received.
fn could_say(reliable: &Reliable, next: Sequence, message: &ClientMessage, limit: i64) -> bool {
    let behind = i64::from(next.0) - 1 - i64::from(message.message_acknowledge);
    (0..=limit).contains(&behind) && reliable.plausible(message.reliable_acknowledge)
}

impl From<NetchanError> for PacketFault {
    fn from(error: NetchanError) -> Self {
        match error {
            NetchanError::Duplicate { .. }
            | NetchanError::Old { .. }
            | NetchanError::FragmentOutOfOrder { .. } => Self::OutOfOrder,
            _ => Self::Header,
        }
    }
}
