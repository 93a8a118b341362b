//! Run: `cargo +nightly fuzz run wire_bits`.
#![no_main]

#[path = "../bodies/wire.rs"]
mod wire;

libfuzzer_sys::fuzz_target!(|data: &[u8]| wire::bits(data));
