//! Curved surfaces: which way they face at each control point, and which leafs they touch.

use crate::geometry::{Box3, DVec3, Place, PlaneSet};
use crate::scene::Patch;
use crate::tree::{CellNum, Tree};

/// How near a curve must come to a leaf to count as in it: the engine's own facets stray by this much. Unit: world units.
const REACH: f64 = 1.0;
/// A part of a curve that is smaller is not halved any more. Unit: world units.
const SMALL: f64 = 32.0;
/// How often a part of a curve is halved each way, at most.
const MAX_HALVINGS: u32 = 4;

/// Unit normals at the control points. The front is where the way across turns into the way down. Source: the normals of the stock
/// game's maps, and the side from which the client draws.
pub fn normals(patch: &Patch) -> Vec<DVec3> {
    let [across, down] = patch.size;
    let at = |x: usize, y: usize| patch.points[y * across + x].position;
    let mut normals = Vec::with_capacity(across * down);
    for y in 0..down {
        for x in 0..across {
            let mut normal = DVec3::ZERO;
            // Neighbours may coincide (cones, bevels): then those further away tell.
            for reach in 1..across.max(down) {
                let (left, right) = (x.saturating_sub(reach), (x + reach).min(across - 1));
                let (up, low) = (y.saturating_sub(reach), (y + reach).min(down - 1));
                let along = at(right, y) - at(left, y);
                let along = if along.length() > 1e-6 { along } else { at(right, low) - at(left, low) };
                let away = at(x, low) - at(x, up);
                let away = if away.length() > 1e-6 { away } else { at(right, low) - at(right, up) };
                normal = along.cross(away).normalized();
                if normal.length() > 0.5 {
                    break;
                }
            }
            normals.push(if normal.length() > 0.5 { normal } else { DVec3::axis(2) });
        }
    }
    normals
}

/// The places of the curve that belong to its control points: every second one, both ways, only pulls the curve towards it.
pub fn on_curve(size: [usize; 2], points: &[DVec3]) -> Vec<DVec3> {
    let [across, down] = size;
    let pulled = |at: usize, step: usize, odd: bool, points: &[DVec3]| {
        if odd { (points[at - step] + points[at + step]) * 0.25 + points[at] * 0.5 } else { points[at] }
    };
    let rows: Vec<DVec3> = (0..across * down).map(|at| pulled(at, 1, at % across % 2 == 1, points)).collect();
    (0..across * down).map(|at| pulled(at, across, at / across % 2 == 1, &rows)).collect()
}

/// A piece of nine control points; the curve lies in their convex hull.
type Piece = [DVec3; 9];

/// Adds every leaf that the curve comes near to, some more than once. Never misses one: a piece goes wherever any of its control
/// points allow it to be.
pub fn leafs_touched(patch: &Patch, tree: &Tree, planes: &PlaneSet, leafs: &mut Vec<CellNum>) {
    let [across, down] = patch.size;
    for y in (0..down - 2).step_by(2) {
        for x in (0..across - 2).step_by(2) {
            let piece = std::array::from_fn(|at| patch.points[(y + at / 3) * across + x + at % 3].position);
            let mut pieces = vec![(piece, 0)];
            while let Some((piece, halvings)) = pieces.pop() {
                let size = Box3::around(piece);
                let longest = (size.maxs - size.mins).to_array().into_iter().fold(0.0, f64::max);
                if longest > SMALL && halvings < MAX_HALVINGS {
                    pieces.extend(quarters(&piece).map(|piece| (piece, halvings + 1)));
                } else {
                    leafs_near(&piece, REACH, tree, planes, leafs);
                }
            }
        }
    }
}

/// Adds every leaf that the hull of some points may come nearer to than `reach`, and perhaps a few beside them.
pub fn leafs_near(points: &[DVec3], reach: f64, tree: &Tree, planes: &PlaneSet, leafs: &mut Vec<CellNum>) {
    let mut pending = vec![0];
    while let Some(cell) = pending.pop() {
        let Some(split) = &tree.cells[cell].split else {
            leafs.push(cell);
            continue;
        };
        let distances = points.iter().map(|&point| planes[split.plane].distance_to(point));
        let (low, high) = distances.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), distance| {
            (low.min(distance - reach), high.max(distance + reach))
        });
        match Place::of_range(low, high, 0.0) {
            Place::Front => pending.push(split.children[0]),
            Place::Back => pending.push(split.children[1]),
            Place::On | Place::Across => pending.extend(split.children),
        }
    }
}

/// The same curve as four pieces (de Casteljau).
fn quarters(piece: &Piece) -> [Piece; 4] {
    let halves = |line: [DVec3; 3]| {
        let (a, b) = ((line[0] + line[1]) * 0.5, (line[1] + line[2]) * 0.5);
        let middle = (a + b) * 0.5;
        [line[0], a, middle, b, line[2]]
    };
    let rows: [[DVec3; 5]; 3] =
        std::array::from_fn(|row| halves([piece[row * 3], piece[row * 3 + 1], piece[row * 3 + 2]]));
    let columns: [[DVec3; 5]; 5] =
        std::array::from_fn(|column| halves([rows[0][column], rows[1][column], rows[2][column]]));
    let corner = |x: usize, y: usize| std::array::from_fn(|at| columns[x + at % 3][y + at / 3]);
    [corner(0, 0), corner(2, 0), corner(0, 2), corner(2, 2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Site;
    use crate::geometry::dvec3;
    use crate::map_file::ControlPoint;
    use crate::material::Materials;
    use crate::search_path::SearchPath;

    #[test]
    fn a_flat_patch_faces_one_way_even_where_points_coincide() {
        let material = Materials::new(SearchPath::empty()).of_face("a");
        let mut points: Vec<ControlPoint> = (0..9)
            .map(|at| ControlPoint {
                position: dvec3(f64::from(at % 3) * 8.0, f64::from(at / 3) * -8.0, 0.0),
                texture: [0.0; 2],
            })
            .collect();
        points[1].position = points[0].position;
        let patch = Patch { material, size: [3, 3], points, subdivisions: None, site: Site::default() };
        // Across is east and down is south: east turned into south is down.
        assert!(normals(&patch).iter().all(|&normal| (normal + DVec3::axis(2)).length() < 1e-9));
    }

    #[test]
    fn a_control_point_beside_the_curve_has_its_place_on_it() {
        let points: Vec<DVec3> = (0..9)
            .map(|at| dvec3(f64::from(at % 3), f64::from(at / 3), if at == 4 { 8.0 } else { 0.0 }))
            .collect();
        let places = on_curve([3, 3], &points);
        assert_eq!(places[4], dvec3(1.0, 1.0, 2.0));
        assert_eq!([places[0], places[5]], [points[0], points[5]]);
    }

    #[test]
    fn quarters_meet_in_the_middle_of_the_curve() {
        let piece: Piece = std::array::from_fn(|at| {
            dvec3(at as f64 % 3.0, (at / 3) as f64, if at == 4 { 4.0 } else { 0.0 })
        });
        let [first, .., last] = quarters(&piece);
        assert_eq!(first[8], last[0]);
        assert_eq!(first[8], dvec3(1.0, 1.0, 1.0));
    }
}
