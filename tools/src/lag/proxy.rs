//! What happens to which datagram, and when: the links of many clients and everything on its way, without socket and clock.
//!
//! The k-th client to come has the k-th pair of links of the seed, so a run with the same clients in the same order is the
//! same run.

use crate::link::{Link, LinkConfig};
use crate::table::{Cell, Table};
use fogline_common::time::{Arrival, Millis};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::net::SocketAddr;

/// Clients at once; a stranger beyond that finds nobody.
pub const MAX_PEERS: usize = 256;
/// A client that was silent for so long is forgotten.
pub const FORGET_AFTER: Millis = Millis(120_000);
/// Datagrams on their way at once; what is beyond is lost and counted.
const MAX_IN_FLIGHT: usize = 65_536;

/// Both directions of a client's connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Links {
    /// Towards the server.
    pub up: LinkConfig,
    /// Towards the client.
    pub down: LinkConfig,
}

/// Where a datagram goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// To the server, from the port that stands for this client.
    Server(usize),
    /// To the client at this address.
    Client(SocketAddr),
}

/// One client, by the port that stands for it towards the server.
#[derive(Debug)]
struct Peer {
    address: SocketAddr,
    /// Number in the order of coming.
    number: u64,
    up: Link,
    down: Link,
    heard: Arrival,
    bytes: [u64; 2],
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flight {
    at: Arrival,
    /// Keeps the order of sending at equal arrival.
    number: u64,
    target: Target,
    bytes: Vec<u8>,
}

/// All links and everything on its way.
#[derive(Debug)]
pub struct Proxy {
    links: Links,
    seed: u64,
    peers: BTreeMap<usize, Peer>,
    by_address: BTreeMap<SocketAddr, usize>,
    flights: BinaryHeap<Reverse<Flight>>,
    spare: Vec<Vec<u8>>,
    flown: u64,
    came: u64,
    /// Datagrams lost since too much was on its way. Unit: datagrams.
    pub overflowed: u64,
    /// What is known of those who left, for the report.
    gone: Vec<Vec<Cell>>,
}

impl Proxy {
    /// A proxy without clients.
    pub fn new(links: Links, seed: u64) -> Self {
        Self {
            links,
            seed,
            peers: BTreeMap::new(),
            by_address: BTreeMap::new(),
            flights: BinaryHeap::new(),
            spare: Vec::new(),
            flown: 0,
            came: 0,
            overflowed: 0,
            gone: Vec::new(),
        }
    }

    /// The port that stands for a client.
    pub fn port_of(&self, client: SocketAddr) -> Option<usize> {
        self.by_address.get(&client).copied()
    }

    /// Whether there is room for one more.
    pub fn has_room(&self) -> bool {
        self.peers.len() < MAX_PEERS
    }

    /// How many clients have come so far.
    pub fn came(&self) -> u64 {
        self.came
    }

    /// A client came; `port` stands for it from now on.
    pub fn admit(&mut self, now: Arrival, client: SocketAddr, port: usize) {
        let mut rng = fastrand::Rng::with_seed(self.seed ^ self.came.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let peer = Peer {
            address: client,
            number: self.came,
            up: Link::new(self.links.up, rng.u64(..)),
            down: Link::new(self.links.down, rng.u64(..)),
            heard: now,
            bytes: [0; 2],
        };
        self.came += 1;
        self.peers.insert(port, peer);
        self.by_address.insert(client, port);
    }

    /// A client that has been silent for [`FORGET_AFTER`] is forgotten; the port that stood for it.
    pub fn forget_idle(&mut self, now: Arrival) -> Option<usize> {
        let is_idle = |peer: &Peer| now.since(peer.heard) >= FORGET_AFTER;
        let port = self.peers.iter().find_map(|(&port, peer)| is_idle(peer).then_some(port))?;
        let peer = self.peers.remove(&port)?;
        self.by_address.remove(&peer.address);
        if self.gone.len() < 2 * MAX_PEERS {
            self.gone.extend(rows(&peer));
        }
        Some(port)
    }

    /// The client behind `port` sent this.
    pub fn send_up(&mut self, now: Arrival, port: usize, datagram: &[u8]) {
        let Some(peer) = self.peers.get_mut(&port) else { return };
        peer.heard = now;
        peer.bytes[0] += datagram.len() as u64;
        let fate = peer.up.send(now, datagram.len());
        self.launch(fate, Target::Server(port), datagram);
    }

    /// The server sent this to `port`.
    pub fn send_down(&mut self, now: Arrival, port: usize, datagram: &[u8]) {
        let Some(peer) = self.peers.get_mut(&port) else { return };
        peer.bytes[1] += datagram.len() as u64;
        let fate = peer.down.send(now, datagram.len());
        let target = Target::Client(peer.address);
        self.launch(fate, target, datagram);
    }

    /// When the next datagram arrives.
    pub fn next_arrival(&self) -> Option<Arrival> {
        self.flights.peek().map(|Reverse(flight)| flight.at)
    }

    /// Moves the next datagram that has arrived by `now` into `out`; where it goes.
    pub fn pop_arrived(&mut self, now: Arrival, out: &mut Vec<u8>) -> Option<Target> {
        if self.next_arrival()? > now {
            return None;
        }
        let Reverse(flight) = self.flights.pop()?;
        out.clear();
        out.extend_from_slice(&flight.bytes);
        self.spare.push(flight.bytes);
        Some(flight.target)
    }

    /// What each link did, a row for each.
    pub fn table(&self) -> Table {
        let mut table = Table::new(&[
            "client",
            "address",
            "way",
            "datagrams",
            "bytes",
            "lost",
            "lost_pct",
            "over_rate",
            "duplicated",
            "reordered",
        ]);
        self.gone.iter().cloned().chain(self.peers.values().flat_map(rows)).for_each(|row| table.push(row));
        table
    }

    fn launch(&mut self, fate: [Option<Arrival>; 2], target: Target, datagram: &[u8]) {
        for at in fate.into_iter().flatten() {
            if self.flights.len() >= MAX_IN_FLIGHT {
                self.overflowed += 1;
                continue;
            }
            let mut bytes = self.spare.pop().unwrap_or_default();
            bytes.clear();
            bytes.extend_from_slice(datagram);
            self.flights.push(Reverse(Flight { at, number: self.flown, target, bytes }));
            self.flown += 1;
        }
    }
}

fn rows(peer: &Peer) -> [Vec<Cell>; 2] {
    let row = |way: &str, link: &Link, bytes: u64| {
        let counts = link.counts;
        vec![
            Cell::Count(peer.number),
            Cell::text(peer.address.to_string()),
            Cell::text(way),
            Cell::Count(counts.sent),
            Cell::Count(bytes),
            Cell::Count(counts.lost),
            Cell::ratio(counts.lost as f64 * 100.0, counts.sent as f64, 2),
            Cell::Count(counts.over_rate),
            Cell::Count(counts.duplicated),
            Cell::Count(counts.reordered),
        ]
    };
    [row("up", &peer.up, peer.bytes[0]), row("down", &peer.down, peer.bytes[1])]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    fn uneven() -> Links {
        let up = LinkConfig { delay: Millis(40), loss: 0.05, ..LinkConfig::default() };
        Links { up, down: LinkConfig { delay: Millis(10), jitter: Millis(20), loss: 0.01, ..up } }
    }

    /// Everything that arrives, with when, of `count` datagrams each way, one each ms, of two clients.
    fn run(seed: u64, count: u64) -> Vec<(Arrival, Target, Vec<u8>)> {
        let mut proxy = Proxy::new(uneven(), seed);
        let mut arrived = Vec::new();
        let mut out = Vec::new();
        let mut take_until = |proxy: &mut Proxy, now: Arrival| {
            while let Some(at) = proxy.next_arrival().filter(|&at| at <= now) {
                let target = proxy.pop_arrived(at, &mut out).unwrap();
                arrived.push((at, target, out.clone()));
            }
        };
        for port in [0, 1] {
            proxy.admit(Arrival(0), client(port as u16), port);
        }
        for n in 0..count {
            let now = Arrival::from_millis(n);
            for port in [0, 1] {
                proxy.send_up(now, port, &n.to_le_bytes());
                proxy.send_down(now, port, &n.to_le_bytes());
            }
            take_until(&mut proxy, now);
        }
        take_until(&mut proxy, Arrival(u64::MAX));
        arrived
    }

    #[test]
    fn delay_and_loss_come_out_as_asked_each_way() {
        let count = 200_000;
        let arrived = run(1, count);
        for (target, delay_ms, spread_ms, loss) in
            [(Target::Server(0), 40, 0, 0.05), (Target::Client(client(1)), 10, 20, 0.01)]
        {
            let here: Vec<_> = arrived.iter().filter(|(_, to, _)| *to == target).collect();
            let measured = 1.0 - here.len() as f64 / count as f64;
            assert!((measured - loss).abs() < 0.002, "lost {measured}, asked for {loss}");
            for (at, _, bytes) in here {
                let sent = u64::from_le_bytes(bytes.as_slice().try_into().unwrap());
                let on_the_way = at.micros_since(Arrival::from_millis(sent));
                assert!(
                    (delay_ms * 1000..=(delay_ms + spread_ms) * 1000).contains(&on_the_way),
                    "{on_the_way}"
                );
            }
        }
    }

    #[test]
    fn a_seed_repeats_a_run_and_another_does_not() {
        assert_eq!(run(5, 500), run(5, 500));
        assert_ne!(run(5, 500), run(6, 500));
        let lost = |to: Target| {
            run(5, 500).iter().filter(|(_, target, _)| *target == to).map(|f| f.2.clone()).collect::<Vec<_>>()
        };
        assert_ne!(lost(Target::Server(0)), lost(Target::Server(1)), "two clients have links of their own");
    }

    #[test]
    fn the_silent_are_forgotten_but_stay_in_the_report() {
        let mut proxy = Proxy::new(Links::default(), 1);
        proxy.admit(Arrival(0), client(1), 4);
        proxy.admit(Arrival(0), client(2), 5);
        proxy.send_up(Arrival::from_millis(60_000), 5, b"x");
        let later = Arrival::from_millis(120_000);
        assert_eq!(proxy.forget_idle(later), Some(4));
        assert_eq!(proxy.forget_idle(later), None);
        assert_eq!((proxy.port_of(client(1)), proxy.port_of(client(2))), (None, Some(5)));
        proxy.send_down(later, 4, b"too late");
        assert_eq!(proxy.table().rows().len(), 4);
    }

    #[test]
    fn a_flood_is_bounded() {
        let slow = LinkConfig { delay: Millis(60_000), ..LinkConfig::default() };
        let mut proxy = Proxy::new(Links { up: slow, down: slow }, 1);
        proxy.admit(Arrival(0), client(1), 0);
        for _ in 0..MAX_IN_FLIGHT + 10 {
            proxy.send_up(Arrival(0), 0, b"");
        }
        assert_eq!(proxy.overflowed, 10);
    }
}
