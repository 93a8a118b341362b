//! Whether a usercmd's claim of what its client was drawing may be believed.
//!
//! In: the claim, what the client had acknowledged, how long its packets take. Out: the moment to judge by, and, if that is not
//! the claim, why. Three opinions, each of which can be turned off: the acknowledgements (nobody draws far behind the newest
//! snapshot that it has), its own habit (the mean over its last commands, and the best of the match), its line (round trips). The cap
//! is not here: it is no matter of belief.
//!
//! Only a claim that is *older* than it may be is a fault. A newer one gains nothing: nobody is shown later than the newest
//! snapshot acknowledged.

use fogline_common::time::{Arrival, Millis, ServerTime};
use std::fmt;

/// Largest `cl_timeNudge`. Source: `CL_SetCGameTime`.
const NUDGE_MS: i32 = 30;
/// How near to running out of pictures a client's clock lets it come. Source: `CL_AdjustTimeDelta`.
const BUFFER_MS: i32 = 5;
/// What rounding, frames of the client and its slow clock may add to a round trip.
const SLACK_MS: i32 = 12;
/// An uneven line is allowed so much more, at most.
const JITTER_ALLOWED_MS: i32 = 60;
/// Deviation from the mean that is still the same habit. Source: the deployments that this rule comes from.
const HABIT_TOLERANCE_MS: i32 = 60;
/// Commands that make the mean.
const HABIT_COMMANDS: usize = 32;
/// Commands before the mean means anything.
const HABIT_BEGINS: usize = 8;
/// Round trips that make an opinion of the line.
const TRIPS: usize = 20;
/// Round trips before there is one.
const TRIPS_BEGIN: usize = 5;
/// A line that is more uneven than this is not given the benefit of it when a claim is replaced.
const JITTER_ROUNDED_DOWN_MS: i32 = 15;
/// A round trip may grow by so much a second before that counts as a claim. Unit: ms a second.
const TRIP_GROWS_MS: u64 = 2;
/// The same for the spread of the trips, whose measure is less steady.
const SPREAD_GROWS_MS: u64 = 10;

/// Over so long the oldest claim is taken, and the least of these counts. Unit: ms.
const RECORD_SPAN_MS: i32 = 10_000;
/// The same for the first, so that there is one soon. A client's clock has settled by then. Unit: ms.
const FIRST_RECORD_SPAN_MS: i32 = 4_000;
/// Claims that a span must have to count.
const RECORD_CLAIMS: u32 = 60;
/// So much older than the record, and one snapshot period, a claim may be: a nudge that is begun in the middle of a match, less what
/// even an even line varies by. Unit: ms.
const RECORD_TOLERANCE_MS: i32 = 22;

/// Bits of `sv_unlag_validate`.
pub mod check {
    /// Against the acknowledgements.
    pub const ACKNOWLEDGED: i32 = 1;
    /// Against the mean of the last commands.
    pub const HABIT: i32 = 2;
    /// Against the round trips.
    pub const LINE: i32 = 4;
}

/// Why a claim was not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It lies too far behind the newest snapshot acknowledged.
    Acknowledged,
    /// It deviates from the client's own habit.
    Habit,
    /// The round trips are not that long.
    Line,
}

impl Fault {
    /// Every one, for tables.
    pub const ALL: [Self; 3] = [Self::Acknowledged, Self::Habit, Self::Line];

    /// One word, for logs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Acknowledged => "acknowledged",
            Self::Habit => "habit",
            Self::Line => "line",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Acknowledged => "older than any picture of the snapshots that the client has acknowledged",
            Self::Habit => "older than the client's commands have been lately",
            Self::Line => "older than the client's round trips explain",
        })
    }
}

/// What is known when a command comes.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The moment that the command claims its client was drawing.
    pub claim: ServerTime,
    /// The same of the newest command in its packet.
    pub newest_claim: ServerTime,
    /// Newest snapshot that the client had acknowledged *before* it made the command: in the packet before.
    pub had: ServerTime,
    /// The server's moment, between frames.
    pub now: ServerTime,
    /// Time from one snapshot of this client to the next.
    pub period: Millis,
    /// Time that a command of an honest client may have waited in the packets that it travelled in.
    pub longest_wait: Millis,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The moment to judge by.
    pub at: ServerTime,
    /// The oldest moment that would have been believed.
    pub oldest: ServerTime,
    /// Why the claim was replaced.
    pub fault: Option<Fault>,
}

/// What one client's packets have been like.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Time from sending to acknowledgement. Shape: ring. Unit: ms.
    trips: [i32; TRIPS],
    trip_count: usize,
    /// Mean of the middle half of the trips, and their spread.
    opinion: Option<Opinion>,
    /// How far behind the newest snapshot its commands were. Shape: ring. Unit: ms.
    lags: [i32; HABIT_COMMANDS],
    lag_count: usize,
    record: Record,
}

/// How old a client's claims are at most while its line is at its best.
///
/// Who withholds acknowledgements or makes its own line uneven looks exactly like somebody whose line has become worse. So a line is
/// believed to have become worse since its best by no more than a forger may gain.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// The least of the oldest ages of all spans so far.
    least: Option<Millis>,
    /// The oldest age of this span, and how many there were.
    oldest: Millis,
    claims: u32,
    began: ServerTime,
}

impl Record {
    fn note(&mut self, age: Millis, now: ServerTime) {
        if self.claims == 0 {
            (self.began, self.oldest) = (now, age);
        }
        self.oldest = self.oldest.max(age);
        self.claims += 1;
        let span_ms = if self.least.is_some() { RECORD_SPAN_MS } else { FIRST_RECORD_SPAN_MS };
        if (now - self.began).0 >= span_ms && self.claims >= RECORD_CLAIMS {
            self.least = Some(self.least.map_or(self.oldest, |least| least.min(self.oldest)));
            self.claims = 0;
        }
    }
}

/// What the round trips say.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Opinion {
    /// Mean of the trips between the 25th and the 75th percentile.
    middle_ms: i32,
    /// The middle as far as it is believed: it falls at once and rises slowly.
    believed_ms: f32,
    /// From the 10th to the 90th percentile, believed likewise.
    spread_ms: f32,
    since: Arrival,
}

impl Line {
    /// A message came back acknowledged after `trip`.
    pub fn round_trip(&mut self, trip: Millis, now: Arrival) {
        self.trips[self.trip_count % TRIPS] = trip.0;
        self.trip_count += 1;
        if self.trip_count < TRIPS_BEGIN {
            return;
        }
        let count = self.trip_count.min(TRIPS);
        let mut sorted = self.trips;
        sorted[..count].sort_unstable();
        let middle = &sorted[count / 4..count - count / 4];
        let middle_ms = middle.iter().sum::<i32>() / middle.len() as i32;
        let spread_ms = (sorted[count - 1 - count / 10] - sorted[count / 10]) as f32;
        // The first few are no evidence of how the line always is.
        let before = self.opinion.filter(|_| self.trip_count > TRIPS);
        let slowly = |value: f32, old: fn(&Opinion) -> f32, grows_ms: u64| {
            before.as_ref().map_or(value, |before| {
                let rise = (now.micros_since(before.since) * grows_ms) as f32 / 1e6;
                value.min(old(before) + rise)
            })
        };
        self.opinion = Some(Opinion {
            middle_ms,
            believed_ms: slowly(middle_ms as f32, |old| old.believed_ms, TRIP_GROWS_MS),
            spread_ms: slowly(spread_ms, |old| old.spread_ms, SPREAD_GROWS_MS),
            since: now,
        });
    }

    /// Mean round trip, once there is one.
    pub fn round_trip_mean(&self) -> Option<Millis> {
        self.opinion.map(|opinion| Millis(opinion.middle_ms))
    }

    /// How uneven the line is: half of what its round trips are spread over.
    pub fn jitter(&self) -> Millis {
        Millis(self.opinion.map_or(0, |opinion| opinion.spread_ms as i32 / 2))
    }

    /// Another match begins: how the line has been is asked anew.
    pub fn begin_match(&mut self) {
        self.record = Record::default();
    }

    /// Weighs a claim and remembers what was believed.
    pub fn judge(&mut self, facts: &Facts, checks: i32) -> Judged {
        let spread =
            self.opinion.map_or(JITTER_ALLOWED_MS, |opinion| opinion.spread_ms as i32).min(JITTER_ALLOWED_MS);
        let mut judged = Judged { at: facts.claim, oldest: ServerTime(i32::MIN), fault: None };
        let mut demand = |oldest: ServerTime, instead: ServerTime, fault: Fault| {
            if judged.at < oldest {
                judged.at = instead;
                judged.fault = Some(fault);
            }
            judged.oldest = judged.oldest.max(oldest);
        };
        // On an uneven line what a command waits for its packet adds to everything else that is late.
        let waiting = |share: i32| (facts.longest_wait.0 / share).min(spread);
        // What came late in its packet is measured by the newest command of it: that one did not wait.
        let waited = (facts.newest_claim - facts.claim).min(facts.longest_wait);
        let tolerance_ms = HABIT_TOLERANCE_MS.max(facts.period.0 + SLACK_MS) + spread;
        if checks & check::ACKNOWLEDGED != 0 {
            let instead = facts.had - Millis(facts.period.0 + NUDGE_MS + BUFFER_MS);
            demand(instead - Millis(spread + waiting(4)), instead, Fault::Acknowledged);
        }
        if checks & check::HABIT != 0 && self.lag_count >= HABIT_BEGINS {
            let usual = facts.had - Millis(self.usual_lag_ms());
            demand(usual - Millis(tolerance_ms), usual, Fault::Habit);
            if let Some(least) = self.record.least {
                let oldest = facts.now - least - Millis(facts.period.0 + RECORD_TOLERANCE_MS);
                demand(oldest, oldest, Fault::Habit);
            }
        }
        if checks & check::LINE != 0
            && let Some(opinion) = self.opinion
        {
            let explained = Millis(opinion.believed_ms as i32 + facts.period.0 + NUDGE_MS + SLACK_MS);
            let uneven = if spread > JITTER_ROUNDED_DOWN_MS { spread / 2 + waiting(2) } else { 0 };
            let oldest = facts.now - explained - Millis(spread + uneven) - waited;
            let kept = if spread > JITTER_ROUNDED_DOWN_MS { 0 } else { spread };
            demand(oldest, facts.now - explained - Millis(kept) - waited, Fault::Line);
        }
        // A stall is no habit: what lies ahead of the newest snapshot counts as on it. Nor is a lie, beyond the tolerance.
        let most = if self.lag_count < HABIT_BEGINS { 1000 } else { self.usual_lag_ms() + tolerance_ms };
        self.lags[self.lag_count % HABIT_COMMANDS] = (facts.had - facts.claim).0.clamp(0, most);
        self.lag_count += 1;
        self.record.note(facts.now - facts.claim, facts.now);
        judged
    }

    fn usual_lag_ms(&self) -> i32 {
        let count = self.lag_count.min(HABIT_COMMANDS);
        self.lags[..count].iter().sum::<i32>() / count.max(1) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Millis = Millis(50);

    fn facts(claim: i32) -> Facts {
        let claim = ServerTime(claim);
        Facts {
            claim,
            newest_claim: claim,
            had: ServerTime(1000),
            now: ServerTime(1040),
            period: PERIOD,
            longest_wait: Millis(16),
        }
    }

    /// A client of 40 ms round trip that draws 20 ms behind the newest snapshot.
    fn steady() -> Line {
        let mut line = Line::default();
        for n in 0..40 {
            line.round_trip(Millis(40), Arrival::from_millis(n * 50));
            line.judge(&facts(980), 7);
        }
        line
    }

    #[test]
    fn an_honest_claim_is_the_moment_itself() {
        for claim in [990, 980, 955, 1000, 1013] {
            let judged = steady().judge(&facts(claim), 7);
            assert_eq!((judged.at, judged.fault), (ServerTime(claim), None));
        }
    }

    #[test]
    fn each_opinion_alone_bounds_an_old_claim() {
        let gain = |checks, claim| {
            let judged = steady().judge(&facts(claim), checks);
            (980 - judged.at.0, judged.fault)
        };
        assert_eq!(gain(check::ACKNOWLEDGED, 700), (65, Some(Fault::Acknowledged)));
        assert_eq!(gain(check::HABIT, 700), (0, Some(Fault::Habit)));
        assert_eq!(gain(check::LINE, 700), (72, Some(Fault::Line)));
        assert_eq!(gain(0, 700), (280, None));
        assert!(gain(7, 700).0 <= PERIOD.0 + 30);
        assert!(gain(7, 921).0 <= PERIOD.0 + 30);
    }

    #[test]
    fn a_habit_that_creeps_is_stopped_by_the_acknowledgements() {
        let mut line = steady();
        let worst = (0..400).map(|n| 980 - line.judge(&facts(980 - n), 3).at.0).max();
        assert!(worst <= Some(PERIOD.0 + 30), "{worst:?}");
    }

    /// Answers every 8 ms, half a minute long: what the claims of `age` ms were judged older than those of 60 ms before them.
    fn gain_of_a_worse_line(age: i32, checks: i32) -> i32 {
        let mut line = Line::default();
        let mut gain = 0;
        for n in 0..4000 {
            let now = ServerTime(n * 8);
            let age = if n < 1000 { 60 } else { age };
            if n % 6 == 0 {
                line.round_trip(Millis(age - 20), Arrival::from_millis(n as u64 * 8));
            }
            let claim = now - Millis(age);
            let facts = Facts { claim, newest_claim: claim, had: claim + Millis(20), now, ..facts(0) };
            gain = gain.max((now - line.judge(&facts, checks).at).0 - 60);
        }
        gain
    }

    #[test]
    fn a_line_is_not_believed_to_have_become_worse_by_more_than_a_forger_may_gain() {
        for age in [100, 200, 400] {
            assert!(gain_of_a_worse_line(age, 7) <= PERIOD.0 + 30, "{age}");
        }
        assert_eq!(gain_of_a_worse_line(100, 7), 40);
        // Without that opinion it is what it is.
        assert!(gain_of_a_worse_line(200, check::ACKNOWLEDGED) > PERIOD.0 + 30);
    }

    #[test]
    fn acknowledgements_that_are_withheld_are_stopped_by_the_line() {
        let mut line = steady();
        let mut worst = 0;
        for n in 0..40 {
            // It acknowledges 300 ms late from now on and claims to draw as much later.
            line.round_trip(Millis(340), Arrival::from_millis(2000 + n * 50));
            let claim = ServerTime(680);
            let judged =
                line.judge(&Facts { claim, newest_claim: claim, had: ServerTime(700), ..facts(0) }, 7);
            worst = worst.max(980 - judged.at.0);
        }
        assert!(worst <= PERIOD.0 + 30 + 20, "{worst}");
    }

    #[test]
    fn a_line_becomes_slower_only_slowly_and_faster_at_once() {
        let mut line = steady();
        for n in 0..TRIPS as u64 {
            line.round_trip(Millis(100), Arrival::from_millis(2000 + n * 50));
        }
        let believed = line.opinion.unwrap().believed_ms;
        assert!((40.5..45.0).contains(&believed), "{believed}");
        for n in 0..TRIPS as u64 {
            line.round_trip(Millis(20), Arrival::from_millis(4000 + n));
        }
        assert_eq!(line.opinion.unwrap().believed_ms, 20.0);
    }

    #[test]
    fn the_opinion_of_the_line_lets_outliers_go() {
        let mut line = Line::default();
        for n in 0..TRIPS as u64 {
            line.round_trip(Millis(if n % 5 == 0 { 900 } else { 60 }), Arrival::from_millis(n * 50));
        }
        assert_eq!(line.round_trip_mean(), Some(Millis(60)));
    }
}
