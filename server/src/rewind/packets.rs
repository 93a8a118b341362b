//! What the packets of one client have told of it: what has reached it, how its line is, how far back it says that it draws.
//!
//! In: every packet with commands, every command's claim. Out: the newest snapshot that it had before, the pictures that it drew,
//! whether a claim is believed. Nothing here knows where anybody stood.

use super::beat::Pictures;
use super::sent::Sent;
use super::validate::{Facts, Judged, Line};
use fogline_common::ids::Sequence;
use fogline_common::proto::UserCmd;
use fogline_common::time::{Arrival, Millis, ServerTime};

/// Packets of stock clients are at most this far apart: `cl_maxpackets` is at least 15. Unit: ms.
const LONGEST_PACKET_PAUSE_MS: f32 = 67.0;

/// Nobody draws what is further off; such claims say nothing of a client's pictures.
const FARTHEST_CLAIM: Millis = Millis(10_000);

/// What one packet says about its client.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Its own number.
    pub number: Sequence,
    /// The newest message that it acknowledges.
    pub acknowledged: Sequence,
    /// Time from sending that message to now, if it is the first packet to acknowledge it.
    pub round_trip: Option<Millis>,
    /// Its commands, old ones that it repeats included.
    pub commands: &'a [UserCmd],
    /// Least time from one snapshot of this client to the next.
    pub snapshot_gap: Millis,
}

impl Packet<'_> {
    /// Time from one snapshot of this client to the next: whole frames of `step`.
    fn period(&self, step: Millis) -> Millis {
        let step = step.0.max(1);
        Millis(((self.snapshot_gap.0 + step - 1) / step).max(1) * step)
    }
}

/// One client's packets so far.
#[derive(Debug)]
pub struct Packets {
    /// What was sent to it, and what came.
    pub sent: Sent,
    /// How it answers.
    pub line: Line,
    /// Newest message acknowledged by the packet before, and by this one.
    had: u32,
    has: u32,
    /// The latest claim executed, and the newest of all packets.
    claim: ServerTime,
    newest_claim: ServerTime,
    /// Time from one packet to the next on the client's clock, smoothed. Unit: ms.
    pause_ms: f32,
    /// Number of the latest packet.
    number: Sequence,
    /// Packets before whose commands a packet carries again. Source: `cl_packetdup`.
    repeats: u32,
    /// Time from one snapshot to the next.
    period: Millis,
}

impl Packets {
    /// None yet; room for `capacity` snapshots.
    pub fn new(capacity: usize) -> Self {
        Self {
            sent: Sent::new(capacity),
            line: Line::default(),
            had: 0,
            has: 0,
            claim: ServerTime(0),
            newest_claim: ServerTime(0),
            pause_ms: LONGEST_PACKET_PAUSE_MS,
            number: Sequence(0),
            repeats: 0,
            period: Millis(1),
        }
    }

    /// Another match: nothing sent so far will be drawn.
    pub fn forget_snapshots(&mut self) {
        self.sent.clear();
        self.line.begin_match();
        (self.had, self.has) = (0, 0);
    }

    /// A packet with commands came at `now`; its commands follow. `step`: time of a frame; `server_now`: that of the newest.
    pub fn take(&mut self, packet: &Packet<'_>, step: Millis, server_now: ServerTime, now: Arrival) {
        if let Some(trip) = packet.round_trip {
            self.line.round_trip(trip, now);
        }
        let ahead = packet.number.0.wrapping_sub(self.number.0);
        let in_order = ahead == 1;
        let is_old = |cmd: &&UserCmd| cmd.time().as_drawn() <= self.claim;
        let old = packet.commands.iter().filter(is_old).count();
        let fresh = packet.commands.len() - old;
        if in_order && fresh > 0 {
            self.repeats = ((old + fresh / 2) / fresh) as u32;
        }
        // What lost packets carried came again, if this one repeats as many.
        let mut pictures = Pictures::none(old > 0 || ahead <= 1 + self.repeats);
        let mut newest = self.claim;
        for claim in packet.commands.iter().map(|cmd| cmd.time().as_drawn()) {
            let is_sane = (claim - server_now).0.saturating_abs() < FARTHEST_CLAIM.0;
            if claim > newest && is_sane {
                pictures.push(claim);
                newest = claim;
            }
        }
        let last_claim = self.newest_claim;
        if let Some(&newest) = pictures.drawn().last() {
            self.newest_claim = newest;
        }
        let pause = (self.newest_claim - last_claim).max(Millis(0));
        self.period = packet.period(step);
        self.sent.acknowledge(packet.acknowledged.0, &pictures, self.period, ahead.saturating_sub(1).min(8));
        self.had = self.has;
        self.has = self.sent.acknowledged();
        self.number = packet.number;
        if in_order {
            // One long pause is no pace.
            self.pause_ms += (pause.0 as f32 - self.pause_ms).clamp(-2.0, 0.25);
            self.pause_ms = self.pause_ms.min(LONGEST_PACKET_PAUSE_MS);
        }
    }

    /// A command is about to be executed that claims to have been made at this picture. `None` if nothing has come yet.
    /// `now`: the server's moment, between frames.
    pub fn judge(&mut self, claim: ServerTime, now: ServerTime, checks: i32) -> Option<Judged> {
        self.claim = claim;
        let had = self.sent.time_of(self.had).or_else(|| self.sent.time_of(self.has))?;
        let facts = Facts {
            claim,
            newest_claim: self.newest_claim.max(claim),
            had,
            now,
            period: self.period,
            // In its own packet, and in the one that repeats it because that was lost.
            longest_wait: Millis((self.pause_ms * 2.0) as i32),
        };
        Some(self.line.judge(&facts, checks))
    }

    /// The longest time between two snapshots that came, of those that the latest packet is the first to acknowledge.
    pub fn delivered_gap(&self) -> Option<Millis> {
        self.sent.gap_since(self.had)
    }
}
