//! The log files of a run, below the home path's game folder: what the console said, and what happened in the game.

use crate::files::check_path;
use std::fs::{File, OpenOptions};
use std::path::Path;

/// What the console said. Source: the name that stock servers use.
pub const TRANSCRIPT: &str = "qconsole.log";

/// Opens a log for writing; folders on the way are made. A log that is not appended to begins empty.
///
/// # Errors
/// The sentence for the host.
pub fn open(folder: &Path, name: &str, append: bool) -> Result<File, String> {
    let refused = |reason: String| format!("{name} is not written: {reason}");
    check_path(name).map_err(|error| refused(error.to_string()))?;
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| refused(error.to_string()))?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(append).write(true).truncate(!append);
    options.open(&path).map_err(|error| refused(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_log_is_appended_to_or_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        for (append, kept) in [(true, "a\n"), (true, "a\na\n"), (false, "a\n")] {
            open(folder.path(), "logs/games.log", append).unwrap().write_all(b"a\n").unwrap();
            assert_eq!(std::fs::read_to_string(folder.path().join("logs/games.log")).unwrap(), kept);
        }
    }

    #[test]
    fn a_log_stays_below_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["../games.log", "/var/games.log", "a/../../games.log"] {
            let sentence = open(folder.path(), name, true).unwrap_err();
            assert!(sentence.starts_with(name), "{sentence}");
        }
    }
}
