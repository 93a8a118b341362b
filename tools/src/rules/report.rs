//! What the laboratory found: a table with a row for each rule and condition, the same with conditions side by side, and leak
//! against lateness.

use crate::audit::crossing::{Crossing, PairFound, Span};
use crate::audit::stats::{bootstrap, cell, value};
use crate::audit::sum;
use crate::plot::{Axis, COLOURS, Chart, Mark, Series};
use crate::rules::Row;
use crate::rules::watch::Condition;
use crate::table::{Cell, Table};

/// A reveal later than this is noticed: one frame of a screen. Unit: ms.
const NOTICED_MS: f64 = 17.0;

/// A condition in a few words.
pub(super) fn condition_name(condition: &Condition) -> String {
    let Condition { fps, snaps, rtt_ms, jitter_ms, loss, .. } = condition;
    let snaps = if snaps == fps { String::new() } else { format!(" snaps {snaps}") };
    let more = |word: &str, value: f64| if value > 0.0 { format!(" {word} {value}") } else { String::new() };
    format!(
        "fps {fps}{snaps} rtt {rtt_ms}{}{}",
        more("jitter", f64::from(*jitter_ms)),
        more("loss", loss * 100.0)
    )
}

fn is_late(crossing: &Crossing) -> bool {
    crossing.is_undrawn() || value(crossing.excess) > NOTICED_MS
}

fn late_pct(pairs: &[&PairFound]) -> Option<f64> {
    let all = || pairs.iter().flat_map(|pair| &pair.crossings);
    let count = all().count();
    (count > 0).then(|| all().filter(|crossing| is_late(crossing)).count() as f64 * 100.0 / count as f64)
}

fn leak_pct(pairs: &[&PairFound]) -> Option<f64> {
    let time = sum(pairs.iter().copied());
    (time.hidden_us > 0).then(|| time.leaked_us as f64 * 100.0 / time.hidden_us as f64)
}

/// A row for each rule and condition.
pub(super) fn table(rows: &[Row], source: &str) -> Table {
    let mut table = Table::new(&[
        "rule",
        "map",
        "paths",
        "fps",
        "snaps",
        "rtt",
        "jitter",
        "loss_pct",
        "crossings",
        "undrawn",
        "late_pct",
        "late_pct_ci",
        "late_ms_p50",
        "late_ms_p95",
        "late_ms_p99",
        "late_ms_max",
        "W_ms_p50",
        "W_ms_p95",
        "leak_pct",
        "leak_pct_ci",
        "leak_of_pvs_pct",
        "missed_pct",
    ]);
    let real = |value: Option<f64>, digits| value.map_or(Cell::Nothing, |value| Cell::Real(value, digits));
    let ci = |ends: Option<[f64; 2]>| {
        ends.map_or(Cell::Nothing, |[low, high]| Cell::text(format!("{low:.1}..{high:.1}")))
    };
    for row in rows {
        let (condition, group) = (&row.condition, &row.group);
        let pairs: Vec<&PairFound> = group.pairs.iter().collect();
        let excess = group.times(|crossing| Some(crossing.excess));
        let exposure = group.times(|crossing| Some(Span::Exact(crossing.exposure_ms)));
        let time = group.time();
        let at = |share: f64| excess.quantile(share).map_or(Cell::Nothing, cell);
        table.push(vec![
            Cell::text(row.rule),
            Cell::text(group.map.as_str()),
            Cell::text(source),
            Cell::Count(u64::from(condition.fps.unsigned_abs())),
            Cell::Count(u64::from(condition.snaps.unsigned_abs())),
            Cell::Count(u64::from(condition.rtt_ms.unsigned_abs())),
            Cell::Count(u64::from(condition.jitter_ms.unsigned_abs())),
            Cell::Real(condition.loss * 100.0, 1),
            Cell::Count(group.crossings().count() as u64),
            Cell::Count(group.crossings().filter(|crossing| crossing.is_undrawn()).count() as u64),
            real(late_pct(&pairs), 1),
            ci(bootstrap(&pairs, late_pct)),
            at(0.5),
            at(0.95),
            at(0.99),
            real(excess.max(), 1),
            exposure.quantile(0.5).map_or(Cell::Nothing, cell),
            exposure.quantile(0.95).map_or(Cell::Nothing, cell),
            real(leak_pct(&pairs), 1),
            ci(bootstrap(&pairs, leak_pct)),
            Cell::ratio(time.leaked_us as f64 * 100.0, row.hidden_in_pvs_us as f64, 1),
            Cell::ratio(time.missed_us as f64 * 100.0, time.seen_us as f64, 2),
        ]);
    }
    table
}

/// A row for each rule, a column for each condition. A cell says how many per cent of the crossings were late, what per cent of
/// hidden time the client knew, the same of the part in which the potentially visible set told, and the median of W in ms.
pub(super) fn side_by_side(rows: &[Row]) -> Table {
    let conditions = conditions(rows);
    let names: Vec<String> = conditions.iter().map(condition_name).collect();
    let columns: Vec<&str> = std::iter::once("rule").chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new(&columns);
    let mut rules: Vec<&str> = Vec::new();
    for row in rows {
        if !rules.contains(&row.rule) {
            rules.push(row.rule);
        }
    }
    let crossings = |condition: &Condition| {
        let row = rows.iter().find(|row| row.condition == *condition);
        Cell::Count(row.map_or(0, |row| row.group.crossings().count() as u64))
    };
    table.push(std::iter::once(Cell::text("crossings")).chain(conditions.iter().map(crossings)).collect());
    for rule in rules {
        let cell = |condition: &Condition| {
            let row = rows.iter().find(|row| row.rule == rule && row.condition == *condition);
            row.map_or(Cell::Nothing, in_short)
        };
        table.push(std::iter::once(Cell::text(rule)).chain(conditions.iter().map(cell)).collect());
    }
    table
}

fn in_short(row: &Row) -> Cell {
    let pairs: Vec<&PairFound> = row.group.pairs.iter().collect();
    let real = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    let leaked = row.group.time().leaked_us as f64;
    let of_pvs =
        (row.hidden_in_pvs_us > 0).then(|| (leaked * 100.0 / row.hidden_in_pvs_us as f64).min(999.9));
    let exposure = row.group.times(|crossing| Some(Span::Exact(crossing.exposure_ms))).quantile(0.5);
    let exposure = exposure.map_or("-".to_owned(), |span| format!("{:.0}", value(span)));
    let [late, leak, of_pvs] = [late_pct(&pairs), leak_pct(&pairs), of_pvs].map(real);
    Cell::text(format!("{late}; {leak} ({of_pvs}); {exposure}"))
}

fn conditions(rows: &[Row]) -> Vec<Condition> {
    let mut conditions: Vec<Condition> = Vec::new();
    for row in rows {
        if !conditions.contains(&row.condition) {
            conditions.push(row.condition);
        }
    }
    conditions
}

/// Leak against lateness, a drawing for each condition.
pub(super) fn charts(rows: &[Row]) -> Vec<(String, String)> {
    let conditions = conditions(rows);
    let file = |condition: &Condition| condition_name(condition).replace(' ', "_").replace('.', "");
    conditions.iter().map(|condition| (file(condition), chart(rows, condition))).collect()
}

fn chart(rows: &[Row], condition: &Condition) -> String {
    let own =
        rows.iter().filter(|row| row.condition == *condition && !["nobody", "no filter"].contains(&row.rule));
    let series = own.enumerate().filter_map(|(n, row)| {
        let pairs: Vec<&PairFound> = row.group.pairs.iter().collect();
        Some(Series {
            name: row.rule.to_owned(),
            colour: COLOURS[n % COLOURS.len()],
            mark: Mark::Named,
            points: vec![[late_pct(&pairs)?, leak_pct(&pairs)?]],
        })
    });
    let map = rows.first().map_or("", |row| row.group.map.as_str());
    let chart = Chart {
        title: format!("Leak against lateness, {map}, {}", condition_name(condition)),
        note: "each dot a rule on the same paths and links; the best that can be is the lower left; no filter would be at 0 and 100, far above".to_owned(),
        x: Axis::between(format!("crossings shown more than {NOTICED_MS:.0} ms late (%)"), 0.0, 100.0),
        y: Axis::from_zero("hidden time in which the client knew (%)"),
        series: series.collect(),
    };
    chart.svg()
}

/// Whether a rule with a known answer has it.
pub(super) fn is_trusted(row: &Row) -> bool {
    let all = |is: fn(&Crossing) -> bool| row.group.crossings().all(is);
    match row.rule {
        "no filter" | "PVS" | "oracle" => all(|crossing| crossing.excess == Span::Exact(0.0)),
        "nobody" => all(Crossing::is_undrawn),
        _ => true,
    }
}
