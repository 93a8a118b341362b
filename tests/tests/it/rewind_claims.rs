//! What a client gains by lying about its clock, and that no honest one is taken for a liar.
//!
//! A model of one connection: the server's frames, the client's clock over an uneven line, its packets back; no world. A forger
//! sees what an honest client sees and says something else.

use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::UserCmd;
use fogline_common::time::{Arrival, CommandTime, Millis, ServerTime};
use fogline_server::config::Config;
use fogline_server::rewind::{Packet, Rewind, Rules};
use fogline_server::snapshot::WorldFrame;
use fogline_tests::shooting::{Range, Score, Shooting};
use fogline_tools::client::clock::{ClientClock, ClockConfig, Newest};
use fogline_tools::link::{Link, LinkConfig};
use std::collections::VecDeque;

/// What a client says instead of the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    None,
    /// Now and then a command claims a moment this much older.
    Old(i32),
    /// Now and then a command claims a moment this much newer.
    Future(i32),
    /// Every other command claims a moment this much older.
    Oscillates(i32),
    /// Now and then nothing is sent for so long, and then commands claim to have been made at its beginning.
    Stalls(i32),
    /// After a while acknowledgements and claims are this much late.
    Withholds(i32),
    /// Claims grow older by this much a second.
    Creeps(i32),
    /// Acknowledgements are late by anything up to this, as on an uneven line, and claims by all of it.
    Uneven(i32),
}

#[derive(Clone, Copy, Debug)]
struct Setting {
    fps: i32,
    link: LinkConfig,
    /// Client frames, and frames to a packet.
    frame: i32,
    packet_every: i32,
    nudge: i32,
    lie: Lie,
}

#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    claims: u32,
    faults: u32,
    /// How much older than what the client drew a command was judged, at most. Unit: ms.
    gain: i32,
    /// How old a moment a command was judged by, at most. Unit: ms.
    oldest: i32,
    /// Lies that were older than what was believed and were not told to anybody.
    silent: u32,
    /// Claims not believed, by cause.
    by_cause: [u64; 3],
}

/// Moments claimed, and what was really drawn. Unit: ms.
type Commands = Vec<(i32, i32)>;

/// A packet on its way: what it acknowledges, its commands (claimed and true moments), its number.
struct Flight {
    at: Arrival,
    number: u32,
    acknowledged: u32,
    commands: Commands,
}

#[allow(clippy::too_many_lines, reason = "one connection, step by step in the order of time")]
fn play(seed: u64, setting: &Setting, seconds: u64) -> Outcome {
    let me = ClientNum::new(0).unwrap();
    let config = Config { sv_fps: setting.fps, sv_maxunlag: 1000, ..Config::default() };
    let mut rewind = Rewind::new(Rules::of(&config));
    let step = 1000 / setting.fps as u64;
    let (mut down, mut up) = (Link::new(setting.link, seed), Link::new(setting.link, seed ^ 1));
    let mut clock = ClientClock::new(ClockConfig { nudge: Millis(setting.nudge), ..ClockConfig::default() });
    let mut snapshots: VecDeque<(Arrival, u32, ServerTime)> = VecDeque::new();
    let mut packets: VecDeque<Flight> = VecDeque::new();
    let mut sent_at: Vec<Arrival> = vec![Arrival(0)];
    let mut acknowledged_first = 0;
    let (mut newest, mut drawn) = (None, None);
    let (mut pending, mut previous) = (Commands::new(), Commands::new());
    let (mut number, mut frames) = (0u32, 0i32);
    let mut acks: VecDeque<(u64, u32)> = VecDeque::new();
    let (mut last_number, mut last_claim, mut named) = (0, 0, 0);
    let mut out = Outcome::default();
    for ms in 0..seconds * 1000 {
        let now = Arrival::from_millis(ms);
        // What came at the server.
        while packets.front().is_some_and(|packet| packet.at <= now) {
            let Some(packet) = packets.pop_front() else { break };
            if packet.number <= last_number {
                continue;
            }
            last_number = packet.number;
            let first = packet.acknowledged > acknowledged_first;
            acknowledged_first = acknowledged_first.max(packet.acknowledged);
            let round_trip = first.then(|| now.since(sent_at[packet.acknowledged as usize]));
            let command = |&(claim, _): &(i32, i32)| UserCmd { server_time: claim, ..UserCmd::default() };
            let commands: Vec<UserCmd> = packet.commands.iter().map(command).collect();
            let told = Packet {
                number: Sequence(packet.number),
                acknowledged: Sequence(packet.acknowledged),
                round_trip,
                commands: &commands,
                snapshot_gap: Millis(step as i32),
            };
            rewind.packet(me, &told, now);
            for (claim, truth) in packet.commands {
                if claim <= last_claim {
                    continue;
                }
                last_claim = claim;
                let fault = rewind.command(me, CommandTime(claim), now);
                let Some((_, judged)) = rewind.claim_of(me) else { continue };
                if ms < 5000 {
                    continue;
                }
                out.claims += 1;
                out.faults += u32::from(fault.is_some());
                out.gain = out.gain.max(truth - judged.at.0);
                out.oldest = out.oldest.max((rewind.moment_at(now) - judged.at).0);
                out.silent += u32::from(judged.at.0 != claim && fault.is_none());
            }
        }
        // A frame of the server.
        if ms > 0 && ms % step == 0 {
            let mut frame = WorldFrame::default();
            frame.time = ServerTime(ms as i32);
            rewind.record(&frame, now, |_| Default::default());
            let message = sent_at.len() as u32;
            sent_at.push(now);
            rewind.sent(me, Sequence(message), [].into_iter());
            if let [Some(at), _] = down.send(now, 200) {
                snapshots.push_back((at, message, frame.time));
            }
        }
        // A frame of the client: a command with what was drawn before, a packet, a picture.
        if ms % setting.frame as u64 != 0 {
            continue;
        }
        let mut is_new = false;
        while snapshots.front().is_some_and(|(at, ..)| *at <= now) {
            newest = snapshots.pop_front();
            is_new = true;
        }
        frames += 1;
        let Some((_, has, time)) = newest else { continue };
        acks.push_back((ms, has));
        if let Some(drawn) = drawn {
            pending.push((lie(setting.lie, frames, ms, drawn), drawn));
            let stalled = matches!(setting.lie, Lie::Stalls(span) if ms % 3000 < span as u64 && ms > 5000);
            if frames % setting.packet_every == 0 && !stalled {
                number += 1;
                let late = match setting.lie {
                    Lie::Withholds(late) if ms > 5000 => late as u64,
                    Lie::Uneven(by) => fastrand::Rng::with_seed(ms).u64(0..=by as u64),
                    _ => 0,
                };
                while acks.len() > 1 && acks[1].0 + late <= ms {
                    acks.pop_front();
                }
                let acknowledged = if late > 0 { acks[0].1.max(named) } else { has };
                named = named.max(acknowledged);
                // What it sends late it has seen the world move on from.
                let truth = drawn;
                let is_late =
                    matches!(setting.lie, Lie::Stalls(_)) && pending.len() > setting.packet_every as usize;
                let fresh: Vec<(i32, i32)> = pending
                    .iter()
                    .map(|&(claim, made)| (claim, if is_late { truth } else { made }))
                    .collect();
                let commands = previous.iter().chain(&fresh).copied().collect::<Vec<_>>();
                let commands = commands[commands.len().saturating_sub(32)..].to_vec();
                if let [Some(at), _] = up.send(now, 100) {
                    packets.push_back(Flight { at, number, acknowledged, commands });
                }
                previous = std::mem::take(&mut pending);
                previous.drain(..previous.len().saturating_sub(setting.packet_every as usize));
            }
        }
        if let Ok(Some(tick)) = clock.frame(ms as i32, &Newest { time, flags: 0, is_new }) {
            drawn = Some(tick.drawn.0);
        }
    }
    out.by_cause = rewind.counts().faults;
    out
}

/// What a command claims whose client drew `drawn`. Claims must rise, or they are not executed.
fn lie(lie: Lie, frames: i32, ms: u64, drawn: i32) -> i32 {
    let claim = match lie {
        Lie::None | Lie::Stalls(_) => drawn,
        Lie::Old(by) if frames % 100 < 50 => drawn - by * (frames % 100) / 50,
        Lie::Future(by) if frames % 50 == 0 => drawn + by,
        Lie::Oscillates(by) => drawn - if frames % 40 < 20 { by } else { 0 },
        Lie::Withholds(late) if ms > 5000 => drawn - late,
        Lie::Creeps(per_s) if ms > 5000 => drawn - (ms as i32 - 5000) * per_s / 1000,
        Lie::Uneven(by) if ms > 5000 => drawn - by,
        _ => drawn,
    };
    claim.max(1)
}

fn uneven(delay: i32, jitter: i32, loss: f64) -> LinkConfig {
    LinkConfig { delay: Millis(delay), jitter: Millis(jitter), loss, ..LinkConfig::default() }
}

#[test]
fn an_honest_client_on_a_bad_line_is_never_refused() {
    let mut claims = 0;
    for (n, (fps, frame, packet_every, nudge)) in
        [(20, 8, 1, 0), (20, 16, 2, 0), (40, 8, 1, 0), (40, 16, 2, 30), (20, 11, 3, -30), (125, 8, 1, 0)]
            .into_iter()
            .enumerate()
    {
        for delay in [0, 30, 125] {
            let link = uneven(delay, 50, 0.05);
            let setting = Setting { fps, link, frame, packet_every, nudge, lie: Lie::None };
            let outcome = play(n as u64 * 10 + delay as u64, &setting, 120);
            eprintln!("{setting:?}: {outcome:?}");
            claims += outcome.claims;
            assert_eq!(outcome.faults, 0, "{setting:?}: {outcome:?}");
            assert!(outcome.gain <= 0, "{setting:?}: {outcome:?}");
        }
    }
    assert!(claims >= 100_000, "{claims}");
}

/// Everything of a real match: client, link, server. Refused shots, of how many.
fn refused(shots: u32, span: Millis) -> (u32, u32) {
    let mut sum = Score::default();
    let kinds = [(20, 20, 8, 125), (20, 40, 12, 30), (40, 40, 16, 60), (40, 125, 8, 125)];
    let round_trips = [0, 60, 250];
    for (seed, (kind, round_trip)) in
        kinds.into_iter().cycle().zip(round_trips.into_iter().cycle()).enumerate()
    {
        let (snaps, fps, frame, max_packets) = kind;
        let range = Range {
            round_trip: Millis(round_trip),
            jitter: Millis(50),
            loss: 0.05,
            snaps,
            fps,
            frame: Millis(frame),
            max_packets,
            ..Range::default()
        };
        let score = Shooting::new(seed as u64, &range).run(span);
        if score.faults > 0 {
            eprintln!("seed {seed}, {range:?}: {score:?}");
        }
        sum += score;
        if sum.rays >= shots {
            break;
        }
    }
    (sum.faults, sum.rays)
}

#[test]
fn no_shot_over_a_bad_line_is_refused() {
    let (refused, shots) = refused(1200, Millis(10_000));
    assert_eq!(refused, 0, "of {shots}");
}

/// Run by `cargo test --release -p fogline-tests --test it rewind_claims -- --ignored --nocapture`.
#[test]
#[ignore = "minutes"]
fn none_of_a_hundred_thousand_shots_over_a_bad_line_is_refused() {
    let (refused, shots) = refused(100_000, Millis(60_000));
    println!("{refused} of {shots} shots refused");
    assert_eq!(refused, 0, "of {shots}");
}

const LIES: [Lie; 18] = [
    Lie::Old(100),
    Lie::Old(400),
    Lie::Future(150),
    Lie::Oscillates(150),
    Lie::Oscillates(70),
    Lie::Stalls(150),
    Lie::Withholds(20),
    Lie::Withholds(40),
    Lie::Withholds(100),
    Lie::Withholds(300),
    Lie::Creeps(3),
    Lie::Creeps(30),
    Lie::Creeps(100),
    Lie::Uneven(30),
    Lie::Uneven(60),
    Lie::Uneven(120),
    Lie::Uneven(250),
    Lie::Uneven(600),
];
const SEEDS: std::ops::Range<u64> = 0..3;
/// The last 35 of them are lied in. Unit: s.
const LIES_END: u64 = 40;

/// What every lie comes to, the worst of some seeds.
fn lies(fps: i32, link: LinkConfig) -> impl Iterator<Item = (Setting, Outcome)> {
    LIES.into_iter().map(move |lie| {
        let setting = Setting { fps, link, frame: 8, packet_every: 1, nudge: 0, lie };
        let worst = SEEDS.map(|seed| play(seed, &setting, LIES_END)).reduce(|a, b| Outcome {
            claims: a.claims + b.claims,
            faults: a.faults + b.faults,
            gain: a.gain.max(b.gain),
            oldest: a.oldest.max(b.oldest),
            silent: a.silent + b.silent,
            by_cause: std::array::from_fn(|cause| a.by_cause[cause] + b.by_cause[cause]),
        });
        let worst = worst.expect("there are seeds");
        eprintln!("{setting:?}: {worst:?}");
        (setting, worst)
    })
}

#[test]
fn no_lie_gains_more_than_a_snapshot_and_thirty_milliseconds_however_long_it_is_kept_up() {
    for fps in [20, 40, 125] {
        for (setting, outcome) in lies(fps, uneven(30, 0, 0.0)) {
            assert!(outcome.gain <= 1000 / fps + 30, "{setting:?}: {outcome:?}");
            assert_eq!(outcome.silent, 0, "{setting:?}: {outcome:?}");
        }
    }
}

/// Where pictures are now older and now newer, a liar may always claim to have drawn the oldest of them.
#[test]
fn over_an_uneven_line_no_lie_gains_more_than_that_beyond_the_oldest_picture_of_honest_play() {
    for fps in [20, 40, 125] {
        let link = uneven(30, 20, 0.05);
        let honest = Setting { fps, link, frame: 8, packet_every: 1, nudge: 0, lie: Lie::None };
        let oldest = SEEDS.map(|seed| play(seed, &honest, LIES_END).oldest).max().unwrap_or(0);
        for (setting, outcome) in lies(fps, link) {
            assert!(outcome.oldest <= oldest + 1000 / fps + 30, "{oldest}, {setting:?}: {outcome:?}");
            assert_eq!(outcome.silent, 0, "{setting:?}: {outcome:?}");
        }
    }
}
