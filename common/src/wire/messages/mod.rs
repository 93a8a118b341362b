//! What the payload of a sequenced message says, both ways. Begin here.
//!
//! ```text
//! from a client   server id 32 | message acknowledged 32 | server command acknowledged 32 | ops | end
//! from a server   client command acknowledged 32 | ops | end
//! ```
//!
//! Whole messages are values ([`ClientMessage`], [`ServerMessage`]) that parse and emit; a server in its frame writes the parts
//! straight from its own state by the `write_*` functions. The end mark is put on by [`netchan`](super::netchan). Source: facts
//! page "q3-protocol-facts", sections 7 and 8.

mod client;
mod download;
mod gamestate;
mod server;
mod snapshot;

pub use client::{
    ClientContext, ClientMessage, ClientOp, write_client_command, write_client_head, write_move,
};
pub use download::{Download, write_download_block, write_download_refusal};
pub use gamestate::{Gamestate, GamestateHead, write_gamestate};
pub use server::{
    ServerContext, ServerMessage, ServerOp, write_end, write_head, write_nop, write_server_command,
};
pub use snapshot::{SnapshotBases, SnapshotHead, SnapshotMessage, SnapshotRef, write_snapshot};
