//! Hands what the filter decided about each player to the event trace, while there is one.

use crate::server::Server;
use crate::telemetry::Candidate;
use crate::visibility::{Scene, Target, View, class_of};
use fogline_common::ids::{ClientNum, Sequence};
use fogline_common::time::Millis;

impl Server {
    /// Records what was decided for the snapshot that was built last, which message `message` carries.
    pub(super) fn record_decisions(&mut self, client: ClientNum, message: Sequence) {
        let trace = &mut self.vistrace;
        if !trace.is_on() {
            return;
        }
        let (Some(level), Some(session)) = (&self.engine.level, self.engine.clients.get(client)) else {
            return;
        };
        let Some(snapshot) = session.history.get(message).filter(|_| !session.is_zombie()) else { return };
        let Some(entities) = self.states.of(snapshot) else { return };
        for &source in &session.sounds.begun {
            trace.record_sound(client, source, snapshot.time);
        }
        let own = usize::try_from(snapshot.player.client_num).ok().and_then(ClientNum::new);
        let Some(viewer) = own.and_then(|own| self.frame.pose(own)) else { return };
        let scene = Scene {
            clip: level.world.clip_map(),
            portals: level.world.area_portals(),
            rules: &self.rules,
            now: level.time,
            movers: self.frame.movers(),
            prover: Some(&level.prover),
            recall: &self.recall,
            work: &self.work,
        };
        let view =
            View { watcher: Some(viewer), ..View::new(viewer.player, snapshot.player.eye(), scene.clip) };
        let config = self.engine.cvars.config();
        for target in self.frame.poses().iter().flatten() {
            let Some(cause) = self.builder.cause(target.player) else { continue };
            let Some(captured) = self.frame.get(target.player.entity()) else { continue };
            let until = self.builder.linger.until(self.rules.profile, viewer, target);
            let asked = Target {
                entity: &captured.entity,
                record: &captured.record,
                pose: Some(target),
                seen_until: until,
            };
            let number = target.player.index() as i32;
            trace.record(&Candidate {
                map: &level.name,
                time: snapshot.time,
                frame: self.engine.metrics.frames,
                frame_length: Millis(1000 / config.sv_fps.max(1)),
                frames_ahead: config.sv_netoptimize_frames,
                rules: &self.rules,
                message,
                client,
                viewer,
                target,
                class: class_of(&view, &asked, &scene),
                cause,
                included: entities.clone().any(|state| state.number == number),
                until,
            });
        }
    }
}
