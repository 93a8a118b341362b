//! Shots are judged by what their shooter drew, whatever its line is like.

use fogline_common::time::{Arrival, Millis};
use fogline_tests::bot::BotConfig;
use fogline_tests::checks::CheckConfig;
use fogline_tests::fixture;
use fogline_tests::network::LinkPair;
use fogline_tests::shooting::{Range, Score, Shooting, range};
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tests::stand_in::StandIn;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::link::LinkConfig;
use fogline_tools::script::Script;

/// Plays one range and prints what came of it.
fn play(seed: u64, range: &Range, span: Millis) -> Score {
    let score = Shooting::new(seed, range).run(span);
    eprintln!("seed {seed}, {range:?}: {score:?}");
    assert!(score.rays >= span.0.unsigned_abs() / 1000, "hardly a shot: {score:?}");
    score
}

fn check_exact(score: &Score) {
    assert!(f64::from(score.agreed) >= 0.999 * f64::from(score.rays), "{score:?}");
    assert!(score.worst_error <= 0.5 && score.faults == 0, "{score:?}");
}

#[test]
fn every_round_trip_hits_what_it_draws() {
    for (n, round_trip) in [0, 25, 60, 120, 250, 300].into_iter().enumerate() {
        let range = Range { round_trip: Millis(round_trip), ..Range::default() };
        check_exact(&play(n as u64, &range, Millis(60_000)));
    }
}

#[test]
fn every_way_to_move_and_every_rate_is_hit_as_drawn() {
    let targets = [Script::Wander, Script::Strafe, Script::Jump, Script::Crouch];
    let rates = [(20, 40), (40, 40), (20, 125), (40, 125)];
    for (n, (target, (snaps, fps))) in targets.into_iter().zip(rates).enumerate() {
        let range = Range { target, snaps, fps, ..Range::default() };
        check_exact(&play(10 + n as u64, &range, Millis(60_000)));
    }
}

#[test]
fn an_uneven_line_that_loses_packets_is_hit_as_drawn() {
    for (n, (jitter, loss, snaps, fps)) in
        [(20, 0.0, 20, 20), (0, 0.05, 20, 40), (20, 0.05, 20, 20), (20, 0.05, 40, 40)].into_iter().enumerate()
    {
        let range = Range { jitter: Millis(jitter), loss, snaps, fps, ..Range::default() };
        let score = play(20 + n as u64, &range, Millis(60_000));
        assert!(f64::from(score.agreed) >= 0.999 * f64::from(score.rays), "{score:?}");
        // Nobody can know of every message that was skipped whether it was lost or came together with the next.
        assert!(score.faults == 0 && score.off * 50 <= score.boxes, "{score:?}");
    }
}

#[test]
fn a_target_on_a_lift_is_hit_as_drawn() {
    let range = Range { target: Script::Idle, on_lift: true, round_trip: Millis(120), ..Range::default() };
    check_exact(&play(40, &range, Millis(60_000)));
}

#[test]
fn the_past_of_a_full_server_fits_in_three_hundred_kilobytes() {
    for fps in [20, 40] {
        let lines = vec!["set sv_maxunlag 200".to_owned(), "set sv_maxclients 64".to_owned()];
        let range = Range { fps, snaps: 40, on_lift: true, lines, ..Range::default() };
        let mut shooting = Shooting::new(50, &range);
        shooting.run(Millis(5000));
        let bytes = shooting.sim.server.rewind().memory_bytes();
        eprintln!("{bytes} bytes at sv_fps {fps}");
        assert!((50_000..300_000).contains(&bytes), "{bytes} bytes at sv_fps {fps}");
    }
}

/// The boundary works for any game: this one is bytes, and asks for plain traces.
#[test]
fn a_module_that_never_heard_of_it_hits_what_its_shooter_draws() {
    let setup = range();
    let (module, shots) = StandIn::new();
    let shooter =
        ClientConfig { frame: Millis(8), max_packets: 125, is_lan: true, ..ClientConfig::default() };
    let far = LinkConfig { delay: Millis(40), ..LinkConfig::default() };
    let bots = [(Script::Aim, shooter, far), (Script::Idle, ClientConfig::default(), LinkConfig::default())];
    let bots = bots.map(|(script, client, link)| {
        // The shooter gets slot 0.
        let joins_at = Arrival::from_millis(if script == Script::Aim { 0 } else { 3000 });
        (BotConfig { client, script, joins_at, ..BotConfig::default() }, LinkPair::both(link))
    });
    // It moves players by no rules that a client could predict.
    let checks = CheckConfig { may_miss: true, ..CheckConfig::default() };
    let config = SimConfig { bots: bots.to_vec(), checks, ..SimConfig::default() };
    let mut sim = Sim::new(7, config, fixture::server_of(7, &setup, Box::new(module)));
    sim.set_map(&setup.clip_map());
    sim.run_until_all_active();
    sim.run(Millis(20_000));
    let shots = *shots.lock().unwrap();
    eprintln!("{shots:?}");
    assert!(shots.fired > 100 && shots.hits * 1000 >= shots.fired * 990, "{shots:?}");
    assert!(shots.hits_in_present * 10 < shots.fired && shots.disturbed == 0, "{shots:?}");
    assert_eq!(shots.strays, 0, "{shots:?}");
}
