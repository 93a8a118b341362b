//! The facts that gates are given.

use crate::game::SharedEntity;
use crate::world::LinkRecord;
use bitvec::prelude::{BitSlice, Lsb0};
use fogline_common::collision::{AreaPortals, ClipMap};
use fogline_common::ids::{AreaNum, ClientNum};
use fogline_common::math::Vec3;

/// One point that a client looks from: its eye, or the far end of a portal that the eye sees.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Whose view it is.
    pub client: ClientNum,
    /// Where it looks from.
    pub origin: Vec3,
    /// The area of that point; `None` in solid, which connects with everything.
    pub area: Option<AreaNum>,
    /// Clusters that can be seen from that point.
    pub pvs: &'a BitSlice<u8, Lsb0>,
}

impl<'a> View<'a> {
    /// The view from a point.
    pub fn new(client: ClientNum, origin: Vec3, clip: &'a ClipMap) -> Self {
        let leaf = clip.leaf_at(origin);
        Self { client, origin, area: clip.leaf_area(leaf), pvs: clip.pvs(clip.leaf_cluster(leaf)) }
    }
}

/// One entity that may or may not be told of.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// What it is.
    pub entity: &'a SharedEntity,
    /// What it touches.
    pub record: &'a LinkRecord,
}

/// What all views and targets of a frame share.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The solid map.
    pub clip: &'a ClipMap,
    /// Which areas are joined at this moment.
    pub portals: &'a AreaPortals,
}
