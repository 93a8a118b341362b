//! What was found of each pair of players, so that most frames need no search: the proof, boxes for which it holds, an open line, and
//! how long ago a proof was searched for.
//!
//! None of it changes what is true: a box proof is a proof for every box inside, a line is looked along again. But whether a search is
//! made at all, and so what is told of an undecided pair, does depend on the budget and with it on what was asked before.

use crate::visibility::proof::Proof;
use crate::visibility::{Life, Pose};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::ServerTime;
use std::cell::Cell;

/// A line that was open: shares of the way through the box of eyes and through the box of bodies, on each axis.
pub(super) type Line = [Vec3; 2];

/// What is known of one pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// No eye in this box ...
    pub eyes: Bounds,
    /// ... sees anything of this one. Both are empty if nothing was proved.
    pub bodies: Bounds,
    /// How it was proved.
    pub proof: Option<Proof>,
    /// Along which it may be seen.
    pub line: Option<Line>,
    /// When a proof was found or searched for last.
    pub searched: ServerTime,
    /// Searches in a row that found neither a proof nor a line.
    pub vain: u8,
    lives: [Life; 2],
}

impl Known {
    const NOTHING: Self = Self {
        eyes: Bounds::EMPTY,
        bodies: Bounds::EMPTY,
        proof: None,
        line: None,
        searched: ServerTime(i32::MIN / 2),
        vain: 0,
        lives: [Life { connection: 0, births: 0, teleports: false }; 2],
    };

    /// Whether what was proved includes this.
    pub(super) fn hides(&self, eyes: &Bounds, bodies: &Bounds) -> bool {
        self.eyes.encloses(eyes) && self.bodies.encloses(bodies)
    }
}

/// What is known of all pairs. Shape: viewer by target, twice: for one's own eyes and for those who follow.
#[derive(Debug)]
pub(in crate::visibility) struct Memory {
    pairs: Box<[Cell<Known>]>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { pairs: vec![Cell::new(Known::NOTHING); 2 * MAX_CLIENTS * MAX_CLIENTS].into() }
    }
}

impl Memory {
    /// What is known of a pair in these lives of both.
    pub(super) fn of(&self, viewer: &Pose, follows: bool, target: &Pose) -> Known {
        let known = self.cell(viewer.player, follows, target.player).get();
        let lives = [viewer.life, target.life];
        if known.lives == lives { known } else { Known { lives, ..Known::NOTHING } }
    }

    /// Keeps it.
    pub(super) fn keep(&self, viewer: &Pose, follows: bool, target: &Pose, known: Known) {
        self.cell(viewer.player, follows, target.player).set(known);
    }

    /// A new map.
    pub(in crate::visibility) fn clear(&mut self) {
        self.pairs.fill(Cell::new(Known::NOTHING));
    }

    fn cell(&self, viewer: ClientNum, follows: bool, target: ClientNum) -> &Cell<Known> {
        let pair = viewer.index() * MAX_CLIENTS + target.index();
        &self.pairs[usize::from(follows) * MAX_CLIENTS * MAX_CLIENTS + pair]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_life_begins_with_nothing_and_followers_have_a_memory_of_their_own() {
        let mut memory = Memory::default();
        let [a, b] = [1, 2].map(|n| Pose::at(ClientNum::new(n).unwrap(), Vec3::ZERO));
        let place = Bounds::POINT.grown(8.0);
        memory.keep(&a, false, &b, Known { eyes: place, bodies: place, ..memory.of(&a, false, &b) });
        let hides = |known: Known| known.hides(&Bounds::POINT, &Bounds::POINT);
        assert!(hides(memory.of(&a, false, &b)));
        assert!(!hides(memory.of(&a, true, &b)) && !hides(memory.of(&b, false, &a)));
        let reborn = Pose { life: Life { births: 1, ..Life::default() }, ..b };
        assert!(!hides(memory.of(&a, false, &reborn)));
        memory.clear();
        assert!(!hides(memory.of(&a, false, &b)));
    }
}
