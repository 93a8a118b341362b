//! One frame of the world, in order. This is the picture of ARCHITECTURE.md as code.

use crate::server::Server;
use crate::snapshot::send;
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

    server.game.run_frame(&mut server.engine, time);
    server.settle();
    server.check_timeouts();

    let Some(level) = &server.engine.level else { return };
    server.frame.capture(time, server.game.entities(), &level.world);
    send::send_snapshots(server);

    server.engine.metrics.frames += 1;
}
