//! The weapon in hand: changing it, firing it, and using the thing carried. Only timing and events; the game makes them hurt.

use super::Move;
use super::powerups::{carried_powerup, holdable_tag};
use crate::openarena::{animation, dm_flag, event, holdable, pers, pm_flag, pm_type, powerup, stat, team};
use crate::openarena::{weapon, weapon_state};
use crate::proto::{PlayerState, button};

/// Time from one shot to the next with `weapon` in this player's hands. Unit: ms.
///
/// Scout, ammo regeneration and haste shorten it, the first of these that applies. Source: `PM_Weapon`.
pub fn reload_ms(weapon: i32, ps: &PlayerState) -> i32 {
    let plain = usize::try_from(weapon).ok().and_then(|w| RELOAD_MS.get(w)).unwrap_or(&RELOAD_MS[0]);
    let divisor = match carried_powerup(ps) {
        powerup::SCOUT => 1.5,
        powerup::AMMOREGEN => 1.3,
        _ if ps.powerups[powerup::HASTE as usize] != 0 => 1.3,
        _ => return *plain,
    };
    (f64::from(*plain) / divisor) as i32
}

impl Move<'_> {
    /// Source: `PM_Weapon`.
    pub(super) fn run_weapon(&mut self) {
        if self.flag(pm_flag::RESPAWNED)
            || self.ps.persistant[pers::TEAM as usize] == team::SPECTATOR
            || self.ps.pm_type == pm_type::SPECTATOR
        {
            return;
        }
        if self.ps.stats[stat::HEALTH as usize] <= 0 {
            self.ps.weapon = weapon::NONE;
            return;
        }
        if self.use_holdable() {
            return;
        }
        if self.ps.weapon_time > 0 {
            self.ps.weapon_time -= self.msec;
        }
        // Not while it fires, but again while it is on its way.
        let may_change = self.ps.weapon_time <= 0 || self.ps.weapon_state != weapon_state::FIRING;
        if may_change && self.ps.weapon != i32::from(self.cmd.weapon) {
            self.begin_weapon_change();
        }
        if self.ps.weapon_time > 0 {
            return;
        }
        match self.ps.weapon_state {
            weapon_state::DROPPING => self.finish_weapon_change(),
            weapon_state::RAISING => {
                self.ps.weapon_state = weapon_state::READY;
                self.start_torso(self.standing_torso());
            }
            _ => self.fire(),
        }
    }

    /// Fires if the trigger is pulled.
    fn fire(&mut self) {
        let gauntlet = self.ps.weapon == weapon::GAUNTLET;
        let pulled = self.cmd.buttons & button::ATTACK != 0;
        if !pulled || (gauntlet && !self.input.gauntlet_hit) {
            self.ps.weapon_time = 0;
            self.ps.weapon_state = weapon_state::READY;
            return;
        }
        self.start_torso(if gauntlet { animation::TORSO_ATTACK2 } else { animation::TORSO_ATTACK });
        self.ps.weapon_state = weapon_state::FIRING;

        let slot = self.weapon_slot();
        let ammo = &mut self.ps.ammo[slot];
        if *ammo == 0 {
            self.add_event(event::NOAMMO);
            self.ps.weapon_time += NO_AMMO_PAUSE_MS;
            return;
        }
        if *ammo != INFINITE_AMMO && *ammo < ENDLESS_AMMO {
            *ammo -= 1;
        }
        self.add_event(event::FIRE_WEAPON);
        self.ps.weapon_time += reload_ms(self.ps.weapon, self.ps);
    }

    /// Uses what is carried, once for each press. Whether that is all for this step.
    fn use_holdable(&mut self) -> bool {
        if self.cmd.buttons & button::USE_HOLDABLE == 0 {
            self.clear_flags(pm_flag::USE_ITEM_HELD);
            return false;
        }
        if self.flag(pm_flag::USE_ITEM_HELD) {
            return false;
        }
        let tag = holdable_tag(self.ps);
        let stats = &mut self.ps.stats;
        let too_well = stats[stat::HEALTH as usize] >= stats[stat::MAX_HEALTH as usize].saturating_add(25);
        if tag != holdable::MEDKIT || !too_well {
            stats[stat::HOLDABLE_ITEM as usize] = 0;
            self.set_flags(pm_flag::USE_ITEM_HELD);
            self.add_event(event::USE_ITEM0 + tag);
        }
        true
    }

    /// Source: `PM_BeginWeaponChange`.
    fn begin_weapon_change(&mut self) {
        let wanted = i32::from(self.cmd.weapon);
        if wanted == weapon::NONE
            || !self.owns_weapon(wanted)
            || self.ps.weapon_state == weapon_state::DROPPING
        {
            return;
        }
        self.ps.weapon_state = weapon_state::DROPPING;
        if !self.input.settings.has(dm_flag::INSTANT_WEAPON_CHANGE) {
            self.add_event(event::CHANGE_WEAPON);
            self.ps.weapon_time += DROP_MS;
            self.start_torso(animation::TORSO_DROP);
        }
    }

    /// Source: `PM_FinishWeaponChange`.
    fn finish_weapon_change(&mut self) {
        let wanted = i32::from(self.cmd.weapon);
        self.ps.weapon = if self.owns_weapon(wanted) { wanted } else { weapon::NONE };
        self.ps.weapon_state = weapon_state::RAISING;
        if !self.input.settings.has(dm_flag::INSTANT_WEAPON_CHANGE) {
            self.ps.weapon_time += RAISE_MS;
            self.start_torso(animation::TORSO_RAISE);
        }
    }

    fn owns_weapon(&self, weapon: i32) -> bool {
        weapon < weapon::NUM_WEAPONS && self.ps.stats[stat::WEAPONS as usize] & (1 << weapon) != 0
    }

    /// Index of the weapon in hand into the ammunition.
    pub(super) fn weapon_slot(&self) -> usize {
        self.ps.weapon as usize % self.ps.ammo.len()
    }
}

/// Plain reload times, by weapon; what is no weapon counts as the first.
const RELOAD_MS: [i32; weapon::NUM_WEAPONS as usize] = {
    let mut ms = [400; weapon::NUM_WEAPONS as usize];
    ms[weapon::MACHINEGUN as usize] = 100;
    ms[weapon::SHOTGUN as usize] = 1000;
    ms[weapon::GRENADE_LAUNCHER as usize] = 800;
    ms[weapon::ROCKET_LAUNCHER as usize] = 800;
    ms[weapon::LIGHTNING as usize] = 50;
    ms[weapon::RAILGUN as usize] = 1500;
    ms[weapon::PLASMAGUN as usize] = 100;
    ms[weapon::BFG as usize] = 200;
    ms[weapon::NAILGUN as usize] = 1000;
    ms[weapon::PROX_LAUNCHER as usize] = 800;
    ms[weapon::CHAINGUN as usize] = 30;
    ms
};
const DROP_MS: i32 = 200;
const RAISE_MS: i32 = 250;
const NO_AMMO_PAUSE_MS: i32 = 500;
/// Ammunition that is not counted.
const INFINITE_AMMO: i32 = -1;
/// From so much on it is not counted either.
const ENDLESS_AMMO: i32 = 999;

#[cfg(test)]
mod tests {
    use super::super::test_world::{Room, player, run};
    use super::*;
    use crate::openarena::ITEMS;
    use crate::proto::UserCmd;

    fn item(class: &str) -> i32 {
        ITEMS.iter().position(|item| item.class == class).expect("a known item") as i32
    }

    fn armed() -> PlayerState {
        let mut ps = player();
        ps.stats[stat::WEAPONS as usize] = 0x3ffe;
        ps.weapon = weapon::MACHINEGUN;
        ps.ammo = [10; 16];
        ps
    }

    fn command(weapon: i32, buttons: i32) -> UserCmd {
        UserCmd { weapon: weapon as u8, buttons, ..UserCmd::default() }
    }

    #[test]
    fn powerups_shorten_the_reload_and_do_not_add_up() {
        let mut ps = PlayerState::default();
        assert_eq!(reload_ms(weapon::RAILGUN, &ps), 1500);
        ps.powerups[powerup::HASTE as usize] = 1;
        assert_eq!(reload_ms(weapon::RAILGUN, &ps), 1153);
        ps.stats[stat::PERSISTANT_POWERUP as usize] = item("item_ammoregen");
        assert_eq!(reload_ms(weapon::CHAINGUN, &ps), 23);
        ps.stats[stat::PERSISTANT_POWERUP as usize] = item("item_scout");
        assert_eq!(reload_ms(weapon::RAILGUN, &ps), 1000);
        assert_eq!(reload_ms(-7, &PlayerState::default()), 400);
    }

    #[test]
    fn a_held_trigger_fires_at_the_reload_time() {
        let mut ps = armed();
        let mut shots = 0;
        for _ in 0..100 {
            let before = ps.ammo[weapon::MACHINEGUN as usize];
            run(&mut ps, &Room::default(), command(weapon::MACHINEGUN, button::ATTACK), 10);
            shots += before - ps.ammo[weapon::MACHINEGUN as usize];
        }
        assert_eq!(shots, 10);
    }

    #[test]
    fn an_empty_weapon_clicks_every_half_second() {
        let mut ps = armed();
        ps.ammo[weapon::MACHINEGUN as usize] = 0;
        let events = ps.event_sequence;
        for _ in 0..100 {
            run(&mut ps, &Room::default(), command(weapon::MACHINEGUN, button::ATTACK), 10);
        }
        assert_eq!(ps.event_sequence - events, 2);
        assert!(ps.events.contains(&event::NOAMMO));
    }

    #[test]
    fn a_weapon_change_takes_its_time() {
        let mut ps = armed();
        let mut elapsed = 0;
        while ps.weapon != weapon::RAILGUN || ps.weapon_state != weapon_state::READY {
            run(&mut ps, &Room::default(), command(weapon::RAILGUN, 0), 10);
            elapsed += 10;
            assert!(elapsed < 1000, "stuck in state {}", ps.weapon_state);
        }
        assert_eq!(elapsed, 10 + DROP_MS + RAISE_MS);
    }

    #[test]
    fn a_weapon_not_owned_stays_away() {
        let mut ps = armed();
        ps.stats[stat::WEAPONS as usize] = 1 << weapon::MACHINEGUN;
        for wanted in [weapon::NONE, weapon::RAILGUN, weapon::NUM_WEAPONS, 255] {
            run(&mut ps, &Room::default(), command(wanted, 0), 10);
            assert_eq!((ps.weapon, ps.weapon_state), (weapon::MACHINEGUN, weapon_state::READY));
        }
    }

    #[test]
    fn a_medkit_is_kept_by_the_healthy_and_used_once_by_the_hurt() {
        let mut ps = armed();
        let medkit = item("holdable_medkit");
        ps.stats[stat::MAX_HEALTH as usize] = 100;
        ps.stats[stat::HOLDABLE_ITEM as usize] = medkit;
        ps.stats[stat::HEALTH as usize] = 125;
        let press = command(weapon::MACHINEGUN, button::USE_HOLDABLE);
        run(&mut ps, &Room::default(), press, 10);
        assert_eq!(ps.stats[stat::HOLDABLE_ITEM as usize], medkit);

        ps.stats[stat::HEALTH as usize] = 124;
        let events = ps.event_sequence;
        run(&mut ps, &Room::default(), press, 10);
        run(&mut ps, &Room::default(), press, 10);
        assert_eq!(ps.stats[stat::HOLDABLE_ITEM as usize], 0);
        assert_eq!(ps.event_sequence, events + 1);
        assert_eq!(ps.events[(events & 1) as usize], event::USE_ITEM0 + holdable::MEDKIT);
    }
}
