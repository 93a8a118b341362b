//! Holds the proxy to what was asked of it: sends numbered datagrams through it on this machine and measures delay and loss.
//!
//! Both ends and the relay take turns on one thread. A datagram on loopback has arrived when the call that sends it returns, so
//! what is measured beyond the asked delay is the relay's own, and how late the machine woke it.

use crate::lag::proxy::Links;
use crate::lag::relay::Relay;
use crate::link::LinkConfig;
use crate::rim::sockets::Sockets;
use crate::swarm::meter::Spread;
use crate::table::{Cell, Table};
use fogline_common::time::{Arrival, Millis};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

/// Datagrams sent in a row.
const IN_A_ROW: u64 = 10;
/// Time from one row to the next.
const EVERY: Millis = Millis(1);
/// How far delay and loss may be from what was asked. Unit: ms, percentage points.
const DELAY_OFF_MAX: f64 = 1.0;
const LOSS_OFF_MAX: f64 = 0.2;

/// One way, as it was measured.
#[derive(Clone, Debug, Default)]
struct Way {
    sent: u64,
    came: u64,
    /// Unit: µs.
    delays: Spread,
}

/// Measures both ways with `count` datagrams up, each of which is answered. The table, and whether the medians and the losses are
/// what was asked.
///
/// # Errors
/// If a socket cannot be had or fails.
pub fn measure(
    links: Links,
    seed: u64,
    count: u64,
    mut progress: impl FnMut(u64),
) -> io::Result<(Table, bool)> {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut ends = Sockets::default();
    let (client, server) = (ends.open(any)?, ends.open(any)?);
    let mut relay = Relay::open(any, ends.address(server)?, links, seed)?;
    let to = relay.address()?;
    let mut ways = [Way::default(), Way::default()];
    let longest = |link: &LinkConfig| Millis(link.delay.0 + link.jitter.0 + link.reorder_by.0 + 500);
    let mut next = 0;
    let mut due = relay.now();
    let mut end = None;
    while end.is_none_or(|end| relay.now() < end) {
        if next < count && relay.now() >= due {
            for _ in 0..IN_A_ROW.min(count - next) {
                ends.send(client, to, &relay.now().0.to_le_bytes())?;
                ways[0].sent += 1;
                next += 1;
            }
            due = due.after(EVERY);
            progress(next);
            if next == count {
                end = Some(relay.now().after(longest(&links.up)).after(longest(&links.down)));
            }
        }
        relay.step(end.unwrap_or(due))?;
        let mut stamp = [0; 8];
        while let Some((_, from)) = ends.receive(server, &mut stamp)? {
            ways[0].take(relay.now(), stamp);
            ends.send(server, from, &relay.now().0.to_le_bytes())?;
            ways[1].sent += 1;
        }
        while ends.receive(client, &mut stamp)?.is_some() {
            ways[1].take(relay.now(), stamp);
        }
    }
    let mut table = Table::new(&[
        "way",
        "datagrams",
        "asked_delay_ms",
        "asked_jitter_ms",
        "delay_ms_p5",
        "delay_ms_p50",
        "delay_ms_p95",
        "delay_off_ms",
        "asked_loss_pct",
        "loss_pct",
        "loss_off_points",
        "within",
    ]);
    let mut all = true;
    for (name, way, link) in [("up", &ways[0], &links.up), ("down", &ways[1], &links.down)] {
        let (row, within) = way.row(name, link);
        all &= within;
        table.push(row);
    }
    Ok((table, all))
}

impl Way {
    fn take(&mut self, now: Arrival, stamp: [u8; 8]) {
        self.came += 1;
        self.delays.record(now.micros_since(Arrival(u64::from_le_bytes(stamp))));
    }

    fn row(&self, name: &str, link: &LinkConfig) -> (Vec<Cell>, bool) {
        let ms = |share: f64| self.delays.quantile(share) as f64 / 1000.0;
        // The middle of what jitter spreads.
        let asked = f64::from(link.delay.0) + f64::from(link.jitter.0) / 2.0;
        let delay_off = ms(0.5) - asked;
        // A copy counts as having come, so that what is duplicated is not taken for what is not lost.
        let expected = self.sent as f64 * (1.0 + link.duplicate);
        let loss = 100.0 * (1.0 - self.came as f64 / expected.max(1.0));
        let loss_off = loss - link.loss * 100.0;
        let within = self.sent > 0 && delay_off.abs() <= DELAY_OFF_MAX && loss_off.abs() <= LOSS_OFF_MAX;
        let row = vec![
            Cell::text(name),
            Cell::Count(self.sent),
            Cell::Real(f64::from(link.delay.0), 0),
            Cell::Real(f64::from(link.jitter.0), 0),
            Cell::Real(ms(0.05), 2),
            Cell::Real(ms(0.5), 2),
            Cell::Real(ms(0.95), 2),
            Cell::Real(delay_off, 2),
            Cell::Real(link.loss * 100.0, 2),
            Cell::Real(loss, 2),
            Cell::Real(loss_off, 2),
            Cell::text(if within { "yes" } else { "no" }),
        ];
        (row, within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_through_is_counted_each_way_and_nothing_comes_too_early() {
        let up = LinkConfig { delay: Millis(3), ..LinkConfig::default() };
        let links = Links { up, down: LinkConfig { loss: 1.0, ..up } };
        let (table, _) = measure(links, 1, 200, |_| ()).unwrap();
        let rows = table.rows();
        assert_eq!((&rows[0][1], &rows[1][1]), (&Cell::Count(200), &Cell::Count(200)));
        let Cell::Real(earliest, _) = rows[0][4] else { panic!("{:?}", rows[0]) };
        assert!(earliest >= 2.99, "{earliest} ms");
        assert_eq!((&rows[0][9], &rows[1][9]), (&Cell::Real(0.0, 2), &Cell::Real(100.0, 2)));
    }
}
