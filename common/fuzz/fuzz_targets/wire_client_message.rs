//! Run: `cargo +nightly fuzz run wire_client_message`.
#![no_main]

#[path = "../bodies/wire.rs"]
mod wire;

libfuzzer_sys::fuzz_target!(|data: &[u8]| wire::client_message(data));
