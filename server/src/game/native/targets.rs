//! Signals: one entity fires all that bear the name of its target.

use super::NativeGame;
use super::combat::Damage;
use super::entity::{Deed, Kind, Think};
use super::level::View;
use super::names::Name;
use super::spawn::{SPEAKER_ACTIVATOR, SPEAKER_GLOBAL, SPEAKER_LOOPED};
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::angle_vectors;
use fogline_common::openarena::{
    direction_to_byte, entity_flag, event, means_of_death, pm_type, powerup, team,
};
use fogline_common::time::Millis;

/// Signals may be passed on this often at once; a map whose relays fire each other in a ring stops here.
const DEEPEST: u32 = 16;

/// `target_relay`: for the red side, for the blue side, to one of its targets by lot.
const RELAY_RED: i32 = 1;
const RELAY_BLUE: i32 = 2;
const RELAY_ONE: i32 = 4;

impl NativeGame {
    /// Fires everything called `target`, for `activator`. Source: `G_UseTargets`.
    pub(super) fn fire_targets(&mut self, host: &mut dyn Host, target: Name, activator: Option<EntityNum>) {
        if self.level.fire_depth >= DEEPEST {
            return;
        }
        self.level.fire_depth += 1;
        for number in 0..self.entities.count() {
            let Some(num) = EntityNum::new(number).filter(|&num| self.entities.in_use(num)) else { continue };
            if self.entities[num].ties.name == Some(target) {
                self.fire(host, num, activator);
            }
        }
        self.level.fire_depth -= 1;
    }

    fn fire(&mut self, host: &mut dyn Host, num: EntityNum, activator: Option<EntityNum>) {
        match self.entities[num].kind {
            Kind::Mover(_) => self.use_mover(host, num, activator),
            Kind::Item(_) => self.respawn_item(host, num),
            Kind::Hurt(mut hurt) => {
                hurt.off = !hurt.off;
                self.entities[num].kind = Kind::Hurt(hurt);
            }
            Kind::Relay(mut relay) => {
                if !self.relays_for(num, activator) {
                    return;
                }
                relay.activator = activator;
                self.entities[num].kind = Kind::Relay(relay);
                let wait_s = relay.wait_s + relay.random_s * self.crandom();
                if wait_s <= 0.0 {
                    self.fire_relay(host, num);
                } else {
                    self.think_after(num, Millis((wait_s * 1000.0) as i32), Think::FireRelay);
                }
            }
            Kind::Shooter(_) => self.fire_shooter(num),
            Kind::Timer(_) => self.switch_timer(host, num, activator),
            Kind::Laser(_) => self.switch_laser(host, num, activator),
            Kind::Print { message } => self.show_text(host, num, message, activator),
            Kind::Speaker { noise } => self.fire_speaker(num, noise, activator),
            Kind::Deed(deed) => {
                if let Some(client) = activator.and_then(|who| self.entities.client_of(who)) {
                    self.do_deed(host, num, deed, client);
                }
            }
            _ => {}
        }
    }

    /// Whether a relay passes on what this one fired: some are for one side. Source: `target_relay_use`.
    fn relays_for(&self, num: EntityNum, activator: Option<EntityNum>) -> bool {
        let flags = self.entities[num].spawn_flags;
        let side = activator
            .and_then(|who| self.entities.client_of(who))
            .map(|who| self.clients[who.index()].session.team);
        let wrong = |flag: i32, wanted: i32| flags & flag != 0 && side.is_some_and(|side| side != wanted);
        !self.entities[num].for_sides || !wrong(RELAY_RED, team::RED) && !wrong(RELAY_BLUE, team::BLUE)
    }

    /// A relay's time has come.
    pub(super) fn fire_relay(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Relay(relay) = self.entities[num].kind else { return };
        let Some(target) = self.entities[num].ties.target else { return };
        if self.entities[num].for_sides && self.entities[num].spawn_flags & RELAY_ONE != 0 {
            self.fire_one(host, target, relay.activator);
        } else {
            self.fire_targets(host, target, relay.activator);
        }
    }

    /// Fires one of those called `target`, by lot.
    fn fire_one(&mut self, host: &mut dyn Host, target: Name, activator: Option<EntityNum>) {
        if self.level.fire_depth >= DEEPEST {
            return;
        }
        let called = |num: &EntityNum| self.entities[*num].ties.name == Some(target);
        let count = self.entities.numbers().filter(called).count();
        if count == 0 {
            return;
        }
        let lot = self.rng.usize(0..count);
        let called = |num: &EntityNum| self.entities[*num].ties.name == Some(target);
        let chosen = self.entities.numbers().filter(called).nth(lot);
        if let Some(chosen) = chosen {
            self.level.fire_depth += 1;
            self.fire(host, chosen, activator);
            self.level.fire_depth -= 1;
        }
    }

    /// A speaker sounds once, or starts or stops for good. Source: `Use_Target_Speaker`.
    fn fire_speaker(&mut self, num: EntityNum, noise: i32, activator: Option<EntityNum>) {
        let flags = self.entities[num].spawn_flags;
        let loop_sound = &mut self.entities[num].shared.state.loop_sound;
        if flags & SPEAKER_LOOPED != 0 {
            *loop_sound = if *loop_sound == 0 { noise } else { 0 };
        } else if flags & SPEAKER_ACTIVATOR != 0 {
            let from = activator.filter(|&who| self.entities.in_use(who)).unwrap_or(num);
            self.add_event(from, event::GENERAL_SOUND, noise);
        } else if flags & SPEAKER_GLOBAL != 0 {
            self.add_event(num, event::GLOBAL_SOUND, noise);
        } else {
            self.add_event(num, event::GENERAL_SOUND, noise);
        }
    }

    fn do_deed(&mut self, host: &mut dyn Host, num: EntityNum, deed: Deed, client: ClientNum) {
        match deed {
            Deed::Teleport => {
                let target = self.entities[num].ties.target;
                if let Some(spot) = target.and_then(|name| self.pick_spot(name)) {
                    self.teleport(host, client, View { origin: spot.origin, angles: spot.angles });
                }
            }
            Deed::Push(velocity) => {
                let ps = &mut self.clients[client.index()].ps;
                let flies = ps.powerups[powerup::FLIGHT as usize] != 0;
                if ps.pm_type == pm_type::NORMAL && !flies {
                    ps.velocity = velocity;
                }
            }
            Deed::RemovePowerups => {
                self.clients[client.index()].ps.powerups = [0; 16];
                self.entities[client.entity()].shared.state.flags &= !entity_flag::KAMIKAZE;
            }
            Deed::Score(points) => {
                let origin = self.entities[num].shared.state.origin;
                self.add_score(host, client, origin, points);
            }
            Deed::Kill => {
                let death = Damage::new(client.entity(), 100_000, means_of_death::TELEFRAG);
                self.damage(host, &death.unprotected());
            }
            Deed::Give => {
                if let Some(name) = self.entities[num].ties.target {
                    self.give_named(host, name, client);
                }
            }
        }
    }

    /// A portal's view: from its camera, or for a mirror from itself. Source: `locateCamera`.
    pub(super) fn locate_camera(&mut self, num: EntityNum) {
        let target = self.entities[num].ties.target;
        let Some(spot) = target.and_then(|name| self.pick_spot(name)) else { return };
        let looks_at = spot.target.and_then(|name| self.aim(name));
        let direction = match looks_at {
            Some(at) => (at - spot.origin).normalized(),
            None => angle_vectors(spot.angles).forward,
        };
        let state = &mut self.entities[num].shared.state;
        state.origin2 = spot.origin;
        state.event_parm = direction_to_byte(direction);
        // Swinging cameras say how far and how fast; the roll is a byte.
        state.powerups = i32::from(spot.spawn_flags & 4 == 0);
        state.frame = if spot.spawn_flags & 1 != 0 {
            25
        } else if spot.spawn_flags & 2 != 0 {
            75
        } else {
            0
        };
        state.client_num = (spot.angles.z / 360.0 * 256.0) as i32;
    }
}
