//! The simulator of Fogline and what the tests share.
//!
//! [`golden`] reads the recorded vectors, [`gamedata`] finds the installed OpenArena data.

pub mod gamedata;
pub mod golden;
pub mod network;
