//! The personal portal: used once it leaves an exit where its owner stands, used again an entry, which leads everybody there.
//!
//! Source: `DropPortalDestination`, `DropPortalSource`, `PortalTouch`.

use super::NativeGame;
use super::combat::Damage;
use super::entity::{Kind, Think};
use super::items::item_of_class;
use super::level::{Assets, View};
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{means_of_death, stat};
use fogline_common::proto::contents;
use fogline_common::time::Millis;

/// Models of either end.
pub(super) const PORTAL_EXIT: &str = "models/powerups/teleporter/tele_exit.md3";
pub(super) const PORTAL_ENTRY: &str = "models/powerups/teleporter/tele_enter.md3";
/// Points that either end stands.
const HEALTH: i32 = 200;
/// Either end is gone after this.
const LIFE: Millis = Millis(120_000);
/// An entry opens after this, so that its owner does not fall in at once.
const OPENING: Millis = Millis(1000);

/// An entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortalEntry {
    id: i32,
    open: bool,
    /// Where its exit was.
    exit: Option<Vec3>,
}

impl NativeGame {
    /// A player uses its portal.
    pub(super) fn use_portal(&mut self, host: &mut dyn Host, num: ClientNum) {
        match self.clients[num.index()].life.portal.take() {
            None => self.leave_exit(host, num),
            Some(id) => self.leave_entry(host, num, id),
        }
    }

    fn leave_exit(&mut self, host: &mut dyn Host, num: ClientNum) {
        let Some(exit) = self.leave_end(host, num, PORTAL_EXIT, contents::CORPSE) else { return };
        self.level.portals += 1;
        let id = self.level.portals;
        self.entities[exit].kind = Kind::PortalExit { id };
        self.think_after(exit, LIFE, Think::Free);
        self.clients[num.index()].life.portal = Some(id);
        // It is given back for the entry.
        if let Some(item) = item_of_class("holdable_portal") {
            self.clients[num.index()].ps.stats[stat::HOLDABLE_ITEM as usize] = item as i32;
        }
    }

    fn leave_entry(&mut self, host: &mut dyn Host, num: ClientNum, id: i32) {
        let made_of = contents::CORPSE | contents::TRIGGER;
        let Some(entry) = self.leave_end(host, num, PORTAL_ENTRY, made_of) else { return };
        let exit = self.exit_of(id).map(|exit| self.entities[exit].shared.state.pos.base);
        self.entities[entry].kind = Kind::PortalEntry(PortalEntry { id, open: false, exit });
        self.think_after(entry, OPENING, Think::OpenPortal);
    }

    fn leave_end(
        &mut self,
        host: &mut dyn Host,
        num: ClientNum,
        model: &str,
        made_of: i32,
    ) -> Option<EntityNum> {
        let end = self.entities.spawn(self.level.time)?;
        let model = Assets::Models.index(host, model);
        let player = self.entities[num.entity()].shared;
        self.set_origin(end, player.state.pos.base.truncated());
        let entity = &mut self.entities[end];
        entity.shared.state.model_index = model;
        entity.shared.state.angles = player.state.apos.base;
        entity.shared.link.bounds = player.link.bounds;
        entity.shared.link.contents = made_of;
        entity.takes_damage = true;
        entity.health = HEALTH;
        self.link(host, end);
        Some(end)
    }

    /// An entry opens.
    pub(super) fn open_portal(&mut self, num: EntityNum) {
        if let Kind::PortalEntry(entry) = &mut self.entities[num].kind {
            entry.open = true;
        }
        self.think_after(num, LIFE, Think::Free);
    }

    fn exit_of(&self, id: i32) -> Option<EntityNum> {
        self.entities
            .numbers()
            .find(|&num| matches!(self.entities[num].kind, Kind::PortalExit { id: own } if own == id))
    }

    /// A player walks into an entry. Without an exit it arrives where that was, and does not survive it.
    pub(super) fn touch_portal(&mut self, host: &mut dyn Host, num: EntityNum, client: ClientNum) {
        let Kind::PortalEntry(entry) = self.entities[num].kind else { return };
        if !entry.open || self.entities[client.entity()].health <= 0 {
            return;
        }
        self.drop_flags(host, client);
        if let Some(exit) = self.exit_of(entry.id) {
            let state = &self.entities[exit].shared.state;
            let view = View { origin: state.pos.base, angles: state.angles };
            self.teleport(host, client, view);
            return;
        }
        if let Some(origin) = entry.exit {
            let angles = self.entities[num].shared.state.angles;
            self.teleport(host, client, View { origin, angles });
        }
        let own = client.entity();
        let death = Damage::new(own, 100_000, means_of_death::TELEFRAG).by(own).with(own);
        self.damage(host, &death.unprotected());
    }
}
