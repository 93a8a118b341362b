//! When frames are due: exactly `sv_fps` of them a second over any length of time, whatever a single wake-up misses.

use fogline_common::time::{Arrival, Millis};

/// Lateness at which missed frames are given up instead of being run in a burst.
const STALL: Millis = Millis(250);

/// Counts frames from a fixed beginning, so that no rounding adds up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    /// When frame 0 was due.
    epoch: Arrival,
    /// Frames due so far, of this epoch.
    frames: u64,
    fps: u32,
}

/// One frame to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tick {
    /// How far server time moves. The sum over a second is exactly 1000.
    pub step: Millis,
    /// Real time given up because the server could not keep up; zero in health.
    pub stalled: Millis,
}

impl Pacer {
    /// The first frame is due one period after `now`.
    pub(crate) fn new(now: Arrival, fps: i32) -> Self {
        Self { epoch: now, frames: 0, fps: fps.clamp(1, 1000).unsigned_abs() }
    }

    /// Frames a second.
    pub(crate) fn fps(&self) -> i32 {
        self.fps as i32
    }

    /// When the next frame is due.
    pub(crate) fn due(&self) -> Arrival {
        Arrival(self.epoch.0 + (self.frames + 1) * 1_000_000 / u64::from(self.fps))
    }

    /// The frame that is due at `now`, if one is.
    pub(crate) fn tick(&mut self, now: Arrival) -> Option<Tick> {
        if now < self.due() {
            return None;
        }
        let late = now.since(self.due());
        let stalled = if late >= STALL { late } else { Millis(0) };
        if stalled > Millis(0) {
            self.epoch = Arrival(self.epoch.0 + now.micros_since(self.due()));
        }
        let before = self.elapsed_ms();
        self.frames += 1;
        Some(Tick { step: Millis((self.elapsed_ms() - before) as i32), stalled })
    }

    fn elapsed_ms(&self) -> u64 {
        self.frames * 1000 / u64::from(self.fps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wakes up a little late each time, for `seconds`; returns frames run and server time passed.
    fn run(fps: i32, seconds: u64, late_us: u64) -> (u64, i64) {
        let mut pacer = Pacer::new(Arrival(0), fps);
        let (mut frames, mut time) = (0, 0i64);
        loop {
            let now = Arrival(pacer.due().0 + late_us);
            if now.0 > seconds * 1_000_000 + late_us {
                return (frames, time);
            }
            let tick = pacer.tick(now).unwrap();
            assert_eq!(tick.stalled, Millis(0));
            frames += 1;
            time += i64::from(tick.step.0);
        }
    }

    #[test]
    fn the_long_run_rate_is_exact() {
        for fps in [10, 20, 30, 40, 60, 64, 125, 144, 250] {
            assert_eq!(run(fps, 60, 700), (60 * fps as u64, 60_000), "{fps} Hz");
        }
    }

    #[test]
    fn nothing_is_due_early() {
        let mut pacer = Pacer::new(Arrival(0), 20);
        assert_eq!(pacer.tick(Arrival(49_999)), None);
        assert_eq!(pacer.tick(Arrival(50_000)), Some(Tick { step: Millis(50), stalled: Millis(0) }));
    }

    #[test]
    fn a_stall_is_given_up_and_named() {
        let mut pacer = Pacer::new(Arrival(0), 20);
        let tick = pacer.tick(Arrival::from_millis(2050)).unwrap();
        assert_eq!(tick, Tick { step: Millis(50), stalled: Millis(2000) });
        assert_eq!(pacer.tick(Arrival::from_millis(2051)), None);
        assert_eq!(pacer.due(), Arrival::from_millis(2100));
    }

    #[test]
    fn a_short_delay_is_made_good() {
        let mut pacer = Pacer::new(Arrival(0), 20);
        let now = Arrival::from_millis(160);
        let ticks = std::iter::from_fn(|| pacer.tick(now)).count();
        assert_eq!(ticks, 3);
    }
}
