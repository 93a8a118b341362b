//! What a host may do to cvars, and what it reads of it.

use super::*;
use crate::config::value::Kind;

fn host(cvars: &mut Cvars, name: &str, value: &str) -> Result<Vec<Note>, CvarError> {
    cvars.set(name, value, By::Host)
}

/// Values worth trying on a cvar of this kind, in canonical form.
fn samples(kind: &Kind) -> Vec<String> {
    match *kind {
        Kind::Bool { .. } => vec!["0".to_owned(), "1".to_owned()],
        Kind::Int { default, min, max, .. } => [min, default, max].iter().map(ToString::to_string).collect(),
        Kind::Float { default, min, max, .. } => {
            [min, default, max].iter().map(ToString::to_string).collect()
        }
        Kind::Text { default, .. } => vec![default.to_owned(), "two words".to_owned(), String::new()],
    }
}

#[test]
fn every_cvar_keeps_what_it_is_set_to_and_its_field_follows() {
    for entry in TABLE {
        for value in samples(&entry.kind) {
            if rules::refusal(entry.name, &value).is_some() {
                continue;
            }
            let mut cvars = Cvars::new();
            let notes = cvars.set(&entry.name.to_ascii_uppercase(), &value, By::Engine).unwrap();
            assert_eq!(notes, [], "{} {value}", entry.name);
            assert_eq!(cvars.get(entry.name).unwrap().value(), value, "{}", entry.name);
            cvars.swap();
            let mut config = cvars.config().clone();
            let field = match entry.kind {
                Kind::Bool { field, .. } => i32::from(*field(&mut config)).to_string(),
                Kind::Int { field, .. } => field(&mut config).to_string(),
                Kind::Float { field, .. } => field(&mut config).to_string(),
                Kind::Text { field, .. } => field(&mut config).clone(),
            };
            assert_eq!(field, value, "{}", entry.name);
        }
    }
}

#[test]
fn a_change_is_true_after_the_swap_and_not_before() {
    let mut cvars = Cvars::new();
    assert_eq!(cvars.swap(), Changes::default());
    host(&mut cvars, "fraglimit", "5").unwrap();
    assert_eq!((cvars.config().fraglimit, cvars.get("fraglimit").unwrap().value()), (20, "5"));
    assert_eq!(cvars.swap(), Changes { any: true, serverinfo: true, systeminfo: false });
    assert_eq!(cvars.config().fraglimit, 5);
    host(&mut cvars, "fraglimit", "5").unwrap();
    assert_eq!(cvars.swap(), Changes::default(), "the same value is no change");
}

#[test]
fn a_value_out_of_range_is_clamped_with_one_message() {
    let mut cvars = Cvars::new();
    let notes = host(&mut cvars, "sv_fps", "1e50").unwrap();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].to_string(), "sv_fps cannot be 1e50, the range is 10..250; it is 250 now");
    let error = host(&mut cvars, "sv_fps", "nan").unwrap_err().to_string();
    assert_eq!(error, "sv_fps cannot be \"nan\", which is not a number; it stays 250");
}

#[test]
fn a_latched_value_waits_for_the_next_map() {
    let mut cvars = Cvars::new();
    host(&mut cvars, "sv_maxclients", "12").unwrap();
    cvars.begin_map("oa_dm1", false).unwrap();
    assert_eq!((cvars.config().sv_maxclients, cvars.config().mapname.as_str()), (12, "oa_dm1"));
    let notes = host(&mut cvars, "sv_maxclients", "8").unwrap();
    assert_eq!(notes[0].to_string(), "sv_maxclients will be \"8\" from the next map on");
    cvars.swap();
    assert_eq!(cvars.config().sv_maxclients, 12);
    assert_eq!(cvars.get("sv_maxclients").unwrap().latched(), Some("8"));
    assert!(cvars.begin_map("oa_dm2", false).unwrap().serverinfo);
    assert_eq!(cvars.config().sv_maxclients, 8);
}

#[test]
fn setting_the_present_value_gives_up_a_waiting_one() {
    let mut cvars = Cvars::new();
    cvars.begin_map("a", false).unwrap();
    host(&mut cvars, "g_gametype", "4").unwrap();
    host(&mut cvars, "g_gametype", "0").unwrap();
    cvars.begin_map("b", false).unwrap();
    assert_eq!(cvars.config().g_gametype, 0);
}

#[test]
fn cheats_need_devmap_and_end_with_it() {
    let mut cvars = Cvars::new();
    cvars.begin_map("a", false).unwrap();
    assert!(matches!(host(&mut cvars, "timescale", "2"), Err(CvarError::Protected { .. })));
    cvars.begin_map("a", true).unwrap();
    host(&mut cvars, "timescale", "2").unwrap();
    assert!(cvars.begin_map("a", false).unwrap().systeminfo);
    assert_eq!(cvars.config().timescale, 1.0);
    assert!(!cvars.config().sv_cheats);
}

#[test]
fn protection_depends_on_who_asks() {
    let mut cvars = Cvars::new();
    host(&mut cvars, "fs_basepath", "/data").unwrap();
    cvars.seal();
    let check = |cvars: &mut Cvars, name: &str, by: By| cvars.set(name, "1", by).map_err(|e| e.to_string());
    assert_eq!(
        check(&mut cvars, "fs_basepath", By::Host),
        Err("fs_basepath can be given on the command line only".to_owned())
    );
    assert_eq!(check(&mut cvars, "g_needpass", By::Host), Err("g_needpass is read only".to_owned()));
    assert!(check(&mut cvars, "g_needpass", By::Game).is_ok());
    assert!(check(&mut cvars, "rconPassword", By::Rcon).is_err());
    assert!(check(&mut cvars, "sv_rconPassword", By::Rcon).is_err(), "by its other name neither");
    assert!(check(&mut cvars, "rconPassword", By::Host).is_ok());
}

#[test]
fn a_map_whose_name_cannot_travel_does_not_begin() {
    let mut cvars = Cvars::new();
    cvars.begin_map("a", false).unwrap();
    host(&mut cvars, "g_gametype", "4").unwrap();
    assert!(cvars.begin_map(&"m".repeat(1000), false).is_err());
    cvars.swap();
    assert_eq!((cvars.config().mapname.as_str(), cvars.config().g_gametype), ("a", 0));
}

#[test]
fn pure_is_not_offered_and_says_so() {
    let mut cvars = Cvars::new();
    let error = host(&mut cvars, "sv_pure", "1").unwrap_err().to_string();
    assert!(error.contains("not offered yet"), "{error}");
    assert_eq!(host(&mut cvars, "sv_pure", "0"), Ok(Vec::new()));
}

#[test]
fn weak_remote_passwords_draw_a_warning() {
    for (password, warned) in [("short", true), ("ChangeMe", true), ("", false), ("tr0ub4dor-and-3", false)] {
        let mut cvars = Cvars::new();
        assert_eq!(
            host(&mut cvars, "rconpassword", password).unwrap().len(),
            usize::from(warned),
            "{password}"
        );
    }
}

#[test]
fn serverinfo_never_grows_beyond_its_limit() {
    let mut cvars = Cvars::new();
    let mut refused = 0;
    for n in 0..40 {
        let made = cvars.set_flagged(&format!(".note{n}"), &"x".repeat(30), Flags::SERVERINFO, By::Host);
        refused += usize::from(made.is_err());
        assert!(cvars.serverinfo().len() < 1024);
    }
    assert!(refused > 0);
    let before = cvars.serverinfo();
    let error = host(&mut cvars, "sv_hostname", &"h".repeat(900)).unwrap_err().to_string();
    assert!(error.contains("/1024 bytes"), "{error}");
    assert_eq!(cvars.serverinfo(), before);
    assert!(host(&mut cvars, "sv_hostname", "a;b").is_err());
}

#[test]
fn what_latches_counts_towards_the_limit_already() {
    let mut cvars = Cvars::new();
    cvars.begin_map("a", false).unwrap();
    cvars.set_flagged("big", &"b".repeat(10), Flags::SERVERINFO | Flags::LATCH, By::Host).unwrap();
    let room = 1024 - cvars.serverinfo().len();
    host(&mut cvars, "big", &"b".repeat(room)).unwrap();
    assert!(host(&mut cvars, "sv_hostname", "a rather longer name").is_err());
}

#[test]
fn the_client_half_finds_its_keys() {
    let cvars = Cvars::new();
    let keys = |info: &str| -> Vec<String> {
        fogline_common::proto::info_string::pairs(info).map(|(key, _)| key.to_owned()).collect()
    };
    let server = keys(&cvars.serverinfo());
    for key in [
        "g_gametype",
        "dmflags",
        "videoflags",
        "elimflags",
        "teamflags",
        "fraglimit",
        "capturelimit",
        "timelimit",
        "sv_maxclients",
        "elimination_roundtime",
        "g_rockets",
        "g_instantgib",
        "g_elimination",
        "g_lms_mode",
        "g_altExcellent",
        "g_redTeam",
        "g_blueTeam",
        "g_delagHitscan",
        "voteflags",
    ] {
        assert!(server.iter().any(|k| k == key), "{key}");
    }
    let system = keys(&cvars.systeminfo());
    for key in [
        "sv_serverid",
        "sv_pure",
        "sv_cheats",
        "sv_paks",
        "sv_pakNames",
        "sv_referencedPaks",
        "sv_referencedPakNames",
        "g_synchronousClients",
        "pmove_fixed",
        "pmove_msec",
        "pmove_float",
        "sv_fps",
        "fs_game",
        "timescale",
    ] {
        assert!(system.iter().any(|k| k == key), "{key}");
    }
}

#[test]
fn hosts_make_and_unmake_cvars_of_their_own() {
    let mut cvars = Cvars::new();
    host(&mut cvars, "d1", "map q3dm7 ; set nextmap vstr d2").unwrap();
    assert_eq!(cvars.get("D1").unwrap().value(), "map q3dm7 ; set nextmap vstr d2");
    cvars.unset("d1").unwrap();
    assert!(cvars.get("d1").is_none());
    assert!(matches!(cvars.unset("d1"), Err(CvarError::Unknown(_))));
    assert!(matches!(cvars.unset("sv_fps"), Err(CvarError::Protected { .. })));
    for name in ["", "a b", "a\"b", "a\\b", "a//b", "ä", &"n".repeat(64)] {
        assert!(matches!(host(&mut cvars, name, "1"), Err(CvarError::BadName(_))), "{name}");
    }
}

#[test]
fn the_number_of_cvars_is_bounded() {
    let mut cvars = Cvars::new();
    let made = (0..5000).filter(|n| host(&mut cvars, &format!("u{n}"), "1").is_ok()).count();
    assert_eq!(made, MAX_USER_CVARS);
    cvars.unset("u0").unwrap();
    host(&mut cvars, "another", "1").unwrap();
}

#[test]
fn the_archive_holds_what_differs_and_what_waits() {
    let mut cvars = Cvars::new();
    cvars.begin_map("a", false).unwrap();
    assert!(!cvars.archive_changed());
    host(&mut cvars, "sv_maxclients", "8").unwrap();
    host(&mut cvars, "g_motd", "not archived").unwrap();
    cvars.set_flagged("mine", "a b", Flags::ARCHIVE, By::Host).unwrap();
    let lines: Vec<String> = cvars.archive().lines().skip(1).map(str::to_owned).collect();
    assert_eq!(lines, ["seta mine \"a b\"", "seta sv_maxclients \"8\""]);
    assert!(cvars.archive_changed());
    cvars.archive_saved();
    assert!(!cvars.archive_changed());
}
