//! Commands about the console itself: scripts and help.

use super::cvar_commands::describe;
use super::table::{COMMANDS, Call, find, fits};
use crate::config::{CvarError, Flags};

/// Bytes of a cfg file. Source: the size of the command buffer that takes it.
const MAX_CFG_BYTES: usize = 64 * 1024;

/// `echo`.
pub(super) fn echo(call: &mut Call<'_>) {
    let text = call.rest(1);
    call.line(text);
}

/// `wait`.
pub(super) fn wait(call: &mut Call<'_>) {
    let frames = call.arg(1).parse::<u32>().unwrap_or(1);
    call.operator.command_buffer().wait(frames);
}

/// `vstr`.
pub(super) fn vstr(call: &mut Call<'_>) {
    let [_, name] = call.args else { return call.usage() };
    let Some(text) = call.operator.cvars().get(name).map(|var| var.value().to_owned()) else {
        return call.line(CvarError::Unknown((*name).to_owned()));
    };
    insert(call, &text);
}

/// `exec`.
pub(super) fn exec(call: &mut Call<'_>) {
    let [_, file] = call.args else { return call.usage() };
    let path = if file.rsplit('/').next().is_some_and(|name| name.contains('.')) {
        (*file).to_owned()
    } else {
        format!("{file}.cfg")
    };
    match call.operator.files().read(&path) {
        Ok(bytes) if bytes.len() > MAX_CFG_BYTES => {
            call.line(format_args!(
                "couldn't exec {path}: {} bytes, {MAX_CFG_BYTES} are allowed",
                bytes.len()
            ));
        }
        Ok(bytes) => {
            call.line(format_args!("execing {path}"));
            insert(call, &String::from_utf8_lossy(&bytes));
        }
        Err(error) => call.line(format_args!("couldn't exec {path}: {error}")),
    }
}

/// `cmdlist`.
pub(super) fn cmdlist(call: &mut Call<'_>) {
    let pattern = call.rest(1);
    let mut count = 0;
    for command in COMMANDS.iter().filter(|command| fits(command.name, &pattern)) {
        call.line(format_args!("{:<12} {:<32} {}", command.name, command.usage, command.doc));
        count += 1;
    }
    call.line(format_args!("{count} commands"));
}

/// `help`.
pub(super) fn help(call: &mut Call<'_>) {
    let [_, name] = call.args else {
        return call.line(
            "help <name> tells of a command or cvar; cmdlist and cvarlist list them, both take a pattern",
        );
    };
    if let Some(command) = find(name) {
        return call.line(format_args!("{} {}\n  {}", command.name, command.usage, command.doc));
    }
    let Some(var) = call.operator.cvars().get(name) else {
        return call.line(format_args!("there is no command or cvar {name}"));
    };
    let doc = var.entry().map_or("A cvar of this host.", |entry| entry.doc());
    let range = var.entry().map(|entry| entry.kind.range_text()).filter(|range| !range.is_empty());
    let value = if var.flags().has(Flags::SECRET) { String::new() } else { format!("\n  {}", describe(var)) };
    let mut text = format!("{}\n  {doc}{value}", var.name());
    if let Some(range) = range {
        text.extend(["\n  range ", &range]);
    }
    text.extend(["\n  flags ", &var.flags().names()]);
    call.line(text);
}

fn insert(call: &mut Call<'_>, text: &str) {
    let source = call.source;
    if let Err(full) = call.operator.command_buffer().insert(text, source) {
        call.line(format_args!("{}: {full}", call.args.join(" ")));
    }
}
