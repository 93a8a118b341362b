//! `fogtool corner`: one corner, and the four moments of a reveal on a time line, as a drawing. Its flags are its sliders.
//!
//! An attacker runs behind a wall towards its end; a defender looks past that end. S: the server tells the defender's client of
//! the attacker. A: that arrives, and a cheat knows. R: the client draws it. V: the attacker comes into sight. What is between
//! them is H = V - S, `D_A` = A - S, B = R - A, and from these W = [H - `D_A`]+ and L = [`D_A` + B - H]+.
//!
//! Each of the three can be set; what is left out follows from the server's rate and horizon, the round trip, and a run of the
//! client's real clock.

use crate::plot::{Anchor, COLOURS, dot, escaped, head, line, rectangle, rimmed, text};
use crate::rim::picture::write_picture;
use crate::rules::watch::{Condition, render_delays};
use crate::table::{Cell, Output, Table};
use clap::Args;
use fogline_common::time::Millis;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The sliders.
#[derive(Args, Debug)]
pub struct CornerArgs {
    /// H: how long before the attacker is in sight the server tells of it, in ms. Without it: the horizon less the phase.
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub lead: Option<f64>,
    /// `D_A`: time from the server's telling to its arrival, in ms. Without it: half of the round trip.
    #[arg(long, value_name = "MS")]
    pub delivery: Option<f64>,
    /// B: time from arrival to the first frame that shows the attacker, in ms. Without it: what the client's clock makes of it.
    #[arg(long, value_name = "MS")]
    pub render: Option<f64>,
    /// Frames of the server per second; a snapshot goes out with each.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(i32).range(5..=125))]
    pub fps: i32,
    /// k: frames that the server looks ahead.
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(i32).range(0..=40))]
    pub frames: i32,
    /// How long after the horizon reached the corner the next frame came, 0 to one frame, in ms. Without it: half a frame.
    #[arg(long, value_name = "MS")]
    pub phase: Option<f64>,
    /// Round trip, in ms.
    #[arg(long, value_name = "MS", default_value_t = 60.0)]
    pub rtt: f64,
    /// Time from one frame of the client to the next, in ms.
    #[arg(long, value_name = "MS", default_value_t = 8, value_parser = clap::value_parser!(i32).range(1..=100))]
    pub frame: i32,
    /// `cl_timeNudge` of the client, in ms.
    #[arg(long, value_name = "MS", default_value_t = 0, allow_hyphen_values = true, value_parser = clap::value_parser!(i32).range(-30..=30))]
    pub nudge: i32,
    /// How fast the attacker runs, in units a second.
    #[arg(long, default_value_t = 320.0)]
    pub speed: f64,
    /// Where the drawing goes.
    #[arg(long, default_value = "corner.svg")]
    pub out: PathBuf,
    /// Write it as PNG too.
    #[arg(long)]
    pub png: bool,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
}

/// The three times that decide. Unit: ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// H.
    pub lead: f64,
    /// `D_A`.
    pub delivery: f64,
    /// B.
    pub render: f64,
}

impl Corner {
    /// W = [H − `D_A`]+.
    pub fn window(&self) -> f64 {
        (self.lead - self.delivery).max(0.0)
    }

    /// L = [`D_A` + B − H]+.
    pub fn late(&self) -> f64 {
        (self.delivery + self.render - self.lead).max(0.0)
    }
}

impl CornerArgs {
    /// From what was set and what follows.
    ///
    /// # Errors
    /// A sentence, if a time makes no sense.
    pub fn corner(&self) -> Result<Corner, String> {
        let frame = 1000.0 / f64::from(self.fps);
        let phase = self.phase.unwrap_or(frame / 2.0);
        if !(0.0..=frame).contains(&phase) {
            return Err(format!("--phase {phase}: must be 0 to {frame:.1}, one frame"));
        }
        let render = self.render.unwrap_or_else(|| {
            let condition = Condition {
                fps: self.fps,
                snaps: self.fps,
                rtt_ms: self.rtt as i32,
                jitter_ms: 0,
                loss: 0.0,
                frame: Millis(self.frame),
                nudge: Millis(self.nudge),
                seed: 1,
            };
            let delays = render_delays(&condition);
            delays.get(delays.len() / 2).copied().unwrap_or(0.0)
        });
        let corner = Corner {
            lead: self.lead.unwrap_or(frame * f64::from(self.frames) - phase),
            delivery: self.delivery.unwrap_or(self.rtt / 2.0),
            render,
        };
        let fits = |ms: f64, least: f64| ms.is_finite() && (least..=5000.0).contains(&ms);
        if !fits(corner.lead, -5000.0) || !fits(corner.delivery, 0.0) || !fits(corner.render, 0.0) {
            return Err("lead must be -5000 to 5000 ms, delivery and render 0 to 5000 ms".to_owned());
        }
        if !(self.speed.is_finite() && self.speed > 0.0) {
            return Err(format!("--speed {}: must be above 0", self.speed));
        }
        Ok(corner)
    }
}

/// Draws and prints.
///
/// # Errors
/// A sentence, if a time makes no sense or the drawing cannot be written.
pub fn run(args: &CornerArgs) -> Result<bool, String> {
    let corner = args.corner()?;
    write_picture(&args.out, &draw(&corner, args.speed), args.png)?;
    let mut table = Table::new(&["H_ms", "D_A_ms", "B_ms", "W_ms", "L_ms", "W_units", "L_units"]);
    let Corner { lead, delivery, render } = corner;
    let (window, late) = (corner.window(), corner.late());
    let units = |ms: f64| ms * args.speed / 1000.0;
    table.push(
        [lead, delivery, render, window, late, units(window), units(late)]
            .map(|value| Cell::Real(value, 1))
            .into(),
    );
    show!("{}", table.render(args.output));
    Ok(true)
}

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 560.0;
/// Where time begins and ends on the page.
const TIME: [f64; 2] = [190.0, 880.0];
/// Heights on the page: the attacker's way, the wall, the defender, the first bar, the axis.
const WAY_Y: f64 = 110.0;
const WALL_Y: [f64; 2] = [150.0, 172.0];
const DEFENDER_Y: f64 = 265.0;
const BARS_Y: f64 = 318.0;
const BAR_STEP: f64 = 34.0;
const AXIS_Y: f64 = 506.0;

/// The drawing.
pub fn draw(corner: &Corner, speed: f64) -> String {
    let (arrival, drawn, seen) = (corner.delivery, corner.delivery + corner.render, corner.lead);
    let first = 0f64.min(seen);
    let last = drawn.max(seen).max(1.0);
    let margin = (last - first) * 0.12;
    let page =
        |ms: f64| TIME[0] + (ms - first + margin) / (last - first + 2.0 * margin) * (TIME[1] - TIME[0]);
    let mut svg = head(WIDTH, HEIGHT);
    let title = format!(
        "One corner: told {seen:.0} ms before in sight, {arrival:.0} ms on the way, drawn {:.0} ms after arrival",
        corner.render
    );
    text(&mut svg, [30.0, 28.0], Anchor::Start, 16.0, "#111", &title);
    let outcome = format!(
        "a cheat knows {:.0} ms early (the attacker runs {:.0} units); the player sees {:.0} ms late ({:.0} units)",
        corner.window(),
        corner.window() * speed / 1000.0,
        corner.late(),
        corner.late() * speed / 1000.0
    );
    text(&mut svg, [30.0, 49.0], Anchor::Start, 13.0, "#444", &outcome);
    scene(&mut svg, page(seen));
    let moments = [
        ("S", 0.0, COLOURS[0]),
        ("A", arrival, COLOURS[1]),
        ("R", drawn, COLOURS[2]),
        ("V", seen, "#111111"),
    ];
    let mut order = moments;
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut taken = f64::MIN;
    let mut level = 0;
    for (name, ms, colour) in order {
        let x = page(ms);
        // Letters that would touch stand one above the other.
        level = if x - taken < 15.0 { level + 1 } else { 0 };
        taken = x;
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{WAY_Y}\" x2=\"{x:.1}\" y2=\"{AXIS_Y}\" stroke=\"{colour}\" stroke-dasharray=\"4 4\"/>"
        );
        dot(&mut svg, [x, WAY_Y], 7.0, colour, 1.0);
        text(&mut svg, [x, WAY_Y - 14.0 - f64::from(level) * 15.0], Anchor::Middle, 14.0, colour, name);
    }
    rimmed(&mut svg, [TIME[1] - 74.0, DEFENDER_Y + 5.0], Anchor::End, 13.0, "#111", "defender");
    let bars = [
        ("H, the server's lead", 0.0, seen, COLOURS[0]),
        ("D_A, delivery", 0.0, arrival, COLOURS[4]),
        ("B, render delay", arrival, drawn, COLOURS[2]),
        ("W, a cheat knows", arrival, seen.max(arrival), COLOURS[1]),
        ("L, in sight, not drawn", seen.min(drawn), drawn, COLOURS[3]),
    ];
    for (n, (name, from, to, colour)) in bars.into_iter().enumerate() {
        let y = BARS_Y + n as f64 * BAR_STEP;
        let [low, high] = if from <= to { [from, to] } else { [to, from] };
        text(&mut svg, [30.0, y + 14.0], Anchor::Start, 13.0, "#111", name);
        rectangle(&mut svg, [page(low), y], [page(high).max(page(low) + 1.0), y + 18.0], colour, 0.85);
        let words = format!("{:.0} ms", to - from);
        rimmed(&mut svg, [page(high) + 8.0, y + 14.0], Anchor::Start, 12.0, "#111", &words);
    }
    axis(&mut svg, first - margin, last + margin, page);
    svg.push_str("</svg>\n");
    svg
}

/// The corner from above: the attacker's way, the wall, the defender and its line of sight past the wall's end.
fn scene(svg: &mut String, seen_x: f64) {
    let defender = [TIME[1] - 60.0, DEFENDER_Y];
    // The line from the defender to where the attacker comes into sight touches the wall's lower corner.
    let share = (DEFENDER_Y - WALL_Y[1]) / (DEFENDER_Y - WAY_Y);
    let edge = defender[0] + (seen_x - defender[0]) * share;
    let _ = writeln!(
        svg,
        "<polygon points=\"{:.1},{DEFENDER_Y} {seen_x:.1},{WAY_Y} {:.1},{WAY_Y}\" fill=\"#f2c14e\" fill-opacity=\"0.22\"/>",
        defender[0], TIME[1]
    );
    line(svg, defender, [seen_x, WAY_Y], "#b8860b", 1.4);
    rectangle(svg, [TIME[0] - 40.0, WALL_Y[0]], [edge.max(TIME[0] - 30.0), WALL_Y[1]], "#777777", 1.0);
    line(svg, [TIME[0] - 40.0, WAY_Y], [TIME[1], WAY_Y], "#555", 1.2);
    let tip = TIME[1];
    let _ = writeln!(
        svg,
        "<polygon points=\"{tip},{WAY_Y} {:.1},{:.1} {:.1},{:.1}\" fill=\"#555\"/>",
        tip - 10.0,
        WAY_Y - 5.0,
        tip - 10.0,
        WAY_Y + 5.0
    );
    dot(svg, defender, 8.0, "#333333", 1.0);
    text(svg, [30.0, WAY_Y + 5.0], Anchor::Start, 13.0, "#111", "attacker runs");
    text(svg, [30.0, WALL_Y[1] - 6.0], Anchor::Start, 13.0, "#111", "wall");
}

fn axis(svg: &mut String, low: f64, high: f64, page: impl Fn(f64) -> f64) {
    line(svg, [TIME[0], AXIS_Y], [TIME[1], AXIS_Y], "#333", 1.2);
    let step = [5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0];
    let step = step.into_iter().find(|step| (high - low) / step <= 12.0).unwrap_or(2000.0);
    let mut at = (low / step).ceil() * step;
    while at <= high {
        let x = page(at);
        line(svg, [x, AXIS_Y], [x, AXIS_Y + 5.0], "#333", 1.2);
        text(svg, [x, AXIS_Y + 20.0], Anchor::Middle, 12.0, "#333", &escaped(&format!("{:.0}", at + 0.0)));
        at += step;
    }
    let words = "time after the server told (ms)";
    text(svg, [f64::midpoint(TIME[0], TIME[1]), AXIS_Y + 42.0], Anchor::Middle, 13.0, "#111", words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: CornerArgs,
    }

    fn corner(words: &str) -> Result<Corner, String> {
        let line = format!("corner {words}");
        Line::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())?.args.corner()
    }

    #[test]
    fn between_the_two_bounds_window_and_lateness_share_the_render_delay() {
        let at = |lead| Corner { lead, delivery: 30.0, render: 54.0 };
        for lead in [30.0, 50.0, 84.0] {
            assert_eq!(at(lead).window() + at(lead).late(), 54.0, "{lead}");
        }
        assert_eq!((at(10.0).window(), at(10.0).late()), (0.0, 74.0));
        assert_eq!((at(125.0).window(), at(125.0).late()), (95.0, 0.0));
    }

    #[test]
    fn what_is_not_set_follows_from_rate_horizon_round_trip_and_clock() {
        let found = corner("--fps 20 --frames 3 --phase 0 --rtt 40").unwrap();
        assert_eq!((found.lead, found.delivery), (150.0, 20.0));
        assert!((52.0..=58.0).contains(&found.render), "{}", found.render);
        assert_eq!(
            corner("--lead -10 --delivery 5 --render 7").unwrap(),
            Corner { lead: -10.0, delivery: 5.0, render: 7.0 }
        );
        for wrong in ["--phase 51", "--lead 9000", "--delivery -1", "--speed 0", "--nudge 31"] {
            assert!(corner(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn all_four_moments_are_drawn_whatever_their_order() {
        for lead in [-50.0, 0.0, 30.0, 60.0, 200.0] {
            let svg = draw(&Corner { lead, delivery: 30.0, render: 54.0 }, 320.0);
            for name in ["S", "A", "R", "V"] {
                assert!(svg.contains(&format!(">{name}</text>")), "{name} at {lead}");
            }
            assert!(!svg.contains("NaN"));
        }
    }
}
