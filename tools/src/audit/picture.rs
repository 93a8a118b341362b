//! What an audit found, as drawings: distributions, W against L, and a map with its corners.

use crate::audit::Group;
use crate::audit::crossing::{Crossing, Span};
use crate::audit::stats::value;
use crate::plot::{Anchor, Axis, COLOURS, Chart, Mark, Series, head, line, rectangle, text};
use fogline_common::bsp::{Bsp, SurfaceKind};
use std::fmt::Write as _;

/// Longest times that distributions show; what is longer is drawn at the edge. Unit: ms.
const SHOWN_MS: f64 = 400.0;
/// A face whose normal rises less than this is a wall.
const WALL_NORMAL_Z: f32 = 0.3;

/// Which time of a crossing, in ms.
type Pick = fn(&Crossing) -> Option<f64>;

/// A drawing and the end of its file name.
pub type Picture = (&'static str, String);

/// The distributions of all groups of one map, and W against L.
pub fn charts(groups: &[&Group]) -> Vec<Picture> {
    let about = groups.first().map_or(String::new(), |group| group.map.clone());
    let distributions: [(&str, &str, &str, Pick); 3] = [
        ("excess", "Excess pop-in", "later than without a filter (ms)", |crossing| {
            Some(value(crossing.excess))
        }),
        ("exposure", "Known before in sight", "exposure before the reveal (ms)", |crossing| {
            Some(crossing.exposure_ms)
        }),
        ("linger", "Known after out of sight", "linger (ms)", |crossing| crossing.linger.map(value)),
    ];
    let mut pictures: Vec<Picture> = distributions
        .into_iter()
        .map(|(file, title, axis, pick)| {
            (file, distribution(groups, &format!("{title}, {about}"), axis, pick))
        })
        .collect();
    pictures.push(("w_against_l", window_against_lateness(groups, &about)));
    pictures
}

fn distribution(groups: &[&Group], title: &str, axis: &str, pick: Pick) -> String {
    let series = groups.iter().enumerate().map(|(n, group)| {
        let mut values: Vec<f64> = group.crossings().filter_map(pick).collect();
        values.sort_by(f64::total_cmp);
        let share = |n: usize| 100.0 * (n + 1) as f64 / values.len() as f64;
        let points = values.iter().enumerate().map(|(n, value)| [value.min(SHOWN_MS), share(n)]);
        Series {
            name: format!("{} ({})", group.label(), values.len()),
            colour: COLOURS[n % COLOURS.len()],
            mark: Mark::Steps,
            points: std::iter::once([0.0, 0.0]).chain(points).collect(),
        }
    });
    let chart = Chart {
        title: title.to_owned(),
        note: "share of crossings that are not longer; number of crossings in brackets; cut-off times as far as known".to_owned(),
        x: Axis::between(axis, 0.0, SHOWN_MS),
        y: Axis::between("share of crossings (%)", 0.0, 100.0),
        series: series.collect(),
    };
    chart.svg()
}

fn window_against_lateness(groups: &[&Group], about: &str) -> String {
    let series = groups.iter().enumerate().map(|(n, group)| {
        let both =
            group.crossings().filter_map(|crossing| Some([crossing.late_ms()?, crossing.window_ms()?]));
        Series {
            name: group.label(),
            colour: COLOURS[n % COLOURS.len()],
            mark: Mark::Dots,
            points: both.map(|[late, window]| [late.min(SHOWN_MS), window.min(SHOWN_MS)]).collect(),
        }
    });
    let chart = Chart {
        title: format!("W against L, {about}"),
        note: "each crossing whose telling began while the player was hidden or after; zero on one axis is the best that can be"
            .to_owned(),
        x: Axis::between("L, drawn later than in sight (ms)", 0.0, SHOWN_MS),
        y: Axis::between("W, known before in sight (ms)", 0.0, SHOWN_MS),
        series: series.collect(),
    };
    chart.svg()
}

const MAP_WIDTH: f64 = 1180.0;
const MAP_HEIGHT: f64 = 640.0;
const PANEL_TOP: f64 = 60.0;
const PANEL_SIZE: f64 = 520.0;
/// Left ends of the two panels.
const PANELS: [f64; 2] = [40.0, 620.0];
/// Colours from little to much.
const SCALE: [&str; 5] = ["#9aa0a6", "#f2c14e", "#f78154", "#d7263d", "#5f0f40"];
/// Where each colour but the first begins, for lateness and for exposure. Unit: ms.
const STEPS: [[f64; 4]; 2] = [[1.0, 17.0, 50.0, 100.0], [50.0, 100.0, 200.0, 400.0]];

/// The map from above, its corners coloured by lateness on the left and by exposure on the right.
pub fn corners(group: &Group, bsp: &Bsp) -> String {
    let walls = walls(bsp);
    let mut low = [f64::MAX; 2];
    let mut high = [f64::MIN; 2];
    for at in walls.iter().flatten() {
        for axis in 0..2 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    }
    let scale = PANEL_SIZE / (high[0] - low[0]).max(high[1] - low[1]).max(1.0);
    let mut svg = head(MAP_WIDTH, MAP_HEIGHT);
    let title = format!("Where players came into sight: {}, {}", group.map, group.label());
    text(&mut svg, [PANELS[0], 26.0], Anchor::Start, 16.0, "#111", &title);
    let panels: [(&str, Pick); 2] = [
        ("later than without a filter (ms)", |crossing| Some(value(crossing.excess))),
        ("known before in sight (ms)", |crossing| Some(crossing.exposure_ms)),
    ];
    for ((left, steps), (name, pick)) in PANELS.into_iter().zip(STEPS).zip(panels) {
        let page = |at: [f64; 2]| [left + (at[0] - low[0]) * scale, PANEL_TOP + (high[1] - at[1]) * scale];
        text(&mut svg, [left, 50.0], Anchor::Start, 13.0, "#333", name);
        let mut path = String::new();
        for [from, to] in &walls {
            let ([x0, y0], [x1, y1]) = (page(*from), page(*to));
            let _ = write!(path, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
        }
        let _ = writeln!(svg, "<path d=\"{path}\" stroke=\"#c8ccd0\" stroke-width=\"0.7\" fill=\"none\"/>");
        let mut marks: Vec<(f64, [f64; 2], [f64; 2], bool)> = group
            .crossings()
            .filter_map(|crossing| {
                let flat = |at: fogline_common::math::Vec3| page([f64::from(at.x), f64::from(at.y)]);
                let undrawn = matches!(crossing.excess, Span::AtLeast(_));
                Some((pick(crossing)?, flat(crossing.place), flat(crossing.eye), undrawn))
            })
            .collect();
        // The worst on top.
        marks.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (ms, place, eye, undrawn) in marks {
            let step = steps.iter().filter(|step| ms >= **step).count();
            let colour = SCALE[step];
            let _ = writeln!(
                svg,
                "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-opacity=\"0.13\"/>\n\
                 <circle cx=\"{0:.1}\" cy=\"{1:.1}\" r=\"3.2\" fill=\"{}\" stroke=\"{colour}\" stroke-width=\"1.4\"/>",
                place[0],
                place[1],
                eye[0],
                eye[1],
                if undrawn { "white" } else { colour }
            );
        }
        scale_legend(&mut svg, left, &steps);
    }
    let bar = [PANELS[0], MAP_HEIGHT - 14.0];
    let units = 500.0;
    line(&mut svg, bar, [bar[0] + units * scale, bar[1]], "#333", 2.0);
    let words = "500 units; a dot is where the player stood, a faint line leads to who saw it; hollow: gone again before it was drawn";
    text(&mut svg, [bar[0] + units * scale + 10.0, bar[1] + 4.0], Anchor::Start, 12.0, "#333", words);
    svg.push_str("</svg>\n");
    svg
}

fn scale_legend(svg: &mut String, left: f64, steps: &[f64; 4]) {
    let y = PANEL_TOP + PANEL_SIZE + 16.0;
    for (n, colour) in SCALE.iter().enumerate() {
        let x = left + n as f64 * 104.0;
        rectangle(svg, [x, y - 10.0], [x + 14.0, y + 2.0], colour, 1.0);
        let words = match n {
            0 => format!("below {}", steps[0]),
            4 => format!("{} and more", steps[3]),
            _ => format!("{} to {}", steps[n - 1], steps[n]),
        };
        text(svg, [x + 19.0, y], Anchor::Start, 11.0, "#333", &words);
    }
}

/// Walls of the world as lines from above.
fn walls(bsp: &Bsp) -> Vec<[[f64; 2]; 2]> {
    let Some(world) = bsp.models.first() else { return Vec::new() };
    let surfaces =
        bsp.surfaces.iter().skip(world.surfaces.first as usize).take(world.surfaces.count as usize);
    let flat = surfaces.filter(|surface| {
        surface.kind == SurfaceKind::Planar && surface.lightmap_vectors[2].z.abs() < WALL_NORMAL_Z
    });
    let walls = flat.filter_map(|surface| {
        let normal = surface.lightmap_vectors[2];
        let along = [f64::from(-normal.y), f64::from(normal.x)];
        let first = surface.verts.first as usize;
        let verts = bsp.draw_verts.get(first..first + surface.verts.count as usize)?;
        let at = verts.iter().map(|vert| [f64::from(vert.position.x), f64::from(vert.position.y)]);
        let way = |at: &[f64; 2]| at[0] * along[0] + at[1] * along[1];
        let from = at.clone().min_by(|a, b| way(a).total_cmp(&way(b)))?;
        let to = at.max_by(|a, b| way(a).total_cmp(&way(b)))?;
        Some([from, to])
    });
    walls.collect()
}
