//! What an entity is and how it moves, as its state says it.

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
