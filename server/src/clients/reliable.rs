//! Reliable commands in both directions: kept and repeated until acknowledged, executed once and in order.

use fogline_common::proto::limits::{MAX_COMMAND_TEXT, MAX_RELIABLE_COMMANDS};

/// Reliable commands of one connection.
#[derive(Debug)]
pub struct Reliable {
    /// Server commands by number, newest at `sequence`.
    /// Shape: ring of [`MAX_RELIABLE_COMMANDS`]; a slot's buffer is reused.
    ring: Box<[Vec<u8>; MAX_RELIABLE_COMMANDS]>,
    /// Number of the newest server command.
    sequence: i32,
    /// Number of the newest server command that the client has received.
    acknowledged: i32,
    /// Number of the newest client command executed.
    pub client_sequence: i32,
    /// Text of that command: the key string of the scramble.
    pub client_text: Vec<u8>,
}

/// The client fell too far behind: the window of [`MAX_RELIABLE_COMMANDS`] is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Default for Reliable {
    fn default() -> Self {
        Self {
            ring: Box::new(std::array::from_fn(|_| Vec::new())),
            sequence: 0,
            acknowledged: 0,
            client_sequence: 0,
            client_text: Vec::new(),
        }
    }
}

impl Reliable {
    /// Queues a server command. Text beyond [`MAX_COMMAND_TEXT`] bytes would crash old clients and is refused with `Ok(false)`.
    ///
    /// # Errors
    /// [`Overflow`] if the client has not acknowledged for too long; it must be dropped.
    pub fn push(&mut self, text: &[u8]) -> Result<bool, Overflow> {
        if text.len() > MAX_COMMAND_TEXT {
            return Ok(false);
        }
        if self.outstanding() >= MAX_RELIABLE_COMMANDS {
            return Err(Overflow);
        }
        self.sequence += 1;
        let slot = &mut self.ring[ring_index(self.sequence)];
        slot.clear();
        slot.extend_from_slice(text);
        Ok(true)
    }

    /// Commands not yet acknowledged.
    pub fn outstanding(&self) -> usize {
        (self.sequence - self.acknowledged).max(0).unsigned_abs() as usize
    }

    /// Number of the newest server command.
    pub fn sequence(&self) -> i32 {
        self.sequence
    }

    /// Number of the newest server command that the client has received.
    pub fn acknowledged(&self) -> i32 {
        self.acknowledged
    }

    /// Takes an acknowledgement that is [`plausible`](Self::plausible). An older one than before changes nothing.
    pub fn acknowledge(&mut self, number: i32) {
        assert!(self.plausible(number), "{number} acknowledged, {} sent", self.sequence);
        self.acknowledged = self.acknowledged.max(number);
    }

    /// Whether a client could honestly acknowledge `number` now.
    pub fn plausible(&self, number: i32) -> bool {
        let behind = i64::from(self.sequence) - i64::from(number);
        (0..MAX_RELIABLE_COMMANDS as i64).contains(&behind)
    }

    /// Text of a server command by number: the key string of what its client sends back. Empty if never sent.
    pub fn text(&self, number: i32) -> &[u8] {
        &self.ring[ring_index(number)]
    }

    /// The commands to repeat in every message until acknowledged, oldest first.
    pub fn unacknowledged(&self) -> impl Iterator<Item = (i32, &[u8])> {
        (self.acknowledged + 1..=self.sequence).map(|number| (number, self.text(number)))
    }

    /// Longest outstanding commands, for the message that explains an overflow.
    pub fn most_frequent(&self) -> String {
        let mut words: Vec<&[u8]> =
            self.ring.iter().filter_map(|text| text.split(|&b| b == b' ').next()).collect();
        words.sort_unstable();
        let best = words.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
        best.map_or_else(String::new, |run| {
            format!("{} of the last {} are {:?}", run.len(), self.ring.len(), String::from_utf8_lossy(run[0]))
        })
    }
}

fn ring_index(number: i32) -> usize {
    (number as u32 as usize) & (MAX_RELIABLE_COMMANDS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_repeat_until_acknowledged() {
        let mut reliable = Reliable::default();
        for text in [b"one".as_slice(), b"two", b"three"] {
            assert_eq!(reliable.push(text), Ok(true));
        }
        reliable.acknowledge(1);
        let left: Vec<_> = reliable.unacknowledged().collect();
        assert_eq!(left, [(2, b"two".as_slice()), (3, b"three")]);
        reliable.acknowledge(3);
        assert_eq!(reliable.unacknowledged().count(), 0);
    }

    #[test]
    fn the_window_ends_at_its_limit() {
        let mut reliable = Reliable::default();
        for _ in 0..MAX_RELIABLE_COMMANDS {
            assert_eq!(reliable.push(b"x"), Ok(true));
        }
        assert_eq!(reliable.push(b"x"), Err(Overflow));
        assert!(reliable.most_frequent().contains("64 of the last 64"));
    }

    #[test]
    fn only_commands_that_were_sent_can_be_acknowledged() {
        let mut reliable = Reliable::default();
        reliable.push(b"x").unwrap();
        for (number, possible) in
            [(i32::MIN, false), (-70, false), (0, true), (1, true), (2, false), (i32::MAX, false)]
        {
            assert_eq!(reliable.plausible(number), possible, "{number}");
        }
    }

    #[test]
    fn an_old_acknowledgement_does_not_bring_commands_back() {
        let mut reliable = Reliable::default();
        for _ in 0..3 {
            reliable.push(b"x").unwrap();
        }
        reliable.acknowledge(3);
        reliable.acknowledge(1);
        assert_eq!(reliable.acknowledged(), 3);
    }

    #[test]
    fn overlong_text_is_refused_and_takes_no_number() {
        let mut reliable = Reliable::default();
        assert_eq!(reliable.push(&[b'a'; MAX_COMMAND_TEXT + 1]), Ok(false));
        assert_eq!(reliable.sequence(), 0);
    }
}
