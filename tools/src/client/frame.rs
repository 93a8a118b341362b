//! One frame of the client: send what is due, then draw.
//!
//! The order is a stock client's, and a server can see it: a usercmd carries the moment that was drawn *before* it was made.
//! Source: `CL_Frame`, `CL_SendCmd`, `CL_SetCGameTime`, `CG_DrawActiveFrame`.

use crate::client::clock::Newest;
use crate::client::events::{DropReason, Event};
use crate::client::predict::{Inputs, PredictSettings};
use crate::client::snapshot::Snapshot;
use crate::client::text::{int, tokens};
use crate::client::{Client, ClientState};
use fogline_common::ids::ConfigstringNum;
use fogline_common::math::angle_to_short;
use fogline_common::pmove::PmoveSettings;
use fogline_common::proto::UserCmd;
use fogline_common::time::{Arrival, Millis, ServerTime};

/// A frame that is late by more than this is not made up for.
const CATCH_UP_MAX: Millis = Millis(100);

impl Client {
    /// Does what is due at `now`: repeats requests, makes a usercmd, sends a packet, draws.
    pub fn advance(&mut self, now: Arrival) {
        match self.state {
            ClientState::Disconnected(_) => return,
            ClientState::Connecting if self.handshake.is_due(now) => self.send_handshake(now),
            _ => (),
        }
        if self.link.is_none() || now < self.next_frame {
            return;
        }
        let due = self.next_frame;
        self.next_frame =
            if now.since(due) > CATCH_UP_MAX { now } else { due }.after(Millis(self.config.frame.0.max(1)));
        if self.heard.is_some_and(|heard| now.since(heard) > self.config.timeout) {
            self.drop(DropReason::TimedOut);
            return;
        }
        self.finish_loading(now);
        if matches!(self.state, ClientState::Primed | ClientState::Active) {
            self.make_usercmd();
        }
        if self.is_time_to_send(now) {
            self.send_packet(now);
        }
        if matches!(self.state, ClientState::Primed | ClientState::Active) {
            self.draw(now);
        }
    }

    /// The map is loaded: say which files we have, three times over as a stock client does.
    fn finish_loading(&mut self, now: Arrival) {
        let ClientState::Loading { until } = self.state else { return };
        if now < until {
            return;
        }
        self.state = ClientState::Primed;
        let files = format!("cp {} 0 0 @ 0 {}", self.world.server_id, self.world.checksum_feed);
        if let Err(error) = self.outgoing.add(&files) {
            self.drop(DropReason::Error(error.to_string()));
            return;
        }
        for _ in 0..3 {
            self.send_packet(now);
        }
    }

    fn make_usercmd(&mut self) {
        let input = self.input;
        let newest = self.world.snapshots.newest();
        let owed = newest.map_or([0; 3], |snapshot| snapshot.player.delta_angles);
        let angle = |axis: usize| (angle_to_short(input.look[axis]) - owed[axis]) & 65535;
        let in_hand = self.predictor.state().map_or(0, |state| state.weapon as u8);
        self.world.moves.push(UserCmd {
            server_time: self.world.drawn.0 - self.config.backdate.0,
            angles: [angle(0), angle(1), angle(2)],
            buttons: input.buttons,
            weapon: input.weapon.unwrap_or(in_hand),
            forward_move: input.forward.max(-127),
            right_move: input.right.max(-127),
            up_move: input.up.max(-127),
        });
    }

    fn draw(&mut self, now: Arrival) {
        let Some(newest) = self.world.snapshots.newest() else { return };
        let is_new = std::mem::take(&mut self.world.is_new_snapshot);
        let newest = Newest { time: newest.time, flags: newest.flags, is_new };
        let real = (now.0 / 1000) as i32;
        let tick = match self.world.clock.frame(real, &newest) {
            Ok(Some(tick)) => tick,
            Ok(None) => return,
            Err(error) => return self.drop(DropReason::Error(error.to_string())),
        };
        if self.state == ClientState::Primed {
            self.state = ClientState::Active;
            self.events.push(Event::Active);
        }
        self.counts.frames += 1;
        self.counts.frames_extrapolated += u64::from(tick.drawn >= newest.time);
        self.world.drawn = tick.drawn;
        let mut run_through = None;
        let entered = |snapshot: &Snapshot| run_through = Some(snapshot.command_sequence);
        if let Err(error) = self.world.scene.process(&self.world.snapshots, tick.drawn, entered) {
            return self.drop(DropReason::Error(error.to_string()));
        }
        if let Some(through) = run_through {
            self.run_server_commands(through);
        }
        self.predict(tick.drawn);
    }

    fn predict(&mut self, now: ServerTime) {
        let settings = self.predict_settings();
        let inputs = Inputs { moves: &self.world.moves, settings, style: self.config.style, now };
        self.predictor.run(&mut self.world.scene, &inputs);
    }

    /// Settings of movement as the server told them. Source: cgame's cvars; `pmove_float` is 1 unless told otherwise.
    fn predict_settings(&self) -> PredictSettings {
        let strings = &self.world.configstrings;
        let system = |key: &str| int(strings.systeminfo(key));
        let fixed = system("pmove_fixed") != 0;
        let pmove = PmoveSettings {
            fixed_step_ms: fixed.then(|| system("pmove_msec").clamp(8, 33)),
            float_velocity: strings.systeminfo("pmove_float").is_empty() || system("pmove_float") != 0,
            dm_flags: int(strings.serverinfo("dmflags")),
        };
        PredictSettings { pmove, synchronous: system("g_synchronousClients") != 0 }
    }

    /// Runs the server's commands up to a number. A stock client runs them when it draws the snapshot that came with them.
    fn run_server_commands(&mut self, through: i32) {
        while let Some(next) = self.incoming.next(through) {
            match next {
                Ok(text) => self.run_server_command(&text),
                Err(number) => {
                    let what = format!("server command {number} was overwritten before it could be run");
                    self.drop(DropReason::Error(what));
                }
            }
            if matches!(self.state, ClientState::Disconnected(_)) {
                return;
            }
        }
    }

    fn run_server_command(&mut self, text: &str) {
        let args = tokens(text);
        let arg = |n: usize| args.get(n).copied().unwrap_or("");
        match arg(0) {
            "disconnect" => {
                let reason = if args.len() > 1 { arg(1) } else { "no reason given" };
                self.drop(DropReason::ByServer(reason.to_owned()));
            }
            "bcs0" | "bcs1" | "bcs2" => match self.world.configstrings.take_piece(&args) {
                Ok(Some(whole)) => self.run_server_command(&whole),
                Ok(None) => (),
                Err(error) => self.drop(DropReason::Error(error.to_string())),
            },
            "cs" => {
                let index = int(arg(1));
                // As in the original the text may be split: everything after the number counts.
                let text = args.get(2..).unwrap_or(&[]).join(" ");
                match self.world.configstrings.set(index, &text) {
                    Ok(num) => self.configstring_changed(num),
                    Err(error) => self.drop(DropReason::Error(error.to_string())),
                }
            }
            "map_restart" => {
                self.world.moves.blank();
                self.world.scene.teleported = true;
                self.events.push(Event::MapRestart);
            }
            "print" => self.events.push(Event::Print(arg(1).to_owned())),
            "chat" | "tchat" => self.events.push(Event::Chat(arg(1).to_owned())),
            _ => self.events.push(Event::Command(text.to_owned())),
        }
    }

    fn configstring_changed(&mut self, num: ConfigstringNum) {
        if num == ConfigstringNum::SYSTEMINFO {
            self.take_systeminfo();
        }
        self.events.push(Event::Configstring(num));
    }

    pub(super) fn take_systeminfo(&mut self) {
        self.world.server_id = int(self.world.configstrings.systeminfo("sv_serverid"));
    }
}
