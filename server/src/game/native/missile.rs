//! Missiles in flight: they follow the trajectory that clients were told, bounce or burst where they meet something.
//!
//! Source: `G_RunMissile`, `G_MissileImpact`, `G_BounceMissile`, `G_ExplodeMissile`.

use super::NativeGame;
use super::combat::Damage;
use super::entity::{AfterEvent, Kind, Missile};
use super::weapons::snapped_toward;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{direction_to_byte, entity_flag, entity_type, event, weapon};
use fogline_common::proto::{mask, surface};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::{Trace, TraceRequest};

/// Share of its speed that a grenade keeps in a bounce.
const BOUNCE_SHARE: f32 = 0.65;
/// A grenade on a floor that is slower than this lies still. Unit: units a second.
const REST_SPEED: f32 = 40.0;
/// What is less steep than this counts as floor for that.
const REST_NORMAL_Z: f32 = 0.2;

/// A part of a missile's way.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from: ServerTime,
    to: ServerTime,
}

impl NativeGame {
    /// One frame of a missile.
    pub(super) fn run_missile(&mut self, host: &mut dyn Host, num: EntityNum) {
        let leg = Leg { from: self.level.previous_time, to: self.level.time };
        if self.fly(host, num, &leg) {
            self.run_think(host, num);
        }
    }

    /// A missile that has just set off is where it would be if it had set off `ahead` ago. The way there is flown in steps of a
    /// frame through the world as it is, so that nothing on it is skipped.
    pub(super) fn fly_ahead(&mut self, host: &mut dyn Host, num: EntityNum, ahead: Millis) {
        let entity = &mut self.entities[num];
        entity.shared.state.pos.time -= ahead.0;
        if let Some((at, _)) = &mut entity.think {
            *at = *at - ahead;
        }
        let now = self.level.time;
        let step = (now - self.level.previous_time).max(Millis(1));
        let mut leg = Leg { from: now - ahead, to: now - ahead };
        while leg.from < now {
            leg.to = (leg.from + step).min(now);
            if !self.fly(host, num, &leg) {
                return;
            }
            leg.from = leg.to;
        }
    }

    /// One leg of a missile's way. Whether it flies on.
    fn fly(&mut self, host: &mut dyn Host, num: EntityNum, leg: &Leg) -> bool {
        let Kind::Missile(missile) = self.entities[num].kind else { return false };
        let pass = match missile {
            Missile { thrown_back_by: Some(shell), .. } => Some(shell),
            // A mine may come back to who threw it.
            Missile { has_left: true, .. } if missile.row.weapon == weapon::PROX_LAUNCHER => None,
            _ => Some(missile.owner),
        };
        let trace = self.sweep_missile(host, num, pass, leg.to);
        if !trace.start_solid {
            self.entities[num].shared.link.origin = trace.end;
        }
        self.link(host, num);
        if trace.hit() {
            if trace.surface_flags & surface::NOIMPACT != 0 {
                // Gone into the sky.
                self.free(host, num);
                return false;
            }
            self.missile_hits(host, num, &missile, &trace, leg);
            if !matches!(self.entities[num].kind, Kind::Missile(_))
                || self.entities[num].after_event == AfterEvent::Free
            {
                return false;
            }
        }
        self.note_whether_it_left(host, num);
        true
    }

    /// A mine that is out of the body of who threw it may stick to it from then on.
    fn note_whether_it_left(&mut self, host: &dyn Host, num: EntityNum) {
        let Kind::Missile(missile) = self.entities[num].kind else { return };
        if missile.has_left || missile.row.weapon != weapon::PROX_LAUNCHER {
            return;
        }
        let at = self.entities[num].shared.link.origin;
        let inside = host.trace(&self.entities, &TraceRequest::ray(at, at, mask::SHOT, Some(num)));
        if (!inside.start_solid || inside.entity != Some(missile.owner))
            && let Kind::Missile(missile) = &mut self.entities[num].kind
        {
            missile.has_left = true;
        }
    }

    /// From where the missile was to where it is at a moment. Whoever threw it is not in its way.
    fn sweep_missile(
        &self,
        host: &dyn Host,
        num: EntityNum,
        pass: Option<EntityNum>,
        at: ServerTime,
    ) -> Trace {
        let shared = &self.entities[num].shared;
        let from = shared.link.origin;
        let to = shared.state.pos.at(at);
        let sweep = |to| TraceRequest::sweep(from, to, shared.link.bounds, mask::SHOT, pass);
        let trace = host.trace(&self.entities, &sweep(to));
        if !trace.start_solid {
            return trace;
        }
        // What it sticks in, rather than what is further on.
        Trace { fraction: 0.0, start_solid: true, end: from, ..host.trace(&self.entities, &sweep(from)) }
    }

    fn missile_hits(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        missile: &Missile,
        trace: &Trace,
        leg: &Leg,
    ) {
        let hit = trace.entity.filter(|&hit| self.entities.in_use(hit));
        let target = hit.filter(|&hit| self.entities[hit].takes_damage);
        let flags = self.entities[num].shared.state.flags;
        if target.is_none() && flags & (entity_flag::BOUNCE | entity_flag::BOUNCE_HALF) != 0 {
            self.bounce(host, num, trace, leg);
            self.add_event(num, event::GRENADE_BOUNCE, 0);
            return;
        }
        if let Some(shell) = target.filter(|_| missile.row.weapon != weapon::PROX_LAUNCHER)
            && let Some(client) =
                self.entities.client_of(shell).filter(|&client| self.is_invulnerable(client))
        {
            self.throw_back(host, num, (shell, client), trace, leg);
            return;
        }
        let mut counted = false;
        if let Some(target) = target.filter(|_| missile.row.damage > 0) {
            counted = self.is_accurate_missile(host, missile, target);
            self.count_missile_hit(missile, counted);
            let velocity = self.entities[num].shared.state.pos.velocity_at(leg.to);
            // Somebody stepped on a lying grenade.
            let direction = if velocity == Vec3::ZERO { vec3(0.0, 0.0, 1.0) } else { velocity };
            let hit = Damage::new(target, missile.points(missile.row.damage), missile.row.means);
            self.damage(host, &hit.by(missile.owner).with(num).toward(direction));
        }
        if missile.row.weapon == weapon::PROX_LAUNCHER {
            self.stick_mine(host, num, missile, trace);
            return;
        }
        let flesh = target.filter(|&target| self.entities.client_of(target).is_some());
        let normal = direction_to_byte(trace.plane.normal);
        if let Some(flesh) = flesh {
            self.add_event(num, event::MISSILE_HIT, normal);
            self.entities[num].shared.state.other_entity = flesh.index() as i32;
        } else if trace.surface_flags & surface::METALSTEPS != 0 {
            self.add_event(num, event::MISSILE_MISS_METAL, normal);
        } else {
            self.add_event(num, event::MISSILE_MISS, normal);
        }
        let from = self.entities[num].shared.state.pos.base;
        let place = snapped_toward(trace.end, from);
        self.become_burst(num, place);
        self.missile_blast(host, missile, place, hit, counted);
        self.link(host, num);
    }

    /// A shell of invulnerability throws a missile back.
    fn throw_back(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        (shell, client): (EntityNum, ClientNum),
        trace: &Trace,
        leg: &Leg,
    ) {
        let pos = self.entities[num].shared.state.pos;
        if let Some(outward) = self.meet_shell(host, client, pos.base, pos.delta) {
            let flags = &mut self.entities[num].shared.state.flags;
            let half = *flags & entity_flag::BOUNCE_HALF;
            *flags &= !entity_flag::BOUNCE_HALF;
            let mut off = *trace;
            off.plane.normal = outward;
            self.bounce(host, num, &off, leg);
            self.entities[num].shared.state.flags |= half;
        }
        if let Kind::Missile(missile) = &mut self.entities[num].kind {
            missile.thrown_back_by = Some(shell);
        }
    }

    /// A missile's time is up.
    pub(super) fn burst(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Missile(missile) = self.entities[num].kind else { return };
        let points = missile.points(missile.row.splash_damage);
        self.burst_thing(host, num, &missile, points, missile.row.splash_radius);
    }

    /// A missile, or what became of it, bursts where it is.
    pub(super) fn burst_thing(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        missile: &Missile,
        points: i32,
        radius: f32,
    ) {
        let place = self.entities[num].shared.state.pos.at(self.level.time).truncated();
        self.add_event(num, event::MISSILE_MISS, direction_to_byte(vec3(0.0, 0.0, 1.0)));
        self.become_burst(num, place);
        if points > 0 {
            let blast = super::blast::Blast {
                place,
                attacker: missile.owner,
                points,
                radius,
                spared: Some(num),
                means: missile.row.splash_means,
            };
            let hurt_enemy = self.radius_damage(host, &blast);
            self.count_missile_hit(missile, hurt_enemy);
        }
        self.link(host, num);
    }

    /// The missile is from now on no more than the event of its end.
    fn become_burst(&mut self, num: EntityNum, place: Vec3) {
        self.set_origin(num, place);
        let entity = &mut self.entities[num];
        entity.kind = Kind::Event;
        entity.shared.state.entity_type = entity_type::GENERAL;
        entity.after_event = AfterEvent::Free;
        entity.think = None;
    }

    /// The blast of a missile; `spared` had the hit itself.
    fn missile_blast(
        &mut self,
        host: &mut dyn Host,
        missile: &Missile,
        place: Vec3,
        spared: Option<EntityNum>,
        counted: bool,
    ) {
        let row = missile.row;
        if row.splash_damage == 0 {
            return;
        }
        let blast = super::blast::Blast {
            place,
            attacker: missile.owner,
            points: missile.points(row.splash_damage),
            radius: row.splash_radius,
            spared,
            means: row.splash_means,
        };
        let hurt_enemy = self.radius_damage(host, &blast);
        self.count_missile_hit(missile, hurt_enemy && !counted);
    }

    fn is_accurate_missile(&self, host: &dyn Host, missile: &Missile, target: EntityNum) -> bool {
        let owner = self.entities.client_of(missile.owner);
        owner.is_some_and(|owner| self.is_accurate(host, owner, target))
    }

    fn count_missile_hit(&mut self, missile: &Missile, counts: bool) {
        if let Some(owner) = self.entities.client_of(missile.owner).filter(|_| counts) {
            self.clients[owner.index()].player.statistics.count_hit(missile.row.weapon);
        }
    }

    /// Thrown back from a wall, or at rest on a floor.
    fn bounce(&mut self, host: &mut dyn Host, num: EntityNum, trace: &Trace, leg: &Leg) {
        let span: Millis = leg.to - leg.from;
        let hit_at = leg.from + Millis((span.0 as f32 * trace.fraction) as i32);
        let entity = &mut self.entities[num];
        let velocity = entity.shared.state.pos.velocity_at(hit_at);
        let normal = trace.plane.normal;
        let mut bounced = velocity.mul_add(-2.0 * velocity.dot(normal), normal);
        if entity.shared.state.flags & entity_flag::BOUNCE_HALF != 0 {
            bounced = bounced * BOUNCE_SHARE;
            if normal.z > REST_NORMAL_Z && bounced.length() < REST_SPEED {
                self.set_origin(num, trace.end);
                self.link(host, num);
                return;
            }
        }
        let origin = entity.shared.link.origin + normal;
        entity.shared.link.origin = origin;
        entity.shared.state.pos.delta = bounced;
        entity.shared.state.pos.base = origin;
        entity.shared.state.pos.time = leg.to.0;
    }
}
