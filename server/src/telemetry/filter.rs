//! What the visibility filter did, for each client and in all, and the text of `visstatus`.

use super::Metrics;
use crate::clients::lead::Measured;
use crate::snapshot::build::BuildCounts;
use crate::visibility::{Cause, Mode, Profile, Rules, Work};
use fogline_common::ids::ClientNum;
use fogline_common::time::Millis;
use std::fmt::Write as _;

/// What the filter did for one client since it connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterCounts {
    /// Players that it might have been told of, over all snapshots.
    pub players: u64,
    /// Of those, withheld.
    pub withheld: u64,
    /// Entities left out because they would have told of a withheld player.
    pub redacted: u64,
    /// Sounds of players out of sight.
    pub sounds: u64,
    /// What telling of the withheld would have taken, at least. Unit: bytes.
    pub saved_bytes: u64,
}

impl FilterCounts {
    /// Adds what building one snapshot found.
    pub(crate) fn add(&mut self, counts: &BuildCounts) {
        self.players += u64::from(counts.players);
        self.withheld += u64::from(counts.withheld);
        self.redacted += u64::from(counts.redacted);
        self.sounds += u64::from(counts.sounds);
        self.saved_bytes += u64::from(counts.saved_bytes);
    }
}

/// One client's line of `visstatus`.
#[derive(Clone, Debug)]
pub struct FilterRow<'a> {
    /// Slot.
    pub client: ClientNum,
    /// What the filter did for it.
    pub counts: FilterCounts,
    /// How far it runs ahead of the server.
    pub measured: Measured,
    /// Its round trip.
    pub ping: Millis,
    /// Name, control characters and colours included.
    pub name: &'a str,
}

/// The text of `visstatus`.
pub fn filter_status(rules: &Rules, metrics: &Metrics, work: &Work, rows: &[FilterRow<'_>]) -> String {
    let mut text = String::new();
    let mode = match rules.mode {
        Mode::Off => "off",
        Mode::FarOnly => "1, far players out of sight are withheld",
        Mode::Always => "2, players out of sight are withheld",
        Mode::Proved => "3, players proved to stay out of sight are withheld",
    };
    let profile = if rules.profile == Profile::Compat { ", as OpenMoHAA does it" } else { "" };
    let far = rules.far.map_or("none".to_owned(), |far| format!("{far} units"));
    let _ = writeln!(
        text,
        "filter: {mode}{profile}; look-ahead {} ms, vistime {} ms, far plane {far}",
        (rules.horizon * 1000.0).round(),
        rules.vistime.0
    );
    let total = rows.iter().fold(FilterCounts::default(), |sum, row| FilterCounts {
        players: sum.players + row.counts.players,
        withheld: sum.withheld + row.counts.withheld,
        redacted: sum.redacted + row.counts.redacted,
        sounds: sum.sounds + row.counts.sounds,
        saved_bytes: sum.saved_bytes + row.counts.saved_bytes,
    });
    let _ = writeln!(
        text,
        "withheld {} of players, at least {} KiB saved; rays a frame {:.1}, {} of pairs without one, {} given up",
        percent(total.withheld, total.players),
        total.saved_bytes / 1024,
        work.rays.get() as f64 / metrics.frames.max(1) as f64,
        percent(work.pairs_without_ray.get(), work.pairs.get()),
        work.undecided.get(),
    );
    text.push_str("verdicts by gate and cause:");
    for cause in Cause::ALL {
        let count = metrics.causes[cause as usize];
        if count > 0 {
            let _ = write!(text, " {}/{} {count}", cause.gate(), cause.name());
        }
    }
    text.push_str("\n num withheld      of share redacted sounds saved KiB  lag ms period ms gain ms name\n");
    for row in rows {
        let FilterCounts { players, withheld, redacted, sounds, saved_bytes } = row.counts;
        let _ = writeln!(
            text,
            "{:>4} {withheld:>8} {players:>7} {:>5} {redacted:>8} {sounds:>6} {:>9} {:>7} {:>9} {:>7} {}",
            row.client.index(),
            percent(withheld, players),
            saved_bytes / 1024,
            row.measured.lag.0,
            row.measured.period.0,
            row.measured.gain(row.ping).0,
            row.name
        );
    }
    text
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.0}%", part as f64 * 100.0 / whole as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_sums_what_the_clients_were_not_told() {
        let counts = |withheld| FilterCounts { players: 200, withheld, ..FilterCounts::default() };
        let row = |n, withheld| FilterRow {
            client: ClientNum::new(n).unwrap(),
            counts: counts(withheld),
            measured: Measured { lag: Millis(160), period: Millis(51), ..Measured::default() },
            ping: Millis(60),
            name: "somebody",
        };
        let rows = [row(0, 100), row(3, 50)];
        let text = filter_status(&Rules::default(), &Metrics::default(), &Work::default(), &rows);
        assert!(text.contains("withheld 38% of players"), "{text}");
        assert!(text.lines().any(|line| line.starts_with("   3       50     200   25%")), "{text}");
        assert!(text.contains("    160        51      44 somebody"), "{text}");
        assert!(text.contains("look-ahead 150 ms, vistime 200 ms, far plane none"), "{text}");
    }
}
