//! The map's movers: how mappers' keys become places, speeds and sounds. Source: `SP_func_*`.

use super::NativeGame;
use super::entity::Think;
use super::entity_string::Fields;
use super::level::Assets;
use super::movers::{Mover, MoverKind, MoverSounds, MoverState};
use super::spawn::move_direction;
use crate::game::Host;
use fogline_common::ids::EntityNum;
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{entity_flag, trajectory};
use fogline_common::proto::Trajectory;
use fogline_common::time::{Millis, ServerTime};

/// `func_door`: begins at the open place.
const DOOR_START_OPEN: i32 = 1;
/// `func_door`: presses on against what blocks it.
const DOOR_CRUSHER: i32 = 4;
/// Movers look at each other once all of them stand.
const SETTLE: Millis = Millis(100);

impl NativeGame {
    /// A brush model of the map becomes the mover of its class.
    pub(super) fn spawn_mover(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        class: &str,
        fields: &Fields<'_>,
    ) {
        self.spawn_look(host, num, fields);
        match class {
            "func_door" => self.spawn_door(host, num, fields),
            "func_button" => self.spawn_button(host, num, fields),
            "func_plat" => self.spawn_plat(host, num, fields),
            "func_train" => self.spawn_train(host, num, fields),
            _ => self.spawn_engine(host, num, class, fields),
        }
    }

    /// A second model, a light and a sound that a mover may carry.
    fn spawn_look(&mut self, host: &mut dyn Host, num: EntityNum, fields: &Fields<'_>) {
        let model = Assets::Models.index(host, fields.text("model2"));
        let state = &mut self.entities[num].shared.state;
        state.model_index2 = model;
        if fields.get("light").is_some() || fields.get("color").is_some() {
            let light = fields.float("light", 100.0) / 4.0;
            let colour = fields.get("color").map_or(Vec3::splat(1.0), |_| fields.vector("color"));
            let byte = |value: f32| (value as i32).clamp(0, 255);
            state.constant_light = byte(colour.x * 255.0)
                | byte(colour.y * 255.0) << 8
                | byte(colour.z * 255.0) << 16
                | byte(light) << 24;
        }
    }

    /// How far a mover goes along a direction: its own extent, less the lip.
    fn travel(&self, num: EntityNum, direction: Vec3, lip: f32) -> Vec3 {
        let size = self.entities[num].shared.link.bounds.size();
        direction * (direction.abs().dot(size) - lip)
    }

    fn spawn_door(&mut self, host: &mut dyn Host, num: EntityNum, fields: &Fields<'_>) {
        let start_sound = Assets::Sounds.index(host, "sound/movers/doors/dr1_strt.wav");
        let end_sound = Assets::Sounds.index(host, "sound/movers/doors/dr1_end.wav");
        let closed = self.entities[num].shared.state.origin;
        let direction = move_direction(fields.angles());
        let open = closed + self.travel(num, direction, fields.float("lip", 8.0));
        let flags = self.entities[num].spawn_flags;
        let starts_open = flags & DOOR_START_OPEN != 0;
        let (start, end) = if starts_open { (open, closed) } else { (closed, open) };
        let mover = Mover {
            start,
            end,
            damage: fields.int("dmg", 2),
            wait_ms: wait_ms(fields, 2.0),
            crusher: flags & DOOR_CRUSHER != 0,
            portal_always_open: starts_open,
            sounds: MoverSounds {
                opening: start_sound,
                closing: start_sound,
                opened: end_sound,
                closed: end_sound,
                moving: Assets::Sounds.index(host, fields.text("noise")),
            },
            ..at_rest(MoverKind::Door)
        };
        self.straighten(num);
        self.init_mover(host, num, mover, fields.float("speed", 400.0));
        if starts_open {
            host.adjust_area_portal(num, true);
        }
        let health = fields.int("health", 0);
        if health > 0 {
            self.entities[num].takes_damage = true;
        }
        if fields.get("targetname").is_none() && health <= 0 {
            self.think_after(num, SETTLE, Think::MakeDoorTrigger);
        }
    }

    fn spawn_button(&mut self, host: &mut dyn Host, num: EntityNum, fields: &Fields<'_>) {
        let start = self.entities[num].shared.state.origin;
        let direction = move_direction(fields.angles());
        let mover = Mover {
            start,
            end: start + self.travel(num, direction, fields.float("lip", 4.0)),
            wait_ms: wait_ms(fields, 1.0),
            sounds: MoverSounds {
                opening: Assets::Sounds.index(host, "sound/movers/switches/butn2.wav"),
                ..MoverSounds::default()
            },
            ..at_rest(MoverKind::Button)
        };
        self.straighten(num);
        self.entities[num].takes_damage = fields.int("health", 0) > 0;
        self.init_mover(host, num, mover, fields.float("speed", 40.0));
    }

    fn spawn_plat(&mut self, host: &mut dyn Host, num: EntityNum, fields: &Fields<'_>) {
        let start_sound = Assets::Sounds.index(host, "sound/movers/plats/pt1_strt.wav");
        let end_sound = Assets::Sounds.index(host, "sound/movers/plats/pt1_end.wav");
        // It is drawn where it goes to, and rests below.
        let top = self.entities[num].shared.state.origin;
        let tall = self.entities[num].shared.link.bounds.size().z - fields.float("lip", 8.0);
        let height = fields.float("height", tall);
        let mover = Mover {
            start: top - vec3(0.0, 0.0, height),
            end: top,
            damage: fields.int("dmg", 2),
            wait_ms: 1000,
            sounds: MoverSounds {
                opening: start_sound,
                closing: start_sound,
                opened: end_sound,
                closed: end_sound,
                moving: 0,
            },
            ..at_rest(MoverKind::Plat)
        };
        self.straighten(num);
        self.init_mover(host, num, mover, fields.float("speed", 200.0));
        if fields.get("targetname").is_none() {
            self.make_plat_trigger(host, num);
        }
    }

    /// Movers that nobody sets going: statics, and those that turn or swing for ever.
    fn spawn_engine(&mut self, host: &mut dyn Host, num: EntityNum, class: &str, fields: &Fields<'_>) {
        let origin = self.entities[num].shared.state.origin;
        let mover =
            Mover { start: origin, end: origin, damage: fields.int("dmg", 2), ..at_rest(MoverKind::Engine) };
        self.init_mover(host, num, mover, 100.0);
        let now = self.level.time;
        let gravity = host.config().g_gravity;
        let flags = self.entities[num].spawn_flags;
        let loop_sound = Assets::Sounds.index(host, fields.text("noise"));
        let height = self.entities[num].shared.link.bounds.mins.z.abs().max(8.0);
        let state = &mut self.entities[num].shared.state;
        state.loop_sound = loop_sound;
        match class {
            "func_rotating" => {
                let speed = fields.float("speed", 100.0);
                let delta = match flags {
                    _ if flags & 4 != 0 => vec3(0.0, 0.0, speed),
                    _ if flags & 8 != 0 => vec3(speed, 0.0, 0.0),
                    _ => vec3(0.0, speed, 0.0),
                };
                state.apos = Trajectory {
                    kind: trajectory::LINEAR,
                    time: now.0,
                    duration: 0,
                    base: state.apos.base,
                    delta,
                };
            }
            "func_bobbing" => {
                let reach = fields.float("height", 32.0);
                let delta = match flags {
                    _ if flags & 1 != 0 => vec3(reach, 0.0, 0.0),
                    _ if flags & 2 != 0 => vec3(0.0, reach, 0.0),
                    _ => vec3(0.0, 0.0, reach),
                };
                state.pos =
                    swing(origin, delta, fields.float("speed", 4.0) * 1000.0, fields.float("phase", 0.0));
            }
            "func_pendulum" => {
                let turns_per_s = (1.0 / std::f32::consts::TAU) * (gravity / (3.0 * height)).sqrt();
                let delta = vec3(0.0, 0.0, fields.float("speed", 30.0));
                let base = fields.angles();
                state.apos = swing(base, delta, 1000.0 / turns_per_s, fields.float("phase", 0.0));
            }
            _ => {}
        }
        self.place_engine(host, num, now);
    }

    /// Puts a mover where its trajectories have it now.
    fn place_engine(&mut self, host: &mut dyn Host, num: EntityNum, now: ServerTime) {
        let shared = &mut self.entities[num].shared;
        shared.link.origin = shared.state.pos.at(now);
        shared.link.angles = shared.state.apos.at(now);
        shared.state.flags &= !entity_flag::MOVER_STOP;
        self.link(host, num);
    }

    /// Angles say which way a door goes, not how it is turned.
    fn straighten(&mut self, num: EntityNum) {
        self.entities[num].shared.state.angles = Vec3::ZERO;
    }
}

pub(super) fn at_rest(kind: MoverKind) -> Mover {
    Mover {
        kind,
        state: MoverState::AtStart,
        start: Vec3::ZERO,
        end: Vec3::ZERO,
        wait_ms: 0,
        damage: 0,
        crusher: false,
        portal_always_open: false,
        sounds: MoverSounds::default(),
        activator: None,
        train: None,
    }
}

fn wait_ms(fields: &Fields<'_>, default_s: f32) -> i32 {
    (fields.float("wait", default_s) * 1000.0) as i32
}

/// To and fro about `base`, once in `period_ms`; `phase` is the share of a period that is over at time 0.
fn swing(base: Vec3, delta: Vec3, period_ms: f32, phase: f32) -> Trajectory {
    let duration = (period_ms as i32).max(1);
    Trajectory { kind: trajectory::SINE, time: (duration as f32 * phase) as i32, duration, base, delta }
}
