//! The real stock clients against our server: an OpenArena 0.8.8, and an ioquake3 on its own wire.
//!
//! A binary of its own, so that they run alone: a client draws in software and wants a processor. They run where Debian's
//! packages are installed, say that they were skipped where they are not, and fail there under `CI=true`. With
//! `FOGLINE_PICTURES=DIR` the screenshots and the clients' consoles are kept in that folder.
#![allow(clippy::disallowed_methods, reason = "pictures are kept on disk if the developer wants them")]

mod arena;
mod compiled;
mod ioquake3;
mod judge;
mod matches;
mod openarena;
mod reload;
mod rounding;
mod scenes;
mod stock_server;
mod told;
mod unseen;

use fogline_tests::stock::Deadline;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// No test takes longer, on a busy machine either.
fn deadline() -> Deadline {
    Deadline::after(Duration::from_secs(400))
}

/// One client at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
