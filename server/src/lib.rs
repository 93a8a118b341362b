//! The Fogline server as a library: everything but the argument list.
//!
//! Begin with [`Server`](server::Server), a value that is fed (`receive`, `advance`) and drained (`poll_transmit`), and with
//! `frame`, the ordered steps of one frame. `ARCHITECTURE.md` beside this crate has the picture.

pub mod arena;
pub mod clients;
pub mod config;
pub mod console;
pub mod downloads;
mod drive;
mod engine;
pub mod files;
mod frame;
pub mod game;
pub mod intake;
pub mod io;
mod json;
mod level;
mod lifecycle;
mod map_change;
mod map_shaders;
mod operator;
mod outbox;
mod pacer;
pub mod program;
pub mod recording;
pub mod rewind;
pub mod rotation;
pub mod server;
pub mod snapshot;
pub mod telemetry;
pub mod visibility;
pub mod world;
