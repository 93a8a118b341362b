//! The map that is part of the program, so that a server without any game data has something to play on.
//!
//! Compiled and packed from `maps/arena` by `fogmap`; a test of that crate proves that these are the bytes that come out.

/// Name of the map, and of the pk3 file that it is in.
pub const NAME: &str = "fogarena1";

/// The pk3 file: the map, its pictures and scripts.
pub static PAK: &[u8] = include_bytes!("../../maps/arena/fogarena1.pk3");
