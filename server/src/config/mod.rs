//! Settings: one table of cvars, the plain typed struct that the server reads, and the store that the console changes.
//!
//! [`cvars`] has one entry per cvar and makes [`Config`] from it. [`Cvars`] holds what hosts typed: it parses, clamps,
//! latches and refuses, and hands a whole [`Config`] over at [`Cvars::swap`], the first step of a frame. Nothing outside
//! this folder parses a cvar string, and nothing reads a cvar by name while a match runs.

mod answer;
pub mod cvars;
mod docs;
mod flags;
mod info;
mod rules;
mod store;
mod value;

pub use answer::{CvarError, Note};
pub use cvars::Config;
pub use docs::markdown;
pub use flags::Flags;
pub use store::{By, Changes, Cvars, Var};
pub use value::Kind;
