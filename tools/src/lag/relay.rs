//! Carries out what [`Proxy`] decides, on real sockets: one that clients connect to, and one towards the server for each client.

use crate::lag::proxy::{Links, Proxy, Target};
use crate::rim::sockets::Sockets;
use fogline_common::time::Arrival;
use fogline_server::io::Clock;
use std::io;
use std::net::SocketAddr;

/// Larger than any datagram of the protocol.
const DATAGRAM_MAX: usize = 65_536;

/// A proxy at work.
pub struct Relay {
    sockets: Sockets,
    listener: usize,
    server: SocketAddr,
    proxy: Proxy,
    clock: Clock,
    ready: Vec<usize>,
    buffer: Vec<u8>,
    out: Vec<u8>,
}

impl Relay {
    /// Listens at `listen` for clients of `server`.
    ///
    /// # Errors
    /// If the address is taken or not this machine's.
    pub fn open(listen: SocketAddr, server: SocketAddr, links: Links, seed: u64) -> io::Result<Self> {
        let mut sockets = Sockets::default();
        let listener = sockets.open(listen)?;
        Ok(Self {
            sockets,
            listener,
            server,
            proxy: Proxy::new(links, seed),
            clock: Clock::start(),
            ready: Vec::new(),
            buffer: vec![0; DATAGRAM_MAX],
            out: Vec::new(),
        })
    }

    /// Where clients connect.
    ///
    /// # Errors
    /// If the system does not know.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.sockets.address(self.listener)
    }

    /// The present moment of its clock, which began at zero.
    pub fn now(&self) -> Arrival {
        self.clock.now()
    }

    /// What it decided so far.
    pub fn proxy(&self) -> &Proxy {
        &self.proxy
    }

    /// Waits for the next thing to do, at most until `until`, and does it.
    ///
    /// # Errors
    /// If a socket fails.
    pub fn step(&mut self, until: Arrival) -> io::Result<()> {
        let wakeup = self.proxy.next_arrival().map_or(until, |next| next.min(until));
        let mut ready = std::mem::take(&mut self.ready);
        self.sockets.wait(wakeup.micros_since(self.clock.now()), &mut ready)?;
        for &index in &ready {
            self.take_in(index)?;
        }
        self.ready = ready;
        self.deliver()?;
        if let Some(port) = self.proxy.forget_idle(self.clock.now()) {
            self.sockets.close(port);
        }
        Ok(())
    }

    fn take_in(&mut self, index: usize) -> io::Result<()> {
        while let Some((size, from)) = self.sockets.receive(index, &mut self.buffer)? {
            let now = self.clock.now();
            if index != self.listener {
                if from == self.server {
                    self.proxy.send_down(now, index, &self.buffer[..size]);
                }
                continue;
            }
            let port = match self.proxy.port_of(from) {
                Some(port) => port,
                None if self.proxy.has_room() => {
                    let port = self.sockets.open_towards(self.server, self.proxy.came())?;
                    self.proxy.admit(now, from, port);
                    port
                }
                None => continue,
            };
            self.proxy.send_up(now, port, &self.buffer[..size]);
        }
        Ok(())
    }

    fn deliver(&mut self) -> io::Result<()> {
        while let Some(target) = self.proxy.pop_arrived(self.clock.now(), &mut self.out) {
            match target {
                Target::Server(port) => self.sockets.send(port, self.server, &self.out)?,
                Target::Client(address) => self.sockets.send(self.listener, address, &self.out)?,
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkConfig;
    use fogline_common::time::Millis;
    use std::net::Ipv4Addr;

    /// A relay between two sockets of ours. A datagram on loopback has arrived when the call that sends it returns, so
    /// everything here runs in turn in one thread.
    struct Bench {
        relay: Relay,
        ends: Sockets,
        client: usize,
        server: usize,
    }

    impl Bench {
        fn new(links: Links) -> Self {
            let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
            let mut ends = Sockets::default();
            let (client, server) = (ends.open(any).unwrap(), ends.open(any).unwrap());
            let relay = Relay::open(any, ends.address(server).unwrap(), links, 1).unwrap();
            Self { relay, ends, client, server }
        }

        fn send(&self, number: u64) {
            let to = self.relay.address().unwrap();
            assert!(self.ends.send(self.client, to, &number.to_le_bytes()).unwrap());
        }

        /// Everything that has arrived at an end: number and sender.
        fn arrived(&self, end: usize) -> Vec<(u64, SocketAddr)> {
            let mut buffer = [0; 8];
            let mut numbers = Vec::new();
            while let Some((_, from)) = self.ends.receive(end, &mut buffer).unwrap() {
                numbers.push((u64::from_le_bytes(buffer), from));
            }
            numbers
        }
    }

    #[test]
    fn measured_loss_is_what_was_asked() {
        let links =
            Links { up: LinkConfig { loss: 0.05, ..LinkConfig::default() }, down: LinkConfig::default() };
        let mut bench = Bench::new(links);
        let (count, batch) = (100_000, 50);
        let mut came = 0;
        for first in (0..count).step_by(batch) {
            (first..first + batch).for_each(|number| bench.send(number as u64));
            bench.relay.step(Arrival(u64::MAX)).unwrap();
            came += bench.arrived(bench.server).len();
        }
        let lost_pct = 100.0 * (1.0 - came as f64 / count as f64);
        assert!((lost_pct - 5.0).abs() < 0.2, "lost {lost_pct} %, asked for 5 %");
    }

    #[test]
    fn measured_delay_is_what_was_asked() {
        let delay = Millis(12);
        let links = Links { up: LinkConfig { delay, ..LinkConfig::default() }, down: LinkConfig::default() };
        let mut bench = Bench::new(links);
        let mut extra: Vec<u64> = (0..60)
            .map(|number| {
                let sent = bench.relay.now();
                bench.send(number);
                while bench.arrived(bench.server).is_empty() {
                    bench.relay.step(sent.after(Millis(5000))).unwrap();
                    assert!(bench.relay.now() < sent.after(Millis(5000)), "number {number} never came");
                }
                let on_the_way = bench.relay.now().micros_since(sent);
                on_the_way.checked_sub(12_000).expect("nothing comes too early")
            })
            .collect();
        // The median: a machine with other work wakes a process late now and then.
        extra.sort_unstable();
        assert!(extra[30] < 1000, "{} µs more than asked for", extra[30]);
    }

    #[test]
    fn each_client_has_a_port_of_its_own_and_gets_its_own_answers() {
        let mut bench = Bench::new(Links::default());
        let second = bench.ends.open(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
        bench.send(1);
        let to = bench.relay.address().unwrap();
        bench.ends.send(second, to, &2_u64.to_le_bytes()).unwrap();
        bench.relay.step(Arrival(u64::MAX)).unwrap();
        let heard = bench.arrived(bench.server);
        assert_eq!(heard.len(), 2);
        for (number, from) in &heard {
            bench.ends.send(bench.server, *from, &(number + 10).to_le_bytes()).unwrap();
        }
        // A stranger at a client's port is not the server.
        bench.ends.send(second, heard[0].1, &99_u64.to_le_bytes()).unwrap();
        bench.relay.step(Arrival(u64::MAX)).unwrap();
        assert_eq!(bench.arrived(bench.client), [(11, to)]);
        assert_eq!(bench.arrived(second), [(12, to)]);
    }
}
