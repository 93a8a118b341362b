//! One pk3 file, on disk or built into the program: a zip whose entries are game files. Damaged ones are refused with the reason,
//! big ones are bounded.

use crate::files::Pak;
use fogline_common::bsp::block_checksum;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use zip::ZipArchive;

/// Bytes of one game file, unpacked. No map or cfg comes near it.
pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;
/// Bytes at the end of a zip in which its directory must begin: the longest comment, and the records around it.
const TAIL_BYTES: u64 = 65_535 + 22 + 20;
/// Signature of the record that only zips with 64-bit sizes have.
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07";

/// Where the bytes of a zip are.
trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// Where a pk3 file is.
pub(super) enum Home {
    /// On disk, and how it looked there when it was opened.
    Disk(PathBuf, Stamp),
    /// In the program itself.
    BuiltIn(&'static [u8]),
}

/// A pk3 file, open, with the names in it.
pub(super) struct Pk3 {
    /// As clients name it: game folder, slash, file name without ending.
    pub(super) name: String,
    pub(super) home: Home,
    archive: Mutex<ZipArchive<Box<dyn Source>>>,
    /// Entry by path in lower case. Of two that differ in case only, the later one.
    entries: BTreeMap<String, Entry>,
}

struct Entry {
    path: String,
    index: usize,
}

/// What shows that a file on disk is still the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
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
    /// Opens a pk3 file on disk. Names in it that would lead out of a folder are left out.
    ///
    /// # Errors
    /// What is wrong with it, as part of a sentence.
    pub(super) fn open(name: &str, path: &Path) -> Result<Self, String> {
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
        Self::index(name, Home::Disk(path.to_owned(), stamp), Box::new(BufReader::new(file)))
    }

    /// Opens a pk3 file that is part of the program.
    ///
    /// # Errors
    /// What is wrong with it, as part of a sentence.
    pub(super) fn built_in(name: &str, bytes: &'static [u8]) -> Result<Self, String> {
        Self::index(name, Home::BuiltIn(bytes), Box::new(Cursor::new(bytes)))
    }

    fn index(name: &str, home: Home, source: Box<dyn Source>) -> Result<Self, String> {
        let archive = ZipArchive::new(source).map_err(|error| error.to_string())?;
        let mut entries = BTreeMap::new();
        for index in 0..archive.len() {
            let Some(Ok(name)) = archive.name_for_index(index) else { continue };
            if crate::files::check_path(&name).is_ok() {
                entries.insert(name.to_ascii_lowercase(), Entry { path: name.into_owned(), index });
            }
        }
        Ok(Self { name: name.to_owned(), home, archive: Mutex::new(archive), entries })
    }

    /// Whether it is the file on disk that lies there now.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        match &self.home {
            Home::Disk(own, stamp) => own == path && Stamp::of(own).is_ok_and(|now| now == *stamp),
            Home::BuiltIn(_) => false,
        }
    }

    /// For the host to read.
    pub(super) fn place(&self) -> String {
        match &self.home {
            Home::Disk(path, _) => path.display().to_string(),
            Home::BuiltIn(_) => format!("{}.pk3 in the program", self.name),
        }
    }

    /// What clients compare: the checksums of the files that are not empty, in the order of the directory, and again one of
    /// those. Source: `FS_LoadZipFile`.
    ///
    /// # Errors
    /// What is wrong with it, as part of a sentence.
    pub(super) fn describe(&self) -> Result<Pak, String> {
        let mut archive = self.archive.lock();
        let mut sums = Vec::new();
        for index in 0..archive.len() {
            let entry = archive.by_index_raw(index).map_err(|error| error.to_string())?;
            if entry.size() > 0 {
                sums.extend(entry.crc32().to_le_bytes());
            }
        }
        let bytes = match &self.home {
            Home::Disk(_, stamp) => stamp.bytes,
            Home::BuiltIn(bytes) => bytes.len() as u64,
        };
        Ok(Pak { name: self.name.clone(), checksum: block_checksum(&sums).cast_signed(), bytes })
    }

    /// All of it, as it is.
    ///
    /// # Errors
    /// What is wrong with it, as part of a sentence.
    pub(super) fn whole(&self) -> Result<Arc<[u8]>, String> {
        match &self.home {
            Home::Disk(path, _) => super::files::read_bounded(path).map(Into::into),
            Home::BuiltIn(bytes) => Ok((*bytes).into()),
        }
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
