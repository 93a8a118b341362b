//! How much of a question is settled by proof, so that no ray has to be cast for it.
//!
//! Asked in order of cost: what was proved before, for larger boxes; the same proof anew; the volume that has just stopped a ray;
//! any volume; the flood. What is proved is then tried for larger boxes, and kept for the frames to come.

use super::lines::{Blocker, Lines};
use crate::visibility::proof::{Proof, Prover, Solid, Space};
use fogline_common::math::Bounds;

/// Boxes are tried this much larger, the last that can be proved is kept. Unit: world units.
const SLACKS: [f32; 3] = [8.0, 16.0, 32.0];
/// The same for floods, which cost more.
const SEALED_SLACKS: [f32; 1] = [24.0];

/// Looks without a flood after one that did not keep the two apart: few do that no volume hides from each other.
const DRY: u8 = 8;
/// Proofs kept as they are after one that held for nothing larger.
const RIGID: u8 = 3;

/// Which part of a question is known to be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Settled {
    /// Nothing.
    Nothing,
    /// The target as it is, from where the viewer is.
    Present,
    /// That and the look-ahead of both.
    Whole,
}

/// Eyes and bodies: what is asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::visibility) struct Question {
    pub eyes: Bounds,
    pub bodies: Bounds,
}

impl Question {
    fn grown(&self, by: f32) -> Self {
        Self { eyes: self.eyes.grown(by), bodies: self.bodies.grown(by) }
    }

    /// Whether a proof for this is one for that.
    pub(in crate::visibility) fn encloses(&self, other: &Self) -> bool {
        self.eyes.encloses(&other.eyes) && self.bodies.encloses(&other.bodies)
    }

    /// The same lines the other way.
    pub(in crate::visibility) fn turned(&self) -> Self {
        Self { eyes: self.bodies, bodies: self.eyes }
    }
}

/// What is settled without looking.
pub(super) fn by_memory(whole: &Question, present: &Question, lines: &mut Lines<'_>) -> Settled {
    let Some(prover) = lines.prover else { return Settled::Nothing };
    let known = &lines.known;
    if known.hides(&whole.eyes, &whole.bodies) {
        return Settled::Whole;
    }
    let settled =
        if known.hides(&present.eyes, &present.bodies) { Settled::Present } else { Settled::Nothing };
    let Some(proof) = known.proof else { return settled };
    if known.scope == Settled::Whole || settled == Settled::Nothing {
        if holds(proof, whole, lines) {
            return keep(prover, proof, whole, Settled::Whole, lines);
        }
        if settled == Settled::Nothing && present != whole && holds(proof, present, lines) {
            return keep(prover, proof, present, Settled::Present, lines);
        }
        lines.known.scope = settled;
        if settled == Settled::Nothing {
            lines.known.proof = None;
        }
    }
    settled
}

/// What a search for proofs settles; `blocker` has just stopped a line. `settled` is settled already.
pub(super) fn by_search(
    whole: &Question,
    present: &Question,
    blocker: Option<Blocker>,
    settled: Settled,
    lines: &mut Lines<'_>,
) -> Settled {
    let Some(prover) = lines.prover else { return settled };
    if !lines.searches {
        return settled;
    }
    let fresh = blocker.and_then(|blocker| solid_of(prover, blocker));
    let floods = lines.known.dry == 0;
    for (scope, question) in [(Settled::Whole, whole), (Settled::Present, present)] {
        if scope <= settled || (scope == Settled::Present && present == whole) {
            break;
        }
        let sealed = || floods && prover.is_sealed(&question.eyes, &question.bodies, &mut lines.space());
        let proof = search(prover, fresh, question).map(Proof::By);
        if let Some(proof) = proof.or_else(|| sealed().then_some(Proof::Sealed)) {
            return keep(prover, proof, question, scope, lines);
        }
    }
    if floods {
        lines.known.dry = DRY;
    }
    settled
}

/// A volume that hides all of a question, the one that has just stopped a line first.
fn search(prover: &Prover, fresh: Option<Solid>, question: &Question) -> Option<Solid> {
    let Question { eyes, bodies } = question;
    fresh.filter(|&solid| prover.hides(solid, eyes, bodies)).or_else(|| prover.find_solid(eyes, bodies))
}

/// The volume of what stopped a line, if it belongs to the map.
pub(super) fn solid_of(prover: &Prover, blocker: Blocker) -> Option<Solid> {
    match blocker {
        Blocker::World(occluder) => prover.solid_of(occluder),
        Blocker::Mover(..) | Blocker::Patch => None,
    }
}

fn holds(proof: Proof, question: &Question, lines: &Lines<'_>) -> bool {
    lines.prover.is_some_and(|prover| holds_in(prover, proof, question, &mut lines.space()))
}

fn holds_in(prover: &Prover, proof: Proof, question: &Question, space: &mut Space) -> bool {
    let Question { eyes, bodies } = question;
    match proof {
        Proof::By(solid) => prover.hides(solid, eyes, bodies),
        Proof::Sealed => prover.is_sealed(eyes, bodies, space),
        // Not looked for in this mode.
        Proof::Crooked => false,
    }
}

/// Keeps a proof, for boxes as much larger as it still holds for. If these may include all of the viewer, it is kept for when the
/// target looks back as well.
fn keep(
    prover: &Prover,
    proof: Proof,
    question: &Question,
    scope: Settled,
    lines: &mut Lines<'_>,
) -> Settled {
    let slacks: &[f32] = if proof == Proof::Sealed { &SEALED_SLACKS } else { &SLACKS };
    let largest = |question: &Question, slacks: &[f32]| {
        let space = &mut lines.space();
        let larger = slacks.iter().map(|&by| question.grown(by));
        larger.take_while(|larger| holds_in(prover, proof, larger, space)).last()
    };
    // Most proofs hold for nothing larger.
    let rigid = lines.known.rigid > 0;
    let larger = if rigid { None } else { largest(question, &slacks[..1]) };
    let Some(larger) = larger else {
        lines.known.rigid = if rigid { lines.known.rigid - 1 } else { RIGID };
        lines.known.keep(*question, proof, scope);
        return scope;
    };
    if let Some(both) = lines.mutual(question, scope).and_then(|both| largest(&both, slacks)) {
        lines.known.keep(both, proof, scope);
        lines.keep_for_target(both.turned(), proof, scope);
    } else {
        let larger = largest(question, &slacks[1..]).unwrap_or(larger);
        lines.known.keep(larger, proof, scope);
    }
    scope
}
