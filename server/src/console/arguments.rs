//! The command line: flags for clap first, then commands that begin with `+`, as every Quake server takes them.

use super::tokenizer::words;
use crate::config::{By, Cvars, Flags};

/// Parts an argument list at its first `+`: what belongs to clap, and one list of words per `+command`.
///
/// A word that begins with `+` begins a command, unless a digit follows (`+5` is a number). Words stay as the shell gave them,
/// so values with spaces, `;` or `//` need no second quoting. One argument that holds several words (`"+set a b +map m"`, as
/// some control panels pass them) is parted too. A `--` before the first `+` is left out.
pub fn split_plus_args<I>(args: I) -> (Vec<String>, Vec<Vec<String>>)
where
    I: IntoIterator<Item = String>,
{
    let mut flags: Vec<String> = Vec::new();
    let mut commands: Vec<Vec<String>> = Vec::new();
    for arg in args {
        let parts = if begins_command(&arg) && arg.contains(' ') { words(&arg) } else { vec![arg] };
        for part in parts {
            if begins_command(&part) {
                commands.push(vec![part[1..].to_owned()]);
            } else if let Some(command) = commands.last_mut() {
                command.push(part);
            } else {
                flags.push(part);
            }
        }
    }
    if !commands.is_empty() && flags.last().is_some_and(|flag| flag == "--") {
        flags.pop();
    }
    (flags, commands)
}

/// Applies the `+set` parts, silently: before files are looked for, since they say where. [`start_up`](super::start_up) runs
/// them again, after the archive and in order, and tells what was clamped or refused.
pub fn apply_sets(cvars: &mut Cvars, commands: &[Vec<String>]) {
    for command in commands {
        let mark = match command.first().map(|name| name.to_ascii_lowercase()).as_deref() {
            Some("set") => Flags::NONE,
            Some("seta") => Flags::ARCHIVE,
            Some("sets") => Flags::SERVERINFO,
            Some("setu") => Flags::USERINFO,
            _ => continue,
        };
        if let [_, name, value @ ..] = command.as_slice() {
            // A refusal is told by the second application.
            let _ = cvars.set_flagged(name, &value.join(" "), mark, By::Host);
        }
    }
}

fn begins_command(word: &str) -> bool {
    word.strip_prefix('+')
        .is_some_and(|rest| rest.starts_with(|c: char| !c.is_ascii_digit() && !c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(args: &[&str], flags: &[&str], commands: &[&[&str]]) {
        let (found_flags, found) = split_plus_args(args.iter().map(|&arg| arg.to_owned()));
        assert_eq!(found_flags, flags, "{args:?}");
        assert_eq!(found, commands, "{args:?}");
    }

    #[test]
    fn flags_end_where_the_first_plus_begins() {
        check(
            &["fogline", "--port", "5", "+set", "a", "b", "+exec", "f", "+map", "m"],
            &["fogline", "--port", "5"],
            &[&["set", "a", "b"], &["exec", "f"], &["map", "m"]],
        );
        check(&["fogline", "--", "+map", "m"], &["fogline"], &[&["map", "m"]]);
        check(&["fogline", "--help"], &["fogline", "--help"], &[]);
        check(&["x", "+map", "m", "--help"], &["x"], &[&["map", "m", "--help"]]);
    }

    #[test]
    fn values_stay_whole() {
        check(
            &["x", "+set", "sv_dlURL", "http://a/b", "+set", "d1", "map a; set nextmap vstr d2"],
            &["x"],
            &[&["set", "sv_dlURL", "http://a/b"], &["set", "d1", "map a; set nextmap vstr d2"]],
        );
        check(
            &["x", "+set", "g_gravity", "+5", "+set", "e", ""],
            &["x"],
            &[&["set", "g_gravity", "+5"], &["set", "e", ""]],
        );
        check(&["x", "+set fs_game \"a b\" +map m"], &["x"], &[&["set", "fs_game", "a b"], &["map", "m"]]);
    }

    #[test]
    fn sets_are_applied_early() {
        let mut cvars = Cvars::new();
        let (_, commands) = split_plus_args(
            ["x", "+map", "m", "+set", "fs_basepath", "/data", "+sets", ".admin", "me"].map(str::to_owned),
        );
        apply_sets(&mut cvars, &commands);
        cvars.swap();
        assert_eq!(cvars.config().fs_basepath, "/data");
        assert!(cvars.serverinfo().contains("\\.admin\\me"));
    }
}
