//! Warm-up, overtime, balance of teams, and what team mates are told, on small maps made in memory.

use fogline_common::ids::ClientNum;
use fogline_common::math::vec3;
use fogline_common::openarena::{configstring, game_type, pers, team, weapon};
use fogline_server::config::Config;
use fogline_tests::game_host::{Match, client};
use fogline_tests::game_scene::{OTHER, WALKER, attack, duel, line_up, score, spawn_at, still, with};
use fogline_tests::tiny_map::TinyMap;

fn room(config: Config) -> Match {
    let spawns = spawn_at(0, 0, 32) + &spawn_at(500, 0, 32) + &spawn_at(-500, 0, 32);
    Match::new(TinyMap::room(&with(&spawns)).build(), config)
}

fn team_of(run: &Match, num: ClientNum) -> i32 {
    run.player(num).persistant[pers::TEAM as usize]
}

fn frames(run: &mut Match, seconds: i32) {
    for _ in 0..seconds * 20 {
        run.frame();
    }
}

#[test]
fn a_match_warms_up_counts_down_and_begins_with_a_restart() {
    let mut run = room(Config { g_dowarmup: true, g_warmup: 10, timelimit: 1, ..Config::default() });
    assert_eq!(run.configstring(configstring::WARMUP), "-1");
    assert!(run.host.logged.contains(&"Warmup:".to_owned()));
    let a = run.join(0, WALKER);
    frames(&mut run, 2);
    assert_eq!(run.configstring(configstring::WARMUP), "-1", "one player is not enough");
    run.join(1, OTHER);
    run.frame();
    let begins: i32 = run.configstring(configstring::WARMUP).parse().expect("a moment");
    assert_eq!(begins, run.now.0 + 9000);

    // Points do not count, and the time limit has not begun.
    run.command(a, "kill");
    assert_eq!((score(&run.player(a)), score(&run.player(client(1)))), (0, 0));
    frames(&mut run, 8);
    assert!(run.host.queued.is_empty());
    frames(&mut run, 2);
    assert_eq!(run.host.queued, ["map_restart 0\n"]);
    frames(&mut run, 60);
    assert_eq!(run.host.queued.len(), 1, "asked once: {:?}", run.host.queued);
    assert!(!run.host.logged.iter().any(|line| line.starts_with("Exit:")));

    run.restart(3);
    assert_eq!(run.configstring(configstring::WARMUP), "");
    frames(&mut run, 1);
    run.command(a, "kill");
    assert_eq!(score(&run.player(client(1))), 1, "now points count");
    run.restart(4);
    assert_eq!(run.configstring(configstring::WARMUP), "-1", "every match has its own warm-up");
}

#[test]
fn the_countdown_stops_when_somebody_leaves_and_begins_anew_with_another_length() {
    let mut run = room(Config { g_dowarmup: true, g_warmup: 20, ..Config::default() });
    run.join(0, WALKER);
    let b = run.join(1, OTHER);
    frames(&mut run, 1);
    run.host.config.g_warmup = 5;
    run.frame();
    let begins: i32 = run.configstring(configstring::WARMUP).parse().expect("a moment");
    assert_eq!(begins, run.now.0 + 4000);
    run.command(b, "team spectator");
    run.frame();
    assert_eq!(run.configstring(configstring::WARMUP), "-1");
    frames(&mut run, 10);
    assert!(run.host.queued.is_empty());
}

#[test]
fn a_tournament_waits_for_its_second_player() {
    let mut run = room(Config { g_gametype: game_type::TOURNAMENT, g_warmup: 3, ..Config::default() });
    run.join(0, WALKER);
    run.frame();
    assert_eq!(run.configstring(configstring::WARMUP), "-1");
    run.join(1, OTHER);
    frames(&mut run, 3);
    assert_eq!(run.host.queued, ["map_restart 0\n"]);
    run.restart(5);
    frames(&mut run, 2);
    assert_eq!(run.configstring(configstring::WARMUP), "");
}

#[test]
fn teams_warm_up_until_both_have_somebody() {
    let mut run =
        room(Config { g_gametype: game_type::TEAM, g_dowarmup: true, g_warmup: 5, ..Config::default() });
    let (a, b) = (run.join(0, WALKER), run.join(1, OTHER));
    run.command(a, "team red");
    run.command(b, "team red");
    frames(&mut run, 1);
    assert_eq!(run.configstring(configstring::WARMUP), "-1");
    frames(&mut run, 5);
    run.command(b, "team blue");
    frames(&mut run, 1);
    assert_ne!(run.configstring(configstring::WARMUP), "-1");
}

#[test]
fn a_tie_at_the_time_limit_is_played_on_until_somebody_leads() {
    let (mut run, a, b) = duel(Config { timelimit: 1, ..Config::default() });
    frames(&mut run, 62);
    let deaths = run.host.sent.iter().filter(|(_, text)| text.contains("Sudden death")).count();
    assert_eq!(deaths, 1);
    assert!(!run.host.logged.iter().any(|line| line.starts_with("Exit:")));
    run.command(b, "give health 5");
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 500);
    assert!(run.host.logged.contains(&"Exit: Timelimit hit.".to_owned()));
}

#[test]
fn overtime_is_played_to_its_end_even_by_who_leads() {
    let (mut run, a, b) = duel(Config { timelimit: 1, g_overtime: 2, ..Config::default() });
    frames(&mut run, 62);
    assert!(run.was_told("Overtime: 2 minutes more"));
    run.command(b, "give health 5");
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 500);
    assert_eq!(score(&run.player(a)), 1);
    frames(&mut run, 100);
    assert!(!run.host.logged.iter().any(|line| line.starts_with("Exit:")));
    frames(&mut run, 20);
    assert!(run.host.logged.contains(&"Exit: Timelimit hit.".to_owned()));
}

#[test]
fn nobody_makes_a_team_too_large_or_enters_a_locked_one() {
    let mut run = room(Config { g_gametype: game_type::TEAM, g_teamforcebalance: true, ..Config::default() });
    let players: Vec<_> = (0..4).map(|slot| run.join(slot, WALKER)).collect();
    run.command(players[0], "team red");
    run.command(players[1], "team red");
    run.command(players[2], "team red");
    assert_eq!(team_of(&run, players[2]), team::SPECTATOR);
    assert!(run.was_told("Red team has too many players."));
    run.command(players[2], "team auto");
    assert_eq!(team_of(&run, players[2]), team::BLUE);
}

#[test]
fn newcomers_are_put_into_the_smaller_team_if_the_host_wants_it() {
    let mut run = room(Config { g_gametype: game_type::TEAM, g_teamautojoin: true, ..Config::default() });
    let players: Vec<_> = (0..4).map(|slot| run.join(slot, WALKER)).collect();
    let teams: Vec<_> = players.iter().map(|&num| team_of(&run, num)).collect();
    assert_eq!(teams, [team::RED, team::BLUE, team::RED, team::BLUE]);
}

#[test]
fn team_mates_are_told_of_each_other_once_a_second() {
    let places = r#"{ "classname" "target_location" "origin" "0 0 40" "message" "the middle" }"#;
    let entities = spawn_at(0, 0, 32) + &spawn_at(200, 0, 32) + places;
    let config = Config { g_gametype: game_type::TEAM, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&entities)).build(), config);
    let silent = format!("{WALKER}\\teamoverlay\\0");
    let (a, b) = (run.join(0, WALKER), run.join(1, &silent));
    run.command(a, "team red");
    run.command(b, "team red");
    run.hold_all(&[(a, still()), (b, still())], 1000);
    run.host.sent.clear();
    run.hold_all(&[(a, still()), (b, still())], 3000);
    let told: Vec<_> = run.host.sent.iter().filter(|(_, text)| text.starts_with("tinfo")).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().all(|(to, _)| *to == Some(a)));
    let words: Vec<i32> = told[2].1.split(' ').skip(1).map(|word| word.parse().expect("a number")).collect();
    let health = words[3];
    assert!((115..=125).contains(&health), "{health}");
    assert_eq!(words, [2, 0, 1, health, 0, 2, 0, 1, 1, health, 0, 2, 0]);
    run.command(a, "say_team here");
    assert!(run.was_told(") (the middle)\u{19}: ^5here"));
}

#[test]
fn figures_of_a_match_are_asked_for_and_told_at_the_end() {
    let (mut run, players) = line_up(Config { fraglimit: 1, ..Config::default() }, 3);
    let (a, b) = (players[0], players[1]);
    run.command(b, "give health 20");
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 1000);
    run.command(a, "acc");
    let (to, text) = run.host.sent.last().expect("an answer").clone();
    assert_eq!(to, Some(a));
    let numbers: Vec<i32> = text.split(' ').skip(1).map(|word| word.parse().expect("a number")).collect();
    assert_eq!(numbers.len(), 24);
    assert!(numbers[0] >= 3 && (3..=numbers[0]).contains(&numbers[1]), "{numbers:?}");
    run.hold_all(&[(a, still()), (b, still())], 2000);
    let line = run.host.logged.iter().find(|line| line.starts_with("Stats: 0 1 0 0 20 0 ")).expect("figures");
    assert!(line.contains(" machinegun "), "{line}");
    assert!(run.was_told("kills 1  deaths 0"));
    assert!(run.host.records.iter().any(|fields| fields.contains("\"event\":\"statistics\"")
        && fields.contains("\"kills\":1,\"deaths\":0,\"suicides\":0,\"damage_given\":20")));
}

#[test]
fn of_two_players_the_other_gains_by_a_mishap() {
    let (mut run, a, b) = duel(Config::default());
    run.command(a, "kill");
    assert_eq!((score(&run.player(a)), score(&run.player(b))), (0, 1));
    assert!(run.player(b).origin.distance(vec3(-100.0, 0.0, 24.125)) < 1.0);
}
