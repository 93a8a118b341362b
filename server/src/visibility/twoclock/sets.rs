//! Where the eye of one player and its body may be in the time that a snapshot is drawn from.
//!
//! Made once a frame and player from its [`Reach`]. Bodies depend on how long the viewer draws from a snapshot, so there is a box
//! for each such period in use.

use super::clock::Clock;
use crate::visibility::Pose;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::reach::{Reach, STANDING};
use fogline_common::time::Millis;

/// Different periods that bodies are worked out for; the longer ones share the last.
pub const MOST_PERIODS: usize = 4;

/// The periods in use, rising.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Periods {
    all: [Millis; MOST_PERIODS],
    count: usize,
}

impl Periods {
    /// Adds one. If there is no room the longest grows, which is too much for some and too little for nobody.
    pub fn insert(&mut self, period: Millis) {
        let at = self.as_slice().partition_point(|&other| other < period);
        if self.as_slice().get(at) == Some(&period) {
            return;
        }
        if self.count < MOST_PERIODS {
            self.all[at..=self.count].rotate_right(1);
            self.all[at] = period;
            self.count += 1;
        } else if at == MOST_PERIODS {
            self.all[at - 1] = period;
        }
    }

    /// All of them.
    pub fn as_slice(&self) -> &[Millis] {
        &self.all[..self.count]
    }

    /// Which of them is to be used for a period.
    fn place_of(&self, period: Millis) -> Option<usize> {
        let at = self.as_slice().partition_point(|&other| other < period);
        (at < self.count).then_some(at)
    }
}

/// What may be seen of a player, and from where it may see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sets {
    /// Its two clocks.
    pub clock: Clock,
    /// Where its own eye is drawn.
    pub eye: Bounds,
    periods: Periods,
    /// Origins until the end of each period.
    origins: [Bounds; MOST_PERIODS],
    /// What is drawn of it, until then.
    bodies: [Bounds; MOST_PERIODS],
}

/// Eye above the origin: from ducked to standing. Source: `CROUCH_VIEWHEIGHT`, `DEFAULT_VIEWHEIGHT`.
const EYE_HEIGHTS: [f32; 2] = [12.0, 26.0];
/// The same of one who lies dead and sees itself from outside. Source: `DEAD_VIEWHEIGHT`, `cg_thirdPersonRange`.
const DEAD_EYES: Bounds = Bounds { mins: vec3(-48.0, -48.0, -24.0), maxs: vec3(48.0, 48.0, 34.0) };
/// What is drawn of a standing player besides its box. Unit: world units.
const DRAWN: f32 = 6.0;

impl Sets {
    /// Of a player that stands as `pose` says, `origin` being its own. Its reach up to when its eye is asked for, and up to the end
    /// of the longest period.
    pub fn new(
        pose: &Pose,
        origin: Vec3,
        clock: &Clock,
        periods: &Periods,
        [eye, body]: &[Reach; 2],
    ) -> Self {
        let seconds = |span: Millis| span.0 as f32 / 1000.0;
        let mut standing = STANDING.grown(DRAWN);
        standing.mins.z = STANDING.mins.z;
        let shape = pose.drawn().translated(-origin).union(standing);
        let (mut origins, mut bodies) = ([Bounds::EMPTY; MOST_PERIODS], [Bounds::EMPTY; MOST_PERIODS]);
        for ((origins, bodies), period) in origins.iter_mut().zip(&mut bodies).zip(periods.as_slice()) {
            *origins = body.origins(0.0, seconds(Millis(period.0 + clock.backlog.0)));
            *bodies = sum(origins, &shape);
        }
        let [from, to] = clock.eye.map(seconds);
        let heights = eyes_about(pose);
        Self { clock: *clock, eye: sum(&eye.origins(from, to), &heights), periods: *periods, origins, bodies }
    }

    /// All that may be drawn of it in a snapshot that is drawn from for so long. `None`: nothing was worked out for so long.
    pub fn body(&self, period: Millis) -> Option<Bounds> {
        Some(self.bodies[self.periods.place_of(period)?])
    }

    /// Where its eye is drawn for one who follows it: in the past, as others are.
    pub fn eye_from_outside(&self, pose: &Pose, period: Millis) -> Option<Bounds> {
        Some(sum(&self.origins[self.periods.place_of(period)?], &eyes_about(pose)))
    }
}

/// Eyes about an origin.
fn eyes_about(pose: &Pose) -> Bounds {
    if pose.view_height < 0 {
        return DEAD_EYES;
    }
    let [low, high] = EYE_HEIGHTS;
    Bounds { mins: vec3(0.0, 0.0, low), maxs: vec3(0.0, 0.0, high) }
}

/// All sums of a point of the one and a point of the other.
fn sum(a: &Bounds, b: &Bounds) -> Bounds {
    Bounds { mins: a.mins + b.mins, maxs: a.maxs + b.maxs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_period_that_is_long_enough_counts() {
        let mut periods = Periods::default();
        for ms in [50, 25, 50, 100, 8] {
            periods.insert(Millis(ms));
        }
        assert_eq!(periods.as_slice(), [8, 25, 50, 100].map(Millis));
        assert_eq!(periods.place_of(Millis(26)), Some(2));
        assert_eq!(periods.place_of(Millis(101)), None);
        // A fifth: the longest takes its place.
        periods.insert(Millis(70));
        periods.insert(Millis(200));
        assert_eq!(periods.as_slice(), [8, 25, 50, 200].map(Millis));
        assert_eq!(periods.place_of(Millis(70)), Some(3));
    }
}
