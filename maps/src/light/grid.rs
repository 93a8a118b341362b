//! The light grid: what models are lit by, where they stand.
//!
//! ```text
//! ambient r g b | directed r g b | polar angle from up | azimuth        one cell, eight bytes; 256 steps are a full turn
//! ```
//!
//! Cells are 64 by 64 by 128 units, east first, then north, then up, at multiples of their size within the world's box. A cell in
//! rock is black, which clients pass over. Source: `R_LoadLightGrid`, `R_SetupEntityLightingGrid`.

use super::{Light, World, bytes};
use crate::diagnostics::Diagnostic;
use crate::geometry::DVec3;
use crate::scene::Scene;
use fogline_common::bsp::Bsp;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Size of a cell that the map does not set. Unit: world units.
const CELL: [f64; 3] = [64.0, 64.0, 128.0];
/// Largest lump that the original takes. Unit: bytes.
const MAX_BYTES: f64 = 8_388_608.0;
/// Bytes of a cell.
const CELL_BYTES: f64 = 8.0;
/// Share of directed light that comes from everywhere all the same.
const SCATTERED: f64 = 0.25;

pub(super) fn build(world: &World<'_>, bsp: &Bsp, scene: &Scene) -> Result<Vec<u8>, Box<Diagnostic>> {
    let own = scene.entities.first().and_then(|world| world.entity.vector("gridsize"));
    let size = own.map_or(CELL, |size| size.to_array().map(|edge| edge.max(8.0)));
    let around = bsp.models[0].bounds;
    let (mins, maxs) = (around.mins.to_array(), around.maxs.to_array());
    let first = [0, 1, 2].map(|axis| size[axis] * (f64::from(mins[axis]) / size[axis]).ceil());
    let last = [0, 1, 2].map(|axis| size[axis] * (f64::from(maxs[axis]) / size[axis]).floor());
    let counts = [0, 1, 2].map(|axis| ((last[axis] - first[axis]) / size[axis] + 1.0).max(0.0));
    let needed = counts.iter().product::<f64>() * CELL_BYTES;
    if needed > MAX_BYTES {
        let message = format!(
            "the light grid would take {needed} bytes, the limit is {MAX_BYTES}: models are lit flat"
        );
        let help = "set a larger `gridsize` in the worldspawn, such as 128 128 256";
        return Err(Box::new(Diagnostic::warning("limit", message).help(help)));
    }
    let [across, along, up] = counts.map(|count| count as usize);
    let cells: Vec<[u8; 8]> = (0..across * along * up)
        .into_par_iter()
        .map(|number| {
            let at = [number % across, number / across % along, number / (across * along)];
            let place = [0, 1, 2].map(|axis| first[axis] + size[axis] * at[axis] as f64);
            cell(world, DVec3::from(place))
        })
        .collect();
    Ok(cells.concat())
}

/// A grid point often lies in a floor; from a little beside it counts too.
const NUDGES: [f64; 3] = [0.0, 16.0, -16.0];

fn cell(world: &World<'_>, point: DVec3) -> [u8; 8] {
    let places = NUDGES.iter().map(|&up| point + DVec3::axis(2) * up);
    let open = places.into_iter().find(|&place| world.is_open(place) && world.is_inside(place));
    let Some(place) = open else { return [0; 8] };
    let mut found: Vec<(DVec3, Light)> = Vec::new();
    world.sources.reach(world.clip, place, None, |way, light| found.push((way, light)));
    let strength = |light: &Light| light.iter().sum::<f64>();
    let main = found.iter().fold(DVec3::ZERO, |sum, (way, light)| sum + *way * strength(light)).normalized();
    let (mut ambient, mut directed) = ([world.ambient; 3], [0.0; 3]);
    for (way, light) in &found {
        let along = way.dot(main).max(0.0);
        for part in 0..3 {
            directed[part] += light[part] * along * (1.0 - SCATTERED);
            ambient[part] += light[part] * (SCATTERED + (1.0 - along) * SCATTERED);
        }
    }
    let ([a, b, c, _], [d, e, f, _]) = (bytes(ambient), bytes(directed));
    let [polar, azimuth] = angles(main);
    [a, b, c, d, e, f, polar, azimuth]
}

/// As 256ths of a full turn.
fn angles(way: DVec3) -> [u8; 2] {
    let turn = |radians: f64| ((radians / TAU).rem_euclid(1.0) * 256.0).round() as u32 as u8;
    [turn(way.z.clamp(-1.0, 1.0).acos()), turn(way.y.atan2(way.x))]
}

impl World<'_> {
    /// Whether a point is where players can be, not in the void around the map.
    fn is_inside(&self, place: DVec3) -> bool {
        let leaf = self.clip.leaf_at(place.to_f32());
        self.clip.leaf_cluster(leaf).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_parts_of_a_turn() {
        assert_eq!(angles(DVec3::axis(2)), [0, 0]);
        assert_eq!(angles(DVec3::axis(0)), [64, 0]);
        assert_eq!(angles(DVec3::axis(1)), [64, 64]);
        assert_eq!(angles(-DVec3::axis(2))[0], 128);
    }
}
