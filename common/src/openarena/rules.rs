//! What a match is: game types, sides, and what a host may set.

/// Game types, the value of `g_gametype`.
pub mod game_type {
    /// `GT_FFA`.
    pub const FFA: i32 = 0;
    /// `GT_TOURNAMENT`.
    pub const TOURNAMENT: i32 = 1;
    /// `GT_SINGLE_PLAYER`.
    pub const SINGLE_PLAYER: i32 = 2;
    /// `GT_TEAM`.
    pub const TEAM: i32 = 3;
    /// `GT_CTF`.
    pub const CTF: i32 = 4;
    /// `GT_1FCTF`.
    pub const N1FCTF: i32 = 5;
    /// `GT_OBELISK`.
    pub const OBELISK: i32 = 6;
    /// `GT_HARVESTER`.
    pub const HARVESTER: i32 = 7;
    /// `GT_ELIMINATION`.
    pub const ELIMINATION: i32 = 8;
    /// `GT_CTF_ELIMINATION`.
    pub const CTF_ELIMINATION: i32 = 9;
    /// `GT_LMS`.
    pub const LMS: i32 = 10;
    /// `GT_DOUBLE_D`.
    pub const DOUBLE_D: i32 = 11;
    /// `GT_DOMINATION`.
    pub const DOMINATION: i32 = 12;
    /// `GT_MAX_GAME_TYPE`.
    pub const MAX_GAME_TYPE: i32 = 13;
}

/// Teams.
pub mod team {
    /// `TEAM_FREE`.
    pub const FREE: i32 = 0;
    /// `TEAM_RED`.
    pub const RED: i32 = 1;
    /// `TEAM_BLUE`.
    pub const BLUE: i32 = 2;
    /// `TEAM_SPECTATOR`.
    pub const SPECTATOR: i32 = 3;
    /// `TEAM_NUM_TEAMS`.
    pub const NUM_TEAMS: i32 = 4;
}

/// Tasks that a player may claim.
pub mod team_task {
    /// `TEAMTASK_NONE`.
    pub const NONE: i32 = 0;
    /// `TEAMTASK_OFFENSE`.
    pub const OFFENSE: i32 = 1;
    /// `TEAMTASK_DEFENSE`.
    pub const DEFENSE: i32 = 2;
    /// `TEAMTASK_PATROL`.
    pub const PATROL: i32 = 3;
    /// `TEAMTASK_FOLLOW`.
    pub const FOLLOW: i32 = 4;
    /// `TEAMTASK_RETRIEVE`.
    pub const RETRIEVE: i32 = 5;
    /// `TEAMTASK_ESCORT`.
    pub const ESCORT: i32 = 6;
    /// `TEAMTASK_CAMP`.
    pub const CAMP: i32 = 7;
}

/// Bits of `dmflags`.
pub mod dm_flag {
    /// `DF_NO_FALLING`.
    pub const NO_FALLING: i32 = 0x8;
    /// `DF_FIXED_FOV`.
    pub const FIXED_FOV: i32 = 0x10;
    /// `DF_NO_FOOTSTEPS`.
    pub const NO_FOOTSTEPS: i32 = 0x20;
    /// `DF_INSTANT_WEAPON_CHANGE`.
    pub const INSTANT_WEAPON_CHANGE: i32 = 0x40;
    /// `DF_NO_BUNNY`.
    pub const NO_BUNNY: i32 = 0x80;
    /// `DF_INVIS`.
    pub const INVIS: i32 = 0x100;
    /// `DF_LIGHT_VOTING`.
    pub const LIGHT_VOTING: i32 = 0x200;
    /// `DF_NO_SELF_DAMAGE`.
    pub const NO_SELF_DAMAGE: i32 = 0x400;
    /// `DF_PLAYER_OVERLAY`.
    pub const PLAYER_OVERLAY: i32 = 0x800;
}
