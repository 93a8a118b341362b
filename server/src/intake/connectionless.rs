//! Answers datagrams that belong to no connection, and hands on the few that the server must act on.
//!
//! Knows no socket and no clock. What a stranger asks is answered out of an allowance per address prefix and one for all
//! strangers together, both counted in the bytes by which replies are longer than their requests: nobody can use the server
//! to send more to a third party than he sends himself, but for the first few replies. Queries and joining have separate
//! allowances, so no flood of queries keeps a player out. Every datagram is counted by what became of it.

use super::buckets::{Account, Allowance, Meter, Prefix, PrefixTable};
use super::challenge::Challenges;
use super::counts::{Cause, Counts};
use super::rcon::{self, RconGuard};
use super::replies::{self, QueryFacts};
use super::words::{Words, first_line, leading_int, printable};
use fogline_common::proto::info_string;
use fogline_common::proto::limits::{MAX_INFO_STRING, MAX_PACKET_BYTES};
use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::adaptive::{self, CONNECT_PLAIN_BYTES};
use std::net::{IpAddr, SocketAddr};

/// Something that the server must act on. The sender's address is proved, or its password is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A client wants a slot. Its challenge is good.
    Connect {
        /// Its userinfo: printable ASCII without quote and semicolon, shorter than `MAX_INFO_STRING`.
        userinfo: String,
        /// Its challenge.
        challenge: i32,
    },
    /// A host's command, to be answered with [`rcon::send_output`].
    Rcon {
        /// The command line, printable.
        command: String,
    },
    /// A line for the host's log. Few: they have an allowance of their own.
    Log(String),
}

/// Allowances, in bytes by which replies exceed requests. A reply costs at least [`MIN_COST`], a refusal costs as much.
pub mod allowance {
    use super::Allowance;

    /// Queries of one prefix: some fifteen full replies at once, one every second or two in the long run.
    pub const QUERIES: Allowance = Allowance { burst_bytes: 12_288, bytes_per_s: 512 };
    /// Queries of one prefix that cannot be forged or was named by the host: ten polls a second go on for ever.
    pub const TRUSTED_QUERIES: Allowance = Allowance { burst_bytes: 12_288, bytes_per_s: 16_384 };
    /// Challenges and connects of one prefix: a LAN party behind one address.
    pub const JOINS: Allowance = Allowance { burst_bytes: 4_096, bytes_per_s: 512 };
    /// Sentences to one prefix that has not proved anything.
    pub const NOTICES: Allowance = Allowance { burst_bytes: 512, bytes_per_s: 64 };
    /// Queries of all strangers together.
    pub const ALL_QUERIES: Allowance = Allowance { burst_bytes: 131_072, bytes_per_s: 32_768 };
    /// Challenges of all strangers together, true excess only; beyond it the short form still goes out.
    pub const ALL_JOINS: Allowance = Allowance { burst_bytes: 65_536, bytes_per_s: 131_072 };
    /// Work on connects of prefixes that have not asked for a challenge lately: 500 a second.
    pub const ODD_CONNECTS: Allowance = Allowance { burst_bytes: 16_384, bytes_per_s: 32_000 };
    /// Log lines: ten at once, one a second.
    pub const LOG_LINES: Allowance = Allowance { burst_bytes: 640, bytes_per_s: 64 };
}

/// What a reply and a refusal cost at least. Unit: bytes.
pub const MIN_COST: usize = 64;
/// Longest challenge argument that is echoed. Source: `SVC_Status`, `SVC_Info`.
pub const MAX_ECHO: usize = 128;
/// Prefixes beyond loopback that [`Connectionless::trust`] keeps.
pub const MAX_TRUSTED: usize = 64;
/// From one report of losses to the next.
const REPORT_EVERY: Millis = Millis(60_000);
/// Fewer losses are not worth a line.
const REPORT_FROM: u64 = 10;
/// Bytes of a connect's text once decompressed: a userinfo and the words around it.
const MAX_CONNECT_TEXT: usize = MAX_INFO_STRING + 64;
/// Sets of the table of prefixes, 8 each: 16,384 prefixes in half a megabyte.
const PREFIX_SETS: usize = 2048;

#[derive(Clone, Copy, Default)]
struct Spending {
    queries: Meter,
    joins: Meter,
    notices: Meter,
}

impl Account for Spending {
    fn settled_at(&self) -> Arrival {
        self.queries.clear_at().max(self.joins.clear_at()).max(self.notices.clear_at())
    }
}

/// The state behind the answers: who has drawn how much, and the keys. Size is fixed.
pub struct Connectionless {
    challenges: Challenges,
    rcon: RconGuard,
    spending: PrefixTable<Spending>,
    all_queries: Meter,
    all_joins: Meter,
    odd_connects: Meter,
    log_lines: Meter,
    trusted: Vec<Prefix>,
    counts: Counts,
    /// The counts at the last report.
    reported: Counts,
    next_report: Arrival,
    /// The reply under construction; kept to be used again.
    scratch: Vec<u8>,
    /// The connect being read; kept to be used again.
    connect_text: Vec<u8>,
}

/// One datagram under way: whose, when, how long.
#[derive(Clone, Copy)]
struct Asker {
    now: Arrival,
    from: SocketAddr,
    prefix: Prefix,
    trusted: bool,
    /// Bytes of the request, marker included.
    bytes: usize,
}

type Reply<'a> = &'a mut dyn FnMut(&[u8]);
/// Writes the answer to a query, with the asker's echo in it.
type WriteReply = fn(&mut Vec<u8>, &[u8], &dyn QueryFacts);

impl Connectionless {
    /// `secret` keys challenges and tables. It must be unknown outside and must not be a seed that a game draws from.
    pub fn new(secret: [u64; 2]) -> Self {
        let secret = (u128::from(secret[0]) << 64 | u128::from(secret[1])).to_le_bytes();
        let derived = |purpose: u8| secret.map(|byte| byte ^ purpose);
        Self {
            challenges: Challenges::new(secret),
            rcon: RconGuard::new(derived(0x36)),
            spending: PrefixTable::new(PREFIX_SETS, derived(0x5c)),
            all_queries: Meter::default(),
            all_joins: Meter::default(),
            odd_connects: Meter::default(),
            log_lines: Meter::default(),
            trusted: Vec::new(),
            counts: Counts::default(),
            reported: Counts::default(),
            next_report: Arrival(0),
            scratch: Vec::with_capacity(replies::MAX_REPLY_BYTES + 256),
            connect_text: Vec::with_capacity(MAX_CONNECT_TEXT),
        }
    }

    /// Replaces the list of those who may query more often: masters, the host's own monitors. Loopback always may.
    pub fn trust(&mut self, addresses: impl IntoIterator<Item = IpAddr>) {
        self.trusted.clear();
        self.trusted.extend(addresses.into_iter().map(Prefix::of).take(MAX_TRUSTED));
    }

    /// What became of every datagram until now.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Handles one datagram; `payload` is what follows the marker, and only its first line counts. `reply` takes whole
    /// datagrams for `from`.
    pub fn handle(
        &mut self,
        now: Arrival,
        from: SocketAddr,
        payload: &[u8],
        facts: &dyn QueryFacts,
        reply: Reply<'_>,
    ) -> Option<Request> {
        let request = self.route(now, from, payload, facts, reply);
        request.or_else(|| self.report_losses(now).map(Request::Log))
    }

    fn route(
        &mut self,
        now: Arrival,
        from: SocketAddr,
        payload: &[u8],
        facts: &dyn QueryFacts,
        reply: Reply<'_>,
    ) -> Option<Request> {
        let prefix = Prefix::of(from.ip());
        let trusted = from.ip().to_canonical().is_loopback() || self.trusted.contains(&prefix);
        let asker = Asker { now, from, prefix, trusted, bytes: payload.len() + replies::MARKER.len() };
        if asker.bytes > MAX_PACKET_BYTES {
            return self.drop_for(Cause::Oversized);
        }
        if payload.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"connect")) {
            return self.connect(asker, payload, reply);
        }
        let line = first_line(payload);
        let mut words = Words::of(line);
        let command = words.next().unwrap_or_default();
        let is = |name: &str| command.eq_ignore_ascii_case(name.as_bytes());
        if is("getstatus") {
            self.query(asker, words, facts, reply, (Cause::StatusSent, replies::write_status))
        } else if is("getinfo") {
            self.query(asker, words, facts, reply, (Cause::InfoSent, replies::write_info))
        } else if is("getchallenge") {
            self.challenge(asker, words, facts, reply)
        } else if is("rcon") {
            self.rcon(asker, words, facts, reply)
        } else if is("disconnect") {
            self.drop_for(Cause::DisconnectIgnored)
        } else {
            self.drop_for(Cause::UnknownCommand)
        }
    }

    fn query(
        &mut self,
        asker: Asker,
        mut words: Words<'_>,
        facts: &dyn QueryFacts,
        reply: Reply<'_>,
        (sent, write): (Cause, WriteReply),
    ) -> Option<Request> {
        let Asker { now, prefix, .. } = asker;
        let own = if asker.trusted { allowance::TRUSTED_QUERIES } else { allowance::QUERIES };
        let spent = &mut self.spending.open(prefix).queries;
        if !spent.is_open(now, own) {
            spent.draw(now, MIN_COST, own);
            return self.drop_for(Cause::PrefixFlood);
        }
        if !asker.trusted && !self.all_queries.is_open(now, allowance::ALL_QUERIES) {
            return self.drop_for(Cause::GlobalFlood);
        }
        let echo = words.next().unwrap_or_default();
        if echo.len() > MAX_ECHO {
            return self.drop_for(Cause::EchoTooLong);
        }
        write(&mut self.scratch, echo, facts);
        let excess = self.scratch.len().saturating_sub(asker.bytes);
        self.spending.open(prefix).queries.draw(now, excess.max(MIN_COST), own);
        if !asker.trusted {
            self.all_queries.draw(now, excess, allowance::ALL_QUERIES);
        }
        reply(&self.scratch);
        self.drop_for(sent)
    }

    fn challenge(
        &mut self,
        asker: Asker,
        mut words: Words<'_>,
        facts: &dyn QueryFacts,
        reply: Reply<'_>,
    ) -> Option<Request> {
        let Asker { now, prefix, .. } = asker;
        let spent = &mut self.spending.open(prefix).joins;
        if !spent.is_open(now, allowance::JOINS) {
            spent.draw(now, MIN_COST, allowance::JOINS);
            return self.drop_for(Cause::PrefixFlood);
        }
        let echo = words.next().map_or(0, leading_int);
        let config = facts.config();
        // A client of protocol 68 says no game at all.
        if words.next().is_some_and(|game| game != config.sv_gamename.as_bytes()) {
            let sentence = format!("Game mismatch: This is a {} server", config.sv_gamename);
            self.notice(asker, &sentence, reply);
            return self.drop_for(Cause::WrongGame);
        }
        let challenge = self.challenges.issue(now, asker.from);
        replies::write_challenge(&mut self.scratch, challenge, echo, config.com_protocol);
        if self.scratch.len() > asker.bytes && !self.all_joins.is_open(now, allowance::ALL_JOINS) {
            replies::write_short_challenge(&mut self.scratch, challenge);
            if self.scratch.len() > asker.bytes {
                return self.drop_for(Cause::GlobalFlood);
            }
        }
        let excess = self.scratch.len().saturating_sub(asker.bytes);
        self.spending.open(prefix).joins.draw(now, excess.max(MIN_COST), allowance::JOINS);
        self.all_joins.draw(now, excess, allowance::ALL_JOINS);
        reply(&self.scratch);
        self.drop_for(Cause::ChallengeSent)
    }

    /// Decompressing costs more than all else here, so it is done for those who asked for a challenge lately, and for a
    /// bounded number of others.
    fn connect(&mut self, asker: Asker, payload: &[u8], reply: Reply<'_>) -> Option<Request> {
        let now = asker.now;
        let (meter, limit, cause) = match self.spending.find(asker.prefix) {
            Some(spending) => (&mut spending.joins, allowance::JOINS, Cause::PrefixFlood),
            None => (&mut self.odd_connects, allowance::ODD_CONNECTS, Cause::GlobalFlood),
        };
        let open = meter.is_open(now, limit);
        meter.draw(now, MIN_COST, limit);
        if !open {
            return self.drop_for(cause);
        }
        let Some(userinfo) = connect_userinfo(payload, &mut self.connect_text) else {
            return self.drop_for(Cause::ConnectMalformed);
        };
        let refusal = judge_userinfo(userinfo);
        let text = printable(userinfo);
        let challenge = leading_int(info_string::value(&text, "challenge").as_bytes());
        if !self.challenges.accepts(now, asker.from, challenge) {
            self.notice(asker, "No or bad challenge for your address. Please connect again.", reply);
            return self.drop_for(Cause::BadChallenge);
        }
        // From here on the address is proved and is owed a reason.
        if let Some((cause, sentence)) = refusal {
            replies::write_print(&mut self.scratch, sentence);
            reply(&self.scratch);
            return self.drop_for(cause);
        }
        self.counts.count(Cause::ConnectPassed);
        Some(Request::Connect { userinfo: text, challenge })
    }

    fn rcon(
        &mut self,
        asker: Asker,
        mut words: Words<'_>,
        facts: &dyn QueryFacts,
        reply: Reply<'_>,
    ) -> Option<Request> {
        let claimed = words.next().unwrap_or_default();
        match self.rcon.judge(asker.now, asker.prefix, &facts.config().rconpassword, claimed) {
            rcon::Verdict::Pass => {
                self.counts.count(Cause::RconPassed);
                Some(Request::Rcon { command: printable(words.rest().trim_ascii()) })
            }
            rcon::Verdict::Off => {
                self.notice(asker, "No rconpassword set on the server.", reply);
                self.drop_for(Cause::RconOff)
            }
            rcon::Verdict::Locked => self.drop_for(Cause::RconLocked),
            rcon::Verdict::Wrong => {
                self.notice(asker, "Bad rconpassword.", reply);
                self.counts.count(Cause::RconWrong);
                self.log_line(asker.now, || format!("bad rconpassword from {}", asker.from))
            }
            rcon::Verdict::NowLocked => {
                let lock_s = rcon::LOCK.0 / 1000;
                let sentence = format!("Bad rconpassword. Too many tries: locked for {lock_s} seconds.");
                self.notice(asker, &sentence, reply);
                self.counts.count(Cause::RconWrong);
                self.log_line(asker.now, || {
                    format!(
                        "bad rconpassword from {}, {} times: rcon is locked for its address for {lock_s} s",
                        asker.from,
                        rcon::MAX_WRONG_TRIES
                    )
                })
            }
        }
    }

    /// A sentence to somebody who has not proved his address: now and then, never to a flood.
    fn notice(&mut self, asker: Asker, sentence: &str, reply: Reply<'_>) {
        replies::write_print(&mut self.scratch, sentence);
        let meter = &mut self.spending.open(asker.prefix).notices;
        let open = meter.is_open(asker.now, allowance::NOTICES);
        let excess = self.scratch.len().saturating_sub(asker.bytes);
        meter.draw(asker.now, excess.max(MIN_COST), allowance::NOTICES);
        let all_open = excess == 0 || self.all_joins.is_open(asker.now, allowance::ALL_JOINS);
        if open && all_open {
            self.all_joins.draw(asker.now, excess, allowance::ALL_JOINS);
            reply(&self.scratch);
        }
    }

    fn log_line(&mut self, now: Arrival, line: impl FnOnce() -> String) -> Option<Request> {
        let open = self.log_lines.is_open(now, allowance::LOG_LINES);
        self.log_lines.draw(now, MIN_COST, allowance::LOG_LINES);
        open.then(|| Request::Log(line()))
    }

    /// One line a minute at most about what went unanswered, if it was more than a few.
    fn report_losses(&mut self, now: Arrival) -> Option<String> {
        if now < self.next_report {
            return None;
        }
        let causes = [Cause::PrefixFlood, Cause::GlobalFlood, Cause::BadChallenge, Cause::RconLocked];
        let since = |cause: Cause| self.counts.of(cause) - self.reported.of(cause);
        let losses = causes.map(|cause| (cause, since(cause)));
        self.next_report = now.after(REPORT_EVERY);
        self.reported.clone_from(&self.counts);
        let total: u64 = losses.iter().map(|(_, count)| count).sum();
        let list = losses.iter().filter(|(_, count)| *count > 0);
        let list: Vec<_> = list.map(|(cause, count)| format!("{} {count}", cause.label())).collect();
        (total >= REPORT_FROM).then(|| format!("strangers' datagrams left unanswered: {}", list.join(", ")))
    }

    /// Ends the handling of a datagram that nobody else need act on.
    fn drop_for(&mut self, cause: Cause) -> Option<Request> {
        self.counts.count(cause);
        None
    }
}

/// The userinfo of a connect, as bytes; `None` if there is none to be had.
fn connect_userinfo<'a>(payload: &[u8], text: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    let packed = payload.get(CONNECT_PLAIN_BYTES - replies::MARKER.len()..)?;
    // Cut short is no fault: the stock coder cuts what it cannot make shorter. A userinfo that lost its challenge fails anyway.
    adaptive::decompress(packed, MAX_CONNECT_TEXT, text).ok()?;
    let userinfo = Words::of(first_line(text)).next()?;
    userinfo.starts_with(b"\\").then_some(userinfo)
}

fn judge_userinfo(userinfo: &[u8]) -> Option<(Cause, &'static str)> {
    if userinfo.len() >= MAX_INFO_STRING {
        Some((
            Cause::UserinfoTooLong,
            "Userinfo string length exceeded. Try removing setu cvars from your config.",
        ))
    } else if userinfo.iter().any(|&byte| byte < b' ' || matches!(byte, 0x7f | b'"' | b';')) {
        Some((
            Cause::UserinfoForbidden,
            "Your userinfo holds a control character, a quote or a semicolon. Please change your name or models.",
        ))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
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
        let request = server
            .handle(now, from, payload, &Facts::default(), &mut |datagram| sent.push(datagram.to_vec()));
        (sent, request)
    }

    fn answer(server: &mut Connectionless, from: SocketAddr, payload: &[u8]) -> String {
        let (sent, _) = ask(server, Arrival::from_millis(1000), from, payload);
        let texts: Vec<_> = sent
            .iter()
            .map(|datagram| {
                String::from_utf8_lossy(datagram.strip_prefix(replies::MARKER).expect("a marker"))
                    .into_owned()
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
            let packet = connect_packet(&format!(
                "\\challenge\\{n}\\qport\\1\\protocol\\71\\name\\a long enough name"
            ));
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
        for payload in
            [&b"connect"[..], b"connect ", b"connect \xff\xff\x00", b"connect \x00\x00", b"connectxyz"]
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
            let payload: &[u8] =
                if n % 2 == 0 { b"getstatus" } else { b"getchallenge 640683804 Quake3Arena" };
            let (sent, _) = ask(&mut server, now, from, payload);
            excess +=
                sent.iter().map(|datagram| datagram.len().saturating_sub(4 + payload.len())).sum::<usize>();
            if n % 20_000 == 10_000 {
                let challenge = get_challenge(&mut server, now, player()).expect("a challenge");
                let (_, request) =
                    ask(&mut server, now, player(), &connect_packet(&format!("\\challenge\\{challenge}")));
                joined += usize::from(matches!(request, Some(Request::Connect { .. })));
            }
        }
        let common = [allowance::ALL_QUERIES, allowance::ALL_JOINS];
        let most: u32 = common.iter().map(|limit| limit.burst_bytes + 5 * limit.bytes_per_s).sum();
        assert!(
            excess <= most as usize + 2 * MAX_REPLY_BYTES,
            "seed {seed}: {excess} bytes beyond what came in"
        );
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
            let (sent, _) =
                ask(&mut server, Arrival::from_millis(n * 100), address("127.0.0.1:5"), b"getstatus");
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
}
