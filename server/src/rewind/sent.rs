//! Which snapshots reached a client, and which of its pictures was the first with each: what it can have drawn between.
//!
//! In: every snapshot that is sent, and what the client's packets say: the newest message that has come, and the pictures drawn
//! since the packet before. Of the messages that a packet skips some were lost and some came in one burst with the newest, and of
//! what is new nobody says with which picture it came. Three things tell: what the packet before had, the usual time from a
//! snapshot's moment to the first picture with it ([`Lag`]), and the client's own clock ([`Beat`]).

use super::beat::{Beat, Brought, Pictures};
use super::history::FrameNum;
use fogline_common::time::{Millis, ServerTime};

/// One snapshot on its way to a client.
#[derive(Clone, Copy, Debug, Default)]
pub struct SentSnapshot {
    /// The message that carried it; 0 in an unused slot.
    pub message: u32,
    /// The frame that it shows.
    pub frame: FrameNum,
    /// The moment that it shows.
    pub time: ServerTime,
    /// Players in it, a bit each.
    pub players: u64,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fate {
    #[default]
    OnItsWay,
    /// All pictures from this one on were drawn with it.
    Came(ServerTime),
    Lost,
}

/// The latest snapshots sent to one client.
#[derive(Debug)]
pub struct Sent {
    /// Shape: ring by order of sending.
    ring: Box<[SentSnapshot]>,
    count: usize,
    /// Newest message acknowledged.
    acknowledged: u32,
    lag: Lag,
    beat: Beat,
    /// The newest picture known.
    last_drawn: Option<ServerTime>,
    /// Messages that the last packet was the first to acknowledge, or to skip: older than the newest of them, newer than this.
    doubted: u32,
    /// A snapshot that is this much later than it may be counts as lost.
    patience: Millis,
}

/// What is known of a packet's pictures besides the moments that they show.
struct Evidence<'a> {
    pictures: &'a Pictures,
    /// Time of a frame, if frames are even.
    frame: Option<Millis>,
    /// Time that one picture covers.
    width: Millis,
    /// A snapshot comes this much before or after it is expected, at most.
    doubt: Millis,
}

/// A picture that may have been the first with a snapshot.
#[derive(Clone, Copy)]
struct Slot {
    /// No picture before this moment is meant.
    at: ServerTime,
    /// What comes up to here is drawn with it.
    end: ServerTime,
    brought: Brought,
}

/// Where a snapshot is thought to have come.
#[derive(Clone, Copy)]
struct Place {
    slot: Slot,
    /// How far from where it was expected.
    off: Millis,
}

impl Evidence<'_> {
    /// Where new snapshots may have come, in order. Nothing new came with the first picture of a packet that follows, since the
    /// packet before was sent after that and would have said so.
    fn slots(&self) -> impl Iterator<Item = Slot> {
        let drawn = self.pictures.drawn();
        let first = usize::from(self.pictures.follows);
        let known = (first..drawn.len()).map(move |n| {
            let step = drawn.get(n + 1).map(|&next| next - drawn[n]);
            let brought = step.map_or(Brought::Unknown, |step| Beat::brought(self.frame, step));
            Slot { at: drawn[n], end: drawn[n], brought }
        });
        let last = drawn.last().zip(self.pictures.after());
        let after = last.map(|(&last, at)| Slot { at, end: last + self.width, brought: Brought::Unknown });
        known.chain(after).filter(|slot| slot.brought != Brought::Nothing)
    }

    /// The picture that was first with a snapshot that is expected at `expected`. `taken`: that of the one before.
    fn place(&self, expected: ServerTime, taken: Option<ServerTime>) -> Option<Place> {
        let width = self.width;
        let off = |slot: &Slot| (expected - slot.end).max(slot.end - width - expected).max(Millis(0));
        // Something came where the clock says so.
        let bonus = |slot: &Slot| {
            let is_free = slot.brought == Brought::New && taken != Some(slot.at);
            if is_free { width + self.doubt } else { Millis(0) }
        };
        let may = self.slots().filter(|slot| taken.is_none_or(|taken| slot.at >= taken));
        may.min_by_key(|slot| off(slot).0 - bonus(slot).0).map(|slot| Place { slot, off: off(&slot) })
    }
}

impl Sent {
    /// Room for `capacity` snapshots.
    pub fn new(capacity: usize) -> Self {
        Self {
            ring: vec![SentSnapshot::default(); capacity.max(2)].into(),
            count: 0,
            acknowledged: 0,
            lag: Lag::default(),
            beat: Beat::default(),
            last_drawn: None,
            doubted: 0,
            patience: Millis(0),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.ring.len());
    }

    /// A snapshot went out.
    pub fn push(&mut self, message: u32, frame: FrameNum, time: ServerTime, players: u64) {
        let slot = self.count % self.ring.len();
        self.ring[slot] = SentSnapshot { message, frame, time, players, fate: Fate::OnItsWay };
        self.count += 1;
    }

    /// A message turned out not to carry its snapshot.
    pub fn withdraw(&mut self, message: u32) {
        if let Some(sent) = self.ring.iter_mut().find(|sent| sent.message == message) {
            sent.message = 0;
        }
    }

    /// A packet came that acknowledges `message` and tells of these pictures. `period`: time from one snapshot to the next;
    /// `loses`: some of the client's own packets were lost lately, so that messages to it may be too.
    pub fn acknowledge(&mut self, message: u32, pictures: &Pictures, period: Millis, loses: bool) {
        // On a line that is not known to lose anything, what is missing is late.
        self.patience = if loses { Millis(0) } else { period };
        self.listen(pictures, period);
        if message <= self.acknowledged || self.newest_through(message).is_none() {
            self.doubted = self.acknowledged;
            return;
        }
        let evidence = Evidence {
            pictures,
            frame: self.beat.frame(period),
            width: self.beat.mean(),
            doubt: self.lag.doubt(),
        };
        (self.doubted, self.acknowledged) = (self.acknowledged, message);
        self.settle(&evidence);
    }

    /// Takes the steps from picture to picture, and what the first of them says about the last picture of the packet before.
    fn listen(&mut self, pictures: &Pictures, period: Millis) {
        let Some(&newest) = pictures.drawn().last() else { return };
        let before = self.last_drawn.filter(|_| pictures.follows);
        if let (Some(last), Some(&first)) = (before, pictures.drawn().first())
            && Beat::brought(self.beat.frame(period), first - last) == Brought::Nothing
        {
            self.nothing_came_with(last);
        }
        let mut last = before;
        for &drawn in pictures.drawn() {
            if let Some(last) = last {
                self.beat.push(drawn - last);
            }
            last = Some(drawn);
        }
        self.last_drawn = Some(newest);
    }

    /// What was thought to have come with a picture came with the next, or not at all.
    fn nothing_came_with(&mut self, picture: ServerTime) {
        let (doubted, named) = (self.doubted, self.acknowledged);
        let latest = self.lag.usual().map(|usual| usual + self.lag.doubt() + self.patience);
        for sent in self.ring.iter_mut().filter(|sent| sent.message > doubted && sent.message <= named) {
            if sent.fate == Fate::Came(picture) {
                let may_be_late = latest.is_none_or(|latest| sent.time + latest > picture);
                let came = may_be_late || sent.message == named;
                sent.fate = if came { Fate::Came(picture + Millis(1)) } else { Fate::Lost };
            }
        }
    }

    /// Decides of the messages that a packet was the first to acknowledge or to skip what became of each.
    fn settle(&mut self, evidence: &Evidence<'_>) {
        let (since, named, pictures) = (self.doubted, self.acknowledged, evidence.pictures);
        let first = pictures.drawn().first().copied().filter(|_| pictures.follows);
        // Without pictures everything was there from the start.
        let earliest = evidence.slots().next().map_or(ServerTime(i32::MIN / 2), |slot| slot.at);
        let usual = self.lag.usual();
        let (len, count) = (self.ring.len(), self.count);
        let longest = evidence.doubt + self.patience;
        let mut taken = None;
        for back in (1..=len.min(count)).rev() {
            let sent = &mut self.ring[(count - back) % len];
            if sent.message == 0 || sent.message <= since || sent.message > named {
                continue;
            }
            let expected = usual.map_or(earliest, |lag| sent.time + lag);
            let place = evidence.place(expected, taken);
            // What was due before the first of these pictures would have been named by the packet before.
            let overdue = first.is_some_and(|first| expected + longest < first);
            let displaced = place.is_some_and(|place| place.off > longest);
            if sent.message != named && (overdue || displaced) {
                sent.fate = Fate::Lost;
                continue;
            }
            taken = place.map(|place| place.slot.at);
            sent.fate = Fate::Came(taken.unwrap_or(earliest));
            if let (true, Some(first), Some(place), Some(&last)) =
                (sent.message == named, first, place, pictures.drawn().last())
            {
                let is_certain = place.slot.brought == Brought::New;
                let end = if is_certain { place.slot.end } else { last + evidence.width };
                let begin = if is_certain { end - evidence.width } else { first };
                self.lag.push(begin - sent.time, end - sent.time);
            }
        }
    }

    /// The longest time from one snapshot that came to the next, of those that end after message `since`. `None` if none came
    /// after it, or nothing is known of what came before.
    pub fn gap_since(&self, since: u32) -> Option<Millis> {
        let (mut longest, mut later) = (None, None::<ServerTime>);
        for sent in self.newest_first().filter(|sent| matches!(sent.fate, Fate::Came(_))) {
            longest = longest.max(later.map(|later| later - sent.time));
            if sent.message <= since {
                break;
            }
            later = Some(sent.time);
        }
        longest
    }

    /// Newest message acknowledged.
    pub fn acknowledged(&self) -> u32 {
        self.acknowledged
    }

    /// When the newest snapshot in the messages up to `message` was.
    pub fn time_of(&self, message: u32) -> Option<ServerTime> {
        self.newest_through(message).map(|sent| sent.time)
    }

    fn newest_through(&self, message: u32) -> Option<&SentSnapshot> {
        self.newest_first().find(|sent| sent.message <= message)
    }

    /// The two between which a client draws `at`: of those that it had by then the newest not after it, and the oldest after.
    pub fn around(&self, at: ServerTime) -> Option<(&SentSnapshot, Option<&SentSnapshot>)> {
        let mut next = None;
        let had = |sent: &&SentSnapshot| matches!(sent.fate, Fate::Came(first) if first <= at);
        for sent in self.newest_first().filter(had) {
            if sent.time <= at {
                return Some((sent, next));
            }
            next = Some(sent);
        }
        None
    }

    fn newest_first(&self) -> impl Iterator<Item = &SentSnapshot> {
        let (len, count) = (self.ring.len(), self.count);
        (1..=len.min(count))
            .map(move |back| &self.ring[(count - back) % len])
            .filter(|sent| sent.message != 0)
    }

    /// Bytes that it holds.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.ring)
    }
}

/// Snapshots that make an opinion of the lag.
const LAGS: usize = 16;
/// What the moves of the client's clock add to every doubt. Unit: ms.
const LEAST_DOUBT_MS: i32 = 2;

/// Time from a snapshot's moment to the moment that the first picture with it shows.
///
/// Each acknowledgement bounds it from both sides; the usual one is what most of the last bounds allow.
#[derive(Clone, Debug, Default)]
struct Lag {
    /// More than the first, at most the second. Shape: ring. Unit: ms.
    bounds: [(i32, i32); LAGS],
    count: usize,
    usual: Option<Millis>,
    doubt: Millis,
}

impl Lag {
    fn push(&mut self, more_than: Millis, at_most: Millis) {
        self.bounds[self.count % LAGS] = (more_than.0, at_most.0);
        self.count += 1;
        let bounds = &self.bounds[..self.count.min(LAGS)];
        let allow = |lag: i32| bounds.iter().filter(|(low, high)| lag > *low && lag <= *high).count();
        // The most that most of them allow is the upper end of one of them; how far down that goes, the lower end of another.
        let Some(high) = bounds.iter().map(|&(_, high)| high).max_by_key(|&high| (allow(high), -high)) else {
            return;
        };
        let around = bounds.iter().filter(|(low, end)| high > *low && high <= *end);
        let low = around.map(|&(low, _)| low).max().unwrap_or(high - 1);
        let usual = low + 1 + (high - low - 1) / 2;
        let off =
            bounds.iter().map(|(low, high)| (low + 1 - usual).max(usual - high)).max().unwrap_or(0).max(0);
        self.usual = Some(Millis(usual));
        self.doubt = Millis(off + (high - low) / 2 + LEAST_DOUBT_MS);
    }

    const fn usual(&self) -> Option<Millis> {
        self.usual
    }

    /// How far from usual it may be.
    const fn doubt(&self) -> Millis {
        self.doubt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Millis = Millis(50);

    fn sent(count: u32) -> Sent {
        let mut sent = Sent::new(8);
        for n in 1..=count {
            sent.push(n, FrameNum(n), ServerTime(n as i32 * 50), u64::from(n));
        }
        sent
    }

    fn pictures(drawn: &[i32]) -> Pictures {
        let mut pictures = Pictures::none(true);
        drawn.iter().for_each(|&drawn| pictures.push(ServerTime(drawn)));
        pictures
    }

    fn acknowledge(sent: &mut Sent, message: u32, drawn: &[i32]) {
        sent.acknowledge(message, &pictures(drawn), PERIOD, true);
    }

    fn around(sent: &Sent, at: i32) -> (u32, Option<u32>) {
        let (from, to) = sent.around(ServerTime(at)).unwrap();
        (from.message, to.map(|to| to.message))
    }

    #[test]
    fn a_client_draws_between_what_came_and_holds_the_newest() {
        let mut sent = sent(4);
        acknowledge(&mut sent, 1, &[30]);
        acknowledge(&mut sent, 2, &[80]);
        acknowledge(&mut sent, 3, &[140]);
        // The picture of the packet that was the first to name message 3 was drawn without it.
        assert_eq!((around(&sent, 110), around(&sent, 140)), ((2, None), (2, None)));
        assert_eq!((around(&sent, 141), around(&sent, 160)), ((2, Some(3)), (3, None)));
        assert!(sent.around(ServerTime(49)).is_none());
    }

    #[test]
    fn what_a_busy_client_skips_was_lost_and_what_a_pausing_one_skips_came_together() {
        let busy = |skips: u32, drawn: &[i32]| {
            let mut sent = Sent::new(40);
            for n in 1..=20u32 {
                sent.push(n, FrameNum(n), ServerTime(n as i32 * 50), 0);
                // Drawn 20 ms behind, eight milliseconds to a packet: message n comes between n * 50 - 20 and n * 50 - 12.
                if n < skips {
                    acknowledge(&mut sent, n, &[n as i32 * 50 - 20]);
                }
            }
            acknowledge(&mut sent, skips + 1, drawn);
            sent
        };
        let (skipped, named) = (12, 13);
        assert_eq!(around(&busy(skipped, &[named * 50 - 20]), 635), (11, Some(13)));
        // One packet for all pictures since: both came in it.
        let drawn: Vec<i32> = (570..=630).step_by(8).collect();
        let paused = busy(skipped, &drawn);
        assert_eq!((around(&paused, 610), around(&paused, 640)), ((12, None), (12, Some(13))));
    }

    #[test]
    fn the_clock_tells_which_picture_was_the_first_with_a_snapshot() {
        let mut sent = Sent::new(40);
        let (mut drawn, mut frames) = (0, 0);
        // Frames of 12 ms, three to a packet, snapshots of 48 ms that come with the first new picture of every fourth frame.
        for n in 1..=20u32 {
            sent.push(n, FrameNum(n), ServerTime(n as i32 * 48), 0);
        }
        for packet in 1..=20 {
            let mut list = Vec::new();
            for _ in 0..3 {
                list.push(drawn);
                let brought = frames % 4 == 2;
                drawn += if brought { if frames % 12 == 2 { 10 } else { 13 } } else { 12 };
                frames += 1;
            }
            // Whatever came with the frames up to the one that sends.
            acknowledge(&mut sent, (packet * 3 + 2) / 4, &list);
        }
        assert_eq!(sent.beat.frame(Millis(48)), Some(Millis(12)));
        let came = |sent: &SentSnapshot| match sent.fate {
            Fate::Came(at) => Some(at.0 - sent.time.0),
            _ => None,
        };
        let lags: Vec<_> = sent.newest_first().filter_map(came).take(8).collect();
        assert!(lags.iter().all(|lag| (lags[0] - lag).abs() <= 14), "{lags:?}");
    }

    #[test]
    fn the_gap_between_what_came_is_longer_by_what_was_lost() {
        let mut sent = sent(5);
        for snapshot in sent.ring.iter_mut().filter(|snapshot| [1, 2, 5].contains(&snapshot.message)) {
            snapshot.fate = Fate::Came(snapshot.time);
        }
        assert_eq!(sent.gap_since(1), Some(Millis(150)));
        assert_eq!(sent.gap_since(2), Some(Millis(150)));
        assert_eq!(sent.gap_since(5), None);
        sent.ring[2].fate = Fate::Came(ServerTime(150));
        assert_eq!(sent.gap_since(2), Some(Millis(100)));
    }

    #[test]
    fn a_message_without_its_snapshot_is_between_nothing() {
        let mut sent = sent(3);
        sent.withdraw(2);
        sent.acknowledge(3, &Pictures::none(false), PERIOD, false);
        assert_eq!(around(&sent, 120), (1, Some(3)));
    }

    #[test]
    fn an_old_acknowledgement_takes_nothing_back() {
        let mut sent = sent(9);
        sent.acknowledge(9, &Pictures::none(false), PERIOD, false);
        acknowledge(&mut sent, 3, &[449]);
        assert_eq!(sent.acknowledged(), 9);
        assert_eq!(around(&sent, 449), (8, Some(9)));
    }
}
