//! The journal: everything that a run was fed, so that it can be fed again on the desk.
//!
//! ```text
//! file    "FOGJ" | version u8 | record*
//! record  length u32 | check u32 | body            length and check count the body alone; the first record is the header
//! body    kind u8 | arrival u64 (µs) | content
//!         0 header    seed u64, secret 2 × u64, count u16, then per cvar: name, value
//!         1 datagram  family u8 (4, 6), address 4 or 16 bytes, port u16, datagram
//!         2 line      text
//!         3 resolved  name, count u8, then per address: family, address, port
//!         4 reload
//!         5 advance   digest u64 of every datagram sent so far
//!         6 shutdown  text
//! text    length u16 | bytes
//! ```
//!
//! Numbers are little-endian. Game data is not in it: a replay wants the same files. A crash leaves a torn tail, which reading
//! takes for the end. The header holds the passwords among the cvars, so the file is for its owner alone.

use crossbeam_channel::{Receiver, Sender, bounded};
use fogline_common::time::Arrival;
use siphasher::sip::SipHasher13;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

const MAGIC: &[u8; 5] = b"FOGJ\x01";
/// Longest record body that is written or read.
const MAX_BODY_BYTES: usize = 1 << 24;
/// Records that may wait for the disk; one more ends the recording, since a journal with a gap replays nothing.
const MAX_WAITING: usize = 16_384;
/// Where recording stops: some hours of a full server.
pub const MAX_JOURNAL_BYTES: u64 = 2 << 30;
/// How long the end of the program waits for the disk.
const FAREWELL: Duration = Duration::from_secs(1);

/// What a run began with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Seed of everything random in the game.
    pub seed: u64,
    /// Key of challenges and tables.
    pub secret: [u64; 2],
    /// The cvars that differ from their defaults, in order.
    pub cvars: Vec<(String, String)>,
}

/// One thing that a run was fed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// `receive`.
    Datagram {
        /// The sender.
        from: SocketAddr,
        /// The datagram.
        bytes: Vec<u8>,
    },
    /// `console_line`.
    Line(String),
    /// `resolved`.
    Resolved {
        /// The name.
        name: String,
        /// Its addresses.
        addresses: Vec<SocketAddr>,
    },
    /// `reload`.
    Reload,
    /// `advance`, and the digest of every datagram sent until after it.
    Advance {
        /// See [`Digest`].
        digest: u64,
    },
    /// `shutdown`.
    Shutdown(String),
}

/// Why a journal could not be read.
#[derive(Debug)]
pub enum JournalError {
    /// The file cannot be read.
    Io(io::Error),
    /// It does not begin as a journal of this version does.
    NotAJournal,
    /// A whole record makes no sense.
    Damaged {
        /// Where the record begins. Unit: bytes.
        offset: u64,
        /// What is wrong.
        reason: &'static str,
    },
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "journal: {error}"),
            Self::NotAJournal => write!(f, "journal: the file is no Fogline journal of version {}", MAGIC[4]),
            Self::Damaged { offset, reason } => write!(f, "journal: record at byte {offset}: {reason}"),
        }
    }
}

impl std::error::Error for JournalError {}

/// Running digest of every datagram that a run sent: where to, how long, what.
#[derive(Clone, Debug)]
pub struct Digest(SipHasher13);

impl Default for Digest {
    fn default() -> Self {
        Self(SipHasher13::new_with_keys(0, 0))
    }
}

impl Digest {
    /// Takes one datagram in.
    pub fn add(&mut self, to: SocketAddr, datagram: &[u8]) {
        use std::hash::{Hash, Hasher};
        to.hash(&mut self.0);
        self.0.write_usize(datagram.len());
        self.0.write(datagram);
    }

    /// The digest until now.
    pub fn value(&self) -> u64 {
        std::hash::Hasher::finish(&self.0)
    }
}

/// Appends the record of `entry` to `out`.
pub fn write_entry(out: &mut Vec<u8>, at: Arrival, entry: &Entry) {
    write_record(out, |body| {
        let kind = match entry {
            Entry::Datagram { .. } => 1,
            Entry::Line(_) => 2,
            Entry::Resolved { .. } => 3,
            Entry::Reload => 4,
            Entry::Advance { .. } => 5,
            Entry::Shutdown(_) => 6,
        };
        body.push(kind);
        body.extend(at.0.to_le_bytes());
        match entry {
            Entry::Datagram { from, bytes } => {
                write_address(body, *from);
                body.extend_from_slice(bytes);
            }
            Entry::Line(text) | Entry::Shutdown(text) => write_text(body, text),
            Entry::Resolved { name, addresses } => {
                write_text(body, name);
                let addresses = &addresses[..addresses.len().min(255)];
                body.push(addresses.len() as u8);
                addresses.iter().for_each(|&address| write_address(body, address));
            }
            Entry::Reload => {}
            Entry::Advance { digest } => body.extend(digest.to_le_bytes()),
        }
    });
}

/// The first bytes of a journal: what it is, and `header`.
pub fn write_header(out: &mut Vec<u8>, header: &Header) {
    out.extend_from_slice(MAGIC);
    write_record(out, |body| {
        body.push(0);
        body.extend(0_u64.to_le_bytes());
        for number in [header.seed, header.secret[0], header.secret[1]] {
            body.extend(number.to_le_bytes());
        }
        let cvars = &header.cvars[..header.cvars.len().min(usize::from(u16::MAX))];
        body.extend((cvars.len() as u16).to_le_bytes());
        for (name, value) in cvars {
            write_text(body, name);
            write_text(body, value);
        }
    });
}

fn write_record(out: &mut Vec<u8>, write_body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0; 8]);
    write_body(out);
    let body = &out[start + 8..];
    assert!(body.len() <= MAX_BODY_BYTES, "a record of {} bytes, {MAX_BODY_BYTES} are allowed", body.len());
    let (length, check) = (body.len() as u32, check_of(body));
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4..start + 8].copy_from_slice(&check.to_le_bytes());
}

fn check_of(body: &[u8]) -> u32 {
    SipHasher13::new_with_keys(0, 0).hash(body) as u32
}

fn write_text(body: &mut Vec<u8>, text: &str) {
    let text = &text.as_bytes()[..text.floor_char_boundary(usize::from(u16::MAX))];
    body.extend((text.len() as u16).to_le_bytes());
    body.extend_from_slice(text);
}

fn write_address(body: &mut Vec<u8>, address: SocketAddr) {
    match address.ip() {
        IpAddr::V4(ip) => {
            body.push(4);
            body.extend(ip.octets());
        }
        IpAddr::V6(ip) => {
            body.push(6);
            body.extend(ip.octets());
        }
    }
    body.extend(address.port().to_le_bytes());
}

/// Reads a journal from its start.
pub struct Reader<R> {
    stream: R,
    offset: u64,
    torn: bool,
    body: Vec<u8>,
}

impl Reader<BufReader<std::fs::File>> {
    /// Opens the journal at `path`.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn open(path: &Path) -> Result<(Header, Self), JournalError> {
        Self::new(BufReader::new(std::fs::File::open(path).map_err(JournalError::Io)?))
    }
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn new(mut stream: R) -> Result<(Header, Self), JournalError> {
        let mut magic = [0; MAGIC.len()];
        let whole = fill(&mut stream, &mut magic).map_err(JournalError::Io)?;
        if !whole || magic != *MAGIC {
            return Err(JournalError::NotAJournal);
        }
        let mut reader = Self { stream, offset: MAGIC.len() as u64, torn: false, body: Vec::new() };
        let offset = reader.offset;
        if !reader.next_body()? {
            return Err(JournalError::NotAJournal);
        }
        let header = parse_header(&mut Fields(&reader.body));
        Ok((header.ok_or(JournalError::Damaged { offset, reason: "is no header" })?, reader))
    }

    /// The next entry; `None` at the end, or where a crash tore it.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn next_entry(&mut self) -> Result<Option<(Arrival, Entry)>, JournalError> {
        let offset = self.offset;
        if !self.next_body()? {
            return Ok(None);
        }
        match parse_entry(&mut Fields(&self.body)) {
            Some(entry) => Ok(Some(entry)),
            None => Err(JournalError::Damaged { offset, reason: "its content does not fit its kind" }),
        }
    }

    /// Whether the end was a torn record.
    pub const fn torn(&self) -> bool {
        self.torn
    }

    /// Reads the next record's body. Whether there was a whole one.
    fn next_body(&mut self) -> Result<bool, JournalError> {
        let mut head = [0; 8];
        let first = self.stream.read(&mut head[..1]).map_err(JournalError::Io)?;
        if first == 0 || self.torn {
            return Ok(false);
        }
        let whole = fill(&mut self.stream, &mut head[1..]).map_err(JournalError::Io)?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let check = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        if !whole || length > MAX_BODY_BYTES {
            self.torn = true;
            return Ok(false);
        }
        self.body.clear();
        let limited = self.stream.by_ref().take(length as u64).read_to_end(&mut self.body);
        let read = limited.map_err(JournalError::Io)?;
        self.torn = read < length || check_of(&self.body) != check;
        self.offset += 8 + length as u64;
        Ok(!self.torn)
    }
}

/// Fills `bytes`; `false` if the stream ends first.
fn fill(stream: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match stream.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn short(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn long(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.short()?;
        String::from_utf8(self.bytes(usize::from(length))?.to_vec()).ok()
    }

    fn address(&mut self) -> Option<SocketAddr> {
        let ip = match self.byte()? {
            4 => IpAddr::V4(Ipv4Addr::from(self.array::<4>()?)),
            6 => IpAddr::V6(Ipv6Addr::from(self.array::<16>()?)),
            _ => return None,
        };
        Some(SocketAddr::new(ip, self.short()?))
    }
}

fn parse_header(fields: &mut Fields<'_>) -> Option<Header> {
    if (fields.byte()?, fields.long()?) != (0, 0) {
        return None;
    }
    let seed = fields.long()?;
    let secret = [fields.long()?, fields.long()?];
    let count = fields.short()?;
    let cvars = (0..count).map(|_| Some((fields.text()?, fields.text()?))).collect::<Option<_>>()?;
    fields.0.is_empty().then_some(Header { seed, secret, cvars })
}

fn parse_entry(fields: &mut Fields<'_>) -> Option<(Arrival, Entry)> {
    let (kind, at) = (fields.byte()?, Arrival(fields.long()?));
    let entry = match kind {
        1 => {
            let from = fields.address()?;
            let rest = fields.0.len();
            Entry::Datagram { from, bytes: fields.bytes(rest)?.to_vec() }
        }
        2 => Entry::Line(fields.text()?),
        3 => {
            let name = fields.text()?;
            let count = fields.byte()?;
            let addresses = (0..count).map(|_| fields.address()).collect::<Option<_>>()?;
            Entry::Resolved { name, addresses }
        }
        4 => Entry::Reload,
        5 => Entry::Advance { digest: fields.long()? },
        6 => Entry::Shutdown(fields.text()?),
        _ => return None,
    };
    fields.0.is_empty().then_some((at, entry))
}

/// Writes a journal from a thread of its own.
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
    use super::*;
    use proptest::prelude::*;

    fn any_address() -> impl Strategy<Value = SocketAddr> {
        prop_oneof![
            any::<([u8; 4], u16)>().prop_map(SocketAddr::from),
            any::<([u8; 16], u16)>().prop_map(SocketAddr::from),
        ]
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        prop_oneof![
            (any_address(), prop::collection::vec(any::<u8>(), 0..200))
                .prop_map(|(from, bytes)| Entry::Datagram { from, bytes }),
            any::<String>().prop_map(Entry::Line),
            (any::<String>(), prop::collection::vec(any_address(), 0..4))
                .prop_map(|(name, addresses)| Entry::Resolved { name, addresses }),
            Just(Entry::Reload),
            any::<u64>().prop_map(|digest| Entry::Advance { digest }),
            any::<String>().prop_map(Entry::Shutdown),
        ]
    }

    fn header() -> Header {
        Header { seed: 7, secret: [8, 9], cvars: vec![("sv_fps".to_owned(), "40".to_owned())] }
    }

    fn read_all(bytes: &[u8]) -> Result<(Vec<(Arrival, Entry)>, bool), JournalError> {
        let (found, mut reader) = Reader::new(bytes)?;
        assert_eq!(found, header());
        let mut entries = Vec::new();
        while let Some(entry) = reader.next_entry()? {
            entries.push(entry);
        }
        Ok((entries, reader.torn()))
    }

    fn three() -> Vec<(Arrival, Entry)> {
        let from = SocketAddr::from(([127, 0, 0, 1], 27961));
        vec![
            (Arrival(5), Entry::Line("map oa_dm1".to_owned())),
            (Arrival(6), Entry::Datagram { from, bytes: vec![1, 2, 3] }),
            (Arrival(50_000), Entry::Advance { digest: 77 }),
        ]
    }

    fn bytes_of(entries: &[(Arrival, Entry)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_header(&mut bytes, &header());
        entries.iter().for_each(|(at, entry)| write_entry(&mut bytes, *at, entry));
        bytes
    }

    #[test]
    fn a_torn_tail_is_the_end_wherever_it_is_torn() {
        let whole = bytes_of(&three());
        let without_last = bytes_of(&three()[..2]).len();
        for length in without_last + 1..whole.len() {
            let (entries, torn) = read_all(&whole[..length]).unwrap();
            assert_eq!((entries.len(), torn), (2, true), "{length} of {} bytes", whole.len());
        }
        assert_eq!(read_all(&whole).unwrap(), (three(), false));
    }

    #[test]
    fn a_flipped_bit_is_not_taken_for_an_input() {
        let mut bytes = bytes_of(&three());
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert_eq!(read_all(&bytes).unwrap(), (three()[..2].to_vec(), true));
    }

    #[test]
    fn another_file_is_refused_with_a_sentence() {
        for bytes in [&b""[..], b"FOGJ", b"IBSP\x2e\0\0\0", b"FOGJ\x02........"] {
            let refusal = Reader::new(bytes).err().expect("refused").to_string();
            assert!(refusal.contains("no Fogline journal"), "{refusal}");
        }
    }

    #[test]
    fn a_recorded_file_reads_back_and_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("fogline-journal-{}", std::process::id()));
        let mut recorder = Recorder::start(&path, &header()).unwrap();
        three()[..2].iter().for_each(|(at, entry)| recorder.record(*at, entry));
        let mut digest = Digest::default();
        let to = SocketAddr::from(([127, 0, 0, 1], 1));
        digest.add(to, b"sent");
        recorder.note_sent(to, b"sent");
        recorder.record_advance(Arrival(9));
        assert_eq!(recorder.finish(), None);
        let (_, mut reader) = Reader::open(&path).unwrap();
        let mut entries = Vec::new();
        while let Some(entry) = reader.next_entry().unwrap() {
            entries.push(entry);
        }
        assert_eq!(entries[..2], three()[..2]);
        assert_eq!(entries[2], (Arrival(9), Entry::Advance { digest: digest.value() }));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::remove_file(&path).unwrap();
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(entries in prop::collection::vec((any::<u64>().prop_map(Arrival), any_entry()), 0..12)) {
            prop_assert_eq!(read_all(&bytes_of(&entries)).unwrap(), (entries, false));
        }

        #[test]
        fn no_bytes_do_harm(tail in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = bytes_of(&[]);
            bytes.extend(tail);
            let _ = read_all(&bytes);
        }
    }
}
