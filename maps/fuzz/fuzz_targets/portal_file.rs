//! No bytes make the reader of portal files panic, nor the vis with what it read.
#![no_main]

#[path = "../bodies/portal_file.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::exercise(bytes));
