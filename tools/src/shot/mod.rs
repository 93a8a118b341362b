//! `fogtool shot`: draws a shot of the server's shot log as an SVG: the ray, and everybody near it as drawn and as it was.
//!
//! In: a file of `sv_shotlog`, a line of JSON for each shot. Out: a plan and a side view along the first ray. Blue: where the
//! shooter drew a player, and where the shot was judged. Red, dashed: where that player was when the shot came.

use crate::plot::escaped;
use crate::rim::picture::write_picture;
use clap::Args;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Which shot, and where to.
#[derive(Args, Debug)]
pub struct ShotArgs {
    /// The file of sv_shotlog.
    pub log: PathBuf,
    /// Number of the shot; the last one that hit differently than the present would have, or else the last, if left out.
    #[arg(long)]
    pub number: Option<u64>,
    /// Only shots of this client.
    #[arg(long)]
    pub client: Option<i64>,
    /// Where the drawing goes.
    #[arg(long, default_value = "shot.svg")]
    pub out: PathBuf,
    /// Write it as PNG too.
    #[arg(long)]
    pub png: bool,
}

/// Draws it. Whether there was such a shot.
///
/// # Errors
/// A sentence, if the log cannot be read or the drawing not be written.
pub fn run(args: &ShotArgs) -> Result<bool, String> {
    let say = |path: &PathBuf, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    #[allow(clippy::disallowed_methods, reason = "the log is named on the command line")]
    let text = std::fs::read_to_string(&args.log).map_err(|error| say(&args.log, &error))?;
    let Some(shot) = choose(&text, args.number, args.client) else {
        say!("no such shot in {}", args.log.display());
        return Ok(false);
    };
    let drawing =
        draw(&shot).ok_or_else(|| say(&args.log, &"the shot's line is not as this program writes it"))?;
    write_picture(&args.out, &drawing, args.png)?;
    say!("{}: {}", args.out.display(), headline(&shot));
    Ok(true)
}

/// The shot that is asked for. Lines that are no JSON are passed over.
pub fn choose(log: &str, number: Option<u64>, client: Option<i64>) -> Option<Value> {
    let shots = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut shots: Vec<Value> =
        shots.filter(|shot| client.is_none_or(|client| shot["client"].as_i64() == Some(client))).collect();
    match number {
        Some(number) => shots.into_iter().find(|shot| shot["shot"].as_u64() == Some(number)),
        None => {
            let differs = shots.iter().rposition(|shot| {
                shot["rays"].as_array().is_some_and(|rays| {
                    rays.iter().any(|ray| ray.get("hit_in_present").is_some_and(|hit| *hit != ray["hit"]))
                })
            });
            differs.map(|at| shots.swap_remove(at)).or_else(|| shots.pop())
        }
    }
}

fn headline(shot: &Value) -> String {
    let (time, claim) = (shot["time"].as_i64().unwrap_or(0), shot["claim"].as_i64().unwrap_or(0));
    let judged = match shot["at"].as_i64() {
        Some(at) => format!("judged {} ms back", time - at),
        None => "judged in the present".to_owned(),
    };
    let hits: Vec<String> = shot["rays"].as_array().into_iter().flatten().map(hit_words).collect();
    let fault =
        shot["fault"].as_str().map_or(String::new(), |fault| format!(", claim not believed ({fault})"));
    format!(
        "shot {} of client {}, weapon {}: drawn {} ms before, {judged}{fault}; {}",
        shot["shot"],
        shot["client"],
        shot["weapon"],
        time - claim,
        hits.join("; ")
    )
}

fn hit_words(ray: &Value) -> String {
    let what = |hit: &Value| match hit.as_i64() {
        Some(num) if num < 64 => format!("client {num}"),
        Some(1022) => "the world".to_owned(),
        Some(num) => format!("entity {num}"),
        None => "nothing".to_owned(),
    };
    match ray.get("hit_in_present") {
        Some(present) if *present != ray["hit"] => {
            format!("hit {}, in the present {}", what(&ray["hit"]), what(present))
        }
        _ => format!("hit {}", what(&ray["hit"])),
    }
}

/// Points of one of the two views: right and up on the page.
type Project<'a> = &'a dyn Fn([f64; 3]) -> [f64; 2];

const WIDTH: f64 = 900.0;
const PANEL: f64 = 380.0;
const BORDER: f64 = 30.0;

/// The drawing. `None` if the line lacks what it needs.
pub fn draw(shot: &Value) -> Option<String> {
    let rays: Vec<[[f64; 3]; 2]> = shot["rays"]
        .as_array()?
        .iter()
        .map(|ray| Some([point(&ray["start"])?, point(&ray["came"])?]))
        .collect::<Option<_>>()?;
    let [start, came] = *rays.first()?;
    let yaw = (came[1] - start[1]).atan2(came[0] - start[0]);
    let (sin, cos) = yaw.sin_cos();
    let along = move |p: [f64; 3]| (p[0] - start[0]) * cos + (p[1] - start[1]) * sin;
    let aside = move |p: [f64; 3]| (p[1] - start[1]) * cos - (p[0] - start[0]) * sin;
    let mut svg = String::new();
    let height = 2.0 * PANEL + 90.0;
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"14\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{BORDER}\" y=\"24\">{}</text>\n",
        escaped(&headline(shot))
    );
    panel(&mut svg, 40.0, "from above, the ray to the right", &|p| [along(p), aside(p)], shot, &rays);
    panel(&mut svg, 40.0 + PANEL, "from the side", &|p| [along(p), p[2] - start[2]], shot, &rays);
    let _ = write!(
        svg,
        "<text x=\"{BORDER}\" y=\"{}\"><tspan fill=\"#1f5fbf\">blue: as the shooter drew it, and as it was judged</tspan>   \
         <tspan fill=\"#c03020\">red, dashed: as it was when the shot came</tspan></text>\n</svg>\n",
        height - 16.0
    );
    Some(svg)
}

fn panel(
    svg: &mut String,
    top: f64,
    title: &str,
    project: Project<'_>,
    shot: &Value,
    rays: &[[[f64; 3]; 2]],
) {
    let boxes: Vec<&Value> = shot["boxes"].as_array().into_iter().flatten().collect();
    let shapes: Vec<(i64, &str, [[f64; 2]; 2])> = boxes
        .iter()
        .flat_map(|boxes| {
            ["then", "now"].map(|when| (boxes["client"].as_i64().unwrap_or(-1), when, &boxes[when]))
        })
        .filter_map(|(client, when, corners)| Some((client, when, rectangle(corners, project)?)))
        .collect();
    // All of the muzzle and the boxes, and of the rays as much as fits beside them.
    let mut low = project(rays[0][0]);
    let mut high = low;
    let ends = if shapes.is_empty() { vec![project(rays[0][1])] } else { Vec::new() };
    for at in shapes.iter().flat_map(|(.., corners)| corners).chain(&ends) {
        for axis in 0..2 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    }
    let room = [WIDTH - 2.0 * BORDER, PANEL - 2.0 * BORDER];
    let scale =
        (0..2).map(|axis| room[axis] / (high[axis] - low[axis]).max(64.0)).fold(f64::MAX, f64::min) * 0.9;
    let middle = [0, 1].map(|axis| (low[axis] + high[axis]) / 2.0);
    let page = |at: [f64; 2]| {
        [WIDTH / 2.0 + (at[0] - middle[0]) * scale, top + PANEL / 2.0 - (at[1] - middle[1]) * scale]
    };
    let clip = format!("c{}", top as i64);
    let _ = writeln!(
        svg,
        "<clipPath id=\"{clip}\"><rect x=\"{BORDER}\" y=\"{0}\" width=\"{1}\" height=\"{2}\"/></clipPath>\n\
         <rect x=\"{BORDER}\" y=\"{0}\" width=\"{1}\" height=\"{2}\" fill=\"none\" stroke=\"#bbb\"/>\n\
         <text x=\"{3}\" y=\"{4}\" fill=\"#666\">{title}</text>\n<g clip-path=\"url(#{clip})\">",
        top + 5.0,
        room[0],
        PANEL - 10.0,
        BORDER + 8.0,
        top + 22.0
    );
    for (client, when, corners) in &shapes {
        let ([x0, y0], [x1, y1]) = (page(corners[0]), page(corners[1]));
        let style = if *when == "then" {
            "stroke=\"#1f5fbf\" fill=\"#1f5fbf\" fill-opacity=\"0.18\""
        } else {
            "stroke=\"#c03020\" fill=\"none\" stroke-dasharray=\"6 4\""
        };
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" stroke-width=\"2\" {style}/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\">{client}</text>",
            x0.min(x1),
            y0.min(y1),
            (x1 - x0).abs(),
            (y1 - y0).abs(),
            x0.min(x1) + 3.0,
            y0.min(y1) - 4.0
        );
    }
    for [from, to] in rays {
        let (from, to) = (page(project(*from)), page(project(*to)));
        let _ = writeln!(
            svg,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#222\"/>\n\
             <circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"#222\"/>",
            from[0], from[1], to[0], to[1], to[0], to[1]
        );
    }
    svg.push_str("</g>\n");
}

/// The rectangle around a box in a view.
fn rectangle(corners: &Value, project: Project<'_>) -> Option<[[f64; 2]; 2]> {
    let at = corners.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?;
    let [x0, y0, z0, x1, y1, z1] = *at.as_slice() else { return None };
    let mut low = [f64::MAX; 2];
    let mut high = [f64::MIN; 2];
    for n in 0..8 {
        let pick = |bit: u32, a: f64, b: f64| if n >> bit & 1 == 0 { a } else { b };
        let at = project([pick(0, x0, x1), pick(1, y0, y1), pick(2, z0, z1)]);
        for axis in 0..2 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    }
    Some([low, high])
}

fn point(value: &Value) -> Option<[f64; 3]> {
    let at = value.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?;
    at.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = r#"{"shot":1,"client":0,"name":"a","guid":"","weapon":7,"time":1500,"claim":1380,"oldest":1200,"at":1380,"fault":null,"capped":false,"rays":[{"start":[0,0,50],"end":[8192,0,50],"came":[285,0,50],"hit":1,"candidates":1,"hit_in_present":1022}],"boxes":[{"client":1,"then":[285,-15,0,315,15,56],"now":[285,25,0,315,55,56]}]}
no json
{"shot":2,"client":3,"name":"b","guid":"","weapon":2,"time":1600,"claim":1600,"oldest":0,"at":null,"fault":"line","capped":false,"rays":[{"start":[0,0,50],"end":[8192,0,50],"came":[500,0,50],"hit":1022,"candidates":0}],"boxes":[]}"#;

    #[test]
    fn the_shot_that_compensation_changed_is_chosen_first() {
        let number = |number, client| choose(LOG, number, client).and_then(|shot| shot["shot"].as_u64());
        assert_eq!(
            (number(None, None), number(Some(2), None), number(None, Some(3))),
            (Some(1), Some(2), Some(2))
        );
        assert_eq!(number(Some(9), None), None);
    }

    #[test]
    fn a_drawing_has_both_boxes_in_both_views() {
        let svg = draw(&choose(LOG, Some(1), None).unwrap()).unwrap();
        assert_eq!((svg.matches("#1f5fbf\" fill=").count(), svg.matches("dasharray").count()), (2, 2));
        assert!(svg.contains("drawn 120 ms before") && svg.contains("in the present the world"), "{svg}");
        assert!(draw(&choose(LOG, Some(2), None).unwrap()).is_some());
        assert!(draw(&Value::Null).is_none());
    }
}
