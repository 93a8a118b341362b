//! Where a player can be within a few hundred milliseconds, whatever its client commands.
//!
//! In: how it stands and moves now ([`Start`]), the map, and what else may move it ([`Outside`]). Out: a box that its origin does
//! not leave ([`Reach::origins`]). A theorem about [`pmove`](crate::pmove), not a guess: random usercmds run through the real
//! `pmove` on real maps are its test (`tests/tests/it/reach_fuzz.rs`). `server/docs/twoclock.md` has the argument.
//!
//! Velocity counts: who runs one way has to stop before it goes the other way. That holds as long as nothing turns it. What may be
//! touched is therefore looked at first ([`touch`](self)): an upright wall across an axis only stops, anything oblique turns, a floor
//! gives grip. Then whole walls that cover the box end it ([`clip`](self)).

mod around;
mod clip;
mod speed;
mod touch;
mod turn;

pub use around::Around;

use crate::collision::ClipMap;
use crate::math::{Bounds, Vec3, vec3};
use crate::openarena::{pm_flag, pm_type, powerup, weapon};
use crate::pmove::limits::{
    GRAPPLE_SPEED, JUMP_VELOCITY, STEP_SIZE, SWIM_SCALE, WATER_ACCELERATION, WATER_FRICTION,
    WATER_JUMP_VELOCITY,
};
use crate::proto::PlayerState;
use speed::{Fall, Hold, Pace, ROUNDING, flight, rounded_gravity};
use touch::{Near, Touch};
use turn::{Motion, turned};

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
    /// It leaps out of the water: gravity is taken twice from its speed until it falls.
    pub leaps: bool,
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
            leaps: ps.pm_flags & pm_flag::TIME_WATERJUMP != 0,
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
    /// What slopes add to that.
    climb: f32,
    /// Speed of a swimmer, who may jump after it. Unit: units/s.
    swims: f32,
    /// Speed at the beginning that contacts may make of the velocity, by level axis, toward lower and higher.
    begins: [[f32; 2]; 2],
    /// Speed with which the outside may carry it, along each axis, down and up.
    carried: [Vec3; 2],
    /// What is added to the height that it comes to.
    stairs: f32,
    /// Speed along the ground at the start, blows included.
    level: f32,
    /// What a landing on a slope may turn beside the fall itself, and what a slide may lose for being slow. Unit: units/s.
    aside: f32,
    loses: f32,
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
/// Share of its full speed that a swimmer at rest comes to, and a little more. Source: `pm_swimScale`.
const SWIMS: f32 = 0.6;
/// Levels of a liquid at which it is swum in, at least.
const SWUM: f32 = 2.0;
/// Speed along the ground out of the water. Unit: units/s. Source: `PM_CheckWaterJump`.
const WATER_JUMP_FORWARD: f32 = 200.0;
/// A slide that is left with less of its speed along its beginning is stopped: of the speed along a crease the root of so much times
/// all of it. Unit: units/s. Source: `PM_SlideMove`.
const SLOW: f32 = 0.1;
/// Times that a reach may grow until it holds.
const GROWS: usize = 8;
/// Times that is looked around, and how much farther than necessary, where a reach leads out of what was looked at.
const LOOKS: usize = 2;
const BEYOND: f32 = 32.0;
/// What steps may add to a height within the time that is looked at. Unit: world units.
const STAIRS: f32 = 128.0;

impl Reach {
    /// Looks at all that can be touched in up to `longest` seconds.
    pub fn new(clip: &ClipMap, start: &Start, outside: &Outside<'_>, longest: f32) -> Self {
        Self::among(&mut Around::default(), clip, start, outside, longest)
    }

    /// The same, with what was looked up of this map before. It makes no difference but to what it costs.
    pub fn among(
        surroundings: &mut Around,
        clip: &ClipMap,
        start: &Start,
        outside: &Outside<'_>,
        longest: f32,
    ) -> Self {
        let level = vec3(start.velocity.x, start.velocity.y, 0.0).length() + start.push;
        let mut gravity = rounded_gravity(start.gravity, start.rounds);
        if start.leaps {
            gravity[1] += start.gravity;
        }
        let pace = |hold: Hold| Pace::new(start.speed, level, hold, start.rounds, start.step, longest);
        let mut reach = Self {
            start: *start,
            pace: pace(Hold::Any),
            touch: Touch::anything(!start.passes_walls),
            gravity,
            lift: 0.0,
            lift_lasts: true,
            climb: 0.0,
            swims: 0.0,
            begins: [[0.0; 2]; 2],
            carried: [Vec3::ZERO; 2],
            stairs: 0.0,
            level,
            aside: 0.0,
            loses: 0.0,
            fall: (-start.velocity.z).max(0.0) + gravity[1].max(0.0) * (longest + start.step),
            settled_fall: 0.0,
            walls: Bounds { mins: Vec3::splat(f32::NEG_INFINITY), maxs: Vec3::splat(f32::INFINITY) },
            longest,
        };
        reach.settle();
        let around = reach.span(0.0, longest);
        reach.carry(outside, &around);
        let around = if reach.carried == [Vec3::ZERO; 2] { around } else { reach.span(0.0, longest) };
        if start.passes_walls {
            return reach;
        }
        // Steep stairs may lead higher than any speed does.
        let mut around = Bounds { maxs: around.maxs + vec3(0.0, 0.0, STAIRS), ..around };
        surroundings.look(clip, &around);
        let mut near = Near::look(surroundings, &around, outside.movers, start.flies);
        if !near.has_water() {
            reach.touch = Touch::anything(false);
            reach.settle();
        }
        if reach.carried == [Vec3::ZERO; 2] {
            let mut looks = 1;
            while let Some(beyond) = reach.grow(&near, &around, pace) {
                let grows = beyond.size() - around.size();
                if looks == LOOKS || beyond == around || grows.x.max(grows.y).max(grows.z) > BEYOND {
                    // It gets to where nothing has been looked at.
                    reach.stairs = STAIRS;
                    break;
                }
                looks += 1;
                around = around.union(beyond.grown(BEYOND));
                surroundings.look(clip, &around);
                near = Near::look(surroundings, &around, outside.movers, start.flies);
            }
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
    /// Until it first left that, a player would have touched nothing else, so it never leaves it. What it leads to, if it does not
    /// come to an end within `around`; then nothing is known.
    fn grow(&mut self, near: &Near<'_>, around: &Bounds, pace: impl Fn(Hold) -> Pace) -> Option<Bounds> {
        let unknown = self.clone();
        let held = near.holds(self.start.origin);
        let mut touch = Touch::nothing();
        let mut beyond = *around;
        for _ in 0..GROWS {
            self.touch = touch;
            self.pace = pace(if self.start.flies || self.start.hooked || touch.anything {
                Hold::Any
            } else if touch.water {
                Hold::Deep
            } else if touch.wet {
                Hold::Wet
            } else if touch.grips() {
                Hold::Ground
            } else {
                Hold::None
            });
            self.settle();
            let mut within = self.span(0.0, self.longest);
            if touch.blocks() {
                // What is in the way is tried from a step higher.
                within.maxs.z += STEP_SIZE;
            }
            if !around.encloses(&within) {
                beyond = within;
                break;
            }
            near.walls.close(&mut within, self.start.origin);
            self.fall = unknown.fall;
            self.limit_fall(self.start.origin.z - within.mins.z);
            let mut found = near.touched(&within, &touch);
            found.anything |= held;
            if found.faces().is_none() {
                // No better than nothing known, and not worth the search.
                break;
            }
            if found == touch && self.fall <= self.settled_fall {
                return None;
            }
            self.settled_fall = self.fall;
            touch = found;
        }
        *self = unknown;
        Some(beyond)
    }

    /// No fall is deeper than this.
    fn limit_fall(&mut self, drop: f32) {
        let begins = self.start.velocity.z.min(0.0);
        let gravity = self.gravity[1].max(0.0);
        let mut ends = (begins * begins + 2.0 * gravity * (drop + MARGIN).max(0.0)).sqrt();
        if self.start.leaps || self.touch.water {
            // The step in which a leap out of the water turns into a fall takes gravity twice.
            ends += gravity * self.start.step;
        }
        self.fall = self.fall.min(ends);
    }

    /// What it may come to by itself: how fast up, and how fast along each level axis after contacts.
    fn settle(&mut self) {
        let Self { start, touch, pace, fall, level, .. } = self;
        let whole = pace.most.hypot(*fall).max(start.velocity.z.abs());
        let (mut lift, mut lasts) = (0.0_f32, false);
        if touch.stands {
            // A fall may be turned upward where it ends, in the step in which the floor is seen and not yet felt.
            lift = JUMP_VELOCITY.max(if *fall > JUMP_VELOCITY { whole } else { 0.0 });
        }
        // What a fall loses at its end is speed along the ground. Along a face or crease of steepness c a rise loses no less than c²
        // of what it loses in a free flight, and is no faster than c² of it.
        let run = if touch.stands { whole } else { pace.most };
        self.climb = (whole * touch.climbs).max(run * touch.deflects[1]);
        self.swims = 0.0;
        if touch.water {
            lift = lift.max(if touch.ledges { WATER_JUMP_VELOCITY } else { 0.0 });
            self.swims = if touch.slopes() { whole } else { swims(start, start.velocity.z, self.longest) };
        }
        if touch.anything {
            lift = lift.max(JUMP_VELOCITY).max(whole * STEEPEST).max(self.swims);
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
        self.loses = if touch.meets_two() { (SLOW * whole).sqrt() } else { 0.0 };
        self.aside = touch.slopes_take(start.velocity, start.push, *level, *fall);
        // What goes up goes aside under an overhang.
        let highest = lift.max(self.climb).max(self.swims).max(start.velocity.z).max(0.0);
        // A fall that ends is part of the run anyway.
        let aside = if touch.anything {
            start.velocity.z.max(JUMP_VELOCITY)
        } else if touch.slopes() {
            highest.max(*fall)
        } else {
            0.0
        };
        let motion =
            Motion { velocity: start.velocity, upward: [-*fall, highest], whole: level.hypot(aside) };
        for axis in 0..2 {
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let mut along = Vec3::ZERO;
                along[axis] = sign;
                let begins = turned(&self.touch, &motion, along);
                let lost = if begins < 0.0 { self.loses.min(-begins) } else { 0.0 };
                self.begins[axis][side] = begins + lost + start.push;
            }
        }
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
        // What turns a fall into a run, where it lands.
        let falls = if touch.stands || touch.slopes() { self.fall } else { 0.0 };
        if start.hooked {
            return pace.most.hypot(falls).max(GRAPPLE_SPEED) * to;
        }
        let mut begin = self.begins[axis][usize::from(sign > 0.0)];
        if touch.water {
            // What a leap has upward goes aside under an overhang.
            let aside = if touch.ledges && touch.slopes() { WATER_JUMP_VELOCITY } else { 0.0 };
            begin = begin.max(WATER_JUMP_FORWARD.hypot(aside));
        }
        let fall = Fall {
            speed: (-start.velocity.z).clamp(0.0, falls),
            gains: if falls > 0.0 { self.gravity[1].max(0.0) } else { 0.0 },
            most: falls,
            aside: self.aside,
        };
        let pace = pace.reaching(begin).landing(&fall);
        let farthest = |time: f32| pace.travel(begin, &fall, start.step, time);
        // In no time it comes nowhere.
        if from <= 0.0 { farthest(to).max(0.0) } else { farthest(from).max(farthest(to)) }
    }

    /// How far down and up it comes.
    fn heights(&self, from: f32, to: f32) -> [f32; 2] {
        let Self { start, touch, .. } = self;
        let upward = start.velocity.z;
        let [mut low, mut high] = self.flies(upward, [from, to]);
        if touch.ceilings || touch.grips() || touch.slopes() {
            // Whatever stops it: from then on it falls.
            low = low.min(flight(upward.min(0.0), self.gravity, [from, to])[0]);
        }
        let whole = self.pace.most.hypot(self.fall);
        let mut fastest = 0.0_f32;
        if touch.slopes() {
            let run = if touch.stands { whole } else { self.pace.most };
            let share = if touch.anything { STEEPEST } else { touch.deflects[0] };
            fastest = (whole * touch.climbs).max((-upward).max(0.0) + run * share);
        }
        if touch.water {
            let sinks = if touch.slopes() { self.swims } else { swims(start, -upward, self.longest) };
            fastest = fastest.max(sinks);
        }
        if start.flies || start.hooked {
            fastest = fastest.max(self.lift);
        }
        if fastest > 0.0 {
            low = low.min(flight(-fastest, self.gravity, [from, to])[0]);
        }
        let highest = flight(start.velocity.z, self.gravity, [0.0, to])[1].max(0.0);
        if touch.sticks() {
            // What is stopped by several faces at once falls anew from where that is.
            high = high.max(highest);
        }
        if self.loses > 0.0 {
            low -= self.loses * to;
            let falls_anew = self.loses + self.gravity[1].max(0.0) * start.step;
            if upward > -falls_anew {
                high = high.max(highest.min(high + falls_anew * to));
            }
        }
        if self.lift.max(self.climb).max(self.swims) > 0.0 {
            let over = if touch.slopes() { STEP_SIZE } else { 0.0 };
            high = high.max(self.climbed(highest + over, to) + self.stairs);
        }
        [low, high]
    }

    /// How far a flight leads down and up. Shallow liquids slow it, both ways: that is less gravity for a fall and more for a rise,
    /// by the share of the greatest speed of either, and what a step takes is missing for all of it.
    fn flies(&self, upward: f32, span: [f32; 2]) -> [f32; 2] {
        let [weak, strong] = self.gravity;
        if !self.touch.wet {
            return flight(upward, self.gravity, span);
        }
        let (rise, fall) = (WATER_FRICTION * upward.max(0.0), WATER_FRICTION * self.fall);
        let half_step = 0.5 * self.start.step;
        let low = flight(upward - rise * half_step, [weak, strong + rise], span)[0];
        let high = flight(upward + fall * half_step, [weak - fall, strong], span)[1];
        [low, high]
    }

    /// How far up it comes by itself from where it stands.
    fn rise(&self, seconds: f32) -> f32 {
        let climbs = self.climb * seconds;
        if self.lift_lasts {
            return climbs + self.lift * seconds;
        }
        // It swims until a flight would be slower.
        let flies = ((self.lift - self.swims) / self.gravity[0].max(1.0)).clamp(0.0, seconds);
        let flies = if self.swims > 0.0 { flies } else { seconds };
        climbs + flight(self.lift, self.gravity, [0.0, flies])[1] + self.swims * (seconds - flies)
    }

    /// The highest that steps lead to, as `high` from the start on. Of a step all but [`STEP_SIZE`] has to be jumped, and all jumps
    /// together rise no higher than one that lasts.
    fn climbed(&self, highest: f32, seconds: f32) -> f32 {
        let (rise, jumps) = (self.rise(seconds), (self.lift.max(self.swims) + self.climb) * seconds);
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

/// How fast up or down somebody swims who is so fast that way now. What a stroke adds depends on the speed along it alone: one who is
/// fast the other way along the level may push for all of the time, and is slowed by its speed up or down.
fn swims(start: &Start, speed: f32, longest: f32) -> f32 {
    let speed = speed.max(0.0);
    let rounding = if start.rounds { ROUNDING } else { 0.0 };
    let slows = SWUM * WATER_FRICTION;
    let gain = WATER_ACCELERATION * SWIM_SCALE * start.speed + rounding;
    // A step adds all of its gain after its friction.
    let goal = gain / slows + gain * start.step;
    let share = (slows * start.step).min(0.9);
    let left = (1.0 - share).powf((longest + start.step) / start.step.max(0.001));
    let pushed = goal - (goal - speed) * left;
    pushed.max(SWIMS * start.speed).max(speed)
}
