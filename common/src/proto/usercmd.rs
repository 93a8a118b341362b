//! One usercmd: what a player's hands did in one frame of its client.

use crate::time::CommandTime;

/// Input of one client frame. Source: `usercmd_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserCmd {
    /// The time that the client was drawing. Unit: ms of the server's clock, as claimed.
    pub server_time: i32,
    /// Pitch, yaw, roll. Unit: 1/65536 of a turn, `0..=65535`.
    pub angles: [i32; 3],
    /// Bits of [`button`](crate::proto::button).
    pub buttons: i32,
    /// The weapon that the player wants in hand.
    pub weapon: u8,
    /// Forward, -127..=127.
    pub forward_move: i8,
    /// Right, -127..=127.
    pub right_move: i8,
    /// Up, -127..=127.
    pub up_move: i8,
}

impl UserCmd {
    /// The claimed time, as its own clock.
    pub const fn time(&self) -> CommandTime {
        CommandTime(self.server_time)
    }
}
