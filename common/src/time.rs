//! Three clocks that do not mix, and the difference of two readings of one of them.
//!
//! A snapshot carries a [`ServerTime`], a usercmd claims a [`CommandTime`], a datagram has an [`Arrival`]. The only way
//! from one to another is a function named for it.

use std::ops::{Add, AddAssign, Sub};

/// A span of any of the clocks. Unit: ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i32);

/// The clock of the game world, which snapshots carry. Starts again at each map. Unit: ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerTime(pub i32);

/// The time that a usercmd claims: what its client was drawing. Not to be trusted. Unit: ms of [`ServerTime`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandTime(pub i32);

/// When something reached this machine: monotonic, from an arbitrary zero. Unit: µs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arrival(pub u64);

impl Add for Millis {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl Add<Millis> for ServerTime {
    type Output = Self;
    fn add(self, span: Millis) -> Self {
        Self(self.0.wrapping_add(span.0))
    }
}

impl AddAssign<Millis> for ServerTime {
    fn add_assign(&mut self, span: Millis) {
        *self = *self + span;
    }
}

impl Sub<Millis> for ServerTime {
    type Output = Self;
    fn sub(self, span: Millis) -> Self {
        Self(self.0.wrapping_sub(span.0))
    }
}

impl Sub for ServerTime {
    type Output = Millis;
    fn sub(self, earlier: Self) -> Millis {
        Millis(self.0.wrapping_sub(earlier.0))
    }
}

impl Sub for CommandTime {
    type Output = Millis;
    fn sub(self, earlier: Self) -> Millis {
        Millis(self.0.wrapping_sub(earlier.0))
    }
}

impl CommandTime {
    /// The moment of the world that an honest client was drawing when it made this command.
    pub const fn as_drawn(self) -> ServerTime {
        ServerTime(self.0)
    }
}

impl Arrival {
    /// Time since `earlier`, zero if that lies ahead, at most some 24 days.
    pub fn since(self, earlier: Self) -> Millis {
        Millis(i32::try_from(self.0.saturating_sub(earlier.0) / 1000).unwrap_or(i32::MAX))
    }

    /// Time since `earlier` in µs, zero if that lies ahead.
    pub const fn micros_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This moment and `span` later; a negative span counts as none.
    #[must_use]
    pub fn after(self, span: Millis) -> Self {
        Self(self.0 + u64::from(span.0.max(0).unsigned_abs()) * 1000)
    }

    /// The zero of the clock and `ms` later: for simulations, which start there.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_never_counts_backwards() {
        assert_eq!(Arrival::from_millis(5).since(Arrival::from_millis(9)), Millis(0));
        assert_eq!(Arrival::from_millis(9).since(Arrival::from_millis(5)), Millis(4));
        assert_eq!(Arrival::from_millis(9).after(Millis(-3)), Arrival::from_millis(9));
    }
}
