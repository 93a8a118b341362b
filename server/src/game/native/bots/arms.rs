//! Which weapon for which distance, and how each is aimed.

use fogline_common::openarena::{stat, weapon};
use fogline_common::proto::PlayerState;

/// How a weapon is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arm {
    /// The weapon.
    pub(super) weapon: i32,
    /// Nearer than this it is no good. Unit: units.
    nearest: f32,
    /// Farther than this neither.
    farthest: f32,
    /// How good it is in between; the machinegun's is 1.
    worth: f32,
    /// The distance to keep.
    pub(super) best_distance: f32,
    /// Speed of what it throws. Unit: units/s; 0 for an instant hit.
    pub(super) missile_speed: f32,
    /// Its blast hurts who fires it too near to a wall.
    pub(super) blasts: bool,
    /// Rounds that make one feel safe.
    pub(super) plenty: i32,
    /// How much one wants to find it.
    pub(super) wanted: f32,
}

const fn arm(weapon: i32, range: (f32, f32), worth: f32, best_distance: f32) -> Arm {
    Arm {
        weapon,
        nearest: range.0,
        farthest: range.1,
        worth,
        best_distance,
        missile_speed: 0.0,
        blasts: false,
        plenty: 50,
        wanted: 50.0,
    }
}

impl Arm {
    const fn throws(self, missile_speed: f32, blasts: bool) -> Self {
        Self { missile_speed, blasts, ..self }
    }

    const fn wanted(self, wanted: f32, plenty: i32) -> Self {
        Self { wanted, plenty, ..self }
    }
}

/// Every weapon that bots fight with. Speeds are those of `weapons/missiles.rs`.
const ARMS: [Arm; 12] = [
    arm(weapon::GAUNTLET, (0.0, 80.0), 0.6, 0.0).wanted(0.0, 0),
    arm(weapon::MACHINEGUN, (0.0, 9999.0), 1.0, 400.0).wanted(10.0, 80),
    arm(weapon::SHOTGUN, (0.0, 500.0), 1.6, 120.0).wanted(55.0, 12),
    arm(weapon::GRENADE_LAUNCHER, (150.0, 600.0), 0.9, 350.0).throws(700.0, true).wanted(30.0, 8),
    arm(weapon::ROCKET_LAUNCHER, (110.0, 1500.0), 2.2, 350.0).throws(900.0, true).wanted(95.0, 12),
    arm(weapon::LIGHTNING, (0.0, 720.0), 2.1, 350.0).wanted(85.0, 80),
    arm(weapon::RAILGUN, (200.0, 9999.0), 1.9, 800.0).wanted(80.0, 10),
    arm(weapon::PLASMAGUN, (60.0, 1100.0), 1.8, 350.0).throws(2000.0, false).wanted(70.0, 60),
    arm(weapon::BFG, (150.0, 2000.0), 2.6, 500.0).throws(2000.0, true).wanted(110.0, 15),
    arm(weapon::NAILGUN, (0.0, 700.0), 1.5, 250.0).throws(1400.0, false).wanted(55.0, 10),
    arm(weapon::PROX_LAUNCHER, (200.0, 600.0), 0.5, 400.0).throws(700.0, true).wanted(15.0, 8),
    arm(weapon::CHAINGUN, (0.0, 1200.0), 1.8, 300.0).wanted(70.0, 80),
];

/// How a weapon is used; the machinegun's way for what bots do not know.
pub(super) fn of(weapon: i32) -> &'static Arm {
    ARMS.iter().find(|arm| arm.weapon == weapon).unwrap_or(&ARMS[1])
}

/// Whether the player holds a weapon with rounds in it.
pub(super) fn is_loaded(ps: &PlayerState, weapon: i32) -> bool {
    ps.stats[stat::WEAPONS as usize] & 1 << weapon != 0 && ps.ammo[weapon as usize] != 0
}

/// The best weapon at hand for a distance. The one in hand is kept unless another is clearly better.
pub(super) fn choose(ps: &PlayerState, distance: f32) -> i32 {
    let value = |arm: &Arm| {
        if !is_loaded(ps, arm.weapon) {
            return 0.0;
        }
        let in_range = (arm.nearest..=arm.farthest).contains(&distance);
        let worth = if in_range { arm.worth } else { arm.worth * 0.1 };
        if arm.weapon == ps.weapon { worth * 1.15 } else { worth }
    };
    let best = ARMS.iter().max_by(|a, b| value(a).total_cmp(&value(b)));
    best.filter(|arm| value(arm) > 0.0).map_or(ps.weapon, |arm| arm.weapon)
}

/// How well armed the player is. The machinegun alone is 1.
pub(super) fn strength(ps: &PlayerState) -> f32 {
    let armed = ARMS.iter().filter(|arm| is_loaded(ps, arm.weapon));
    armed.map(|arm| arm.worth).fold(0.5, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(weapons: &[i32]) -> PlayerState {
        let mut ps = PlayerState { weapon: weapon::MACHINEGUN, ..PlayerState::default() };
        for &weapon in weapons {
            ps.stats[stat::WEAPONS as usize] |= 1 << weapon;
            ps.ammo[weapon as usize] = 10;
        }
        ps
    }

    #[test]
    fn the_distance_decides() {
        let ps = with(&[weapon::MACHINEGUN, weapon::SHOTGUN, weapon::ROCKET_LAUNCHER, weapon::RAILGUN]);
        assert_eq!(choose(&ps, 60.0), weapon::SHOTGUN);
        assert_eq!(choose(&ps, 400.0), weapon::ROCKET_LAUNCHER);
        assert_eq!(choose(&ps, 2500.0), weapon::RAILGUN);
    }

    #[test]
    fn an_empty_weapon_is_none() {
        let mut ps = with(&[weapon::MACHINEGUN, weapon::ROCKET_LAUNCHER]);
        ps.ammo[weapon::ROCKET_LAUNCHER as usize] = 0;
        assert_eq!(choose(&ps, 400.0), weapon::MACHINEGUN);
        assert!(strength(&ps) == 1.0);
    }
}
