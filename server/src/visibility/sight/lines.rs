//! Lines of sight through the map and its resting doors, with a memory of what stopped the last ones.
//!
//! A wall that hid a target a moment ago most likely still does, and asking it alone is far cheaper than a walk down the tree.
//! The memory changes no answer, only its cost.

use super::cover::Felt;
use super::{Question, Settled};
use crate::visibility::proof::{Proof, Prover, Space};
use crate::visibility::recall::{BLOCKERS, Known, Line};
use crate::visibility::{Pose, Scene};
use fogline_common::collision::{Light, Occluder, Placement, Shade, place};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::contents;
use std::cell::{Cell, RefMut};

/// A brush model of this frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Where it stands.
    pub placement: Placement,
    /// Box in the world.
    pub bounds: Bounds,
    /// What it is made of, as the game has it.
    pub contents: i32,
    /// It rests: neither it nor its state for clients moves. What moves hides nothing, since a client draws it elsewhere.
    pub rests: bool,
}

impl Mover {
    fn hides(&self) -> bool {
        self.rests && self.contents & contents::SOLID != 0
    }
}

/// What stopped a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blocker {
    /// A brush of the map.
    World(Occluder),
    /// A brush of the mover with this index and model: another frame may have another mover there.
    Mover(u16, usize, Occluder),
    /// Something that is not convex.
    Patch,
}

/// What the filter did.
#[derive(Debug, Default)]
pub struct Work {
    /// Rays through the whole map.
    pub rays: Cell<u64>,
    /// Lines settled by a brush that was known already.
    pub known: Cell<u64>,
    /// Pairs of players that were looked for.
    pub pairs: Cell<u64>,
    /// Of those, settled without a single ray through the map.
    pub pairs_without_ray: Cell<u64>,
    /// Looks that felt over the body, for want of a proof and of a clear line to its middle.
    pub felt: Cell<u64>,
    /// Looks that count as seeing for want of a proof: the rays of a pair ran out, or what stops light is not sure to.
    pub undecided: Cell<u64>,
    /// Looks of mode 3 that nothing known settled, so that a proof was searched for.
    pub searches: Cell<u64>,
    /// Flows over portals of mode 3 that came out.
    pub flows: Cell<u64>,
    /// Those of them that proved something.
    pub flows_proved: Cell<u64>,
}

impl Work {
    /// One pair has been looked for, `rays_before` being the rays until then.
    pub(super) fn add_pair(&self, rays_before: u64) {
        add(&self.pairs, 1);
        add(&self.pairs_without_ray, u32::from(self.rays.get() == rays_before));
    }

    /// One of a pair has looked at the other.
    pub(super) fn add_look(&self, effort: &Effort) {
        add(&self.rays, effort.rays);
        add(&self.known, effort.known);
        add(&self.felt, u32::from(effort.felt));
        add(&self.undecided, u32::from(effort.undecided));
    }
}

fn add(cell: &Cell<u64>, n: u32) {
    cell.set(cell.get() + u64::from(n));
}

/// What one look took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Rays through the whole map.
    pub rays: u32,
    /// Lines settled by a brush that was known already.
    pub known: u32,
    /// Rays felt over the body.
    pub felt: bool,
    /// Neither a clear line was found nor a proof that there is none.
    pub undecided: bool,
}

/// Eyes this far outside of what is drawn of a player are its own. Unit: world units.
const NEAR: f32 = 48.0;
/// Looks without a search for proofs after one that did not find enough.
const WAIT: u8 = 3;
/// Looks for which a pair that was given up counts as seen.
const GIVEN_UP: u8 = 8;

/// The lines of sight of one pair.
pub struct Lines<'a> {
    scene: &'a Scene<'a>,
    pair: [&'a Pose; 2],
    /// What proves things, where it may be asked about this pair.
    pub(super) prover: Option<&'a Prover>,
    /// Whether proofs are searched for this time.
    pub(super) searches: bool,
    /// What was known of the pair, and what is found now.
    pub(super) known: RefMut<'a, Known>,
    recent: [Option<Blocker>; BLOCKERS],
    next: usize,
    /// What it took so far.
    pub effort: Effort,
}

impl<'a> Lines<'a> {
    /// For one viewer and target. `provable`: proofs speak of all the viewer's eyes.
    pub fn new(scene: &'a Scene<'a>, viewer: &'a Pose, target: &'a Pose, provable: bool) -> Self {
        let mut known = scene.recall.of(viewer, target);
        let searches = known.wait == 0;
        known.wait = known.wait.saturating_sub(1);
        known.dry = known.dry.saturating_sub(1);
        let recent = known.blockers;
        let prover = scene.prover.filter(|_| provable);
        let effort = Effort::default();
        Self { scene, pair: [viewer, target], prover, searches, known, recent, next: 1, effort }
    }

    /// Whether nothing stops light between two points, for whoever does not count rays.
    pub fn is_clear(scene: &Scene<'_>, from: Vec3, to: Vec3) -> bool {
        scene.clip.light(from, to) == Light::Passes && mover_between(scene, from, to).is_none()
    }

    /// Work space for proofs.
    pub(super) fn space(&self) -> RefMut<'a, Space> {
        self.scene.recall.space.borrow_mut()
    }

    /// A question that includes `question`, and with it what the target asks about the viewer. `None` if the viewer looks from
    /// elsewhere than from where it is drawn.
    pub(super) fn mutual(&self, question: &Question, scope: Settled) -> Option<Question> {
        let drawn = |pose: &Pose| if scope == Settled::Whole { pose.whole() } else { pose.drawn() };
        let [viewer, target] = self.pair.map(drawn);
        let eyes = question.eyes.union(viewer);
        let bodies = question.bodies.union(target);
        viewer.grown(NEAR).encloses(&question.eyes).then_some(Question { eyes, bodies })
    }

    /// Keeps what was proved of this pair for when the target looks at the viewer.
    pub(super) fn keep_for_target(&self, hidden: Question, proof: Proof, scope: Settled) {
        let [viewer, target] = self.pair;
        let mut known = self.scene.recall.of(target, viewer);
        if scope >= known.scope {
            known.keep(hidden, proof, scope);
        }
    }

    /// The target was seen along this line.
    pub(super) fn saw(&mut self, line: Line) {
        self.known.line = Some(line);
    }

    /// Whether it can be proved that all of a box is hidden from a point.
    pub(super) fn proves(&mut self, eye: Vec3, body: &Bounds) -> bool {
        let eyes = Bounds::POINT.translated(eye);
        let prover = self.prover.filter(|_| self.searches);
        prover.is_some_and(|prover| prover.prove(&eyes, body, &mut self.space()).is_some())
    }

    /// Whether rays ran out a few looks ago.
    pub(super) fn is_given_up(&mut self) -> bool {
        let given_up = self.known.given_up > 0;
        self.known.given_up = self.known.given_up.saturating_sub(1);
        given_up
    }

    /// Rays have run out: the target counts as seen.
    pub(super) fn give_up(&mut self) {
        self.effort.undecided = true;
        self.known.given_up = GIVEN_UP;
    }

    /// Whether nothing stops light between the points.
    pub fn clear(&mut self, from: Vec3, to: Vec3) -> bool {
        self.blocker(from, to).is_none()
    }

    /// What stops light between the points.
    pub fn blocker(&mut self, from: Vec3, to: Vec3) -> Option<Blocker> {
        for slot in 0..BLOCKERS {
            if let Some(blocker) = self.recent[slot]
                && self.stops(blocker, from, to)
            {
                self.effort.known += 1;
                return Some(blocker);
            }
        }
        self.effort.rays += 1;
        let found = match self.scene.clip.light(from, to) {
            Light::StoppedBy(occluder) => Some(Blocker::World(occluder)),
            Light::StoppedByPatch => Some(Blocker::Patch),
            Light::Passes => mover_between(self.scene, from, to),
        };
        if let Some(blocker) = found.filter(|&blocker| blocker != Blocker::Patch) {
            self.recent[self.next % BLOCKERS] = Some(blocker);
            self.next += 1;
        }
        found
    }

    /// Whether this blocker alone stops light between the points. A patch is never sure to.
    pub fn stops(&self, blocker: Blocker, from: Vec3, to: Vec3) -> bool {
        match blocker {
            Blocker::World(occluder) => self.scene.clip.occludes(occluder, from, to),
            Blocker::Mover(index, model, occluder) => self.placed(index, model).is_some_and(|placement| {
                self.scene.clip.occludes(occluder, placement.to_model(from), placement.to_model(to))
            }),
            Blocker::Patch => false,
        }
    }

    /// Where the mover stands, if it is still that one and hides what is behind it.
    fn placed(&self, index: u16, model: usize) -> Option<&'a Placement> {
        let mover = self.scene.movers.get(usize::from(index))?;
        (mover.hides() && mover.placement.model == model).then_some(&mover.placement)
    }

    /// What a blocker hides from an eye, if it hides all of some points for sure.
    pub fn hides_all(&self, blocker: Blocker, eye: Vec3, points: &[Vec3], shade: &mut Shade) -> bool {
        // What hides all of them stops a line to the first; that costs less to ask.
        if points.first().is_some_and(|&point| !self.stops(blocker, eye, point)) {
            return false;
        }
        let clip = self.scene.clip;
        let filled = match blocker {
            Blocker::World(occluder) => clip.shade_of(occluder, None, eye, shade),
            Blocker::Mover(index, model, occluder) => self
                .placed(index, model)
                .is_some_and(|placement| clip.shade_of(occluder, Some(placement), eye, shade)),
            Blocker::Patch => false,
        };
        filled && points.iter().all(|&point| shade.contains(&place(point)))
    }

    /// What something that is sure to hide a point hides besides it.
    pub fn shade(&mut self, eye: Vec3, point: Vec3, shade: &mut Shade) -> bool {
        self.effort.rays += 1;
        let Scene { clip, movers, .. } = *self.scene;
        if clip.shade_between(eye, point, shade) {
            return true;
        }
        let way = Bounds { mins: eye.min(point), maxs: eye.max(point) };
        let resting = movers.iter().filter(|mover| mover.hides() && mover.bounds.touches(&way));
        resting.map(|mover| &mover.placement).any(|placed| clip.shade_of_model(placed, eye, point, shade))
    }

    /// Work space to feel bodies over.
    pub(super) fn felt(&self) -> RefMut<'a, Felt> {
        self.scene.recall.felt.borrow_mut()
    }

    /// The blockers at hand, first what hid everything last.
    pub fn recent(&self) -> [Option<Blocker>; BLOCKERS] {
        self.recent
    }

    /// Remembers that this one hid everything.
    pub fn remember(&mut self, blocker: Blocker) {
        let last = self.recent.iter().position(|&kept| kept == Some(blocker)).unwrap_or(0);
        self.recent[last] = self.recent[0];
        self.recent[0] = Some(blocker);
    }

    /// Keeps what was found, and adds what this look took to the sums.
    pub fn finish(mut self) {
        self.known.blockers = self.recent;
        if self.effort.felt && self.searches {
            self.known.wait = WAIT;
        }
        self.scene.work.add_look(&self.effort);
    }
}

fn mover_between(scene: &Scene<'_>, from: Vec3, to: Vec3) -> Option<Blocker> {
    let way = Bounds { mins: from.min(to), maxs: from.max(to) };
    let resting = scene.movers.iter().enumerate();
    for (index, mover) in resting.filter(|(_, mover)| mover.hides() && mover.bounds.touches(&way)) {
        let placed = &mover.placement;
        let (from, to) = (placed.to_model(from), placed.to_model(to));
        match scene.clip.light_through_model(placed.model, from, to) {
            Light::Passes => {}
            Light::StoppedBy(occluder) => return Some(Blocker::Mover(index as u16, placed.model, occluder)),
            Light::StoppedByPatch => return Some(Blocker::Patch),
        }
    }
    None
}
