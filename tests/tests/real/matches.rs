//! Five minutes of the real OpenArena client against four who fight, in each mode: nothing that it predicts is wrong but for what
//! nobody can predict, and nothing of its cgame fails. Run with
//! `FOGLINE_PICTURES=DIR cargo test --release -p fogline-tests --test real matches:: -- --ignored`, and look at the pictures.

use crate::alone;
use crate::scenes::{WALKER, keep_log, photograph};
use fogline_common::ids::EntityNum;
use fogline_common::openarena::{entity_flag, pers, pm_flag, pm_type, stat, team};
use fogline_common::proto::PlayerState;
use fogline_tests::stock::Deadline;
use fogline_tests::stock::client::{Kind, StockClient};
use fogline_tests::stock::companion::Companion;
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::screen::Screen;
use fogline_tests::stock::server::LiveServer;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::script::{Mind, Script};
use std::time::{Duration, Instant};

/// How long it plays.
const PLAYS: Duration = Duration::from_secs(300);
/// Opponents and mates.
const FIGHTERS: usize = 4;
/// Players this near push each other, and who is between units is pushed from elsewhere.
const NEAR: f32 = 80.0;
/// Server frames until a client has heard of something.
const LATE_FRAMES: usize = 10;
/// What it does, one after the other: some seconds each.
const SCRIPTS: [&str; 6] = [
    "weapnext\n+forward\n+attack\nwait 40\n+left\nwait 12\n-left\nwait 40\n-attack\n-forward",
    "+forward\n+moveup\nwait 10\n-moveup\n+right\nwait 20\n-right\nwait 50\n-forward\n+attack\nwait 10\n-attack",
    "+forward\n+moveleft\n+attack\nwait 30\n-moveleft\n+moveright\nwait 30\n-moveright\n-attack\n+left\nwait 25\n-left\n-forward",
    "+back\n+attack\nwait 20\n-back\n+forward\n+right\nwait 9\n-right\nwait 60\n-attack\n-forward",
    "+forward\n+movedown\nwait 20\n-movedown\n+moveup\nwait 40\n-moveup\n+left\nwait 18\n-left\nwait 20\n-forward",
    "weapprev\n+forward\n+attack\n+left\nwait 6\n-left\nwait 70\n+right\nwait 30\n-right\n-forward\n-attack",
];

/// Whether what somebody stands on is neither the world nor nothing.
fn is_mover(ground: i32) -> bool {
    ground < EntityNum::WORLD.index() as i32
}

/// What made a miss during some frames nothing to wonder at.
fn excuse(frames: &[Vec<(String, PlayerState)>]) -> Option<&'static str> {
    let own: Vec<&PlayerState> = frames
        .iter()
        .filter_map(|frame| frame.iter().find(|(name, _)| name == WALKER))
        .map(|(_, ps)| ps)
        .collect();
    let changed = |index: i32| {
        own.windows(2).any(|p| p[0].persistant[index as usize] != p[1].persistant[index as usize])
    };
    let hurt = own.windows(2).any(|p| {
        let (a, b) = (p[0].stats, p[1].stats);
        let points = |s: &[i32; 16]| s[stat::HEALTH as usize] + s[stat::ARMOR as usize];
        // By more than what counts down by itself.
        points(&b) < points(&a) - 2 || p[0].damage_event != p[1].damage_event
    });
    let near = frames.iter().any(|frame| {
        let at = frame.iter().find(|(name, _)| name == WALKER).map(|(_, ps)| ps.origin);
        at.is_some_and(|at| frame.iter().any(|(name, ps)| name != WALKER && ps.origin.distance(at) < NEAR))
    });
    if own.iter().any(|ps| ps.pm_type == pm_type::DEAD) || changed(pers::SPAWN_COUNT) {
        Some("death or spawn")
    } else if own.windows(2).any(|p| (p[0].flags ^ p[1].flags) & entity_flag::TELEPORT_BIT != 0) {
        Some("teleport")
    } else if hurt || own.iter().any(|ps| ps.pm_flags & pm_flag::TIME_KNOCKBACK != 0) {
        Some("knockback")
    } else if near {
        Some("pushed against a player")
    } else if own.iter().any(|ps| is_mover(ps.ground_entity)) {
        Some("carried by a mover")
    } else {
        None
    }
}

/// Five minutes on a map. `sides` are joined in turn, the walker the first.
fn five_minutes(name: &str, map: &str, game: i32, sides: &[&str]) {
    let Some(base) = installed() else { return };
    let _alone = alone();
    let deadline = Deadline::after(Duration::from_secs(560));
    let game = format!("set g_gametype {game}");
    let map = format!("map {map}");
    let mut server = LiveServer::start(
        &base,
        &["set sv_floodProtect 0", "set fraglimit 0", "set timelimit 0", "set capturelimit 0", &game, &map],
    );
    let screen = Screen::start(deadline);
    let mut client = StockClient::start(Kind::OpenArena, WALKER, &base, &screen, server.address, deadline);
    let fighters: Vec<Companion> = (0..FIGHTERS)
        .map(|at| {
            let config = ClientConfig {
                name: format!("fighter{at}"),
                qport: 100 + at as u16,
                ..ClientConfig::default()
            };
            Companion::with_mind(server.address, config, Mind::new(Script::Fight, 70 + at as u64))
        })
        .collect();
    server.wait_until("all are here", deadline.within(Duration::from_secs(100)), |view| {
        view.players.iter().filter(|seen| seen.is_active).count() > FIGHTERS
    });
    // It takes commands a moment after its first word.
    client.order("wait 40");
    if !sides.is_empty() {
        client.order(&format!("cmd team {}\nwait 30", sides[0]));
        for (at, fighter) in fighters.iter().enumerate() {
            fighter.command(&format!("team {}", sides[(at + 1) % sides.len()]));
        }
        server.wait_until("it is on a side", deadline, |view| {
            view.state(WALKER).is_some_and(|ps| ps.persistant[pers::TEAM as usize] != team::SPECTATOR)
        });
    }
    client.order("wait 60");

    let since = Instant::now();
    let (mut judged, mut excused, mut unexplained) = (0, Vec::new(), Vec::new());
    for script in SCRIPTS.iter().cycle() {
        if since.elapsed() >= PLAYS {
            break;
        }
        // A client hears of what befell it some frames later, so the last of the part before count too.
        let mut frames = server.take_frames();
        frames.drain(..frames.len().saturating_sub(LATE_FRAMES));
        let held_up = server.view().metrics.stalled_ms;
        // Whoever is dead comes back by the trigger.
        let carried = client.order(script);
        frames.extend(server.take_frames());
        let misses: Vec<String> = carried.misses().into_iter().map(str::to_owned).collect();
        let stalled = server.view().metrics.stalled_ms > held_up;
        match excuse(&frames).or(stalled.then_some("server held up")) {
            Some(why) => excused.extend(misses.into_iter().map(|miss| (why, miss))),
            None => {
                judged += 1;
                unexplained.extend(misses);
            }
        }
        if since.elapsed() > PLAYS / 2
            && !std::path::Path::new(&client.picture_path(&format!("{name}-play"))).exists()
        {
            photograph(&format!("{name}-play"), &screen, &client);
        }
    }
    client.order("+scores\nwait 45");
    photograph(&format!("{name}-scores"), &screen, &client);
    client.order("-scores\nwait 5");
    let view = server.view();
    let kills = |line: &&String| line.starts_with("Kill: ") && line.contains(WALKER);
    let (deaths, obituaries) = told_of_kills(&view.lines, client.log());
    eprintln!(
        "{name}: {judged} parts judged, {} misses excused {excused:?}, {} kills with the walker in them, {deaths} kills by \
         somebody in all, {obituaries} obituaries on the client, differences {:?}",
        excused.len(),
        view.lines.iter().filter(kills).count(),
        client.differences(),
    );
    server.end();
    client.wait_for("the goodbye", 0, |line| line.contains("Server was shut down"));
    keep_log(name, &mut client);
    assert_eq!(unexplained, Vec::<String>::new());
    assert_eq!(client.complaints(), Vec::<String>::new());
    assert!(judged >= 5, "only {judged} parts of the match were free of knockback and crowds");
    // A snapshot that a busy machine drops may have had one in it.
    assert!(obituaries + 2 >= deaths, "{deaths} were killed by somebody, the client told of {obituaries}");
    for fighter in fighters {
        fighter.leave();
    }
}

/// Kills of one player by another since the walker came in, and lines on the client's console that name both.
fn told_of_kills(server: &[String], client: &[String]) -> (usize, usize) {
    let entered = server.iter().position(|line| line.contains(&format!("{WALKER}\\t"))).unwrap_or(0);
    let mut kills = 0;
    for line in server[entered..].iter().filter(|line| line.starts_with("Kill: ")) {
        let named = |text: &str| text.starts_with("fighter") || text.starts_with(WALKER);
        let words =
            line.split_once(": ").and_then(|(_, rest)| rest.split_once(": ")).map_or("", |(_, rest)| rest);
        let (killer, victim) = words.split_once(" killed ").unwrap_or(("", ""));
        let victim = victim.split(' ').next().unwrap_or("");
        kills += usize::from(named(killer) && named(victim) && killer != victim);
    }
    let names: Vec<String> =
        (0..FIGHTERS).map(|at| format!("fighter{at}")).chain([WALKER.to_owned()]).collect();
    let talk = |line: &&String| line.contains("joined") || line.contains("entered") || line.contains(": ");
    let both = |line: &&String| names.iter().filter(|name| line.contains(name.as_str())).count() == 2;
    (kills, client.iter().filter(|line| !talk(line)).filter(both).count())
}

#[test]
#[ignore = "five minutes, and pictures to look at"]
fn free_for_all() {
    five_minutes("match-ffa", "oa_dm1", 0, &[]);
}

#[test]
#[ignore = "five minutes, and pictures to look at"]
fn team_deathmatch() {
    five_minutes("match-tdm", "oa_dm3", 3, &["red", "blue"]);
}

#[test]
#[ignore = "five minutes, and pictures to look at"]
fn capture_the_flag() {
    five_minutes("match-ctf", "ctf_gate1", 4, &["red", "blue"]);
}
