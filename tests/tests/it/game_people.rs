//! Votes, mutes, locks and what else keeps peace among people, on small maps made in memory.

use fogline_common::ids::ClientNum;
use fogline_common::openarena::{configstring, entity_flag, game_type, pers, team};
use fogline_server::config::Config;
use fogline_server::game::Game;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{OTHER, WALKER, attack, spawn_at, still, with};
use fogline_tests::tiny_map::TinyMap;

/// A match with so many players called P0, P1, …
fn people(config: Config, count: usize) -> (Match, Vec<ClientNum>) {
    let spawns: String = (0..6).map(|at| spawn_at(at * 150 - 400, 0, 32)).collect();
    let mut run = Match::new(TinyMap::room(&with(&spawns)).build(), config);
    let join = |run: &mut Match, slot: usize| {
        run.join(slot, &format!("\\name\\P{slot}\\handicap\\100\\ip\\10.0.0.{slot}:27960"))
    };
    let players = (0..count).map(|slot| join(&mut run, slot)).collect();
    (run, players)
}

fn seconds(run: &mut Match, seconds: i32) {
    for _ in 0..seconds * 20 {
        run.frame();
    }
}

fn say(run: &mut Match, args: &[&str]) -> String {
    run.host.printed.clear();
    assert!(run.game.console_command(&mut run.host, args), "{args:?} is not known");
    run.host.printed.join("\n")
}

#[test]
fn a_vote_is_called_cast_and_done() {
    let (mut run, p) = people(Config::default(), 3);
    run.command(p[0], "callvote map oa_dm5");
    assert!(run.was_told("P0^7 called a vote."));
    assert_eq!(run.configstring(configstring::VOTE_STRING), "Change map to: oa_dm5?");
    assert_eq!(run.configstring(configstring::VOTE_TIME), run.now.0.to_string());
    assert_ne!(run.player(p[0]).flags & entity_flag::VOTED, 0);
    seconds(&mut run, 2);
    assert!(run.host.queued.is_empty());
    run.command(p[1], "vote no");
    run.frame();
    assert_eq!(
        (run.configstring(configstring::VOTE_YES), run.configstring(configstring::VOTE_NO)),
        ("1", "1")
    );
    run.command(p[2], "vote yes");
    run.frame();
    assert!(run.was_told("Vote passed."));
    assert_eq!(run.configstring(configstring::VOTE_TIME), "");
    assert!(run.host.queued.is_empty(), "three seconds are left to see it");
    seconds(&mut run, 4);
    assert_eq!(run.host.queued, ["map \"oa_dm5\"\n"]);
}

#[test]
fn a_vote_that_nobody_finishes_fails_and_its_caller_waits() {
    let (mut run, p) = people(Config { g_votecooldown: 90, ..Config::default() }, 3);
    run.command(p[0], "callvote fraglimit 5");
    run.command(p[1], "callvote fraglimit 5");
    assert!(run.was_told("A vote is already in progress."));
    seconds(&mut run, 31);
    assert!(run.was_told("Vote failed."));
    run.command(p[0], "callvote fraglimit 5");
    assert!(run.was_told("you may call another in 90 seconds"), "{:?}", run.host.sent.last());
    run.command(p[1], "callvote fraglimit 5");
    assert_eq!(run.configstring(configstring::VOTE_STRING), "Change fraglimit to: 5?");
    seconds(&mut run, 95);
    run.command(p[0], "callvote timelimit 5");
    assert_eq!(run.configstring(configstring::VOTE_STRING), "Change timelimit to: 5?");
}

#[test]
fn what_makes_no_sense_is_refused_with_a_sentence() {
    let (mut run, p) = people(Config::default(), 2);
    for (words, refusal) in [
        ("callvote", "Vote commands are: map_restart, nextmap, map, "),
        ("callvote quit", "Vote commands are: "),
        ("callvote map nowhere", "Map nowhere is not on this server."),
        ("callvote map oa_dm1;quit", "Map oa_dm1;quit is not on this server."),
        ("callvote g_gametype 5", "These rules play game types 0, 1, 3 and 4."),
        ("callvote g_gametype 0", "That is the current game type."),
        ("callvote kick Nobody", "User Nobody is not on the server"),
        ("callvote clientkick 9", "Client 9 is not active"),
        ("callvote clientkick x", "Say the number of the player to kick."),
        ("callvote nextmap", "nextmap is not set"),
        ("callvote shuffle", "in team games only"),
        ("callvote timelimit 2000", "may be voted from 0 to 1000"),
        ("vote yes", "No vote in progress."),
        ("teamvote yes", "No team vote in progress."),
    ] {
        run.host.sent.clear();
        run.command(p[0], words);
        assert!(run.was_told(refusal), "{words}: {:?}", run.host.sent);
    }
    run.command(p[1], "team spectator");
    run.command(p[1], "callvote map_restart");
    assert!(run.was_told("Spectators cannot call a vote."));
    run.host.config.g_allowvote = false;
    run.command(p[0], "callvote map_restart");
    assert!(run.was_told("Voting is not allowed here."));
    run.frame();
    assert_eq!(run.host.config.voteflags, 0);
    run.host.config.g_allowvote = true;
    run.host.config.g_votenames = "/map/kick/".to_owned();
    run.frame();
    assert_eq!(run.host.config.voteflags, 4);
    run.host.sent.clear();
    run.command(p[0], "callvote map_restart");
    assert!(run.was_told("Vote commands are: map, kick."), "{:?}", run.host.sent);
}

#[test]
fn every_kind_of_vote_becomes_what_it_says() {
    for (words, shown, queued) in [
        ("callvote map_restart", "Restart map?", "map_restart 5\n"),
        ("callvote nextmap", "Next map?", "vstr nextmap\n"),
        ("callvote MAP OA_DM1", "Change map to: oa_dm1?", "map \"oa_dm1\"\n"),
        ("callvote g_gametype 4", "Change gametype to: Capture the Flag?", "g_gametype 4;map \"here\"\n"),
        ("callvote g_doWarmup 1", "Enable warmup?", "g_doWarmup 1\n"),
        ("callvote timelimit 0", "Remove timelimit?", "timelimit 0\n"),
        ("callvote fraglimit 50", "Change fraglimit to: 50?", "fraglimit 50\n"),
    ] {
        let config = Config { nextmap: "map b".to_owned(), mapname: "here".to_owned(), ..Config::default() };
        let (mut run, p) = people(config, 1);
        run.command(p[0], words);
        assert_eq!(run.configstring(configstring::VOTE_STRING), shown);
        seconds(&mut run, 4);
        assert_eq!(run.host.queued, [queued]);
    }
}

#[test]
fn who_leaves_before_the_vote_ends_is_kept_out_all_the_same() {
    let (mut run, p) = people(Config { g_voteban: 7, ..Config::default() }, 4);
    run.command(p[0], "callvote kick P3");
    run.game.client_disconnect(&mut run.host, p[3]);
    // Another comes into the slot, and is left alone.
    run.join(3, OTHER);
    run.command(p[1], "vote yes");
    run.command(p[2], "vote yes");
    seconds(&mut run, 4);
    assert_eq!(run.host.banned, ["10.0.0.3:27960 7 voted away"]);
    assert!(run.host.dropped.is_empty(), "{:?}", run.host.dropped);

    let (mut run, p) = people(Config { g_voteban: 7, ..Config::default() }, 3);
    run.command(p[0], "callvote clientkick 2");
    run.command(p[1], "vote yes");
    seconds(&mut run, 4);
    assert_eq!(run.host.banned, ["10.0.0.2:27960 7 voted away"]);
    assert_eq!(run.host.dropped, [(p[2], "was kicked by vote".to_owned())]);
}

#[test]
fn the_host_ends_a_vote_as_it_likes() {
    let (mut run, p) = people(Config::default(), 3);
    assert_eq!(say(&mut run, &["cancelvote"]), "no vote is in progress");
    run.command(p[0], "callvote map oa_dm5");
    assert_eq!(say(&mut run, &["cancelvote"]), "the vote has failed");
    assert_eq!(run.configstring(configstring::VOTE_TIME), "");
    run.command(p[1], "callvote map oa_dm1");
    assert_eq!(say(&mut run, &["passvote"]), "the vote has passed");
    assert_eq!(say(&mut run, &["cancelvote"]), "the vote that had passed is taken back");
    seconds(&mut run, 5);
    assert!(run.host.queued.is_empty());
    run.command(p[2], "callvote map oa_dm1");
    say(&mut run, &["passvote"]);
    seconds(&mut run, 4);
    assert_eq!(run.host.queued, ["map \"oa_dm1\"\n"]);
}

#[test]
fn votes_on_one_map_are_counted_and_end_with_it() {
    let (mut run, p) = people(Config { g_maxvotes: 2, g_votecooldown: 0, ..Config::default() }, 3);
    for _ in 0..2 {
        run.command(p[0], "callvote map_restart");
        say(&mut run, &["cancelvote"]);
    }
    run.command(p[0], "callvote map_restart");
    assert!(run.was_told("as many votes as are allowed on one map"));
    run.command(p[1], "callvote map_restart");
    run.restart(9);
    assert_eq!(run.configstring(configstring::VOTE_TIME), "");
    run.command(p[0], "callvote map_restart");
    assert_eq!(run.configstring(configstring::VOTE_STRING), "Restart map?");
}

#[test]
fn a_team_votes_for_its_leader() {
    let (mut run, p) = people(Config { g_gametype: game_type::TEAM, ..Config::default() }, 4);
    for &num in &p[..3] {
        run.command(num, "team red");
    }
    run.command(p[3], "team blue");
    let leads = |run: &Match, slot: u16| run.configstring(configstring::PLAYERS + slot).contains("\\tl\\1");
    assert!(leads(&run, 0) && !leads(&run, 1));
    run.command(p[3], "callteamvote leader P0");
    assert!(run.was_told("That player is not on your team."));
    run.command(p[0], "callteamvote leader P1");
    assert_eq!(run.configstring(configstring::TEAMVOTE_STRING), "leader 1");
    run.command(p[3], "teamvote no");
    run.command(p[1], "teamvote yes");
    run.frame();
    assert!(run.was_told("Team vote passed."));
    assert!(!leads(&run, 0) && leads(&run, 1));
    assert!(leads(&run, 3), "the other team keeps its own");
}

#[test]
fn the_muted_are_not_heard_and_know_it() {
    let (mut run, p) = people(Config::default(), 2);
    assert_eq!(say(&mut run, &["mute", "P1"]), "P1 is muted");
    run.host.sent.clear();
    for words in ["say hello", "say_team hello", "tell 0 hello", "vsay taunt", "callvote map_restart"] {
        run.command(p[1], words);
    }
    assert!(run.host.sent.iter().all(|(to, _)| *to == Some(p[1])), "{:?}", run.host.sent);
    assert!(run.was_told("You are muted."));
    assert!(!run.host.logged.iter().any(|line| line.starts_with("say")));
    run.restart(3);
    run.command(p[1], "say hello");
    assert!(!run.was_told("hello"), "a restart changes nothing");
    say(&mut run, &["unmute", "1"]);
    run.command(p[1], "say hello");
    assert!(run.was_told("hello"));
}

#[test]
fn a_locked_team_is_entered_by_order_of_the_host_alone() {
    let (mut run, p) = people(Config { g_gametype: game_type::TEAM, ..Config::default() }, 2);
    say(&mut run, &["lockteam", "red"]);
    run.command(p[0], "team red");
    assert!(run.was_told("The red team is locked."));
    let team_of = |run: &Match, num| run.player(num).persistant[pers::TEAM as usize];
    assert_eq!(team_of(&run, p[0]), team::SPECTATOR);
    say(&mut run, &["forceteam", "P0", "red"]);
    assert_eq!(team_of(&run, p[0]), team::RED);
    say(&mut run, &["unlockteam", "red"]);
    run.command(p[1], "team red");
    assert_eq!(team_of(&run, p[1]), team::RED);
}

#[test]
fn teams_are_dealt_out_anew() {
    let (mut run, p) = people(Config { g_gametype: game_type::TEAM, ..Config::default() }, 4);
    for &num in &p {
        run.command(num, "team red");
    }
    say(&mut run, &["shuffle"]);
    assert_eq!(run.host.queued, ["map_restart 0\n"]);
    run.restart(4);
    let teams: Vec<i32> = p.iter().map(|&num| run.player(num).persistant[pers::TEAM as usize]).collect();
    assert_eq!(teams, [team::RED, team::BLUE, team::BLUE, team::RED]);
}

#[test]
fn the_dead_come_back_in_waves() {
    let (mut run, p) = people(Config { g_respawntime: 10, g_forcerespawn: 0, ..Config::default() }, 2);
    run.hold(p[0], 500, still());
    run.command(p[0], "kill");
    while run.player(p[0]).pm_type != 0 {
        run.hold(p[0], 50, attack(2));
        run.hold(p[0], 50, still());
        assert!(run.now.0 < 30_000);
    }
    assert!(run.now.0 % 10_000 < 300, "came back at {}", run.now.0);
}

#[test]
fn browsers_are_told_of_a_password_and_clients_of_maps() {
    let (mut run, p) = people(Config { g_password: "x".to_owned(), ..Config::default() }, 0);
    run.frame();
    assert!(run.host.config.g_needpass && p.is_empty());
    run.host.config.g_password = "none".to_owned();
    run.frame();
    assert!(!run.host.config.g_needpass);
    let num = run.join(0, WALKER);
    run.command(num, "getmappage 7");
    assert!(run.was_told("mappage 0 oa_ctf2 oa_dm1 oa_dm5"));
    run.command(num, "teamtask 3");
    assert!(run.configstring(configstring::PLAYERS).contains("\\tt\\3\\"));
}

#[test]
fn a_host_has_lists_of_maps_and_votes_of_its_own() {
    let names = "/map/custom/".to_owned();
    let (mut run, p) = people(Config { g_votenames: names, ..Config::default() }, 1);
    run.host.files.insert("votemaps.cfg".to_owned(), "oa_dm5 // and no other".to_owned());
    let vote = r#"{ votecommand "low" displayname "Low gravity?" command "g_gravity 300" }"#;
    run.host.files.insert("votecustom.cfg".to_owned(), vote.to_owned());
    run.restart(2);
    assert!(run.was_told("customvotes low"));
    run.command(p[0], "callvote map oa_dm1");
    assert!(run.was_told("Map oa_dm1 is not on this server."));
    run.command(p[0], "callvote custom quit");
    assert!(run.was_told("Custom vote commands are: low"));
    run.command(p[0], "callvote custom low");
    assert_eq!(run.configstring(configstring::VOTE_STRING), "Low gravity?");
    seconds(&mut run, 4);
    assert_eq!(run.host.queued, ["g_gravity 300\n"]);
}
