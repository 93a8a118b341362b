//! One frame of the world: what acts by itself acts, then every player's frame is closed and the match is judged.

use super::NativeGame;
use super::entity::{AfterEvent, Kind, Think};
use super::pool::BODY_COUNT;
use crate::game::Host;
use fogline_common::ids::EntityNum;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::ServerTime;

impl NativeGame {
    /// The world to `time`. Source: `G_RunFrame`.
    pub(super) fn frame(&mut self, host: &mut dyn Host, time: ServerTime) {
        self.level.frame = self.level.frame.wrapping_add(1);
        self.level.previous_time = self.level.time;
        self.level.time = time;
        self.run_bots(host);

        let mut number = 0;
        while number < self.entities.count() {
            if let Some(num) = EntityNum::new(number).filter(|&num| self.entities.in_use(num)) {
                self.run_entity(host, num);
            }
            number += 1;
        }
        for num in self.slots() {
            if self.clients[num.index()].playing() {
                self.end_client_frame(host, num);
            }
        }
        self.run_team_overlay(host);
        self.run_votes(host);
        self.run_team_votes(host);
        self.publish_vote_flags(host);
        self.publish_password(host);
        self.check_match(host);
        self.report_overflow(host);
    }

    fn run_entity(&mut self, host: &mut dyn Host, num: EntityNum) {
        if !self.expire_event(host, num) {
            return;
        }
        let entity = &self.entities[num];
        if entity.after_event == AfterEvent::Free {
            return;
        }
        match entity.kind {
            Kind::Player(client) => {
                if self.clients[client.index()].playing() && self.waits_for_frame(host, client) {
                    self.clients[client.index()].cmd.server_time = self.level.time.0;
                    self.think(host, client);
                }
            }
            Kind::Body if !entity.shared.link.linked => {}
            Kind::Body | Kind::Item(_) => {
                self.fall(host, num);
                if self.entities.in_use(num) {
                    self.run_think(host, num);
                }
            }
            Kind::Missile(_) => self.run_missile(host, num),
            Kind::Hook(_) => self.run_hook(host, num),
            Kind::Mover(_) => self.run_mover(host, num),
            _ => self.run_think(host, num),
        }
    }

    /// Does what the entity had in mind, once it is time. Source: `G_RunThink`.
    pub(super) fn run_think(&mut self, host: &mut dyn Host, num: EntityNum) {
        let now = self.level.time;
        let Some((_, think)) = self.entities[num].think.take_if(|(at, _)| *at <= now) else { return };
        match think {
            Think::Free => self.free(host, num),
            Think::DropToFloor => self.drop_to_floor(host, num),
            Think::RespawnItem => self.respawn_item(host, num),
            Think::ReturnMover => self.return_mover(host, num),
            Think::MakeDoorTrigger => self.make_door_trigger(host, num),
            Think::FireRelay => self.fire_relay(host, num),
            Think::AimPush => self.aim_push(host, num),
            Think::SinkBody => self.sink_body(host, num),
            Think::LocateCamera => self.locate_camera(num),
            Think::ReturnFlag => self.return_flag(host, num),
            Think::FindPath => self.find_path(host, num),
            Think::StartTrain => self.start_train(num),
            Think::AimShooter => self.aim_shooter(num),
            Think::Burst => self.burst(host, num),
            Think::FireTimer => self.fire_timer(host, num),
            Think::BurnLaser => self.burn_laser(host, num),
            Think::ArmMine => self.arm_mine(host, num),
            Think::BurstMine => self.burst_mine(host, num),
            Think::FreeHook => self.free_hook(host, num),
            Think::FollowWithHook => self.follow_with_hook(host, num),
            Think::StepKamikaze => self.step_kamikaze(host, num),
            Think::EndFuse => self.end_fuse(host, num),
            Think::OpenPortal => self.open_portal(num),
        }
    }

    /// The first entity that did not fit is told to the host.
    fn report_overflow(&mut self, host: &mut dyn Host) {
        if self.entities.refused > 0 && !self.level.overflow_reported {
            self.level.overflow_reported = true;
            let room = self.entities.count() - MAX_CLIENTS - BODY_COUNT;
            host.print(&format!(
                "All {room} entity numbers of the map are taken; further shots, drops and effects are left out until some are free."
            ));
        }
    }
}
