//! `fogmap`: map sources and portal files to what a server and a client of the Quake III family load.

pub mod cli;
pub mod disk;
pub mod geometry;
pub mod map_file;
pub mod prt;
pub mod vis;
