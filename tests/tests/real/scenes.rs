//! What a stock client is made to do, and what must be true of it.

use crate::judge::size;
use crate::rounding;
use fogline_common::ids::EntityNum;
use fogline_common::openarena::stat;
use fogline_common::proto::PlayerState;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_tests::fixture::Setup;
use fogline_tests::gamedata;
use fogline_tests::stock::client::StockClient;
use fogline_tests::stock::moves::Move;
use fogline_tests::stock::process::output;
use fogline_tests::stock::screen::{Picture, Screen};
use fogline_tests::stock::server::LiveServer;
use std::net::SocketAddr;
use std::time::Duration;

/// Name of the real player.
pub(crate) const WALKER: &str = "walker";
/// Name of the headless one.
pub(crate) const COMPANION: &str = "companion";

/// A part of a match in which a client that has settled must not miss once.
pub(crate) struct Scene<'a> {
    pub(crate) name: &'static str,
    /// Where it is put before, as `setviewpos` wants it. Not judged: a teleport may miss.
    pub(crate) place: &'a str,
    /// A cfg script. At full speed 30 frames are a second.
    pub(crate) script: &'static str,
}

/// Down one flight of stairs and up another, and some of it back.
pub(crate) const STAIRS: Scene<'static> = Scene {
    name: "stairs",
    place: "-432 1596 33 0",
    script: "+forward\nwait 75\n-forward\n+back\nwait 45\n-back",
};
/// Walks a curve, jumps, steps to both sides, ducks, shoots in bursts.
pub(crate) const DANCE: Scene<'static> = Scene {
    name: "dance",
    place: "209 925 -60 180",
    script: "+forward\n+left\nwait 20\n+moveup\nwait 8\n-moveup\n-left\nwait 8\n+attack\n+moveleft\nwait 20\n-moveleft\n\
             +moveright\nwait 20\n-attack\n-moveright\n+right\n+moveup\nwait 30\n-moveup\n-right\n+movedown\nwait 20\n-movedown\n\
             +speed\nwait 15\n-speed\n-forward",
};
/// Under water: along the ground, up and down, strokes to the side.
pub(crate) const SWIM: Scene<'static> = Scene {
    name: "swim",
    place: "728 -640 -111 45",
    script: "+forward\nwait 40\n+moveup\nwait 20\n-moveup\n+left\nwait 15\n-left\n+movedown\nwait 15\n-movedown\n-forward\n\
             +back\nwait 20\n-back",
};
/// Through shallow water, up the stairs out of it.
pub(crate) const WADE: Scene<'static> = Scene {
    name: "wade",
    place: "752 112 -7 242",
    script: "+forward\nwait 45\n+moveup\nwait 10\n-moveup\n-forward\n+back\nwait 30\n-back",
};

/// Plays a scene, and gives back what the server told the player of itself during it.
///
/// A server that was held up meanwhile leaves time out or cuts usercmds, which no client can foresee: then the scene is played
/// again. A miss that the last bit makes (see [`rounding`]) is no miss.
///
/// # Panics
/// If the client missed, with its words.
pub(crate) fn play(scene: &Scene<'_>, client: &mut StockClient, server: &LiveServer) -> Vec<PlayerState> {
    judge(scene, client, server, |_| false)
}

/// The same for a walk that may lead anywhere: while it leads over something that moves, a miss is nobody's fault, since no client
/// can foresee that a lift or a plate in the floor sets out.
///
/// # Panics
/// If the client missed on solid ground, with its words.
pub(crate) fn stroll(scene: &Scene<'_>, client: &mut StockClient, server: &LiveServer) -> Vec<PlayerState> {
    judge(scene, client, server, rode)
}

/// Whether a player stood on something that moves, other players aside.
pub(crate) fn rode(trail: &[PlayerState]) -> bool {
    let mut grounds = trail.iter().filter_map(|player| EntityNum::from_wire(player.ground_entity));
    grounds.any(|ground| ground != EntityNum::WORLD && ground.index() >= MAX_CLIENTS)
}

fn judge(
    scene: &Scene<'_>,
    client: &mut StockClient,
    server: &LiveServer,
    excuses: fn(&[PlayerState]) -> bool,
) -> Vec<PlayerState> {
    const TRIES: u32 = 4;
    let mut said = Vec::new();
    for _ in 0..TRIES {
        put(scene.place, client, server);
        settle(client, server);
        server.take_trail(WALKER);
        server.take_moves();
        let held_up = server.view().metrics.stalled_ms;
        let carried = client.order(scene.script);
        let trail = server.take_trail(WALKER);
        let held_up = server.view().metrics.stalled_ms - held_up;
        let (misses, moves) = (carried.misses(), moves_of_walker(server));
        if misses.is_empty() || excuses(&trail) || are_roundings(&misses, &moves, server) {
            return trail;
        }
        let is_held_up = held_up > 0 || moves.iter().any(Move::is_cut);
        assert!(
            is_held_up,
            "{} at {}: the client missed: {:#?}\nby the server:\n{}",
            scene.name,
            scene.place,
            carried.lines,
            moves.iter().map(Move::to_string).collect::<String>()
        );
        said = carried.lines;
    }
    panic!("{}: the client missed and the server was held up, {TRIES} times: {said:#?}", scene.name);
}

/// Whether the last bit makes all these misses. Not on a map that is in no pk3 of the game's.
fn are_roundings(misses: &[&str], moves: &[Move], server: &LiveServer) -> bool {
    let wanted = server.view().map.map(|name| format!("maps/{name}.bsp"));
    let mut file = None;
    gamedata::each_map(|_, path, bytes| {
        if wanted.as_deref() == Some(path) {
            file = Some(bytes.to_vec());
        }
    });
    let Some(file) = file else { return false };
    let map = Setup::of_file("map", file).clip_map();
    misses.iter().all(|line| rounding::makes(size(line), moves, &map))
}

/// What became of the walker's usercmds since somebody asked last.
fn moves_of_walker(server: &LiveServer) -> Vec<Move> {
    let walker = server.view().player(WALKER).map(|seen| seen.num);
    let mut moves = server.take_moves();
    moves.retain(|a_move| Some(a_move.client) == walker);
    moves
}

/// Puts the walker at a place, as `setviewpos` wants it, and says so if it does not come there. A server with `sv_floodProtect` passes
/// over a command that comes within a second of another, passed over or not.
pub(crate) fn put(place: &str, client: &mut StockClient, server: &LiveServer) {
    const TRIES: u32 = 3;
    /// A teleport pushes, so it slides on by so much at most. Unit: world units.
    const SLIDES: f32 = 250.0;
    let numbers: Vec<f32> = place.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [x, y, ..] = numbers[..] else { panic!("`{place}` is no place") };
    revive(client, server);
    for _ in 0..TRIES {
        client.order(&format!("setviewpos {place}\nwait 45"));
        let is_there = |player: &PlayerState| (player.origin.x - x).hypot(player.origin.y - y) < SLIDES;
        if server.view().state(WALKER).is_some_and(is_there) {
            return;
        }
    }
    let at = server.view().state(WALKER).map(|player| player.origin);
    eprintln!("the walker was put to {place} and is at {at:?}");
}

/// Whoever walked into a trap of the map begins anew, as a player does.
fn revive(client: &mut StockClient, server: &LiveServer) {
    const TRIES: u32 = 10;
    for _ in 0..TRIES {
        let is_dead = |player: &PlayerState| player.stats[stat::HEALTH as usize] <= 0;
        if !server.view().state(WALKER).is_some_and(is_dead) {
            return;
        }
        client.order("wait 40\n+attack\nwait 5\n-attack\nwait 10");
    }
}

/// Waits until the walker has come to rest where it was put: it is pushed on from there, and none of that is judged.
fn settle(client: &mut StockClient, server: &LiveServer) {
    const LOOKS: u32 = 60;
    for _ in 0..LOOKS {
        // Whoever was put into water may sink on.
        let level = |player: &PlayerState| player.velocity.x.hypot(player.velocity.y);
        let at_rest = server.view().state(WALKER).is_some_and(|player| level(player) < 1.0);
        // What the server knows the client has still to be told of.
        client.order("wait 5");
        if at_rest {
            return;
        }
    }
}

/// How long a trail is. Unit: ms of usercmds.
pub(crate) fn span_ms(trail: &[PlayerState]) -> i32 {
    trail.first().zip(trail.last()).map_or(0, |(first, last)| last.command_time - first.command_time)
}

/// How far a player went. Unit: world units.
pub(crate) fn length(trail: &[PlayerState]) -> f32 {
    trail.windows(2).map(|pair| pair[0].origin.distance(pair[1].origin)).sum()
}

/// Takes a picture and checks that something is drawn on it.
///
/// # Panics
/// If the picture is blank.
pub(crate) fn photograph(name: &str, screen: &Screen, client: &StockClient) -> Picture {
    let picture = look(name, screen, client);
    assert!(picture.colour_count > 2000, "{name}: {} colours are a blank picture", picture.colour_count);
    picture
}

/// Takes a picture, of a wall in front of one's eyes perhaps.
pub(crate) fn look(name: &str, screen: &Screen, client: &StockClient) -> Picture {
    let file = client.picture_path(name);
    let picture = screen.photograph(&file);
    if let Some(folder) = std::env::var_os("FOGLINE_PICTURES") {
        let kept = std::path::Path::new(&folder).join(format!("{name}.png"));
        std::fs::copy(&file, &kept).unwrap_or_else(|error| panic!("{}: {error}", kept.display()));
    }
    assert_eq!((picture.width, picture.height), (640, 480), "{name}");
    picture
}

/// Keeps what a client said, if the developer wants it.
pub(crate) fn keep_log(name: &str, client: &mut StockClient) {
    keep(&format!("{name}.log"), client.log().join("\n").as_bytes());
}

/// Keeps a file, if the developer wants it.
pub(crate) fn keep(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("FOGLINE_PICTURES") {
        let kept = std::path::Path::new(&folder).join(name);
        std::fs::write(&kept, bytes).unwrap_or_else(|error| panic!("{}: {error}", kept.display()));
    }
}

/// What Debian's `quakestat` tells of the server.
pub(crate) fn quakestat(server: SocketAddr) -> String {
    output("quakestat", &["-q3s", &server.to_string(), "-R", "-P", "-nh"], &[])
}

/// Checks that `quakestat` lists the server on `map` with its rules and with these players.
///
/// # Panics
/// With what it said, if it does not.
pub(crate) fn check_listed(server: SocketAddr, map: &str, players: &[&str]) {
    let listed = quakestat(server);
    assert!(listed.contains(map), "no map in {listed}");
    assert!(
        listed.contains(&format!("{}/16", players.len())),
        "not {} of 16 players in {listed}",
        players.len()
    );
    for rule in ["protocol=71", "gametype=0", "version=Fogline", "sv_hostname=Fogline", "dmflags=0"] {
        assert!(listed.contains(rule), "no {rule} in {listed}");
    }
    for player in players {
        let row = listed.lines().find(|line| line.contains("frags") && line.contains(player));
        assert!(row.is_some_and(|row| row.contains("ms")), "no {player} in {listed}");
    }
}

/// One line of figures on stderr.
pub(crate) fn report(name: &str, joined: Duration, client: &mut StockClient, server: &LiveServer) {
    let (metrics, age) = (server.view().metrics, client.age().as_secs_f64());
    let rate = |bytes: u64| bytes as f64 / age;
    eprintln!(
        "{name}: in the game after {:.1} s; {:.0} s long; {} frames, {} usercmds, {} snapshots ({} whole), \
         {:.0} bytes/s out, {:.0} bytes/s in, {} ms held up; client used {:.1} s of a processor; cgame differences {:?}",
        joined.as_secs_f64(),
        age,
        metrics.frames,
        metrics.usercmds,
        metrics.snapshots,
        metrics.full_snapshots,
        rate(metrics.bytes_out),
        rate(metrics.bytes_in),
        metrics.stalled_ms,
        client.processor_time().unwrap_or_default().as_secs_f64(),
        client.differences(),
    );
}
