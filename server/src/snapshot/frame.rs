//! The frozen copy of the world that all snapshots of a frame are built from.

use super::players::{self, Seat};
use super::reachable::Reachable;
use super::sounds::{self, Heard, Listening};
use super::states::{StateLog, StateRef};
use crate::game::{EntityTable, SharedEntity};
use crate::visibility::redact::{PlayerSet, comes_from_within};
use crate::visibility::windows::Windows;
use crate::visibility::{Mode, Mover, Pose, Rules};
use crate::world::{LinkRecord, World};
use fogline_common::collision::ClipMap;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::openarena::entity_type;
use fogline_common::proto::limits::{MAX_CLIENTS, MAX_ENTITIES};
use fogline_common::proto::{EntityState, sv_flag};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::wire::bits::BitWriter;
use fogline_common::wire::delta::write_entity;
use std::sync::Arc;

/// One linked entity.
#[derive(Clone, Copy, Debug)]
pub struct Captured {
    /// Its number.
    pub num: EntityNum,
    /// What it was.
    pub entity: SharedEntity,
    /// What it touched.
    pub record: LinkRecord,
    /// Its state, as snapshots hold it.
    pub kept: StateRef,
}

/// Every linked entity at one moment, by ascending number. The buffers are kept from frame to frame.
#[derive(Debug)]
pub struct WorldFrame {
    /// The moment.
    pub time: ServerTime,
    entities: Vec<Captured>,
    /// Where each entity's state was kept last. Shape: by number.
    kept: Vec<Option<StateRef>>,
    /// Shape: by slot.
    poses: Vec<Option<Pose>>,
    movers: Vec<Mover>,
    windows: Windows,
    players: PlayerSet,
    /// Whose doing or suffering each event entity is, since it began. Shape: by number.
    sources: Vec<Option<ClientNum>>,
    listening: Listening,
    reachable: Reachable,
    number_count: usize,
    last_states: Vec<EntityState>,
    state_bytes: Vec<u32>,
    writer: BitWriter,
}

impl Default for WorldFrame {
    fn default() -> Self {
        Self {
            time: ServerTime(0),
            entities: Vec::new(),
            kept: vec![None; MAX_ENTITIES],
            poses: Vec::new(),
            movers: Vec::new(),
            windows: Windows::default(),
            players: PlayerSet::default(),
            sources: vec![None; MAX_ENTITIES],
            listening: Listening::default(),
            reachable: Reachable::default(),
            number_count: 0,
            last_states: Vec::new(),
            state_bytes: Vec::new(),
            writer: BitWriter::new(),
        }
    }
}

impl WorldFrame {
    /// Takes the copy, and has the states kept for snapshots.
    pub fn capture(
        &mut self,
        time: ServerTime,
        table: &dyn EntityTable,
        world: &World,
        states: &mut StateLog,
    ) {
        self.time = time;
        self.entities.clear();
        self.movers.clear();
        self.poses.clear();
        self.players = PlayerSet::default();
        self.listening.begin();
        self.number_count = table.len();
        for raw in 0..table.len() {
            let Some(num) = EntityNum::new(raw) else { break };
            let Some(record) = world.record(num) else { continue };
            let entity = table.get(num);
            if entity.link.brush_model {
                self.movers.push(players::mover(&entity));
            }
            let kept = states.keep(&mut self.kept[raw], &entity.state);
            self.entities.push(Captured { num, entity, record: *record, kept });
        }
        let is_portal = |captured: &&Captured| captured.entity.link.sv_flags & sv_flag::PORTAL != 0;
        let portals = self.entities.iter().filter(is_portal);
        let states = portals.map(|captured| (captured.num, &captured.entity.state));
        self.windows.settle(states, world.portal_surfaces(), world.clip_map());
    }

    /// Adds how each player stands, and what of it can be heard. Call after [`capture`](Self::capture).
    pub fn observe(&mut self, seats: impl Iterator<Item = Seat>, clip: &Arc<ClipMap>, rules: &Rules) {
        self.poses.resize(MAX_CLIENTS, None);
        self.state_bytes.resize(MAX_CLIENTS, 0);
        self.last_states.resize(MAX_CLIENTS, EntityState::default());
        self.reachable.begin();
        for seat in seats {
            if rules.mode == Mode::Proved {
                let in_world = self.get(seat.player.entity()).is_some();
                self.reachable.seat(&seat, in_world, rules);
            }
            let (player, index) = (seat.player, seat.player.index());
            let entity = self.get(player.entity()).map(|captured| captured.entity);
            self.poses[index] = players::pose(&seat, entity.as_ref(), clip, rules);
            let Some(entity) = entity.filter(|_| rules.mode != Mode::Off) else { continue };
            if self.poses[index].is_some() {
                self.players.insert(player);
            }
            self.listening.player(player, &entity.state, entity.link.origin, self.time);
            let last = std::mem::replace(&mut self.last_states[index], entity.state);
            self.writer.clear();
            write_entity(&mut self.writer, Some(&last), Some(&entity.state), false);
            self.state_bytes[index] = self.writer.bytes().len() as u32;
        }
        if rules.mode == Mode::Proved {
            self.reachable.settle(&self.entities, &self.movers, &mut self.poses, clip, rules);
        }
        if rules.mode != Mode::Off {
            self.listen();
        }
    }

    /// Event entities that are new, and whose they are.
    fn listen(&mut self) {
        for captured in &self.entities {
            let state = &captured.entity.state;
            if state.entity_type <= entity_type::EVENTS || !self.listening.is_new_event(state) {
                continue;
            }
            let kind = state.entity_type - entity_type::EVENTS;
            let inside = |pose: &&Pose| pose.body.contains(state.pos.base);
            let source = sounds::source_of(state).or_else(|| {
                let pose = self.poses.iter().flatten().find(inside).filter(|_| comes_from_within(kind));
                pose.map(|pose| pose.player)
            });
            self.sources[captured.num.index()] = source;
            if let Some(source) = source {
                let place = captured.entity.link.origin;
                self.listening.add(Heard::of(source, kind, state, place, self.time));
            }
        }
    }

    /// Whose doing or suffering each event entity is. Shape: by number.
    pub fn sources(&self) -> &[Option<ClientNum>] {
        &self.sources
    }

    /// What players did in this frame that can be heard.
    pub fn heard(&self) -> &[Heard] {
        self.listening.heard()
    }

    /// Players that are in the world.
    pub fn players(&self) -> PlayerSet {
        self.players
    }

    /// How each player stands. Shape: by slot.
    pub fn poses(&self) -> &[Option<Pose>] {
        &self.poses
    }

    /// What telling of a player's change since the last frame takes. Unit: bytes.
    pub fn state_bytes(&self, player: ClientNum) -> u32 {
        self.state_bytes.get(player.index()).copied().unwrap_or(0)
    }

    /// Entity numbers of the game are below this.
    pub fn number_count(&self) -> usize {
        self.number_count
    }

    /// How a player stands, if it does not look through another's eyes.
    pub fn pose(&self, player: ClientNum) -> Option<&Pose> {
        self.poses.get(player.index())?.as_ref()
    }

    /// How long a client draws from a snapshot, where mode 3 has worked that out.
    pub fn period(&self, client: ClientNum) -> Option<Millis> {
        self.reachable.period(client)
    }

    /// Doors, platforms and other brush models.
    pub fn movers(&self) -> &[Mover] {
        &self.movers
    }

    /// What portals show.
    pub fn windows(&self) -> &Windows {
        &self.windows
    }

    /// The entities, ascending.
    pub fn entities(&self) -> &[Captured] {
        &self.entities
    }

    /// One entity by number.
    pub fn get(&self, num: EntityNum) -> Option<&Captured> {
        self.entities
            .binary_search_by_key(&num, |captured| captured.num)
            .ok()
            .map(|index| &self.entities[index])
    }
}
