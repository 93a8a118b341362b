//! What the rim drives: a value that is fed and drained. The server is one, and so is whatever a test puts in its place.

use crate::recording::DemoOutput;
use crate::telemetry::TraceOutput;
use fogline_common::time::Arrival;
use std::net::SocketAddr;

/// A server as the rim sees it.
///
/// `now` never goes backwards over the calls of one run. The calls and their arguments are all that a journal records, so
/// they must be all that the value depends on.
pub trait Drive {
    /// A datagram came.
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]);
    /// The host typed a line.
    fn console_line(&mut self, now: Arrival, line: &str);
    /// A name of [`poll_resolve`](Self::poll_resolve) was looked up; no address if there is none.
    fn resolved(&mut self, now: Arrival, name: &str, addresses: &[SocketAddr]);
    /// The host wants the configuration read again.
    fn reload(&mut self, now: Arrival);
    /// Runs what is due.
    fn advance(&mut self, now: Arrival);
    /// Puts the next datagram into `out`, which is empty, and says where it goes; `None` if there is none.
    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr>;
    /// The next line for the host's console.
    fn poll_log(&mut self) -> Option<String>;
    /// The next line for the log of games, time stamp included.
    fn poll_game_log(&mut self) -> Option<String> {
        None
    }
    /// The next line for the log of games in JSON.
    fn poll_game_log_json(&mut self) -> Option<String> {
        None
    }
    /// The next line for the log of shots.
    fn poll_shot_log(&mut self) -> Option<String> {
        None
    }
    /// The next line for the log of claims that were not believed.
    fn poll_claim_log(&mut self) -> Option<String> {
        None
    }
    /// The next line for the trace of the visibility filter, or the file that the next lines are for.
    fn poll_vistrace(&mut self) -> Option<TraceOutput> {
        None
    }
    /// The next part of a demo.
    fn poll_demo(&mut self) -> Option<DemoOutput> {
        None
    }
    /// The next name to look up, as `host:port`.
    fn poll_resolve(&mut self) -> Option<String>;
    /// When [`advance`](Self::advance) has something to do.
    fn next_wakeup(&self) -> Arrival;
    /// Says goodbye; what is still to be sent is polled after.
    fn shutdown(&mut self, now: Arrival, reason: &str);
    /// Nothing more will happen.
    fn is_finished(&self) -> bool;
}
