//! What became of every usercmd of a person's: a witness between engine and game, that changes nothing.
//!
//! So a miss can be looked into afterwards: a client predicts from what it was told and by the same commands, and they are here
//! with the state before and after each.

use fogline_common::ids::ClientNum;
use fogline_common::openarena::pm_type;
use fogline_common::proto::{PlayerState, UserCmd};
use fogline_common::time::ServerTime;
use fogline_server::game::native::NativeGame;
use fogline_server::game::{EntityTable, Game, Host};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Most moves that are kept until somebody takes them.
const KEPT: usize = 40_000;

/// One usercmd, run.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Whose.
    pub client: ClientNum,
    /// As it came.
    pub cmd: UserCmd,
    /// The player before it.
    pub before: PlayerState,
    /// The player after it, and after all that it set off.
    pub after: PlayerState,
}

impl Move {
    /// The game ran it to another time than the client meant, or passed over it: it came with a time further ahead of the server's
    /// clock than is allowed (200 ms), as when the server was held up, or further behind (1000 ms), as when the client was.
    /// Source: `ClientThink_real`.
    pub fn is_cut(&self) -> bool {
        let plays = |ps: &PlayerState| matches!(ps.pm_type, pm_type::NORMAL | pm_type::DEAD);
        plays(&self.before) && plays(&self.after) && self.after.command_time != self.cmd.server_time
    }
}

/// A line: when it ran to and how long, where it led, at what speed, on what.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cmd, before, after, .. } = self;
        let (at, v) = (after.origin, after.velocity);
        writeln!(
            f,
            "{} ({} ms): {} {} {} on {}, velocity {} {} {}{}",
            after.command_time,
            after.command_time - before.command_time,
            at.x,
            at.y,
            at.z,
            after.ground_entity,
            v.x,
            v.y,
            v.z,
            if self.is_cut() { format!(", was meant for {}", cmd.server_time) } else { String::new() }
        )
    }
}

/// Moves that nobody has taken yet, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Moves(Arc<Mutex<Vec<Move>>>);

impl Moves {
    /// All since the last call.
    pub fn take(&self) -> Vec<Move> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, a_move: Move) {
        let mut moves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if moves.len() < KEPT {
            moves.push(a_move);
        }
    }
}

/// The game, with a witness.
pub(super) struct Witnessed {
    game: NativeGame,
    moves: Moves,
    /// Slots that are the server's own players.
    bots: u64,
}

impl Witnessed {
    /// A new game. What people do goes to `moves`.
    pub(super) fn new(moves: Moves) -> Self {
        Self { game: NativeGame::new(), moves, bots: 0 }
    }
}

impl Game for Witnessed {
    fn init(&mut self, host: &mut dyn Host, level_time: ServerTime, seed: u32, restart: bool) {
        self.game.init(host, level_time, seed, restart);
    }

    fn shutdown(&mut self, host: &mut dyn Host, restart: bool) {
        self.game.shutdown(host, restart);
    }

    fn client_connect(
        &mut self,
        host: &mut dyn Host,
        client: ClientNum,
        first_time: bool,
        is_bot: bool,
    ) -> Result<(), String> {
        self.bots = self.bots & !(1 << client.index()) | u64::from(is_bot) << client.index();
        self.game.client_connect(host, client, first_time, is_bot)
    }

    fn client_begin(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.game.client_begin(host, client);
    }

    fn client_userinfo_changed(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.game.client_userinfo_changed(host, client);
    }

    fn client_disconnect(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.game.client_disconnect(host, client);
    }

    fn client_command(&mut self, host: &mut dyn Host, client: ClientNum, args: &[&str]) {
        self.game.client_command(host, client, args);
    }

    fn console_command(&mut self, host: &mut dyn Host, args: &[&str]) -> bool {
        self.game.console_command(host, args)
    }

    fn client_think(&mut self, host: &mut dyn Host, client: ClientNum, cmd: &UserCmd) {
        let is_bot = self.bots >> client.index() & 1 != 0;
        let before = self.game.player_state(client);
        self.game.client_think(host, client, cmd);
        if !is_bot {
            self.moves.add(Move { client, cmd: *cmd, before, after: self.game.player_state(client) });
        }
    }

    fn run_frame(&mut self, host: &mut dyn Host, level_time: ServerTime) {
        self.game.run_frame(host, level_time);
    }

    fn entities(&self) -> &dyn EntityTable {
        self.game.entities()
    }

    fn player_state(&self, client: ClientNum) -> PlayerState {
        self.game.player_state(client)
    }

    fn score(&self, client: ClientNum) -> i32 {
        self.game.score(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn a_move_to_another_time_than_was_meant_is_cut() {
        let client = ClientNum::new(0).expect("a slot");
        let before = PlayerState { command_time: 1000, ..PlayerState::default() };
        let after = PlayerState { command_time: 1030, origin: vec3(1.0, 2.0, 3.5), ..before };
        let mut a_move =
            Move { client, cmd: UserCmd { server_time: 1030, ..UserCmd::default() }, before, after };
        assert!(!a_move.is_cut());
        assert_eq!(a_move.to_string(), "1030 (30 ms): 1 2 3.5 on 0, velocity 0 0 0\n");
        a_move.cmd.server_time = 1085;
        assert!(a_move.is_cut());
        assert!(a_move.to_string().ends_with(", was meant for 1085\n"));
        a_move.after.pm_type = pm_type::INTERMISSION;
        assert!(!a_move.is_cut(), "nobody moves at the scores");
    }
}
