//! Spaces that act on who enters them: jump pads, teleporters, hurt, and those that fire targets.

use super::NativeGame;
use super::client::SpectatorView;
use super::combat::Damage;
use super::entity::{Kind, Think};
use super::level::{Assets, View};
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::{means_of_death, pm_type, team};
use fogline_common::pmove::touch_jump_pad;
use fogline_common::time::Millis;

/// `trigger_teleport`: spectators only.
pub(super) const TELEPORT_SPECTATORS: i32 = 1;
/// `trigger_hurt`: its sound.
pub(super) const HURT_SOUND: &str = "sound/world/electro.wav";
/// `trigger_hurt`: no sound.
const HURT_SILENT: i32 = 4;
/// `trigger_hurt`: nothing protects.
const HURT_UNPROTECTED: i32 = 8;
/// `trigger_hurt`: once a second.
const HURT_SLOW: i32 = 16;
/// `trigger_multiple`: for the red team alone.
const MULTIPLE_RED: i32 = 1;
/// `trigger_multiple`: for the blue team alone.
const MULTIPLE_BLUE: i32 = 2;

impl NativeGame {
    /// The client stands in the trigger.
    pub(super) fn touch_trigger(&mut self, host: &mut dyn Host, num: EntityNum, client: ClientNum) {
        match self.entities[num].kind {
            Kind::Item(_) => self.touch_item(host, num, client),
            Kind::JumpPad => {
                let state = &self.entities[num].shared.state;
                touch_jump_pad(&mut self.clients[client.index()].ps, state);
            }
            Kind::Teleporter => self.touch_teleporter(host, num, client),
            Kind::Hurt(_) => self.touch_hurt(host, num, client),
            Kind::Multiple(_) => self.touch_multiple(host, num, client),
            Kind::MineTrigger { mine } => self.touch_mine_trigger(host, num, mine, client),
            Kind::PortalEntry(_) => self.touch_portal(host, num, client),
            Kind::MoverTrigger { mover } => self.touch_mover_trigger(host, num, mover, client),
            _ => {}
        }
    }

    fn touch_teleporter(&mut self, host: &mut dyn Host, num: EntityNum, client: ClientNum) {
        let who = &self.clients[client.index()];
        let for_spectators = self.entities[num].spawn_flags & TELEPORT_SPECTATORS != 0;
        let following = who.spectating() && who.session.view != SpectatorView::Free;
        if who.ps.pm_type == pm_type::DEAD || following || for_spectators && !who.spectating() {
            return;
        }
        let target = self.entities[num].ties.target;
        if let Some(spot) = target.and_then(|name| self.pick_spot(name)) {
            self.teleport(host, client, View { origin: spot.origin, angles: spot.angles });
        }
    }

    fn touch_hurt(&mut self, host: &mut dyn Host, num: EntityNum, client: ClientNum) {
        let now = self.level.time;
        let flags = self.entities[num].spawn_flags;
        let Kind::Hurt(hurt) = &mut self.entities[num].kind else { return };
        if hurt.off || hurt.ready_at > now {
            return;
        }
        hurt.ready_at = now + Millis(if flags & HURT_SLOW != 0 { 1000 } else { 100 });
        let points = hurt.damage;
        if !self.entities[client.entity()].takes_damage {
            return;
        }
        if flags & HURT_SILENT == 0 {
            self.sound(host, client.entity(), HURT_SOUND);
        }
        let damage = Damage::new(client.entity(), points, means_of_death::TRIGGER_HURT).with(num);
        let damage = if flags & HURT_UNPROTECTED != 0 { damage.unprotected() } else { damage };
        self.damage(host, &damage);
    }

    fn touch_multiple(&mut self, host: &mut dyn Host, num: EntityNum, client: ClientNum) {
        let now = self.level.time;
        let crandom = self.crandom();
        let entity = &mut self.entities[num];
        let team = self.clients[client.index()].session.team;
        let wrong_team = entity.spawn_flags & MULTIPLE_RED != 0 && team != team::RED
            || entity.spawn_flags & MULTIPLE_BLUE != 0 && team != team::BLUE;
        let Kind::Multiple(multiple) = &mut entity.kind else { return };
        if wrong_team || multiple.ready_at > now {
            return;
        }
        if multiple.wait_s < 0.0 {
            multiple.ready_at.0 = i32::MAX;
        } else {
            let wait_s = multiple.wait_s + multiple.random_s * crandom;
            multiple.ready_at = now + Millis((wait_s * 1000.0) as i32).max(Millis(1));
        }
        if let Some(target) = entity.ties.target {
            self.fire_targets(host, target, Some(client.entity()));
        }
    }

    /// A jump pad's velocity: the one whose highest point is the target. Source: `AimAtTarget`.
    pub(super) fn aim_push(&mut self, host: &mut dyn Host, num: EntityNum) {
        if matches!(self.entities[num].kind, Kind::Deed(_)) {
            self.aim_target_push(host, num);
            return;
        }
        let gravity = host.config().g_gravity;
        let bounds = self.entities[num].shared.link.abs_bounds;
        let target = self.entities[num].ties.target.and_then(|name| self.aim(name));
        let velocity = target.and_then(|target| push_velocity(&bounds, target, gravity));
        match velocity {
            Some(velocity) => self.entities[num].shared.state.origin2 = velocity,
            None => {
                let at = bounds.center();
                host.print(&format!(
                    "trigger_push at {:.0} {:.0} {:.0} has no target above it and is left out",
                    at.x, at.y, at.z
                ));
                self.free(host, num);
            }
        }
    }

    /// A jump pad of the map.
    pub(super) fn spawn_jump_pad(&mut self, host: &mut dyn Host, num: EntityNum) {
        Assets::Sounds.index(host, "sound/world/jumppad.wav");
        self.entities[num].kind = Kind::JumpPad;
        self.entities[num].think = Some((self.level.time + Millis(100), Think::AimPush));
    }
}

/// The velocity that carries from the middle of `from` to `target` as the highest point, or `None` if that does not lie above.
pub(super) fn push_velocity(from: &Bounds, target: Vec3, gravity: f32) -> Option<Vec3> {
    let origin = from.center();
    let height = target.z - origin.z;
    let seconds = (height / (0.5 * gravity)).sqrt();
    if !(seconds.is_finite() && seconds > 0.0) {
        return None;
    }
    let mut flat = target - origin;
    flat.z = 0.0;
    let (direction, distance) = flat.normalize_with_length();
    let mut velocity = direction * (distance / seconds);
    velocity.z = seconds * gravity;
    Some(velocity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    #[test]
    fn a_push_reaches_its_target_at_the_top() {
        let pad = Bounds::new(Vec3::splat(-16.0), Vec3::splat(16.0));
        let velocity = push_velocity(&pad, vec3(300.0, 0.0, 400.0), 800.0).unwrap();
        assert_eq!(velocity, vec3(300.0, 0.0, 800.0));
        assert_eq!(push_velocity(&pad, vec3(300.0, 0.0, 0.0), 800.0), None);
        assert_eq!(push_velocity(&pad, vec3(300.0, 0.0, -9.0), 800.0), None);
        assert_eq!(push_velocity(&pad, vec3(300.0, 0.0, 9.0), 0.0), None);
    }
}
