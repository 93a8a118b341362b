//! The rim: the only part of the server that asks the machine anything.

#![allow(clippy::disallowed_methods, reason = "this is the rim")]

pub mod files;
mod pk3;
