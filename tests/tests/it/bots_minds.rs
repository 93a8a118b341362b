//! What single bots do, on small maps made in memory: whom they see, what they fetch, what they keep away from, and what they do about
//! flags.

use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::{configstring, entity_flag, game_type, pers, stat};
use fogline_common::proto::{PlayerState, UserCmd};
use fogline_server::config::Config;
use fogline_tests::bot_match::{BotMatch, config};
use fogline_tests::game_host::Match;
use fogline_tests::game_scene::{WALKER, health, spawn_at, with};
use fogline_tests::tiny_map::TinyMap;

/// A room with these entities and these walls in it, at first without anybody.
fn room(entities: &str, walls: &[Bounds], config: Config) -> Match {
    let map = walls.iter().fold(TinyMap::room(&with(entities)), |map, &wall| map.solid(wall));
    let mut run = Match::new(map.one_area().build(), config);
    run.host.config.sv_cheats = true;
    run
}

fn wall(mins: Vec3, maxs: Vec3) -> Bounds {
    Bounds::new(mins, maxs)
}

/// A match of one bot of a skill, once it knows its ways.
fn one_bot(run: Match, skill: u32) -> (BotMatch, ClientNum) {
    let game = BotMatch::new(run, 1, skill);
    let bot = game.bots[0];
    (game, bot)
}

fn fires(ps: &PlayerState) -> bool {
    ps.flags & entity_flag::FIRING != 0
}

/// Somebody comes who does nothing but stand. Its slot.
fn somebody(game: &mut BotMatch) -> ClientNum {
    game.run.join(5, WALKER)
}

/// Frames until it is so, at most for `ms`.
fn until(game: &mut BotMatch, ms: i32, done: impl Fn(&BotMatch) -> bool) -> Option<i32> {
    (0..ms / Match::FRAME.0).find(|_| {
        game.play(Match::FRAME.0);
        // Who stands still sends usercmds too.
        game.run.think_at(fogline_tests::game_host::client(5), game.run.now.0, UserCmd::default());
        done(game)
    })
}

#[test]
fn nobody_is_shot_at_through_a_wall_and_everybody_in_plain_sight() {
    let spawns = spawn_at(-500, 0, 26);
    let across = wall(vec3(-16.0, -1024.0, 0.0), vec3(16.0, 1024.0, 1024.0));
    for (walls, is_shot) in [(&[across][..], false), (&[][..], true)] {
        let (mut game, bot) = one_bot(room(&spawns, walls, config(game_type::FFA)), 3);
        let other = somebody(&mut game);
        game.run.command(other, "setviewpos 500 0 30 180");
        let fired = until(&mut game, 8000, |game| fires(&game.run.player(bot)));
        assert_eq!(fired.is_some(), is_shot, "walls: {}", walls.len());
        let hurt = until(&mut game, 8000, |game| health(&game.run.player(other)) < 100);
        assert_eq!(hurt.is_some(), is_shot, "walls: {}", walls.len());
    }
}

#[test]
fn the_better_fires_sooner_and_nobody_at_once() {
    let first_shot = |skill: u32| {
        let (mut game, bot) = one_bot(room(&spawn_at(0, 0, 26), &[], config(game_type::FFA)), skill);
        let other = somebody(&mut game);
        // Straight ahead of it.
        let ps = game.run.player(bot);
        let yaw = ps.view_angles.y.to_radians();
        let at = ps.origin + vec3(yaw.cos(), yaw.sin(), 0.0) * 300.0;
        game.run.command(other, &format!("setviewpos {} {} 30 0", at.x, at.y));
        let frames = until(&mut game, 8000, |game| fires(&game.run.player(bot))).expect("it fires");
        frames * Match::FRAME.0
    };
    let (beginner, expert) = (first_shot(1), first_shot(5));
    assert!(beginner >= 550 && expert >= 100, "{beginner} {expert}");
    assert!(beginner > expert, "{beginner} {expert}");
}

#[test]
fn the_hurt_fetch_health_first_and_the_healthy_a_weapon() {
    let things = r#"{ "classname" "item_health_large" "origin" "0 700 30" }
        { "classname" "weapon_shotgun" "origin" "0 -700 30" }"#;
    for (points, first) in [(20, "item_health_large"), (85, "weapon_shotgun")] {
        let mut run = room(&(spawn_at(0, 0, 26) + things), &[], config(game_type::FFA));
        run.host_command("addbot Sarge 3");
        run.frame();
        let bot = ClientNum::new(0).expect("a slot");
        run.command(bot, &format!("give health {points}"));
        // It stands until it knows its ways.
        let mut game = BotMatch::of(run, vec![bot]);
        until(&mut game, 6000, |game| game.logged("Item: ") > 0).expect("it takes something");
        let line = game.run.host.logged.iter().find(|line| line.starts_with("Item: "));
        assert_eq!(line, Some(&format!("Item: 0 {first}")), "with {points} points");
    }
}

#[test]
fn a_bot_goes_round_a_wall_to_what_lies_behind_it() {
    let entities = spawn_at(-600, 0, 26) + r#"{ "classname" "weapon_rocketlauncher" "origin" "600 0 30" }"#;
    // A passage of 96 units at the far end.
    let walls = [wall(vec3(-16.0, -1024.0, 0.0), vec3(16.0, 928.0, 1024.0))];
    let (mut game, _) = one_bot(room(&entities, &walls, config(game_type::FFA)), 3);
    let taken = until(&mut game, 15_000, |game| game.logged("Item: ") > 0);
    assert!(taken.is_some(), "the launcher still lies there");
    assert!(game.moved[0] > 2000.0, "there is no way of {} units", game.moved[0]);
}

#[test]
fn a_bot_keeps_out_of_what_kills() {
    // Half of the room kills whoever comes in.
    let hurt = r#"{ "classname" "trigger_hurt" "model" "*1" "dmg" "9999" }"#;
    let entities = spawn_at(-600, 0, 26) + hurt;
    let map = TinyMap::room(&with(&entities))
        .model(wall(vec3(0.0, -1024.0, 0.0), vec3(1024.0, 1024.0, 200.0)))
        .one_area()
        .build();
    let mut game = BotMatch::new(Match::new(map, config(game_type::FFA)), 2, 3);
    game.play(60_000);
    assert_eq!(game.killed_by("MOD_TRIGGER_HURT"), 0);
    assert!(game.least_moved().1 > 2000.0);
}

#[test]
fn flags_are_fetched_brought_home_and_returned() {
    let flags = r#"{ "classname" "team_CTF_redflag" "origin" "-700 0 30" }{ "classname" "team_CTF_blueflag" "origin" "700 0 30" }
        { "classname" "team_CTF_redplayer" "origin" "-700 300 26" }{ "classname" "team_CTF_redspawn" "origin" "-700 300 26" }
        { "classname" "team_CTF_blueplayer" "origin" "700 300 26" }{ "classname" "team_CTF_bluespawn" "origin" "700 300 26" }"#;
    let mut run = room(&(spawn_at(0, 600, 26) + flags), &[], config(game_type::CTF));
    run.host_command("addbot Sarge 3 red");
    let bot = ClientNum::new(0).expect("a slot");
    let mut game = BotMatch::of(run, vec![bot]);
    assert_eq!(game.ways_between_flags(), "red to blue 4.1 s, blue to red 4.1 s");
    let status = |game: &BotMatch| game.run.configstring(configstring::FLAGSTATUS).to_owned();
    let wait = |game: &mut BotMatch, what: &str, done: &dyn Fn(&BotMatch) -> bool| {
        let done = (0..600).any(|_| {
            game.run.frame();
            done(game)
        });
        assert!(done, "{what}: flags {}, {:?}", status(game), game.place(bot));
    };
    let captures = |game: &BotMatch| game.run.player(bot).persistant[pers::CAPTURES as usize];
    wait(&mut game, "the blue flag is taken", &|game| status(game) == "01");
    wait(&mut game, "it is brought home", &|game| captures(game) == 1);
    assert_eq!(status(&game), "00");

    // An enemy takes the red flag away: it is shot, and the flag fetched back.
    let thief = game.run.join(5, WALKER);
    game.run.command(thief, "team blue");
    game.run.command(thief, "setviewpos -700 0 30 0");
    game.run.hold(thief, 50, UserCmd::default());
    assert_eq!(status(&game).as_bytes()[0], b'1');
    game.run.command(thief, "setviewpos -300 -300 30 0");
    game.run.hold(thief, 50, UserCmd::default());
    game.run.command(thief, "give health 5");
    wait(&mut game, "the thief is killed", &|game| status(game).as_bytes()[0] == b'2');
    wait(&mut game, "the red flag is returned", &|game| status(game).as_bytes()[0] == b'0');
    let by_bot = game.run.host.logged.iter().any(|line| line.starts_with("CTF: 0 1 2:"));
    assert!(by_bot, "{:?}", game.run.host.logged);
    assert!(game.run.player(bot).stats[stat::HEALTH as usize] > 0);
}
