//! How fast a player can be and how far that takes it, along one axis, by the constants of movement alone.
//!
//! Every function is an upper bound over all usercmds. Steps of a move are not infinitely short: what a step adds to the velocity
//! moves the player for all of that step, so bounds run one step ahead of the clock.

use crate::pmove::limits::{AIR_ACCELERATION, GROUND_ACCELERATION, GROUND_FRICTION, STOP_SPEED};

/// What bounds the movement along the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Gain of speed along a wish. Unit: units/s².
    pub gain: f32,
    /// The same while the velocity is against the wish: friction helps. Unit: units/s².
    pub brake: f32,
    /// No part of the velocity exceeds this. Unit: units/s.
    pub most: f32,
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
}

impl Fall {
    fn after(&self, seconds: f32) -> f32 {
        (self.speed + self.gains * seconds).min(self.most)
    }
}

/// Square of the speed that circling on the ground leads to, in units of the square of the wish: what acceleration adds to it, twenty
/// times that of the wish a second, friction takes away again, twelve times its own.
const CIRCLING: f32 = 2.0 * GROUND_ACCELERATION / (2.0 * GROUND_FRICTION);
/// Without `pmove_float` each part of the velocity is rounded at each step, of which there may be one a ms. Unit: units/s².
const ROUNDING: f32 = 500.0;
/// What a slide adds for being stopped twice by one plane, and other trifles. Unit: units/s.
const NUDGE: f32 = 4.0;

impl Pace {
    /// Of a player with so much speed along the ground, for `seconds`. `grips`: it may stand, swim or fly within that time.
    pub(super) fn new(speed: f32, along: f32, grips: bool, rounds: bool, step: f32, seconds: f32) -> Self {
        let time = seconds + step;
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
        let gain = if grips { GROUND_ACCELERATION } else { AIR_ACCELERATION } * speed + rounding;
        let friction = if grips { GROUND_FRICTION * along.max(STOP_SPEED) } else { 0.0 };
        Self { gain, brake: gain + friction, most }
    }

    /// The same if falls may end in the time: the square of their speed adds to that of the run.
    pub(super) fn landing(&self, fall: &Fall) -> Self {
        Self { most: self.most.hypot(fall.most), gain: self.gain.hypot(fall.gains), ..*self }
    }

    /// Farthest that velocity `from` may have come along an axis after `seconds`, by the pace of one that may land. The two parts of
    /// run and fall add up like sides of a triangle, so together they grow no faster than both gains do.
    pub(super) fn travel(&self, from: f32, fall: &Fall, step: f32, seconds: f32) -> f32 {
        // What the step that is running may still add.
        let turns = if from < 0.0 { (-from / self.brake).min(step) } else { 0.0 };
        let turned = if turns < step { from.max(0.0) } else { from + self.brake * turns };
        if turned < 0.0 {
            let stops = -turned / self.brake;
            if seconds <= stops {
                return turned * seconds + 0.5 * self.brake * seconds * seconds;
            }
            return 0.5 * turned * stops + self.forth(fall.after(stops + step), seconds - stops);
        }
        self.forth(turned.hypot(fall.after(turns)) + self.gain * (step - turns), seconds)
    }

    /// From a velocity that leads on.
    fn forth(&self, from: f32, seconds: f32) -> f32 {
        let from = from.min(self.most);
        let rises = ((self.most - from) / self.gain).clamp(0.0, seconds);
        let top = from + self.gain * rises;
        (from + top) * 0.5 * rises + top * (seconds - rises)
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
        Pace::new(RUNNER, along, grips, false, 0.008, 0.165)
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
        let fall = Fall { speed: 300.0, gains: 0.0, most: 300.0 };
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
