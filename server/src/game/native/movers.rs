//! Brush models that move: they push what stands on them or in their way, and turn back or crush when they cannot.
//!
//! Doors, buttons and plats go between two places on demand; the rest follow a trajectory for ever. A team moves as one: when
//! one part is blocked, all wait. Source: `G_RunMover`, `G_MoverTeam`, `G_MoverPush`, `G_TryPushingEntity`.

use super::NativeGame;
use super::combat::Damage;
use super::entity::{Kind, Think};
use super::trains::Train;
use crate::game::Host;
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3, YAW, angle_to_short, angle_vectors, vec3};
use fogline_common::openarena::{entity_flag, entity_type, event, means_of_death, stat, trajectory};
use fogline_common::proto::{Trajectory, contents, mask, sv_flag};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::TraceRequest;

/// Damage of a mover that nothing stops.
const CRUSH_ALL: i32 = 99_999;
/// Movers answer this much after being set going, so that all clients see the start.
pub(super) const START_DELAY: Millis = Millis(50);

/// What a mover is, and where it is on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    /// What sets it going.
    pub(super) kind: MoverKind,
    /// Where it is on its way.
    pub(super) state: MoverState,
    /// Where it rests.
    pub(super) start: Vec3,
    /// Where it goes.
    pub(super) end: Vec3,
    /// How long it stays there before it returns. Unit: ms; below 0 for ever.
    pub(super) wait_ms: i32,
    /// What it costs to be in its way. Unit: points.
    pub(super) damage: i32,
    /// It presses on against what blocks it.
    pub(super) crusher: bool,
    /// Its area portal stays open, since its rest is the open place.
    pub(super) portal_always_open: bool,
    /// Sound indices by state: of setting off, arriving, setting off back, being back.
    pub(super) sounds: MoverSounds,
    /// Who set it going.
    pub(super) activator: Option<EntityNum>,
    /// Where on its path it is, if it is a train.
    pub(super) train: Option<Train>,
}

/// Sound indices of a mover; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MoverSounds {
    /// Setting off.
    pub(super) opening: i32,
    /// Arriving.
    pub(super) opened: i32,
    /// Setting off back.
    pub(super) closing: i32,
    /// Being back.
    pub(super) closed: i32,
    /// While moving.
    pub(super) moving: i32,
}

/// What sets a mover going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoverKind {
    /// Who comes near, who fires it, or a shot.
    Door,
    /// Who touches it, or a shot.
    Button,
    /// Who stands on it.
    Plat,
    /// Itself.
    Engine,
    /// Itself, along a path.
    Train,
}

/// Where a mover is on its way. Source: `moverState_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoverState {
    /// At rest.
    AtStart,
    /// On the way out.
    Opening,
    /// There.
    AtEnd,
    /// On the way back.
    Closing,
}

/// Where something was before it was pushed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushed {
    num: EntityNum,
    base: Vec3,
    angles: Vec3,
    player_origin: Vec3,
    delta_yaw: i32,
}

/// One step of one mover.
#[derive(Clone, Copy)]
struct Step {
    pusher: EntityNum,
    slide: Vec3,
    turn: Vec3,
}

impl NativeGame {
    /// One frame of a mover; the master moves its whole team. Source: `G_RunMover`.
    pub(super) fn run_mover(&mut self, host: &mut dyn Host, num: EntityNum) {
        if self.is_team_slave(num) {
            return;
        }
        let state = &self.entities[num].shared.state;
        if state.pos.kind != trajectory::STATIONARY || state.apos.kind != trajectory::STATIONARY {
            self.move_team(host, num);
        }
        self.run_think(host, num);
    }

    /// Whether another entity speaks for this one.
    pub(super) fn is_team_slave(&self, num: EntityNum) -> bool {
        self.entities[num].ties.team_master.is_some_and(|master| master != num)
    }

    /// Each of the team that `num` leads, itself first.
    pub(super) fn team_of(&self, num: EntityNum) -> impl Iterator<Item = EntityNum> + use<'_> {
        std::iter::successors(Some(num), |&at| self.entities[at].ties.team_next)
    }

    fn move_team(&mut self, host: &mut dyn Host, master: EntityNum) {
        let now = self.level.time;
        self.pushed.clear();
        let mut at = Some(master);
        while let Some(part) = at {
            let shared = &self.entities[part].shared;
            let step = Step {
                pusher: part,
                slide: shared.state.pos.at(now) - shared.link.origin,
                turn: shared.state.apos.at(now) - shared.link.angles,
            };
            if let Err(obstacle) = self.push(host, &step) {
                self.hold_team(host, master);
                self.blocked(host, master, obstacle);
                return;
            }
            at = self.entities[part].ties.team_next;
        }
        let mut at = Some(master);
        while let Some(part) = at {
            let pos = &self.entities[part].shared.state.pos;
            if pos.kind == trajectory::LINEAR_STOP && now.0 >= pos.time.wrapping_add(pos.duration) {
                self.mover_arrived(host, part);
            }
            at = self.entities.in_use(part).then(|| self.entities[part].ties.team_next).flatten();
        }
    }

    /// The whole team stays where it was a frame ago.
    fn hold_team(&mut self, host: &mut dyn Host, master: EntityNum) {
        let now = self.level.time;
        let lost: Millis = now - self.level.previous_time;
        let mut at = Some(master);
        while let Some(part) = at {
            let shared = &mut self.entities[part].shared;
            shared.state.pos.time += lost.0;
            shared.state.apos.time += lost.0;
            shared.link.origin = shared.state.pos.at(now);
            shared.link.angles = shared.state.apos.at(now);
            self.link(host, part);
            at = self.entities[part].ties.team_next;
        }
    }

    /// Moves one mover and all in its way, or nothing at all; the error names what blocks it.
    fn push(&mut self, host: &mut dyn Host, step: &Step) -> Result<(), EntityNum> {
        if step.slide == Vec3::ZERO && step.turn == Vec3::ZERO {
            return Ok(());
        }
        let link = &self.entities[step.pusher].shared.link;
        let turned = link.angles != Vec3::ZERO || step.turn != Vec3::ZERO;
        let (swept, arrived) = if turned {
            let radius = link.bounds.mins.abs().max(link.bounds.maxs.abs()).length();
            let there = Bounds::POINT.grown(radius).translated(link.origin + step.slide);
            (there, there)
        } else {
            let arrived = link.abs_bounds.translated(step.slide);
            (link.abs_bounds.union(arrived), arrived)
        };
        let first = self.pushed.len();
        self.unlink(host, step.pusher);
        let found = self.in_box(host, &swept);
        let link = &mut self.entities[step.pusher].shared.link;
        link.origin += step.slide;
        link.angles += step.turn;
        self.link(host, step.pusher);

        let mut obstacle = None;
        for &other in &found {
            if !self.is_in_the_way(host, step, &arrived, other) || self.try_push(host, step, other) {
                continue;
            }
            // What swings for ever cannot be stopped.
            if self.entities[step.pusher].shared.state.pos.kind == trajectory::SINE
                || self.entities[step.pusher].shared.state.apos.kind == trajectory::SINE
            {
                let crush = Damage::new(other, CRUSH_ALL, means_of_death::CRUSH);
                self.damage(host, &crush.by(step.pusher).with(step.pusher));
                continue;
            }
            obstacle = Some(other);
            break;
        }
        self.put_back(found);
        let Some(obstacle) = obstacle else { return Ok(()) };
        let link = &mut self.entities[step.pusher].shared.link;
        link.origin -= step.slide;
        link.angles -= step.turn;
        self.link(host, step.pusher);
        self.put_pushed_back(host, first);
        Err(obstacle)
    }

    /// Whether the mover, where it is now, concerns `other`.
    fn is_in_the_way(&self, host: &dyn Host, step: &Step, arrived: &Bounds, other: EntityNum) -> bool {
        let entity = &self.entities[other];
        if let Kind::Mine(mine) = entity.kind {
            return mine.sticks_to == Some(step.pusher);
        }
        if other == step.pusher || !matches!(entity.kind, Kind::Item(_) | Kind::Player(_) | Kind::Body) {
            return false;
        }
        if entity.shared.state.ground_entity == step.pusher.index() as i32 {
            return true;
        }
        let abs = &entity.shared.link.abs_bounds;
        let apart =
            (0..3).any(|axis| abs.mins[axis] >= arrived.maxs[axis] || abs.maxs[axis] <= arrived.mins[axis]);
        !apart && self.is_stuck(host, other)
    }

    /// Whether the entity stands in something solid. Source: `G_TestEntityPosition`.
    fn is_stuck(&self, host: &dyn Host, num: EntityNum) -> bool {
        let entity = &self.entities[num];
        let (at, stops) = match entity.kind {
            Kind::Player(client) => {
                let ps = &self.clients[client.index()].ps;
                let alive = ps.stats[stat::HEALTH as usize] > 0;
                (ps.origin, if alive { mask::PLAYERSOLID } else { mask::PLAYERSOLID & !contents::BODY })
            }
            _ => (entity.shared.state.pos.base, mask::SOLID),
        };
        let request = TraceRequest::sweep(at, at, entity.shared.link.bounds, stops, Some(num));
        host.trace(&self.entities, &request).start_solid
    }

    /// Takes `other` along. Whether it is out of the way now. Source: `G_TryPushingEntity`.
    fn try_push(&mut self, host: &mut dyn Host, step: &Step, other: EntityNum) -> bool {
        if let Kind::Mine(mine) = self.entities[other].kind {
            self.carry_mine(host, step, other, mine.trigger);
            return true;
        }
        let stops_at_all = self.entities[step.pusher].shared.state.flags & entity_flag::MOVER_STOP != 0;
        let rides = self.entities[other].shared.state.ground_entity == step.pusher.index() as i32;
        if stops_at_all && !rides {
            return false;
        }
        let old = self.remember(other);
        let around = self.entities[step.pusher].shared.link.origin;
        let offset = self.place_of(other) - around;
        let moved = step.slide + (turned(offset, step.turn) - offset);
        self.shift(other, moved, step.turn);
        if !rides {
            self.entities[other].shared.state.ground_entity = EntityNum::NONE_ON_WIRE;
        }
        if !self.is_stuck(host, other) {
            self.pushed.push(old);
            self.relink(host, other);
            return true;
        }
        // Perhaps it need not move at all: it may just slide off.
        self.restore(&old);
        if !self.is_stuck(host, other) {
            self.entities[other].shared.state.ground_entity = EntityNum::NONE_ON_WIRE;
            return true;
        }
        false
    }

    /// A mine goes wherever the mover goes that it sticks to, and the space around it too.
    fn carry_mine(&mut self, host: &mut dyn Host, step: &Step, mine: EntityNum, space: Option<EntityNum>) {
        let around = self.entities[step.pusher].shared.link.origin;
        for num in std::iter::once(mine).chain(space) {
            let old = self.remember(num);
            let offset = self.place_of(num) - around;
            self.shift(num, step.slide + (turned(offset, step.turn) - offset), step.turn);
            self.pushed.push(old);
            self.relink(host, num);
        }
    }

    fn place_of(&self, num: EntityNum) -> Vec3 {
        match self.entities[num].kind {
            Kind::Player(client) => self.clients[client.index()].ps.origin,
            _ => self.entities[num].shared.state.pos.base,
        }
    }

    fn remember(&self, num: EntityNum) -> Pushed {
        let state = &self.entities[num].shared.state;
        let ps = self.entities.client_of(num).map(|client| &self.clients[client.index()].ps);
        Pushed {
            num,
            base: state.pos.base,
            angles: state.apos.base,
            player_origin: ps.map_or(Vec3::ZERO, |ps| ps.origin),
            delta_yaw: ps.map_or(0, |ps| ps.delta_angles[YAW]),
        }
    }

    fn restore(&mut self, old: &Pushed) {
        let state = &mut self.entities[old.num].shared.state;
        state.pos.base = old.base;
        state.apos.base = old.angles;
        if let Some(client) = self.entities.client_of(old.num) {
            let ps = &mut self.clients[client.index()].ps;
            ps.origin = old.player_origin;
            ps.delta_angles[YAW] = old.delta_yaw;
        }
    }

    fn shift(&mut self, num: EntityNum, by: Vec3, turn: Vec3) {
        self.entities[num].shared.state.pos.base += by;
        if let Some(client) = self.entities.client_of(num) {
            let ps = &mut self.clients[client.index()].ps;
            ps.origin += by;
            // Who rides a turning mover turns with it.
            ps.delta_angles[YAW] += angle_to_short(turn[YAW]);
        }
    }

    fn relink(&mut self, host: &mut dyn Host, num: EntityNum) {
        self.entities[num].shared.link.origin = self.place_of(num);
        self.link(host, num);
    }

    fn put_pushed_back(&mut self, host: &mut dyn Host, first: usize) {
        while self.pushed.len() > first {
            if let Some(old) = self.pushed.pop() {
                self.restore(&old);
                self.relink(host, old.num);
            }
        }
    }

    /// Something is in a mover's way. Source: `Blocked_Door`.
    fn blocked(&mut self, host: &mut dyn Host, num: EntityNum, obstacle: EntityNum) {
        let Kind::Mover(mover) = self.entities[num].kind else { return };
        if self.entities.client_of(obstacle).is_none() {
            let origin = self.entities[obstacle].shared.link.origin;
            if matches!(self.entities[obstacle].kind, Kind::Body) {
                self.unlink(host, obstacle);
            } else if self.is_flag(obstacle) {
                self.return_flag(host, obstacle);
            } else {
                self.temporary_event(host, origin, event::ITEM_POP);
                self.free(host, obstacle);
            }
            return;
        }
        if mover.damage != 0 {
            let crush = Damage::new(obstacle, mover.damage, means_of_death::CRUSH);
            self.damage(host, &crush.by(num).with(num));
        }
        if !mover.crusher && !matches!(mover.kind, MoverKind::Engine | MoverKind::Train) {
            self.use_mover(host, num, Some(obstacle));
        }
    }

    /// A brush model of the map as a mover at rest. Source: `InitMover`.
    pub(super) fn init_mover(&mut self, host: &mut dyn Host, num: EntityNum, mover: Mover, speed: f32) {
        let entity = &mut self.entities[num];
        let speed = if speed > 0.0 { speed } else { 100.0 };
        let distance = (mover.end - mover.start).length();
        let state = &mut entity.shared.state;
        state.entity_type = entity_type::MOVER;
        state.pos = Trajectory {
            kind: trajectory::STATIONARY,
            time: 0,
            duration: ((distance * 1000.0 / speed) as i32).max(1),
            base: mover.start,
            delta: (mover.end - mover.start) * speed,
        };
        entity.shared.link.origin = mover.start;
        entity.shared.link.sv_flags = sv_flag::USE_CURRENT_ORIGIN;
        entity.kind = Kind::Mover(mover);
        self.link(host, num);
    }

    /// A mover is at a state of its way since `time`. Source: `SetMoverState`.
    pub(super) fn set_mover_state(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        to: MoverState,
        time: ServerTime,
    ) {
        let now = self.level.time;
        let entity = &mut self.entities[num];
        let Kind::Mover(mover) = &mut entity.kind else { return };
        mover.state = to;
        let (start, end) = (mover.start, mover.end);
        let pos = &mut entity.shared.state.pos;
        let per_second = 1000.0 / pos.duration as f32;
        let (kind, base, delta) = match to {
            MoverState::AtStart => (trajectory::STATIONARY, start, pos.delta),
            MoverState::AtEnd => (trajectory::STATIONARY, end, pos.delta),
            MoverState::Opening => (trajectory::LINEAR_STOP, start, (end - start) * per_second),
            MoverState::Closing => (trajectory::LINEAR_STOP, end, (start - end) * per_second),
        };
        *pos = Trajectory { kind, time: time.0, duration: pos.duration, base, delta };
        entity.shared.link.origin = pos.at(now);
        self.link(host, num);
    }

    /// Does something later.
    pub(super) fn think_after(&mut self, num: EntityNum, wait: Millis, think: Think) {
        self.entities[num].think = Some((self.level.time + wait, think));
    }
}

/// A point turned about the origin by these angles, as a mover takes it along.
fn turned(point: Vec3, angles: Vec3) -> Vec3 {
    if angles == Vec3::ZERO {
        return point;
    }
    let axes = angle_vectors(angles);
    // Rows of the turn's matrix are its forward, left and up.
    let (forward, left, up) = (axes.forward, -axes.right, axes.up);
    vec3(
        forward.x * point.x + left.x * point.y + up.x * point.z,
        forward.y * point.x + left.y * point.y + up.y * point.z,
        forward.z * point.x + left.z * point.y + up.z * point.z,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_takes_east_to_north() {
        let north = turned(vec3(10.0, 0.0, 5.0), vec3(0.0, 90.0, 0.0));
        assert!(north.distance(vec3(0.0, 10.0, 5.0)) < 1e-4, "{north:?}");
    }
}
