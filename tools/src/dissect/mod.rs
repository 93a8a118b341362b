//! `fogtool dissect`: captured datagrams or a demo as readable messages.
//!
//! [`demo`] takes messages out of a demo, [`pcap`] takes UDP out of a capture file; [`conversation`] listens in on each client's
//! connection from its beginning, since both the scramble and the deltas need what was said before.

pub mod conversation;
pub mod demo;
pub mod pcap;

use crate::dissect::conversation::{Dissector, Playback};
use crate::dissect::demo::Demo;
use crate::dissect::pcap::Capture;
use crate::rim::read_file;
use crate::table::{Cell, Output, Table};
use clap::Args;
use std::path::PathBuf;

/// Largest capture that is read. Unit: bytes.
const MAX_CAPTURE_BYTES: u64 = 1 << 30;
/// Names of demos end so, and in the number of their protocol.
const DEMO_ENDING: &str = "dm_";

/// What to read.
#[derive(Args, Debug)]
pub struct DissectArgs {
    /// A capture in pcap format, as tcpdump -w writes it, or a demo, whose name ends in .dm_68 or the like.
    pub capture: PathBuf,
    /// Only datagrams from or to this UDP port.
    #[arg(long)]
    pub port: Option<u16>,
    /// Tell every field of every message.
    #[arg(long)]
    pub full: bool,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
}

/// Reads and prints. Whether every datagram of a conversation that was heard from its beginning could be read.
///
/// # Errors
/// A sentence, if the file cannot be read or is no capture.
pub fn run(args: &DissectArgs) -> Result<bool, String> {
    let bytes = read_file(&args.capture, MAX_CAPTURE_BYTES)?;
    if args.capture.extension().is_some_and(|ending| ending.to_string_lossy().starts_with(DEMO_ENDING)) {
        return Ok(run_demo(args, &bytes));
    }
    let mut capture =
        Capture::parse(&bytes).map_err(|error| format!("{}: {error}", args.capture.display()))?;
    let mut dissector = Dissector::new(args.full);
    let mut table = Table::new(&["time_s", "from", "to", "kind", "number", "bytes", "says"]);
    let mut zero = None;
    for datagram in &mut capture {
        let wanted = args.port.is_none_or(|port| [datagram.from.port(), datagram.to.port()].contains(&port));
        if !wanted {
            continue;
        }
        let zero = *zero.get_or_insert(datagram.at_micros);
        let heard = dissector.hear(datagram.from, datagram.to, datagram.payload);
        table.push(vec![
            Cell::Real(datagram.at_micros.saturating_sub(zero) as f64 / 1e6, 6),
            Cell::text(datagram.from.to_string()),
            Cell::text(datagram.to.to_string()),
            Cell::text(heard.kind),
            heard.number.map_or(Cell::Nothing, |number| Cell::Count(u64::from(number))),
            Cell::Count(datagram.payload.len() as u64),
            Cell::text(heard.says),
        ]);
    }
    show!("{}", table.render(args.output));
    if capture.skipped > 0 {
        eprintln!(
            "fogtool: {} packets of the capture were passed over: no UDP, cut off, or in pieces of IP",
            capture.skipped
        );
    }
    Ok(dissector.unreadable == 0)
}

/// Reads a demo and prints. Whether all of it could be read.
fn run_demo(args: &DissectArgs, bytes: &[u8]) -> bool {
    let mut playback = Playback::new(args.full);
    let mut table = Table::new(&["number", "bytes", "says"]);
    let mut damage = None;
    for read in Demo::new(bytes) {
        match read {
            Ok((sequence, message)) => {
                let says = playback.hear(sequence, message).says;
                table.push(vec![
                    Cell::Count(u64::from(sequence)),
                    Cell::Count(message.len() as u64),
                    Cell::text(says),
                ]);
            }
            Err(error) => damage = Some(error),
        }
    }
    show!("{}", table.render(args.output));
    if let Some(error) = damage {
        eprintln!("fogtool: {}: {error}", args.capture.display());
    }
    damage.is_none() && playback.unreadable == 0
}
