//! Weapons, and what one dies of.

/// Weapons.
pub mod weapon {
    /// `WP_NONE`.
    pub const NONE: i32 = 0;
    /// `WP_GAUNTLET`.
    pub const GAUNTLET: i32 = 1;
    /// `WP_MACHINEGUN`.
    pub const MACHINEGUN: i32 = 2;
    /// `WP_SHOTGUN`.
    pub const SHOTGUN: i32 = 3;
    /// `WP_GRENADE_LAUNCHER`.
    pub const GRENADE_LAUNCHER: i32 = 4;
    /// `WP_ROCKET_LAUNCHER`.
    pub const ROCKET_LAUNCHER: i32 = 5;
    /// `WP_LIGHTNING`.
    pub const LIGHTNING: i32 = 6;
    /// `WP_RAILGUN`.
    pub const RAILGUN: i32 = 7;
    /// `WP_PLASMAGUN`.
    pub const PLASMAGUN: i32 = 8;
    /// `WP_BFG`.
    pub const BFG: i32 = 9;
    /// `WP_GRAPPLING_HOOK`.
    pub const GRAPPLING_HOOK: i32 = 10;
    /// `WP_NAILGUN`.
    pub const NAILGUN: i32 = 11;
    /// `WP_PROX_LAUNCHER`.
    pub const PROX_LAUNCHER: i32 = 12;
    /// `WP_CHAINGUN`.
    pub const CHAINGUN: i32 = 13;
    /// `WP_NUM_WEAPONS`.
    pub const NUM_WEAPONS: i32 = 14;
}

/// What killed somebody, as the obituary carries it.
pub mod means_of_death {
    /// `MOD_UNKNOWN`.
    pub const UNKNOWN: i32 = 0;
    /// `MOD_SHOTGUN`.
    pub const SHOTGUN: i32 = 1;
    /// `MOD_GAUNTLET`.
    pub const GAUNTLET: i32 = 2;
    /// `MOD_MACHINEGUN`.
    pub const MACHINEGUN: i32 = 3;
    /// `MOD_GRENADE`.
    pub const GRENADE: i32 = 4;
    /// `MOD_GRENADE_SPLASH`.
    pub const GRENADE_SPLASH: i32 = 5;
    /// `MOD_ROCKET`.
    pub const ROCKET: i32 = 6;
    /// `MOD_ROCKET_SPLASH`.
    pub const ROCKET_SPLASH: i32 = 7;
    /// `MOD_PLASMA`.
    pub const PLASMA: i32 = 8;
    /// `MOD_PLASMA_SPLASH`.
    pub const PLASMA_SPLASH: i32 = 9;
    /// `MOD_RAILGUN`.
    pub const RAILGUN: i32 = 10;
    /// `MOD_LIGHTNING`.
    pub const LIGHTNING: i32 = 11;
    /// `MOD_BFG`.
    pub const BFG: i32 = 12;
    /// `MOD_BFG_SPLASH`.
    pub const BFG_SPLASH: i32 = 13;
    /// `MOD_WATER`.
    pub const WATER: i32 = 14;
    /// `MOD_SLIME`.
    pub const SLIME: i32 = 15;
    /// `MOD_LAVA`.
    pub const LAVA: i32 = 16;
    /// `MOD_CRUSH`.
    pub const CRUSH: i32 = 17;
    /// `MOD_TELEFRAG`.
    pub const TELEFRAG: i32 = 18;
    /// `MOD_FALLING`.
    pub const FALLING: i32 = 19;
    /// `MOD_SUICIDE`.
    pub const SUICIDE: i32 = 20;
    /// `MOD_TARGET_LASER`.
    pub const TARGET_LASER: i32 = 21;
    /// `MOD_TRIGGER_HURT`.
    pub const TRIGGER_HURT: i32 = 22;
    /// `MOD_NAIL`.
    pub const NAIL: i32 = 23;
    /// `MOD_CHAINGUN`.
    pub const CHAINGUN: i32 = 24;
    /// `MOD_PROXIMITY_MINE`.
    pub const PROXIMITY_MINE: i32 = 25;
    /// `MOD_KAMIKAZE`.
    pub const KAMIKAZE: i32 = 26;
    /// `MOD_JUICED`.
    pub const JUICED: i32 = 27;
    /// `MOD_GRAPPLE`.
    pub const GRAPPLE: i32 = 28;
}
