//! Flows over portals for pairs that nothing cheaper decides ([`Flow`]): one at a time, as many steps a frame as a share of the
//! budget pays for, the rest in later frames. Until it has come out a pair counts as in sight.
//!
//! A flow asks about boxes somewhat larger than those of the frame that it begins in. It is dropped once the two players have left
//! these, or nobody has asked about them for a while. While pairs wait for a search there are none: a search finds more in less time.
//! What is granted depends on nothing but the order of frames and pairs.

use super::budget::{Budget, Cost};
use crate::visibility::proof::{Flow, Flowing, Prover};
use crate::visibility::sight::Question;
use crate::visibility::{Life, Pose};
use fogline_common::ids::ClientNum;
use fogline_common::time::ServerTime;
use std::cell::RefCell;

/// One part in so many of a frame's budget is for flows.
const SHARE: i32 = 4;
/// A flow of which nobody has asked for so long is dropped. Unit: ms.
const FORGOTTEN_MS: i32 = 150;

/// Whose flow it is: who looks at whom, with whose eyes, in which lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    players: [ClientNum; 2],
    lives: [Life; 2],
    is_following: bool,
}

impl Owner {
    pub(super) fn new(viewer: &Pose, is_following: bool, target: &Pose) -> Self {
        let players = [viewer.player, target.player];
        Self { players, lives: [viewer.life, target.life], is_following }
    }
}

/// A flow that has not come out yet.
#[derive(Clone, Copy, Debug)]
struct Job {
    owner: Owner,
    question: Question,
    /// When it was worked at last.
    worked: ServerTime,
}

#[derive(Debug, Default)]
struct Bench {
    flow: Flow,
    job: Option<Job>,
}

/// What became of a pair's turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Turn {
    /// It has not come, or is not over.
    Later,
    /// These boxes are hidden from each other.
    Proved(Question),
    /// Nothing was found out.
    InVain,
}

/// The flow that is under way, and whose turn is next.
#[derive(Debug, Default)]
pub(in crate::visibility) struct Background {
    turns: Budget,
    bench: RefCell<Bench>,
}

impl Background {
    /// A frame begins, in which all searches may take `micros`.
    pub(in crate::visibility) fn begin(&self, micros: i32, now: ServerTime) {
        self.turns.begin(micros / SHARE, now);
    }

    /// A new map.
    pub(in crate::visibility) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Works at the flow of a pair if it is under way, or begins one if none is and it is the pair's turn: it had its last at `since`.
    pub(super) fn work_at(
        &self,
        prover: &Prover,
        owner: Owner,
        [asked, larger]: [&Question; 2],
        (since, now): (ServerTime, ServerTime),
        budget: &Budget,
    ) -> Turn {
        if budget.is_short() {
            return Turn::Later;
        }
        let Bench { flow, job } = &mut *self.bench.borrow_mut();
        let is_kept = |job: &Job| (0..FORGOTTEN_MS).contains(&(now - job.worked).0);
        *job = job.filter(is_kept);
        let question = match *job {
            Some(job) if job.owner == owner && job.question.encloses(asked) => job.question,
            Some(job) if job.owner != owner => return Turn::Later,
            _ => {
                let was_under_way = job.take().is_some();
                if was_under_way || !budget.has_left(now) || !self.turns.grants_flow(since, now) {
                    return if was_under_way { Turn::InVain } else { Turn::Later };
                }
                budget.spend(Cost::Flood);
                self.turns.spend(Cost::Flood);
                if !prover.begin_flow(&larger.eyes, &larger.bodies, flow) {
                    return Turn::InVain;
                }
                *larger
            }
        };
        let before = flow.steps();
        let steps = self.turns.left_for(Cost::Step, now).min(budget.left_for(Cost::Step, now));
        let found = prover.run_flow(flow, steps);
        for turns in [budget, &self.turns] {
            turns.spend_many(Cost::Step, flow.steps() - before);
        }
        *job = (found == Flowing::Unfinished).then_some(Job { owner, question, worked: now });
        match found {
            Flowing::Apart => Turn::Proved(question),
            Flowing::Joined => Turn::InVain,
            Flowing::Unfinished => Turn::Later,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::halls::{Halls, middle};
    use crate::visibility::proof::walls::wedges;
    use fogline_common::math::{Bounds, Vec3, vec3};

    fn owners() -> [Owner; 2] {
        let [a, b] = [1, 2].map(|n| Pose::at(ClientNum::new(n).unwrap(), Vec3::ZERO));
        [Owner::new(&a, false, &b), Owner::new(&b, false, &a)]
    }

    fn boxes(eye: Vec3, body: Vec3, half: f32) -> Question {
        let [eyes, bodies] = [eye, body].map(|at| Bounds::POINT.grown(half).translated(at));
        Question { eyes, bodies }
    }

    /// What the turns of an owner come to, frame by frame, `micros` being left for everything.
    fn turns(
        prover: &Prover,
        background: &Background,
        (owner, asked): (Owner, Question),
        frames: std::ops::Range<i32>,
        micros: i32,
    ) -> Vec<Turn> {
        let budget = Budget::default();
        let larger = Question { eyes: asked.eyes.grown(2.0), bodies: asked.bodies.grown(2.0) };
        let frame = |frame: i32| {
            let now = ServerTime(frame * 50);
            background.begin(1000, now);
            budget.begin(micros, now);
            background.work_at(prover, owner, [&asked, &larger], (ServerTime(0), now), &budget)
        };
        frames.map(frame).collect()
    }

    #[test]
    fn a_flow_goes_on_in_later_frames_and_the_others_wait_for_it() {
        let prover = Prover::build(Halls::new().world.clip_map().clone());
        let [first, second] = owners();
        let asked = boxes(middle(0), middle(3), 5.0);
        let background = Background::default();
        // One portal a frame: there are three on the way.
        let found = turns(&prover, &background, (first, asked), 1..4, 1);
        assert_eq!(found, [Turn::Later, Turn::Later, Turn::InVain]);
        assert_eq!(turns(&prover, &background, (first, asked), 4..5, 1), [Turn::Later]);
        assert_eq!(
            turns(&prover, &background, (second, asked), 5..6, 1000),
            [Turn::Later],
            "the first is at it"
        );
        // Nobody asks for the first any more.
        assert_eq!(turns(&prover, &background, (second, asked), 8..9, 1000), [Turn::InVain]);
        // It has left the boxes that it began with.
        assert_eq!(turns(&prover, &background, (first, asked), 9..10, 1), [Turn::Later]);
        let moved = boxes(middle(0), middle(3), 9.0);
        assert_eq!(turns(&prover, &background, (first, moved), 10..11, 1000), [Turn::InVain]);
    }

    #[test]
    fn what_is_proved_holds_for_the_larger_boxes_and_nothing_is_begun_without_a_budget() {
        let prover = Prover::build(wedges());
        let asked = boxes(vec3(0.0, 300.0, -250.0), vec3(0.0, 300.0, 100.0), 5.0);
        let larger = boxes(vec3(0.0, 300.0, -250.0), vec3(0.0, 300.0, 100.0), 7.0);
        let background = Background::default();
        assert_eq!(turns(&prover, &background, (owners()[0], asked), 1..2, 0), [Turn::Later]);
        assert_eq!(turns(&prover, &background, (owners()[0], asked), 2..3, 1000), [Turn::Proved(larger)]);
    }

    #[test]
    fn a_flow_waits_while_pairs_wait_for_a_search() {
        let prover = Prover::build(wedges());
        let asked = boxes(vec3(0.0, 300.0, -250.0), vec3(0.0, 300.0, 100.0), 5.0);
        let (background, budget) = (Background::default(), Budget::default());
        let frame = |number: i32, micros: i32, searches: bool| {
            let now = ServerTime(number * 50);
            background.begin(1000, now);
            budget.begin(micros, now);
            assert!(!searches || !budget.grants(ServerTime(0), now), "turned away");
            background.work_at(&prover, owners()[0], [&asked, &asked], (ServerTime(0), now), &budget)
        };
        assert_eq!(frame(1, 0, true), Turn::Later);
        assert_eq!(frame(2, 1000, false), Turn::Later, "somebody was turned away before");
        assert_eq!(frame(3, 1000, false), Turn::Proved(asked));
    }
}
