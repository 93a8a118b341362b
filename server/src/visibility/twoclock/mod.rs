//! The gate of `sv_netoptimize` 3: a player is withheld only if it is *proved* that no frame drawn from the snapshot can show it.
//!
//! The question: in all frames that the client draws until its next snapshot, is every line from wherever its own eye may be to
//! whatever may be drawn of the target stopped by the map? [`sets`] has the two boxes, made of what is measured of both lines
//! ([`clock`]) and of how players move (`fogline_common::reach`). [`proof`](super::proof) answers; what it does not is told.
//! Doors and platforms hide nothing here: they may open. `server/docs/twoclock.md` says why that is the exact question.
//!
//! In order of cost: a proof that still holds for larger boxes; the same proof anew; a line that was open; one ray between the
//! middles; the search for a proof, which is subject to a [`budget`]; a few more rays. Beyond the budget a pair counts as in sight.

pub mod budget;
pub mod clock;
mod memory;
pub mod sets;

use super::proof::{Proof, Prover};
use super::sight::is_entitled;
use super::{Cause, Mode, Pose, Scene, Target, Verdict, View};
use budget::Cost;
use fogline_common::collision::Light;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::time::Millis;
pub(super) use memory::Memory;
use memory::{Known, Line};

/// Boxes are tried this much larger, the first that can be proved is kept. Unit: world units.
const SLACKS: [f32; 3] = [24.0, 12.0, 4.0];
/// The same for floods, which cost more.
const SEALED_SLACKS: [f32; 1] = [16.0];
/// Rays that look for an open line where no proof was found, as shares of both boxes.
const PROBES: [Line; 6] = [
    [vec3(0.02, 0.02, 0.9), vec3(0.5, 0.5, 0.9)],
    [vec3(0.98, 0.98, 0.9), vec3(0.5, 0.5, 0.9)],
    [vec3(0.02, 0.98, 0.9), vec3(0.5, 0.5, 0.5)],
    [vec3(0.98, 0.02, 0.9), vec3(0.5, 0.5, 0.5)],
    [vec3(0.5, 0.5, 0.98), vec3(0.02, 0.02, 0.9)],
    [vec3(0.5, 0.5, 0.98), vec3(0.98, 0.98, 0.9)],
];
/// The line between the middles.
const MIDDLES: Line = [vec3(0.5, 0.5, 0.5), vec3(0.5, 0.5, 0.5)];
/// A pair that nothing is found about is searched for again after this, and after twice as long each time. Unit: ms.
const WAITS_MS: i32 = 50;
/// Most times that a wait doubles.
const DOUBLES: u8 = 2;

/// Withholds a player of whom it is proved that it cannot be seen until the next snapshot. Anything else passes.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    if scene.rules.mode != Mode::Proved {
        return Verdict::Pass;
    }
    let (Some(watcher), Some(pose)) = (view.watcher, target.pose) else { return Verdict::Pass };
    if is_entitled(watcher, pose, scene.rules.teammates) {
        return Verdict::Send(Cause::Entitled);
    }
    let boxes = boxes(view, watcher, pose);
    let (Some((eyes, bodies)), Some(prover)) = (boxes, scene.prover) else {
        return Verdict::Send(Cause::Unproved);
    };
    let mut pair = Pair {
        scene,
        prover,
        eyes,
        bodies,
        known: scene.recall.twoclock.of(watcher, view.is_following, pose),
    };
    let found = pair.decide();
    scene.recall.twoclock.keep(watcher, view.is_following, pose, pair.known);
    found.map_or(Verdict::Pass, Verdict::Send)
}

/// How long a target stays told of after it could last be seen: until the next snapshot but one is due.
pub fn hold(view: &View<'_>) -> Option<Millis> {
    view.period.map(|period| Millis(period.0 + period.0 / 2))
}

/// Where the eyes may be, and where what is drawn of the target.
fn boxes(view: &View<'_>, watcher: &Pose, pose: &Pose) -> Option<(Bounds, Bounds)> {
    // What a portal shows is seen from wherever the eye stands before it.
    if view.through_portal {
        return None;
    }
    let (viewer, target) = (watcher.sets.as_ref()?, pose.sets.as_ref()?);
    let period = view.period.unwrap_or(viewer.clock.period);
    let eyes = if view.is_following { viewer.eye_from_outside(watcher, period)? } else { viewer.eye };
    Some((eyes, target.body(period)?))
}

/// One pair being looked at.
struct Pair<'a> {
    scene: &'a Scene<'a>,
    prover: &'a Prover,
    eyes: Bounds,
    bodies: Bounds,
    known: Known,
}

impl Pair<'_> {
    /// Why the target is told of; `None` if it is hidden.
    fn decide(&mut self) -> Option<Cause> {
        let work = self.scene.work;
        work.pairs.set(work.pairs.get() + 1);
        if self.known.hides(&self.eyes, &self.bodies) {
            work.pairs_without_ray.set(work.pairs_without_ray.get() + 1);
            return None;
        }
        if self.eyes.touches(&self.bodies) {
            return Some(Cause::Unproved);
        }
        let budget = &self.scene.recall.budget;
        if let Some(proof) = self.known.proof {
            budget.spend(Cost::Check);
            if self.holds(proof, &self.eyes, &self.bodies) {
                self.keep(proof);
                return None;
            }
            self.known.proof = None;
            self.known.eyes = Bounds::EMPTY;
        }
        if let Some(line) = self.known.line {
            if self.is_open(&line) {
                return Some(Cause::InSight);
            }
            self.known.line = None;
        }
        if self.is_open(&MIDDLES) {
            self.known.line = Some(MIDDLES);
            self.known.vain = 0;
            return Some(Cause::InSight);
        }
        self.search()
    }

    /// Looks for a proof, and if there is none for a line.
    fn search(&mut self) -> Option<Cause> {
        let (now, budget) = (self.scene.now, &self.scene.recall.budget);
        let waited = now - self.known.searched;
        let wait = WAITS_MS << self.known.vain.min(DOUBLES);
        if self.known.vain > 0 && waited >= Millis(0) && waited < Millis(wait) {
            return Some(Cause::Unproved);
        }
        if !budget.grants(self.known.searched, now) {
            return Some(Cause::OverBudget);
        }
        self.known.searched = now;
        budget.spend(Cost::Search);
        let found = self.prover.find_solid(&self.eyes, &self.bodies).map(Proof::By).or_else(|| {
            budget.spend(Cost::Flood);
            let mut space = self.scene.recall.space.borrow_mut();
            self.prover.is_sealed(&self.eyes, &self.bodies, &mut space).then_some(Proof::Sealed)
        });
        if let Some(proof) = found {
            self.known.vain = 0;
            self.keep(proof);
            return None;
        }
        if let Some(line) = PROBES.into_iter().find(|line| self.is_open(line)) {
            self.known.line = Some(line);
            self.known.vain = 0;
            return Some(Cause::InSight);
        }
        self.known.vain = self.known.vain.saturating_add(1);
        Some(Cause::Unproved)
    }

    fn holds(&self, proof: Proof, eyes: &Bounds, bodies: &Bounds) -> bool {
        match proof {
            Proof::By(solid) => self.prover.hides(solid, eyes, bodies),
            Proof::Sealed => {
                let mut space = self.scene.recall.space.borrow_mut();
                self.prover.is_sealed(eyes, bodies, &mut space)
            }
        }
    }

    /// Keeps a proof, for boxes as much larger as it still holds for.
    fn keep(&mut self, proof: Proof) {
        let slacks: &[f32] = if proof == Proof::Sealed { &SEALED_SLACKS } else { &SLACKS };
        let larger = slacks.iter().find_map(|&by| {
            self.scene.recall.budget.spend(if proof == Proof::Sealed { Cost::Flood } else { Cost::Check });
            let grown = (self.eyes.grown(by), self.bodies.grown(by));
            self.holds(proof, &grown.0, &grown.1).then_some(grown)
        });
        let (eyes, bodies) = larger.unwrap_or((self.eyes, self.bodies));
        let known = &mut self.known;
        (known.eyes, known.bodies, known.proof, known.line) = (eyes, bodies, Some(proof), None);
    }

    fn is_open(&self, line: &Line) -> bool {
        let Scene { clip, work, recall, .. } = self.scene;
        work.rays.set(work.rays.get() + 1);
        recall.budget.spend(Cost::Ray);
        clip.light(at(&self.eyes, line[0]), at(&self.bodies, line[1])) == Light::Passes
    }
}

/// A place in a box, by shares of its sides.
fn at(bounds: &Bounds, shares: Vec3) -> Vec3 {
    let size = bounds.size();
    bounds.mins + vec3(size.x * shares.x, size.y * shares.y, size.z * shares.z)
}
