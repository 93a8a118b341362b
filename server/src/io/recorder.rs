//! Writes a journal from a thread of its own, so that no frame waits for the disk.

use super::journal::{Digest, Entry, Header, write_entry, write_header};
use crossbeam_channel::{Receiver, Sender, bounded};
use fogline_common::time::Arrival;
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// Records that may wait for the disk; one more ends the recording, since a journal with a gap replays nothing.
const MAX_WAITING: usize = 16_384;
/// Where recording stops: some hours of a full server.
pub const MAX_JOURNAL_BYTES: u64 = 2 << 30;
/// How long the end of the program waits for the disk.
const FAREWELL: Duration = Duration::from_secs(1);

/// A journal that is being written.
pub struct Recorder {
    records: Sender<Vec<u8>>,
    done: Receiver<Result<(), String>>,
    ended: Option<String>,
    bytes: u64,
    digest: Digest,
}

impl Recorder {
    /// Starts a journal at `path`, readable for the owner alone.
    ///
    /// # Errors
    /// One sentence for the host.
    pub fn start(path: &Path, header: &Header) -> Result<Self, String> {
        let failed = |error: io::Error| format!("journal {}: {error}", path.display());
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(path)
            .map_err(failed)?;
        let (records, waiting) = bounded::<Vec<u8>>(MAX_WAITING);
        let (result, done) = bounded(1);
        let name = path.display().to_string();
        super::start_thread("journal", move || {
            let written = write_records(BufWriter::new(file), &waiting);
            let _ = result.send(written.map_err(|error| format!("journal {name}: {error}")));
        })
        .map_err(failed)?;
        let mut recorder = Self { records, done, ended: None, bytes: 0, digest: Digest::default() };
        let mut first = Vec::new();
        write_header(&mut first, header);
        recorder.push(first);
        Ok(recorder)
    }

    /// Records one call. After the journal ended, does nothing.
    pub fn record(&mut self, at: Arrival, entry: &Entry) {
        if self.ended.is_none() {
            let mut record = Vec::with_capacity(64);
            write_entry(&mut record, at, entry);
            self.push(record);
        }
    }

    /// Takes a datagram that was sent into the digest.
    pub fn note_sent(&mut self, to: SocketAddr, datagram: &[u8]) {
        self.digest.add(to, datagram);
    }

    /// Records an advance with the digest of all that was sent.
    pub fn record_advance(&mut self, at: Arrival) {
        self.record(at, &Entry::Advance { digest: self.digest.value() });
    }

    /// Why the journal ended before the run did; told once.
    pub fn take_ending(&mut self) -> Option<String> {
        match &mut self.ended {
            Some(reason) if !reason.is_empty() => Some(std::mem::take(reason)),
            _ => None,
        }
    }

    /// Waits until all is written, but not for long. A sentence, if it was not.
    pub fn finish(self) -> Option<String> {
        drop(self.records);
        match self.done.recv_timeout(FAREWELL) {
            Ok(result) => result.err(),
            Err(_) => Some("journal: the disk was too slow for its last records".to_owned()),
        }
    }

    fn push(&mut self, record: Vec<u8>) {
        self.bytes += record.len() as u64;
        self.ended = if self.bytes > MAX_JOURNAL_BYTES {
            Some(format!("journal: ends here, it has {} MiB", MAX_JOURNAL_BYTES >> 20))
        } else if self.records.try_send(record).is_err() {
            let reason = self.done.try_recv().ok().and_then(Result::err);
            Some(reason.unwrap_or_else(|| "journal: ends here, the disk is too slow for it".to_owned()))
        } else {
            None
        };
    }
}

fn write_records(mut out: impl Write, waiting: &Receiver<Vec<u8>>) -> io::Result<()> {
    while let Ok(record) = waiting.recv() {
        out.write_all(&record)?;
        if waiting.is_empty() {
            out.flush()?;
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::super::journal::Reader;
    use super::*;

    #[test]
    fn a_recorded_file_reads_back_and_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("fogline-journal-{}", std::process::id()));
        let header = Header { seed: 5, ..Header::default() };
        let mut recorder = Recorder::start(&path, &header).unwrap();
        let line = Entry::Line("map oa_dm1".to_owned());
        recorder.record(Arrival(5), &line);
        let mut digest = Digest::default();
        let to = SocketAddr::from(([127, 0, 0, 1], 1));
        digest.add(to, b"sent");
        recorder.note_sent(to, b"sent");
        recorder.record_advance(Arrival(9));
        assert_eq!(recorder.finish(), None);
        let (found, mut reader) = Reader::open(&path).unwrap();
        assert_eq!(found, header);
        let mut entries = Vec::new();
        while let Some(entry) = reader.next_entry().unwrap() {
            entries.push(entry);
        }
        let advance = Entry::Advance { digest: digest.value() };
        assert_eq!(entries, [(Arrival(5), line), (Arrival(9), advance)]);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::remove_file(&path).unwrap();
    }
}
