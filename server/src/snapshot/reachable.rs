//! Where every player may be while snapshots of this frame are drawn from, for mode 3: what of the world can move or stop them is
//! gathered here from the frozen states.

use super::frame::Captured;
use super::players::Seat;
use crate::visibility::twoclock::clock::Clock;
use crate::visibility::twoclock::sets::{Periods, Sets};
use crate::visibility::{Mover, Pose, Rules};
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::{ITEMS, entity_type, item_type, pm_type, powerup, stat, trajectory, weapon};
use fogline_common::pmove::reload_ms;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{EntityState, PlayerState, Trajectory, mask};
use fogline_common::reach::{Around, Outside, Reach, STANDING, Start};
use fogline_common::time::Millis;
use std::sync::Arc;

/// How far others may come towards one within the time. Unit: world units.
const OTHERS: f32 = 48.0;
/// A blow adds five units/s a point of damage, and no more than for this. Source: `G_Damage`, `g_knockback` 1000.
const SPEED_PER_POINT: f32 = 5.0;
const MOST_POINTS: f32 = 200.0;
/// Blows of several missiles at once are counted up to this. Unit: units/s.
const MOST_PUSH: f32 = 2000.0;
/// A player's box reaches so far from its origin, and it moves on while a missile flies. Unit: world units.
const BODY_REACH: f32 = 100.0;
/// A missile begins so much of its way before it is thrown. Source: `MISSILE_PRESTEP_TIME`.
const HEAD_START: Millis = Millis(50);
/// Nobody fires another weapon sooner than this after it changes. Source: `PM_FinishWeaponChange`.
const CHANGES_IN: Millis = Millis(250);

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

/// What missiles of a weapon do.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Blast {
    /// Damage of one.
    points: f32,
    /// How far from where it ends it does any. Unit: world units.
    reach: f32,
    /// Unit: units/s.
    speed: f32,
    /// Thrown at once.
    count: f32,
}

impl Blast {
    /// Of one missile. `power`: what multiplies its damage. Unit: units/s.
    fn push(&self, power: f32) -> f32 {
        SPEED_PER_POINT * (self.points * power).min(MOST_POINTS)
    }
}

/// Source: `G_RunMissile` and the weapons of OpenArena.
const fn blast(weapon: i32) -> Option<Blast> {
    let (points, reach, speed, count) = match weapon {
        weapon::ROCKET_LAUNCHER => (100.0, 120.0, 900.0, 1.0),
        weapon::BFG => (100.0, 120.0, 2000.0, 1.0),
        weapon::GRENADE_LAUNCHER | weapon::PROX_LAUNCHER => (100.0, 150.0, 700.0, 1.0),
        weapon::PLASMAGUN => (20.0, 20.0, 2000.0, 1.0),
        weapon::NAILGUN => (20.0, 0.0, 2355.0, 15.0),
        _ => return None,
    };
    Some(Blast { points, reach, speed, count })
}

/// The weapons that a player may throw missiles with within the time, whatever its commands.
fn throws(ps: &PlayerState, within: Millis, rules: &Rules) -> impl Iterator<Item = (i32, Blast)> {
    let may_change = rules.changes_weapons_at_once || within >= CHANGES_IN;
    let owned = ps.stats[stat::WEAPONS as usize];
    let plays = ps.pm_type == pm_type::NORMAL && ps.stats[stat::HEALTH as usize] > 0;
    let is_ready = move |weapon: i32| {
        let in_hand = weapon == ps.weapon && ps.weapon_time <= within.0;
        let loaded = ps.ammo.get(weapon as usize).is_some_and(|rounds| *rounds != 0);
        plays && loaded && (in_hand || may_change && owned >> weapon & 1 != 0)
    };
    let all = [
        weapon::ROCKET_LAUNCHER,
        weapon::BFG,
        weapon::GRENADE_LAUNCHER,
        weapon::PROX_LAUNCHER,
        weapon::PLASMAGUN,
        weapon::NAILGUN,
    ];
    all.into_iter()
        .filter(move |weapon| is_ready(*weapon))
        .filter_map(|weapon| Some((weapon, blast(weapon)?)))
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
    /// Way of each missile in the time, and what it does.
    missiles: Vec<([Vec3; 2], Blast)>,
    throwers: Vec<Thrower>,
    surroundings: Surroundings,
}

/// What lies around each player, on one map.
#[derive(Default)]
struct Surroundings {
    map: Option<Arc<ClipMap>>,
    /// Shape: by slot.
    of: Vec<Around>,
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}

impl Surroundings {
    /// What was looked up of another map is forgotten.
    fn stay_on(&mut self, clip: &Arc<ClipMap>) {
        if !self.map.as_ref().is_some_and(|map| Arc::ptr_eq(map, clip)) {
            self.map = Some(clip.clone());
            self.of.resize(MAX_CLIENTS, Around::default());
            self.of.iter_mut().for_each(Around::clear);
        }
    }
}

/// Who may throw missiles of a weapon within the time.
#[derive(Clone, Copy, Debug)]
struct Thrower {
    player: ClientNum,
    origin: Vec3,
    /// How far from where they end they do damage, and how far they fly before. Unit: world units.
    reach: f32,
    flies: f32,
    /// Of all of them together. Unit: units/s.
    push: f32,
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
        self.throwers.clear();
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
        clip: &Arc<ClipMap>,
        rules: &Rules,
    ) {
        self.surroundings.stay_on(clip);
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
        self.arm(longest, power, rules);
        for index in 0..self.seats.len() {
            let seat = self.seats[index];
            let Some(pose) = poses.get_mut(seat.player.index()).and_then(Option::as_mut) else { continue };
            if pose.sees_all {
                continue;
            }
            let clock = Clock::new(&seat.line, &rules.limits);
            let spans = [clock.eye[1].0, longest.0 + clock.backlog.0];
            let mut start = Start::of(&seat.state, clock.step.0 as f32 / 1000.0, rules.rounds);
            start.push = self.blows(&seat, power);
            // Everybody but itself is in its way.
            let last = self.movers.len() - 1;
            self.movers.swap(fixed + index, last);
            let outside = Outside { pads: &self.pads, movers: &self.movers[..last] };
            let around = &mut self.surroundings.of[seat.player.index()];
            // What can be touched in less time turns it less.
            let reach = spans.map(|ms| {
                let seconds = ms as f32 / 1000.0;
                Reach::among(around, clip, &given(&start, &self.gifts, seconds), &outside, seconds)
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
                    self.missiles.extend(blast(state.weapon).map(|blast| ([link.origin, to], blast)));
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

    /// Notes who may throw missiles until snapshots of this frame are drawn from no more: by commands that are on their way, which
    /// may look anywhere.
    fn arm(&mut self, longest: Millis, power: f32, rules: &Rules) {
        let throwers = self.seats.iter().flat_map(|seat| {
            let clock = Clock::new(&seat.line, &rules.limits);
            let within = Millis(longest.0 + clock.backlog.0 + clock.step.0);
            let (player, origin) = (seat.player, seat.state.origin);
            throws(&seat.state, within, rules).map(move |(weapon, blast)| {
                let times = 1 + within.0 / reload_ms(weapon, &seat.state).max(1);
                let flies = blast.speed * (longest.0 + HEAD_START.0) as f32 / 1000.0;
                let push = blast.push(power) * blast.count * times as f32;
                Thrower { player, origin, reach: blast.reach, flies, push }
            })
        });
        self.throwers.extend(throwers);
    }

    /// What blows may add to a player's velocity: of missiles that may end near it, and of those that it or another may throw. Unit:
    /// units/s.
    fn blows(&self, seat: &Seat, power: f32) -> f32 {
        let origin = seat.state.origin;
        let near = |way: &[Vec3; 2], reach: f32| {
            let along = way[1] - way[0];
            let share = (origin - way[0]).dot(along) / along.length_squared().max(1.0);
            let nearest = way[0].mul_add(share.clamp(0.0, 1.0), along);
            nearest.distance(origin) <= reach + BODY_REACH
        };
        let flying = self.missiles.iter().filter(|(way, blast)| near(way, blast.reach));
        let thrown = self.throwers.iter().filter(|thrower| match thrower.player == seat.player {
            // It is hit by the blast only.
            true => thrower.reach > 0.0,
            false => thrower.origin.distance(origin) <= thrower.flies + thrower.reach + 2.0 * BODY_REACH,
        });
        let pushes = flying.map(|(_, blast)| blast.push(power)).chain(thrown.map(|thrower| thrower.push));
        pushes.sum::<f32>().min(MOST_PUSH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::visibility::twoclock::clock::Line;
    use fogline_common::math::vec3;

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
    fn whoever_may_throw_a_missile_by_then_pushes_itself_wherever_it_looks() {
        let mut ps = PlayerState { speed: 320, weapon: weapon::ROCKET_LAUNCHER, ..PlayerState::default() };
        ps.stats[stat::HEALTH as usize] = 100;
        ps.stats[stat::WEAPONS as usize] = 1 << weapon::ROCKET_LAUNCHER | 1 << weapon::MACHINEGUN;
        ps.ammo[weapon::ROCKET_LAUNCHER as usize] = 5;
        let pushes = |ps: PlayerState, other: f32| {
            let line = Line { period: Millis(50), spacing: Millis(8), ..Line::default() };
            let seat = |n: usize, x: f32, state: PlayerState| Seat {
                player: ClientNum::new(n).unwrap(),
                connection: 1,
                state: PlayerState { origin: vec3(x, 0.0, 0.0), ..state },
                line,
            };
            let seats = vec![seat(0, 0.0, ps), seat(1, other, PlayerState::default())];
            let mut reachable = Reachable { seats, ..Reachable::default() };
            reachable.arm(Millis(50), 1.0, &Rules::new(&Config::default(), 0, 20));
            [0, 1].map(|n| reachable.blows(&reachable.seats[n], 1.0))
        };
        assert_eq!(pushes(ps, 300.0), [500.0, 500.0]);
        assert_eq!(pushes(ps, 500.0), [500.0, 0.0]);
        // It has just fired, it has another weapon in hand, it has none left.
        assert_eq!(pushes(PlayerState { weapon_time: 700, ..ps }, 300.0), [0.0, 0.0]);
        assert_eq!(pushes(PlayerState { weapon: weapon::MACHINEGUN, ..ps }, 300.0), [0.0, 0.0]);
        assert_eq!(pushes(PlayerState { ammo: [0; 16], ..ps }, 300.0), [0.0, 0.0]);
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
