//! One direction of a bad connection, as arithmetic: when, if ever, a datagram sent now arrives.
//!
//! In: the moment of sending and the size. Out: arrival times, none if lost, two if duplicated. The simulator and the UDP proxy
//! share it. One seed gives one fate; nothing here waits or keeps a datagram.

use fogline_common::time::{Arrival, Millis};

/// Bytes that IP and UDP add to a datagram, for the rate limit.
const HEADER_BYTES: usize = 28;
/// A rate-limited link queues at most this long; what would wait longer is dropped. Unit: µs.
const QUEUE_MAX_MICROS: u64 = 500_000;

/// What one direction does to datagrams. The default does nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkConfig {
    /// Time on the way.
    pub delay: Millis,
    /// Extra time, uniform from 0 to this. Alone it never reorders: a datagram waits for those before it.
    pub jitter: Millis,
    /// Share lost, 0 to 1.
    pub loss: f64,
    /// Share that arrives twice, the second copy with its own jitter.
    pub duplicate: f64,
    /// Share held back by [`reorder_by`](Self::reorder_by), so that later ones overtake it.
    pub reorder: f64,
    /// How long a reordered datagram is held back.
    pub reorder_by: Millis,
    /// Bytes per second that fit, headers included; `None` for no limit.
    pub rate_bytes_per_s: Option<u32>,
}

/// What a link did so far. Unit: datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Handed in.
    pub sent: u64,
    /// Lost by chance.
    pub lost: u64,
    /// Dropped because the rate's queue was full.
    pub over_rate: u64,
    /// Delivered twice.
    pub duplicated: u64,
    /// Held back.
    pub reordered: u64,
}

/// One direction of a connection.
#[derive(Clone, Debug)]
pub struct Link {
    /// May be changed during a run.
    pub config: LinkConfig,
    /// What it did so far.
    pub counts: LinkCounts,
    rng: fastrand::Rng,
    /// The wire is busy with earlier datagrams until then.
    busy_until: Arrival,
    /// Arrival of the latest datagram that was not held back.
    last_in_order: Arrival,
}

impl Link {
    /// A link that has carried nothing.
    pub fn new(config: LinkConfig, seed: u64) -> Self {
        Self {
            config,
            counts: LinkCounts::default(),
            rng: fastrand::Rng::with_seed(seed),
            busy_until: Arrival::default(),
            last_in_order: Arrival::default(),
        }
    }

    /// The fate of a datagram of `size_bytes` sent at `now`: its arrival, and that of its copy.
    ///
    /// The same number of random draws is made whatever the settings say, so that two runs of one seed with different settings
    /// stay comparable datagram by datagram.
    pub fn send(&mut self, now: Arrival, size_bytes: usize) -> [Option<Arrival>; 2] {
        let chance: [f64; 3] = std::array::from_fn(|_| self.rng.f64());
        let spread: [f64; 2] = std::array::from_fn(|_| self.rng.f64());
        self.counts.sent += 1;
        if chance[0] < self.config.loss {
            self.counts.lost += 1;
            return [None, None];
        }
        let Some(left) = self.through_the_rate(now, size_bytes) else {
            self.counts.over_rate += 1;
            return [None, None];
        };
        let jitter = |share: f64| (f64::from(self.config.jitter.0.max(0)) * 1000.0 * share) as u64;
        let on_the_way = left.after(self.config.delay);
        let mut first = Arrival(on_the_way.0 + jitter(spread[0])).max(self.last_in_order);
        if chance[1] < self.config.reorder {
            self.counts.reordered += 1;
            first = first.after(self.config.reorder_by);
        } else {
            self.last_in_order = first;
        }
        let copy = (chance[2] < self.config.duplicate).then(|| {
            self.counts.duplicated += 1;
            Arrival(on_the_way.0 + jitter(spread[1]))
        });
        [Some(first), copy]
    }

    /// When the last byte has left, or `None` if the queue before it is too long.
    fn through_the_rate(&mut self, now: Arrival, size_bytes: usize) -> Option<Arrival> {
        let Some(rate) = self.config.rate_bytes_per_s else { return Some(now) };
        let start = self.busy_until.max(now);
        if start.micros_since(now) > QUEUE_MAX_MICROS {
            return None;
        }
        let micros = (size_bytes + HEADER_BYTES) as u64 * 1_000_000 / u64::from(rate.max(1));
        self.busy_until = Arrival(start.0 + micros);
        Some(self.busy_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(config: LinkConfig, count: u64) -> Vec<[Option<Arrival>; 2]> {
        let mut link = Link::new(config, 7);
        (0..count).map(|n| link.send(Arrival::from_millis(n * 10), 100)).collect()
    }

    #[test]
    fn a_good_link_delivers_at_once() {
        let expected: Vec<_> = (0..5).map(|n| [Some(Arrival::from_millis(n * 10)), None]).collect();
        assert_eq!(arrivals(LinkConfig::default(), 5), expected);
    }

    #[test]
    fn jitter_alone_spreads_and_never_reorders() {
        let config = LinkConfig { delay: Millis(30), jitter: Millis(100), ..LinkConfig::default() };
        let times: Vec<_> = arrivals(config, 500).into_iter().map(|fate| fate[0].unwrap()).collect();
        assert!(times.is_sorted());
        let extra = |n: usize| times[n].since(Arrival::from_millis(n as u64 * 10)).0;
        assert!((0..500).all(|n| (30..=130).contains(&extra(n))));
        assert!((0..500).any(|n| extra(n) > 100));
    }

    #[test]
    fn chances_come_out_as_asked_and_a_seed_repeats_them() {
        let config = LinkConfig {
            loss: 0.2,
            duplicate: 0.1,
            reorder: 0.1,
            reorder_by: Millis(50),
            ..LinkConfig::default()
        };
        let mut link = Link::new(config, 3);
        let mut again = Link::new(config, 3);
        for n in 0..10_000 {
            let now = Arrival::from_millis(n);
            assert_eq!(link.send(now, 100), again.send(now, 100));
        }
        let near = |count: u64, expected: u64| assert!(count.abs_diff(expected) < expected / 8, "{count}");
        near(link.counts.lost, 2000);
        near(link.counts.duplicated, 800);
        near(link.counts.reordered, 800);
    }

    #[test]
    fn a_narrow_link_queues_and_then_drops() {
        let config = LinkConfig { rate_bytes_per_s: Some(1280), ..LinkConfig::default() };
        let mut link = Link::new(config, 1);
        let fates: Vec<_> = (0..20).map(|_| link.send(Arrival(0), 100)[0]).collect();
        assert_eq!(fates[0], Some(Arrival::from_millis(100)));
        assert_eq!(fates[4], Some(Arrival::from_millis(500)));
        assert_eq!(fates.iter().flatten().count() as u64 + link.counts.over_rate, 20);
        assert!(link.counts.over_rate >= 10);
    }
}
