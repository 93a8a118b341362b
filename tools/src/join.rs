//! `fogtool join`: one headless player joins a server, does something, and tells what it saw.

use crate::client::config::{ClientConfig, Engine};
use crate::client::events::{ClientCounts, DropReason, Event};
use crate::client::{Client, ClientState};
use crate::rim::resolve;
use crate::rim::udp;
use crate::script::{Mind, Script};
use crate::table::{Cell, Output, Table};
use clap::Args;
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_common::time::{Arrival, Millis};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Time before the end at which it says goodbye.
const GOODBYE: Millis = Millis(200);

/// What to join, and as whom.
#[derive(Args, Debug)]
pub struct JoinArgs {
    /// The server, as host:port.
    pub address: String,
    /// How long to stay.
    #[arg(long, default_value_t = 10)]
    pub seconds: u32,
    /// Which framing to speak: legacy (OpenArena, protocol 68) or ioq3.
    #[arg(long, default_value = "legacy")]
    pub wire: String,
    /// 71 or 68.
    #[arg(long, default_value_t = 71)]
    pub protocol: i32,
    /// What to do: idle, wander, strafe, jump, crouch, peek, aim, fight, chat.
    #[arg(long, default_value = "wander")]
    pub script: Script,
    /// The player's name.
    #[arg(long, default_value = "fogtool")]
    pub name: String,
    /// The map's .bsp file, to predict movement in and to count misses.
    #[arg(long)]
    pub bsp: Option<PathBuf>,
    /// Fetch the pk3 files that the server offers into this folder.
    #[arg(long, value_name = "DIR")]
    pub download: Option<PathBuf>,
    /// Decides everything random in the player.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How to print what was counted; what the server says goes to the error output then.
    #[command(flatten)]
    pub output: Output,
}

/// Which engine speaks that wire and that protocol number.
///
/// # Errors
/// A sentence, if none does.
pub fn engine(wire: &str, protocol: i32) -> Result<Engine, String> {
    match (wire, protocol) {
        ("legacy", 68) => Ok(Engine::Quake3),
        ("legacy", 71) => Ok(Engine::OpenArena),
        ("ioq3", 71) => Ok(Engine::Ioquake3),
        _ => Err(format!(
            "no engine speaks protocol {protocol} on the wire {wire:?}; use legacy with 68 or 71, or ioq3 with 71"
        )),
    }
}

/// Joins and reports. Whether the player was in the game, stayed in it and could read everything.
///
/// # Errors
/// A sentence, if it could not even try.
pub fn run(args: &JoinArgs) -> Result<bool, String> {
    let server = resolve(&args.address)?;
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let config = ClientConfig {
        engine: engine(&args.wire, args.protocol)?,
        name: args.name.clone(),
        qport: rng.u16(1..),
        guid: format!("{:032X}", rng.u128(..)),
        seed: args.seed,
        downloads: args.download.is_some(),
        ..ClientConfig::default()
    };
    let mut client = Client::new(config);
    if let Some(path) = &args.bsp {
        client.set_map(Some(Arc::new(load_map(path)?)));
    }
    let mut mind = Mind::new(args.script, args.seed);
    let end = Millis(i32::try_from(args.seconds).unwrap_or(i32::MAX / 1000).saturating_mul(1000));
    let goodbye = Arrival::default().after(Millis(end.0 - GOODBYE.0));
    let mut was_active = false;
    let ended = udp::drive(&mut client, server, end, |now, client| {
        while let Some(event) = client.poll_event() {
            show(now, &event, args.output);
            keep(args.download.as_deref(), &event);
        }
        was_active |= *client.state() == ClientState::Active;
        client.input = mind.input(now, client);
        if let Some(words) = mind.words(now, client).filter(|_| *client.state() == ClientState::Active) {
            let _ = client.command(&words);
        }
        if now >= goodbye {
            client.disconnect(now);
        }
        true
    })
    .map_err(|error| format!("{server}: {error}"))?;
    while let Some(event) = client.poll_event() {
        show(ended, &event, args.output);
    }
    let counts = client.counts();
    show!("{}", table(&client, &counts).render(args.output));
    client.predictor().misses().for_each(|miss| eprintln!("{miss:?}"));
    let stayed = matches!(client.state(), ClientState::Disconnected(DropReason::Left));
    Ok(was_active && stayed && counts.parse_errors == 0 && counts.warnings == 0)
}

/// The solid world of a .bsp file.
///
/// # Errors
/// A sentence that names the file.
pub fn load_map(path: &Path) -> Result<ClipMap, String> {
    let say = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    #[allow(clippy::disallowed_methods, reason = "the map is named on the command line")]
    let bytes = std::fs::read(path).map_err(|error| say(&error))?;
    let bsp = Bsp::parse(&bytes).map_err(|error| say(&error))?;
    ClipMap::build(&bsp).map_err(|error| say(&error))
}

/// Writes a file that was fetched. A name that could lead elsewhere is told of and not followed.
fn keep(folder: Option<&Path>, event: &Event) {
    let (Some(folder), Event::Downloaded { name, bytes }) = (folder, event) else { return };
    let is_plain = |part: &str| {
        !part.starts_with('.') && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    if name.split('/').count() != 2 || !name.split('/').all(is_plain) {
        say!("{name} was not kept: it is no name of a file in a game's folder");
        return;
    }
    let path = folder.join(name);
    #[allow(clippy::disallowed_methods, reason = "the folder is named on the command line")]
    let written = std::fs::create_dir_all(path.parent().unwrap_or(folder))
        .and_then(|()| std::fs::write(&path, bytes))
        .map_err(|error| format!("{}: {error}", path.display()));
    if let Err(sentence) = written {
        say!("{sentence}");
    }
}

fn show(now: Arrival, event: &Event, output: Output) {
    let text = match event {
        Event::Snapshot { .. } | Event::Configstring(_) => return,
        Event::Print(text) | Event::Chat(text) | Event::Command(text) => text.trim_end().to_owned(),
        Event::Dropped(reason) => reason.to_string(),
        Event::Downloaded { name, bytes } => format!("{name}: {} bytes fetched", bytes.len()),
        other => format!("{other:?}"),
    };
    let line = format!("{:8.3}  {text}", now.0 as f64 / 1e6);
    if output.csv || output.json || output.markdown {
        eprintln!("{line}");
    } else {
        say!("{line}");
    }
}

/// What was counted, one thing a row.
fn table(client: &Client, counts: &ClientCounts) -> Table {
    let ping = client.snapshots().newest().map_or(999, |snapshot| snapshot.ping.0);
    let rows = [
        ("datagrams in", counts.datagrams_in),
        ("bytes in", counts.bytes_in),
        ("datagrams out", counts.datagrams_out),
        ("bytes out", counts.bytes_out),
        ("messages", counts.messages),
        ("messages lost", counts.messages_lost),
        ("datagrams refused", counts.refused),
        ("gamestates", counts.gamestates),
        ("snapshots", counts.snapshots),
        ("snapshots whole", counts.snapshots_whole),
        ("snapshots without base", counts.snapshots_without_base),
        ("server commands", counts.server_commands),
        ("parse errors", counts.parse_errors),
        ("warnings", counts.warnings),
        ("longest gap ms", counts.longest_gap.0 as u64),
        ("frames", counts.frames),
        ("frames past newest", counts.frames_extrapolated),
        ("ping ms", ping as u64),
        ("predictions compared", counts.predict.compared),
        ("predictions inexact", counts.predict.inexact),
        ("prediction misses", counts.predict.misses),
        ("prediction misses unexplained", counts.predict.unexplained),
        ("prediction teleports", counts.predict.teleports),
    ];
    let mut table = Table::new(&["what", "count"]);
    rows.into_iter().for_each(|(name, value)| table.push(vec![Cell::text(name), Cell::Count(value)]));
    table
}
