//! What a swarm measured, as tables.

use crate::client::events::ClientCounts;
use crate::swarm::engine::Outcome;
use crate::swarm::member::MemberResult;
use crate::swarm::meter::{Meter, Spread};
use crate::table::{Cell, Output, Table};
use fogline_common::wire::netchan::WireKind;
use std::collections::BTreeMap;

/// Prints both tables in one form.
pub fn render(outcome: &Outcome, output: Output, with_clients: bool) -> String {
    let clients = clients_table(outcome, with_clients).render(output);
    let run = run_table(outcome).render(output);
    if output.json {
        return format!("{{\"clients\": {},\n\"run\": {}}}\n", clients.trim_end(), run.trim_end());
    }
    format!("{clients}\n{run}")
}

/// Why clients were not in the game at the end, and how many for each reason.
pub fn losses(outcome: &Outcome) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for result in outcome.results.iter().filter(|result| !result.was_active) {
        let reason = result.last_words.clone().unwrap_or_else(|| "no word from the server".to_owned());
        *reasons.entry(reason).or_default() += 1;
    }
    reasons
}

const CLIENT_COLUMNS: [&str; 21] = [
    "client",
    "slot",
    "wire",
    "state",
    "in_B/s",
    "out_B/s",
    "in_pkt/s",
    "out_pkt/s",
    "snaps/s",
    "gap_ms_p50",
    "gap_ms_p95",
    "gap_ms_p99",
    "gap_ms_max",
    "snap_B_p50",
    "snap_B_p95",
    "snap_B_p99",
    "snap_B_max",
    "lost_pct",
    "ping_p50",
    "ping_p99",
    "errors",
];

/// A row for each client, and one for all: sums of errors, means per client of rates, quantiles over everything.
pub fn clients_table(outcome: &Outcome, with_clients: bool) -> Table {
    let mut table = Table::new(&CLIENT_COLUMNS);
    for result in outcome.results.iter().filter(|_| with_clients) {
        table.push(row(result, 1.0));
    }
    table.push(row(&all(outcome), outcome.results.len().max(1) as f64));
    table
}

/// All clients as one.
fn all(outcome: &Outcome) -> MemberResult {
    let mut meter = Meter::default();
    let mut counts = ClientCounts::default();
    for result in &outcome.results {
        meter.intervals.add(&result.meter.intervals);
        meter.sizes.add(&result.meter.sizes);
        meter.pings.add(&result.meter.pings);
        counts.datagrams_in += result.counts.datagrams_in;
        counts.bytes_in += result.counts.bytes_in;
        counts.datagrams_out += result.counts.datagrams_out;
        counts.bytes_out += result.counts.bytes_out;
        counts.messages += result.counts.messages;
        counts.messages_lost += result.counts.messages_lost;
        counts.snapshots += result.counts.snapshots;
        counts.parse_errors += result.counts.parse_errors;
        counts.warnings += result.counts.warnings;
    }
    MemberResult {
        name: "all".to_owned(),
        slot: None,
        wire: None,
        was_active: outcome.results.iter().all(|result| result.was_active),
        last_words: None,
        seconds: outcome.seconds,
        counts,
        meter,
    }
}

fn row(result: &MemberResult, clients: f64) -> Vec<Cell> {
    let counts = &result.counts;
    let rate = |count: u64, digits| Cell::ratio(count as f64, result.seconds * clients, digits);
    let expected = counts.messages + counts.messages_lost;
    let mut row = vec![
        Cell::text(&result.name),
        result.slot.map_or(Cell::Nothing, |slot| Cell::Count(slot as u64)),
        result.wire.map_or(Cell::Nothing, |wire| Cell::text(wire_name(wire))),
        Cell::text(if result.was_active { "played" } else { "lost" }),
        rate(counts.bytes_in, 0),
        rate(counts.bytes_out, 0),
        rate(counts.datagrams_in, 1),
        rate(counts.datagrams_out, 1),
        rate(counts.snapshots, 1),
    ];
    row.extend(four(&result.meter.intervals, 1000.0, 1));
    row.extend(four(&result.meter.sizes, 1.0, 0));
    row.push(Cell::ratio(counts.messages_lost as f64 * 100.0, expected as f64, 2));
    row.extend([0.5, 0.99].map(|share| quantile(&result.meter.pings, share, 1.0, 0)));
    row.push(Cell::Count(counts.parse_errors + counts.warnings));
    row
}

const fn wire_name(wire: WireKind) -> &'static str {
    match wire {
        WireKind::Legacy => "legacy",
        WireKind::Ioq3 => "ioq3",
    }
}

/// Median, p95, p99 and the largest.
fn four(spread: &Spread, unit: f64, digits: usize) -> [Cell; 4] {
    [0.5, 0.95, 0.99, 1.0].map(|share| quantile(spread, share, unit, digits))
}

fn quantile(spread: &Spread, share: f64, unit: f64, digits: usize) -> Cell {
    if spread.count() == 0 {
        return Cell::Nothing;
    }
    Cell::Real(spread.quantile(share) as f64 / unit, digits)
}

/// What the run was and what it cost.
pub fn run_table(outcome: &Outcome) -> Table {
    let mut table = Table::new(&[
        "clients",
        "joined",
        "stayed",
        "seconds",
        "server_cpu_ms/s",
        "server_cpu_us/client/s",
        "server_MiB",
        "swarm_cpu_ms/s",
        "late_ms_p50",
        "late_ms_p99",
    ]);
    let stayed = outcome.results.iter().filter(|result| result.was_active).count();
    let server = outcome.server;
    let of_server = |value: fn(f64, f64, f64) -> Cell, cpu: f64| value(cpu, outcome.seconds, stayed as f64);
    table.push(vec![
        Cell::Count(outcome.results.len() as u64),
        Cell::Count(outcome.joined as u64),
        Cell::Count(stayed as u64),
        Cell::Real(outcome.seconds, 1),
        server.map_or(Cell::Nothing, |cost| {
            of_server(|cpu, s, _| Cell::ratio(cpu / 1000.0, s, 2), cost.cpu_micros)
        }),
        server
            .map_or(Cell::Nothing, |cost| of_server(|cpu, s, n| Cell::ratio(cpu, s * n, 1), cost.cpu_micros)),
        server.map_or(Cell::Nothing, |cost| Cell::Real(cost.resident_bytes as f64 / 1_048_576.0, 1)),
        outcome.swarm.map_or(Cell::Nothing, |cost| Cell::ratio(cost.cpu_micros / 1000.0, outcome.seconds, 1)),
        quantile(&outcome.lateness, 0.5, 1000.0, 2),
        quantile(&outcome.lateness, 0.99, 1000.0, 2),
    ]);
    table
}
