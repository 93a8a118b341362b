//! Datagrams that wait to be sent. Buffers are reused.

use crate::intake::replies::MARKER;
use std::collections::VecDeque;
use std::net::SocketAddr;

/// Datagrams that wait to be sent, in order.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: VecDeque<(SocketAddr, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
}

impl Outbox {
    /// An empty buffer to fill and hand to [`push`](Self::push).
    pub(crate) fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// Queues a datagram.
    pub(crate) fn push(&mut self, to: SocketAddr, datagram: Vec<u8>) {
        self.waiting.push_back((to, datagram));
    }

    /// Queues a copy of a whole datagram.
    pub(crate) fn copy(&mut self, to: SocketAddr, bytes: &[u8]) {
        let mut datagram = self.buffer();
        datagram.extend_from_slice(bytes);
        self.push(to, datagram);
    }

    /// Queues a datagram outside any connection; its header is added.
    pub(crate) fn connectionless(&mut self, to: SocketAddr, text: &[u8]) {
        let mut datagram = self.buffer();
        datagram.extend_from_slice(MARKER);
        datagram.extend_from_slice(text);
        self.push(to, datagram);
    }

    /// Moves the next datagram into `out` (whose contents it replaces) and says where it goes.
    pub(crate) fn poll(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        let (to, mut datagram) = self.waiting.pop_front()?;
        std::mem::swap(out, &mut datagram);
        self.spare.push(datagram);
        Some(to)
    }
}
