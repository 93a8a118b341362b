//! How fast a client may be sent to: the rate it asks for, the server's bounds, and when its line is free again.

use crate::config::Config;
use fogline_common::proto::info_string;
use fogline_common::time::{Arrival, Millis};
use std::net::IpAddr;

/// Rate of a client that asks for none. Unit: bytes a second. Source: facts page "q3-protocol-facts", section 6.
const DEFAULT_RATE: i32 = 3000;
/// Bounds of what a client may ask for. Unit: bytes a second.
const RATE_BOUNDS: (i32, i32) = (1000, 90000);
/// Rate of clients on the host's own network. Unit: bytes a second.
const LAN_RATE: i32 = 99999;
/// Time between snapshots for a client that does not say how many it wants.
const DEFAULT_SNAPSHOT_GAP: Millis = Millis(50);

/// What a client's line can take, and what was last put on it.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Unit: bytes a second.
    pub rate: i32,
    /// Shortest time between two snapshots.
    pub snapshot_gap: Millis,
    /// No rate limit at all: the host's own network.
    pub unlimited: bool,
    /// Size of the last datagram.
    last_bytes: usize,
    /// When it was sent.
    last_sent: Arrival,
}

impl Pace {
    /// From a client's userinfo and where it comes from.
    pub fn from_userinfo(userinfo: &str, address: IpAddr, config: &Config) -> Self {
        let lan = is_lan(address);
        let forced = lan && config.sv_lanforcerate;
        let asked = match info_string::value(userinfo, "rate") {
            "" => DEFAULT_RATE,
            text => leading_int(text).clamp(RATE_BOUNDS.0, RATE_BOUNDS.1),
        };
        let rate = if forced && config.dedicated != 2 { LAN_RATE } else { asked };
        let snapshot_gap = match info_string::value(userinfo, "snaps") {
            "" => DEFAULT_SNAPSHOT_GAP,
            text => Millis(1000 / leading_int(text).clamp(1, config.sv_fps.max(1))),
        };
        Self { rate, snapshot_gap, unlimited: forced, last_bytes: 0, last_sent: Arrival(0) }
    }

    /// Takes over what the client asks for now and keeps what is on the line.
    pub fn renew(&mut self, asked: Self) {
        *self = Self { last_bytes: self.last_bytes, last_sent: self.last_sent, ..asked };
    }

    /// A datagram of `bytes` went out.
    pub fn sent(&mut self, bytes: usize, now: Arrival) {
        self.last_bytes = bytes;
        self.last_sent = now;
    }

    /// When the line is free for the next datagram.
    pub fn free_at(&self, address: IpAddr, config: &Config) -> Arrival {
        if self.unlimited || self.last_bytes == 0 {
            return self.last_sent;
        }
        let mut rate = self.rate;
        if config.sv_minrate > 0 {
            rate = rate.max(config.sv_minrate.max(1000));
        }
        if config.sv_maxrate > 0 {
            rate = rate.min(config.sv_maxrate.max(1000));
        }
        let header = if address.is_ipv4() { 28 } else { 48 };
        let micros = (self.last_bytes + header) as u64 * 1_000_000 / rate.max(1).unsigned_abs() as u64;
        Arrival(self.last_sent.0 + micros)
    }
}

/// Whether the address is on the host's own network. Source: private and link-local ranges.
pub fn is_lan(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_private() || v4.is_loopback() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unicast_link_local() || v6.is_unique_local(),
    }
}

/// The integer at the start of a text, as C's `atoi` reads it; 0 if there is none, saturating.
pub fn leading_int(text: &str) -> i32 {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = digits
        .bytes()
        .take_while(u8::is_ascii_digit)
        .fold(0i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(i64::from(i32::MAX)));
    (if negative { -value } else { value }) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const WIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(8, 8, 8, 8));
    const LAN: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 168, 1, 9));

    #[test]
    fn what_a_client_asks_for_is_bounded() {
        let config = Config::default();
        let pace = |info: &str| Pace::from_userinfo(info, WIDE, &config);
        assert_eq!(pace("").rate, 3000);
        assert_eq!(pace("\\rate\\50").rate, 1000);
        assert_eq!(pace("\\rate\\999999").rate, 90000);
        assert_eq!(pace("").snapshot_gap, Millis(50));
        assert_eq!(pace("\\snaps\\40").snapshot_gap, Millis(50));
        assert_eq!(pace("\\snaps\\0").snapshot_gap, Millis(1000));
        assert_eq!(pace("\\snaps\\x").snapshot_gap, Millis(1000));
    }

    #[test]
    fn a_slow_line_is_free_when_the_last_datagram_has_left_it() {
        let config = Config::default();
        let mut pace = Pace::from_userinfo("\\rate\\5000", WIDE, &config);
        pace.sent(472, Arrival::from_millis(10));
        assert_eq!(pace.free_at(WIDE, &config), Arrival::from_millis(110));
        let lan = Pace::from_userinfo("\\rate\\5000", LAN, &config);
        assert!(lan.unlimited);
    }

    #[test]
    fn the_host_bounds_rates_at_send_time() {
        let config = Config { sv_maxrate: 2000, ..Config::default() };
        let mut pace = Pace::from_userinfo("\\rate\\25000", WIDE, &config);
        pace.sent(972, Arrival(0));
        assert_eq!(pace.free_at(WIDE, &config), Arrival::from_millis(500));
    }

    #[test]
    fn integers_are_read_as_c_reads_them() {
        for (text, value) in [("12x", 12), (" -5", -5), ("", 0), ("x", 0), ("99999999999", i32::MAX)] {
            assert_eq!(leading_int(text), value, "{text:?}");
        }
    }
}
