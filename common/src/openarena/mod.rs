//! Numbers of the OpenArena 0.8.8 game: what its client half takes for granted about the server half.
//!
//! Source: the 0.8.8 headers as compiled (facts page "q3-protocol-facts", section 12). The engine itself knows none of these;
//! movement and the native game do. Each module is one enumeration, kept as plain integers because they travel in plain
//! integer fields.

mod arms;
mod direction;
mod entity;
mod events;
mod items;
mod player;
mod rules;

pub use arms::{means_of_death, weapon};
pub use direction::{byte_to_direction, direction_to_byte};
pub use entity::{entity_flag, entity_type, trajectory};
pub use events::{event, team_sound};
pub use items::{ITEMS, Item, item_type};
pub use player::{animation, holdable, pers, player_event, pm_flag, pm_type, powerup, stat, weapon_state};
pub use rules::{dm_flag, game_type, team, team_task};

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
