//! The light grid: what models are lit by, where they stand.
//!
//! ```text
//! ambient r g b | directed r g b | polar angle from up | azimuth        one cell, eight bytes; 256 steps are a full turn
//! ```
//!
//! Cells are 64 by 64 by 128 units, east first, then north, then up, at multiples of their size within the world's box. Clients mix
//! the eight around a model and pass over black ones. So a corner in rock is black only where no open place is near enough for a
//! model to ask it; else it has the light of the nearest such place. Source: `R_LoadLightGrid`, `R_SetupEntityLightingGrid`.

use super::{Light, World, bytes};
use crate::diagnostics::Diagnostic;
use crate::geometry::DVec3;
use crate::scene::Scene;
use fogline_common::bsp::Bsp;
use fogline_common::math::Bounds;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Size of a cell that the map does not set. Unit: world units.
const CELL: [f64; 3] = [64.0, 64.0, 128.0];
/// Largest lump that the original takes. Unit: bytes.
const MAX_BYTES: f64 = 8_388_608.0;
/// Bytes of a cell.
const CELL_BYTES: f64 = 8.0;
/// Light that walls throw back to a place, of all that reaches it. Source: the grids of stock maps, whose medians are near it.
const THROWN_BACK: f64 = 0.1;
/// Light that does not come along the main direction loses most of its force. Source: q3map2's behaviour.
const ASIDE: f64 = 0.25;

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
        return Err(Box::new(Diagnostic::warning("limit", message).site(&scene.world_site()).help(help)));
    }
    let [across, along, up] = counts.map(|count| count as usize);
    let beside = beside(size);
    let cells: Vec<[u8; 8]> = (0..across * along * up)
        .into_par_iter()
        .map(|number| {
            let at = [number % across, number / across % along, number / (across * along)];
            let place = [0, 1, 2].map(|axis| first[axis] + size[axis] * at[axis] as f64);
            place_for(world, DVec3::from(place), size, &beside).map_or([0; 8], |place| cell(world, place))
        })
        .collect();
    Ok(cells.concat())
}

/// A grid point often lies in a floor; from a little beside it counts too.
const NUDGES: [f64; 3] = [0.0, 16.0, -16.0];
/// Where an open place is looked for around a point in rock, across: shares of a cell.
const ACROSS: [f64; 5] = [-0.8, -0.4, 0.0, 0.4, 0.8];
/// The same, up and down: steps that find what an item can lie in. Unit: world units.
const UP: f64 = 24.0;

/// Places around a corner whose models ask it, the nearest first.
fn beside(size: [f64; 3]) -> Vec<DVec3> {
    let steps = (size[2] / UP).ceil() as i32 - 1;
    let mut all: Vec<DVec3> = ACROSS
        .iter()
        .flat_map(|x| ACROSS.iter().map(move |y| (x * size[0], y * size[1])))
        .flat_map(|(x, y)| (-steps..=steps).map(move |z| DVec3 { x, y, z: f64::from(z) * UP }))
        .collect();
    all.sort_by(|a, b| a.length().total_cmp(&b.length()));
    all
}

/// Where the light of a corner is asked; `None` if no model can be near it.
fn place_for(world: &World<'_>, corner: DVec3, size: [f64; 3], beside: &[DVec3]) -> Option<DVec3> {
    let usable = |place: &DVec3| world.is_open(*place) && world.is_inside(*place);
    let near = NUDGES.iter().map(|&up| corner + DVec3::axis(2) * up).find(usable);
    near.or_else(|| {
        let reach = DVec3::from(size);
        let around = Bounds::new((corner - reach).to_f32(), (corner + reach).to_f32());
        let mut is_near_open = false;
        world.clip.each_leaf_touched(&around, &mut |leaf| {
            is_near_open |= world.clip.leaf_cluster(leaf).is_some();
            !is_near_open
        });
        is_near_open.then(|| beside.iter().map(|&off| corner + off).find(usable)).flatten()
    })
}

/// The light at an open place. Never black, which would mean rock.
fn cell(world: &World<'_>, place: DVec3) -> [u8; 8] {
    let mut found: Vec<(DVec3, Light)> = Vec::new();
    world.sources.reach(world.clip, place, None, |way, light| found.push((way, light)));
    let strength = |light: &Light| light.iter().sum::<f64>();
    let main = found.iter().fold(DVec3::ZERO, |sum, (way, light)| sum + *way * strength(light)).normalized();
    let (mut ambient, mut directed) = ([0.0; 3], [0.0; 3]);
    for (way, light) in &found {
        let along = way.dot(main).max(0.0);
        for part in 0..3 {
            directed[part] += light[part] * along;
            ambient[part] += light[part] * (THROWN_BACK + (1.0 - along) * ASIDE);
        }
    }
    let ambient = world.at_least(ambient).map(|part| part.max(1.0));
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
