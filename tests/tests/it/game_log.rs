//! The log of games and its twin in JSON: what admin bots parse, whatever players call themselves and say.

use fogline_common::time::Millis;
use fogline_server::config::Config;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::game_scene::{attack, duel, still};
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tools::client::config::ClientConfig;
use fogline_tools::script::Script;
use serde_json::Value;

/// Names that want to be something else. What no client may send is refused before the game hears of it; see below for that.
const NAMES: [&str; 6] = ["Kill: 0 1 3", "^1red^7[2J", "%s%n%x", "\u{e4}\u{2028}", "{event:1}", "<b>"];

fn player(name: &str, script: Script) -> (BotConfig, LinkPair) {
    let client = ClientConfig { name: name.to_owned(), ..ClientConfig::default() };
    (BotConfig { client, script, ..BotConfig::default() }, LinkPair::default())
}

fn talkers(seed: u64, setup: &Setup) -> Sim<Server> {
    let bots = NAMES.iter().map(|name| player(name, Script::Chat)).collect();
    let mut sim = fixture::sim(seed, SimConfig { bots, ..SimConfig::default() }, setup);
    sim.run_until_all_active();
    sim.run(Millis(20_000));
    sim
}

#[test]
fn every_line_of_the_twin_is_json_and_tells_what_its_line_tells() {
    let setup = Setup::halls().with("sv_floodProtect 0").with("g_logJson games.jsonl");
    let mut sim = talkers(51, &setup);
    sim.bots[0].client.command("kill").expect("it is connected");
    sim.run(Millis(1000));
    let lines: Vec<String> = std::iter::from_fn(|| sim.server.poll_game_log_json()).collect();
    let parse = |line: &String| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let events: Vec<Value> = lines.iter().map(parse).collect();
    let count = |event: &str| events.iter().filter(|value| value["event"] == event).count();
    assert_eq!((count("init_game"), count("client_connect"), count("client_begin")), (1, 6, 6));
    assert!(count("say") > 10, "{} talked", count("say"));
    let kill = events.iter().find(|value| value["event"] == "kill").expect("one died");
    assert_eq!((kill["means"].as_str(), kill["victim"].as_i64()), (Some("MOD_SUICIDE"), Some(0)));
    assert!(events.iter().all(|value| value["map"] == "halls" && value["time_ms"].is_i64()));
    // Without the cvar nothing is written twice.
    let mut sim = talkers(51, &Setup::halls());
    assert_eq!(sim.server.poll_game_log_json(), None);
}

#[test]
fn no_name_and_no_talk_breaks_or_forges_a_line() {
    let sim = talkers(52, &Setup::halls().with("sv_floodProtect 0"));
    assert!(sim.log.iter().any(|line| line.starts_with("say: Kill: 0 1 3: ")));
    assert!(!sim.log.iter().any(|line| line.starts_with("Kill: 0 1 3")), "{:?}", sim.log);
    assert!(sim.log.iter().all(|line| !line.contains(['\n', '\r', '\u{1b}'])));

    // What the engine would not let in is harmless in the rules too.
    let (mut run, a, _) = duel(Config::default());
    run.join(5, "\\name\\a\nKill: 0 1 3\u{1b}[2J\"x;y\\model\\m\n\"\\cl_guid\\g\r");
    run.command(a, "say a\nKill: 0 1 3: b\u{7}\"");
    assert!(run.host.logged.iter().all(|line| !line.contains(char::is_control)), "{:?}", run.host.logged);
    for fields in &run.host.records {
        let object = format!("{{{fields}}}");
        let event = serde_json::from_str::<Value>(&object).map(|value| value["event"].is_string());
        assert!(event.is_ok_and(|known| known), "{object}");
    }
}

/// First words of the lines that admin bots know, and of our own, which they pass over. Source: B3's parsers by what they match.
const WORDS: [&str; 22] = [
    "InitGame:",
    "ShutdownGame:",
    "ClientConnect:",
    "ClientUserinfoChanged:",
    "ClientBegin:",
    "ClientDisconnect:",
    "Item:",
    "Kill:",
    "Award:",
    "CTF:",
    "PlayerScore:",
    "TeamScore:",
    "Exit:",
    "red:",
    "score:",
    "say:",
    "sayteam:",
    "tell:",
    "Warmup:",
    "Stats:",
    "callvote:",
    "vote:",
];

#[test]
fn lines_are_those_that_admin_bots_parse() {
    let (mut run, a, b) = duel(Config { fraglimit: 1, ..Config::default() });
    run.command(a, "say hello: there");
    run.command(b, "say_team us");
    run.command(b, "tell 0 you");
    run.command(b, "give health 5");
    run.hold_all(&[(a, attack(2)), (b, still())], 4000);
    for line in &run.host.logged {
        let word = line.split(' ').next().unwrap_or("");
        assert!(WORDS.contains(&word) || line.chars().all(|c| c == '-') && !line.is_empty(), "{line:?}");
    }
    for wanted in [
        "say: Walker: hello: there",
        "say: Other: us",
        "tell: Other to Walker: you",
        "Kill: 0 1 3: Walker killed Other by MOD_MACHINEGUN",
        "PlayerScore: 0 1: Walker now has 1 points",
        "Exit: Fraglimit hit.",
        "score: 1  ping: 48  client: 0 Walker",
    ] {
        assert!(run.host.logged.iter().any(|line| line == wanted), "{wanted:?}: {:#?}", run.host.logged);
    }
}

#[test]
fn who_is_voted_away_does_not_come_back_for_a_while() {
    let mut bots = ["one", "two", "three"].map(|name| player(name, Script::Idle)).to_vec();
    // This one comes back by itself.
    bots[2].0.habits.reconnect_every = Some(Millis(6000));
    let setup = Setup::halls().with("sv_floodProtect 0").with("g_voteBan 2");
    let mut sim = fixture::sim(53, SimConfig { bots, from_afar: true, ..SimConfig::default() }, &setup);
    sim.checks.config.may_lose = true;
    sim.run_until_all_active();
    sim.bots[0].client.command("callvote kick three").expect("it is connected");
    sim.run(Millis(500));
    sim.bots[1].client.command("vote yes").expect("it is connected");
    let gone = sim.run_until(Millis(10_000), |sim| !sim.bots[2].is_active());
    assert!(gone, "{:?}", sim.log);
    sim.run(Millis(12_000));
    let refusal = "You are banned for 2 more minutes: voted away";
    assert!(sim.bots[2].texts.iter().any(|text| text.contains(refusal)), "{:?}", sim.bots[2].texts);
    assert!(!sim.bots[2].is_active());
    let is_told = |sim: &Sim<Server>, words: &str| sim.log.iter().any(|line| line.contains(words));
    assert!(is_told(&sim, "was kicked by vote"), "{:?}", sim.log);
    sim.console("bans");
    assert!(is_told(&sim, "198.18.0.2") && is_told(&sim, "voted away"), "{:?}", sim.log);
    sim.console("unban 198.18.0.2");
    assert!(is_told(&sim, "it may come in again"));
    sim.console("tempban two 5 rude");
    assert!(is_told(&sim, "two is banned for 5 minutes."));
    sim.run(Millis(500));
    assert!(!sim.bots[1].is_active() && sim.bots[0].is_active());
}
