//! Part of a face: a convex polygon of few corners, cut without allocating.

use fogline_common::collision::{HalfSpace, Place, place};
use fogline_common::math::Vec3;

/// Corners of a piece. A rectangle that is cut a few times has half as many.
const MOST_CORNERS: usize = 12;
/// Smaller ones are what rounding left. Unit: square world units.
const NO_AREA: f64 = 1.0e-4;

/// A convex polygon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    corners: [Place; MOST_CORNERS],
    count: usize,
}

/// What a half-space has of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// All.
    Inside,
    /// Nothing.
    Outside,
    /// A part.
    Cut,
    /// A part, but what is left would have more corners than a piece may.
    TooManyCorners,
}

impl Piece {
    /// No corner at all.
    pub(super) const NONE: Self = Self { corners: [[0.0; 3]; MOST_CORNERS], count: 0 };

    /// A corner, and the ways from there to the two next ones.
    pub(super) fn rectangle(corner: Vec3, across: Vec3, along: Vec3) -> Self {
        let mut piece = Self::NONE;
        for point in [corner, corner + across, corner + across + along, corner + along] {
            piece.push(place(point));
        }
        piece
    }

    fn corners(&self) -> &[Place] {
        &self.corners[..self.count]
    }

    /// False if it has too many already.
    fn push(&mut self, corner: Place) -> bool {
        let Some(slot) = self.corners.get_mut(self.count) else { return false };
        *slot = corner;
        self.count += 1;
        true
    }

    /// A point inside of it.
    pub(super) fn middle(&self) -> Vec3 {
        let sum = self
            .corners()
            .iter()
            .fold([0.0; 3], |sum: Place, corner| std::array::from_fn(|axis| sum[axis] + corner[axis]));
        let share = 1.0 / self.count.max(1) as f64;
        Vec3::from(sum.map(|part| (part * share) as f32))
    }

    /// Takes away what is not in a half-space, and puts that into `outside`, if both are something.
    pub(super) fn split(&mut self, half: &HalfSpace, outside: &mut Self) -> Half {
        let mut beyond = [0.0; MOST_CORNERS];
        for (beyond, corner) in beyond.iter_mut().zip(self.corners()) {
            *beyond = half.outside(corner);
        }
        let beyond = &beyond[..self.count];
        if beyond.iter().all(|&beyond| beyond <= 0.0) {
            return Half::Inside;
        }
        if beyond.iter().all(|&beyond| beyond >= 0.0) {
            return Half::Outside;
        }
        let mut inside = Self::NONE;
        *outside = Self::NONE;
        let mut fits = true;
        for (here, corner) in self.corners().iter().enumerate() {
            let there = (here + 1) % self.count;
            let (a, b) = (beyond[here], beyond[there]);
            if a >= 0.0 {
                fits &= outside.push(*corner);
            }
            if a <= 0.0 {
                fits &= inside.push(*corner);
            }
            if (a < 0.0) != (b < 0.0) && a != 0.0 && b != 0.0 {
                let (share, next) = (a / (a - b), &self.corners[there]);
                let cut = std::array::from_fn(|axis| corner[axis] + share * (next[axis] - corner[axis]));
                fits &= outside.push(cut) & inside.push(cut);
            }
        }
        if !fits {
            return Half::TooManyCorners;
        }
        *self = inside;
        Half::Cut
    }

    /// It is so small that it is what rounding left.
    pub(super) fn is_nothing(&self) -> bool {
        let Some((first, rest)) = self.corners().split_first() else { return true };
        let mut sum = [0.0; 3];
        for pair in rest.windows(2) {
            let [a, b] = [0, 1].map(|n| -> Place { std::array::from_fn(|axis| pair[n][axis] - first[axis]) });
            let part = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            sum = std::array::from_fn(|axis| sum[axis] + part[axis]);
        }
        let doubled_squared: f64 = sum.iter().map(|part| part * part).sum();
        doubled_squared < 4.0 * NO_AREA * NO_AREA
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    fn square() -> Piece {
        Piece::rectangle(vec3(0.0, 0.0, 5.0), vec3(10.0, 0.0, 0.0), vec3(0.0, 10.0, 0.0))
    }

    fn left_of(x: f64) -> HalfSpace {
        HalfSpace { normal: [2.0, 0.0, 0.0], dist: 2.0 * x }
    }

    #[test]
    fn a_cut_makes_two_pieces_that_share_an_edge() {
        let (mut piece, mut rest) = (square(), Piece::NONE);
        assert_eq!(piece.split(&left_of(4.0), &mut rest), Half::Cut);
        assert_eq!((piece.middle(), rest.middle()), (vec3(2.0, 5.0, 5.0), vec3(7.0, 5.0, 5.0)));
        assert_eq!(square().split(&left_of(10.0), &mut rest), Half::Inside);
        assert_eq!(square().split(&left_of(0.0), &mut rest), Half::Outside);
    }

    #[test]
    fn what_rounding_leaves_is_nothing() {
        let (mut piece, mut rest) = (square(), Piece::NONE);
        assert_eq!(piece.split(&left_of(1.0e-6), &mut rest), Half::Cut);
        assert!(piece.is_nothing() && !rest.is_nothing() && !square().is_nothing());
    }

    #[test]
    fn more_corners_than_a_piece_may_have_are_told_of() {
        let (mut piece, mut rest) = (square(), Piece::NONE);
        let mut turn = 0.3_f64;
        let told = (0..40).any(|_| {
            turn += 0.7;
            let normal = [turn.cos(), turn.sin(), 0.0];
            let half = HalfSpace { normal, dist: 5.0 * (normal[0] + normal[1]) + 4.0 };
            piece.split(&half, &mut rest) == Half::TooManyCorners
        });
        assert!(told, "{piece:?}");
    }
}
