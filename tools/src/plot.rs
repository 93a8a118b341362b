//! Drawings of what was measured, as SVG: one chart with labelled axes and a legend beside it, so that neither covers a line.

use std::fmt::Write as _;

/// Colours that are told apart by most eyes and on paper. Source: Okabe and Ito, and three more.
pub const COLOURS: [&str; 10] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F3C8D", "#333333", "#8C564B",
    "#999933",
];
/// Size of a drawing. Unit: pixels.
const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 480.0;
/// Room of the plane inside it: left, top, right, bottom.
const PLANE: [f64; 4] = [78.0, 52.0, 630.0, 412.0];
/// Its right end where there is no legend.
const RIGHT_WITHOUT_LEGEND: f64 = 890.0;
/// About this many ticks an axis.
const TICKS: f64 = 6.0;
/// Characters that the legend has room for.
const LEGEND_CHARS: usize = 36;

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line from point to point.
    Line,
    /// A line that keeps its height until the next point.
    Steps,
    /// A dot each.
    Dots,
    /// A ring each, with its name beside it.
    Named,
}

/// Points of one kind.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend calls it, or the name beside it.
    pub name: String,
    /// Its colour.
    pub colour: &'static str,
    /// How it is drawn.
    pub mark: Mark,
    /// Where.
    pub points: Vec<[f64; 2]>,
}

/// One axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// Its ends; widened to what is drawn if the second is not above the first.
    pub ends: [f64; 2],
}

impl Axis {
    /// From zero to all that is drawn.
    pub fn from_zero(label: impl Into<String>) -> Self {
        Self { label: label.into(), ends: [0.0, 0.0] }
    }

    /// Between two ends.
    pub fn between(label: impl Into<String>, low: f64, high: f64) -> Self {
        Self { label: label.into(), ends: [low, high] }
    }

    fn fitted(&self, values: impl Iterator<Item = f64>) -> [f64; 2] {
        if self.ends[1] > self.ends[0] {
            return self.ends;
        }
        let most = values.filter(|value| value.is_finite()).fold(self.ends[0], f64::max);
        let step = step_of(most - self.ends[0]);
        let steps = ((most - self.ends[0]) / step).ceil().max(1.0);
        [self.ends[0], self.ends[0] + step * steps]
    }
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it is about.
    pub title: String,
    /// Said under the title, smaller.
    pub note: String,
    /// To the right.
    pub x: Axis,
    /// Upward.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
}

impl Chart {
    /// As SVG.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let ends =
            [self.x.fitted(points().map(|point| point[0])), self.y.fitted(points().map(|point| point[1]))];
        let plane = self.plane();
        let mut svg = head(WIDTH, HEIGHT);
        text(&mut svg, [PLANE[0], 24.0], Anchor::Start, 16.0, "#111", &self.title);
        text(&mut svg, [PLANE[0], 42.0], Anchor::Start, 12.0, "#555", &self.note);
        grid(&mut svg, plane, ends);
        let middle = [f64::midpoint(plane[0], plane[2]), f64::midpoint(plane[1], plane[3])];
        text(&mut svg, [middle[0], PLANE[3] + 42.0], Anchor::Middle, 13.0, "#111", &self.x.label);
        let _ = writeln!(
            svg,
            "<text transform=\"translate(20 {:.1}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\" fill=\"#111\">{}</text>",
            middle[1],
            escaped(&self.y.label)
        );
        let page = |point: &[f64; 2]| {
            let share = |axis: usize| {
                ((point[axis] - ends[axis][0]) / (ends[axis][1] - ends[axis][0])).clamp(0.0, 1.0)
            };
            [plane[0] + share(0) * (plane[2] - plane[0]), plane[3] - share(1) * (plane[3] - plane[1])]
        };
        for series in &self.series {
            let at: Vec<[f64; 2]> = series.points.iter().map(page).collect();
            draw(&mut svg, series, &at);
        }
        names(&mut svg, plane, &self.series, page);
        legend(&mut svg, &self.series);
        svg.push_str("</svg>\n");
        svg
    }

    fn plane(&self) -> [f64; 4] {
        let right = if self.series.iter().any(is_in_legend) { PLANE[2] } else { RIGHT_WITHOUT_LEGEND };
        [PLANE[0], PLANE[1], right, PLANE[3]]
    }
}

fn is_in_legend(series: &Series) -> bool {
    series.mark != Mark::Named && !series.name.is_empty()
}

fn draw(svg: &mut String, series: &Series, at: &[[f64; 2]]) {
    match series.mark {
        Mark::Line | Mark::Steps => {
            let mut path = String::new();
            for (n, [x, y]) in at.iter().enumerate() {
                let _ = match (n, series.mark) {
                    (0, _) => write!(path, "M{x:.1} {y:.1}"),
                    (_, Mark::Steps) => write!(path, "H{x:.1}V{y:.1}"),
                    _ => write!(path, "L{x:.1} {y:.1}"),
                };
            }
            let _ = writeln!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
                series.colour
            );
        }
        Mark::Dots => {
            for [x, y] in at {
                dot(svg, [*x, *y], 2.4, series.colour, 0.55);
            }
        }
        Mark::Named => {
            for [x, y] in at {
                dot(svg, [*x, *y], 5.0, series.colour, 1.0);
            }
        }
    }
}

/// The names of [`Mark::Named`], each beside its first point and none over another.
fn names(svg: &mut String, plane: [f64; 4], series: &[Series], page: impl Fn(&[f64; 2]) -> [f64; 2]) {
    let named = || series.iter().filter(|series| series.mark == Mark::Named);
    // No name over a dot.
    let dots = named().filter_map(|series| series.points.first().map(&page));
    let mut taken: Vec<[f64; 4]> = dots.map(|[x, y]| [x - 6.0, y - 6.0, x + 6.0, y + 6.0]).collect();
    for series in named() {
        let Some([x, y]) = series.points.first().map(&page) else { continue };
        let wide = series.name.chars().count() as f64 * 6.4;
        let places = [[9.0, 4.0], [9.0, -9.0], [9.0, 17.0], [-9.0 - wide, 4.0], [-9.0 - wide, -9.0]];
        let more = (2..16).flat_map(|n| {
            let down = f64::from(n) * 13.0;
            [[9.0, 4.0 - down], [9.0, 4.0 + down], [-9.0 - wide, 4.0 - down], [-9.0 - wide, 4.0 + down]]
        });
        let fits = |box_: &[f64; 4]| {
            box_[0] > plane[0]
                && box_[2] < WIDTH
                && box_[1] > plane[1]
                && box_[3] < plane[3]
                && taken.iter().all(|other| {
                    box_[0] > other[2] || other[0] > box_[2] || box_[1] > other[3] || other[1] > box_[3]
                })
        };
        let box_of = |offset: &[f64; 2]| {
            [x + offset[0], y + offset[1] - 10.0, x + offset[0] + wide, y + offset[1] + 3.0]
        };
        let found = places.into_iter().chain(more).find(|offset| fits(&box_of(offset)));
        let offset = found.unwrap_or([9.0, 4.0]);
        taken.push(box_of(&offset));
        text(svg, [x + offset[0], y + offset[1]], Anchor::Start, 12.0, series.colour, &series.name);
    }
}

/// Grid lines, ticks and their numbers.
fn grid(svg: &mut String, plane: [f64; 4], ends: [[f64; 2]; 2]) {
    for (axis, [low, high]) in ends.into_iter().enumerate() {
        let step = step_of(high - low);
        let digits = if step >= 1.0 { 0 } else { (-step.log10()).ceil() as usize };
        let mut value = (low / step).ceil() * step;
        while value <= high + step * 1e-6 {
            let share = (value - low) / (high - low);
            let number = format!("{:.digits$}", if value.abs() < step * 1e-6 { 0.0 } else { value });
            if axis == 0 {
                let x = plane[0] + share * (plane[2] - plane[0]);
                line(svg, [x, plane[1]], [x, plane[3]], "#e4e4e4", 1.0);
                text(svg, [x, plane[3] + 18.0], Anchor::Middle, 12.0, "#333", &number);
            } else {
                let y = plane[3] - share * (plane[3] - plane[1]);
                line(svg, [plane[0], y], [plane[2], y], "#e4e4e4", 1.0);
                text(svg, [plane[0] - 8.0, y + 4.0], Anchor::End, 12.0, "#333", &number);
            }
            value += step;
        }
    }
    line(svg, [plane[0], plane[3]], [plane[2], plane[3]], "#333", 1.2);
    line(svg, [plane[0], plane[1]], [plane[0], plane[3]], "#333", 1.2);
}

fn legend(svg: &mut String, series: &[Series]) {
    let mut y = PLANE[1] + 14.0;
    for series in series.iter().filter(|series| is_in_legend(series)) {
        let x = PLANE[2] + 16.0;
        if series.mark == Mark::Dots {
            dot(svg, [x + 9.0, y - 4.0], 3.5, series.colour, 1.0);
        } else {
            line(svg, [x, y - 4.0], [x + 18.0, y - 4.0], series.colour, 3.0);
        }
        let name: String = series.name.chars().take(LEGEND_CHARS).collect();
        text(svg, [x + 25.0, y], Anchor::Start, 12.0, "#111", &name);
        y += 19.0;
    }
}

/// A round step that gives about [`TICKS`] ticks.
fn step_of(span: f64) -> f64 {
    let rough = (span / TICKS).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|round| round * power >= rough * 0.999);
    round.unwrap_or(10.0) * power
}

/// Where a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At the point.
    Start,
    /// Its middle is at the point.
    Middle,
    /// It ends at the point.
    End,
}

/// The beginning of a drawing on white; it ends with `</svg>`.
pub fn head(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    )
}

/// A text.
pub fn text(svg: &mut String, [x, y]: [f64; 2], anchor: Anchor, size: f64, colour: &str, words: &str) {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{colour}\">{}</text>",
        escaped(words)
    );
}

/// A text on a white rim, so that lines under it do not cross its letters.
pub fn rimmed(svg: &mut String, at: [f64; 2], anchor: Anchor, size: f64, colour: &str, words: &str) {
    let begin = svg.len();
    text(svg, at, anchor, size, colour, words);
    let rim = "<text paint-order=\"stroke\" stroke=\"white\" stroke-width=\"4\" stroke-linejoin=\"round\"";
    svg.replace_range(begin..begin + "<text".len(), rim);
}

/// A line.
pub fn line(svg: &mut String, from: [f64; 2], to: [f64; 2], colour: &str, width: f64) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
        from[0], from[1], to[0], to[1]
    );
}

/// A dot.
pub fn dot(svg: &mut String, [x, y]: [f64; 2], radius: f64, colour: &str, opacity: f64) {
    let _ = writeln!(
        svg,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>"
    );
}

/// A rectangle between two corners, filled.
pub fn rectangle(svg: &mut String, low: [f64; 2], high: [f64; 2], colour: &str, opacity: f64) {
    let _ = writeln!(
        svg,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>",
        low[0],
        low[1],
        (high[0] - low[0]).max(0.0),
        (high[1] - low[1]).max(0.0)
    );
}

/// A text as SVG may hold it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<[f64; 2]>) -> Chart {
        let series = Series { name: "a < b".to_owned(), colour: COLOURS[0], mark: Mark::Line, points };
        let (x, y) = (Axis::from_zero("time (ms)"), Axis::between("share (%)", 0.0, 100.0));
        Chart { title: "t".to_owned(), note: String::new(), x, y, series: vec![series] }
    }

    #[test]
    fn axes_have_round_ticks_and_hold_what_is_drawn() {
        let svg = chart(vec![[0.0, 0.0], [93.0, 100.0]]).svg();
        // 93 of 100 of the plane, at its top.
        assert!(
            svg.contains(&format!("L{:.1} {:.1}", PLANE[0] + 0.93 * (PLANE[2] - PLANE[0]), PLANE[1])),
            "{svg}"
        );
        for tick in [">0<", ">20<", ">100<", "time (ms)", "share (%)", "a &lt; b"] {
            assert!(svg.contains(tick), "{tick} is missing");
        }
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([7.0, 93.0, 0.5, 3000.0].map(step_of), [2.0, 20.0, 0.1, 500.0]);
    }

    #[test]
    fn nothing_to_draw_is_a_drawing_still() {
        let svg = chart(Vec::new()).svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn names_beside_points_that_lie_on_each_other_do_not() {
        let named = |name: &str| Series {
            name: name.to_owned(),
            colour: COLOURS[1],
            mark: Mark::Named,
            points: vec![[5.0, 50.0]],
        };
        let series = (0..6).map(|n| named(&format!("rule number {n}"))).collect();
        let svg = Chart { series, ..chart(vec![[10.0, 10.0]]) }.svg();
        let mut places: Vec<&str> = svg
            .lines()
            .filter(|line| line.contains("rule number"))
            .map(|line| line.split(" text-anchor").next().unwrap())
            .collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 6);
    }
}
