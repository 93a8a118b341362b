//! Which clusters may see each other: portals in, a table out, nothing else touched.
//!
//! ```text
//! PortalGraph -> base (flood) -> medium (neighbouring portals) -> rays (visible for certain) -> rounds of flow -> VisTable
//!                upper bound     tighter, three times            lower bound                    decides the rest
//! ```
//!
//! Method, measurements and what did not help: `docs/vis.md`.

pub mod base;
pub mod bits;
pub mod counters;
pub mod flow;
pub mod forecast;
pub mod graph;
pub mod medium;
pub mod polygon;
pub mod rays;
pub mod rounds;
mod routes;
pub mod separators;
pub mod table;

pub use counters::Counters;
pub use forecast::Forecast;
pub use graph::PortalGraph;
pub use table::VisTable;

/// How often the bound is tightened before the flow: each pass finds less, the third still pays for itself.
const TIGHTENINGS: usize = 3;

/// How far to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// The base bound alone.
    Fast,
    /// The base bound, tightened by what each pair of neighbouring portals lets through.
    Medium,
    /// The whole portal flow.
    #[default]
    Full,
}

/// Where a run is: told as it goes, for whoever wants to show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// The base bound is being computed.
    Base,
    /// The bound is being tightened.
    Medium,
    /// The flow is about to begin; from this its time can be told.
    Ahead(Forecast),
    /// So much of the flow is done, of 1, by the weight of what is left.
    Flow(f64),
}

/// Which clusters may see each other. A pure function: the same graph and level give the same table, on any number of threads.
pub fn compute(graph: &PortalGraph, level: Level, tell: &mut dyn FnMut(Progress)) -> (VisTable, Counters) {
    let mut counters = Counters::default();
    tell(Progress::Base);
    let mut might = base::flood_table(graph);
    if level == Level::Fast {
        return (rounds::clusters_of(graph, &might), counters);
    }
    for _ in 0..TIGHTENINGS {
        tell(Progress::Medium);
        medium::tighten(graph, &mut might, &mut counters);
    }
    if level == Level::Medium {
        return (rounds::clusters_of(graph, &might), counters);
    }
    let table = rounds::decide(graph, &mut might, &mut counters, tell);
    (table, counters)
}
