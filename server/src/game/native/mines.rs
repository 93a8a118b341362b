//! Proximity mines: they stick to walls and to players, wait, and burst near whoever is not of their side.
//!
//! Source: `fire_prox`, `G_MissileImpact`, `ProximityMine_Activate`, `ProximityMine_Trigger`, `ProximityMine_Player`.

use super::NativeGame;
use super::combat::Damage;
use super::entity::{AfterEvent, Kind, Missile, Think};
use super::level::Assets;
use super::weapons::snapped_toward;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, vector_to_angles};
use fogline_common::openarena::{entity_flag, event, means_of_death};
use fogline_common::proto::{contents, sv_flag};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::Trace;

/// What a mine in wait is heard by.
pub(super) const MINE_TICKING: &str = "sound/weapons/proxmine/wstbtick.wav";
/// Between sticking to a wall and lying in wait.
const ARMING: Millis = Millis(2000);
/// Between somebody coming near and the burst.
const WARNING: Millis = Millis(500);
/// A mine on a player bursts after this, and sooner under invulnerability.
const ON_PLAYER: Millis = Millis(10_000);
const ON_INVULNERABLE: Millis = Millis(2000);
/// Near its own flag a mine lasts this much shorter.
const NEAR_FLAG_SHARE: i32 = 15;
/// What is near there.
const NEAR_FLAG: f32 = 500.0;
/// Another mine on the same player makes the first this much wider.
const WIDER: f32 = 1.5;
/// Points off who is invulnerable with a mine on it.
const JUICE: i32 = 1000;
/// Half size of a mine.
const SIZE: f32 = 4.0;

/// A mine that has stuck to something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mine {
    /// As what it was thrown.
    missile: Missile,
    /// The side of who threw it.
    team: i32,
    /// The mover that it sticks to.
    pub(super) sticks_to: Option<EntityNum>,
    /// The player that carries it.
    carrier: Option<ClientNum>,
    /// The space around it in which it notices somebody.
    pub(super) trigger: Option<EntityNum>,
    points: i32,
    radius: f32,
}

impl NativeGame {
    /// A flying mine met something: it sticks there.
    pub(super) fn stick_mine(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        missile: &Missile,
        trace: &Trace,
    ) {
        let hit = trace.entity.and_then(|hit| self.entities.client_of(hit));
        let team = self.entities[num].shared.state.generic1;
        let row = missile.row;
        let mine = Mine {
            missile: *missile,
            team,
            sticks_to: trace
                .entity
                .filter(|&on| self.entities.in_use(on) && matches!(self.entities[on].kind, Kind::Mover(_))),
            carrier: None,
            trigger: None,
            points: missile.points(row.splash_damage),
            radius: row.splash_radius,
        };
        if let Some(player) = hit.filter(|player| self.entities[player.entity()].health > 0) {
            self.add_event(num, event::PROXIMITY_MINE_STICK, 0);
            self.stick_to_player(host, num, mine, player);
            return;
        }
        let from = self.entities[num].shared.state.pos.base;
        self.set_origin(num, snapped_toward(trace.end, from));
        self.add_event(num, event::PROXIMITY_MINE_STICK, trace.surface_flags & 0xff);
        let entity = &mut self.entities[num];
        entity.kind = Kind::Mine(mine);
        let mut angles = vector_to_angles(trace.plane.normal);
        angles.x += 90.0;
        entity.shared.state.angles = angles;
        entity.shared.link.bounds = Bounds::new(Vec3::splat(-SIZE), Vec3::splat(SIZE));
        self.think_after(num, ARMING, Think::ArmMine);
        self.link(host, num);
    }

    /// The mine rides on a player from now on; a second one makes the first worse.
    fn stick_to_player(&mut self, host: &mut dyn Host, num: EntityNum, mine: Mine, player: ClientNum) {
        let first = self.clients[player.index()].life.mine.filter(|&first| self.entities.in_use(first));
        if let Some(first) = first {
            if let Kind::Mine(on_it) = &mut self.entities[first].kind {
                on_it.points = on_it.points.saturating_add(mine.points);
                on_it.radius *= WIDER;
            }
            self.entities[num].kind = Kind::Event;
            self.entities[num].think = None;
            self.entities[num].after_event = AfterEvent::Free;
            return;
        }
        let now = self.level.time;
        let client = &mut self.clients[player.index()];
        client.ps.flags |= entity_flag::TICKING;
        client.life.mine = Some(num);
        let invulnerable = client.life.invulnerable_until > now;
        let entity = &mut self.entities[num];
        entity.kind = Kind::Mine(Mine { carrier: Some(player), ..mine });
        entity.shared.state.flags |= entity_flag::NODRAW;
        entity.shared.link.sv_flags |= sv_flag::NOCLIENT;
        // Where it bursts is where its carrier is: that is for those to know who see or hear it.
        entity.shared.link.owner = player.index() as i32;
        entity.shared.state.pos.delta = Vec3::ZERO;
        let wait = if invulnerable { ON_INVULNERABLE } else { ON_PLAYER };
        self.think_after(num, wait, Think::BurstMine);
        self.link(host, num);
    }

    /// A mine on a wall begins to lie in wait.
    pub(super) fn arm_mine(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Mine(mut mine) = self.entities[num].kind else { return };
        let place = self.entities[num].shared.link.origin;
        let near_flag = self.stand_of(mine.team).is_some_and(|stand| stand.distance(place) < NEAR_FLAG);
        let timeout = host.config().g_proxminetimeout;
        let timeout = if near_flag { timeout / NEAR_FLAG_SHARE } else { timeout };
        let ticking = Assets::Sounds.index(host, MINE_TICKING);
        let entity = &mut self.entities[num];
        entity.takes_damage = true;
        entity.health = 1;
        entity.shared.state.loop_sound = ticking;
        self.think_after(num, Millis(timeout), Think::BurstMine);
        if let Some(trigger) = self.entities.spawn(self.level.time) {
            mine.trigger = Some(trigger);
            self.set_origin(trigger, place);
            let space = &mut self.entities[trigger];
            space.kind = Kind::MineTrigger { mine: num };
            space.shared.link.bounds = Bounds::POINT.grown(mine.radius);
            space.shared.link.contents = contents::TRIGGER;
            space.shared.link.sv_flags = sv_flag::NOCLIENT;
            self.link(host, trigger);
        }
        self.entities[num].kind = Kind::Mine(mine);
    }

    /// A player is in the space around a mine: if it is not of the mine's side and not behind a wall, the mine is about to burst.
    pub(super) fn touch_mine_trigger(
        &mut self,
        host: &mut dyn Host,
        trigger: EntityNum,
        num: EntityNum,
        client: ClientNum,
    ) {
        let Kind::Mine(mut mine) = self.entities[num].kind else { return };
        let place = self.entities[trigger].shared.link.origin;
        let at = self.entities[client.entity()].shared.state.pos.base;
        let mate = super::client::is_team_game(host.config().g_gametype)
            && self.clients[client.index()].session.team == mine.team;
        if at.distance(place) > mine.radius || mate || !self.is_exposed(host, client.entity(), place) {
            return;
        }
        mine.trigger = None;
        let entity = &mut self.entities[num];
        entity.kind = Kind::Mine(mine);
        entity.shared.state.loop_sound = 0;
        self.add_event(num, event::PROXIMITY_MINE_TRIGGER, 0);
        self.think_after(num, WARNING, Think::BurstMine);
        self.free(host, trigger);
    }

    /// A mine bursts.
    pub(super) fn burst_mine(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Mine(mine) = self.entities[num].kind else { return };
        if let Some(trigger) = mine.trigger.filter(|&trigger| self.entities.in_use(trigger)) {
            self.free(host, trigger);
        }
        if let Some(carrier) = mine.carrier {
            let client = &mut self.clients[carrier.index()];
            client.ps.flags &= !entity_flag::TICKING;
            client.life.mine = None;
            if client.life.invulnerable_until > self.level.time {
                self.juice(host, num, &mine, carrier);
                return;
            }
            let place = self.entities[carrier.entity()].shared.state.pos.base;
            self.set_origin(num, place);
            let entity = &mut self.entities[num];
            entity.shared.link.sv_flags &= !sv_flag::NOCLIENT;
            entity.shared.state.flags &= !entity_flag::NODRAW;
        }
        self.entities[num].takes_damage = false;
        self.entities[num].shared.state.loop_sound = 0;
        self.burst_thing(host, num, &mine.missile, mine.points, mine.radius);
    }

    /// Within its shell somebody invulnerable is pressed out by the mine that it carries.
    fn juice(&mut self, host: &mut dyn Host, num: EntityNum, mine: &Mine, carrier: ClientNum) {
        let hit = Damage::new(carrier.entity(), JUICE, means_of_death::JUICED).by(mine.missile.owner);
        self.damage(host, &hit);
        self.clients[carrier.index()].life.invulnerable_until = ServerTime(0);
        let place = self.clients[carrier.index()].ps.origin;
        self.temporary_event(host, place, event::JUICED);
        self.free(host, num);
    }

    /// A mine is shot or caught in a blast: it bursts a moment later.
    pub(super) fn set_off_mine(&mut self, num: EntityNum) {
        self.entities[num].takes_damage = false;
        self.think_after(num, Millis(1), Think::BurstMine);
    }

    /// A player with a mine on it dies, and the mine with it.
    pub(super) fn drop_mine(&mut self, num: ClientNum) {
        let client = &mut self.clients[num.index()];
        client.ps.flags &= !entity_flag::TICKING;
        if let Some(mine) = client.life.mine.take().filter(|&mine| self.entities.in_use(mine)) {
            self.think_after(mine, Millis(0), Think::Free);
        }
    }
}
