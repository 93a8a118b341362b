//! A shot as an SVG: a plan and a side view along its first ray.
//!
//! Blue and filled: where the shooter drew a player, which is where the shot was judged. Red and dashed: where that player was when
//! the shot came. A grey arrow leads from the one to the other.

use super::headline;
use crate::plot::{Anchor, dot, head, line, rimmed, text};
use serde_json::Value;
use std::fmt::Write as _;

const WIDTH: f64 = 960.0;
const BORDER: f64 = 24.0;
/// From a panel's rim to what is in it.
const INSET: f64 = 44.0;
/// Heights of a panel.
const LOWEST: f64 = 150.0;
const HIGHEST: f64 = 400.0;
/// Height of the words above, and of the legend below.
const WORDS: f64 = 84.0;
const LEGEND: f64 = 40.0;
/// A scale is about this long on the page.
const SCALE_LENGTH: f64 = 120.0;

const THEN: &str = "#1f5fbf";
const NOW: &str = "#c03020";
const RAY: &str = "#222222";
const QUIET: &str = "#666666";

/// One of the two views: right and up on the page.
type Project<'a> = &'a dyn Fn([f64; 3]) -> [f64; 2];

/// A player's box in a view.
struct Shape {
    client: i64,
    is_then: bool,
    /// Corners of its outline, in order.
    outline: Vec<[f64; 2]>,
    middle: [f64; 2],
}

/// The drawing. `None` if the line lacks what it needs.
pub fn draw(shot: &Value) -> Option<String> {
    let rays: Vec<Ray> = shot["rays"].as_array()?.iter().map(Ray::read).collect::<Option<_>>()?;
    let Ray { start, came, .. } = *rays.first()?;
    let yaw = (came[1] - start[1]).atan2(came[0] - start[0]);
    let (sin, cos) = yaw.sin_cos();
    let along = move |p: [f64; 3]| (p[0] - start[0]) * cos + (p[1] - start[1]) * sin;
    let aside = move |p: [f64; 3]| (p[1] - start[1]) * cos - (p[0] - start[0]) * sin;
    let above = |p: [f64; 3]| [along(p), aside(p)];
    let beside = |p: [f64; 3]| [along(p), p[2] - start[2]];
    let plan = Panel::new("from above", WORDS, shot, &rays, &above);
    let side = Panel::new("from the side", plan.top + plan.height + 10.0, shot, &rays, &beside);
    let height = side.top + side.height + LEGEND;
    let mut svg = head(WIDTH, height);
    let [who, late, hits] = headline(shot);
    text(&mut svg, [BORDER, 28.0], Anchor::Start, 16.0, "#111", &who);
    text(&mut svg, [BORDER, 50.0], Anchor::Start, 13.0, "#333", &late);
    text(&mut svg, [BORDER, 70.0], Anchor::Start, 13.0, "#333", &hits);
    plan.draw(&mut svg, &rays, &above);
    side.draw(&mut svg, &rays, &beside);
    legend(&mut svg, height - LEGEND / 2.0 + 4.0);
    svg.push_str("</svg>\n");
    Some(svg)
}

fn legend(svg: &mut String, y: f64) {
    let mut x = BORDER;
    for (is_then, words) in
        [(true, "as its shooter drew it, and as it was judged"), (false, "as it was when the shot came")]
    {
        let outline = [[x, y - 11.0], [x + 16.0, y - 11.0], [x + 16.0, y + 1.0], [x, y + 1.0]];
        polygon(svg, &outline, is_then, "");
        text(svg, [x + 24.0, y], Anchor::Start, 13.0, "#333", words);
        x += 420.0;
    }
}

#[derive(Clone, Copy)]
struct Ray {
    start: [f64; 3],
    came: [f64; 3],
    /// It ended at a player.
    hit_player: bool,
}

impl Ray {
    fn read(ray: &Value) -> Option<Self> {
        let hit_player = ray["hit"].as_i64().is_some_and(|num| num < 64);
        Some(Self { start: point(&ray["start"])?, came: point(&ray["came"])?, hit_player })
    }
}

/// One view, and where it lies on the page.
struct Panel {
    title: &'static str,
    top: f64,
    height: f64,
    shapes: Vec<Shape>,
    /// Pixels to a unit.
    scale: f64,
    middle: [f64; 2],
}

impl Panel {
    /// All of the muzzle, the boxes and the hits on players; of the other rays as much as fits beside them.
    fn new(title: &'static str, top: f64, shot: &Value, rays: &[Ray], project: Project<'_>) -> Self {
        let shapes = shapes(shot, project);
        let hits: Vec<[f64; 2]> = rays
            .iter()
            .filter(|ray| ray.hit_player || shapes.is_empty())
            .map(|ray| project(ray.came))
            .collect();
        let mut low = project(rays[0].start);
        let mut high = low;
        for at in shapes.iter().flat_map(|shape| &shape.outline).chain(&hits) {
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        let span = [0, 1].map(|axis| (high[axis] - low[axis]).max(48.0));
        let room = [WIDTH - 2.0 * (BORDER + INSET), HIGHEST - 2.0 * INSET];
        let scale = (room[0] / span[0]).min(room[1] / span[1]);
        let height = (span[1] * scale + 2.0 * INSET).max(LOWEST);
        Self { title, top, height, shapes, scale, middle: [0, 1].map(|axis| (low[axis] + high[axis]) / 2.0) }
    }

    fn page(&self, at: [f64; 2]) -> [f64; 2] {
        [
            WIDTH / 2.0 + (at[0] - self.middle[0]) * self.scale,
            self.top + self.height / 2.0 - (at[1] - self.middle[1]) * self.scale,
        ]
    }

    fn draw(&self, svg: &mut String, rays: &[Ray], project: Project<'_>) {
        let clip = format!("view{}", self.top as i64);
        let frame = format!(
            "<rect x=\"{BORDER}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"",
            self.top,
            WIDTH - 2.0 * BORDER,
            self.height
        );
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<clipPath id=\"{clip}\">{frame}/></clipPath>\n{frame} fill=\"none\" stroke=\"#bbb\"/>\n\
             <g clip-path=\"url(#{clip})\">"
        );
        for shape in &self.shapes {
            let outline: Vec<[f64; 2]> = shape.outline.iter().map(|&at| self.page(at)).collect();
            polygon(svg, &outline, shape.is_then, if shape.is_then { "then" } else { "now" });
        }
        for ray in rays {
            line(svg, self.page(project(ray.start)), self.page(project(ray.came)), RAY, 1.0);
        }
        for ray in rays.iter().filter(|ray| ray.hit_player) {
            dot(svg, self.page(project(ray.came)), 3.5, RAY, 1.0);
        }
        self.draw_ways(svg);
        let muzzle = self.page(project(rays[0].start));
        dot(svg, muzzle, 4.5, RAY, 1.0);
        rimmed(svg, [muzzle[0], muzzle[1] + 20.0], Anchor::Middle, 12.0, QUIET, "muzzle");
        svg.push_str("</g>\n");
        rimmed(svg, [BORDER + 10.0, self.top + 20.0], Anchor::Start, 12.0, QUIET, self.title);
        self.draw_scale(svg);
    }

    /// From where each player was drawn to where it is, and its number.
    fn draw_ways(&self, svg: &mut String) {
        for then in self.shapes.iter().filter(|shape| shape.is_then) {
            let Some(now) = self.shapes.iter().find(|shape| !shape.is_then && shape.client == then.client)
            else {
                continue;
            };
            arrow(svg, self.page(then.middle), self.page(now.middle));
        }
        for shape in &self.shapes {
            let heights = || shape.outline.iter().map(|at| self.page(*at)[1]);
            // Above the one and below the other, so that they stand apart where the boxes do not.
            let (words, colour, y) = if shape.is_then {
                (format!("client {}", shape.client), THEN, heights().fold(f64::MAX, f64::min) - 6.0)
            } else {
                (format!("client {} now", shape.client), NOW, heights().fold(f64::MIN, f64::max) + 16.0)
            };
            rimmed(svg, [self.page(shape.middle)[0], y], Anchor::Middle, 12.0, colour, &words);
        }
    }

    /// A bar of a round number of units.
    fn draw_scale(&self, svg: &mut String) {
        let steps = [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];
        let units =
            steps.into_iter().find(|units| units * self.scale >= SCALE_LENGTH / 2.0).unwrap_or(2048.0);
        let (right, y) = (WIDTH - BORDER - 12.0, self.top + self.height - 12.0);
        let left = right - units * self.scale;
        line(svg, [left, y], [right, y], QUIET, 2.0);
        for x in [left, right] {
            line(svg, [x, y - 4.0], [x, y + 4.0], QUIET, 2.0);
        }
        rimmed(svg, [(left + right) / 2.0, y - 8.0], Anchor::Middle, 12.0, QUIET, &format!("{units} units"));
    }
}

fn polygon(svg: &mut String, outline: &[[f64; 2]], is_then: bool, class: &str) {
    let points: Vec<String> = outline.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    let style = if is_then {
        format!("stroke=\"{THEN}\" fill=\"{THEN}\" fill-opacity=\"0.18\"")
    } else {
        format!("stroke=\"{NOW}\" fill=\"none\" stroke-dasharray=\"6 4\"")
    };
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = writeln!(svg, "<polygon{class} points=\"{}\" stroke-width=\"2\" {style}/>", points.join(" "));
}

/// An arrow, if it is long enough to be seen.
fn arrow(svg: &mut String, from: [f64; 2], to: [f64; 2]) {
    let way = [to[0] - from[0], to[1] - from[1]];
    let length = way[0].hypot(way[1]);
    if length < 12.0 {
        return;
    }
    let unit = way.map(|part| part / length);
    line(svg, from, to, "#888888", 1.5);
    for side in [-1.0, 1.0] {
        let barb =
            [to[0] - 9.0 * unit[0] + side * 4.5 * unit[1], to[1] - 9.0 * unit[1] - side * 4.5 * unit[0]];
        line(svg, to, barb, "#888888", 1.5);
    }
}

fn shapes(shot: &Value, project: Project<'_>) -> Vec<Shape> {
    let boxes = shot["boxes"].as_array().into_iter().flatten();
    let each = boxes.flat_map(|boxes| {
        [(true, &boxes["then"]), (false, &boxes["now"])].map(|(is_then, at)| (&boxes["client"], is_then, at))
    });
    each.filter_map(|(client, is_then, corners)| {
        let at = corners.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?;
        let [x0, y0, z0, x1, y1, z1] = *at.as_slice() else { return None };
        let corner = |n: u32| {
            let pick = |bit: u32, a: f64, b: f64| if n >> bit & 1 == 0 { a } else { b };
            project([pick(0, x0, x1), pick(1, y0, y1), pick(2, z0, z1)])
        };
        let middle = project([(x0 + x1) / 2.0, (y0 + y1) / 2.0, (z0 + z1) / 2.0]);
        let outline = around((0..8).map(corner).collect());
        // A slot without a body has a box of no size.
        if outline.len() < 3 {
            return None;
        }
        Some(Shape { client: client.as_i64().unwrap_or(-1), is_then, outline, middle })
    })
    .collect()
}

/// The outline around points: their convex hull, in order around it.
fn around(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turns_left = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 1e-9
    };
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., a, b] = chain.as_slice()
                && !turns_left(*a, *b, point)
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut outline = half(&mut points.iter().copied());
    outline.extend(half(&mut points.iter().rev().copied()));
    outline
}

fn point(value: &Value) -> Option<[f64; 3]> {
    let at = value.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?;
    at.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_of_a_box_seen_askew_is_a_rhombus_and_inner_points_are_no_part_of_it() {
        let points = vec![[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0], [0.1, 0.1], [0.0, 1.0]];
        let outline = around(points);
        assert_eq!(outline, [[-1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]]);
    }
}
