//! The world as one shooter drew it: a view over the present, never a change to it.

use super::broad::{Cone, Way, players};
use super::history::{History, Pose};
use super::moment::Moment;
use super::movers::Movers;
use crate::game::{EntityTable, SharedEntity};
use crate::world::{World, swept_box};
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

/// What one shot met on its way to an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Players left after the broad phase, a bit each.
    pub candidates: u64,
    /// Of those, players that the shooter had not been shown.
    pub unseen: u64,
}

/// Something that a shot may hit, where the shooter drew it.
#[derive(Clone, Debug)]
pub struct Target {
    num: EntityNum,
    entity: SharedEntity,
    /// Its box in the world.
    bounds: Bounds,
}

impl Rewound<'_> {
    /// A player as it was drawn, or `None` if it was not, or is no longer the one that was drawn, or has no body left.
    pub fn drawn(&self, client: ClientNum) -> Option<Pose> {
        self.pose_of(client, &self.present.get(client.entity()))
    }

    pub(super) fn pose_of(&self, client: ClientNum, present: &SharedEntity) -> Option<Pose> {
        if !present.link.linked || present.link.contents == 0 {
            return None;
        }
        let pose = self.moment.pose(self.history, self.movers, client)?;
        self.is_same_life(client, present, &pose).then_some(pose)
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

    /// How far the rays of one shot come in this world; `traces` has one place for each. What may be hit is looked for once for
    /// all of them. `targets` is room to work in.
    ///
    /// Players and movers are found by where they were, since the world's sectors know only where they are. The broad phase
    /// compares the shot with the box around each one's last moments.
    ///
    /// # Panics
    /// If there are fewer places than rays.
    pub fn trace_all(
        &self,
        world: &World,
        rays: &[TraceRequest],
        traces: &mut [Trace],
        targets: &mut Vec<Target>,
    ) -> Tally {
        let mut swept = Bounds::EMPTY;
        world.trace_map_all(rays, traces);
        for (ray, trace) in rays.iter().zip(&*traces) {
            swept = swept.union(swept_box(ray, reached(ray, trace)));
        }
        let near = match (rays, &*traces) {
            ([ray], [trace, ..]) => self.history.reach().met_by(&Way::new(ray, reached(ray, trace))),
            _ => Cone::around(rays).map_or(u64::MAX, |cone| self.history.reach().in_cone(&cone)),
        };
        let tally = self.gather(world, rays, &swept, near | self.out_of_reach(near), targets);
        for (ray, trace) in rays.iter().zip(traces) {
            let way = Way::new(ray, reached(ray, trace));
            let free = trace.fraction > 0.0;
            for target in targets.iter().filter(|target| free && way.meets(&target.bounds)) {
                world.clip(self.present, trace, &target.entity, target.num, ray);
            }
        }
        tally
    }

    /// Players that may be elsewhere than where they were at any frame, besides those that are `near` anyway: who was not shown is
    /// where it is now, and who is held on something that moves goes with it.
    fn out_of_reach(&self, near: u64) -> u64 {
        let unseen = if self.unseen_may_be_hit { !self.moment.from_players } else { 0 };
        let held = self.moment.from_players & !self.moment.to_players & !near;
        let is_carried = |client: &ClientNum| {
            let pose = self.history.pose(self.moment.from, *client);
            let ground = pose.and_then(|pose| EntityNum::new(usize::from(pose.ground)));
            ground.is_some_and(|num| self.movers.has_moved(num))
        };
        players(held).filter(is_carried).fold(unseen, |set, client| set | 1 << client.index())
    }

    /// Everything that may be hit within a box, and of players those that are `near`.
    fn gather(
        &self,
        world: &World,
        rays: &[TraceRequest],
        swept: &Bounds,
        near: u64,
        targets: &mut Vec<Target>,
    ) -> Tally {
        targets.clear();
        let (count, mask) = (self.present.len(), rays.iter().fold(0, |mask, ray| mask | ray.mask));
        let pass = rays.first().and_then(|ray| ray.pass);
        world.for_each_in_box(swept, |num| {
            if num.index() < count && !self.replaces(num) {
                let entity = self.present.get(num);
                if entity.link.contents & mask != 0 {
                    let bounds =
                        entity.link.abs_bounds.union(entity.link.bounds.translated(entity.link.origin));
                    targets.push(Target { num, entity, bounds });
                }
            }
        });
        for (num, bounds) in self.movers.moved(self.moment.from, self.moment.at) {
            if num.index() < count && bounds.touches(swept) {
                targets.push(Target { num, entity: self.get(num), bounds });
            }
        }
        let mut tally = Tally::default();
        for client in players(near).take_while(|client| client.index() < count) {
            let (num, bit) = (client.entity(), 1u64 << client.index());
            if pass == Some(num) {
                continue;
            }
            tally.candidates |= bit;
            let is_shown = self.moment.from_players & bit != 0;
            tally.unseen |= if is_shown { 0 } else { bit };
            if is_shown || self.unseen_may_be_hit {
                let entity = self.get(num);
                let bounds = entity.link.bounds.translated(entity.link.origin);
                targets.push(Target { num, entity, bounds });
            }
        }
        tally
    }
}

/// Where the map lets a ray come.
fn reached(ray: &TraceRequest, trace: &Trace) -> Vec3 {
    if trace.fraction < 1.0 { trace.end } else { ray.end }
}

impl EntityTable for Rewound<'_> {
    fn len(&self) -> usize {
        self.present.len()
    }

    fn get(&self, num: EntityNum) -> SharedEntity {
        let mut entity = self.present.get(num);
        if let Some(client) = ClientNum::new(num.index()) {
            match self.pose_of(client, &entity) {
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
