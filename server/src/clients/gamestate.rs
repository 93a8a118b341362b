//! The message that a client joins with: every configstring and every baseline. And the head that all messages share.

use super::Session;
use crate::server::Server;
use fogline_common::ids::ClientNum;
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::messages::{
    GamestateHead, write_download_refusal, write_gamestate, write_head, write_server_command,
};

impl Session {
    /// The head of every message: the newest client command executed, and all server commands not yet acknowledged.
    pub(crate) fn write_commands(&mut self, writer: &mut BitWriter) {
        write_head(writer, self.reliable.client_sequence);
        for (number, text) in self.reliable.unacknowledged() {
            write_server_command(writer, number, text);
        }
        if let Some(sentence) = self.download_refusal.take() {
            write_download_refusal(writer, sentence.as_bytes());
        }
    }
}

impl Server {
    /// Sends the gamestate. From here on the client is told what changes.
    pub(crate) fn send_gamestate(&mut self, num: ClientNum) {
        let Some(level) = &self.engine.level else { return };
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        let Some(channel) = &session.channel else { return };
        if channel.has_unsent_fragments() {
            return;
        }
        session.primed(channel.outgoing());
        session.missed_configstrings.clear();
        self.writer.clear();
        session.write_commands(&mut self.writer);
        let head = GamestateHead {
            command_sequence: session.reliable.sequence(),
            client: num,
            checksum_feed: level.checksum_feed,
        };
        let configstrings = level.configstrings.iter().map(|(num, text)| (num, text.as_bytes()));
        write_gamestate(&mut self.writer, &head, configstrings, &level.baselines);
        if self.writer.overflowed() {
            self.engine
                .log
                .line(format!("client {num} cannot be sent the gamestate: it does not fit a message"));
            self.engine.drops.push((num, "The server's gamestate is too large.".to_owned()));
            return;
        }
        self.send_message(num);
    }
}
