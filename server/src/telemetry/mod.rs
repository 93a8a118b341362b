//! What the server counts and tells about itself.

mod metrics;
mod warnings;

pub use metrics::{Metrics, PacketFault};
pub use warnings::Warnings;
