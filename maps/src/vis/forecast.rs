//! How long a run will take, said before the long part begins.
//!
//! The number of chains of the flow follows the number of portal pairs that are still open when it begins: 0.21 to 0.45 chains a pair
//! on five maps of 900 to 4,400 portals (`docs/vis.md`). How fast this machine is shows in the tightening that goes before.

/// What is known when the flow begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Portal pairs that are still open, each way counted.
    pub open_pairs: u64,
    /// Tests that the tightening made.
    pub tests_made: u64,
}

/// Chains for each open pair, in the middle of what was measured.
const CHAINS_PER_PAIR: f64 = 0.36;
/// What a chain costs. Unit: tests of the tightening.
const TESTS_PER_CHAIN: f64 = 45.0;

impl Forecast {
    /// Seconds that the flow will take, if the tightening took so many.
    pub fn seconds(&self, tightening_seconds: f64) -> f64 {
        let tests = self.open_pairs as f64 * CHAINS_PER_PAIR * TESTS_PER_CHAIN;
        tightening_seconds * tests / (self.tests_made.max(1)) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_pairs_take_twice_the_time() {
        let one = Forecast { open_pairs: 1_000_000, tests_made: 4_000_000 };
        let two = Forecast { open_pairs: 2_000_000, ..one };
        assert!((two.seconds(0.5) - 2.0 * one.seconds(0.5)).abs() < 1e-9);
        assert!(Forecast { open_pairs: 0, tests_made: 0 }.seconds(1.0) < 1e-9);
    }
}
