//! What the server may read and write, as a trait: the rim provides the disk, the simulator provides memory.

use std::fmt;

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
