//! Weapons that the map itself fires when told to. Source: `InitShooter`, `Use_Shooter`.

use super::NativeGame;
use super::entity::{Kind, Think};
use super::entity_string::Fields;
use super::spawn::move_direction;
use super::weapons::{GRENADE, MissileRow, PLASMA, ROCKET, perpendicular};
use crate::game::Host;
use fogline_common::ids::EntityNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{ITEMS, event, item_type};
use fogline_common::time::Millis;

/// Shooters look for what they aim at once everything of the map is known.
const SETTLE: Millis = Millis(500);

/// A weapon of the map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shooter {
    /// What it fires.
    row: &'static MissileRow,
    /// Which way.
    direction: Vec3,
    /// Sine of the angle by which shots may go astray.
    spread: f32,
}

impl NativeGame {
    /// A `shooter_*` of the map.
    pub(super) fn spawn_shooter(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        class: &str,
        fields: &Fields<'_>,
    ) {
        let row = match class {
            "shooter_grenade" => &GRENADE,
            "shooter_plasma" => &PLASMA,
            _ => &ROCKET,
        };
        // Clients load what it fires.
        let item = ITEMS.iter().position(|item| item.kind == item_type::WEAPON && item.tag == row.weapon);
        if let Some(used) = item.and_then(|index| self.level.items_used.get_mut(index)) {
            *used = true;
        }
        let degrees = match fields.float("random", 1.0) {
            0.0 => 1.0,
            degrees => degrees,
        };
        let direction = move_direction(fields.angles());
        let entity = &mut self.entities[num];
        entity.shared.state.weapon = row.weapon;
        entity.shared.state.angles = Vec3::ZERO;
        entity.kind = Kind::Shooter(Shooter { row, direction, spread: degrees.to_radians().sin() });
        if entity.ties.target.is_some() {
            self.think_after(num, SETTLE, Think::AimShooter);
        }
        self.link(host, num);
    }

    /// A shooter learns where its target is. Source: `InitShooter_Finish`.
    pub(super) fn aim_shooter(&mut self, num: EntityNum) {
        let Some(at) = self.entities[num].ties.target.and_then(|name| self.aim(name)) else { return };
        let entity = &mut self.entities[num];
        if let Kind::Shooter(shooter) = &mut entity.kind {
            shooter.direction = (at - entity.shared.state.origin).normalized();
        }
    }

    /// A shooter fires.
    pub(super) fn fire_shooter(&mut self, num: EntityNum) {
        let Kind::Shooter(shooter) = self.entities[num].kind else { return };
        let up = perpendicular(shooter.direction);
        let right = up.cross(shooter.direction);
        let (upward, sideways) = (self.crandom() * shooter.spread, self.crandom() * shooter.spread);
        let direction = shooter.direction.mul_add(upward, up).mul_add(sideways, right);
        let origin = self.entities[num].shared.state.origin;
        self.launch_along(shooter.row, num, origin, direction);
        self.add_event(num, event::FIRE_WEAPON, 0);
    }
}
