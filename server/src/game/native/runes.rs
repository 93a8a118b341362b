//! What lasts until death: scout, guard, doubler and ammo regeneration. The item waits hidden until its bearer dies.
//!
//! Source: `Pickup_PersistantPowerup`, `TossClientPersistantPowerups`, `ClientTimerActions`, `BG_CanItemBeGrabbed`.

use super::NativeGame;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::openarena::{ITEMS, entity_flag, powerup, stat, team, weapon};
use fogline_common::pmove::carried_powerup;
use fogline_common::proto::{PlayerState, contents, sv_flag};

/// Spawn flags of an item that is for one side.
const FOR_RED: i32 = 2;
const FOR_BLUE: i32 = 4;
/// What ammo regeneration fills: weapon, up to how much, how much at a time, and how often. Unit: ms.
const REFILLS: [(i32, i32, i32, i32); 11] = [
    (weapon::MACHINEGUN, 50, 4, 1000),
    (weapon::SHOTGUN, 10, 1, 1500),
    (weapon::GRENADE_LAUNCHER, 10, 1, 2000),
    (weapon::ROCKET_LAUNCHER, 10, 1, 1750),
    (weapon::LIGHTNING, 50, 5, 1500),
    (weapon::RAILGUN, 10, 1, 1750),
    (weapon::PLASMAGUN, 50, 5, 1500),
    (weapon::BFG, 10, 1, 4000),
    (weapon::NAILGUN, 10, 1, 1250),
    (weapon::PROX_LAUNCHER, 5, 1, 2000),
    (weapon::CHAINGUN, 100, 5, 1000),
];

/// Time since each refill. Shape: in the order of the table. Unit: ms.
pub(super) type RefillTimes = [i32; REFILLS.len()];

/// Whether somebody may take such an item: one at a time, and of its side.
pub(super) fn may_take_rune(ps: &PlayerState, side: i32, flags: i32) -> bool {
    ps.stats[stat::PERSISTANT_POWERUP as usize] == 0
        && (flags & FOR_RED == 0 || side == team::RED)
        && (flags & FOR_BLUE == 0 || side == team::BLUE)
}

impl NativeGame {
    /// The player bears it from now on; `num` is the item that hides meanwhile.
    pub(super) fn take_rune(&mut self, num: EntityNum, client: ClientNum, index: usize) {
        let bearer = &mut self.clients[client.index()];
        bearer.ps.stats[stat::PERSISTANT_POWERUP as usize] = index as i32;
        bearer.life.rune = Some(num);
        bearer.life.refills = RefillTimes::default();
        match ITEMS[index].tag {
            powerup::GUARD => {
                let most = bearer.player.handicap * 2;
                bearer.player.max_health = most;
                bearer.ps.stats[stat::MAX_HEALTH as usize] = most;
                bearer.ps.stats[stat::ARMOR as usize] = most;
                self.set_health(client, most);
            }
            powerup::SCOUT => bearer.ps.stats[stat::ARMOR as usize] = 0,
            _ => {}
        }
    }

    /// The bearer is dead or gone: the item is there again.
    pub(super) fn give_rune_back(&mut self, host: &mut dyn Host, client: ClientNum) {
        let bearer = &mut self.clients[client.index()];
        bearer.ps.stats[stat::PERSISTANT_POWERUP as usize] = 0;
        let Some(num) = bearer.life.rune.take().filter(|&num| self.entities.in_use(num)) else { return };
        let entity = &mut self.entities[num];
        if let super::entity::Kind::Item(item) = &mut entity.kind {
            item.present = true;
            entity.shared.link.sv_flags &= !sv_flag::NOCLIENT;
            entity.shared.state.flags &= !entity_flag::NODRAW;
            entity.shared.link.contents = contents::TRIGGER;
            self.link(host, num);
        }
    }

    /// Clients draw what somebody bears as a powerup that never ends.
    pub(super) fn show_rune(&mut self, num: ClientNum) {
        let now = self.level.time.0;
        let client = &mut self.clients[num.index()];
        let carried = carried_powerup(&client.ps);
        if matches!(carried, powerup::SCOUT | powerup::GUARD | powerup::DOUBLER | powerup::AMMOREGEN) {
            client.ps.powerups[carried as usize] = now;
        }
        if client.life.invulnerable_until.0 > now {
            client.ps.powerups[powerup::INVULNERABILITY as usize] = now;
        }
    }

    /// Ammunition grows by itself. `msec` is the length of the usercmd.
    pub(super) fn refill_ammo(&mut self, num: ClientNum, msec: i32) {
        let client = &mut self.clients[num.index()];
        if carried_powerup(&client.ps) != powerup::AMMOREGEN {
            return;
        }
        for ((weapon, most, amount, every), since) in REFILLS.into_iter().zip(&mut client.life.refills) {
            let ammo = &mut client.ps.ammo[weapon as usize];
            *since += msec;
            if *ammo >= most {
                *since = 0;
            } else if *since >= every {
                *since %= every;
                *ammo = (*ammo + amount).min(most);
            }
        }
    }
}
