//! A client's way from connect to drop, where the engine and the game both take part.

use crate::clients::lead::Lead;
use crate::clients::rate::is_lan;
use crate::clients::{Phase, Session, join};
use crate::engine::printable;
use crate::server::Server;
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::UserCmd;
use fogline_common::time::Millis;
use std::net::SocketAddr;

impl Server {
    /// A client asks to join; its challenge is good. The answer goes out at once.
    pub(crate) fn connect(&mut self, from: SocketAddr, userinfo: &str, challenge: i32) {
        let now = self.engine.now;
        if self.engine.level.is_none() {
            return self.refuse(from, "No map is running yet.");
        }
        if let Some(sentence) = self.engine.bans.refusal(from.ip(), now) {
            return self.refuse(from, &sentence);
        }
        let mut admitted = self.admit(from, userinfo, challenge);
        if admitted.as_ref().is_err_and(|sentence| sentence == join::FULL) && self.make_room() {
            admitted = self.admit(from, userinfo, challenge);
        }
        let admission = match admitted {
            Ok(admission) => admission,
            Err(sentence) => return self.refuse(from, &sentence),
        };
        let num = admission.num;
        if admission.takes_over {
            self.close_claims(num);
            if self.engine.clients.get(num).is_some_and(|session| !session.is_zombie()) {
                self.game.client_disconnect(&mut self.engine, num);
            }
            self.engine.clients.free(num);
        }
        self.engine.rewind.forget(num);
        self.engine.clients.insert(join::open(&admission, from, self.engine.cvars.config(), now));
        self.builder.linger.forget_viewer(admission.num);
        if let Err(sentence) = self.game.client_connect(&mut self.engine, num, true, false) {
            self.engine.clients.free(num);
            return self.refuse(from, &sentence);
        }
        self.engine.log.line(format!("client {num} connects from {from}"));
        self.outbox.connectionless(from, format!("connectResponse {}", admission.challenge).as_bytes());
        self.settle();
    }

    fn admit(&self, from: SocketAddr, userinfo: &str, challenge: i32) -> Result<join::Admission, String> {
        let engine = &self.engine;
        join::admit(&engine.clients, engine.cvars.config(), from, userinfo, challenge, engine.now)
    }

    /// A bot leaves so that a player of flesh and blood can come in. Whether there was one.
    fn make_room(&mut self) -> bool {
        let bot =
            self.engine.clients.iter().filter(|session| session.is_bot).last().map(|session| session.num);
        if let Some(bot) = bot {
            self.drop_client(bot, "makes room");
            self.settle();
        }
        bot.is_some()
    }

    fn refuse(&mut self, to: SocketAddr, sentence: &str) {
        self.engine.log.line(format!("{to} was refused: {sentence}"));
        self.outbox.connectionless(to, format!("print\n{sentence}\n").as_bytes());
    }

    /// The client has sent its first usercmd: it enters the world.
    pub(crate) fn enter_world(&mut self, num: ClientNum, first: Option<&UserCmd>) {
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        session.phase = Phase::Active;
        // What was measured while it loaded says nothing.
        session.lead = Lead::default();
        session.delta_message = None;
        session.last_snapshot = None;
        session.last_usercmd = first.copied().unwrap_or_default();
        self.engine.send_missed_configstrings(num);
        self.game.client_begin(&mut self.engine, num);
        self.settle();
    }

    /// The client's userinfo changed: its name, its rate, and whatever the game reads from it.
    pub(crate) fn userinfo_changed(&mut self, num: ClientNum, userinfo: &str) {
        let config = self.engine.cvars.config();
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        let mut kept = userinfo.to_owned();
        let address = session.address;
        if fogline_common::proto::info_string::set(&mut kept, "ip", &address.to_string()).is_err() {
            self.drop_client(num, "userinfo string length exceeded");
            return;
        }
        session.adopt_userinfo(kept, config);
        self.game.client_userinfo_changed(&mut self.engine, num);
        self.settle();
    }

    /// Ends a connection: the others read why, the game forgets the player, and the slot lingers until the client has heard.
    pub(crate) fn drop_client(&mut self, num: ClientNum, reason: &str) {
        let now = self.engine.now;
        let Some(session) = self.engine.clients.get(num).filter(|session| !session.is_zombie()) else {
            return;
        };
        let name = session.name.clone();
        self.close_claims(num);
        let reason = printable(reason).replace('"', "'");
        self.engine.send_command(None, &format!("print \"{name}^7 {reason}\n\""));
        self.game.client_disconnect(&mut self.engine, num);
        self.engine.recordings.end(num);
        self.engine.send_command(Some(num), &format!("disconnect \"{reason}\""));
        if self.engine.clients.get(num).is_some_and(|session| session.is_bot) {
            // Nobody has to hear of it.
            self.engine.clients.free(num);
        } else if let Some(session) = self.engine.clients.get_mut(num) {
            session.phase = Phase::Zombie { since: now };
            session.download = None;
        }
        self.engine.log.line(format!("client {num} ({name}) is gone: {reason}"));
    }

    /// Does what the game asked for while it was running and what must happen when it has returned.
    pub(crate) fn settle(&mut self) {
        while let Some((num, reason)) = self.engine.drops.pop() {
            self.drop_client(num, &reason);
        }
    }

    /// Sends away those whose ping the host does not want, once it has been measured; players of the host's own network stay.
    pub(crate) fn check_pings(&mut self) {
        let config = self.engine.cvars.config();
        let (lowest, highest) = (config.sv_minping, config.sv_maxping);
        if lowest == 0 && highest == 0 {
            return;
        }
        for num in self.engine.clients.nums() {
            let Some(session) = self.engine.clients.get(num).filter(|session| session.is_active()) else {
                continue;
            };
            if is_lan(session.address.ip()) || !session.ping.is_measured() {
                continue;
            }
            let ping = session.ping.ping();
            if ping < lowest {
                self.drop_client(
                    num,
                    &format!("has a ping of {ping} ms; this server is for {lowest} ms and more"),
                );
            } else if highest > 0 && ping > highest {
                self.drop_client(
                    num,
                    &format!("has a ping of {ping} ms; this server is for {highest} ms and less"),
                );
            }
        }
        self.settle();
    }

    /// Ends what has been silent too long, and frees the slots of those who have had time to hear that they are gone.
    pub(crate) fn check_timeouts(&mut self) {
        let now = self.engine.now;
        let config = self.engine.cvars.config();
        let timeout = Millis(config.sv_timeout.saturating_mul(1000));
        let zombie_time = Millis(config.sv_zombietime.saturating_mul(1000));
        for num in self.engine.clients.nums() {
            let Some(session) = self.engine.clients.get(num) else { continue };
            match session.phase {
                Phase::Zombie { since } if now.since(since) >= zombie_time => self.engine.clients.free(num),
                Phase::Zombie { .. } => {}
                _ if session.is_bot => {}
                _ if now.since(session.last_packet) > timeout => {
                    self.drop_client(num, "timed out");
                    // Nobody listens at the other end: the slot need not linger.
                    self.engine.clients.free(num);
                }
                _ => {}
            }
        }
        self.settle();
    }
}

impl Session {
    /// Takes over a new userinfo: name, rate, snaps.
    fn adopt_userinfo(&mut self, userinfo: String, config: &crate::config::Config) {
        fogline_common::proto::info_string::value(&userinfo, "name").clone_into(&mut self.name);
        let asked = crate::clients::rate::Pace::from_userinfo(&userinfo, self.address.ip(), config);
        if asked.snapshot_gap != self.pace.snapshot_gap {
            self.last_snapshot = None;
        }
        self.pace.renew(asked);
        self.userinfo = userinfo;
    }

    /// Whether the message that carried the gamestate has been overtaken: the client answers a newer one and still has the old map.
    pub(crate) fn needs_gamestate(&self) -> bool {
        match self.phase {
            Phase::Connected => true,
            Phase::Primed { gamestate } => self.message_acknowledge > gamestate.0 as i32,
            Phase::Active | Phase::Zombie { .. } => false,
        }
    }

    /// The gamestate goes out in message `sequence`.
    pub(crate) fn primed(&mut self, sequence: Sequence) {
        self.phase = Phase::Primed { gamestate: sequence };
    }
}
