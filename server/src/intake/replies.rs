//! The texts with which a server answers strangers. Source: facts page "q3-protocol-facts", section 5.

use crate::config::Config;
use std::io::Write;

/// What starts every datagram that belongs to no connection.
pub const MARKER: &[u8; 4] = b"\xff\xff\xff\xff";
/// The longest reply to a query; player rows that would go beyond are left out. Sixty-four rows fit beside a full serverinfo.
pub const MAX_REPLY_BYTES: usize = 8192;

/// What the replies to queries need to know.
pub trait QueryFacts {
    /// The settings.
    fn config(&self) -> &Config;
    /// Who is connected.
    fn population(&self) -> Population;
    /// The serverinfo string as clients have it.
    fn serverinfo(&self) -> &str;
    /// Calls `row` for every connected player, in slot order.
    fn each_player(&self, row: &mut dyn FnMut(PlayerRow<'_>));
    /// The game folder, if it is not the base game's; else empty.
    fn game_folder(&self) -> &str {
        ""
    }
}

/// How many are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Population {
    /// All of them, bots included.
    pub clients: usize,
    /// Those that are no bots.
    pub humans: usize,
}

/// One line of a statusResponse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerRow<'a> {
    /// Score.
    pub score: i32,
    /// Ping. Unit: ms; 0 for bots.
    pub ping: i32,
    /// Name, colour codes included.
    pub name: &'a str,
}

/// `infoResponse`: what a server browser lists. `echo` is the asker's own challenge.
pub fn write_info(out: &mut Vec<u8>, echo: &[u8], facts: &dyn QueryFacts) {
    let config = facts.config();
    let population = facts.population();
    start(out, b"infoResponse\n");
    put(out, "challenge", echo);
    put(out, "gamename", config.sv_gamename.as_bytes());
    // A browser hides what is not its own protocol. OpenArena knows 71 alone, ioquake3 knows both.
    put_int(out, "protocol", config.com_protocol);
    put(out, "hostname", config.sv_hostname.as_bytes());
    put(out, "mapname", config.mapname.as_bytes());
    put_int(out, "clients", population.clients as i32);
    put_int(out, "g_humanplayers", population.humans as i32);
    put_int(out, "sv_maxclients", config.sv_maxclients.saturating_sub(config.sv_privateclients));
    put_int(out, "gametype", config.g_gametype);
    put_int(out, "pure", i32::from(config.sv_pure));
    put_int(out, "g_needpass", i32::from(config.g_needpass));
    for (key, ping) in [("minPing", config.sv_minping), ("maxPing", config.sv_maxping)] {
        if ping > 0 {
            put_int(out, key, ping);
        }
    }
    put(out, "game", facts.game_folder().as_bytes());
}

/// `statusResponse`: the serverinfo with the asker's challenge, then a line per player.
pub fn write_status(out: &mut Vec<u8>, echo: &[u8], facts: &dyn QueryFacts) {
    start(out, b"statusResponse\n");
    put(out, "challenge", echo);
    out.extend_from_slice(facts.serverinfo().as_bytes());
    out.push(b'\n');
    let mut full = false;
    facts.each_player(&mut |row| {
        let before = out.len();
        if full {
            return;
        }
        let _ = write!(out, "{} {} \"", row.score, row.ping);
        out.extend(row.name.bytes().filter(|&byte| byte >= b' ' && byte != b'"'));
        out.extend_from_slice(b"\"\n");
        full = out.len() > MAX_REPLY_BYTES;
        if full {
            out.truncate(before);
        }
    });
}

/// `challengeResponse` with all that newer clients want: the asker's own number, and the protocol that chooses its wire.
///
/// The third argument is our `com_protocol` (71 as delivered), which lets every kind of client in on one port:
///
/// * OpenArena has 71 as both its protocols, connects with 71 and speaks the legacy wire whatever it reads here.
/// * ioquake3 finds its own 71 and speaks its own wire with it. (68 here would push it to the legacy wire with 68.)
/// * A protocol-68 client does not read it.
///
/// So the 71 of a userinfo stands for either wire; the netchan tells which by the first packet's checksum.
pub fn write_challenge(out: &mut Vec<u8>, challenge: i32, echo: i32, protocol: i32) {
    start(out, b"");
    let _ = write!(out, "challengeResponse {challenge} {echo} {protocol}");
}

/// `challengeResponse` as the first servers sent it: shorter than the request of any recent client, and good enough to join.
pub fn write_short_challenge(out: &mut Vec<u8>, challenge: i32) {
    start(out, b"");
    let _ = write!(out, "challengeResponse {challenge}");
}

/// `print`: a sentence that the asker's console shows.
pub fn write_print(out: &mut Vec<u8>, sentence: &str) {
    start(out, b"print\n");
    out.extend_from_slice(sentence.as_bytes());
    out.push(b'\n');
}

fn start(out: &mut Vec<u8>, head: &[u8]) {
    out.clear();
    out.extend_from_slice(MARKER);
    out.extend_from_slice(head);
}

/// Appends a pair, unless the value is empty. What would end the value or the line is left out.
fn put(out: &mut Vec<u8>, key: &str, value: &[u8]) {
    if value.is_empty() {
        return;
    }
    let _ = write!(out, "\\{key}\\");
    out.extend(value.iter().filter(|&&byte| byte >= b' ' && !matches!(byte, b'\\' | b'"' | b';')));
}

fn put_int(out: &mut Vec<u8>, key: &str, value: i32) {
    let _ = write!(out, "\\{key}\\{value}");
}
