//! Who may be told of whom: a chain of gates, each a function from facts to a [`Verdict`] with its [`Cause`].
//!
//! In: a [`View`] (one point that a client looks from), a [`Target`] (one entity), the [`Scene`]. Out: send or withhold, and why.
//! No gate knows a game, a client table or a message, and none remembers anything; [`linger`] is the only state over time, and
//! its owner reads it before the gates and writes it after them.
//!
//! The order of [`GATES`], certain and cheap first: what the game has decided about the entity costs nothing; areas are one
//! comparison, the PVS a few bits, distance a square root. What passes those is sent, unless it is a player: only then are
//! there rays, and only if they find nothing the memory of having seen it.

mod area;
pub mod cluster;
pub mod far;
mod flags;
#[cfg(test)]
pub(crate) mod halls;
pub mod hearing;
mod held;
pub mod image;
pub mod linger;
mod pose;
pub mod proof;
pub mod recall;
pub mod redact;
mod rules;
pub mod sight;
pub mod twoclock;
mod view;
pub mod windows;

pub use far::{Class, class_of};
pub use flags::wish_of_game;
pub use linger::Linger;
pub use pose::{Ahead, Life, MAX_POINTS, Points, Pose};
pub use recall::Recall;
pub use rules::{Hearing, Mode, Profile, Rules, horizon};
pub use sight::Eyes;
pub use sight::lines::{Mover, Work};
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
    /// It is farther away than the map or the host shows anything.
    TooFar,
    /// The viewer may know of everybody, or is on its team.
    Entitled,
    /// It is a player so near that mode 1 does not look for it.
    Near,
    /// It is a player in sight, or not proved to be out of it, or the same holds of the viewer for it.
    InSight,
    /// One of the two will be in sight of the other soon.
    Ahead,
    /// It is a player that was in sight a moment ago.
    Held,
    /// It is a player out of sight.
    OutOfSight,
    /// Every gate passed.
    InView,
    /// It is a player of whom it was not proved that it stays out of sight.
    Unproved,
    /// The same, for want of time to look for a proof.
    OverBudget,
}

impl Cause {
    /// Every cause, for tables of counters.
    pub const ALL: [Self; 16] = [
        Self::NoClient,
        Self::OtherClient,
        Self::Broadcast,
        Self::ClosedArea,
        Self::NotInPvs,
        Self::NoCluster,
        Self::TooFar,
        Self::Entitled,
        Self::Near,
        Self::InSight,
        Self::Ahead,
        Self::Held,
        Self::OutOfSight,
        Self::InView,
        Self::Unproved,
        Self::OverBudget,
    ];

    /// Whether the target has been found, so that it is remembered from now.
    pub const fn is_sighting(self) -> bool {
        matches!(self, Self::Near | Self::InSight | Self::Ahead | Self::Unproved | Self::OverBudget)
    }

    /// Its name in counters and traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoClient => "no_client",
            Self::OtherClient => "other_client",
            Self::Broadcast => "broadcast",
            Self::ClosedArea => "closed_area",
            Self::NotInPvs => "not_in_pvs",
            Self::NoCluster => "no_cluster",
            Self::TooFar => "too_far",
            Self::Entitled => "entitled",
            Self::Near => "near",
            Self::InSight => "in_sight",
            Self::Ahead => "ahead",
            Self::Held => "held",
            Self::OutOfSight => "out_of_sight",
            Self::InView => "in_view",
            Self::Unproved => "unproved",
            Self::OverBudget => "over_budget",
        }
    }

    /// The gate that gives it.
    pub const fn gate(self) -> &'static str {
        match self {
            Self::NoClient | Self::OtherClient | Self::Broadcast => "flags",
            Self::ClosedArea => "area",
            Self::NotInPvs | Self::NoCluster => "cluster",
            Self::TooFar => "far",
            Self::Entitled | Self::Near | Self::InSight | Self::Ahead => "sight",
            Self::Held | Self::OutOfSight => "linger",
            Self::InView => "none",
            Self::Unproved | Self::OverBudget => "twoclock",
        }
    }
}

/// One gate: its name in counters and traces, and its function.
pub type Gate = (&'static str, fn(&View<'_>, &Target<'_>, &Scene<'_>) -> Verdict);

/// The gates, in order.
pub const GATES: [Gate; 7] = [
    ("flags", flags::judge),
    ("area", area::judge),
    ("cluster", cluster::judge),
    ("far", far::judge),
    ("twoclock", twoclock::judge),
    ("sight", sight::judge),
    ("linger", held::judge),
];

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

/// The same for one whom areas and the PVS have let pass in another view of the snapshot: a client that is told of it draws it in
/// every view, so they have no say in this one.
pub fn decide_by_sight(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    let gates = GATES.iter().skip_while(|(name, _)| *name != "twoclock");
    let mut verdicts = gates.map(|(_, judge)| judge(view, target, scene));
    verdicts.find(|verdict| *verdict != Verdict::Pass).unwrap_or(Verdict::Send(Cause::InView))
}
