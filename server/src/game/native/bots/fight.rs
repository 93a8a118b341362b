//! Whom a bot fights, where it aims, when it fires, and how it moves meanwhile.

use super::arms::{self, Arm};
use super::goals::WEAK;
use super::graph::unit;
use super::sense::Senses;
use super::skill::Skill;
use super::thought::{Body, Scene, Steering};
use crate::game::native::entity::Kind;
use fogline_common::ids::ClientNum;
use fogline_common::math::{
    Bounds, PITCH, Vec3, YAW, angle_normalize_180, angle_vectors, vec3, vector_to_angles,
};
use fogline_common::openarena::{powerup, stat};
use fogline_common::proto::mask;
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::TraceRequest;

/// A new enemy must be this much nearer than the present one.
const NEARER: f32 = 0.6;
/// The error of the aim drifts to another one after this.
const DRIFT: Millis = Millis(350);
/// A blast this near hurts who fires. Unit: units.
const TOO_NEAR: f32 = 110.0;
/// One looks to where somebody was noticed for so long.
const WATCHFUL: Millis = Millis(2500);
/// Half a body, to be aimed at.
const HALF_BODY: f32 = 20.0;

/// What a bot does about its enemy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fight {
    /// Whom it fights.
    pub(super) enemy: Option<ClientNum>,
    /// Which way it circles.
    side: f32,
    side_until: ServerTime,
    /// How far off it aims, and whither that drifts. Unit: degrees of pitch and yaw.
    error: [f32; 2],
    drift: [f32; 2],
    drift_until: ServerTime,
}

impl Fight {
    /// Picks the enemy. To be done after the senses are fresh.
    pub(super) fn choose_enemy(&mut self, scene: &Scene<'_>, senses: &Senses, body: &Body) {
        let value = |num: ClientNum| {
            let other = &scene.game.clients[num.index()].ps;
            let carries =
                other.powerups[powerup::REDFLAG as usize] + other.powerups[powerup::BLUEFLAG as usize];
            let distance = other.origin.distance(body.ps.origin);
            if carries != 0 { distance * 0.5 } else { distance }
        };
        let in_view = scene.game.slots().filter(|&num| senses.of(num).in_view);
        let nearest = in_view.min_by(|&a, &b| value(a).total_cmp(&value(b)));
        let keeps = self.enemy.filter(|&num| senses.of(num).in_view);
        self.enemy = match (nearest, keeps) {
            (Some(new), Some(old)) if value(new) > value(old) * NEARER => Some(old),
            (new, _) => new,
        };
    }

    /// Where to look. `None` for straight on.
    pub(super) fn look(
        &mut self,
        scene: &Scene<'_>,
        senses: &Senses,
        body: &Body,
        skill: &Skill,
        rng: &mut fastrand::Rng,
    ) -> Option<Vec3> {
        let eye = eye(body);
        let Some(enemy) = self.enemy else {
            let lately = |num: &ClientNum| senses.of(*num).noticed.is_some_and(|at| body.now - at < WATCHFUL);
            let last = scene.game.slots().filter(lately).max_by_key(|&num| senses.of(num).noticed);
            return last.map(|num| vector_to_angles(senses.of(num).place - eye));
        };
        self.drift(body.now, skill, rng);
        let arm = arms::of(body.ps.weapon);
        let mut angles = vector_to_angles(aim_point(scene, senses, enemy, eye, arm, skill) - eye);
        angles[PITCH] += self.error[0];
        angles[YAW] += self.error[1];
        Some(angles)
    }

    fn drift(&mut self, now: ServerTime, skill: &Skill, rng: &mut fastrand::Rng) {
        if now >= self.drift_until {
            self.drift_until = now + DRIFT;
            // The sum of three is about normal, with a third of the variance of one each.
            let mut error = || (0..3).map(|_| rng.f32() * 2.0 - 1.0).sum::<f32>() * skill.aim_error;
            self.drift = [error() * 0.6, error()];
        }
        for axis in 0..2 {
            self.error[axis] += (self.drift[axis] - self.error[axis]) * 0.15;
        }
    }

    /// Whether to pull the trigger, looking along `angles`.
    pub(super) fn fires(
        &self,
        scene: &Scene<'_>,
        senses: &Senses,
        body: &Body,
        skill: &Skill,
        angles: Vec3,
    ) -> bool {
        let Some(enemy) = self.enemy else { return false };
        let contact = senses.of(enemy);
        if !contact.in_view || body.now - contact.since < skill.reaction {
            return false;
        }
        let eye = eye(body);
        let arm = arms::of(body.ps.weapon);
        let aim = aim_point(scene, senses, enemy, eye, arm, skill) - eye;
        let wanted = vector_to_angles(aim);
        let distance = aim.length().max(1.0);
        let off = angle_normalize_180(wanted[YAW] - angles[YAW])
            .abs()
            .max(angle_normalize_180(wanted[PITCH] - angles[PITCH]).abs());
        let width = (HALF_BODY / distance).atan().to_degrees();
        // Error of the hand is not known to the eye.
        let tolerance = (width * 1.5).clamp(2.0, 20.0) + skill.aim_error;
        off <= tolerance && !(arm.blasts && hits_near(scene, body, eye, angles))
    }

    /// How to move while fighting: around the enemy at the weapon's distance, and on toward the goal, before all if that is a
    /// flag.
    pub(super) fn dance(
        &mut self,
        scene: &Scene<'_>,
        senses: &Senses,
        body: &Body,
        skill: &Skill,
        rng: &mut fastrand::Rng,
        (way, on_duty): (Vec3, bool),
    ) -> Option<Steering> {
        let enemy = self.enemy?;
        if body.now >= self.side_until {
            let pause = skill.dodge_pause.0;
            self.side_until = body.now + Millis(rng.i32(pause / 2..pause * 3 / 2));
            self.side = if rng.bool() { 1.0 } else { -1.0 };
        }
        let contact = senses.of(enemy);
        let offset = contact.place - body.ps.origin;
        let (toward, distance) = vec3(offset.x, offset.y, 0.0).normalize_with_length();
        let aside = vec3(-toward.y, toward.x, 0.0) * self.side;
        let weak = body.ps.stats[stat::HEALTH as usize] < WEAK;
        let best = arms::of(body.ps.weapon).best_distance * if weak { 2.0 } else { 1.0 };
        let radial = ((distance - best) / 200.0).clamp(-1.0, 1.0);
        let missile = if skill.sees_missiles { step_aside(scene, body) } else { None };
        let wish = match missile {
            Some(away) => away,
            // Who is about a flag does not stay for a fight.
            None if on_duty && way != Vec3::ZERO => aside * 0.35 + way * 1.5,
            None => aside * 0.9 + toward * (radial * 0.5) + way * 0.8,
        };
        let wish = self.safe(scene, body, wish.normalized());
        let jump = missile.is_some() && body.on_ground || rng.f32() < 0.004 * skill.lead;
        Some(Steering { wish, jump: jump && body.on_ground, ..Steering::default() })
    }

    /// A direction in which there is floor: the wish, else the nearest to it that is; it circles the other way then.
    fn safe(&mut self, scene: &Scene<'_>, body: &Body, wish: Vec3) -> Vec3 {
        let Some(graph) = scene.graph else { return wish };
        let drift = vec3(body.ps.velocity.x, body.ps.velocity.y, 0.0) * 0.15;
        let has_floor = |direction: Vec3| {
            let ahead = |reach: f32| graph.catches((body.ps.origin + drift).mul_add(reach, direction));
            ahead(24.0) && ahead(52.0)
        };
        if has_floor(wish) {
            return wish;
        }
        self.side = -self.side;
        let free = (0..8).map(unit).filter(|&direction| has_floor(direction));
        free.max_by(|a, b| a.dot(wish).total_cmp(&b.dot(wish))).unwrap_or_default()
    }
}

/// Eyes of a body.
pub(super) fn eye(body: &Body) -> Vec3 {
    body.ps.origin + vec3(0.0, 0.0, body.ps.view_height as f32)
}

/// Where to aim, so that what is fired meets the enemy.
fn aim_point(
    scene: &Scene<'_>,
    senses: &Senses,
    enemy: ClientNum,
    eye: Vec3,
    arm: &Arm,
    skill: &Skill,
) -> Vec3 {
    let contact = senses.of(enemy);
    let other = &scene.game.clients[enemy.index()].ps;
    let (place, velocity) =
        if contact.in_view { (other.origin, other.velocity) } else { (contact.place, Vec3::ZERO) };
    let distance = place.distance(eye);
    let mut point = place;
    if arm.missile_speed > 0.0 {
        let flight_s = distance / arm.missile_speed;
        point = point.mul_add(flight_s * skill.lead, vec3(velocity.x, velocity.y, velocity.z * 0.3));
    }
    let stands = other.ground_entity != fogline_common::ids::EntityNum::NONE_ON_WIRE;
    point.z += if arm.blasts && stands && eye.z > place.z - 20.0 && distance < 900.0 && contact.chest_in_view
    {
        -18.0
    } else if contact.chest_in_view {
        8.0
    } else {
        other.view_height as f32
    };
    point
}

/// Whether what is fired along `angles` would burst in the shooter's face.
fn hits_near(scene: &Scene<'_>, body: &Body, eye: Vec3, angles: Vec3) -> bool {
    let end = eye.mul_add(TOO_NEAR, angle_vectors(angles).forward);
    let request = TraceRequest {
        bounds: Bounds::new(Vec3::splat(-4.0), Vec3::splat(4.0)),
        ..TraceRequest::ray(
            eye,
            end,
            mask::SHOT,
            fogline_common::ids::EntityNum::from_wire(body.ps.client_num),
        )
    };
    scene.host.trace(&scene.game.entities, &request).hit()
}

/// Which way to step from a missile that comes near; `None` if none does.
fn step_aside(scene: &Scene<'_>, body: &Body) -> Option<Vec3> {
    scene.game.entities.numbers().find_map(|num| {
        let entity = &scene.game.entities[num];
        let Kind::Missile(missile) = entity.kind else { return None };
        let offset = body.ps.origin - entity.shared.link.origin;
        let own = missile.owner.index() as i32 == body.ps.client_num;
        let velocity = entity.shared.state.pos.velocity_at(body.now);
        let (direction, speed) = velocity.normalize_with_length();
        let along = offset.dot(direction);
        if own || speed < 200.0 || !(0.0..speed * 0.8).contains(&along) {
            return None;
        }
        let miss = offset - direction * along;
        if miss.length() > 90.0 || !scene.host.in_pvs(body.ps.origin, entity.shared.link.origin, false) {
            return None;
        }
        let aside = vec3(-direction.y, direction.x, 0.0);
        Some(if aside.dot(miss) < 0.0 { -aside } else { aside })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_of_the_better_is_steadier_and_no_hand_is_off_to_one_side() {
        let errors = |skill: f32| {
            let mut fight = Fight::default();
            let mut rng = fastrand::Rng::with_seed(9);
            let skill = Skill::of(skill);
            let frames = 20_000;
            let (mut sum, mut size) = (0.0_f64, 0.0_f64);
            for frame in 0..frames {
                fight.drift(ServerTime(frame * 50), &skill, &mut rng);
                sum += f64::from(fight.error[1]);
                size += f64::from(fight.error[1].abs());
            }
            (sum / f64::from(frames), size / f64::from(frames))
        };
        let ((aside, beginner), (_, expert)) = (errors(1.0), errors(5.0));
        assert!(beginner > expert * 4.0, "{beginner} {expert}");
        assert!((0.2..1.5).contains(&expert), "{expert}");
        assert!(aside.abs() < beginner * 0.15, "{aside} of {beginner}");
    }
}
