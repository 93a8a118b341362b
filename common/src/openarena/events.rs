//! What happens to entities: sounds and effects that clients make of it.

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
