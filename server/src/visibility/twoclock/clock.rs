//! The two clocks of one client: up to when its own eye must be known, and for how long others are drawn from one snapshot.
//!
//! ```text
//!   command time:     c            s                 s + P
//!                     |--- age ----|------ P --------|
//!     newest command known         frames drawn from the snapshot of time s
//! ```
//!
//! A frame drawn at t has the eye where commands up to t put it, and others where they are between s and s + P. So the eye is
//! asked for at `age` to `age + P` after the newest command, and bodies from now to P.

use fogline_common::time::Millis;

/// What is known of one client's line when a frame is frozen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Time of the frame minus the time of the newest command that has been executed.
    pub age: Millis,
    /// The same at the moment of execution, of the quickest commands.
    pub quickest: Millis,
    /// Time from one of its commands to the next.
    pub spacing: Millis,
    /// How long a snapshot is drawn from.
    pub period: Millis,
    /// How much later than that the next one may come.
    pub jitter: Millis,
}

/// What the host allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest look-ahead.
    pub most: Millis,
    /// Shortest.
    pub least: Millis,
}

/// How far ahead is looked for one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Its eye: from so long after its newest command to so long.
    pub eye: [Millis; 2],
    /// Its snapshots are drawn from for so long.
    pub period: Millis,
    /// So much longer than that others may see it move: commands of its own that are on their way.
    pub backlog: Millis,
    /// Longest step of its moves.
    pub step: Millis,
}

/// Periods are rounded up to whole ones of these. Unit: ms.
const PERIOD_CLASS: i32 = 5;
/// Longest step of a move. Source: `Pmove`.
const LONGEST_STEP: Millis = Millis(66);

impl Clock {
    /// Of a client.
    pub fn new(line: &Line, limits: &Limits) -> Self {
        let uneven = Millis((line.jitter.0 - line.spacing.0).max(0));
        // In classes, so that players need not be worked out for each client anew.
        let period = (line.period.0 + uneven.0 + PERIOD_CLASS - 1) / PERIOD_CLASS * PERIOD_CLASS;
        let period = Millis(period).min(limits.most);
        let age = line.age.max(Millis(0));
        let step = line.spacing.max(Millis(1)).min(LONGEST_STEP);
        let to = Millis(age.0 + period.0).max(limits.least).min(limits.most);
        // A frame may be drawn with the command of the frame before.
        let from = Millis(age.0 - line.spacing.0).max(Millis(0)).min(to);
        let backlog = Millis(age.0 - line.quickest.0).max(Millis(0)).min(limits.most);
        Self { eye: [from, to], period, backlog, step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { most: Millis(400), least: Millis(0) };
    /// 60 ms there and back at 20 Hz.
    const USUAL: Line = Line {
        age: Millis(115),
        quickest: Millis(112),
        spacing: Millis(8),
        period: Millis(50),
        jitter: Millis(0),
    };

    #[test]
    fn an_eye_is_looked_for_while_the_snapshot_is_drawn_from() {
        let clock = Clock::new(&USUAL, &LIMITS);
        assert_eq!(clock.eye, [Millis(107), Millis(165)]);
        assert_eq!((clock.period, clock.backlog, clock.step), (Millis(50), Millis(3), Millis(8)));
    }

    #[test]
    fn whoever_holds_its_commands_back_gains_no_more_than_the_cap() {
        let liar = Line { age: Millis(5000), ..USUAL };
        assert_eq!(Clock::new(&liar, &LIMITS).eye, [Millis(400), Millis(400)]);
        let from_the_future = Line { age: Millis(-900), ..USUAL };
        assert_eq!(Clock::new(&from_the_future, &LIMITS).eye, [Millis(0), Millis(50)]);
    }

    #[test]
    fn an_uneven_line_draws_longer_and_a_stalled_one_has_more_to_come() {
        let uneven = Line { jitter: Millis(28), age: Millis(150), ..USUAL };
        let clock = Clock::new(&uneven, &LIMITS);
        assert_eq!((clock.period, clock.backlog), (Millis(70), Millis(38)));
        assert_eq!(clock.eye[1], Millis(220));
    }
}
