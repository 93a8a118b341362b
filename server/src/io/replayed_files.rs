//! The files of a recorded run: cfg files as they were then, everything else from the disk, and nothing is written to it.

use crate::files::{FileError, Files, MemoryFiles, Pak};
use std::sync::Arc;

/// Largest cfg file that a journal keeps.
const MAX_CONFIG_BYTES: usize = 1 << 16;
/// Cfg files that a journal keeps.
const MAX_CONFIGS: usize = 512;

/// Every cfg file of the search path: what a journal's header keeps of the disk.
pub fn read_configs(files: &dyn Files) -> Vec<(String, Vec<u8>)> {
    let paths = files.list("", ".cfg").into_iter().take(MAX_CONFIGS);
    let small = paths.filter_map(|path| {
        let bytes = files.read(&path).ok().filter(|bytes| bytes.len() <= MAX_CONFIG_BYTES)?;
        Some((path, bytes))
    });
    small.collect()
}

/// [`Files`] for a replay.
pub struct ReplayedFiles {
    configs: MemoryFiles,
    disk: Box<dyn Files>,
}

impl ReplayedFiles {
    /// Cfg files come from `configs`, the others from `disk`.
    pub fn new(configs: &[(String, Vec<u8>)], disk: Box<dyn Files>) -> Self {
        let mut memory = MemoryFiles::default();
        for (path, bytes) in configs {
            memory.insert(path, bytes.clone());
        }
        Self { configs: memory, disk }
    }
}

impl Files for ReplayedFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        if is_config(path) { self.configs.read(path) } else { self.disk.read(path) }
    }

    fn list(&self, folder: &str, suffix: &str) -> Vec<String> {
        self.disk.list(folder, suffix)
    }

    /// A cfg file that the run wrote can be read again by it; all else is forgotten.
    fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        if is_config(path) { self.configs.write(path, bytes) } else { Ok(()) }
    }

    fn place(&self, path: &str) -> Option<String> {
        self.disk.place(path)
    }

    fn places(&self) -> Vec<String> {
        self.disk.places()
    }

    fn pak_of(&self, path: &str) -> Option<String> {
        self.disk.pak_of(path)
    }

    fn paks(&self) -> Vec<String> {
        self.disk.paks()
    }

    fn pak(&self, name: &str) -> Result<Pak, FileError> {
        self.disk.pak(name)
    }

    fn read_pak(&self, name: &str) -> Result<Arc<[u8]>, FileError> {
        self.disk.read_pak(name)
    }
}

fn is_config(path: &str) -> bool {
    path.len() >= 4 && path.as_bytes()[path.len() - 4..].eq_ignore_ascii_case(b".cfg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_reads_the_cfg_files_of_then_and_its_own() {
        let then = MemoryFiles::from([("server.cfg", "then"), ("maps/a.bsp", "map")]);
        let configs = read_configs(&then);
        assert_eq!(configs, [("server.cfg".to_owned(), b"then".to_vec())]);
        let now = MemoryFiles::from([("server.cfg", "now"), ("new.cfg", "now"), ("maps/a.bsp", "map")]);
        let mut files = ReplayedFiles::new(&configs, Box::new(now));
        assert_eq!(files.read("Server.CFG").unwrap(), b"then");
        assert!(files.read("new.cfg").is_err());
        assert_eq!(files.read("maps/a.bsp").unwrap(), b"map");
        files.write("mine.cfg", b"x").unwrap();
        assert_eq!(files.read("mine.cfg").unwrap(), b"x");
        files.write("games.log", b"x").unwrap();
        assert!(files.read("games.log").is_err());
    }
}
