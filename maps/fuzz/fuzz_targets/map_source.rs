//! No bytes make the reader of map sources panic, nor the compiler with what it read.
#![no_main]

#[path = "../bodies/map_source.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::exercise(bytes));
