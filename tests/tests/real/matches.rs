//! Five minutes of the real OpenArena client against bots, in each mode, on our server and on Debian's: nothing that the client
//! predicts is wrong but for what nobody can predict, nothing of its cgame fails, and it tells its player of the pickups and kills
//! that the server knows of. The stock server is the measure: an excuse holds here only if a client needs it there.
//!
//! `FOGLINE_PICTURES=DIR cargo test --release -p fogline-tests --test real matches:: -- --ignored --nocapture`, and the pictures
//! must be looked at.

use crate::alone;
use crate::judge::{Account, Cause};
use crate::scenes::{WALKER, keep, keep_log, photograph, quakestat};
use crate::told::{Kill, board, kill, listed_scores, played_pickups, taken, untold};
use fogline_common::openarena::{pers, pm_flag, team};
use fogline_common::time::ServerTime;
use fogline_tests::fixture::clip_map;
use fogline_tests::stock::Deadline;
use fogline_tests::stock::client::{Kind, StockClient};
use fogline_tests::stock::dedicated::Dedicated;
use fogline_tests::stock::moves::Move;
use fogline_tests::stock::peers::installed;
use fogline_tests::stock::recorded::{MARK, Recorded};
use fogline_tests::stock::screen::Screen;
use fogline_tests::stock::server::LiveServer;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long it plays.
const PLAYS: Duration = Duration::from_secs(300);
/// Until everybody is there and the client has settled, and for the last script, on a busy machine.
const GATHERS: Duration = Duration::from_secs(480);
/// Opponents and mates.
const BOTS: [&str; 5] = ["Sarge", "Grism", "Liz", "Tony", "Major"];
/// What it does, one after the other: some seconds each.
const SCRIPTS: [&str; 6] = [
    "weapnext\n+forward\n+attack\nwait 40\n+left\nwait 12\n-left\nwait 40\n-attack\n-forward",
    "+forward\n+moveup\nwait 10\n-moveup\n+right\nwait 20\n-right\nwait 50\n-forward\n+attack\nwait 10\n-attack",
    "+forward\n+moveleft\n+attack\nwait 30\n-moveleft\n+moveright\nwait 30\n-moveright\n-attack\n+left\nwait 25\n-left\n-forward",
    "+back\n+attack\nwait 20\n-back\n+forward\n+right\nwait 9\n-right\nwait 60\n-attack\n-forward",
    "+forward\n+movedown\nwait 20\n-movedown\n+moveup\nwait 40\n-moveup\n+left\nwait 18\n-left\nwait 20\n-forward",
    "weapprev\n+forward\n+attack\n+left\nwait 6\n-left\nwait 70\n+right\nwait 30\n-right\n-forward\n-attack",
];
/// Of misses and kills, so many may be told wrongly by a snapshot that a busy machine drops.
const DROPPED: usize = 2;

/// A mode that is played.
struct Mode {
    name: &'static str,
    map: &'static str,
    game_type: &'static str,
    /// Two sides, of which the walker joins the red one.
    has_teams: bool,
}

const FFA: Mode = Mode { name: "ffa", map: "oa_dm1", game_type: "0", has_teams: false };
const TDM: Mode = Mode { name: "tdm", map: "oa_dm3", game_type: "3", has_teams: true };
const CTF: Mode = Mode { name: "ctf", map: "ctf_gate1", game_type: "4", has_teams: true };

/// The server of a match.
enum Host {
    Ours(LiveServer),
    Stock(Dedicated),
}

impl Host {
    fn ours(base: &Path, mode: &Mode) -> Self {
        let number = if mode.has_teams { 3 } else { BOTS.len() + 1 };
        let commands = [
            "set sv_floodProtect 0".to_owned(),
            "set fraglimit 0".to_owned(),
            "set timelimit 0".to_owned(),
            "set capturelimit 0".to_owned(),
            "set g_spSkill 3".to_owned(),
            format!("set bot_minplayers {number}"),
            format!("set g_gametype {}", mode.game_type),
            // Cheats, since the client tells of its events only with them.
            format!("devmap {}", mode.map),
        ];
        Self::Ours(LiveServer::start(base, &commands.each_ref().map(String::as_str)))
    }

    /// OpenArena's game counts players once in ten seconds, so its bots are named.
    fn stock(base: &Path, mode: &Mode, deadline: Deadline) -> Self {
        let settings = [
            ("g_gametype", mode.game_type),
            ("capturelimit", "0"),
            ("bot_enable", "1"),
            ("g_spSkill", "3"),
            ("sv_maxclients", "12"),
            ("g_log", ""),
        ];
        let sides = ["blue", "red"];
        let bots: Vec<Vec<&str>> = BOTS
            .iter()
            .enumerate()
            .map(|(at, name)| match mode.has_teams {
                true => vec!["addbot", name, "3", sides[at % 2]],
                false => vec!["addbot", name, "3"],
            })
            .collect();
        let map = ["devmap", mode.map];
        let mut commands: Vec<&[&str]> = vec![&map];
        commands.extend(bots.iter().map(Vec::as_slice));
        Self::Stock(Dedicated::start(base, &settings, &commands, deadline))
    }

    fn address(&self) -> SocketAddr {
        match self {
            Self::Ours(server) => server.address,
            Self::Stock(server) => server.address,
        }
    }

    fn lines(&mut self) -> Vec<String> {
        match self {
            Self::Ours(server) => server.view().lines,
            Self::Stock(server) => server.lines().to_vec(),
        }
    }

    /// What became of the walker's usercmds, if it is known.
    fn moves(&self) -> Vec<Move> {
        match self {
            Self::Ours(server) => server.take_moves(),
            Self::Stock(_) => Vec::new(),
        }
    }

    fn name(&self) -> &'static str {
        if matches!(self, Self::Ours(_)) { "ours" } else { "stock" }
    }
}

/// What came of a match.
struct Outcome {
    account: Account,
    kills: Vec<Kill>,
    untold: Vec<Kill>,
    /// Things that the walker took: the server's log, the client's events.
    taken: (usize, usize),
    /// Players whose scores the scoreboard and the query tell otherwise.
    misscored: Vec<String>,
    complaints: Vec<String>,
    differences: Vec<(u32, usize)>,
    listed: String,
}

/// Has the client join a side. One that is still loading says so to a server that does not listen yet, so it says it again.
///
/// # Panics
/// If it does not come into the game.
fn join(client: &mut StockClient, side: &str) {
    const TRIES: u32 = 10;
    let entered = format!("{WALKER} entered the game");
    for _ in 0..TRIES {
        client.order(&format!("cmd team {side}\nwait 60"));
        if client.log().contains(&entered) {
            return;
        }
    }
    panic!("the walker did not join the side {side}: {:#?}", client.log());
}

/// Five minutes of a mode on a server, which is ended.
fn five_minutes(mode: &Mode, mut host: Host, base: &Path, deadline: Deadline) -> Outcome {
    let title = format!("match-{}-{}", mode.name, host.name());
    let screen = Screen::start(deadline);
    let mut client = StockClient::start(Kind::OpenArena, WALKER, base, &screen, host.address(), deadline);
    client.order("set cg_debugEvents 1\nwait 40");
    join(&mut client, if mode.has_teams { "red" } else { "free" });
    client.order("record match\nwait 60");

    let (log_from, since) = (host.lines().len(), Instant::now());
    let mut is_pictured = false;
    for (number, script) in SCRIPTS.iter().cycle().enumerate() {
        if since.elapsed() >= PLAYS {
            break;
        }
        // Whoever is dead comes back by the trigger.
        client.order(&format!("say {MARK} {number}\n{script}"));
        if since.elapsed() > PLAYS / 2 && !is_pictured {
            photograph(&format!("{title}-play"), &screen, &client);
            is_pictured = true;
        }
    }
    // What the log has now, the client hears of within a moment.
    let log = host.lines()[log_from..].to_vec();
    client.order("+scores\nwait 75");
    photograph(&format!("{title}-scores"), &screen, &client);
    let listed = quakestat(host.address());
    let asked = Instant::now();
    client.order("-scores\nwait 75\n+scores\nwait 45\n-scores\nstoprecord\nwait 5");

    let said = client.said_since(since);
    let lines: Vec<String> = said.iter().map(|(_, line)| line.clone()).collect();
    let demo = client.own_file("demos/match.dm_71").expect("the client kept a demo");
    let map = clip_map(mode.map);
    let recorded = Recorded::read(&demo, &map);
    let told = recorded.told(&said);
    let last = told.last().expect("the demo has snapshots").player;
    let looks_on =
        last.persistant[pers::TEAM as usize] == team::SPECTATOR || last.pm_flags & pm_flag::FOLLOW != 0;
    assert!(!looks_on, "{title}: the walker only looked on");
    let kills: Vec<Kill> = log.iter().filter_map(|line| kill(line)).collect();
    let shown = |time: ServerTime| told.iter().find(|told| told.time >= time).map_or(asked, |told| told.at);
    let boards: Vec<(Instant, BTreeMap<usize, i32>)> =
        recorded.commands.iter().filter_map(|(time, text)| Some((shown(*time), board(text)?))).collect();
    let outcome = Outcome {
        account: Account::of(&told, &said, since, &host.moves(), &map),
        untold: untold(&kills, &lines).into_iter().cloned().collect(),
        kills,
        taken: (taken(&log, last.client_num), played_pickups(&lines, last.client_num)),
        misscored: misscored(&boards, asked, &listed_scores(&listed)),
        complaints: client.complaints(),
        differences: client.differences(),
        listed,
    };
    if let Host::Ours(server) = &mut host {
        server.end();
        client.wait_for("the goodbye", 0, |line| line.contains("Server was shut down"));
    }
    keep_log(&title, &mut client);
    keep(&format!("{title}-server.log"), log.join("\n").as_bytes());
    keep(&format!("{title}.dm_71"), &demo);
    report(&title, &outcome);
    outcome
}

/// Players whose score by the query is neither that of the last scoreboard before it, nor that of the first after it, nor between.
fn misscored(boards: &[(Instant, BTreeMap<usize, i32>)], asked: Instant, listed: &[i32]) -> Vec<String> {
    let (earlier, later) = boards.split_at(boards.partition_point(|(at, _)| *at < asked));
    let (Some((_, before)), Some((_, after))) = (earlier.last(), later.first()) else {
        return vec![format!("{} scoreboards before the query, {} after it", earlier.len(), later.len())];
    };
    let mut wrong = Vec::new();
    if before.len() != listed.len() {
        wrong.push(format!("{} players on the scoreboard, {} by the query", before.len(), listed.len()));
    }
    for ((slot, &was), &score) in before.iter().zip(listed) {
        let is = after.get(slot).copied().unwrap_or(was);
        if score < was.min(is) || score > was.max(is) {
            wrong.push(format!("slot {slot}: {was} and then {is} on the scoreboard, {score} by the query"));
        }
    }
    wrong
}

fn report(title: &str, outcome: &Outcome) {
    let Outcome { account, kills, untold, taken, misscored, complaints, differences, listed } = outcome;
    let of_walker = kills.iter().filter(|kill| kill.killer == WALKER || kill.victim == WALKER).count();
    eprintln!(
        "{title}: {:.0} s watched, {:.0} s of them without an excuse; misses {:?} at {:?}, without excuse {:?}; {} kills, {of_walker} with \
         the walker, {} not told: {untold:?}; taken {} by the log, {} by the client; \
         scores {misscored:?}; complaints {complaints:?}; differences {differences:?}\n{listed}",
        account.watched_ms as f64 / 1000.0,
        account.judged_ms as f64 / 1000.0,
        account.excused,
        account.occasions,
        account.unexplained,
        kills.len(),
        untold.len(),
        taken.0,
        taken.1,
    );
}

/// The mode on our server: what must be true of it.
fn on_ours(mode: &Mode) {
    let Some(base) = installed() else { return };
    let _alone = alone();
    let deadline = Deadline::after(PLAYS + GATHERS);
    let outcome = five_minutes(mode, Host::ours(&base, mode), &base, deadline);
    let Outcome { account, kills, untold, taken, misscored, complaints, listed, .. } = outcome;
    assert_eq!(account.unexplained, Vec::new());
    assert_eq!(complaints, Vec::<String>::new());
    assert_eq!(misscored, Vec::<String>::new());
    assert!(account.judged_ms * 4 >= account.watched_ms, "only {} ms could be judged", account.judged_ms);
    assert!(kills.len() >= 10, "{} kills are no match", kills.len());
    assert!(untold.len() <= DROPPED, "the client did not tell of {untold:?}");
    assert!(taken.0.abs_diff(taken.1) <= DROPPED, "the log has {} pickups, the client {}", taken.0, taken.1);
    let is_bot = |line: &&str| line.contains("frags") && !line.contains(WALKER);
    let bots: Vec<&str> = listed.lines().filter(is_bot).collect();
    assert!(bots.len() >= 5 && bots.iter().all(|row| row.contains(" 0ms ")), "{listed}");
}

/// The mode on the stock server: only counted.
fn on_stock(mode: &Mode) {
    let Some(base) = installed().filter(|_| Dedicated::is_installed()) else { return };
    let _alone = alone();
    let deadline = Deadline::after(PLAYS + GATHERS);
    let outcome = five_minutes(mode, Host::stock(&base, mode, deadline), &base, deadline);
    assert!(outcome.kills.len() >= 10, "{} kills are no match", outcome.kills.len());
    let all: usize =
        [Cause::Life, Cause::Teleport, Cause::Knockback, Cause::Player, Cause::Mover, Cause::HeldUp]
            .iter()
            .map(|&cause| outcome.account.count(cause))
            .sum();
    assert!(all > 0, "a client that is shot at misses");
}

#[test]
#[ignore = "five minutes, and pictures to look at"]
fn ours_free_for_all() {
    on_ours(&FFA);
}

#[test]
#[ignore = "five minutes, and pictures to look at"]
fn ours_team_deathmatch() {
    on_ours(&TDM);
}

#[test]
#[ignore = "five minutes, and pictures to look at"]
fn ours_capture_the_flag() {
    on_ours(&CTF);
}

#[test]
#[ignore = "five minutes"]
fn stock_free_for_all() {
    on_stock(&FFA);
}

#[test]
#[ignore = "five minutes"]
fn stock_team_deathmatch() {
    on_stock(&TDM);
}

#[test]
#[ignore = "five minutes"]
fn stock_capture_the_flag() {
    on_stock(&CTF);
}

#[test]
fn a_score_is_that_of_the_scoreboards_around_the_query() {
    let start = Instant::now();
    let board = |s: u64, score: i32| (start + Duration::from_secs(s), BTreeMap::from([(3, score)]));
    let boards = [board(0, 2), board(2, 5), board(4, 7), board(6, 7)];
    let at = start + Duration::from_secs(3);
    for (score, wrong) in [(4, 1), (5, 0), (6, 0), (7, 0), (8, 1)] {
        assert_eq!(misscored(&boards, at, &[score]).len(), wrong, "{score}");
    }
    assert_eq!(misscored(&boards[..2], at, &[5]), ["2 scoreboards before the query, 0 after it"]);
    assert_eq!(misscored(&boards, at, &[5, 1]), ["1 players on the scoreboard, 2 by the query"]);
}
