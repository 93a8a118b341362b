//! Which snapshots reached a client, and which of its pictures was the first with each: what it can have drawn between.
//!
//! In: every snapshot that is sent, and what the client's packets say: the newest message that has come, and the pictures drawn
//! since the packet before. Of the messages that a packet skips some were lost and some came in one burst with the newest, and of
//! what is new nobody says with which picture it came. [`Courses`] finds the likeliest course of events: by what the packet before
//! had, by how long this line's snapshots take and how many are lost ([`Delays`]), and by the client's own clock ([`Beat`]). What the
//! next packet tells of the last pictures of this one is taken into account when it comes.

use super::arrivals::{Arrival, Courses, Delays, MOST_MESSAGES, MOST_SLOTS, Slot};
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
    arrival: Arrival,
}

/// The latest snapshots sent to one client.
#[derive(Debug)]
pub struct Sent {
    /// Shape: ring by order of sending.
    ring: Box<[SentSnapshot]>,
    count: usize,
    /// Newest message acknowledged.
    acknowledged: u32,
    delays: Delays,
    beat: Beat,
    /// The newest picture known, and when it was on the client's even clock: that which nothing moves. Unit: ms.
    last_drawn: Option<ServerTime>,
    even_ms: i32,
    /// What the latest packet told; the next tells more of its last pictures.
    open: Open,
}

/// A packet, of whose pictures the last are not wholly known.
#[derive(Debug, Default)]
struct Open {
    /// It was the first to acknowledge or skip the messages after the first, up to the second.
    since: u32,
    named: u32,
    slots: Vec<Slot>,
}

impl Open {
    /// One more picture; what does not fit is left out.
    fn push(&mut self, slot: Slot) {
        if self.slots.len() < MOST_SLOTS {
            self.slots.push(slot);
        }
    }
}

impl Sent {
    /// Room for `capacity` snapshots.
    pub fn new(capacity: usize) -> Self {
        Self {
            ring: vec![SentSnapshot::default(); capacity.max(2)].into(),
            count: 0,
            acknowledged: 0,
            delays: Delays::default(),
            beat: Beat::default(),
            last_drawn: None,
            even_ms: 0,
            open: Open::default(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.ring.len());
    }

    /// A snapshot went out.
    pub fn push(&mut self, message: u32, frame: FrameNum, time: ServerTime, players: u64) {
        let slot = self.count % self.ring.len();
        self.ring[slot] = SentSnapshot { message, frame, time, players, arrival: Arrival::LOST };
        self.count += 1;
    }

    /// A message turned out not to carry its snapshot.
    pub fn withdraw(&mut self, message: u32) {
        if let Some(sent) = self.ring.iter_mut().find(|sent| sent.message == message) {
            sent.message = 0;
        }
    }

    /// A packet came that acknowledges `message` and tells of these pictures. `period`: time from one snapshot to the next; `missing`:
    /// packets before it that had not come.
    pub fn acknowledge(&mut self, message: u32, pictures: &Pictures, period: Millis, missing: u32) {
        self.delays.learn_packet(missing);
        let frame = self.beat.frame(period);
        if !pictures.drawn().is_empty() {
            self.close(pictures, frame);
            self.listen(pictures, frame);
        }
        if message <= self.acknowledged || self.newest_through(message).is_none() {
            self.open.since = self.open.named;
            return;
        }
        (self.open.since, self.open.named) = (self.acknowledged, message);
        self.acknowledged = message;
        let (places, times) = self.told_of();
        self.settle(&places, &times);
    }

    /// What the packet before left open, by the first pictures of this one.
    fn close(&mut self, pictures: &Pictures, frame: Option<Millis>) {
        let trusted = frame.filter(|_| self.delays.trusts_clock());
        if let (Some(last), [first, more @ ..], true) = (self.last_drawn, pictures.drawn(), pictures.follows)
            && let Some((after, before)) = self.open.slots.split_last_mut()
        {
            (after.at, after.until_ms) = (*first, self.even_ms + even_step(trusted, *first - last));
            if let Some(&second) = more.first() {
                after.brought = Beat::brought(frame, second - *first);
            }
            if let Some(before) = before.last_mut() {
                before.brought = Beat::brought(frame, *first - last);
            }
        }
        let (places, times) = self.told_of();
        self.settle(&places, &times);
        self.delays.learn_from(times.as_slice(), &self.open.slots);
        self.open.slots.clear();
    }

    /// Takes the pictures of a packet: where new snapshots may have come, in order. Nothing new came with the first picture of a
    /// packet that follows, since the packet before was sent after that and would have said so.
    fn listen(&mut self, pictures: &Pictures, frame: Option<Millis>) {
        let mut last = self.last_drawn;
        let drawn = pictures.drawn();
        let trusted = frame.filter(|_| self.delays.trusts_clock());
        for (n, &at) in drawn.iter().enumerate() {
            let after_ms = self.even_ms;
            if let Some(last) = last {
                let step = at - last;
                if n > 0 || pictures.follows {
                    self.beat.push(step);
                }
                self.even_ms += even_step(trusted, step);
            } else {
                self.even_ms = at.0;
            }
            last = Some(at);
            if n > 0 || !pictures.follows {
                let brought =
                    drawn.get(n + 1).map_or(Brought::Unknown, |&next| Beat::brought(frame, next - at));
                self.open.push(Slot { at, after_ms, until_ms: self.even_ms, brought });
            }
        }
        self.last_drawn = last;
        if let Some(after) = pictures.after() {
            let until_ms = self.even_ms + self.beat.mean().0;
            let slot = Slot { at: after, after_ms: self.even_ms, until_ms, brought: Brought::Unknown };
            self.open.push(slot);
        }
    }

    /// Snapshots that the open packet was the first to acknowledge or to skip, oldest first: where they are, and their moments.
    fn told_of(&mut self) -> (Few<usize>, Few<ServerTime>) {
        let Open { since, named, .. } = self.open;
        let (len, count) = (self.ring.len(), self.count);
        let (mut places, mut times) = (Few::default(), Few::default());
        for back in (1..=len.min(count)).rev() {
            let place = (count - back) % len;
            let sent = &self.ring[place];
            if sent.message > since && sent.message <= named {
                places.push(place);
                times.push(sent.time);
            }
        }
        (places, times)
    }

    /// Decides when they came.
    fn settle(&mut self, places: &Few<usize>, times: &Few<ServerTime>) {
        if self.open.slots.is_empty() {
            // Without pictures everything was there from the start.
            for &place in places.as_slice() {
                self.ring[place].arrival = Arrival::AT_ONCE;
            }
        } else if places.count > 0 {
            let courses = Courses::weigh(&self.delays, times.as_slice(), &self.open.slots);
            for (&place, arrival) in places.as_slice().iter().zip(courses.arrivals()) {
                self.ring[place].arrival = arrival;
            }
        }
    }

    /// The longest time from one snapshot that came to the next, of those that end after message `since`. `None` if none came
    /// after it, or nothing is known of what came before.
    pub fn gap_since(&self, since: u32) -> Option<Millis> {
        let (mut longest, mut later) = (None, None::<ServerTime>);
        for sent in self.newest_first().filter(|sent| sent.arrival.is_here()) {
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
        self.between(at, |arrival| arrival.came)
    }

    /// Whether no other two are possible.
    pub fn is_sure(&self, at: ServerTime) -> bool {
        let numbers = |when: fn(&Arrival) -> ServerTime| {
            self.between(at, when).map(|(from, to)| (from.message, to.map(|to| to.message)))
        };
        numbers(|arrival| arrival.earliest) == numbers(|arrival| arrival.latest)
    }

    fn between(
        &self,
        at: ServerTime,
        when: fn(&Arrival) -> ServerTime,
    ) -> Option<(&SentSnapshot, Option<&SentSnapshot>)> {
        let mut next = None;
        let had = |sent: &&SentSnapshot| when(&sent.arrival) <= at;
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
        size_of_val(&*self.ring) + self.open.slots.capacity() * size_of::<Slot>()
    }
}

/// At most [`MOST_MESSAGES`], the newest.
#[derive(Debug, Default)]
struct Few<T> {
    all: [T; MOST_MESSAGES],
    count: usize,
}

impl<T: Copy> Few<T> {
    fn push(&mut self, one: T) {
        if self.count == MOST_MESSAGES {
            self.all.copy_within(1.., 0);
            self.count -= 1;
        }
        self.all[self.count] = one;
        self.count += 1;
    }

    fn as_slice(&self) -> &[T] {
        &self.all[..self.count]
    }
}

/// How far a step from picture to picture takes the clock that nothing moves. Unit: ms.
fn even_step(frame: Option<Millis>, step: Millis) -> i32 {
    match (frame, Beat::brought(frame, step)) {
        (Some(frame), Brought::New) => frame.0,
        _ => step.0,
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
        sent.acknowledge(message, &pictures(drawn), PERIOD, 0);
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
        assert_eq!((around(&sent, 80), around(&sent, 140)), ((1, None), (2, None)));
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
        let came = |sent: &SentSnapshot| sent.arrival.is_here().then(|| (sent.arrival.came - sent.time).0);
        let lags: Vec<_> = sent.newest_first().filter_map(came).take(8).collect();
        assert!(lags.iter().all(|lag| (lags[0] - lag).abs() <= 14), "{lags:?}");
    }

    #[test]
    fn the_gap_between_what_came_is_longer_by_what_was_lost() {
        let mut sent = sent(5);
        for snapshot in sent.ring.iter_mut().filter(|snapshot| [1, 2, 5].contains(&snapshot.message)) {
            snapshot.arrival.came = snapshot.time;
        }
        assert_eq!(sent.gap_since(1), Some(Millis(150)));
        assert_eq!(sent.gap_since(2), Some(Millis(150)));
        assert_eq!(sent.gap_since(5), None);
        sent.ring[2].arrival.came = ServerTime(150);
        assert_eq!(sent.gap_since(2), Some(Millis(100)));
    }

    #[test]
    fn a_message_without_its_snapshot_is_between_nothing() {
        let mut sent = sent(3);
        sent.withdraw(2);
        sent.acknowledge(3, &Pictures::none(false), PERIOD, 0);
        assert_eq!(around(&sent, 120), (1, Some(3)));
    }

    #[test]
    fn an_old_acknowledgement_takes_nothing_back() {
        let mut sent = sent(9);
        sent.acknowledge(9, &Pictures::none(false), PERIOD, 0);
        acknowledge(&mut sent, 3, &[449]);
        assert_eq!(sent.acknowledged(), 9);
        assert_eq!(around(&sent, 449), (8, Some(9)));
    }
}
