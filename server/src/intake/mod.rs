//! What comes in from the network: which of it is for whom, and how much of it one address may ask for.
//!
//! [`connectionless`] answers those who are not clients (yet): queries, challenges, connects, remote console.

pub mod buckets;
pub mod challenge;
mod claims;
mod client_message;
pub mod connectionless;
pub mod counts;
mod dispatch;
pub mod masters;
pub mod rcon;
pub mod replies;
mod sequenced;
pub mod words;
