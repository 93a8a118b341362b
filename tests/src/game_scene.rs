//! Scenes for tests of the rules: a room, spawn points, players in a row, and what they do.

use crate::game_host::Match;
use crate::tiny_map::TinyMap;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{pers, stat, weapon};
use fogline_common::proto::{PlayerState, UserCmd, button};
use fogline_server::config::Config;

const WORLD: &str = r#"{ "classname" "worldspawn" "music" "music/test.ogg" "message" "Test Room" }"#;
/// Userinfo of a client far away.
pub const WALKER: &str =
    "\\name\\Walker\\model\\sarge\\handicap\\100\\cg_predictItems\\1\\ip\\10.0.0.1:27960";
/// Userinfo of another.
pub const OTHER: &str = "\\name\\Other\\model\\major\\handicap\\100\\cg_predictItems\\1\\ip\\10.0.0.2:27960";

/// Entity text: the world, then more.
pub fn with(more: &str) -> String {
    format!("{WORLD}\n{more}")
}

/// A spawn point that looks along +x.
pub fn spawn_at(x: i32, y: i32, z: i32) -> String {
    format!(r#"{{ "classname" "info_player_deathmatch" "origin" "{x} {y} {z}" "angle" "0" }}"#)
}

/// A match in a room with these entities.
pub fn plain_match(entities: &str) -> Match {
    Match::new(TinyMap::room(&with(entities)).build(), Config::default())
}

/// Runs ahead.
pub fn forward() -> UserCmd {
    UserCmd { forward_move: 127, ..UserCmd::default() }
}

/// Fires this weapon.
pub fn attack(weapon: i32) -> UserCmd {
    UserCmd { buttons: button::ATTACK, weapon: weapon as u8, ..UserCmd::default() }
}

/// Does nothing, machinegun in hand.
pub fn still() -> UserCmd {
    UserCmd { weapon: weapon::MACHINEGUN as u8, ..UserCmd::default() }
}

/// Health as the player is told.
pub fn health(ps: &PlayerState) -> i32 {
    ps.stats[stat::HEALTH as usize]
}

/// Points as the player is told.
pub fn score(ps: &PlayerState) -> i32 {
    ps.persistant[pers::SCORE as usize]
}

/// Players in a row along x, 100 units apart. The first stands at the end and looks at the others, who look back; the
/// protection of the fresh is over.
pub fn line_up(config: Config, count: usize) -> (Match, Vec<ClientNum>) {
    let spawn = |at: usize| {
        let (x, yaw, flags) = (100 * at as i32 - 200, if at == 0 { 0 } else { 180 }, i32::from(at == 0));
        format!(
            r#"{{ "classname" "info_player_deathmatch" "origin" "{x} 0 26" "angle" "{yaw}" "spawnflags" "{flags}" }}"#
        )
    };
    let spawns: String = (0..count).map(spawn).collect();
    let mut run = Match::new(TinyMap::room(&with(&spawns)).build(), config);
    run.host.config.sv_cheats = true;
    // A player of the server's own machine begins at the spot that is marked for it.
    let local = "\\name\\Walker\\ip\\localhost\\cg_predictItems\\1";
    let players: Vec<_> =
        (0..count).map(|slot| run.join(slot, if slot == 0 { local } else { OTHER })).collect();
    let stand: Vec<_> = players.iter().map(|&num| (num, still())).collect();
    run.hold_all(&stand, 1000);
    (run, players)
}

/// A line of two.
pub fn duel(config: Config) -> (Match, ClientNum, ClientNum) {
    let (run, players) = line_up(config, 2);
    (run, players[0], players[1])
}
