//! From samples of pairs to ratios, and when not to conclude.

use crate::swarm::engine::Outcome;
use crate::table::{Cell, Table};
use crate::versus::contender::Contender;

/// A ratio whose pairs lie further apart than this share of it is not concluded.
const SCATTER_MAX: f64 = 0.25;
/// What is compared, as columns name it, with digits.
const FIGURES: [(&str, usize); 4] =
    [("cpu_us/client/s", 1), ("B/client/s", 0), ("gap_ms_p99", 1), ("MiB", 1)];

/// One run's figures: server CPU (µs per client and second), bytes (per client and second), the 99th percentile of the time
/// between snapshots (ms), memory (MiB).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample(pub [f64; 4]);

impl Sample {
    /// Of one swarm's run. `None` if nobody played, or the server's cost is not known.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let server = outcome.server?;
        let mut gaps = crate::swarm::meter::Spread::default();
        let mut bytes = 0;
        for result in &outcome.results {
            gaps.add(&result.meter.intervals);
            bytes += result.counts.bytes_in;
        }
        let client_seconds = outcome.seconds * outcome.joined as f64;
        if gaps.count() == 0 || client_seconds <= 0.0 {
            return None;
        }
        Some(Self([
            server.cpu_micros / client_seconds,
            bytes as f64 / client_seconds,
            gaps.quantile(0.99) as f64 / 1000.0,
            server.resident_bytes as f64 / 1_048_576.0,
        ]))
    }
}

/// A ratio of two servers' figures over several pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ratio {
    /// The pairs agree: their median.
    Holds(f64),
    /// They do not: how far apart they lie, as a share of their median.
    Scatters(f64),
}

impl Ratio {
    /// Of pairs (stock server's figure, ours). None, or one with a zero in it, concludes nothing.
    pub fn of(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut ratios: Vec<f64> = pairs.map(|(stock, ours)| ours / stock).collect();
        ratios.sort_by(f64::total_cmp);
        let middle = median(&ratios);
        let scatter = match (ratios.first(), ratios.last()) {
            (Some(least), Some(most)) if ratios.len() > 1 => (most - least) / middle,
            _ => f64::INFINITY,
        };
        // Not "scatter > max": what is no number does not hold.
        if scatter <= SCATTER_MAX && middle.is_finite() {
            Self::Holds(middle)
        } else {
            Self::Scatters(scatter)
        }
    }

    fn cell(self) -> Cell {
        match self {
            Self::Holds(ratio) => Cell::text(format!("{ratio:.2}")),
            Self::Scatters(share) if share.is_finite() => {
                Cell::text(format!("scatters {:.0} %", share * 100.0))
            }
            Self::Scatters(_) => Cell::text("none"),
        }
    }
}

/// One server at one size: medians, and ratios to the stock server's.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    clients: usize,
    fps: u32,
    contender: Contender,
    runs: usize,
    medians: [f64; 4],
    /// Not for the stock server itself.
    ratios: Option<[Ratio; 4]>,
}

impl Row {
    /// Of the samples of each of [`Contender::ALL`], the n-th of each being of the n-th round.
    pub fn of(clients: usize, fps: u32, samples: &[Vec<Sample>]) -> Vec<Self> {
        let stock = samples.first().map_or(&[][..], |stock| stock);
        let row = |(contender, own): (&Contender, &Vec<Sample>)| {
            let medians = std::array::from_fn(|figure| {
                let mut values: Vec<f64> = own.iter().map(|sample| sample.0[figure]).collect();
                values.sort_by(f64::total_cmp);
                median(&values)
            });
            let ratio = |figure: usize| {
                Ratio::of(stock.iter().zip(own).map(|(stock, own)| (stock.0[figure], own.0[figure])))
            };
            let ratios = (*contender != Contender::Stock).then(|| std::array::from_fn(ratio));
            Self { clients, fps, contender: *contender, runs: own.len(), medians, ratios }
        };
        Contender::ALL.iter().zip(samples).map(row).collect()
    }

    /// Whether every ratio holds.
    pub fn concludes(&self) -> bool {
        self.ratios.is_none_or(|ratios| ratios.iter().all(|ratio| matches!(ratio, Ratio::Holds(_))))
    }
}

/// All rows.
pub fn table(rows: &[Row]) -> Table {
    let mut columns = vec!["clients", "sv_fps", "server", "runs"];
    columns.extend(FIGURES.map(|(name, _)| name));
    columns.extend(["cpu_ratio", "B_ratio", "gap_ratio", "MiB_ratio"]);
    let mut table = Table::new(&columns);
    for row in rows {
        let mut cells = vec![
            Cell::Count(row.clients as u64),
            Cell::Count(u64::from(row.fps)),
            Cell::text(row.contender.name()),
            Cell::Count(row.runs as u64),
        ];
        cells.extend(row.medians.iter().zip(FIGURES).map(|(&value, (_, digits))| Cell::Real(value, digits)));
        cells.extend(row.ratios.map_or([const { Cell::Nothing }; 4], |ratios| ratios.map(Ratio::cell)));
        table.push(cells);
    }
    table
}

/// The middle of sorted values, the mean of the two middle ones of an even count; not a number of none.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[half],
        _ => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(pairs: &[(f64, f64)]) -> Ratio {
        Ratio::of(pairs.iter().copied())
    }

    #[test]
    fn pairs_that_agree_hold_even_where_the_machine_drifts() {
        assert_eq!(ratio(&[(100.0, 50.0), (400.0, 200.0), (200.0, 100.0)]), Ratio::Holds(0.5));
        assert_eq!(ratio(&[(100.0, 90.0), (100.0, 110.0)]), Ratio::Holds(1.0));
    }

    #[test]
    fn pairs_that_disagree_conclude_nothing() {
        assert!(matches!(ratio(&[(100.0, 50.0), (100.0, 100.0)]), Ratio::Scatters(share) if share > 0.6));
        assert!(matches!(ratio(&[(100.0, 50.0)]), Ratio::Scatters(_)), "one pair shows no scatter");
        assert!(matches!(ratio(&[]), Ratio::Scatters(_)));
        assert!(matches!(ratio(&[(0.0, 1.0), (0.0, 1.0)]), Ratio::Scatters(_)));
        assert!(matches!(ratio(&[(0.0, 0.0), (0.0, 0.0)]), Ratio::Scatters(_)));
    }

    #[test]
    fn rows_compare_with_the_first_and_refuse_figure_by_figure() {
        let stock = vec![Sample([100.0, 1000.0, 50.0, 80.0]), Sample([110.0, 1000.0, 90.0, 80.0])];
        let ours = vec![Sample([50.0, 500.0, 50.0, 20.0]), Sample([56.0, 500.0, 52.0, 20.0])];
        let rows = Row::of(8, 20, &[stock, ours.clone(), ours]);
        assert_eq!(rows.len(), 3);
        assert!(rows[0].concludes() && !rows[1].concludes());
        let text = table(&rows).render(crate::table::Output { csv: true, ..Default::default() });
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[1], "8,20,ioq3ded,2,105.0,1000,70.0,80.0,,,,");
        assert_eq!(lines[2], "8,20,\"Fogline, mode 0\",2,53.0,500,51.0,20.0,0.50,0.50,scatters 54 %,0.25");
    }
}
