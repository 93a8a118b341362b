//! The gate of `sv_netoptimize` 3: a player is withheld only if it is *proved* that no frame drawn from the snapshot can show it.
//!
//! The question: in all frames that the client draws until its next snapshot, is every line from wherever its own eye may be to
//! whatever may be drawn of the target stopped by the map? [`sets`] has the two boxes, made of what is measured of both lines
//! ([`clock`]) and of how players move (`fogline_common::reach`). [`proof`](super::proof) answers; what it does not is told.
//! Doors and platforms hide nothing here: they may open. `server/docs/twoclock.md` says why that is the exact question.
//!
//! In order of cost: a proof that still holds for larger boxes; the same proof anew; having been in sight a moment ago; volumes that
//! hid the pair before; a line that was open; the search for a proof, which is subject to a [`budget`]; a few more rays. What is found
//! of two players serves both ways of looking. Beyond the budget a pair counts as in sight.

mod background;
pub mod budget;
pub mod clock;
mod memory;
pub mod sets;
mod through;

use super::proof::{Proof, Prover};
use super::sight::{Question, is_entitled};
use super::{Cause, Mode, Pose, Scene, Target, Verdict, View};
pub(super) use background::Background;
use background::{Owner, Turn};
use budget::Cost;
use fogline_common::collision::Light;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::time::Millis;
pub(super) use memory::Memory;
use memory::{Known, Line};
pub use through::{Shown, shown};

/// Boxes are tried larger, the last that can be proved is kept: by so many units to each side, and by the way that the player goes in
/// so many seconds.
const SLACKS: [Slack; 4] = [Slack(4.0, 0.06), Slack(10.0, 0.1), Slack(20.0, 0.15), Slack(32.0, 0.3)];
/// The same for floods, which cost more.
const SEALED_SLACKS: [Slack; 3] = [Slack(8.0, 0.08), Slack(20.0, 0.25), Slack(36.0, 0.4)];
/// Rays that look for an open line where no proof was found, as shares of both boxes. Each search in vain has others.
const PROBES: [Line; 6] = [
    [vec3(0.02, 0.02, 0.9), vec3(0.5, 0.5, 0.9)],
    [vec3(0.98, 0.98, 0.9), vec3(0.5, 0.5, 0.9)],
    [vec3(0.5, 0.5, 0.98), vec3(0.02, 0.02, 0.9)],
    [vec3(0.02, 0.98, 0.9), vec3(0.5, 0.5, 0.5)],
    [vec3(0.98, 0.02, 0.9), vec3(0.5, 0.5, 0.5)],
    [vec3(0.5, 0.5, 0.98), vec3(0.98, 0.98, 0.9)],
];
/// So many of them after one search.
const PROBES_AT_ONCE: usize = 3;
/// The line between the middles.
const MIDDLES: Line = [vec3(0.5, 0.5, 0.5), vec3(0.5, 0.5, 0.5)];
/// Who was found in sight is not looked for again within this. Unit: ms.
const RECHECK_MS: i32 = 50;
/// A pair that nothing is found about is searched for again after this, and after twice as long each time. Unit: ms.
const WAITS_MS: i32 = 50;
/// Most times that a wait doubles.
const DOUBLES: u8 = 2;

/// And for flows, whose answer comes late.
const FLOW_SLACK: Slack = Slack(4.0, 0.06);
/// After a flow in vain the next comes no sooner. Unit: ms.
const FLOW_WAITS_MS: i32 = 150;

/// By how much boxes are larger than asked: units to each side, and seconds of the player's way.
#[derive(Clone, Copy, Debug)]
struct Slack(f32, f32);

/// Withholds a player of whom it is proved that it cannot be seen until the next snapshot. Anything else passes.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    if scene.rules.mode != Mode::Proved {
        return Verdict::Pass;
    }
    let (Some(watcher), Some(pose)) = (view.watcher, target.pose) else { return Verdict::Pass };
    if is_entitled(watcher, pose, scene.rules.teammates) {
        return Verdict::Send(Cause::Entitled);
    }
    if view.through_portal {
        let found = view
            .shown
            .as_ref()
            .map_or(Some(Cause::Unproved), |shown| through::found(shown, view, pose, scene));
        return found.map_or(Verdict::Pass, Verdict::Send);
    }
    let (Some(asked), Some(prover)) = (question(view, watcher, pose), scene.prover) else {
        return Verdict::Send(Cause::Unproved);
    };
    let mut known = scene.recall.twoclock.of(watcher, view.is_following, pose);
    let work = scene.work;
    let rays = work.rays.get();
    work.pairs.set(work.pairs.get() + 1);
    let found = if known.hides(&asked) {
        None
    } else {
        let back = back(view, watcher, pose);
        let owner = Some(Owner::new(watcher, view.is_following, pose));
        let players = [watcher, pose].map(Some);
        Pair { scene, prover, players, owner, asked, back, known: &mut known }.decide()
    };
    work.pairs_without_ray.set(work.pairs_without_ray.get() + u64::from(work.rays.get() == rays));
    found.map_or(Verdict::Pass, Verdict::Send)
}

/// How long a target stays told of after it could last be seen: until the next snapshot but one is due.
pub fn hold(view: &View<'_>) -> Option<Millis> {
    view.period.map(|period| Millis(period.0 + period.0 / 2))
}

/// Where the eyes may be, and where what is drawn of the target.
fn question(view: &View<'_>, watcher: &Pose, pose: &Pose) -> Option<Question> {
    Some(Question { eyes: eyes(view, watcher)?, bodies: bodies(view, pose)? })
}

/// Where the eyes may be.
fn eyes(view: &View<'_>, watcher: &Pose) -> Option<Bounds> {
    let viewer = watcher.sets.as_ref()?;
    if view.is_following { viewer.eye_from_outside(watcher, period(view)?) } else { Some(viewer.eye) }
}

/// What may be drawn of a target.
fn bodies(view: &View<'_>, target: &Pose) -> Option<Bounds> {
    target.sets.as_ref()?.body(period(view)?)
}

/// How long the client draws from a snapshot.
fn period(view: &View<'_>) -> Option<Millis> {
    view.period.or_else(|| Some(view.watcher?.sets.as_ref()?.clock.period))
}

/// The same for the target that looks back with its own eyes.
fn back(view: &View<'_>, watcher: &Pose, pose: &Pose) -> Option<Question> {
    let (viewer, target) = (watcher.sets.as_ref()?, pose.sets.as_ref()?);
    let bodies = viewer.body(target.clock.period).filter(|_| !view.is_following)?;
    Some(Question { eyes: target.eye, bodies })
}

/// One pair being looked at.
struct Pair<'a> {
    scene: &'a Scene<'a>,
    prover: &'a Prover,
    /// Who looks, and at whom. A face or its image stands for either as well, and stays where it is.
    players: [Option<&'a Pose>; 2],
    /// Whose flow over portals it may be; without one there is none.
    owner: Option<Owner>,
    asked: Question,
    back: Option<Question>,
    known: &'a mut Known,
}

impl Pair<'_> {
    /// Why the target is told of; `None` if it is hidden.
    fn decide(&mut self) -> Option<Cause> {
        if self.asked.eyes.touches(&self.asked.bodies) {
            return Some(Cause::Unproved);
        }
        if let Some(proof) = self.known.proof {
            if self.keep(proof, false) {
                return None;
            }
            self.known.lose_proof();
            if proof == Proof::Crooked && self.is_crooked() {
                return None;
            }
            if self.is_hidden_by_suspect() {
                return None;
            }
        }
        let (now, budget) = (self.scene.now, &self.scene.recall.budget);
        if is_within(now - self.known.sighted, RECHECK_MS) {
            return Some(Cause::InSight);
        }
        let wait = WAITS_MS << self.known.vain.min(DOUBLES);
        if self.known.vain > 0 && is_within(now - self.known.searched, wait) {
            let is_hidden = self.is_hidden_by_next_suspect() || self.is_crooked();
            return (!is_hidden).then_some(Cause::Unproved);
        }
        let was_in_sight = is_within(now - self.known.sighted, 2 * RECHECK_MS);
        if was_in_sight && budget.has_left(now) && self.is_in_plain_sight() {
            return Some(Cause::InSight);
        }
        if self.is_hidden_by_suspect() {
            return None;
        }
        if !budget.grants(self.known.searched, now) {
            return Some(Cause::OverBudget);
        }
        if !was_in_sight {
            if self.is_in_plain_sight() {
                return Some(Cause::InSight);
            }
            // What has just stopped the lines is among them now.
            if self.is_hidden_by_suspect() {
                return None;
            }
        }
        self.search()
    }

    /// Whether one of the volumes hides it that did before, or that stopped a line.
    fn is_hidden_by_suspect(&mut self) -> bool {
        let found = self.known.suspects().map(Proof::By).find(|&proof| self.holds(proof, &self.asked));
        found.is_some_and(|proof| self.keep(proof, true))
    }

    /// The same of one of them, another each time.
    fn is_hidden_by_next_suspect(&mut self) -> bool {
        let proof = self.known.next_suspect().map(Proof::By);
        proof.is_some_and(|proof| self.holds(proof, &self.asked) && self.keep(proof, true))
    }

    /// Looks along the line that was open last, and along those that are open most often.
    fn is_in_plain_sight(&mut self) -> bool {
        let now = self.scene.now;
        let open = |line: &Line, pair: &mut Self| {
            let open = pair.is_open(line);
            if open {
                pair.known.see(now, Some(*line));
            }
            open
        };
        if let Some(line) = self.known.line
            && open(&line, self)
        {
            return true;
        }
        // What both may look along is open for both.
        if let Some(line) = self.common()
            && self.is_open_between(line)
        {
            self.known.see(now, None);
            if let [Some(viewer), Some(target)] = self.players {
                self.scene.recall.twoclock.of(target, false, viewer).see(now, None);
            }
            return true;
        }
        open(&MIDDLES, self)
    }

    /// A line that both may look along: from where the viewer's eye and body may be to where the target's may.
    fn common(&self) -> Option<Line> {
        let back = self.back?;
        let shared = |a: Bounds, b: Bounds| {
            let shared = Bounds::new(a.mins.max(b.mins), a.maxs.min(b.maxs));
            (0..3).all(|axis| shared.mins[axis] <= shared.maxs[axis]).then(|| shared.center())
        };
        Some([shared(self.asked.eyes, back.bodies)?, shared(back.eyes, self.asked.bodies)?])
    }

    /// Looks for a proof, and if there is none for a line.
    fn search(&mut self) -> Option<Cause> {
        let Scene { now, work, recall, .. } = *self.scene;
        self.known.searched = now;
        work.searches.set(work.searches.get() + 1);
        let asked = self.asked;
        recall.budget.spend(Cost::Search);
        let found = self.prover.find_solid(&asked.eyes, &asked.bodies).map(Proof::By);
        // Where one flood found a way, the next is likely to.
        let floods = self.known.vain.is_multiple_of(2);
        let found = found.or_else(|| (floods && self.holds(Proof::Sealed, &asked)).then_some(Proof::Sealed));
        if let Some(proof) = found {
            self.keep(proof, true);
            return None;
        }
        let first = usize::from(self.known.vain) * PROBES_AT_ONCE;
        for line in PROBES.into_iter().cycle().skip(first % PROBES.len()).take(PROBES_AT_ONCE) {
            if self.is_open(&line) {
                self.known.see(now, Some(line));
                return Some(Cause::InSight);
            }
        }
        self.known.vain = self.known.vain.saturating_add(1);
        (!self.is_crooked()).then_some(Cause::Unproved)
    }

    /// Whether it turns out now that no line passes the portals between them.
    fn is_crooked(&mut self) -> bool {
        let Scene { now, recall, work, .. } = *self.scene;
        let Some(owner) = self.owner.filter(|_| !is_within(now - self.known.followed, FLOW_WAITS_MS)) else {
            return false;
        };
        let larger = self.grown(&self.asked, FLOW_SLACK);
        let boxes = [&self.asked, &larger];
        let since = (self.known.followed, now);
        let turn = recall.background.work_at(self.prover, owner, boxes, since, &recall.budget);
        work.flows.set(work.flows.get() + u64::from(turn != Turn::Later));
        match turn {
            Turn::Later => {}
            Turn::InVain => self.known.followed = now,
            Turn::Proved(question) => {
                work.flows_proved.set(work.flows_proved.get() + 1);
                self.known.keep(Proof::Crooked, question, 1);
            }
        }
        matches!(turn, Turn::Proved(_))
    }

    fn holds(&self, proof: Proof, asked: &Question) -> bool {
        let recall = self.scene.recall;
        match proof {
            Proof::By(solid) => {
                recall.budget.spend(Cost::Check);
                self.prover.hides(solid, &asked.eyes, &asked.bodies)
            }
            Proof::Sealed => {
                recall.budget.spend(Cost::Flood);
                self.prover.is_sealed(&asked.eyes, &asked.bodies, &mut recall.space.borrow_mut())
            }
            // Takes too long to be asked for just so.
            Proof::Crooked => false,
        }
    }

    /// Keeps a proof for boxes as much larger as it holds for, and if these may include all of the viewer, for the look back too. What
    /// it held for last is tried first, and the time after a little more: as a rule nothing else need be. False if it does not
    /// hold for what is asked, unless that `is_known`.
    fn keep(&mut self, proof: Proof, is_known: bool) -> bool {
        let slacks: &[Slack] = if proof == Proof::Sealed { &SEALED_SLACKS } else { &SLACKS };
        let both = self.back.map(|back| Question {
            eyes: self.asked.eyes.union(back.bodies),
            bodies: self.asked.bodies.union(back.eyes),
        });
        let other = match (both, self.players) {
            (Some(_), [Some(viewer), Some(target)]) => {
                Some(self.scene.recall.twoclock.of(target, false, viewer))
            }
            _ => None,
        };
        let first = slacks.len().min(usize::from(self.known.tries));
        let mut is_known = is_known;
        for many in (1..=first).rev() {
            let larger = self.grown(&both.unwrap_or(self.asked), slacks[many - 1]);
            if self.holds(proof, &larger) {
                let next = if many == first { many + 1 } else { many };
                self.known.keep(proof, larger, next);
                if let Some(mut other) = other {
                    other.keep(proof, larger.turned(), next);
                }
                return true;
            }
            is_known = is_known || self.holds(proof, &self.asked);
            if !is_known {
                return false;
            }
        }
        let mut own = None;
        if let (Proof::By(solid), Some(mut other)) = (proof, other) {
            // A second flood would cost more than it saves.
            let larger = slacks.iter().rev().map(|slack| self.grown(&self.asked, *slack));
            own = larger.into_iter().find(|larger| self.holds(proof, larger));
            other.suspect(solid);
        }
        self.known.keep(proof, own.unwrap_or(self.asked), 1);
        true
    }

    /// Larger boxes. Not downward: whoever does not fall stays on the floor, and walls end there.
    fn grown(&self, asked: &Question, slack: Slack) -> Question {
        let Slack(by, seconds) = slack;
        let along = |bounds: Bounds, player: Option<&Pose>| {
            let Some(player) = player else { return bounds };
            let along = bounds.union(bounds.translated(player.velocity * seconds));
            let mut grown = along.grown(by);
            grown.mins.z = along.mins.z;
            grown
        };
        let [viewer, target] = self.players;
        Question { eyes: along(asked.eyes, viewer), bodies: along(asked.bodies, target) }
    }

    fn is_open(&mut self, line: &Line) -> bool {
        self.is_open_between([at(&self.asked.eyes, line[0]), at(&self.asked.bodies, line[1])])
    }

    /// Whether light passes between two points; what stops it may hide the pair.
    fn is_open_between(&mut self, [from, to]: [Vec3; 2]) -> bool {
        let Scene { clip, work, recall, .. } = *self.scene;
        work.rays.set(work.rays.get() + 1);
        recall.budget.spend(Cost::Ray);
        match clip.light(from, to) {
            Light::Passes => true,
            Light::StoppedBy(occluder) => {
                if let Some(solid) = self.prover.solid_of(occluder) {
                    self.known.suspect(solid);
                }
                false
            }
            Light::StoppedByPatch => false,
        }
    }
}

/// Whether a span that began in this match is shorter than so many ms.
fn is_within(span: Millis, ms: i32) -> bool {
    (0..ms).contains(&span.0)
}

/// A place in a box, by shares of its sides.
fn at(bounds: &Bounds, shares: Vec3) -> Vec3 {
    let size = bounds.size();
    bounds.mins + vec3(size.x * shares.x, size.y * shares.y, size.z * shares.z)
}
