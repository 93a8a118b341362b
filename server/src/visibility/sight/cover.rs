//! Whether any part of a box can be seen from a point.
//!
//! Every line into a box enters through a face that is turned to the eye, so only those are asked. What one brush or one facet of
//! a curved surface hides of a face is a convex part of it, known exactly ([`Shade`]). Such parts are taken away, one after the
//! other: each by what is between the eye and the middle of a piece that is left. If nothing is left, the box is hidden, and
//! that is a proof; if nothing is in the way of a middle, it is seen. Where neither is sure, a [proof](crate::visibility::proof)
//! for the whole box is looked for; without one it counts as seen.

use super::lines::Lines;
use super::piece::{Half, Piece};
use fogline_common::collision::{Shade, place};
use fogline_common::math::{Bounds, Vec3};

/// Rays that a pair may cost; then it counts as visible.
pub const MOST_RAYS: u32 = 96;
/// Pieces that one look may look at.
const MOST_PIECES: usize = 256;
/// Shades kept at hand while one look lasts: what hides one piece often hides the next.
const KEPT: usize = 6;

/// Work space, kept from one look to the next.
#[derive(Debug, Default)]
pub struct Felt {
    /// Parts of the faces that nothing has been found for yet.
    left: Vec<Piece>,
    shades: [Shade; KEPT],
    /// How many of them are of this look.
    known: usize,
    /// Which of them is replaced next.
    next: usize,
}

impl Felt {
    /// A shade that a point is in, found anew if need be.
    fn shade(&mut self, eye: Vec3, point: Vec3, lines: &mut Lines<'_>) -> Option<usize> {
        let at = place(point);
        if let Some(known) = self.shades[..self.known].iter().position(|shade| shade.contains(&at)) {
            lines.effort.known += 1;
            return Some(known);
        }
        let slot = self.next;
        if !lines.shade(eye, point, &mut self.shades[slot]) {
            return None;
        }
        self.known = self.known.max(slot + 1);
        self.next = (slot + 1) % KEPT;
        Some(slot)
    }
}

/// A point of `body` that can be seen from `eye`, or that nothing is sure to hide, if there is any.
pub fn open_line(eye: Vec3, body: &Bounds, lines: &mut Lines<'_>) -> Option<Vec3> {
    if body.contains(eye) {
        return Some(eye);
    }
    let mut felt = lines.felt();
    let felt = &mut *felt;
    let corners = corners(body);
    for blocker in lines.recent().into_iter().flatten() {
        if lines.hides_all(blocker, eye, &corners, &mut felt.shades[0]) {
            return None;
        }
    }
    // Most who can be seen at all can be seen here.
    let middle = body.center();
    let Some(blocker) = lines.blocker(eye, middle) else { return Some(middle) };
    if lines.hides_all(blocker, eye, &corners, &mut felt.shades[0]) {
        lines.remember(blocker);
        return None;
    }
    lines.effort.felt = true;
    (felt.known, felt.next) = (0, 0);
    felt.left.clear();
    felt.left.extend(facing(eye, body).into_iter().flatten());
    match uncovered(eye, felt, lines) {
        Rest::Nothing => None,
        Rest::Seen(point) => Some(point),
        Rest::Unsure { .. } if lines.proves(eye, body) => None,
        Rest::Unsure { point, ran_out } => {
            lines.effort.undecided = true;
            if ran_out {
                lines.give_up();
            }
            Some(point)
        }
    }
}

/// What is left of the faces of a box.
enum Rest {
    /// All of it is hidden.
    Nothing,
    /// Nothing is in the way of this point.
    Seen(Vec3),
    /// Nothing is sure to hide this point, or there was too much to do.
    Unsure { point: Vec3, ran_out: bool },
}

/// Whether something is sure to hide a single point.
pub fn is_hidden(eye: Vec3, point: Vec3, lines: &mut Lines<'_>) -> bool {
    let shade = &mut lines.felt().shades[0];
    let blocker = lines.blocker(eye, point);
    blocker.is_some_and(|blocker| {
        lines.hides_all(blocker, eye, &[point], shade) || lines.shade(eye, point, shade)
    })
}

/// What single volumes leave of the pieces.
fn uncovered(eye: Vec3, felt: &mut Felt, lines: &mut Lines<'_>) -> Rest {
    let mut pieces = 0;
    while let Some(mut piece) = felt.left.pop() {
        let middle = piece.middle();
        pieces += 1;
        if lines.effort.rays > MOST_RAYS || pieces > MOST_PIECES {
            return Rest::Unsure { point: middle, ran_out: true };
        }
        let Some(slot) = felt.shade(eye, middle, lines) else {
            let is_clear = lines.clear(eye, middle);
            return if is_clear {
                Rest::Seen(middle)
            } else {
                Rest::Unsure { point: middle, ran_out: false }
            };
        };
        let mut outside = Piece::NONE;
        for side in felt.shades[slot].sides() {
            match piece.split(side, &mut outside) {
                Half::Inside => {}
                Half::Outside => {
                    felt.left.push(piece);
                    break;
                }
                Half::Cut if outside.is_nothing() => {}
                Half::Cut => felt.left.push(outside),
                Half::TooManyCorners => return Rest::Unsure { point: middle, ran_out: true },
            }
            if piece.is_nothing() {
                break;
            }
        }
    }
    Rest::Nothing
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
        Some(Piece::rectangle(corner, across, along))
    })
}

fn corners(body: &Bounds) -> [Vec3; 8] {
    std::array::from_fn(|n| {
        let pick =
            |bit: usize, axis: usize| if n >> bit & 1 == 0 { body.mins[axis] } else { body.maxs[axis] };
        Vec3::new(pick(0, 0), pick(1, 1), pick(2, 2))
    })
}
