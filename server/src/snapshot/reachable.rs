//! Where every player may be while snapshots of this frame are drawn from, for mode 3: what of the world can move or stop them is
//! gathered here from the frozen states.

use super::frame::Captured;
use super::players::Seat;
use crate::visibility::twoclock::clock::Clock;
use crate::visibility::twoclock::sets::{Periods, Sets};
use crate::visibility::{Mover, Pose, Rules};
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, angle_vectors, vec3};
use fogline_common::openarena::{ITEMS, entity_type, item_type, powerup, trajectory, weapon};
use fogline_common::proto::{EntityState, Trajectory, mask};
use fogline_common::reach::{Outside, Reach, STANDING, Start};
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;

/// How far others may come towards one within the time. Unit: world units.
const OTHERS: f32 = 48.0;
/// A blow adds five units/s a point of damage, and no more than for this. Source: `G_Damage`, `g_knockback` 1000.
const SPEED_PER_POINT: f32 = 5.0;
const MOST_POINTS: f32 = 200.0;
/// Blows of several missiles at once are counted up to this. Unit: units/s.
const MOST_PUSH: f32 = 2000.0;
/// A player's box reaches so far from its origin, and it moves on while a missile flies. Unit: world units.
const BODY_REACH: f32 = 100.0;
/// Whose rocket ends nearer than this before its eye may jump by it. Unit: world units.
const ROCKET_JUMP: f32 = 200.0;

/// A powerup that is taken makes its bearer at most so much faster. Source: `ClientThink_real`: haste 1.3, scout 1.5.
const QUICKER: f32 = 1.5;
/// An item is taken from so far, origin to origin along each axis. Source: `BG_PlayerTouchesItem`.
const ITEM_REACH: f32 = 50.0;

/// What a powerup that lies about does to who takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gift {
    Speed,
    Wings,
}

/// Of an item of the table.
fn gift(item: i32) -> Option<Gift> {
    let item = usize::try_from(item).ok().and_then(|index| ITEMS.get(index))?;
    match (item.kind, item.tag) {
        (item_type::POWERUP, powerup::HASTE) | (item_type::PERSISTANT_POWERUP, powerup::SCOUT) => {
            Some(Gift::Speed)
        }
        (item_type::POWERUP, powerup::FLIGHT) => Some(Gift::Wings),
        _ => None,
    }
}

/// What a player with such a start may come to have within the time.
fn given(start: &Start, gifts: &[(Vec3, Gift)], seconds: f32) -> Start {
    let fastest =
        start.velocity.length() + start.push + QUICKER * start.speed + start.gravity.abs() * seconds;
    let near = Bounds::POINT.translated(start.origin).grown(fastest * seconds + ITEM_REACH);
    let mut then = *start;
    for (_, gift) in gifts.iter().filter(|(origin, _)| near.contains(*origin)) {
        match gift {
            Gift::Speed => then.speed = start.speed * QUICKER,
            Gift::Wings => then.flies = true,
        }
    }
    then
}

/// Points of damage, and how far from where it ends a missile does any. Source: `G_RunMissile` and the weapons of OpenArena.
const fn blast(weapon: i32) -> Option<(f32, f32)> {
    Some(match weapon {
        weapon::ROCKET_LAUNCHER | weapon::BFG => (100.0, 120.0),
        weapon::GRENADE_LAUNCHER | weapon::PROX_LAUNCHER => (100.0, 150.0),
        weapon::PLASMAGUN => (20.0, 20.0),
        weapon::NAILGUN => (20.0, 0.0),
        _ => return None,
    })
}

/// How fast any part of a brush model may go. One at rest keeps the velocity of its way in its state; one that has not moved since
/// the map began keeps its whole way times its speed, and the time that the way takes. Unit: units/s. Source: `InitMover`,
/// `SetMoverState`.
fn speed_of(state: &EntityState, bounds: &Bounds) -> f32 {
    let fastest = |motion: &Trajectory| {
        let amplitude = motion.delta.length();
        let duration = motion.duration.max(1) as f32 / 1000.0;
        match motion.kind {
            trajectory::SINE => amplitude * std::f32::consts::TAU / duration,
            trajectory::STATIONARY if motion.time == 0 => (amplitude / duration).sqrt(),
            _ => amplitude,
        }
    };
    fastest(&state.pos) + fastest(&state.apos).to_radians() * bounds.size().length()
}

/// Work space, kept from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Reachable {
    seats: Vec<Seat>,
    /// How long clients draw from a snapshot, those that follow another among them.
    periods: Vec<(ClientNum, Millis)>,
    pads: Vec<(Bounds, Vec3)>,
    movers: Vec<(Bounds, f32)>,
    /// Powerups that lie about.
    gifts: Vec<(Vec3, Gift)>,
    /// Way of each missile in the time, and its weapon.
    missiles: Vec<([Vec3; 2], i32)>,
}

impl Reachable {
    /// Another frame.
    pub(super) fn begin(&mut self) {
        self.seats.clear();
        self.periods.clear();
        self.pads.clear();
        self.movers.clear();
        self.gifts.clear();
        self.missiles.clear();
    }

    /// A client, and whether it has a player in the world.
    pub(super) fn seat(&mut self, seat: &Seat, in_world: bool, rules: &Rules) {
        self.periods.push((seat.player, Clock::new(&seat.line, &rules.limits).period));
        if in_world {
            self.seats.push(*seat);
        }
    }

    /// How long a client draws from a snapshot.
    pub(super) fn period(&self, client: ClientNum) -> Option<Millis> {
        self.periods.iter().find(|(of, _)| *of == client).map(|(_, period)| *period)
    }

    /// Works out the sets of all players.
    pub(super) fn settle(
        &mut self,
        entities: &[Captured],
        movers: &[Mover],
        poses: &mut [Option<Pose>],
        clip: &ClipMap,
        rules: &Rules,
    ) {
        let mut periods = Periods::default();
        for (_, period) in &self.periods {
            periods.insert(*period);
        }
        let longest = periods.as_slice().last().copied().unwrap_or(Millis(50));
        self.gather(entities, movers, longest.0 as f32 / 1000.0);
        let fixed = self.movers.len();
        self.movers.extend(
            self.seats.iter().map(|seat| (STANDING.translated(seat.state.origin).grown(OTHERS), 0.0)),
        );
        let power = if self.seats.iter().any(|seat| seat.state.powerups[powerup::QUAD as usize] != 0) {
            MOST_POINTS / 100.0
        } else {
            1.0
        };
        for index in 0..self.seats.len() {
            let seat = self.seats[index];
            let Some(pose) = poses.get_mut(seat.player.index()).and_then(Option::as_mut) else { continue };
            if pose.sees_all {
                continue;
            }
            let clock = Clock::new(&seat.line, &rules.limits);
            let spans = [clock.eye[1].0, longest.0 + clock.backlog.0];
            let mut start = Start::of(&seat.state, clock.step.0 as f32 / 1000.0, rules.rounds);
            start.push = self.blows(&seat, power, clip);
            // Everybody but itself is in its way.
            let last = self.movers.len() - 1;
            self.movers.swap(fixed + index, last);
            let outside = Outside { pads: &self.pads, movers: &self.movers[..last] };
            // What can be touched in less time turns it less.
            let reach = spans.map(|ms| {
                let seconds = ms as f32 / 1000.0;
                Reach::new(clip, &given(&start, &self.gifts, seconds), &outside, seconds)
            });
            self.movers.swap(fixed + index, last);
            pose.sets = Some(Sets::new(pose, seat.state.origin, &clock, &periods, &reach));
        }
    }

    fn gather(&mut self, entities: &[Captured], movers: &[Mover], seconds: f32) {
        for captured in entities {
            let (state, link) = (&captured.entity.state, &captured.entity.link);
            match state.entity_type {
                entity_type::PUSH_TRIGGER => self.pads.push((link.abs_bounds, state.origin2)),
                entity_type::MISSILE => {
                    let to = link.origin.mul_add(seconds, state.pos.delta);
                    self.missiles.push(([link.origin, to], state.weapon));
                }
                entity_type::ITEM => {
                    self.gifts.extend(gift(state.model_index).map(|gift| (link.origin, gift)));
                }
                _ => {}
            }
        }
        for (mover, entity) in
            movers.iter().zip(entities.iter().filter(|captured| captured.entity.link.brush_model))
        {
            if mover.contents & mask::PLAYERSOLID != 0 {
                self.movers.push((mover.bounds, speed_of(&entity.entity.state, &mover.bounds)));
            }
        }
    }

    /// What blows may add to a player's velocity: of missiles that may end near it, and of a rocket of its own. Unit: units/s.
    fn blows(&self, seat: &Seat, power: f32, clip: &ClipMap) -> f32 {
        let ps = &seat.state;
        let push = |points: f32| SPEED_PER_POINT * (points * power).min(MOST_POINTS);
        let near = |way: &[Vec3; 2], reach: f32| {
            let along = way[1] - way[0];
            let share = (ps.origin - way[0]).dot(along) / along.length_squared().max(1.0);
            let nearest = way[0].mul_add(share.clamp(0.0, 1.0), along);
            nearest.distance(ps.origin) <= reach + BODY_REACH
        };
        let mut sum = 0.0;
        for (way, weapon) in &self.missiles {
            if let Some((points, reach)) = blast(*weapon)
                && near(way, reach)
            {
                sum += push(points);
            }
        }
        if let Some((points, reach)) = blast(ps.weapon)
            && reach > 0.0
        {
            let forward = angle_vectors(ps.view_angles).forward;
            let eye = ps.eye();
            let request = TraceRequest::ray(eye, eye.mul_add(ROCKET_JUMP, forward), mask::SHOT, None);
            let ends = clip.trace(&request).fraction;
            if ends * ROCKET_JUMP <= reach + vec3(15.0, 15.0, 32.0).length() {
                sum += push(points);
            }
        }
        sum.min(MOST_PUSH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::proto::PlayerState;

    #[test]
    fn a_powerup_that_can_be_taken_counts_as_taken() {
        let ps = PlayerState { speed: 320, gravity: 800, ..PlayerState::default() };
        let start = Start::of(&ps, 0.008, false);
        let at = |x: f32, class: &str| {
            let item = ITEMS.iter().position(|item| item.class == class).unwrap();
            given(&start, &[(vec3(x, 0.0, 0.0), gift(item as i32).unwrap())], 0.1)
        };
        assert_eq!(at(90.0, "item_haste").speed, 480.0);
        assert_eq!(at(90.0, "item_scout").speed, 480.0);
        assert!(at(90.0, "item_flight").flies);
        // Out of reach.
        assert_eq!(at(150.0, "item_haste"), start);
        assert!(ITEMS.iter().enumerate().filter(|(n, _)| gift(*n as i32).is_some()).count() == 3);
        assert_eq!(gift(-1), None);
    }

    #[test]
    fn a_door_goes_as_fast_before_it_first_opens_as_after() {
        let (way, speed) = (124.0, 400.0);
        let duration = (way * 1000.0 / speed) as i32;
        let door = |time, delta| {
            let mut state = EntityState::default();
            state.pos = Trajectory { kind: trajectory::STATIONARY, time, duration, delta, ..state.pos };
            speed_of(&state, &Bounds::default())
        };
        let never_moved = door(0, vec3(way * speed, 0.0, 0.0));
        assert!((never_moved - speed).abs() < 1.0, "{never_moved}");
        assert!((door(5000, vec3(speed, 0.0, 0.0)) - speed).abs() < 1.0);
    }
}
