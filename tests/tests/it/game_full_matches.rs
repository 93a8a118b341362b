//! Whole matches from the first player to the next map, over the wire: capture the flag to its limit, a tournament with a queue,
//! rotations of maps.

use fogline_common::ids::ConfigstringNum;
use fogline_common::openarena::{configstring, pers, pm_type, team};
use fogline_common::proto::PlayerState;
use fogline_common::time::Millis;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, SECOND_MAP, Setup};
use fogline_tests::halls;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tests::tiny_map::TinyMap;
use fogline_tools::script::Script;

const BASES: &str = r#"
    { "classname" "worldspawn" }
    { "classname" "team_CTF_redflag" "origin" "-560 0 30" }
    { "classname" "team_CTF_blueflag" "origin" "560 0 30" }
    { "classname" "team_CTF_redplayer" "origin" "-300 500 26" "angle" "0" }
    { "classname" "team_CTF_redspawn" "origin" "-300 500 26" "angle" "0" }
    { "classname" "team_CTF_blueplayer" "origin" "300 500 26" "angle" "0" }
    { "classname" "team_CTF_bluespawn" "origin" "300 500 26" "angle" "0" }
    { "classname" "team_CTF_redplayer" "origin" "-300 600 26" "angle" "0" }
    { "classname" "team_CTF_blueplayer" "origin" "300 600 26" "angle" "0" }
    { "classname" "info_player_deathmatch" "origin" "0 -500 26" "angle" "0" }
    { "classname" "info_player_deathmatch" "origin" "0 -600 26" "angle" "0" }"#;
/// Long enough for a countdown, a restart or the scores that nobody leaves by hand.
const LONG: Millis = Millis(70_000);

fn idlers(seed: u64, count: usize, setup: &Setup) -> Sim<Server> {
    let bot = BotConfig { script: Script::Idle, ..BotConfig::default() };
    let setup = setup.clone().with("sv_floodProtect 0").with("sv_netoptimize 0");
    let mut sim = fixture::sim(seed, SimConfig::alike(count, &bot, LinkPair::default()), &setup);
    sim.run_until_all_active();
    sim
}

fn text(sim: &Sim<Server>, bot: usize, index: u16) -> String {
    let num = ConfigstringNum::new(usize::from(index)).expect("a configstring");
    sim.bots[bot].client.configstrings().text(num).to_owned()
}

fn player(sim: &Sim<Server>, bot: usize) -> PlayerState {
    *sim.bots[bot].client.predicted().expect("it plays")
}

fn team_of(sim: &Sim<Server>, bot: usize) -> i32 {
    player(sim, bot).persistant[pers::TEAM as usize]
}

fn command(sim: &mut Sim<Server>, bot: usize, words: &str) {
    sim.bots[bot].client.command(words).expect("it is connected");
    sim.run(Millis(600));
}

fn wait_for(sim: &mut Sim<Server>, what: &str, done: impl FnMut(&Sim<Server>) -> bool) {
    let seen = sim.run_until(LONG, done);
    assert!(
        seen,
        "seed {}: {what} did not come; the last lines: {:#?}",
        sim.seed(),
        sim.log.iter().rev().take(12).collect::<Vec<_>>()
    );
}

fn logged(sim: &Sim<Server>, line: &str) -> bool {
    sim.log.iter().any(|one| one == line)
}

/// The match is over: the scores are shown, everybody looks from one place, then the level that `arrived` knows comes.
fn sit_out_the_scores(sim: &mut Sim<Server>, reason: &str, arrived: impl Fn(&Sim<Server>) -> bool) {
    let exit = format!("Exit: {reason}");
    wait_for(sim, &exit, |sim| logged(sim, &exit));
    wait_for(sim, "the intermission", |sim| {
        sim.bots
            .iter()
            .all(|bot| bot.client.predicted().is_some_and(|ps| ps.pm_type == pm_type::INTERMISSION))
    });
    assert_eq!(text(sim, 0, configstring::INTERMISSION), "1");
    assert!(!arrived(sim), "the scores stay for a while");
    sim.log.clear();
    wait_for(sim, "the next level", arrived);
    sim.run_until_all_active();
    sim.run(Millis(500));
    assert_eq!(text(sim, 0, configstring::INTERMISSION), "");
}

#[test]
fn capture_the_flag_from_warm_up_to_the_next_map() {
    let setup = Setup::of_file("bases", TinyMap::room(BASES).file())
        .with("g_gametype 4")
        .with("g_doWarmup 1")
        .with("g_warmup 4")
        .with("capturelimit 2")
        .with("set nextmap \"map halls2\"");
    let mut sim = idlers(41, 4, &setup);
    sim.console("devmap bases");
    sim.run_until_all_active();
    assert_eq!(text(&sim, 0, configstring::WARMUP), "-1");
    for (bot, side) in ["red", "blue", "red", "blue"].into_iter().enumerate() {
        command(&mut sim, bot, &format!("team {side}"));
    }
    wait_for(&mut sim, "the countdown", |sim| {
        text(sim, 0, configstring::WARMUP).parse::<i32>().is_ok_and(|at| at > 0)
    });
    wait_for(&mut sim, "the restart", |sim| text(sim, 0, configstring::WARMUP).is_empty());
    sim.run(Millis(1000));
    assert_eq!((team_of(&sim, 0), team_of(&sim, 1)), (team::RED, team::BLUE));
    assert_eq!(text(&sim, 1, configstring::FLAGSTATUS), "00");

    for capture in 1..=2 {
        command(&mut sim, 0, "setviewpos 500 0 30 0");
        assert_eq!(text(&sim, 1, configstring::FLAGSTATUS), "01");
        command(&mut sim, 0, "setviewpos -500 0 30 180");
        assert_eq!(text(&sim, 1, configstring::SCORES1), capture.to_string());
        assert_eq!(player(&sim, 0).persistant[pers::CAPTURES as usize], capture);
    }
    sit_out_the_scores(&mut sim, "Capturelimit hit.", |sim| sim.server.map() == Some(SECOND_MAP));
    assert_eq!((team_of(&sim, 0), team_of(&sim, 1)), (team::RED, team::BLUE), "teams outlast the map");
    assert_eq!(text(&sim, 1, configstring::SCORES1), "0");
}

#[test]
fn a_tournament_lets_everybody_in_the_queue_play() {
    let setup =
        Setup::halls().with("g_gametype 1").with("g_doWarmup 1").with("g_warmup 3").with("fraglimit 1");
    let mut sim = idlers(42, 6, &setup);
    let playing =
        |sim: &Sim<Server>| -> Vec<usize> { (0..6).filter(|&bot| team_of(sim, bot) == team::FREE).collect() };
    let begun = |sim: &Sim<Server>| text(sim, 0, configstring::WARMUP).is_empty() && playing(sim).len() == 2;
    let wins =
        |sim: &Sim<Server>, bot: usize| text(sim, 0, configstring::PLAYERS + bot as u16).contains("\\w\\1\\");
    let mut waiting: Vec<usize> = Vec::new();
    let mut have_played: Vec<usize> = Vec::new();
    for game in 0..5 {
        wait_for(&mut sim, "the countdown", |sim| {
            text(sim, 0, configstring::WARMUP).parse::<i32>().is_ok_and(|at| at > 0)
        });
        assert_eq!(playing(&sim).len(), 2, "game {game}: the countdown is for two");
        wait_for(&mut sim, "the match", begun);
        sim.run(Millis(1500));
        let pair = playing(&sim);
        assert_eq!(pair.len(), 2, "game {game}: {pair:?}");
        if game == 0 {
            have_played.extend(&pair);
            waiting = (0..6).filter(|bot| !pair.contains(bot)).collect();
        }
        // The champion stays; the other gives it the point.
        let champion = have_played[0];
        let loser = pair.iter().copied().find(|&bot| bot != champion).expect("two of them");
        if game > 0 {
            assert_eq!(loser, waiting.remove(0), "game {game}: who waited longest plays next");
            have_played.push(loser);
        }
        command(&mut sim, loser, "kill");
        wait_for(&mut sim, "the exit", |sim| logged(sim, "Exit: Fraglimit hit."));
        wait_for(&mut sim, "the scores", |sim| player(sim, champion).pm_type == pm_type::INTERMISSION);
        assert_eq!(game == 0, wins(&sim, champion));
        sim.log.clear();
        wait_for(&mut sim, "the next pair", |sim| {
            player(sim, champion).pm_type == pm_type::NORMAL && team_of(sim, loser) == team::SPECTATOR
        });
    }
    have_played.sort_unstable();
    assert_eq!(have_played, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_rotation_file_leads_through_its_maps_and_round_again() {
    let order = "# an evening\nhalls\nnowhere\nbases fraglimit=2\n\nhalls2 fraglimit=1 // short\nodd line\n";
    let setup = Setup::halls()
        .with_file("evening.txt", order.into())
        .with_file("maps/bases.bsp", TinyMap::room(BASES).file())
        .with("fraglimit 1")
        .with("sv_mapRotation evening.txt");
    let mut sim = idlers(43, 2, &setup);
    sim.console("rotation reload");
    for part in ["nowhere is left out: maps/nowhere.bsp was not found", "line 7: ", "3 maps in rotation"] {
        assert!(sim.log.iter().any(|line| line.contains(part)), "{part}: {:?}", sim.log);
    }
    for (deaths, next) in [(1, "bases"), (2, SECOND_MAP), (1, halls::NAME), (1, "bases")] {
        for death in 0..deaths {
            if death > 0 {
                sim.run(Millis(25_000));
            }
            command(&mut sim, 1, "kill");
        }
        sit_out_the_scores(&mut sim, "Fraglimit hit.", |sim| sim.server.map() == Some(next));
        if sim.server.map() == Some(halls::NAME) {
            sim.console("fraglimit 1");
        }
    }
    sim.console("rotation list");
    assert!(sim.log.iter().any(|line| line == ">  2 bases fraglimit=2"), "{:?}", sim.log);
    sim.console("rotation goto 3");
    assert_eq!(sim.server.map(), Some(SECOND_MAP));
}

#[test]
fn a_rotation_of_vstr_goes_round_for_ever() {
    let setup = Setup::halls()
        .with("fraglimit 1")
        .with("set d1 \"map halls2 ; set nextmap vstr d2\"")
        .with("set d2 \"map halls ; set nextmap vstr d1\"")
        .with("set nextmap vstr d1");
    let mut sim = idlers(44, 2, &setup);
    for next in [SECOND_MAP, halls::NAME, SECOND_MAP] {
        command(&mut sim, 1, "kill");
        sit_out_the_scores(&mut sim, "Fraglimit hit.", |sim| sim.server.map() == Some(next));
    }
}

#[test]
fn when_no_map_of_a_rotation_can_be_played_the_match_begins_again() {
    let setup = Setup::halls()
        .with_file("broken.txt", b"nowhere\nelsewhere\n".to_vec())
        .with("fraglimit 1")
        .with("sv_mapRotation broken.txt");
    let mut sim = idlers(45, 2, &setup);
    let before = sim.bots[0].restarts;
    command(&mut sim, 1, "kill");
    sit_out_the_scores(&mut sim, "Fraglimit hit.", |sim| sim.bots[0].restarts > before);
    assert_eq!(sim.server.map(), Some(halls::NAME));
}
