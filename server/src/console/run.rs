//! Running console text within bounds.

use super::table::{self, Call};
use super::tokenizer::words;
use super::{ARCHIVE_FILE, Operator, Source, apply_sets, cvar_commands};
use crate::files::FileError;

/// Cost of commands that one call may run; a plain command costs 1, see [`table::Command::cost`].
const MAX_COST: usize = 8192;
/// Bytes of command text that one call may run.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// Bytes that one call may print.
const MAX_REPLY_BYTES: usize = 256 * 1024;

/// What is left of the bounds of one call.
struct Budget {
    cost: usize,
    bytes: usize,
}

/// Runs text that somebody typed, at once, and answers with what it printed. What stands behind a `wait` is left to
/// [`run_queued`].
pub fn run(operator: &mut dyn Operator, text: &str, source: Source) -> String {
    let mut reply = String::new();
    let floor = operator.command_buffer().nesting();
    operator.command_buffer().resume();
    match operator.command_buffer().insert(text, source) {
        Ok(()) => run_down_to(operator, floor, &mut Budget::new(), &mut reply),
        Err(full) => reply.extend(["console: ", &full.to_string(), "\n"]),
    }
    reply
}

/// Once per frame: runs what was queued or has waited long enough, and answers with what it printed. For the host's log.
pub fn run_queued(operator: &mut dyn Operator) -> String {
    let mut reply = String::new();
    if !operator.command_buffer().begin_frame() {
        return reply;
    }
    let mut budget = Budget::new();
    while !operator.command_buffer().is_paused() && operator.command_buffer().refill() {
        run_down_to(operator, 0, &mut budget, &mut reply);
    }
    reply
}

/// Begins: runs the archive, `autoexec.cfg`, then the commands of the command line in order. [`apply_sets`] has run before.
pub fn start_up(operator: &mut dyn Operator, commands: &[Vec<String>]) -> String {
    let mut reply = String::new();
    for file in [ARCHIVE_FILE, "autoexec.cfg"] {
        // Neither need be there; one that cannot be read is told of.
        if !matches!(operator.files().read(file), Err(FileError::NotFound { .. })) {
            reply.push_str(&run(operator, &format!("exec {file}"), Source::Local));
        }
    }
    apply_sets(operator.cvars(), commands);
    for command in commands {
        let args: Vec<&str> = command.iter().map(String::as_str).collect();
        let floor = operator.command_buffer().nesting();
        operator.command_buffer().resume();
        run_command(operator, &args, Source::Local, &mut reply);
        run_down_to(operator, floor, &mut Budget::new(), &mut reply);
    }
    reply
}

impl Budget {
    fn new() -> Self {
        Self { cost: MAX_COST, bytes: MAX_TEXT_BYTES }
    }

    /// Whether there was enough of both.
    fn spend(&mut self, cost: usize, bytes: usize) -> bool {
        let enough = self.cost >= cost && self.bytes >= bytes;
        self.cost = self.cost.saturating_sub(cost);
        self.bytes = self.bytes.saturating_sub(bytes);
        enough
    }
}

fn run_down_to(operator: &mut dyn Operator, floor: usize, budget: &mut Budget, reply: &mut String) {
    while let Some((command, source)) = operator.command_buffer().next(floor) {
        let words = words(&command);
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some(name) = args.first() else { continue };
        let cost = table::find(name).map_or(1, |command| command.cost);
        let within = budget.spend(cost, command.len()) && reply.len() < MAX_REPLY_BYTES;
        if !within {
            let dropped = command.len() + operator.command_buffer().drop_down_to(floor);
            reply.push_str(&format!(
                "console: stopped at \"{}\" after too many commands at once, {dropped} bytes of text were dropped; does a vstr or exec run itself?\n",
                name.escape_debug().take(40).collect::<String>()
            ));
            return;
        }
        run_command(operator, &args, source, reply);
        if operator.command_buffer().is_paused() {
            return;
        }
    }
}

/// Runs one command: one of the table, then a cvar, then the game's.
fn run_command(operator: &mut dyn Operator, args: &[&str], source: Source, reply: &mut String) {
    let Some(typed) = args.first() else { return };
    // Players are used to a slash before a command.
    let name = typed.strip_prefix(['/', '\\']).unwrap_or(typed);
    let mut args = args.to_vec();
    args[0] = name;
    if let Some(command) = table::find(name) {
        let mut call = Call { operator, args: &args, source, reply };
        if command.local && source == Source::Rcon {
            call.line(format_args!("{name} can be used at the host's own console only"));
        } else {
            (command.run)(&mut call);
        }
    } else if operator.cvars().get(name).is_some() {
        cvar_commands::show_or_set(&mut Call { operator, args: &args, source, reply });
    } else if !operator.game_command(&args, reply) {
        let near = table::nearest(name, operator.cvars());
        let mut call = Call { operator, args: &args, source, reply };
        let name: String = name.escape_debug().take(80).collect();
        match near {
            Some(near) => call.line(format_args!("Unknown command \"{name}\"; did you mean {near}?")),
            None => call.line(format_args!("Unknown command \"{name}\"; see cmdlist and cvarlist")),
        }
    }
}
