//! Every command of the server: one entry each.

use super::{
    Operator, Source, ban_commands, cvar_commands, demo_commands, file_commands, rotation_commands,
    script_commands, server_commands,
};
use crate::config::{Cvars, Var};
use std::fmt;

/// A command.
pub struct Command {
    /// What is typed, in lower case. Compared without regard to case.
    pub name: &'static str,
    /// The arguments.
    pub usage: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    /// Only the host's own console may use it.
    pub local: bool,
    /// Its share of the work that one call may do; 1 is usual.
    pub cost: usize,
    pub(super) run: fn(&mut Call<'_>),
}

/// One use of a command.
pub(super) struct Call<'a> {
    pub(super) operator: &'a mut dyn Operator,
    /// The words; the first is the command.
    pub(super) args: &'a [&'a str],
    pub(super) source: Source,
    pub(super) reply: &'a mut String,
}

impl<'a> Call<'a> {
    /// A word, or `""`.
    pub(super) fn arg(&self, index: usize) -> &'a str {
        self.args.get(index).copied().unwrap_or("")
    }

    /// The words from `index` on, with single spaces.
    pub(super) fn rest(&self, index: usize) -> String {
        self.args.get(index..).unwrap_or(&[]).join(" ")
    }

    /// Prints a line.
    pub(super) fn line(&mut self, text: impl fmt::Display) {
        self.reply.push_str(&text.to_string());
        self.reply.push('\n');
    }

    /// Prints how the command is used.
    pub(super) fn usage(&mut self) {
        let name = self.arg(0);
        let usage = find(name).map_or("", |command| command.usage);
        self.line(format_args!("usage: {} {usage}", name.to_ascii_lowercase()));
    }
}

const fn command(
    name: &'static str,
    usage: &'static str,
    doc: &'static str,
    run: fn(&mut Call<'_>),
) -> Command {
    Command { name, usage, doc, local: false, cost: 1, run }
}

impl Command {
    const fn local(self) -> Self {
        Self { local: true, ..self }
    }

    const fn cost(self, cost: usize) -> Self {
        Self { cost, ..self }
    }
}

/// The commands, by name.
pub static COMMANDS: &[Command] = &[
    command("bans", "", "Lists the addresses that may not come in.", ban_commands::bans),
    command("clientkick", "<slot> [reason]", "Sends the player of a slot away.", server_commands::kick_slot),
    command("cmdlist", "[pattern]", "Lists the commands.", script_commands::cmdlist),
    command("cvarlist", "[pattern]", "Lists the cvars, their flags and values.", cvar_commands::cvarlist),
    command("devmap", "<map>", "Starts a map with cheats.", server_commands::devmap).cost(1024),
    command("dir", "<folder> [suffix]", "Lists the game files of a folder.", file_commands::dir).cost(64),
    command("dumpuser", "<player>", "Shows a player's userinfo.", server_commands::dumpuser),
    command("echo", "<text>", "Prints text.", script_commands::echo),
    command("exec", "<file>", "Runs a cfg file.", script_commands::exec).cost(32),
    command("fdir", "<pattern>", "Lists the game files that match, such as *.bsp.", file_commands::fdir)
        .cost(64),
    command("heartbeat", "", "Tells the master servers of this server now.", server_commands::heartbeat),
    command("help", "[name]", "Says what a command or cvar does.", script_commands::help),
    command("kick", "<player|all|allbots> [reason]", "Sends players away.", server_commands::kick),
    command("kickall", "[reason]", "Sends everybody away.", server_commands::kick_all),
    command("kickbots", "[reason]", "Sends all bots away.", server_commands::kick_bots),
    command("kicknum", "<slot> [reason]", "Sends the player of a slot away.", server_commands::kick_slot),
    command(
        "killserver",
        "",
        "Ends the match; the program waits for the next map.",
        server_commands::kill_server,
    ),
    command("map", "<map>", "Starts a map.", server_commands::map).cost(1024),
    command("map_restart", "[seconds]", "Restarts the map.", server_commands::map_restart).cost(256),
    command("path", "", "Shows where game files are looked for.", file_commands::path),
    command("print", "<cvar>", "Shows a cvar.", cvar_commands::print),
    command("quit", "", "Says goodbye to everybody and ends.", server_commands::quit),
    command("reset", "<cvar>", "Sets a cvar to its default.", cvar_commands::reset),
    command(
        "rotation",
        "[list|next|goto <n>|reload]",
        "Shows the order of maps, or goes on in it.",
        rotation_commands::rotation,
    )
    .cost(1024),
    command("say", "<text>", "Chats to everybody.", server_commands::say),
    command("sayto", "<player> <text>", "Chats to one player.", server_commands::tell),
    command("serverinfo", "", "Shows what browsers and clients are told.", server_commands::serverinfo),
    command("set", "<cvar> <value>", "Sets a cvar, or makes one.", cvar_commands::set),
    command("seta", "<cvar> <value>", "Sets a cvar and keeps it in the archive.", cvar_commands::set),
    command("sets", "<cvar> <value>", "Sets a cvar and shows it in serverinfo.", cvar_commands::set),
    command("setu", "<cvar> <value>", "Sets a cvar and marks it as userinfo.", cvar_commands::set),
    command(
        "shots",
        "<player>",
        "Shows a player's last shots and how they were judged.",
        server_commands::shots,
    ),
    command(
        "startserverdemo",
        "<player|all> [name]",
        "Records a demo of a player, with everybody in it.",
        demo_commands::start,
    )
    .cost(32),
    command("status", "", "Shows the map and the players.", server_commands::status),
    command("stopserverdemo", "<player|all>", "Ends a player's demo.", demo_commands::stop),
    command("systeminfo", "", "Shows the settings that clients follow.", server_commands::systeminfo),
    command("tell", "<player> <text>", "Chats to one player.", server_commands::tell),
    command(
        "tempban",
        "<player> [minutes] [reason]",
        "Sends a player away and keeps its address out for a while.",
        ban_commands::tempban,
    ),
    command(
        "toggle",
        "<cvar> [values]",
        "Switches a cvar, or goes to the next of the values.",
        cvar_commands::toggle,
    ),
    command("unban", "<address>", "Lets an address in again.", ban_commands::unban),
    command("unset", "<cvar>", "Takes back a cvar that was made with set.", cvar_commands::unset),
    command("visstatus", "", "Shows what the visibility filter withholds.", server_commands::visstatus),
    command("vstr", "<cvar>", "Runs a cvar's value as commands.", script_commands::vstr),
    command("wait", "[frames]", "Leaves what follows for later frames.", script_commands::wait),
    command("which", "<file>", "Says which place a game file comes from.", file_commands::which),
    command("writeconfig", "<file>", "Writes the archived cvars to a cfg file.", file_commands::writeconfig)
        .cost(32)
        .local(),
];

/// The command of that name.
pub(super) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name.eq_ignore_ascii_case(name))
}

/// A command or cvar that is typed nearly like `name`.
pub(super) fn nearest(name: &str, cvars: &Cvars) -> Option<String> {
    if !(4..=32).contains(&name.len()) {
        return None;
    }
    let names = COMMANDS.iter().map(|command| command.name).chain(cvars.iter().map(Var::name));
    let near = names.map(|known| (typing_errors(name, known), known)).filter(|&(errors, _)| errors <= 2);
    near.min_by_key(|&(errors, _)| errors).map(|(_, known)| known.to_owned())
}

/// Letters to insert, leave out or replace to come from one name to the other (Levenshtein's distance).
fn typing_errors(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(!x.eq_ignore_ascii_case(&y));
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Whether `name` fits `pattern`: `*` stands for any text, `?` for one character, without regard to case. A pattern without
/// either fits wherever it occurs.
pub(super) fn fits(name: &str, pattern: &str) -> bool {
    let (name, pattern) = (name.to_ascii_lowercase(), pattern.to_ascii_lowercase());
    if !pattern.contains(['*', '?']) {
        return name.contains(&pattern);
    }
    let (name, pattern) = (name.as_bytes(), pattern.as_bytes());
    let (mut n, mut p) = (0, 0);
    // Where the latest star stands, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[n] => (n, p) = (n + 1, p + 1),
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (n, p) = (taken + 1, at + 1);
            }
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::cvars::TABLE;

    #[test]
    fn commands_are_sorted_and_none_hides_a_cvar() {
        assert!(COMMANDS.is_sorted_by(|a, b| a.name < b.name));
        for command in COMMANDS {
            assert!(command.doc.ends_with('.') && command.doc.len() < 80, "{}", command.name);
            assert!(
                !TABLE.iter().any(|entry| entry.name.eq_ignore_ascii_case(command.name)),
                "{}",
                command.name
            );
        }
    }

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (name, pattern, fitting) in [
            ("sv_maxRate", "rate", true),
            ("sv_maxRate", "sv_*rate", true),
            ("sv_maxRate", "sv_?axRate", true),
            ("sv_maxRate", "max*", false),
            ("maps/a.bsp", "*.bsp", true),
            ("", "*", true),
            ("abcabd", "*abd", true),
        ] {
            assert_eq!(fits(name, pattern), fitting, "{name} {pattern}");
        }
    }

    #[test]
    fn a_typing_error_finds_the_name_that_was_meant() {
        let cvars = Cvars::new();
        assert_eq!(nearest("fragimit", &cvars).as_deref(), Some("fraglimit"));
        assert_eq!(nearest("stauts", &cvars).as_deref(), Some("status"));
        assert_eq!(nearest("xyzzyplugh", &cvars), None);
    }
}
