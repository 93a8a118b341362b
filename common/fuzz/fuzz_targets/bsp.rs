//! No bytes make the map reader or the collision model panic.
#![no_main]

#[path = "../bodies/bsp.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::exercise(bytes));
