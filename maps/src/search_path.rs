//! Where scripts and pictures are looked for: a game's folder with its pk3 files, in the order in which the engine looks.
#![allow(clippy::disallowed_methods, reason = "this module reads the game data for the map tool")]

use fogline_common::stock_paks;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest file that is read; of larger ones the start. Unit: bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Names of game folders that a base path is searched for, as games of the family call theirs.
const GAME_FOLDERS: [&str; 3] = ["baseoa", "baseq3", "base"];
/// Folders of loose files that maps need.
const LOOSE_FOLDERS: [&str; 9] =
    ["env", "gfx", "levelshots", "maps", "models", "music", "scripts", "sound", "textures"];
/// How deep loose files are looked for below the folder.
const MAX_DEPTH: usize = 6;

/// Files of a game by their lower-case path.
#[derive(Default)]
pub struct SearchPath {
    files: BTreeMap<String, Place>,
    archives: Vec<Archive>,
}

struct Archive {
    zip: RefCell<zip::ZipArchive<File>>,
    /// It belongs to the game itself.
    is_stock: bool,
}

enum Place {
    Loose(PathBuf),
    /// Number of the archive and name in it.
    Packed(usize, String),
}

impl SearchPath {
    /// Nothing is found there.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Whether nothing can be found.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The pk3 files of a folder in name order, later ones first, and its loose files before all.
    ///
    /// The folder may be the game's own or the one that holds it.
    ///
    /// # Errors
    /// A sentence, if the folder cannot be read. Archives that cannot be read are passed over, as the engine does.
    pub fn new(base: &Path) -> Result<Self, String> {
        let inner = GAME_FOLDERS.iter().map(|name| base.join(name)).find(|folder| folder.is_dir());
        let folder = inner.as_deref().unwrap_or(base);
        let listing = std::fs::read_dir(folder)
            .map_err(|e| format!("{}: the game's folder cannot be read: {e}", folder.display()))?;
        let mut paths: Vec<PathBuf> = listing
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("pk3")))
            .collect();
        paths.sort();
        let game = folder.file_name().unwrap_or_default().to_string_lossy();
        let mut files = BTreeMap::new();
        let mut archives = Vec::new();
        for path in paths {
            let Ok(file) = File::open(&path) else { continue };
            let Ok(archive) = zip::ZipArchive::new(file) else { continue };
            for name in archive.file_names().flatten() {
                let key = name.replace('\\', "/").to_ascii_lowercase();
                files.insert(key, Place::Packed(archives.len(), name.into_owned()));
            }
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let is_stock = stock_paks::is_stock(&format!("{game}/{stem}"));
            archives.push(Archive { zip: RefCell::new(archive), is_stock });
        }
        for below in LOOSE_FOLDERS {
            add_loose(&folder.join(below), below, &mut files, MAX_DEPTH);
        }
        Ok(Self { files, archives })
    }

    /// The bytes of a file, whatever the case of its name.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.read_start(path, MAX_FILE_BYTES)
    }

    /// At most the first `limit` bytes of a file.
    pub fn read_start(&self, path: &str, limit: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        match self.files.get(&path.to_ascii_lowercase())? {
            Place::Loose(path) => File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?,
            Place::Packed(number, name) => {
                let mut archive = self.archives[*number].zip.borrow_mut();
                archive.by_name(name).ok()?.take(limit).read_to_end(&mut bytes).ok()?
            }
        };
        Some(bytes)
    }

    /// Adds another search path below this one: it is asked for what this one does not have.
    pub fn add_below(&mut self, other: Self) {
        let before = self.archives.len();
        self.archives.extend(other.archives);
        for (key, place) in other.files {
            self.files.entry(key).or_insert(match place {
                Place::Packed(number, name) => Place::Packed(before + number, name),
                loose @ Place::Loose(_) => loose,
            });
        }
    }

    /// Whether a file comes from a pk3 file that everybody has who has the game.
    pub fn is_stock(&self, path: &str) -> bool {
        match self.files.get(&path.to_ascii_lowercase()) {
            Some(Place::Packed(number, _)) => self.archives[*number].is_stock,
            Some(Place::Loose(_)) | None => false,
        }
    }

    /// Names of files in a folder with an ending, sorted.
    pub fn names_below(&self, folder: &str, ending: &str) -> Vec<String> {
        let names = self.files.range(folder.to_owned()..).map(|(name, _)| name);
        names
            .take_while(|name| name.starts_with(folder))
            .filter(|name| name.ends_with(ending))
            .cloned()
            .collect()
    }
}

fn add_loose(folder: &Path, name: &str, files: &mut BTreeMap<String, Place>, depth: usize) {
    let Ok(listing) = std::fs::read_dir(folder) else { return };
    for entry in listing.flatten() {
        let path = entry.path();
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if path.is_dir() {
            if depth > 0 {
                add_loose(&path, &name, files, depth - 1);
            }
        } else {
            files.insert(name.to_ascii_lowercase(), Place::Loose(path));
        }
    }
}
