//! Who a headless client is: its engine, its player, its habits.

use crate::client::clock::ClockConfig;
use crate::client::lerp::Style;
use fogline_common::proto::info_string;
use fogline_common::proto::limits::MAX_INFO_STRING;
use fogline_common::time::Millis;
use fogline_common::wire::netchan::WireKind;

/// Which engine a client pretends to be. Source: facts page "q3-protocol-facts", section 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Any engine of protocol 68: the legacy wire. Asks for a challenge without arguments, as Quake III 1.32 does.
    Quake3,
    /// OpenArena 0.8.8 as Debian starts it: both of ioquake3's protocol numbers are 71, so always the legacy wire.
    OpenArena,
    /// ioquake3 on its own settings: its own wire of 71, or the legacy wire as 68 if the server says so.
    Ioquake3,
}

impl Engine {
    /// `com_protocol`.
    pub const fn protocol(self) -> i32 {
        match self {
            Self::Quake3 => 68,
            Self::OpenArena | Self::Ioquake3 => 71,
        }
    }

    /// `com_legacyprotocol`: what it says of itself on the legacy wire.
    pub const fn legacy_protocol(self) -> i32 {
        match self {
            Self::Quake3 | Self::Ioquake3 => 68,
            Self::OpenArena => 71,
        }
    }

    /// The wire, given the third argument of the server's `challengeResponse`. An engine whose two numbers are the same knows
    /// no other than the legacy wire.
    pub const fn wire(self, server_protocol: Option<i32>) -> WireKind {
        match server_protocol {
            Some(protocol) if protocol == self.protocol() && self.protocol() != self.legacy_protocol() => {
                WireKind::Ioq3
            }
            _ => WireKind::Legacy,
        }
    }

    /// What it says of itself on that wire.
    pub const fn protocol_on(self, wire: WireKind) -> i32 {
        match wire {
            WireKind::Legacy => self.legacy_protocol(),
            WireKind::Ioq3 => self.protocol(),
        }
    }
}

/// Who a client is.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Which engine it pretends to be.
    pub engine: Engine,
    /// `com_gamename`, said with the request for a challenge.
    pub game_name: String,
    /// Player's name.
    pub name: String,
    /// `rate`: bytes per second that it wants at most.
    pub rate: i32,
    /// `snaps`: snapshots per second that it wants at most.
    pub snaps: i32,
    /// Tells clients behind one address apart.
    pub qport: u16,
    /// `cl_guid`: 32 hexadecimal digits; OpenArena's game refuses anything else.
    pub guid: String,
    /// Further userinfo, in order; replaces what it would say of itself.
    pub userinfo: Vec<(String, String)>,
    /// Decides everything random in it: its challenge.
    pub seed: u64,
    /// `cl_maxpackets`: packets per second at most, 15 to 125.
    pub max_packets: i32,
    /// `cl_packetdup`: how many packets' usercmds are sent again, 0 to 5.
    pub packet_dup: u32,
    /// The server counts as near: a packet goes out with every frame, whatever `max_packets` says.
    pub is_lan: bool,
    /// Time from one drawn frame to the next.
    pub frame: Millis,
    /// Time that loading the map takes, from gamestate to primed.
    pub load_time: Millis,
    /// Never ask for a delta (`cl_nodelta`).
    pub no_delta: bool,
    /// Fetch files that the server names and that are not among `paks` (`cl_allowDownload`).
    pub downloads: bool,
    /// Checksums of the pk3 files that it has.
    pub paks: Vec<i32>,
    /// Without a packet for so long it gives up (`cl_timeout`).
    pub timeout: Millis,
    /// `password`, if the server wants one.
    pub password: String,
    /// The client's clock.
    pub clock: ClockConfig,
    /// A cheat: its usercmds claim to have been made when it drew a moment so much older. 0 for an honest client.
    pub backdate: Millis,
    /// Where it draws others.
    pub style: Style,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            engine: Engine::OpenArena,
            game_name: "Quake3Arena".to_owned(),
            name: "UnnamedPlayer".to_owned(),
            rate: 25_000,
            snaps: 20,
            qport: 1,
            guid: "0123456789ABCDEF0123456789ABCDEF".to_owned(),
            userinfo: Vec::new(),
            seed: 1,
            max_packets: 30,
            packet_dup: 1,
            is_lan: false,
            frame: Millis(16),
            load_time: Millis(0),
            no_delta: false,
            downloads: false,
            paks: Vec::new(),
            timeout: Millis(200_000),
            password: String::new(),
            clock: ClockConfig::default(),
            backdate: Millis(0),
            style: Style::Ioquake3 { smooth_clients: false },
        }
    }
}

impl ClientConfig {
    /// The userinfo, without what only the connect packet says. A pair that does not fit or is not allowed is left out, as a
    /// stock client leaves it out.
    pub fn userinfo(&self) -> String {
        let mut info = String::new();
        let mut set = |key: &str, value: &str| {
            let _ = info_string::set(&mut info, key, value);
        };
        set("cl_guid", &self.guid);
        set("cg_predictItems", "1");
        set("sex", "male");
        set("handicap", "100");
        set("color2", "5");
        set("color1", "4");
        set("team_headmodel", "sarge");
        set("team_model", "sarge");
        set("headmodel", "sarge");
        set("model", "sarge");
        set("snaps", &self.snaps.to_string());
        set("rate", &self.rate.to_string());
        set("name", &self.name);
        if !self.password.is_empty() {
            set("password", &self.password);
        }
        for (key, value) in &self.userinfo {
            set(key, value);
        }
        info
    }

    /// The userinfo of the connect packet.
    pub(crate) fn connect_userinfo(&self, userinfo: &str, wire: WireKind, challenge: i32) -> String {
        let mut info = userinfo.to_owned();
        let pairs = [
            ("protocol", self.engine.protocol_on(wire).to_string()),
            ("qport", self.qport.to_string()),
            ("challenge", challenge.to_string()),
        ];
        for (key, value) in pairs {
            let _ = info_string::set_limited(&mut info, key, &value, MAX_INFO_STRING);
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_takes_the_wire_of_the_facts_page() {
        let wires = |engine: Engine| [None, Some(68), Some(71)].map(|p| engine.wire(p));
        assert_eq!(wires(Engine::Quake3), [WireKind::Legacy; 3]);
        assert_eq!(wires(Engine::OpenArena), [WireKind::Legacy; 3]);
        assert_eq!(wires(Engine::Ioquake3), [WireKind::Legacy, WireKind::Legacy, WireKind::Ioq3]);
        assert_eq!(Engine::OpenArena.protocol_on(WireKind::Legacy), 71);
        assert_eq!(Engine::Ioquake3.protocol_on(WireKind::Legacy), 68);
    }
}
