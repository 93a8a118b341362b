//! What one player is told, snapshot by snapshot, and where everybody is meanwhile: what a stock client's words are held against.

use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::{EntityState, PlayerState};
use fogline_common::time::ServerTime;

/// Most snapshots that are kept until somebody takes them.
const KEPT: usize = 5_000;

/// One snapshot that went out.
#[derive(Clone, Debug)]
pub struct Told {
    /// The message that carried it.
    pub message: Sequence,
    /// Its time.
    pub time: ServerTime,
    /// Every entity in it.
    pub entities: Vec<EntityState>,
    /// All players as they were told themselves last, by name.
    pub players: Vec<(String, PlayerState)>,
}

impl Told {
    /// Whether it tells of a player.
    pub fn tells_of(&self, player: ClientNum) -> bool {
        self.entities.iter().any(|state| state.num() == Some(player.entity()))
    }

    /// The player of that name.
    pub fn player(&self, name: &str) -> Option<&PlayerState> {
        self.players.iter().find(|(known, _)| known == name).map(|(_, state)| state)
    }
}

/// Keeps what one player is told.
#[derive(Debug, Default)]
pub(super) struct Follower {
    name: Option<String>,
    told: Vec<Told>,
}

impl Follower {
    /// Follows the player of that name from now on.
    pub(super) fn follow(&mut self, name: &str) {
        *self = Self { name: Some(name.to_owned()), told: Vec::new() };
    }

    /// The player that is followed.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// A snapshot that may be new.
    pub(super) fn add(&mut self, told: Told) {
        let is_new = self.told.last().is_none_or(|last| last.message != told.message);
        if is_new && self.told.len() < KEPT {
            self.told.push(told);
        }
    }

    /// What came since it is followed.
    pub(super) fn all(&self) -> Vec<Told> {
        self.told.clone()
    }
}
