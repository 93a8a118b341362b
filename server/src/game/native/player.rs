//! A player gets a body: at the first spawn, after each death, and when it is moved.

use super::NativeGame;
use super::client::{Life, is_team_game};
use super::combat::Damage;
use super::entity::{Entity, Kind};
use super::level::View;
use super::spots::{PLAYER_BOUNDS, Spot};
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Vec3, angle_to_short, angle_vectors};
use fogline_common::openarena::{
    animation, entity_flag, event, game_type, means_of_death, pers, pm_flag, shared, stat, team, weapon,
    weapon_state,
};
use fogline_common::pmove::player_state_to_entity_state;
use fogline_common::proto::{PlayerState, contents};
use fogline_common::time::Millis;

/// How long a player holds its breath. Unit: ms.
pub(super) const AIR: Millis = Millis(12_000);
/// Health beyond the handicap's at a spawn; it counts down.
const SPAWN_BONUS: i32 = 25;
/// Speed out of a teleporter. Unit: units a second.
const TELEPORT_SPEED: f32 = 400.0;

impl NativeGame {
    /// Places a client fresh in the world: at its first entry and after each death. Source: `ClientSpawn`.
    pub(super) fn spawn_player(&mut self, host: &mut dyn Host, num: ClientNum) {
        let spectating = self.clients[num.index()].spectating();
        let (view, spot) = self.spawn_view(host, num);
        self.reset_player(host, num);
        self.reset_body(host, num);
        self.give_first_weapons(host.config().g_gametype, num);

        let entity = num.entity();
        self.set_origin(entity, view.origin);
        let client = &mut self.clients[num.index()];
        client.ps.origin = view.origin;
        client.ps.pm_flags |= pm_flag::RESPAWNED | pm_flag::TIME_KNOCKBACK;
        client.ps.pm_time = 100;
        client.ps.torso_anim = animation::TORSO_STAND;
        client.ps.legs_anim = animation::LEGS_IDLE;
        client.cmd = host.last_usercmd(num);
        self.set_view_angles(num, view.angles);
        if !spectating {
            self.kill_box(host, num);
            self.link(host, entity);
        }
        if self.level.stage.is_intermission() {
            self.move_to_intermission(host, num);
        } else {
            if let Some(target) = spot.and_then(|spot| spot.target) {
                self.fire_targets(host, target, Some(entity));
            }
            let held = self.clients[num.index()].ps.stats[stat::WEAPONS as usize];
            let ps = &mut self.clients[num.index()].ps;
            ps.weapon = best_weapon(held);
            ps.weapon_state = weapon_state::READY;
        }
        self.settle(host, num);
    }

    /// Where the client appears.
    fn spawn_view(&mut self, host: &dyn Host, num: ClientNum) -> (View, Option<Spot>) {
        let game = host.config().g_gametype;
        let client = &mut self.clients[num.index()];
        if client.spectating() {
            return (self.intermission_view(), None);
        }
        let just_entered = !std::mem::replace(&mut client.player.spawned_before, true);
        let has_bases = is_team_game(game)
            && !matches!(game, game_type::TEAM | game_type::DOUBLE_D | game_type::DOMINATION);
        let team = has_bases.then_some((client.session.team, just_entered));
        let (avoid, local) = (client.ps.origin, client.player.local);
        self.select_spawn(host, team, just_entered && local, avoid)
    }

    /// Everything of the client that a death ends is made new; the teleport bit tells clients not to blend.
    fn reset_player(&mut self, host: &dyn Host, num: ClientNum) {
        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        let kept = entity_flag::TELEPORT_BIT | entity_flag::VOTED | entity_flag::TEAMVOTED;
        let old = client.ps;
        client.ps = PlayerState {
            flags: (old.flags & kept) ^ entity_flag::TELEPORT_BIT,
            persistant: old.persistant,
            event_sequence: old.event_sequence,
            entity_event_sequence: old.event_sequence,
            events: old.events,
            event_parms: old.event_parms,
            client_num: num.index() as i32,
            ping: old.ping,
            ..PlayerState::default()
        };
        client.count(pers::SPAWN_COUNT);
        client.ps.persistant[pers::TEAM as usize] = client.session.team;
        let (hook, rune) = (client.life.hook, client.life.rune);
        debug_assert!(hook.is_none() && rune.is_none(), "{num} came to life with {hook:?} and {rune:?}");
        client.life = Life {
            respawn_at: now,
            inactive_at: now + Millis(host.config().g_inactivity.saturating_mul(1000)),
            air_until: now + AIR,
            drowning_damage: 2,
            last_command_frame: self.level.frame,
            protected: true,
            ..Life::default()
        };
        client.player.max_health = client.player.handicap;
        client.ps.stats[stat::MAX_HEALTH as usize] = client.player.max_health;
    }

    /// The client's entity is a living player again.
    fn reset_body(&mut self, host: &mut dyn Host, num: ClientNum) {
        let spectating = self.clients[num.index()].spectating();
        let entity = num.entity();
        if self.entities[entity].shared.link.linked {
            self.unlink(host, entity);
        }
        let mut shared = self.entities[entity].shared;
        shared.state.ground_entity = EntityNum::NONE_ON_WIRE;
        shared.state.flags &= !entity_flag::KAMIKAZE;
        shared.state.event = 0;
        shared.link.contents = if spectating { 0 } else { contents::BODY };
        shared.link.bounds = PLAYER_BOUNDS;
        shared.link.owner = EntityNum::NONE_ON_WIRE;
        let event_time = self.level.time;
        let kind = Kind::Player(num);
        self.entities[entity] =
            Entity { shared, kind, takes_damage: !spectating, event_time, ..Entity::default() };
        let health = self.clients[num.index()].player.max_health + SPAWN_BONUS;
        self.set_health(num, health);
    }

    fn give_first_weapons(&mut self, game: i32, num: ClientNum) {
        let ps = &mut self.clients[num.index()].ps;
        ps.stats[stat::WEAPONS as usize] = 1 << weapon::MACHINEGUN | 1 << weapon::GAUNTLET;
        ps.ammo[weapon::MACHINEGUN as usize] = if game == game_type::TEAM { 50 } else { 100 };
        ps.ammo[weapon::GAUNTLET as usize] = -1;
        ps.ammo[weapon::GRAPPLING_HOOK as usize] = -1;
        ps.weapon = weapon::MACHINEGUN;
    }

    /// Runs one short move, so that the player stands on the floor and its animations have begun.
    fn settle(&mut self, host: &mut dyn Host, num: ClientNum) {
        let entity = num.entity();
        let now = self.level.time;
        self.clients[num.index()].ps.command_time = now.0 - 100;
        self.think(host, num);
        if !self.clients[num.index()].spectating() {
            self.show_player(num);
            self.entities[entity].shared.link.origin = self.clients[num.index()].ps.origin;
            self.link(host, entity);
        }
        self.end_client_frame(host, num);
        self.show_player(num);
    }

    /// What others are told of a player. Source: `BG_PlayerStateToEntityState`, rounded toward zero.
    pub(super) fn show_player(&mut self, num: ClientNum) {
        let state = &mut self.entities[num.entity()].shared.state;
        player_state_to_entity_state(&mut self.clients[num.index()].ps, state);
    }

    /// Health, for the rules and for the player.
    pub(super) fn set_health(&mut self, num: ClientNum, health: i32) {
        self.entities[num.entity()].health = health;
        self.clients[num.index()].ps.stats[stat::HEALTH as usize] = health;
    }

    /// The player looks this way from now on, whatever its mouse did before. Source: `SetClientViewAngle`.
    pub(super) fn set_view_angles(&mut self, num: ClientNum, angles: Vec3) {
        let client = &mut self.clients[num.index()];
        for axis in 0..3 {
            client.ps.delta_angles[axis] = angle_to_short(angles[axis]) - client.cmd.angles[axis];
        }
        client.ps.view_angles = angles;
        self.entities[num.entity()].shared.state.angles = angles;
    }

    /// Whoever stands where this player appears dies. Source: `G_KillBox`.
    pub(super) fn kill_box(&mut self, host: &mut dyn Host, num: ClientNum) {
        let bounds = self.entities[num.entity()].shared.link.bounds;
        let found = self.in_box(host, &bounds.translated(self.clients[num.index()].ps.origin));
        for &other in &found {
            if other != num.entity() && self.entities.client_of(other).is_some() {
                let hit = Damage::new(other, 100_000, means_of_death::TELEFRAG).by(num.entity());
                self.damage(host, &hit.unprotected());
            }
        }
        self.put_back(found);
    }

    /// A player is moved at once, with flashes at both ends. Source: `TeleportPlayer`.
    pub(super) fn teleport(&mut self, host: &mut dyn Host, num: ClientNum, to: View) {
        let client = &self.clients[num.index()];
        let (spectating, from) = (client.spectating(), client.ps.origin);
        if !spectating {
            for (place, event) in [(from, event::PLAYER_TELEPORT_OUT), (to.origin, event::PLAYER_TELEPORT_IN)]
            {
                if let Some(flash) = self.temporary_event(host, place, event) {
                    self.entities[flash].shared.state.client_num = num.index() as i32;
                }
            }
        }
        let entity = num.entity();
        self.unlink(host, entity);
        self.free_hook_of(host, num);
        let ps = &mut self.clients[num.index()].ps;
        ps.origin = to.origin;
        ps.origin.z += 1.0;
        ps.velocity = angle_vectors(to.angles).forward * TELEPORT_SPEED;
        ps.pm_time = 160;
        ps.pm_flags |= pm_flag::TIME_KNOCKBACK;
        ps.flags ^= entity_flag::TELEPORT_BIT;
        self.set_view_angles(num, to.angles);
        if !spectating {
            self.kill_box(host, num);
        }
        self.show_player(num);
        self.entities[entity].shared.link.origin = self.clients[num.index()].ps.origin;
        if !spectating {
            self.link(host, entity);
        }
    }

    /// Two entities are players of one team that fights another. Source: `OnSameTeam`.
    pub(super) fn same_team(&self, game: i32, a: EntityNum, b: EntityNum) -> bool {
        let team_of = |num| Some(self.clients[self.entities.client_of(num)?.index()].session.team);
        is_team_game(game) && team_of(a).is_some_and(|t| t != team::FREE && Some(t) == team_of(b))
    }
}

/// The weapon of the highest number in a set of them, the grapple aside.
pub(super) fn best_weapon(held: i32) -> i32 {
    let able = |&w: &i32| held & 1 << w != 0 && w != weapon::GRAPPLING_HOOK;
    (weapon::GAUNTLET..weapon::NUM_WEAPONS).rev().find(able).unwrap_or(weapon::GAUNTLET)
}

const _: () = assert!(shared::MINS_Z == -24);
