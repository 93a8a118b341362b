//! Whether any part of a box can be seen from a point.
//!
//! Every line into a box enters through a face that is turned to the eye, so only those are asked. A piece of a face is hidden
//! for sure if one convex brush stops the lines to all of its corners: what a convex volume hides from a point is convex. A
//! piece for which there is no such brush is halved, down to [`FINEST`], where its edges decide: they are followed from brush to
//! brush, so that a slit between two is found however narrow it is. A single clear line decides at once. Before all that, a
//! [proof](crate::visibility::proof) is looked for, which is much cheaper.

use super::lines::{Blocker, Lines};
use fogline_common::math::{Bounds, Vec3};

/// Pieces no longer than this are not halved. Unit: world units.
pub const FINEST: f32 = 16.0;
/// Slits that let a narrower stripe of the target be seen than this may be missed. Unit: world units.
const SLIT: f32 = 1.0 / 8.0;
/// Curved surfaces are asked again after so many [`SLIT`]s.
const PATCH_STEP: f32 = 32.0;
/// Rays that a pair may cost; then it counts as visible.
pub const MOST_RAYS: u32 = 96;

/// A point of `body` that can be seen from `eye`, if there is any; its middle where rays ran out.
pub fn open_line(eye: Vec3, body: &Bounds, lines: &mut Lines<'_>) -> Option<Vec3> {
    if body.contains(eye) {
        return Some(eye);
    }
    let corners = corners(body);
    for blocker in lines.recent().into_iter().flatten() {
        if corners.iter().all(|&corner| lines.stops(blocker, eye, corner)) {
            return None;
        }
    }
    // Most who can be seen at all can be seen here.
    let middle = body.center();
    let Some(blocker) = lines.blocker(eye, middle) else { return Some(middle) };
    if corners.iter().all(|&corner| lines.stops(blocker, eye, corner)) {
        lines.remember(blocker);
        return None;
    }
    if lines.proves(eye, body) {
        return None;
    }
    facing(eye, body).into_iter().flatten().find_map(|face| visible_in(eye, &face, lines))
}

/// A rectangle: a corner, and the ways from there to the two next ones.
#[derive(Clone, Copy, Debug)]
struct Piece {
    corner: Vec3,
    across: Vec3,
    along: Vec3,
}

impl Piece {
    fn corners(&self) -> [Vec3; 4] {
        let Self { corner, across, along } = *self;
        [corner, corner + across, corner + along, corner + across + along]
    }

    /// The two halves, unless it is as small as it gets.
    fn halves(&self) -> Option<[Self; 2]> {
        let (across, along) = (self.across.length_squared(), self.along.length_squared());
        if across.max(along) <= FINEST * FINEST {
            return None;
        }
        Some(if across > along {
            let across = self.across * 0.5;
            [Self { across, ..*self }, Self { across, corner: self.corner + across, ..*self }]
        } else {
            let along = self.along * 0.5;
            [Self { along, ..*self }, Self { along, corner: self.corner + along, ..*self }]
        })
    }
}

/// The faces of a box that are turned to the eye.
fn facing(eye: Vec3, body: &Bounds) -> [Option<Piece>; 3] {
    let size = body.size();
    std::array::from_fn(|axis| {
        let at = if eye[axis] < body.mins[axis] {
            body.mins[axis]
        } else if eye[axis] > body.maxs[axis] {
            body.maxs[axis]
        } else {
            return None;
        };
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        let (mut corner, mut across, mut along) = (body.mins, Vec3::ZERO, Vec3::ZERO);
        corner[axis] = at;
        across[a] = size[a];
        along[b] = size[b];
        Some(Piece { corner, across, along })
    })
}

/// A point of a piece that can be seen.
fn visible_in(eye: Vec3, piece: &Piece, lines: &mut Lines<'_>) -> Option<Vec3> {
    let corners = piece.corners();
    let mut blockers = [Blocker::Patch; 4];
    for (blocker, &corner) in blockers.iter_mut().zip(&corners) {
        match lines.blocker(eye, corner) {
            Some(found) => *blocker = found,
            None => return Some(corner),
        }
    }
    let hides_all = |&blocker: &Blocker| corners.iter().all(|&corner| lines.stops(blocker, eye, corner));
    if blockers.iter().any(hides_all) {
        return None;
    }
    if lines.effort.rays > MOST_RAYS {
        lines.give_up();
        return Some(corners[0].mul_add(0.5, corners[3] - corners[0]));
    }
    match piece.halves() {
        Some(halves) => halves.iter().find_map(|half| visible_in(eye, half, lines)),
        None => [(0, 1), (1, 3), (3, 2), (2, 0)]
            .into_iter()
            .find_map(|(from, to)| visible_between(eye, corners[from], corners[to], lines)),
    }
}

/// A point between two that can be seen: from blocker to blocker, each as far as it reaches.
fn visible_between(eye: Vec3, from: Vec3, to: Vec3, lines: &mut Lines<'_>) -> Option<Vec3> {
    let way = to - from;
    let nudge = SLIT / way.length().max(SLIT);
    let mut at = 0.0_f32;
    while at < 1.0 {
        let point = from.mul_add(at, way);
        let Some(blocker) = lines.blocker(eye, point) else { return Some(point) };
        if lines.stops(blocker, eye, to) {
            return None;
        }
        // A volume hides one stretch of a line, so that its end can be halved towards.
        let (mut hidden, mut open) = (at, 1.0);
        while open - hidden > nudge {
            let middle = (hidden + open) * 0.5;
            if lines.stops(blocker, eye, from.mul_add(middle, way)) {
                hidden = middle;
            } else {
                open = middle;
            }
        }
        // What is no volume hides only where it was asked.
        at = if blocker == Blocker::Patch { at + nudge * PATCH_STEP } else { open };
    }
    None
}

fn corners(body: &Bounds) -> [Vec3; 8] {
    std::array::from_fn(|n| {
        let pick =
            |bit: usize, axis: usize| if n >> bit & 1 == 0 { body.mins[axis] } else { body.maxs[axis] };
        Vec3::new(pick(0, 0), pick(1, 1), pick(2, 2))
    })
}
