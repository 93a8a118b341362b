//! Strangers of every kind, against the clock.

use super::super::replies::{MAX_REPLY_BYTES, PlayerRow, Population};
use super::*;
use crate::config::Config;
use proptest::prelude::*;

struct Facts {
    config: Config,
    players: usize,
}

impl Default for Facts {
    fn default() -> Self {
        let config = Config {
            rconpassword: "secret".to_owned(),
            mapname: "oa_dm1".to_owned(),
            sv_privateclients: 2,
            ..Config::default()
        };
        Self { config, players: 2 }
    }
}

impl QueryFacts for Facts {
    fn config(&self) -> &Config {
        &self.config
    }
    fn population(&self) -> Population {
        Population { clients: self.players, humans: 1 }
    }
    fn serverinfo(&self) -> &str {
        "\\sv_hostname\\Fogline\\mapname\\oa_dm1\\version\\something of the usual length for a server\\g_gametype\\0"
    }
    fn each_player(&self, row: &mut dyn FnMut(PlayerRow<'_>)) {
        for n in 0..self.players {
            row(PlayerRow { score: 3, ping: n as i32 * 40, name: "^1a\"b\nc" });
        }
    }
}

fn address(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

fn player() -> SocketAddr {
    address("198.51.100.7:27961")
}

fn ask(
    server: &mut Connectionless,
    now: Arrival,
    from: SocketAddr,
    payload: &[u8],
) -> (Vec<Vec<u8>>, Option<Request>) {
    let mut sent = Vec::new();
    let request =
        server.handle(now, from, payload, &Facts::default(), &mut |datagram| sent.push(datagram.to_vec()));
    (sent, request)
}

fn answer(server: &mut Connectionless, from: SocketAddr, payload: &[u8]) -> String {
    let (sent, _) = ask(server, Arrival::from_millis(1000), from, payload);
    let texts: Vec<_> = sent
        .iter()
        .map(|datagram| {
            String::from_utf8_lossy(datagram.strip_prefix(replies::MARKER).expect("a marker")).into_owned()
        })
        .collect();
    texts.join("|")
}

fn connect_packet(userinfo: &str) -> Vec<u8> {
    let mut packet = b"connect ".to_vec();
    packet.extend(adaptive::compress(format!("\"{userinfo}\"").as_bytes()));
    packet
}

fn get_challenge(server: &mut Connectionless, now: Arrival, from: SocketAddr) -> Option<i32> {
    let (sent, _) = ask(server, now, from, b"getchallenge 77 Quake3Arena");
    let text = String::from_utf8(sent.first()?[4..].to_vec()).unwrap();
    text.split(' ').nth(1)?.parse().ok()
}

#[test]
fn getinfo_lists_what_browsers_show() {
    let mut server = Connectionless::new([1, 2]);
    let text = answer(&mut server, player(), b"getinfo abc123");
    let (head, info) = text.split_once('\n').unwrap();
    assert_eq!(head, "infoResponse");
    let check = |key, value| assert_eq!(info_string::value(info, key), value, "{key}");
    check("challenge", "abc123");
    check("protocol", "71");
    check("gamename", "Quake3Arena");
    check("hostname", "Fogline");
    check("mapname", "oa_dm1");
    check("clients", "2");
    check("g_humanplayers", "1");
    check("sv_maxclients", "14");
    check("gametype", "0");
    check("pure", "0");
    check("g_needpass", "0");
}

#[test]
fn getstatus_lists_players_and_no_name_breaks_a_line() {
    let mut server = Connectionless::new([1, 2]);
    let text = answer(&mut server, player(), b"GetStatus xyz\nignored");
    let lines: Vec<_> = text.split('\n').collect();
    assert_eq!(lines[0], "statusResponse");
    assert!(lines[1].starts_with("\\challenge\\xyz\\sv_hostname\\Fogline"));
    assert_eq!(lines[2..], ["3 0 \"^1abc\"", "3 40 \"^1abc\"", ""]);
}

#[test]
fn an_echo_can_neither_inject_pairs_nor_be_long() {
    let mut server = Connectionless::new([1, 2]);
    let text = answer(&mut server, player(), b"getinfo a\\clients\\99;\"");
    assert_eq!(info_string::value(text.split_once('\n').unwrap().1, "challenge"), "aclients99");
    let long = [b"getinfo ".to_vec(), vec![b'x'; MAX_ECHO + 1]].concat();
    assert_eq!(answer(&mut server, player(), &long), "");
    assert_eq!(server.counts().of(Cause::EchoTooLong), 1);
}

#[test]
fn a_challenge_is_answered_with_the_askers_number_and_our_protocol() {
    let mut server = Connectionless::new([1, 2]);
    let text = answer(&mut server, player(), b"getchallenge 378151803 Quake3Arena");
    let words: Vec<_> = text.split(' ').collect();
    assert_eq!((words[0], &words[2..]), ("challengeResponse", &["378151803", "71"][..]));
    assert!(answer(&mut server, player(), b"getchallenge").ends_with(" 0 71"));
    assert_eq!(
        answer(&mut server, player(), b"getchallenge 1 OtherGame"),
        "print\nGame mismatch: This is a Quake3Arena server\n"
    );
}

#[test]
fn a_connect_with_its_challenge_is_handed_on() {
    let mut server = Connectionless::new([1, 2]);
    let now = Arrival::from_millis(1000);
    let challenge = get_challenge(&mut server, now, player()).unwrap();
    let userinfo = format!("\\challenge\\{challenge}\\qport\\1234\\protocol\\71\\name\\me\u{e9}");
    let (sent, request) = ask(&mut server, now, player(), &connect_packet(&userinfo));
    assert!(sent.is_empty());
    let expected = userinfo.replace('\u{e9}', "..");
    assert_eq!(request, Some(Request::Connect { userinfo: expected, challenge }));
}

#[test]
fn a_connect_with_an_invented_challenge_is_told_so_now_and_then() {
    let mut server = Connectionless::new([1, 2]);
    let mut told = 0;
    for n in 0..1000 {
        let packet =
            connect_packet(&format!("\\challenge\\{n}\\qport\\1\\protocol\\71\\name\\a long enough name"));
        let (sent, request) = ask(&mut server, Arrival::from_millis(n), player(), &packet);
        assert_eq!(request, None);
        told += sent.len();
    }
    assert!((1..=10).contains(&told), "{told}");
}

#[test]
fn an_unusable_userinfo_is_refused_with_a_reason_once_the_address_is_proved() {
    let check = |tail: &str, cause: Cause| {
        let mut server = Connectionless::new([1, 2]);
        let now = Arrival::from_millis(1000);
        let challenge = get_challenge(&mut server, now, player()).unwrap();
        let packet = connect_packet(&format!("\\challenge\\{challenge}\\name\\{tail}"));
        let (sent, request) = ask(&mut server, now, player(), &packet);
        assert_eq!((sent.len(), request), (1, None));
        assert_eq!(server.counts().of(cause), 1);
    };
    check("a\u{1b}[2J", Cause::UserinfoForbidden);
    check("a;quit", Cause::UserinfoForbidden);
    check(&"x".repeat(1005), Cause::UserinfoTooLong);
}

#[test]
fn connects_that_do_not_unpack_are_counted() {
    let mut server = Connectionless::new([1, 2]);
    for payload in [&b"connect"[..], b"connect ", b"connect \xff\xff\x00", b"connect \x00\x00", b"connectxyz"]
    {
        assert_eq!(answer(&mut server, player(), payload), "");
    }
    assert_eq!(server.counts().of(Cause::ConnectMalformed), 5);
}

#[test]
fn rcon_passes_the_command_as_it_was_written() {
    let mut server = Connectionless::new([1, 2]);
    let (sent, request) =
        ask(&mut server, Arrival::from_millis(1), player(), b"rcon \"secret\"  say \"hi  there\"\nquit");
    assert!(sent.is_empty());
    assert_eq!(request, Some(Request::Rcon { command: "say \"hi  there\"".to_owned() }));
}

#[test]
fn rcon_is_locked_after_wrong_tries_and_the_log_says_so() {
    let mut server = Connectionless::new([1, 2]);
    let now = Arrival::from_millis(1);
    let lines: Vec<_> =
        (0..10).filter_map(|_| ask(&mut server, now, player(), b"rcon wrong status").1).collect();
    assert_eq!(lines.len(), usize::from(rcon::MAX_WRONG_TRIES));
    assert!(matches!(lines.last(), Some(Request::Log(line)) if line.contains("locked")));
    let (sent, request) = ask(&mut server, now, player(), b"rcon secret status");
    assert!(sent.is_empty() && request.is_none());
    assert!(ask(&mut server, now.after(rcon::LOCK), player(), b"rcon secret status").1.is_some());
}

#[test]
fn what_nobody_answers_is_counted() {
    let mut server = Connectionless::new([1, 2]);
    for payload in [&b""[..], b"\n", b"ipAuthorize 1", b"infoResponse", b"\"", b"getstatusx"] {
        assert_eq!(answer(&mut server, player(), payload), "");
    }
    assert_eq!(answer(&mut server, player(), b"disconnect"), "");
    assert_eq!(answer(&mut server, player(), &[b'x'; 1397]), "");
    let counts = server.counts();
    assert_eq!(counts.of(Cause::UnknownCommand), 6);
    assert_eq!(counts.of(Cause::DisconnectIgnored), 1);
    assert_eq!(counts.of(Cause::Oversized), 1);
}

#[test]
fn a_status_with_every_slot_taken_has_every_row() {
    let mut server = Connectionless::new([1, 2]);
    let facts = Facts { players: 64, ..Facts::default() };
    let mut size = 0;
    server.handle(Arrival::from_millis(1), player(), b"getstatus", &facts, &mut |datagram| {
        size = datagram.len();
        assert_eq!(datagram.iter().filter(|&&byte| byte == b'\n').count(), 2 + 64);
    });
    assert!(size > 0 && size <= MAX_REPLY_BYTES);
}

/// Twenty thousand forged queries a second in the name of one victim: beyond the first few replies it gets nothing, and a
/// player joins meanwhile.
#[test]
fn a_flood_of_forged_queries_gains_nothing_and_keeps_nobody_out() {
    let mut server = Connectionless::new([1, 2]);
    let victim = address("203.0.113.9:80");
    let (mut bytes_in, mut bytes_out, mut joined) = (0, 0, 0);
    for n in 0..100_000_u64 {
        let now = Arrival(n * 50);
        let (sent, _) = ask(&mut server, now, victim, b"getstatus");
        bytes_in += 4 + 9;
        bytes_out += sent.iter().map(Vec::len).sum::<usize>();
        if n % 20_000 == 10_000 {
            let from = address(&format!("198.51.100.{}:27961", n / 20_000));
            let challenge = get_challenge(&mut server, now, from).expect("a challenge");
            let (_, request) =
                ask(&mut server, now, from, &connect_packet(&format!("\\challenge\\{challenge}")));
            joined += usize::from(matches!(request, Some(Request::Connect { .. })));
        }
    }
    let first_few = allowance::QUERIES.burst_bytes as usize + 2 * MAX_REPLY_BYTES;
    assert!(bytes_out < first_few, "{bytes_out} bytes out for {bytes_in} in");
    assert_eq!(joined, 5);
}

#[test]
fn a_flood_from_everywhere_stays_within_the_common_allowance_and_keeps_nobody_out() {
    let seed = 5;
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut server = Connectionless::new([1, 2]);
    let (mut excess, mut joined) = (0_usize, 0);
    for n in 0..100_000_u64 {
        let now = Arrival(n * 50);
        let from = SocketAddr::from((std::net::Ipv4Addr::from_bits(rng.u32(..)), 27960));
        let payload: &[u8] = if n % 2 == 0 { b"getstatus" } else { b"getchallenge 640683804 Quake3Arena" };
        let (sent, _) = ask(&mut server, now, from, payload);
        excess += sent.iter().map(|datagram| datagram.len().saturating_sub(4 + payload.len())).sum::<usize>();
        if n % 20_000 == 10_000 {
            let challenge = get_challenge(&mut server, now, player()).expect("a challenge");
            let (_, request) =
                ask(&mut server, now, player(), &connect_packet(&format!("\\challenge\\{challenge}")));
            joined += usize::from(matches!(request, Some(Request::Connect { .. })));
        }
    }
    let common = [allowance::ALL_QUERIES, allowance::ALL_JOINS];
    let most: u32 = common.iter().map(|limit| limit.burst_bytes + 5 * limit.bytes_per_s).sum();
    assert!(excess <= most as usize + 2 * MAX_REPLY_BYTES, "seed {seed}: {excess} bytes beyond what came in");
    assert_eq!(joined, 5, "seed {seed}");
}

#[test]
fn a_flood_of_forged_connects_is_not_unpacked_and_keeps_nobody_out() {
    let seed = 6;
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut server = Connectionless::new([1, 2]);
    let packet = connect_packet("\\challenge\\5\\qport\\1\\protocol\\71\\name\\x");
    let mut joined = 0;
    for n in 0..40_000_u64 {
        let now = Arrival(n * 50);
        let from = SocketAddr::from((std::net::Ipv4Addr::from_bits(rng.u32(..)), 27960));
        ask(&mut server, now, from, &packet);
        if n % 10_000 == 5_000 {
            let challenge = get_challenge(&mut server, now, player()).expect("a challenge");
            let (_, request) =
                ask(&mut server, now, player(), &connect_packet(&format!("\\challenge\\{challenge}")));
            joined += usize::from(matches!(request, Some(Request::Connect { .. })));
        }
    }
    assert!(server.counts().of(Cause::BadChallenge) < 2_000, "seed {seed}");
    assert_eq!(joined, 4, "seed {seed}");
}

#[test]
fn a_monitor_on_this_machine_may_poll_ten_times_a_second_for_ever() {
    let mut server = Connectionless::new([1, 2]);
    for n in 0..3_000 {
        let (sent, _) = ask(&mut server, Arrival::from_millis(n * 100), address("127.0.0.1:5"), b"getstatus");
        assert_eq!(sent.len(), 1, "poll {n}");
    }
    server.trust([player().ip()]);
    for n in 0..3_000 {
        assert_eq!(
            ask(&mut server, Arrival::from_millis(n * 100), player(), b"getinfo").0.len(),
            1,
            "poll {n}"
        );
    }
}

#[test]
fn a_flood_from_this_machine_gains_nothing_either() {
    let mut server = Connectionless::new([1, 2]);
    let mut bytes_out = 0;
    for n in 0..20_000 {
        let (sent, _) = ask(&mut server, Arrival(n * 50), address("127.0.0.1:5"), b"getstatus");
        bytes_out += sent.iter().map(Vec::len).sum::<usize>();
    }
    assert!(bytes_out < 20_000 * 13 / 10, "{bytes_out}");
}

#[test]
fn a_flood_is_told_once_a_minute() {
    let mut server = Connectionless::new([1, 2]);
    let lines: Vec<_> = (0..180_000)
        .filter_map(|n| ask(&mut server, Arrival::from_millis(n), player(), b"getstatus").1)
        .collect();
    assert_eq!(lines.len(), 2);
    assert!(matches!(&lines[0], Request::Log(line) if line.contains("prefix_flood 5")), "{lines:?}");
}

#[test]
fn a_browser_that_refreshes_every_few_seconds_is_always_answered() {
    let mut server = Connectionless::new([1, 2]);
    for n in 0..1_000 {
        let (sent, _) = ask(&mut server, Arrival::from_millis(n * 3_000), player(), b"getstatus");
        assert_eq!(sent.len(), 1, "query {n}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_payload_does_harm(
        head in prop::sample::select(vec!["", "connect ", "getinfo ", "getstatus ", "getchallenge ", "rcon ", "rcon secret "]),
        tail in prop::collection::vec(any::<u8>(), 0..1500),
        now in 0_u64..1 << 50,
    ) {
        let mut server = Connectionless::new([1, 2]);
        let payload = [head.as_bytes(), &tail].concat();
        let (sent, request) = ask(&mut server, Arrival(now), player(), &payload);
        prop_assert!(sent.len() <= 1);
        prop_assert!(sent.iter().all(|datagram| datagram.len() <= MAX_REPLY_BYTES && datagram.starts_with(replies::MARKER)));
        let clean = |text: &str| text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
        match request {
            Some(Request::Connect { userinfo, .. }) => prop_assert!(clean(&userinfo) && userinfo.len() < MAX_INFO_STRING),
            Some(Request::Rcon { command }) => prop_assert!(clean(&command)),
            Some(Request::Log(line)) => prop_assert!(clean(&line)),
            None => {}
        }
        let counted: u64 = server.counts().iter().map(|(_, count)| count).sum();
        prop_assert_eq!(counted, 1);
    }
}
