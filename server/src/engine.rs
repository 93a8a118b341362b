//! The engine as the game knows it: settings, clients, the running map. Everything but the game itself.
//!
//! The game is called with the engine as its [`Host`](crate::game::Host) (see `game/host.rs`), so nothing in here can call the
//! game: what must end in such a call (dropping a client) is queued and done by the server when the game has returned.

use crate::clients::bans::Bans;
use crate::clients::configstrings::update_commands;
use crate::clients::{Clients, Phase, Session};
use crate::config::Cvars;
use crate::console::CommandBuffer;
use crate::files::Files;
use crate::level::Level;
use crate::recording::Recordings;
use crate::rewind::Rewind;
use crate::telemetry::{Metrics, Phase as WorkPhase, PhaseWatcher, lost_records};
use fogline_common::ids::{ClientNum, ConfigstringNum};
use fogline_common::time::Arrival;
use std::collections::VecDeque;

/// Lines kept for a console that nobody drains; older ones are lost first, and counted.
const MAX_LOG_LINES: usize = 4096;

/// Everything but the game.
pub(crate) struct Engine {
    /// The settings.
    pub cvars: Cvars,
    /// Console text that waits to be run.
    pub commands: CommandBuffer,
    /// The search path.
    pub files: Box<dyn Files>,
    /// The player slots.
    pub clients: Clients,
    /// The running map.
    pub level: Option<Level>,
    /// Where everybody was, and what everybody was shown of it.
    pub rewind: Rewind,
    /// When the datagram or wake-up that is being handled came.
    pub now: Arrival,
    /// Lines for the host's console.
    pub log: Log,
    /// Lines for the log of games, as admin bots read them.
    pub game_log: Log,
    /// The same as JSON, if `g_logJson` wants it.
    pub game_log_json: Log,
    /// Lines for the log of shots.
    pub shot_log: Log,
    /// Lines for the log of claims that were not believed.
    pub claim_log: Log,
    /// Counters.
    pub metrics: Metrics,
    /// Addresses that may not come in.
    pub bans: Bans,
    /// Clients to be dropped when the game has returned, and why.
    pub drops: Vec<(ClientNum, String)>,
    /// Is told what the server is at.
    pub watcher: Option<PhaseWatcher>,
    /// Demos that run.
    pub recordings: Recordings,
}

impl Engine {
    /// The next part of the work begins.
    pub(crate) fn enter(&mut self, phase: WorkPhase) {
        if let Some(watcher) = &mut self.watcher {
            watcher(phase);
        }
    }

    /// Sends a reliable command to one client, or to all that have the gamestate. A client whose window is full is dropped.
    pub(crate) fn send_command(&mut self, to: Option<ClientNum>, text: &str) {
        let clean = wire_text(text);
        self.recordings.hear(to, &clean);
        let (log, metrics, drops) = (&mut self.log, &mut self.metrics, &mut self.drops);
        for session in self.clients.iter_mut().filter(|session| to.is_none_or(|num| session.num == num)) {
            if session.is_bot || !session.is_primed() {
                continue;
            }
            match session.reliable.push(&clean) {
                Ok(true) => {}
                Ok(false) => {
                    metrics.overlong_commands += 1;
                    log.line(format!(
                        "a command of {} bytes to client {} was not sent: no client survives one beyond 1022",
                        clean.len(),
                        session.num
                    ));
                }
                Err(_) => {
                    let most = session.reliable.most_frequent();
                    log.line(format!("client {} does not acknowledge commands: {most}", session.num));
                    drops.push((session.num, "Server command overflow".to_owned()));
                }
            }
        }
    }

    /// Changes a configstring and tells every client in the world; one that is still loading is told when it enters.
    pub(crate) fn set_configstring(&mut self, num: ConfigstringNum, text: &str) {
        let Some(level) = &mut self.level else { return };
        if !level.configstrings.set(num, text) {
            return;
        }
        let mut told = Vec::new();
        let recordings = &self.recordings;
        // A bot reads nothing, but its demo does.
        let reads = |session: &&mut Session| !session.is_bot || recordings.demo(session.num).is_some();
        for session in self.clients.iter_mut().filter(reads) {
            match session.phase {
                Phase::Active => told.push(session.num),
                Phase::Primed { .. } => {
                    let raw = num.index() as u16;
                    if !session.missed_configstrings.contains(&raw) {
                        session.missed_configstrings.push(raw);
                    }
                }
                Phase::Connected | Phase::Zombie { .. } => {}
            }
        }
        if told.is_empty() {
            return;
        }
        let commands = update_commands(num, text);
        for client in told {
            for command in &commands {
                self.send_command(Some(client), command);
            }
        }
    }

    /// Tells a client that enters the world what changed while it was loading.
    pub(crate) fn send_missed_configstrings(&mut self, client: ClientNum) {
        let Some(session) = self.clients.get_mut(client) else { return };
        for raw in std::mem::take(&mut session.missed_configstrings) {
            let Some(num) = ConfigstringNum::new(usize::from(raw)) else { continue };
            let Some(level) = &self.level else { return };
            for command in update_commands(num, level.configstrings.get(num)) {
                self.send_command(Some(client), &command);
            }
        }
    }
}

/// Bytes that every client reads alike: what is no plain ASCII, and `%`, becomes a dot. Source: facts page, section 3.
fn wire_text(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| if byte > 127 || byte == b'%' { b'.' } else { byte }).collect()
}

/// Lines for the host's console or a file, oldest first, bounded.
#[derive(Debug, Default)]
pub(crate) struct Log {
    lines: VecDeque<String>,
    lost: u64,
    /// Every line is JSON.
    is_records: bool,
}

impl Log {
    /// For lines of JSON.
    pub(crate) fn of_records() -> Self {
        Self { is_records: true, ..Self::default() }
    }

    /// Adds a line; control bytes are made visible, so that no name or chat can forge or break one.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        if self.lines.len() == MAX_LOG_LINES {
            self.lines.pop_front();
            self.lost += 1;
        }
        self.lines.push_back(printable(text.as_ref()));
    }

    /// The oldest line.
    pub(crate) fn poll(&mut self) -> Option<String> {
        if self.lost > 0 {
            let lost = std::mem::take(&mut self.lost);
            let told = if self.is_records {
                lost_records(lost)
            } else {
                format!("({lost} earlier lines were lost)")
            };
            return Some(told);
        }
        self.lines.pop_front()
    }
}

/// The text without its line end, with every other control character written as `\x..`.
pub(crate) fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.trim_end_matches(['\n', '\r']).chars() {
        match c {
            '\t' => clean.push(c),
            c if c.is_control() => clean.push_str(&format!("\\x{:02x}", c as u32)),
            c => clean.push(c),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_line_cannot_be_forged() {
        let mut log = Log::default();
        log.line("name\nClientConnect: 0\u{1b}[2J\n");
        assert_eq!(log.poll().as_deref(), Some("name\\x0aClientConnect: 0\\x1b[2J"));
        assert_eq!(log.poll(), None);
    }

    #[test]
    fn an_undrained_log_is_bounded_and_says_what_it_lost() {
        let mut log = Log::default();
        for n in 0..MAX_LOG_LINES + 3 {
            log.line(format!("{n}"));
        }
        assert_eq!(log.poll().as_deref(), Some("(3 earlier lines were lost)"));
        assert_eq!(log.poll().as_deref(), Some("3"));
        let mut records = Log::of_records();
        for _ in 0..MAX_LOG_LINES + 3 {
            records.line("{}");
        }
        assert_eq!(records.poll().as_deref(), Some("{\"lost_records\":3}"));
    }

    #[test]
    fn text_for_the_wire_is_plain() {
        assert_eq!(wire_text("100% \u{e4}"), b"100. ..");
    }
}
