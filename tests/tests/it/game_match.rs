//! Joining, talk, teams, spectators, scores and the end of a match, on small maps made in memory.

use fogline_common::openarena::{configstring, pers, pm_flag, pm_type, stat, team, weapon};
use fogline_common::proto::UserCmd;
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::game_host::{Match, client};
use fogline_tests::game_scene::{
    OTHER, WALKER, attack, duel, forward, plain_match, score, spawn_at, still, with,
};
use fogline_tests::tiny_map::TinyMap;

#[test]
fn a_level_tells_clients_what_they_insist_on() {
    let run = plain_match(&spawn_at(0, 0, 32));
    assert_eq!(run.configstring(configstring::GAME_VERSION), "baseoa-1");
    assert_eq!(run.configstring(configstring::MUSIC), "music/test.ogg");
    assert_eq!(run.configstring(configstring::MESSAGE), "Test Room");
    assert_eq!(run.configstring(configstring::LEVEL_START_TIME), "1000");
    assert_eq!(run.configstring(configstring::ITEMS).len(), 61);
    assert_eq!(run.configstring(configstring::SCORES1), "-9999");
    assert!(run.host.logged.iter().any(|line| line.starts_with("InitGame: ")));
}

#[test]
fn a_spectator_flies_follows_and_returns() {
    let mut run = plain_match(&spawn_at(100, 0, 32));
    let player = run.join(0, WALKER);
    let watcher = run.join(1, OTHER);
    run.command(watcher, "team spectator");
    run.hold_all(&[(player, still()), (watcher, forward())], 200);
    assert_eq!(run.player(watcher).pm_type, pm_type::SPECTATOR);
    assert!(!run.game.entities().get(watcher.entity()).link.linked);
    assert!(run.configstring(configstring::PLAYERS + 1).contains("\\t\\3\\"));

    run.command(watcher, "follownext");
    run.hold_all(&[(player, forward()), (watcher, still())], 500);
    let (seen, own) = (run.player(watcher), run.player(player));
    assert_eq!((seen.client_num, seen.origin), (0, own.origin));
    assert_eq!(seen.pm_flags & pm_flag::FOLLOW, pm_flag::FOLLOW);
    run.command(watcher, "follow");
    assert_eq!((run.player(watcher).client_num, run.player(watcher).origin), (1, own.origin));
    assert_eq!(run.player(watcher).pm_flags & pm_flag::FOLLOW, 0);

    run.command(watcher, "follow Walker");
    assert_eq!(run.player(watcher).client_num, 0);
    run.game.client_disconnect(&mut run.host, player);
    run.frame();
    assert_eq!(run.player(watcher).client_num, 1);
    run.hold(watcher, 5000, still());
    run.command(watcher, "team free");
    run.hold(watcher, 100, still());
    assert_eq!(run.player(watcher).pm_type, pm_type::NORMAL);
}

#[test]
fn scores_come_as_four_numbers_and_fifteen_for_each_player() {
    let mut run = plain_match(&(spawn_at(0, 0, 32) + &spawn_at(500, 0, 32)));
    let a = run.join(0, WALKER);
    run.join(3, OTHER);
    run.host.sent.clear();
    run.command(a, "score");
    let (to, text) = run.host.sent.last().expect("an answer").clone();
    assert_eq!(to, Some(a));
    let words: Vec<&str> = text.split(' ').collect();
    assert_eq!(words[..2], ["scores", "2"]);
    let numbers: Vec<i32> = words[1..].iter().map(|word| word.parse().expect("numbers only")).collect();
    assert_eq!(numbers.len(), 4 + 2 * 15);
    assert_eq!((numbers[4], numbers[19], numbers[6]), (0, 3, 48));
}

#[test]
fn the_fraglimit_leads_through_the_scores_to_the_next_map() {
    let config = Config { fraglimit: 1, nextmap: "map oa_dm5".to_owned(), ..Config::default() };
    let (mut run, a, b) = duel(config);
    run.command(b, "give health 5");
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 1000);
    assert!(run.was_told("Walker^7 hit the fraglimit."));
    assert!(run.host.logged.contains(&"Exit: Fraglimit hit.".to_owned()));
    assert!(run.host.logged.contains(&"score: 1  ping: 48  client: 0 Walker".to_owned()));
    assert_eq!(run.configstring(configstring::INTERMISSION), "1");
    run.hold_all(&[(a, still()), (b, still())], 1500);
    assert_eq!(run.player(a).pm_type, pm_type::INTERMISSION);
    assert_eq!(run.player(b).pm_type, pm_type::INTERMISSION);
    assert!(run.host.queued.is_empty());
    // Both press a button: on after five seconds of scores.
    run.hold_all(&[(a, attack(2)), (b, attack(2))], 500);
    assert_eq!(run.player(a).stats[stat::CLIENTS_READY as usize], 3);
    run.hold_all(&[(a, still()), (b, still())], 5000);
    assert_eq!(run.host.queued, ["vstr nextmap\n"]);
}

#[test]
fn a_map_restart_keeps_who_plays_and_who_looks_on() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let player = run.join(0, WALKER);
    let watcher = run.join(1, OTHER);
    run.command(watcher, "team spectator");
    run.command(player, "kill");
    run.restart(9);
    run.hold_all(&[(player, still()), (watcher, still())], 100);
    assert_eq!((score(&run.player(player)), run.player(player).pm_type), (0, pm_type::NORMAL));
    assert_eq!(run.player(watcher).persistant[pers::TEAM as usize], team::SPECTATOR);
    assert_eq!(run.configstring(configstring::INTERMISSION), "");
}

#[test]
fn the_timelimit_ends_a_match() {
    let config = Config { timelimit: 1, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 32))).build(), config);
    run.join(0, WALKER);
    for _ in 0..1300 {
        run.frame();
    }
    assert!(run.host.logged.contains(&"Exit: Timelimit hit.".to_owned()));
}

#[test]
fn teams_are_joined_balanced_and_do_not_shoot_each_other() {
    let config = Config { g_gametype: 3, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 32))).build(), config);
    for slot in 0..3 {
        let num = run.join(slot, WALKER);
        assert_eq!(run.player(num).persistant[pers::TEAM as usize], team::SPECTATOR);
        run.command(num, "team auto");
    }
    let team_of = |run: &Match, slot: usize| run.player(client(slot)).persistant[pers::TEAM as usize];
    assert_eq!((team_of(&run, 0), team_of(&run, 1), team_of(&run, 2)), (team::RED, team::BLUE, team::RED));
    assert_eq!(run.player(client(0)).ammo[weapon::MACHINEGUN as usize], 50);
    run.command(client(0), "say_team hello mates");
    let heard: Vec<_> =
        run.host.sent.iter().filter(|(_, text)| text.starts_with("tchat")).map(|(to, _)| *to).collect();
    assert_eq!(heard, [Some(client(0)), Some(client(2))]);
}

#[test]
fn a_tournament_is_two_players_and_a_queue() {
    let config = Config { g_gametype: 1, ..Config::default() };
    let spawns = spawn_at(0, 0, 32) + &spawn_at(500, 0, 32);
    let mut run = Match::new(TinyMap::room(&with(&spawns)).build(), config);
    for slot in 0..4 {
        run.join(slot, WALKER);
        run.frame();
    }
    let team_of = |run: &Match, slot: usize| run.player(client(slot)).persistant[pers::TEAM as usize];
    let teams: Vec<i32> = (0..4).map(|slot| team_of(&run, slot)).collect();
    assert_eq!(teams, [team::FREE, team::FREE, team::SPECTATOR, team::SPECTATOR]);
    run.command(client(3), "team free");
    assert_eq!(team_of(&run, 3), team::SPECTATOR, "both places are taken");
    run.game.client_disconnect(&mut run.host, client(0));
    run.frame();
    assert_eq!((team_of(&run, 2), team_of(&run, 3)), (team::FREE, team::SPECTATOR));
}

#[test]
fn another_game_type_makes_sessions_anew() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.command(num, "team spectator");
    run.host.config.g_gametype = 3;
    run.restart(3);
    run.command(num, "team red");
    run.host.config.g_gametype = 0;
    run.restart(4);
    assert_eq!(run.player(num).persistant[pers::TEAM as usize], team::FREE);
}

#[test]
fn talk_reaches_everybody_in_the_form_that_clients_show() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let a = run.join(0, WALKER);
    let b = run.join(1, OTHER);
    run.host.sent.clear();
    run.command(a, "say hello there");
    let line = "chat \"Walker^7\u{19}: ^2hello there\"".to_owned();
    assert_eq!(run.host.sent, [(Some(a), line.clone()), (Some(b), line)]);
    assert!(run.host.logged.contains(&"say: Walker: hello there".to_owned()));
    run.command(b, "tell 0 psst");
    assert!(run.was_told("chat \"\u{19}[Other^7\u{19}]\u{19}: ^6psst\""));
    run.command(a, "frobnicate");
    assert!(run.was_told("unknown cmd frobnicate"));
}

#[test]
fn cheats_work_only_where_the_host_allows_them() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.command(num, "give all");
    assert!(run.was_told("Cheats are not enabled"));
    assert_eq!(run.player(num).stats[stat::ARMOR as usize], 0);
    run.host.config.sv_cheats = true;
    run.command(num, "give all");
    assert_eq!(run.player(num).stats[stat::ARMOR as usize], 200);
    run.command(num, "give weapon_railgun");
    run.command(num, "noclip");
    run.hold(num, 100, UserCmd { up_move: 127, ..still() });
    assert_eq!(run.player(num).pm_type, pm_type::NOCLIP);
    run.command(num, "where");
    assert!(run.was_told("(0 0 "));
}

#[test]
fn who_does_nothing_is_warned_and_dropped() {
    let config = Config { g_inactivity: 15, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 32))).build(), config);
    let num = run.join(0, WALKER);
    run.hold(num, 10_000, still());
    assert!(run.was_told("Ten seconds until inactivity drop"));
    assert!(run.host.dropped.is_empty());
    run.hold(num, 6000, still());
    assert_eq!(run.host.dropped.first(), Some(&(num, "Dropped due to inactivity".to_owned())));
}

#[test]
fn the_wrong_password_is_refused_with_a_reason() {
    let config = Config { g_password: "secret".to_owned(), ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&spawn_at(0, 0, 32))).build(), config);
    run.host.userinfos.insert(0, "\\name\\A\\password\\guess".to_owned());
    let answer = run.game.client_connect(&mut run.host, client(0), true, false);
    assert_eq!(answer, Err("Invalid password".to_owned()));
    run.host.userinfos.insert(0, "\\name\\A\\password\\secret".to_owned());
    assert_eq!(run.game.client_connect(&mut run.host, client(0), true, false), Ok(()));
}

#[test]
fn the_same_inputs_give_the_same_states() {
    let play = || {
        let (mut run, a, b) = duel(Config::default());
        run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, forward())], 3000);
        run.command(b, "kill");
        run.hold_all(&[(a, forward()), (b, attack(weapon::MACHINEGUN))], 3000);
        let states: Vec<_> = run.find(|_| true).iter().map(|&num| run.state(num)).collect();
        (states, run.player(a), run.player(b), run.host.sent)
    };
    assert!(play() == play());
}

#[test]
fn a_player_that_leaves_leaves_nothing() {
    let mut run = plain_match(&spawn_at(0, 0, 32));
    let num = run.join(0, WALKER);
    run.hold(num, 200, still());
    run.game.client_disconnect(&mut run.host, num);
    assert_eq!(run.configstring(configstring::PLAYERS), "");
    assert_eq!(run.configstring(configstring::SCORES1), "-9999");
    assert!(!run.game.entities().get(num.entity()).link.linked);
    assert!(run.host.logged.contains(&"ClientDisconnect: 0".to_owned()));
    let again = run.join(0, OTHER);
    run.hold(again, 200, still());
    assert_eq!(score(&run.player(again)), 0);
}
