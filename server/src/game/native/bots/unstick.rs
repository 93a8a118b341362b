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
