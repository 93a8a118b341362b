//! One line on standard error that says where a run is and how long it will take; nothing is said of runs that are over soon, nor
//! where nobody looks at a terminal.
#![allow(clippy::disallowed_methods, reason = "progress needs the clock; nothing computed depends on it")]

use crate::vis::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Nothing is said of a run that is over sooner.
const QUIET: Duration = Duration::from_secs(1);
/// A forecast of less is not worth a line.
const WORTH_TELLING: f64 = 3.0;

/// The line, rewritten at most five times a second.
pub(super) struct ProgressLine {
    bar: ProgressBar,
    start: Instant,
    /// Since when the bound of vis is tightened, and since when its flow runs.
    tightening: Option<Instant>,
    flow: Option<Instant>,
}

impl ProgressLine {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now(), tightening: None, flow: None }
    }

    pub(super) fn tell(&self, text: impl Into<String>) {
        if self.start.elapsed() >= QUIET {
            self.bar.set_message(text.into());
            self.bar.tick();
        }
    }

    /// Where the vis is.
    pub(super) fn tell_vis(&mut self, progress: Progress) {
        match progress {
            Progress::Base => self.tell("vis: base bound"),
            Progress::Medium => {
                self.tightening.get_or_insert_with(Instant::now);
                self.tell("vis: tightening the bound");
            }
            Progress::Ahead(forecast) => {
                let passed = self.tightening.map_or(0.0, |since| since.elapsed().as_secs_f64());
                let seconds = forecast.seconds(passed);
                if seconds >= WORTH_TELLING {
                    self.bar
                        .suspend(|| eprintln!("vis: the whole flow will take about {}", spell_time(seconds)));
                }
                self.flow = Some(Instant::now());
            }
            Progress::Flow(share) => {
                let passed = self.flow.map_or(0.0, |since| since.elapsed().as_secs_f64());
                let left = passed * (1.0 - share) / share.max(1e-9);
                // Before a twentieth is done, the rest cannot be told from it.
                let rest = if share < 0.05 { String::new() } else { format!(", {} left", spell_time(left)) };
                self.tell(format!("vis: {:.0} %{rest}", 100.0 * share));
            }
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Seconds, or minutes where they are many.
fn spell_time(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{:.0} s", seconds.ceil())
    } else {
        format!("{:.0} min", (seconds / 60.0).ceil())
    }
}
