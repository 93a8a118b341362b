//! A log file of bounded size: when it is full it is put aside under another name, where it takes the place of the one before.

use super::logs;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Ends the name of the file that was put aside.
const ASIDE: &str = ".1";

/// A file that is written to line by line. It and the one put aside take at most `limit` each, as long as no line is longer.
pub(super) struct Rotating {
    folder: PathBuf,
    name: String,
    limit: u64,
    size: u64,
    file: File,
}

impl Rotating {
    /// Opens the file of this name below a folder, to be added to.
    ///
    /// # Errors
    /// The sentence for the host.
    pub(super) fn open(folder: &Path, name: &str, limit: u64) -> Result<Self, String> {
        let file = logs::open(folder, name, true)?;
        let size = file.metadata().map_err(|error| format!("{name} is not written: {error}"))?.len();
        Ok(Self { folder: folder.to_owned(), name: name.to_owned(), limit, size, file })
    }

    fn turn(&mut self) -> io::Result<()> {
        let path = self.folder.join(&self.name);
        std::fs::rename(&path, self.folder.join(format!("{}{ASIDE}", self.name)))?;
        self.file = logs::open(&self.folder, &self.name, true).map_err(io::Error::other)?;
        self.size = 0;
        Ok(())
    }
}

impl Write for Rotating {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut begun = 0;
        let mut end = 0;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let pending = (end - begun) as u64;
            if self.size + pending > 0 && self.size + pending + line.len() as u64 > self.limit {
                self.file.write_all(&bytes[begun..end])?;
                self.turn()?;
                begun = end;
            }
            end += line.len();
        }
        self.file.write_all(&bytes[begun..end])?;
        self.size += (end - begun) as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 100;

    fn read(folder: &Path, name: &str) -> String {
        std::fs::read_to_string(folder.join(name)).unwrap_or_default()
    }

    #[test]
    fn it_never_grows_beyond_its_limit_and_keeps_the_newest_lines_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Rotating::open(folder.path(), "logs/claims.jsonl", LIMIT).unwrap();
        let mut rng = fastrand::Rng::with_seed(5);
        let mut all = String::new();
        for n in 0..500 {
            let lines: String =
                (0..rng.usize(1..6)).map(|k| format!("{n}:{k}:{}\n", "x".repeat(rng.usize(..40)))).collect();
            file.write_all(lines.as_bytes()).unwrap();
            all.push_str(&lines);
            let (now, aside) =
                (read(folder.path(), "logs/claims.jsonl"), read(folder.path(), "logs/claims.jsonl.1"));
            assert!(
                now.len() as u64 <= LIMIT && aside.len() as u64 <= LIMIT,
                "{} {}",
                now.len(),
                aside.len()
            );
            assert!(all.ends_with(&(aside + &now)), "write {n}");
        }
    }

    #[test]
    fn a_run_goes_on_where_the_one_before_ended() {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..3 {
            let mut file = Rotating::open(folder.path(), "claims.jsonl", LIMIT).unwrap();
            file.write_all(format!("{}\n", "x".repeat(39)).as_bytes()).unwrap();
        }
        assert_eq!(read(folder.path(), "claims.jsonl").len(), 40);
        assert_eq!(read(folder.path(), "claims.jsonl.1").len(), 80);
    }

    #[test]
    fn a_line_longer_than_the_limit_has_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Rotating::open(folder.path(), "claims.jsonl", LIMIT).unwrap();
        file.write_all(format!("a\n{}\nb\n", "x".repeat(300)).as_bytes()).unwrap();
        assert_eq!(read(folder.path(), "claims.jsonl"), "b\n");
        assert_eq!(read(folder.path(), "claims.jsonl.1").len(), 301);
    }
}
