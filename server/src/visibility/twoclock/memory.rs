//! What was found of each pair of players, so that most frames need no search: the proof, boxes for which it holds, volumes that may
//! hide, an open line, and how long ago a proof was searched for.
//!
//! None of it changes what is true: a box proof is a proof for every box inside, a line is looked along again. But whether a search is
//! made at all, and so what is told of an undecided pair, does depend on the budget and with it on what was asked before.

use crate::visibility::proof::{Proof, Solid};
use crate::visibility::sight::Question;
use crate::visibility::{Life, Pose};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::ServerTime;
use std::cell::{RefCell, RefMut};

/// A line between two boxes: shares of the way through the box of eyes and through the box of bodies, on each axis.
pub(super) type Line = [Vec3; 2];

/// Faces of portals that have a memory of their own. More share it, which costs time and nothing else.
const WINDOWS: usize = 16;
/// Volumes that may hide a pair that are remembered.
const SUSPECTS: usize = 3;
/// Long before any map begins.
const NEVER: ServerTime = ServerTime(i32::MIN / 2);

/// What is known of one pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// No eye in this box ...
    pub eyes: Bounds,
    /// ... sees anything of this one. Both are empty if nothing was proved.
    pub bodies: Bounds,
    /// How it was proved.
    pub proof: Option<Proof>,
    /// Along which it was seen last, if not along what both may look along.
    pub line: Option<Line>,
    /// When a line was found to be open last.
    pub sighted: ServerTime,
    /// When a proof was searched for last.
    pub searched: ServerTime,
    /// When its lines were followed through portals last; nothing was found then.
    pub followed: ServerTime,
    /// Searches in a row that found neither a proof nor a line.
    pub vain: u8,
    /// The larger boxes that a proof is tried for first: the first so many.
    pub tries: u8,
    /// What hid it before or stopped a line, the newest first.
    suspects: [Option<Solid>; SUSPECTS],
    lives: [Life; 2],
}

impl Known {
    const NOTHING: Self = Self {
        eyes: Bounds::EMPTY,
        bodies: Bounds::EMPTY,
        proof: None,
        line: None,
        sighted: NEVER,
        searched: NEVER,
        followed: NEVER,
        vain: 0,
        tries: u8::MAX,
        suspects: [None; SUSPECTS],
        lives: [Life { connection: 0, births: 0, teleports: false }; 2],
    };

    /// Whether what was proved includes this.
    #[inline]
    pub(super) fn hides(&self, asked: &Question) -> bool {
        self.eyes.encloses(&asked.eyes) && self.bodies.encloses(&asked.bodies)
    }

    /// Keeps a proof, and the boxes that it is one for. `tries`: how large boxes it is to be tried for next.
    pub(super) fn keep(&mut self, proof: Proof, proved: Question, tries: usize) {
        (self.eyes, self.bodies, self.proof, self.line) = (proved.eyes, proved.bodies, Some(proof), None);
        (self.vain, self.followed, self.tries) = (0, NEVER, tries.max(1) as u8);
    }

    /// The proof does not hold any more.
    pub(super) fn lose_proof(&mut self) {
        if let Some(Proof::By(solid)) = self.proof.take() {
            self.suspect(solid);
        }
        (self.eyes, self.bodies) = (Bounds::EMPTY, Bounds::EMPTY);
    }

    /// A line is open.
    pub(super) fn see(&mut self, now: ServerTime, line: Option<Line>) {
        (self.sighted, self.line, self.vain) = (now, line, 0);
    }

    /// Notes a volume that may hide the pair soon.
    pub(super) fn suspect(&mut self, solid: Solid) {
        let at = self.suspects.iter().position(|&known| known == Some(solid)).unwrap_or(SUSPECTS - 1);
        self.suspects[..=at].rotate_right(1);
        self.suspects[0] = Some(solid);
    }

    /// One of those that may hide it, in turn.
    pub(super) fn next_suspect(&mut self) -> Option<Solid> {
        let count = self.suspects().count();
        self.suspects[..count].rotate_left(usize::from(count > 1));
        self.suspects[0]
    }

    /// Volumes that may hide it, the likeliest first.
    pub(super) fn suspects(&self) -> impl Iterator<Item = Solid> + use<> {
        self.suspects.into_iter().flatten()
    }
}

/// What is known of all pairs. Shape: viewer by target, twice: for one's own eyes and for those who follow.
#[derive(Debug)]
pub(in crate::visibility) struct Memory {
    pairs: Box<[RefCell<Known>]>,
    /// What of the faces of portals is seen, and what is seen in their images. Shape: window by player, twice.
    windows: Box<[RefCell<Known>]>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            pairs: vec![RefCell::new(Known::NOTHING); 2 * MAX_CLIENTS * MAX_CLIENTS].into(),
            windows: vec![RefCell::new(Known::NOTHING); 2 * WINDOWS * MAX_CLIENTS].into(),
        }
    }
}

impl Memory {
    /// What is known of a pair in these lives of both.
    pub(super) fn of(&self, viewer: &Pose, follows: bool, target: &Pose) -> RefMut<'_, Known> {
        in_lives(self.cell(viewer.player, follows, target.player), [viewer.life, target.life])
    }

    /// What is known of a player that looks at a face.
    pub(super) fn of_face(&self, window: usize, viewer: &Pose) -> RefMut<'_, Known> {
        self.of_window(2 * (window % WINDOWS), viewer)
    }

    /// What is known of a player that may be seen in the image of a face.
    pub(super) fn of_image(&self, window: usize, target: &Pose) -> RefMut<'_, Known> {
        self.of_window(2 * (window % WINDOWS) + 1, target)
    }

    fn of_window(&self, place: usize, player: &Pose) -> RefMut<'_, Known> {
        in_lives(&self.windows[place * MAX_CLIENTS + player.player.index()], [player.life, Life::default()])
    }

    /// A new map.
    pub(in crate::visibility) fn clear(&mut self) {
        self.pairs.fill(RefCell::new(Known::NOTHING));
        self.windows.fill(RefCell::new(Known::NOTHING));
    }

    fn cell(&self, viewer: ClientNum, follows: bool, target: ClientNum) -> &RefCell<Known> {
        let pair = viewer.index() * MAX_CLIENTS + target.index();
        &self.pairs[usize::from(follows) * MAX_CLIENTS * MAX_CLIENTS + pair]
    }
}

/// What is known in these lives of both.
fn in_lives(cell: &RefCell<Known>, lives: [Life; 2]) -> RefMut<'_, Known> {
    let mut known = cell.borrow_mut();
    if known.lives != lives {
        *known = Known { lives, ..Known::NOTHING };
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_life_begins_with_nothing_and_followers_have_a_memory_of_their_own() {
        let mut memory = Memory::default();
        let [a, b] = [1, 2].map(|n| Pose::at(ClientNum::new(n).unwrap(), Vec3::ZERO));
        let [place, point] = [Bounds::POINT.grown(8.0), Bounds::POINT];
        memory.of(&a, false, &b).keep(Proof::Sealed, Question { eyes: place, bodies: place }, 0);
        let hides = |known: RefMut<'_, Known>| known.hides(&Question { eyes: point, bodies: point });
        assert!(hides(memory.of(&a, false, &b)));
        assert!(!hides(memory.of(&a, true, &b)) && !hides(memory.of(&b, false, &a)));
        let reborn = Pose { life: Life { births: 1, ..Life::default() }, ..b };
        assert!(!hides(memory.of(&a, false, &reborn)));
        memory.clear();
        assert!(!hides(memory.of(&a, false, &b)));
    }

    #[test]
    fn the_newest_suspects_are_kept_each_once() {
        let mut known = Known::NOTHING;
        for number in [0, 1, 2, 3, 2] {
            known.suspect(Solid::numbered(number));
        }
        assert_eq!(known.suspects().collect::<Vec<_>>(), [2, 3, 1].map(Solid::numbered));
    }
}
