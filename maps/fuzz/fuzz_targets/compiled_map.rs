//! No bytes make what fogmap does with finished maps panic: opening, vis, checking, naming what makes portals.
#![no_main]

#[path = "../bodies/compiled_map.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::exercise(bytes));
