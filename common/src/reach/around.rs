//! What lies around a player, laid out to be asked often: the volumes that its box may touch, their planes side by side, with what its
//! box adds to each distance worked out.
//!
//! It is looked up for a larger box than asked and kept as long as what is asked lies inside. Nothing depends on how much larger: what
//! is asked about a smaller box is filtered by that box, and volumes come by their number. So a reach is the same whether its
//! surroundings were kept or looked up anew.

use super::{DUCKED, STANDING};
use crate::collision::{ClipMap, Obstacle, Part, Volume};
use crate::math::{Bounds, Vec3, vec3};
use crate::proto::mask;

/// Boxes are looked up so much larger, and planes count as touched from this far. Unit: world units.
pub(super) const NEAR: f32 = 1.0;
/// What is looked up is so much larger than asked: a runner needs some frames to leave it. Unit: world units.
const AHEAD: f32 = 48.0;

/// Who swims looks for a ledge so far ahead, so far up, and for room so much above that. Source: `PM_CheckWaterJump`. Unit: world
/// units.
const LEDGE_AHEAD: f32 = 30.0;
const LEDGE_UP: f32 = 4.0;
const LEDGE_ROOM: f32 = 16.0;

/// A plane narrows a box along an axis if that part of its normal is above this.
const SLIGHT: f32 = 0.01;
/// Times that all planes of a volume narrow a box.
const ROUNDS: usize = 2;

/// The volumes about a place of one map. Empty at first; keep one a player.
#[derive(Clone, Debug)]
pub struct Around {
    /// Origins that it was looked up for.
    looked: Bounds,
    hulls: Vec<Hull>,
    sides: Vec<Side>,
    /// Boxes somewhere in which there is something.
    pub(super) others: Vec<Bounds>,
    /// Boxes around liquids.
    pub(super) waters: Vec<Bounds>,
}

/// A convex volume.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hull {
    part: Part,
    /// Box around it; of a facet that around its whole surface.
    pub bounds: Bounds,
    /// All origins within what was looked up from which it may come as near as [`NEAR`].
    met_from: Bounds,
    /// Its box is all of it.
    pub is_box: bool,
    first: u32,
    count: u32,
}

/// A plane that a volume is behind, and how a player lies to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub normal: Vec3,
    /// One by each part of it; nought where that is next to nothing.
    inverse: Vec3,
    /// Distance of the nearest corner of a standing player with its origin at nought. The box of a standing player is the larger one.
    low: f32,
    /// The same of a ducked player, who may be inside where a standing one is not.
    pub high: f32,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            looked: Bounds::EMPTY,
            hulls: Vec::new(),
            sides: Vec::new(),
            others: Vec::new(),
            waters: Vec::new(),
        }
    }
}

impl Around {
    /// Forgets all: another map.
    pub fn clear(&mut self) {
        self.looked = Bounds::EMPTY;
    }

    /// Sees to it that all is known that a player with its origin in this box may touch, or take for a ledge.
    pub(super) fn look(&mut self, clip: &ClipMap, origins: &Bounds) {
        // Whoever went half the way would have the place ahead at its side.
        let half = vec3(LEDGE_AHEAD / 2.0, LEDGE_AHEAD / 2.0, 0.0);
        let needs = Bounds { mins: origins.mins - half, maxs: origins.maxs + half };
        if self.looked.encloses(&needs) {
            return;
        }
        self.looked = needs.grown(AHEAD);
        self.hulls.clear();
        self.sides.clear();
        self.others.clear();
        self.waters.clear();
        clip.each_obstacle(&body_in(&self.looked), mask::PLAYERSOLID | mask::WATER, &mut |obstacle| {
            match obstacle {
                Obstacle::Brush(volume) if volume.contents() & mask::PLAYERSOLID == 0 => {
                    self.waters.push(volume.bounds());
                }
                Obstacle::Brush(volume) | Obstacle::Facet(volume) => self.volume(&volume),
                Obstacle::Other(bounds) => self.others.push(bounds),
            }
        });
        self.hulls.sort_unstable_by_key(|hull| hull.part);
        self.hulls.dedup_by_key(|hull| hull.part);
    }

    fn volume(&mut self, volume: &Volume<'_>) {
        let first = self.sides.len();
        for plane in volume.planes() {
            let corner = |body: &Bounds| {
                let part = |axis: usize| {
                    plane.normal[axis]
                        * if plane.normal[axis] < 0.0 { body.maxs[axis] } else { body.mins[axis] }
                };
                part(0) + part(1) + part(2)
            };
            let inverse = |axis: usize| {
                let part = plane.normal[axis];
                if part.abs() > SLIGHT { 1.0 / part } else { 0.0 }
            };
            let side = Side {
                normal: plane.normal,
                inverse: vec3(inverse(0), inverse(1), inverse(2)),
                low: corner(&STANDING) - plane.dist,
                high: corner(&DUCKED) - plane.dist,
            };
            // Some come twice.
            if !self.sides[first..].iter().any(|known| known.normal == side.normal && known.low == side.low) {
                self.sides.push(side);
            }
        }
        let Some(met_from) = meets(&self.sides[first..], &self.looked, NEAR, ROUNDS) else {
            self.sides.truncate(first);
            return;
        };
        self.hulls.push(Hull {
            part: volume.part(),
            bounds: volume.bounds(),
            met_from,
            is_box: volume.is_box(),
            first: first as u32,
            count: (self.sides.len() - first) as u32,
        });
    }

    /// Volumes that a player may come as near to as [`NEAR`] with its origin in this box.
    pub(super) fn near(&self, origins: &Bounds) -> impl Iterator<Item = u32> {
        let is_near = |hull: &Hull| hull.meets(self.sides(hull), origins, NEAR).is_some();
        self.hulls.iter().enumerate().filter(move |(_, hull)| is_near(hull)).map(|(at, _)| at as u32)
    }

    /// Whether a swimmer with its origin in this box may find a ledge ahead of it, of the world or of these boxes. That need not
    /// touch it.
    pub(super) fn has_ledge(&self, origins: &Bounds, movers: &[(Bounds, f32)]) -> bool {
        let ahead = |sign: f32| vec3(sign * LEDGE_AHEAD, sign * LEDGE_AHEAD, LEDGE_UP);
        let spots = Bounds { mins: origins.mins + ahead(-1.0), maxs: origins.maxs + ahead(1.0) }.grown(NEAR);
        // What is still there where the room has to be is none.
        let low = |hull: &Hull| !hull.is_box || hull.bounds.maxs.z <= spots.maxs.z + LEDGE_ROOM;
        self.hulls.iter().any(|hull| hull.is_brush() && hull.bounds.touches(&spots) && low(hull))
            || self.others.iter().any(|bounds| bounds.touches(&spots))
            || movers.iter().any(|(bounds, _)| bounds.touches(&spots))
    }

    /// One of the volumes.
    pub(super) fn hull(&self, at: u32) -> &Hull {
        &self.hulls[at as usize]
    }

    /// The planes of one, each once.
    pub(super) fn sides(&self, hull: &Hull) -> &[Side] {
        &self.sides[hull.first as usize..(hull.first + hull.count) as usize]
    }
}

impl Hull {
    /// Whether it is a brush.
    pub(super) fn is_brush(&self) -> bool {
        matches!(self.part, Part::Brush(_))
    }

    /// A box around all origins in a box with which a player touches it, or comes as near to it as that, which is no more than
    /// [`NEAR`].
    pub(super) fn meets(&self, sides: &[Side], origins: &Bounds, near: f32) -> Option<Bounds> {
        if self.may_meet(origins) { meets(sides, origins, near, self.rounds()) } else { None }
    }

    /// A box is cut by its sides once and for all.
    const fn rounds(&self) -> usize {
        if self.is_box { 1 } else { ROUNDS }
    }

    /// Whether there may be such origins.
    pub(super) fn may_meet(&self, origins: &Bounds) -> bool {
        self.met_from.touches(origins)
    }

    /// Whether a ducked player is in its box, or within so much of that, wherever its origin is in another.
    pub(super) fn spans(&self, origins: &Bounds, within: f32) -> bool {
        (0..3).all(|axis| {
            origins.maxs[axis] + DUCKED.mins[axis] <= self.bounds.maxs[axis] + within
                && origins.mins[axis] + DUCKED.maxs[axis] >= self.bounds.mins[axis] - within
        })
    }
}

impl Side {
    /// Distance of the nearest part of a standing player, wherever its origin is in a box.
    #[inline]
    pub(super) fn least(&self, origins: &Bounds) -> f32 {
        let part = |axis: usize| {
            let normal = self.normal[axis];
            normal * if normal < 0.0 { origins.maxs[axis] } else { origins.mins[axis] }
        };
        self.low + part(0) + part(1) + part(2)
    }

    /// Greatest distance that the nearest part of a ducked player may have, with its origin in a box.
    #[inline]
    pub(super) fn greatest(&self, origins: &Bounds) -> f32 {
        let part = |axis: usize| {
            let normal = self.normal[axis];
            normal * if normal < 0.0 { origins.mins[axis] } else { origins.maxs[axis] }
        };
        self.high + part(0) + part(1) + part(2)
    }

    /// Leaves of a box what is no farther along the normal than so much from the corner that is least so.
    #[inline]
    pub(super) fn narrow(&self, region: &mut Bounds, spare: f32) {
        for axis in 0..3 {
            let way = spare * self.inverse[axis];
            if self.inverse[axis] > 0.0 {
                region.maxs[axis] = region.maxs[axis].min(region.mins[axis] + way);
            } else if self.inverse[axis] < 0.0 {
                region.mins[axis] = region.mins[axis].max(region.maxs[axis] + way);
            }
        }
    }

    /// Leaves of a box what is no farther against the normal than so much from the corner that is farthest along it.
    #[inline]
    pub(super) fn narrow_back(&self, region: &mut Bounds, spare: f32) {
        for axis in 0..3 {
            let way = spare * self.inverse[axis];
            if self.inverse[axis] > 0.0 {
                region.mins[axis] = region.mins[axis].max(region.maxs[axis] - way);
            } else if self.inverse[axis] < 0.0 {
                region.maxs[axis] = region.maxs[axis].min(region.mins[axis] - way);
            }
        }
    }
}

/// All that a player's box may cover, and a little more.
pub(super) fn body_in(origins: &Bounds) -> Bounds {
    Bounds { mins: origins.mins + STANDING.mins, maxs: origins.maxs + STANDING.maxs }.grown(NEAR)
}

/// A box around all origins in a box with which a player touches a volume, or comes as near to it as that.
fn meets(sides: &[Side], origins: &Bounds, near: f32, rounds: usize) -> Option<Bounds> {
    if sides.iter().any(|side| side.least(origins) > near) {
        return None;
    }
    let mut region = *origins;
    for _ in 0..rounds {
        for side in sides {
            // How far inside of the plane a player in the region may be.
            let spare = near - side.least(&region);
            if spare < 0.0 {
                return None;
            }
            side.narrow(&mut region, spare);
        }
    }
    Some(region)
}
