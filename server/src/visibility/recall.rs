//! What was found of each pair of players last time: a proof that it is hidden, or a line along which it was seen.
//!
//! It changes no verdict, only its cost. A proof holds for boxes larger than what was asked, so it stands as long as both players
//! stay within; a line and a volume are tried first, and looked at anew each time. Whoever is reborn, teleported or new in its
//! slot begins with nothing, and so does every map.

use super::proof::{Proof, Space};
use super::sight::cover::Felt;
use super::sight::lines::Blocker;
use super::sight::{Question, Settled};
use super::twoclock;
use super::twoclock::budget::Budget;
use super::{Cause, Eyes, Life, Pose, Scene};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::ServerTime;
use std::cell::{Cell, Ref, RefCell, RefMut};

/// A line along which a target was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// Number of the eye; [`Line::AHEAD_EYE`] for the one after the look-ahead.
    pub eye: u8,
    /// It leads to the body after the look-ahead.
    pub to_ahead: bool,
    /// Where it leads, from the lowest corner of that body. Without it: to the target's eye.
    pub at: Option<Vec3>,
}

impl Line {
    pub(super) const AHEAD_EYE: u8 = u8::MAX;

    /// Whether it says something of the present.
    pub(super) const fn is_present(&self) -> bool {
        self.eye != Self::AHEAD_EYE && !self.to_ahead
    }
}

/// Blockers kept of each pair.
pub(super) const BLOCKERS: usize = 4;

/// What is known of one pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Whoever has eyes in this box ...
    pub eyes: Bounds,
    /// ... does not see what is in this one. Both are empty if nothing was proved.
    pub bodies: Bounds,
    /// How it was proved.
    pub proof: Option<Proof>,
    /// Whether the look-ahead of both was in it.
    pub scope: Settled,
    /// Looks that are to come before a proof is searched for again: none was found.
    pub wait: u8,
    /// Looks that are to come before a flood is tried again: the last did not keep the two apart.
    pub dry: u8,
    /// Proofs that are to come before larger boxes are tried again: the last held for none.
    pub rigid: u8,
    /// Looks that are to come before rays feel over the target again: they ran out, and until then it counts as seen.
    pub given_up: u8,
    /// What stopped lines of late, and first what hid all of it from one eye.
    pub blockers: [Option<Blocker>; BLOCKERS],
    /// Along which it was seen.
    pub line: Option<Line>,
    lives: [Life; 2],
}

impl Known {
    const NOTHING: Self = Self {
        eyes: Bounds::EMPTY,
        bodies: Bounds::EMPTY,
        proof: None,
        scope: Settled::Nothing,
        wait: 0,
        dry: 0,
        rigid: 0,
        given_up: 0,
        blockers: [None; BLOCKERS],
        line: None,
        lives: [Life { connection: 0, births: 0, teleports: false }; 2],
    };

    /// Keeps a proof.
    pub(super) fn keep(&mut self, hidden: Question, proof: Proof, scope: Settled) {
        let Question { eyes, bodies } = hidden;
        (self.eyes, self.bodies, self.proof, self.scope) = (eyes, bodies, Some(proof), scope);
    }

    /// Whether what was proved includes this.
    pub(super) fn hides(&self, eyes: &Bounds, bodies: &Bounds) -> bool {
        self.eyes.encloses(eyes) && self.bodies.encloses(bodies)
    }
}

/// When and how two players stood: what one look depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    frame: u64,
    eyes: [Vec3; 2],
    velocities: [Vec3; 2],
}

/// A look of one player at another, and what came of it.
type Look = (Moment, Option<Cause>);

/// How a player stood, and where it looked from.
type Stood = (Moment, Eyes);

/// What is known of all pairs, and work space for proofs. Shape: viewer by target.
#[derive(Debug)]
pub struct Recall {
    pairs: Box<[RefCell<Known>]>,
    /// The last look of each pair. One of two sees as the other does, so each is asked for by both.
    looks: Box<[Cell<Option<Look>>]>,
    /// Where each player looks from, and when and how it stood. Shape: by slot.
    eyes: Box<[RefCell<Option<Stood>>]>,
    /// Number of the frame that looks belong to.
    frame: u64,
    pub(super) space: RefCell<Space>,
    pub(super) felt: RefCell<Felt>,
    /// The same for mode 3, whose boxes are others.
    pub(super) twoclock: twoclock::Memory,
    /// What it looks for when there is time.
    pub(super) background: twoclock::Background,
    /// What mode 3 may still do in this frame.
    pub budget: Budget,
}

impl Default for Recall {
    fn default() -> Self {
        Self {
            pairs: vec![RefCell::new(Known::NOTHING); MAX_CLIENTS * MAX_CLIENTS].into(),
            looks: vec![Cell::new(None); MAX_CLIENTS * MAX_CLIENTS].into(),
            eyes: vec![RefCell::new(None); MAX_CLIENTS].into(),
            frame: 0,
            space: RefCell::default(),
            felt: RefCell::default(),
            twoclock: twoclock::Memory::default(),
            background: twoclock::Background::default(),
            budget: Budget::default(),
        }
    }
}

impl Recall {
    /// What is known of a pair in these lives of both, to be read and changed. One at a time of each pair.
    pub(super) fn of(&self, viewer: &Pose, target: &Pose) -> RefMut<'_, Known> {
        let mut known = self.pairs[index(viewer.player, target.player)].borrow_mut();
        let lives = [viewer.life, target.life];
        if known.lives != lives {
            *known = Known { lives, ..Known::NOTHING };
        }
        known
    }

    /// What came of a look of this moment. `None`: there was none.
    pub(super) fn look(&self, viewer: &Pose, target: &Pose) -> Option<Option<Cause>> {
        let (moment, found) = self.looks[index(viewer.player, target.player)].get()?;
        (moment == self.moment(viewer, target)).then_some(found)
    }

    /// Keeps what came of a look.
    pub(super) fn note_look(&self, viewer: &Pose, target: &Pose, found: Option<Cause>) {
        let look = (self.moment(viewer, target), found);
        self.looks[index(viewer.player, target.player)].set(Some(look));
    }

    /// Where a player looks from at this moment.
    pub(super) fn eyes_of(&self, player: &Pose, scene: &Scene<'_>) -> Ref<'_, Eyes> {
        let moment = self.moment(player, player);
        let kept = &self.eyes[player.player.index()];
        let of_now = |kept: Ref<'_, Option<Stood>>| kept.as_ref().is_some_and(|(of, _)| *of == moment);
        if !of_now(kept.borrow()) {
            let eyes = Eyes::of(player, scene);
            *kept.borrow_mut() = Some((moment, eyes));
        }
        Ref::map(kept.borrow(), |kept| kept.as_ref().map(|(_, eyes)| eyes).expect("it was just put there"))
    }

    fn moment(&self, viewer: &Pose, target: &Pose) -> Moment {
        let (eyes, velocities) = ([viewer.eye, target.eye], [viewer.velocity, target.velocity]);
        Moment { frame: self.frame, eyes, velocities }
    }

    /// The world has gone on: what one player was found to see of another may hold no more, and `budget_us` µs may be searched.
    pub fn begin_frame(&mut self, budget_us: i32, now: ServerTime) {
        self.frame += 1;
        self.budget.begin(budget_us, now);
        self.background.begin(budget_us, now);
    }

    /// A new map: nothing that was known of the old one holds.
    pub fn clear(&mut self) {
        self.pairs.fill(RefCell::new(Known::NOTHING));
        self.looks.fill(Cell::new(None));
        self.eyes.fill(RefCell::new(None));
        self.twoclock.clear();
        self.background.clear();
        self.budget.clear();
    }
}

fn index(viewer: ClientNum, target: ClientNum) -> usize {
    viewer.index() * MAX_CLIENTS + target.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_life_begins_with_nothing() {
        let mut recall = Recall::default();
        let [a, b] = [1, 2].map(|n| Pose::at(ClientNum::new(n).unwrap(), Vec3::ZERO));
        let place = Bounds::POINT.grown(8.0);
        let keep = |recall: &Recall| {
            let mut known = recall.of(&a, &b);
            (known.eyes, known.bodies) = (place, place);
        };
        keep(&recall);
        assert!(recall.of(&a, &b).hides(&Bounds::POINT, &Bounds::POINT));
        assert!(!recall.of(&b, &a).hides(&Bounds::POINT, &Bounds::POINT));
        assert!(!recall.of(&a, &b).hides(&Bounds::POINT, &place.grown(1.0)));
        for changed in [
            Life { births: 1, ..Life::default() },
            Life { teleports: true, ..Life::default() },
            Life { connection: 7, ..Life::default() },
        ] {
            let reborn = Pose { life: changed, ..b };
            keep(&recall);
            assert!(!recall.of(&a, &reborn).hides(&Bounds::POINT, &Bounds::POINT));
            keep(&recall);
            assert!(!recall.of(&Pose { life: changed, ..a }, &b).hides(&Bounds::POINT, &Bounds::POINT));
        }
        keep(&recall);
        recall.clear();
        assert!(!recall.of(&a, &b).hides(&Bounds::POINT, &Bounds::POINT));
    }
}
