//! When to tell which master server that we exist.
//!
//! A schedule that is fed with the time and drained: names to resolve go out by [`Masters::poll_resolve`] and come back by
//! [`Masters::resolved`] whenever the rim has the answer; heartbeats go out by [`Masters::poll_heartbeat`]. Source: facts page
//! "q3-protocol-facts", section 5.

use fogline_common::proto::limits::MASTER_PORT;
use fogline_common::time::{Arrival, Millis};
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

/// `sv_master1` to `sv_master5`.
pub const MAX_MASTERS: usize = 5;
/// From one heartbeat to the next if nothing happens.
pub const HEARTBEAT_EVERY: Millis = Millis(300_000);
/// From one heartbeat to the next if much happens.
pub const HEARTBEAT_GAP: Millis = Millis(5_000);
/// A name is looked up again after so long; one that was not found, with the next heartbeat.
pub const RESOLVE_EVERY: Millis = Millis(3_600_000);

/// What a heartbeat says, without the marker. Masters keep Quake III's own game apart from all others.
pub fn heartbeat_text(gamename: &str) -> &'static str {
    if gamename == "Quake3Arena" { "heartbeat QuakeArena-1\n" } else { "heartbeat DarkPlaces\n" }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lookup {
    /// Not looked up since the name was set.
    #[default]
    Never,
    Wanted,
    Asked,
    Found(Arrival),
    Failed,
}

/// One master as the host is shown it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Master {
    /// As the host wrote it; empty for none. The port is 27950 unless it is named.
    pub name: String,
    /// Its addresses: one IPv4, one IPv6 at most.
    pub addresses: Vec<SocketAddr>,
    /// When it last was told of us.
    pub last_heartbeat: Option<Arrival>,
    /// When it last asked for our info: the proof that we are listed.
    pub last_query: Option<Arrival>,
    lookup: Lookup,
    /// It gets a heartbeat as soon as its address is known.
    awaited: bool,
    failure_told: bool,
}

/// The schedule for all masters.
#[derive(Debug, Default)]
pub struct Masters {
    masters: [Master; MAX_MASTERS],
    enabled: bool,
    populated: bool,
    map: String,
    next_round: Arrival,
    last_round: Option<Arrival>,
    outgoing: VecDeque<SocketAddr>,
}

impl Masters {
    /// Sets the names and whether masters are told at all (`dedicated 2`). Cheap if nothing changed; a new name is told soon.
    pub fn configure(&mut self, now: Arrival, enabled: bool, names: [&str; MAX_MASTERS]) {
        let mut news = enabled && !self.enabled;
        self.enabled = enabled;
        for (master, name) in self.masters.iter_mut().zip(names) {
            if master.name != name {
                *master = Master { name: name.to_owned(), ..Master::default() };
                news = true;
            }
        }
        if news {
            self.request(now);
        }
    }

    /// Something happened that browsers want to know (the `heartbeat` command): heartbeats go out as soon as the
    /// last ones are [`HEARTBEAT_GAP`] old.
    pub fn request(&mut self, now: Arrival) {
        let earliest = self.last_round.map_or(now, |last| now.max(last.after(HEARTBEAT_GAP)));
        self.next_round = self.next_round.min(earliest);
    }

    /// Looks every name up again with the next heartbeats, which go out soon.
    pub fn look_up_again(&mut self, now: Arrival) {
        for master in &mut self.masters {
            master.lookup = Lookup::Never;
        }
        self.request(now);
    }

    /// So many clients are connected. Masters are told of the first that comes and of the last that goes.
    pub fn note_population(&mut self, now: Arrival, clients: usize) {
        if self.populated != (clients > 0) {
            self.populated = clients > 0;
            self.request(now);
        }
    }

    /// This map is running. Masters are told of a change.
    pub fn note_map(&mut self, now: Arrival, map: &str) {
        if self.map != map {
            map.clone_into(&mut self.map);
            self.request(now);
        }
    }

    /// A query came from `from`; if that is a master, it knows us.
    pub fn note_query(&mut self, now: Arrival, from: IpAddr) {
        let from = from.to_canonical();
        for master in &mut self.masters {
            if master.addresses.iter().any(|address| address.ip() == from) {
                master.last_query = Some(now);
            }
        }
    }

    /// The next name to look up, with its port, if any is wanted.
    pub fn poll_resolve(&mut self, now: Arrival) -> Option<String> {
        self.run_round(now);
        let master = self.masters.iter_mut().find(|master| master.lookup == Lookup::Wanted)?;
        master.lookup = Lookup::Asked;
        Some(with_port(&master.name))
    }

    /// The answer to a lookup; none found is an empty one. A line for the log, if that is news.
    pub fn resolved(&mut self, now: Arrival, name: &str, addresses: &[SocketAddr]) -> Option<String> {
        let mut line = None;
        for master in &mut self.masters {
            if master.lookup != Lookup::Asked || with_port(&master.name) != name {
                continue;
            }
            if addresses.is_empty() {
                master.lookup = Lookup::Failed;
                if !master.failure_told {
                    master.failure_told = true;
                    line = Some(format!(
                        "master {}: the name was not found; it is tried again every {} s",
                        master.name,
                        HEARTBEAT_EVERY.0 / 1000
                    ));
                }
            } else {
                let of_family = |v4: bool| addresses.iter().find(|address| address.is_ipv4() == v4).copied();
                let found: Vec<_> = of_family(true).into_iter().chain(of_family(false)).collect();
                if found != master.addresses || master.failure_told {
                    let list: Vec<_> = found.iter().map(SocketAddr::to_string).collect();
                    line = Some(format!("master {} is {}", master.name, list.join(" and ")));
                }
                master.failure_told = false;
                master.addresses = found;
                master.lookup = Lookup::Found(now);
            }
            if std::mem::take(&mut master.awaited) && !master.addresses.is_empty() {
                master.last_heartbeat = Some(now);
                self.outgoing.extend(&master.addresses);
            }
        }
        line
    }

    /// Where the next heartbeat goes, if one is due.
    pub fn poll_heartbeat(&mut self, now: Arrival) -> Option<SocketAddr> {
        self.run_round(now);
        self.outgoing.pop_front()
    }

    /// Where to say goodbye: every address twice, since nothing will be said after.
    pub fn farewell(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        let rounds = if self.enabled { 2 } else { 0 };
        (0..rounds).flat_map(|_| self.masters.iter().flat_map(|master| master.addresses.iter().copied()))
    }

    /// When there will be something to poll.
    pub fn next_wakeup(&self) -> Arrival {
        if !self.enabled || self.masters.iter().all(|master| master.name.is_empty()) {
            return Arrival(u64::MAX);
        }
        let waiting = self.masters.iter().any(|master| master.lookup == Lookup::Wanted);
        if waiting || !self.outgoing.is_empty() { Arrival(0) } else { self.next_round }
    }

    /// The masters in use, for the host and for the list of trusted addresses.
    pub fn iter(&self) -> impl Iterator<Item = &Master> {
        self.masters.iter().filter(|master| !master.name.is_empty())
    }

    fn run_round(&mut self, now: Arrival) {
        if !self.enabled || now < self.next_round {
            return;
        }
        self.last_round = Some(now);
        self.next_round = now.after(HEARTBEAT_EVERY);
        for master in self.masters.iter_mut().filter(|master| !master.name.is_empty()) {
            let stale = match master.lookup {
                Lookup::Never | Lookup::Failed => true,
                Lookup::Found(at) => now.since(at) >= RESOLVE_EVERY,
                Lookup::Wanted | Lookup::Asked => false,
            };
            if stale {
                master.lookup = Lookup::Wanted;
            }
            if master.lookup == Lookup::Wanted || master.addresses.is_empty() {
                master.awaited = true;
            } else {
                master.last_heartbeat = Some(now);
                self.outgoing.extend(&master.addresses);
            }
        }
    }
}

fn with_port(name: &str) -> String {
    let has_port = match name.rsplit_once(':') {
        Some((host, _)) => !host.contains(':') || host.ends_with(']'),
        None => false,
    };
    if has_port {
        name.to_owned()
    } else if name.contains(':') && !name.starts_with('[') {
        format!("[{name}]:{MASTER_PORT}")
    } else {
        format!("{name}:{MASTER_PORT}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; MAX_MASTERS] = ["master.example.org", "", "[2001:db8::9]:27000", "", ""];

    fn at(s: u64) -> Arrival {
        Arrival::from_millis(s * 1000)
    }

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    fn heartbeats(masters: &mut Masters, now: Arrival) -> Vec<String> {
        std::iter::from_fn(|| masters.poll_heartbeat(now)).map(|to| to.to_string()).collect()
    }

    fn resolve_all(masters: &mut Masters, now: Arrival) {
        while let Some(name) = masters.poll_resolve(now) {
            let found = if name.starts_with("master") {
                vec![address("[2001:db8::1]:27950"), address("192.0.2.1:27950"), address("192.0.2.2:27950")]
            } else {
                vec![address(&name)]
            };
            masters.resolved(now, &name, &found);
        }
    }

    fn running() -> Masters {
        let mut masters = Masters::default();
        masters.configure(at(10), true, NAMES);
        resolve_all(&mut masters, at(10));
        assert_eq!(
            heartbeats(&mut masters, at(10)),
            ["192.0.2.1:27950", "[2001:db8::1]:27950", "[2001:db8::9]:27000"]
        );
        masters
    }

    #[test]
    fn every_master_hears_of_us_on_both_families_and_again_every_five_minutes() {
        let mut masters = running();
        assert_eq!(masters.next_wakeup(), at(310));
        assert!(heartbeats(&mut masters, at(309)).is_empty());
        assert_eq!(heartbeats(&mut masters, at(310)).len(), 3);
        assert!(heartbeats(&mut masters, at(310)).is_empty());
    }

    #[test]
    fn the_first_player_and_the_last_are_news_but_not_a_flood() {
        let mut masters = running();
        masters.note_population(at(100), 1);
        assert_eq!(heartbeats(&mut masters, at(100)).len(), 3);
        masters.note_population(at(101), 2);
        masters.note_population(at(101), 0);
        masters.note_population(at(102), 1);
        assert!(heartbeats(&mut masters, at(104)).is_empty());
        assert_eq!(heartbeats(&mut masters, at(105)).len(), 3);
        assert!(heartbeats(&mut masters, at(106)).is_empty());
    }

    #[test]
    fn a_new_map_is_news_and_the_same_map_is_none() {
        let mut masters = running();
        masters.note_map(at(100), "oa_dm1");
        assert_eq!(heartbeats(&mut masters, at(100)).len(), 3);
        masters.note_map(at(200), "oa_dm1");
        assert!(heartbeats(&mut masters, at(200)).is_empty());
    }

    #[test]
    fn a_lan_server_tells_nobody() {
        let mut masters = Masters::default();
        masters.configure(at(10), false, NAMES);
        assert_eq!(masters.poll_resolve(at(10)), None);
        assert_eq!(masters.next_wakeup(), Arrival(u64::MAX));
        assert_eq!(masters.farewell().count(), 0);
    }

    #[test]
    fn an_unknown_name_is_told_once_and_tried_again() {
        let mut masters = Masters::default();
        masters.configure(at(10), true, ["nowhere.example", "", "", "", ""]);
        for round in 0..3 {
            let now = at(10 + 300 * round);
            assert_eq!(masters.poll_resolve(now).as_deref(), Some("nowhere.example:27950"));
            let line = masters.resolved(now, "nowhere.example:27950", &[]);
            assert_eq!(line.is_some(), round == 0);
        }
        assert!(masters.poll_resolve(at(910)).is_some());
        let line = masters.resolved(at(911), "nowhere.example:27950", &[address("192.0.2.7:27950")]);
        assert_eq!(line.as_deref(), Some("master nowhere.example is 192.0.2.7:27950"));
        assert_eq!(heartbeats(&mut masters, at(911)), ["192.0.2.7:27950"]);
    }

    #[test]
    fn a_name_is_looked_up_again_every_hour() {
        let mut masters = running();
        for round in 1..12 {
            assert_eq!(masters.poll_resolve(at(10 + 300 * round)), None);
            assert_eq!(heartbeats(&mut masters, at(10 + 300 * round)).len(), 3);
        }
        assert!(masters.poll_resolve(at(10 + 300 * 12)).is_some());
    }

    #[test]
    fn goodbye_is_said_twice() {
        assert_eq!(running().farewell().count(), 6);
    }

    #[test]
    fn a_query_of_a_master_proves_the_listing() {
        let mut masters = running();
        masters.note_query(at(11), address("[2001:db8::1]:40000").ip());
        let seen: Vec<_> = masters.iter().map(|master| master.last_query).collect();
        assert_eq!(seen, [Some(at(11)), None]);
    }

    #[test]
    fn a_port_is_added_where_none_is_named() {
        let check = |name: &str, full: &str| assert_eq!(with_port(name), full);
        check("a.example", "a.example:27950");
        check("a.example:1", "a.example:1");
        check("192.0.2.1", "192.0.2.1:27950");
        check("2001:db8::1", "[2001:db8::1]:27950");
        check("[2001:db8::1]", "[2001:db8::1]:27950");
        check("[2001:db8::1]:1", "[2001:db8::1]:1");
    }

    #[test]
    fn other_games_are_announced_as_such() {
        assert_eq!(heartbeat_text("Quake3Arena"), "heartbeat QuakeArena-1\n");
        assert_eq!(heartbeat_text("Another"), "heartbeat DarkPlaces\n");
    }
}
