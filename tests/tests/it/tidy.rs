//! The rules of the house that no compiler checks: names of machines, arrows that run backwards, files that hold two ideas.
#![allow(clippy::disallowed_methods, reason = "the sources are read from disk")]

use std::path::{Path, PathBuf};

/// Longest line. Code ends earlier by rustfmt; this is for comments.
const MAX_LINE_CHARS: usize = 135;
/// Longest file, its tests included. A table may be longer.
const MAX_FILE_LINES: usize = 640;

/// Words that a folder's files may not use, and why.
const ABSENCES: [(&str, &[&str], &str); 6] = [
    (
        "common/src",
        &["std::net", "std::fs", "std::thread", "std::time::Instant", "println!"],
        "common has no socket, file, thread, clock or log",
    ),
    (
        "server/src/visibility",
        &["crate::clients", "crate::server", "game::native", "wire::"],
        "visibility knows facts alone",
    ),
    (
        "server/src/world",
        &["crate::clients", "crate::server", "crate::snapshot", "game::native"],
        "the world knows no client",
    ),
    (
        "server/src/game/native",
        &["crate::server", "crate::clients", "crate::engine", "crate::snapshot"],
        "a game knows its Host alone",
    ),
    (
        "server/src/clients",
        &["crate::game::native", "crate::visibility", "crate::io"],
        "clients know no rules and no rim",
    ),
    (
        "server/src/config",
        &["crate::clients", "crate::game", "crate::io", "crate::server"],
        "settings know nobody",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

/// Every source file of the workspace, by path from its root, with its text.
fn sources() -> Vec<(String, String)> {
    let root = root();
    let mut folders: Vec<PathBuf> =
        ["common", "server", "maps", "tools", "tests"].iter().map(|name| root.join(name)).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                let name =
                    path.strip_prefix(&root).expect("it lies below").to_string_lossy().replace('\\', "/");
                found.push((
                    name,
                    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
                ));
            }
        }
    }
    found.sort();
    assert!(found.len() > 100, "only {} source files were found", found.len());
    found
}

fn report(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_holds_one_idea() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        if !text.starts_with("//!") {
            problems.push(format!("{name}: begins without a module doc"));
        }
        let lines = text.lines().count();
        if lines > MAX_FILE_LINES {
            problems.push(format!(
                "{name}: {lines} lines, {MAX_FILE_LINES} are the limit: does it hold two ideas?"
            ));
        }
    }
    report(&problems);
}

#[test]
fn lines_fit_the_page() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            if line.chars().count() > MAX_LINE_CHARS && !line.contains('"') {
                problems.push(format!("{name}:{}: {} characters", n + 1, line.chars().count()));
            }
        }
    }
    report(&problems);
}

#[test]
fn arrows_run_one_way() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        for (folder, words, reason) in ABSENCES.iter().filter(|(folder, _, _)| name.starts_with(folder)) {
            // Tests may stand where they like.
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            for word in words
                .iter()
                .filter(|word| code.lines().any(|line| !is_comment(line) && line.contains(**word)))
            {
                problems.push(format!("{name} names {word}, but in {folder}: {reason}"));
            }
        }
    }
    report(&problems);
}

#[test]
fn nothing_is_left_for_later_and_no_machine_is_named() {
    // Written apart so that this file does not find itself.
    let words = [["TO", "DO"], ["FIX", "ME"], ["XX", "X "], ["/ro", "ot/"], ["/wo", "rk/"], ["/ho", "me/"]]
        .map(|w| w.concat());
    let mut problems = Vec::new();
    for (name, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            for word in words.iter().filter(|word| line.contains(word.as_str())) {
                problems.push(format!("{name}:{}: {word}", n + 1));
            }
        }
    }
    report(&problems);
}

#[test]
fn unsafe_code_is_nowhere() {
    let word = ["unsafe", " {"].concat();
    let found: Vec<String> =
        sources().into_iter().filter(|(_, text)| text.contains(&word)).map(|(name, _)| name).collect();
    report(&found);
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}
