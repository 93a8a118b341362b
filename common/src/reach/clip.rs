//! Walls that end a reach.
//!
//! One sweep along an axis proves nothing: a player steps aside and passes what stopped the sweep. A wall ends a box only if it
//! *covers* it: along the axis, the lines through all four edges of the box enter the wall (grown by the player's box) ahead of the
//! start. What a convex volume is entered at is a convex function of where one looks from, so every line between enters it
//! no farther than the farthest of the four, and a continuous way within the box does not get to the other side.

use super::DUCKED;
use super::around::{Around, Hull, Side};
use crate::math::{Bounds, Vec3};

/// Times that all six sides are tried: a side that is closed makes the others smaller, and coverable.
const ROUNDS: usize = 3;
/// Brushes that are tried.
const MOST_WALLS: usize = 64;
/// Rounding. Unit: world units.
const SLACK: f32 = 0.05;

/// Brushes that a player may run into.
pub(super) struct Walls<'m> {
    around: &'m Around,
    all: [u32; MOST_WALLS],
    count: usize,
}

impl<'m> Walls<'m> {
    /// None of these.
    pub(super) const fn of(around: &'m Around) -> Self {
        Self { around, all: [0; MOST_WALLS], count: 0 }
    }

    /// Adds one. False if there is no room.
    pub(super) fn push(&mut self, hull: u32) -> bool {
        let fits = self.count < MOST_WALLS;
        if fits {
            self.all[self.count] = hull;
            self.count += 1;
        }
        fits
    }

    /// How many there are.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'m Hull, &'m [Side])> + '_ {
        self.all[..self.count].iter().map(|&at| {
            let hull = self.around.hull(at);
            (hull, self.around.sides(hull))
        })
    }

    /// Moves the sides of the box of origins in to walls that cover it. `start` stays inside.
    pub(super) fn close(&self, origins: &mut Bounds, start: Vec3) {
        for _ in 0..ROUNDS {
            let before = *origins;
            for wall in self.all() {
                let mut covers = covers(wall.0, origins);
                for axis in 0..3 {
                    // The box around the wall must cover the others' span.
                    if !covers[(axis + 1) % 3] || !covers[(axis + 2) % 3] {
                        continue;
                    }
                    if let Some(end) = covered(wall, origins, start, axis, 1.0) {
                        origins.maxs[axis] = origins.maxs[axis].min(end.max(start[axis]));
                    }
                    if let Some(end) = covered(wall, origins, start, axis, -1.0) {
                        origins.mins[axis] = origins.mins[axis].max(end.min(start[axis]));
                    }
                    covers = self::covers(wall.0, origins);
                }
            }
            if *origins == before {
                break;
            }
        }
    }
}

/// Along which axes the box around a wall covers a player anywhere in a box.
fn covers(hull: &Hull, origins: &Bounds) -> [bool; 3] {
    std::array::from_fn(|axis| {
        let (low, high) =
            (hull.bounds.mins[axis] - DUCKED.maxs[axis], hull.bounds.maxs[axis] - DUCKED.mins[axis]);
        (low + SLACK <= origins.mins[axis]) & (high - SLACK >= origins.maxs[axis])
    })
}

/// Where a wall whose box covers the box across `axis` ends it in the direction of `sign`.
fn covered(
    (hull, sides): (&Hull, &[Side]),
    origins: &Bounds,
    start: Vec3,
    axis: usize,
    sign: f32,
) -> Option<f32> {
    // It must begin ahead of the start.
    let nearest = if sign > 0.0 {
        hull.bounds.mins[axis] - DUCKED.maxs[axis] - start[axis]
    } else {
        start[axis] - (hull.bounds.maxs[axis] - DUCKED.mins[axis])
    };
    let farthest =
        if sign > 0.0 { origins.maxs[axis] - start[axis] } else { start[axis] - origins.mins[axis] };
    if nearest < -SLACK || nearest >= farthest {
        return None;
    }
    let mut end = nearest;
    if !hull.is_box {
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        for corner in 0..4 {
            let mut from = start;
            from[a] = if corner & 1 == 0 { origins.mins[a] } else { origins.maxs[a] };
            from[b] = if corner & 2 == 0 { origins.mins[b] } else { origins.maxs[b] };
            end = end.max(entry(sides, from, axis, sign)?);
        }
    }
    Some(start[axis] + sign * (end + SLACK))
}

/// How far along the axis the line from a point enters the wall, if it does, and not behind.
fn entry(sides: &[Side], from: Vec3, axis: usize, sign: f32) -> Option<f32> {
    let (mut enter, mut leave) = (f32::NEG_INFINITY, f32::INFINITY);
    for side in sides {
        let ahead = side.normal.dot(from) + side.high;
        let slope = side.normal[axis] * sign;
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
