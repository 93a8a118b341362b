//! Bots as hosts, players and browsers meet them: they come and go by command and by `bot_minplayers`, have no connection and no
//! ping, make room for people, and a journal of a match with them replays.

use fogline_common::ids::ConfigstringNum;
use fogline_common::openarena::{configstring, game_type};
use fogline_common::proto::info_string;
use fogline_common::time::{Arrival, Millis};
use fogline_server::config::Config;
use fogline_server::io::journal::Reader;
use fogline_server::io::replay::replay;
use fogline_server::server::Server;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, SECOND_MAP, Setup};
use fogline_tests::game_host::Match;
use fogline_tests::journalled::Journalled;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{ServerUnderTest, Sim, SimConfig};
use std::net::SocketAddr;

fn sim(seed: u64, people: usize, setup: &Setup) -> Sim<Server> {
    fixture::sim(seed, SimConfig::alike(people, &BotConfig::default(), LinkPair::default()), setup)
}

/// Bots among the clients.
fn bots(server: &Server) -> usize {
    server.clients().living().filter(|session| session.is_bot).count()
}

fn people(server: &Server) -> usize {
    server.clients().connected().filter(|session| !session.is_zombie()).count()
}

/// What a stranger is answered.
fn ask(sim: &mut Sim<Server>, question: &str) -> String {
    let stranger = SocketAddr::from(([192, 0, 2, 7], 5000));
    let datagram = [b"\xff\xff\xff\xff", question.as_bytes()].concat();
    let now = sim.now();
    sim.server.receive(now, stranger, &datagram);
    let mut answer = Vec::new();
    while let Some(to) = sim.server.poll_transmit(&mut answer) {
        if to == stranger {
            return String::from_utf8_lossy(&answer).into_owned();
        }
    }
    panic!("{question} was not answered");
}

#[test]
fn a_bot_has_a_slot_no_ping_and_no_line() {
    let mut sim = sim(51, 1, &Setup::halls());
    sim.run_until_all_active();
    sim.console("addbot Sarge 3");
    sim.console("addbot Nobody_Known 5");
    sim.run(Millis(1000));
    assert_eq!((bots(&sim.server), people(&sim.server)), (2, 1));
    let info = ask(&mut sim, "getinfo xyz");
    assert!(info.contains("\\clients\\3\\") && info.contains("\\g_humanplayers\\1\\"), "{info}");
    let status = ask(&mut sim, "getstatus xyz");
    assert!(status.contains(" 0 \"Sarge\"\n") && status.contains(" 0 \"Nobody_Known\"\n"), "{status}");
    sim.log.clear();
    sim.console("status");
    let rows: Vec<&String> = sim.log.iter().filter(|line| line.contains(" bot ")).collect();
    assert_eq!(rows.len(), 2, "{:?}", sim.log);
    // On the scoreboards of clients, who has a skill has a face of its own.
    let has_skill = |slot: u16| {
        let num = ConfigstringNum::new(usize::from(configstring::PLAYERS + slot)).expect("a configstring");
        let skill = info_string::value(sim.bots[0].client.configstrings().text(num), "skill").to_owned();
        skill.parse::<f32>().ok()
    };
    assert_eq!([0, 1, 2].map(has_skill), [None, Some(3.0), Some(5.0)]);
    // Nothing is made for who does not listen.
    let snapshots = sim.server.metrics().snapshots;
    sim.run(Millis(1000));
    assert_eq!(sim.server.metrics().snapshots - snapshots, 20, "one client at 20 a second");
}

#[test]
fn bots_go_as_they_are_told_to() {
    let mut sim = sim(52, 0, &Setup::halls());
    for name in ["Sarge", "Grism", "Liz", "Tony"] {
        sim.console(&format!("addbot {name}"));
    }
    sim.run(Millis(500));
    assert_eq!(bots(&sim.server), 4);
    sim.console("removebot Liz");
    sim.console("removebot");
    sim.run(Millis(200));
    let names: Vec<&str> = sim.server.clients().living().map(|session| session.name.as_str()).collect();
    assert_eq!(names, ["Sarge", "Grism"]);
    sim.console("kick allbots");
    sim.run(Millis(200));
    assert_eq!(sim.server.clients().iter().count(), 0, "a bot's slot is free at once");
    sim.console("addbot Sarge 9");
    sim.console("addbot Sarge 3 green");
    sim.console("set bot_enable 0");
    sim.run(Millis(100));
    sim.console("addbot Sarge");
    sim.run(Millis(200));
    assert_eq!(bots(&sim.server), 0);
    for sentence in ["Skills go from 1 to 5", "There is no team \"green\"", "bot_enable is 0"] {
        assert!(sim.log.iter().any(|line| line.contains(sentence)), "{sentence}: {:?}", sim.log);
    }
}

#[test]
fn a_delayed_bot_comes_late() {
    let mut sim = sim(53, 0, &Setup::halls());
    sim.console("addbot Sarge 3 free 2000");
    sim.run(Millis(1500));
    assert_eq!(bots(&sim.server), 0);
    sim.run(Millis(1000));
    assert_eq!(bots(&sim.server), 1);
}

#[test]
fn minplayers_fills_up_and_makes_room() {
    let setup = Setup::halls().with("set sv_maxclients 8").with("set bot_minplayers 4");
    let mut sim = sim(54, 2, &setup);
    sim.run_until_all_active();
    sim.run(Millis(6000));
    assert_eq!((bots(&sim.server), people(&sim.server)), (2, 2));
    sim.console("set bot_minplayers 0");
    sim.run(Millis(2000));
    assert_eq!(bots(&sim.server), 2, "0 sends nobody away");
}

#[test]
fn each_team_gets_its_number() {
    let config =
        Config { bot_minplayers: 3, sv_maxclients: 12, g_gametype: game_type::TEAM, ..Config::default() };
    let mut run = Match::new(fixture::clip_map(&Setup::halls().map), config);
    for _ in 0..120 {
        run.frame();
    }
    let team = |slot: u16| info_string::value(run.configstring(configstring::PLAYERS + slot), "t").to_owned();
    let teams: Vec<String> = (0..12).map(team).filter(|team| !team.is_empty()).collect();
    let of = |wanted: &str| teams.iter().filter(|team| *team == wanted).count();
    assert_eq!((of("1"), of("2"), teams.len()), (3, 3, 6));
}

#[test]
fn a_full_server_of_bots_lets_a_player_in() {
    let setup = Setup::halls().with("set sv_maxclients 4");
    let mut sim = sim(56, 1, &setup);
    for _ in 0..4 {
        sim.console("addbot");
    }
    sim.run_until_all_active();
    assert_eq!((bots(&sim.server), people(&sim.server)), (3, 1));
}

#[test]
fn bots_stay_over_maps_and_restarts() {
    let mut sim = sim(57, 0, &Setup::halls());
    sim.console("addbot Sarge");
    sim.run(Millis(500));
    for change in ["map_restart 0", &format!("map {SECOND_MAP}")] {
        sim.console(change);
        sim.run(Millis(1500));
        assert_eq!(bots(&sim.server), 1, "after {change}");
    }
}

#[test]
fn a_match_with_bots_replays_to_the_same_bytes() {
    let setup = Setup::installed_or_halls("oa_dm1").with("set bot_minplayers 6");
    let config = SimConfig::alike(2, &BotConfig::default(), LinkPair::default());
    let mut sim = Sim::new(58, config, Journalled::new(fixture::server(58, &setup), 58));
    sim.set_map(&fixture::clip_map(&setup.map));
    sim.run(Millis(15_000));
    sim.shutdown("the end");
    let (_, mut reader) = Reader::new(&sim.server.journal[..]).unwrap();
    let mut again = fixture::server(58, &setup);
    let outcome = replay(&mut reader, &mut again, &mut |_| ()).unwrap();
    assert!(outcome.advances > 200 && outcome.datagrams > 200, "{outcome:?}");
    assert_eq!(outcome.diverged_at, None, "{outcome:?}");
}

#[test]
fn an_idle_server_of_bots_sends_nothing() {
    let mut server = fixture::server(59, &Setup::halls().with("set bot_minplayers 3"));
    let mut datagram = Vec::new();
    for ms in (0..4000).step_by(50) {
        ServerUnderTest::advance(&mut server, Arrival::from_millis(ms));
        assert_eq!(server.poll_transmit(&mut datagram), None);
    }
    assert_eq!(bots(&server), 3);
}
