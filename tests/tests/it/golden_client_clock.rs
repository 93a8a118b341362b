//! The client's clock against recordings of OpenMoHAA's, frame by frame: drawn time, offset, rule, pending flag, and from them
//! how long after its arrival each snapshot is first drawn.

use fogline_common::time::{Millis, ServerTime};
use fogline_tests::golden;
use fogline_tools::client::clock::{ClientClock, ClockConfig, Newest, Rule, Tick};
use std::collections::HashMap;

type Row = HashMap<String, String>;

fn rows(name: &str) -> Vec<Row> {
    let (header, rows) = golden::csv(name);
    rows.into_iter().map(|row| header.iter().cloned().zip(row).collect()).collect()
}

fn int(row: &Row, column: &str) -> i32 {
    row[column].parse().unwrap_or_else(|e| panic!("{column}: {:?}: {e}", row[column]))
}

struct Script {
    name: String,
    snaps: Vec<Row>,
    frames: Vec<Row>,
    clock: ClientClock,
}

fn scripts() -> Vec<Script> {
    let (snaps, frames) = (rows("visibility/c_clock_snaps.csv"), rows("visibility/c_clock_frames.csv"));
    let of = |rows: &[Row], name: &str| -> Vec<Row> {
        rows.iter().filter(|row| row["script"] == name).cloned().collect()
    };
    let script = |row: Row| {
        let config = ClockConfig { nudge: Millis(int(&row, "cl_timeNudge")), restart_by_server_count: true };
        let name = row["script"].clone();
        let (snaps, frames) = (of(&snaps, &name), of(&frames, &name));
        Script { name, snaps, frames, clock: ClientClock::new(config) }
    };
    rows("visibility/c_clock_scripts.csv").into_iter().map(script).collect()
}

impl Script {
    /// Runs every recorded frame, and hands on what the clock said together with the snapshot that it applied.
    fn run(&mut self, mut each: impl FnMut(&str, &Row, &Tick, Option<&Row>)) {
        let mut snaps = self.snaps.iter().peekable();
        let mut newest = Newest { time: ServerTime(0), flags: 0, is_new: false };
        for frame in &self.frames {
            let real = int(frame, "realtime");
            let mut applied = None;
            while let Some(snap) = snaps.next_if(|snap| int(snap, "arrival") <= real) {
                newest.time = ServerTime(int(snap, "snap_server_time"));
                newest.flags = int(snap, "snap_flags");
                applied = Some(snap);
            }
            newest.is_new = applied.is_some();
            let at = format!("{} at {real}", self.name);
            let tick = self.clock.frame(real, &newest).unwrap_or_else(|e| panic!("{at}: {e}"));
            let tick = tick.unwrap_or_else(|| panic!("{at}: nothing drawn"));
            assert_eq!(self.clock.offset(), Some(int(frame, "delta_after")), "offset, {at}");
            let extrapolated = i32::from(self.clock.extrapolated());
            assert_eq!(extrapolated, int(frame, "extrapolated_after"), "pending flag, {at}");
            each(&at, frame, &tick, applied);
        }
    }
}

#[test]
fn golden_client_clock() {
    for mut script in scripts() {
        let mut adjustments = 0;
        script.run(|at, frame, tick, applied| {
            assert_eq!(tick.drawn.0, int(frame, "server_time"), "drawn time, {at}");
            let Some(snap) = applied else {
                assert!(tick.adjusted.is_none(), "adjusted without a snapshot, {at}");
                return;
            };
            let adjusted = tick.adjusted.unwrap_or_else(|| panic!("not adjusted, {at}"));
            let kind = match adjusted.rule {
                Rule::First => "FIRST",
                Rule::Reset => "RESET",
                Rule::Fast => "FAST",
                Rule::Back2 => "BACK2",
                Rule::Forward1 => "FWD1",
            };
            assert_eq!(kind, snap["kind"], "rule, {at}");
            assert_eq!(adjusted.before, int(snap, "delta_before"), "offset before, {at}");
            assert_eq!(adjusted.after, int(snap, "delta_after"), "offset after, {at}");
            adjustments += 1;
        });
        assert!(adjustments > 10, "{}: only {adjustments} snapshots applied", script.name);
    }
}

#[test]
fn golden_client_reveal() {
    let expected = rows("visibility/h_reveal_delay.csv");
    let key = |row: &Row| (row["script"].clone(), int(row, "seq"));
    for mut script in scripts() {
        let mut drawn = Vec::new();
        script.run(|_, frame, tick, _| drawn.push((int(frame, "realtime"), tick.drawn)));
        let mut revealed = HashMap::new();
        for snap in &script.snaps {
            let (time, arrival) = (ServerTime(int(snap, "snap_server_time")), int(snap, "arrival"));
            let first = drawn.iter().find(|(real, drawn)| *real >= arrival && *drawn >= time);
            if let Some((real, _)) = first {
                revealed.insert(key(snap), (*real, real - arrival));
            }
        }
        let mut expected_here = 0;
        for row in expected.iter().filter(|row| row["script"] == script.name) {
            let first = (int(row, "first_drawn_realtime"), int(row, "b_ms"));
            assert_eq!(revealed.get(&key(row)), Some(&first), "{:?}", key(row));
            expected_here += 1;
        }
        assert_eq!(revealed.len(), expected_here, "{}: revealed more than was recorded", script.name);
    }
}
