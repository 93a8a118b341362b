//! What goes out each frame: who is due, what it is told, encoded against what it has acknowledged.

use super::Draft;
use crate::clients::{Phase, Session};
use crate::server::Server;
use crate::telemetry::Phase as WorkPhase;
use crate::visibility::Scene;
use fogline_common::ids::ClientNum;
use fogline_common::proto::snap_flag;
use fogline_common::time::Arrival;
use fogline_common::wire::messages::{SnapshotHead, SnapshotRef, write_snapshot};

/// Builds and sends a snapshot to every client that is due, in slot order.
pub(crate) fn send_snapshots(server: &mut Server) {
    for num in server.engine.clients.nums() {
        if server.is_due(num) {
            server.enter(WorkPhase::Build);
            server.send_snapshot(num);
        }
    }
}

impl Server {
    /// Whether a client is to be sent to in this frame. A client whose line is busy is not, and its next snapshot will say so.
    fn is_due(&mut self, num: ClientNum) -> bool {
        let (now, frames_time) = (self.engine.now, self.frames_time);
        let Some(session) = self.engine.clients.get_mut(num) else { return false };
        let Some(channel) = &session.channel else { return false };
        if session.download.is_some() && !session.is_zombie() {
            return false;
        }
        if session.last_snapshot.is_some_and(|last| frames_time - last < session.pace.snapshot_gap) {
            return false;
        }
        let busy = channel.has_unsent_fragments()
            || now < session.pace.free_at(session.address.ip(), self.engine.cvars.config());
        if busy {
            session.rate_delayed = true;
            session.rate_delays += 1;
            self.engine.metrics.rate_delays += 1;
        }
        !busy
    }

    fn send_snapshot(&mut self, num: ClientNum) {
        let Some(level) = &self.engine.level else { return };
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        let Some(channel) = &session.channel else { return };
        let sequence = channel.outgoing();
        self.writer.clear();
        session.write_commands(&mut self.writer);

        // One who is on its way out needs a snapshot too: clients run the command that tells them why only with one.
        if session.is_primed() || session.is_zombie() {
            let metrics = &mut self.engine.metrics;
            let scene = Scene {
                clip: level.world.clip_map(),
                portals: level.world.area_portals(),
                rules: &self.rules,
                now: level.time,
                movers: self.frame.movers(),
                prover: Some(&level.prover),
                recall: &self.recall,
                work: &self.work,
            };
            let is_zombie = session.is_zombie();
            let slot = session.history.slot(sequence);
            let player = self.game.player_state(num);
            if is_zombie {
                slot.show_nothing(self.frame.time, &player);
            } else {
                let sounds = &mut session.sounds;
                let mut draft = Draft { snapshot: slot, sounds, states: &mut self.states };
                let counts = self.builder.build(num, &player, &self.frame, &scene, &mut draft);
                session.filter.add(&counts);
                metrics.count_build(&counts);
            }
            if let Some(watcher) = &mut self.engine.watcher {
                watcher(WorkPhase::Encode);
            }
            slot.message = sequence;
            slot.commands = session.reliable.sequence();
            let players = self
                .states
                .of(slot)
                .into_iter()
                .flatten()
                .map_while(|state| ClientNum::new(state.num()?.index()));
            self.engine.rewind.sent(num, sequence, players);
            if let Some(old) = session.old_time {
                slot.time += old;
            }

            let acknowledged = session.delta_message.filter(|_| session.is_active());
            let base = session.history.base(acknowledged, sequence, &self.states);
            let Some(slot) = session.history.get(sequence) else { return };
            let Some(entities) = self.states.of(slot) else { return };
            let head = SnapshotHead {
                server_time: slot.time,
                delta_num: base.as_ref().map_or(0, |(age, _)| *age),
                flags: session.snapshot_flags(self.server_count),
                area_mask: &slot.area_mask[..slot.area_bytes],
            };
            let to = SnapshotRef { player: &slot.player, entities };
            metrics.snapshots += 1;
            metrics.full_snapshots += u64::from(base.is_none());
            let base = base.map(|(_, base)| base);
            write_snapshot(&mut self.writer, &head, base, to, &level.baselines);
        }
        session.last_snapshot = Some(self.frames_time);
        session.rate_delayed = false;
        self.record_decisions(num, sequence);
        self.send_message(num);
    }

    /// Hands the message in the writer to the client's channel, and its first datagram to the outbox.
    ///
    /// A message that has outgrown the protocol's limit is replaced by one that carries nothing but its commands.
    pub(crate) fn send_message(&mut self, num: ClientNum) {
        let now = self.engine.now;
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        if self.writer.overflowed() {
            self.engine.metrics.oversized_snapshots += 1;
            if let Some(channel) = &session.channel {
                self.engine.rewind.withdraw(num, channel.outgoing());
            }
            self.writer.clear();
            session.write_commands(&mut self.writer);
            if self.writer.overflowed() {
                self.engine.drops.push((num, "Server command overflow".to_owned()));
                return;
            }
        }
        let Some(channel) = &mut session.channel else { return };
        match channel.send(&mut self.writer, &session.reliable.client_text) {
            Ok(sequence) => session.ping.sent(sequence, now),
            Err(error) => self.engine.log.line(format!("client {num} was not sent a message: {error}")),
        }
        self.transmit(num);
    }

    /// Puts the next datagram of a client's channel, if any, on the wire.
    fn transmit(&mut self, num: ClientNum) -> bool {
        let now = self.engine.now;
        let Some(session) = self.engine.clients.get_mut(num) else { return false };
        let Some(channel) = &mut session.channel else { return false };
        let mut datagram = self.outbox.buffer();
        if !channel.poll_transmit(&mut datagram) {
            return false;
        }
        session.pace.sent(datagram.len(), now);
        self.outbox.push(session.address, datagram);
        true
    }

    /// When the next fragment of a client's message may go out; `None` if it has none.
    pub(crate) fn fragment_due(&self, session: &Session) -> Option<Arrival> {
        let waits = session.channel.as_ref()?.has_unsent_fragments();
        waits.then(|| session.pace.free_at(session.address.ip(), self.engine.cvars.config()))
    }

    /// Sends the fragments whose line is free.
    pub(crate) fn send_fragments(&mut self) {
        for num in self.engine.clients.nums() {
            while let Some(session) = self.engine.clients.get(num)
                && self.fragment_due(session).is_some_and(|due| due <= self.engine.now)
                && self.transmit(num)
            {}
        }
    }

    /// Tells everybody that it is over, twice, since there will be no third time.
    pub(crate) fn say_goodbye(&mut self, reason: &str) {
        let reason = crate::engine::printable(reason).replace('"', "'");
        self.engine.send_command(None, &format!("print \"{reason}\n\""));
        self.engine.send_command(None, &format!("disconnect \"{reason}\""));
        for num in self.engine.clients.nums() {
            for _ in 0..2 {
                self.send_snapshot(num);
                while self.transmit(num) {}
            }
        }
    }
}

impl Session {
    fn snapshot_flags(&self, server_count: bool) -> i32 {
        let mut flags = 0;
        if self.rate_delayed {
            flags |= snap_flag::RATE_DELAYED;
        }
        if self.phase != Phase::Active {
            flags |= snap_flag::NOT_ACTIVE;
        }
        if server_count {
            flags |= snap_flag::SERVERCOUNT;
        }
        flags
    }
}
