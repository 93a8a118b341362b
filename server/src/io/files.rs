//! Game files on disk: home, base and game folders and their pk3 files seen as one tree, of which the home path is written.
//!
//! Highest first: for the modification and then for the base game, the home path's folder, its pk3 files from the last name
//! to the first, then the same of each read-only place; last of all the arena of the program, if it is wanted. Loose files are
//! looked up when they are asked for, pk3 files are
//! indexed when the search path is opened and again at [`Files::rescan`]. Source: the order that stock servers print.

use super::pk3::{MAX_FILE_BYTES, Pk3};
use crate::arena;
use crate::config::Config;
use crate::files::{FileError, Files, Pak, check_path};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders inside folders that a listing follows: deeper than any game, and a bound for links that lead back.
const MAX_LIST_DEPTH: usize = 8;
/// Loose files that a listing returns of one place.
const MAX_LISTED: usize = 65_536;
/// Where distributions put the game, tried if `fs_basepath` is not given.
const USUAL_BASEPATHS: [&str; 6] = [
    ".",
    "/usr/lib/openarena-server",
    "/usr/lib/openarena",
    "/usr/share/games/openarena",
    "/usr/local/share/openarena",
    "/usr/share/openarena",
];
/// Game folder of the arena if the host has named none.
const USUAL_GAME: &str = "baseoa";
/// Name endings that are never written: code and pk3 files.
const NEVER_WRITTEN: [&str; 6] = [".pk3", ".qvm", ".so", ".dll", ".dylib", ".exe"];

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPath {
    /// The one place that may be written. `None` if the machine names none.
    pub home: Option<PathBuf>,
    /// Places that are only read, highest first.
    pub read_only: Vec<PathBuf>,
    /// Game folders, highest first: the modification, then the base game.
    pub games: Vec<String>,
    /// A sentence, if `fs_basepath` cannot be what the host meant.
    pub wrong_base: Option<String>,
    /// Sentences about other settings that could not be followed.
    pub notes: Vec<String>,
}

impl SearchPath {
    /// From `fs_homepath`, `com_homepath`, `fs_basepath`, `fs_cdpath`, `fs_game` and `com_basegame`, and from the environment
    /// where they are empty.
    pub fn from_config(config: &Config) -> Self {
        Self::from_settings(config, &|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn from_settings(config: &Config, environment: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let user = environment("HOME").map(PathBuf::from);
        let home = if !config.fs_homepath.is_empty() {
            Some(PathBuf::from(&config.fs_homepath))
        } else if !config.com_homepath.is_empty() {
            user.map(|user| user.join(&config.com_homepath))
        } else {
            let data = environment("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
            data.or_else(|| user.map(|user| user.join(".local/share"))).map(|data| data.join("fogline"))
        };
        let mut notes = Vec::new();
        let mut games: Vec<String> = Vec::new();
        for (cvar, game) in [("fs_game", &config.fs_game), ("com_basegame", &config.com_basegame)] {
            if check_path(game).is_ok() && !game.contains('/') && !game.starts_with('.') {
                if !games.iter().any(|known| known.eq_ignore_ascii_case(game)) {
                    games.push(game.clone());
                }
            } else if !game.is_empty() {
                notes.push(format!("{cvar} \"{game}\" was left out: it must be the name of one folder"));
            }
        }
        let mut read_only: Vec<PathBuf> = Vec::new();
        let mut wrong_base = None;
        if config.fs_basepath.is_empty() {
            let holds_game = |path: &&&str| games.iter().any(|game| Path::new(path).join(game).is_dir());
            read_only.extend(USUAL_BASEPATHS.iter().find(holds_game).map(PathBuf::from));
        } else {
            let base = PathBuf::from(&config.fs_basepath);
            wrong_base = wrong_basepath(&base, &games);
            read_only.push(base);
        }
        if !config.fs_cdpath.is_empty() {
            read_only.push(PathBuf::from(&config.fs_cdpath));
        }
        Self { home, read_only, games, wrong_base, notes }
    }

    /// The game folders of every place, highest first, and the game of each.
    fn folders(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        let places = || self.home.iter().chain(&self.read_only);
        self.games.iter().flat_map(move |game| places().map(move |place| (game.as_str(), place.join(game))))
    }
}

/// What a host does who has no game data where it thought.
const WHERE_DATA_ARE: &str =
    "Debian's package openarena-server puts the game's data in /usr/lib/openarena-server";

/// What is wrong with a base path, as the host will understand it; `None` if it holds a game folder.
fn wrong_basepath(base: &Path, games: &[String]) -> Option<String> {
    let shown = base.display();
    if !base.is_dir() {
        return Some(format!("fs_basepath {shown}: there is no such folder; {WHERE_DATA_ARE}"));
    }
    if games.is_empty() || games.iter().any(|game| base.join(game).is_dir()) {
        return None;
    }
    let itself =
        base.file_name().is_some_and(|name| games.iter().any(|game| name.eq_ignore_ascii_case(game)));
    let parent = base.parent().filter(|parent| itself && !parent.as_os_str().is_empty());
    Some(match parent {
        Some(parent) => format!(
            "fs_basepath {shown} is the game folder itself; give the folder that holds it: +set fs_basepath {}",
            parent.display()
        ),
        None => format!(
            "fs_basepath {shown} holds no folder {}, which fs_game and com_basegame name; {WHERE_DATA_ARE}",
            games.join(" or ")
        ),
    })
}

enum Place {
    Folder(PathBuf),
    Pk3(Pk3),
}

/// The disk as [`Files`].
pub struct DiskFiles {
    search: SearchPath,
    places: Vec<Place>,
    /// Damaged pk3 files that were told of already.
    told: BTreeSet<String>,
    /// Makes the names of unfinished files differ.
    written: u64,
    /// The pk3 file below everything else.
    arena: Option<&'static [u8]>,
}

impl DiskFiles {
    /// Opens every pk3 of the search path. The sentences tell of what could not be used; it is left out.
    pub fn open(search: SearchPath) -> (Self, Vec<String>) {
        Self::open_over(None, search)
    }

    /// The same, and below everything else the arena of the program.
    pub fn open_with_arena(search: SearchPath) -> (Self, Vec<String>) {
        Self::open_over(Some(arena::PAK), search)
    }

    fn open_over(arena: Option<&'static [u8]>, search: SearchPath) -> (Self, Vec<String>) {
        let mut notes: Vec<String> = search.notes.iter().chain(&search.wrong_base).cloned().collect();
        let mut files = Self { search, places: Vec::new(), told: BTreeSet::new(), written: 0, arena };
        notes.extend(files.rescan());
        (files, notes)
    }

    /// Where it looks.
    pub fn search_path(&self) -> &SearchPath {
        &self.search
    }

    fn pk3s(&self) -> impl Iterator<Item = &Pk3> {
        self.places.iter().filter_map(|place| if let Place::Pk3(pk3) = place { Some(pk3) } else { None })
    }

    /// The highest of that name, as clients name it.
    fn pk3(&self, name: &str) -> Result<&Pk3, FileError> {
        self.pk3s().find(|pk3| pk3.name == name).ok_or_else(|| self.not_found(&format!("{name}.pk3")))
    }

    fn not_found(&self, path: &str) -> FileError {
        let searched = self.search.folders().map(|(_, folder)| folder.display().to_string()).collect();
        FileError::NotFound { path: path.to_owned(), searched }
    }

    fn write_below_home(&mut self, path: &str, bytes: &[u8]) -> Result<(), String> {
        check_path(path)?;
        let lower = path.to_ascii_lowercase();
        if let Some(ending) = NEVER_WRITTEN.iter().find(|ending| lower.ends_with(*ending)) {
            return Err(format!("{ending} files are never written"));
        }
        let home =
            self.search.home.as_ref().ok_or("there is no home path; give one with +set fs_homepath DIR")?;
        let game = self.search.games.first().ok_or("there is no game folder; see com_basegame")?;
        self.written += 1;
        let unfinished = format!("{}.{}.new", std::process::id(), self.written);
        write_whole(home, &format!("{game}/{path}"), &unfinished, bytes)
            .map_err(|error| format!("{error} ({})", home.join(game).display()))
    }
}

impl Files for DiskFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        if check_path(path).is_err() {
            return Err(self.not_found(path));
        }
        let key = path.to_ascii_lowercase();
        for place in &self.places {
            let (found, name) = match place {
                Place::Folder(folder) => {
                    let Some(file) = loose_file(folder, path) else { continue };
                    (read_bounded(&file), file.display().to_string())
                }
                Place::Pk3(pk3) => {
                    let Some(found) = pk3.read(&key) else { continue };
                    (found, format!("{path} in {}", pk3.place()))
                }
            };
            return found.map_err(|reason| FileError::Damaged { place: name, reason });
        }
        Err(self.not_found(path))
    }

    fn list(&self, folder: &str, suffix: &str) -> Vec<String> {
        if !folder.is_empty() && check_path(folder).is_err() {
            return Vec::new();
        }
        let (below, suffix) = (folder.to_ascii_lowercase(), suffix.to_ascii_lowercase());
        let below = if below.is_empty() { below } else { below + "/" };
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for place in &self.places {
            match place {
                Place::Folder(root) => {
                    let mut listed = Vec::new();
                    if let Some(start) = loose_path(root, folder, Path::is_dir) {
                        list_loose(&start, folder, MAX_LIST_DEPTH, &mut listed);
                    }
                    for path in listed {
                        let key = path.to_ascii_lowercase();
                        if key.ends_with(&suffix) {
                            found.entry(key).or_insert(path);
                        }
                    }
                }
                Place::Pk3(pk3) => {
                    for (key, path) in
                        pk3.paths().filter(|(key, _)| key.starts_with(&below) && key.ends_with(&suffix))
                    {
                        found.entry(key.to_owned()).or_insert_with(|| path.to_owned());
                    }
                }
            }
        }
        found.into_values().collect()
    }

    fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        let done = self.write_below_home(path, bytes);
        done.map_err(|reason| FileError::Refused { path: path.to_owned(), reason })
    }

    fn place(&self, path: &str) -> Option<String> {
        check_path(path).ok()?;
        let key = path.to_ascii_lowercase();
        self.places.iter().find_map(|place| match place {
            Place::Folder(folder) => loose_file(folder, path).map(|file| file.display().to_string()),
            Place::Pk3(pk3) => pk3.has(&key).then(|| pk3.place()),
        })
    }

    fn pak_of(&self, path: &str) -> Option<String> {
        check_path(path).ok()?;
        let key = path.to_ascii_lowercase();
        let found = self.places.iter().find(|place| match place {
            Place::Folder(folder) => loose_file(folder, path).is_some(),
            Place::Pk3(pk3) => pk3.has(&key),
        });
        match found? {
            Place::Folder(_) => None,
            Place::Pk3(pk3) => Some(pk3.name.clone()),
        }
    }

    fn paks(&self) -> Vec<String> {
        self.pk3s().map(|pk3| pk3.name.clone()).collect()
    }

    fn pak(&self, name: &str) -> Result<Pak, FileError> {
        let pk3 = self.pk3(name)?;
        pk3.describe().map_err(|reason| FileError::Damaged { place: pk3.place(), reason })
    }

    fn read_pak(&self, name: &str) -> Result<Arc<[u8]>, FileError> {
        let pk3 = self.pk3(name)?;
        pk3.whole().map_err(|reason| FileError::Damaged { place: pk3.place(), reason })
    }

    fn places(&self) -> Vec<String> {
        let name = |place: &Place| match place {
            Place::Folder(folder) => folder.display().to_string(),
            Place::Pk3(pk3) => format!("{} ({} files)", pk3.place(), pk3.len()),
        };
        self.places.iter().map(name).collect()
    }

    fn rescan(&mut self) -> Vec<String> {
        let mut kept: Vec<Pk3> = Vec::new();
        for place in self.places.drain(..) {
            if let Place::Pk3(pk3) = place {
                kept.push(pk3);
            }
        }
        let mut notes = Vec::new();
        for (game, folder) in self.search.folders() {
            let names = pk3_names(&folder);
            self.places.push(Place::Folder(folder));
            for path in names {
                if let Some(at) = kept.iter().position(|pk3| pk3.is_at(&path)) {
                    self.places.push(Place::Pk3(kept.swap_remove(at)));
                    continue;
                }
                let name = format!("{game}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
                match Pk3::open(&name, &path) {
                    Ok(pk3) => self.places.push(Place::Pk3(pk3)),
                    Err(reason) => {
                        let note = format!("{} was skipped: {reason}", path.display());
                        if self.told.insert(note.clone()) {
                            notes.push(note);
                        }
                    }
                }
            }
        }
        // Clients look for it where the base game is.
        let game = self.search.games.last().map_or(USUAL_GAME, String::as_str);
        match self.arena.map(|bytes| Pk3::built_in(&format!("{game}/{}", arena::NAME), bytes)) {
            Some(Ok(pk3)) => self.places.push(Place::Pk3(pk3)),
            Some(Err(reason)) => notes.push(format!("the arena in the program cannot be used: {reason}")),
            None => {}
        }
        notes
    }
}

/// The pk3 files of a folder, the last name first. Compared as the stock engine does, by letters without regard to case.
fn pk3_names(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_pk3 =
        |path: &PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pk3")) && !path.is_dir();
    let mut names: Vec<(String, PathBuf)> = paths
        .filter(is_pk3)
        .map(|path| (path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase(), path))
        .collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.into_iter().map(|(_, path)| path).collect()
}

fn loose_file(root: &Path, path: &str) -> Option<PathBuf> {
    loose_path(root, path, Path::is_file)
}

/// A game path below a folder, first as it is written, then part by part without regard to case. `path` was checked.
fn loose_path(root: &Path, path: &str, wanted: fn(&Path) -> bool) -> Option<PathBuf> {
    if path.is_empty() {
        return wanted(root).then(|| root.to_owned());
    }
    let exact = root.join(path);
    if wanted(&exact) {
        return Some(exact);
    }
    let mut at = root.to_owned();
    for part in path.split('/') {
        let entries = fs::read_dir(&at).ok()?;
        let same = |name: &OsString| name.to_str().is_some_and(|name| name.eq_ignore_ascii_case(part));
        let names = entries.filter_map(|entry| entry.ok().map(|entry| entry.file_name()));
        // The least of several that differ in case only, so that the answer does not depend on the disk's order.
        at.push(names.filter(same).min()?);
    }
    wanted(&at).then_some(at)
}

fn list_loose(folder: &Path, game_path: &str, depth: usize, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        let path = if game_path.is_empty() { name.to_owned() } else { format!("{game_path}/{name}") };
        let on_disk = entry.path();
        if on_disk.is_dir() {
            if depth > 0 {
                list_loose(&on_disk, &path, depth - 1, found);
            }
        } else if found.len() < MAX_LISTED && check_path(&path).is_ok() {
            found.push(path);
        }
    }
}

pub(super) fn read_bounded(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("it has more than {} MiB", MAX_FILE_BYTES >> 20));
    }
    Ok(bytes)
}

/// Writes a file below `home`, whole or not at all: beside its place first, then moved there. A link on the way that leads out
/// of `home` is refused, a link in the file's own place is replaced and not followed.
fn write_whole(home: &Path, path: &str, unfinished: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(home)?;
    let home = home.canonicalize()?;
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folder = home.clone();
    for part in folders.split('/') {
        let below = folder.join(part);
        match fs::create_dir(&below) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        folder = below.canonicalize()?;
        if !folder.starts_with(&home) {
            return Err(io::Error::other(format!("{} leads out of the home path", below.display())));
        }
    }
    let beside = folder.join(format!(".{name}.{unfinished}"));
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, folder.join(name))
    })();
    if written.is_err() {
        // What went wrong first is what is told.
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests;
