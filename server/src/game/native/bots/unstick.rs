//! Notices that a body gets nowhere, and shakes it free.

use super::thought::{Body, Steering};
use fogline_common::math::{Vec3, vec3};
use fogline_common::time::{Millis, ServerTime};

/// Progress is judged this often.
const JUDGED: Millis = Millis(400);
/// Less than this meanwhile is none. Unit: units.
const LEAST: f32 = 20.0;
/// A wriggle lasts this long.
const WRIGGLE: Millis = Millis(350);
/// So many wriggles without success: the edge does not work.
const MOST_WRIGGLES: u32 = 4;
/// A body that stays in a circle of this radius is stuck whatever it does. Unit: units.
const CIRCLE: f32 = 96.0;

/// Watches the progress of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unstick {
    judge_at: ServerTime,
    place: Vec3,
    wriggles: u32,
    wriggle_until: ServerTime,
    wriggle: Vec3,
    /// Where it has been around, and since when.
    around: Vec3,
    around_since: ServerTime,
}

impl Unstick {
    /// What to do in place of `steering`, if that leads nowhere.
    pub(super) fn watch(
        &mut self,
        body: &Body,
        steering: &Steering,
        rng: &mut fastrand::Rng,
        has_floor: impl Fn(Vec3) -> bool,
    ) -> Option<Steering> {
        let now = body.now;
        if body.ps.origin.distance(self.around) > CIRCLE || self.around_since == ServerTime(0) {
            self.around = body.ps.origin;
            self.around_since = now;
        }
        if steering.wish == Vec3::ZERO {
            self.judge_at = now + JUDGED;
            self.place = body.ps.origin;
            return None;
        }
        if now >= self.judge_at {
            self.judge_at = now + JUDGED;
            let moved = body.ps.origin.distance(self.place);
            self.place = body.ps.origin;
            if moved >= LEAST {
                self.wriggles = 0;
            } else {
                self.wriggles += 1;
                self.wriggle_until = now + WRIGGLE;
                // First a jump on the spot, then anywhere.
                self.wriggle = steering.wish;
                for _ in 0..if self.wriggles > 1 { 6 } else { 0 } {
                    let turn = rng.f32() * std::f32::consts::TAU;
                    self.wriggle = vec3(turn.cos(), turn.sin(), 0.0);
                    if has_floor(body.ps.origin.mul_add(40.0, self.wriggle)) {
                        break;
                    }
                }
            }
        }
        (now < self.wriggle_until).then_some(Steering {
            wish: self.wriggle,
            jump: body.on_ground && now.0 & 64 != 0 || body.water >= 2,
            ..*steering
        })
    }

    /// Whether wriggling does not help.
    pub(super) fn is_hopeless_edge(&self) -> bool {
        self.wriggles >= MOST_WRIGGLES
    }

    /// Another way is tried.
    pub(super) fn try_anew(&mut self) {
        self.wriggles = 0;
    }

    /// How long it has been around the same place.
    pub(super) fn stuck_for(&self, now: ServerTime) -> Millis {
        if self.around_since == ServerTime(0) { Millis(0) } else { now - self.around_since }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::proto::PlayerState;

    /// Runs at 50 ms a frame, east all the time. What was done in place of it, by frame.
    fn run(frames: i32, place: impl Fn(i32) -> Vec3, wish: Vec3) -> (Unstick, Vec<Option<Steering>>) {
        let mut unstick = Unstick::default();
        let mut rng = fastrand::Rng::with_seed(5);
        let steering = Steering { wish, ..Steering::default() };
        let done = (1..=frames).map(|frame| {
            let ps = PlayerState { origin: place(frame), ..PlayerState::default() };
            let body = Body { ps, on_ground: true, water: 0, now: ServerTime(frame * 50) };
            unstick.watch(&body, &steering, &mut rng, |_| true)
        });
        let done = done.collect();
        (unstick, done)
    }

    const EAST: Vec3 = vec3(1.0, 0.0, 0.0);

    #[test]
    fn who_gets_on_is_left_alone() {
        // The first look has nothing to compare with, so it may not be the start of the world.
        let (unstick, done) = run(100, |frame| vec3(500.0 + frame as f32 * 16.0, 0.0, 0.0), EAST);
        assert!(done.iter().all(Option::is_none));
        assert!(!unstick.is_hopeless_edge());
        assert!(unstick.stuck_for(ServerTime(5000)) < Millis(400));
    }

    #[test]
    fn who_is_held_up_jumps_then_tries_other_ways_then_gives_the_edge_up() {
        let (unstick, done) = run(60, |_| vec3(500.0, 0.0, 0.0), EAST);
        let first = done.iter().flatten().next().expect("it does something about it");
        assert_eq!(first.wish, EAST);
        assert!(done.iter().flatten().any(|steering| steering.jump));
        assert!(done.iter().flatten().any(|steering| steering.wish != EAST));
        assert!(unstick.is_hopeless_edge());
        assert!(unstick.stuck_for(ServerTime(3000)) >= Millis(2900));
    }

    #[test]
    fn who_wants_to_stand_is_not_stuck() {
        let (unstick, done) = run(200, |_| vec3(500.0, 0.0, 0.0), Vec3::ZERO);
        assert!(done.iter().all(Option::is_none) && !unstick.is_hopeless_edge());
    }

    #[test]
    fn nobody_wriggles_over_a_brink_if_there_is_floor_elsewhere() {
        let mut unstick = Unstick::default();
        let mut rng = fastrand::Rng::with_seed(6);
        let steering = Steering { wish: EAST, ..Steering::default() };
        let origin = vec3(500.0, 0.0, 0.0);
        for frame in 1..80 {
            let ps = PlayerState { origin, ..PlayerState::default() };
            let body = Body { ps, on_ground: true, water: 0, now: ServerTime(frame * 50) };
            // Only to the west there is floor.
            let done = unstick.watch(&body, &steering, &mut rng, |place| place.x < origin.x);
            if let Some(done) = done.filter(|done| done.wish != EAST) {
                assert!(done.wish.x < 0.0, "{:?}", done.wish);
            }
        }
    }
}
