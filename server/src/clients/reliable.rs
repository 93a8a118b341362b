//! Reliable commands in both directions: kept and repeated until acknowledged, executed once and in order.

use fogline_common::proto::limits::{MAX_COMMAND_TEXT, MAX_MESSAGE_BYTES, MAX_RELIABLE_COMMANDS};
use std::collections::VecDeque;

/// Commands that may be sent beyond the newest that the client has run, which is later than receiving them: it keeps as many as we do,
/// and ends the game if one is overwritten before it has run. One less than the ring holds, because the text of the last one
/// acknowledged is the key of what the client sends next.
const WINDOW: usize = MAX_RELIABLE_COMMANDS - 1;
/// Bytes of commands that may be on their way at once: every message repeats them, and must have room for a snapshot.
const WINDOW_BYTES: usize = MAX_MESSAGE_BYTES / 2;
/// Commands that may wait for the window. A full server that changes the map sends some hundreds to each client at once.
const MAX_WAITING: usize = 4096;

const _: () = assert!(WINDOW_BYTES > MAX_COMMAND_TEXT);

/// A server command. It has room for any, so that what a connection takes does not depend on what was said.
#[derive(Clone, Copy, Debug)]
struct Command {
    len: u16,
    bytes: [u8; MAX_COMMAND_TEXT],
}

impl Command {
    const NONE: Self = Self { len: 0, bytes: [0; MAX_COMMAND_TEXT] };

    fn text(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// # Panics
    /// If the text is longer than [`MAX_COMMAND_TEXT`].
    fn set(&mut self, text: &[u8]) {
        self.bytes[..text.len()].copy_from_slice(text);
        self.len = text.len() as u16;
    }
}

/// Reliable commands of one connection.
#[derive(Debug)]
pub struct Reliable {
    /// Server commands by number, newest at `sequence`.
    ring: Box<[Command; MAX_RELIABLE_COMMANDS]>,
    /// Number of the newest server command.
    sequence: i32,
    /// Number of the newest server command that the client has received.
    acknowledged: i32,
    /// Number of the newest server command that the client has run.
    run: i32,
    /// Bytes of the commands on their way.
    bytes: usize,
    /// Commands that have no number yet: the window is full. Stock drops the client here; see `quirks.md#window`.
    waiting: VecDeque<Vec<u8>>,
    /// Number of the newest client command executed.
    pub client_sequence: i32,
    /// Text of that command: the key string of the scramble.
    pub client_text: Vec<u8>,
}

/// The client fell too far behind: [`MAX_WAITING`] commands wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Default for Reliable {
    fn default() -> Self {
        Self {
            ring: Box::new([Command::NONE; MAX_RELIABLE_COMMANDS]),
            sequence: 0,
            acknowledged: 0,
            run: 0,
            bytes: 0,
            waiting: VecDeque::new(),
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
        if self.waiting.is_empty() && self.has_room(text.len()) {
            self.number(text);
        } else if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(text.to_vec());
        } else {
            return Err(Overflow);
        }
        Ok(true)
    }

    fn has_room(&self, bytes: usize) -> bool {
        let ahead = (self.sequence - self.run).max(0).unsigned_abs() as usize;
        ahead < WINDOW && self.bytes + bytes <= WINDOW_BYTES
    }

    /// Gives a command its number: from here on every message carries it until it is acknowledged.
    fn number(&mut self, text: &[u8]) {
        self.sequence += 1;
        self.bytes += text.len();
        self.ring[ring_index(self.sequence)].set(text);
    }

    /// Commands on their way: sent and not yet acknowledged.
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
        if number <= self.acknowledged {
            return;
        }
        self.acknowledged = number;
        self.bytes = self.unacknowledged().map(|(_, text)| text.len()).sum();
        self.let_in();
    }

    /// The client draws what showed command `number`, so it has run it and all before.
    pub fn has_run(&mut self, number: i32) {
        if number > self.run && number <= self.acknowledged {
            self.run = number;
            self.let_in();
        }
    }

    /// Numbers what waits, as far as there is room.
    fn let_in(&mut self) {
        while let Some(text) = self.waiting.front()
            && self.has_room(text.len())
            && let Some(text) = self.waiting.pop_front()
        {
            self.number(&text);
        }
    }

    /// Whether a client could honestly acknowledge `number` now.
    pub fn plausible(&self, number: i32) -> bool {
        let behind = i64::from(self.sequence) - i64::from(number);
        (0..MAX_RELIABLE_COMMANDS as i64).contains(&behind)
    }

    /// Text of a server command by number: the key string of what its client sends back. Empty if never sent.
    pub fn text(&self, number: i32) -> &[u8] {
        self.ring[ring_index(number)].text()
    }

    /// The commands to repeat in every message until acknowledged, oldest first.
    pub fn unacknowledged(&self) -> impl Iterator<Item = (i32, &[u8])> {
        (self.acknowledged + 1..=self.sequence).map(|number| (number, self.text(number)))
    }

    /// What most of the commands that wait are, for the message that explains an overflow.
    pub fn most_frequent(&self) -> String {
        let mut words: Vec<&[u8]> =
            self.waiting.iter().filter_map(|text| text.split(|&b| b == b' ').next()).collect();
        words.sort_unstable();
        let best = words.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
        best.map_or_else(String::new, |run| {
            format!(
                "{} of {} that wait are {:?}",
                run.len(),
                self.waiting.len(),
                String::from_utf8_lossy(run[0])
            )
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
    fn what_the_window_has_no_room_for_waits_and_keeps_its_order() {
        let mut reliable = Reliable::default();
        let texts: Vec<String> = (1..=WINDOW * 4).map(|n| format!("command {n}")).collect();
        for text in &texts {
            assert_eq!(reliable.push(text.as_bytes()), Ok(true));
        }
        assert!(!reliable.plausible(WINDOW as i32 + 1));
        let mut received = Vec::new();
        while received.len() < texts.len() {
            assert!(reliable.outstanding() <= WINDOW);
            let sent: Vec<_> = reliable.unacknowledged().map(|(n, text)| (n, text.to_vec())).collect();
            received.extend(sent.iter().map(|(_, text)| String::from_utf8(text.clone()).unwrap()));
            let newest = sent.last().unwrap().0;
            reliable.acknowledge(newest);
            assert_eq!(reliable.outstanding(), 0, "what was received has not run yet");
            reliable.has_run(newest);
        }
        assert_eq!(received, texts);
    }

    #[test]
    fn the_commands_of_one_message_leave_room_for_a_snapshot() {
        let mut reliable = Reliable::default();
        for _ in 0..40 {
            reliable.push(&[b'x'; MAX_COMMAND_TEXT]).unwrap();
        }
        let bytes: usize = reliable.unacknowledged().map(|(_, text)| text.len()).sum();
        assert!(bytes <= WINDOW_BYTES && bytes + MAX_COMMAND_TEXT > WINDOW_BYTES, "{bytes}");
    }

    #[test]
    fn the_key_of_what_comes_next_is_never_overwritten() {
        let mut reliable = Reliable::default();
        reliable.push(b"key").unwrap();
        reliable.acknowledge(1);
        reliable.has_run(1);
        for _ in 0..500 {
            reliable.push(b"x").unwrap();
        }
        assert_eq!(reliable.text(1), b"key");
        assert!(reliable.plausible(1));
    }

    #[test]
    fn a_client_that_never_acknowledges_is_given_up() {
        let mut reliable = Reliable::default();
        for _ in 0..WINDOW + MAX_WAITING {
            assert_eq!(reliable.push(b"cs 1"), Ok(true));
        }
        assert_eq!(reliable.push(b"cs 1"), Err(Overflow));
        assert!(reliable.most_frequent().contains("4096 of 4096"), "{}", reliable.most_frequent());
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
