//! What the server counts and tells about itself.

mod metrics;
mod phases;
mod warnings;

pub use metrics::{Metrics, PacketFault};
pub use phases::{Phase, PhaseWatcher};
pub use warnings::Warnings;
