//! How fast a player can be and how far that takes it, along one axis, by the constants of movement alone.
//!
//! Every function is an upper bound over all usercmds. Steps of a move are not infinitely short: what a step adds to the velocity
//! moves the player for all of that step, so bounds run one step ahead of the clock.

use crate::pmove::limits::{
    AIR_ACCELERATION, FLIGHT_FRICTION, GROUND_ACCELERATION, GROUND_FRICTION, STOP_SPEED, WATER_FRICTION,
};

/// What bounds the movement along the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Gain of speed along a wish, before friction. Unit: units/s².
    gain: f32,
    /// Gain where there is no friction. Unit: units/s².
    air: f32,
    /// Share of a speed that friction takes while that gain is given, at least. Unit: 1/s.
    slows: f32,
    /// The same of a speed against the wish, at most, and the speed below which it takes as much as of that.
    brakes: f32,
    /// How much faster steps go about it than time does.
    haste: f32,
    /// No part of the velocity exceeds this. Unit: units/s.
    pub most: f32,
}

/// What a player may find to push against within the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nothing but the air.
    None,
    /// The ground, whose friction comes with its grip.
    Ground,
    /// Ground under a shallow liquid, whose friction comes on top.
    Wet,
    /// The same, or a deep one.
    Deep,
    /// A liquid, wings or a hook too.
    Any,
}

/// A fall that may end, and then turns into a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fall {
    /// Its speed now. Unit: units/s.
    pub speed: f32,
    /// What it gains. Unit: units/s².
    pub gains: f32,
    /// It is never faster.
    pub most: f32,
    /// Speed along the ground that a slope takes where it ends, and turns as well. Unit: units/s.
    pub aside: f32,
}

impl Fall {
    fn after(&self, seconds: f32) -> f32 {
        (self.speed + self.gains * seconds).min(self.most).hypot(self.aside)
    }
}

/// Square of the speed that circling on the ground leads to, in units of the square of the wish: what acceleration adds to it, twenty
/// times that of the wish a second, friction takes away again, twelve times its own.
const CIRCLING: f32 = 2.0 * GROUND_ACCELERATION / (2.0 * GROUND_FRICTION);
/// Without `pmove_float` each part of the velocity is rounded at each step, of which there may be one a ms. Unit: units/s².
pub(super) const ROUNDING: f32 = 500.0;
/// Levels of a liquid, each of which has its friction.
const DEEP: f32 = 3.0;
/// What a slide adds for being stopped twice by one plane, and other trifles. Unit: units/s.
const NUDGE: f32 = 4.0;

impl Pace {
    /// Of a player with so much speed along the ground, for `seconds`.
    pub(super) fn new(speed: f32, along: f32, hold: Hold, rounds: bool, step: f32, seconds: f32) -> Self {
        let time = seconds + step;
        let grips = hold != Hold::None;
        // Squares of speed, in units of that of the wish. Off the ground it gains twice the acceleration, and the square of what a
        // step adds. On the ground it strives for CIRCLING; a step adds all of its gain after all of its friction.
        let begins = (along / speed.max(1.0)) * (along / speed.max(1.0));
        let air = AIR_ACCELERATION * (2.0 + AIR_ACCELERATION * step) * time;
        let strives = if grips && begins < CIRCLING {
            let from = begins.max(1.0);
            CIRCLING - (CIRCLING - from) * (-2.0 * GROUND_FRICTION * time).exp()
                + 2.0 * GROUND_ACCELERATION * step * time
        } else {
            begins
        };
        let rounding = if rounds { ROUNDING } else { 0.0 };
        let most = (strives.max(begins) + air).sqrt() * speed.max(1.0) + 2.0 * rounding * time + NUDGE;
        let (gain, slows, brakes) = match hold {
            Hold::None => (AIR_ACCELERATION, 0.0, 0.0),
            Hold::Ground => (GROUND_ACCELERATION, GROUND_FRICTION, GROUND_FRICTION),
            Hold::Wet => (GROUND_ACCELERATION, GROUND_FRICTION, GROUND_FRICTION + WATER_FRICTION),
            Hold::Deep => (GROUND_ACCELERATION, GROUND_FRICTION, GROUND_FRICTION + DEEP * WATER_FRICTION),
            Hold::Any => {
                (GROUND_ACCELERATION, 0.0, GROUND_FRICTION + FLIGHT_FRICTION + DEEP * WATER_FRICTION)
            }
        };
        // A step takes its share of what is there at its beginning: 1 - ab is less than exp(-ab).
        let share = (brakes * step).min(0.9);
        let haste = if share > 0.0 { -(1.0 - share).ln() / share } else { 1.0 };
        let air = AIR_ACCELERATION * speed + rounding;
        Self { gain: gain * speed + rounding, air, slows, brakes, haste, most }
    }

    /// The same if speeds up to `most` may come of something else.
    pub(super) fn reaching(&self, most: f32) -> Self {
        Self { most: self.most.max(most), ..*self }
    }

    /// The same if falls may end in the time: the square of their speed adds to that of the run.
    pub(super) fn landing(&self, fall: &Fall) -> Self {
        Self { most: self.most.hypot(fall.most), air: self.air.hypot(fall.gains), ..*self }
    }

    /// Farthest that velocity `from` may have come along an axis after `seconds`, by the pace of one that may land. While it falls
    /// run and fall add up like sides of a triangle, so together they grow no faster than both gains do.
    pub(super) fn travel(&self, from: f32, fall: &Fall, step: f32, seconds: f32) -> f32 {
        // What the step that is running adds acts for all of it: speeds are those of one step later.
        let mut run = Run { speed: from, way: 0.0, early: step, late: seconds };
        if from < 0.0 {
            self.back(&mut run);
        }
        if run.speed >= 0.0 {
            let elapsed = step + seconds - run.early - run.late;
            run.speed = run.speed.hypot(fall.after(elapsed + step));
            if from < 0.0 {
                run.speed += self.brakes * STOP_SPEED * step;
            }
            self.forth(&mut run);
        }
        run.way
    }

    /// Until it is at rest.
    fn back(&self, run: &mut Run) {
        let rate = |speed: f32| (self.gain + self.brakes * (-speed).max(STOP_SPEED)) * self.haste;
        if run.speed < -STOP_SPEED {
            run.strive(-STOP_SPEED, self.gain, self.brakes, self.haste);
        }
        if run.speed >= -STOP_SPEED {
            run.linear(0.0, rate(0.0));
        }
    }

    /// From a velocity that leads on.
    fn forth(&self, run: &mut Run) {
        run.speed = run.speed.min(self.most);
        let gain = self.gain.max(self.air);
        let until = if self.slows > 0.0 { ((gain - self.air) / self.slows).max(0.0) } else { self.most };
        let until = until.min(self.most);
        if run.speed < until {
            run.strive(until, gain, self.slows, self.haste);
        }
        if run.speed >= until {
            run.linear(self.most, self.air);
            run.linear(f32::INFINITY, 0.0);
        }
    }
}

/// A run along an axis that is being added up.
struct Run {
    speed: f32,
    way: f32,
    /// Time left in which the speed changes and no way is made, then time left that counts. Unit: seconds.
    early: f32,
    late: f32,
}

impl Run {
    /// Speeds up to `until` at a steady rate, or as long as there is time.
    fn linear(&mut self, until: f32, rate: f32) {
        let needs = if rate > 0.0 { ((until - self.speed) / rate).max(0.0) } else { f32::INFINITY };
        for (is_late, time) in self.take(needs) {
            if is_late {
                self.way += self.speed * time + 0.5 * rate * time * time;
            }
            self.speed += rate * time;
        }
        self.arrive(until);
    }

    /// Speeds up to `until` by `gain` less `share` of the speed, `haste` times as fast.
    fn strive(&mut self, until: f32, gain: f32, share: f32, haste: f32) {
        if share <= 0.0 {
            return self.linear(until, gain * haste);
        }
        let (goal, decay) = (gain / share, share * haste);
        let needs =
            if until < goal { ((goal - self.speed) / (goal - until)).ln() / decay } else { f32::INFINITY };
        for (is_late, time) in self.take(needs.max(0.0)) {
            let left = (goal - self.speed) * (-decay * time).exp();
            if is_late {
                self.way += goal * time - (goal - self.speed - left) / decay;
            }
            self.speed = goal - left;
        }
        self.arrive(until);
    }

    /// Whoever has time left has come to it, whatever was rounded.
    fn arrive(&mut self, until: f32) {
        if self.early + self.late > 0.0 {
            self.speed = self.speed.max(until);
        }
    }

    /// Takes up to so much of the time that is left: of the early part and of the late one.
    fn take(&mut self, seconds: f32) -> [(bool, f32); 2] {
        let early = seconds.min(self.early);
        self.early -= early;
        let late = if self.early > 0.0 { 0.0 } else { (seconds - early).min(self.late) };
        self.late -= late;
        [(false, early), (true, late)]
    }
}

/// How far a fall at `speed` upward leads up at most and down at most, at any moment between two. Unit: seconds, units.
pub(super) fn flight(speed: f32, gravity: [f32; 2], span: [f32; 2]) -> [f32; 2] {
    let height = |gravity: f32, time: f32| speed * time - 0.5 * gravity * time * time;
    let [weak, strong] = gravity;
    // It is highest where it turns, if it does within the span.
    let turns = if weak > 0.0 { (speed / weak).clamp(span[0], span[1]) } else { span[1] };
    let high = height(weak, turns).max(height(weak, span[0])).max(height(weak, span[1]));
    let low = height(strong, span[0]).min(height(strong, span[1]));
    [low, high]
}

/// Weakest and strongest gravity that rounding each step of the fall to whole units/s makes of one, for steps of any length.
pub(super) fn rounded_gravity(gravity: f32, rounds: bool) -> [f32; 2] {
    if !rounds {
        return [gravity, gravity];
    }
    [gravity - ROUNDING, gravity + ROUNDING]
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNNER: f32 = 320.0;

    fn pace(along: f32, grips: bool) -> Pace {
        Pace::new(RUNNER, along, if grips { Hold::Ground } else { Hold::None }, false, 0.008, 0.165)
    }

    #[test]
    fn a_runner_who_turns_round_has_lost_its_way_first() {
        let pace = pace(320.0, true);
        assert!(pace.travel(-320.0, &Fall::default(), 0.0, 0.165) < 20.0);
        assert!(pace.travel(-320.0, &Fall::default(), 0.0, 0.05) < -9.0);
        assert!(pace.travel(320.0, &Fall::default(), 0.0, 0.165) > 0.165 * 320.0);
        assert!(pace.most < 460.0);
    }

    #[test]
    fn next_to_no_speed_the_other_way_is_as_good_as_none() {
        let pace = pace(0.0, false);
        let travel = |from: f32| pace.travel(from, &Fall::default(), 0.016, 0.3);
        assert!((travel(-1.0e-6) - travel(0.0)).abs() < 1.0e-3);
    }

    #[test]
    fn a_fall_that_ends_adds_most_to_who_hardly_ran() {
        let fall = Fall { speed: 300.0, most: 300.0, ..Fall::default() };
        let pace = pace(320.0, true).landing(&fall);
        let more =
            |from: f32| pace.travel(from, &fall, 0.0, 0.05) - pace.travel(from, &Fall::default(), 0.0, 0.05);
        assert!(more(10.0) > 9.0 && more(300.0) < 6.0);
        assert!(more(-320.0) == 0.0);
    }

    #[test]
    fn in_the_air_little_can_be_changed() {
        let pace = pace(320.0, false);
        let ahead = pace.travel(320.0, &Fall::default(), 0.0, 0.165);
        assert!((52.8..57.5).contains(&ahead), "{ahead}");
        assert!(pace.travel(-320.0, &Fall::default(), 0.0, 0.165) < -48.0);
    }

    #[test]
    fn a_fall_is_bounded_at_every_moment_of_a_span() {
        let [low, high] = flight(270.0, [800.0, 800.0], [0.0, 0.165]);
        assert_eq!(low, 0.0);
        assert!((33.0..34.0).contains(&high));
        let [low, high] = flight(270.0, [800.0, 800.0], [0.0, 1.0]);
        assert!((high - 45.56).abs() < 0.1 && low < -129.0);
    }
}
