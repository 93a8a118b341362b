//! A headless client of protocol 68 and 71, without socket and without clock.
//!
//! [`clock`] decides which moment a client draws, [`lerp`] where it draws another entity at that moment.

pub mod clock;
pub mod lerp;
