//! Which snapshots reached a client: what it can have drawn between.
//!
//! In: every snapshot that is sent, and what the client's packets acknowledge. A packet names only the newest message that has
//! come; of those that it skips some were lost and some came in one burst. Nobody can know which, but a client that hardly paused
//! between two packets cannot have received two snapshots in the pause, unless its line is that uneven.

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
    Came,
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
}

impl Sent {
    /// Room for `capacity` snapshots.
    pub fn new(capacity: usize) -> Self {
        Self { ring: vec![SentSnapshot::default(); capacity.max(2)].into(), count: 0, acknowledged: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.ring.fill(SentSnapshot::default());
        (self.count, self.acknowledged) = (0, 0);
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

    /// A packet acknowledges `message`. `pause`: time between this packet and the one before on the client's clock; `jitter`: how
    /// uneven its line is.
    pub fn acknowledge(&mut self, message: u32, pause: Millis, jitter: Millis) {
        if message <= self.acknowledged {
            return;
        }
        let Some(named) = self.newest_through(message).map(|sent| sent.time) else { return };
        let (since, acknowledged) = (self.acknowledged, message);
        for sent in self.ring.iter_mut().filter(|sent| sent.message > since && sent.message <= message) {
            let together = pause + jitter >= named - sent.time;
            sent.fate = if sent.message == message || together { Fate::Came } else { Fate::Lost };
        }
        self.acknowledged = acknowledged;
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

    /// The two between which a client draws `at` that has what came up to `known`: the newest not after it, and the oldest after.
    pub fn around(&self, at: ServerTime, known: u32) -> Option<(&SentSnapshot, Option<&SentSnapshot>)> {
        let mut next = None;
        for sent in self.newest_first().filter(|sent| sent.message <= known && sent.fate == Fate::Came) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(count: u32) -> Sent {
        let mut sent = Sent::new(8);
        for n in 1..=count {
            sent.push(n, FrameNum(n), ServerTime(n as i32 * 50), u64::from(n));
        }
        sent
    }

    fn around(sent: &Sent, at: i32, known: u32) -> (u32, Option<u32>) {
        let (from, to) = sent.around(ServerTime(at), known).unwrap();
        (from.message, to.map(|to| to.message))
    }

    #[test]
    fn a_client_draws_between_what_came_and_holds_the_newest() {
        let mut sent = sent(4);
        for message in 1..=3 {
            sent.acknowledge(message, Millis(50), Millis(0));
        }
        assert_eq!(around(&sent, 110, 3), (2, Some(3)));
        assert_eq!(around(&sent, 100, 3), (2, Some(3)));
        assert_eq!(around(&sent, 149, 2), (2, None));
        assert_eq!(around(&sent, 190, 4), (3, None));
        assert!(sent.around(ServerTime(49), 3).is_none());
    }

    #[test]
    fn what_a_busy_client_skips_was_lost_and_what_a_pausing_one_skips_came_together() {
        let mut busy = sent(4);
        busy.acknowledge(2, Millis(8), Millis(0));
        busy.acknowledge(4, Millis(8), Millis(10));
        assert_eq!(around(&busy, 120, 4), (2, Some(4)));
        let mut pausing = sent(4);
        pausing.acknowledge(2, Millis(8), Millis(0));
        pausing.acknowledge(4, Millis(100), Millis(0));
        assert_eq!(around(&pausing, 120, 4), (2, Some(3)));
    }

    #[test]
    fn a_message_without_its_snapshot_is_between_nothing() {
        let mut sent = sent(3);
        sent.withdraw(2);
        sent.acknowledge(3, Millis(500), Millis(0));
        assert_eq!(around(&sent, 120, 3), (1, Some(3)));
    }

    #[test]
    fn an_old_acknowledgement_takes_nothing_back() {
        let mut sent = sent(9);
        sent.acknowledge(9, Millis(500), Millis(0));
        sent.acknowledge(3, Millis(0), Millis(0));
        assert_eq!(sent.acknowledged(), 9);
        assert_eq!(around(&sent, 449, 9), (8, Some(9)));
    }
}
