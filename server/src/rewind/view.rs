//! The world as one shooter drew it: a view over the present, never a change to it.

use super::history::{History, Pose};
use super::moment::Moment;
use super::movers::{Movers, box_of};
use crate::game::{EntityTable, SharedEntity};
use crate::world::World;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::entity_flag;
use fogline_common::proto::contents;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::trace::{Trace, TraceRequest};

/// The game's entities, with players and movers where a shooter drew them.
pub struct Rewound<'a> {
    /// The game's entities as they are.
    pub present: &'a dyn EntityTable,
    /// Where players were.
    pub history: &'a History,
    /// Where movers were.
    pub movers: &'a Movers,
    /// What the shooter drew.
    pub moment: &'a Moment,
    /// Players that the shooter was not shown may be hit, where they are now.
    pub unseen_may_be_hit: bool,
}

/// What one ray met on its way to an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Players left after the broad phase, a bit each.
    pub candidates: u64,
    /// Of those, players that the shooter had not been shown.
    pub unseen: u64,
}

impl Rewound<'_> {
    /// A player as it was drawn, or `None` if it was not, or is no longer the one that was drawn, or has no body left.
    pub fn drawn(&self, client: ClientNum) -> Option<Pose> {
        let present = self.present.get(client.entity());
        let pose = self.moment.pose(self.history, client)?;
        let is_same =
            present.link.linked && present.link.contents != 0 && self.is_same_life(client, &present, &pose);
        is_same.then_some(pose)
    }

    /// Whether the player that is here now lives (or lies dead in) the life that was drawn.
    ///
    /// The ring knows up to the last frame; since then a spawn shows by a dead body that lives again, or by its teleport.
    fn is_same_life(&self, client: ClientNum, present: &SharedEntity, drawn: &Pose) -> bool {
        let Some(last) = self.history.newest().and_then(|frame| self.history.pose(frame, client)) else {
            return false;
        };
        let teleported = (present.state.flags & entity_flag::TELEPORT_BIT != 0) != last.teleport_bit;
        let alive = present.link.contents & contents::BODY != 0;
        last.life == drawn.life && !(alive && (teleported || !last.alive))
    }

    /// Whether a number is one whose past this view knows.
    fn replaces(&self, num: EntityNum) -> bool {
        num.index() < MAX_CLIENTS || self.movers.has_moved(num)
    }

    /// How far a sweep comes in this world.
    ///
    /// Players and movers are found by where they were, since the world's sectors know only where they are. The broad phase
    /// compares the sweep with the box around each one's last moments.
    pub fn trace(&self, world: &World, request: &TraceRequest, tally: &mut Tally) -> Trace {
        let mut best = world.trace_except(self.present, request, |num| self.replaces(num));
        if best.fraction == 0.0 {
            return best;
        }
        let way = Segment::new(request, if best.fraction < 1.0 { best.end } else { request.end });
        let count = self.present.len();
        for num in self.movers.moved().filter(|num| num.index() < count) {
            let entity = self.get(num);
            let stand = super::movers::Stand { origin: entity.link.origin, angles: entity.link.angles };
            if entity.link.linked && way.meets(&box_of(&entity.link.bounds, &stand)) {
                world.clip(self.present, &mut best, &entity, num, request);
            }
        }
        let everybody = if self.unseen_may_be_hit { u64::MAX } else { self.moment.from_players };
        for client in ClientNum::all(MAX_CLIENTS.min(count)) {
            if !way.meets(self.history.reach(client)) {
                continue;
            }
            let bit = 1u64 << client.index();
            tally.candidates |= bit;
            if self.moment.from_players & bit == 0 && request.pass != Some(client.entity()) {
                tally.unseen |= bit;
            }
            if everybody & bit != 0 {
                world.clip(self.present, &mut best, &self.get(client.entity()), client.entity(), request);
            }
        }
        best
    }
}

impl EntityTable for Rewound<'_> {
    fn len(&self) -> usize {
        self.present.len()
    }

    fn get(&self, num: EntityNum) -> SharedEntity {
        let mut entity = self.present.get(num);
        if let Some(client) = ClientNum::new(num.index()) {
            match self.drawn(client) {
                Some(pose) => {
                    entity.link.origin = pose.origin;
                    entity.link.bounds = pose.bounds;
                    entity.link.contents = pose.contents;
                }
                None => {
                    let is_shown = self.moment.from_players >> client.index() & 1 != 0;
                    entity.link.linked &= self.unseen_may_be_hit && !is_shown;
                }
            }
        } else if self.movers.has_moved(num)
            && let Some(stand) = self.movers.stand(num, self.moment.from, self.moment.at)
        {
            entity.link.origin = stand.origin;
            entity.link.angles = stand.angles;
        }
        entity
    }
}

/// A sweep as the broad phase sees it: a line that is tested against boxes.
struct Segment {
    start: Vec3,
    way: Vec3,
    /// What the swept box adds to each side, and one unit.
    mins: Vec3,
    maxs: Vec3,
}

impl Segment {
    fn new(request: &TraceRequest, end: Vec3) -> Self {
        let one = Vec3::splat(1.0);
        Self {
            start: request.start,
            way: end - request.start,
            mins: request.bounds.maxs + one,
            maxs: one - request.bounds.mins,
        }
    }

    /// Whether the sweep comes within a unit of the box.
    fn meets(&self, bounds: &Bounds) -> bool {
        let (mut enter, mut leave) = (0.0f32, 1.0f32);
        for axis in 0..3 {
            let (low, high) = (bounds.mins[axis] - self.mins[axis], bounds.maxs[axis] + self.maxs[axis]);
            let (from, way) = (self.start[axis], self.way[axis]);
            if way.abs() < 1e-6 {
                if from < low || from > high {
                    return false;
                }
                continue;
            }
            let (a, b) = ((low - from) / way, (high - from) / way);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter <= leave
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn the_broad_phase_lets_no_touching_box_go() {
        let bounds = Bounds::new(vec3(100.0, -15.0, 0.0), vec3(130.0, 15.0, 56.0));
        let mut rng = fastrand::Rng::with_seed(4);
        let mut met = 0;
        for _ in 0..2000 {
            let mut point =
                || Vec3::new(rng.f32() * 300.0, rng.f32() * 200.0 - 100.0, rng.f32() * 120.0 - 30.0);
            let (start, end) = (point(), point());
            let request = TraceRequest::ray(start, end, contents::BODY, None);
            let trace = fogline_common::collision::trace_box(&bounds, Vec3::ZERO, contents::BODY, &request);
            let near = Segment::new(&request, end).meets(&bounds);
            assert!(near || !trace.hit(), "{start:?} {end:?}");
            met += u32::from(near);
        }
        assert!((100..1500).contains(&met), "{met}");
    }
}
