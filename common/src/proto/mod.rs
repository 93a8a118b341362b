//! The states that travel between server and client, and every limit of protocol 68.
//!
//! Fields of the states are plain 32-bit integers and floats in the memory layout of the original structures, for two
//! reasons: the delta coder compares raw 32-bit patterns field by field, and a stock game module can keep its states in its
//! own memory and have them read in place. Accessors translate the markers ("no entity") to `Option`.

mod entity_state;
mod flags;
pub mod info_string;
pub mod limits;
mod player_state;
mod usercmd;

pub use entity_state::{ENTITY_WORDS, EntityState, Trajectory};
pub use flags::{button, contents, mask, snap_flag, surface, sv_flag};
pub use player_state::{PLAYER_WORDS, PlayerState};
pub use usercmd::UserCmd;
