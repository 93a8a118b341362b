//! The level as a whole: its clock, its teams, how far the match has come, and what the clients load for it.

use super::flags::FlagStatus;
use super::trains::Corner;
use super::warmup::Warmup;
use crate::game::Host;
use fogline_common::ids::{ClientNum, ConfigstringNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::configstring;
use fogline_common::time::{Millis, ServerTime};

/// The level as a whole. Source: `level_locals_t`.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// Now.
    pub(super) time: ServerTime,
    /// The frame before.
    pub(super) previous_time: ServerTime,
    /// When the level began.
    pub(super) start: ServerTime,
    /// Frames since the level began.
    pub(super) frame: i32,
    /// Points of the teams, by team.
    pub(super) team_scores: [i32; 4],
    /// Where the flags are, red first.
    pub(super) flags: [FlagStatus; 2],
    /// When it was last announced that each was taken.
    pub(super) flag_announced: [Option<ServerTime>; 2],
    /// Connected clients, best first.
    pub(super) ranking: Vec<ClientNum>,
    /// Of those, how many play; they come first.
    pub(super) playing_count: usize,
    /// How far the match has come.
    pub(super) stage: Stage,
    /// How far the time before the match has come.
    pub(super) warmup: Warmup,
    /// Time that was added because the match was tied.
    pub(super) overtime: Millis,
    /// Everybody knows that the next point decides.
    pub(super) sudden_death: bool,
    /// When team mates were last told of each other.
    pub(super) overlay_sent: ServerTime,
    /// Where intermissions (and fresh spectators) look from.
    pub(super) intermission_view: Option<View>,
    /// The next body to be reused.
    pub(super) next_body: usize,
    /// The next of the three deaths.
    pub(super) next_death: i32,
    /// Index of the sizzling sound.
    pub(super) sizzle_sound: i32,
    /// Items that were placed or registered, by index.
    pub(super) items_used: Vec<bool>,
    /// Places that team talk names. Shape: in configstring order, from 1.
    pub(super) locations: Vec<(Vec3, String)>,
    /// Texts that the map shows.
    pub(super) messages: Vec<String>,
    /// Corners of the paths of trains.
    pub(super) corners: Vec<Corner>,
    /// Personal portals so far, by which their ends know each other.
    pub(super) portals: i32,
    /// How deep signals are being passed on.
    pub(super) fire_depth: u32,
    /// Entities (or indices) that did not fit were reported once.
    pub(super) overflow_reported: bool,
}

/// How far the match has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Stage {
    /// It is being played.
    #[default]
    Play,
    /// It is over; a moment is left to see how.
    Ending {
        /// Since when.
        since: ServerTime,
    },
    /// Everybody looks at the scores.
    Intermission {
        /// Since when.
        since: ServerTime,
        /// When the first player wanted to go on.
        first_ready: Option<ServerTime>,
    },
    /// The next map has been asked for.
    Leaving {
        /// When it was last asked for.
        since: ServerTime,
    },
}

impl Stage {
    /// Whether players look at the scores.
    pub(super) fn is_intermission(self) -> bool {
        matches!(self, Self::Intermission { .. } | Self::Leaving { .. })
    }
}

/// A place to look from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct View {
    /// Where.
    pub(super) origin: Vec3,
    /// Which way.
    pub(super) angles: Vec3,
}

/// A table of names in configstrings that clients load by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assets {
    /// Sounds.
    Sounds,
    /// Models beyond the map's own.
    Models,
}

impl Assets {
    const fn first(self) -> u16 {
        match self {
            Self::Sounds => configstring::SOUNDS,
            Self::Models => configstring::MODELS,
        }
    }

    /// Entries of either table, the unused one at 0 included.
    const COUNT: u16 = 256;

    /// The index of `name`, entered if it is new. 0 for an empty name, and for a new one once the table is full.
    /// Source: `G_FindConfigstringIndex`, which ends the server when full.
    pub(super) fn index(self, host: &mut dyn Host, name: &str) -> i32 {
        if name.is_empty() {
            return 0;
        }
        for index in 1..Self::COUNT {
            let Some(num) = ConfigstringNum::new(usize::from(self.first() + index)) else { break };
            let known = host.configstring(num);
            if known.eq_ignore_ascii_case(name) {
                return i32::from(index);
            }
            if known.is_empty() {
                host.set_configstring(num, name);
                return i32::from(index);
            }
        }
        host.print(&format!("{name} is left out: the map uses more than 255 {self:?}"));
        0
    }
}

/// Sets one of the game's configstrings; see [`configstring`].
pub(super) fn set_configstring(host: &mut dyn Host, index: u16, text: &str) {
    if let Some(num) = ConfigstringNum::new(usize::from(index)) {
        host.set_configstring(num, text);
    }
}
