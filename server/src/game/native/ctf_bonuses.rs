//! What is worth more than a frag in capture the flag: the enemy's carrier, who hurt one's own, who came near the flag.
//!
//! Source: `Team_FragBonuses`, `Team_CheckHurtCarrier`, `Team_TouchOurFlag`, `CheckAlmostCapture` and the figures of `g_team.h`.

use super::NativeGame;
use super::entity::Kind;
use super::flags::{enemy_of, flag_team, powerup_of};
use crate::game::{Host, Record};
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{entity_flag, game_type, pers, player_event, team};
use fogline_common::time::{Millis, ServerTime};

/// Points for killing who carries the own flag away.
const CARRIER_KILL_POINTS: i32 = 2;
/// Points for killing who hurt the own side's carrier lately.
const DANGER_POINTS: i32 = 2;
/// Points for a kill near the own flag's stand.
const BASE_POINTS: i32 = 1;
/// Points for a kill near the own side's carrier.
const ESCORT_POINTS: i32 = 1;
/// Points for having brought the own flag back just before a capture.
const RETURN_ASSIST_POINTS: i32 = 1;
/// Points for having killed the enemy's carrier just before a capture.
const KILL_ASSIST_POINTS: i32 = 2;
/// What is near.
const GUARD_RADIUS: f32 = 1000.0;
/// How long hurting a carrier is held against who did.
const DANGER_TIME: Millis = Millis(8000);
/// Deeds so short before a capture helped it.
const ASSIST_TIME: Millis = Millis(10_000);
/// Who dies with a flag this near to where it was to be brought had almost made it.
const ALMOST: f32 = 200.0;

/// What a player did for its team, and when. Source: `playerTeamState_t`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TeamDeeds {
    /// It hurt the other side's carrier.
    hurt_carrier: Option<ServerTime>,
    /// It brought its own flag back.
    pub(super) returned_flag: Option<ServerTime>,
    /// It killed who carried its flag.
    killed_carrier: Option<ServerTime>,
}

impl NativeGame {
    /// Somebody is hurt: whoever hurts a carrier is in for it.
    pub(super) fn note_hurt_carrier(&mut self, game: i32, victim: ClientNum, attacker: ClientNum) {
        let (hurt, by) = (&self.clients[victim.index()], &self.clients[attacker.index()]);
        let enemies = hurt.session.team != by.session.team;
        if game == game_type::CTF && enemies && hurt.ps.powerups[powerup_of(enemy_of(hurt.session.team))] != 0
        {
            self.clients[attacker.index()].player.deeds.hurt_carrier = Some(self.level.time);
        }
    }

    /// A player was killed by an enemy: points and award if that served the flag.
    pub(super) fn give_ctf_bonus(&mut self, host: &mut dyn Host, victim: ClientNum, killer: ClientNum) {
        if host.config().g_gametype != game_type::CTF {
            return;
        }
        let now = self.level.time;
        let (lost, own) =
            (self.clients[victim.index()].session.team, self.clients[killer.index()].session.team);
        let place = self.entities[victim.entity()].shared.link.origin;
        if self.clients[victim.index()].ps.powerups[powerup_of(own)] != 0 {
            self.clients[killer.index()].player.deeds.killed_carrier = Some(now);
            self.add_score(host, killer, place, CARRIER_KILL_POINTS);
            self.tell_of_carrier(host, killer, lost);
            // Whoever hurt it has nothing to fear for that any more.
            for num in self.slots() {
                let client = &mut self.clients[num.index()];
                if client.session.team == own {
                    client.player.deeds.hurt_carrier = None;
                }
            }
            return;
        }
        let hurt_carrier = self.clients[victim.index()].player.deeds.hurt_carrier;
        if hurt_carrier.is_some_and(|at| now - at < DANGER_TIME) {
            self.clients[victim.index()].player.deeds.hurt_carrier = None;
            self.defended(host, killer, place, DANGER_POINTS);
        } else if self.killed_near(host, victim, killer, self.stand_of(own)) {
            self.defended(host, killer, place, BASE_POINTS);
        } else {
            let carrier = self.carrier_of(enemy_of(own)).filter(|&carrier| carrier != killer);
            let at = carrier.map(|carrier| self.entities[carrier.entity()].shared.link.origin);
            if self.killed_near(host, victim, killer, at) {
                self.defended(host, killer, place, ESCORT_POINTS);
            }
        }
    }

    fn defended(&mut self, host: &mut dyn Host, num: ClientNum, place: Vec3, points: i32) {
        self.clients[num.index()].count(pers::DEFEND_COUNT);
        self.award(host, num, entity_flag::AWARD_DEFEND, 3, "DEFENCE");
        self.add_score(host, num, place, points);
    }

    fn tell_of_carrier(&self, host: &mut dyn Host, killer: ClientNum, lost: i32) {
        let (name, side) = (&self.clients[killer.index()].player.name, super::client::team_name(lost));
        let line = format!("CTF: {killer} {lost} 3: {name} fragged {side}'s flag carrier!");
        let record = Record::new("flag", line).int("client", killer.index() as i32).text("name", name);
        host.log_game(&record.int("team", lost).text("deed", "fragged_carrier"));
        host.send_server_command(None, &format!("print \"{name}^7 fragged {side}'s flag carrier!\n\""));
    }

    /// Whether killer or victim is near the place, and could be seen from it.
    fn killed_near(
        &self,
        host: &dyn Host,
        victim: ClientNum,
        killer: ClientNum,
        place: Option<Vec3>,
    ) -> bool {
        place.is_some_and(|place| {
            [victim, killer].into_iter().any(|num| {
                let at = self.entities[num.entity()].shared.link.origin;
                at.distance(place) < GUARD_RADIUS && host.in_pvs(place, at, false)
            })
        })
    }

    /// Where a team's flag stands, whether it is there or not.
    pub(super) fn stand_of(&self, flag: i32) -> Option<Vec3> {
        self.stand_entity(flag).map(|num| self.entities[num].shared.link.origin)
    }

    fn stand_entity(&self, flag: i32) -> Option<EntityNum> {
        let stands = |num: &EntityNum| match self.entities[*num].kind {
            Kind::Item(item) => flag_team(item.index) == Some(flag) && !item.dropped,
            _ => false,
        };
        self.entities.numbers().find(stands)
    }

    /// Who carries a team's flag.
    fn carrier_of(&self, flag: i32) -> Option<ClientNum> {
        self.playing().find(|num| self.clients[num.index()].ps.powerups[powerup_of(flag)] != 0)
    }

    /// A capture: who made it possible just before has a share in it.
    pub(super) fn give_assists(&mut self, host: &mut dyn Host, by: ClientNum, own: i32) {
        let now = self.level.time;
        let lately = |at: Option<ServerTime>| at.is_some_and(|at| now - at < ASSIST_TIME);
        for num in self.slots() {
            let client = &mut self.clients[num.index()];
            if !client.playing() || num == by {
                continue;
            }
            if client.session.team != own {
                client.player.deeds.hurt_carrier = None;
                continue;
            }
            let (deeds, place) = (client.player.deeds, client.ps.origin);
            for (helped, points) in [
                (lately(deeds.returned_flag), RETURN_ASSIST_POINTS),
                (lately(deeds.killed_carrier), KILL_ASSIST_POINTS),
            ] {
                if helped {
                    self.clients[num.index()].count(pers::ASSIST_COUNT);
                    self.award(host, num, entity_flag::AWARD_ASSIST, 5, "ASSIST");
                    self.add_score(host, num, place, points);
                }
            }
        }
    }

    /// Who carries a flag dies within sight of a capture: both it and its killer hear the gasp.
    pub(super) fn note_almost_capture(&mut self, game: i32, victim: ClientNum, killer: Option<ClientNum>) {
        let client = &self.clients[victim.index()];
        let own = client.session.team;
        let carries = |flag: i32| client.ps.powerups[powerup_of(flag)] != 0;
        if game != game_type::CTF || !(carries(team::RED) || carries(team::BLUE)) {
            return;
        }
        let stand = self.stand_entity(own).filter(|&num| match self.entities[num].kind {
            Kind::Item(item) => item.present,
            _ => false,
        });
        let near = stand
            .is_some_and(|num| self.entities[num].shared.link.origin.distance(client.ps.origin) < ALMOST);
        if near {
            for num in std::iter::once(victim).chain(killer) {
                let events = &mut self.clients[num.index()].ps.persistant[pers::PLAYEREVENTS as usize];
                *events ^= player_event::HOLYSHIT;
            }
        }
    }
}
