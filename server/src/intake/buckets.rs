//! How much an address may draw from the server before it has proved that it is there.
//!
//! Anyone can write any sender on a datagram, so a reply may hit somebody who never asked. A [`Meter`] counts the bytes
//! that replies were longer than their requests; it drains with time and closes when an [`Allowance`] is used up. A
//! [`PrefixTable`] keeps one account per address prefix in fixed memory. Nothing here allocates after `new`.

use fogline_common::time::Arrival;
use siphasher::sip::SipHasher13;
use std::net::IpAddr;

/// Those who share one account: a whole IPv4 address, or the /64 of an IPv6 address (one customer usually has all of it).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefix(u64);

impl Prefix {
    /// The account of `address`. An IPv4 address inside an IPv6 one counts as the IPv4 address.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            // Below ff00::/8, which is multicast and never a sender.
            IpAddr::V4(v4) => Self(0xffff_0000_0000_0000 | u64::from(v4.to_bits())),
            IpAddr::V6(v6) => Self((v6.to_bits() >> 64) as u64),
        }
    }
}

/// What may be drawn: so much at once, so much in the long run.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// May be drawn at once. Unit: bytes.
    pub burst_bytes: u32,
    /// Comes back with time. Unit: bytes a second.
    pub bytes_per_s: u32,
}

impl Allowance {
    const fn span_us(self, bytes: u64) -> u64 {
        bytes * 1_000_000 / self.bytes_per_s as u64
    }
}

/// What was drawn and has not drained yet, kept as the moment at which it will have drained.
///
/// The debt is capped at twice the burst, so a flooded address is heard again within one burst's time of the flood's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    clear_at: Arrival,
}

impl Meter {
    /// Whether anything may be drawn now. The last draw may overshoot by its own size.
    pub fn is_open(self, now: Arrival, allowance: Allowance) -> bool {
        self.clear_at.micros_since(now) < allowance.span_us(u64::from(allowance.burst_bytes))
    }

    /// Draws `bytes`, open or not: refused requests are charged too, so that whoever floods gets nothing until it calms down.
    pub fn draw(&mut self, now: Arrival, bytes: usize, allowance: Allowance) {
        let debt = self.clear_at.micros_since(now) + allowance.span_us(bytes as u64);
        let most = 2 * allowance.span_us(u64::from(allowance.burst_bytes));
        self.clear_at = Arrival(now.0 + debt.min(most));
    }

    /// From here on the meter is as good as new.
    pub const fn clear_at(self) -> Arrival {
        self.clear_at
    }
}

/// What a [`PrefixTable`] keeps per prefix. The default is a newcomer's.
pub trait Account: Copy + Default {
    /// From here on the account says no more than a newcomer's.
    fn settled_at(&self) -> Arrival;
}

#[derive(Clone, Copy, Default)]
struct Slot<T> {
    prefix: Prefix,
    account: T,
}

/// One account per prefix in fixed memory: sets of [`WAYS`] slots, chosen by a keyed hash.
///
/// A newcomer takes the slot of its set that settles (or settled) first. So idle accounts go before busy ones, and the deeper
/// an account is in debt the longer it stays: a flood of invented addresses pushes out its own kind and never wipes the
/// record of an address under attack. Finding and evicting look at [`WAYS`] slots, no more.
pub struct PrefixTable<T> {
    slots: Box<[Slot<T>]>,
    key: [u8; 16],
}

/// Slots that one prefix may be in.
pub const WAYS: usize = 8;

impl<T: Account> PrefixTable<T> {
    /// Room for `set_count * WAYS` prefixes; `set_count` is a power of two. `key` must be unknown outside.
    pub fn new(set_count: usize, key: [u8; 16]) -> Self {
        assert!(set_count.is_power_of_two(), "set count {set_count} is no power of two");
        Self { slots: vec![Slot::default(); set_count * WAYS].into_boxed_slice(), key }
    }

    /// The account of `prefix`, if the table still holds one.
    pub fn find(&mut self, prefix: Prefix) -> Option<&mut T> {
        self.set(prefix).iter_mut().find(|slot| slot.prefix == prefix).map(|slot| &mut slot.account)
    }

    /// The account of `prefix`, a newcomer's if the table holds none.
    pub fn open(&mut self, prefix: Prefix) -> &mut T {
        let set = self.set(prefix);
        let known = set.iter().position(|slot| slot.prefix == prefix);
        let way = known.unwrap_or_else(|| {
            (0..WAYS).min_by_key(|&way| set[way].account.settled_at()).expect("a set has slots")
        });
        if known.is_none() {
            set[way] = Slot { prefix, account: T::default() };
        }
        &mut self.set(prefix)[way].account
    }

    fn set(&mut self, prefix: Prefix) -> &mut [Slot<T>] {
        let set_count = self.slots.len() / WAYS;
        let hash = SipHasher13::new_with_key(&self.key).hash(&prefix.0.to_le_bytes());
        let first = (hash as usize & (set_count - 1)) * WAYS;
        &mut self.slots[first..first + WAYS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, Ipv6Addr};

    const ALLOWANCE: Allowance = Allowance { burst_bytes: 1000, bytes_per_s: 100 };

    impl Account for Meter {
        fn settled_at(&self) -> Arrival {
            self.clear_at
        }
    }

    fn v4(n: u32) -> Prefix {
        Prefix::of(IpAddr::V4(Ipv4Addr::from_bits(n)))
    }

    #[test]
    fn a_meter_closes_after_its_burst_and_opens_with_time() {
        let mut meter = Meter::default();
        let start = Arrival::from_millis(5);
        for _ in 0..10 {
            assert!(meter.is_open(start, ALLOWANCE));
            meter.draw(start, 100, ALLOWANCE);
        }
        assert!(!meter.is_open(start, ALLOWANCE));
        assert!(meter.is_open(Arrival::from_millis(6), ALLOWANCE));
        assert_eq!(meter.clear_at(), Arrival::from_millis(5 + 10_000));
    }

    #[test]
    fn a_long_flood_is_forgiven_within_one_burst() {
        let mut meter = Meter::default();
        let now = Arrival::from_millis(0);
        for _ in 0..1_000_000 {
            meter.draw(now, 64, ALLOWANCE);
        }
        assert!(!meter.is_open(Arrival::from_millis(9_999), ALLOWANCE));
        assert!(meter.is_open(Arrival::from_millis(10_001), ALLOWANCE));
    }

    #[test]
    fn an_ipv6_customer_and_a_mapped_ipv4_address_have_one_account() {
        let v6 = |text: &str| Prefix::of(IpAddr::V6(text.parse::<Ipv6Addr>().unwrap()));
        assert_eq!(v6("2001:db8:1:2::1"), v6("2001:db8:1:2:ffff::9"));
        assert_ne!(v6("2001:db8:1:2::1"), v6("2001:db8:1:3::1"));
        assert_eq!(v6("::ffff:192.0.2.7"), v4(u32::from_be_bytes([192, 0, 2, 7])));
        assert_ne!(v4(1), v4(2));
    }

    #[test]
    fn an_account_in_debt_outlives_a_flood_of_newcomers() {
        let mut table = PrefixTable::<Meter>::new(4, [7; 16]);
        let victim = v4(1);
        table.open(victim).draw(Arrival::from_millis(0), 2000, ALLOWANCE);
        for n in 2..10_000 {
            let now = Arrival::from_millis(u64::from(n) / 10);
            table.open(v4(n)).draw(now, 64, ALLOWANCE);
        }
        let account = table.find(victim).expect("still on record");
        assert!(!account.is_open(Arrival::from_millis(1000), ALLOWANCE));
    }

    #[test]
    fn a_newcomer_always_finds_a_place() {
        let mut table = PrefixTable::<Meter>::new(1, [7; 16]);
        let now = Arrival::from_millis(0);
        for n in 0..100 {
            let account = table.open(v4(n));
            assert_eq!(*account, Meter::default());
            account.draw(now, 5000, ALLOWANCE);
        }
    }
}
