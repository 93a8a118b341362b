//! The archive file: cvars that live on over restarts.

use crate::config::Cvars;
use crate::files::{FileError, Files};

/// Name of the archive in the home path's game folder. Source: the stock dedicated server.
pub const ARCHIVE_FILE: &str = "q3config_server.cfg";

/// Writes the archive if an archived cvar changed since the last time. Whether it was written.
///
/// # Errors
/// If the home path cannot be written; the old archive is whole then.
pub fn save_archive(cvars: &mut Cvars, files: &mut dyn Files) -> Result<bool, FileError> {
    if !cvars.archive_changed() {
        return Ok(false);
    }
    files.write(ARCHIVE_FILE, cvars.archive().as_bytes())?;
    cvars.archive_saved();
    Ok(true)
}
