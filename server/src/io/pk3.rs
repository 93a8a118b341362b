//! One pk3 file: a zip whose entries are game files. Damaged ones are refused with the reason, big ones are bounded.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use zip::ZipArchive;

/// Bytes of one game file, unpacked. No map or cfg comes near it.
pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;
/// Bytes at the end of a zip in which its directory must begin: the longest comment, and the records around it.
const TAIL_BYTES: u64 = 65_535 + 22 + 20;
/// Signature of the record that only zips with 64-bit sizes have.
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07";

/// A pk3 file, open, with the names in it.
pub(super) struct Pk3 {
    pub(super) path: PathBuf,
    stamp: Stamp,
    archive: Mutex<ZipArchive<BufReader<File>>>,
    /// Entry by path in lower case. Of two that differ in case only, the later one.
    entries: BTreeMap<String, Entry>,
}

struct Entry {
    path: String,
    index: usize,
}

/// What shows that a file on disk is still the same.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Self> {
        let data = path.metadata()?;
        Ok(Self { bytes: data.len(), modified: data.modified().ok() })
    }
}

impl Pk3 {
    /// Reads the directory of a pk3. Names that would lead out of a folder are left out.
    ///
    /// # Errors
    /// What is wrong with it, as part of a sentence.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let stamp = Stamp::of(path).map_err(|error| error.to_string())?;
        let mut file = File::open(path).map_err(|error| error.to_string())?;
        // A directory with 64-bit counts could ask for any amount of memory; the stock engine knows none either.
        let tail = TAIL_BYTES.min(stamp.bytes);
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(stamp.bytes - tail)).map_err(|error| error.to_string())?;
        file.by_ref().take(tail).read_to_end(&mut end).map_err(|error| error.to_string())?;
        if end.windows(ZIP64_LOCATOR.len()).any(|bytes| bytes == ZIP64_LOCATOR) {
            return Err("it is a 64-bit zip, which no client reads".to_owned());
        }
        let archive = ZipArchive::new(BufReader::new(file)).map_err(|error| error.to_string())?;
        let mut entries = BTreeMap::new();
        for index in 0..archive.len() {
            let Some(Ok(name)) = archive.name_for_index(index) else { continue };
            if crate::files::check_path(&name).is_ok() {
                entries.insert(name.to_ascii_lowercase(), Entry { path: name.into_owned(), index });
            }
        }
        Ok(Self { path: path.to_owned(), stamp, archive: Mutex::new(archive), entries })
    }

    /// Whether the file on disk is still the one that was opened.
    pub(super) fn is_current(&self) -> bool {
        Stamp::of(&self.path).is_ok_and(|stamp| stamp == self.stamp)
    }

    /// Files in it.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has the file. `key` is a path in lower case.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Paths in it: in lower case, and as they were packed.
    pub(super) fn paths(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, entry)| (key.as_str(), entry.path.as_str()))
    }

    /// Unpacks a file, or `None` if it has none of that name. `key` is a path in lower case.
    ///
    /// # Errors
    /// What is wrong with it, as part of a sentence.
    pub(super) fn read(&self, key: &str) -> Option<Result<Vec<u8>, String>> {
        let index = self.entries.get(key)?.index;
        Some(self.unpack(index))
    }

    fn unpack(&self, index: usize) -> Result<Vec<u8>, String> {
        let mut archive = self.archive.lock();
        let mut packed = archive.by_index(index).map_err(|error| error.to_string())?;
        // The size that the directory claims is a hint only.
        let hint = packed.size().min(1 << 20);
        let mut bytes = Vec::with_capacity(usize::try_from(hint).unwrap_or(0));
        packed
            .by_ref()
            .take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(format!("it has more than {} MiB unpacked", MAX_FILE_BYTES >> 20));
        }
        Ok(bytes)
    }
}
