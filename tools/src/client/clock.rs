//! Which moment of the server's world a client draws: the newest snapshot's time minus a buffer that it keeps adjusting.
//!
//! In goes one call per drawn frame: real time, the newest snapshot, whether it is new. Out comes the server time to draw and
//! what the offset did. Source: `CL_SetCGameTime`, `CL_AdjustTimeDelta`, `CL_FirstSnapshot`; facts page
//! "visibility-openmohaa", section 9.

use fogline_common::proto::snap_flag;
use fogline_common::time::{Millis, ServerTime};
use std::fmt;

/// Beyond this difference the offset is set anew. Unit: ms.
const RESET_ABOVE: i32 = 500;
/// Beyond this difference the offset moves half the way. Unit: ms.
const HALVE_ABOVE: i32 = 100;
/// Drawing this close to the newest snapshot counts as having run out of data. Unit: ms.
const EXTRAPOLATION_MARGIN: i32 = 5;
/// Largest nudge either way. Unit: ms.
const NUDGE_MAX: i32 = 30;

/// How a client's clock is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockConfig {
    /// Drawn so much earlier (or later, if negative), clamped to 30 ms either way. Source: `cl_timeNudge`.
    pub nudge: Millis,
    /// Let server time go back when the server-count bit of the snapshot flips. OpenMoHAA's client does; ioquake3's
    /// refuses, since there a new map brings a new gamestate and with it a fresh clock.
    pub restart_by_server_count: bool,
}

impl Default for ClockConfig {
    fn default() -> Self {
        Self { nudge: Millis(0), restart_by_server_count: false }
    }
}

/// What applying a snapshot did to the offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// First snapshot of a map: offset taken as it is.
    First,
    /// Difference beyond 500 ms: offset and drawn time taken as they are.
    Reset,
    /// Difference beyond 100 ms: half the way.
    Fast,
    /// Ran out of data since the last snapshot: 2 ms back.
    Back2,
    /// Did not: 1 ms forward.
    Forward1,
}

/// One adjustment of the offset (server minus real time, in ms).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// Which rule applied.
    pub rule: Rule,
    /// Offset before; 0 for [`Rule::First`].
    pub before: i32,
    /// Offset after.
    pub after: i32,
}

/// What a client knows of its newest snapshot when it draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// Its server time.
    pub time: ServerTime,
    /// Its flags; see [`snap_flag`].
    pub flags: i32,
    /// It came since the last drawn frame.
    pub is_new: bool,
}

/// One drawn frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// The moment to draw.
    pub drawn: ServerTime,
    /// What the new snapshot did to the offset, if there was one.
    pub adjusted: Option<Adjustment>,
}

/// Why a stock client gives up here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWentBack {
    /// Time of the snapshot before.
    pub from: ServerTime,
    /// Time of the new one.
    pub to: ServerTime,
}

impl fmt::Display for TimeWentBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client clock: snapshot time went back from {} to {} ms", self.from.0, self.to.0)
    }
}

impl std::error::Error for TimeWentBack {}

/// The clock of one client on one map. A new gamestate takes a new clock.
#[derive(Clone, Debug)]
pub struct ClientClock {
    config: ClockConfig,
    /// Nothing is drawn before the first active snapshot.
    running: Option<Running>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    /// Server minus real time. Unit: ms.
    offset: i32,
    /// Last drawn time; drawing never goes back but by a reset.
    drawn: ServerTime,
    /// Newest snapshot's time and flags at the last frame.
    newest: ServerTime,
    flags: i32,
    /// Ran out of data since the last snapshot that was applied by the small rules.
    extrapolated: bool,
}

impl ClientClock {
    /// A clock that has seen nothing.
    pub const fn new(config: ClockConfig) -> Self {
        Self { config, running: None }
    }

    /// Draws one frame at `real` ms of the client's own clock. `None` until a snapshot comes whose server says that we are in
    /// the game.
    ///
    /// # Errors
    /// If the newest snapshot is older than the one before: a stock client drops the connection then.
    pub fn frame(&mut self, real: i32, newest: &Newest) -> Result<Option<Tick>, TimeWentBack> {
        let Some(mut run) = self.running else {
            if !newest.is_new || newest.flags & snap_flag::NOT_ACTIVE != 0 {
                return Ok(None);
            }
            let offset = newest.time.0.wrapping_sub(real);
            let mut run = Running {
                offset,
                drawn: newest.time,
                newest: newest.time,
                flags: newest.flags,
                extrapolated: false,
            };
            self.draw(&mut run, real);
            self.running = Some(run);
            let first = Adjustment { rule: Rule::First, before: 0, after: offset };
            return Ok(Some(Tick { drawn: run.drawn, adjusted: Some(first) }));
        };
        let restarted =
            self.config.restart_by_server_count && (run.flags ^ newest.flags) & snap_flag::SERVERCOUNT != 0;
        if newest.time < run.newest && !restarted {
            return Err(TimeWentBack { from: run.newest, to: newest.time });
        }
        run.newest = newest.time;
        run.flags = newest.flags;
        self.draw(&mut run, real);
        let adjusted = newest.is_new.then(|| adjust(&mut run, real));
        self.running = Some(run);
        Ok(Some(Tick { drawn: run.drawn, adjusted }))
    }

    /// Server minus real time, once running. Unit: ms.
    pub fn offset(&self) -> Option<i32> {
        self.running.map(|run| run.offset)
    }

    /// Whether it ran out of data since the last small adjustment.
    pub fn extrapolated(&self) -> bool {
        self.running.is_some_and(|run| run.extrapolated)
    }

    fn draw(&self, run: &mut Running, real: i32) {
        let nudge = self.config.nudge.0.clamp(-NUDGE_MAX, NUDGE_MAX);
        let unnudged = real.wrapping_add(run.offset);
        run.drawn = run.drawn.max(ServerTime(unnudged.wrapping_sub(nudge)));
        if unnudged.wrapping_sub(run.newest.0) >= -EXTRAPOLATION_MARGIN {
            run.extrapolated = true;
        }
    }
}

/// Moves the offset for a snapshot that has just come.
fn adjust(run: &mut Running, real: i32) -> Adjustment {
    let before = run.offset;
    let measured = run.newest.0.wrapping_sub(real);
    let difference = measured.wrapping_sub(before).saturating_abs();
    let rule = if difference > RESET_ABOVE {
        run.offset = measured;
        run.drawn = run.newest;
        Rule::Reset
    } else if difference > HALVE_ABOVE {
        run.offset = before.wrapping_add(measured) >> 1;
        Rule::Fast
    } else if run.extrapolated {
        run.extrapolated = false;
        run.offset = before - 2;
        Rule::Back2
    } else {
        run.offset = before + 1;
        Rule::Forward1
    };
    Adjustment { rule, before, after: run.offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest(time: i32, is_new: bool) -> Newest {
        Newest { time: ServerTime(time), flags: 0, is_new }
    }

    #[test]
    fn nothing_is_drawn_before_the_first_active_snapshot() {
        let mut clock = ClientClock::new(ClockConfig::default());
        let inactive = Newest { time: ServerTime(50), flags: snap_flag::NOT_ACTIVE, is_new: true };
        assert_eq!(clock.frame(0, &inactive), Ok(None));
        let tick = clock.frame(8, &newest(100, true)).unwrap().unwrap();
        assert_eq!(tick.drawn, ServerTime(100));
        assert_eq!(clock.offset(), Some(92));
    }

    #[test]
    fn drawing_never_goes_back_when_the_offset_does() {
        let mut clock = ClientClock::new(ClockConfig::default());
        clock.frame(0, &newest(100, true)).unwrap();
        clock.frame(1, &newest(101, true)).unwrap();
        let drawn = clock.frame(2, &newest(101, false)).unwrap().unwrap().drawn;
        assert_eq!(drawn, ServerTime(101));
    }

    #[test]
    fn a_snapshot_from_the_past_is_an_error() {
        let mut clock = ClientClock::new(ClockConfig::default());
        clock.frame(0, &newest(100, true)).unwrap();
        let went_back = TimeWentBack { from: ServerTime(100), to: ServerTime(99) };
        assert_eq!(clock.frame(8, &newest(99, true)), Err(went_back));
    }
}
