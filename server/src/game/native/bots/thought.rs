//! What a bot thinks with: the scene around it, and what it wants its body to do.

use super::goods::Good;
use super::graph::Graph;
use crate::game::Host;
use crate::game::native::NativeGame;
use fogline_common::math::Vec3;
use fogline_common::proto::PlayerState;
use fogline_common::time::ServerTime;

/// Everything around a bot. It may look at all of it, but what it acts upon it must have seen, heard or been told.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// The match.
    pub(super) game: &'a NativeGame,
    /// The world.
    pub(super) host: &'a dyn Host,
    /// The ways through it; `None` until they have been found.
    pub(super) graph: Option<&'a Graph>,
    /// The things of the map, and where they lie.
    pub(super) goods: &'a [Good],
}

/// A bot's own body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// As its own client would know it.
    pub(super) ps: PlayerState,
    /// It stands.
    pub(super) on_ground: bool,
    /// How deep in liquid, 0..=3.
    pub(super) water: i32,
    /// Now.
    pub(super) now: ServerTime,
}

/// Which way the body is to go.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steering {
    /// Unit vector in the plane, or zero to stand.
    pub(super) wish: Vec3,
    /// The jump key, or in water upwards.
    pub(super) jump: bool,
    /// The crouch key, or in water downwards.
    pub(super) crouch: bool,
    /// The way must be kept: no dodging.
    pub(super) strict: bool,
}
