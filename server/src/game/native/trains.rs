//! Trains: movers that go from corner to corner along a path, for ever. Source: `SP_func_train`, `Think_SetupTrainTargets`,
//! `Reached_Train`.

use super::NativeGame;
use super::entity::{Kind, Think};
use super::entity_string::Fields;
use super::level::Assets;
use super::movers::{Mover, MoverKind, MoverState};
use super::names::Name;
use super::spawn_movers::at_rest;
use crate::game::Host;
use fogline_common::ids::EntityNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::trajectory;
use fogline_common::proto::sv_flag;
use fogline_common::time::Millis;

/// Trains look for their path once everything of the map is known.
const SETTLE: Millis = Millis(100);
/// Speed of a train whose map says nothing. Unit: units a second.
const USUAL_SPEED: f32 = 100.0;

/// A corner of a train's path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Its name, for what leads to it.
    name: Option<Name>,
    /// The corner after it, and whatever else is fired when a train comes by.
    target: Option<Name>,
    /// Where.
    origin: Vec3,
    /// Speed from here on; 0 for the train's own. Unit: units a second.
    speed: f32,
    /// How long trains stop here. Unit: s.
    wait_s: f32,
}

/// Where a train is on its path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Train {
    /// The corner that it stands at or goes to.
    next: usize,
    /// Unit: units a second.
    speed: f32,
}

impl NativeGame {
    /// A `path_corner` of the map.
    pub(super) fn spawn_corner(&mut self, fields: &Fields<'_>) {
        let corner = Corner {
            name: self.names.intern(fields.text("targetname")),
            target: self.names.intern(fields.text("target")),
            origin: fields.vector("origin"),
            speed: fields.float("speed", 0.0),
            wait_s: fields.float("wait", 0.0),
        };
        self.level.corners.push(corner);
    }

    /// A `func_train` of the map, its brushes taken. It stands where it is drawn until it has found its path.
    pub(super) fn spawn_train(&mut self, host: &mut dyn Host, num: EntityNum, fields: &Fields<'_>) {
        let loop_sound = Assets::Sounds.index(host, fields.text("noise"));
        let state = &mut self.entities[num].shared.state;
        state.angles = Vec3::ZERO;
        state.loop_sound = loop_sound;
        let origin = state.origin;
        let speed = fields.float("speed", USUAL_SPEED);
        let speed = if speed > 0.0 { speed } else { USUAL_SPEED };
        let train = Train { next: 0, speed };
        let mover = Mover { start: origin, end: origin, train: Some(train), ..at_rest(MoverKind::Train) };
        self.init_mover(host, num, mover, speed);
        self.think_after(num, SETTLE, Think::FindPath);
    }

    /// The train goes to the first corner of its path, and on. Without one it stays.
    pub(super) fn find_path(&mut self, host: &mut dyn Host, num: EntityNum) {
        let target = self.entities[num].ties.target;
        let Some(first) = target.and_then(|name| self.corner_called(name)) else {
            let at = self.entities[num].shared.link.origin;
            host.print(&format!(
                "func_train at {:.0} {:.0} {:.0} stays where it is: its target is not a path_corner",
                at.x, at.y, at.z
            ));
            return;
        };
        if let Some(train) = self.train_mut(num) {
            train.next = first;
        }
        self.train_arrived(host, num);
    }

    /// A train is at a corner: it fires what the corner targets, and turns to the one after. At the last it stays.
    pub(super) fn train_arrived(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Some(Train { next, speed }) = self.train_mut(num).copied() else { return };
        let Some(corner) = self.level.corners.get(next).copied() else { return };
        let Some(after) = corner.target.and_then(|name| self.corner_called(name)) else {
            self.stop_train(host, num, corner.origin);
            return;
        };
        if let Some(target) = corner.target {
            self.fire_targets(host, target, None);
        }
        if !self.entities.in_use(num) {
            return;
        }
        let end = self.level.corners[after].origin;
        let Kind::Mover(mover) = &mut self.entities[num].kind else { return };
        mover.train = Some(Train { next: after, speed });
        (mover.start, mover.end) = (corner.origin, end);
        let speed = if corner.speed > 0.0 { corner.speed } else { speed }.max(1.0);
        let duration = ((end - corner.origin).length() * 1000.0 / speed) as i32;
        let now = self.level.time;
        let shared = &mut self.entities[num].shared;
        shared.state.pos.duration = duration.max(1);
        // Two corners at one place: out of sight for that moment.
        let hidden = if duration < 1 { sv_flag::NOCLIENT } else { 0 };
        shared.link.sv_flags = (shared.link.sv_flags & !sv_flag::NOCLIENT) | hidden;
        self.set_mover_state(host, num, MoverState::Opening, now);
        if corner.wait_s > 0.0 {
            self.entities[num].shared.state.pos.kind = trajectory::STATIONARY;
            self.think_after(num, Millis((corner.wait_s * 1000.0) as i32), Think::StartTrain);
        }
    }

    /// The stop at a corner is over.
    pub(super) fn start_train(&mut self, num: EntityNum) {
        let pos = &mut self.entities[num].shared.state.pos;
        pos.time = self.level.time.0;
        pos.kind = trajectory::LINEAR_STOP;
    }

    fn stop_train(&mut self, host: &mut dyn Host, num: EntityNum, at: Vec3) {
        let now = self.level.time;
        if let Kind::Mover(mover) = &mut self.entities[num].kind {
            (mover.start, mover.end) = (at, at);
        }
        self.set_mover_state(host, num, MoverState::AtEnd, now);
    }

    fn corner_called(&self, name: Name) -> Option<usize> {
        self.level.corners.iter().position(|corner| corner.name == Some(name))
    }

    fn train_mut(&mut self, num: EntityNum) -> Option<&mut Train> {
        match &mut self.entities[num].kind {
            Kind::Mover(mover) => mover.train.as_mut(),
            _ => None,
        }
    }
}
