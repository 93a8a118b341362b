//! Routes a datagram: to the client it belongs to, or to the answers for strangers. And does what strangers may ask for.

use crate::config::Config;
use crate::console::Source;
use crate::engine::Engine;
use crate::game::Game;
use crate::intake::connectionless::Request;
use crate::intake::counts::Counts;
use crate::intake::rcon;
use crate::intake::replies::{MARKER, PlayerRow, Population, QueryFacts};
use crate::server::Server;
use fogline_common::ids::ConfigstringNum;
use std::net::SocketAddr;

/// What queries are answered from.
struct Facts<'a> {
    engine: &'a Engine,
    game: &'a dyn Game,
}

impl QueryFacts for Facts<'_> {
    fn config(&self) -> &Config {
        self.engine.cvars.config()
    }

    fn population(&self) -> Population {
        let clients = self.engine.clients.living().count();
        let bots = self.engine.clients.living().filter(|session| session.is_bot).count();
        Population { clients, humans: clients - bots }
    }

    fn serverinfo(&self) -> &str {
        self.engine.level.as_ref().map_or("", |level| level.configstrings.get(ConfigstringNum::SERVERINFO))
    }

    fn each_player(&self, row: &mut dyn FnMut(PlayerRow<'_>)) {
        if self.engine.level.is_none() {
            return;
        }
        for session in self.engine.clients.living() {
            row(PlayerRow {
                score: self.game.score(session.num),
                ping: session.shown_ping(),
                name: &session.name,
            });
        }
    }

    fn game_folder(&self) -> &str {
        &self.config().fs_game
    }
}

impl Server {
    pub(crate) fn handle_datagram(&mut self, from: SocketAddr, datagram: &[u8]) {
        match datagram.strip_prefix(&MARKER[..]) {
            Some(payload) => self.handle_connectionless(from, payload),
            None => self.handle_sequenced(from, datagram),
        }
    }

    fn handle_connectionless(&mut self, from: SocketAddr, payload: &[u8]) {
        self.masters.note_query(self.engine.now, from.ip());
        let outbox = &mut self.outbox;
        let facts = Facts { engine: &self.engine, game: self.game.as_ref() };
        let mut reply = |datagram: &[u8]| outbox.copy(from, datagram);
        match self.connectionless.handle(self.engine.now, from, payload, &facts, &mut reply) {
            Some(Request::Connect { userinfo, challenge }) => self.connect(from, &userinfo, challenge),
            Some(Request::Rcon { command }) => {
                self.engine.log.line(format!("rcon from {from}: {command}"));
                let printed = self.run_console(&command, Source::Rcon);
                let outbox = &mut self.outbox;
                rcon::send_output(&printed, &mut |datagram| outbox.copy(from, datagram));
            }
            Some(Request::Log(line)) => self.engine.log.line(line),
            None => {}
        }
    }

    /// What became of every datagram that belonged to no client, by cause.
    pub fn stranger_counts(&self) -> &Counts {
        self.connectionless.counts()
    }

    /// Follows what the masters are to be told, and says it. Names that must be looked up first wait for the rim.
    pub(crate) fn tell_masters(&mut self) {
        let now = self.engine.now;
        let config = self.engine.cvars.config();
        let names = [
            &config.sv_master1,
            &config.sv_master2,
            &config.sv_master3,
            &config.sv_master4,
            &config.sv_master5,
        ];
        self.masters.configure(now, config.dedicated == 2, names.map(String::as_str));
        self.masters.note_map(now, &config.mapname);
        let humans = self.engine.clients.connected().filter(|session| !session.is_zombie()).count();
        self.masters.note_population(now, humans);
        let text = crate::intake::masters::heartbeat_text(&config.sv_gamename);
        while let Some(master) = self.masters.poll_heartbeat(now) {
            self.outbox.connectionless(master, text.as_bytes());
        }
    }

    /// A master's name was looked up; no address if there is none.
    pub(crate) fn master_resolved(&mut self, name: &str, addresses: &[SocketAddr]) {
        let now = self.engine.now;
        if let Some(line) = self.masters.resolved(now, name, addresses) {
            self.engine.log.line(line);
        }
        let trusted: Vec<_> =
            self.masters.iter().flat_map(|master| &master.addresses).map(SocketAddr::ip).collect();
        self.connectionless.trust(trusted);
    }
}
