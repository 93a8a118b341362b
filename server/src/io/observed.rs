//! A server that somebody looks at after each of its frames: tests that wait for something, tools that record ways.

use crate::io::Drive;
use crate::recording::DemoOutput;
use crate::telemetry::TraceOutput;
use fogline_common::time::Arrival;
use std::net::SocketAddr;

/// Whatever is driven, and who looks at it. It changes nothing that is passed through.
pub struct Observed<S, L> {
    /// What is driven.
    pub server: S,
    /// Called after each [`advance`](Drive::advance).
    pub look: L,
}

impl<S: Drive, L: FnMut(&S)> Drive for Observed<S, L> {
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
        self.server.receive(now, from, datagram);
    }

    fn console_line(&mut self, now: Arrival, line: &str) {
        self.server.console_line(now, line);
    }

    fn resolved(&mut self, now: Arrival, name: &str, addresses: &[SocketAddr]) {
        self.server.resolved(now, name, addresses);
    }

    fn reload(&mut self, now: Arrival) {
        self.server.reload(now);
    }

    fn advance(&mut self, now: Arrival) {
        self.server.advance(now);
        (self.look)(&self.server);
    }

    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        self.server.poll_transmit(out)
    }

    fn poll_log(&mut self) -> Option<String> {
        self.server.poll_log()
    }

    fn poll_game_log(&mut self) -> Option<String> {
        self.server.poll_game_log()
    }

    fn poll_game_log_json(&mut self) -> Option<String> {
        self.server.poll_game_log_json()
    }

    fn poll_shot_log(&mut self) -> Option<String> {
        self.server.poll_shot_log()
    }

    fn poll_claim_log(&mut self) -> Option<String> {
        self.server.poll_claim_log()
    }

    fn poll_vistrace(&mut self) -> Option<TraceOutput> {
        self.server.poll_vistrace()
    }

    fn poll_demo(&mut self) -> Option<DemoOutput> {
        self.server.poll_demo()
    }

    fn poll_resolve(&mut self) -> Option<String> {
        self.server.poll_resolve()
    }

    fn next_wakeup(&self) -> Arrival {
        self.server.next_wakeup()
    }

    fn shutdown(&mut self, now: Arrival, reason: &str) {
        self.server.shutdown(now, reason);
    }

    fn is_finished(&self) -> bool {
        self.server.is_finished()
    }
}
