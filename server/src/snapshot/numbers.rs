//! The entity numbers under which one client is told of what comes and goes: events, missiles, sounds of the unseen.
//!
//! A game gives every new entity the lowest free number. A client that were told those numbers could read from the gaps between
//! them how much is going on that it is not told of: a duellist, that the other one shoots. So each client gets numbers of its
//! own, from the highest down, by nothing but what it is told itself.
//!
//! What is there from the map's beginning keeps its number, and so do players: others refer to them.

use super::states::{StateLog, StateRef};
use fogline_common::ids::EntityNum;
use fogline_common::openarena::entity_type;
use fogline_common::proto::EntityState;
use fogline_common::proto::limits::{MAX_ENTITIES, MAX_NORMAL_ENTITIES};
use fogline_common::time::{Millis, ServerTime};

/// Numbers that one client may be given.
const NUMBERS: usize = 512;
/// How long a number rests after it was told of last: a client must have forgotten it. Source: `CG_ResetEntity`, `G_Spawn`.
const REST: Millis = Millis(1300);
/// A game does not give a number to another entity so soon. Source: `G_Spawn`.
const SAME_FOR: Millis = Millis(1000);

/// Numbers given to one client.
#[derive(Debug)]
pub struct Numbers {
    /// By the game's number: the slot given for it, and when it was used last.
    given: Box<[Option<(u16, ServerTime)>]>,
    /// Shape: from the highest number down.
    slots: Box<[Slot]>,
    next: usize,
    /// How often no number was free, so that the game's own was told.
    pub exhausted: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    told: Option<ServerTime>,
    /// Where the state was kept last.
    kept: Option<StateRef>,
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            given: vec![None; MAX_ENTITIES].into(),
            slots: vec![Slot::default(); NUMBERS].into(),
            next: 0,
            exhausted: 0,
        }
    }
}

impl Numbers {
    /// A number that the client has forgotten, in turn. `lowest`: the game's own numbers are below this.
    pub fn fresh(&mut self, lowest: usize, now: ServerTime) -> Option<i32> {
        for _ in 0..NUMBERS {
            let at = self.next;
            self.next = (at + 1) % NUMBERS;
            let slot = &mut self.slots[at];
            let rested = slot.told.is_none_or(|told| now - told >= REST || now < told);
            if rested && number(at) >= lowest {
                slot.told = Some(now);
                return Some(number(at) as i32);
            }
        }
        None
    }

    /// The number that the client knows an entity of the game by, if it comes and goes: the same as long as it is the same
    /// entity. `None` if it goes by the game's own.
    pub fn of(&mut self, state: &EntityState, lowest: usize, now: ServerTime) -> Option<i32> {
        let index = state.num()?.index();
        let known = self.given[index].filter(|&(at, used)| {
            (Millis(0)..SAME_FOR).contains(&(now - used)) && number(usize::from(at)) >= lowest
        });
        let at = match known {
            Some((at, _)) => at,
            // What is left of a missile is of no type of its own, and keeps the missile's number.
            None if !comes_and_goes(state.entity_type) => return None,
            None => match self.fresh(lowest, now) {
                Some(fresh) => slot_of(fresh) as u16,
                None => {
                    self.exhausted += 1;
                    return None;
                }
            },
        };
        self.given[index] = Some((at, now));
        Some(number(usize::from(at)) as i32)
    }

    /// Whether an entity may go by another number than the game's: [`of`](Self::of) knows which.
    pub fn renames(&self, state: &EntityState, now: ServerTime) -> bool {
        let given = |num: EntityNum| {
            self.given[num.index()].is_some_and(|(_, used)| (Millis(0)..SAME_FOR).contains(&(now - used)))
        };
        comes_and_goes(state.entity_type) || state.num().is_some_and(given)
    }

    /// Keeps a state under a number of ours.
    pub fn keep(&mut self, state: &EntityState, states: &mut StateLog, now: ServerTime) -> StateRef {
        let slot = &mut self.slots[slot_of(state.number)];
        slot.told = Some(now);
        states.keep(&mut slot.kept, state)
    }
}

const fn number(slot: usize) -> usize {
    MAX_NORMAL_ENTITIES - 1 - slot
}

const fn slot_of(number: i32) -> usize {
    MAX_NORMAL_ENTITIES - 1 - number as usize
}

/// Whether entities of a type are made and gone all the time, and nothing that a client is told refers to their numbers.
fn comes_and_goes(kind: i32) -> bool {
    kind > entity_type::EVENTS || matches!(kind, entity_type::MISSILE | entity_type::GRAPPLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::openarena::event;

    fn state(number: i32, kind: i32) -> EntityState {
        EntityState { number, entity_type: kind, ..EntityState::default() }
    }

    #[test]
    fn a_client_cannot_read_from_numbers_what_it_is_not_told() {
        let shot = entity_type::EVENTS + event::FIRE_WEAPON;
        // The second client's game has made other entities in between.
        let told = |numbers: &[i32]| -> Vec<Option<i32>> {
            let mut ours = Numbers::default();
            numbers.iter().map(|&number| ours.of(&state(number, shot), 300, ServerTime(5000))).collect()
        };
        assert_eq!(told(&[100, 101, 102]), told(&[100, 117, 203]));
        assert_eq!(told(&[100, 101]), [Some(1021), Some(1020)]);
    }

    #[test]
    fn an_entity_keeps_its_number_and_hands_it_to_what_is_left_of_it() {
        let mut numbers = Numbers::default();
        assert!(!numbers.renames(&state(100, entity_type::GENERAL), ServerTime(5000)));
        let rocket = numbers.of(&state(100, entity_type::MISSILE), 300, ServerTime(5000));
        assert!(rocket.is_some() && numbers.renames(&state(100, entity_type::GENERAL), ServerTime(5900)));
        assert_eq!(numbers.of(&state(100, entity_type::MISSILE), 300, ServerTime(5900)), rocket);
        assert_eq!(numbers.of(&state(100, entity_type::GENERAL), 300, ServerTime(6000)), rocket);
        // So long after it is another one.
        assert_ne!(numbers.of(&state(100, entity_type::MISSILE), 300, ServerTime(7000)), rocket);
    }

    #[test]
    fn what_the_map_began_with_keeps_its_number() {
        let mut numbers = Numbers::default();
        for kind in [entity_type::PLAYER, entity_type::ITEM, entity_type::MOVER, entity_type::GENERAL] {
            assert_eq!(numbers.of(&state(100, kind), 300, ServerTime(5000)), None);
        }
    }

    #[test]
    fn where_none_is_free_the_games_own_is_told() {
        let mut numbers = Numbers::default();
        let ask = |numbers: &mut Numbers, n: i32, lowest| {
            numbers.of(&state(n, entity_type::MISSILE), lowest, ServerTime(5000))
        };
        assert_eq!((0..10).filter_map(|n| ask(&mut numbers, 100 + n, 1018)).count(), 4);
        assert_eq!(numbers.exhausted, 6);
        // A number that the game has grown into is the game's.
        assert_eq!(ask(&mut numbers, 100, 1022), None);
    }

    #[test]
    fn a_number_rests_after_it_was_told_of_last() {
        let (mut numbers, mut log) = (Numbers::default(), StateLog::for_clients(1));
        let first = numbers.fresh(1021, ServerTime(1000)).unwrap();
        numbers.keep(&state(first, 0), &mut log, ServerTime(1300));
        assert_eq!(numbers.fresh(1021, ServerTime(2599)), None);
        assert_eq!(numbers.fresh(1021, ServerTime(2600)), Some(first));
    }
}
