//! Programs that measure Fogline and its peers, as a library: the headless client that swarm, audit and the simulator share.
//!
//! Begin with [`client::Client`], a value that is fed (`receive`, `advance`) and drained (`poll_transmit`), like the server.

/// Prints text. Who reads it may have heard enough (`fogtool dissect x.pcap | head`), which is no error.
macro_rules! show {
    ($($words:tt)*) => { $crate::print(format_args!($($words)*)) };
}

/// The same, and ends the line.
macro_rules! say {
    ($($words:tt)*) => { $crate::print(format_args!("{}\n", format_args!($($words)*))) };
}

pub mod audit;
pub mod client;
pub mod corner;
pub mod dissect;
pub mod join;
pub mod lag;
pub mod lesson;
pub mod link;
pub mod plot;
pub mod query;
pub mod rcon;
pub mod replay;
pub mod report;
pub mod rim;
pub mod rules;
pub mod script;
pub mod shot;
pub mod swarm;
pub mod table;
pub mod versus;
pub mod wall;

fn print(words: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let _ = std::io::stdout().write_fmt(words);
}
