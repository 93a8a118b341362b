//! Quantiles of measured times, some of which were cut off, and how sure one may be of them.
//!
//! Cut-off values are kept as what they are, at least so long: quantiles are those of the Kaplan-Meier estimate. Intervals are
//! bootstrapped over groups (a group is a pair of players), since crossings of one pair are not independent.

use crate::audit::crossing::Span;
use crate::table::Cell;

/// Samples drawn for an interval.
const RESAMPLES: usize = 400;
/// Seed of the drawing: the same data give the same interval.
const SEED: u64 = 2026;
/// Share of the drawn samples outside the interval, on either side.
const TAIL: f64 = 0.025;

/// Times of one kind, in groups.
#[derive(Clone, Debug, Default)]
pub struct Times {
    groups: Vec<Vec<Span>>,
}

impl Times {
    /// Of groups; empty ones are left out.
    pub fn new(groups: impl IntoIterator<Item = Vec<Span>>) -> Self {
        Self { groups: groups.into_iter().filter(|group| !group.is_empty()).collect() }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// How many of them were cut off.
    pub fn cut_off(&self) -> usize {
        self.groups.iter().flatten().filter(|span| matches!(span, Span::AtLeast(_))).count()
    }

    /// The value that a share of all does not exceed. `None` of nothing.
    pub fn quantile(&self, share: f64) -> Option<Span> {
        quantile(self.groups.iter().flatten().copied().collect(), share)
    }

    /// The largest known or cut-off value.
    pub fn max(&self) -> Option<f64> {
        self.groups.iter().flatten().map(|span| value(*span)).max_by(f64::total_cmp)
    }

    /// Every value, rising; cut-off ones as far as they are known.
    pub fn sorted(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.groups.iter().flatten().map(|span| value(*span)).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// The interval that holds 95 of 100 bootstrapped quantiles.
    pub fn interval(&self, share: f64) -> Option<[f64; 2]> {
        let statistic = |groups: &[&Vec<Span>]| {
            quantile(groups.iter().flat_map(|group| group.iter().copied()).collect(), share).map(value)
        };
        bootstrap(&self.groups.iter().collect::<Vec<_>>(), statistic)
    }

    /// Median, p95, p99, each with its interval, and the maximum, as cells.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![Cell::Count(self.count() as u64), Cell::Count(self.cut_off() as u64)];
        for share in [0.5, 0.95, 0.99] {
            cells.push(self.quantile(share).map_or(Cell::Nothing, cell));
            cells.push(
                self.interval(share)
                    .map_or(Cell::Nothing, |[low, high]| Cell::text(format!("{low:.0}..{high:.0}"))),
            );
        }
        cells.push(self.max().map_or(Cell::Nothing, |max| Cell::Real(max, 1)));
        cells
    }
}

/// A time as a cell: `>=` marks what was cut off.
pub fn cell(span: Span) -> Cell {
    match span {
        Span::Exact(ms) => Cell::Real(ms, 1),
        Span::AtLeast(ms) => Cell::text(format!(">= {ms:.1}")),
    }
}

/// As far as it is known. Unit: ms.
pub const fn value(span: Span) -> f64 {
    match span {
        Span::Exact(ms) | Span::AtLeast(ms) => ms,
    }
}

/// A quantile of the Kaplan-Meier estimate; the largest value as a lower bound where the estimate does not reach so far.
fn quantile(mut spans: Vec<Span>, share: f64) -> Option<Span> {
    // At one value those that are known come first.
    let key = |span: &Span| (value(*span), matches!(span, Span::AtLeast(_)));
    spans.sort_by(|a, b| key(a).0.total_cmp(&key(b).0).then(key(a).1.cmp(&key(b).1)));
    let count = spans.len();
    let mut survival = 1.0;
    for (index, &span) in spans.iter().enumerate() {
        if let Span::Exact(_) = span {
            survival *= 1.0 - 1.0 / (count - index) as f64;
            // A hair of rounding must not push the quantile to the next value.
            if 1.0 - survival >= share - 1e-9 {
                return Some(span);
            }
        }
    }
    spans.last().map(|last| Span::AtLeast(value(*last)))
}

/// The interval of a statistic of groups drawn with replacement. `None` of fewer than two groups.
pub fn bootstrap<T>(groups: &[&T], statistic: impl Fn(&[&T]) -> Option<f64>) -> Option<[f64; 2]> {
    if groups.len() < 2 {
        return None;
    }
    let mut rng = fastrand::Rng::with_seed(SEED);
    let mut found: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let drawn: Vec<&T> = groups.iter().map(|_| groups[rng.usize(..groups.len())]).collect();
            statistic(&drawn)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found.get(((found.len().saturating_sub(1)) as f64 * share).round() as usize);
    Some([*at(TAIL)?, *at(1.0 - TAIL)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(values: &[f64]) -> Vec<Span> {
        values.iter().map(|&ms| Span::Exact(ms)).collect()
    }

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let times = Times::new([exact(&[5.0, 1.0]), exact(&[3.0, 2.0]), exact(&[4.0])]);
        let at = |share| times.quantile(share);
        assert_eq!(
            (at(0.0), at(0.5), at(0.8)),
            (Some(Span::Exact(1.0)), Some(Span::Exact(3.0)), Some(Span::Exact(4.0)))
        );
        assert_eq!((at(0.81), times.max(), times.count()), (Some(Span::Exact(5.0)), Some(5.0), 5));
        assert_eq!(Times::default().quantile(0.5), None);
    }

    #[test]
    fn what_was_cut_off_counts_as_longer_than_it_was() {
        // Kaplan and Meier: of 1, 2+, 3, 4+ the share beyond 1 is 3/4, beyond 3 it is 3/8.
        let mut spans = exact(&[1.0, 3.0]);
        spans.extend([Span::AtLeast(2.0), Span::AtLeast(4.0)]);
        let times = Times::new([spans]);
        let at = |share| times.quantile(share);
        assert_eq!((at(0.25), at(0.26)), (Some(Span::Exact(1.0)), Some(Span::Exact(3.0))));
        assert_eq!((at(0.625), at(0.63)), (Some(Span::Exact(3.0)), Some(Span::AtLeast(4.0))));
        assert_eq!(times.cut_off(), 2);
    }

    #[test]
    fn nothing_but_cut_off_values_has_no_known_quantile() {
        let times = Times::new([vec![Span::AtLeast(2.0), Span::AtLeast(9.0)]]);
        assert_eq!(times.quantile(0.01), Some(Span::AtLeast(9.0)));
    }

    #[test]
    fn intervals_hold_the_value_and_shrink_with_more_data() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut width = |groups: usize| {
            let times = Times::new((0..groups).map(|_| exact(&[rng.f64() * 100.0, rng.f64() * 100.0])));
            let [low, high] = times.interval(0.5).unwrap();
            let middle = value(times.quantile(0.5).unwrap());
            assert!(low <= middle && middle <= high, "{low} {middle} {high}");
            high - low
        };
        let (few, many) = (width(10), width(1000));
        assert!(many < few / 3.0 && many < 8.0, "{few} {many}");
        assert_eq!(Times::new([exact(&[1.0])]).interval(0.5), None);
    }
}
