//! Programs that measure Fogline and its peers, as a library: the headless client that swarm, audit and the simulator share.
//!
//! Begin with [`client::Client`], a value that is fed (`receive`, `advance`) and drained (`poll_transmit`), like the server.

pub mod client;
pub mod join;
pub mod link;
pub mod script;
pub mod udp;
