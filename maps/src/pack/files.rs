//! One file of the search path: the game's own, or the map's.

use crate::search_path::SearchPath;

/// A file that is there.
pub(super) enum Found {
    /// In a pk3 file that everybody has.
    Stock,
    /// Anywhere else: its path in the pack, and its bytes.
    Own(String, Vec<u8>),
}

/// Looks for a game path, whatever its case. In the pack it is in lower case, so that it is found on every system.
pub(super) fn find(path: &SearchPath, name: &str) -> Option<Found> {
    if path.is_stock(name) {
        return Some(Found::Stock);
    }
    path.read(name).map(|bytes| Found::Own(name.to_ascii_lowercase(), bytes))
}
