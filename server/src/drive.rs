//! The server as the rim and the journal's replay drive it.

use crate::io::Drive;
use crate::recording::DemoOutput;
use crate::server::Server;
use crate::telemetry::TraceOutput;
use fogline_common::time::Arrival;
use std::net::SocketAddr;

/// Read again at `reload`, if there is one.
const SERVER_CONFIG: &str = "server.cfg";

impl Drive for Server {
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
        Self::receive(self, now, from, datagram);
    }

    fn console_line(&mut self, now: Arrival, line: &str) {
        Self::console_line(self, now, line);
    }

    fn resolved(&mut self, now: Arrival, name: &str, addresses: &[SocketAddr]) {
        self.engine.now = now;
        self.master_resolved(name, addresses);
    }

    fn reload(&mut self, now: Arrival) {
        self.engine.now = now;
        self.engine.log.line("reading the configuration again");
        if self.engine.files.read(SERVER_CONFIG).is_ok() {
            Self::console_line(self, now, &format!("exec {SERVER_CONFIG}"));
        }
        self.masters.look_up_again(now);
    }

    fn advance(&mut self, now: Arrival) {
        Self::advance(self, now);
    }

    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        Self::poll_transmit(self, out)
    }

    fn poll_log(&mut self) -> Option<String> {
        Self::poll_log(self)
    }

    fn poll_vistrace(&mut self) -> Option<TraceOutput> {
        Self::poll_vistrace(self)
    }

    fn poll_game_log(&mut self) -> Option<String> {
        Self::poll_game_log(self)
    }

    fn poll_game_log_json(&mut self) -> Option<String> {
        Self::poll_game_log_json(self)
    }

    fn poll_shot_log(&mut self) -> Option<String> {
        Self::poll_shot_log(self)
    }

    fn poll_claim_log(&mut self) -> Option<String> {
        Self::poll_claim_log(self)
    }

    fn poll_demo(&mut self) -> Option<DemoOutput> {
        Self::poll_demo(self)
    }

    fn poll_resolve(&mut self) -> Option<String> {
        self.masters.poll_resolve(self.engine.now)
    }

    fn next_wakeup(&self) -> Arrival {
        Self::next_wakeup(self)
    }

    fn shutdown(&mut self, now: Arrival, reason: &str) {
        Self::shutdown(self, now, reason);
    }

    fn is_finished(&self) -> bool {
        Self::is_finished(self)
    }
}
