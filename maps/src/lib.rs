//! `fogmap`: map sources and portal files to what a server and a client of the Quake III family load.

pub mod areas;
pub mod brush;
pub mod build;
pub mod check;
pub mod cli;
pub mod compare;
pub mod diagnostics;
pub mod disk;
pub mod emit;
pub mod faces;
pub mod flood;
pub mod geometry;
pub mod leafs;
pub mod light;
pub mod map_file;
pub mod material;
pub mod patches;
pub mod portals;
pub mod prt;
mod samples;
pub mod scene;
pub mod search_path;
pub mod tjunctions;
pub mod tree;
pub mod vis;
pub mod visible;
