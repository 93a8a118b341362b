//! The simulator of Fogline and what the tests share.
//!
//! Begin with [`sim::Sim`]: a server, its [`bot`]s, the [`network`] between them and the [`checks`] after every step, from one seed.
//! [`golden`] reads the recorded vectors, [`gamedata`] finds the installed OpenArena data, [`compiled`] what `fogmap` makes of
//! sources, [`stock`] starts the real clients.

pub mod attacker;
pub mod bot;
pub mod bot_match;
pub mod checks;
pub mod compiled;
pub mod fixture;
pub mod game_host;
pub mod game_scene;
pub mod gamedata;
pub mod golden;
pub mod halls;
pub mod journalled;
pub mod map_watch;
pub mod measured;
pub mod network;
pub mod parted;
pub mod places;
pub mod portal_views;
pub mod rows;
pub mod shooting;
pub mod sim;
pub mod soak;
pub mod stage;
pub mod stand_in;
pub mod standoff;
pub mod stock;
pub mod tiny_map;
pub mod twins;
pub mod untouched;
