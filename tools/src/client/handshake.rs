//! The conversation before the first sequenced packet: challenge, connect, and what a server may say in the open.
//!
//! ```text
//!  client                                   server
//!  getchallenge <own challenge> <game>  ->
//!                                       <-  challengeResponse <challenge> <own challenge> [<protocol>]
//!  connect "<userinfo>"  (compressed)   ->
//!                                       <-  connectResponse [<challenge>]        or  print\n<reason>
//! ```
//!
//! Each request is repeated every 3 s. Source: `CL_CheckForResend`, `CL_ConnectionlessPacket`.

use crate::client::config::{ClientConfig, Engine};
use crate::client::text::{int, tokens};
use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::adaptive::{self, CONNECT_PLAIN_BYTES};
use fogline_common::wire::netchan::WireKind;

/// Mark of a datagram outside any sequence.
pub(crate) const CONNECTIONLESS: [u8; 4] = [0xff; 4];
/// A request without an answer is repeated after this.
const RESEND_AFTER: Millis = Millis(3000);

/// How far the handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Asking for a challenge.
    Asking,
    /// Has a challenge and wants in.
    Answering { challenge: i32, wire: WireKind },
}

/// The handshake of one client.
#[derive(Clone, Debug)]
pub(crate) struct Handshake {
    phase: Phase,
    /// The number that the server must echo.
    own_challenge: i32,
    sent: Option<Arrival>,
}

/// What came of an open packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// The handshake went on.
    Progress,
    /// The server let us in.
    Accepted { challenge: i32, wire: WireKind },
    /// Text for the player; the server keeps on refusing or just talks.
    Print(String),
    /// The server does not know us any more.
    Disconnect,
    /// Nothing for us: which word, and why.
    Ignored(&'static str),
}

impl Handshake {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        Self { phase: Phase::Asking, own_challenge: rng.i32(1..i32::MAX), sent: None }
    }

    /// When the next request is due.
    pub(crate) fn next_send(&self) -> Option<Arrival> {
        self.sent.map(|sent| sent.after(RESEND_AFTER))
    }

    /// Whether a request is due.
    pub(crate) fn is_due(&self, now: Arrival) -> bool {
        self.next_send().is_none_or(|due| now >= due)
    }

    /// Writes the request that is due.
    pub(crate) fn write(&mut self, now: Arrival, config: &ClientConfig, userinfo: &str, into: &mut Vec<u8>) {
        self.sent = Some(now);
        into.clear();
        into.extend(CONNECTIONLESS);
        match self.phase {
            Phase::Asking if config.engine == Engine::Quake3 => into.extend(b"getchallenge"),
            Phase::Asking => {
                into.extend(format!("getchallenge {} {}", self.own_challenge, config.game_name).bytes());
            }
            Phase::Answering { challenge, wire } => {
                let userinfo = config.connect_userinfo(userinfo, wire, challenge);
                into.extend(format!("connect \"{userinfo}\"").bytes());
                let packed = adaptive::compress(&into[CONNECT_PLAIN_BYTES..]);
                into.truncate(CONNECT_PLAIN_BYTES);
                into.extend(packed);
            }
        }
    }

    /// Takes an open packet from the server's address, without its mark. `connecting` says that we are not yet in.
    pub(crate) fn hear(&mut self, engine: Engine, text: &str, connecting: bool) -> Heard {
        let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
        let args = tokens(line);
        let arg = |n: usize| args.get(n).copied();
        match arg(0).map(str::to_ascii_lowercase).as_deref() {
            Some("challengeresponse") if connecting => {
                self.take_challenge(engine, arg(1), arg(2), arg(3).map(int))
            }
            Some("connectresponse") if connecting => self.take_connect(arg(1)),
            Some("challengeresponse") => Heard::Ignored("challengeResponse while connected"),
            Some("connectresponse") => Heard::Ignored("connectResponse while connected"),
            Some("print") => Heard::Print(rest.to_owned()),
            Some("echo") => Heard::Print(args[1..].join(" ")),
            Some("disconnect") => Heard::Disconnect,
            _ => Heard::Ignored("unknown word"),
        }
    }

    fn take_challenge(
        &mut self,
        engine: Engine,
        challenge: Option<&str>,
        echo: Option<&str>,
        protocol: Option<i32>,
    ) -> Heard {
        if self.phase != Phase::Asking {
            return Heard::Ignored("challengeResponse that was not asked for");
        }
        let Some(challenge) = challenge.map(int) else {
            return Heard::Ignored("challengeResponse without a challenge");
        };
        let wire = engine.wire(protocol);
        if wire == WireKind::Ioq3 && echo.map(int) != Some(self.own_challenge) {
            return Heard::Ignored("challengeResponse to somebody else's request");
        }
        self.phase = Phase::Answering { challenge, wire };
        self.sent = None;
        Heard::Progress
    }

    fn take_connect(&mut self, echo: Option<&str>) -> Heard {
        let Phase::Answering { challenge, wire } = self.phase else {
            return Heard::Ignored("connectResponse before connect");
        };
        if wire == WireKind::Ioq3 && echo.map(int) != Some(challenge) {
            return Heard::Ignored("connectResponse with another challenge");
        }
        Heard::Accepted { challenge, wire }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(engine: Engine) -> (Handshake, ClientConfig, Vec<u8>) {
        let config = ClientConfig { engine, ..ClientConfig::default() };
        let (mut handshake, mut out) = (Handshake::new(1), Vec::new());
        handshake.write(Arrival(0), &config, "\\name\\a", &mut out);
        (handshake, config, out)
    }

    #[test]
    fn a_request_is_repeated_after_three_seconds() {
        let (handshake, _, out) = asked(Engine::Quake3);
        assert_eq!(out, b"\xff\xff\xff\xffgetchallenge");
        assert!(
            !handshake.is_due(Arrival::from_millis(2999)) && handshake.is_due(Arrival::from_millis(3000))
        );
    }

    #[test]
    fn an_ioquake3_client_wants_its_own_numbers_back() {
        let (mut handshake, ..) = asked(Engine::Ioquake3);
        let own = handshake.own_challenge;
        let hear = |h: &mut Handshake, text: &str| h.hear(Engine::Ioquake3, text, true);
        assert!(matches!(hear(&mut handshake, "challengeResponse 77 1 71"), Heard::Ignored(_)));
        assert_eq!(hear(&mut handshake, &format!("challengeResponse 77 {own} 71")), Heard::Progress);
        assert!(matches!(hear(&mut handshake, "connectResponse"), Heard::Ignored(_)));
        let accepted = Heard::Accepted { challenge: 77, wire: WireKind::Ioq3 };
        assert_eq!(hear(&mut handshake, "connectResponse 77"), accepted);
    }

    #[test]
    fn an_answer_of_68_makes_an_ioquake3_client_a_legacy_one() {
        let (mut handshake, config, mut out) = asked(Engine::Ioquake3);
        assert_eq!(handshake.hear(Engine::Ioquake3, "challengeResponse 77", true), Heard::Progress);
        handshake.write(Arrival(0), &config, "\\name\\a", &mut out);
        let mut plain = Vec::new();
        adaptive::decompress(&out[CONNECT_PLAIN_BYTES..], 1024, &mut plain).unwrap();
        assert_eq!(plain, b"\"\\name\\a\\protocol\\68\\qport\\1\\challenge\\77\"");
        let accepted = Heard::Accepted { challenge: 77, wire: WireKind::Legacy };
        assert_eq!(handshake.hear(Engine::Ioquake3, "connectResponse", true), accepted);
    }

    #[test]
    fn a_refusal_is_text() {
        let (mut handshake, ..) = asked(Engine::OpenArena);
        let refused = Heard::Print("Server is full.\n".to_owned());
        assert_eq!(handshake.hear(Engine::OpenArena, "print\nServer is full.\n", true), refused);
    }
}
