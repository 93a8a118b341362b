//! Things to pick up: they fall to the floor, are taken, hide for a while and come back.

use super::NativeGame;
use super::entity::{AfterEvent, Entity, Item, Kind, Think};
use super::entity_string::Fields;
use super::flags::{RETURN_TIME, flag_team};
use super::level::Assets;
use super::names::Name;
use super::runes::may_take_rune;
use crate::game::{Host, Record};
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, YAW, angle_vectors, vec3};
use fogline_common::openarena::{
    ITEMS, entity_flag, entity_type, event, game_type, holdable, item_type, powerup, shared, stat,
    trajectory, weapon, weapon_state,
};
use fogline_common::pmove::{add_predictable_event, carried_powerup};
use fogline_common::proto::{Trajectory, contents, mask, sv_flag};
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;

/// What is heard everywhere when a powerup is there again.
pub(super) const POWERUP_RESPAWN: &str = "sound/items/poweruprespawn.wav";
/// Box of an item.
const ITEM_BOUNDS: Bounds =
    Bounds::new(Vec3::splat(-(shared::ITEM_RADIUS as f32)), Vec3::splat(shared::ITEM_RADIUS as f32));
/// Most of one kind of ammunition.
const MOST_AMMO: i32 = 200;
/// Items look for the floor once the movers stand.
const SETTLE_TIME: Millis = Millis(200);
/// Dropped things lie this long.
const DROP_LIFE: Millis = Millis(30_000);
/// Speed of the fall that ends when an item lands. Unit: units a second.
const REST_SPEED: f32 = 40.0;

impl NativeGame {
    /// An item of the map. Source: `G_SpawnItem`.
    pub(super) fn spawn_item(&mut self, num: EntityNum, index: usize, fields: &Fields<'_>) {
        self.level.items_used[index] = true;
        let entity = &mut self.entities[num];
        entity.kind = Kind::Item(Item {
            index,
            count: fields.int("count", 0),
            wait_s: fields.float("wait", 0.0),
            random_s: fields.float("random", 0.0),
            side_flags: entity.spawn_flags,
            dropped: false,
            present: true,
        });
        if ITEMS[index].kind == item_type::PERSISTANT_POWERUP {
            // Clients read here for which side it is.
            entity.shared.state.generic1 = entity.spawn_flags;
        }
        entity.think = Some((self.level.time + SETTLE_TIME, Think::DropToFloor));
    }

    /// The item stands where it will be found. Source: `FinishSpawningItem`.
    pub(super) fn drop_to_floor(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Item(item) = self.entities[num].kind else { return };
        dress(&mut self.entities[num], item.index);
        let origin = self.entities[num].shared.state.origin;
        let suspended = self.entities[num].spawn_flags & 1 != 0;
        if suspended {
            self.set_origin(num, origin);
        } else {
            let down = vec3(origin.x, origin.y, origin.z - 4096.0);
            let request = TraceRequest::sweep(origin, down, ITEM_BOUNDS, mask::SOLID, Some(num));
            let trace = host.trace(&self.entities, &request);
            if trace.start_solid {
                let class = ITEMS[item.index].class;
                host.print(&format!(
                    "{class} at {:.0} {:.0} {:.0} is stuck in a wall and left out",
                    origin.x, origin.y, origin.z
                ));
                self.free(host, num);
                return;
            }
            self.entities[num].shared.state.ground_entity = EntityNum::to_wire(trace.entity);
            self.set_origin(num, trace.end);
        }
        let ties = self.entities[num].ties;
        let slave = ties.team_master.is_some_and(|master| master != num);
        if slave || ties.name.is_some() {
            // It waits for its team's lot, or for being fired.
            self.hide_item(num);
            return;
        }
        if ITEMS[item.index].kind == item_type::POWERUP {
            let first_s = 45.0 + self.crandom() * 15.0;
            self.hide_item(num);
            self.entities[num].think =
                Some((self.level.time + Millis((first_s * 1000.0) as i32), Think::RespawnItem));
            return;
        }
        self.link(host, num);
    }

    fn hide_item(&mut self, num: EntityNum) {
        let entity = &mut self.entities[num];
        entity.shared.state.flags |= entity_flag::NODRAW;
        entity.shared.link.contents = 0;
        if let Kind::Item(item) = &mut entity.kind {
            item.present = false;
        }
    }

    /// A player touches an item. Source: `Touch_Item`.
    pub(super) fn touch_item(&mut self, host: &mut dyn Host, num: EntityNum, client: ClientNum) {
        let Kind::Item(item) = self.entities[num].kind else { return };
        if !item.present || self.entities[client.entity()].health < 1 || !self.can_take(client, &item) {
            return;
        }
        let class = ITEMS[item.index].class;
        let record = Record::new("item", format!("Item: {client} {class}"));
        host.log_game(&record.int("client", client.index() as i32).text("item", class));
        let is_flag = flag_team(item.index).is_some();
        if is_flag && !self.touch_flag(host, client, &item) {
            return;
        }
        // A flag comes back by other means than time.
        let usual_s = if is_flag { 0 } else { self.take(host, num, client, &item) };
        let shown = item.index as i32;
        if self.clients[client.index()].player.predicts_items {
            add_predictable_event(&mut self.clients[client.index()].ps, event::ITEM_PICKUP, shown);
        } else {
            self.add_event(client.entity(), event::ITEM_PICKUP, shown);
        }
        if matches!(ITEMS[item.index].kind, item_type::POWERUP | item_type::TEAM) {
            let origin = self.entities[num].shared.state.pos.base;
            if ITEMS[item.index].kind == item_type::POWERUP {
                self.deny_others(host, client, origin);
            }
            if let Some(sound) = self.temporary_event(host, origin, event::GLOBAL_ITEM_PICKUP) {
                self.entities[sound].shared.state.event_parm = shown;
                self.entities[sound].shared.link.sv_flags |= sv_flag::BROADCAST;
            }
        }
        if let Some(target) = self.entities[num].ties.target {
            self.fire_targets(host, target, Some(client.entity()));
        }
        self.put_away(host, num, &item, usual_s);
    }

    /// Every item called `name` goes to the player, once for each signal, and is never seen. Source: `Use_Target_Give`.
    pub(super) fn give_named(&mut self, host: &mut dyn Host, name: Name, client: ClientNum) {
        for number in 0..self.entities.count() {
            let Some(num) = EntityNum::new(number).filter(|&num| self.entities.in_use(num)) else { continue };
            let entity = &mut self.entities[num];
            let Kind::Item(item) = &mut entity.kind else { continue };
            if entity.ties.name != Some(name) {
                continue;
            }
            item.present = true;
            self.touch_item(host, num, client);
            self.hide_item(num);
            self.entities[num].think = None;
            self.unlink(host, num);
        }
    }

    /// A taken item hides, or is gone.
    fn put_away(&mut self, host: &mut dyn Host, num: EntityNum, item: &Item, usual_s: i32) {
        let mut wait_s = if item.wait_s == 0.0 { usual_s as f32 } else { item.wait_s };
        if item.random_s != 0.0 {
            wait_s = (wait_s + self.crandom() * item.random_s).max(1.0);
        }
        self.hide_item(num);
        let now = self.level.time;
        let entity = &mut self.entities[num];
        entity.shared.link.sv_flags |= sv_flag::NOCLIENT;
        entity.event_time = now;
        entity.think = None;
        if item.wait_s < 0.0 {
            entity.after_event = AfterEvent::Unlink;
        } else if item.dropped {
            entity.after_event = AfterEvent::Free;
        } else if wait_s > 0.0 {
            entity.think = Some((now + Millis((wait_s * 1000.0) as i32), Think::RespawnItem));
        }
        self.link(host, num);
    }

    /// The item, or one of its team by lot, is there again. Source: `RespawnItem`.
    pub(super) fn respawn_item(&mut self, host: &mut dyn Host, num: EntityNum) {
        let num = self.team_lot(num);
        let Kind::Item(item) = &mut self.entities[num].kind else { return };
        item.present = true;
        let kind = ITEMS[item.index].kind;
        let entity = &mut self.entities[num];
        entity.think = None;
        entity.shared.link.contents = contents::TRIGGER;
        entity.shared.link.sv_flags &= !sv_flag::NOCLIENT;
        entity.shared.state.flags &= !entity_flag::NODRAW;
        entity.after_event = AfterEvent::Stay;
        self.link(host, num);
        if kind == item_type::POWERUP {
            let index = Assets::Sounds.index(host, POWERUP_RESPAWN);
            let origin = self.entities[num].shared.state.pos.base;
            if let Some(sound) = self.temporary_event(host, origin, event::GLOBAL_SOUND) {
                self.entities[sound].shared.state.event_parm = index;
                self.entities[sound].shared.link.sv_flags |= sv_flag::BROADCAST;
            }
        }
        self.add_event(num, event::ITEM_RESPAWN, 0);
    }

    /// One of the item's team by lot, or the item itself.
    fn team_lot(&mut self, num: EntityNum) -> EntityNum {
        let Some(master) = self.entities[num].ties.team_master else { return num };
        let next = |game: &Self, at: EntityNum| game.entities[at].ties.team_next;
        let mut count = 1;
        let mut at = master;
        while let Some(other) = next(self, at) {
            at = other;
            count += 1;
        }
        let mut at = master;
        for _ in 0..self.rng.usize(0..count) {
            at = next(self, at).unwrap_or(at);
        }
        at
    }

    /// Whether the item is of use to the player. Both ends must agree, since pickups are predicted. Source:
    /// `BG_CanItemBeGrabbed`.
    fn can_take(&self, client: ClientNum, touched: &Item) -> bool {
        let item = &ITEMS[touched.index];
        let ps = &self.clients[client.index()].ps;
        let most = ps.stats[stat::MAX_HEALTH as usize];
        match item.kind {
            item_type::WEAPON | item_type::POWERUP => true,
            item_type::AMMO => ps.ammo[item.tag as usize] < MOST_AMMO,
            item_type::ARMOR => {
                let borne = carried_powerup(ps);
                borne != powerup::SCOUT && ps.stats[stat::ARMOR as usize] < most * armor_factor(borne)
            }
            item_type::HEALTH => {
                let factor = health_factor(carried_powerup(ps), item.quantity);
                ps.stats[stat::HEALTH as usize] < most * factor
            }
            item_type::PERSISTANT_POWERUP => {
                may_take_rune(ps, self.clients[client.index()].session.team, touched.side_flags)
            }
            item_type::HOLDABLE => ps.stats[stat::HOLDABLE_ITEM as usize] == 0,
            item_type::TEAM => self.may_touch_flag(client, touched),
            _ => false,
        }
    }

    /// The player has it. Its usual respawn time in seconds. Source: `Pickup_*`.
    fn take(&mut self, host: &dyn Host, num: EntityNum, client: ClientNum, item: &Item) -> i32 {
        let what = &ITEMS[item.index];
        let quantity = if item.count > 0 { item.count } else { what.quantity };
        let now = self.level.time.0;
        let team_deathmatch = host.config().g_gametype == game_type::TEAM;
        let config = host.config();
        let weapon_s = if team_deathmatch { config.g_weaponteamrespawn } else { config.g_weaponrespawn };
        let ps = &mut self.clients[client.index()].ps;
        let most = ps.stats[stat::MAX_HEALTH as usize];
        let borne = carried_powerup(ps);
        match what.kind {
            item_type::WEAPON => {
                let held = ps.ammo[what.tag as usize];
                let rounds = match item.count {
                    ..0 => 0,
                    _ if item.dropped || team_deathmatch => quantity,
                    _ if held < quantity => quantity - held,
                    _ => 1,
                };
                ps.stats[stat::WEAPONS as usize] |= 1 << what.tag;
                add_ammo(&mut ps.ammo, what.tag, rounds);
                weapon_s
            }
            item_type::AMMO => {
                add_ammo(&mut ps.ammo, what.tag, quantity);
                40
            }
            item_type::ARMOR => {
                let armor = &mut ps.stats[stat::ARMOR as usize];
                *armor = (*armor + quantity).min(most * armor_factor(borne));
                25
            }
            item_type::HEALTH => {
                let limit = most * health_factor(borne, what.quantity);
                let health = self.entities[client.entity()].health;
                self.set_health(client, (health + quantity).min(limit));
                35
            }
            item_type::POWERUP => {
                let until = &mut ps.powerups[what.tag as usize];
                if *until == 0 {
                    // Whole seconds, so that all powerups tick together.
                    *until = now - now % 1000;
                }
                *until += quantity * 1000;
                120
            }
            item_type::PERSISTANT_POWERUP => {
                self.take_rune(num, client, item.index);
                0
            }
            _ => {
                ps.stats[stat::HOLDABLE_ITEM as usize] = item.index as i32;
                if what.tag == holdable::KAMIKAZE {
                    ps.flags |= entity_flag::KAMIKAZE;
                }
                60
            }
        }
    }

    /// What the dead leave: the weapon in hand, and powerups with what is left of them. Source: `TossClientItems`.
    pub(super) fn toss_items(&mut self, host: &mut dyn Host, num: ClientNum) {
        let client = &self.clients[num.index()];
        let ps = client.ps;
        let mut in_hand = ps.weapon;
        if matches!(in_hand, weapon::MACHINEGUN | weapon::GRAPPLING_HOOK) {
            if ps.weapon_state == weapon_state::DROPPING {
                in_hand = i32::from(client.cmd.weapon);
            }
            let held = (0..weapon::NUM_WEAPONS).contains(&in_hand)
                && ps.stats[stat::WEAPONS as usize] & 1 << in_hand != 0;
            in_hand = if held { in_hand } else { weapon::NONE };
        }
        let loose = in_hand > weapon::MACHINEGUN && in_hand != weapon::GRAPPLING_HOOK;
        if loose
            && ps.ammo[in_hand as usize] != 0
            && let Some(index) = item_of(item_type::WEAPON, in_hand)
        {
            self.toss(host, num, index, 0.0, 0);
        }
        self.drop_flags(host, num);
        if host.config().g_gametype == game_type::TEAM {
            return;
        }
        let mut turn = 45.0;
        for tag in powerup::QUAD..=powerup::FLIGHT {
            let left_ms = ps.powerups[tag as usize] - self.level.time.0;
            if left_ms > 0
                && let Some(index) = item_of(item_type::POWERUP, tag)
            {
                self.toss(host, num, index, turn, (left_ms / 1000).max(1));
                turn += 45.0;
            }
        }
    }

    /// A flag that the player carries falls; with no number free for it, it goes home at once.
    pub(super) fn drop_flags(&mut self, host: &mut dyn Host, num: ClientNum) {
        for tag in [powerup::REDFLAG, powerup::BLUEFLAG] {
            let carried = std::mem::take(&mut self.clients[num.index()].ps.powerups[tag as usize]) != 0;
            let index = item_of(item_type::TEAM, tag).filter(|_| carried);
            let Some((index, flag)) = index.and_then(|index| Some((index, flag_team(index)?))) else {
                continue;
            };
            match self.toss(host, num, index, 0.0, 1) {
                Some(dropped) => {
                    self.think_after(dropped, RETURN_TIME, Think::ReturnFlag);
                    self.flag_dropped(host, flag);
                }
                None => self.send_flag_home(host, flag),
            }
        }
    }

    /// Throws an item from a player. Source: `Drop_Item`, `LaunchItem`.
    fn toss(
        &mut self,
        host: &mut dyn Host,
        from: ClientNum,
        index: usize,
        turn: f32,
        count: i32,
    ) -> Option<EntityNum> {
        let state = &self.entities[from.entity()].shared.state;
        let origin = state.pos.base;
        let heading = vec3(0.0, state.apos.base[YAW] + turn, 0.0);
        let mut velocity = angle_vectors(heading).forward * 150.0;
        velocity.z += 200.0 + self.crandom() * 50.0;
        let now = self.level.time;
        let num = self.entities.spawn(now)?;
        self.set_origin(num, origin);
        self.make_dropped(num, index, count);
        let entity = &mut self.entities[num];
        entity.think = Some((now + DROP_LIFE, Think::Free));
        let state = &mut entity.shared.state;
        state.model_index2 = 1;
        state.flags |= entity_flag::BOUNCE_HALF;
        state.ground_entity = EntityNum::NONE_ON_WIRE;
        state.pos =
            Trajectory { kind: trajectory::GRAVITY, time: now.0, duration: 0, base: origin, delta: velocity };
        self.link(host, num);
        Some(num)
    }

    /// An entity becomes an item that does not come back.
    pub(super) fn make_dropped(&mut self, num: EntityNum, index: usize, count: i32) {
        let entity = &mut self.entities[num];
        dress(entity, index);
        entity.kind = Kind::Item(Item { index, count, dropped: true, present: true, ..Item::default() });
    }

    /// Items and bodies in the air fall and come to rest. Source: `G_RunItem`, `G_BounceItem`.
    pub(super) fn fall(&mut self, host: &mut dyn Host, num: EntityNum) {
        let now = self.level.time;
        let entity = &mut self.entities[num];
        let state = &mut entity.shared.state;
        if state.pos.kind == trajectory::STATIONARY {
            return;
        }
        let is_body = matches!(entity.kind, Kind::Body);
        let stops_at = if is_body {
            contents::SOLID | contents::PLAYERCLIP
        } else {
            mask::PLAYERSOLID & !contents::BODY
        };
        let from = entity.shared.link.origin;
        let pass = EntityNum::from_wire(entity.shared.link.owner).or(Some(num));
        let request = TraceRequest::sweep(from, state.pos.at(now), entity.shared.link.bounds, stops_at, pass);
        let trace = host.trace(&self.entities, &request);
        self.entities[num].shared.link.origin = trace.end;
        self.link(host, num);
        if trace.fraction == 1.0 && !trace.start_solid {
            return;
        }
        if host.point_contents(&self.entities, trace.end, None) & contents::NODROP != 0 {
            if is_body {
                self.unlink(host, num);
            } else if self.is_flag(num) {
                self.return_flag(host, num);
            } else {
                self.free(host, num);
            }
            return;
        }
        let fraction = if trace.start_solid { 0.0 } else { trace.fraction };
        let frame: Millis = now - self.level.previous_time;
        let hit_at = self.level.previous_time + Millis((frame.0 as f32 * fraction) as i32);
        let state = &mut self.entities[num].shared.state;
        let velocity = state.pos.velocity_at(hit_at);
        let normal = trace.plane.normal;
        let bounced = velocity.mul_add(-2.0 * velocity.dot(normal), normal) * if is_body { 0.0 } else { 0.5 };
        if trace.start_solid || normal.z > 0.0 && bounced.z < REST_SPEED {
            let rest = (trace.end + vec3(0.0, 0.0, 1.0)).truncated();
            state.ground_entity = EntityNum::to_wire(trace.entity);
            self.set_origin(num, rest);
        } else {
            let origin = trace.end + normal;
            state.pos = Trajectory { base: origin, delta: bounced, time: now.0, ..state.pos };
            self.entities[num].shared.link.origin = origin;
        }
        self.link(host, num);
    }
}

/// An entity looks like the item.
fn dress(entity: &mut Entity, index: usize) {
    let shared = &mut entity.shared;
    shared.state.entity_type = entity_type::ITEM;
    shared.state.model_index = index as i32;
    shared.state.model_index2 = 0;
    shared.link.bounds = ITEM_BOUNDS;
    shared.link.contents = contents::TRIGGER;
}

/// How many times the usual health armor may reach.
fn armor_factor(borne: i32) -> i32 {
    if borne == powerup::GUARD { 1 } else { 2 }
}

/// How many times the usual health an item may bring a player to. Small and mega ones: twice, but for a guard.
fn health_factor(borne: i32, quantity: i32) -> i32 {
    if matches!(quantity, 5 | 100) && borne != powerup::GUARD { 2 } else { 1 }
}

/// More ammunition, up to the most.
pub(super) fn add_ammo(ammo: &mut [i32; 16], weapon: i32, rounds: i32) {
    if weapon == weapon::GRAPPLING_HOOK || weapon == weapon::GAUNTLET {
        ammo[weapon as usize] = -1;
    } else {
        ammo[weapon as usize] = (ammo[weapon as usize] + rounds).min(MOST_AMMO);
    }
}

/// The item of a kind and tag.
fn item_of(kind: i32, tag: i32) -> Option<usize> {
    ITEMS.iter().position(|item| item.kind == kind && item.tag == tag)
}

/// The item of a class of the map.
pub(super) fn item_of_class(class: &str) -> Option<usize> {
    ITEMS.iter().skip(1).position(|item| item.class == class).map(|at| at + 1)
}
