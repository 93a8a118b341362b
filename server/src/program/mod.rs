//! From the argument list to a running server and to the exit code.

pub mod flags;
mod start;

pub use start::{journal_header, open_recorded, run};

use std::process::ExitCode;

/// How the program ends. Source: facts page "ecosystem", section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `quit`, SIGTERM, SIGINT.
    Clean,
    /// The machine refused something: a port, a thread, a file.
    Fatal,
    /// There is no game data to serve. `EX_OSFILE`.
    NoGameData,
    /// A setting makes no sense. `EX_CONFIG`.
    BadConfig,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(match ending {
            Ending::Clean => 0,
            Ending::Fatal => 1,
            Ending::NoGameData => 72,
            Ending::BadConfig => 78,
        })
    }
}
