//! The swarm on real sockets: against our server on loopback, with an end to every wait.

use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::netchan::WireKind;
use fogline_server::io::Clock;
use fogline_tests::fixture::{self, Setup};
use fogline_tools::client::config::Engine;
use fogline_tools::rim::sockets::Sockets;
use fogline_tools::script::Script;
use fogline_tools::swarm::engine::Outcome;
use fogline_tools::swarm::{self, SwarmConfig, report};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs a swarm against a server set up so; the server's thread ends with the swarm.
fn against(setup: &Setup, config: SwarmConfig) -> Outcome {
    let mut sockets = Sockets::default();
    let socket = sockets.open(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let address = sockets.address(socket).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        let is_over = over.clone();
        scope.spawn(move || {
            let mut server = fixture::server(7, setup);
            let clock = Clock::start();
            let (mut ready, mut datagram, mut out) = (Vec::new(), vec![0; 16_384], Vec::new());
            while !is_over.load(Ordering::Relaxed) {
                let wait = server.next_wakeup().micros_since(clock.now()).min(50_000);
                sockets.wait(wait, &mut ready).unwrap();
                while let Some((size, from)) = sockets.receive(socket, &mut datagram).unwrap() {
                    server.receive(clock.now(), from, &datagram[..size]);
                }
                let now: Arrival = clock.now();
                if server.next_wakeup() <= now {
                    server.advance(now);
                }
                while let Some(to) = server.poll_transmit(&mut out) {
                    sockets.send(socket, to, &out).unwrap();
                }
            }
        });
        let config = SwarmConfig { servers: vec![address], ..config };
        let outcome = swarm::measure(&config, |_| ());
        over.store(true, Ordering::Relaxed);
        outcome.unwrap()
    })
}

fn short(clients: usize) -> SwarmConfig {
    SwarmConfig {
        clients,
        span: Millis(1000),
        settle: Millis(200),
        join_every: Millis(5),
        ..SwarmConfig::default()
    }
}

#[test]
fn every_player_of_a_swarm_plays_and_is_measured() {
    let config = SwarmConfig { engine: Engine::Ioquake3, script: Script::Fight, ..short(6) };
    let outcome = against(&Setup::halls(), config);
    assert!(swarm::is_good(&outcome), "{:?}", report::losses(&outcome));
    assert_eq!(outcome.joined, 6);
    for result in &outcome.results {
        assert_eq!(result.wire, Some(WireKind::Ioq3));
        let snapshots = result.meter.sizes.count();
        assert!((10..=30).contains(&snapshots), "{snapshots} snapshots in a second");
        assert_eq!(snapshots, result.counts.snapshots);
        assert!(result.meter.sizes.max() < 4000 && result.counts.bytes_in >= snapshots * 10);
    }
    let median = outcome.results[0].meter.intervals.quantile(0.5);
    assert!((30_000..70_000).contains(&median), "{median} µs between snapshots");
}

#[test]
fn players_that_find_no_room_are_lost_and_told_why() {
    let setup = Setup::halls().with("set sv_maxclients 2");
    let outcome = against(&setup, SwarmConfig { join_timeout: Millis(400), ..short(3) });
    assert!(!swarm::is_good(&outcome));
    assert_eq!(outcome.joined, 2);
    let reasons: Vec<_> = report::losses(&outcome).into_iter().collect();
    assert!(matches!(&reasons[..], [(reason, 1)] if reason.contains("full")), "{reasons:?}");
}
