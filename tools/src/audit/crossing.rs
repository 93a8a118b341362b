//! One crossing: a player who was hidden comes into sight. Its four moments, and what follows from them.
//!
//! ```text
//!        hidden                            | seen
//!  ------S---------A-----------R-----------V--------------  told early: W = V - A, and L = 0
//!  -----------------------------S--------V-A---------R----  told late:  W = 0, and L = R - V
//!        server    came to     first     comes into
//!        tells     the client  drawn     sight
//! ```
//!
//! S is the first snapshot of the unbroken telling that the client drew, A its arrival, R the first frame drawn from it, V the first
//! moment at which the oracle sees a point of the body. H = V - S, D_A = A - S, B = R - A, W = [H - D_A]+, L = [D_A + B - H]+. All
//! are on the client's clock; S is brought there by [`Record::zero_us`].
//!
//! *Excess pop-in* compares with the same client without a filter: the first frame that showed the player in sight, minus the
//! first that would have. A crossing whose player was out of sight again before it was drawn has only a lower bound of it, and
//! stays as a censored row.

use crate::audit::record::{Record, Shown};
use crate::audit::truth::{PairTruth, State, Stretch};
use fogline_common::ids::ClientNum;
use fogline_common::math::Vec3;
use fogline_common::time::ServerTime;

/// Hidden for less than this, a player has not been away: it flickers behind a railing.
pub const HIDDEN_MIN_US: u64 = 250_000;

/// A time that may be known only as at least so long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    /// Known. Unit: ms.
    Exact(f64),
    /// It was cut off: at least this. Unit: ms.
    AtLeast(f64),
}

/// The moments of a telling. Unit: µs of the client's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reveal {
    /// S: the server told first.
    pub sent_us: i64,
    /// A: that came.
    pub came_us: i64,
    /// R: the first frame drawn from it.
    pub drawn_us: i64,
}

/// One crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Who looked.
    pub viewer: ClientNum,
    /// Who came into sight.
    pub target: ClientNum,
    /// V. Unit: µs of the client's clock.
    pub seen_us: i64,
    /// How long the target had been hidden. Unit: µs.
    pub hidden_us: u64,
    /// How long it was in sight then. Unit: µs.
    pub in_sight_us: u64,
    /// The viewer's eye at V.
    pub eye: Vec3,
    /// The target's place at V.
    pub place: Vec3,
    /// The telling. `None` if the target was told of all the time that it was hidden, or never drawn.
    pub reveal: Option<Reveal>,
    /// It was told of all the time that it was hidden.
    pub told_all_along: bool,
    /// Later by this than without a filter.
    pub excess: Span,
    /// How long the client knew of the target before it came into sight. Unit: ms.
    pub exposure_ms: f64,
    /// How long the client knew of the target after it was out of sight again.
    pub linger: Option<Span>,
}

impl Crossing {
    /// H = V − S. Unit: ms.
    pub fn lead_ms(&self) -> Option<f64> {
        self.reveal.map(|reveal| ms(self.seen_us - reveal.sent_us))
    }

    /// `D_A` = A − S. Unit: ms.
    pub fn delivery_ms(&self) -> Option<f64> {
        self.reveal.map(|reveal| ms(reveal.came_us - reveal.sent_us))
    }

    /// B = R − A. Unit: ms.
    pub fn render_ms(&self) -> Option<f64> {
        self.reveal.map(|reveal| ms(reveal.drawn_us - reveal.came_us))
    }

    /// W = [H − `D_A`]+. Unit: ms.
    pub fn window_ms(&self) -> Option<f64> {
        Some((self.lead_ms()? - self.delivery_ms()?).max(0.0))
    }

    /// L = [`D_A` + B − H]+. Unit: ms.
    pub fn late_ms(&self) -> Option<f64> {
        Some((self.delivery_ms()? + self.render_ms()? - self.lead_ms()?).max(0.0))
    }

    /// It came into sight and went again without having been drawn.
    pub fn is_undrawn(&self) -> bool {
        matches!(self.excess, Span::AtLeast(_))
    }
}

fn ms(us: i64) -> f64 {
    us as f64 / 1000.0
}

/// Time of a pair, by what the client knew. Unit: µs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairTime {
    /// The target was hidden.
    pub hidden_us: u64,
    /// The target was hidden, and the newest snapshot that had come told of it.
    pub leaked_us: u64,
    /// The target was in sight.
    pub seen_us: u64,
    /// The target was in sight, and the frame did not show it.
    pub missed_us: u64,
}

/// A frame that would have shown a player without a filter, and did not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missed {
    /// Who looked.
    pub viewer: ClientNum,
    /// Who was in sight.
    pub target: ClientNum,
    /// The server time that was drawn.
    pub drawn: ServerTime,
    /// The moment of the snapshot that was drawn from.
    pub snapshot: ServerTime,
    /// The viewer's eye.
    pub eye: Vec3,
    /// The target's place when it came into sight.
    pub place: Vec3,
}

/// What was found of one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairFound {
    /// Its crossings.
    pub crossings: Vec<Crossing>,
    /// Frames that lacked the target.
    pub missed: Vec<Missed>,
    /// Its time.
    pub time: PairTime,
}

/// Whom each snapshot of a record told of, with the filter and without. Shape of both: by index of the record's snapshots.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// With the filter.
    pub with: &'a [u64],
    /// Without.
    pub without: &'a [u64],
}

/// One viewer's record, made ready to be asked about pairs.
pub struct Viewer<'a> {
    record: &'a Record,
    zero_us: i64,
    /// For each frame: index of the snapshot drawn from.
    current: Vec<Option<usize>>,
    /// Snapshots that came: index, and when.
    came: Vec<(usize, u64)>,
}

impl<'a> Viewer<'a> {
    /// Of a record.
    pub fn new(record: &'a Record) -> Self {
        let mut at = 0;
        let snaps = &record.snapshots;
        let current = record.frames.iter().map(|frame| {
            while snaps.get(at).is_some_and(|snap| snap.message < frame.message) {
                at += 1;
            }
            snaps.get(at).filter(|snap| snap.message == frame.message).map(|_| at)
        });
        let current = current.collect();
        let came =
            snaps.iter().enumerate().filter_map(|(index, snap)| Some((index, snap.arrival_us?))).collect();
        Self { record, zero_us: record.zero_us(), current, came }
    }

    /// The crossings of one pair, and its time.
    pub fn pair(&self, target: ClientNum, truth: &PairTruth, told: Told<'_>) -> PairFound {
        let stretches = joined(&truth.stretches);
        let pair = Pair { viewer: self, target, truth, told, bit: 1 << target.index() };
        let in_sight = stretches.iter().filter(|stretch| stretch.state == State::Seen);
        let missed = in_sight.flat_map(|stretch| pair.lacks(stretch)).collect();
        let mut found = PairFound { time: pair.time(&stretches), missed, ..PairFound::default() };
        for (index, window) in stretches.windows(2).enumerate() {
            let [before, sight] = [window[0], window[1]];
            if before.state == State::Hidden
                && sight.state == State::Seen
                && before.to_us - before.from_us >= HIDDEN_MIN_US
                && let Some(crossing) = pair.crossing(&before, &sight, stretches.get(index + 2))
            {
                found.crossings.push(crossing);
            }
        }
        found
    }
}

/// Joins sights that are parted by less than [`HIDDEN_MIN_US`].
fn joined(stretches: &[Stretch]) -> Vec<Stretch> {
    let mut joined: Vec<Stretch> = Vec::new();
    for &stretch in stretches {
        if let [.., sight, gap] = joined.as_mut_slice()
            && (sight.state, gap.state, stretch.state) == (State::Seen, State::Hidden, State::Seen)
            && gap.to_us - gap.from_us < HIDDEN_MIN_US
        {
            sight.to_us = stretch.to_us;
            joined.pop();
        } else {
            joined.push(stretch);
        }
    }
    joined
}

/// One pair being looked at.
struct Pair<'a> {
    viewer: &'a Viewer<'a>,
    target: ClientNum,
    truth: &'a PairTruth,
    told: Told<'a>,
    bit: u64,
}

impl Pair<'_> {
    fn tells(&self, told: &[u64], snapshot: usize) -> bool {
        told.get(snapshot).is_some_and(|mask| mask & self.bit != 0)
    }

    fn crossing(&self, before: &Stretch, sight: &Stretch, after: Option<&Stretch>) -> Option<Crossing> {
        let frames = &self.viewer.record.frames;
        let first = frames.partition_point(|frame| frame.real_us < sight.from_us);
        let last = frames.partition_point(|frame| frame.real_us < sight.to_us);
        // Frames in which the target was to be seen, and whether one or the other client showed it.
        let shows = |told: &[u64]| {
            let shown = |&frame: &usize| {
                self.truth.seen[frame]
                    && self.viewer.current[frame].is_some_and(|snap| self.tells(told, snap))
            };
            (first..last).find(shown)
        };
        // In sight between two frames, or never told by a server without a filter either: nobody could have drawn it.
        let without = shows(self.told.without)?;
        let with = shows(self.told.with);
        let at = |frame: usize| frames[frame].real_us as f64 / 1000.0;
        let excess = match with {
            Some(with) => Span::Exact(at(with) - at(without)),
            None => Span::AtLeast(sight.to_us as f64 / 1000.0 - at(without)),
        };
        let reveal = with.and_then(|frame| self.reveal(self.viewer.current[frame]?));
        let told_all_along = reveal.is_some_and(|reveal| reveal.came_us <= before.from_us as i64);
        let known_from = reveal.map_or(sight.from_us as i64, |reveal| reveal.came_us);
        Some(Crossing {
            viewer: self.viewer.record.client,
            target: self.target,
            seen_us: sight.from_us as i64,
            hidden_us: before.to_us - before.from_us,
            in_sight_us: sight.to_us - sight.from_us,
            eye: sight.eye,
            place: sight.place,
            reveal: reveal.filter(|_| !told_all_along),
            told_all_along,
            excess,
            exposure_ms: ms((sight.from_us as i64 - known_from.max(before.from_us as i64)).max(0)),
            linger: after.filter(|after| after.state == State::Hidden).map(|after| self.linger(after)),
        })
    }

    /// The telling without a break that snapshot `drawn` belongs to.
    fn reveal(&self, drawn: usize) -> Option<Reveal> {
        let viewer = self.viewer;
        let begin = (0..=drawn).rev().take_while(|&snap| self.tells(self.told.with, snap)).last()?;
        let came = viewer.came.partition_point(|(snap, _)| *snap < begin);
        let frame = viewer.current.partition_point(|snap| snap.is_none_or(|snap| snap < begin));
        let sent = viewer.record.snapshots[begin].time;
        Some(Reveal {
            sent_us: viewer.zero_us + i64::from(sent.0) * 1000,
            came_us: viewer.came.get(came)?.1 as i64,
            drawn_us: viewer.record.frames.get(frame)?.real_us as i64,
        })
    }

    /// How long the client knew on after the target was hidden again.
    fn linger(&self, hidden: &Stretch) -> Span {
        let from = self.viewer.came.partition_point(|(_, at)| *at <= hidden.from_us).saturating_sub(1);
        let untold = self.viewer.came[from..].iter().find(|(snap, _)| !self.tells(self.told.with, *snap));
        match untold.filter(|(_, at)| *at < hidden.to_us) {
            Some((_, at)) => Span::Exact(at.saturating_sub(hidden.from_us) as f64 / 1000.0),
            None => Span::AtLeast((hidden.to_us - hidden.from_us) as f64 / 1000.0),
        }
    }

    fn time(&self, stretches: &[Stretch]) -> PairTime {
        let mut time = PairTime::default();
        for stretch in stretches {
            let span = stretch.to_us - stretch.from_us;
            match stretch.state {
                State::Absent => {}
                State::Hidden => {
                    time.hidden_us += span;
                    time.leaked_us += self.known(stretch);
                }
                State::Seen => {
                    time.seen_us += span;
                    time.missed_us += self.missed_us(stretch);
                }
            }
        }
        time
    }

    /// How long the newest snapshot told of the target.
    fn known(&self, stretch: &Stretch) -> u64 {
        let came = &self.viewer.came;
        let from = came.partition_point(|(_, at)| *at <= stretch.from_us).saturating_sub(1);
        let pieces = came[from..].iter().take_while(|(_, at)| *at < stretch.to_us).enumerate();
        pieces
            .filter(|(_, (snap, _))| self.tells(self.told.with, *snap))
            .map(|(n, (_, at))| {
                let until = came.get(from + n + 1).map_or(stretch.to_us, |(_, next)| *next);
                until.min(stretch.to_us).saturating_sub((*at).max(stretch.from_us))
            })
            .sum()
    }

    /// Frames in which the target was to be seen and was not shown, though it would have been without a filter: their indices.
    fn missed(&self, stretch: &Stretch) -> impl Iterator<Item = usize> {
        let frames = &self.viewer.record.frames;
        let first = frames.partition_point(|frame| frame.real_us < stretch.from_us);
        let last = frames.partition_point(|frame| frame.real_us < stretch.to_us);
        (first..last).filter(|&frame| {
            self.truth.seen[frame]
                && self.viewer.current[frame].is_some_and(|snap| {
                    self.tells(self.told.without, snap) && !self.tells(self.told.with, snap)
                })
        })
    }

    /// How long they were drawn.
    fn missed_us(&self, stretch: &Stretch) -> u64 {
        let frames = &self.viewer.record.frames;
        let length = |frame: usize| {
            let until = frames.get(frame + 1).map_or(stretch.to_us, |next| next.real_us);
            until.min(stretch.to_us) - frames[frame].real_us
        };
        self.missed(stretch).map(length).sum()
    }

    /// What they lacked.
    fn lacks(&self, stretch: &Stretch) -> impl Iterator<Item = Missed> {
        let record = self.viewer.record;
        self.missed(stretch).filter_map(move |frame| {
            let Shown { drawn, eye, .. } = record.frames[frame];
            let snapshot = record.snapshots[self.viewer.current[frame]?].time;
            let (viewer, target, place) = (record.client, self.target, stretch.place);
            Some(Missed { viewer, target, drawn, snapshot, eye, place })
        })
    }
}
