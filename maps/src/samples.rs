//! Random points and shares, by a seed: the same ones each time.

use fogline_common::math::{Bounds, Vec3, vec3};

/// The generator of Steele, Lea and Flood: a counter and a hash, enough to spread points.
pub(crate) struct SplitMix(u64);

impl SplitMix {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own for each task: neighbouring states would give the same numbers, one step apart.
    pub(crate) fn of_task(seed: u64, task: u64) -> Self {
        let scrambled = Self(task).next();
        Self(Self(seed ^ scrambled).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From zero to just below one.
    pub(crate) fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// A point of a box.
    pub(crate) fn point(&mut self, within: &Bounds) -> Vec3 {
        let size = within.size();
        let shares = vec3(self.share(), self.share(), self.share());
        within.mins + vec3(size.x * shares.x, size.y * shares.y, size.z * shares.z)
    }
}
