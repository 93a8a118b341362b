//! Walls that end a reach.
//!
//! One sweep along an axis proves nothing: a player steps aside and passes what stopped the sweep. A wall ends a box only if it
//! *covers* it: along the axis, the lines through all four edges of the box enter the wall (grown by the player's box) ahead of the
//! start. What a convex volume is entered at is a convex function of where one looks from, so every line between enters it
//! no farther than the farthest of the four, and a continuous way within the box does not get to the other side.

use super::DUCKED;
use crate::collision::Volume;
use crate::math::{Bounds, Vec3};

/// Times that all six sides are tried: a side that is closed makes the others smaller, and coverable.
const ROUNDS: usize = 3;
/// Brushes that are tried.
const MOST_WALLS: usize = 64;
/// Rounding. Unit: world units.
const SLACK: f32 = 0.05;

/// Brushes that a player may run into.
pub(super) struct Walls<'m> {
    all: [Option<Volume<'m>>; MOST_WALLS],
    count: usize,
}

impl Default for Walls<'_> {
    fn default() -> Self {
        Self { all: [None; MOST_WALLS], count: 0 }
    }
}

impl<'m> Walls<'m> {
    /// Adds one. False if there is no room.
    pub(super) fn push(&mut self, volume: Volume<'m>) -> bool {
        let fits = self.count < MOST_WALLS;
        if fits {
            self.all[self.count] = Some(volume);
            self.count += 1;
        }
        fits
    }

    /// How many there are.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = Volume<'m>> + '_ {
        self.all[..self.count].iter().flatten().copied()
    }

    /// Moves the sides of the box of origins in to walls that cover it. `start` stays inside.
    pub(super) fn close(&self, origins: &mut Bounds, start: Vec3) {
        for _ in 0..ROUNDS {
            let before = *origins;
            for volume in self.all() {
                for axis in 0..3 {
                    if let Some(end) = covered(&volume, origins, start, axis, 1.0) {
                        origins.maxs[axis] = origins.maxs[axis].min(end.max(start[axis]));
                    }
                    if let Some(end) = covered(&volume, origins, start, axis, -1.0) {
                        origins.mins[axis] = origins.mins[axis].max(end.min(start[axis]));
                    }
                }
            }
            if *origins == before {
                break;
            }
        }
    }
}

/// Where a wall that covers the box across `axis` ends it in the direction of `sign`.
fn covered(volume: &Volume<'_>, origins: &Bounds, start: Vec3, axis: usize, sign: f32) -> Option<f32> {
    let bounds = volume.bounds();
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    // The box around the wall must cover the others' span, and begin ahead of the start.
    for side in [a, b] {
        let (low, high) = (bounds.mins[side] - DUCKED.maxs[side], bounds.maxs[side] - DUCKED.mins[side]);
        if low + SLACK > origins.mins[side] || high - SLACK < origins.maxs[side] {
            return None;
        }
    }
    let nearest = if sign > 0.0 {
        bounds.mins[axis] - DUCKED.maxs[axis] - start[axis]
    } else {
        start[axis] - (bounds.maxs[axis] - DUCKED.mins[axis])
    };
    let farthest =
        if sign > 0.0 { origins.maxs[axis] - start[axis] } else { start[axis] - origins.mins[axis] };
    if nearest < -SLACK || nearest >= farthest {
        return None;
    }
    let mut end = nearest;
    if !volume.is_box() {
        for corner in 0..4 {
            let mut from = start;
            from[a] = if corner & 1 == 0 { origins.mins[a] } else { origins.maxs[a] };
            from[b] = if corner & 2 == 0 { origins.mins[b] } else { origins.maxs[b] };
            end = end.max(entry(volume, from, axis, sign)?);
        }
    }
    Some(start[axis] + sign * (end + SLACK))
}

/// How far along the axis the line from a point enters the wall, if it does, and not behind.
fn entry(volume: &Volume<'_>, from: Vec3, axis: usize, sign: f32) -> Option<f32> {
    let (mut enter, mut leave) = (f32::NEG_INFINITY, f32::INFINITY);
    for plane in volume.planes() {
        let normal = plane.normal;
        let nearest = Vec3::new(
            if normal.x < 0.0 { DUCKED.maxs.x } else { DUCKED.mins.x },
            if normal.y < 0.0 { DUCKED.maxs.y } else { DUCKED.mins.y },
            if normal.z < 0.0 { DUCKED.maxs.z } else { DUCKED.mins.z },
        );
        let ahead = normal.dot(from + nearest) - plane.dist;
        let slope = normal[axis] * sign;
        if slope.abs() < 1.0e-6 {
            if ahead > -SLACK {
                return None;
            }
        } else if slope < 0.0 {
            enter = enter.max(ahead / -slope);
        } else {
            leave = leave.min(-ahead / slope);
        }
    }
    (enter >= -SLACK && enter < leave).then_some(enter)
}
