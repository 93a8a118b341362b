//! One scripted scenario over three lines: a perfect aim at somebody who runs across, with 60, 120 and 250 ms added on each way.
//! All three must hit alike.
//!
//! A share of the repeats runs with all tests. All 200 of each, and the same over real sockets (half a minute by the clock):
//! `cargo test --release -p fogline-tests --test it rewind_scenario -- --ignored --nocapture`

#![allow(
    clippy::disallowed_methods,
    reason = "one of the tests is about real sockets, and they need threads"
)]

use fogline_common::time::{Arrival, Millis};
use fogline_server::io::{Clock, Input, Rim, Signal, run, socket};
use fogline_tests::bot::BotConfig;
use fogline_tests::checks::CheckConfig;
use fogline_tests::fixture::{self, Setup};
use fogline_tests::network::LinkPair;
use fogline_tests::shooting::range;
use fogline_tests::sim::{Sim, SimConfig};
use fogline_tests::stand_in::{Shots, StandIn};
use fogline_tools::client::config::ClientConfig;
use fogline_tools::client::{Client, ClientState};
use fogline_tools::lag::proxy::Links;
use fogline_tools::lag::relay::Relay;
use fogline_tools::link::LinkConfig;
use fogline_tools::rim::udp;
use fogline_tools::script::{Mind, Script};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

/// Added on each way. Unit: ms.
const ONE_WAY: [i32; 3] = [60, 120, 250];
const REPEATS: u64 = 200;
/// Shots of one repeat take about so long.
const SPAN: Millis = Millis(6000);
const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

fn setup() -> Setup {
    range().with("set sv_maxunlag 600")
}

fn shooter() -> ClientConfig {
    ClientConfig { frame: Millis(8), max_packets: 125, is_lan: true, ..ClientConfig::default() }
}

fn added(one_way: i32) -> LinkConfig {
    LinkConfig { delay: Millis(one_way), ..LinkConfig::default() }
}

/// One repeat in virtual time.
fn repeat(seed: u64, one_way: i32) -> Shots {
    let setup = setup();
    let (module, shots) = StandIn::new();
    let bots = [
        // The shooter gets slot 0.
        (Script::Aim, shooter(), added(one_way), 0),
        (Script::Idle, ClientConfig::default(), LinkConfig::default(), 3000 + seed * 7919 % 2000),
    ];
    let bots = bots.map(|(script, client, link, joins_at)| {
        let joins_at = Arrival::from_millis(joins_at);
        (BotConfig { client, script, joins_at, ..BotConfig::default() }, LinkPair::both(link))
    });
    // It moves players by no rules that a client could predict.
    let checks = CheckConfig { may_miss: true, ..CheckConfig::default() };
    let config = SimConfig { bots: bots.to_vec(), checks, ..SimConfig::default() };
    let mut sim = Sim::new(seed, config, fixture::server_of(seed, &setup, Box::new(module)));
    sim.set_map(&setup.clip_map());
    sim.run_until_all_active();
    sim.run(SPAN);
    let shots = shots.lock().expect("nobody panics with it");
    *shots
}

fn share(part: u32, of: u32) -> f64 {
    100.0 * f64::from(part) / f64::from(of.max(1))
}

/// All lines hit alike, and none would hit without compensation.
fn check_alike(all: &[Shots; 3]) {
    let rates = all.map(|shots| share(shots.hits, shots.fired));
    for (one_way, shots) in ONE_WAY.iter().zip(all) {
        println!(
            "{one_way} ms on each way: {} shots, {:.2} % hit, {:.2} % would hit in the present",
            shots.fired,
            share(shots.hits, shots.fired),
            share(shots.hits_in_present, shots.fired)
        );
        assert_eq!((shots.hits_in_present, shots.disturbed), (0, 0), "{one_way} ms: {shots:?}");
    }
    let (least, most) =
        (rates.iter().copied().fold(100.0, f64::min), rates.iter().copied().fold(0.0, f64::max));
    assert!(most - least <= 0.5 && least > 99.0, "{rates:?} %");
}

fn repeats(count: u64) {
    let mut all = [Shots::default(); 3];
    for seed in 0..count {
        for (one_way, sum) in ONE_WAY.into_iter().zip(&mut all) {
            let shots = repeat(seed, one_way);
            assert!(shots.fired > 30, "seed {seed}, {one_way} ms: {shots:?}");
            sum.fired += shots.fired;
            sum.hits += shots.hits;
            sum.hits_in_present += shots.hits_in_present;
            sum.disturbed += shots.disturbed;
        }
    }
    check_alike(&all);
}

#[test]
fn every_added_latency_hits_alike() {
    repeats(REPEATS / 20);
}

#[test]
#[ignore = "half a minute"]
fn every_added_latency_hits_alike_two_hundred_times() {
    repeats(REPEATS);
}

#[test]
#[ignore = "half a minute by the clock"]
fn every_added_latency_hits_alike_over_real_sockets() {
    let all = thread::scope(|scope| {
        let lines = ONE_WAY.map(|one_way| scope.spawn(move || over_udp(one_way)));
        lines.map(|line| line.join().expect("a line failed"))
    });
    for shots in &all {
        assert!(u64::from(shots.fired) >= REPEATS, "{shots:?}");
    }
    check_alike(&all);
}

/// Ends the server and the proxy, also when a test fails in between.
struct Ends<'a> {
    is_over: &'a AtomicBool,
    inputs: crossbeam_channel::Sender<Input>,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.inputs.send(Input::Signal(Signal::Quit));
    }
}

/// One line: our server behind its rim, the proxy of `fogtool lag`, the shooter through it and the target past it.
fn over_udp(one_way: i32) -> Shots {
    let (module, shots) = StandIn::new();
    let (is_over, (ready, started)) = (AtomicBool::new(false), mpsc::channel());
    thread::scope(|scope| {
        scope.spawn(move || serve(module, &ready));
        let (server, inputs) = started.recv().expect("the server starts");
        let _ends = Ends { is_over: &is_over, inputs };
        let links = Links { up: added(one_way), down: added(one_way) };
        let mut relay = Relay::open(ANY_PORT, server, links, 1).expect("a port is free");
        let proxy = relay.address().expect("it has an address");
        let is_over = &is_over;
        scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                relay.step(relay.now().after(Millis(50))).expect("its sockets work");
            }
        });
        let (tell, shooter_is_in) = mpsc::channel();
        let shoots = scope.spawn(move || player(proxy, shooter(), Script::Aim, Millis(30_000), &tell));
        // The shooter gets slot 0.
        shooter_is_in.recv().expect("the shooter comes in");
        let (tell, _target_is_in) = mpsc::channel();
        player(server, ClientConfig::default(), Script::Idle, Millis(25_000), &tell);
        shoots.join().expect("the shooter plays");
    });
    let shots = shots.lock().expect("nobody panics with it");
    *shots
}

fn serve(module: StandIn, ready: &mpsc::Sender<(SocketAddr, crossbeam_channel::Sender<Input>)>) {
    let clock = Clock::start();
    let listen = socket::Listen { v4: Some(Ipv4Addr::LOCALHOST), v6: None, port: 0, strict: true };
    let bound = socket::bind(&listen).expect("a port is free");
    let mut rim = Rim::start(clock, &bound, std::io::sink()).expect("the system has threads");
    let mut server = fixture::server_of(1, &setup(), Box::new(module));
    rim.carry(&mut server);
    ready.send((bound.addresses[0], rim.inputs())).expect("somebody waits for it");
    run(rim, &mut server);
}

/// A headless player on a socket of its own; tells when it is in the game.
fn player(to: SocketAddr, config: ClientConfig, script: Script, span: Millis, tell: &mpsc::Sender<()>) {
    let mut client = Client::new(ClientConfig { qport: 1 + script as u16, seed: 1, ..config });
    client.set_map(Some(setup().clip_map()));
    let mut mind = Mind::new(script, 1);
    let mut was_in = false;
    udp::drive(&mut client, to, span, |now, client| {
        while client.poll_event().is_some() {}
        if !was_in && *client.state() == ClientState::Active {
            was_in = true;
            let _ = tell.send(());
        }
        client.input = mind.input(now, client);
        true
    })
    .expect("the socket works");
    assert!(was_in, "{script:?} never came in");
}
