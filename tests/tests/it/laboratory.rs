//! The laboratory of rules: what the facts page derives about the reference comes out of it, and rules whose answer is known have it.

use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::contents;
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;
use fogline_server::io::journal::Reader;
use fogline_tests::bot::BotConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::gamedata;
use fogline_tests::halls;
use fogline_tests::journalled::Journalled;
use fogline_tests::network::LinkPair;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tests::tiny_map::{CEILING, TinyMap};
use fogline_tools::audit::crossing::{Crossing, Span};
use fogline_tools::audit::record::Stand;
use fogline_tools::rules::judge::{Match, run};
use fogline_tools::rules::paths::{Path, Paths, Stance};
use fogline_tools::rules::walk::walk;
use fogline_tools::rules::watch::{Condition, Watch, render_delays, watch};
use fogline_tools::rules::{RULES, Rule, run_condition};
use std::sync::Arc;

fn rule(name: &str) -> Rule {
    RULES.into_iter().find(|rule| rule.name == name).unwrap()
}

fn condition(fps: i32) -> Condition {
    Condition {
        fps,
        snaps: fps,
        rtt_ms: 0,
        jitter_ms: 0,
        loss: 0.0,
        frame: Millis(8),
        nudge: Millis(0),
        seed: 1,
    }
}

/// A wall across the middle up to y = 0.
fn walled() -> Arc<ClipMap> {
    let wall = Bounds::new(vec3(-16.0, -1024.0, 0.0), vec3(16.0, 0.0, CEILING));
    TinyMap::room("").one_area().solid(wall).build()
}

fn path(at: impl Fn(i32) -> (Vec3, Vec3)) -> Path {
    let mut path = Path::default();
    for ms in 0..4000 {
        let (origin, velocity) = at(ms);
        let stand = Stand { origin, view_height: 26, is_alive: true, life: 1 };
        path.push(ms, Stance { stand, velocity, view_angles: Vec3::ZERO, on_ground: true });
    }
    path
}

/// A viewer that stands, and a target that runs straight on from `y`.
fn approach(y: f32) -> Paths {
    let viewer = path(|_| (vec3(-400.0, -200.0, 24.0), Vec3::ZERO));
    let target = path(|ms| (vec3(400.0, y + 0.25 * ms as f32, 24.0), vec3(0.0, 250.0, 0.0)));
    Paths { source: String::new(), players: vec![viewer, target] }
}

/// First moment at which a straight line joins the eyes, on the server's own positions. Unit: ms.
fn eyes_meet(map: &ClipMap, paths: &Paths) -> i32 {
    let eye = |player: usize, ms: i32| paths.players[player].known(ms).unwrap().stand.eye();
    let clear = |ms: i32| {
        let request = TraceRequest::ray(eye(0, ms), eye(1, ms), contents::SOLID, None);
        map.trace(&request).fraction >= 1.0
    };
    (0..4000).find(|&ms| clear(ms)).unwrap()
}

/// Facts page, section 12, D4: on a straight approach the reference's lead is in ((k-1)f, kf], evenly spread over the phase.
#[test]
fn the_reference_leads_by_between_two_and_three_frames_on_a_straight_approach() {
    let map = walled();
    for (fps, frame) in [(20, 50), (40, 25)] {
        let condition = condition(fps);
        let leads: Vec<i32> = (0..frame)
            .map(|phase| {
                let paths = approach(-600.0 + 0.25 * phase as f32);
                let watches: Vec<Watch> =
                    ClientNum::all(2).map(|player| watch(&paths, player, "walled", &condition)).collect();
                let game = Match {
                    clip: &map,
                    paths: &paths,
                    condition: &condition,
                    watches: &watches,
                    truths: &[],
                };
                let told = run(&rule("OpenMoHAA 2"), &game);
                let first = told[0].iter().position(|mask| mask & 2 != 0).unwrap();
                eyes_meet(&map, &paths) - watches[0].record.snapshots[first].time.0
            })
            .collect();
        let (least, most) = (*leads.iter().min().unwrap(), *leads.iter().max().unwrap());
        // The line is found on whole milliseconds.
        assert!(2 * frame - 1 <= least && most <= 3 * frame + 1, "{fps} Hz: {least} to {most} ms");
        assert!(most - least >= frame - 3, "{fps} Hz: every phase is met: {least} to {most} ms");
        let mean = leads.iter().sum::<i32>() as f64 / leads.len() as f64;
        assert!((mean - 2.5 * f64::from(frame)).abs() < 2.0, "{fps} Hz: {mean} ms");
    }
}

/// Facts page, section 9: about 54 ms at 20 Hz and 27 at 40 Hz; no steady clock at 10 Hz.
#[test]
fn the_clock_renders_a_period_behind_and_finds_no_rest_at_ten_hertz() {
    let delays = |fps: i32, frame: i32| render_delays(&Condition { frame: Millis(frame), ..condition(fps) });
    let at = |delays: &[f64], share: f64| delays[(delays.len() as f64 * share) as usize];
    for (fps, frame, expected) in [(20, 4, 54.0), (20, 8, 54.0), (20, 16, 54.0), (40, 4, 27.0), (40, 8, 27.0)]
    {
        let delays = delays(fps, frame);
        let median = at(&delays, 0.5);
        assert!((median - expected).abs() <= 4.0, "{fps} Hz, frames of {frame} ms: {median} ms");
        let spread = at(&delays, 0.95) - at(&delays, 0.05);
        assert!(spread <= f64::from(frame) + 8.0, "{fps} Hz, frames of {frame} ms: spread {spread} ms");
    }
    let delays = delays(10, 8);
    let spread = at(&delays, 0.95) - at(&delays, 0.05);
    assert!(spread > 35.0, "at 10 Hz the clock rests within {spread} ms");
}

/// Rules whose answer is known have it, on a real map too where there is one.
#[test]
fn known_rules_come_out_as_they_must_and_the_others_between_them() {
    check_known_rules(halls::NAME);
    if gamedata::base_path().is_some() {
        check_known_rules("oa_dm5");
    }
}

/// A journal says where its players went, to the place that each was told of itself.
#[test]
fn a_journal_gives_the_paths_of_its_match() {
    let setup = Setup::halls();
    let bots = SimConfig::alike(3, &BotConfig::default(), LinkPair::default());
    let mut sim = Sim::new(5, bots, Journalled::new(fixture::server(5, &setup), 5));
    sim.set_map(&setup.clip_map());
    let mut told: Vec<Vec<(i32, Vec3)>> = vec![Vec::new(); 3];
    for _ in 0..400 {
        sim.run(Millis(10));
        for bot in sim.bots.iter().filter(|bot| bot.is_active()) {
            if let (Some(slot), Some(newest)) = (bot.client.client_num(), bot.client.snapshots().newest()) {
                told[slot.index()].push((newest.time.0, newest.player.origin));
            }
        }
    }
    let (_, mut journal) = Reader::new(&sim.server.journal[..]).unwrap();
    let (paths, map) = Paths::from_run(fixture::server(5, &setup), &mut journal).unwrap();
    assert_eq!((map.as_str(), paths.players.len()), (halls::NAME, 3));
    for (path, told) in paths.players.iter().zip(&told) {
        assert!(told.len() > 200);
        for &(time, origin) in told {
            assert_eq!(path.known(time).map(|stance| stance.stand.origin), Some(origin), "at {time}");
        }
    }
}

fn check_known_rules(name: &str) {
    let map = fixture::clip_map(name);
    let paths = walk(&map, 5, 20_000, 7).unwrap();
    assert_eq!(walk(&map, 5, 20_000, 7).unwrap().players, paths.players, "a seed is a walk");
    let condition = Condition { rtt_ms: 60, ..condition(20) };
    let rows = run_condition(name, &map, &paths, &RULES, &condition, |_| ());
    let of = |name: &str| &rows.iter().find(|row| row.rule == name).unwrap().group;
    let leak = |name: &str| {
        let time = of(name).time();
        time.leaked_us as f64 / time.hidden_us as f64
    };
    let crossings = of("PVS").crossings().count();
    assert!(crossings > 20, "{crossings} crossings");
    for never_late in ["no filter", "PVS", "oracle"] {
        assert!(
            of(never_late).crossings().all(|crossing| crossing.excess == Span::Exact(0.0)),
            "{never_late}"
        );
    }
    assert!(of("nobody").crossings().all(Crossing::is_undrawn));
    assert_eq!((leak("no filter"), leak("nobody")), (1.0, 0.0));
    for row in &rows {
        let own = leak(row.rule);
        assert!(own <= leak("PVS") || row.rule == "no filter", "{} leaks {own}", row.rule);
    }
    // What the oracle tells is what must be told, and its lead is no longer than a client needs.
    assert!(leak("oracle") < 0.05 && leak("oracle") < leak("Fogline 2"), "{}", leak("oracle"));
}
