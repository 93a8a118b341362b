//! What comes out of a weapon, and where from. A weapon is a row here and its function in [`hitscan`].

mod hitscan;

use super::NativeGame;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Axes, Vec3, angle_vectors};
use fogline_common::openarena::{powerup, weapon};

/// Damage of who carries quad damage is this much greater. Source: default of `g_quadfactor`.
const QUAD_FACTOR: i32 = 3;
/// The muzzle is this far before the eye.
const MUZZLE_REACH: f32 = 14.0;

/// One shot about to be fired.
#[derive(Clone, Copy, Debug)]
struct Shot {
    shooter: ClientNum,
    muzzle: Vec3,
    axes: Axes,
    /// Factor on damage.
    quad: i32,
}

/// A weapon's row.
struct Row {
    /// Each shot counts for accuracy.
    counted: bool,
    fire: fn(&mut NativeGame, &mut dyn Host, &Shot),
}

/// The row of a weapon that fires by an event. The gauntlet is not among them: it hits before the move, see
/// [`NativeGame::gauntlet_attack`].
fn row(weapon: i32) -> Option<Row> {
    match weapon {
        weapon::MACHINEGUN => Some(Row { counted: true, fire: hitscan::machinegun }),
        _ => None,
    }
}

impl NativeGame {
    /// The player's weapon goes off. Source: `FireWeapon`.
    pub(super) fn fire_weapon(&mut self, host: &mut dyn Host, num: ClientNum) {
        let Some(row) = row(self.clients[num.index()].ps.weapon) else { return };
        if row.counted {
            self.clients[num.index()].player.shots += 1;
        }
        let shot = self.aim_shot(num);
        (row.fire)(self, host, &shot);
    }

    /// Where a shot begins and goes; whole units, as clients see it. Source: `CalcMuzzlePoint`.
    fn aim_shot(&self, num: ClientNum) -> Shot {
        let ps = &self.clients[num.index()].ps;
        let axes = angle_vectors(ps.view_angles);
        let mut eye = self.entities[num.entity()].shared.state.pos.base;
        eye.z += ps.view_height as f32;
        let quad = if ps.powerups[powerup::QUAD as usize] != 0 { QUAD_FACTOR } else { 1 };
        Shot { shooter: num, muzzle: eye.mul_add(MUZZLE_REACH, axes.forward).truncated(), axes, quad }
    }
}
