//! How far a client's own eye runs ahead of what the server knows of it, measured and not assumed.
//!
//! A stock client stamps each usercmd with the moment that it was drawing. The server's time at which the command is executed minus
//! that stamp holds the way up, the way down, the render delay, the time nudge and the wait for a packet together: the *lag*. How
//! long a snapshot is drawn from is the *period*: the time to the next one that really came, however the client asked, the host
//! allowed and the line delayed or lost. Of both a high quantile over the last seconds counts. It grows at once and shrinks slowly.
//! Nothing here allocates after it was made.

use fogline_common::time::{Arrival, Millis};

/// Width of a class of values. Unit: ms.
const BIN_MS: i32 = 4;
/// Classes; what is greater counts as the last.
const BINS: usize = 128;
/// The past is forgotten in so many parts.
const WINDOWS: usize = 5;
/// Length of a part. Unit: µs.
const WINDOW_US: u64 = 1_000_000;
/// How fast what was measured shrinks. Unit: ms a second.
const SHRINKS_MS: f32 = 20.0;
/// Values before there is an opinion.
const BEGINS: u32 = 8;
/// Of a hundred commands so many may be quicker than the quickest that is counted on.
const QUICKEST: f32 = 0.01;
/// How near to running out of pictures a stock client's clock comes. Source: `CL_AdjustTimeDelta`.
const BUFFER_MS: i32 = 5;

/// Values of the last [`WINDOWS`] seconds, counted by class.
#[derive(Debug)]
struct Habit {
    /// Shape: by window, by class.
    windows: [[u16; BINS]; WINDOWS],
    total: [u32; BINS],
    count: u32,
    current: usize,
    since: Arrival,
}

impl Habit {
    const fn new() -> Self {
        Self { windows: [[0; BINS]; WINDOWS], total: [0; BINS], count: 0, current: 0, since: Arrival(0) }
    }

    fn add(&mut self, value: Millis, now: Arrival) {
        self.turn(now);
        let bin = ((value.0.max(0) / BIN_MS) as usize).min(BINS - 1);
        let slot = &mut self.windows[self.current][bin];
        if *slot < u16::MAX {
            *slot += 1;
            self.total[bin] += 1;
            self.count += 1;
        }
    }

    /// Forgets what is too old.
    fn turn(&mut self, now: Arrival) {
        if now.micros_since(self.since) >= WINDOW_US * WINDOWS as u64 {
            (self.windows, self.total, self.count) = ([[0; BINS]; WINDOWS], [0; BINS], 0);
            self.since = now;
            return;
        }
        while now.micros_since(self.since) >= WINDOW_US {
            self.since = Arrival(self.since.0 + WINDOW_US);
            self.current = (self.current + 1) % WINDOWS;
            for (total, old) in self.total.iter_mut().zip(&mut self.windows[self.current]) {
                *total -= u32::from(*old);
                self.count -= u32::from(*old);
                *old = 0;
            }
        }
    }

    /// What so large a share of the values does not exceed, to the end of its class.
    fn quantile(&self, share: f32) -> Option<Millis> {
        if self.count < BEGINS {
            return None;
        }
        let wanted = ((share * self.count as f32).ceil() as u32).clamp(1, self.count);
        let mut sum = 0;
        let bin = self.total.iter().position(|&count| {
            sum += count;
            sum >= wanted
        });
        bin.map(|bin| Millis(bin as i32 * BIN_MS + BIN_MS - 1))
    }

    /// What so small a share of the values is below, from the beginning of its class.
    fn low(&self, share: f32) -> Option<Millis> {
        self.quantile(share).map(|high| Millis(high.0 - (BIN_MS - 1)))
    }
}

/// A value that grows at once and shrinks slowly.
#[derive(Clone, Copy, Debug, Default)]
struct Slow {
    value_ms: f32,
    at: Arrival,
}

impl Slow {
    fn follow(&mut self, target: Millis, now: Arrival) -> Millis {
        let shrunk = self.value_ms - SHRINKS_MS * (now.micros_since(self.at) as f32 / 1.0e6);
        self.value_ms = shrunk.max(target.0 as f32);
        self.at = now;
        Millis(self.value_ms.ceil() as i32)
    }
}

/// What has been measured of one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// High quantile of the server's time at execution minus the moment that the command claims its client drew.
    pub lag: Millis,
    /// The same of the quickest commands.
    pub quickest: Millis,
    /// High quantile of the time from one command to the next.
    pub spacing: Millis,
    /// How long a snapshot is drawn from: high quantile of the time to the next that came, never below the nominal time.
    pub period: Millis,
}

impl Measured {
    /// How much more the client claims to lag than its round trips, its period and its packets explain. Who delays its answers to be
    /// told more gains this much, and never more than the cap.
    pub fn gain(&self, ping: Millis) -> Millis {
        Millis((self.lag.0 - ping.0 - self.period.0 - self.spacing.0 - BUFFER_MS).max(0))
    }
}

/// Measures one client.
#[derive(Debug)]
pub struct Lead {
    lags: Habit,
    spacings: Habit,
    periods: Habit,
    lag: Slow,
    period: Slow,
    measured: Measured,
}

impl Default for Lead {
    fn default() -> Self {
        Self {
            lags: Habit::new(),
            spacings: Habit::new(),
            periods: Habit::new(),
            lag: Slow::default(),
            period: Slow::default(),
            measured: Measured::default(),
        }
    }
}

impl Lead {
    /// A command was executed: how long after the moment that it claims, and after the command before.
    pub fn command(&mut self, lag: Millis, spacing: Millis, now: Arrival) {
        self.lags.add(lag, now);
        self.spacings.add(spacing, now);
    }

    /// A snapshot came this long after the one before that came. A pause is no period: its client draws nothing new.
    pub fn delivered(&mut self, period: Millis, now: Arrival) {
        if period < Millis(BINS as i32 * BIN_MS) {
            self.periods.add(period, now);
        }
    }

    /// Takes stock. `share`: the quantile that counts; `nominal`: the period that settings allow.
    pub fn take_stock(&mut self, share: f32, nominal: Millis, now: Arrival) -> Measured {
        for habit in [&mut self.lags, &mut self.spacings, &mut self.periods] {
            habit.turn(now);
        }
        let lag = self.lags.quantile(share);
        self.measured = Measured {
            lag: self.lag.follow(lag.unwrap_or(self.measured.lag), now),
            quickest: self.lags.low(QUICKEST).unwrap_or(Millis(0)),
            spacing: self.spacings.quantile(share).unwrap_or(Millis(LONGEST_STEP_MS)),
            period: self.period.follow(self.periods.quantile(share).unwrap_or(nominal).max(nominal), now),
        };
        self.measured
    }

    /// What was found when stock was taken last.
    pub fn measured(&self) -> Measured {
        self.measured
    }
}

/// Steps of a move are never longer. Unit: ms. Source: `Pmove`.
const LONGEST_STEP_MS: i32 = 66;

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a client of 8 ms frames for some seconds; what was measured at the end.
    fn run(lead: &mut Lead, from_ms: u64, seconds: u64, lag: impl Fn(u64) -> i32) -> Measured {
        let mut measured = Measured::default();
        for n in 0..seconds * 125 {
            let now = Arrival::from_millis(from_ms + n * 8);
            lead.command(Millis(lag(n)), Millis(8), now);
            if n % 6 == 0 {
                lead.delivered(Millis(50), now);
                measured = lead.take_stock(0.99, Millis(50), now);
            }
        }
        measured
    }

    #[test]
    fn a_steady_client_is_measured_to_the_class() {
        let measured = run(&mut Lead::default(), 0, 6, |_| 117);
        assert_eq!(
            measured,
            Measured { lag: Millis(119), quickest: Millis(116), spacing: Millis(11), period: Millis(51) }
        );
        assert_eq!(measured.gain(Millis(60)), Millis(0));
    }

    #[test]
    fn jitter_counts_with_nearly_its_worst() {
        let mut rng = fastrand::Rng::with_seed(8);
        let jitter: Vec<i32> = (0..125 * 10).map(|_| rng.i32(0..40)).collect();
        let measured = run(&mut Lead::default(), 0, 10, |n| 100 + jitter[n as usize]);
        assert!((136..=143).contains(&measured.lag.0), "{measured:?}");
        assert!((96..=104).contains(&measured.quickest.0), "{measured:?}");
    }

    #[test]
    fn a_worse_line_counts_at_once_and_a_better_one_slowly() {
        let mut lead = Lead::default();
        run(&mut lead, 0, 6, |_| 100);
        // A hundredth of five seconds is six commands.
        let worse = run(&mut lead, 6000, 1, |_| 200);
        assert_eq!(worse.lag, Millis(203));
        let better = run(&mut lead, 7000, 6, |_| 100);
        // The old commands are forgotten after five seconds, and then the value shrinks.
        assert!((160..=190).contains(&better.lag.0), "{better:?}");
        let at_last = run(&mut lead, 13_000, 6, |_| 100);
        assert_eq!(at_last.lag, Millis(103));
    }

    #[test]
    fn one_spike_is_no_habit() {
        let measured = run(&mut Lead::default(), 0, 5, |n| if n == 300 { 450 } else { 100 });
        assert_eq!(measured.lag, Millis(103));
    }

    #[test]
    fn a_liar_is_told_from_a_long_line() {
        let liar = run(&mut Lead::default(), 0, 6, |_| 400);
        assert_eq!(liar.gain(Millis(60)), Millis(403 - 60 - 51 - 11 - 5));
        // What is beyond all measure counts as the last class.
        let wild = run(&mut Lead::default(), 0, 6, |_| i32::MAX);
        assert_eq!(wild.lag, Millis(BINS as i32 * BIN_MS - 1));
    }

    #[test]
    fn lost_snapshots_make_the_period_longer() {
        let mut lead = Lead::default();
        let mut measured = Measured::default();
        for n in 0..100u64 {
            let now = Arrival::from_millis(n * 50);
            lead.delivered(Millis(if n % 20 == 0 { 100 } else { 50 }), now);
            measured = lead.take_stock(0.99, Millis(50), now);
        }
        assert_eq!(measured.period, Millis(103));
        // One who is silent for long is unknown again, and what settings say holds.
        for n in 0..10u64 {
            measured = lead.take_stock(0.99, Millis(50), Arrival::from_millis(20_000 + n * 1000));
        }
        assert_eq!(measured.period, Millis(50));
    }
}
