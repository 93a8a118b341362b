//! Capture the flag on a small map made in memory.

use fogline_common::ids::ClientNum;
use fogline_common::openarena::{
    configstring, entity_flag, entity_type, event, game_type, pers, powerup, stat, team, team_sound, weapon,
};
use fogline_server::config::Config;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{OTHER, WALKER, attack, score, still, with};
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
        { "classname" "team_CTF_blueplayer" "origin" "300 700 26" "angle" "0" }
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
    // Up to date first: all that a client missed would be made up for in one long move.
    run.hold(num, 50, still());
    run.command(num, place);
    run.hold(num, 500, still());
}

fn carries(run: &Match, num: ClientNum, flag: i32) -> bool {
    run.player(num).powerups[flag as usize] != 0
}

fn status(run: &Match) -> &str {
    run.configstring(configstring::FLAGSTATUS)
}

/// The victim dies in the middle of the room by a bullet, far from where flags stand.
fn shoot_dead(run: &mut Match, killer: ClientNum, victim: ClientNum) {
    run.command(victim, "setviewpos 0 0 30 0");
    run.command(killer, "setviewpos -200 0 30 0");
    run.hold_all(&[(killer, still()), (victim, still())], 700);
    run.command(victim, "give health 1");
    run.hold_all(&[(killer, attack(weapon::MACHINEGUN)), (victim, still())], 300);
    let (from, to) = (run.player(killer), run.player(victim));
    assert!(
        to.stats[stat::HEALTH as usize] <= 0,
        "shot from {:?} along {:?} at {:?}",
        from.origin,
        from.view_angles,
        to.origin
    );
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
    shoot_dead(&mut run, blue, red);
    run.hold(red, 1000, still());
    assert_eq!(status(&run), "02");
    let before = score(&run.player(blue));
    let lies = run.find(|e| e.state.entity_type == entity_type::ITEM && e.state.model_index2 != 0)[0];
    let at = run.state(lies).pos.base;
    visit(&mut run, blue, &format!("setviewpos {:.0} {:.0} 30 0", at.x - 40.0, at.y));
    assert_eq!((status(&run), score(&run.player(blue)) - before), ("00", 1));

    let (mut run, red, blue) = bases(Config::default());
    visit(&mut run, red, BLUE_STAND);
    shoot_dead(&mut run, blue, red);
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

#[test]
fn who_dies_by_its_own_hand_leaves_no_flag_behind() {
    let (mut run, red, _) = bases(Config::default());
    visit(&mut run, red, BLUE_STAND);
    assert_eq!(status(&run), "01");
    run.command(red, "kill");
    assert_eq!(status(&run), "00");
    assert!(run.was_told("The BLUE flag has returned!"));
}

#[test]
fn killing_the_carrier_pays_and_helps_a_capture() {
    let (mut run, red, blue) = bases(Config::default());
    let mate = run.join(2, OTHER);
    run.command(mate, "team blue");
    run.hold_all(&[(mate, still())], 200);
    visit(&mut run, red, BLUE_STAND);
    let before = score(&run.player(blue));
    shoot_dead(&mut run, blue, red);
    assert_eq!(score(&run.player(blue)) - before, 3, "one for the kill and two for the carrier");
    assert!(run.was_told("fragged RED's flag carrier!"));
    // The flag goes home, and the mate captures within ten seconds.
    visit(&mut run, blue, "setviewpos 100 0 30 180");
    let lies = run.find(|e| e.state.entity_type == entity_type::ITEM && e.state.model_index2 != 0);
    for num in lies {
        let at = run.state(num).pos.base;
        visit(&mut run, blue, &format!("setviewpos {:.0} {:.0} 30 0", at.x - 40.0, at.y));
    }
    assert_eq!(status(&run), "00");
    visit(&mut run, mate, RED_STAND);
    let before = score(&run.player(blue));
    visit(&mut run, mate, BLUE_STAND);
    assert_eq!(run.player(mate).persistant[pers::CAPTURES as usize], 1);
    let ps = run.player(blue);
    assert_eq!((score(&ps) - before, ps.persistant[pers::ASSIST_COUNT as usize]), (3, 2));
    assert!(run.host.logged.contains(&"Award: 1 5: Other gained the ASSIST award!".to_owned()));
}

#[test]
fn a_kill_near_the_own_flag_is_a_defence() {
    let (mut run, red, blue) = bases(Config::default());
    run.command(red, "setviewpos 480 -300 30 0");
    run.command(blue, "setviewpos 280 -300 30 0");
    run.hold_all(&[(red, still()), (blue, still())], 700);
    run.command(red, "give health 1");
    let before = score(&run.player(blue));
    run.hold_all(&[(blue, attack(weapon::MACHINEGUN)), (red, still())], 300);
    let ps = run.player(blue);
    assert_eq!((score(&ps) - before, ps.persistant[pers::DEFEND_COUNT as usize]), (2, 1));
    assert_ne!(ps.flags & entity_flag::AWARD_DEFEND, 0);
}
