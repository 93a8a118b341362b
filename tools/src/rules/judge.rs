//! One rule over one match: whom each snapshot of each client would tell of.
//!
//! A rule is one entry of [`RULES`](super::RULES): a name, a sentence, and a function that is shown one pair at one snapshot
//! ([`Look`]) and says whether the target is told. It may remember things about the pair ([`Memory`]). The server's own rules are
//! the exception: they are run by the server's own gates, with all that a server knows ([`house`](super::house)).
//!
//! Before any rule but "no filter" stands the potentially visible set, as it does in every engine that the rules come from.

use crate::audit::hull::body_of;
use crate::audit::record::Record;
use crate::audit::truth::PairTruth;
use crate::rules::house::House;
use crate::rules::lineup::Lineup;
use crate::rules::paths::{Paths, Stance};
use crate::rules::watch::{Condition, Watch};
use crate::rules::{How, Rule};
use fogline_common::collision::{ClipMap, Light, Occluder};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::contents;
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::TraceRequest;
use fogline_server::visibility::sight::ahead::{self, Course};
use fogline_server::visibility::twoclock::clock::Line;
use std::sync::Arc;

/// Box that collides, for moving a player ahead.
const COLLIDES: Bounds = Bounds { mins: vec3(-15.0, -15.0, -24.0), maxs: vec3(15.0, 15.0, 32.0) };
/// Gravity of the game. Unit: units/s².
const GRAVITY: f32 = 800.0;

/// One pair at one snapshot, as a server sees it.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The moment.
    pub now: ServerTime,
    /// Time to the client's next snapshot.
    pub period: Millis,
    /// The client's round trip.
    pub rtt: Millis,
    /// How far back the client was drawing when it made its newest usercmd.
    pub lag: Millis,
    /// Who looks.
    pub viewer: &'a Stance,
    /// Who may be told of.
    pub target: &'a Stance,
    /// What only who knows the future can say: a frame of the client will be drawn from this snapshot in which the target is in sight.
    pub will_be_seen: bool,
    clip: &'a ClipMap,
}

impl Look<'_> {
    /// Whether nothing solid is on the line. Glass that is solid counts, as it does for those who trace with a solid mask.
    pub fn clear(&self, from: Vec3, to: Vec3) -> bool {
        self.clip.trace(&TraceRequest::ray(from, to, contents::SOLID, None)).fraction >= 1.0
    }

    /// The volume that stops light on the line, if one does.
    pub fn occluder(&self, from: Vec3, to: Vec3) -> Option<Occluder> {
        match self.clip.light(from, to) {
            Light::StoppedBy(occluder) => Some(occluder),
            Light::Passes | Light::StoppedByPatch => None,
        }
    }

    /// Whether a volume alone stops light on the line.
    pub fn occludes(&self, occluder: Occluder, from: Vec3, to: Vec3) -> bool {
        self.clip.occludes(occluder, from, to)
    }

    /// The box of the target as it stands.
    pub fn body(&self) -> Bounds {
        body_of(&self.target.stand)
    }

    /// How far a player comes in `seconds` if it goes on as now, sliding along walls.
    pub fn way(&self, stance: &Stance, seconds: f32) -> Vec3 {
        let course = Course {
            origin: stance.stand.origin,
            bounds: COLLIDES,
            velocity: stance.velocity,
            gravity: if stance.on_ground { 0.0 } else { GRAVITY },
        };
        ahead::way(self.clip, &course, seconds)
    }
}

/// What a rule remembers of one pair.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Told until then, whatever is found.
    pub until: ServerTime,
    /// Volumes that hid the target lately.
    pub occluders: [Option<Occluder>; 3],
    /// Chance, by seed.
    pub rng: fastrand::Rng,
}

impl Memory {
    fn new(seed: u64) -> Self {
        Self { until: ServerTime(i32::MIN), occluders: [None; 3], rng: fastrand::Rng::with_seed(seed) }
    }

    /// Tells on for `span` after each sighting.
    pub fn hold(&mut self, sees: bool, now: ServerTime, span: Millis) -> bool {
        if sees {
            self.until = now + span;
        }
        sees || now < self.until
    }
}

/// Everything that is the same for all rules.
pub struct Match<'a> {
    /// The map.
    pub clip: &'a Arc<ClipMap>,
    /// Where everybody went.
    pub paths: &'a Paths,
    /// How all are connected.
    pub condition: &'a Condition,
    /// What each client lived through. Shape: by player.
    pub watches: &'a [Watch],
    /// The truth of each pair. Shape: viewer by target, the viewer itself left empty.
    pub truths: &'a [Vec<PairTruth>],
}

/// Whom the snapshots tell of. Shape: by player, by index of its snapshots; a bit for each slot.
pub type Told = Vec<Vec<u64>>;

/// Runs a rule over the whole match.
pub fn run(rule: &Rule, game: &Match<'_>) -> Told {
    match rule.how {
        How::Everybody => game.watches.iter().map(|watch| vec![!0; watch.record.snapshots.len()]).collect(),
        How::House(set) => house(game, set, false),
        How::Floor(set) => house(game, set, true),
        How::Sketch(judge) => {
            let mut told = house(game, |config| config.sv_netoptimize = 0, false);
            sketch(game, judge, &mut told);
            told
        }
    }
}

/// By the server's own gates.
fn house(game: &Match<'_>, set: fn(&mut fogline_server::config::Config), floor: bool) -> Told {
    let mut house = House::new(game.clip.clone(), game.paths.players.len(), set, game.condition.fps);
    if floor {
        house = house.with_floor(game.condition.seed);
    }
    let mut told: Told = game.watches.iter().map(|watch| vec![0; watch.record.snapshots.len()]).collect();
    let mut next = vec![0; game.watches.len()];
    let mut lines = vec![Line::default(); game.watches.len()];
    let mut lineup: Vec<Lineup> = game.watches.iter().map(|_| Lineup::new(game.condition)).collect();
    // Frame by frame, since what is remembered is remembered in the order of time.
    while let Some(time) = soonest(game, &next) {
        for (viewer, watch) in game.watches.iter().enumerate() {
            lines[viewer] = lineup[viewer].line(watch, next[viewer], time);
        }
        house.freeze(time, game.paths, &lines);
        for (viewer, watch) in game.watches.iter().enumerate() {
            if watch.record.snapshots.get(next[viewer]).is_some_and(|snap| snap.time == time) {
                told[viewer][next[viewer]] = house.tell(watch.record.client);
                next[viewer] += 1;
            }
        }
    }
    told
}

fn soonest(game: &Match<'_>, next: &[usize]) -> Option<ServerTime> {
    let times = game.watches.iter().zip(next).filter_map(|(watch, next)| watch.record.snapshots.get(*next));
    times.map(|snap| snap.time).min()
}

/// Takes out whom the rule would not tell of.
fn sketch(game: &Match<'_>, judge: fn(&Look<'_>, &mut Memory) -> bool, told: &mut Told) {
    let condition = game.condition;
    for (viewer, watch) in game.watches.iter().enumerate() {
        for (target, path) in ClientNum::all(game.paths.players.len()).zip(&game.paths.players) {
            if target.index() == viewer {
                continue;
            }
            let bit = 1u64 << target.index();
            let needed = needed(&watch.record, &game.truths[viewer][target.index()]);
            let mut memory = Memory::new(condition.seed ^ (viewer as u64) << 32 ^ target.index() as u64);
            for (n, snap) in watch.record.snapshots.iter().enumerate() {
                let both = game.paths.players[viewer].known(snap.time.0).zip(path.known(snap.time.0));
                let tells = both.is_some_and(|(viewer, target)| {
                    told[watch.record.client.index()][n] & bit != 0
                        && judge(
                            &Look {
                                now: snap.time,
                                period: condition.period(),
                                rtt: Millis(condition.rtt_ms),
                                lag: Millis(watch.lags[n]),
                                viewer,
                                target,
                                will_be_seen: needed[n],
                                clip: game.clip,
                            },
                            &mut memory,
                        )
                });
                if !tells {
                    told[viewer][n] &= !bit;
                }
            }
        }
    }
}

/// For each snapshot, whether a frame is drawn from it in which the target is in sight.
fn needed(record: &Record, truth: &PairTruth) -> Vec<bool> {
    let mut needed = vec![false; record.snapshots.len()];
    let mut at = 0;
    for (frame, _) in record.frames.iter().zip(&truth.seen).filter(|(_, seen)| **seen) {
        while record.snapshots.get(at).is_some_and(|snap| snap.message < frame.message) {
            at += 1;
        }
        if let Some(needed) = needed.get_mut(at) {
            *needed = true;
        }
    }
    needed
}
