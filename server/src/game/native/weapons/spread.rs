//! The spread of a shot: a sequence that client and server compute alike from the time of the usercmd that fired it.

/// Numbers from a seed of one byte. Source: `Q_rand`, `Q_random`, `Q_crandom`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    seed: i32,
}

impl Spread {
    /// For a shot fired by the usercmd of that time. Unit: ms.
    pub(super) const fn of_time(server_time: i32) -> Self {
        Self { seed: server_time.rem_euclid(256) }
    }

    /// What events carry, so that clients can repeat the shot.
    pub(super) const fn seed(self) -> i32 {
        self.seed
    }

    /// The next of `0.0..1.0`.
    pub(super) fn random(&mut self) -> f32 {
        self.seed = self.seed.wrapping_mul(69_069).wrapping_add(1);
        (self.seed & 0xffff) as f32 / 65_536.0
    }

    /// The next of `-1.0..1.0`.
    pub(super) fn crandom(&mut self) -> f32 {
        (2.0 * (f64::from(self.random()) - 0.5)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_clients() {
        // From the recurrence: 69069 * 5 + 1 = 345346, of which the low 16 bits are 17666.
        let mut spread = Spread::of_time(1029);
        assert_eq!(spread.seed(), 5);
        assert_eq!(spread.random(), 17_666.0 / 65_536.0);
        // 69069 * 345346 + 1, of which the low 16 bits are 23707.
        assert_eq!(spread.crandom(), 2.0 * (23_707.0 / 65_536.0 - 0.5));
    }
}
