//! The real stock clients, on a screen of their own, against our server on loopback.
//!
//! [`screen`] is an Xvfb, [`client`] a stock client on it that does what a cfg script says, [`server`] our server behind its real
//! rim, [`told`] what one player was told by it, [`moves`] what became of people's usercmds there, [`dedicated`] a stock server,
//! [`ears`] what a stock client says that it hears, [`companion`] a headless second player, [`recorded`] what a stock client was told
//! by the demo that it keeps, [`peers`] what must be installed for all this. Nothing sleeps: who waits, waits on a channel until a
//! [`Deadline`]. Everything that was started ends with the value that stands for it, a failing test included.
//!
//! Source of the recipe: facts page "real-client".
#![allow(
    clippy::disallowed_methods,
    reason = "starts programs and talks to them; that needs a clock and files"
)]

pub mod client;
pub mod companion;
pub mod dedicated;
pub mod ears;
pub mod moves;
pub mod peers;
pub mod process;
pub mod recorded;
pub mod screen;
pub mod server;
pub mod told;

use std::time::{Duration, Instant};

/// When a test gives up waiting.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// So long from now.
    pub fn after(span: Duration) -> Self {
        Self(Instant::now() + span)
    }

    /// At the latest so long from now.
    #[must_use]
    pub fn within(self, span: Duration) -> Self {
        Self(self.0.min(Instant::now() + span))
    }

    /// Time that is left.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}
