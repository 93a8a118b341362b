//! The server as its console sees it: each command of [`Operator`] is a few calls.

use crate::clients::bans::end_of;
use crate::config::Cvars;
use crate::console::{self, CommandBuffer, Operator, Player, Presence, Source};
use crate::engine::Log;
use crate::files::Files;
use crate::recording::Demo;
use crate::rewind::report;
use crate::rotation::Rotation;
use crate::server::Server;
use crate::telemetry::{FilterRow, filter_status};
use fogline_common::ids::ClientNum;
use fogline_common::time::Millis;
use std::net::IpAddr;

/// Shots that the console shows of one client.
const SHOTS_SHOWN: usize = 20;

impl Operator for Server {
    fn cvars(&mut self) -> &mut Cvars {
        &mut self.engine.cvars
    }

    fn files(&mut self) -> &mut dyn Files {
        self.engine.files.as_mut()
    }

    fn command_buffer(&mut self) -> &mut CommandBuffer {
        &mut self.engine.commands
    }

    fn players(&self) -> Vec<Player> {
        let now = self.engine.now;
        let row = |session: &crate::clients::Session| Player {
            client: session.num,
            score: self.game.score(session.num),
            presence: match session.phase {
                crate::clients::Phase::Zombie { .. } => Presence::Zombie,
                crate::clients::Phase::Active => Presence::Playing { ping: session.shown_ping() },
                _ => Presence::Connecting,
            },
            name: session.name.clone(),
            silence: if session.is_bot { Millis(0) } else { now.since(session.last_packet) },
            address: (!session.is_bot).then_some(session.address),
            qport: session.qport,
            rate: session.pace.rate,
        };
        self.engine.clients.iter().map(row).collect()
    }

    fn filter_status(&self) -> String {
        let living = self.engine.clients.connected().filter(|session| !session.is_zombie());
        let rows: Vec<FilterRow<'_>> = living
            .map(|session| FilterRow {
                client: session.num,
                counts: session.filter,
                measured: session.lead.measured(),
                ping: Millis(session.shown_ping()),
                name: &session.name,
            })
            .collect();
        filter_status(&self.rules, &self.engine.metrics, &self.work, &rows) + &self.vistrace.status()
    }

    fn userinfo(&self, client: ClientNum) -> Option<String> {
        self.engine.clients.get(client).map(|session| session.userinfo.clone())
    }

    fn start_map(&mut self, name: &str, cheats: bool) -> Result<(), String> {
        self.load_map(name, cheats)
    }

    fn restart_map(&mut self, delay: Millis) -> Result<(), String> {
        self.schedule_restart(delay)
    }

    fn kill_server(&mut self, reason: &str) {
        self.end_match(reason);
    }

    fn quit(&mut self) {
        self.shutdown(self.engine.now, "Server quit");
    }

    fn rotation(&mut self) -> &mut Rotation {
        &mut self.rotation
    }

    fn heartbeat(&mut self) {
        self.masters.request(self.engine.now);
    }

    fn shots(&self, client: ClientNum) -> Vec<String> {
        let book = self.engine.rewind.shots();
        let own = book.newest_first().filter(|shot| shot.shooter == Some(client));
        own.take(SHOTS_SHOWN).map(report::line).collect()
    }

    fn start_demo(&mut self, client: ClientNum, name: &str) -> Result<String, String> {
        let protocol = self.engine.cvars.config().com_protocol;
        self.engine.recordings.begin(client, name, protocol)
    }

    fn stop_demo(&mut self, client: ClientNum) -> bool {
        self.engine.recordings.end(client)
    }

    fn demos(&self) -> Vec<String> {
        let line = |demo: &Demo| format!("slot {}: {}, {} KiB", demo.player, demo.file, demo.bytes / 1024);
        self.engine.recordings.demos().iter().map(line).collect()
    }

    fn ban(&mut self, address: IpAddr, minutes: i32, reason: &str) {
        let now = self.engine.now;
        self.engine.bans.add(address, end_of(now, minutes), reason, now);
    }

    fn unban(&mut self, address: IpAddr) -> bool {
        self.engine.bans.remove(address)
    }

    fn bans(&mut self) -> Vec<String> {
        let now = self.engine.now;
        let bans = self.engine.bans.list(now).iter();
        bans.map(|ban| format!("{:<40} {:>6} s  {}", ban.address, ban.until.since(now).0 / 1000, ban.reason))
            .collect()
    }

    fn drop_client(&mut self, client: ClientNum, reason: &str) {
        Self::drop_client(self, client, reason);
    }

    fn send_server_command(&mut self, to: Option<ClientNum>, text: &str) {
        self.engine.send_command(to, text);
        self.settle();
    }

    fn game_command(&mut self, args: &[&str], reply: &mut String) -> bool {
        if self.engine.level.is_none() {
            return false;
        }
        // What the game prints while it runs the command is the answer to whoever typed it.
        let outer = std::mem::take(&mut self.engine.log);
        let known = self.game.console_command(&mut self.engine, args);
        let mut printed = std::mem::replace(&mut self.engine.log, outer);
        append(&mut printed, reply);
        self.settle();
        known
    }
}

fn append(log: &mut Log, reply: &mut String) {
    while let Some(line) = log.poll() {
        reply.push_str(&line);
        reply.push('\n');
    }
}

impl Server {
    /// Runs a console line and returns what it printed.
    pub(crate) fn run_console(&mut self, line: &str, source: Source) -> String {
        console::run(self, line, source)
    }

    /// Runs what was queued for the next frame.
    pub(crate) fn run_queued_commands(&mut self) {
        let printed = console::run_queued(self);
        self.log_lines(&printed);
    }

    /// Runs the archive, `autoexec.cfg` and the commands of the command line, as the console would.
    pub fn start_up(&mut self, commands: &[Vec<String>]) {
        let printed = console::start_up(self, commands);
        self.log_lines(&printed);
        self.begin_rotation();
        self.settle();
    }

    /// Looks through the rotation of the host, if there is one; with no map running it begins.
    fn begin_rotation(&mut self) {
        if self.engine.cvars.config().sv_maprotation.is_empty() {
            return;
        }
        let line = if self.engine.level.is_none() { "rotation next" } else { "rotation reload" };
        let printed = self.run_console(line, Source::Local);
        self.log_lines(&printed);
    }

    /// Writes the archived cvars, if they changed.
    pub(crate) fn save_archive(&mut self) {
        if let Err(error) = console::save_archive(&mut self.engine.cvars, self.engine.files.as_mut()) {
            self.engine.log.line(error.to_string());
        }
    }

    pub(crate) fn log_lines(&mut self, text: &str) {
        for line in text.lines() {
            self.engine.log.line(line);
        }
    }
}
