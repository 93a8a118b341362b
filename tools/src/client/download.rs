//! Files that a server has and we lack: fetched one after another, before the map is loaded.
//!
//! As a stock client does it: names and checksums come with the systeminfo, blocks are taken in order only, each is acknowledged
//! by a command, and when all files are here a new gamestate is asked for. Source: `FS_ComparePaks`, `CL_InitDownloads`,
//! `CL_ParseDownload`, `CL_NextDownload`.

use crate::client::events::{DropReason, Event};
use crate::client::text::int;
use crate::client::{Client, ClientState};
use fogline_common::stock_paks::is_stock;
use fogline_common::time::Arrival;
use fogline_common::wire::messages::Download;
use std::collections::VecDeque;
use std::sync::Arc;

/// Largest file that is taken. Unit: bytes.
const MAX_FILE_BYTES: usize = 256 << 20;

/// Files that are fetched, and those that are here.
#[derive(Clone, Debug, Default)]
pub(super) struct Downloads {
    /// Still to be asked for: name, checksum.
    wanted: VecDeque<(String, i32)>,
    current: Option<Current>,
    /// Checksums of files fetched.
    have: Vec<i32>,
}

/// The file that is on its way.
#[derive(Clone, Debug)]
struct Current {
    name: String,
    checksum: i32,
    /// The block that must come next.
    next: usize,
    /// Size that the server told.
    size: usize,
    bytes: Vec<u8>,
}

impl Downloads {
    /// Whether a block of the current file has come.
    pub(super) fn has_begun(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.next > 0)
    }
}

impl Client {
    /// Looks for files that the server names and we lack. Whether there is one: then loading must wait.
    pub(super) fn begin_downloads(&mut self) -> bool {
        let strings = &self.world.configstrings;
        let sums = strings.systeminfo("sv_referencedPaks").split_whitespace().map(int);
        let names = strings.systeminfo("sv_referencedPakNames").split_whitespace();
        let lacks = |(name, sum): &(&str, i32)| {
            !is_stock(name) && !self.config.paks.contains(sum) && !self.downloads.have.contains(sum)
        };
        let wanted = names.zip(sums).filter(lacks).map(|(name, sum)| (format!("{name}.pk3"), sum)).collect();
        self.downloads.wanted = wanted;
        self.downloads.current = None;
        self.ask_for_next()
    }

    /// Asks for the next file. Whether there is one.
    fn ask_for_next(&mut self) -> bool {
        let Some((name, checksum)) = self.downloads.wanted.pop_front() else { return false };
        if let Err(error) = self.outgoing.add(&format!("download {name}")) {
            self.drop(DropReason::Error(error.to_string()));
            return true;
        }
        self.downloads.current = Some(Current { name, checksum, next: 0, size: 0, bytes: Vec::new() });
        self.state = ClientState::Downloading;
        true
    }

    /// A part of a file came, or a refusal.
    pub(super) fn take_download(&mut self, now: Arrival, part: Download) {
        match part {
            Download::Refused { reason } => {
                let reason = String::from_utf8_lossy(&reason).into_owned();
                self.events.push(Event::Print(reason.clone()));
                if self.downloads.current.take().is_some() {
                    self.drop(DropReason::Error(reason));
                }
            }
            Download::Block { number, file_bytes, data } => self.take_block(now, number, file_bytes, &data),
        }
    }

    fn take_block(&mut self, now: Arrival, number: u16, file_bytes: Option<i32>, data: &[u8]) {
        let Some(current) = &mut self.downloads.current else {
            self.counts.blocks_refused += 1;
            // One that is set to fetch nothing may have been made to ask all the same: what it answers then is its owner's affair.
            if self.config.downloads && self.outgoing.add("stopdl").is_err() {
                self.warn("a file that was not asked for".to_owned());
            }
            return;
        };
        // A block out of order is forgotten; the server sends it again.
        if current.next as u16 != number {
            self.counts.blocks_refused += 1;
            return;
        }
        if let Some(bytes) = file_bytes {
            current.size = usize::try_from(bytes).unwrap_or(0);
        }
        if current.size > MAX_FILE_BYTES || current.bytes.len() + data.len() > current.size {
            let what = format!("{} has other {} bytes than the server said", current.name, current.size);
            self.drop(DropReason::Error(what));
            return;
        }
        current.bytes.extend_from_slice(data);
        let acknowledgement = format!("nextdl {}", current.next);
        current.next += 1;
        self.counts.blocks += 1;
        if let Err(error) = self.outgoing.add(&acknowledgement) {
            self.drop(DropReason::Error(error.to_string()));
            return;
        }
        if data.is_empty() {
            self.finish_download(now);
        }
    }

    /// The file is whole. Says so twice, since nothing more may be said of it before the map is loaded.
    fn finish_download(&mut self, now: Arrival) {
        let Some(current) = self.downloads.current.take() else { return };
        if current.bytes.len() != current.size {
            let what =
                format!("{} ended after {} of {} bytes", current.name, current.bytes.len(), current.size);
            self.drop(DropReason::Error(what));
            return;
        }
        self.downloads.have.push(current.checksum);
        self.events.push(Event::Downloaded { name: current.name, bytes: Arc::from(current.bytes) });
        for _ in 0..2 {
            self.send_packet(now);
        }
        if self.ask_for_next() {
            return;
        }
        self.state = ClientState::Connected;
        if let Err(error) = self.outgoing.add("donedl") {
            self.drop(DropReason::Error(error.to_string()));
        }
    }
}
