//! The simulated network: one pair of links per bot, datagrams in flight, ordered by arrival.
//!
//! In: a datagram, who sends it to whom, when. Out: what has arrived by a moment, in the order of arrival and, at the same
//! moment, of sending. It never looks into a datagram.

use fogline_common::time::Arrival;
use fogline_tools::link::{Link, LinkConfig, LinkCounts};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::SocketAddr;

/// Both directions of one bot's connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkPair {
    /// From the bot to the server.
    pub up: LinkConfig,
    /// From the server to the bot.
    pub down: LinkConfig,
}

impl LinkPair {
    /// The same in both directions.
    pub const fn both(config: LinkConfig) -> Self {
        Self { up: config, down: config }
    }
}

/// A datagram that has arrived.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Delivery {
    /// At the server, from this address.
    AtServer(SocketAddr, Vec<u8>),
    /// At the end with this index.
    AtEnd(usize, Vec<u8>),
}

/// One bot's (or attacker's) place on the network.
#[derive(Debug)]
struct End {
    address: SocketAddr,
    up: Link,
    down: Link,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flight {
    at: Arrival,
    /// Number of the datagram among all: keeps the order of sending at equal arrival.
    number: u64,
    delivery: Delivery,
}

/// All links and everything in flight.
#[derive(Debug, Default)]
pub struct Network {
    ends: Vec<End>,
    flights: BinaryHeap<Reverse<Flight>>,
    next_number: u64,
    /// Datagrams that the server sent to an address where nobody is.
    pub to_nowhere: u64,
}

impl Network {
    /// Connects an end; its index is how deliveries name it.
    pub fn connect(&mut self, address: SocketAddr, links: LinkPair, seed: u64) -> usize {
        self.ends.push(End {
            address,
            up: Link::new(links.up, seed),
            down: Link::new(links.down, seed ^ 0x9e37_79b9_7f4a_7c15),
        });
        self.ends.len() - 1
    }

    /// Where an end is reached.
    pub fn address(&self, end: usize) -> SocketAddr {
        self.ends[end].address
    }

    /// Whether an end is reached there.
    pub fn has(&self, address: SocketAddr) -> bool {
        self.end_at(address).is_some()
    }

    /// The end that is reached there.
    pub fn end_at(&self, address: SocketAddr) -> Option<usize> {
        self.ends.iter().position(|end| end.address == address)
    }

    /// Gives an end another address, as a router does that forgot it.
    pub fn readdress(&mut self, end: usize, address: SocketAddr) {
        self.ends[end].address = address;
    }

    /// Changes an end's links from now on.
    pub fn relink(&mut self, end: usize, links: LinkPair) {
        self.ends[end].up.config = links.up;
        self.ends[end].down.config = links.down;
    }

    /// What an end's links did so far: up, down.
    pub fn counts(&self, end: usize) -> (LinkCounts, LinkCounts) {
        (self.ends[end].up.counts, self.ends[end].down.counts)
    }

    /// An end sends to the server.
    pub fn send_up(&mut self, now: Arrival, end: usize, datagram: &[u8]) {
        let end = &mut self.ends[end];
        let fate = end.up.send(now, datagram.len());
        let address = end.address;
        self.launch(fate, &Delivery::AtServer(address, datagram.to_vec()));
    }

    /// The server sends to an address.
    pub fn send_down(&mut self, now: Arrival, to: SocketAddr, datagram: &[u8]) {
        let Some(index) = self.end_at(to) else {
            self.to_nowhere += 1;
            return;
        };
        let fate = self.ends[index].down.send(now, datagram.len());
        self.launch(fate, &Delivery::AtEnd(index, datagram.to_vec()));
    }

    /// When the next datagram arrives anywhere.
    pub fn next_arrival(&self) -> Option<Arrival> {
        self.flights.peek().map(|Reverse(flight)| flight.at)
    }

    /// The next datagram that has arrived by `now`.
    pub fn pop_arrived(&mut self, now: Arrival) -> Option<Delivery> {
        if self.next_arrival()? > now {
            return None;
        }
        self.flights.pop().map(|Reverse(flight)| flight.delivery)
    }

    /// Datagrams in flight.
    pub fn in_flight(&self) -> usize {
        self.flights.len()
    }

    fn launch(&mut self, fate: [Option<Arrival>; 2], delivery: &Delivery) {
        for at in fate.into_iter().flatten() {
            let flight = Flight { at, number: self.next_number, delivery: delivery.clone() };
            self.next_number += 1;
            self.flights.push(Reverse(flight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::time::Millis;

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], port))
    }

    #[test]
    fn datagrams_arrive_in_order_of_arrival_then_of_sending() {
        let mut network = Network::default();
        let slow = LinkConfig { delay: Millis(20), ..LinkConfig::default() };
        let far = network.connect(address(1), LinkPair::both(slow), 1);
        let near = network.connect(address(2), LinkPair::default(), 2);
        network.send_up(Arrival(0), far, b"far");
        network.send_up(Arrival(5), near, b"near a");
        network.send_up(Arrival(5), near, b"near b");
        let mut seen = Vec::new();
        while let Some(delivery) = network.pop_arrived(Arrival::from_millis(20)) {
            let Delivery::AtServer(_, bytes) = delivery else { panic!("nothing was sent down") };
            seen.push(String::from_utf8(bytes).unwrap());
        }
        assert_eq!(seen, ["near a", "near b", "far"]);
    }

    #[test]
    fn what_goes_nowhere_is_counted() {
        let mut network = Network::default();
        network.send_down(Arrival(0), address(9), b"x");
        assert_eq!((network.to_nowhere, network.in_flight()), (1, 0));
    }
}
