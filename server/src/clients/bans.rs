//! Addresses that may not come in for a while: those sent away by a vote or by the host. Kept while the program runs.

use fogline_common::time::{Arrival, Millis};
use std::net::IpAddr;

/// Bans kept at once; the one that would end first makes room.
const MAX_BANS: usize = 1024;

/// One banned address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ban {
    /// The address; for IPv6 its first 64 bits count.
    pub address: IpAddr,
    /// When it may come in again.
    pub until: Arrival,
    /// Why, for it and for the host to read.
    pub reason: String,
}

/// Addresses that may not come in.
#[derive(Debug, Default)]
pub struct Bans {
    list: Vec<Ban>,
}

impl Bans {
    /// Keeps an address out until `until`; one that is out already stays out at least as long as it was to.
    pub fn add(&mut self, address: IpAddr, until: Arrival, reason: &str, now: Arrival) {
        self.expire(now);
        if let Some(known) = self.list.iter_mut().find(|ban| same_host(ban.address, address)) {
            known.until = known.until.max(until);
            reason.clone_into(&mut known.reason);
            return;
        }
        if self.list.len() == MAX_BANS
            && let Some(first) = (0..MAX_BANS).min_by_key(|&at| self.list[at].until)
        {
            self.list.remove(first);
        }
        self.list.push(Ban { address, until, reason: reason.to_owned() });
    }

    /// The sentence for somebody from this address, if it may not come in.
    pub fn refusal(&self, address: IpAddr, now: Arrival) -> Option<String> {
        let ban = self.list.iter().find(|ban| ban.until > now && same_host(ban.address, address))?;
        let left = ban.until.since(now).0;
        let minutes = left / 60_000 + i32::from(left % 60_000 > 0);
        Some(format!("You are banned for {minutes} more minutes: {}", ban.reason))
    }

    /// Lets an address in again. Whether it was kept out.
    pub fn remove(&mut self, address: IpAddr) -> bool {
        let before = self.list.len();
        self.list.retain(|ban| !same_host(ban.address, address));
        self.list.len() < before
    }

    /// The bans in force, oldest first.
    pub fn list(&mut self, now: Arrival) -> &[Ban] {
        self.expire(now);
        &self.list
    }

    fn expire(&mut self, now: Arrival) {
        self.list.retain(|ban| ban.until > now);
    }
}

/// When a ban of so many minutes ends.
pub fn end_of(now: Arrival, minutes: i32) -> Arrival {
    now.after(Millis(minutes.clamp(1, 35_791).saturating_mul(60_000)))
}

fn same_host(a: IpAddr, b: IpAddr) -> bool {
    match (a.to_canonical(), b.to_canonical()) {
        (IpAddr::V6(a), IpAddr::V6(b)) => a.segments()[..4] == b.segments()[..4],
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(last: u16) -> IpAddr {
        IpAddr::from([10, 0, (last >> 8) as u8, last as u8])
    }

    #[test]
    fn a_ban_ends_by_itself_or_by_the_host() {
        let mut bans = Bans::default();
        let now = Arrival::from_millis(1000);
        bans.add(host(1), end_of(now, 2), "vote", now);
        let text = bans.refusal(host(1), now).expect("it is banned");
        assert_eq!(text, "You are banned for 2 more minutes: vote");
        assert_eq!(bans.refusal(host(2), now), None);
        assert_eq!(bans.refusal(host(1), end_of(now, 2)), None);
        assert!(bans.remove(host(1)) && !bans.remove(host(1)));
    }

    #[test]
    fn an_ipv6_host_is_its_network() {
        let mut bans = Bans::default();
        let now = Arrival::from_millis(0);
        bans.add("2001:db8::1".parse().unwrap(), end_of(now, 2), "vote", now);
        assert!(bans.refusal("2001:db8::ffff".parse().unwrap(), now).is_some());
        assert!(bans.refusal("2001:db8:0:1::1".parse().unwrap(), now).is_none());
    }

    #[test]
    fn the_list_is_bounded_and_a_shorter_ban_takes_nothing_off_a_longer_one() {
        let mut bans = Bans::default();
        let now = Arrival::from_millis(0);
        for last in 0..2000 {
            bans.add(host(last), end_of(now, 5 + i32::from(last)), "x", now);
        }
        assert_eq!(bans.list(now).len(), MAX_BANS);
        bans.add(host(1999), end_of(now, 1), "y", now);
        assert!(bans.refusal(host(1999), end_of(now, 3)).is_some());
    }
}
