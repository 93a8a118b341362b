//! Capture the flag on a small map made in memory.

use fogline_common::ids::ClientNum;
use fogline_common::openarena::{
    configstring, entity_flag, entity_type, event, game_type, pers, powerup, team, team_sound,
};
use fogline_server::config::Config;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{OTHER, WALKER, score, still, with};
use fogline_tests::tiny_map::TinyMap;

const RED_STAND: &str = "setviewpos -500 0 30 180";
const BLUE_STAND: &str = "setviewpos 500 0 30 0";

/// A red and a blue player far from both flags.
fn bases(config: Config) -> (Match, ClientNum, ClientNum) {
    let entities = r#"
        { "classname" "team_CTF_redflag" "origin" "-560 0 30" }
        { "classname" "team_CTF_blueflag" "origin" "560 0 30" }
        { "classname" "team_CTF_redplayer" "origin" "-300 500 26" "angle" "0" }
        { "classname" "team_CTF_redspawn" "origin" "-300 500 26" "angle" "0" }
        { "classname" "team_CTF_blueplayer" "origin" "300 500 26" "angle" "0" }
        { "classname" "team_CTF_bluespawn" "origin" "300 500 26" "angle" "0" }
        { "classname" "info_player_deathmatch" "origin" "0 -500 26" "angle" "0" }"#;
    let config = Config { g_gametype: game_type::CTF, sv_cheats: true, ..config };
    let mut run = Match::new(TinyMap::room(&with(entities)).build(), config);
    let red = run.join(0, WALKER);
    let blue = run.join(1, OTHER);
    run.command(red, "team red");
    run.command(blue, "team blue");
    run.hold_all(&[(red, still()), (blue, still())], 500);
    assert_eq!(run.player(red).persistant[pers::TEAM as usize], team::RED);
    assert_eq!(run.player(blue).persistant[pers::TEAM as usize], team::BLUE);
    (run, red, blue)
}

/// Walks over a flag: arrives before it and slides over it.
fn visit(run: &mut Match, num: ClientNum, place: &str) {
    run.command(num, place);
    run.hold(num, 500, still());
}

fn carries(run: &Match, num: ClientNum, flag: i32) -> bool {
    run.player(num).powerups[flag as usize] != 0
}

fn status(run: &Match) -> &str {
    run.configstring(configstring::FLAGSTATUS)
}

#[test]
fn a_flag_is_taken_and_captured() {
    let (mut run, red, _) = bases(Config::default());
    assert_eq!(status(&run), "00");
    // One's own flag at home is nothing to take.
    visit(&mut run, red, RED_STAND);
    assert_eq!(status(&run), "00");
    run.command(red, BLUE_STAND);
    run.hold(red, 150, still());
    let sound = entity_type::EVENTS + event::GLOBAL_TEAM_SOUND;
    let taken = run.find(|e| e.state.entity_type == sound && e.state.event_parm == team_sound::RED_TAKEN);
    assert_eq!((status(&run), taken.len()), ("01", 1));
    assert!(carries(&run, red, powerup::BLUEFLAG));
    assert!(run.host.logged.contains(&"CTF: 0 2 0: Walker got the BLUE flag!".to_owned()));
    let before = score(&run.player(red));
    visit(&mut run, red, RED_STAND);
    assert_eq!(status(&run), "00");
    let ps = run.player(red);
    assert_eq!((score(&ps) - before, ps.persistant[pers::CAPTURES as usize]), (5, 1));
    assert_ne!(ps.flags & entity_flag::AWARD_CAP, 0);
    assert!(!carries(&run, red, powerup::BLUEFLAG));
    assert_eq!((run.configstring(6), run.configstring(7)), ("1", "0"));
    assert!(run.host.logged.contains(&"CTF: 0 2 1: Walker captured the BLUE flag!".to_owned()));
    // It stands there again for the next.
    visit(&mut run, red, BLUE_STAND);
    assert_eq!(status(&run), "01");
}

#[test]
fn a_lost_flag_is_brought_back_by_its_team_or_by_time() {
    let (mut run, red, blue) = bases(Config::default());
    visit(&mut run, red, BLUE_STAND);
    run.command(red, "kill");
    run.hold(red, 1000, still());
    assert_eq!(status(&run), "02");
    let before = score(&run.player(blue));
    let lies = run.find(|e| e.state.entity_type == entity_type::ITEM && e.state.model_index2 != 0)[0];
    let at = run.state(lies).pos.base;
    visit(&mut run, blue, &format!("setviewpos {:.0} {:.0} 30 0", at.x - 40.0, at.y));
    assert_eq!((status(&run), score(&run.player(blue)) - before), ("00", 1));

    let (mut run, red, _) = bases(Config::default());
    visit(&mut run, red, BLUE_STAND);
    run.command(red, "kill");
    run.hold(red, 29_000, still());
    assert_eq!(status(&run), "02");
    run.hold(red, 2000, still());
    assert_eq!(status(&run), "00");
    assert!(run.was_told("The BLUE flag has returned!"));
}

#[test]
fn nobody_captures_while_the_own_flag_is_away_and_the_limit_ends_the_match() {
    let (mut run, red, blue) = bases(Config { capturelimit: 1, ..Config::default() });
    visit(&mut run, red, BLUE_STAND);
    visit(&mut run, blue, RED_STAND);
    assert_eq!(status(&run), "11");
    visit(&mut run, red, RED_STAND);
    assert_eq!(status(&run), "11");
    run.command(blue, "kill");
    run.hold(blue, 31_000, still());
    visit(&mut run, red, RED_STAND);
    assert!(run.host.logged.contains(&"Exit: Capturelimit hit.".to_owned()), "{:?}", run.host.logged);
}
