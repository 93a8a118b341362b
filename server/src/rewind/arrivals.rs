//! Which picture of a client was the first with each snapshot: the likeliest course of events, and how sure that is.
//!
//! In: snapshots of which the newest is known to have come, the pictures with which they may have come ([`Slot`]), and what has been
//! learned of this line ([`Delays`]). Out: for each snapshot the picture by which it had come more likely than not, and the first and
//! the last by which it may have. All courses of events are weighed in which snapshots come in order, by forward and backward sums;
//! where the client's clock has moved something came, where it has not nothing did.

use super::beat::Brought;
use fogline_common::time::ServerTime;

/// Snapshots weighed at once.
pub const MOST_MESSAGES: usize = 12;
/// Pictures at once: those of a packet, and the next.
pub const MOST_SLOTS: usize = 33;
/// The client's clock says something else than it means so often.
const CLOCK_ERRS: f64 = 0.002;
/// A clock that was wrong in a larger share of packets says nothing; so does one of which little is known.
const CLOCK_ERRS_MOST: f32 = 0.05;
const CLOCK_ERRS_AT_FIRST: f32 = 0.1;
/// What is less likely than this has not happened.
const UNTHINKABLE: f64 = 1e-3;
/// What probably came is learned from.
const PROBABLE: f64 = 0.8;

/// Shape of [`Delays`]. Unit: ms.
const BINS: usize = 256;
/// How much the newest snapshot counts against all before, at least.
const FORGETS: f32 = 1.0 / 48.0;
/// After so many in a row that took a time without a bin the client's clock has been set anew.
const STRAYS: u32 = 8;
/// Where in its span a snapshot came is guessed by what is known, but for this share.
const SPREADS: f32 = 0.05;
/// What [`FORGETS`] is for losses.
const FORGETS_LOSSES: f32 = 1.0 / 300.0;
const LOST_AT_FIRST: f32 = 0.02;
const LOST_AT_LEAST: f32 = 0.000_1;
const LOST_AT_MOST: f32 = 0.3;
/// No slot is wider. Unit: ms.
const WIDEST_SLOT: i32 = 64;

/// A picture that may have been the first with a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// No picture before this moment is meant.
    pub at: ServerTime,
    /// What came after this is drawn with it, by the client's even clock: the one that nothing moves. Unit: ms.
    pub after_ms: i32,
    /// And not after this. Unit: ms.
    pub until_ms: i32,
    /// What the clock says.
    pub brought: Brought,
}

/// When a snapshot came, as pictures of its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// All pictures from this one on were drawn with it, more likely than not.
    pub came: ServerTime,
    /// No picture before this one was.
    pub earliest: ServerTime,
    /// All from this one on were for sure.
    pub latest: ServerTime,
}

impl Arrival {
    /// After all pictures.
    pub const NEVER: ServerTime = ServerTime(i32::MAX);
    /// Not yet, or not at all.
    pub const LOST: Self = Self { came: Self::NEVER, earliest: Self::NEVER, latest: Self::NEVER };
    /// Before all pictures.
    pub const AT_ONCE: Self =
        Self { came: ServerTime(i32::MIN), earliest: ServerTime(i32::MIN), latest: ServerTime(i32::MIN) };

    /// Whether it came.
    pub fn is_here(&self) -> bool {
        self.came != Self::NEVER
    }
}

impl Default for Arrival {
    fn default() -> Self {
        Self::LOST
    }
}

/// What is known of one line: the time that its snapshots take, from their moment to the client's even clock when they come; how many
/// are lost; whether the client's clock tells.
#[derive(Clone, Debug)]
pub struct Delays {
    /// Share of snapshots by the time that they took. Shape: one bin a ms.
    share: [f32; BINS],
    /// The time of the middle bin.
    middle_ms: Option<i32>,
    learned: u32,
    /// So many in a row took a time that has no bin.
    strays: u32,
    /// Share of snapshots that seem to have been lost, and of the client's packets that were.
    lost: f32,
    lost_back: f32,
    /// Share of packets in which the client's clock cannot have meant what it said.
    clock_errs: f32,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            share: [0.0; BINS],
            middle_ms: None,
            learned: 0,
            strays: 0,
            lost: LOST_AT_FIRST,
            lost_back: LOST_AT_FIRST,
            clock_errs: CLOCK_ERRS_AT_FIRST,
        }
    }
}

impl Delays {
    /// The bins of a span. `None` if it is empty.
    fn bins(&self, after_ms: i32, until_ms: i32) -> Option<std::ops::Range<usize>> {
        let bin = |time_ms: i32| {
            let from_middle = time_ms.saturating_sub(self.middle_ms.unwrap_or(0));
            from_middle.saturating_add(1 + BINS as i32 / 2).clamp(0, BINS as i32) as usize
        };
        let bins = bin(after_ms)..bin(until_ms);
        (!bins.is_empty()).then_some(bins)
    }

    fn mass(&self, after_ms: i32, until_ms: i32) -> f64 {
        self.bins(after_ms, until_ms).map_or(0.0, |bins| f64::from(self.share[bins].iter().sum::<f32>()))
    }

    /// How likely a snapshot is to take so long. What was never seen is not impossible, and what is near to what was is less so.
    fn chance(&self, after_ms: i32, until_ms: i32) -> f64 {
        let width = f64::from((until_ms - after_ms).clamp(1, WIDEST_SLOT));
        let near = self.mass(after_ms - 3, until_ms + 3) * width / (width + 6.0);
        0.9 * self.mass(after_ms, until_ms) + 0.095 * near + 0.005 * width / BINS as f64
    }

    /// Learns of a snapshot of the moment `time` that came with each of these pictures with these chances. A probable one: of what was
    /// lost nobody can tell how late it would have been, and counting it as late would make the late look usual.
    fn learn(&mut self, time: ServerTime, slots: &[Slot], chances: &[f64]) {
        let Some(last_ms) = slots.last().map(|slot| slot.until_ms.wrapping_sub(time.0)) else { return };
        let middle_ms = *self.middle_ms.get_or_insert(last_ms);
        if last_ms.saturating_sub(middle_ms).saturating_abs() > BINS as i32 / 2 - 16 {
            self.strays += 1;
            if self.strays < STRAYS {
                return;
            }
            (self.share, self.middle_ms, self.learned) = ([0.0; BINS], Some(last_ms), 0);
        }
        self.strays = 0;
        self.learned = self.learned.saturating_add(1);
        let weight = FORGETS.max(1.0 / self.learned as f32);
        self.share.iter_mut().for_each(|share| *share *= 1.0 - weight);
        for (slot, &chance) in slots.iter().zip(chances).filter(|(_, chance)| **chance > 1e-6) {
            let after_ms = slot.after_ms.max(slot.until_ms.saturating_sub(WIDEST_SLOT));
            let Some(bins) = self.bins(after_ms.wrapping_sub(time.0), slot.until_ms.wrapping_sub(time.0))
            else {
                continue;
            };
            // What is known already says where in that span it was.
            let known: f32 = self.share[bins.clone()].iter().sum();
            let even = 1.0 / bins.len() as f32;
            for share in &mut self.share[bins] {
                let here =
                    if known > 1e-6 { (1.0 - SPREADS) * *share / known + SPREADS * even } else { even };
                *share += chance as f32 * weight * here;
            }
        }
    }

    /// Learns of the pictures of one packet, of which all is known by now, that was the first to tell of so many snapshots.
    fn learn_clock(&mut self, messages: usize, slots: &[Slot]) {
        if slots.iter().any(|slot| slot.brought == Brought::Unknown) || slots.is_empty() {
            return;
        }
        let moves = slots.iter().filter(|slot| slot.brought == Brought::New).count();
        let wrong = moves > messages || (moves == 0 && messages > 0);
        self.clock_errs += (f32::from(u8::from(wrong)) - self.clock_errs) * FORGETS;
    }

    /// A packet of the client came; so many before it had not.
    pub fn learn_packet(&mut self, missing: u32) {
        let share = missing as f32 / (missing.saturating_add(1)) as f32;
        self.lost_back += (share - self.lost_back) * FORGETS_LOSSES;
    }

    /// Share of snapshots that are lost. Those that come late look the same, but what a line loses one way is like what it loses the
    /// other.
    fn lost(&self) -> f64 {
        let lost = self.lost.clamp(self.lost_back / 2.0, self.lost_back * 2.0);
        f64::from(lost.clamp(LOST_AT_LEAST, LOST_AT_MOST))
    }

    /// Whether the moves of the client's clock mean what they say.
    pub fn trusts_clock(&self) -> bool {
        self.clock_errs < CLOCK_ERRS_MOST
    }

    /// Weighs all courses of events and learns from what is likely.
    pub fn learn_from(&mut self, times: &[ServerTime], slots: &[Slot]) {
        self.learn_clock(times.len(), slots);
        if times.is_empty() || slots.is_empty() {
            return;
        }
        let courses = Courses::weigh(self, times, slots);
        for (n, &time) in courses.times.iter().enumerate() {
            let chances = &courses.chances[n][..courses.slots.len()];
            let came: f64 = chances.iter().sum();
            self.lost += ((1.0 - came) as f32 - self.lost) * FORGETS_LOSSES;
            if came > PROBABLE {
                self.learn(time, courses.slots, chances);
            }
        }
    }
}

/// All courses of events at once.
pub struct Courses<'a> {
    times: &'a [ServerTime],
    slots: &'a [Slot],
    /// How likely a snapshot came with a picture. Shape: by snapshot, by picture.
    chances: [[f64; MOST_SLOTS]; MOST_MESSAGES],
}

impl<'a> Courses<'a> {
    /// Weighs them. `times`: moments of snapshots, oldest first, at most [`MOST_MESSAGES`], of which the last is known to have come.
    /// `slots`: pictures in order, at most [`MOST_SLOTS`].
    pub fn weigh(delays: &Delays, times: &'a [ServerTime], slots: &'a [Slot]) -> Self {
        let times = &times[..times.len().min(MOST_MESSAGES)];
        let slots = &slots[..slots.len().min(MOST_SLOTS)];
        let (n, k) = (times.len(), slots.len());
        let lost = delays.lost();
        let errs = if delays.trusts_clock() { CLOCK_ERRS } else { 0.5 };
        // A snapshot comes with a picture.
        let comes = |time: ServerTime, slot: &Slot| {
            let chance =
                delays.chance(slot.after_ms.wrapping_sub(time.0), slot.until_ms.wrapping_sub(time.0));
            (1.0 - lost) * chance * if slot.brought == Brought::Nothing { errs } else { 1.0 - errs }
        };
        // Nothing comes with any of these.
        let missed = |slots: &[Slot]| {
            let moves = slots.iter().filter(|slot| slot.brought == Brought::New);
            moves.fold(1.0, |all, _| all * errs)
        };
        let may_be_lost = |i: usize| if i + 1 < n { lost } else { 0.0 };
        // From state to state; s: the picture before s was the last that something came with; 0: none was.
        let step = |from: usize, to: usize| missed(&slots[from.min(to - 1)..to - 1]);
        let mut comes_with = [[0.0f64; MOST_SLOTS]; MOST_MESSAGES];
        for (row, &time) in comes_with.iter_mut().zip(times) {
            for (chance, slot) in row.iter_mut().zip(slots) {
                *chance = comes(time, slot);
            }
        }
        let mut ahead = [[0.0f64; MOST_SLOTS + 1]; MOST_MESSAGES + 1];
        ahead[0][0] = 1.0;
        for i in 0..n {
            for from in 0..=k {
                let reached = ahead[i][from];
                ahead[i + 1][from] += reached * may_be_lost(i);
                for to in from.max(1)..=k {
                    ahead[i + 1][to] += reached * comes_with[i][to - 1] * step(from, to);
                }
            }
        }
        let mut behind = [0.0f64; MOST_SLOTS + 1];
        for (from, chance) in behind.iter_mut().enumerate().take(k + 1) {
            *chance = missed(&slots[from..]);
        }
        let mut chances = [[0.0f64; MOST_SLOTS]; MOST_MESSAGES];
        let all: f64 = (0..=k).map(|s| ahead[n][s] * behind[s]).sum();
        for i in (0..n).rev() {
            let mut before = [0.0f64; MOST_SLOTS + 1];
            for from in 0..=k {
                before[from] = behind[from] * may_be_lost(i);
                for to in from.max(1)..=k {
                    let on = comes_with[i][to - 1] * step(from, to) * behind[to];
                    before[from] += on;
                    chances[i][to - 1] += ahead[i][from] * on / all;
                }
            }
            behind = before;
        }
        Self { times, slots, chances }
    }

    /// When each came, oldest first.
    pub fn arrivals(&self) -> impl Iterator<Item = Arrival> {
        self.chances[..self.times.len()].iter().map(|chances| {
            let (mut by_now, mut arrival) = (0.0, Arrival::LOST);
            for (slot, chance) in self.slots.iter().zip(chances) {
                by_now += chance;
                for (likely, when) in [
                    (UNTHINKABLE, &mut arrival.earliest),
                    (0.5, &mut arrival.came),
                    (1.0 - UNTHINKABLE, &mut arrival.latest),
                ] {
                    if by_now > likely {
                        *when = slot.at.min(*when);
                    }
                }
            }
            arrival
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pictures every 10 ms from `from`, of which these brought something by the clock; of the last nobody knows.
    fn pictures(from: i32, count: i32, moved: &[i32], known: bool) -> Vec<Slot> {
        let slot = |n: i32| Slot {
            at: ServerTime(from + n * 10),
            after_ms: from + (n - 1) * 10,
            until_ms: from + n * 10,
            brought: match (known, moved.contains(&n)) {
                (false, _) => Brought::Unknown,
                (true, true) => Brought::New,
                (true, false) => Brought::Nothing,
            },
        };
        (0..count).map(slot).collect()
    }

    /// A line of snapshots every 50 ms that take 23 ms, told by packets of three pictures, by a client whose clock tells.
    fn even_line() -> Delays {
        let mut delays = Delays::default();
        for n in 0..400 {
            delays.learn_packet(0);
            let time = n * 50;
            // The phase of pictures to snapshots wanders.
            let from = time + n % 7;
            let with = (time + 23 - from + 9) / 10;
            delays.learn_from(&[ServerTime(time)], &pictures(from, 5, &[with], true));
        }
        delays
    }

    fn arrivals(delays: &Delays, times: &[i32], slots: &[Slot]) -> Vec<Arrival> {
        let times: Vec<_> = times.iter().map(|&time| ServerTime(time)).collect();
        Courses::weigh(delays, &times, slots).arrivals().collect()
    }

    #[test]
    fn on_an_even_line_the_picture_is_known_before_the_clock_tells() {
        let delays = even_line();
        assert!(delays.trusts_clock());
        for phase in 0..10 {
            let slots = pictures(1000 + phase, 5, &[], false);
            let with = (23 - phase + 9) / 10;
            let told = arrivals(&delays, &[1000], &slots)[0];
            assert_eq!(told.came, ServerTime(1000 + phase + with * 10), "{phase}: {told:?}");
        }
        let told = arrivals(&delays, &[1000], &pictures(1009, 5, &[], false))[0];
        let one_off = (ServerTime(1019), ServerTime(1039));
        assert!(told.earliest >= one_off.0 && told.latest <= one_off.1, "{told:?}");
    }

    #[test]
    fn what_would_have_been_late_was_lost_and_what_is_due_came_in_order() {
        let delays = even_line();
        // Two are told of, and only the newer was due.
        let told = arrivals(&delays, &[950, 1000], &pictures(1005, 3, &[], false));
        assert_eq!(told[0].came, Arrival::NEVER);
        assert!(told[1].is_here());
        let told = arrivals(&delays, &[950, 1000], &pictures(955, 8, &[], false));
        assert_eq!((told[0].came, told[1].came), (ServerTime(975), ServerTime(1025)));
    }

    #[test]
    fn between_two_pictures_that_both_may_be_the_clock_decides() {
        let mut delays = Delays::default();
        for n in 0..400 {
            let time = n * 50;
            // It takes 10 to 30 ms.
            let with = 2 + n % 2;
            delays.learn_from(&[ServerTime(time)], &pictures(time, 5, &[with], true));
        }
        let open = arrivals(&delays, &[1000], &pictures(1000, 5, &[], false))[0];
        assert!(open.earliest <= ServerTime(1020) && open.latest >= ServerTime(1030), "{open:?}");
        for with in [2, 3] {
            let told = arrivals(&delays, &[1000], &pictures(1000, 5, &[with], true))[0];
            assert_eq!(told.came, ServerTime(1000 + with * 10));
        }
    }

    #[test]
    fn a_clock_that_tells_of_too_much_is_not_believed() {
        let mut delays = even_line();
        for n in 0..200 {
            let time = 20_000 + n * 50;
            delays.learn_from(&[ServerTime(time)], &pictures(time, 5, &[1, 3, 4], true));
        }
        assert!(!delays.trusts_clock());
    }

    #[test]
    fn a_clock_that_was_set_anew_is_learned_anew() {
        let mut delays = even_line();
        for n in 0..60 {
            let time = 20_000 + n * 50;
            let slots = pictures(time + 900, 5, &[2], true);
            delays.learn_from(&[ServerTime(time)], &slots);
        }
        let told = arrivals(&delays, &[30_000], &pictures(30_900, 5, &[], false))[0];
        assert_eq!(told.came, ServerTime(30_920));
    }
}
