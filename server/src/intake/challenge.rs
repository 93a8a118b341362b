//! The number that proves that a connect comes from the address it claims: a keyed hash, so nothing is stored for a stranger.
//!
//! Bound to address, port and a window of time; the window before is accepted too. Source: facts page "q3-protocol-facts",
//! sections 1 and 5; the stock server keeps a table of 2048 instead, which a flood can fill.

use fogline_common::time::Arrival;
use siphasher::sip::SipHasher13;
use std::hash::{Hash, Hasher};
use std::net::SocketAddr;

/// A challenge is good for one to two of these. A refused client keeps asking with the one it has, so minutes, not seconds.
pub const WINDOW_US: u64 = 120_000_000;

/// Issues and checks challenges.
pub struct Challenges {
    key: [u8; 16],
}

impl Challenges {
    /// `key` must be unknown outside and must not be derived from a seed that games draw from.
    pub const fn new(key: [u8; 16]) -> Self {
        Self { key }
    }

    /// The challenge of this address, port and time.
    pub fn issue(&self, now: Arrival, from: SocketAddr) -> i32 {
        self.of_window(now.0 / WINDOW_US, from)
    }

    /// Whether `claimed` was issued to this address and port in this window or in the one before.
    pub fn accepts(&self, now: Arrival, from: SocketAddr, claimed: i32) -> bool {
        let window = now.0 / WINDOW_US;
        claimed == self.of_window(window, from)
            || window.checked_sub(1).is_some_and(|before| claimed == self.of_window(before, from))
    }

    /// Odd and of at least 2^30 as a bit pattern: the wire of a client is told by `challenge ^ sequence * challenge`, which an
    /// even or a small number would repeat or make look like ordinary content. 30 bits remain to be guessed.
    fn of_window(&self, window: u64, from: SocketAddr) -> i32 {
        let mut hasher = SipHasher13::new_with_key(&self.key);
        (window, from.ip().to_canonical(), from.port()).hash(&mut hasher);
        (hasher.finish() as u32 | 0x4000_0001).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::time::Millis;
    use proptest::prelude::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_challenge_holds_for_its_window_and_the_next() {
        let challenges = Challenges::new([1; 16]);
        let (from, issued) = (at("192.0.2.1:27961"), Arrival(WINDOW_US * 3 - 1));
        let challenge = challenges.issue(issued, from);
        assert!(challenges.accepts(issued, from, challenge));
        assert!(challenges.accepts(Arrival(WINDOW_US * 4 - 1), from, challenge));
        assert!(!challenges.accepts(Arrival(WINDOW_US * 4), from, challenge));
        assert!(challenges.accepts(issued.after(Millis(119_000)), from, challenge));
    }

    #[test]
    fn a_challenge_is_of_no_use_from_elsewhere() {
        let challenges = Challenges::new([1; 16]);
        let now = Arrival::from_millis(1);
        let challenge = challenges.issue(now, at("192.0.2.1:27961"));
        assert!(!challenges.accepts(now, at("192.0.2.1:27962"), challenge));
        assert!(!challenges.accepts(now, at("192.0.2.2:27961"), challenge));
        assert!(!Challenges::new([2; 16]).accepts(now, at("192.0.2.1:27961"), challenge));
    }

    #[test]
    fn an_address_is_the_same_on_either_socket() {
        let challenges = Challenges::new([1; 16]);
        let now = Arrival::from_millis(1);
        assert!(challenges.accepts(
            now,
            at("[::ffff:192.0.2.1]:5"),
            challenges.issue(now, at("192.0.2.1:5"))
        ));
    }

    proptest! {
        #[test]
        fn no_challenge_is_zero_or_trivial(key: [u8; 16], port: u16, now in 0_u64..u64::MAX / 2) {
            let challenge = Challenges::new(key).issue(Arrival(now), SocketAddr::from(([192, 0, 2, 1], port)));
            prop_assert!(challenge & 1 == 1 && challenge.cast_unsigned() >= 1 << 30);
        }
    }
}
