//! Run: `cargo +nightly fuzz run wire_server_message`.
#![no_main]

#[path = "../bodies/wire.rs"]
mod wire;

libfuzzer_sys::fuzz_target!(|data: &[u8]| wire::server_message(data));
