//! A headless client of protocol 68 and 71, without socket and without clock.
//!
//! [`clock`] decides which moment a client draws, [`scene`] between which snapshots, [`lerp`] where it draws another entity
//! then. [`snapshot`] keeps what came.

pub mod clock;
pub mod lerp;
pub mod scene;
pub mod snapshot;
