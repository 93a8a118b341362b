//! Every line, every rate, every way to move: what the shooter draws is what the server judges by.
//!
//! What a client had when it drew is known from what its packets tell. Where packets are rarer than snapshots, two courses of events
//! may look the same from the server and draw different boxes: it takes the likelier and says that it is not sure (`Shot::sure`). So
//! in each row every box must be exact where the server is sure, and else it must be right more often than not; and what the goal
//! says, where a packet tells of one snapshot at most.
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
const QUICK: usize = 53;

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

    /// A packet tells of one snapshot at most: it comes with every picture, or two snapshots never come between two packets.
    fn is_told(&self) -> bool {
        let ((frame, packets), (jitter, loss)) = (self.client, self.uneven);
        let snapshot_gap = 1000 / self.rate.0.min(self.rate.1);
        // Packets leave with pictures.
        let packet_gap = (1000 / packets + frame - 1) / frame * frame;
        packet_gap == frame || self.uneven == (0, 0.0) || (loss == 0.0 && packet_gap <= snapshot_gap - jitter)
    }

    fn row(&self) -> String {
        let ((frame, packets), (snaps, fps), (jitter, loss)) = (self.client, self.rate, self.uneven);
        format!("| {frame:2} / {packets:3} | {snaps} / {fps:3} | {jitter:2} | {:2.0} |", loss * 100.0)
    }
}

fn print(rows: &BTreeMap<String, (bool, Score)>) {
    print!(
        "| frame ms / packets | snaps / sv_fps | jitter ms | loss % | rays | agree % | sure % | agree, sure % "
    );
    println!("| boxes off % | off, sure | worst | hit % | present % |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (row, (_, score)) in rows {
        let share = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of.max(1));
        println!(
            "{row} {} | {:.3} | {:.1} | {:.3} | {:.3} | {} | {:.2} | {:.1} | {:.1} |",
            score.rays,
            share(score.agreed, score.rays),
            share(score.sure, score.rays),
            share(score.sure_agreed, score.sure),
            share(score.off, score.boxes),
            score.sure_off,
            score.worst_error,
            share(score.hits, score.rays),
            share(score.hits_in_present, score.rays),
        );
    }
}

/// Plays them, prints the table, and checks each row.
fn check(cells: impl Iterator<Item = (usize, Cell)>) {
    let mut rows = BTreeMap::<String, (bool, Score)>::new();
    let mut all = Score::default();
    for (seed, cell) in cells {
        let score = cell.play(seed as u64);
        assert!(score.rays > 100, "seed {seed}, {cell:?}: hardly a shot: {score:?}");
        assert_eq!(score.faults, 0, "seed {seed}, {cell:?}: {score:?}");
        if score.off > 0 || score.agreed != score.rays {
            eprintln!("seed {seed}, {cell:?}: {score:?}");
        }
        let row = rows.entry(cell.row()).or_insert((cell.is_told(), Score::default()));
        row.1 += score;
        all += score;
    }
    print(&rows);
    for (row, (is_told, score)) in &rows {
        assert_eq!(score.sure_off, 0, "sure, and off: {row} {score:?}");
        assert!(
            f64::from(score.sure_agreed) >= 0.999 * f64::from(score.sure),
            "sure, and wrong: {row} {score:?}"
        );
        let (wrong, unsure) = (score.rays - score.agreed, score.rays - score.sure);
        assert!(wrong * 2 <= unsure, "no better than guessing: {row} {score:?}");
        // A row of the quick share is a cell or two, in which one ray is half a percent.
        let may_be_wrong = if *is_told { (score.rays / 1000).max(1) } else { unsure / 2 };
        assert!(wrong <= may_be_wrong, "{row} {score:?}");
    }
    assert!(f64::from(all.agreed) >= 0.999 * f64::from(all.rays), "{all:?}");
}

/// The quick share has each value of each axis at least three times.
#[test]
fn the_quick_share_is_a_fair_sample() {
    let cells = Cell::all();
    assert_eq!(cells.len(), 6 * 4 * 6 * 5 * 2);
    let share: Vec<_> = cells.into_iter().step_by(QUICK).collect();
    let at_least = |what: &str, least: usize, of: &dyn Fn(&Cell) -> bool| {
        let count = share.iter().filter(|cell| of(cell)).count();
        assert!(count >= least, "{what}: {count} of {}", share.len());
    };
    for trip in ROUND_TRIPS {
        at_least("round trip", 3, &|cell| cell.round_trip == trip);
    }
    for uneven in UNEVEN {
        at_least("line", 3, &|cell| cell.uneven == uneven);
    }
    for rate in RATES {
        at_least("rate", 3, &|cell| cell.rate == rate);
    }
    for target in TARGETS {
        at_least("target", 3, &|cell| cell.target == target);
    }
    for client in CLIENTS {
        at_least("client", 10, &|cell| cell.client == client);
    }
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
