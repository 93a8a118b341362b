//! One line on standard error that says where a run is; nothing is said of runs that are over soon.
#![allow(clippy::disallowed_methods, reason = "progress needs the clock; nothing computed depends on it")]

use std::time::{Duration, Instant};

/// Nothing is said of a run that is over sooner.
const QUIET: Duration = Duration::from_secs(1);

/// The line, rewritten at most ten times a second.
pub(super) struct ProgressLine {
    start: Instant,
    shown: Option<Instant>,
}

impl ProgressLine {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), shown: None }
    }

    pub(super) fn tell(&mut self, text: &str) {
        let now = Instant::now();
        let due = self.shown.map_or(self.start + QUIET, |shown| shown + QUIET / 10);
        if now >= due {
            self.shown = Some(now);
            eprint!("\r{text:<60}");
        }
    }

    pub(super) fn end(&self) {
        if self.shown.is_some() {
            eprint!("\r{:<60}\r", "");
        }
    }
}
