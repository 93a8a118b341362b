//! How a player is, as its state says it: movement, timers, counters, what it bears and how it is drawn.

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

/// Bits of `PERS_PLAYEREVENTS`.
pub mod player_event {
    /// `PLAYEREVENT_DENIEDREWARD`.
    pub const DENIEDREWARD: i32 = 1;
    /// `PLAYEREVENT_GAUNTLETREWARD`.
    pub const GAUNTLETREWARD: i32 = 2;
    /// `PLAYEREVENT_HOLYSHIT`.
    pub const HOLYSHIT: i32 = 4;
}
