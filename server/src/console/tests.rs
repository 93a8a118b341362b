//! The console as hosts and bots meet it.

use super::fake::FakeServer;
use super::*;
use crate::files::MemoryFiles;
use proptest::prelude::*;

fn typed(server: &mut FakeServer, text: &str) -> String {
    run(server, text, Source::Local)
}

fn remote(server: &mut FakeServer, text: &str) -> String {
    run(server, text, Source::Rcon)
}

fn player(slot: usize, name: &str, bot: bool) -> Player {
    Player {
        client: ClientNum::new(slot).unwrap(),
        score: 0,
        presence: Presence::Playing { ping: 5 },
        name: name.to_owned(),
        silence: Millis(0),
        address: (!bot).then(|| "192.0.2.1:27960".parse().unwrap()),
        qport: 1,
        rate: 25000,
    }
}

#[test]
fn a_cvar_answers_in_the_words_that_bots_read() {
    let mut server = FakeServer::with_map();
    assert_eq!(typed(&mut server, "fraglimit"), "\"fraglimit\" is:\"20^7\" default:\"20^7\"\n");
    assert_eq!(typed(&mut server, "FRAGLIMIT 5"), "");
    assert_eq!(typed(&mut server, "fraglimit"), "\"fraglimit\" is:\"5^7\" default:\"20^7\"\n");
    typed(&mut server, "set sv_maxclients 12");
    let reply = typed(&mut server, "sv_maxclients");
    assert_eq!(reply, "\"sv_maxclients\" is:\"16^7\" default:\"16^7\"\nlatched: \"12\"\n");
}

#[test]
fn golden_admin_bot_pattern_reads_every_cvar() {
    let pattern = r#"(?im)^"(?P<cvar>[a-z0-9_.]+)"\s+is:\s*"(?P<value>.*?)(\^7)?"\s+default:\s*"(?P<default>.*?)(\^7)?"$"#;
    let pattern = regex::Regex::new(pattern).unwrap();
    let mut server = FakeServer::with_map();
    for entry in crate::config::cvars::TABLE {
        let reply = typed(&mut server, entry.name);
        let found = pattern.captures(&reply).unwrap_or_else(|| panic!("{reply}"));
        assert_eq!(&found["cvar"], entry.name);
        assert_eq!(&found["default"], entry.kind.default_text());
    }
}

#[test]
fn set_words_are_joined_and_flags_follow_the_command() {
    let mut server = FakeServer::with_map();
    typed(&mut server, "set motd two words; sets .admin \"me\"; seta keep 1");
    assert_eq!(server.cvars.get("motd").unwrap().value(), "two words");
    assert!(server.cvars.serverinfo().contains("\\.admin\\me"));
    assert!(server.cvars.archive().contains("seta keep \"1\""));
    typed(&mut server, "set keep 2; reset keep; toggle fraglimit 10 20 30; toggle sv_lanForceRate");
    assert_eq!(server.cvars.get("keep").unwrap().value(), "1");
    assert_eq!(server.cvars.get("fraglimit").unwrap().value(), "30");
    assert_eq!(server.cvars.get("sv_lanforcerate").unwrap().value(), "0");
    typed(&mut server, "unset keep");
    assert!(server.cvars.get("keep").is_none());
}

#[test]
fn a_rotation_goes_round_for_ever_without_growing() {
    let mut server = FakeServer::with_map();
    typed(
        &mut server,
        "set d1 \"map q3dm7 ; set nextmap vstr d2\"\nset d2 \"map q3dm17 ; set nextmap vstr d1\"\nvstr d1",
    );
    for round in 1..2000 {
        server.buffer.queue("vstr nextmap");
        assert_eq!(run_queued(&mut server), "");
        let map = if round % 2 == 0 { "q3dm7" } else { "q3dm17" };
        assert_eq!(server.cvars.config().mapname, map);
        assert_eq!(server.buffer.nesting(), 0);
    }
    assert_eq!(server.asked.len(), 2000);
}

#[test]
fn a_rotation_may_change_what_latches() {
    let mut server = FakeServer::with_map();
    typed(
        &mut server,
        "set d1 \"g_gametype 4; map ctf1; set nextmap vstr d2\"; set d2 \"g_gametype 0; map dm1; set nextmap vstr d1\"",
    );
    typed(&mut server, "vstr d1");
    assert_eq!(server.cvars.config().g_gametype, 4);
    typed(&mut server, "vstr nextmap");
    assert_eq!(server.cvars.config().g_gametype, 0);
}

#[test]
fn a_text_that_runs_itself_is_stopped() {
    for text in [
        "set a vstr a; vstr a",
        "set a \"vstr a; echo x\"; vstr a",
        "set a \"vstr b; vstr b\"; set b \"vstr a; vstr a\"; vstr a",
        "set a \"map m; vstr a\"; vstr a",
        "set a \"cvarlist; vstr a\"; vstr a",
    ] {
        let mut server = FakeServer::with_map();
        let reply = typed(&mut server, text);
        assert!(reply.contains("deep inside each other") || reply.contains("stopped at"), "{text}");
        assert!(server.asked.len() <= 8, "{text}");
        assert_eq!(server.buffer.nesting(), 0, "{text}");
        assert_eq!(typed(&mut server, "echo alive"), "alive\n");
    }
}

#[test]
fn an_exec_that_runs_itself_is_stopped() {
    let mut server = FakeServer::with_map();
    server.files = MemoryFiles::from([("loop.cfg", "echo x\nexec loop\necho y")]);
    let reply = typed(&mut server, "exec loop");
    assert!(reply.contains("deep inside each other") || reply.contains("stopped at"));
    assert!(typed(&mut server, "exec nowhere").starts_with("couldn't exec nowhere.cfg: "));
}

#[test]
fn wait_leaves_the_rest_for_later_frames() {
    let mut server = FakeServer::with_map();
    assert_eq!(typed(&mut server, "echo a; wait 2; echo b; wait; echo c"), "a\n");
    assert_eq!(typed(&mut server, "echo now"), "now\n");
    let frames: Vec<String> = (0..4).map(|_| run_queued(&mut server)).collect();
    assert_eq!(frames, ["", "b\n", "c\n", ""]);
}

#[test]
fn a_script_may_repeat_itself_with_wait_for_ever() {
    let mut server = FakeServer::with_map();
    server.files = MemoryFiles::from([("ads.cfg", "echo join us\nwait\nexec ads // again\n")]);
    typed(&mut server, "exec ads");
    for _ in 0..500 {
        assert_eq!(run_queued(&mut server), "execing ads.cfg\njoin us\n");
        assert_eq!(server.buffer.nesting(), 1);
    }
}

#[test]
fn unknown_words_go_to_the_game_and_then_get_a_hint() {
    let mut server = FakeServer::with_map();
    assert_eq!(typed(&mut server, "entitylist"), "0 worldspawn\n");
    assert_eq!(typed(&mut server, "fragimit 5"), "Unknown command \"fragimit\"; did you mean fraglimit?\n");
    assert!(typed(&mut server, "xyzzyplugh").starts_with("Unknown command \"xyzzyplugh\""));
    assert_eq!(typed(&mut server, "/heartbeat"), "");
    assert_eq!(server.asked, ["heartbeat"]);
}

#[test]
fn a_remote_console_cannot_touch_the_password() {
    let mut server = FakeServer::with_map();
    typed(&mut server, "set rconpassword correct-horse");
    for text in [
        "rconpassword stolen",
        "set rconPassword stolen",
        "seta sv_rconpassword stolen",
        "reset rconpassword",
        "toggle rconpassword",
        "set a \"set rconpassword stolen\"; vstr a",
        "set nextmap \"rconpassword stolen\"",
        "exec steal",
        "writeconfig server",
    ] {
        server.files = MemoryFiles::from([("steal.cfg", "set rconpassword stolen")]);
        assert!(!remote(&mut server, text).is_empty(), "{text}");
        server.buffer.queue("vstr nextmap");
        run_queued(&mut server);
        assert_eq!(server.cvars.get("rconpassword").unwrap().value(), "correct-horse", "{text}");
    }
    for text in ["rconpassword", "print rconpassword", "cvarlist", "help rconpassword"] {
        assert!(!remote(&mut server, text).contains("correct-horse"), "{text}");
    }
    assert!(typed(&mut server, "rconpassword").contains("correct-horse"));
}

#[test]
fn players_are_found_by_slot_and_by_name() {
    let check = |text: &str, reply: &str, asked: &[&str]| {
        let mut server = FakeServer::with_map();
        server.players =
            vec![player(0, "^1Red^7 Baron", false), player(3, "Sarge", true), player(5, "Grunt", true)];
        assert_eq!(typed(&mut server, text), reply, "{text}");
        assert_eq!(server.asked, asked, "{text}");
    };
    check("kick red baron", "^1Red^7 Baron was kicked.\n", &["drop 0 was kicked"]);
    check("kick Sarge spamming \"a lot\"", "Sarge was kicked.\n", &["drop 3 was kicked: spamming a lot"]);
    check("clientkick 5", "Grunt was kicked.\n", &["drop 5 was kicked"]);
    check("kicknum 7", "there is nobody in slot 7\n", &[]);
    check("kick nobody", "Player nobody is not on the server\n", &[]);
    check(
        "kick allbots",
        "Sarge was kicked.\nGrunt was kicked.\n",
        &["drop 3 was kicked", "drop 5 was kicked"],
    );
    check("tell 3 hi", "console_tell: hi (to Sarge)\n", &["to 3: chat \"console_tell: hi\""]);
    check("say hello\tall", "console: hello all\n", &["to all: chat \"console: hello all\""]);
    check(
        "dumpuser sarge",
        "userinfo\n--------\nname                 Sarge\ncl_guid              0A33\n",
        &[],
    );
}

#[test]
fn match_commands_reach_the_server() {
    let mut server = FakeServer::default();
    assert!(typed(&mut server, "status").starts_with("Server is not running"));
    assert_eq!(typed(&mut server, "map oa_dm2; map_restart 3; devmap oa_dm5.bsp; killserver; quit"), "");
    assert_eq!(
        server.asked,
        ["map oa_dm2", "restart 3000", "map oa_dm5 cheats", "killserver killserver", "quit"]
    );
    assert_eq!(typed(&mut server, "map missing"), "maps/missing.bsp was not found\n");
    for name in ["../x", "a/b", "", ".hidden", "a\u{7f}"] {
        assert!(typed(&mut server, &format!("map \"{name}\"")).contains("is no map name"), "{name}");
    }
}

#[test]
fn info_is_shown_with_its_size() {
    let mut server = FakeServer::with_map();
    let text = typed(&mut server, "serverinfo");
    assert!(text.starts_with("Server info settings:\n"));
    assert!(text.contains("\nmapname              oa_dm1\n"), "{text}");
    let bytes = server.cvars.serverinfo().len() + 1;
    assert!(text.ends_with(&format!("serverinfo length: {bytes}/1024 bytes\n")), "{text}");
    assert!(typed(&mut server, "systeminfo").contains("\nsv_fps               20\n"));
}

#[test]
fn help_tells_of_every_command_and_cvar() {
    let mut server = FakeServer::with_map();
    for name in COMMANDS.iter().map(|c| c.name).chain(crate::config::cvars::TABLE.iter().map(|e| e.name)) {
        let text = typed(&mut server, &format!("help {name}"));
        assert!(text.starts_with(name) && text.lines().count() >= 2, "{text}");
    }
    assert!(typed(&mut server, "help sv_fps").contains("range 10..250"));
    assert!(typed(&mut server, "cvarlist sv_m*").contains("sv_maxclients \"16\""));
    assert!(typed(&mut server, "cmdlist map").contains("map_restart"));
}

#[test]
fn the_command_line_comes_after_the_archive_and_before_the_map() {
    let files = MemoryFiles::from([
        (ARCHIVE_FILE, "seta sv_maxclients \"4\"\nseta fraglimit \"7\"\n"),
        ("autoexec.cfg", "timelimit 9"),
    ]);
    let mut server = FakeServer { files, ..FakeServer::default() };
    let args = ["fogline", "+map", "oa_dm2", "+set", "sv_maxclients", "6", "+set", "sv_fps", "9999"];
    let (_, commands) = split_plus_args(args.map(str::to_owned));
    apply_sets(&mut server.cvars, &commands);
    server.cvars.seal();
    let reply = start_up(&mut server, &commands);
    let config = server.cvars.config();
    assert_eq!((config.sv_maxclients, config.fraglimit, config.timelimit, config.sv_fps), (6, 7, 9, 250));
    assert_eq!(reply.matches("sv_fps cannot be 9999").count(), 1, "{reply}");
}

#[test]
fn the_archive_comes_back_as_it_was() {
    let mut server = FakeServer::with_map();
    assert_eq!(save_archive(&mut server.cvars, &mut server.files), Ok(false));
    typed(&mut server, "sv_hostname \"Two  words // and more\"; seta mine \"; x\"; sv_floodProtect 0");
    assert_eq!(save_archive(&mut server.cvars, &mut server.files), Ok(true));
    let mut again = FakeServer { files: server.files.clone(), ..FakeServer::default() };
    start_up(&mut again, &[]);
    for name in ["sv_hostname", "mine", "sv_floodProtect"] {
        assert_eq!(again.cvars.get(name).unwrap().value(), server.cvars.get(name).unwrap().value());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_text_panics_or_outgrows_its_bounds(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "set a ", "vstr a", "vstr b", "set b ", "\"", ";", "\n", "wait", "exec loop", "echo ", "//", "/*", "*/", "é",
                "toggle a", "reset sv_fps", "sv_fps nan", "map m", "kick all", "status", " ", "cvarlist", "help x", "\\", "+", "^",
            ]),
            0..30,
        )
    ) {
        let mut server = FakeServer::with_map();
        server.files = MemoryFiles::from([("loop.cfg", "vstr a; exec loop; vstr b")]);
        let reply = run(&mut server, &parts.concat(), Source::Rcon);
        prop_assert!(reply.len() < 1 << 20);
        for _ in 0..3 {
            let reply = run_queued(&mut server);
            prop_assert!(reply.len() < 1 << 20);
        }
    }
}
