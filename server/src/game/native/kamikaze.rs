//! The kamikaze: a shock wave that throws and a ball of fire that kills, both growing from where it was set off; and the charge
//! that goes off by itself on a body that still has one.
//!
//! Source: `G_StartKamikaze`, `KamikazeDamage`, `KamikazeRadiusDamage`, `KamikazeShockWave`, `Kamikaze_DeathTimer`.

use super::NativeGame;
use super::blast::distance_to_box;
use super::combat::Damage;
use super::entity::{Kind, Think};
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, angle_to_short, vec3};
use fogline_common::openarena::{entity_flag, entity_type, event, means_of_death, team_sound};
use fogline_common::proto::sv_flag;
use fogline_common::time::Millis;

/// Between two steps of it.
const STEP: Millis = Millis(100);
/// The shock wave takes this long to its full radius.
const SHOCK_TIME: i32 = 2000;
const SHOCK_RADIUS: f32 = 1320.0;
const SHOCK_POINTS: i32 = 25;
/// Speed that the shock wave gives. Unit: units a second.
const SHOCK_PUSH: f32 = 400.0;
/// The fire begins this much later and takes until the end.
const FIRE_START: i32 = 250;
const FIRE_TIME: i32 = 1750;
const FIRE_RADIUS: f32 = 720.0;
const FIRE_POINTS: i32 = 400;
/// Nobody is hit twice by one.
const ONCE: Millis = Millis(3000);
/// A body with a charge goes off after this.
const FUSE: Millis = Millis(5000);
/// Bodies are pushed as if their middle were this much higher.
const LIFT: f32 = 24.0;

/// One that is going off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kamikaze {
    owner: EntityNum,
    age_ms: i32,
    /// How the view of everybody was shaken last.
    shaken: Vec3,
}

impl NativeGame {
    /// A player sets off what it carries.
    pub(super) fn use_kamikaze(&mut self, host: &mut dyn Host, num: ClientNum) {
        let own = num.entity();
        self.clients[num.index()].life.invulnerable_until = fogline_common::time::ServerTime(0);
        let place = self.entities[own].shared.state.pos.base.truncated();
        self.start_kamikaze(host, own, place);
        self.clients[num.index()].ps.flags &= !entity_flag::KAMIKAZE;
        self.entities[own].shared.state.flags &= !entity_flag::KAMIKAZE;
        let death = Damage::new(own, 100_000, means_of_death::KAMIKAZE).by(own).with(own);
        self.damage(host, &death.unprotected());
    }

    fn start_kamikaze(&mut self, host: &mut dyn Host, owner: EntityNum, place: Vec3) {
        if let Some(num) = self.entities.spawn(self.level.time) {
            self.set_origin(num, place);
            let entity = &mut self.entities[num];
            entity.shared.state.entity_type = entity_type::EVENTS + event::KAMIKAZE;
            entity.event_time = self.level.time;
            entity.kind = Kind::Kamikaze(Kamikaze { owner, age_ms: 0, shaken: Vec3::ZERO });
            self.think_after(num, STEP, Think::StepKamikaze);
            self.link(host, num);
        }
        if let Some(sound) = self.temporary_event(host, place, event::GLOBAL_TEAM_SOUND) {
            self.entities[sound].shared.state.event_parm = team_sound::KAMIKAZE;
            self.entities[sound].shared.link.sv_flags |= sv_flag::BROADCAST;
        }
    }

    /// A step of it.
    pub(super) fn step_kamikaze(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Kamikaze(mut own) = self.entities[num].kind else { return };
        own.age_ms += STEP.0;
        let place = self.entities[num].shared.state.pos.base;
        let share = own.age_ms as f32 / SHOCK_TIME as f32;
        self.shock(host, own.owner, place, (share * SHOCK_RADIUS).trunc());
        if own.age_ms >= FIRE_START {
            let share = (own.age_ms - FIRE_START) as f32 / FIRE_TIME as f32;
            self.burn(host, own.owner, place, (share * FIRE_RADIUS).trunc());
        }
        if own.age_ms >= SHOCK_TIME {
            self.free(host, num);
            return;
        }
        own.shaken = self.shake_everybody(own.shaken);
        self.entities[num].kind = Kind::Kamikaze(own);
        self.think_after(num, STEP, Think::StepKamikaze);
    }

    fn shock(&mut self, host: &mut dyn Host, owner: EntityNum, place: Vec3, radius: f32) {
        let now = self.level.time;
        let found = self.in_reach(host, place, radius);
        for &num in &found {
            if !self.entities.in_use(num) || self.entities[num].shocked_until > now {
                continue;
            }
            let away = self.entities[num].shared.link.origin - place + vec3(0.0, 0.0, LIFT);
            let hit = Damage::new(num, SHOCK_POINTS, means_of_death::KAMIKAZE).by(owner);
            self.damage(host, &hit.of_blast().through_team().toward(away));
            if !self.entities.in_use(num) {
                continue;
            }
            if let Some(client) = self.entities.client_of(num) {
                let flat = vec3(away.x, away.y, 0.0).normalized() * SHOCK_PUSH;
                self.clients[client.index()].ps.velocity = vec3(flat.x, flat.y, 100.0);
            }
            self.entities[num].shocked_until = now + ONCE;
        }
        self.put_back(found);
    }

    fn burn(&mut self, host: &mut dyn Host, owner: EntityNum, place: Vec3, radius: f32) {
        let now = self.level.time;
        let found = self.in_reach(host, place, radius);
        for &num in &found {
            let untouched = self.entities.in_use(num)
                && self.entities[num].takes_damage
                && self.entities[num].burnt_until <= now;
            if !untouched {
                continue;
            }
            let away = self.entities[num].shared.link.origin - place + vec3(0.0, 0.0, LIFT);
            let hit = Damage::new(num, FIRE_POINTS, means_of_death::KAMIKAZE).by(owner);
            self.damage(host, &hit.of_blast().through_team().toward(away));
            if self.entities.in_use(num) {
                self.entities[num].burnt_until = now + ONCE;
            }
        }
        self.put_back(found);
    }

    /// Everything whose box is nearer than the radius, walls or not.
    fn in_reach(&mut self, host: &dyn Host, place: Vec3, radius: f32) -> Vec<EntityNum> {
        let radius = radius.max(1.0);
        let mut found = self.in_box(host, &Bounds::POINT.grown(radius).translated(place));
        found.retain(|&num| distance_to_box(place, &self.entities[num].shared.link.abs_bounds) < radius);
        found
    }

    /// The earth shakes for everybody who stands on it; views turn by a little, and back by what they turned before.
    fn shake_everybody(&mut self, before: Vec3) -> Vec3 {
        let angles = vec3(self.crandom() * 2.0, self.crandom() * 2.0, 0.0);
        for num in self.slots() {
            if !self.clients[num.index()].playing() {
                continue;
            }
            let (x, y) = (self.crandom() * 120.0, self.crandom() * 120.0);
            let up = 30.0 + self.rng.f32() * 25.0;
            let ps = &mut self.clients[num.index()].ps;
            if ps.ground_entity != EntityNum::NONE_ON_WIRE {
                ps.velocity = vec3(ps.velocity.x + x, ps.velocity.y + y, up);
            }
            for axis in 0..3 {
                ps.delta_angles[axis] += angle_to_short(angles[axis] - before[axis]);
            }
        }
        angles
    }

    /// A player died with a charge that it had not used.
    pub(super) fn light_fuse(&mut self, num: ClientNum) {
        let body = num.entity();
        if self.entities[body].shared.state.flags & entity_flag::KAMIKAZE == 0 {
            return;
        }
        if let Some(timer) = self.entities.spawn(self.level.time) {
            self.entities[timer].kind = Kind::Fuse { body };
            self.entities[timer].shared.link.sv_flags |= sv_flag::NOCLIENT;
            self.think_after(timer, FUSE, Think::EndFuse);
        }
    }

    /// The body that a fuse is on is another entity now, or none.
    pub(super) fn move_fuse(&mut self, from: EntityNum, to: Option<EntityNum>) {
        for number in 0..self.entities.count() {
            let Some(num) = EntityNum::new(number).filter(|&num| self.entities.in_use(num)) else { continue };
            let Kind::Fuse { body } = &mut self.entities[num].kind else { continue };
            if *body == from {
                match to {
                    Some(to) => *body = to,
                    None => self.think_after(num, Millis(0), Think::Free),
                }
            }
        }
    }

    /// A fuse has burnt down.
    pub(super) fn end_fuse(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Fuse { body } = self.entities[num].kind else { return };
        let owner = match self.entities[body].kind {
            Kind::Body => EntityNum::from_wire(self.entities[body].shared.link.owner).unwrap_or(body),
            _ => body,
        };
        let place = self.entities[body].shared.state.pos.base.truncated();
        self.free(host, num);
        self.start_kamikaze(host, owner, place);
    }
}
