//! Mines, the hook, and what is carried or borne, on small maps made in memory.

use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, vec3};
use fogline_common::openarena::{
    configstring, entity_flag, entity_type, event, game_type, pm_flag, powerup, shared, stat, team_sound,
    weapon,
};
use fogline_common::proto::{UserCmd, button};
use fogline_server::config::Config;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{
    OTHER, WALKER, attack, duel, health, line_up, plain_match, spawn_at, still, with,
};
use fogline_tests::tiny_map::TinyMap;

fn press() -> UserCmd {
    UserCmd { buttons: button::USE_HOLDABLE, ..still() }
}

fn use_item(run: &mut Match, num: ClientNum, class: &str) {
    run.command(num, &format!("give {class}"));
    run.hold(num, 100, still());
    run.hold(num, 50, press());
    run.hold(num, 50, still());
}

fn events(run: &Match, event: i32) -> usize {
    let single = run.find(|e| e.state.entity_type == entity_type::EVENTS + event).len();
    single + run.find(|e| e.state.event & !shared::EV_EVENT_BITS == event && e.state.entity_type < 13).len()
}

fn mines(run: &Match) -> Vec<fogline_common::ids::EntityNum> {
    run.find(|e| e.state.weapon == weapon::PROX_LAUNCHER && e.state.entity_type == entity_type::MISSILE)
}

/// Throws one mine at the wall ahead, which stands 300 units before the player.
fn thrown_mine(config: Config) -> (Match, ClientNum, ClientNum) {
    let spawns = spawn_at(0, 0, 26) + &spawn_at(0, 600, 26);
    let wall = Bounds::new(vec3(300.0, -1024.0, 0.0), vec3(308.0, 1024.0, 1024.0));
    let mut run =
        Match::new(TinyMap::room(&with(&spawns)).solid(wall).build(), Config { sv_cheats: true, ..config });
    let (a, b) = (run.join(0, WALKER), run.join(1, OTHER));
    if run.host.config.g_gametype == game_type::TEAM {
        run.command(a, "team red");
        run.command(b, "team red");
    }
    run.command(b, "setviewpos -600 600 30 0");
    run.command(a, "setviewpos 0 0 30 0");
    run.hold_all(&[(a, still()), (b, still())], 1000);
    run.command(a, "give weapon_prox_launcher");
    run.hold(a, 1000, UserCmd { weapon: weapon::PROX_LAUNCHER as u8, ..still() });
    run.hold(a, 50, attack(weapon::PROX_LAUNCHER));
    run.hold(a, 900, UserCmd { weapon: weapon::PROX_LAUNCHER as u8, ..still() });
    assert_eq!(mines(&run).len(), 1);
    (run, a, b)
}

#[test]
fn a_mine_sticks_arms_and_bursts_near_somebody() {
    let (mut run, a, b) = thrown_mine(Config::default());
    let mine = mines(&run)[0];
    let at = run.state(mine).pos.base;
    assert!((at.x - 300.0).abs() <= 1.0 && run.state(mine).pos.delta == vec3(0.0, 0.0, 0.0), "{at:?}");
    assert_eq!(run.state(mine).loop_sound, 0);
    run.hold_all(&[(a, still()), (b, still())], 1500);
    assert_ne!(run.state(mine).loop_sound, 0, "it ticks");
    run.command(b, &format!("setviewpos {:.0} {:.0} 30 0", at.x - 130.0, at.y + 60.0));
    run.hold(b, 200, still());
    assert_eq!(events(&run, event::PROXIMITY_MINE_TRIGGER), 1);
    let before = health(&run.player(b));
    run.hold(b, 700, still());
    assert!(mines(&run).is_empty() && health(&run.player(b)) < before - 5, "{}", health(&run.player(b)));
}

#[test]
fn a_mine_leaves_its_own_side_alone_and_bursts_when_shot_at_or_in_the_end() {
    let (mut run, a, b) = thrown_mine(Config { g_gametype: game_type::TEAM, ..Config::default() });
    let mine = mines(&run)[0];
    let at = run.state(mine).pos.base;
    run.hold_all(&[(a, still()), (b, still())], 1500);
    run.command(b, &format!("setviewpos {:.0} {:.0} 30 0", at.x - 130.0, at.y + 60.0));
    run.hold_all(&[(a, still()), (b, still())], 2000);
    assert_eq!(mines(&run).len(), 1, "a mate does not set it off");
    run.hold_all(&[(a, still()), (b, still())], 18_500);
    assert!(mines(&run).is_empty(), "it does not lie for ever");

    let (mut run, a, _) = thrown_mine(Config::default());
    run.hold(a, 2000, still());
    run.command(a, "give weapon_rocketlauncher");
    run.hold(a, 1000, UserCmd { weapon: weapon::ROCKET_LAUNCHER as u8, ..still() });
    let at = run.state(mines(&run)[0]).pos.base;
    let pitch = -((at.z - 50.0) / 300.0).atan().to_degrees();
    let up = UserCmd {
        angles: [(pitch * 65536.0 / 360.0) as i32 & 65535, 0, 0],
        ..attack(weapon::ROCKET_LAUNCHER)
    };
    run.hold(a, 50, up);
    run.hold(a, 700, still());
    assert!(mines(&run).is_empty(), "a rocket beside it sets it off");
}

#[test]
fn a_mine_that_hits_somebody_rides_on_it() {
    let (mut run, a, b) = duel(Config::default());
    run.command(a, "give weapon_prox_launcher");
    run.hold_all(&[(a, UserCmd { weapon: weapon::PROX_LAUNCHER as u8, ..still() }), (b, still())], 1000);
    // A little down, since mines are lobbed.
    let down = UserCmd { angles: [2500, 0, 0], ..attack(weapon::PROX_LAUNCHER) };
    run.hold_all(&[(a, down), (b, still())], 50);
    run.hold_all(&[(a, still()), (b, still())], 500);
    assert_ne!(run.player(b).flags & entity_flag::TICKING, 0);
    let rides = run.find(|e| e.state.weapon == weapon::PROX_LAUNCHER && e.link.owner == b.index() as i32);
    assert_eq!(rides.len(), 1, "where it bursts is told as what its carrier does");
    run.command(a, "setviewpos -800 800 30 0");
    run.hold_all(&[(a, still()), (b, still())], 9000);
    assert_ne!(run.player(b).flags & entity_flag::TICKING, 0);
    run.hold_all(&[(a, still()), (b, still())], 1500);
    assert!(health(&run.player(b)) <= 20, "{}", health(&run.player(b)));
    assert_eq!(run.player(b).flags & entity_flag::TICKING, 0);
}

#[test]
fn the_hook_pulls_while_the_trigger_is_held() {
    let mut run = plain_match(&spawn_at(0, 0, 26));
    run.host.config.sv_cheats = true;
    let num = run.join(0, WALKER);
    run.command(num, "give weapon_grapplinghook");
    let held = UserCmd { weapon: weapon::GRAPPLING_HOOK as u8, ..still() };
    run.hold(num, 1500, held);
    assert_eq!(run.player(num).weapon, weapon::GRAPPLING_HOOK);
    // Up and ahead, at the wall 1024 units away.
    let fire = UserCmd { angles: [-5461 & 65535, 0, 0], ..attack(weapon::GRAPPLING_HOOK) };
    run.hold(num, 500, fire);
    let rope =
        run.find(|e| e.state.weapon == weapon::GRAPPLING_HOOK && e.state.entity_type == entity_type::MISSILE);
    assert_eq!(rope.len(), 1, "one hook flies");
    run.hold(num, 1500, fire);
    let ps = run.player(num);
    assert_ne!(ps.pm_flags & pm_flag::GRAPPLE_PULL, 0);
    let hook = run.find(|e| e.state.entity_type == entity_type::GRAPPLE);
    assert_eq!((hook.len(), run.state(hook[0]).pos.base), (1, ps.grapple_point));
    assert!(ps.origin.x > 300.0 && ps.origin.z > 100.0, "pulled to {:?}", ps.origin);
    run.hold(num, 100, held);
    assert_eq!(run.player(num).pm_flags & pm_flag::GRAPPLE_PULL, 0);
    assert!(run.find(|e| e.state.weapon == weapon::GRAPPLING_HOOK && e.state.entity_type != 1).is_empty());
}

#[test]
fn a_kamikaze_takes_everybody_near_along() {
    let (mut run, players) = line_up(Config::default(), 3);
    let (a, b) = (players[0], players[1]);
    let far = players[2];
    run.command(far, "setviewpos 1000 1000 30 0");
    run.hold_all(&[(a, still()), (b, still()), (far, still())], 500);
    run.command(a, "give holdable_kamikaze");
    assert_ne!(run.player(a).flags & entity_flag::KAMIKAZE, 0, "everybody sees who has one");
    run.hold(a, 100, still());
    run.hold(a, 50, press());
    assert!(health(&run.player(a)) <= 0);
    let sound = entity_type::EVENTS + event::GLOBAL_TEAM_SOUND;
    assert_eq!(
        run.find(|e| e.state.entity_type == sound && e.state.event_parm == team_sound::KAMIKAZE).len(),
        1
    );
    run.hold_all(&[(b, still()), (far, still())], 2500);
    assert!(health(&run.player(b)) <= 0);
    assert!(health(&run.player(far)) > 60, "{}", health(&run.player(far)));
    assert_eq!(events(&run, event::KAMIKAZE), 0, "it is over");
    assert!(run.host.logged.iter().any(|line| line == "Kill: 0 1 26: Walker killed Other by MOD_KAMIKAZE"));
}

#[test]
fn a_charge_that_was_not_used_goes_off_on_the_body() {
    let (mut run, a, b) = duel(Config::default());
    run.command(b, "give holdable_kamikaze");
    run.command(b, "give health 20");
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, still())], 600);
    assert!(health(&run.player(b)) <= 0);
    run.hold(a, 4000, still());
    assert!(health(&run.player(a)) > 0);
    run.hold(a, 3500, still());
    assert!(health(&run.player(a)) <= 0, "{}", health(&run.player(a)));
}

#[test]
fn a_portal_leads_from_its_entry_to_its_exit() {
    let (mut run, a, b) = duel(Config::default());
    run.command(a, "setviewpos -700 -700 30 90");
    run.hold(a, 1000, still());
    use_item(&mut run, a, "holdable_portal");
    let exit = run.player(a).origin;
    assert_ne!(run.player(a).stats[stat::HOLDABLE_ITEM as usize], 0, "it is given back for the entry");
    run.command(a, "setviewpos 500 500 30 0");
    run.hold(a, 1000, still());
    run.hold(a, 50, press());
    run.hold(a, 50, still());
    assert_eq!(run.player(a).stats[stat::HOLDABLE_ITEM as usize], 0);
    let entry = run.player(a).origin;
    run.command(a, "setviewpos 0 -300 30 0");
    run.hold_all(&[(a, still()), (b, still())], 1500);
    run.command(b, &format!("setviewpos {:.0} {:.0} 30 0", entry.x - 60.0, entry.y));
    run.hold_all(&[(a, still()), (b, still())], 300);
    assert!(run.player(b).origin.distance(exit) < 100.0, "{:?} and not {exit:?}", run.player(b).origin);
}

/// A new name is told to every client at once, wherever it is: `server/docs/leaks.md`.
#[test]
fn nothing_that_players_do_gives_clients_a_new_name_to_load() {
    let hurt = r#"{ "classname" "trigger_hurt" "model" "*1" "dmg" "1" }"#;
    let things = r#"{ "classname" "holdable_portal" "origin" "-700 700 30" }
        { "classname" "item_quad" "origin" "-700 -700 30" }"#;
    let wall = Bounds::new(vec3(300.0, -1024.0, 0.0), vec3(308.0, 1024.0, 1024.0));
    let pool = Bounds::new(vec3(500.0, -200.0, 0.0), vec3(900.0, 200.0, 200.0));
    let entities = spawn_at(0, 0, 26) + &spawn_at(0, 600, 26) + hurt + things;
    let map = TinyMap::room(&with(&entities)).solid(wall).model(pool).build();
    let mut run = Match::new(map, Config { sv_cheats: true, ..Config::default() });
    let (a, b) = (run.join(0, WALKER), run.join(1, OTHER));
    let names = |run: &Match| -> Vec<String> {
        let tables = configstring::MODELS..configstring::SOUNDS + 256;
        tables.map(|index| run.configstring(index).to_owned()).collect()
    };
    let before = names(&run);
    let both = [(a, still()), (b, still())];
    run.command(a, "setviewpos 0 0 30 0");
    run.hold_all(&both, 1000);
    run.command(a, "give weapon_prox_launcher");
    let holds = UserCmd { weapon: weapon::PROX_LAUNCHER as u8, ..still() };
    run.hold_all(&[(a, holds), (b, still())], 1000);
    run.hold_all(&[(a, attack(weapon::PROX_LAUNCHER)), (b, still())], 50);
    run.hold_all(&both, 3500);
    let ticks = mines(&run).first().is_some_and(|&mine| run.state(mine).loop_sound != 0);
    run.command(b, "setviewpos 700 0 30 0");
    run.hold_all(&both, 300);
    let hurts = health(&run.player(b)) < 125;
    run.command(b, "setviewpos 0 600 30 0");
    // The quad appears within 75 s.
    let mut appears = 0;
    for _ in 0..750 {
        run.hold_all(&both, 100);
        appears += run.find(|e| e.state.entity_type == entity_type::EVENTS + event::GLOBAL_SOUND).len();
    }
    use_item(&mut run, b, "holdable_portal");
    let exit = (1..256).find(|&at| run.configstring(configstring::MODELS + at).ends_with("tele_exit.md3"));
    let leaves = run.find(|e| Some(e.state.model_index) == exit.map(i32::from)).len();
    assert!(ticks && hurts && appears > 0 && leaves > 0, "{ticks} {hurts} {appears} {leaves}");
    assert_eq!(names(&run), before);
}

#[test]
fn nothing_hurts_within_the_shell() {
    let (mut run, a, b) = duel(Config::default());
    run.command(b, "give holdable_invulnerability");
    run.hold_all(&[(a, still()), (b, still())], 100);
    run.hold_all(&[(a, still()), (b, press())], 50);
    run.hold_all(&[(a, still()), (b, still())], 500);
    assert_ne!(run.player(b).powerups[powerup::INVULNERABILITY as usize], 0);
    let before = health(&run.player(b));
    run.host.sent.clear();
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, UserCmd { forward_move: 127, ..still() })], 1000);
    assert!(before - health(&run.player(b)) <= 1, "{before} became {}", health(&run.player(b)));
    assert!(events(&run, event::INVUL_IMPACT) > 0);
    run.command(a, "give weapon_rocketlauncher");
    run.hold_all(&[(a, UserCmd { weapon: weapon::ROCKET_LAUNCHER as u8, ..still() }), (b, still())], 1000);
    let own = health(&run.player(a));
    run.hold_all(&[(a, attack(weapon::ROCKET_LAUNCHER)), (b, still())], 50);
    run.hold_all(&[(a, still()), (b, still())], 400);
    assert!(health(&run.player(a)) < own, "the rocket is thrown back: {own} and {}", health(&run.player(a)));
    run.hold_all(&[(a, still()), (b, still())], 9000);
    assert_eq!(run.player(b).powerups[powerup::INVULNERABILITY as usize], 0);
}

#[test]
fn what_lasts_until_death_is_borne_by_one_and_lies_there_again() {
    let entities = spawn_at(0, 0, 26) + r#"{ "classname" "item_guard" "origin" "300 0 30" }"#;
    let config = Config { g_runes: true, sv_cheats: true, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&entities)).build(), config);
    let num = run.join(0, WALKER);
    let item = run.find(|e| e.state.entity_type == entity_type::ITEM)[0];
    run.hold(num, 100, still());
    run.command(num, "setviewpos 270 0 30 0");
    run.hold(num, 300, still());
    let ps = run.player(num);
    assert_eq!(
        (health(&ps), ps.stats[stat::MAX_HEALTH as usize], ps.stats[stat::ARMOR as usize]),
        (200, 200, 200)
    );
    assert_ne!(ps.powerups[powerup::GUARD as usize], 0, "clients draw it");
    assert_eq!(run.state(item).flags & entity_flag::NODRAW, entity_flag::NODRAW);
    run.command(num, "give health 50");
    run.hold(num, 2000, still());
    assert_eq!(health(&run.player(num)), 80, "a guard heals");
    run.command(num, "kill");
    assert_eq!(run.state(item).flags & entity_flag::NODRAW, 0);
    run.hold(num, 2000, still());
    run.hold(num, 100, attack(2));
    assert_eq!(run.player(num).stats[stat::MAX_HEALTH as usize], 100);

    let mut run = Match::new(TinyMap::room(&with(&entities)).build(), Config::default());
    assert!(run.find(|e| e.state.entity_type == entity_type::ITEM).is_empty(), "not without g_runes");
    run.frame();
}

#[test]
fn ammunition_grows_and_the_doubler_doubles() {
    let entities = spawn_at(0, 0, 26) + r#"{ "classname" "item_ammoregen" "origin" "300 0 30" }"#;
    let config = Config { g_runes: true, sv_cheats: true, ..Config::default() };
    let mut run = Match::new(TinyMap::room(&with(&entities)).build(), config.clone());
    let num = run.join(0, WALKER);
    run.hold(num, 100, still());
    run.command(num, "setviewpos 270 0 30 0");
    run.hold(num, 300, still());
    run.hold(num, 8000, still());
    let ammo = run.player(num).ammo;
    assert_eq!((ammo[weapon::ROCKET_LAUNCHER as usize], ammo[weapon::MACHINEGUN as usize]), (4, 100));

    let damage = |run: &mut Match, players: &[ClientNum]| {
        run.command(players[1], "give health 200");
        run.hold_all(&[(players[0], attack(weapon::MACHINEGUN)), (players[1], still())], 50);
        200 - health(&run.player(players[1]))
    };
    let (mut run, a, b) = duel(config);
    assert_eq!(damage(&mut run, &[a, b]), 7);
    run.hold_all(&[(a, still()), (b, still())], 300);
    run.command(a, "give item_doubler");
    assert_eq!(damage(&mut run, &[a, b]), 14);
}

#[test]
fn who_comes_too_late_for_a_powerup_hears_it() {
    let (mut run, players) = line_up(Config::default(), 3);
    let denied = |run: &Match, num: ClientNum| {
        run.player(num).persistant[fogline_common::openarena::pers::PLAYEREVENTS as usize]
    };
    // The first looks at the second, who takes it; the third looks there too from farther than counts.
    run.command(players[2], "setviewpos 400 0 30 180");
    run.hold_all(&[(players[0], still()), (players[1], still()), (players[2], still())], 500);
    let before: Vec<i32> = players.iter().map(|&num| denied(&run, num)).collect();
    run.command(players[1], "give item_quad");
    assert_ne!(run.player(players[1]).powerups[powerup::QUAD as usize], 0);
    let after: Vec<i32> = players.iter().map(|&num| denied(&run, num)).collect();
    assert_eq!((after[0] ^ before[0], after[1] ^ before[1], after[2] ^ before[2]), (1, 0, 0));
}

#[test]
fn a_mine_goes_with_the_mover_that_it_sticks_to() {
    let lift = r#"{ "classname" "func_bobbing" "model" "*1" "height" "64" "speed" "4" }"#;
    let map = TinyMap::room(&with(&(spawn_at(0, 0, 26) + lift)))
        .model(Bounds::new(vec3(200.0, -200.0, 100.0), vec3(216.0, 200.0, 400.0)));
    let mut run = Match::new(map.build(), Config { sv_cheats: true, ..Config::default() });
    let num = run.join(0, WALKER);
    run.command(num, "give weapon_prox_launcher");
    let held = UserCmd { weapon: weapon::PROX_LAUNCHER as u8, ..still() };
    run.hold(num, 1000, held);
    // Up by some 45 degrees, at the middle of it.
    run.hold(num, 50, UserCmd { angles: [-7500 & 65535, 0, 0], ..attack(weapon::PROX_LAUNCHER) });
    run.hold(num, 600, held);
    let mover = run.find(|e| e.state.entity_type == entity_type::MOVER)[0];
    let mine = mines(&run)[0];
    let gap = |run: &Match| run.state(mine).pos.base.z - run.state(mover).pos.at(run.now).z;
    let (before, at) = (gap(&run), run.state(mine).pos.base);
    assert!((at.x - 200.0).abs() <= 1.0, "it sticks to the mover: {at:?}");
    let mut least = at.z;
    let mut most = at.z;
    for _ in 0..80 {
        run.hold(num, 50, held);
        let z = run.state(mine).pos.base.z;
        (least, most) = (least.min(z), most.max(z));
        assert!((gap(&run) - before).abs() < 1.0, "{before} became {}", gap(&run));
    }
    assert!(most - least > 100.0, "it came from {least} to {most}");
}
