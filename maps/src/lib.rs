//! `fogmap`: map sources and portal files to what a server and a client of the Quake III family load.

pub mod cli;
pub mod disk;
pub mod prt;
pub mod vis;
