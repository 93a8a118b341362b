//! The server as a value that is fed and drained: [`receive`](Server::receive) what came, [`advance`](Server::advance) the clock,
//! [`poll_transmit`](Server::poll_transmit) what must go out, and ask [`next_wakeup`](Server::next_wakeup) when to come again.
//!
//! The program and the simulator drive these same calls. Nothing in here asks the machine anything: time comes in with each
//! call, files through a trait, randomness from one seed. The same calls give the same bytes.

use crate::clients::Clients;
use crate::clients::bans::Bans;
use crate::config::Cvars;
use crate::console::{CommandBuffer, Source};
use crate::downloads::Turns;
use crate::engine::{Engine, Log};
use crate::files::Files;
use crate::frame::run_frame;
use crate::game::Game;
use crate::intake::connectionless::Connectionless;
use crate::intake::masters::{Masters, heartbeat_text};
use crate::outbox::Outbox;
use crate::pacer::Pacer;
use crate::recording::Recordings;
use crate::rewind::{self, Rewind};
use crate::rotation::Rotation;
use crate::snapshot::{Builder, Snapshot, StateLog, WorldFrame};
use crate::telemetry::{Metrics, Phase, PhaseWatcher, TraceOutput, VisTrace, Warnings};
use crate::visibility::{Recall, Rules, Work};
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::proto::PlayerState;
use fogline_common::time::{Arrival, Millis, ServerTime};
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::messages::ClientMessage;
use std::net::SocketAddr;

/// Frames that one call may run to catch up; the pacer has dropped longer stalls already.
const MAX_CATCH_UP: usize = 64;

/// The server.
pub struct Server {
    pub(crate) engine: Engine,
    pub(crate) game: Box<dyn Game>,
    pub(crate) connectionless: Connectionless,
    pub(crate) masters: Masters,
    pub(crate) outbox: Outbox,
    pub(crate) frame: WorldFrame,
    pub(crate) states: StateLog,
    /// The visibility filter: as it is settled for this frame, what it remembers, and what it cost.
    pub(crate) rules: Rules,
    pub(crate) builder: Builder,
    pub(crate) recall: Recall,
    pub(crate) work: Work,
    /// Every decision of the filter, while the host wants them.
    pub(crate) vistrace: VisTrace,
    /// The message being written.
    pub(crate) writer: BitWriter,
    /// The message being read, as bytes and as what it says.
    pub(crate) packed: Vec<u8>,
    pub(crate) client_message: ClientMessage,
    /// Odd but harmless input.
    pub(crate) warnings: Warnings,
    pub(crate) rng: fastrand::Rng,
    pub(crate) last_server_id: i32,
    /// Toggles with every map and restart; clients tell old snapshots from new ones by it.
    pub(crate) server_count: bool,
    /// Server time over all maps, for pacing: a map change does not set it back.
    pub(crate) frames_time: ServerTime,
    /// When a `map_restart` that was given a delay happens.
    pub(crate) restart_at: Option<ServerTime>,
    /// The order of maps.
    pub(crate) rotation: Rotation,
    /// Of those who fetch files.
    pub(crate) turns: Turns,
    /// Part of a millisecond of server time that `timescale` has left over.
    time_left_over: f32,
    pacer: Pacer,
    finished: bool,
}

impl Server {
    /// A server without a map. `seed` decides everything random in it.
    pub fn new(cvars: Cvars, files: Box<dyn Files>, game: Box<dyn Game>, seed: u64, now: Arrival) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let fps = cvars.config().sv_fps;
        let rewind = Rewind::new(rewind::Rules::of(cvars.config()));
        let connectionless = Connectionless::new([rng.u64(..), rng.u64(..)]);
        // Far from where an earlier run may have been, so that no client holds a number of ours from before.
        let last_server_id = rng.i32(1..1 << 22);
        let mut vistrace = VisTrace::default();
        vistrace.set_file(&cvars.config().sv_vistrace);
        let mut server = Self {
            engine: Engine {
                cvars,
                commands: CommandBuffer::default(),
                files,
                clients: Clients::default(),
                level: None,
                rewind,
                now,
                log: Log::default(),
                game_log: Log::default(),
                game_log_json: Log::of_records(),
                shot_log: Log::of_records(),
                claim_log: Log::of_records(),
                metrics: Metrics::default(),
                bans: Bans::default(),
                drops: Vec::new(),
                watcher: None,
                recordings: Recordings::default(),
            },
            game,
            connectionless,
            masters: Masters::default(),
            outbox: Outbox::default(),
            frame: WorldFrame::default(),
            states: StateLog::for_clients(0),
            rules: Rules::default(),
            builder: Builder::default(),
            recall: Recall::default(),
            work: Work::default(),
            vistrace,
            writer: BitWriter::new(),
            packed: Vec::new(),
            client_message: ClientMessage::default(),
            warnings: Warnings::default(),
            rng,
            last_server_id,
            server_count: false,
            frames_time: ServerTime(0),
            restart_at: None,
            rotation: Rotation::default(),
            turns: Turns::default(),
            time_left_over: 0.0,
            pacer: Pacer::new(now, fps),
            finished: false,
        };
        server.resize_clients();
        server
    }

    /// A datagram came from `from` at `now`.
    pub fn receive(&mut self, now: Arrival, from: SocketAddr, datagram: &[u8]) {
        self.engine.now = now;
        self.engine.metrics.datagrams_in += 1;
        self.engine.metrics.bytes_in += datagram.len() as u64;
        self.handle_datagram(from, datagram);
        self.settle();
    }

    /// The host typed a line. What it answers comes out of [`poll_log`](Self::poll_log).
    pub fn console_line(&mut self, now: Arrival, line: &str) {
        self.engine.now = now;
        let answer = self.run_console(line, Source::Local);
        for line in answer.lines() {
            self.engine.log.line(line);
        }
        self.settle();
    }

    /// Runs what is due at `now`: frames, what is left of messages that wait for a busy line, blocks of files.
    pub fn advance(&mut self, now: Arrival) {
        self.engine.now = now;
        for _ in 0..MAX_CATCH_UP {
            let Some(tick) = self.pacer.tick(now) else { break };
            if tick.stalled > Millis(0) {
                self.engine.metrics.stalled_ms += u64::from(tick.stalled.0.unsigned_abs());
                self.engine.log.line(format!("the server was held up: {} ms were left out", tick.stalled.0));
            }
            self.enter(Phase::Commands);
            self.run_queued_commands();
            let step = self.scaled(tick.step);
            run_frame(self, step);
            self.enter(Phase::Idle);
        }
        self.send_fragments();
        self.send_blocks();
        self.tell_masters();
    }

    /// Moves the next datagram into `out` and says where it goes.
    pub fn poll_transmit(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        let to = self.outbox.poll(out)?;
        self.engine.metrics.datagrams_out += 1;
        self.engine.metrics.bytes_out += out.len() as u64;
        Some(to)
    }

    /// The next line for the host's console.
    pub fn poll_log(&mut self) -> Option<String> {
        self.engine.log.poll()
    }

    /// The next line for the trace of the visibility filter, or the file that the next lines are for.
    pub fn poll_vistrace(&mut self) -> Option<TraceOutput> {
        self.vistrace.poll()
    }

    /// The next line for the log of games, time stamp included.
    pub fn poll_game_log(&mut self) -> Option<String> {
        self.engine.game_log.poll()
    }

    /// The next line for the twin of that log in JSON, if `g_logJson` asks for one.
    pub fn poll_game_log_json(&mut self) -> Option<String> {
        self.engine.game_log_json.poll()
    }

    /// The next line for the log of shots, if `sv_shotlog` asks for one.
    pub fn poll_shot_log(&mut self) -> Option<String> {
        self.engine.shot_log.poll()
    }

    /// The next line for the log of claims that were not believed, if `sv_claimlog` asks for one.
    pub fn poll_claim_log(&mut self) -> Option<String> {
        self.engine.claim_log.poll()
    }

    /// When [`advance`](Self::advance) has something to do.
    pub fn next_wakeup(&self) -> Arrival {
        let fragments = self.engine.clients.iter().filter_map(|session| self.fragment_due(session));
        fragments.chain(self.block_due()).fold(self.pacer.due(), Arrival::min)
    }

    /// Says goodbye to every client and saves what is to be kept. What [`poll_transmit`](Self::poll_transmit) still gives must
    /// be sent.
    pub fn shutdown(&mut self, now: Arrival, reason: &str) {
        if self.finished {
            return;
        }
        self.engine.now = now;
        self.end_match(reason);
        self.save_archive();
        let farewell: Vec<SocketAddr> = self.masters.farewell().collect();
        let text = heartbeat_text(&self.engine.cvars.config().sv_gamename);
        for master in farewell {
            self.outbox.connectionless(master, text.as_bytes());
        }
        self.finished = true;
    }

    /// Whether the server has been shut down.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Counters since the start.
    pub fn metrics(&self) -> &Metrics {
        &self.engine.metrics
    }

    /// Name of the running map.
    pub fn map(&self) -> Option<&str> {
        self.engine.level.as_ref().map(|level| level.name.as_str())
    }

    /// Server time of the running map.
    pub fn level_time(&self) -> Option<ServerTime> {
        self.engine.level.as_ref().map(|level| level.time)
    }

    /// The player slots, for reports and checks.
    pub fn clients(&self) -> &Clients {
        &self.engine.clients
    }

    /// Where a player of the running match is, as the game has it: bots too. `None` for who is not in the match.
    pub fn player_state(&self, client: ClientNum) -> Option<PlayerState> {
        let session = self.engine.clients.get(client)?;
        session.is_active().then(|| self.game.player_state(client))
    }

    /// The snapshot that a message to a client carried, while it may still be a delta base. For checks: what the client decodes
    /// must equal it.
    pub fn sent_snapshot(&self, client: ClientNum, message: Sequence) -> Option<&Snapshot> {
        self.engine.clients.get(client)?.history.get(message)
    }

    /// Where the entities of snapshots are kept.
    pub fn states(&self) -> &StateLog {
        &self.states
    }

    /// Has `watcher` told from here on what the server is at.
    pub fn watch_phases(&mut self, watcher: PhaseWatcher) {
        self.engine.watcher = Some(watcher);
    }

    pub(crate) fn enter(&mut self, phase: Phase) {
        self.engine.enter(phase);
    }

    /// How far a frame moves the world: the step itself, or more or less of it by `timescale`, nothing lost in rounding.
    fn scaled(&mut self, step: Millis) -> Millis {
        let scale = self.engine.cvars.config().timescale;
        if scale == 1.0 {
            return step;
        }
        let exact = step.0 as f32 * scale + self.time_left_over;
        let whole = (exact as i32).max(1);
        self.time_left_over = (exact - whole as f32).max(0.0);
        Millis(whole)
    }

    /// How shots are judged, and the last of them.
    pub fn rewind(&self) -> &Rewind {
        &self.engine.rewind
    }

    /// Frames begin anew from now, at the rate in force.
    pub(crate) fn pacer_restart(&mut self) {
        self.pacer = Pacer::new(self.engine.now, self.engine.cvars.config().sv_fps);
    }

    /// Pending cvar changes become true, and what depends on them follows.
    pub(crate) fn swap_config(&mut self) {
        if !self.engine.cvars.swap().any {
            return;
        }
        if self.engine.cvars.config().sv_fps != self.pacer.fps() {
            self.pacer_restart();
        }
        self.vistrace.set_file(&self.engine.cvars.config().sv_vistrace);
        self.publish_info();
    }

    /// As many slots as `sv_maxclients` says, but never fewer than are taken.
    pub(crate) fn resize_clients(&mut self) {
        let wanted = self.engine.cvars.config().sv_maxclients.clamp(1, 64).unsigned_abs() as usize;
        let taken = self.engine.clients.iter().map(|session| session.num.index() + 1).max().unwrap_or(0);
        self.engine.clients.resize(wanted.max(taken));
        self.states.fit(self.engine.clients.capacity());
    }
}
