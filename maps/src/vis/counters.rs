//! Work, counted: the same on every machine and with any number of threads.

/// What a vis run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Portals looked at as the next of a chain.
    pub tests: u64,
    /// Of these, refused by their sphere alone.
    pub spheres: u64,
    /// Of these, cut polygon by polygon.
    pub clips: u64,
    /// Of these, what an earlier chain had come to with as much.
    pub repeats: u64,
    /// Chains: portals entered.
    pub chains: u64,
    /// Wanted portals held against the planes of a chain.
    pub targets: u64,
    /// Chains that were longer than is followed.
    pub chains_cut: u64,
}

impl Counters {
    /// Adds another's work.
    pub fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.spheres += other.spheres;
        self.clips += other.clips;
        self.repeats += other.repeats;
        self.chains += other.chains;
        self.targets += other.targets;
        self.chains_cut += other.chains_cut;
    }
}
