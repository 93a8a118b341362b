//! Bytes to values and back, both directions, for server and client alike. Nothing else knows a bit width.
//!
//! | module | bytes | values |
//! |---|---|---|
//! | [`bits`] | a stream of bits | numbers and text |
//! | [`adaptive`] | the packed part of a `connect` packet | its text |
//! | [`delta`], [`fields`] | the change of a state | entity, player, usercmd |
//! | [`netchan`] | datagrams | numbered messages, their order, fragments, scramble |
//! | [`messages`] | a message | what it says |
//!
//! What can be built can be emitted and parses back to the same value; what cannot be parsed is a [`ParseError`], never a panic.
//! `docs/protocol.md` has the pictures, `docs/quirks.md` what is odd.

pub mod adaptive;
pub mod bits;
pub mod delta;
mod error;
pub mod fields;
mod huffman;
pub mod messages;
pub mod netchan;

pub use error::{IgnoreWarnings, ParseError, Warn, Warning};
