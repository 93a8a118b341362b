//! What a server would have measured of a client's line by a moment of the laboratory: with the server's own meter, from what its
//! packets would have told it by then.

use crate::rules::watch::{Condition, Watch};
use fogline_common::time::{Arrival, Millis, ServerTime};
use fogline_server::clients::lead::Lead;
use fogline_server::visibility::twoclock::clock::Line;

/// The quantile that servers use by default.
const SHARE: f32 = 0.99;

/// The meter of one client.
pub(super) struct Lineup {
    lead: Lead,
    period: Millis,
    jitter: Millis,
    frame: Millis,
    up_us: u64,
    /// Snapshots whose acknowledgement has come.
    acknowledged: usize,
    /// The last of them that came.
    last: Option<ServerTime>,
}

impl Lineup {
    pub(super) fn new(condition: &Condition) -> Self {
        Self {
            lead: Lead::default(),
            period: condition.period(),
            jitter: Millis(condition.jitter_ms),
            frame: condition.frame,
            up_us: condition.ways()[1].0.max(0).unsigned_abs().into(),
            acknowledged: 0,
            last: None,
        }
    }

    /// What is known at the moment `now`, at which snapshot `next` is the next.
    pub(super) fn line(&mut self, watch: &Watch, next: usize, now: ServerTime) -> Line {
        let at = Arrival::from_millis(now.0.max(0).unsigned_abs().into());
        let snapshots = &watch.record.snapshots;
        // Whatever was sent so long ago that its acknowledgement is here.
        while let Some(snap) = snapshots.get(self.acknowledged).filter(|_| self.acknowledged < next) {
            let back = snap.arrival_us.map(|arrival| arrival + self.up_us * 1000);
            if back.is_some_and(|back| back > at.0) {
                break;
            }
            if back.is_some() {
                if let Some(last) = self.last {
                    self.lead.delivered(snap.time - last, at);
                }
                self.last = Some(snap.time);
            }
            self.acknowledged += 1;
        }
        let lag = Millis(watch.lags.get(next.min(watch.lags.len().saturating_sub(1))).copied().unwrap_or(0));
        self.lead.command(lag, self.frame, at);
        let measured = self.lead.take_stock(SHARE, self.period, at);
        Line {
            age: lag,
            // Places in the laboratory go by the server's time: nothing of them is on its way.
            quickest: lag,
            spacing: measured.spacing.min(self.frame),
            period: measured.period,
            jitter: self.jitter,
        }
    }
}
