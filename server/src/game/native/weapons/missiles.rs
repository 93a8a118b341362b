//! Weapons that throw things: grenade and rocket launcher, plasma gun, BFG, nailgun, mines and hook. Each is a row; how the
//! thing flies is in `missile`, what becomes of mine and hook in `mines` and `grapple`.

use super::Shot;
use crate::game::Host;
use crate::game::native::NativeGame;
use crate::game::native::entity::{Kind, Missile, Think};
use fogline_common::ids::EntityNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{entity_flag, entity_type, means_of_death, trajectory, weapon};
use fogline_common::proto::{Trajectory, sv_flag};
use fogline_common::time::Millis;

/// What a weapon throws.
#[derive(Debug, PartialEq)]
pub(in crate::game::native) struct MissileRow {
    /// What threw it; clients choose model, sound and burst by it.
    pub(in crate::game::native) weapon: i32,
    /// Unit: units a second.
    speed: f32,
    /// It falls.
    falls: bool,
    /// It is already this far on its way when clients first hear of it. Unit: ms.
    head_start: Millis,
    /// It bursts after this by itself.
    life: Millis,
    /// Bits of [`entity_flag`].
    flags: i32,
    /// Points off who is hit.
    pub(in crate::game::native) damage: i32,
    /// Points off who is at the very place where it bursts; 0 for no blast.
    pub(in crate::game::native) splash_damage: i32,
    /// Where the blast ends. Unit: units.
    pub(in crate::game::native) splash_radius: f32,
    /// Means of death of a hit.
    pub(in crate::game::native) means: i32,
    /// Means of death of a blast.
    pub(in crate::game::native) splash_means: i32,
}

/// Common to most. Source: `MISSILE_PRESTEP_TIME`.
const HEAD_START: Millis = Millis(50);

/// Source: `fire_grenade`.
pub(in crate::game::native) const GRENADE: MissileRow = MissileRow {
    weapon: weapon::GRENADE_LAUNCHER,
    speed: 700.0,
    falls: true,
    head_start: HEAD_START,
    life: Millis(2500),
    flags: entity_flag::BOUNCE_HALF,
    damage: 100,
    splash_damage: 100,
    splash_radius: 150.0,
    means: means_of_death::GRENADE,
    splash_means: means_of_death::GRENADE_SPLASH,
};

/// Source: `fire_rocket`.
pub(in crate::game::native) const ROCKET: MissileRow = MissileRow {
    weapon: weapon::ROCKET_LAUNCHER,
    speed: 900.0,
    falls: false,
    head_start: HEAD_START,
    life: Millis(15_000),
    flags: 0,
    damage: 100,
    splash_damage: 100,
    splash_radius: 120.0,
    means: means_of_death::ROCKET,
    splash_means: means_of_death::ROCKET_SPLASH,
};

/// Source: `fire_plasma`.
pub(in crate::game::native) const PLASMA: MissileRow = MissileRow {
    weapon: weapon::PLASMAGUN,
    speed: 2000.0,
    falls: false,
    head_start: HEAD_START,
    life: Millis(10_000),
    flags: 0,
    damage: 20,
    splash_damage: 15,
    splash_radius: 20.0,
    means: means_of_death::PLASMA,
    splash_means: means_of_death::PLASMA_SPLASH,
};

/// Source: `fire_bfg`.
const BFG: MissileRow = MissileRow {
    weapon: weapon::BFG,
    speed: 2000.0,
    falls: false,
    head_start: HEAD_START,
    life: Millis(10_000),
    flags: 0,
    damage: 100,
    splash_damage: 100,
    splash_radius: 120.0,
    means: means_of_death::BFG,
    splash_means: means_of_death::BFG_SPLASH,
};

/// Speed and direction vary from nail to nail. Source: `fire_nail`.
const NAIL: MissileRow = MissileRow {
    weapon: weapon::NAILGUN,
    speed: 555.0,
    falls: false,
    head_start: Millis(0),
    life: Millis(10_000),
    flags: 0,
    damage: 20,
    splash_damage: 0,
    splash_radius: 0.0,
    means: means_of_death::NAIL,
    splash_means: means_of_death::NAIL,
};

/// A mine; where it sticks it lies in wait. Source: `fire_prox`.
const MINE: MissileRow = MissileRow {
    weapon: weapon::PROX_LAUNCHER,
    speed: 700.0,
    falls: true,
    head_start: HEAD_START,
    life: Millis(3000),
    flags: 0,
    damage: 0,
    splash_damage: 100,
    splash_radius: 150.0,
    means: means_of_death::PROXIMITY_MINE,
    splash_means: means_of_death::PROXIMITY_MINE,
};

/// Nails of one shot.
pub(super) const NAIL_COUNT: i32 = 15;
/// Half width of the nailgun's cone at [`super::BULLET_RANGE`]. Unit: sixteenths of a world unit.
const NAIL_SPREAD: f64 = 500.0;
/// Nails are up to this much faster than the slowest. Unit: units a second.
const NAIL_SPEED_SPREAD: f32 = 1800.0;
/// Grenades are lobbed this much above the line of sight.
const LOB: f32 = 0.2;

/// A grenade, lobbed. Source: `weapon_grenadelauncher_fire`.
pub(super) fn grenade(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    let mut direction = shot.axes.forward;
    direction.z += LOB;
    throw(game, host, shot, &GRENADE, direction.normalized());
}

/// A rocket.
pub(super) fn rocket(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    throw(game, host, shot, &ROCKET, shot.axes.forward);
}

/// A ball of plasma.
pub(super) fn plasma(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    throw(game, host, shot, &PLASMA, shot.axes.forward);
}

/// A ball of the BFG.
pub(super) fn bfg(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    throw(game, host, shot, &BFG, shot.axes.forward);
}

/// A mine, lobbed; it knows the side of who threw it. Source: `weapon_proxlauncher_fire`.
pub(super) fn mine(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    let mut direction = shot.axes.forward;
    direction.z += LOB;
    let velocity = direction.normalized() * MINE.speed;
    let side = game.clients[shot.shooter.index()].session.team;
    if let Some(num) = game.launch(&MINE, shot.shooter.entity(), shot.muzzle, velocity, shot.factor) {
        game.entities[num].shared.state.generic1 = side;
        send_ahead(game, host, shot, num);
    }
}

/// The grappling hook.
pub(super) fn hook(game: &mut NativeGame, _: &mut dyn Host, shot: &Shot) {
    game.throw_hook(shot.shooter, shot.muzzle, shot.axes.forward);
}

/// A handful of nails, which clients do not predict. Source: `Weapon_Nailgun_Fire`.
pub(super) fn nails(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot) {
    for _ in 0..NAIL_COUNT {
        let turn = f64::from(game.rng.f32()) * std::f64::consts::TAU;
        let width = NAIL_SPREAD * 16.0;
        let up = (turn.sin() * f64::from(game.crandom()) * width) as f32;
        let right = (turn.cos() * f64::from(game.crandom()) * width) as f32;
        let end = shot.muzzle.mul_add(super::BULLET_RANGE, shot.axes.forward);
        let end = end.mul_add(right, shot.axes.right).mul_add(up, shot.axes.up);
        let direction = (end - shot.muzzle).normalized();
        let speed = NAIL.speed + game.rng.f32() * NAIL_SPEED_SPREAD;
        let owner = shot.shooter.entity();
        if let Some(nail) = game.launch(&NAIL, owner, shot.muzzle, direction * speed, shot.factor) {
            send_ahead(game, host, shot, nail);
        }
    }
}

fn throw(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot, row: &'static MissileRow, direction: Vec3) {
    let velocity = direction.normalized() * row.speed;
    if let Some(num) = game.launch(row, shot.shooter.entity(), shot.muzzle, velocity, shot.factor) {
        send_ahead(game, host, shot, num);
    }
}

/// With `g_projectileNudge` a missile is where it would be if it had been thrown at the moment that its shooter was drawing.
fn send_ahead(game: &mut NativeGame, host: &mut dyn Host, shot: &Shot, missile: EntityNum) {
    let ahead = host.age_of_command(shot.shooter);
    if host.config().g_projectilenudge && ahead > Millis(0) {
        game.fly_ahead(host, missile, ahead);
    }
}

impl NativeGame {
    /// A missile sets off. It is first seen in the frame that moves it; `None` (counted) if no number is free.
    pub(in crate::game::native) fn launch(
        &mut self,
        row: &'static MissileRow,
        owner: EntityNum,
        start: Vec3,
        velocity: Vec3,
        factor: f32,
    ) -> Option<EntityNum> {
        let now = self.level.time;
        let num = self.entities.spawn(now)?;
        let entity = &mut self.entities[num];
        entity.kind = Kind::Missile(Missile { row, owner, factor, thrown_back_by: None, has_left: false });
        entity.think = Some((now + row.life, Think::Burst));
        let state = &mut entity.shared.state;
        state.entity_type = entity_type::MISSILE;
        state.weapon = row.weapon;
        state.flags = row.flags;
        // Clients that nudge others' missiles ahead leave their own alone.
        state.other_entity = owner.index() as i32;
        state.pos = Trajectory {
            kind: if row.falls { trajectory::GRAVITY } else { trajectory::LINEAR },
            time: (now - row.head_start).0,
            duration: 0,
            base: start,
            delta: velocity.truncated(),
        };
        let link = &mut entity.shared.link;
        link.sv_flags = sv_flag::USE_CURRENT_ORIGIN;
        link.owner = owner.index() as i32;
        link.origin = start;
        Some(num)
    }

    /// A missile of a row, from something of the map.
    pub(in crate::game::native) fn launch_along(
        &mut self,
        row: &'static MissileRow,
        owner: EntityNum,
        start: Vec3,
        direction: Vec3,
    ) {
        self.launch(row, owner, start, direction.normalized() * row.speed, 1.0);
    }
}
