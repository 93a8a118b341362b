//! What is measured of one client while it plays.

use crate::client::events::ClientCounts;
use fogline_common::time::Arrival;
use hdrhistogram::Histogram;

/// Digits that a histogram keeps of a value.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Values of one kind, in memory that does not grow with their count.
#[derive(Clone, Debug)]
pub struct Spread(Histogram<u64>);

impl Default for Spread {
    fn default() -> Self {
        Self(Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed"))
    }
}

impl Spread {
    /// Takes one in.
    pub fn record(&mut self, value: u64) {
        self.0.record(value).expect("a histogram that grows takes any value");
    }

    /// Takes in all of another.
    pub fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("a histogram that grows takes any other");
    }

    /// The value that a share of all, 0 to 1, does not exceed; 0 of nothing.
    pub fn quantile(&self, share: f64) -> u64 {
        self.0.value_at_quantile(share)
    }

    /// The largest.
    pub fn max(&self) -> u64 {
        self.0.max()
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len()
    }
}

/// One client's measurements. Nothing counts before [`begin`](Self::begin).
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Time between two snapshots' arrivals. Unit: µs.
    pub intervals: Spread,
    /// Size of a message with a snapshot, all its datagrams together. Unit: bytes of UDP payload.
    pub sizes: Spread,
    /// Ping as the client reckons it at each snapshot. Unit: ms.
    pub pings: Spread,
    begun: bool,
    at_begin: ClientCounts,
    last_snapshot: Option<Arrival>,
    /// Bytes that came since the last whole message: the earlier pieces of the one that is coming.
    pending_bytes: u64,
}

impl Meter {
    /// From now on everything counts.
    pub fn begin(&mut self, counts: ClientCounts) {
        *self = Self { begun: true, at_begin: counts, pending_bytes: self.pending_bytes, ..Self::default() };
    }

    /// The client took a datagram of `size_bytes`; its counts before and after, and its ping now.
    pub fn received(
        &mut self,
        now: Arrival,
        size_bytes: usize,
        [before, after]: [&ClientCounts; 2],
        ping_ms: u64,
    ) {
        self.pending_bytes += size_bytes as u64;
        if after.messages == before.messages {
            return;
        }
        let size = std::mem::take(&mut self.pending_bytes);
        if !self.begun || after.snapshots == before.snapshots {
            return;
        }
        self.sizes.record(size);
        self.pings.record(ping_ms);
        if let Some(last) = self.last_snapshot.replace(now) {
            self.intervals.record(now.micros_since(last));
        }
    }

    /// What was counted since the beginning, as far as counts can be subtracted: traffic, messages, snapshots, errors.
    pub fn since_begin(&self, now: &ClientCounts) -> ClientCounts {
        let then = &self.at_begin;
        ClientCounts {
            datagrams_in: now.datagrams_in - then.datagrams_in,
            bytes_in: now.bytes_in - then.bytes_in,
            datagrams_out: now.datagrams_out - then.datagrams_out,
            bytes_out: now.bytes_out - then.bytes_out,
            messages: now.messages - then.messages,
            messages_lost: now.messages_lost - then.messages_lost,
            snapshots: now.snapshots - then.snapshots,
            snapshots_without_base: now.snapshots_without_base - then.snapshots_without_base,
            ..*now
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_in_pieces_counts_once_with_all_its_bytes() {
        let counts = |messages, snapshots| ClientCounts { messages, snapshots, ..ClientCounts::default() };
        let mut meter = Meter::default();
        let at = Arrival::from_millis;
        meter.received(at(0), 70, [&counts(0, 0), &counts(1, 1)], 9);
        assert_eq!(meter.sizes.count(), 0, "nothing counts before the beginning");
        meter.begin(counts(1, 1));
        meter.received(at(50), 100, [&counts(1, 1), &counts(2, 2)], 40);
        meter.received(at(99), 1300, [&counts(2, 2), &counts(2, 2)], 40);
        meter.received(at(100), 200, [&counts(2, 2), &counts(3, 3)], 60);
        meter.received(at(120), 30, [&counts(3, 3), &counts(4, 3)], 60);
        assert_eq!((meter.sizes.count(), meter.sizes.quantile(0.0), meter.sizes.max()), (2, 100, 1500));
        assert_eq!((meter.intervals.count(), meter.intervals.max() / 100), (1, 500));
        assert_eq!(meter.pings.max(), 60);
        assert_eq!(meter.since_begin(&counts(4, 3)).messages, 3);
    }

    #[test]
    fn spreads_add_up() {
        let (mut a, mut b) = (Spread::default(), Spread::default());
        (1..=50).for_each(|n| a.record(n));
        (51..=100).for_each(|n| b.record(n));
        a.add(&b);
        assert_eq!((a.count(), a.quantile(0.5), a.quantile(0.99), a.max()), (100, 50, 99, 100));
        assert_eq!(Spread::default().quantile(0.5), 0);
    }
}
