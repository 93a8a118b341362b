//! `fogtool lesson`: the textbook's scene of lag compensation, judged by the server's own code.
//!
//! A target runs past a row of pillars; somebody shoots twice a second at the middle of what it draws, while it draws it in a gap.
//! For each cap and latency: how many shots hit, and how many of those hit somebody who had reached cover by then. Run: 5 m/s, a
//! body of 0.8 m, 100 ms of interpolation, 50 frames a second; a metre is 32 units.
//!
//! The textbook's latency is one way: what is drawn is old by one latency, the interpolation and a frame ("about 270 ms" at 150),
//! and the shot needs as long again, so that a shot at 150 ms is 420 ms late. Only so are all of its sentences true: within a cap
//! of 250 ms every shot hits at 75 ms and none at 150.
//!
//! How wide the gaps are it does not say in words, but by a figure: 30 of 88 hits at 150 ms fall on somebody in cover. Of all shots
//! that hit, those do that were fired during the last stretch of a gap that is as long as the run from picture to verdict, 5 m/s for
//! 420 ms or 2.1 m; so a gap is 2.1 m * 88 / 30, or some 6 m. What other widths would give is in the table too.

use crate::table::{Cell, Output, Table};
use clap::Args;
use fogline_common::collision::trace_box;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::entity_flag;
use fogline_common::proto::contents;
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::TraceRequest;
use fogline_server::game::SharedEntity;
use fogline_server::rewind::beat::Pictures;
use fogline_server::rewind::history::{Body, History, MARGIN};
use fogline_server::rewind::moment::Moment;
use fogline_server::rewind::movers::Movers;
use fogline_server::rewind::sent::Sent;

/// How long to shoot.
#[derive(Args, Debug)]
pub struct LessonArgs {
    /// Simulated time for each row.
    #[arg(long, default_value_t = 240)]
    pub seconds: i32,
    /// Further widths of the gaps, in metres, from 1 to 40, under a cap of 1000 ms.
    #[arg(long, value_delimiter = ',', default_values_t = GAPS_M)]
    pub gaps: Vec<f32>,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// How far back a shot is judged at most; `None` for not at all.
    pub cap: Option<Millis>,
    /// Width of a gap. Unit: m.
    pub gap_m: f32,
    /// One way.
    pub latency: Millis,
    /// Shots fired.
    pub shots: u32,
    /// Of those, hits.
    pub hits: u32,
    /// Of the hits, those on a target that had reached cover when the shot came.
    pub behind_cover: u32,
}

const LATENCIES: [i32; 6] = [25, 50, 75, 100, 125, 150];
const CAPS: [Option<Millis>; 4] = [None, Some(Millis(1000)), Some(Millis(250)), Some(Millis(100))];
const STEP: Millis = Millis(20);
const INTERPOLATION_MS: i32 = 100;
/// About twice a second, but at no beat of the pillars, so that shots come at every place of a gap.
const SHOT_EVERY_MS: i32 = 520;
/// Units a second.
const SPEED: f32 = 160.0;
const HALF_BODY: f32 = 12.8;
const PILLARS: f32 = 7.0;
const PILLAR: f32 = 96.0;
/// Units of a metre.
const METRE: f32 = 32.0;
/// The textbook's, by its own figure.
const GAP_M: f32 = 6.0;
const GAPS_M: [f32; 4] = [3.0, 4.0, 8.0, 12.0];
const DISTANCE: f32 = 600.0;

/// Prints the table.
///
/// # Errors
/// None.
pub fn run(args: &LessonArgs) -> Result<bool, String> {
    let seconds = args.seconds.clamp(1, 36_000);
    let mut all = rows(seconds);
    for gap_m in &args.gaps {
        if !(1.0..=40.0).contains(gap_m) {
            return Err(format!("lesson: a gap of {gap_m} m; say a width from 1 to 40 with --gaps"));
        }
        all.extend(rows_of_gap(*gap_m, seconds));
    }
    show!("{}", table(&all).render(args.output));
    Ok(true)
}

/// All rows.
pub fn rows(seconds: i32) -> Vec<Row> {
    let all = CAPS.iter().flat_map(|&cap| LATENCIES.map(|latency| (cap, Millis(latency))));
    all.map(|(cap, latency)| play(cap, latency, GAP_M, seconds)).collect()
}

/// Rows of another width of the gaps, under a cap that is never reached.
pub fn rows_of_gap(gap_m: f32, seconds: i32) -> Vec<Row> {
    LATENCIES.map(|latency| play(Some(Millis(1000)), Millis(latency), gap_m, seconds)).to_vec()
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "cap_ms",
        "gap_m",
        "latency_ms",
        "shots",
        "hits",
        "hits_pct",
        "behind_cover",
        "behind_cover_pct",
    ]);
    for row in rows {
        let share = |part: u32, of: u32| Cell::ratio(f64::from(part) * 100.0, f64::from(of), 0);
        let count = |n: u32| Cell::Count(u64::from(n));
        table.push(vec![
            row.cap.map_or(Cell::text("none"), |cap| count(cap.0.unsigned_abs())),
            Cell::ratio(f64::from(row.gap_m), 1.0, 1),
            count(row.latency.0.unsigned_abs()),
            count(row.shots),
            count(row.hits),
            share(row.hits, row.shots),
            count(row.behind_cover),
            share(row.behind_cover, row.hits),
        ]);
    }
    table
}

fn play(cap: Option<Millis>, latency: Millis, gap_m: f32, seconds: i32) -> Row {
    let gap = gap_m * METRE;
    let target = ClientNum::all(2).next_back().expect("there are two");
    let span = cap.unwrap_or(Millis(0)) + MARGIN;
    let mut history = History::new(span, STEP);
    let mut sent = Sent::new(history.capacity());
    let mut row = Row { cap, gap_m, latency, shots: 0, hits: 0, behind_cover: 0 };
    for frame in 1..=seconds * 1000 / STEP.0 {
        let now = ServerTime(frame * STEP.0);
        let body = target_at(now, gap);
        history.begin_frame(now);
        history.put(target, &Body { entity: &body, spawn_count: 1, view_height: 26 });
        history.end_frame();
        let newest = history.newest().unwrap_or_default();
        sent.push(frame.unsigned_abs(), newest, now, 1 << target.index());
        sent.acknowledge(frame.unsigned_abs(), &Pictures::none(true), STEP, 0);
        // A shot comes with every command that was made at a multiple of the shots' pace.
        let fired_ms = now.0 - latency.0;
        if fired_ms.rem_euclid(SHOT_EVERY_MS) >= STEP.0 || fired_ms < 2000 {
            continue;
        }
        let drawn_at = now - age_of_shot(latency);
        let Some(drawn) = drawn_in_gap(drawn_at, gap) else { continue };
        row.shots += 1;
        let judged = match cap {
            None => Some(body.state.pos.base),
            Some(cap) => Moment::resolve(&history, &sent, drawn_at, now - cap)
                .and_then(|moment| Some(moment.pose(&history, &Movers::default(), target)?.origin)),
        };
        if judged.is_some_and(|origin| hits(drawn, &body.link.bounds, origin)) {
            row.hits += 1;
            row.behind_cover += u32::from(!is_in_gap(body.state.pos.base.x, gap));
        }
    }
    row
}

/// How old the picture that was fired at is when the shot comes. It waits for a frame on the way.
fn age_of_shot(latency: Millis) -> Millis {
    Millis(2 * latency.0 + INTERPOLATION_MS + STEP.0)
}

/// The target runs past so many pillars and begins again. Unit: world units.
fn course(gap: f32) -> f32 {
    PILLARS * (gap + PILLAR)
}

fn target_at(time: ServerTime, gap: f32) -> SharedEntity {
    let way = SPEED * time.0 as f32 / 1000.0;
    let mut body = SharedEntity::default();
    body.state.pos.base = vec3(way % course(gap), DISTANCE, 0.0);
    if (way / course(gap)) as i32 % 2 == 1 {
        body.state.flags |= entity_flag::TELEPORT_BIT;
    }
    body.link.contents = contents::BODY;
    body.link.bounds = Bounds::new(vec3(-HALF_BODY, -HALF_BODY, -24.0), vec3(HALF_BODY, HALF_BODY, 32.0));
    body
}

/// Where the target is drawn, if that is wholly in a gap and far from where it begins again.
fn drawn_in_gap(time: ServerTime, gap: f32) -> Option<Vec3> {
    let at = target_at(time, gap).state.pos.base;
    let runs_on = at.x < course(gap) - gap && at.x > gap;
    (runs_on && is_in_gap(at.x, gap)).then_some(at)
}

fn is_in_gap(x: f32, gap: f32) -> bool {
    x % (gap + PILLAR) < gap
}

fn hits(aim: Vec3, bounds: &Bounds, origin: Vec3) -> bool {
    let start = vec3(aim.x, 0.0, 0.0);
    let request = TraceRequest::ray(start, start + (aim - start) * 4.0, contents::BODY, None);
    trace_box(bounds, origin, contents::BODY, &request).hit()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the textbook says of a row: how it answers perfect aim.
    #[derive(Debug, PartialEq)]
    enum Answer {
        AllHit,
        AllMiss,
    }

    fn answer(row: &Row) -> Option<Answer> {
        match row.hits {
            0 => Some(Answer::AllMiss),
            hits if hits == row.shots => Some(Answer::AllHit),
            _ => None,
        }
    }

    #[test]
    fn the_lesson_is_what_the_textbook_says() {
        let rows = rows(240);
        let row = |cap: Option<i32>, latency: i32| {
            *rows.iter().find(|row| row.cap == cap.map(Millis) && row.latency.0 == latency).unwrap()
        };
        assert!(rows.iter().all(|row| row.shots > 200), "{rows:?}");
        for latency in LATENCIES {
            // "0% of perfectly aimed shots hit, at 25 ms latency as much as at 150"; "100% of shots hit, at every latency".
            assert_eq!(answer(&row(None, latency)), Some(Answer::AllMiss), "{latency}");
            assert_eq!(answer(&row(Some(1000), latency)), Some(Answer::AllHit), "{latency}");
        }
        // "Set Rewind at most to 250 ms, and at 150 ms latency every shot misses again."
        assert_eq!(answer(&row(Some(250), 150)), Some(Answer::AllMiss));
        // "At 75 ms latency, the 250 ms cap still compensates fully; a 100 ms cap doesn't."
        assert_eq!(answer(&row(Some(250), 75)), Some(Answer::AllHit));
        assert_eq!(answer(&row(Some(100), 75)), Some(Answer::AllMiss));
        // "With a 1 s rewind limit, 30 of 88 hits are on a target that [...] had already reached cover."
        let unfair = row(Some(1000), 150);
        let share = f64::from(unfair.behind_cover) / f64::from(unfair.hits);
        assert!((share - 30.0 / 88.0).abs() < 0.03, "{unfair:?}");
    }

    #[test]
    fn the_width_of_a_gap_follows_from_the_textbook_and_the_share_from_the_width() {
        let run_m = |latency: i32| SPEED / METRE * age_of_shot(Millis(latency)).0 as f32 / 1000.0;
        let from_its_figure = run_m(150) * 88.0 / 30.0;
        assert!((from_its_figure - GAP_M).abs() < 0.5, "{from_its_figure} m");
        for gap_m in [GAP_M].into_iter().chain(GAPS_M) {
            for row in rows_of_gap(gap_m, 1000) {
                // No run is longer than a pillar. Shots come at fifteen places of the narrowest gap, so a place is a fifteenth.
                let (share, expected) =
                    (row.behind_cover as f32 / row.hits as f32, run_m(row.latency.0) / gap_m);
                assert!((share - expected).abs() < 0.07, "{row:?}: {share}, {expected}");
            }
        }
    }

    #[test]
    fn the_cap_decides_who_carries_the_cost() {
        let rows = rows(240);
        for row in &rows {
            // A shot at the cap is off by what the target ran in the time beyond it; half a body forgives.
            let beyond_ms = (age_of_shot(row.latency).0 - row.cap.map_or(0, |cap| cap.0)).max(0);
            let forgiven = SPEED * beyond_ms as f32 / 1000.0 < HALF_BODY;
            let wanted = if forgiven { Answer::AllHit } else { Answer::AllMiss };
            assert_eq!(answer(row), Some(wanted), "{row:?}");
            // Nobody dies behind cover by a shot that misses, and with no cap the share grows with the latency.
            assert!(row.behind_cover <= row.hits, "{row:?}");
        }
        let unfair: Vec<u32> =
            rows.iter().filter(|row| row.cap == Some(Millis(1000))).map(|row| row.behind_cover).collect();
        assert!(unfair.is_sorted() && unfair[0] * 2 < unfair[5], "{unfair:?}");
    }
}
