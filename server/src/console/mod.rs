//! The console: text in, commands run, one text out. The same for stdin, the FIFO, remote consoles, cfg files and the game.
//!
//! [`run`] takes a line that somebody typed and answers with what it printed; [`run_queued`] runs once per frame what was
//! queued or waits; [`start_up`] runs the archive, `autoexec.cfg` and the command line. Text is cut into commands by
//! [`tokenizer`], kept in a [`CommandBuffer`], looked up in [`COMMANDS`], then among the cvars, then offered to the game. The
//! server itself is reached through [`Operator`] alone. Work per call is bounded, so that no text can hang a frame.

mod archive;
mod arguments;
mod ban_commands;
mod buffer;
mod cvar_commands;
mod demo_commands;
mod file_commands;
mod rotation_commands;
mod run;
mod script_commands;
mod server_commands;
mod status;
mod table;
pub mod tokenizer;

pub use archive::{ARCHIVE_FILE, save_archive};
pub use arguments::{apply_sets, split_plus_args};
pub use buffer::CommandBuffer;
pub use run::{run, run_queued, start_up};
pub use status::{Player, Presence, StatusStyle, harmless, status_text};
pub use table::{COMMANDS, Command};

use crate::config::{By, Cvars};
use crate::files::Files;
use crate::rotation::Rotation;
use fogline_common::ids::ClientNum;
use fogline_common::time::Millis;
use std::net::IpAddr;

/// Who typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The host: stdin, FIFO, command line, cfg files, the game.
    Local,
    /// A remote console.
    Rcon,
}

impl Source {
    pub(crate) const fn by(self) -> By {
        match self {
            Self::Local => By::Host,
            Self::Rcon => By::Rcon,
        }
    }
}

/// The server as the console sees it.
///
/// Calls come one at a time and never nested: a command that the server itself wants to run goes through
/// [`CommandBuffer::queue`].
pub trait Operator {
    /// The settings.
    fn cvars(&mut self) -> &mut Cvars;
    /// What may be read and written.
    fn files(&mut self) -> &mut dyn Files;
    /// Text that waits to be run.
    fn command_buffer(&mut self) -> &mut CommandBuffer;

    /// Everybody on the server, bots included, in slot order.
    fn players(&self) -> Vec<Player>;
    /// What the visibility filter withholds, as text.
    fn filter_status(&self) -> String;
    /// A client's userinfo, or `None` for a free slot.
    fn userinfo(&self, client: ClientNum) -> Option<String>;

    /// Starts a map, ending the running one. `name` is a plain map name.
    ///
    /// # Errors
    /// A sentence; the running match goes on.
    fn start_map(&mut self, name: &str, cheats: bool) -> Result<(), String>;
    /// Restarts the running map after `delay`.
    ///
    /// # Errors
    /// A sentence; the running match goes on.
    fn restart_map(&mut self, delay: Millis) -> Result<(), String>;
    /// Ends the match and sends everybody away with `reason`; the program stays.
    fn kill_server(&mut self, reason: &str);
    /// Ends the program after a goodbye to everybody.
    fn quit(&mut self);
    /// Tells the master servers now.
    fn heartbeat(&mut self);
    /// The order of maps.
    fn rotation(&mut self) -> &mut Rotation;

    /// The last shots of a client and how they were judged, a line each, newest first.
    fn shots(&self, client: ClientNum) -> Vec<String>;
    /// Records a demo of a player from the next frame on. The file.
    ///
    /// # Errors
    /// A sentence, if it cannot be recorded under that name.
    fn start_demo(&mut self, client: ClientNum, name: &str) -> Result<String, String>;
    /// Ends a player's demo. Whether there was one.
    fn stop_demo(&mut self, client: ClientNum) -> bool;
    /// The demos that run, a line each.
    fn demos(&self) -> Vec<String>;
    /// Keeps an address out for a while.
    fn ban(&mut self, address: IpAddr, minutes: i32, reason: &str);
    /// Lets an address in again. Whether it was kept out.
    fn unban(&mut self, address: IpAddr) -> bool;
    /// Who is kept out, a line each.
    fn bans(&mut self) -> Vec<String>;
    /// Sends a client away. The reason is read behind its name: `was kicked`.
    fn drop_client(&mut self, client: ClientNum, reason: &str);
    /// Sends a reliable command to one client, or to all in the world.
    fn send_server_command(&mut self, to: Option<ClientNum>, text: &str);
    /// Offers a command to the game; what it prints is appended to `reply`. Whether the game knew it.
    fn game_command(&mut self, args: &[&str], reply: &mut String) -> bool;
}

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
