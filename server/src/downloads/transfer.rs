//! One file on its way to one client.
//!
//! ```text
//!        acknowledged            next               end (a block without data)
//! ---------|--------- on its way ---|- - - - - - - - - -|      at most DOWNLOAD_WINDOW blocks on their way
//! ```
//!
//! A client takes blocks in order only and forgets the others, so whatever is lost makes everything after it lost too, and
//! sending goes on from there. That a block is lost shows at once: the client acknowledges the message that carried it, or a later
//! one, and not the block; messages that overtake others are dropped by the channel. When all is silent for a second the window
//! is sent again. Source: `SV_WriteDownloadToClient`, `CL_ParseDownload`; the quick answer to losses is ours.

use fogline_common::ids::Sequence;
use fogline_common::proto::limits::{DOWNLOAD_BLOCK_BYTES, DOWNLOAD_WINDOW};
use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::messages::write_download_block;
use std::sync::Arc;

/// Silence after which the window is sent again.
const AGAIN_AFTER: Millis = Millis(1000);
/// Quick answers to losses in a row.
const MAX_QUICK: u32 = 4;
/// A client that acknowledges nothing for so long is not worth the line any more.
const GIVE_UP_AFTER: Millis = Millis(60_000);

/// A file on its way.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// As the client asked for it.
    name: String,
    file: Arc<[u8]>,
    /// Blocks that the client has.
    acknowledged: usize,
    /// The block to be sent next.
    next: usize,
    /// The message that carried a block last, by block number modulo the window.
    carried_by: [Sequence; DOWNLOAD_WINDOW],
    /// Blocks sent more than once.
    again: u64,
    /// Quick answers to losses since the last block came: one whose every try is lost, or who only says so, is served by the second.
    quick: u32,
    last_sent: Arrival,
    last_progress: Arrival,
}

/// What an acknowledgement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The file goes on.
    Going,
    /// The client has all of it.
    Complete,
    /// The block is not the one that is due: no client in its right mind says so.
    Broken,
}

impl Transfer {
    /// A file of which nothing has been sent.
    pub fn new(name: &str, file: Arc<[u8]>, now: Arrival) -> Self {
        Self {
            name: name.to_owned(),
            file,
            acknowledged: 0,
            next: 0,
            carried_by: [Sequence(0); DOWNLOAD_WINDOW],
            again: 0,
            quick: 0,
            last_sent: now,
            last_progress: now,
        }
    }

    /// As the client asked for it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size of the file.
    pub fn file_bytes(&self) -> usize {
        self.file.len()
    }

    /// Blocks of the file, the empty one at its end included.
    fn block_count(&self) -> usize {
        self.file.len().div_ceil(DOWNLOAD_BLOCK_BYTES) + 1
    }

    /// When there is a block to send: at once, or when the silence has lasted too long.
    pub fn due(&self) -> Arrival {
        let room = self.next < self.block_count().min(self.acknowledged + DOWNLOAD_WINDOW);
        if room { Arrival(0) } else { self.last_sent.after(AGAIN_AFTER) }
    }

    /// Whether the client has been of no help for too long.
    pub fn is_stalled(&self, now: Arrival) -> bool {
        now.since(self.last_progress) > GIVE_UP_AFTER
    }

    /// Blocks that were sent more than once.
    pub fn sent_again(&self) -> u64 {
        self.again
    }

    /// Writes the block that is due into the message with this number.
    ///
    /// # Panics
    /// In debug builds if none is due.
    pub fn write(&mut self, writer: &mut BitWriter, message: Sequence, now: Arrival) {
        debug_assert!(self.due() <= now, "no block is due");
        if self.due() > Arrival(0) {
            self.go_back();
        }
        let block = self.next;
        let start = block * DOWNLOAD_BLOCK_BYTES;
        let data = self.file.get(start..).unwrap_or_default();
        let data = &data[..data.len().min(DOWNLOAD_BLOCK_BYTES)];
        // Offers are bounded far below 2 GiB, see `offer`.
        let file_bytes = (block == 0).then(|| i32::try_from(self.file.len()).unwrap_or(i32::MAX));
        write_download_block(writer, block as u16, file_bytes, data);
        self.carried_by[block % DOWNLOAD_WINDOW] = message;
        self.next += 1;
        self.last_sent = now;
    }

    /// The client says that it has a block.
    pub fn acknowledge(&mut self, block: usize, now: Arrival) -> Progress {
        // Of those on their way only: what was never sent cannot have come.
        if block != self.acknowledged || block >= self.next {
            return Progress::Broken;
        }
        self.acknowledged += 1;
        self.last_progress = now;
        self.quick = 0;
        if self.acknowledged == self.block_count() { Progress::Complete } else { Progress::Going }
    }

    /// The client has received the message with this number, and has told of every block that it took until then. Goes back to
    /// the block after those, if it is among the lost.
    pub fn heard_of(&mut self, message: Sequence) {
        let waits_for = self.acknowledged;
        let is_lost = waits_for < self.next && self.carried_by[waits_for % DOWNLOAD_WINDOW].0 <= message.0;
        if is_lost && self.quick < MAX_QUICK {
            self.quick += 1;
            self.go_back();
        }
    }

    fn go_back(&mut self) {
        self.again += (self.next - self.acknowledged) as u64;
        self.next = self.acknowledged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::wire::messages::{Download, ServerContext, ServerMessage, ServerOp, write_head};

    struct NoBases;

    impl fogline_common::wire::messages::SnapshotBases for NoBases {
        fn snapshot(&self, _: Sequence) -> Option<fogline_common::wire::messages::SnapshotRef<'_>> {
            None
        }
        fn baseline(&self, _: fogline_common::ids::EntityNum) -> Option<&fogline_common::proto::EntityState> {
            None
        }
    }

    fn transfer(bytes: usize) -> Transfer {
        let file: Vec<u8> = (0..bytes).map(|at| (at * 7) as u8).collect();
        Transfer::new("baseoa/x.pk3", file.into(), Arrival(0))
    }

    fn ms(ms: i32) -> Arrival {
        Arrival(0).after(Millis(ms))
    }

    /// The block that a transfer writes.
    fn block(transfer: &mut Transfer, message: u32, now: Arrival) -> (u16, Option<i32>, Vec<u8>) {
        let mut writer = BitWriter::new();
        write_head(&mut writer, 0);
        transfer.write(&mut writer, Sequence(message), now);
        // The channel's end mark.
        writer.write_byte(8);
        let context =
            ServerContext { sequence: Sequence(message), bases: &NoBases, has_download_begun: false };
        let read = ServerMessage::parse(writer.bytes(), &context, &mut Vec::new()).unwrap();
        match read.ops.into_iter().next() {
            Some(ServerOp::Download(Download::Block { number, file_bytes, data })) => {
                (number, file_bytes, data)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_goes_out_in_blocks_and_ends_with_an_empty_one() {
        let mut file = transfer(1500);
        let whole = file.file.to_vec();
        assert_eq!(block(&mut file, 1, ms(0)), (0, Some(1500), whole[..1024].to_vec()));
        assert_eq!(block(&mut file, 2, ms(0)), (1, None, whole[1024..].to_vec()));
        assert_eq!(block(&mut file, 3, ms(0)), (2, None, Vec::new()));
        assert_eq!(file.due(), ms(1000), "all is on its way");
        for (number, progress) in [(0, Progress::Going), (1, Progress::Going), (2, Progress::Complete)] {
            assert_eq!(file.acknowledge(number, ms(50)), progress);
        }
    }

    #[test]
    fn a_file_of_whole_blocks_has_an_empty_one_too() {
        let mut file = transfer(2048);
        let sizes: Vec<usize> = (0..3).map(|number| block(&mut file, number, ms(0)).2.len()).collect();
        assert_eq!(sizes, [1024, 1024, 0]);
    }

    #[test]
    fn no_more_than_the_window_is_on_its_way() {
        let mut file = transfer(100 * 1024);
        for number in 0..DOWNLOAD_WINDOW {
            assert_eq!(file.due(), Arrival(0));
            block(&mut file, number as u32, ms(0));
        }
        assert_eq!(file.due(), ms(1000));
        file.acknowledge(0, ms(10));
        assert_eq!(file.due(), Arrival(0));
    }

    #[test]
    fn a_lost_block_is_sent_again_as_soon_as_a_later_message_is_heard_of() {
        let mut file = transfer(10 * 1024);
        for message in 10..14 {
            block(&mut file, message, ms(0));
        }
        // Message 11 was lost; 12 and 13 came, and their blocks were forgotten.
        file.acknowledge(0, ms(50));
        file.heard_of(Sequence(10));
        assert_eq!(file.next, 4, "nothing later was heard of");
        file.heard_of(Sequence(12));
        assert_eq!(block(&mut file, 14, ms(60)).0, 1);
        file.heard_of(Sequence(13));
        assert_eq!(file.next, 2, "the new copy may still come");
        assert_eq!(file.sent_again(), 3);
        assert_eq!(file.acknowledge(1, ms(90)), Progress::Going);
    }

    #[test]
    fn silence_brings_the_window_again_and_in_the_end_gives_up() {
        let mut file = transfer(1500);
        for message in 1..4 {
            block(&mut file, message, ms(0));
        }
        assert_eq!(block(&mut file, 4, ms(1000)).0, 0);
        assert!(!file.is_stalled(ms(60_000)));
        assert!(file.is_stalled(ms(60_001)));
    }

    #[test]
    fn only_the_block_that_is_due_can_be_acknowledged() {
        let mut file = transfer(4096);
        assert_eq!(file.acknowledge(0, ms(0)), Progress::Broken, "nothing was sent");
        block(&mut file, 1, ms(0));
        block(&mut file, 2, ms(0));
        for wrong in [1, 2, usize::MAX] {
            assert_eq!(file.acknowledge(wrong, ms(0)), Progress::Broken, "{wrong}");
        }
        assert_eq!(file.acknowledge(0, ms(0)), Progress::Going);
        assert_eq!(file.acknowledge(0, ms(0)), Progress::Broken, "twice");
    }
}
