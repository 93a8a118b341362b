//! What the server may read and write, as a trait: the rim provides the disk, the simulator provides memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The search path (home, base, game folder, pk3 files) seen as one tree, and the one place that may be written.
pub trait Files {
    /// The file at a game path such as `maps/oa_dm1.bsp`, from the first place that has it. Compared without regard to case.
    ///
    /// # Errors
    /// [`FileError`] says whether it is absent or damaged, and where.
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError>;

    /// Game paths below `folder` that end with `suffix`, each once, sorted. Example: `list("maps", ".bsp")`.
    fn list(&self, folder: &str, suffix: &str) -> Vec<String>;

    /// Replaces a file below the home path's game folder, whole or not at all.
    ///
    /// # Errors
    /// If the path would leave the home path or the disk refuses.
    fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), FileError>;

    /// The place that [`Files::read`] takes this path from, for the host to read.
    fn place(&self, path: &str) -> Option<String>;

    /// The places that are looked at, highest first, for the host to read.
    fn places(&self) -> Vec<String>;

    /// The pk3 file that [`Files::read`] takes this path from, as clients name it: game folder, slash, file name without ending.
    fn pak_of(&self, _path: &str) -> Option<String> {
        None
    }

    /// Every pk3 file, highest first, as clients name them.
    fn paks(&self) -> Vec<String> {
        Vec::new()
    }

    /// What clients compare of a pk3 file.
    ///
    /// # Errors
    /// If there is none of that name, or it is damaged.
    fn pak(&self, name: &str) -> Result<Pak, FileError> {
        Err(FileError::NotFound { path: name.to_owned(), searched: self.places() })
    }

    /// The bytes of a whole pk3 file.
    ///
    /// # Errors
    /// As [`Files::pak`], or if it is larger than a game file may be.
    fn read_pak(&self, name: &str) -> Result<Arc<[u8]>, FileError> {
        Err(FileError::NotFound { path: name.to_owned(), searched: self.places() })
    }

    /// Looks again for pk3 files that came or went, before a map starts. Sentences about those that cannot be read.
    fn rescan(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// A pk3 file as clients know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pak {
    /// Game folder, slash, file name without ending.
    pub name: String,
    /// Of the checksums of its files, in the order of its directory. Source: `FS_LoadZipFile`.
    pub checksum: i32,
    /// Size of the whole file. Unit: bytes.
    pub bytes: u64,
}

/// Why a file could not be had. Displays as one sentence for the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// No place of the search path has it.
    NotFound {
        /// The game path asked for.
        path: String,
        /// The places looked at, in order.
        searched: Vec<String>,
    },
    /// It is there and cannot be read.
    Damaged {
        /// The file on disk (and the entry in it, for a pk3).
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It may not be written.
    Refused {
        /// The game path asked for.
        path: String,
        /// Why not.
        reason: String,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { path, searched } => {
                write!(f, "{path} was not found; looked in {}", searched.join(", "))
            }
            Self::Damaged { place, reason } => write!(f, "{place} cannot be read: {reason}"),
            Self::Refused { path, reason } => write!(f, "{path} was not written: {reason}"),
        }
    }
}

impl std::error::Error for FileError {}

/// Files that exist in memory only: for simulation and tests.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    /// By path in lower case; the second is the path as it was given.
    files: BTreeMap<String, (String, Arc<[u8]>)>,
    paks: Vec<MemoryPak>,
}

/// A pk3 file in memory, and the keys of the files that come from it.
#[derive(Clone, Debug)]
struct MemoryPak {
    pak: Pak,
    bytes: Arc<[u8]>,
    holds: Vec<String>,
}

impl MemoryFiles {
    /// Adds or replaces a file.
    pub fn insert(&mut self, path: &str, bytes: impl Into<Arc<[u8]>>) {
        self.files.insert(path.to_ascii_lowercase(), (path.to_owned(), bytes.into()));
    }

    /// Adds a pk3 file with a checksum of one's choice, and the files that come from it.
    pub fn insert_pak(
        &mut self,
        name: &str,
        checksum: i32,
        bytes: impl Into<Arc<[u8]>>,
        holds: &[(&str, &[u8])],
    ) {
        let bytes = bytes.into();
        let pak = Pak { name: name.to_owned(), checksum, bytes: bytes.len() as u64 };
        for (path, file) in holds {
            self.insert(path, *file);
        }
        let holds = holds.iter().map(|(path, _)| path.to_ascii_lowercase()).collect();
        self.paks.push(MemoryPak { pak, bytes, holds });
    }

    fn find_pak(&self, name: &str) -> Result<&MemoryPak, FileError> {
        let missing = || FileError::NotFound { path: name.to_owned(), searched: self.places() };
        self.paks.iter().find(|one| one.pak.name == name).ok_or_else(missing)
    }
}

impl<const N: usize> From<[(&str, &str); N]> for MemoryFiles {
    fn from(texts: [(&str, &str); N]) -> Self {
        let mut files = Self::default();
        for (path, text) in texts {
            files.insert(path, text.as_bytes());
        }
        files
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        match self.files.get(&path.to_ascii_lowercase()) {
            Some((_, bytes)) => Ok(bytes.to_vec()),
            None => Err(FileError::NotFound { path: path.to_owned(), searched: self.places() }),
        }
    }

    fn list(&self, folder: &str, suffix: &str) -> Vec<String> {
        let (folder, suffix) = (folder.to_ascii_lowercase(), suffix.to_ascii_lowercase());
        let below = |path: &str| {
            folder.is_empty() || path.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let found = self.files.iter().filter(|(key, _)| below(key) && key.ends_with(&suffix));
        found.map(|(_, (path, _))| path.clone()).collect()
    }

    fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        check_path(path).map_err(|reason| FileError::Refused { path: path.to_owned(), reason })?;
        self.insert(path, bytes);
        Ok(())
    }

    fn place(&self, path: &str) -> Option<String> {
        self.files.contains_key(&path.to_ascii_lowercase()).then(|| "memory".to_owned())
    }

    fn places(&self) -> Vec<String> {
        vec!["memory".to_owned()]
    }

    fn pak_of(&self, path: &str) -> Option<String> {
        let key = path.to_ascii_lowercase();
        self.paks.iter().find(|one| one.holds.contains(&key)).map(|one| one.pak.name.clone())
    }

    fn paks(&self) -> Vec<String> {
        self.paks.iter().map(|one| one.pak.name.clone()).collect()
    }

    fn pak(&self, name: &str) -> Result<Pak, FileError> {
        self.find_pak(name).map(|one| one.pak.clone())
    }

    fn read_pak(&self, name: &str) -> Result<Arc<[u8]>, FileError> {
        self.find_pak(name).map(|one| Arc::clone(&one.bytes))
    }
}

/// Longest game path. Unit: bytes.
const MAX_PATH_BYTES: usize = 255;

/// Whether a game path stays below the folder that it is looked for in, wherever that is.
///
/// # Errors
/// What is wrong with it, as part of a sentence.
pub fn check_path(path: &str) -> Result<(), String> {
    let reason = if path.is_empty() || path.len() > MAX_PATH_BYTES {
        format!("a game path has 1 to {MAX_PATH_BYTES} bytes")
    } else if path.chars().any(|c| c.is_control() || matches!(c, '\\' | ':')) {
        "a game path holds no backslash, colon or control character".to_owned()
    } else if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        "a game path is relative and has no empty, \".\" or \"..\" part".to_owned()
    } else {
        return Ok(());
    };
    Err(reason)
}

/// A sentence saying what is missing and how to get it, if no map can be found but the arena of the program.
pub fn missing_map_data(files: &dyn Files) -> Option<String> {
    let arena = format!("maps/{}.bsp", crate::arena::NAME);
    if files.list("maps", ".bsp").iter().any(|path| *path != arena) {
        return None;
    }
    Some(format!(
        "No map but the built-in {} was found in {}: install game data (Debian: apt install openarena-server) or say where it is, for example \
         +set fs_basepath /usr/lib/openarena-server +set com_basegame baseoa.",
        crate::arena::NAME,
        files.places().join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_searched_without_regard_to_case() {
        let mut files = MemoryFiles::from([("maps/A.bsp", "a"), ("maps/b.aas", "b"), ("mapsx/c.bsp", "c")]);
        assert_eq!(files.read("MAPS/a.BSP").unwrap(), b"a");
        assert_eq!(files.list("maps", ".bsp"), ["maps/A.bsp"]);
        assert_eq!(files.list("", ".bsp").len(), 2);
        files.write("x.cfg", b"1").unwrap();
        assert_eq!(files.place("X.cfg").as_deref(), Some("memory"));
        assert!(matches!(files.read("y"), Err(FileError::NotFound { .. })));
    }

    #[test]
    fn paths_that_leave_their_folder_are_refused() {
        for path in
            ["", "/etc/passwd", "../a", "a/../b", "a//b", "./a", "c:/a", "a\\b", "a\n", &"x".repeat(256)]
        {
            assert!(check_path(path).is_err(), "{path:?}");
        }
        for path in ["a", "maps/oa_dm1.bsp", "a..b/c", "..."] {
            assert!(check_path(path).is_ok(), "{path:?}");
        }
    }

    #[test]
    fn missing_data_is_said_in_one_sentence() {
        for files in [MemoryFiles::default(), MemoryFiles::from([("maps/fogarena1.bsp", "")])] {
            assert!(missing_map_data(&files).is_some_and(|sentence| sentence.contains("openarena-server")));
        }
        assert_eq!(missing_map_data(&MemoryFiles::from([("maps/a.bsp", "")])), None);
    }
}
