//! Doors, buttons and plats: movers that go out on demand and come back. Source: `Use_BinaryMover`, `Reached_BinaryMover`.

use super::NativeGame;
use super::entity::{Kind, Think};
use super::level::View;
use super::movers::{Mover, MoverKind, MoverState, START_DELAY};
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::event;
use fogline_common::proto::contents;
use fogline_common::time::{Millis, ServerTime};

/// A door opens for who comes this near.
const DOOR_REACH: f32 = 120.0;
/// Spectators are taken through a door from this near.
const SPECTATOR_INSET: f32 = 100.0;
/// They come out this far behind it.
const SPECTATOR_CLEARANCE: f32 = 10.0;

impl NativeGame {
    fn mover(&self, num: EntityNum) -> Option<Mover> {
        match self.entities.in_use(num).then(|| self.entities[num].kind)? {
            Kind::Mover(mover) => Some(mover),
            _ => None,
        }
    }

    fn mover_mut(&mut self, num: EntityNum) -> Option<&mut Mover> {
        match &mut self.entities[num].kind {
            Kind::Mover(mover) => Some(mover),
            _ => None,
        }
    }

    /// Who speaks for the mover's team.
    fn master_of(&self, num: EntityNum) -> EntityNum {
        self.entities[num].ties.team_master.unwrap_or(num)
    }

    /// Sets the whole team to a state since `time`. Source: `MatchTeam`.
    fn set_team_state(&mut self, host: &mut dyn Host, master: EntityNum, to: MoverState, time: ServerTime) {
        let mut at = Some(master);
        while let Some(part) = at {
            self.set_mover_state(host, part, to, time);
            at = self.entities[part].ties.team_next;
        }
    }

    /// A door, button or plat is set going, or turned round on its way. Source: `Use_BinaryMover`.
    pub(super) fn use_mover(&mut self, host: &mut dyn Host, num: EntityNum, activator: Option<EntityNum>) {
        let master = self.master_of(num);
        let Some(mover) = self.mover(master) else { return };
        if matches!(mover.kind, MoverKind::Engine | MoverKind::Train) {
            return;
        }
        if let Some(mover) = self.mover_mut(master) {
            mover.activator = activator;
        }
        let now = self.level.time;
        let pos = self.entities[master].shared.state.pos;
        // A turn on the way: as if it had set out so early that it is here now.
        let gone = (now.0.wrapping_sub(pos.time)).clamp(0, pos.duration);
        let turned_at = now - Millis(pos.duration - gone);
        match mover.state {
            MoverState::AtStart => {
                self.set_team_state(host, master, MoverState::Opening, now + START_DELAY);
                self.mover_sound(master, mover.sounds.opening);
                self.set_moving_sound(master, mover.sounds.moving);
                self.set_portal(host, master, true);
            }
            MoverState::AtEnd if mover.wait_ms >= 0 => {
                // It waits anew.
                self.think_after(master, Millis(mover.wait_ms), Think::ReturnMover);
            }
            MoverState::AtEnd => {}
            MoverState::Closing => {
                self.set_team_state(host, master, MoverState::Opening, turned_at);
                self.mover_sound(master, mover.sounds.opening);
            }
            MoverState::Opening => {
                self.set_team_state(host, master, MoverState::Closing, turned_at);
                self.mover_sound(master, mover.sounds.closing);
            }
        }
    }

    /// A mover came to the end of its way. Source: `Reached_BinaryMover`.
    pub(super) fn mover_arrived(&mut self, host: &mut dyn Host, num: EntityNum) {
        let now = self.level.time;
        let Some(mover) = self.mover(num) else { return };
        if mover.kind == MoverKind::Train {
            self.train_arrived(host, num);
            return;
        }
        self.set_moving_sound(num, 0);
        match mover.state {
            MoverState::Opening => {
                self.set_mover_state(host, num, MoverState::AtEnd, now);
                self.mover_sound(num, mover.sounds.opened);
                if mover.wait_ms >= 0 {
                    self.think_after(num, Millis(mover.wait_ms), Think::ReturnMover);
                }
                if let Some(target) = self.entities[num].ties.target {
                    self.fire_targets(host, target, mover.activator.or(Some(num)));
                }
            }
            MoverState::Closing => {
                self.set_mover_state(host, num, MoverState::AtStart, now);
                self.mover_sound(num, mover.sounds.closed);
                if self.master_of(num) == num {
                    self.set_portal(host, num, false);
                }
            }
            MoverState::AtStart | MoverState::AtEnd => {}
        }
    }

    /// The whole team sets out for home. Source: `ReturnToPos1`.
    pub(super) fn return_mover(&mut self, host: &mut dyn Host, num: EntityNum) {
        let master = self.master_of(num);
        let Some(mover) = self.mover(master) else { return };
        let now = self.level.time;
        self.set_team_state(host, master, MoverState::Closing, now);
        self.set_moving_sound(master, mover.sounds.moving);
        self.mover_sound(master, mover.sounds.closing);
    }

    /// Joins or parts the areas on both sides of a door.
    fn set_portal(&mut self, host: &mut dyn Host, master: EntityNum, open: bool) {
        if self.mover(master).is_some_and(|mover| mover.portal_always_open && !open) {
            return;
        }
        host.adjust_area_portal(master, open);
    }

    fn mover_sound(&mut self, num: EntityNum, sound: i32) {
        if sound != 0 {
            self.add_event(num, event::GENERAL_SOUND, sound);
        }
    }

    fn set_moving_sound(&mut self, num: EntityNum, sound: i32) {
        self.entities[num].shared.state.loop_sound = sound;
    }

    /// A player ran into a mover, or stands on it.
    pub(super) fn touch_mover(&mut self, host: &mut dyn Host, num: EntityNum, client: ClientNum) {
        let Some(mover) = self.mover(num) else { return };
        let alive = self.entities[client.entity()].health > 0;
        match (mover.kind, mover.state) {
            (MoverKind::Button, MoverState::AtStart) if !self.entities[num].takes_damage => {
                self.use_mover(host, num, Some(client.entity()));
            }
            // Who stands on a plat above keeps it there.
            (MoverKind::Plat, MoverState::AtEnd) if alive => {
                self.think_after(num, Millis(1000), Think::ReturnMover);
            }
            _ => {}
        }
    }

    /// A player is in the space before a door, or on a plat below.
    pub(super) fn touch_mover_trigger(
        &mut self,
        host: &mut dyn Host,
        trigger: EntityNum,
        num: EntityNum,
        client: ClientNum,
    ) {
        let Some(mover) = self.mover(num) else { return };
        let closed = matches!(mover.state, MoverState::AtStart | MoverState::Closing);
        if self.clients[client.index()].spectating() {
            if closed && mover.kind == MoverKind::Door {
                self.take_spectator_through(host, trigger, client);
            }
            return;
        }
        let wanted = match mover.kind {
            MoverKind::Plat => mover.state == MoverState::AtStart,
            _ => mover.state != MoverState::Opening,
        };
        if wanted {
            self.use_mover(host, num, Some(client.entity()));
        }
    }

    /// Spectators open no doors: they come out on the other side. Source: `Touch_DoorTriggerSpectator`.
    fn take_spectator_through(&mut self, host: &mut dyn Host, trigger: EntityNum, client: ClientNum) {
        let abs = self.entities[trigger].shared.link.abs_bounds;
        let axis = self.entities[trigger].spawn_flags as usize;
        let (near, far) = (abs.mins[axis] + SPECTATOR_INSET, abs.maxs[axis] - SPECTATOR_INSET);
        let ps = &self.clients[client.index()].ps;
        let mut origin = ps.origin;
        if origin[axis] < near || origin[axis] > far {
            return;
        }
        let at_far_side = (origin[axis] - far).abs() < (origin[axis] - near).abs();
        origin[axis] = if at_far_side { near - SPECTATOR_CLEARANCE } else { far + SPECTATOR_CLEARANCE };
        let (angles, velocity) = (ps.view_angles, ps.velocity);
        self.teleport(host, client, View { origin, angles });
        self.clients[client.index()].ps.velocity = velocity;
    }

    /// The space before a door, on both sides of its thinnest extent. Source: `Think_SpawnNewDoorTrigger`.
    pub(super) fn make_door_trigger(&mut self, host: &mut dyn Host, num: EntityNum) {
        if self.is_team_slave(num) {
            return;
        }
        let parts: Vec<EntityNum> = self.team_of(num).collect();
        let boxes = parts.iter().map(|&part| self.entities[part].shared.link.abs_bounds);
        let Some(mut bounds) = boxes.reduce(Bounds::union) else { return };
        for &part in &parts {
            self.entities[part].takes_damage = true;
        }
        let size = bounds.size();
        let thin = (1..3).fold(0, |best, axis| if size[axis] < size[best] { axis } else { best });
        bounds.mins[thin] -= DOOR_REACH;
        bounds.maxs[thin] += DOOR_REACH;
        if let Some(trigger) = self.make_trigger(host, num, bounds) {
            // Where the door is thin is all that its trigger needs to remember.
            self.entities[trigger].spawn_flags = thin as i32;
        }
        if let Some(mover) = self.mover(num) {
            self.set_team_state(host, num, mover.state, self.level.time);
        }
    }

    /// The space on a plat at rest. Source: `SpawnPlatTrigger`.
    pub(super) fn make_plat_trigger(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Some(mover) = self.mover(num) else { return };
        let own = self.entities[num].shared.link.bounds;
        let mut mins = mover.start + own.mins + Vec3::new(33.0, 33.0, 0.0);
        let mut maxs = mover.start + own.maxs + Vec3::new(-33.0, -33.0, 8.0);
        for axis in 0..2 {
            if maxs[axis] <= mins[axis] {
                mins[axis] = mover.start[axis] + (own.mins[axis] + own.maxs[axis]) * 0.5;
                maxs[axis] = mins[axis] + 1.0;
            }
        }
        self.make_trigger(host, num, Bounds::new(mins, maxs));
    }

    fn make_trigger(&mut self, host: &mut dyn Host, mover: EntityNum, bounds: Bounds) -> Option<EntityNum> {
        let trigger = self.entities.spawn(self.level.time)?;
        let entity = &mut self.entities[trigger];
        entity.kind = Kind::MoverTrigger { mover };
        entity.shared.link.bounds = bounds;
        entity.shared.link.contents = contents::TRIGGER;
        self.link(host, trigger);
        Some(trigger)
    }
}
