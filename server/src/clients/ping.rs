//! Round trips, measured between sending a message and receiving its acknowledgement, in real time and not in frames.

use fogline_common::ids::Sequence;
use fogline_common::proto::limits::PACKET_BACKUP;
use fogline_common::time::{Arrival, Millis};

/// Ping of a client that has acknowledged nothing yet. Source: what browsers and scoreboards expect.
pub const UNKNOWN_PING: i32 = 999;

/// The last [`PACKET_BACKUP`] messages and when they were acknowledged.
#[derive(Clone, Debug)]
pub struct PingMeter {
    /// Shape: ring by message number.
    marks: [Mark; PACKET_BACKUP],
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    sequence: Sequence,
    sent: Arrival,
    acknowledged: Option<Arrival>,
}

impl Default for PingMeter {
    fn default() -> Self {
        Self { marks: [Mark::default(); PACKET_BACKUP] }
    }
}

impl PingMeter {
    /// A message went out.
    pub fn sent(&mut self, sequence: Sequence, now: Arrival) {
        self.marks[slot(sequence)] = Mark { sequence, sent: now, acknowledged: None };
    }

    /// A message was acknowledged; only the first time counts, and gives its round trip.
    pub fn acknowledged(&mut self, sequence: Sequence, now: Arrival) -> Option<Millis> {
        let mark = &mut self.marks[slot(sequence)];
        let is_first = mark.sequence == sequence && sequence != Sequence(0) && mark.acknowledged.is_none();
        is_first.then(|| {
            mark.acknowledged = Some(now);
            now.since(mark.sent)
        })
    }

    /// When a message went out, if it is recent enough to be remembered.
    pub fn sent_at(&self, sequence: Sequence) -> Option<Arrival> {
        let mark = &self.marks[slot(sequence)];
        (mark.sequence == sequence && sequence != Sequence(0)).then_some(mark.sent)
    }

    /// Whether every message remembered but the newest few has been acknowledged: a mean to act on.
    pub fn is_measured(&self) -> bool {
        self.marks.iter().filter(|mark| mark.acknowledged.is_some()).count() * 4 >= PACKET_BACKUP * 3
    }

    /// Mean round trip of the messages acknowledged among the last [`PACKET_BACKUP`]. Unit: ms, at most 999.
    pub fn ping(&self) -> i32 {
        let trips = self.marks.iter().filter_map(|mark| Some(mark.acknowledged?.micros_since(mark.sent)));
        let (sum, count) = trips.fold((0, 0), |(sum, count), micros| (sum + micros, count + 1));
        if count == 0 {
            return UNKNOWN_PING;
        }
        i32::try_from(sum / count / 1000).unwrap_or(UNKNOWN_PING).min(UNKNOWN_PING)
    }
}

fn slot(sequence: Sequence) -> usize {
    sequence.0 as usize & (PACKET_BACKUP - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ping_is_the_mean_of_what_came_back() {
        let mut meter = PingMeter::default();
        assert_eq!(meter.ping(), UNKNOWN_PING);
        for n in 1..=4 {
            meter.sent(Sequence(n), Arrival::from_millis(u64::from(n) * 50));
        }
        meter.acknowledged(Sequence(1), Arrival::from_millis(50 + 30));
        meter.acknowledged(Sequence(1), Arrival::from_millis(5000));
        meter.acknowledged(Sequence(3), Arrival::from_millis(150 + 50));
        assert_eq!(meter.ping(), 40);
        assert!(!meter.is_measured());
    }

    #[test]
    fn forgotten_and_invented_messages_count_for_nothing() {
        let mut meter = PingMeter::default();
        meter.sent(Sequence(1), Arrival(0));
        meter.sent(Sequence(33), Arrival(0));
        meter.acknowledged(Sequence(1), Arrival::from_millis(10));
        meter.acknowledged(Sequence(0), Arrival::from_millis(10));
        meter.acknowledged(Sequence(77), Arrival::from_millis(10));
        assert_eq!(meter.ping(), UNKNOWN_PING);
    }
}
