//! The grappling hook: it flies like a missile, holds where it hits, and pulls its owner there while the trigger is held.
//!
//! Source: `fire_grapple`, `Weapon_GrapplingHook_Fire`, `Weapon_HookThink`, `Weapon_HookFree`, `G_MissileImpact`. The pull itself
//! is movement, which clients predict.

use super::NativeGame;
use super::entity::{AfterEvent, Kind, Think};
use super::weapons::snapped_toward;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{direction_to_byte, entity_type, event, pm_flag, trajectory, weapon};
use fogline_common::proto::{Trajectory, button, mask, surface, sv_flag};
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;

/// Unit: units a second.
const SPEED: f32 = 800.0;
/// It comes back after this, wherever it is.
const LIFE: Millis = Millis(10_000);
/// How often a hook that holds a player follows it.
const FOLLOW: Millis = Millis(100);
/// It is drawn as if thrown this much after the usercmd that threw it.
const HEAD_START: i32 = 50;

/// A hook in flight or at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hook {
    owner: ClientNum,
    /// The player that it holds.
    caught: Option<EntityNum>,
    /// It holds something.
    holds: bool,
}

impl NativeGame {
    /// The trigger is pulled with the grapple in hand: one hook at a time.
    pub(super) fn throw_hook(&mut self, num: ClientNum, muzzle: Vec3, direction: Vec3) {
        let life = &mut self.clients[num.index()].life;
        let held = std::mem::replace(&mut life.fire_held, true);
        if held || life.hook.is_some() {
            return;
        }
        let Some(hook) = self.entities.spawn(self.level.time) else { return };
        let time = self.clients[num.index()].cmd.server_time + HEAD_START;
        let entity = &mut self.entities[hook];
        entity.kind = Kind::Hook(Hook { owner: num, caught: None, holds: false });
        let state = &mut entity.shared.state;
        state.entity_type = entity_type::MISSILE;
        state.weapon = weapon::GRAPPLING_HOOK;
        // By this clients draw the rope.
        state.other_entity = num.index() as i32;
        state.pos = Trajectory {
            kind: trajectory::LINEAR,
            time,
            duration: 0,
            base: muzzle,
            delta: (direction.normalized() * SPEED).truncated(),
        };
        let link = &mut entity.shared.link;
        link.sv_flags = sv_flag::USE_CURRENT_ORIGIN;
        link.owner = num.index() as i32;
        link.origin = muzzle;
        self.think_after(hook, LIFE, Think::FreeHook);
        self.clients[num.index()].life.hook = Some(hook);
    }

    /// Before a move: who lets the trigger go lets the hook go.
    pub(super) fn release_hook(&mut self, host: &mut dyn Host, num: ClientNum) {
        let client = &self.clients[num.index()];
        let fires = client.cmd.buttons & button::ATTACK != 0;
        if client.life.hook.is_some() && client.ps.weapon == weapon::GRAPPLING_HOOK && !fires {
            self.free_hook_of(host, num);
        }
    }

    /// The hook of a player is gone.
    pub(super) fn free_hook_of(&mut self, host: &mut dyn Host, num: ClientNum) {
        let client = &mut self.clients[num.index()];
        client.ps.pm_flags &= !pm_flag::GRAPPLE_PULL;
        if let Some(hook) = client.life.hook.take()
            && self.entities.in_use(hook)
        {
            self.free(host, hook);
        }
    }

    /// A hook's time is up.
    pub(super) fn free_hook(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Hook(hook) = self.entities[num].kind else { return };
        self.free_hook_of(host, hook.owner);
    }

    /// One frame of a hook.
    pub(super) fn run_hook(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Hook(hook) = self.entities[num].kind else { return };
        if hook.holds {
            self.run_think(host, num);
            return;
        }
        let shared = &self.entities[num].shared;
        let (from, to) = (shared.link.origin, shared.state.pos.at(self.level.time));
        let request = TraceRequest::ray(from, to, mask::SHOT, Some(hook.owner.entity()));
        let trace = host.trace(&self.entities, &request);
        if !trace.start_solid {
            self.entities[num].shared.link.origin = trace.end;
        }
        self.link(host, num);
        if !trace.hit() {
            self.run_think(host, num);
            return;
        }
        if trace.surface_flags & surface::NOIMPACT != 0 {
            self.free_hook_of(host, hook.owner);
            return;
        }
        let caught = trace.entity.filter(|&hit| {
            self.entities.in_use(hit)
                && self.entities[hit].takes_damage
                && self.entities.client_of(hit).is_some()
        });
        self.hold(host, num, Hook { caught, holds: true, ..hook }, &trace);
    }

    fn hold(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        hook: Hook,
        trace: &fogline_common::trace::Trace,
    ) {
        let base = self.entities[num].shared.state.pos.base;
        let at = hook.caught.map_or(trace.end, |caught| self.middle_of(caught));
        let place = snapped_toward(at, base);
        let what = if hook.caught.is_some() { event::MISSILE_HIT } else { event::MISSILE_MISS };
        if let Some(mark) = self.entities.spawn(self.level.time) {
            self.set_origin(mark, place);
            self.add_event(mark, what, direction_to_byte(trace.plane.normal));
            let entity = &mut self.entities[mark];
            entity.kind = Kind::Event;
            entity.after_event = AfterEvent::Free;
            entity.shared.state.entity_type = entity_type::GENERAL;
            entity.shared.state.weapon = weapon::GRAPPLING_HOOK;
            entity.shared.state.other_entity = hook.caught.map_or(0, |caught| caught.index() as i32);
            self.link(host, mark);
        }
        self.set_origin(num, place);
        let entity = &mut self.entities[num];
        entity.kind = Kind::Hook(hook);
        entity.shared.state.entity_type = entity_type::GRAPPLE;
        let ps = &mut self.clients[hook.owner.index()].ps;
        ps.pm_flags |= pm_flag::GRAPPLE_PULL;
        ps.grapple_point = place;
        self.think_after(num, FOLLOW, Think::FollowWithHook);
        self.link(host, num);
    }

    /// A hook that holds a player goes where it goes.
    pub(super) fn follow_with_hook(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Hook(hook) = self.entities[num].kind else { return };
        if let Some(caught) = hook.caught {
            if self.entities.client_of(caught).is_none_or(|client| !self.clients[client.index()].in_game()) {
                self.free_hook_of(host, hook.owner);
                return;
            }
            let old = self.entities[num].shared.link.origin;
            self.set_origin(num, snapped_toward(self.middle_of(caught), old));
            self.link(host, num);
            self.think_after(num, FOLLOW, Think::FollowWithHook);
        }
        self.clients[hook.owner.index()].ps.grapple_point = self.entities[num].shared.link.origin;
    }

    fn middle_of(&self, num: EntityNum) -> Vec3 {
        let link = &self.entities[num].shared.link;
        link.origin + link.bounds.center()
    }
}
