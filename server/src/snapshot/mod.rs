//! What each client is told each frame: frozen, chosen, encoded and paced.
//!
//! [`WorldFrame`] is the frozen copy of every linked entity, made once a frame. [`build`] chooses from it what one client may
//! know, without side effects. [`send`] encodes that against what the client has acknowledged.

pub mod build;
mod decisions;
mod frame;
mod history;
pub mod numbers;
mod players;
mod reachable;
pub mod send;
pub mod sounds;
pub mod states;

pub use build::{Builder, Draft};
pub use frame::{Captured, WorldFrame};
pub use history::{Snapshot, SnapshotHistory};
pub use players::Seat;
pub use states::{StateLog, StateRef};
