//! The journal: everything that a run was fed, so that it can be fed again on the desk.
//!
//! ```text
//! file    "FOGJ" | version u8 | record*
//! record  length u32 | check u32 | body            length and check count the body alone; the first record is the header
//! body    kind u8 | arrival u64 (µs) | content
//!         0 header    seed u64
//!                     count u16, per cvar: name, value
//!                     count u16, per command of the command line: count u16, per word: text
//!                     count u16, per cfg file: path, length u32, bytes
//!         1 datagram  family u8 (4, 6), address 4 or 16 bytes, port u16, datagram
//!         2 line      text
//!         3 resolved  name, count u8, then per address: family, address, port
//!         4 reload
//!         5 advance   digest u64 of every datagram sent so far
//!         6 shutdown  text
//! text    length u16 | bytes
//! ```
//!
//! Numbers are little-endian. Cfg files are in it, maps are not: a replay wants the same game data. A crash leaves a torn tail,
//! which reading takes for the end. There are passwords in it, so the file is for its owner alone.

use fogline_common::time::Arrival;
use siphasher::sip::SipHasher13;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

const MAGIC: &[u8; 5] = b"FOGJ\x01";
/// Longest record body that is written or read.
const MAX_BODY_BYTES: usize = 1 << 24;

/// What a run began with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// When the server was made.
    pub started: Arrival,
    /// Seed of everything random.
    pub seed: u64,
    /// The cvars that differed from their defaults before anything was run.
    pub cvars: Vec<(String, String)>,
    /// The commands of the command line, in words.
    pub commands: Vec<Vec<String>>,
    /// Every cfg file that the run could read: its game path and its bytes.
    pub configs: Vec<(String, Vec<u8>)>,
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
        body.extend(header.started.0.to_le_bytes());
        body.extend(header.seed.to_le_bytes());
        write_list(body, &header.cvars, |body, (name, value)| {
            write_text(body, name);
            write_text(body, value);
        });
        write_list(body, &header.commands, |body, words| {
            write_list(body, words, |body, word| write_text(body, word));
        });
        write_list(body, &header.configs, |body, (path, bytes)| {
            write_text(body, path);
            body.extend((bytes.len() as u32).to_le_bytes());
            body.extend_from_slice(bytes);
        });
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

fn write_list<T>(body: &mut Vec<u8>, list: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    let list = &list[..list.len().min(usize::from(u16::MAX))];
    body.extend((list.len() as u16).to_le_bytes());
    list.iter().for_each(|item| write(body, item));
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

    /// A count and so many items.
    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.short()?;
        (0..count).map(|_| item(self)).collect()
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
    if fields.byte()? != 0 {
        return None;
    }
    let started = Arrival(fields.long()?);
    let seed = fields.long()?;
    let cvars = fields.list(|fields| Some((fields.text()?, fields.text()?)))?;
    let commands = fields.list(|fields| fields.list(Fields::text))?;
    let configs = fields.list(|fields| {
        let path = fields.text()?;
        let length = u32::from_le_bytes(fields.array()?);
        Some((path, fields.bytes(length as usize)?.to_vec()))
    })?;
    fields.0.is_empty().then_some(Header { started, seed, cvars, commands, configs })
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
        Header {
            started: Arrival(3),
            seed: 7,
            cvars: vec![("sv_fps".to_owned(), "40".to_owned())],
            commands: vec![vec!["exec".to_owned(), "server.cfg".to_owned()], vec![]],
            configs: vec![("server.cfg".to_owned(), b"map oa_dm1\n".to_vec())],
        }
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
