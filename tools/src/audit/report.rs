//! What an audit found, as tables.

use crate::audit::crossing::{Crossing, PairFound, Span};
use crate::audit::stats::{bootstrap, cell, value};
use crate::audit::{Group, sum};
use crate::table::{Cell, Output, Table};

/// Which time of a crossing.
type Pick = fn(&Crossing) -> Option<Span>;

/// The times that are told of each group, by name.
const TIMES: [(&str, Pick); 8] = [
    ("H lead", |crossing| crossing.lead_ms().map(Span::Exact)),
    ("D_A delivery", |crossing| crossing.delivery_ms().map(Span::Exact)),
    ("B render", |crossing| crossing.render_ms().map(Span::Exact)),
    ("W window", |crossing| crossing.window_ms().map(Span::Exact)),
    ("L late", |crossing| crossing.late_ms().map(Span::Exact)),
    ("excess pop-in", |crossing| Some(crossing.excess)),
    ("exposure", |crossing| Some(Span::Exact(crossing.exposure_ms))),
    ("linger", |crossing| crossing.linger),
];

/// Both tables in one form.
pub(super) fn render(groups: &[Group], output: Output) -> String {
    let [matches, times] = [matches(groups), times(groups)].map(|table| table.render(output));
    if output.json {
        return format!("{{\"matches\": {},\n\"times\": {}}}\n", matches.trim_end(), times.trim_end());
    }
    format!("{matches}\n{times}")
}

fn head(group: &Group) -> Vec<Cell> {
    [&group.map, &group.link, &group.mode].map(|name| Cell::text(name.as_str())).into()
}

/// A row for each match: what was counted, and the share of hidden time in which a client knew.
pub(super) fn matches(groups: &[Group]) -> Table {
    let mut table = Table::new(&[
        "map",
        "link",
        "mode",
        "pairs",
        "crossings",
        "told_all_along",
        "undrawn",
        "hidden_s",
        "leak_pct",
        "leak_ci",
        "in_sight_s",
        "missed_pct",
        "sounds/hidden_min",
        "joined",
        "disagree",
    ]);
    for group in groups {
        let time = group.time();
        let count =
            |is: fn(&Crossing) -> bool| Cell::Count(group.crossings().filter(|c| is(c)).count() as u64);
        let seconds = |us: u64| us as f64 / 1e6;
        let leak = |pairs: &[&PairFound]| {
            let time = sum(pairs.iter().copied());
            (time.hidden_us > 0).then(|| time.leaked_us as f64 * 100.0 / time.hidden_us as f64)
        };
        let interval = bootstrap(&group.pairs.iter().collect::<Vec<_>>(), leak);
        let mut row = head(group);
        row.extend([
            Cell::Count(group.pairs.len() as u64),
            count(|_| true),
            count(|crossing| crossing.told_all_along),
            count(Crossing::is_undrawn),
            Cell::Real(seconds(time.hidden_us), 0),
            Cell::ratio(time.leaked_us as f64 * 100.0, time.hidden_us as f64, 1),
            interval.map_or(Cell::Nothing, |[low, high]| Cell::text(format!("{low:.1}..{high:.1}"))),
            Cell::Real(seconds(time.seen_us), 0),
            Cell::ratio(time.missed_us as f64 * 100.0, time.seen_us as f64, 3),
            group.sounds.map_or(Cell::Nothing, |sounds| {
                Cell::ratio(sounds as f64 * 60.0, seconds(time.hidden_us), 1)
            }),
            Cell::Count(group.fit.joined),
            Cell::Count(group.fit.disagree),
        ]);
        table.push(row);
    }
    table
}

/// A row for each match and time. Unit: ms.
pub(super) fn times(groups: &[Group]) -> Table {
    let mut table = Table::new(&[
        "map", "link", "mode", "ms", "n", "cut_off", "p50", "p50_ci", "p95", "p95_ci", "p99", "p99_ci", "max",
    ]);
    for group in groups {
        for (name, pick) in TIMES {
            let mut row = head(group);
            row.push(Cell::text(name));
            row.extend(group.times(pick).cells());
            table.push(row);
        }
    }
    table
}

/// Every crossing, as CSV. Times in ms of the viewer's clock; S, A and R are empty where nothing was told or all was.
pub(super) fn crossings(groups: &[Group]) -> String {
    let mut table = Table::new(&[
        "map",
        "link",
        "mode",
        "viewer",
        "target",
        "S",
        "A",
        "R",
        "V",
        "H",
        "D_A",
        "B",
        "W",
        "L",
        "excess",
        "undrawn",
        "told_all_along",
        "hidden_before",
        "in_sight",
        "exposure",
        "linger",
        "linger_cut_off",
        "x",
        "y",
        "z",
    ]);
    let real = |value: Option<f64>| value.map_or(Cell::Nothing, |value| Cell::Real(value, 3));
    let us = |value: i64| Some(value as f64 / 1000.0);
    for group in groups {
        for crossing in group.crossings() {
            let mut row = head(group);
            row.extend([
                Cell::Count(crossing.viewer.index() as u64),
                Cell::Count(crossing.target.index() as u64),
            ]);
            let reveal = crossing.reveal;
            let moments = [
                reveal.and_then(|reveal| us(reveal.sent_us)),
                reveal.and_then(|reveal| us(reveal.came_us)),
                reveal.and_then(|reveal| us(reveal.drawn_us)),
                us(crossing.seen_us),
                crossing.lead_ms(),
                crossing.delivery_ms(),
                crossing.render_ms(),
                crossing.window_ms(),
                crossing.late_ms(),
                Some(value(crossing.excess)),
            ];
            row.extend(moments.map(real));
            row.extend([
                Cell::Count(u64::from(crossing.is_undrawn())),
                Cell::Count(u64::from(crossing.told_all_along)),
                real(us(crossing.hidden_us as i64)),
                real(us(crossing.in_sight_us as i64)),
                real(Some(crossing.exposure_ms)),
                real(crossing.linger.map(value)),
                Cell::Count(u64::from(matches!(crossing.linger, Some(Span::AtLeast(_))))),
            ]);
            row.extend(
                [crossing.place.x, crossing.place.y, crossing.place.z].map(|at| Cell::Real(f64::from(at), 1)),
            );
            table.push(row);
        }
    }
    table.render(Output { csv: true, ..Output::default() })
}

/// What is wrong, in sentences.
pub(super) fn complaints(groups: &[Group], limit_ms: f64) -> Vec<String> {
    let mut sentences = Vec::new();
    for group in groups {
        let name = format!("{}, {}", group.map, group.label());
        if group.fit.disagree > 0 {
            sentences.push(format!("{name}: {} snapshots are not what the trace says", group.fit.disagree));
        }
        if group.lost_lines > 0 {
            sentences.push(format!("{name}: the trace lacks {} lines", group.lost_lines));
        }
        if group.is_in_time(limit_ms) {
            continue;
        }
        let late = group.times(|crossing| Some(crossing.excess)).quantile(0.99);
        sentences.push(match late {
            None => format!("{name}: nobody came into sight, so nothing is proven"),
            Some(late) => {
                let late = match cell(late) {
                    Cell::Text(words) => words,
                    _ => format!("{:.1}", value(late)),
                };
                format!(
                    "{name}: one crossing in a hundred is {late} ms late or more, {limit_ms} is the limit"
                )
            }
        });
    }
    sentences
}
