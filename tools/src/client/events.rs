//! What a client noticed: events in order, and counts.

use crate::client::predict::PredictCounts;
use fogline_common::ids::ConfigstringNum;
use fogline_common::time::{Millis, ServerTime};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// Events kept until somebody takes them; older ones are dropped and counted.
const EVENTS_KEPT: usize = 1024;

/// Why a client is no longer connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The server said so, with its reason.
    ByServer(String),
    /// No packet for the time that was set.
    TimedOut,
    /// A stock client would have given up: what it could not bear.
    Error(String),
    /// It left by itself.
    Left,
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByServer(reason) => write!(f, "server disconnected: {reason}"),
            Self::TimedOut => write!(f, "server connection timed out"),
            Self::Error(what) => write!(f, "{what}"),
            Self::Left => write!(f, "left"),
        }
    }
}

/// Something that a player, or a test, may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The server let us in.
    Connected,
    /// A gamestate came.
    Gamestate {
        /// `sv_serverid` of its systeminfo.
        server_id: i32,
        /// Our slot.
        client_num: i32,
    },
    /// The first snapshot in which we are in the game.
    Active,
    /// A snapshot was decoded.
    Snapshot {
        /// Sequence of its message.
        message: u32,
        /// What it shows.
        time: ServerTime,
    },
    /// Text for the player: `print`, in the open or as a command.
    Print(String),
    /// `chat` or `tchat`.
    Chat(String),
    /// A configstring changed.
    Configstring(ConfigstringNum),
    /// A file is here.
    Downloaded {
        /// As it was asked for: game folder, slash, file name.
        name: String,
        /// All of it.
        bytes: Arc<[u8]>,
    },
    /// The map starts over.
    MapRestart,
    /// Any other command of the server.
    Command(String),
    /// The connection is over.
    Dropped(DropReason),
    /// Something odd that a stock client survives.
    Warning(String),
}

/// What a client counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCounts {
    /// Datagrams that came.
    pub datagrams_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Datagrams sent.
    pub datagrams_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Whole messages decoded.
    pub messages: u64,
    /// Messages that never came, by the gaps in their sequence.
    pub messages_lost: u64,
    /// Datagrams refused by the netchan: repeated, too late, damaged.
    pub refused: u64,
    /// Snapshots decoded.
    pub snapshots: u64,
    /// Of these, not changes of an earlier one.
    pub snapshots_whole: u64,
    /// Snapshots that could not be used since their base is not here.
    pub snapshots_without_base: u64,
    /// Messages that could not be read.
    pub parse_errors: u64,
    /// Odd things in messages that could.
    pub warnings: u64,
    /// Open packets that meant nothing.
    pub open_ignored: u64,
    /// Server commands that came.
    pub server_commands: u64,
    /// Blocks of files taken.
    pub blocks: u64,
    /// Blocks of files forgotten, since one before them was lost.
    pub blocks_refused: u64,
    /// Gamestates that came.
    pub gamestates: u64,
    /// Events that nobody took in time.
    pub events_dropped: u64,
    /// Frames drawn at or past the newest snapshot.
    pub frames_extrapolated: u64,
    /// Frames drawn.
    pub frames: u64,
    /// Longest time between two snapshots since the game was entered or the map changed.
    pub longest_gap: Millis,
    /// What prediction did.
    pub predict: PredictCounts,
}

/// The queue of events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    queue: VecDeque<Event>,
    pub(crate) dropped: u64,
}

impl Events {
    pub(crate) fn push(&mut self, event: Event) {
        if self.queue.len() == EVENTS_KEPT {
            self.queue.pop_front();
            self.dropped += 1;
        }
        self.queue.push_back(event);
    }

    pub(crate) fn pop(&mut self) -> Option<Event> {
        self.queue.pop_front()
    }
}
