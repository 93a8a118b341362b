//! How much may be searched for in one frame.
//!
//! The host says it in µs; decisions count *work*, never time, so that a journal replays to the same bytes on any machine. What
//! a piece of work costs is a constant here, measured once. Pairs that were turned away are served first in the next frame, the
//! one that has waited longest before all: as much of the allowance as they need is set aside from pairs that have waited less.

use fogline_common::time::{Millis, ServerTime};
use std::cell::{Cell, RefCell};

/// A piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// One volume against two boxes.
    Check,
    /// One ray through the map.
    Ray,
    /// A search among all volumes on the way.
    Search,
    /// A flood over portals.
    Flood,
    /// One portal of a flow.
    Step,
}

impl Cost {
    /// Nominal time, the same everywhere. Source: means of three maps by `cargo bench -p fogline-server --bench visibility -- proved`.
    /// Unit: ns.
    const fn nanos(self) -> u64 {
        match self {
            Self::Check => 200,
            Self::Ray => 400,
            Self::Search => 1700,
            Self::Flood => 2900,
            Self::Step => 1700,
        }
    }
}

/// What a search costs in all, as far as can be said before. Unit: ns.
const EXPECTED: u64 =
    Cost::Search.nanos() + Cost::Flood.nanos() + 5 * Cost::Ray.nanos() + 6 * Cost::Check.nanos();
/// What a flow costs as a rule. Unit: ns.
const EXPECTED_OF_FLOW: u64 = Cost::Flood.nanos() + 40 * Cost::Step.nanos();
/// Pairs turned away that are remembered; there are no more.
const MOST_WAITING: usize = 64 * 64;

/// The allowance of one frame.
#[derive(Debug, Default)]
pub struct Budget {
    allowed: Cell<u64>,
    spent: Cell<u64>,
    /// When those were searched for last that were turned away in the frame before, rising.
    waiting: RefCell<Vec<ServerTime>>,
    turned_away: RefCell<Vec<ServerTime>>,
    /// Pairs turned away since the map began.
    refusals: Cell<u64>,
    now: Cell<Option<ServerTime>>,
}

impl Budget {
    /// A frame begins, in which searches may take `micros`.
    pub fn begin(&self, micros: i32, now: ServerTime) {
        self.allowed.set(u64::from(micros.max(0).unsigned_abs()) * 1000);
        self.spent.set(0);
        self.now.set(Some(now));
        let (mut waiting, mut turned_away) = (self.waiting.borrow_mut(), self.turned_away.borrow_mut());
        waiting.clear();
        std::mem::swap(&mut *waiting, &mut *turned_away);
        waiting.sort_unstable();
    }

    /// Work was done.
    pub fn spend(&self, cost: Cost) {
        self.spend_many(cost, 1);
    }

    /// So many pieces of work were done.
    pub fn spend_many(&self, cost: Cost, pieces: u32) {
        self.spent.set(self.spent.get() + u64::from(pieces) * cost.nanos());
    }

    /// How many pieces of work may still be done in the frame of `now`, one at least.
    pub fn left_for(&self, cost: Cost, now: ServerTime) -> u32 {
        if self.now.get() != Some(now) {
            return u32::MAX;
        }
        let left = self.allowed.get().saturating_sub(self.spent.get()) / cost.nanos();
        u32::try_from(left).unwrap_or(u32::MAX).max(1)
    }

    /// Whether there is time left in the frame of `now` to look along a line or two.
    pub fn has_left(&self, now: ServerTime) -> bool {
        self.now.get() != Some(now) || self.spent.get() < self.allowed.get()
    }

    /// Whether a pair that was searched for last at `searched` may be searched for in the frame of `now`. Where no frame was begun,
    /// any may.
    pub fn grants(&self, searched: ServerTime, now: ServerTime) -> bool {
        self.grants_work(EXPECTED, searched, now)
    }

    /// The same of a pair whose lines were followed last at `followed`.
    pub fn grants_flow(&self, followed: ServerTime, now: ServerTime) -> bool {
        self.grants_work(EXPECTED_OF_FLOW, followed, now)
    }

    fn grants_work(&self, expected: u64, searched: ServerTime, now: ServerTime) -> bool {
        if self.now.get() != Some(now) {
            return true;
        }
        let longer = self.waiting.borrow().partition_point(|&other| other < searched) as u64;
        let grants = self.spent.get() + (longer + 1) * expected <= self.allowed.get();
        if !grants {
            self.refusals.set(self.refusals.get() + 1);
            let mut turned_away = self.turned_away.borrow_mut();
            if turned_away.len() < MOST_WAITING {
                turned_away.push(searched);
            }
        }
        grants
    }

    /// Whether pairs wait for a search that were turned away in the frame before.
    pub fn is_short(&self) -> bool {
        !self.waiting.borrow().is_empty()
    }

    /// Nominal time spent in this frame.
    pub fn spent(&self) -> Millis {
        Millis((self.spent.get() / 1_000_000) as i32)
    }

    /// Pairs turned away since it was made.
    pub fn refusals(&self) -> u64 {
        self.refusals.get()
    }

    /// A new map.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of `pairs`, given by when they were searched for last, are served in a frame.
    fn serve(budget: &Budget, micros: i32, now: i32, pairs: &mut [i32]) -> usize {
        budget.begin(micros, ServerTime(now));
        let mut served = 0;
        for searched in pairs {
            if budget.grants(ServerTime(*searched), ServerTime(now)) {
                *searched = now;
                served += 1;
                budget.spend(Cost::Search);
                budget.spend(Cost::Flood);
            }
        }
        served
    }

    #[test]
    fn no_frame_spends_more_than_it_may_and_nobody_waits_for_ever() {
        let budget = Budget::default();
        let mut pairs = vec![0; 100];
        for frame in 1..=20 {
            let served = serve(&budget, 100, frame * 50, &mut pairs);
            assert!((15..=22).contains(&served), "frame {frame}: {served}");
            assert!(budget.spent.get() <= 100_000);
        }
        // Each has had its turn several times, although all are asked in one order.
        let oldest = pairs.iter().min().unwrap();
        assert!(*oldest >= 700, "{pairs:?}");
        assert!(budget.refusals() > 1000);
    }

    #[test]
    fn without_an_allowance_nothing_is_searched_for_and_without_a_frame_everything() {
        let budget = Budget::default();
        assert!(budget.grants(ServerTime(0), ServerTime(50)));
        assert_eq!(serve(&budget, 0, 50, &mut [0, 0, 0]), 0);
        assert_eq!(serve(&budget, 2000, 100, &mut [0, 0, 0]), 3);
    }
}
