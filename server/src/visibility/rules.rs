//! What the host has settled about who is told of whom.

use super::far;
use super::twoclock::clock::Limits;
use crate::config::Config;
use fogline_common::openarena::dm_flag;
use fogline_common::time::Millis;

/// How much is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing beyond what a stock server withholds.
    Off,
    /// Players out of sight, unless they are near.
    FarOnly,
    /// Players out of sight.
    Always,
    /// Players of whom it is proved that they stay out of sight.
    Proved,
}

/// Which of the two sets of rules decides about players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// What the reference's authors meant.
    Meant,
    /// What the reference does, to the ray.
    Compat,
}

/// What is heard of players out of sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hearing {
    /// Nothing.
    Nothing,
    /// Sounds from about where they are: cells of this many units.
    Rounded(f32),
    /// Sounds from where they are, as in the reference.
    Exact,
}

/// The settings of the filter as they are in force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// How much is withheld.
    pub mode: Mode,
    /// By which rules.
    pub profile: Profile,
    /// How long a player stays told of after it was last in sight; in the compat profile, how long until it is looked for again.
    pub vistime: Millis,
    /// How far ahead positions are looked for. Unit: seconds.
    pub horizon: f32,
    /// Team mates are always told of one another.
    pub teammates: bool,
    /// Beyond this nothing is told. Unit: world units, 128 of them short of the limit, as in the reference.
    pub far: Option<f32>,
    /// What is heard of players out of sight.
    pub hearing: Hearing,
    /// How far mode 3 looks ahead.
    pub limits: Limits,
    /// Time that it may spend on proofs in a frame. Unit: µs.
    pub budget_us: i32,
    /// Velocities of players are rounded to whole units/s (`pmove_float` 0).
    pub rounds: bool,
    /// Another weapon is in hand at once (`dmflags` 64).
    pub changes_weapons_at_once: bool,
}

impl Rules {
    /// From the settings. `map_far` is the map's own far distance (0 for none), `nominal_fps` the frame rate when it was loaded.
    pub fn new(config: &Config, map_far: i32, nominal_fps: i32) -> Self {
        let compat = config.sv_netoptimize_compat && config.sv_netoptimize < 3;
        let fps = if compat { nominal_fps } else { config.sv_fps };
        let game_far = if config.sv_farplane != 0 { config.sv_farplane } else { map_far };
        Self {
            mode: match config.sv_netoptimize {
                0 => Mode::Off,
                _ if !config.g_netoptimize => Mode::Off,
                1 => Mode::FarOnly,
                2 => Mode::Always,
                _ => Mode::Proved,
            },
            profile: if compat { Profile::Compat } else { Profile::Meant },
            vistime: Millis(config.sv_netoptimize_vistime),
            horizon: horizon(config.sv_netoptimize_frames, 1.0 / fps.max(1) as f32),
            teammates: config.sv_netoptimize_teammates,
            far: match compat {
                true => Some(far::effective(far::stored(game_far))),
                false => far::linear(game_far),
            },
            hearing: match config.sv_netoptimize_sounds {
                0 => Hearing::Nothing,
                1 => Hearing::Rounded(config.sv_soundcell as f32),
                _ => Hearing::Exact,
            },
            limits: Limits {
                most: Millis(config.sv_netoptimize_maxhorizon),
                least: Millis(config.sv_netoptimize_minhorizon),
            },
            budget_us: config.sv_netoptimize_budget,
            rounds: !config.pmove_float,
            changes_weapons_at_once: config.dmflags & dm_flag::INSTANT_WEAPON_CHANGE != 0,
        }
    }

    /// Nothing is filtered.
    pub fn off() -> Self {
        Self { mode: Mode::Off, ..Self::new(&Config::default(), 0, 20) }
    }
}

/// Look-ahead of so many frames of `frame_seconds`. Unit: seconds.
pub fn horizon(frames: i32, frame_seconds: f32) -> f32 {
    frames as f32 * frame_seconds
}

impl Default for Rules {
    fn default() -> Self {
        Self::new(&Config::default(), 0, 20)
    }
}
