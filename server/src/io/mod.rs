//! The rim: the only part of the server that asks the machine anything. Sockets, threads, the clock, files, signals.
//!
//! Everything that comes in travels one bounded channel as an [`Input`], stamped when it came; [`run`] feeds it to a
//! [`Drive`] and carries away what that has to say. Neither a full disk nor a blocked terminal nor a slow name server can
//! hold up a frame: each has its own thread behind a bounded channel, and what does not fit is dropped and counted.

#![allow(clippy::disallowed_methods, reason = "this is the rim")]

mod clock;
mod demos;
mod drive;
pub mod fifo;
pub mod files;
pub mod journal;
mod lines;
pub mod logs;
mod observed;
mod outputs;
mod pk3;
pub mod recorder;
pub mod replay;
pub mod replayed_files;
mod resolver;
mod rotating;
mod run;
mod signals;
pub mod socket;
mod stdout;

pub use clock::Clock;
pub use drive::Drive;
pub use observed::Observed;
pub use outputs::Outputs;
pub use run::{Rim, run};

use fogline_common::time::Arrival;
use std::net::SocketAddr;

/// Inputs that may wait for the server loop: half a second of a full server, or a flood's worth.
const MAX_WAITING_INPUTS: usize = 4096;

/// Something that came in.
#[derive(Debug)]
pub enum Input {
    /// From a socket.
    Datagram(Datagram),
    /// From a console: standard input or the FIFO.
    Line(String),
    /// From the system.
    Signal(Signal),
    /// The answer to a look-up; no address if there is none.
    Resolved {
        /// As it was asked.
        name: String,
        /// IPv4 and IPv6.
        addresses: Vec<SocketAddr>,
    },
    /// A sentence from a thread of the rim, for the log.
    Note(String),
}

/// One datagram. Its buffer goes back to the receiver when it has been handled.
#[derive(Debug)]
pub struct Datagram {
    /// When it came.
    pub at: Arrival,
    /// Who says to have sent it.
    pub from: SocketAddr,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// What the system wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Say goodbye and end (SIGTERM, SIGINT).
    Quit,
    /// Read the configuration again (SIGHUP).
    Reload,
    /// Write the state to the log (SIGUSR1).
    Report,
}

/// Bytes that nobody can guess, from the system.
///
/// # Errors
/// If the system has none.
pub fn entropy<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let filled = rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty())?;
    if filled == N {
        Ok(bytes)
    } else {
        Err(std::io::Error::other(format!("the system gave {filled} of {N} random bytes")))
    }
}

/// Starts a named thread that ends on its own.
fn start_thread(name: &str, body: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).map(drop)
}
