//! Every line, every rate, every way to move: what the shooter draws is what the server judges by.
//!
//! What a client had when it drew is known from what its packets acknowledge. Where each packet tells of one snapshot at most, the
//! answer is as good as exact; where snapshots come faster than packets (`cl_maxpackets 30`, 40 snapshots a second) on a line that is
//! uneven or loses some, nobody says which of them came with which picture, and now and then the guess is wrong.
//!
//! A quick share runs with all tests. All of it, with the table of `server/docs/rewind.md`:
//! `cargo test --release -p fogline-tests --test it rewind_grid -- --ignored --nocapture`

use fogline_common::time::Millis;
use fogline_tests::shooting::{Range, Score, Shooting};
use fogline_tools::script::Script;
use std::collections::BTreeMap;

const ROUND_TRIPS: [i32; 6] = [0, 25, 60, 120, 250, 300];
/// Jitter on each way, share lost on each way.
const UNEVEN: [(i32, f64); 4] = [(0, 0.0), (20, 0.0), (0, 0.05), (20, 0.05)];
/// `snaps` and `sv_fps`.
const RATES: [(i32, i32); 6] = [(20, 20), (40, 20), (20, 40), (40, 40), (20, 125), (40, 125)];
/// `None` stands on the lift.
const TARGETS: [Option<Script>; 5] =
    [Some(Script::Wander), Some(Script::Peek), Some(Script::Jump), Some(Script::Crouch), None];
/// Frame time and `cl_maxpackets`: a packet with every frame, and the defaults of stock clients.
const CLIENTS: [(i32, i32); 2] = [(8, 125), (12, 30)];
const SPAN: Millis = Millis(20_000);
/// The quick share is every so-manieth cell.
const QUICK: usize = 61;

/// One cell of the grid, as its row of the table is named.
#[derive(Clone, Copy, Debug)]
struct Cell {
    client: (i32, i32),
    rate: (i32, i32),
    uneven: (i32, f64),
    target: Option<Script>,
    round_trip: i32,
}

impl Cell {
    fn all() -> Vec<Self> {
        let mut cells = Vec::new();
        for client in CLIENTS {
            for rate in RATES {
                for uneven in UNEVEN {
                    for target in TARGETS {
                        let cell = |round_trip| Self { client, rate, uneven, target, round_trip };
                        cells.extend(ROUND_TRIPS.map(cell));
                    }
                }
            }
        }
        cells
    }

    fn range(&self) -> Range {
        Range {
            round_trip: Millis(self.round_trip),
            jitter: Millis(self.uneven.0),
            loss: self.uneven.1,
            snaps: self.rate.0,
            fps: self.rate.1,
            target: self.target.unwrap_or(Script::Idle),
            on_lift: self.target.is_none(),
            frame: Millis(self.client.0),
            max_packets: self.client.1,
            ..Range::default()
        }
    }

    /// Plays it. The seed is its number in the grid.
    fn play(&self, seed: u64) -> Score {
        Shooting::new(seed, &self.range()).run(SPAN)
    }

    /// Least share of rays that hit the same in the drawn scene and by the server, and most boxes further off than half a unit.
    fn limits(&self) -> (f64, f64) {
        let even = self.uneven == (0, 0.0);
        let snapshot_gap = 1000 / self.rate.0.min(self.rate.1);
        let packet_gap = 1000 / self.client.1;
        match (even, packet_gap <= snapshot_gap) {
            (true, _) => (1.0, 0.0),
            (false, true) => (0.999, 0.015),
            (false, false) => (0.993, 0.16),
        }
    }

    fn row(&self) -> String {
        let ((frame, packets), (snaps, fps), (jitter, loss)) = (self.client, self.rate, self.uneven);
        format!("| {frame:2} / {packets:3} | {snaps} / {fps:3} | {jitter:2} | {:2.0} |", loss * 100.0)
    }
}

fn print(rows: &BTreeMap<String, Score>) {
    println!(
        "| frame ms / packets | snaps / sv_fps | jitter ms | loss % | rays | agree % | boxes off % | worst | hit % | present % |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (row, score) in rows {
        let share = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of.max(1));
        println!(
            "{row} {} | {:.3} | {:.3} | {:.2} | {:.1} | {:.1} |",
            score.rays,
            share(score.agreed, score.rays),
            share(score.off, score.boxes),
            score.worst_error,
            share(score.hits, score.rays),
            share(score.hits_in_present, score.rays),
        );
    }
}

/// Plays them, prints the table, and checks each row.
fn check(cells: impl Iterator<Item = (usize, Cell)>) {
    let mut rows = BTreeMap::<String, Score>::new();
    let mut limits = BTreeMap::new();
    let mut all = Score::default();
    for (seed, cell) in cells {
        let score = cell.play(seed as u64);
        assert!(score.rays > 100, "seed {seed}, {cell:?}: hardly a shot: {score:?}");
        assert_eq!(score.faults, 0, "seed {seed}, {cell:?}: {score:?}");
        if score.off > 0 || score.agreed != score.rays {
            eprintln!("seed {seed}, {cell:?}: {score:?}");
        }
        *rows.entry(cell.row()).or_default() += score;
        limits.insert(cell.row(), cell.limits());
        all += score;
    }
    print(&rows);
    let agree = |score: &Score| f64::from(score.agreed) / f64::from(score.rays);
    for (row, score) in &rows {
        let (least, most_off) = limits[row];
        // A row of the quick share is a cell or two, in which one ray is half a percent.
        let one_ray = 1.0 / f64::from(score.rays);
        assert!(agree(score) + one_ray >= least, "{row} {score:?}");
        let off = f64::from(score.off) / f64::from(score.boxes);
        let one_box = if most_off > 0.0 { 1.0 / f64::from(score.boxes) } else { 0.0 };
        assert!(off - one_box <= most_off, "{row} {score:?}");
    }
    assert!(agree(&all) >= 0.999, "{all:?}");
}

#[test]
fn a_share_of_the_grid_is_judged_as_drawn() {
    check(Cell::all().into_iter().enumerate().step_by(QUICK));
}

#[test]
#[ignore = "minutes"]
fn the_whole_grid_is_judged_as_drawn() {
    check(Cell::all().into_iter().enumerate());
}
