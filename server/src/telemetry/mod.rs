//! What the server counts and tells about itself.

mod filter;
mod metrics;
mod phases;
mod vistrace;
mod warnings;

pub use filter::{FilterCounts, FilterRow, filter_status};
pub use metrics::{Metrics, PacketFault};
pub use phases::{Phase, PhaseWatcher};
pub use vistrace::{Candidate, TraceLine, TraceOutput, TraceRecord, VisTrace, lost_records};
pub use warnings::Warnings;
