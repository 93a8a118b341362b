//! The `status` text: the map and one line per player, in columns that admin bots read.

use fogline_common::ids::ClientNum;
use fogline_common::time::Millis;
use std::fmt::Write as _;
use std::net::SocketAddr;

/// How far a client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Between connecting and the first usercmd.
    Connecting,
    /// Gone; the slot stays closed for a moment.
    Zombie,
    /// In the world.
    Playing {
        /// Unit: ms.
        ping: i32,
    },
}

/// One client, as `status` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Slot.
    pub client: ClientNum,
    /// Score.
    pub score: i32,
    /// Presence and ping.
    pub presence: Presence,
    /// Name, colour codes included.
    pub name: String,
    /// Time since its last packet.
    pub silence: Millis,
    /// Where it is, `None` for a bot.
    pub address: Option<SocketAddr>,
    /// Number that tells clients behind one address apart.
    pub qport: u16,
    /// Unit: bytes/s.
    pub rate: i32,
}

/// Which columns. Value of `sv_statusStyle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusStyle {
    /// Columns of Quake III with the address alone, as OpenArena's server prints them and its admin bots want them.
    OpenArena,
    /// Columns of Quake III 1.32 with address and port.
    Quake3,
    /// Columns of later ioquake3 releases, without port and silence.
    Ioquake3,
}

impl StatusStyle {
    /// From the cvar.
    pub const fn from_cvar(value: i32) -> Self {
        match value {
            1 => Self::Quake3,
            2 => Self::Ioquake3,
            _ => Self::OpenArena,
        }
    }
}

/// `map: oa_dm1`, two lines of heading, one line per player, an empty line.
pub fn status_text(style: StatusStyle, map: &str, players: &[Player]) -> String {
    let mut text = format!("map: {map}\n");
    text.push_str(match style {
        StatusStyle::OpenArena | StatusStyle::Quake3 => {
            "num score ping name            lastmsg address               qport rate\n\
             --- ----- ---- --------------- ------- --------------------- ----- -----\n"
        }
        StatusStyle::Ioquake3 => {
            "cl score ping name            address                                 rate \n\
             -- ----- ---- --------------- --------------------------------------- -----\n"
        }
    });
    for player in players {
        let address = match (player.address, style) {
            (None, _) => "bot".to_owned(),
            (Some(address), StatusStyle::Quake3) => address.to_string(),
            (Some(address), _) => address.ip().to_canonical().to_string(),
        };
        let ping = match player.presence {
            Presence::Connecting if style == StatusStyle::Ioquake3 => " CON".to_owned(),
            Presence::Zombie if style == StatusStyle::Ioquake3 => " ZMB".to_owned(),
            Presence::Connecting => "CNCT".to_owned(),
            Presence::Zombie => "ZMBI".to_owned(),
            Presence::Playing { ping } => format!("{:4}", ping.clamp(0, 9999)),
        };
        let (client, score, rate) = (player.client.index(), player.score, player.rate);
        let name = harmless(&player.name);
        // The width does not count the colour that ends the name; names with colours of their own stand out.
        let room = 16_usize.saturating_sub(name.chars().count()).max(1);
        // Writing to a string cannot fail.
        let _ = match style {
            StatusStyle::Ioquake3 => {
                writeln!(text, "{client:2} {score:5} {ping} {name}^7{:room$}{address:<39} {rate:5}", "")
            }
            _ => writeln!(
                text,
                "{client:3} {score:5} {ping} {name}^7{:room$}{:7} {address:<21} {:5} {rate:5}",
                "",
                player.silence.0.max(0),
                player.qport
            ),
        };
    }
    text.push('\n');
    text
}

/// `text` with everything that could break a line or steer a terminal replaced by a dot.
pub fn harmless(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if steers(c) { '.' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(slot: usize, name: &str, address: Option<&str>) -> Player {
        Player {
            client: ClientNum::new(slot).unwrap(),
            score: -3,
            presence: Presence::Playing { ping: 37 },
            name: name.to_owned(),
            silence: Millis(50),
            address: address.map(|a| a.parse().unwrap()),
            qport: 3598,
            rate: 25000,
        }
    }

    /// A player's line as B3's oa081 parser takes it (address alone), and as its iourt and smg parsers do (with port).
    const OA081: &str = r"(?i)^(?P<slot>[0-9]+)\s+(?P<score>[0-9-]+)\s+(?P<ping>[0-9]+)\s+(?P<name>.*?)\s+(?P<last>[0-9]+)\s+(?P<ip>[0-9.]+)\s+(?P<qport>[0-9]+)\s+(?P<rate>[0-9]+)$";
    const IOURT: &str = r"(?i)^(?P<slot>[0-9]+)\s+(?P<score>[0-9-]+)\s+(?P<ping>[0-9]+)\s+(?P<name>.*?)\s+(?P<last>[0-9]+)\s+(?P<ip>[0-9.]+):(?P<port>[0-9-]+)\s+(?P<qport>[0-9]+)\s+(?P<rate>[0-9]+)$";

    /// The named fields that a pattern finds in a line, joined by `|`.
    fn fields(pattern: &str, line: &str) -> Option<String> {
        let pattern = regex::Regex::new(pattern).unwrap();
        let found = pattern.captures(line.trim())?;
        let texts: Vec<&str> = found.iter().skip(1).map(|field| field.unwrap().as_str()).collect();
        Some(texts.join("|"))
    }

    #[test]
    fn lines_stand_in_the_columns_that_bots_know() {
        let players = [player(1, "TheMexican", None), player(3, "xl r8or", Some("145.99.135.227:27960"))];
        let text = status_text(StatusStyle::Quake3, "dm_fort", &players);
        let expected = "\
map: dm_fort
num score ping name            lastmsg address               qport rate
--- ----- ---- --------------- ------- --------------------- ----- -----
  1    -3   37 TheMexican^7           50 bot                    3598 25000
  3    -3   37 xl r8or^7              50 145.99.135.227:27960   3598 25000

";
        assert_eq!(text, expected);
    }

    #[test]
    fn golden_admin_bot_patterns_find_every_field() {
        let players = [player(3, "xl r8or", Some("145.99.135.227:27960"))];
        let line = |style| status_text(style, "m", &players).lines().nth(3).unwrap().to_owned();
        let (oa, q3) = (line(StatusStyle::OpenArena), line(StatusStyle::Quake3));
        assert_eq!(fields(OA081, &oa).as_deref(), Some("3|-3|37|xl r8or^7|50|145.99.135.227|3598|25000"));
        assert_eq!(
            fields(IOURT, &q3).as_deref(),
            Some("3|-3|37|xl r8or^7|50|145.99.135.227|27960|3598|25000")
        );
        let head = status_text(StatusStyle::OpenArena, "oa_dm1", &[]);
        assert_eq!(
            fields(r"(?i)^map:\s+(?P<map>.+)$", head.lines().next().unwrap()).as_deref(),
            Some("oa_dm1")
        );
    }

    #[test]
    fn names_cannot_break_or_forge_a_line() {
        let name = "a\n  0     0    0 root^7\x1b[2J";
        let text = status_text(StatusStyle::OpenArena, "m", &[player(0, name, None)]);
        assert_eq!(text.lines().count(), 5);
        assert!(!text.contains('\x1b'));
    }

    #[test]
    fn long_names_and_addresses_keep_the_columns_apart() {
        let long = player(63, &"n".repeat(35), Some("[2001:db8:1111:2222:3333:4444:5555:6666]:27960"));
        for style in [StatusStyle::OpenArena, StatusStyle::Quake3] {
            let text = status_text(style, "m", std::slice::from_ref(&long));
            let line = text.lines().nth(3).unwrap();
            assert_eq!(line.split_whitespace().count(), 8, "{line}");
        }
    }

    #[test]
    fn who_is_not_yet_or_no_longer_there_has_no_ping() {
        let coming = Player { presence: Presence::Connecting, ..player(0, "a", None) };
        let going = Player { presence: Presence::Zombie, ..player(1, "b", None) };
        let text = status_text(StatusStyle::OpenArena, "m", &[coming, going]);
        assert!(text.contains("CNCT a^7") && text.contains("ZMBI b^7"), "{text}");
    }
}
