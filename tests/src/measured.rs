//! A server with a meter around each of its calls: time for benches, heap for the tests that forbid it.

use crate::sim::{BuiltSnapshot, ServerUnderTest};
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::time::Arrival;
use fogline_server::server::Server;
use std::net::SocketAddr;

/// A quantity that only grows, such as time or blocks allocated.
pub trait Meter {
    /// What it shows now.
    fn read(&self) -> u64;
}

impl<F: Fn() -> u64> Meter for F {
    fn read(&self) -> u64 {
        self()
    }
}

/// A server, and how much of the meter's quantity it used.
pub struct Measured<M> {
    /// The server.
    pub server: Server,
    meter: M,
    /// Used by datagrams: parsing them and moving players.
    pub in_receive: u64,
    /// Used by frames.
    pub in_frames: u64,
    /// The costliest call of [`Server::advance`].
    pub worst_frame: u64,
}

impl<M: Meter> Measured<M> {
    /// Nothing used yet.
    pub fn new(server: Server, meter: M) -> Self {
        Self { server, meter, in_receive: 0, in_frames: 0, worst_frame: 0 }
    }

    /// Forgets what was used so far.
    pub fn reset(&mut self) {
        (self.in_receive, self.in_frames, self.worst_frame) = (0, 0, 0);
    }
}

impl<M: Meter> ServerUnderTest for Measured<M> {
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
        let before = self.meter.read();
        self.server.receive(now, from, datagram);
        self.in_receive += self.meter.read() - before;
    }

    fn console_line(&mut self, now: Arrival, line: &str) {
        self.server.console_line(now, line);
    }

    fn advance(&mut self, now: Arrival) {
        let before = self.meter.read();
        self.server.advance(now);
        let used = self.meter.read() - before;
        self.in_frames += used;
        self.worst_frame = self.worst_frame.max(used);
    }

    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        self.server.poll_transmit(out)
    }

    fn next_wakeup(&self) -> Arrival {
        self.server.next_wakeup()
    }

    fn shutdown(&mut self, now: Arrival, reason: &str) {
        self.server.shutdown(now, reason);
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
