//! Where the time of a frame goes: the server says which phase begins, and whoever watches reads a clock. It has none itself.

/// A part of the server's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Settings and console lines.
    Commands,
    /// What bots think.
    Bots,
    /// The rules and bots' usercmds: missiles, movers, items; those of people come between frames.
    Game,
    /// The frozen copy of the world.
    Capture,
    /// What each client may know.
    Build,
    /// Deltas, Huffman, scramble.
    Encode,
    /// The frame is over.
    Idle,
}

impl Phase {
    /// Every phase that takes time, for tables.
    pub const ALL: [Self; 6] =
        [Self::Commands, Self::Bots, Self::Game, Self::Capture, Self::Build, Self::Encode];
}

/// Is told when a phase begins; the one before it is over then.
pub type PhaseWatcher = Box<dyn FnMut(Phase) + Send>;
