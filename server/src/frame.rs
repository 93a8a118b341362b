//! One frame of the world, in order. This is the picture of ARCHITECTURE.md as code.

use crate::clients::Session;
use crate::rewind;
use crate::server::Server;
use crate::snapshot::{Seat, send};
use crate::telemetry::Phase;
use crate::visibility::Rules;
use crate::visibility::twoclock::clock::Line;
use fogline_common::proto::PlayerState;
use fogline_common::time::{CommandTime, Millis, ServerTime};

/// Runs one frame that moves server time by `step`.
pub(crate) fn run_frame(server: &mut Server, step: Millis) {
    server.swap_config();
    if server.restart_is_due() {
        server.restart_map();
    }
    server.enter(Phase::Game);
    if !server.simulate(step) {
        return;
    }
    server.check_timeouts();
    server.check_pings();

    server.enter(Phase::Capture);
    server.freeze();
    server.remember_poses();
    server.take_stock_of_lines();
    server.observe_players();
    server.hand_out_sounds();

    send::send_snapshots(server);
    server.record_demos();
    server.engine.metrics.frames += 1;
}

impl Server {
    /// Moves the level's clock and has the game follow. Whether a map is running.
    fn simulate(&mut self, step: Millis) -> bool {
        let Some(level) = &mut self.engine.level else { return false };
        level.time += step;
        let time = level.time;
        self.frames_time += step;
        self.game.run_frame(&mut self.engine, time);
        self.settle();
        true
    }

    /// Takes the copy of the world that everything below is made from.
    fn freeze(&mut self) {
        let Some(level) = &self.engine.level else { return };
        self.rules = Rules::new(self.engine.cvars.config(), level.far, level.nominal_fps);
        self.frame.capture(level.time, self.game.entities(), &level.world, &mut self.states);
    }

    /// Keeps where everybody stands, for shots that are judged later.
    fn remember_poses(&mut self) {
        let game = &self.game;
        self.engine.rewind.set_rules(rewind::Rules::of(self.engine.cvars.config()));
        self.engine.rewind.record(&self.frame, self.engine.now, |client| game.player_state(client));
    }

    /// How far each client runs ahead of what is known of it.
    fn take_stock_of_lines(&mut self) {
        let (now, config) = (self.engine.now, self.engine.cvars.config());
        let share = config.sv_netoptimize_quantile / 100.0;
        let frame_ms = (1000 / config.sv_fps.max(1)).max(1);
        for session in self.engine.clients.iter_mut().filter(|session| session.is_active()) {
            let frames = (session.pace.snapshot_gap.0 + frame_ms - 1) / frame_ms;
            session.lead.take_stock(share, Millis(frames.max(1) * frame_ms), now);
        }
    }

    /// Works out once what the filter asks of every player: its eye, its body, how it moves.
    fn observe_players(&mut self) {
        let Some(level) = &self.engine.level else { return };
        let (game, rewind) = (&self.game, &self.engine.rewind);
        let seats = self.engine.clients.living().filter(|session| session.is_active()).map(|session| {
            let state = game.player_state(session.num);
            let line = line_of(session, level.time, &state, rewind.jitter(session.num));
            Seat { player: session.num, connection: session.connected_at.0, state, line }
        });
        self.frame.observe(seats, level.world.clip_map(), &self.rules);
        self.recall.begin_frame(self.rules.budget_us, level.time);
    }

    /// What is heard in this frame waits with each client until its next snapshot is really sent.
    fn hand_out_sounds(&mut self) {
        let heard = self.frame.heard();
        if heard.is_empty() {
            return;
        }
        for session in self.engine.clients.iter_mut().filter(|session| session.is_active() && !session.is_bot)
        {
            session.sounds.queue(heard);
        }
    }
}

/// What is known of a client's line, for mode 3.
fn line_of(session: &Session, now: ServerTime, player: &PlayerState, jitter: Millis) -> Line {
    let measured = session.lead.measured();
    let age = now - CommandTime(player.command_time).as_drawn();
    if session.is_bot {
        // Its commands are made and run in each frame.
        return Line { age, spacing: measured.period, period: measured.period, ..Line::default() };
    }
    Line {
        age,
        quickest: measured.quickest,
        spacing: measured.spacing,
        period: measured.period,
        jitter: Millis(2 * jitter.0),
    }
}
