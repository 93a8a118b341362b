//! The one place that reads the clock.

use fogline_common::time::Arrival;
use std::time::{Duration, Instant};

/// Readings of the machine's monotonic clock as [`Arrival`], from a zero of its own.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    zero: Instant,
}

impl Clock {
    /// A clock that reads zero now.
    pub fn start() -> Self {
        Self { zero: Instant::now() }
    }

    /// Now.
    pub fn now(&self) -> Arrival {
        Arrival(u64::try_from(self.zero.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    /// When `moment` will be; one that is more than an hour away is taken as an hour from now.
    pub fn instant(&self, moment: Arrival) -> Instant {
        let most = self.now().0.saturating_add(3_600_000_000);
        self.zero + Duration::from_micros(moment.0.min(most))
    }
}
