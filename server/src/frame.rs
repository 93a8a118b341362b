//! One frame of the world, in order. This is the picture of ARCHITECTURE.md as code.

use crate::rewind;
use crate::server::Server;
use crate::snapshot::{Seat, send};
use crate::telemetry::Phase;
use crate::visibility::Rules;
use fogline_common::time::Millis;

/// Runs one frame that moves server time by `step`.
pub(crate) fn run_frame(server: &mut Server, step: Millis) {
    server.swap_config();
    if server.restart_is_due() {
        server.restart_map();
    }
    let Some(level) = &mut server.engine.level else { return };
    level.time += step;
    let time = level.time;
    server.frames_time += step;

    server.enter(Phase::Game);
    server.game.run_frame(&mut server.engine, time);
    server.settle();
    server.check_timeouts();
    server.check_pings();

    server.enter(Phase::Capture);
    let Some(level) = &server.engine.level else { return };
    server.rules = Rules::new(server.engine.cvars.config(), level.far, level.nominal_fps);
    server.frame.capture(time, server.game.entities(), &level.world);
    let game = &server.game;
    server.engine.rewind.set_rules(rewind::Rules::of(server.engine.cvars.config()));
    server.engine.rewind.record(&server.frame, server.engine.now, |client| game.player_state(client));
    let game = &*server.game;
    let seats = server.engine.clients.living().filter(|session| session.is_active()).map(|session| Seat {
        player: session.num,
        connection: session.connected_at.0,
        state: game.player_state(session.num),
    });
    server.frame.observe(seats, level.world.clip_map(), &server.rules);
    let heard = server.frame.heard();
    for session in server.engine.clients.iter_mut().filter(|session| session.is_active() && !heard.is_empty())
    {
        session.sounds.queue(heard);
    }
    send::send_snapshots(server);

    server.engine.metrics.frames += 1;
}
