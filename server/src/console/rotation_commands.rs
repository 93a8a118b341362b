//! `rotation`: the order of maps from the file of `sv_mapRotation`.

use super::status::harmless;
use super::table::Call;
use crate::rotation::{Entry, Rotation, parse};
use fogline_common::bsp::Bsp;
use fogline_common::time::Millis;

/// Bytes of a rotation file.
const MAX_FILE_BYTES: usize = 64 * 1024;

/// `rotation`.
pub(super) fn rotation(call: &mut Call<'_>) {
    match call.args {
        [_] | [_, "list"] => list(call),
        [_, "reload"] => {
            load(call);
            list(call);
        }
        [_, "next"] => {
            if !ready(call) {
                return;
            }
            let running = call.operator.cvars().config().mapname.clone();
            let first = call.operator.rotation().next(&running);
            start_from(call, first);
        }
        [_, "goto", n] => {
            if !ready(call) {
                return;
            }
            let count = call.operator.rotation().entries().len();
            match n.parse::<usize>().ok().filter(|n| (1..=count).contains(n)) {
                Some(n) => start_from(call, n - 1),
                None => {
                    call.line(format_args!("{} is none of the {count} maps of the rotation", harmless(n)));
                }
            }
        }
        _ => call.usage(),
    }
}

fn list(call: &mut Call<'_>) {
    if !ready(call) {
        return;
    }
    let order = call.operator.rotation().clone();
    for (at, entry) in order.entries().iter().enumerate() {
        let mark = if order.current() == Some(at) { '>' } else { ' ' };
        call.line(format_args!("{mark}{:3} {}", at + 1, harmless(&entry.to_string())));
    }
}

/// Whether there is an order to go by; reads it if the host has named another file since.
fn ready(call: &mut Call<'_>) -> bool {
    let file = call.operator.cvars().config().sv_maprotation.clone();
    if file != call.operator.rotation().file() {
        load(call);
    }
    let any = !call.operator.rotation().entries().is_empty();
    if !any && file.is_empty() {
        call.line("there is no rotation: name its file with sv_mapRotation");
    } else if !any {
        call.line(format_args!("the rotation of {} has no map that can be played", harmless(&file)));
    }
    any
}

/// Reads the file and keeps what can be played: every map is looked at now, not when its turn comes.
pub(super) fn load(call: &mut Call<'_>) {
    let file = call.operator.cvars().config().sv_maprotation.clone();
    if file.is_empty() {
        *call.operator.rotation() = Rotation::default();
        return;
    }
    let bytes = match call.operator.files().read(&file) {
        Ok(bytes) if bytes.len() <= MAX_FILE_BYTES => bytes,
        Ok(bytes) => {
            let size = bytes.len();
            *call.operator.rotation() = Rotation::new(&file, Vec::new());
            return call.line(format_args!("{file}: {size} bytes, {MAX_FILE_BYTES} are allowed"));
        }
        Err(error) => {
            *call.operator.rotation() = Rotation::new(&file, Vec::new());
            return call.line(format_args!("sv_mapRotation: {error}"));
        }
    };
    let mut complaints = Vec::new();
    let entries = parse(&String::from_utf8_lossy(&bytes), &mut |sentence| complaints.push(sentence));
    for sentence in complaints {
        call.line(format_args!("{file} {}", harmless(&sentence)));
    }
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        let known = kept.iter().any(|other| other.map == entry.map);
        match if known { Ok(()) } else { playable(call, &entry.map) } {
            Ok(()) => kept.push(entry),
            Err(sentence) => {
                call.line(format_args!("{file}: {} is left out: {sentence}", harmless(&entry.map)));
            }
        }
    }
    let count = kept.len();
    *call.operator.rotation() = Rotation::new(&file, kept);
    call.line(format_args!("{file}: {count} maps in rotation"));
}

fn playable(call: &mut Call<'_>, map: &str) -> Result<(), String> {
    let path = format!("maps/{map}.bsp");
    let bytes = call.operator.files().read(&path).map_err(|error| error.to_string())?;
    Bsp::parse(&bytes).map(|_| ()).map_err(|error| format!("{path}: {error}"))
}

/// Starts an entry, or the next one that can be started; if none can, the running map begins anew.
fn start_from(call: &mut Call<'_>, first: usize) {
    let order = call.operator.rotation().clone();
    let count = order.entries().len();
    for at in (0..count).map(|step| (first + step) % count) {
        let entry = &order.entries()[at];
        for (name, value) in &entry.settings {
            match call.operator.cvars().set(name, value, call.source.by()) {
                Ok(notes) => notes.iter().for_each(|note| call.line(note)),
                Err(error) => call.line(format_args!("rotation: {}: {error}", entry.map)),
            }
        }
        match call.operator.start_map(&entry.map, false) {
            Ok(()) => return call.operator.rotation().started(at),
            Err(sentence) => call.line(format_args!("rotation: {} is skipped: {sentence}", entry.map)),
        }
    }
    call.line("rotation: none of its maps can be started");
    if call.operator.cvars().config().sv_running
        && let Err(sentence) = call.operator.restart_map(Millis(0))
    {
        call.line(sentence);
    }
}
