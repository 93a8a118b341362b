//! The entity states that the snapshots of the last while are made of, each kept once.
//!
//! Most of what clients are told does not change from frame to frame and is the same for all of them: items wait, doors rest. So a
//! snapshot holds [`StateRef`]s into one log. Two snapshots that show an unchanged entity share its state, and the encoder sees
//! by the address that there is nothing to compare.
//!
//! The log is a ring that never grows. What is overwritten is simply no delta base any more, as if it had been sent too long ago.

use super::Snapshot;
use fogline_common::proto::EntityState;

/// Where a state stands in the [`StateLog`]: the how manieth it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRef(u32);

/// Ring of entity states.
#[derive(Debug)]
pub struct StateLog {
    /// Shape: a power of two, so that counting may wrap.
    ring: Box<[EntityState]>,
    /// What the next state will be.
    next: StateRef,
    /// States written since the start.
    pub written: u64,
}

/// A snapshot's own states, redacted ones and sounds, and the rest of the frame must fit several times over.
const LEAST: usize = 4096;
/// What one more client may write: itself in every frame of some seconds, its missiles, what is redacted for it.
const PER_CLIENT: usize = 256;

impl StateLog {
    /// A log for a server of that many slots.
    pub fn for_clients(slots: usize) -> Self {
        let mut log = Self { ring: Box::default(), next: StateRef(0), written: 0 };
        log.fit(slots);
        log
    }

    /// Makes it of the size that so many slots need. If that is another, all that was kept is gone.
    pub fn fit(&mut self, slots: usize) {
        let len = (LEAST + PER_CLIENT * slots).next_power_of_two();
        if self.ring.len() != len {
            self.ring = vec![EntityState::default(); len].into();
            // Far enough on that nothing from before looks young.
            self.next = StateRef(self.next.0.wrapping_add(len as u32));
        }
    }

    /// Keeps a state. `last` is where the same entity was kept before; if it says the same it is used again, unless it is so old
    /// that it may soon be overwritten: what half the ring has not outlived can always be a delta base.
    ///
    /// The same means to the bit, signs of zeros included, as the encoder compares. What is found under a [`StateRef`] is then what
    /// was given, whenever it was written: when that is depends on all clients, and must not change what one of them is sent.
    pub fn keep(&mut self, last: &mut Option<StateRef>, state: &EntityState) -> StateRef {
        if let Some(at) = *last
            && self.age(at) <= self.ring.len() / 2
            && self.ring[self.slot(at)].words() == state.words()
        {
            return at;
        }
        let at = self.next;
        let slot = self.slot(at);
        self.ring[slot] = *state;
        self.next = StateRef(at.0.wrapping_add(1));
        self.written += 1;
        *last = Some(at);
        at
    }

    /// The state, if it has not been overwritten.
    pub fn get(&self, at: StateRef) -> Option<&EntityState> {
        (self.age(at) <= self.ring.len()).then(|| &self.ring[self.slot(at)])
    }

    /// The entities of a snapshot, if none has been overwritten.
    pub fn of<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> Option<impl Iterator<Item = &'a EntityState> + Clone + use<'a>> {
        let refs = &snapshot.entities;
        let kept = refs.iter().all(|&at| self.age(at) <= self.ring.len());
        kept.then(|| refs.iter().map(|&at| &self.ring[self.slot(at)]))
    }

    /// How many states ago it was written; the newest is 1.
    fn age(&self, at: StateRef) -> usize {
        match self.next.0.wrapping_sub(at.0) {
            0 => usize::MAX,
            age => age as usize,
        }
    }

    fn slot(&self, at: StateRef) -> usize {
        at.0 as usize & (self.ring.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    fn state(number: i32) -> EntityState {
        EntityState { number, ..EntityState::default() }
    }

    #[test]
    fn an_unchanged_state_is_kept_once() {
        let mut log = StateLog::for_clients(8);
        let mut last = None;
        let first = log.keep(&mut last, &state(70));
        assert_eq!(log.keep(&mut last, &state(70)), first);
        assert_ne!(log.keep(&mut last, &EntityState { event: 1, ..state(70) }), first);
        assert_eq!(log.written, 2);
        assert_eq!(log.get(first), Some(&state(70)));
    }

    /// Found on czest3ctf: how much others made the log write decided when a zero got its sign back, so bytes told of them.
    #[test]
    fn what_is_kept_is_what_was_given_however_much_others_write() {
        let facing = |yaw: f32| EntityState { angles: vec3(0.0, yaw, 0.0), ..state(70) };
        let kept = |others: usize| {
            let mut log = StateLog::for_clients(0);
            let mut last = None;
            log.keep(&mut last, &facing(0.0));
            for n in 0..others {
                log.keep(&mut None, &state(n as i32));
            }
            let at = log.keep(&mut last, &facing(-0.0));
            *log.get(at).unwrap().words()
        };
        assert_eq!(kept(0), *facing(-0.0).words());
        assert_eq!(kept(0), kept(LEAST / 2 + 1));
    }

    #[test]
    fn what_is_overwritten_is_known_to_be_gone() {
        let mut log = StateLog::for_clients(0);
        let len = log.ring.len() as i32;
        let first = log.keep(&mut None, &state(0));
        let snapshot = Snapshot { entities: vec![first], ..Snapshot::default() };
        for n in 1..len {
            log.keep(&mut None, &state(n));
        }
        assert_eq!(log.get(first), Some(&state(0)));
        assert!(log.of(&snapshot).is_some());
        log.keep(&mut None, &state(len));
        assert_eq!(log.get(first), None);
        assert!(log.of(&snapshot).is_none());
    }

    #[test]
    fn what_rests_for_long_is_written_again_before_it_is_lost() {
        let mut log = StateLog::for_clients(0);
        let half = log.ring.len() / 2;
        let mut resting = None;
        let mut before = log.keep(&mut resting, &state(1));
        for n in 0..4 * half {
            log.keep(&mut None, &state(n as i32));
            let at = log.keep(&mut resting, &state(1));
            assert!(log.get(before).is_some(), "after {n}");
            before = at;
        }
        assert!(log.written > 4 * half as u64 + 4);
    }

    #[test]
    fn counting_may_wrap() {
        let mut log = StateLog::for_clients(0);
        log.next = StateRef(u32::MAX - 1);
        let refs: Vec<_> = (0..4).map(|n| log.keep(&mut None, &state(n))).collect();
        assert_eq!(refs[3], StateRef(1));
        for (n, at) in refs.iter().enumerate() {
            assert_eq!(log.get(*at), Some(&state(n as i32)));
        }
        assert_eq!(log.get(StateRef(2)), None, "not yet written");
    }
}
