//! Damage: who is hurt by whom, how much of it armor takes, and where it throws the body.

use super::NativeGame;
use super::entity::Kind;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{dm_flag, event, means_of_death, pers, pm_flag, powerup, stat};
use fogline_common::pmove::carried_powerup;
use fogline_common::time::Millis;

/// Share of damage that armor takes.
const ARMOR_SHARE: f64 = 0.66;
/// Weight of a player, for knockback.
const MASS: f32 = 200.0;
/// Damage beyond this throws no further.
const MOST_KNOCKBACK: i32 = 200;
/// Health is not counted further down.
const LEAST_HEALTH: i32 = -999;

/// Something that hurts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Damage {
    /// Who is hurt.
    pub(super) target: EntityNum,
    /// Who did it; `None` for the world.
    pub(super) attacker: Option<EntityNum>,
    /// With what; `None` for the attacker itself.
    pub(super) inflictor: Option<EntityNum>,
    /// Which way it pushes; `None` pushes nobody.
    pub(super) direction: Option<Vec3>,
    /// Points.
    pub(super) points: i32,
    /// One of [`means_of_death`].
    pub(super) means: i32,
    /// A blast nearby rather than a hit: a battle suit keeps all of it off.
    pub(super) by_blast: bool,
    /// Armor does not help.
    pub(super) past_armor: bool,
    /// Being of one team does not help.
    pub(super) through_team: bool,
    /// Nothing helps: not armor, team, god mode or a fresh spawn.
    pub(super) unprotected: bool,
}

impl Damage {
    /// Damage by the world, without a push.
    pub(super) const fn new(target: EntityNum, points: i32, means: i32) -> Self {
        Self {
            target,
            attacker: None,
            inflictor: None,
            direction: None,
            points,
            means,
            by_blast: false,
            past_armor: false,
            through_team: false,
            unprotected: false,
        }
    }

    /// Done by `attacker`.
    pub(super) const fn by(mut self, attacker: EntityNum) -> Self {
        self.attacker = Some(attacker);
        self
    }

    /// Done with `inflictor`.
    pub(super) const fn with(mut self, inflictor: EntityNum) -> Self {
        self.inflictor = Some(inflictor);
        self
    }

    /// Pushing along `direction`.
    pub(super) const fn toward(mut self, direction: Vec3) -> Self {
        self.direction = Some(direction);
        self
    }

    /// By a blast nearby.
    pub(super) const fn of_blast(mut self) -> Self {
        self.by_blast = true;
        self
    }

    /// Armor does not help.
    pub(super) const fn past_armor(mut self) -> Self {
        self.past_armor = true;
        self
    }

    /// Team mates too.
    pub(super) const fn through_team(mut self) -> Self {
        self.through_team = true;
        self
    }

    /// Nothing helps.
    pub(super) const fn unprotected(mut self) -> Self {
        self.unprotected = true;
        self.past_armor = true;
        self
    }
}

impl NativeGame {
    /// Hurts. Source: `G_Damage`.
    pub(super) fn damage(&mut self, host: &mut dyn Host, hit: &Damage) {
        let target = &self.entities[hit.target];
        if !target.takes_damage || self.level.stage != super::level::Stage::Play {
            return;
        }
        let client = match target.kind {
            // Doors and buttons that can be shot have no health of their own.
            Kind::Mover(mover) => {
                // A shot sets one at rest going, and never turns one round.
                if mover.state == super::movers::MoverState::AtStart {
                    self.use_mover(host, hit.target, hit.attacker);
                }
                return;
            }
            Kind::Player(client) => client,
            _ => {
                self.damage_thing(host, hit);
                return;
            }
        };
        if self.clients[client.index()].life.noclip {
            return;
        }
        let attacker = hit.attacker.and_then(|num| self.entities.client_of(num));
        if hit.means != means_of_death::JUICED && self.is_invulnerable(client) && !hit.unprotected {
            if let Some(direction) = hit.direction {
                let from = self.clients[client.index()].ps.origin - direction;
                self.meet_shell(host, client, from, direction);
            }
            return;
        }
        let mut points = hit.points;
        if let Some(attacker) = attacker.filter(|&num| num != client) {
            let ps = &self.clients[attacker.index()].ps;
            // A guard is no handicap turned round.
            let shares = if carried_powerup(ps) == powerup::GUARD { 2 } else { 1 };
            let most = ps.stats[stat::MAX_HEALTH as usize] / shares;
            points = (i64::from(points) * i64::from(most) / 100) as i32;
        }
        let direction = hit.direction.map(Vec3::normalized);
        if let Some(direction) = direction {
            self.knock_back(host, client, direction, points);
        }
        if !hit.unprotected && self.is_protected(host, client, hit) {
            return;
        }
        if self.clients[client.index()].ps.powerups[powerup::BATTLESUIT as usize] != 0 {
            self.add_event(hit.target, event::POWERUP_BATTLESUIT, 0);
            if hit.by_blast || hit.means == means_of_death::FALLING {
                return;
            }
            points /= 2;
        }
        self.count_hit(host, client, attacker);
        if attacker == Some(client) {
            points /= 2;
        }
        points = points.max(1);
        if attacker == Some(client) && host.config().dmflags & dm_flag::NO_SELF_DAMAGE != 0 {
            points = 0;
        }
        if let Some(attacker) = attacker.filter(|&num| num != client) {
            self.count_damage(host, client, attacker, points);
        }
        let saved = if hit.past_armor { 0 } else { self.spend_armor(client, points) };
        self.take_health(host, client, hit, attacker, direction, points, saved);
    }

    /// The push, which comes even if the damage does not.
    fn knock_back(&mut self, host: &dyn Host, client: ClientNum, direction: Vec3, points: i32) {
        let knockback = points.min(MOST_KNOCKBACK);
        if knockback <= 0 || self.clients[client.index()].health() <= 0 {
            return;
        }
        let now = self.level.time;
        let pushed = &mut self.clients[client.index()];
        if pushed.life.pushed.is_none_or(|(frame, _)| frame != now) {
            pushed.life.pushed = Some((now, pushed.ps.velocity));
        }
        let ps = &mut pushed.ps;
        ps.velocity += direction * (host.config().g_knockback * knockback as f32 / MASS);
        // For a moment the player cannot simply run against it.
        if ps.pm_time == 0 {
            ps.pm_time = (knockback * 2).clamp(50, 200);
            ps.pm_flags |= pm_flag::TIME_KNOCKBACK;
        }
    }

    /// Whether team, god mode or a fresh spawn keeps the damage off.
    fn is_protected(&self, host: &dyn Host, client: ClientNum, hit: &Damage) -> bool {
        let config = host.config();
        let by_other = hit.attacker.filter(|&num| num != hit.target);
        let by_mate = by_other.is_some_and(|num| self.same_team(config.g_gametype, num, hit.target));
        if by_mate && !hit.through_team && !config.g_friendlyfire && hit.means != means_of_death::CRUSH {
            return true;
        }
        if self.entities[hit.target].god {
            return true;
        }
        let by_weapon = (means_of_death::UNKNOWN + 1..means_of_death::WATER).contains(&hit.means)
            || hit.means == means_of_death::TELEFRAG
            || hit.means > means_of_death::TRIGGER_HURT;
        let life = &self.clients[client.index()].life;
        by_weapon && life.protected && self.level.time <= life.respawn_at + Millis(config.g_spawnprotect)
    }

    /// The attacker hears that it hit.
    fn count_hit(&mut self, host: &dyn Host, client: ClientNum, attacker: Option<ClientNum>) {
        let Some(attacker) = attacker.filter(|&num| num != client) else { return };
        let health = self.entities[client.entity()].health;
        if health <= 0 {
            return;
        }
        let mates = self.same_team(host.config().g_gametype, attacker.entity(), client.entity());
        let armor = self.clients[client.index()].ps.stats[stat::ARMOR as usize];
        let persistant = &mut self.clients[attacker.index()].ps.persistant;
        persistant[pers::HITS as usize] += if mates { -1 } else { 1 };
        persistant[pers::ATTACKEE_ARMOR as usize] = (health << 8) | armor;
    }

    /// Damage between two players, for figures and for flags.
    fn count_damage(&mut self, host: &dyn Host, client: ClientNum, attacker: ClientNum, points: i32) {
        let game = host.config().g_gametype;
        self.note_hurt_carrier(game, client, attacker);
        let health = self.entities[client.entity()].health;
        if health <= 0 || self.same_team(game, attacker.entity(), client.entity()) {
            return;
        }
        // No more than there was to take.
        let armor = self.clients[client.index()].ps.stats[stat::ARMOR as usize];
        let points = points.min(health.saturating_add(armor).max(0));
        let taken = &mut self.clients[client.index()].player.statistics.damage_taken;
        *taken = taken.saturating_add(points);
        let given = &mut self.clients[attacker.index()].player.statistics.damage_given;
        *given = given.saturating_add(points);
    }

    /// What armor takes of the damage. Source: `CheckArmor`.
    fn spend_armor(&mut self, client: ClientNum, points: i32) -> i32 {
        let armor = &mut self.clients[client.index()].ps.stats[stat::ARMOR as usize];
        let saved = ((f64::from(points) * ARMOR_SHARE).ceil() as i32).min(*armor);
        *armor -= saved;
        saved
    }

    #[allow(clippy::too_many_arguments, reason = "one step of damage(), split for length alone")]
    fn take_health(
        &mut self,
        host: &mut dyn Host,
        client: ClientNum,
        hit: &Damage,
        attacker: Option<ClientNum>,
        direction: Option<Vec3>,
        points: i32,
        saved: i32,
    ) {
        let taken = points - saved;
        let target = &mut self.clients[client.index()];
        target.ps.persistant[pers::ATTACKER as usize] =
            EntityNum::to_wire(hit.attacker.or(Some(EntityNum::WORLD)));
        target.life.hurt.armor += saved;
        target.life.hurt.blood += taken;
        target.life.hurt.from = direction;
        target.life.last_hurt_by = attacker;
        if taken == 0 {
            return;
        }
        let health = self.entities[hit.target].health - taken;
        self.set_health(client, health.max(if health <= 0 { LEAST_HEALTH } else { health }));
        if health > 0 {
            return;
        }
        if self.clients[client.index()].ps.pm_type == fogline_common::openarena::pm_type::DEAD {
            self.damage_corpse(host, hit.target, hit.attacker);
        } else {
            self.die(host, client, hit);
        }
    }

    /// A body (or another thing with points) is hurt.
    fn damage_thing(&mut self, host: &mut dyn Host, hit: &Damage) {
        let thing = &mut self.entities[hit.target];
        thing.health = (thing.health - hit.points.max(1)).max(LEAST_HEALTH);
        if thing.health > 0 {
            return;
        }
        match thing.kind {
            Kind::Body => self.damage_corpse(host, hit.target, hit.attacker),
            Kind::Mine(_) => self.set_off_mine(hit.target),
            Kind::PortalExit { .. } | Kind::PortalEntry(_) => {
                thing.takes_damage = false;
                self.think_after(hit.target, Millis(0), super::entity::Think::Free);
            }
            _ => {}
        }
    }
}
