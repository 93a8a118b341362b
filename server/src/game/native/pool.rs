//! The game's entities by number: players first, then bodies, then the map and what comes and goes.

use super::entity::{Entity, Kind};
use crate::game::{EntityTable, SharedEntity};
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::proto::limits::{MAX_CLIENTS, MAX_NORMAL_ENTITIES};
use fogline_common::time::{Millis, ServerTime};
use std::ops::{Index, IndexMut};

/// Bodies that lie about at once. Source: `BODY_QUEUE_SIZE`.
pub(super) const BODY_COUNT: usize = 8;
/// A number is not given to another entity for this long, so that clients do not blend the two.
const REUSE_AFTER: Millis = Millis(1000);
/// But numbers freed while a map is being set up are.
const SETUP_TIME: Millis = Millis(2000);

/// Every entity, used or not. Shape: indexed by entity number; never longer than the numbers that a game may use.
#[derive(Debug)]
pub(super) struct Pool {
    entities: Vec<Entity>,
    slots: Vec<Slot>,
    /// Entities that could not be made because every number was taken.
    pub(super) refused: u64,
    start: ServerTime,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    in_use: bool,
    freed_at: Option<ServerTime>,
}

impl Pool {
    /// Numbers for players and bodies, nothing in use.
    pub(super) fn new() -> Self {
        let mut pool = Self {
            entities: Vec::with_capacity(MAX_NORMAL_ENTITIES),
            slots: Vec::with_capacity(MAX_NORMAL_ENTITIES),
            refused: 0,
            start: ServerTime(0),
        };
        pool.reset(ServerTime(0));
        pool
    }

    /// As at the start of a level: nothing in use, everything forgotten.
    pub(super) fn reset(&mut self, start: ServerTime) {
        self.entities.clear();
        self.slots.clear();
        self.start = start;
        for number in 0..MAX_CLIENTS + BODY_COUNT {
            self.entities.push(fresh(number));
            self.slots.push(Slot { in_use: number >= MAX_CLIENTS, freed_at: None });
        }
    }

    /// Numbers in use are below this.
    pub(super) fn count(&self) -> usize {
        self.entities.len()
    }

    /// Whether the number is taken.
    pub(super) fn in_use(&self, num: EntityNum) -> bool {
        self.slots.get(num.index()).is_some_and(|slot| slot.in_use)
    }

    /// Every number in use, ascending, as of now.
    pub(super) fn numbers(&self) -> impl Iterator<Item = EntityNum> + '_ {
        let used = self.slots.iter().enumerate().filter(|(_, slot)| slot.in_use);
        used.filter_map(|(number, _)| EntityNum::new(number))
    }

    /// A fresh entity under a free number, or `None` (counted) if there is none. Source: `G_Spawn`.
    pub(super) fn spawn(&mut self, now: ServerTime) -> Option<EntityNum> {
        let number = self.free_number(now)?;
        if number == self.entities.len() {
            self.entities.push(fresh(number));
            self.slots.push(Slot::default());
        }
        self.entities[number] = fresh(number);
        self.slots[number] = Slot { in_use: true, freed_at: None };
        EntityNum::new(number)
    }

    /// The lowest number that is free and rested, else the next new one, else any that is free.
    fn free_number(&mut self, now: ServerTime) -> Option<usize> {
        let first = MAX_CLIENTS + BODY_COUNT;
        let start = self.start;
        let rested = |slot: &Slot| {
            !slot.in_use && slot.freed_at.is_none_or(|at| at - start <= SETUP_TIME || now - at >= REUSE_AFTER)
        };
        let slots = &self.slots[first..];
        let found = slots.iter().position(rested).map(|at| first + at).or_else(|| {
            if self.slots.len() < MAX_NORMAL_ENTITIES {
                Some(self.slots.len())
            } else {
                slots.iter().position(|slot| !slot.in_use).map(|at| first + at)
            }
        });
        if found.is_none() {
            self.refused += 1;
        }
        found
    }

    /// Takes a player's number into use.
    pub(super) fn claim(&mut self, client: ClientNum, entity: Entity) {
        let number = client.index();
        let mut entity = entity;
        entity.shared.state.number = number as i32;
        self.entities[number] = entity;
        self.slots[number] = Slot { in_use: true, freed_at: None };
    }

    /// Gives a number back. The entity must be out of the world already.
    pub(super) fn free(&mut self, num: EntityNum, now: ServerTime) {
        let number = num.index();
        debug_assert!(!self.entities[number].shared.link.linked, "{num:?} is freed while linked");
        self.entities[number] = fresh(number);
        self.slots[number] = Slot { in_use: false, freed_at: Some(now) };
    }

    /// The player that an entity is.
    pub(super) fn client_of(&self, num: EntityNum) -> Option<ClientNum> {
        match self.entities.get(num.index())?.kind {
            Kind::Player(client) => Some(client),
            _ => None,
        }
    }
}

/// An entity of which nothing is known but its number.
fn fresh(number: usize) -> Entity {
    let mut entity = Entity::default();
    entity.shared.state.number = number as i32;
    entity.shared.link.owner = EntityNum::NONE_ON_WIRE;
    entity
}

impl Index<EntityNum> for Pool {
    type Output = Entity;
    fn index(&self, num: EntityNum) -> &Entity {
        &self.entities[num.index()]
    }
}

impl IndexMut<EntityNum> for Pool {
    fn index_mut(&mut self, num: EntityNum) -> &mut Entity {
        &mut self.entities[num.index()]
    }
}

impl EntityTable for Pool {
    fn len(&self) -> usize {
        self.entities.len()
    }

    fn get(&self, num: EntityNum) -> SharedEntity {
        self.entities.get(num.index()).map_or_else(SharedEntity::default, |entity| entity.shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_rests_a_second_before_it_is_used_again() {
        let mut pool = Pool::new();
        let late = ServerTime(10_000);
        let first = pool.spawn(late).unwrap();
        assert_eq!(first.index(), MAX_CLIENTS + BODY_COUNT);
        pool.free(first, late);
        assert_ne!(pool.spawn(late + Millis(999)), Some(first));
        assert_eq!(pool.spawn(late + Millis(1000)), Some(first));
    }

    #[test]
    fn at_the_start_of_a_level_numbers_are_reused_at_once() {
        let mut pool = Pool::new();
        let first = pool.spawn(ServerTime(100)).unwrap();
        pool.free(first, ServerTime(100));
        assert_eq!(pool.spawn(ServerTime(100)), Some(first));
    }

    #[test]
    fn when_all_numbers_are_taken_the_refusal_is_counted() {
        let mut pool = Pool::new();
        while pool.spawn(ServerTime(0)).is_some() {}
        assert_eq!((pool.count(), pool.refused), (MAX_NORMAL_ENTITIES, 1));
    }
}
