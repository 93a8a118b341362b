//! What a player did in this match, in figures: shots and hits by weapon, damage, kills and deaths.
//!
//! Asked for with `acc` and `stats`; everybody reads them at the end, and the log has them. Source: `AccMessage` for the form in
//! which clients draw accuracy.

use super::NativeGame;
use crate::game::{Host, Record};
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{pers, weapon};
use std::fmt::Write as _;

/// Weapons of the accuracy message, in its order; hook and mines are there for their places alone.
const ACCURACY_ORDER: [i32; 12] = [
    weapon::MACHINEGUN,
    weapon::SHOTGUN,
    weapon::GRENADE_LAUNCHER,
    weapon::ROCKET_LAUNCHER,
    weapon::LIGHTNING,
    weapon::RAILGUN,
    weapon::PLASMAGUN,
    weapon::BFG,
    weapon::GRAPPLING_HOOK,
    weapon::NAILGUN,
    weapon::PROX_LAUNCHER,
    weapon::CHAINGUN,
];
/// Shape: by weapon.
const WEAPON_NAMES: [&str; weapon::NUM_WEAPONS as usize] = [
    "none",
    "gauntlet",
    "machinegun",
    "shotgun",
    "grenades",
    "rockets",
    "lightning",
    "railgun",
    "plasma",
    "bfg",
    "hook",
    "nails",
    "mines",
    "chaingun",
];

/// Figures of one player over one match.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statistics {
    /// Shots that count for accuracy.
    pub(super) shots: i32,
    /// Shots that hit an enemy.
    pub(super) hits: i32,
    /// Shape: by weapon, shots and hits.
    by_weapon: [(i32, i32); weapon::NUM_WEAPONS as usize],
    /// Enemies killed.
    pub(super) kills: i32,
    /// Deaths by its own doing.
    pub(super) suicides: i32,
    /// Points off enemies, armor included.
    pub(super) damage_given: i32,
    /// Points off itself by others, armor included.
    pub(super) damage_taken: i32,
}

impl Statistics {
    /// A trigger was pulled; `pieces` count for the accuracy over all. The grapple is no weapon, the gauntlet is not counted.
    pub(super) fn count_shot(&mut self, weapon: i32, pieces: i32) {
        if matches!(weapon, weapon::GRAPPLING_HOOK | weapon::GAUNTLET) {
            return;
        }
        self.shots += pieces;
        if let Some(row) = usize::try_from(weapon).ok().and_then(|at| self.by_weapon.get_mut(at)) {
            row.0 += 1;
        }
    }

    /// A shot, or a piece of one, hit an enemy.
    pub(super) fn count_hit(&mut self, weapon: i32) {
        self.hits += 1;
        if let Some(row) = usize::try_from(weapon).ok().and_then(|at| self.by_weapon.get_mut(at)) {
            row.1 += 1;
        }
    }

    /// Share of hits among all shots. Unit: percent.
    pub(super) fn accuracy(&self) -> i32 {
        if self.shots > 0 { self.hits * 100 / self.shots } else { 0 }
    }

    fn of_weapon(&self, weapon: i32) -> (i32, i32) {
        self.by_weapon[weapon as usize]
    }
}

impl NativeGame {
    /// Shots and hits of each weapon, as the client asked with `acc` to draw them.
    pub(super) fn send_accuracy(&self, host: &mut dyn Host, to: ClientNum) {
        let statistics = &self.clients[to.index()].player.statistics;
        let mut text = String::from("accs");
        for weapon in ACCURACY_ORDER {
            let (shots, hits) = match weapon {
                weapon::GRAPPLING_HOOK | weapon::PROX_LAUNCHER => (0, 0),
                _ => statistics.of_weapon(weapon),
            };
            // Writing to a string cannot fail.
            let _ = write!(text, " {shots} {hits}");
        }
        host.send_server_command(Some(to), &text);
    }

    /// The player's own figures, to read in its console.
    pub(super) fn send_statistics(&self, host: &mut dyn Host, to: ClientNum) {
        let client = &self.clients[to.index()];
        let own = &client.player.statistics;
        let mut text = format!(
            "print \"kills {}  deaths {}  suicides {}  damage given {}  taken {}  accuracy {}%\n",
            own.kills,
            client.ps.persistant[pers::KILLED as usize],
            own.suicides,
            own.damage_given,
            own.damage_taken,
            own.accuracy(),
        );
        for (weapon, name) in WEAPON_NAMES.iter().enumerate() {
            let (shots, hits) = own.of_weapon(weapon as i32);
            if shots > 0 {
                let _ = writeln!(text, "{name:<10} {hits:>5}/{shots:<5} {:>3}%", hits * 100 / shots);
            }
        }
        text.push('"');
        host.send_server_command(Some(to), &text);
    }

    /// At the end everybody reads its own figures, and the log has those of all who played.
    pub(super) fn publish_statistics(&self, host: &mut dyn Host) {
        for num in self.slots() {
            let client = &self.clients[num.index()];
            if !client.in_game() {
                continue;
            }
            self.send_statistics(host, num);
            let own = &client.player.statistics;
            let deaths = client.ps.persistant[pers::KILLED as usize];
            let mut line = format!(
                "Stats: {num} {} {deaths} {} {} {} {}:",
                own.kills,
                own.suicides,
                own.damage_given,
                own.damage_taken,
                own.accuracy(),
            );
            let mut record = Vec::new();
            for (weapon, name) in WEAPON_NAMES.iter().enumerate() {
                let (shots, hits) = own.of_weapon(weapon as i32);
                if shots > 0 {
                    let _ = write!(line, " {name} {hits}/{shots}");
                    record.push((name, shots, hits));
                }
            }
            let mut entry = Record::new("statistics", line)
                .int("client", num.index() as i32)
                .text("name", &client.player.name)
                .int("kills", own.kills)
                .int("deaths", deaths)
                .int("suicides", own.suicides)
                .int("damage_given", own.damage_given)
                .int("damage_taken", own.damage_taken)
                .int("accuracy", own.accuracy());
            for (name, shots, hits) in record {
                entry = entry.int(&format!("{name}_shots"), shots).int(&format!("{name}_hits"), hits);
            }
            host.log_game(&entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_counts_shots_and_not_the_gauntlet() {
        let mut own = Statistics::default();
        assert_eq!(own.accuracy(), 0);
        own.count_shot(weapon::GAUNTLET, 1);
        own.count_shot(weapon::RAILGUN, 1);
        own.count_shot(weapon::NAILGUN, 15);
        own.count_hit(weapon::NAILGUN);
        own.count_hit(weapon::NAILGUN);
        assert_eq!((own.accuracy(), own.of_weapon(weapon::NAILGUN)), (12, (1, 2)));
        own.count_shot(99, 1);
    }
}
