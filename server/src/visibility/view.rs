//! The facts that gates are given.

use super::proof::Prover;
use super::twoclock::Shown;
use super::{Eyes, Mover, Pose, Recall, Rules, Work};
use crate::game::SharedEntity;
use crate::world::LinkRecord;
use bitvec::prelude::{BitSlice, Lsb0};
use fogline_common::collision::{AreaPortals, ClipMap};
use fogline_common::ids::{AreaNum, ClientNum};
use fogline_common::math::Vec3;
use fogline_common::time::{Millis, ServerTime};

/// One point that a client looks from: its eye, or the far end of a portal that the eye sees.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The player whose eyes it is seen with: a follower has those of the player that it follows.
    pub client: ClientNum,
    /// Where it looks from.
    pub origin: Vec3,
    /// The area of that point; `None` in solid, which connects with everything.
    pub area: Option<AreaNum>,
    /// Clusters that can be seen from that point.
    pub pvs: &'a BitSlice<u8, Lsb0>,
    /// The player whose eyes these are; without one, no player is looked for and all are told of.
    pub watcher: Option<&'a Pose>,
    /// It is the far end of a portal and not an eye.
    pub through_portal: bool,
    /// The eyes are another's: the client draws what that one saw, and does not run ahead of it.
    pub is_following: bool,
    /// How long its client draws from a snapshot, if that is known.
    pub period: Option<Millis>,
    /// The places that a view through a portal looks from; without them each target has them worked out anew.
    pub eyes: Option<Eyes>,
    /// What mode 3 has found of what a portal shows; without it, it may show anything.
    pub shown: Option<Shown<'a>>,
}

impl<'a> View<'a> {
    /// The view from a point.
    pub fn new(client: ClientNum, origin: Vec3, clip: &'a ClipMap) -> Self {
        let leaf = clip.leaf_at(origin);
        Self {
            client,
            origin,
            area: clip.leaf_area(leaf),
            pvs: clip.pvs(clip.leaf_cluster(leaf)),
            watcher: None,
            through_portal: false,
            is_following: false,
            period: None,
            eyes: None,
            shown: None,
        }
    }
}

/// One entity that may or may not be told of.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// What it is.
    pub entity: &'a SharedEntity,
    /// What it touches.
    pub record: &'a LinkRecord,
    /// If it is a player: how it stands.
    pub pose: Option<&'a Pose>,
    /// Until when it counts as seen by this viewer.
    pub seen_until: Option<ServerTime>,
}

/// What all views and targets of a frame share.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The solid map.
    pub clip: &'a ClipMap,
    /// Which areas are joined at this moment.
    pub portals: &'a AreaPortals,
    /// What the host has settled.
    pub rules: &'a Rules,
    /// The moment.
    pub now: ServerTime,
    /// Doors and platforms.
    pub movers: &'a [Mover],
    /// What proves that something is hidden; without it, rays alone decide.
    pub prover: Option<&'a Prover>,
    /// What was found of each pair before.
    pub recall: &'a Recall,
    /// What all this costs is added up here.
    pub work: &'a Work,
}
