//! What one client message does: acknowledgements, commands, usercmds.

use crate::clients::{Phase, Session};
use crate::console::tokenizer;
use crate::rewind::Packet;
use crate::rewind::report::{self, Who};
use crate::server::Server;
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::{UserCmd, info_string};
use fogline_common::time::{CommandTime, Millis};
use fogline_common::wire::messages::{ClientMessage, ClientOp};
use fogline_common::wire::netchan::Netchan;

/// Time between two text commands of one client that the game is told of.
const FLOOD_GAP: Millis = Millis(1000);

impl Server {
    /// Applies a message that has been accepted as the client's own.
    pub(crate) fn apply_client_message(&mut self, num: ClientNum, message: &ClientMessage) {
        let now = self.engine.now;
        let Some(level) = &self.engine.level else { return };
        let (server_id, loaded_id) = (level.server_id, level.loaded_server_id);
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        session.message_acknowledge = message.message_acknowledge;
        session.reliable.acknowledge(message.reliable_acknowledge);
        session.round_trip = session.ping.acknowledged(Sequence(message.message_acknowledge as u32), now);

        if message.server_id != server_id {
            // Between the two: the client has not seen the restart yet and will. Otherwise it has the wrong map.
            let missed_restart = message.server_id >= loaded_id && message.server_id < server_id;
            if session.fetches_files() {
                self.hear_of_files(num, message);
            } else if missed_restart {
                self.bring_over_restart(num, message);
            } else if session.needs_gamestate() {
                self.send_gamestate(num);
            }
            return;
        }
        session.old_time = None;

        for op in &message.ops {
            match op {
                ClientOp::Command { sequence, text } => self.client_command(num, *sequence, text),
                ClientOp::Move { delta, cmds } => self.client_move(num, *delta, cmds),
                ClientOp::Voice { .. } => {}
            }
            if self.engine.clients.get(num).is_none_or(Session::is_zombie) {
                return;
            }
        }
        self.note_lost_blocks(num);
    }

    /// The map changed while the client fetches a file: it goes on, and asks for the gamestate when it is done.
    fn hear_of_files(&mut self, num: ClientNum, message: &ClientMessage) {
        for op in &message.ops {
            if let ClientOp::Command { sequence, text } = op {
                self.client_command(num, *sequence, text);
            }
            if self.engine.clients.get(num).is_none_or(Session::is_zombie) {
                return;
            }
        }
        self.note_lost_blocks(num);
    }

    fn note_lost_blocks(&mut self, num: ClientNum) {
        if let Some(session) = self.engine.clients.get_mut(num) {
            session.note_lost_blocks();
        }
    }

    /// The map was restarted while the client was loading it. It has the gamestate, but will not learn the new server id before
    /// it is in the world, nor can its usercmds bring it there under the old one: so it enters now.
    fn bring_over_restart(&mut self, num: ClientNum, message: &ClientMessage) {
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        session.old_time = None;
        let plays = message.ops.iter().any(|op| matches!(op, ClientOp::Move { .. }));
        if plays && matches!(session.phase, Phase::Primed { .. }) {
            self.enter_world(num, None);
        }
    }

    /// One text command.
    fn client_command(&mut self, num: ClientNum, sequence: i32, text: &[u8]) {
        let now = self.engine.now;
        let flood_protect = self.engine.cvars.config().sv_floodprotect;
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        if sequence <= session.reliable.client_sequence {
            return;
        }
        if sequence - 1 > session.reliable.client_sequence {
            return self.drop_client(num, "Lost reliable commands");
        }
        let flooding = session.is_active() && flood_protect && now < session.flood_until;
        session.flood_until = now.after(FLOOD_GAP);
        session.reliable.client_sequence = sequence;
        session.reliable.client_text.clear();
        session.reliable.client_text.extend_from_slice(text);

        let text = String::from_utf8_lossy(text);
        let args = tokenizer::words(&text);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        self.run_client_command(num, &args, flooding);
        self.settle();
    }

    /// The engine's own commands always run; the game's only from players in the world, and not from a flood.
    fn run_client_command(&mut self, num: ClientNum, args: &[&str], flooding: bool) {
        let Some(&word) = args.first() else { return };
        match word {
            "userinfo" => self.userinfo_changed(num, args.get(1).copied().unwrap_or("")),
            "disconnect" => self.drop_client(num, "disconnected"),
            "download" => self.begin_download(num, args.get(1).copied().unwrap_or("")),
            "nextdl" => self.acknowledge_block(num, args.get(1).and_then(|block| block.parse().ok())),
            "stopdl" => {
                if let Some(session) = self.engine.clients.get_mut(num) {
                    session.download = None;
                }
            }
            "donedl" => {
                if self.engine.clients.get(num).is_some_and(|session| !session.is_active()) {
                    self.send_gamestate(num);
                }
            }
            // Pure checksums and voice settings: known, and of no use to a server that is not pure and carries no voice.
            "cp" | "vdr" | "voip" => {}
            _ if flooding => self.engine.metrics.flooded_commands += 1,
            _ => {
                if self.engine.clients.get(num).is_some_and(Session::is_active) {
                    self.game.client_command(&mut self.engine, num, args);
                }
            }
        }
    }

    /// Usercmds: the first one brings the client into the world, each is executed once, in order.
    fn client_move(&mut self, num: ClientNum, delta: bool, cmds: &[UserCmd]) {
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        session.delta_message = delta.then_some(Sequence(session.message_acknowledge as u32));
        let (Some(first), Some(newest)) = (cmds.first(), cmds.last()) else { return };
        let received = Sequence(session.message_acknowledge as u32);
        if let Some(number) = session.history.commands_run(received, newest.time().as_drawn()) {
            session.reliable.has_run(number);
        }
        if matches!(session.phase, Phase::Primed { .. }) {
            self.enter_world(num, Some(first));
        }
        self.note_packet(num, cmds);
        for cmd in cmds {
            let Some(session) = self.engine.clients.get_mut(num) else { return };
            if !session.is_active() {
                session.delta_message = None;
                return;
            }
            if cmd.server_time > newest.server_time || cmd.server_time <= session.last_usercmd.server_time {
                continue;
            }
            let now = self.engine.now;
            let lag = self.engine.rewind.moment_at(now) - cmd.time().as_drawn();
            let spacing = Millis(cmd.server_time.saturating_sub(session.last_usercmd.server_time));
            session.lead.command(lag, spacing, now);
            session.last_usercmd = *cmd;
            self.engine.metrics.usercmds += 1;
            if self.engine.rewind.command(num, CommandTime(cmd.server_time), self.engine.now).is_some() {
                self.report_claim(num);
            }
            self.game.client_think(&mut self.engine, num, cmd);
            self.log_shot(num);
            self.settle();
        }
    }
    /// What a packet with usercmds says about what its client had received when it made them.
    fn note_packet(&mut self, num: ClientNum, commands: &[UserCmd]) {
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        let packet = Packet {
            number: session.channel.as_ref().map_or(Sequence(0), Netchan::incoming),
            acknowledged: Sequence(session.message_acknowledge as u32),
            round_trip: session.round_trip.take(),
            commands,
            snapshot_gap: session.pace.snapshot_gap,
        };
        let now = self.engine.now;
        self.engine.rewind.packet(num, &packet, now);
        if let Some(gap) = self.engine.rewind.delivered_gap(num) {
            session.lead.delivered(gap, now);
        }
    }

    /// The command that has just been executed fired a shot: it goes to the log of shots, if there is one.
    fn log_shot(&mut self, num: ClientNum) {
        if self.engine.cvars.config().sv_shotlog.is_empty() {
            return;
        }
        let Some(session) = self.engine.clients.get(num) else { return };
        let book = self.engine.rewind.shots();
        let command = self.engine.rewind.commands_of(num);
        let Some(shot) = book.newest_of(num).filter(|shot| shot.command == command) else { return };
        let who = Who { name: &session.name, guid: info_string::value(&session.userinfo, "cl_guid") };
        self.engine.shot_log.line(report::json(shot, &who));
    }
}
