//! Where a player can be within a few hundred milliseconds, whatever its client commands.
//!
//! In: how it stands and moves now ([`Start`]), the map, and what else may move it ([`Outside`]). Out: a box that its origin does
//! not leave ([`Reach::origins`]). A theorem about [`pmove`](crate::pmove), not a guess: random usercmds run through the real
//! `pmove` on real maps are its test (`tests/tests/it/reach_fuzz.rs`). `server/docs/twoclock.md` has the argument.
//!
//! Velocity counts: who runs one way has to stop before it goes the other way. That holds as long as nothing turns it. What may be
//! touched is therefore looked at first ([`touch`](self)): an upright wall across an axis only stops, anything oblique turns, a floor
//! gives grip. Then whole walls that cover the box end it ([`clip`](self)).

mod clip;
mod speed;
mod touch;

use crate::collision::ClipMap;
use crate::math::{Bounds, Vec3, vec3};
use crate::openarena::{pm_flag, pm_type, powerup, weapon};
use crate::pmove::limits::{GRAPPLE_SPEED, JUMP_VELOCITY, STEP_SIZE, WATER_JUMP_VELOCITY};
use crate::proto::PlayerState;
use speed::{Fall, Pace, flight, rounded_gravity};
use touch::{Near, Side, Touch};

/// A standing player's box.
pub const STANDING: Bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
/// A ducked player's box.
pub const DUCKED: Bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 16.0));

/// How a player stands and moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Where it is.
    pub origin: Vec3,
    /// Unit: units/s.
    pub velocity: Vec3,
    /// Speed that a command can ask for, powerups included. Unit: units/s.
    pub speed: f32,
    /// Unit: units/s².
    pub gravity: f32,
    /// It flies, or goes through walls: up is a direction like any other.
    pub flies: bool,
    /// A hook pulls it, or may within the time.
    pub hooked: bool,
    /// Walls do not stop it.
    pub passes_walls: bool,
    /// The velocity is rounded to whole units after each step (`pmove_float` 0).
    pub rounds: bool,
    /// Longest step that its moves are made of. Unit: seconds.
    pub step: f32,
    /// What blows may add to its velocity within the time, in any direction. Unit: units/s.
    pub push: f32,
}

impl Start {
    /// Of a player's state. `step`: longest step of its moves, in seconds; `rounds`: `pmove_float` is off.
    pub fn of(ps: &PlayerState, step: f32, rounds: bool) -> Self {
        let has = |powerup: i32| ps.powerups[powerup as usize] != 0;
        let passes_walls = matches!(ps.pm_type, pm_type::NOCLIP | pm_type::SPECTATOR);
        Self {
            origin: ps.origin,
            velocity: ps.velocity,
            speed: ps.speed as f32,
            gravity: ps.gravity as f32,
            flies: passes_walls || has(powerup::FLIGHT),
            hooked: ps.pm_flags & pm_flag::GRAPPLE_PULL != 0 || ps.weapon == weapon::GRAPPLING_HOOK,
            passes_walls,
            rounds,
            step,
            push: 0.0,
        }
    }
}

/// What may move or stop a player besides the map.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outside<'a> {
    /// Jump pads: box of the trigger, and velocity that it gives.
    pub pads: &'a [(Bounds, Vec3)],
    /// Bodies and brush models: box, and how fast each part of the world may go. Unit: units/s.
    pub movers: &'a [(Bounds, f32)],
}

/// What a player can reach within some time.
#[derive(Clone, Debug)]
pub struct Reach {
    start: Start,
    pace: Pace,
    touch: Touch,
    gravity: [f32; 2],
    /// Greatest speed upward that it may get without falling, and whether gravity takes it back.
    lift: f32,
    lift_lasts: bool,
    /// Speed with which the outside may carry it, along each axis, down and up.
    carried: [Vec3; 2],
    /// What is added to the height that it comes to.
    stairs: f32,
    /// Speed along the ground at the start, blows included.
    level: f32,
    /// Greatest speed of a fall, and what it was taken for before.
    fall: f32,
    settled_fall: f32,
    /// No origin is outside of this at any time up to the longest.
    walls: Bounds,
    longest: f32,
}

/// Origins are rounded, and boxes stop short of what they hit. Unit: world units.
const MARGIN: f32 = 0.5;
/// Origins are so high above the floor that is stood on, at most.
const STANDS: f32 = 24.0 + 0.25;
/// Share of a speed that goes up or down along the steepest slope that carries; what does not carry turns at most half.
const STEEPEST: f32 = 0.7142;
/// Times that a reach may grow until it holds.
const GROWS: usize = 8;
/// What steps may add to a height within the time that is looked at. Unit: world units.
const STAIRS: f32 = 128.0;

impl Reach {
    /// Looks at all that can be touched in up to `longest` seconds.
    pub fn new(clip: &ClipMap, start: &Start, outside: &Outside<'_>, longest: f32) -> Self {
        let level = vec3(start.velocity.x, start.velocity.y, 0.0).length() + start.push;
        let gravity = rounded_gravity(start.gravity, start.rounds);
        let pace = |grips: bool| Pace::new(start.speed, level, grips, start.rounds, start.step, longest);
        let mut reach = Self {
            start: *start,
            pace: pace(true),
            touch: Touch::anything(),
            gravity,
            lift: 0.0,
            lift_lasts: true,
            carried: [Vec3::ZERO; 2],
            stairs: 0.0,
            level,
            fall: (-start.velocity.z).max(0.0) + gravity[1].max(0.0) * (longest + start.step),
            settled_fall: 0.0,
            walls: Bounds { mins: Vec3::splat(f32::NEG_INFINITY), maxs: Vec3::splat(f32::INFINITY) },
            longest,
        };
        reach.settle_lift();
        let around = reach.span(0.0, longest);
        reach.carry(outside, &around);
        let around = reach.span(0.0, longest);
        if start.passes_walls {
            return reach;
        }
        // Steep stairs may lead higher than any speed does.
        let around = Bounds { maxs: around.maxs + vec3(0.0, 0.0, STAIRS), ..around };
        let near = Near::look(clip, &around, outside.movers);
        if reach.carried == [Vec3::ZERO; 2] && !reach.grow(&near, &around, pace) {
            // It gets to where nothing has been looked at.
            reach.stairs = STAIRS;
        }
        reach.walls = reach.span(0.0, longest);
        near.walls.close(&mut reach.walls, start.origin);
        reach
    }

    /// A box around its origin at every moment from `from` to `to` seconds from now.
    pub fn origins(&self, from: f32, to: f32) -> Bounds {
        let to = to.min(self.longest);
        let open = self.span(from.clamp(0.0, to), to);
        let (mins, maxs) = (open.mins.max(self.walls.mins), open.maxs.min(self.walls.maxs));
        // Where it starts is never cut off, whatever was rounded.
        Bounds { mins: mins.min(maxs), maxs: maxs.max(mins) }
    }

    /// Longest time that can be asked about. Unit: seconds.
    pub fn longest(&self) -> f32 {
        self.longest
    }

    /// Finds the least that holds: what nothing touched allows, what is touched there, what that allows, until nothing is added.
    /// Until it first left that, a player would have touched nothing else, so it never leaves it. False if it does not come to an
    /// end within `around`; then nothing is known.
    fn grow(&mut self, near: &Near<'_>, around: &Bounds, pace: impl Fn(bool) -> Pace) -> bool {
        let unknown = self.clone();
        let mut touch = Touch::nothing();
        for _ in 0..GROWS {
            self.touch = touch;
            self.pace = pace(touch.grips() || self.start.flies || self.start.hooked);
            self.settle_lift();
            let mut within = self.span(0.0, self.longest);
            if touch.blocks() {
                // What is in the way is tried from a step higher.
                within.maxs.z += STEP_SIZE;
            }
            if !around.encloses(&within) {
                break;
            }
            near.walls.close(&mut within, self.start.origin);
            self.fall = unknown.fall;
            self.limit_fall(self.start.origin.z - within.mins.z);
            let found = near.touched(&within);
            if found == touch && self.fall <= self.settled_fall {
                return true;
            }
            self.settled_fall = self.fall;
            touch = found;
        }
        *self = unknown;
        false
    }

    /// No fall is deeper than this.
    fn limit_fall(&mut self, drop: f32) {
        let begins = self.start.velocity.z.min(0.0);
        let ends = (begins * begins + 2.0 * self.gravity[1].max(0.0) * (drop + MARGIN).max(0.0)).sqrt();
        self.fall = self.fall.min(ends);
    }

    /// How fast it may come to go up by itself.
    fn settle_lift(&mut self) {
        let Self { start, touch, pace, fall, .. } = self;
        let whole = (pace.most * pace.most + *fall * *fall).sqrt().max(start.velocity.z.abs());
        let (mut lift, mut lasts) = (0.0_f32, false);
        if touch.stands {
            // A fall may be turned upward where it ends, in the step in which the floor is seen and not yet felt.
            lift = JUMP_VELOCITY.max(if *fall > JUMP_VELOCITY { whole } else { 0.0 });
        }
        if touch.slopes {
            lift = lift.max(JUMP_VELOCITY).max(whole * STEEPEST);
            lasts = true;
        }
        if touch.water {
            lift = lift.max(WATER_JUMP_VELOCITY).max(whole);
            lasts = true;
        }
        if start.flies {
            lift = lift.max(whole);
            lasts = true;
        }
        if start.hooked {
            lift = lift.max(GRAPPLE_SPEED).max(whole);
            lasts = true;
        }
        (self.lift, self.lift_lasts) = (lift, lasts);
    }

    /// Notes what pads and movers may do.
    fn carry(&mut self, outside: &Outside<'_>, around: &Bounds) {
        let body = Bounds { mins: around.mins + STANDING.mins, maxs: around.maxs + STANDING.maxs }.grown(1.0);
        for (bounds, velocity) in outside.pads.iter().filter(|(bounds, _)| bounds.touches(&body)) {
            let _ = bounds;
            self.carried[0] = self.carried[0].min(*velocity);
            self.carried[1] = self.carried[1].max(*velocity);
        }
        let moving = outside.movers.iter().filter(|(_, speed)| *speed > 0.0);
        for (_, speed) in moving.filter(|(bounds, speed)| bounds.grown(*speed * self.longest).touches(&body))
        {
            self.carried[0] = self.carried[0].min(Vec3::splat(-*speed));
            self.carried[1] = self.carried[1].max(Vec3::splat(*speed));
        }
    }

    /// What movement allows in a span of time, walls apart.
    fn span(&self, from: f32, to: f32) -> Bounds {
        let start = &self.start;
        let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
        for axis in 0..2 {
            high[axis] = self.farthest(axis, 1.0, from, to);
            low[axis] = -self.farthest(axis, -1.0, from, to);
        }
        [low.z, high.z] = self.heights(from, to);
        let blown = start.push * to + MARGIN;
        for axis in 0..3 {
            low[axis] += self.carried[0][axis] * to - blown;
            high[axis] += self.carried[1][axis] * to + blown;
        }
        Bounds { mins: start.origin + low, maxs: start.origin + high }
    }

    /// How far it comes along a level axis, in the direction of `sign`.
    fn farthest(&self, axis: usize, sign: f32, from: f32, to: f32) -> f32 {
        let Self { start, pace, touch, .. } = self;
        let velocity = start.velocity[axis] * sign;
        // What turns a fall into a run, where it lands.
        let falls = if touch.stands || touch.slopes { self.fall } else { 0.0 };
        let side = touch.side(axis, sign);
        if start.hooked || touch.water {
            let whole = (pace.most * pace.most + falls * falls).sqrt();
            return whole.max(if start.hooked { GRAPPLE_SPEED } else { 0.0 }) * to;
        }
        // What goes up goes aside under an overhang, and along a slope it is part of the speed that is kept.
        let rises = match (side, touch.slopes, touch.overhangs && touch.stands) {
            (Side::Turns, _, true) => start.velocity.z.max(JUMP_VELOCITY),
            (Side::Turns, true, false) => start.velocity.z.max(0.0),
            _ => 0.0,
        };
        let begin = match side {
            Side::Free => velocity,
            Side::Stops => velocity.max(0.0),
            Side::Turns => self.level.hypot(rises),
        };
        let fall = Fall {
            speed: (-start.velocity.z).clamp(0.0, falls),
            gains: if falls > 0.0 { self.gravity[1].max(0.0) } else { 0.0 },
            most: falls,
        };
        let pace = Pace { most: pace.most.hypot(rises), ..*pace }.landing(&fall);
        let farthest = |time: f32| pace.travel(begin, &fall, start.step, time);
        farthest(from).max(farthest(to))
    }

    /// How far down and up it comes.
    fn heights(&self, from: f32, to: f32) -> [f32; 2] {
        let Self { start, touch, .. } = self;
        let mut upward = start.velocity.z;
        let [mut low, mut high] = flight(upward, self.gravity, [from, to]);
        if touch.ceilings || touch.stands || touch.slopes || touch.water {
            // Whatever stops it: from then on it falls.
            upward = upward.min(0.0);
            low = low.min(flight(upward, self.gravity, [from, to])[0]);
        }
        if touch.slopes || touch.water || start.flies || start.hooked {
            let share = if touch.water || start.flies || start.hooked { 1.0 } else { STEEPEST };
            let fastest =
                self.lift.max((self.pace.most * self.pace.most + self.fall * self.fall).sqrt() * share);
            low = low.min(flight(-fastest, self.gravity, [from, to])[0]);
        }
        if touch.sticks() {
            // What is stopped by several faces at once neither falls nor surely loses what it rises by.
            high = high.max(start.velocity.z.max(0.0) * to);
        }
        let highest = flight(start.velocity.z, self.gravity, [0.0, to])[1].max(0.0);
        if self.lift > 0.0 {
            let over = if touch.slopes { STEP_SIZE } else { 0.0 };
            high = high.max(self.climbed(highest + over, to) + self.stairs);
        }
        [low, high]
    }

    /// How far up it comes by itself from where it stands.
    fn rise(&self, seconds: f32) -> f32 {
        let lasting = self.lift * seconds;
        if self.lift_lasts { lasting } else { flight(self.lift, self.gravity, [0.0, seconds])[1] }
    }

    /// The highest that steps lead to, as `high` from the start on. Of a step all but [`STEP_SIZE`] has to be jumped, and all jumps
    /// together rise no higher than one that lasts.
    fn climbed(&self, highest: f32, seconds: f32) -> f32 {
        let (rise, jumps) = (self.rise(seconds), self.lift * seconds);
        let begin = self.start.origin.z + highest;
        let mut high = begin + rise;
        let steps = self.touch.steps();
        let mut used = [f32::INFINITY; touch::MOST_STEPS];
        for (at, &step) in steps.iter().enumerate() {
            let stands = step + STANDS + MARGIN;
            let jumped = |from: f32| (stands - from - STEP_SIZE).max(0.0);
            let before = steps[..at].iter().zip(&used).map(|(&from, used)| used + jumped(from + STANDS));
            used[at] = before.fold(jumped(begin), f32::min);
            if used[at] <= jumps {
                high = high.max(stands + rise.min(jumps - used[at]));
            }
        }
        high - self.start.origin.z
    }
}
