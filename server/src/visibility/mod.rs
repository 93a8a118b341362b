//! Who may be told of whom: a chain of gates, each a function from facts to a [`Verdict`] with its [`Cause`].
//!
//! In: a [`View`] (one point that a client looks from), a [`Target`] (one entity), the [`Scene`]. Out: send or withhold, and why.
//! No gate knows a game, a client table or a message, and none remembers anything.
//!
//! The order of [`GATES`]: what the game has decided about the entity comes first (it is certain and costs nothing), then areas
//! (one comparison), then the PVS (a few bits).

mod area;
mod cluster;
mod flags;
#[cfg(test)]
pub(crate) mod halls;
mod view;

pub use view::{Scene, Target, View};

/// What one gate, or the chain, says of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This gate does not mind; ask the next.
    Pass,
    /// Tell the client, without asking further.
    Send(Cause),
    /// Do not tell the client.
    Withhold(Cause),
}

/// Why an entity is sent or withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The game sends it to nobody.
    NoClient,
    /// The game means other clients.
    OtherClient,
    /// The game sends it to everybody, wherever it is.
    Broadcast,
    /// Closed doors lie between.
    ClosedArea,
    /// No cluster that it touches is in the PVS of the viewpoint.
    NotInPvs,
    /// It touches no cluster at all: it is inside solid or outside the map.
    NoCluster,
    /// Every gate passed.
    InView,
}

impl Cause {
    /// Every cause, for tables of counters.
    pub const ALL: [Self; 7] = [
        Self::NoClient,
        Self::OtherClient,
        Self::Broadcast,
        Self::ClosedArea,
        Self::NotInPvs,
        Self::NoCluster,
        Self::InView,
    ];
}

/// One gate: its name in counters and traces, and its function.
pub type Gate = (&'static str, fn(&View<'_>, &Target<'_>, &Scene<'_>) -> Verdict);

/// The gates, in order.
pub const GATES: [Gate; 3] = [("flags", flags::judge), ("area", area::judge), ("cluster", cluster::judge)];

/// Runs the gates. Never [`Verdict::Pass`].
pub fn decide(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    for (_, judge) in GATES {
        let verdict = judge(view, target, scene);
        if verdict != Verdict::Pass {
            return verdict;
        }
    }
    Verdict::Send(Cause::InView)
}
