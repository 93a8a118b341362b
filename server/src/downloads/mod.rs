//! Files for clients that lack them, through the game's own protocol.
//!
//! [`offer`]: which pk3 files a running map offers. [`transfer`]: one file on its way to one client, block by block. `send`: what
//! clients ask for and acknowledge, and when the next block of whom goes out. Nothing here reads the disk while a map runs.

pub mod offer;
mod send;
pub mod transfer;

pub(crate) use send::Turns;
