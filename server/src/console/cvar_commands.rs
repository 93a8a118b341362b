//! Commands about cvars.

use super::Source;
use super::table::{Call, fits};
use crate::config::{CvarError, Flags, Var};

/// `"sv_fps" is:"20^7" default:"20^7"`, as admin bots read it, and the waiting value on a second line.
pub(super) fn describe(var: &Var) -> String {
    let mut text = format!("\"{}\" is:\"{}^7\" default:\"{}^7\"", var.name(), var.value(), var.default());
    if let Some(latched) = var.latched() {
        text.extend(["\nlatched: \"", latched, "\""]);
    }
    text
}

/// A cvar's name as a command: shows it, or sets it to the words that follow.
pub(super) fn show_or_set(call: &mut Call<'_>) {
    let name = call.arg(0);
    if call.args.len() > 1 {
        let value = call.rest(1);
        change(call, name, &value, Flags::NONE);
    } else {
        show(call, name);
    }
}

/// `print`.
pub(super) fn print(call: &mut Call<'_>) {
    match call.args {
        [_, name] => show(call, name),
        _ => call.usage(),
    }
}

/// `set`, `seta`, `sets`, `setu`.
pub(super) fn set(call: &mut Call<'_>) {
    let mark = match call.arg(0).to_ascii_lowercase().as_str() {
        "seta" => Flags::ARCHIVE,
        "sets" => Flags::SERVERINFO,
        "setu" => Flags::USERINFO,
        _ => Flags::NONE,
    };
    let name = call.arg(1);
    match call.args.len() {
        0 | 1 => call.usage(),
        2 => show(call, name),
        _ => {
            let value = call.rest(2);
            change(call, name, &value, mark);
        }
    }
}

/// `reset`.
pub(super) fn reset(call: &mut Call<'_>) {
    let name = call.arg(1);
    if call.args.len() != 2 {
        return call.usage();
    }
    match call.operator.cvars().get(name).map(|var| var.default().to_owned()) {
        Some(default) => change(call, name, &default, Flags::NONE),
        None => call.line(CvarError::Unknown(name.to_owned())),
    }
}

/// `unset`.
pub(super) fn unset(call: &mut Call<'_>) {
    let name = call.arg(1);
    if call.args.len() != 2 {
        return call.usage();
    }
    if let Err(error) = call.operator.cvars().unset(name) {
        call.line(error);
    }
}

/// `toggle`: 0 and 1, or round the values given.
pub(super) fn toggle(call: &mut Call<'_>) {
    let [_, name, values @ ..] = call.args else { return call.usage() };
    let Some(var) = call.operator.cvars().get(name) else {
        return call.line(CvarError::Unknown((*name).to_owned()));
    };
    let now = var.latched().unwrap_or_else(|| var.value());
    let next = match values.iter().position(|value| *value == now) {
        Some(at) => values[(at + 1) % values.len()],
        None => values.first().copied().unwrap_or(if now.parse::<f64>().is_ok_and(|n| n != 0.0) {
            "0"
        } else {
            "1"
        }),
    }
    .to_owned();
    change(call, name, &next, Flags::NONE);
}

/// `cvarlist`.
pub(super) fn cvarlist(call: &mut Call<'_>) {
    let pattern = call.rest(1);
    let mut count = 0;
    let mut lines = String::new();
    for var in call.operator.cvars().iter().filter(|var| fits(var.name(), &pattern)) {
        let hidden = var.flags().has(Flags::SECRET) && !var.value().is_empty();
        let value = if hidden { "***" } else { var.value() };
        lines.push_str(&format!("{} {} \"{value}\"\n", var.flags().letters(), var.name()));
        count += 1;
    }
    call.reply.push_str(&lines);
    call.line(format_args!("\n{count} cvars"));
}

/// Sets a cvar and prints what is to be said of it.
fn change(call: &mut Call<'_>, name: &str, value: &str, mark: Flags) {
    // Text that the host's own console may run later must not do what a remote one may not.
    if call.source == Source::Rcon && value.to_ascii_lowercase().contains("rconpassword") {
        return call.line("a remote console cannot change rconPassword, nor prepare a command that does");
    }
    let by = call.source.by();
    match call.operator.cvars().set_flagged(name, value, mark, by) {
        Ok(notes) => notes.iter().for_each(|note| call.line(note)),
        Err(error) => call.line(error),
    }
}

fn show(call: &mut Call<'_>, name: &str) {
    let source = call.source;
    let text = match call.operator.cvars().get(name) {
        Some(var) if source == Source::Rcon && var.flags().has(Flags::LOCAL) => {
            format!("{} is shown at the host's own console only", var.name())
        }
        Some(var) => describe(var),
        None => CvarError::Unknown(name.to_owned()).to_string(),
    };
    call.line(text);
}
