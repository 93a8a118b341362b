//! The one place where `fogmap` touches files: whole files in, whole files out, errors as one sentence.
#![allow(clippy::disallowed_methods, reason = "this module is the rim of the map tool")]

use std::path::Path;

/// Largest file that is read. Unit: bytes. A map source or portal file of a hundredth of that is already a very large one.
pub const MAX_FILE_BYTES: u64 = 512 << 20;

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let size = std::fs::metadata(path).map_err(|e| format!("{}: cannot be read: {e}", path.display()))?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!(
            "{}: {size} bytes, the largest file that is read has {MAX_FILE_BYTES}",
            path.display()
        ));
    }
    std::fs::read(path).map_err(|e| format!("{}: cannot be read: {e}", path.display()))
}

/// Writes a whole file, replacing what was there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: cannot be written: {e}", path.display()))
}

/// Removes a file; one that is not there is fine.
pub fn remove(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: cannot be removed: {e}", path.display()))
        }
        _ => Ok(()),
    }
}
