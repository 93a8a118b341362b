//! What the server, the map compiler, the tools and the tests of Fogline agree on.
//!
//! No socket, no clock, no file, no thread and no log in here: every function takes what it needs and returns what it found.
//!
//! Layers, lowest first; each knows only those above it in this list:
//!
//! * [`ids`], [`time`], [`math`]: numbers that cannot be mixed up.
//! * [`proto`]: the states that travel (usercmd, entity, player, info strings) and every limit of protocol 68.
//! * [`openarena`]: the numbers of the OpenArena 0.8.8 game. [`stock_paks`]: the pk3 files that everybody has.
//! * [`trajectory`]: motions that both ends evaluate for themselves.
//! * [`wire`]: bytes to values and back. Begin with [`wire::messages`].
//! * [`bsp`]: the .bsp file. [`collision`]: the solid world made of it. [`trace`]: what a sweep asks and answers.
//! * [`portal_surfaces`]: mirrors and other faces that show the world from elsewhere.
//! * [`pmove`]: how a player moves, step for step as the client predicts it. [`reach`]: where it can be soon.
//!
//! | quantity | unit |
//! |---|---|
//! | length | world units (about an inch) |
//! | speed | units a second |
//! | time | milliseconds, in one of the three clocks of [`time`] |
//! | angles | degrees in states, 1/65536 of a turn in a usercmd |

pub mod bsp;
pub mod collision;
pub mod ids;
pub mod math;
pub mod openarena;
pub mod pmove;
pub mod portal_surfaces;
pub mod proto;
pub mod reach;
mod shader_script;
pub mod stock_paks;
pub mod time;
pub mod trace;
pub mod trajectory;
pub mod wire;
