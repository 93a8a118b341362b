//! Numbers of the OpenArena 0.8.8 game: what its client half takes for granted about the server half.
//!
//! Source: the 0.8.8 headers as compiled (facts page "q3-protocol-facts", section 12). The engine itself knows none of these;
//! movement and the native game do. Each module is one enumeration, kept as plain integers because they travel in plain
//! integer fields.

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

/// How a player moves.
pub mod pm_type {
    /// `PM_NORMAL`.
    pub const NORMAL: i32 = 0;
    /// `PM_NOCLIP`.
    pub const NOCLIP: i32 = 1;
    /// `PM_SPECTATOR`.
    pub const SPECTATOR: i32 = 2;
    /// `PM_DEAD`.
    pub const DEAD: i32 = 3;
    /// `PM_FREEZE`.
    pub const FREEZE: i32 = 4;
    /// `PM_INTERMISSION`.
    pub const INTERMISSION: i32 = 5;
    /// `PM_SPINTERMISSION`.
    pub const SPINTERMISSION: i32 = 6;
}

/// What the weapon in hand is doing.
pub mod weapon_state {
    /// `WEAPON_READY`.
    pub const READY: i32 = 0;
    /// `WEAPON_RAISING`.
    pub const RAISING: i32 = 1;
    /// `WEAPON_DROPPING`.
    pub const DROPPING: i32 = 2;
    /// `WEAPON_FIRING`.
    pub const FIRING: i32 = 3;
}

/// Bits of [`PlayerState::pm_flags`](crate::proto::PlayerState::pm_flags).
pub mod pm_flag {
    /// `PMF_DUCKED`.
    pub const DUCKED: i32 = 0x1;
    /// `PMF_JUMP_HELD`.
    pub const JUMP_HELD: i32 = 0x2;
    /// `PMF_BACKWARDS_JUMP`.
    pub const BACKWARDS_JUMP: i32 = 0x8;
    /// `PMF_BACKWARDS_RUN`.
    pub const BACKWARDS_RUN: i32 = 0x10;
    /// `PMF_TIME_LAND`.
    pub const TIME_LAND: i32 = 0x20;
    /// `PMF_TIME_KNOCKBACK`.
    pub const TIME_KNOCKBACK: i32 = 0x40;
    /// `PMF_TIME_WATERJUMP`.
    pub const TIME_WATERJUMP: i32 = 0x100;
    /// `PMF_RESPAWNED`.
    pub const RESPAWNED: i32 = 0x200;
    /// `PMF_USE_ITEM_HELD`.
    pub const USE_ITEM_HELD: i32 = 0x400;
    /// `PMF_GRAPPLE_PULL`.
    pub const GRAPPLE_PULL: i32 = 0x800;
    /// `PMF_FOLLOW`.
    pub const FOLLOW: i32 = 0x1000;
    /// `PMF_SCOREBOARD`.
    pub const SCOREBOARD: i32 = 0x2000;
    /// `PMF_INVULEXPAND`.
    pub const INVULEXPAND: i32 = 0x4000;
    /// `PMF_ELIMWARMUP`.
    pub const ELIMWARMUP: i32 = 0x8000;
    /// `PMF_ALL_TIMES`.
    pub const ALL_TIMES: i32 = 0x160;
}

/// Indices into [`PlayerState::stats`](crate::proto::PlayerState::stats). 0.8.8 order: later releases moved some.
pub mod stat {
    /// `STAT_HEALTH`.
    pub const HEALTH: i32 = 0;
    /// `STAT_HOLDABLE_ITEM`.
    pub const HOLDABLE_ITEM: i32 = 1;
    /// `STAT_PERSISTANT_POWERUP`.
    pub const PERSISTANT_POWERUP: i32 = 2;
    /// `STAT_WEAPONS`.
    pub const WEAPONS: i32 = 3;
    /// `STAT_ARMOR`.
    pub const ARMOR: i32 = 4;
    /// `STAT_DEAD_YAW`.
    pub const DEAD_YAW: i32 = 5;
    /// `STAT_CLIENTS_READY`.
    pub const CLIENTS_READY: i32 = 6;
    /// `STAT_MAX_HEALTH`.
    pub const MAX_HEALTH: i32 = 7;
}

/// Indices into [`PlayerState::persistant`](crate::proto::PlayerState::persistant), kept over death.
pub mod pers {
    /// `PERS_SCORE`.
    pub const SCORE: i32 = 0;
    /// `PERS_HITS`.
    pub const HITS: i32 = 1;
    /// `PERS_RANK`.
    pub const RANK: i32 = 2;
    /// `PERS_TEAM`.
    pub const TEAM: i32 = 3;
    /// `PERS_SPAWN_COUNT`.
    pub const SPAWN_COUNT: i32 = 4;
    /// `PERS_PLAYEREVENTS`.
    pub const PLAYEREVENTS: i32 = 5;
    /// `PERS_ATTACKER`.
    pub const ATTACKER: i32 = 6;
    /// `PERS_ATTACKEE_ARMOR`.
    pub const ATTACKEE_ARMOR: i32 = 7;
    /// `PERS_KILLED`.
    pub const KILLED: i32 = 8;
    /// `PERS_IMPRESSIVE_COUNT`.
    pub const IMPRESSIVE_COUNT: i32 = 9;
    /// `PERS_EXCELLENT_COUNT`.
    pub const EXCELLENT_COUNT: i32 = 10;
    /// `PERS_DEFEND_COUNT`.
    pub const DEFEND_COUNT: i32 = 11;
    /// `PERS_ASSIST_COUNT`.
    pub const ASSIST_COUNT: i32 = 12;
    /// `PERS_GAUNTLET_FRAG_COUNT`.
    pub const GAUNTLET_FRAG_COUNT: i32 = 13;
    /// `PERS_CAPTURES`.
    pub const CAPTURES: i32 = 14;
}

/// Bits of [`EntityState::flags`](crate::proto::EntityState::flags).
pub mod entity_flag {
    /// `EF_DEAD`.
    pub const DEAD: i32 = 0x1;
    /// `EF_TICKING`.
    pub const TICKING: i32 = 0x2;
    /// `EF_TELEPORT_BIT`.
    pub const TELEPORT_BIT: i32 = 0x4;
    /// `EF_AWARD_EXCELLENT`.
    pub const AWARD_EXCELLENT: i32 = 0x8;
    /// `EF_PLAYER_EVENT`.
    pub const PLAYER_EVENT: i32 = 0x10;
    /// `EF_BOUNCE`.
    pub const BOUNCE: i32 = 0x10;
    /// `EF_BOUNCE_HALF`.
    pub const BOUNCE_HALF: i32 = 0x20;
    /// `EF_AWARD_GAUNTLET`.
    pub const AWARD_GAUNTLET: i32 = 0x40;
    /// `EF_NODRAW`.
    pub const NODRAW: i32 = 0x80;
    /// `EF_FIRING`.
    pub const FIRING: i32 = 0x100;
    /// `EF_KAMIKAZE`.
    pub const KAMIKAZE: i32 = 0x200;
    /// `EF_MOVER_STOP`.
    pub const MOVER_STOP: i32 = 0x400;
    /// `EF_AWARD_CAP`.
    pub const AWARD_CAP: i32 = 0x800;
    /// `EF_TALK`.
    pub const TALK: i32 = 0x1000;
    /// `EF_CONNECTION`.
    pub const CONNECTION: i32 = 0x2000;
    /// `EF_VOTED`.
    pub const VOTED: i32 = 0x4000;
    /// `EF_AWARD_IMPRESSIVE`.
    pub const AWARD_IMPRESSIVE: i32 = 0x8000;
    /// `EF_AWARD_DEFEND`.
    pub const AWARD_DEFEND: i32 = 0x10000;
    /// `EF_AWARD_ASSIST`.
    pub const AWARD_ASSIST: i32 = 0x20000;
    /// `EF_AWARD_DENIED`.
    pub const AWARD_DENIED: i32 = 0x40000;
    /// `EF_TEAMVOTED`.
    pub const TEAMVOTED: i32 = 0x80000;
}

/// Powerups, and the bit that each takes in an entity's `powerups`.
pub mod powerup {
    /// `PW_NONE`.
    pub const NONE: i32 = 0;
    /// `PW_QUAD`.
    pub const QUAD: i32 = 1;
    /// `PW_BATTLESUIT`.
    pub const BATTLESUIT: i32 = 2;
    /// `PW_HASTE`.
    pub const HASTE: i32 = 3;
    /// `PW_INVIS`.
    pub const INVIS: i32 = 4;
    /// `PW_REGEN`.
    pub const REGEN: i32 = 5;
    /// `PW_FLIGHT`.
    pub const FLIGHT: i32 = 6;
    /// `PW_REDFLAG`.
    pub const REDFLAG: i32 = 7;
    /// `PW_BLUEFLAG`.
    pub const BLUEFLAG: i32 = 8;
    /// `PW_NEUTRALFLAG`.
    pub const NEUTRALFLAG: i32 = 9;
    /// `PW_SCOUT`.
    pub const SCOUT: i32 = 10;
    /// `PW_GUARD`.
    pub const GUARD: i32 = 11;
    /// `PW_DOUBLER`.
    pub const DOUBLER: i32 = 12;
    /// `PW_AMMOREGEN`.
    pub const AMMOREGEN: i32 = 13;
    /// `PW_INVULNERABILITY`.
    pub const INVULNERABILITY: i32 = 14;
    /// `PW_NUM_POWERUPS`.
    pub const NUM_POWERUPS: i32 = 15;
}

/// Things carried and used once.
pub mod holdable {
    /// `HI_NONE`.
    pub const NONE: i32 = 0;
    /// `HI_TELEPORTER`.
    pub const TELEPORTER: i32 = 1;
    /// `HI_MEDKIT`.
    pub const MEDKIT: i32 = 2;
    /// `HI_KAMIKAZE`.
    pub const KAMIKAZE: i32 = 3;
    /// `HI_PORTAL`.
    pub const PORTAL: i32 = 4;
    /// `HI_INVULNERABILITY`.
    pub const INVULNERABILITY: i32 = 5;
    /// `HI_NUM_HOLDABLE`.
    pub const NUM_HOLDABLE: i32 = 6;
}

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

/// Entity events.
pub mod event {
    /// `EV_NONE`.
    pub const NONE: i32 = 0;
    /// `EV_FOOTSTEP`.
    pub const FOOTSTEP: i32 = 1;
    /// `EV_FOOTSTEP_METAL`.
    pub const FOOTSTEP_METAL: i32 = 2;
    /// `EV_FOOTSPLASH`.
    pub const FOOTSPLASH: i32 = 3;
    /// `EV_FOOTWADE`.
    pub const FOOTWADE: i32 = 4;
    /// `EV_SWIM`.
    pub const SWIM: i32 = 5;
    /// `EV_STEP_4`.
    pub const STEP_4: i32 = 6;
    /// `EV_STEP_8`.
    pub const STEP_8: i32 = 7;
    /// `EV_STEP_12`.
    pub const STEP_12: i32 = 8;
    /// `EV_STEP_16`.
    pub const STEP_16: i32 = 9;
    /// `EV_FALL_SHORT`.
    pub const FALL_SHORT: i32 = 10;
    /// `EV_FALL_MEDIUM`.
    pub const FALL_MEDIUM: i32 = 11;
    /// `EV_FALL_FAR`.
    pub const FALL_FAR: i32 = 12;
    /// `EV_JUMP_PAD`.
    pub const JUMP_PAD: i32 = 13;
    /// `EV_JUMP`.
    pub const JUMP: i32 = 14;
    /// `EV_WATER_TOUCH`.
    pub const WATER_TOUCH: i32 = 15;
    /// `EV_WATER_LEAVE`.
    pub const WATER_LEAVE: i32 = 16;
    /// `EV_WATER_UNDER`.
    pub const WATER_UNDER: i32 = 17;
    /// `EV_WATER_CLEAR`.
    pub const WATER_CLEAR: i32 = 18;
    /// `EV_ITEM_PICKUP`.
    pub const ITEM_PICKUP: i32 = 19;
    /// `EV_GLOBAL_ITEM_PICKUP`.
    pub const GLOBAL_ITEM_PICKUP: i32 = 20;
    /// `EV_NOAMMO`.
    pub const NOAMMO: i32 = 21;
    /// `EV_CHANGE_WEAPON`.
    pub const CHANGE_WEAPON: i32 = 22;
    /// `EV_FIRE_WEAPON`.
    pub const FIRE_WEAPON: i32 = 23;
    /// `EV_USE_ITEM0`.
    pub const USE_ITEM0: i32 = 24;
    /// `EV_USE_ITEM1`.
    pub const USE_ITEM1: i32 = 25;
    /// `EV_USE_ITEM2`.
    pub const USE_ITEM2: i32 = 26;
    /// `EV_USE_ITEM3`.
    pub const USE_ITEM3: i32 = 27;
    /// `EV_USE_ITEM4`.
    pub const USE_ITEM4: i32 = 28;
    /// `EV_USE_ITEM5`.
    pub const USE_ITEM5: i32 = 29;
    /// `EV_USE_ITEM6`.
    pub const USE_ITEM6: i32 = 30;
    /// `EV_USE_ITEM7`.
    pub const USE_ITEM7: i32 = 31;
    /// `EV_USE_ITEM8`.
    pub const USE_ITEM8: i32 = 32;
    /// `EV_USE_ITEM9`.
    pub const USE_ITEM9: i32 = 33;
    /// `EV_USE_ITEM10`.
    pub const USE_ITEM10: i32 = 34;
    /// `EV_USE_ITEM11`.
    pub const USE_ITEM11: i32 = 35;
    /// `EV_USE_ITEM12`.
    pub const USE_ITEM12: i32 = 36;
    /// `EV_USE_ITEM13`.
    pub const USE_ITEM13: i32 = 37;
    /// `EV_USE_ITEM14`.
    pub const USE_ITEM14: i32 = 38;
    /// `EV_USE_ITEM15`.
    pub const USE_ITEM15: i32 = 39;
    /// `EV_ITEM_RESPAWN`.
    pub const ITEM_RESPAWN: i32 = 40;
    /// `EV_ITEM_POP`.
    pub const ITEM_POP: i32 = 41;
    /// `EV_PLAYER_TELEPORT_IN`.
    pub const PLAYER_TELEPORT_IN: i32 = 42;
    /// `EV_PLAYER_TELEPORT_OUT`.
    pub const PLAYER_TELEPORT_OUT: i32 = 43;
    /// `EV_GRENADE_BOUNCE`.
    pub const GRENADE_BOUNCE: i32 = 44;
    /// `EV_GENERAL_SOUND`.
    pub const GENERAL_SOUND: i32 = 45;
    /// `EV_GLOBAL_SOUND`.
    pub const GLOBAL_SOUND: i32 = 46;
    /// `EV_GLOBAL_TEAM_SOUND`.
    pub const GLOBAL_TEAM_SOUND: i32 = 47;
    /// `EV_BULLET_HIT_FLESH`.
    pub const BULLET_HIT_FLESH: i32 = 48;
    /// `EV_BULLET_HIT_WALL`.
    pub const BULLET_HIT_WALL: i32 = 49;
    /// `EV_MISSILE_HIT`.
    pub const MISSILE_HIT: i32 = 50;
    /// `EV_MISSILE_MISS`.
    pub const MISSILE_MISS: i32 = 51;
    /// `EV_MISSILE_MISS_METAL`.
    pub const MISSILE_MISS_METAL: i32 = 52;
    /// `EV_RAILTRAIL`.
    pub const RAILTRAIL: i32 = 53;
    /// `EV_SHOTGUN`.
    pub const SHOTGUN: i32 = 54;
    /// `EV_BULLET`.
    pub const BULLET: i32 = 55;
    /// `EV_PAIN`.
    pub const PAIN: i32 = 56;
    /// `EV_DEATH1`.
    pub const DEATH1: i32 = 57;
    /// `EV_DEATH2`.
    pub const DEATH2: i32 = 58;
    /// `EV_DEATH3`.
    pub const DEATH3: i32 = 59;
    /// `EV_OBITUARY`.
    pub const OBITUARY: i32 = 60;
    /// `EV_POWERUP_QUAD`.
    pub const POWERUP_QUAD: i32 = 61;
    /// `EV_POWERUP_BATTLESUIT`.
    pub const POWERUP_BATTLESUIT: i32 = 62;
    /// `EV_POWERUP_REGEN`.
    pub const POWERUP_REGEN: i32 = 63;
    /// `EV_GIB_PLAYER`.
    pub const GIB_PLAYER: i32 = 64;
    /// `EV_SCOREPLUM`.
    pub const SCOREPLUM: i32 = 65;
    /// `EV_PROXIMITY_MINE_STICK`.
    pub const PROXIMITY_MINE_STICK: i32 = 66;
    /// `EV_PROXIMITY_MINE_TRIGGER`.
    pub const PROXIMITY_MINE_TRIGGER: i32 = 67;
    /// `EV_KAMIKAZE`.
    pub const KAMIKAZE: i32 = 68;
    /// `EV_OBELISKEXPLODE`.
    pub const OBELISKEXPLODE: i32 = 69;
    /// `EV_OBELISKPAIN`.
    pub const OBELISKPAIN: i32 = 70;
    /// `EV_INVUL_IMPACT`.
    pub const INVUL_IMPACT: i32 = 71;
    /// `EV_JUICED`.
    pub const JUICED: i32 = 72;
    /// `EV_LIGHTNINGBOLT`.
    pub const LIGHTNINGBOLT: i32 = 73;
    /// `EV_DEBUG_LINE`.
    pub const DEBUG_LINE: i32 = 74;
    /// `EV_STOPLOOPINGSOUND`.
    pub const STOPLOOPINGSOUND: i32 = 75;
    /// `EV_TAUNT`.
    pub const TAUNT: i32 = 76;
    /// `EV_TAUNT_YES`.
    pub const TAUNT_YES: i32 = 77;
    /// `EV_TAUNT_NO`.
    pub const TAUNT_NO: i32 = 78;
    /// `EV_TAUNT_FOLLOWME`.
    pub const TAUNT_FOLLOWME: i32 = 79;
    /// `EV_TAUNT_GETFLAG`.
    pub const TAUNT_GETFLAG: i32 = 80;
    /// `EV_TAUNT_GUARDBASE`.
    pub const TAUNT_GUARDBASE: i32 = 81;
    /// `EV_TAUNT_PATROL`.
    pub const TAUNT_PATROL: i32 = 82;
}

/// What an entity is to the client. From `EVENTS` on: an event that lives alone.
pub mod entity_type {
    /// `ET_GENERAL`.
    pub const GENERAL: i32 = 0;
    /// `ET_PLAYER`.
    pub const PLAYER: i32 = 1;
    /// `ET_ITEM`.
    pub const ITEM: i32 = 2;
    /// `ET_MISSILE`.
    pub const MISSILE: i32 = 3;
    /// `ET_MOVER`.
    pub const MOVER: i32 = 4;
    /// `ET_BEAM`.
    pub const BEAM: i32 = 5;
    /// `ET_PORTAL`.
    pub const PORTAL: i32 = 6;
    /// `ET_SPEAKER`.
    pub const SPEAKER: i32 = 7;
    /// `ET_PUSH_TRIGGER`.
    pub const PUSH_TRIGGER: i32 = 8;
    /// `ET_TELEPORT_TRIGGER`.
    pub const TELEPORT_TRIGGER: i32 = 9;
    /// `ET_INVISIBLE`.
    pub const INVISIBLE: i32 = 10;
    /// `ET_GRAPPLE`.
    pub const GRAPPLE: i32 = 11;
    /// `ET_TEAM`.
    pub const TEAM: i32 = 12;
    /// `ET_EVENTS`.
    pub const EVENTS: i32 = 13;
}

/// Player animations; the toggle bit restarts one.
pub mod animation {
    /// `BOTH_DEATH1`.
    pub const BOTH_DEATH1: i32 = 0;
    /// `BOTH_DEAD1`.
    pub const BOTH_DEAD1: i32 = 1;
    /// `BOTH_DEATH2`.
    pub const BOTH_DEATH2: i32 = 2;
    /// `BOTH_DEAD2`.
    pub const BOTH_DEAD2: i32 = 3;
    /// `BOTH_DEATH3`.
    pub const BOTH_DEATH3: i32 = 4;
    /// `BOTH_DEAD3`.
    pub const BOTH_DEAD3: i32 = 5;
    /// `TORSO_GESTURE`.
    pub const TORSO_GESTURE: i32 = 6;
    /// `TORSO_ATTACK`.
    pub const TORSO_ATTACK: i32 = 7;
    /// `TORSO_ATTACK2`.
    pub const TORSO_ATTACK2: i32 = 8;
    /// `TORSO_DROP`.
    pub const TORSO_DROP: i32 = 9;
    /// `TORSO_RAISE`.
    pub const TORSO_RAISE: i32 = 10;
    /// `TORSO_STAND`.
    pub const TORSO_STAND: i32 = 11;
    /// `TORSO_STAND2`.
    pub const TORSO_STAND2: i32 = 12;
    /// `LEGS_WALKCR`.
    pub const LEGS_WALKCR: i32 = 13;
    /// `LEGS_WALK`.
    pub const LEGS_WALK: i32 = 14;
    /// `LEGS_RUN`.
    pub const LEGS_RUN: i32 = 15;
    /// `LEGS_BACK`.
    pub const LEGS_BACK: i32 = 16;
    /// `LEGS_SWIM`.
    pub const LEGS_SWIM: i32 = 17;
    /// `LEGS_JUMP`.
    pub const LEGS_JUMP: i32 = 18;
    /// `LEGS_LAND`.
    pub const LEGS_LAND: i32 = 19;
    /// `LEGS_JUMPB`.
    pub const LEGS_JUMPB: i32 = 20;
    /// `LEGS_LANDB`.
    pub const LEGS_LANDB: i32 = 21;
    /// `LEGS_IDLE`.
    pub const LEGS_IDLE: i32 = 22;
    /// `LEGS_IDLECR`.
    pub const LEGS_IDLECR: i32 = 23;
    /// `LEGS_TURN`.
    pub const LEGS_TURN: i32 = 24;
    /// `TORSO_GETFLAG`.
    pub const TORSO_GETFLAG: i32 = 25;
    /// `TORSO_GUARDBASE`.
    pub const TORSO_GUARDBASE: i32 = 26;
    /// `TORSO_PATROL`.
    pub const TORSO_PATROL: i32 = 27;
    /// `TORSO_FOLLOWME`.
    pub const TORSO_FOLLOWME: i32 = 28;
    /// `TORSO_AFFIRMATIVE`.
    pub const TORSO_AFFIRMATIVE: i32 = 29;
    /// `TORSO_NEGATIVE`.
    pub const TORSO_NEGATIVE: i32 = 30;
    /// `MAX_ANIMATIONS`.
    pub const MAX_ANIMATIONS: i32 = 31;
    /// `LEGS_BACKCR`.
    pub const LEGS_BACKCR: i32 = 32;
    /// `LEGS_BACKWALK`.
    pub const LEGS_BACKWALK: i32 = 33;
    /// `FLAG_RUN`.
    pub const FLAG_RUN: i32 = 34;
    /// `FLAG_STAND`.
    pub const FLAG_STAND: i32 = 35;
    /// `FLAG_STAND2RUN`.
    pub const FLAG_STAND2RUN: i32 = 36;
    /// `MAX_TOTALANIMATIONS`.
    pub const MAX_TOTALANIMATIONS: i32 = 37;
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

/// Classes of items.
pub mod item_type {
    /// `IT_BAD`.
    pub const BAD: i32 = 0;
    /// `IT_WEAPON`.
    pub const WEAPON: i32 = 1;
    /// `IT_AMMO`.
    pub const AMMO: i32 = 2;
    /// `IT_ARMOR`.
    pub const ARMOR: i32 = 3;
    /// `IT_HEALTH`.
    pub const HEALTH: i32 = 4;
    /// `IT_POWERUP`.
    pub const POWERUP: i32 = 5;
    /// `IT_HOLDABLE`.
    pub const HOLDABLE: i32 = 6;
    /// `IT_PERSISTANT_POWERUP`.
    pub const PERSISTANT_POWERUP: i32 = 7;
    /// `IT_TEAM`.
    pub const TEAM: i32 = 8;
}

/// Announcements of team games.
pub mod team_sound {
    /// `GTS_RED_CAPTURE`.
    pub const RED_CAPTURE: i32 = 0;
    /// `GTS_BLUE_CAPTURE`.
    pub const BLUE_CAPTURE: i32 = 1;
    /// `GTS_RED_RETURN`.
    pub const RED_RETURN: i32 = 2;
    /// `GTS_BLUE_RETURN`.
    pub const BLUE_RETURN: i32 = 3;
    /// `GTS_RED_TAKEN`.
    pub const RED_TAKEN: i32 = 4;
    /// `GTS_BLUE_TAKEN`.
    pub const BLUE_TAKEN: i32 = 5;
    /// `GTS_REDOBELISK_ATTACKED`.
    pub const REDOBELISK_ATTACKED: i32 = 6;
    /// `GTS_BLUEOBELISK_ATTACKED`.
    pub const BLUEOBELISK_ATTACKED: i32 = 7;
    /// `GTS_REDTEAM_SCORED`.
    pub const REDTEAM_SCORED: i32 = 8;
    /// `GTS_BLUETEAM_SCORED`.
    pub const BLUETEAM_SCORED: i32 = 9;
    /// `GTS_REDTEAM_TOOK_LEAD`.
    pub const REDTEAM_TOOK_LEAD: i32 = 10;
    /// `GTS_BLUETEAM_TOOK_LEAD`.
    pub const BLUETEAM_TOOK_LEAD: i32 = 11;
    /// `GTS_TEAMS_ARE_TIED`.
    pub const TEAMS_ARE_TIED: i32 = 12;
    /// `GTS_KAMIKAZE`.
    pub const KAMIKAZE: i32 = 13;
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

/// Bits of `PERS_PLAYEREVENTS`.
pub mod player_event {
    /// `PLAYEREVENT_DENIEDREWARD`.
    pub const DENIEDREWARD: i32 = 1;
    /// `PLAYEREVENT_GAUNTLETREWARD`.
    pub const GAUNTLETREWARD: i32 = 2;
    /// `PLAYEREVENT_HOLYSHIT`.
    pub const HOLYSHIT: i32 = 4;
}

/// Other numbers that both halves of the game share.
pub mod shared {
    /// `DEFAULT_GRAVITY`.
    pub const DEFAULT_GRAVITY: i32 = 800;
    /// `GIB_HEALTH`.
    pub const GIB_HEALTH: i32 = -40;
    /// `RANK_TIED_FLAG`.
    pub const RANK_TIED_FLAG: i32 = 16384;
    /// `DEFAULT_SHOTGUN_SPREAD`.
    pub const DEFAULT_SHOTGUN_SPREAD: i32 = 700;
    /// `DEFAULT_SHOTGUN_COUNT`.
    pub const DEFAULT_SHOTGUN_COUNT: i32 = 11;
    /// `ITEM_RADIUS`.
    pub const ITEM_RADIUS: i32 = 15;
    /// `LIGHTNING_RANGE`.
    pub const LIGHTNING_RANGE: i32 = 768;
    /// `SCORE_NOT_PRESENT`.
    pub const SCORE_NOT_PRESENT: i32 = -9999;
    /// `VOTE_TIME`.
    pub const VOTE_TIME: i32 = 30000;
    /// `MINS_Z`.
    pub const MINS_Z: i32 = -24;
    /// `DEFAULT_VIEWHEIGHT`.
    pub const DEFAULT_VIEWHEIGHT: i32 = 26;
    /// `CROUCH_VIEWHEIGHT`.
    pub const CROUCH_VIEWHEIGHT: i32 = 12;
    /// `DEAD_VIEWHEIGHT`.
    pub const DEAD_VIEWHEIGHT: i32 = -16;
    /// `EV_EVENT_BIT1`.
    pub const EV_EVENT_BIT1: i32 = 256;
    /// `EV_EVENT_BIT2`.
    pub const EV_EVENT_BIT2: i32 = 512;
    /// `EV_EVENT_BITS`.
    pub const EV_EVENT_BITS: i32 = 768;
    /// `EVENT_VALID_MSEC`.
    pub const EVENT_VALID_MSEC: i32 = 300;
    /// `ANIM_TOGGLEBIT`.
    pub const ANIM_TOGGLEBIT: i32 = 128;
}

/// How a trajectory moves.
pub mod trajectory {
    /// `TR_STATIONARY`.
    pub const STATIONARY: i32 = 0;
    /// `TR_INTERPOLATE`.
    pub const INTERPOLATE: i32 = 1;
    /// `TR_LINEAR`.
    pub const LINEAR: i32 = 2;
    /// `TR_LINEAR_STOP`.
    pub const LINEAR_STOP: i32 = 3;
    /// `TR_SINE`.
    pub const SINE: i32 = 4;
    /// `TR_GRAVITY`.
    pub const GRAVITY: i32 = 5;
}

/// Configstring numbers of the game. The engine's own two are in [`crate::proto::limits`].
pub mod configstring {
    /// `CS_MUSIC`.
    pub const MUSIC: u16 = 2;
    /// `CS_MESSAGE`.
    pub const MESSAGE: u16 = 3;
    /// `CS_MOTD`.
    pub const MOTD: u16 = 4;
    /// `CS_WARMUP`.
    pub const WARMUP: u16 = 5;
    /// `CS_SCORES1`.
    pub const SCORES1: u16 = 6;
    /// `CS_SCORES2`.
    pub const SCORES2: u16 = 7;
    /// `CS_VOTE_TIME`.
    pub const VOTE_TIME: u16 = 8;
    /// `CS_VOTE_STRING`.
    pub const VOTE_STRING: u16 = 9;
    /// `CS_VOTE_YES`.
    pub const VOTE_YES: u16 = 10;
    /// `CS_VOTE_NO`.
    pub const VOTE_NO: u16 = 11;
    /// `CS_TEAMVOTE_TIME`.
    pub const TEAMVOTE_TIME: u16 = 12;
    /// `CS_TEAMVOTE_STRING`.
    pub const TEAMVOTE_STRING: u16 = 14;
    /// `CS_TEAMVOTE_YES`.
    pub const TEAMVOTE_YES: u16 = 16;
    /// `CS_TEAMVOTE_NO`.
    pub const TEAMVOTE_NO: u16 = 18;
    /// `CS_GAME_VERSION`.
    pub const GAME_VERSION: u16 = 20;
    /// `CS_LEVEL_START_TIME`.
    pub const LEVEL_START_TIME: u16 = 21;
    /// `CS_INTERMISSION`.
    pub const INTERMISSION: u16 = 22;
    /// `CS_FLAGSTATUS`.
    pub const FLAGSTATUS: u16 = 23;
    /// `CS_SHADERSTATE`.
    pub const SHADERSTATE: u16 = 24;
    /// `CS_BOTINFO`.
    pub const BOTINFO: u16 = 25;
    /// `CS_ITEMS`.
    pub const ITEMS: u16 = 27;
    /// `CS_MODELS`.
    pub const MODELS: u16 = 32;
    /// `CS_SOUNDS`.
    pub const SOUNDS: u16 = 288;
    /// `CS_PLAYERS`.
    pub const PLAYERS: u16 = 544;
    /// `CS_LOCATIONS`.
    pub const LOCATIONS: u16 = 608;
    /// `CS_PARTICLES`.
    pub const PARTICLES: u16 = 672;
    /// `CS_MAX`.
    pub const MAX: u16 = 736;
}

/// One row of the item table; its index is what an item entity carries in `model_index`.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Entity class in a map.
    pub class: &'static str,
    /// Name shown at pickup.
    pub name: &'static str,
    /// Rounds, points or seconds, by kind.
    pub quantity: i32,
    /// One of [`item_type`].
    pub kind: i32,
    /// Weapon, powerup or holdable number, by kind.
    pub tag: i32,
    /// World model, a path in the game data.
    pub model: &'static str,
    /// Pickup sound, a path in the game data.
    pub sound: &'static str,
}

/// The item table, in the order that the client's copy has.
pub const ITEMS: [Item; 61] = [
    Item { class: "", name: "", quantity: 0, kind: 0, tag: 0, model: "", sound: "" },
    Item {
        class: "item_armor_shard",
        name: "Armor Shard",
        quantity: 5,
        kind: 3,
        tag: 0,
        model: "models/powerups/armor/shard.md3",
        sound: "sound/misc/ar1_pkup.wav",
    },
    Item {
        class: "item_armor_combat",
        name: "Armor",
        quantity: 50,
        kind: 3,
        tag: 0,
        model: "models/powerups/armor/armor_yel.md3",
        sound: "sound/misc/ar2_pkup.wav",
    },
    Item {
        class: "item_armor_body",
        name: "Heavy Armor",
        quantity: 100,
        kind: 3,
        tag: 0,
        model: "models/powerups/armor/armor_red.md3",
        sound: "sound/misc/ar2_pkup.wav",
    },
    Item {
        class: "item_health_small",
        name: "5 Health",
        quantity: 5,
        kind: 4,
        tag: 0,
        model: "models/powerups/health/small_cross.md3",
        sound: "sound/items/s_health.wav",
    },
    Item {
        class: "item_health",
        name: "25 Health",
        quantity: 25,
        kind: 4,
        tag: 0,
        model: "models/powerups/health/medium_cross.md3",
        sound: "sound/items/n_health.wav",
    },
    Item {
        class: "item_health_large",
        name: "50 Health",
        quantity: 50,
        kind: 4,
        tag: 0,
        model: "models/powerups/health/large_cross.md3",
        sound: "sound/items/l_health.wav",
    },
    Item {
        class: "item_health_mega",
        name: "Mega Health",
        quantity: 100,
        kind: 4,
        tag: 0,
        model: "models/powerups/health/mega_cross.md3",
        sound: "sound/items/m_health.wav",
    },
    Item {
        class: "weapon_gauntlet",
        name: "Gauntlet",
        quantity: 0,
        kind: 1,
        tag: 1,
        model: "models/weapons2/gauntlet/gauntlet.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_shotgun",
        name: "Shotgun",
        quantity: 10,
        kind: 1,
        tag: 3,
        model: "models/weapons2/shotgun/shotgun.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_machinegun",
        name: "Machinegun",
        quantity: 40,
        kind: 1,
        tag: 2,
        model: "models/weapons2/machinegun/machinegun.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_grenadelauncher",
        name: "Grenade Launcher",
        quantity: 10,
        kind: 1,
        tag: 4,
        model: "models/weapons2/grenadel/grenadel.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_rocketlauncher",
        name: "Rocket Launcher",
        quantity: 10,
        kind: 1,
        tag: 5,
        model: "models/weapons2/rocketl/rocketl.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_lightning",
        name: "Lightning Gun",
        quantity: 100,
        kind: 1,
        tag: 6,
        model: "models/weapons2/lightning/lightning.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_railgun",
        name: "Railgun",
        quantity: 10,
        kind: 1,
        tag: 7,
        model: "models/weapons2/railgun/railgun.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_plasmagun",
        name: "Plasma Gun",
        quantity: 50,
        kind: 1,
        tag: 8,
        model: "models/weapons2/plasma/plasma.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_bfg",
        name: "BFG10K",
        quantity: 20,
        kind: 1,
        tag: 9,
        model: "models/weapons2/bfg/bfg.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_grapplinghook",
        name: "Grappling Hook",
        quantity: 0,
        kind: 1,
        tag: 10,
        model: "models/weapons2/grapple/grapple.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "ammo_shells",
        name: "Shells",
        quantity: 10,
        kind: 2,
        tag: 3,
        model: "models/powerups/ammo/shotgunam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_bullets",
        name: "Bullets",
        quantity: 50,
        kind: 2,
        tag: 2,
        model: "models/powerups/ammo/machinegunam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_grenades",
        name: "Grenades",
        quantity: 5,
        kind: 2,
        tag: 4,
        model: "models/powerups/ammo/grenadeam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_cells",
        name: "Cells",
        quantity: 30,
        kind: 2,
        tag: 8,
        model: "models/powerups/ammo/plasmaam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_lightning",
        name: "Lightning",
        quantity: 60,
        kind: 2,
        tag: 6,
        model: "models/powerups/ammo/lightningam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_rockets",
        name: "Rockets",
        quantity: 5,
        kind: 2,
        tag: 5,
        model: "models/powerups/ammo/rocketam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_slugs",
        name: "Slugs",
        quantity: 10,
        kind: 2,
        tag: 7,
        model: "models/powerups/ammo/railgunam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_bfg",
        name: "Bfg Ammo",
        quantity: 15,
        kind: 2,
        tag: 9,
        model: "models/powerups/ammo/bfgam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "holdable_teleporter",
        name: "Personal Teleporter",
        quantity: 60,
        kind: 6,
        tag: 1,
        model: "models/powerups/holdable/teleporter.md3",
        sound: "sound/items/holdable.wav",
    },
    Item {
        class: "holdable_medkit",
        name: "Medkit",
        quantity: 60,
        kind: 6,
        tag: 2,
        model: "models/powerups/holdable/medkit.md3",
        sound: "sound/items/holdable.wav",
    },
    Item {
        class: "item_quad",
        name: "Quad Damage",
        quantity: 30,
        kind: 5,
        tag: 1,
        model: "models/powerups/instant/quad.md3",
        sound: "sound/items/quaddamage.wav",
    },
    Item {
        class: "item_enviro",
        name: "Battle Suit",
        quantity: 30,
        kind: 5,
        tag: 2,
        model: "models/powerups/instant/enviro.md3",
        sound: "sound/items/protect.wav",
    },
    Item {
        class: "item_haste",
        name: "Speed",
        quantity: 30,
        kind: 5,
        tag: 3,
        model: "models/powerups/instant/haste.md3",
        sound: "sound/items/haste.wav",
    },
    Item {
        class: "item_invis",
        name: "Invisibility",
        quantity: 30,
        kind: 5,
        tag: 4,
        model: "models/powerups/instant/invis.md3",
        sound: "sound/items/invisibility.wav",
    },
    Item {
        class: "item_regen",
        name: "Regeneration",
        quantity: 30,
        kind: 5,
        tag: 5,
        model: "models/powerups/instant/regen.md3",
        sound: "sound/items/regeneration.wav",
    },
    Item {
        class: "item_flight",
        name: "Flight",
        quantity: 60,
        kind: 5,
        tag: 6,
        model: "models/powerups/instant/flight.md3",
        sound: "sound/items/flight.wav",
    },
    Item {
        class: "team_CTF_redflag",
        name: "Red Flag",
        quantity: 0,
        kind: 8,
        tag: 7,
        model: "models/flags/r_flag.md3",
        sound: "",
    },
    Item {
        class: "team_CTF_blueflag",
        name: "Blue Flag",
        quantity: 0,
        kind: 8,
        tag: 8,
        model: "models/flags/b_flag.md3",
        sound: "",
    },
    Item {
        class: "holdable_kamikaze",
        name: "Kamikaze",
        quantity: 60,
        kind: 6,
        tag: 3,
        model: "models/powerups/kamikazi.md3",
        sound: "sound/items/holdable.wav",
    },
    Item {
        class: "holdable_portal",
        name: "Portal",
        quantity: 60,
        kind: 6,
        tag: 4,
        model: "models/powerups/holdable/porter.md3",
        sound: "sound/items/holdable.wav",
    },
    Item {
        class: "holdable_invulnerability",
        name: "Invulnerability",
        quantity: 60,
        kind: 6,
        tag: 5,
        model: "models/powerups/holdable/invulnerability.md3",
        sound: "sound/items/holdable.wav",
    },
    Item {
        class: "ammo_nails",
        name: "Nails",
        quantity: 20,
        kind: 2,
        tag: 11,
        model: "models/powerups/ammo/nailgunam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_mines",
        name: "Proximity Mines",
        quantity: 10,
        kind: 2,
        tag: 12,
        model: "models/powerups/ammo/proxmineam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "ammo_belt",
        name: "Chaingun Belt",
        quantity: 100,
        kind: 2,
        tag: 13,
        model: "models/powerups/ammo/chaingunam.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "item_scout",
        name: "Scout",
        quantity: 30,
        kind: 7,
        tag: 10,
        model: "models/powerups/scout.md3",
        sound: "sound/items/scout.wav",
    },
    Item {
        class: "item_guard",
        name: "Guard",
        quantity: 30,
        kind: 7,
        tag: 11,
        model: "models/powerups/guard.md3",
        sound: "sound/items/guard.wav",
    },
    Item {
        class: "item_doubler",
        name: "Doubler",
        quantity: 30,
        kind: 7,
        tag: 12,
        model: "models/powerups/doubler.md3",
        sound: "sound/items/doubler.wav",
    },
    Item {
        class: "item_ammoregen",
        name: "Ammo Regen",
        quantity: 30,
        kind: 7,
        tag: 13,
        model: "models/powerups/ammo.md3",
        sound: "sound/items/ammoregen.wav",
    },
    Item {
        class: "team_CTF_neutralflag",
        name: "Neutral Flag",
        quantity: 0,
        kind: 8,
        tag: 9,
        model: "models/flags/n_flag.md3",
        sound: "",
    },
    Item {
        class: "item_redcube",
        name: "Red Cube",
        quantity: 0,
        kind: 8,
        tag: 0,
        model: "models/powerups/orb/r_orb.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "item_bluecube",
        name: "Blue Cube",
        quantity: 0,
        kind: 8,
        tag: 0,
        model: "models/powerups/orb/b_orb.md3",
        sound: "sound/misc/am_pkup.wav",
    },
    Item {
        class: "weapon_nailgun",
        name: "Nailgun",
        quantity: 10,
        kind: 1,
        tag: 11,
        model: "models/weapons/nailgun/nailgun.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_prox_launcher",
        name: "Prox Launcher",
        quantity: 5,
        kind: 1,
        tag: 12,
        model: "models/weapons/proxmine/proxmine.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "weapon_chaingun",
        name: "Chaingun",
        quantity: 80,
        kind: 1,
        tag: 13,
        model: "models/weapons/vulcan/vulcan.md3",
        sound: "sound/misc/w_pkup.wav",
    },
    Item {
        class: "team_DD_pointAblue",
        name: "Point A (Blue)",
        quantity: 0,
        kind: 8,
        tag: 2,
        model: "models/dpoints/a_blue.md3",
        sound: "",
    },
    Item {
        class: "team_DD_pointBblue",
        name: "Point B (Blue)",
        quantity: 0,
        kind: 8,
        tag: 5,
        model: "models/dpoints/b_blue.md3",
        sound: "",
    },
    Item {
        class: "team_DD_pointAred",
        name: "Point A (Red)",
        quantity: 0,
        kind: 8,
        tag: 1,
        model: "models/dpoints/a_red.md3",
        sound: "",
    },
    Item {
        class: "team_DD_pointBred",
        name: "Point B (Red)",
        quantity: 0,
        kind: 8,
        tag: 4,
        model: "models/dpoints/b_red.md3",
        sound: "",
    },
    Item {
        class: "team_DD_pointAwhite",
        name: "Point A (White)",
        quantity: 0,
        kind: 8,
        tag: 3,
        model: "models/dpoints/a_white.md3",
        sound: "",
    },
    Item {
        class: "team_DD_pointBwhite",
        name: "Point B (White)",
        quantity: 0,
        kind: 8,
        tag: 6,
        model: "models/dpoints/b_white.md3",
        sound: "",
    },
    Item {
        class: "team_dom_pointWhite",
        name: "Neutral domination point",
        quantity: 0,
        kind: 8,
        tag: 3,
        model: "models/flags/n_flag.md3",
        sound: "",
    },
    Item {
        class: "team_dom_pointRed",
        name: "Red domination point",
        quantity: 0,
        kind: 8,
        tag: 1,
        model: "models/flags/r_flag.md3",
        sound: "",
    },
    Item {
        class: "team_dom_pointBlue",
        name: "Blue domination point",
        quantity: 0,
        kind: 8,
        tag: 2,
        model: "models/flags/b_flag.md3",
        sound: "",
    },
];
