//! One connected player: where it is in joining, and all that lasts as long as its connection.

use super::lead::Lead;
use super::ping::PingMeter;
use super::rate::Pace;
use super::reliable::Reliable;
use crate::downloads::transfer::Transfer;
use crate::rewind::claims::Ledger;
use crate::snapshot::SnapshotHistory;
use crate::snapshot::sounds::Sounds;
use crate::telemetry::FilterCounts;
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::UserCmd;
use fogline_common::proto::info_string;
use fogline_common::time::{Arrival, Millis, ServerTime};
use fogline_common::wire::netchan::Netchan;
use std::net::SocketAddr;

/// Where a client is between the first word and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has a slot and waits for the gamestate.
    Connected,
    /// The gamestate went out in this message.
    Primed {
        /// The message that carried it.
        gamestate: Sequence,
    },
    /// It is in the world.
    Active,
    /// It is gone; its last packets are still acknowledged so that it learns why.
    Zombie {
        /// When it went.
        since: Arrival,
    },
}

/// One connected player.
#[derive(Debug)]
pub struct Session {
    /// Its slot.
    pub num: ClientNum,
    /// Where it is in joining.
    pub phase: Phase,
    /// A player of the server's own: no packet comes from it, and nothing is sent to it.
    pub is_bot: bool,
    /// Where its packets come from and go to. Nowhere for a bot.
    pub address: SocketAddr,
    /// Tells clients behind one address apart.
    pub qport: u16,
    /// The number that the scramble and the ioquake3 checksum are keyed with.
    pub challenge: i32,
    /// The sequenced channel; `None` until the first packet has shown which wire the client speaks.
    pub channel: Option<Netchan>,
    /// Commands both ways.
    pub reliable: Reliable,
    /// What it says of itself, with our `ip` key.
    pub userinfo: String,
    /// Its name, from the userinfo.
    pub name: String,
    /// What its line can take.
    pub pace: Pace,
    /// Round trips.
    pub ping: PingMeter,
    /// How far its own eye runs ahead of what the server knows of it.
    pub lead: Lead,
    /// What it was told lately.
    pub history: SnapshotHistory,
    /// When its last packet came.
    pub last_packet: Arrival,
    /// When it connected.
    pub connected_at: Arrival,
    /// The newest message that it says it has received.
    pub message_acknowledge: i32,
    /// Round trip of that message, if its latest packet is the first to acknowledge it.
    pub round_trip: Option<Millis>,
    /// Usercmds whose claim of what was drawn was not believed.
    pub claims: Ledger,
    /// The message to delta snapshots against, from its last usercmds.
    pub delta_message: Option<Sequence>,
    /// Frame time of its last snapshot.
    pub last_snapshot: Option<ServerTime>,
    /// A snapshot was left out because the line was busy.
    pub rate_delayed: bool,
    /// Snapshots left out because the line was busy.
    pub rate_delays: u32,
    /// The newest usercmd executed.
    pub last_usercmd: UserCmd,
    /// Server time that the last map ended at, added to what the client reads until it has the new gamestate.
    pub old_time: Option<Millis>,
    /// Configstrings that changed while it was loading, to be sent when it enters the world.
    pub missed_configstrings: Vec<u16>,
    /// Text commands before this moment are not passed to the game.
    pub flood_until: Arrival,
    /// The refusal of a download that it asked for, to be sent with the next message.
    pub download_refusal: Option<String>,
    /// The file that it fetches.
    pub download: Option<Transfer>,
    /// Sequenced packets refused since it connected.
    pub bad_packets: u32,
    /// What it hears of players whom it does not see.
    pub sounds: Sounds,
    /// What the visibility filter did for it.
    pub filter: FilterCounts,
}

impl Session {
    /// A client that has just been given a slot.
    pub fn new(
        num: ClientNum,
        address: SocketAddr,
        qport: u16,
        challenge: i32,
        userinfo: String,
        pace: Pace,
        now: Arrival,
    ) -> Self {
        let name = info_string::value(&userinfo, "name").to_owned();
        Self {
            num,
            phase: Phase::Connected,
            is_bot: false,
            address,
            qport,
            challenge,
            channel: None,
            reliable: Reliable::default(),
            userinfo,
            name,
            pace,
            ping: PingMeter::default(),
            lead: Lead::default(),
            history: SnapshotHistory::default(),
            last_packet: now,
            connected_at: now,
            message_acknowledge: 0,
            round_trip: None,
            claims: Ledger::default(),
            delta_message: None,
            last_snapshot: None,
            rate_delayed: false,
            rate_delays: 0,
            last_usercmd: UserCmd::default(),
            old_time: None,
            missed_configstrings: Vec::new(),
            flood_until: Arrival(0),
            download_refusal: None,
            download: None,
            bad_packets: 0,
            sounds: Sounds::default(),
            filter: FilterCounts::default(),
        }
    }

    /// A player of the server's own, in the world from the start. It has no channel, so nothing is ever sent to it.
    pub fn bot(num: ClientNum, userinfo: String, pace: Pace, now: Arrival) -> Self {
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        let session = Self::new(num, nowhere, 0, 0, userinfo, pace, now);
        Self { is_bot: true, phase: Phase::Active, ..session }
    }

    /// Round trip as hosts, browsers and scoreboards are told it. Unit: ms; 0 for bots, 999 for not yet known.
    pub fn shown_ping(&self) -> i32 {
        if self.is_bot { 0 } else { self.ping.ping() }
    }

    /// Whether it is in the world.
    pub fn is_active(&self) -> bool {
        self.phase == Phase::Active
    }

    /// Whether it has the gamestate (or was just sent it).
    pub fn is_primed(&self) -> bool {
        matches!(self.phase, Phase::Primed { .. } | Phase::Active)
    }

    /// Whether it is on its way out.
    pub fn is_zombie(&self) -> bool {
        matches!(self.phase, Phase::Zombie { .. })
    }

    /// Back to waiting for a gamestate: the map changed. The connection goes on.
    pub fn begin_map(&mut self, old_time: ServerTime) {
        if self.is_active() || self.is_primed() {
            self.old_time = Some(Millis(old_time.0));
        }
        self.phase = Phase::Connected;
        self.delta_message = None;
        self.history.clear();
        self.last_usercmd = UserCmd::default();
        self.missed_configstrings.clear();
        self.sounds = Sounds::default();
    }
}
