//! Light maps: the light of flat faces and curves, in small pictures that the client lays over the materials.
//!
//! ```text
//! +--+--+--+--+   one sheet for each surface: a luxel on every line of a grid in the world, so that neighbours agree where they
//! |  |  |  |  |   meet; on a curve, in even steps along it
//! +--+--+--+--+
//! ```
//!
//! Materials whose script has a stage `$lightmap` ignore the colours of corners: without a light map the client draws them as bright
//! as can be. Source: `ParseStage` of the client.

use super::{Light, World, bytes, inward};
use crate::faces::{Drawn, Shape};
use crate::geometry::DVec3;
use crate::material::{Compile, Material};
use crate::tessellation;
use fogline_common::bsp::Bsp;
use fogline_common::proto::surface;
use rayon::prelude::*;

/// Edge of a page. Unit: luxels. Source: `LIGHTMAP_SIZE`.
const PAGE: usize = 128;
/// Pages that the original client takes. Source: `MAX_LIGHTMAPS`.
const MAX_PAGES: usize = 256;
/// Distances of luxels that are tried, until all sheets find room. Unit: world units.
const STEPS: [f64; 5] = [32.0, 64.0, 128.0, 256.0, 512.0];

/// The sheet of a surface before it is lit.
struct Plan {
    /// Which of the surfaces.
    surface: usize,
    /// Luxels across and down.
    size: [usize; 2],
    /// Where light is asked for each luxel, and which way the surface faces there. In the frame of the model.
    samples: Vec<(DVec3, DVec3)>,
    /// Where the surface's corners lie. Unit: luxels from the middle of the first.
    corners: Vec<[f64; 2]>,
}

/// Where a sheet stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    page: usize,
    corner: [usize; 2],
}

/// Gives light maps to all surfaces that take one. `first_verts` has the number of each surface's first corner. Answers which do.
pub(super) fn build(
    world: &World<'_>,
    bsp: &mut Bsp,
    surfaces: &[(&Drawn, DVec3)],
    takes: &(dyn Fn(&Drawn) -> bool + Sync),
) -> Vec<bool> {
    let plans_at = |step: f64| -> Vec<Plan> {
        let all = surfaces.par_iter().enumerate();
        all.filter(|(_, (drawn, _))| takes(drawn))
            .filter_map(|(at, (drawn, _))| plan(at, drawn, step))
            .collect()
    };
    let fitting = STEPS.iter().find_map(|&step| {
        let plans = plans_at(step);
        let (spots, pages) = places(plans.iter().map(|plan| plan.size));
        (pages <= MAX_PAGES).then_some((plans, spots, pages))
    });
    let mut lit = vec![false; surfaces.len()];
    let Some((plans, spots, pages)) = fitting else { return lit };
    let sheets: Vec<Vec<Light>> =
        plans.par_iter().map(|plan| light_of(world, plan, surfaces[plan.surface].1)).collect();
    bsp.lightmaps = vec![0; pages * PAGE * PAGE * 3];
    for ((plan, spot), sheet) in plans.iter().zip(spots).zip(sheets) {
        lit[plan.surface] = true;
        write(bsp, plan, spot, &sheet);
    }
    lit
}

/// Whether surfaces of a material take a light map.
pub(super) fn is_for(material: &Material) -> bool {
    let never = surface::NOLIGHTMAP | surface::POINTLIGHT | surface::SKY | surface::NODRAW;
    !material.is(Compile::SKY) && material.flags.surface & never == 0
}

fn plan(surface: usize, drawn: &Drawn, step: f64) -> Option<Plan> {
    match drawn.shape {
        Shape::Flat(_) => Some(flat(surface, drawn, step)),
        Shape::Patch(size) => Some(curved(surface, drawn, size, step)),
        Shape::HiddenPatch(_) | Shape::Mesh => None,
    }
    .filter(|plan| plan.size.iter().all(|&side| side <= PAGE))
}

/// Luxels stand on the lines of a grid in the two axes that the face is least steep to.
fn flat(surface: usize, drawn: &Drawn, step: f64) -> Plan {
    let Some(first) = drawn.corners.first() else {
        return Plan { surface, size: [usize::MAX; 2], samples: Vec::new(), corners: Vec::new() };
    };
    let normal = first.normal;
    let facing = normal.to_array().map(f64::abs);
    let away = (0..3).fold(0, |best, axis| if facing[axis] > facing[best] { axis } else { best });
    let [u, v] = [[1, 2], [0, 2], [0, 1]][away];
    let on_grid = |axis: usize| {
        let along = drawn.corners.iter().map(|corner| corner.position.to_array()[axis] / step);
        let (low, high) =
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (at.min(low), at.max(high)));
        let low = low.floor();
        (low, (high.ceil() - low).max(1.0) as usize + 1)
    };
    let ((low_u, across), (low_v, down)) = (on_grid(u), on_grid(v));
    let distance = normal.dot(first.position);
    let mut samples = Vec::new();
    for number in 0..across.min(PAGE + 1) * down.min(PAGE + 1) {
        let mut place = [0.0; 3];
        place[u] = (low_u + (number % across) as f64) * step;
        place[v] = (low_v + (number / across) as f64) * step;
        place[away] =
            -normal.dot(DVec3::from(place)) / normal.to_array()[away] + distance / normal.to_array()[away];
        samples.push((nearest_inside(drawn, DVec3::from(place)), normal));
    }
    let corners = drawn.corners.iter().map(|corner| {
        let at = corner.position.to_array();
        [at[u] / step - low_u, at[v] / step - low_v]
    });
    Plan { surface, size: [across, down], samples, corners: corners.collect() }
}

/// The place of a flat surface that is nearest to a point of its plane, a little inward.
fn nearest_inside(drawn: &Drawn, point: DVec3) -> DVec3 {
    let mut best = (f64::INFINITY, point);
    for polygon in &drawn.polygons {
        let corner = |at: usize| drawn.corners[polygon[at % polygon.len()] as usize].position;
        let sum = (0..polygon.len()).fold(DVec3::ZERO, |sum, at| sum + corner(at));
        let middle = sum * (1.0 / polygon.len() as f64);
        let near =
            nearest_of_polygon(polygon.len(), corner, drawn.corners[polygon[0] as usize].normal, point);
        let off = (near - point).length();
        if off < best.0 {
            let way = middle - near;
            best = (off, near + way.normalized() * super::INWARD.min(way.length() / 2.0));
        }
        if off <= 0.0 {
            break;
        }
    }
    best.1
}

/// The point itself if it lies in the polygon, whose corners run clockwise about the normal; else the nearest of its rim.
fn nearest_of_polygon(count: usize, corner: impl Fn(usize) -> DVec3, normal: DVec3, point: DVec3) -> DVec3 {
    let outside = |at: usize| (corner(at + 1) - corner(at)).cross(point - corner(at)).dot(normal) > 0.0;
    if !(0..count).any(outside) {
        return point;
    }
    let on_rim = (0..count).map(|at| {
        let (start, along) = (corner(at), corner(at + 1) - corner(at));
        let share = (point - start).dot(along) / along.dot(along).max(1e-12);
        start + along * share.clamp(0.0, 1.0)
    });
    on_rim.min_by(|a, b| (*a - point).length().total_cmp(&(*b - point).length())).unwrap_or(point)
}

/// Luxels stand in even steps along the curve: as the client cuts it, they are laid on evenly too.
fn curved(surface: usize, drawn: &Drawn, size: [usize; 2], step: f64) -> Plan {
    let pieces = size.map(|side| (side - 1) / 2);
    let places: Vec<DVec3> = drawn.corners.iter().map(|corner| corner.position).collect();
    let at = |x: usize, y: usize| places[y * size[0] + x];
    let mut longest = [0.0_f64; 2];
    for y in 0..size[1] {
        for x in 0..size[0] {
            if x + 2 < size[0] && x % 2 == 0 {
                longest[0] = longest[0]
                    .max((at(x + 1, y) - at(x, y)).length() + (at(x + 2, y) - at(x + 1, y)).length());
            }
            if y + 2 < size[1] && y % 2 == 0 {
                longest[1] = longest[1]
                    .max((at(x, y + 1) - at(x, y)).length() + (at(x, y + 2) - at(x, y + 1)).length());
            }
        }
    }
    let parts = [0, 1].map(|way| {
        let most = ((PAGE - 1) / pieces[way].max(1)).max(1);
        ((longest[way] / step).ceil() as usize).clamp(1, most)
    });
    let luxels = [0, 1].map(|way| pieces[way] * parts[way] + 1);
    let on_curve: Vec<_> = (0..luxels[0] * luxels[1])
        .map(|number| tessellation::at(&drawn.corners, size, [number % luxels[0], number / luxels[0]], parts))
        .collect();
    let places: Vec<DVec3> = on_curve.iter().map(|vertex| vertex.position).collect();
    let samples =
        inward(luxels, &places).into_iter().zip(on_curve.iter().map(|vertex| vertex.normal)).collect();
    let corners = (0..size[0] * size[1]).map(|number| {
        [number % size[0] * parts[0], number / size[0] * parts[1]].map(|twice| twice as f64 / 2.0)
    });
    Plan { surface, size: luxels, samples, corners: corners.collect() }
}

/// Light of each luxel. What lies in a wall takes what its neighbours have.
fn light_of(world: &World<'_>, plan: &Plan, origin: DVec3) -> Vec<Light> {
    let asked = plan.samples.iter().map(|&(place, normal)| world.on_face(place + origin, normal));
    let mut known: Vec<Option<Light>> = asked.collect();
    while known.iter().any(Option::is_none) && known.iter().any(Option::is_some) {
        let before = known.clone();
        for (number, luxel) in known.iter_mut().enumerate().filter(|(_, luxel)| luxel.is_none()) {
            *luxel = mean(beside(plan.size, number).filter_map(|other| before[other]));
        }
    }
    known.into_iter().map(|light| world.at_least(light.unwrap_or_default())).collect()
}

/// The luxels around one.
fn beside([across, down]: [usize; 2], number: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (number % across, number / across);
    let rows = y.saturating_sub(1)..=(y + 1).min(down - 1);
    rows.flat_map(move |row| {
        (x.saturating_sub(1)..=(x + 1).min(across - 1)).map(move |column| row * across + column)
    })
}

fn mean(lights: impl Iterator<Item = Light>) -> Option<Light> {
    let (count, sum) = lights.fold((0.0, [0.0; 3]), |(count, sum), light| {
        (count + 1.0, [0, 1, 2].map(|part| sum[part] + light[part]))
    });
    (count > 0.0).then(|| sum.map(|part| part / count))
}

/// Room for sheets, the highest first, in rows. Answers the places in the order asked, and the number of pages.
fn places(sizes: impl Iterator<Item = [usize; 2]>) -> (Vec<Spot>, usize) {
    struct Row {
        page: usize,
        top: usize,
        height: usize,
        used: usize,
    }
    let sizes: Vec<[usize; 2]> = sizes.collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&number| (std::cmp::Reverse(sizes[number][1]), number));
    let mut spots = vec![Spot { page: 0, corner: [0; 2] }; sizes.len()];
    let (mut rows, mut filled): (Vec<Row>, Vec<usize>) = (Vec::new(), Vec::new());
    for number in order {
        let [across, down] = sizes[number];
        let found = rows.iter().position(|row| row.height >= down && row.used + across <= PAGE);
        let at = found.unwrap_or_else(|| {
            let page = filled.iter().position(|used| used + down <= PAGE).unwrap_or_else(|| {
                filled.push(0);
                filled.len() - 1
            });
            rows.push(Row { page, top: filled[page], height: down, used: 0 });
            filled[page] += down;
            rows.len() - 1
        });
        let row = &mut rows[at];
        spots[number] = Spot { page: row.page, corner: [row.used, row.top] };
        row.used += across;
    }
    (spots, filled.len())
}

/// Puts a sheet into its page, and tells the surface and its corners where. Corners take their colour from it too, for clients that
/// light by corners.
fn write(bsp: &mut Bsp, plan: &Plan, spot: Spot, sheet: &[Light]) {
    let [across, down] = plan.size;
    for (number, &light) in sheet.iter().enumerate() {
        let (x, y) = (spot.corner[0] + number % across, spot.corner[1] + number / across);
        let first = ((spot.page * PAGE + y) * PAGE + x) * 3;
        bsp.lightmaps[first..first + 3].copy_from_slice(&bytes(light)[..3]);
    }
    let surface = &mut bsp.surfaces[plan.surface];
    surface.lightmap = spot.page as i32;
    surface.lightmap_corner = spot.corner.map(|at| at as i32);
    surface.lightmap_size = plan.size.map(|side| side as i32);
    let verts = surface.verts.first as usize..(surface.verts.first + surface.verts.count) as usize;
    for (vert, at) in bsp.draw_verts[verts].iter_mut().zip(&plan.corners) {
        vert.lightmap = [0, 1].map(|way| ((spot.corner[way] as f64 + at[way] + 0.5) / PAGE as f64) as f32);
        let (x, y) = ((at[0] as usize).min(across - 2), (at[1] as usize).min(down - 2));
        let (right, low) = (at[0] - x as f64, at[1] - y as f64);
        let corner = |x: usize, y: usize, weight: f64| sheet[y * across + x].map(|part| part * weight);
        let around = [
            corner(x, y, (1.0 - right) * (1.0 - low)),
            corner(x + 1, y, right * (1.0 - low)),
            corner(x, y + 1, (1.0 - right) * low),
            corner(x + 1, y + 1, right * low),
        ];
        vert.color = bytes([0, 1, 2].map(|part| around.iter().map(|light| light[part]).sum()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::dvec3;

    #[test]
    fn sheets_do_not_overlap_and_stay_on_their_pages() {
        // Sizes as a walk through remainders gives them: all from 2 to 40.
        let sizes: Vec<[usize; 2]> = (0..200).map(|at| [2 + at * 7 % 39, 2 + at * 11 % 39]).collect();
        let (spots, pages) = places(sizes.iter().copied());
        let mut used = vec![false; pages * PAGE * PAGE];
        for (spot, [across, down]) in spots.iter().zip(&sizes) {
            assert!(spot.corner[0] + across <= PAGE && spot.corner[1] + down <= PAGE, "{spot:?}");
            for y in spot.corner[1]..spot.corner[1] + down {
                for x in spot.corner[0]..spot.corner[0] + across {
                    assert!(
                        !std::mem::replace(&mut used[(spot.page * PAGE + y) * PAGE + x], true),
                        "{spot:?}"
                    );
                }
            }
        }
        let area: usize = sizes.iter().map(|[across, down]| across * down).sum();
        assert!(pages * PAGE * PAGE < area * 3 / 2, "{pages} pages for {area} luxels");
    }

    #[test]
    fn a_point_beside_a_polygon_is_drawn_to_its_rim() {
        let square = [dvec3(0.0, 0.0, 0.0), dvec3(0.0, 8.0, 0.0), dvec3(8.0, 8.0, 0.0), dvec3(8.0, 0.0, 0.0)];
        let nearest = |point| nearest_of_polygon(4, |at| square[at % 4], DVec3::axis(2), point);
        assert_eq!(nearest(dvec3(3.0, 4.0, 0.0)), dvec3(3.0, 4.0, 0.0));
        assert_eq!(nearest(dvec3(-5.0, 4.0, 0.0)), dvec3(0.0, 4.0, 0.0));
        assert_eq!(nearest(dvec3(12.0, 12.0, 0.0)), dvec3(8.0, 8.0, 0.0));
    }

    #[test]
    fn luxels_around_one_are_its_neighbours() {
        assert_eq!(beside([3, 2], 0).collect::<Vec<_>>(), [0, 1, 3, 4]);
        assert_eq!(beside([3, 2], 5).collect::<Vec<_>>(), [1, 2, 4, 5]);
    }
}
