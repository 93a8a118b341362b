//! `fogtool query`: what a server says of itself to anyone who asks.

use crate::rim::ask::{Patience, ask};
use crate::rim::resolve;
use crate::table::{Cell, Output, Table};
use clap::Args;
use fogline_common::proto::info_string;
use fogline_common::time::Millis;
use serde_json::{Map, Value};

/// Whom to ask, and how patiently.
#[derive(Args, Debug)]
pub struct QueryArgs {
    /// The server, as host or host:port.
    pub address: String,
    /// How long to wait for each answer, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(i32).range(1..=60_000))]
    pub timeout: i32,
    /// How often to ask.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub tries: u32,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
}

/// A player, as a server lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Points.
    pub score: i32,
    /// Ping in ms.
    pub ping: i32,
    /// Name, colour codes included.
    pub name: String,
}

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Its `infoResponse`: an info string.
    pub info: Option<String>,
    /// The info string of its `statusResponse`.
    pub rules: Option<String>,
    /// Who plays, in the order of slots.
    pub players: Vec<Player>,
    /// Time to the first answer. Unit: µs.
    pub round_trip_micros: Option<u64>,
}

/// Asks and prints. Whether both answers came.
///
/// # Errors
/// A sentence, if it could not even ask.
pub fn run(args: &QueryArgs) -> Result<bool, String> {
    let server = resolve(&args.address)?;
    let patience = Patience { timeout: Millis(args.timeout), tries: args.tries, quiet: None };
    let mut status = Status::default();
    for (question, word) in [("getinfo fogtool", "infoResponse"), ("getstatus fogtool", "statusResponse")] {
        let answer = ask(server, question.as_bytes(), word, &patience)
            .map_err(|error| format!("{server}: {error}"))?;
        let Some(answer) = answer else { continue };
        status.round_trip_micros.get_or_insert(answer.round_trip_micros);
        let text = String::from_utf8_lossy(answer.texts.first().map_or(&[][..], |text| text)).into_owned();
        if word == "infoResponse" {
            status.info = Some(text.lines().next().unwrap_or("").to_owned());
        } else {
            let (rules, players) = parse_status(&text);
            (status.rules, status.players) = (Some(rules), players);
        }
    }
    let address = server.to_string();
    match args.output {
        Output { json: true, .. } => say!("{:#}", json(&address, &status)),
        Output { csv: true, .. } | Output { markdown: true, .. } => {
            show!("{}", table(&status).render(args.output));
        }
        Output { .. } => show!("{}", page(&address, &status)),
    }
    Ok(status.info.is_some() && status.rules.is_some())
}

/// Info string and players of a `statusResponse`. Lines that are no players are left out.
pub fn parse_status(text: &str) -> (String, Vec<Player>) {
    let mut lines = text.lines();
    let rules = lines.next().unwrap_or("").to_owned();
    let player = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let score = words.next()?.parse().ok()?;
        let ping = words.next()?.parse().ok()?;
        let name = words.next()?.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        Some(Player { score, ping, name })
    };
    (rules, lines.filter_map(player).collect())
}

/// Text without colour codes, and without anything that a terminal would obey.
pub fn readable(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '^' && rest.peek().is_some_and(char::is_ascii_alphanumeric) {
            rest.next();
        } else if !c.is_control() || c == '\n' || c == '\t' {
            plain.push(c);
        }
    }
    plain
}

fn page(address: &str, status: &Status) -> String {
    let Some(micros) = status.round_trip_micros else { return format!("{address} does not answer\n") };
    let mut text = format!("{address} answered in {:.1} ms\n", micros as f64 / 1000.0);
    for (title, info) in [("getinfo", &status.info), ("getstatus", &status.rules)] {
        let Some(info) = info else {
            text += &format!("\n{title}: no answer\n");
            continue;
        };
        text += &format!("\n{title}\n");
        let pairs = info_string::pairs(info).filter(|(key, _)| *key != "challenge");
        text.extend(pairs.map(|(key, value)| format!("  {:<24}{}\n", readable(key), readable(value))));
    }
    if !status.players.is_empty() {
        text += "\nscore  ping  name\n";
        let line = |player: &Player| {
            format!("{:>5}  {:>4}  {}\n", player.score, player.ping, readable(&player.name))
        };
        text.extend(status.players.iter().map(line));
    }
    text
}

/// A row for each pair and for each player.
fn table(status: &Status) -> Table {
    let mut table = Table::new(&["part", "key", "value"]);
    for (part, info) in [("info", &status.info), ("status", &status.rules)] {
        let pairs =
            info.iter().flat_map(|info| info_string::pairs(info)).filter(|(key, _)| *key != "challenge");
        pairs.for_each(|(key, value)| {
            table.push([part, &readable(key), &readable(value)].map(Cell::text).into());
        });
    }
    for player in &status.players {
        let value = format!("score {} ping {}", player.score, player.ping);
        table.push(["player", &readable(&player.name), &value].map(Cell::text).into());
    }
    table
}

fn json(address: &str, status: &Status) -> Value {
    let object = |info: &Option<String>| {
        info.as_ref().map_or(Value::Null, |info| {
            let pairs = info_string::pairs(info).filter(|(key, _)| *key != "challenge");
            Value::Object(pairs.map(|(key, value)| (key.to_owned(), Value::from(value))).collect())
        })
    };
    let players = status.players.iter().map(
        |player| serde_json::json!({ "score": player.score, "ping_ms": player.ping, "name": player.name }),
    );
    let mut whole = Map::new();
    whole.insert("address".to_owned(), address.into());
    whole.insert("round_trip_us".to_owned(), status.round_trip_micros.map_or(Value::Null, Value::from));
    whole.insert("info".to_owned(), object(&status.info));
    whole.insert("status".to_owned(), object(&status.rules));
    whole.insert("players".to_owned(), players.collect());
    Value::Object(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_names_rules_and_players_and_survives_nonsense() {
        let text =
            "\\mapname\\oa_dm1\\sv_maxclients\\8\n12 48 \"^1Red \"quoted\"\"\n-3 999 \"b\"\nnonsense\n1 2\n";
        let (rules, players) = parse_status(text);
        assert_eq!(info_string::value(&rules, "mapname"), "oa_dm1");
        assert_eq!(players.len(), 2);
        assert_eq!(
            (players[0].score, players[0].ping, players[0].name.as_str()),
            (12, 48, "^1Red \"quoted\"")
        );
        assert_eq!(parse_status(""), (String::new(), Vec::new()));
    }

    #[test]
    fn a_terminal_is_shown_no_colours_and_no_commands() {
        assert_eq!(readable("^1Re^7d\x1b[2J ^^5x ^"), "Red[2J ^x ^");
    }

    #[test]
    fn silence_is_told_in_both_forms() {
        let nothing = Status::default();
        assert_eq!(page("a:1", &nothing), "a:1 does not answer\n");
        assert!(json("a:1", &nothing)["info"].is_null());
        let half =
            Status { rules: Some("\\a\\b".to_owned()), round_trip_micros: Some(1500), ..Status::default() };
        assert!(page("a:1", &half).contains("getinfo: no answer"));
        assert_eq!(json("a:1", &half)["status"]["a"], "b");
    }
}
