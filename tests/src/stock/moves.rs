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
    /// The game ran it, but to another time than the client meant, or passed over it: its client was further ahead of the
    /// server's clock than is allowed, as happens when the server is held up. Source: `ClientThink_real`, which allows 200 ms.
    pub fn is_cut(&self) -> bool {
        let plays = |ps: &PlayerState| matches!(ps.pm_type, pm_type::NORMAL | pm_type::DEAD);
        plays(&self.before) && plays(&self.after) && self.after.command_time != self.cmd.server_time
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
