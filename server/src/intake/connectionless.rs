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
mod tests;
