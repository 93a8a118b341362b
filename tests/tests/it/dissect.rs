//! Listening in on a real conversation: everything that a client and our server say is read, on both wires.

use fogline_common::time::{Arrival, Millis};
use fogline_tests::fixture::{self, Setup};
use fogline_tools::client::Client;
use fogline_tools::client::Input;
use fogline_tools::client::config::{ClientConfig, Engine};
use fogline_tools::dissect::conversation::{Dissector, Heard, Playback};
use fogline_tools::dissect::demo::Demo;
use std::net::SocketAddr;

/// What a dissector makes of `span` of a client's play, from the first request on. Every `lose`-th datagram of the server is
/// heard by the dissector only.
///
/// The third is what the client could have recorded as a demo.
fn overheard(engine: Engine, span: Millis, lose: usize) -> (Vec<Heard>, u64, Vec<u8>) {
    let mut server = fixture::server(3, &Setup::halls());
    let mut client = Client::new(ClientConfig { engine, ..ClientConfig::default() });
    let (at_client, at_server) =
        (SocketAddr::from(([10, 0, 0, 1], 5)), SocketAddr::from(([10, 0, 0, 2], 27_960)));
    let mut dissector = Dissector::new(false);
    let (mut heard, mut out, mut sent) = (Vec::new(), Vec::new(), 0);
    let mut demo = Vec::new();
    let mut said = false;
    let mut now = Arrival::default();
    while now < Arrival::default().after(span) {
        now = now.after(Millis(1));
        client.input = Input { forward: 127, ..Input::default() };
        // Later than the server's flood protection asks for.
        if !said && now >= Arrival::from_millis(2000) {
            client.command("say overheard").unwrap();
            said = true;
        }
        client.advance(now);
        while client.poll_transmit(&mut out) {
            heard.push(dissector.hear(at_client, at_server, &out));
            server.receive(now, at_client, &out);
        }
        if server.next_wakeup() <= now {
            server.advance(now);
        }
        while server.poll_transmit(&mut out).is_some() {
            let said = dissector.hear(at_server, at_client, &out);
            if let Some(number) = said.number.filter(|_| said.kind == "server" && said.says != "a piece") {
                let message = dissector.last_message(at_server, at_client);
                demo.extend_from_slice(&number.to_le_bytes());
                demo.extend_from_slice(&(message.len() as u32).to_le_bytes());
                demo.extend_from_slice(message);
            }
            heard.push(said);
            sent += 1;
            if sent % lose != 0 {
                client.receive(now, &out);
            }
        }
        while client.poll_event().is_some() {}
    }
    (heard, dissector.unreadable, demo)
}

fn check(engine: Engine) {
    let (heard, unreadable, _) = overheard(engine, Millis(3000), 9);
    let told =
        |kind: &str, words: &str| heard.iter().filter(|h| h.kind == kind && h.says.contains(words)).count();
    let wrong: Vec<_> = heard.iter().filter(|h| h.says.contains("cannot be read")).collect();
    assert_eq!(unreadable, 0, "{wrong:?}");
    assert!(told("open", "challenge") >= 2 && told("open", "connect ") >= 1);
    assert!(told("server", "gamestate: slot 0") >= 1);
    assert!(told("server", "snapshot at") > 40 && told("server", "before, ") > 30);
    assert_eq!(told("server", "not heard"), 0);
    assert!(told("client", "usercmds at") > 60);
    assert!(told("client", "say overheard") >= 1, "the client's command was not told");
    let commands: Vec<_> =
        heard.iter().filter(|h| h.kind == "server" && h.says.contains("; command ")).collect();
    assert!(commands.iter().any(|h| h.says.contains("overheard")), "{commands:?}");
}

#[test]
fn a_legacy_conversation_is_read_from_both_sides() {
    check(Engine::OpenArena);
}

#[test]
fn an_ioquake3_conversation_is_read_from_both_sides() {
    check(Engine::Ioquake3);
}

#[test]
fn a_demo_is_read_as_the_conversation_that_it_was_recorded_from() {
    let (heard, _, demo) = overheard(Engine::OpenArena, Millis(3000), 9);
    let live: Vec<&str> =
        heard.iter().filter(|h| h.kind == "server" && h.says != "a piece").map(|h| h.says.as_str()).collect();
    let mut playback = Playback::new(false);
    let read: Vec<Heard> =
        Demo::new(&demo).map(|read| read.unwrap()).map(|(n, m)| playback.hear(n, m)).collect();
    assert_eq!((read.len(), playback.unreadable), (live.len(), 0));
    assert!(read.len() > 40 && read.iter().zip(live).all(|(read, live)| read.says == live));
}

#[test]
fn what_has_no_beginning_is_a_stranger() {
    let at = |port| SocketAddr::from(([10, 0, 0, 1], port));
    let heard = Dissector::new(false).hear(at(1), at(2), &[1, 0, 0, 0, 9, 9, 9, 9]);
    assert_eq!((heard.kind, heard.number), ("stranger", None));
}
