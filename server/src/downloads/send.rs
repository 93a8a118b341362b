//! What clients ask for and acknowledge, and when the next block of whom goes out.
//!
//! Blocks are shared out by `sv_dlRate` over all clients together, one each in turn, between the frames: a call sends a bounded
//! number of them after the frame's own work is done. Source: `SV_SendQueuedMessages`, `SV_BeginDownload_f`, `SV_NextDownload_f`.

use super::transfer::{Progress, Transfer};
use crate::clients::Session;
use crate::server::Server;
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::limits::DOWNLOAD_BLOCK_BYTES;
use fogline_common::time::Arrival;
use fogline_common::wire::netchan::Netchan;

/// Blocks that one call sends at most.
const MAX_BLOCKS_A_CALL: usize = 16;
/// Time that is caught up with when a call came late.
const CATCH_UP_US: u64 = 20_000;

/// Whose turn it is, and when.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turns {
    /// The line is free for the next block.
    free_at: Arrival,
    /// The client after the one that was served last.
    next: usize,
}

impl Server {
    /// A client asks for a file. The refusal of one goes out with its next message.
    pub(crate) fn begin_download(&mut self, num: ClientNum, asked: &str) {
        let now = self.engine.now;
        let Some(level) = &self.engine.level else { return };
        let found = level.offers.find(asked, self.engine.cvars.config());
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        match found {
            Ok(file) => {
                self.engine.metrics.downloads += 1;
                session.download = Some(Transfer::new(asked, file, now));
            }
            Err(sentence) => {
                session.download = None;
                session.download_refusal = Some(sentence);
            }
        }
    }

    /// A client has a block. One that claims another than the one that is due is sent away, as stock servers do.
    pub(crate) fn acknowledge_block(&mut self, num: ClientNum, block: Option<usize>) {
        let now = self.engine.now;
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        // What was on its way when the transfer ended.
        let Some(transfer) = &mut session.download else { return };
        match block.map_or(Progress::Broken, |block| transfer.acknowledge(block, now)) {
            Progress::Going => {}
            Progress::Complete => {
                self.engine.log.line(format!(
                    "client {num} ({}) has fetched {}: {} bytes, {} blocks sent again",
                    session.name,
                    transfer.name(),
                    transfer.file_bytes(),
                    transfer.sent_again()
                ));
                session.download = None;
                self.engine.metrics.downloads_complete += 1;
            }
            Progress::Broken => self.drop_client(num, "broken download"),
        }
    }

    /// When the next block goes out, if any client fetches something.
    pub(crate) fn block_due(&self) -> Option<Arrival> {
        let due = self.engine.clients.iter().filter_map(Session::block_due).min()?;
        Some(due.max(self.turns.free_at))
    }

    /// Sends the blocks that are due.
    pub(crate) fn send_blocks(&mut self) {
        let now = self.engine.now;
        for _ in 0..MAX_BLOCKS_A_CALL {
            if self.block_due().is_none_or(|due| due > now) {
                return;
            }
            let due = |session: &&Session| session.block_due().is_some_and(|due| due <= now);
            let next = self.turns.next;
            let after = self.engine.clients.iter().filter(due).find(|session| session.num.index() >= next);
            let Some(session) = after.or_else(|| self.engine.clients.iter().find(due)) else { return };
            let num = session.num;
            self.turns.next = num.index() + 1;
            let rate = u64::from(self.engine.cvars.config().sv_dlrate.unsigned_abs()) * 1024;
            let gap = (DOWNLOAD_BLOCK_BYTES as u64 * 1_000_000).checked_div(rate).unwrap_or(0);
            let begin = self.turns.free_at.0.max(now.0.saturating_sub(CATCH_UP_US));
            self.turns.free_at = Arrival(begin + gap);
            self.send_block(num);
        }
    }

    fn send_block(&mut self, num: ClientNum) {
        let now = self.engine.now;
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        let Some(sequence) = session.channel.as_ref().map(Netchan::outgoing) else { return };
        if session.download.as_ref().is_some_and(|transfer| transfer.is_stalled(now)) {
            session.download = None;
            self.drop_client(num, "takes nothing of the file that it asked for");
            return;
        }
        self.writer.clear();
        session.write_commands(&mut self.writer);
        let Some(transfer) = &mut session.download else { return };
        transfer.write(&mut self.writer, sequence, now);
        self.engine.metrics.download_blocks += 1;
        self.send_message(num);
    }
}

impl Session {
    /// When its next block may go out, the line's rate aside.
    fn block_due(&self) -> Option<Arrival> {
        let transfer = self.download.as_ref()?;
        let is_free = self.channel.as_ref().is_some_and(|channel| !channel.has_unsent_fragments());
        is_free.then(|| transfer.due())
    }

    /// Whether it is busy with files: then it neither wants a gamestate nor draws snapshots. After its last block it says so with
    /// a command of its own. Source: `SV_ExecuteClientMessage`.
    pub(crate) fn fetches_files(&self) -> bool {
        self.download.is_some() || self.reliable.client_text.starts_with(b"nextdl")
    }

    /// All commands of a packet have been run: what it has not acknowledged of the blocks that it must have heard of is lost.
    pub(crate) fn note_lost_blocks(&mut self) {
        if let Some(transfer) = &mut self.download {
            transfer.heard_of(Sequence(self.message_acknowledge as u32));
        }
    }
}
