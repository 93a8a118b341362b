//! The Fogline server as a library: everything but the argument list.
//!
//! Begin with [`server::Server`], a value that is fed (`receive`, `advance`) and drained (`poll_transmit`), and with
//! `frame`, the ordered steps of one frame. `ARCHITECTURE.md` beside this crate has the picture.

pub mod config;
pub mod console;
pub mod files;
pub mod game;
pub mod intake;
pub mod io;
pub mod world;
