//! A finished map from above, as an SVG picture: clusters in colours, entities as marks, and what a point can see.

use crate::compiled::Compiled;
use crate::geometry::{Box3, DVec3, Winding};
use crate::map_file::MapFile;
use fogline_common::bsp::{Bsp, Visibility};
use std::fmt::Write as _;

/// What to draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// What this point sees is drawn in colour, all else grey.
    pub from: Option<DVec3>,
    /// Only what lies between these heights, if given. Unit: world units.
    pub heights: Option<[f64; 2]>,
}

/// Longer side of the picture. Unit: pixels.
const SIDE: f64 = 1400.0;
/// Room around the map. Unit: pixels.
const MARGIN: f64 = 24.0;
/// Room for the words below it. Unit: pixels.
const FOOT: f64 = 30.0;

/// A piece of a cluster, seen from above.
struct Piece {
    cluster: u32,
    outline: Winding,
    low: f64,
}

/// Draws the map.
///
/// # Errors
/// A sentence, if the point is in a wall or there is nothing to draw.
pub fn draw(bsp: &Bsp, compiled: &Compiled, view: &View) -> Result<String, String> {
    let mut pieces = pieces(compiled, view);
    if pieces.is_empty() {
        return Err("there is nothing to draw: no open leaf lies between these heights".to_owned());
    }
    pieces.sort_by(|a, b| a.low.total_cmp(&b.low));
    let around = pieces.iter().fold(Box3::EMPTY, |all, piece| all.union(piece.outline.bounds()));
    let page = Page::new(&around);
    let seen = match view.from {
        Some(point) => Some(seen_from(bsp, compiled, point)?),
        None => None,
    };
    let mut svg = page.head();
    let (low, high) = (pieces[0].low, pieces[pieces.len() - 1].low);
    for piece in &pieces {
        let lift = if high > low { (piece.low - low) / (high - low) } else { 0.5 };
        let sees = count_of_row(bsp.visibility.as_ref(), piece.cluster);
        let fill = match &seen {
            None => format!("hsl({},65%,{}%)", hue(piece.cluster), 30.0 + 30.0 * lift),
            Some(row) if row[piece.cluster as usize] => format!("hsl(42,90%,{}%)", 40.0 + 25.0 * lift),
            Some(_) => format!("hsl(220,8%,{}%)", 16.0 + 14.0 * lift),
        };
        let _ = writeln!(
            svg,
            "<polygon points=\"{}\" fill=\"{fill}\"><title>cluster {} at height {:.0}, sees {sees} of {}</title></polygon>",
            page.points(&piece.outline),
            piece.cluster,
            piece.low,
            compiled.cluster_count
        );
    }
    mark_entities(&mut svg, &page, bsp, view);
    let words = match (&view.from, &seen) {
        (Some(point), Some(row)) => {
            let count = row.iter().filter(|&&one| one).count();
            let [x, y] = page.place(*point);
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"#e33\" stroke=\"#fff\" stroke-width=\"2\"/>"
            );
            format!("from {} it may see {count} of {} clusters", crate::diagnostics::spell(*point), row.len())
        }
        _ => format!("{} clusters, heights {low:.0} to {high:.0}", compiled.cluster_count),
    };
    svg.push_str(&page.foot(&words));
    Ok(svg)
}

/// Open leafs as outlines.
fn pieces(compiled: &Compiled, view: &View) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for cell in compiled.tree.leafs() {
        let Some(cluster) = compiled.cluster_of(cell) else { continue };
        let openings =
            compiled.portals.of_cell[cell].iter().map(|&number| &compiled.portals.all[number].winding);
        let corners: Vec<DVec3> = openings.flat_map(|winding| winding.points().iter().copied()).collect();
        let heights = Box3::around(corners.iter().copied());
        let shown = view.heights.is_none_or(|[low, high]| heights.maxs.z >= low && heights.mins.z <= high);
        let flat: Vec<DVec3> = corners.iter().map(|corner| DVec3 { z: 0.0, ..*corner }).collect();
        if let Some(outline) = Winding::hull(&flat, DVec3::axis(2)).filter(|_| shown) {
            pieces.push(Piece { cluster, outline, low: heights.mins.z });
        }
    }
    pieces
}

fn seen_from(bsp: &Bsp, compiled: &Compiled, point: DVec3) -> Result<Vec<bool>, String> {
    let place = crate::diagnostics::spell(point);
    let cluster = compiled
        .cluster_at(point)
        .ok_or_else(|| format!("{place} lies in rock; choose a point in the open, such as a spawn point"))?;
    let count = compiled.cluster_count as usize;
    let Some(vis) = &bsp.visibility else { return Ok(vec![true; count]) };
    let row = row_of(vis, cluster);
    Ok((0..count).map(|other| row.get(other / 8).is_some_and(|byte| byte >> (other % 8) & 1 != 0)).collect())
}

fn row_of(vis: &Visibility, cluster: u32) -> &[u8] {
    let (start, length) = (cluster as usize * vis.row_bytes as usize, vis.row_bytes as usize);
    vis.rows.get(start..start + length).unwrap_or_default()
}

fn count_of_row(vis: Option<&Visibility>, cluster: u32) -> String {
    vis.map_or("all".to_owned(), |vis| {
        row_of(vis, cluster).iter().map(|byte| byte.count_ones()).sum::<u32>().to_string()
    })
}

/// Neighbouring numbers get colours far apart (the golden angle).
fn hue(cluster: u32) -> f64 {
    (f64::from(cluster) * 137.508) % 360.0
}

/// Marks of what players look for.
fn mark_entities(svg: &mut String, page: &Page, bsp: &Bsp, view: &View) {
    let Ok(map) = MapFile::parse(bsp.entity_text().as_bytes()) else { return };
    for entity in &map.entities {
        let class = entity.class();
        let Some(origin) = entity.vector("origin") else { continue };
        if view.heights.is_some_and(|[low, high]| origin.z < low || origin.z > high) {
            continue;
        }
        let (radius, fill) = match class.split('_').next().unwrap_or_default() {
            "info" if class.starts_with("info_player") => (5.0, "#fff"),
            "team" => (5.0, "#fff"),
            "weapon" => (4.0, "#f60"),
            "item" | "holdable" => (3.5, "#0c6"),
            "ammo" => (2.5, "#09f"),
            _ => continue,
        };
        let [x, y] = page.place(origin);
        let name = class.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"#000\"><title>{name}</title></circle>"
        );
    }
}

/// From the map to the picture: north is up.
struct Page {
    west: f64,
    north: f64,
    scale: f64,
    size: [f64; 2],
}

impl Page {
    fn new(around: &Box3) -> Self {
        let (wide, high) = (around.maxs.x - around.mins.x, around.maxs.y - around.mins.y);
        let scale = (SIDE - 2.0 * MARGIN) / wide.max(high).max(1.0);
        let size = [wide * scale + 2.0 * MARGIN, high * scale + 2.0 * MARGIN + FOOT];
        Self { west: around.mins.x, north: around.maxs.y, scale, size }
    }

    fn place(&self, point: DVec3) -> [f64; 2] {
        [(point.x - self.west) * self.scale + MARGIN, (self.north - point.y) * self.scale + MARGIN]
    }

    fn points(&self, outline: &Winding) -> String {
        let places = outline.points().iter().map(|&point| self.place(point));
        places.map(|[x, y]| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
    }

    fn head(&self) -> String {
        let [wide, high] = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide:.0}\" height=\"{high:.0}\" viewBox=\"0 0 {wide:.0} {high:.0}\">\n\
            <rect width=\"100%\" height=\"100%\" fill=\"#0c0d12\"/>\n\
            <g fill-opacity=\"0.72\" stroke=\"#000\" stroke-opacity=\"0.35\" stroke-width=\"0.6\">\n"
        )
    }

    /// A bar of 512 units, and words.
    fn foot(&self, words: &str) -> String {
        let [_, high] = self.size;
        let (y, bar) = (high - 12.0, 512.0 * self.scale);
        format!(
            "</g>\n<path d=\"M{MARGIN} {y:.0}h{bar:.1}\" stroke=\"#fff\" stroke-width=\"3\"/>\n\
            <text x=\"{:.0}\" y=\"{:.0}\" fill=\"#fff\" font-family=\"sans-serif\" font-size=\"14\">\
            512 units; {words}</text>\n</svg>\n",
            MARGIN + bar + 10.0,
            y + 4.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Options, build};
    use crate::geometry::dvec3;
    use crate::material::Materials;
    use crate::search_path::SearchPath;
    use crate::vis::Level;

    #[test]
    fn a_point_colours_what_it_sees_and_nothing_else() {
        let map = MapFile::parse(include_bytes!("../../tests/maps/two_rooms.map")).expect("a small map");
        let options = Options { vis: Some(Level::Full), ..Options::default() };
        let materials = Materials::new(SearchPath::empty());
        let built = build(&map, materials, &options, &mut Vec::new(), &mut |_| {});
        let bsp = built.bsp.expect("a map");
        let compiled = Compiled::open(&bsp).expect("a sound map");
        let spawn = map.entities.iter().find_map(|entity| entity.vector("origin")).expect("a spawn point");
        let view = View { from: Some(spawn), heights: None };
        let svg = draw(&bsp, &compiled, &view).expect("a picture");
        let row = seen_from(&bsp, &compiled, spawn).expect("in the open");
        let coloured = svg.matches("hsl(42").count();
        assert!(coloured > 0 && svg.matches("hsl(220").count() > 0, "{coloured} of {} are seen", row.len());
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        let in_rock = View { from: Some(dvec3(9e4, 9e4, 9e4)), heights: None };
        assert!(draw(&bsp, &compiled, &in_rock).is_err_and(|e| e.contains("rock")));
    }
}
