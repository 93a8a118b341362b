//! Sixteen players, half an hour, 5 % loss, 100 ms jitter: nobody falls out of step, and the server's heap does not grow.
//!
//! Takes minutes: `cargo test --release -p fogline-tests --test long_soak -- --ignored`.

use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::time::{Arrival, Millis};
use fogline_server::server::Server;
use fogline_tests::sim::{BuiltSnapshot, ServerUnderTest};
use fogline_tests::soak;
use std::net::SocketAddr;

#[global_allocator]
static HEAP: dhat::Alloc = dhat::Alloc;

const MINUTE: Millis = Millis(60_000);
const MINUTES: usize = 30;
/// Less than this is a buffer here and there, not something kept for each packet. Unit: bytes.
const GROWTH_MAX: i64 = 16 * 1024;
/// By then almost every buffer of the server has reached its size.
const SETTLED_MINUTES: usize = 5;

/// A server on a scale: what its calls took from the heap and did not give back. What clients and network hold is not in it.
struct Weighed {
    server: Server,
    bytes: i64,
}

impl Weighed {
    fn weigh<T>(&mut self, call: impl FnOnce(&mut Server) -> T) -> T {
        let heap = || dhat::HeapStats::get().curr_bytes as i64;
        let before = heap();
        let answer = call(&mut self.server);
        self.bytes += heap() - before;
        answer
    }

    /// For a line that leaves the server: it takes its bytes along.
    fn weigh_line(&mut self, poll: fn(&mut Server) -> Option<String>) -> Option<String> {
        let line = self.weigh(poll);
        self.bytes -= line.as_ref().map_or(0, |line| line.capacity() as i64);
        line
    }
}

impl ServerUnderTest for Weighed {
    fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
        self.weigh(|server| server.receive(now, from, datagram));
    }

    fn console_line(&mut self, now: Arrival, line: &str) {
        self.weigh(|server| server.console_line(now, line));
    }

    fn advance(&mut self, now: Arrival) {
        self.weigh(|server| server.advance(now));
    }

    fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        let before = out.capacity() as i64;
        let to = self.weigh(|server| server.poll_transmit(out));
        // The buffer is ours, not the server's.
        self.bytes -= out.capacity() as i64 - before;
        to
    }

    fn next_wakeup(&self) -> Arrival {
        self.server.next_wakeup()
    }

    fn shutdown(&mut self, now: Arrival, reason: &str) {
        self.weigh(|server| server.shutdown(now, reason));
    }

    fn built_snapshot(&self, client: ClientNum, message: Sequence) -> Option<BuiltSnapshot<'_>> {
        self.server.built_snapshot(client, message)
    }

    fn poll_log(&mut self) -> Option<String> {
        self.weigh_line(Server::poll_log)
    }

    fn poll_game_log(&mut self) -> Option<String> {
        self.weigh_line(Server::poll_game_log)
    }
}

#[test]
#[ignore = "takes minutes"]
fn half_an_hour_on_bad_links_stays_in_step_and_the_heap_does_not_grow() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let mut sim = soak::begin(42, 16, |server| Weighed { server, bytes: 0 });
    let mut held = Vec::new();
    for minute in 1..=MINUTES {
        sim.run(MINUTE);
        held.push(sim.server.bytes);
        let misses: u64 = sim.bots.iter().map(|bot| bot.client.counts().predict.misses).sum();
        eprintln!("minute {minute}: {} bytes; {misses} misses", sim.server.bytes);
    }
    soak::check(&sim);
    let (early, late) = (held[SETTLED_MINUTES - 1], held[MINUTES - 1]);
    assert!(late - early < GROWTH_MAX, "the server's heap grew from {early} to {late} bytes");
}
