//! No bytes make the readers of models panic.
#![no_main]

#[path = "../bodies/model.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::exercise(bytes));
