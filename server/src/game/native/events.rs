//! Things that happen once: events on an entity, and events that live alone.

use super::NativeGame;
use super::entity::{AfterEvent, Kind};
use super::level::Assets;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{entity_flag, entity_type, event, shared};
use fogline_common::pmove::player_state_to_entity_state;
use fogline_common::proto::sv_flag;
use fogline_common::time::Millis;

/// How long an event is kept in its entity. Source: `EVENT_VALID_MSEC`.
const EVENT_VALID: Millis = Millis(shared::EVENT_VALID_MSEC);

impl NativeGame {
    /// Something happened to an entity; players hear of their own too. Source: `G_AddEvent`.
    pub(super) fn add_event(&mut self, num: EntityNum, event: i32, parm: i32) {
        let toggled = |old: i32| {
            event | (((old & shared::EV_EVENT_BITS) + shared::EV_EVENT_BIT1) & shared::EV_EVENT_BITS)
        };
        let now = self.level.time;
        let entity = &mut self.entities[num];
        if let Kind::Player(client) = entity.kind {
            let ps = &mut self.clients[client.index()].ps;
            ps.external_event = toggled(ps.external_event);
            ps.external_event_parm = parm;
            ps.external_event_time = now.0;
        } else {
            entity.shared.state.event = toggled(entity.shared.state.event);
            entity.shared.state.event_parm = parm;
        }
        entity.event_time = now;
    }

    /// An event that lives alone at a place, whole units, for a short time. `None` (counted) if no number is free.
    /// Source: `G_TempEntity`.
    pub(super) fn temporary_event(
        &mut self,
        host: &mut dyn Host,
        origin: Vec3,
        event: i32,
    ) -> Option<EntityNum> {
        let now = self.level.time;
        let num = self.entities.spawn(now)?;
        let entity = &mut self.entities[num];
        entity.kind = Kind::Event;
        entity.shared.state.entity_type = entity_type::EVENTS + event;
        entity.event_time = now;
        entity.after_event = AfterEvent::Free;
        self.set_origin(num, origin.truncated());
        self.link(host, num);
        Some(num)
    }

    /// A sound from an entity. Source: `G_Sound`.
    pub(super) fn sound(&mut self, host: &mut dyn Host, num: EntityNum, name: &str) {
        let index = Assets::Sounds.index(host, name);
        let origin = self.entities[num].shared.link.origin;
        if let Some(sound) = self.temporary_event(host, origin, event::GENERAL_SOUND) {
            self.entities[sound].shared.state.event_parm = index;
        }
    }

    /// Points that one player sees rise where somebody died.
    pub(super) fn score_plum(&mut self, host: &mut dyn Host, to: ClientNum, origin: Vec3, points: i32) {
        if let Some(num) = self.temporary_event(host, origin, event::SCOREPLUM) {
            let shared = &mut self.entities[num].shared;
            shared.link.sv_flags |= sv_flag::SINGLECLIENT;
            shared.link.single_client = to.index() as i32;
            shared.state.other_entity = to.index() as i32;
            shared.state.time = points;
        }
    }

    /// The next event that a player predicted goes to everybody else, one a call. Source: `SendPendingPredictableEvents`.
    pub(super) fn pass_on_predicted_event(&mut self, host: &mut dyn Host, client: ClientNum) {
        let ps = &mut self.clients[client.index()].ps;
        if ps.entity_event_sequence >= ps.event_sequence {
            return;
        }
        let slot = (ps.entity_event_sequence & 1) as usize;
        let event = ps.events[slot];
        let external = std::mem::take(&mut ps.external_event);
        let origin = ps.origin;
        if let Some(num) = self.temporary_event(host, origin, event) {
            let ps = &mut self.clients[client.index()].ps;
            let shared = &mut self.entities[num].shared;
            player_state_to_entity_state(ps, &mut shared.state);
            shared.state.number = num.index() as i32;
            shared.state.entity_type = entity_type::EVENTS + event;
            shared.state.flags |= entity_flag::PLAYER_EVENT;
            shared.state.other_entity = client.index() as i32;
            shared.link.sv_flags |= sv_flag::NOTSINGLECLIENT;
            shared.link.single_client = client.index() as i32;
        }
        self.clients[client.index()].ps.external_event = external;
    }

    /// Old events end; what lived for them goes. Whether the entity still stands.
    pub(super) fn expire_event(&mut self, host: &mut dyn Host, num: EntityNum) -> bool {
        let now = self.level.time;
        let entity = &mut self.entities[num];
        if now - entity.event_time <= EVENT_VALID {
            return true;
        }
        if entity.shared.state.event != 0 {
            entity.shared.state.event = 0;
        }
        if let Kind::Player(client) = entity.kind {
            let ps = &mut self.clients[client.index()].ps;
            if now.0 - ps.external_event_time > EVENT_VALID.0 {
                ps.external_event = 0;
            }
        }
        match std::mem::take(&mut entity.after_event) {
            AfterEvent::Stay => true,
            AfterEvent::Unlink => {
                self.unlink(host, num);
                true
            }
            AfterEvent::Free => {
                self.free(host, num);
                false
            }
        }
    }
}
