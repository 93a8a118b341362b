//! Things of the map that act by themselves or when fired: timers, lasers, and lines of text.
//!
//! Source: `SP_func_timer`, `target_laser_think`, `Use_Target_Print`.

use super::NativeGame;
use super::combat::Damage;
use super::entity::{Kind, Think};
use super::entity_string::Fields;
use super::spawn::move_direction;
use crate::game::Host;
use fogline_common::ids::EntityNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{entity_type, means_of_death, team};
use fogline_common::proto::{contents, sv_flag};
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;

/// `func_timer` and `target_laser`: on from the start.
const STARTS_ON: i32 = 1;
/// How often lasers burn. Source: `FRAMETIME`.
const BURN: Millis = Millis(100);
/// How far a laser reaches.
const REACH: f32 = 2048.0;
/// `target_print`: for one side, or for who fired it.
const PRINT_RED: i32 = 1;
const PRINT_BLUE: i32 = 2;
const PRINT_PRIVATE: i32 = 4;
/// Bytes of a line of text of the map.
const MAX_TEXT: usize = 200;

/// Fires its targets again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    wait_s: f32,
    random_s: f32,
    activator: Option<EntityNum>,
}

/// A beam that burns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laser {
    direction: Vec3,
    points: i32,
    on: bool,
    activator: Option<EntityNum>,
}

impl NativeGame {
    /// `func_timer`.
    pub(super) fn spawn_timer(&mut self, host: &mut dyn Host, num: EntityNum, fields: &Fields<'_>) {
        let wait_s = fields.float("wait", 1.0).max(0.1);
        let mut random_s = fields.float("random", 1.0);
        if random_s >= wait_s {
            random_s = wait_s - 0.1;
            let at = self.entities[num].shared.state.origin;
            host.print(&format!(
                "func_timer at {:.0} {:.0} {:.0} has a random as long as its wait",
                at.x, at.y, at.z
            ));
        }
        self.entities[num].kind = Kind::Timer(Timer { wait_s, random_s, activator: Some(num) });
        if self.entities[num].spawn_flags & STARTS_ON != 0 {
            self.think_after(num, BURN, Think::FireTimer);
        }
    }

    /// A signal starts a timer, or stops it.
    pub(super) fn switch_timer(&mut self, host: &mut dyn Host, num: EntityNum, activator: Option<EntityNum>) {
        if let Kind::Timer(timer) = &mut self.entities[num].kind {
            timer.activator = activator;
        }
        if self.entities[num].think.take().is_none() {
            self.fire_timer(host, num);
        }
    }

    /// A timer's moment has come; the next is set.
    pub(super) fn fire_timer(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Timer(timer) = self.entities[num].kind else { return };
        let wait_s = timer.wait_s + self.crandom() * timer.random_s;
        self.think_after(num, Millis((wait_s * 1000.0) as i32).max(Millis(50)), Think::FireTimer);
        if let Some(target) = self.entities[num].ties.target {
            self.fire_targets(host, target, timer.activator);
        }
    }

    /// `target_laser`.
    pub(super) fn spawn_laser(&mut self, num: EntityNum, fields: &Fields<'_>) {
        let direction = move_direction(fields.angles());
        let on = self.entities[num].spawn_flags & STARTS_ON != 0;
        let points = fields.int("dmg", 1).max(1);
        let entity = &mut self.entities[num];
        entity.shared.state.angles = Vec3::ZERO;
        entity.shared.state.entity_type = entity_type::BEAM;
        entity.kind = Kind::Laser(Laser { direction, points, on, activator: Some(num) });
        if on {
            self.think_after(num, BURN, Think::BurnLaser);
        }
    }

    /// A signal switches a laser.
    pub(super) fn switch_laser(&mut self, host: &mut dyn Host, num: EntityNum, activator: Option<EntityNum>) {
        let Kind::Laser(laser) = &mut self.entities[num].kind else { return };
        laser.activator = activator;
        laser.on = !laser.on;
        if laser.on {
            self.burn_laser(host, num);
        } else {
            self.entities[num].think = None;
            self.unlink(host, num);
        }
    }

    /// A laser burns what is in its way.
    pub(super) fn burn_laser(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Laser(mut laser) = self.entities[num].kind else { return };
        let origin = self.entities[num].shared.state.origin;
        if let Some(at) = self.entities[num].ties.target.and_then(|name| self.aim(name)) {
            laser.direction = (at - origin).normalized();
            self.entities[num].kind = Kind::Laser(laser);
        }
        let end = origin.mul_add(REACH, laser.direction);
        let stops = contents::SOLID | contents::BODY | contents::CORPSE;
        let trace = host.trace(&self.entities, &TraceRequest::ray(origin, end, stops, Some(num)));
        if let Some(hit) = trace.entity.filter(|&hit| self.entities.in_use(hit)) {
            let burn = Damage::new(hit, laser.points, means_of_death::TARGET_LASER).with(num);
            let by = laser.activator.unwrap_or(num);
            self.damage(host, &burn.by(by));
        }
        self.entities[num].shared.state.origin2 = trace.end;
        self.link(host, num);
        self.think_after(num, BURN, Think::BurnLaser);
    }

    /// `target_print`.
    pub(super) fn spawn_print(&mut self, num: EntityNum, fields: &Fields<'_>) {
        let plain = |c: &char| *c != '"' && *c != '%' && (!c.is_control() || *c == '\n');
        let text: String =
            fields.text("message").replace("\\n", "\n").chars().filter(plain).take(MAX_TEXT).collect();
        self.level.messages.push(text);
        self.entities[num].kind = Kind::Print { message: self.level.messages.len() - 1 };
        self.entities[num].shared.link.sv_flags |= sv_flag::NOCLIENT;
    }

    /// Text in the middle of the screens of whom it concerns.
    pub(super) fn show_text(
        &self,
        host: &mut dyn Host,
        num: EntityNum,
        message: usize,
        activator: Option<EntityNum>,
    ) {
        let Some(text) = self.level.messages.get(message) else { return };
        let command = format!("cp \"{text}\"");
        let flags = self.entities[num].spawn_flags;
        let by = activator.and_then(|who| self.entities.client_of(who));
        if let Some(by) = by.filter(|_| flags & PRINT_PRIVATE != 0) {
            host.send_server_command(Some(by), &command);
            return;
        }
        if flags & (PRINT_RED | PRINT_BLUE) == 0 {
            host.send_server_command(None, &command);
            return;
        }
        for (flag, side) in [(PRINT_RED, team::RED), (PRINT_BLUE, team::BLUE)] {
            let meant =
                self.playing().filter(|n| flags & flag != 0 && self.clients[n.index()].session.team == side);
            for num in meant.collect::<Vec<_>>() {
                host.send_server_command(Some(num), &command);
            }
        }
    }
}
