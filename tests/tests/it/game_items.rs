//! Things of the map: when they come back by the host's settings, how much one can have of them, and what the dead leave.

use fogline_common::ids::EntityNum;
use fogline_common::openarena::{ITEMS, entity_flag, entity_type, game_type, stat, weapon};
use fogline_common::proto::UserCmd;
use fogline_server::config::Config;
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{WALKER, attack, duel, health, spawn_at, still, with};
use fogline_tests::tiny_map::TinyMap;

fn item(class: &str, x: i32, y: i32) -> String {
    format!(r#"{{ "classname" "{class}" "origin" "{x} {y} 40" }}"#)
}

fn room(config: Config, things: &str) -> Match {
    let entities = format!("{} {things}", spawn_at(-800, 0, 32));
    let mut run = Match::new(TinyMap::room(&with(&entities)).build(), config);
    run.host.config.sv_cheats = true;
    run
}

/// Things that lie there as what a class is.
fn things(run: &Match, class: &str) -> Vec<EntityNum> {
    let index = ITEMS.iter().position(|item| item.class == class).expect("a class of the table") as i32;
    let lies = entity_flag::NODRAW;
    run.find(|e| {
        e.state.entity_type == entity_type::ITEM && e.state.model_index == index && e.state.flags & lies == 0
    })
}

/// Seconds from taking a thing until it is back, counted up.
fn back_after(config: Config, class: &str) -> usize {
    let side = if config.g_gametype == game_type::TEAM { "team red" } else { "team free" };
    let mut run = room(config, &item(class, 200, 0));
    let num = run.join(0, WALKER);
    run.command(num, side);
    run.hold(num, 500, still());
    assert_eq!(things(&run, class).len(), 1, "{class} lies there");
    run.command(num, "give health 50");
    run.command(num, "setviewpos 200 0 30 0");
    run.hold(num, 100, still());
    assert!(things(&run, class).is_empty(), "{class} is taken");
    run.command(num, "setviewpos -800 0 30 0");
    let back = (0..100).find(|_| {
        run.hold(num, 1000, still());
        !things(&run, class).is_empty()
    });
    back.expect("it comes back") + 1
}

#[test]
fn things_come_back_after_the_times_of_the_rules_and_weapons_as_the_host_wants() {
    let ffa = Config { g_weaponrespawn: 3, g_weaponteamrespawn: 8, ..Config::default() };
    let teams = Config { g_gametype: game_type::TEAM, ..ffa.clone() };
    for (config, class, seconds) in [
        (&ffa, "weapon_shotgun", 3),
        (&teams, "weapon_shotgun", 8),
        (&ffa, "ammo_shells", 40),
        (&ffa, "item_armor_combat", 25),
        (&ffa, "item_health", 35),
    ] {
        let back = back_after(config.clone(), class);
        assert!((seconds..=seconds + 1).contains(&back), "{class}: {back} s, not {seconds}");
    }
}

#[test]
fn nobody_has_more_than_two_hundred_of_anything() {
    let boxes: String = (0..3).map(|at| item("ammo_bullets", 200, 200 * at)).collect();
    let plates: String = (0..3).map(|at| item("item_armor_body", 500, 200 * at)).collect();
    let mut run = room(Config::default(), &format!("{boxes} {plates} {}", item("item_health_mega", 800, 0)));
    let num = run.join(0, WALKER);
    run.hold(num, 500, still());
    for x in [200, 500] {
        for at in 0..3 {
            run.command(num, &format!("setviewpos {x} {} 30 0", 200 * at));
            run.hold(num, 50, still());
        }
    }
    let ps = run.player(num);
    assert_eq!(ps.ammo[weapon::MACHINEGUN as usize], 200);
    assert!((198..=200).contains(&ps.stats[stat::ARMOR as usize]), "{}", ps.stats[stat::ARMOR as usize]);
    let left = ["ammo_bullets", "item_armor_body"].map(|class| things(&run, class).len());
    assert_eq!(left, [1, 1], "what is of no use stays where it is");
    run.command(num, "setviewpos 800 0 30 0");
    run.hold(num, 50, still());
    assert!((198..=200).contains(&health(&run.player(num))), "{}", health(&run.player(num)));
}

#[test]
fn the_dead_leave_the_weapon_in_their_hands_for_half_a_minute() {
    let (mut run, a, b) = duel(Config::default());
    run.command(b, "give weapon_shotgun");
    let raise = UserCmd { weapon: weapon::SHOTGUN as u8, ..UserCmd::default() };
    // Out of reach of what falls.
    run.command(a, "setviewpos -900 0 30 0");
    run.hold_all(&[(a, still()), (b, raise)], 1000);
    run.command(b, "give health 5");
    run.hold_all(&[(a, attack(weapon::MACHINEGUN)), (b, raise)], 1500);
    assert!(health(&run.player(b)) <= 0);
    run.hold_all(&[(a, still()), (b, still())], 1500);
    let left = things(&run, "weapon_shotgun");
    assert_eq!(left.len(), 1);
    assert_eq!(run.state(left[0]).model_index2, 1, "clients know it as dropped");
    run.hold_all(&[(a, still())], 26_000);
    assert_eq!(things(&run, "weapon_shotgun").len(), 1);
    run.hold_all(&[(a, still())], 4000);
    assert!(things(&run, "weapon_shotgun").is_empty(), "nobody took it");
}
