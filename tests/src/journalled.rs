//! A server whose inputs are written into a journal as the program writes them, so that a simulated match can be replayed.

use crate::sim::{BuiltSnapshot, ServerUnderTest};
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::time::Arrival;
use fogline_server::io::journal::{Digest, Entry, Header, write_entry, write_header};
use std::collections::VecDeque;
use std::net::SocketAddr;

/// A server and the journal of what it was fed.
pub struct Journalled<S> {
    /// The server.
    pub server: S,
    /// The journal so far.
    pub journal: Vec<u8>,
    digest: Digest,
    outbox: VecDeque<(SocketAddr, Vec<u8>)>,
}

impl<S: ServerUnderTest> Journalled<S> {
    /// Begins a journal.
    pub fn new(server: S, seed: u64) -> Self {
        let mut journal = Vec::new();
        write_header(&mut journal, &Header { seed, ..Header::default() });
        let mut begun = Self { server, journal, digest: Digest::default(), outbox: VecDeque::new() };
        begun.drain();
        begun
    }

    fn note(&mut self, at: Arrival, entry: &Entry) {
        write_entry(&mut self.journal, at, entry);
        self.drain();
    }

    fn drain(&mut self) {
        let mut datagram = Vec::new();
        while let Some(to) = self.server.poll_transmit(&mut datagram) {
            self.digest.add(to, &datagram);
            self.outbox.push_back((to, std::mem::take(&mut datagram)));
        }
    }
}

impl<S: ServerUnderTest> ServerUnderTest for Journalled<S> {
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
        self.server.receive(now, from, datagram);
        self.note(now, &Entry::Datagram { from, bytes: datagram.to_vec() });
    }

    fn console_line(&mut self, now: Arrival, line: &str) {
        self.server.console_line(now, line);
        self.note(now, &Entry::Line(line.to_owned()));
    }

    fn advance(&mut self, now: Arrival) {
        self.server.advance(now);
        self.drain();
        let digest = self.digest.value();
        self.note(now, &Entry::Advance { digest });
    }

    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        let (to, datagram) = self.outbox.pop_front()?;
        *out = datagram;
        Some(to)
    }

    fn next_wakeup(&self) -> Arrival {
        self.server.next_wakeup()
    }

    fn shutdown(&mut self, now: Arrival, reason: &str) {
        self.server.shutdown(now, reason);
        self.note(now, &Entry::Shutdown(reason.to_owned()));
    }

    fn built_snapshot(&self, client: ClientNum, message: Sequence) -> Option<BuiltSnapshot<'_>> {
        self.server.built_snapshot(client, message)
    }

    fn poll_log(&mut self) -> Option<String> {
        self.server.poll_log()
    }

    fn poll_game_log(&mut self) -> Option<String> {
        self.server.poll_game_log()
    }
}
