//! Direct light: what lamps, glowing faces and suns send to faces and to the grid from which models are lit.
//!
//! No light is thrown back by walls; a little that comes from everywhere stands for it. A map without any light stays white. Every
//! corner and every cell of the grid is computed by itself, so the result does not depend on the number of threads.

mod grid;
mod lightmap;
mod sources;

use crate::diagnostics::Diagnostic;
use crate::faces::{Drawn, Shape};
use crate::geometry::DVec3;
use crate::scene::Scene;
use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use rayon::prelude::*;
use sources::Sources;

/// Stands for light that walls throw back, if the world has no key `_ambient` or `ambient`. Unit: the file's own, 255 is white
/// before the client brightens it.
const AMBIENT: f64 = 12.0;
/// How far above a face its light is asked. Unit: world units.
const LIFT: f64 = 1.5;
/// How far a place is moved into its cell, away from walls that it touches. Unit: world units.
const INWARD: f64 = 2.0;

/// Red, green, blue. Unit: as [`AMBIENT`].
type Light = [f64; 3];

/// Lights a compiled map.
pub fn light(bsp: &mut Bsp, scene: &Scene, drawn: &[Vec<Drawn>], said: &mut Vec<Diagnostic>) {
    let mut sources = Sources::new(scene, &drawn[0]);
    if sources.is_empty() {
        said.push(
            Diagnostic::warning("no-lights", "there is no light in the map, so everything is white")
                .site(&scene.world_site())
                .help("place light entities, or use materials that give light"),
        );
        return;
    }
    let Ok(clip) = ClipMap::build(bsp) else { return };
    sources.locate(&clip);
    let word = |keys: &[&str]| {
        let world = scene.entities.first()?;
        keys.iter().find_map(|key| world.entity.number(key)).map(|value| value.clamp(0.0, 255.0))
    };
    let ambient = word(&["_ambient", "ambient"]).unwrap_or(AMBIENT);
    let least = word(&["_minlight", "minlight"]).unwrap_or(0.0);
    let least_of_models = word(&["_mingridlight", "mingridlight"]).unwrap_or(least);
    let world = World { clip: &clip, sources: &sources, ambient, least };
    let models = scene.models.iter().map(|model| model.origin);
    let surfaces: Vec<(&Drawn, DVec3)> = drawn
        .iter()
        .zip(models)
        .flat_map(|(drawn, origin)| drawn.iter().map(move |one| (one, origin)))
        .collect();
    let materials = scene.materials.all();
    let takes = |drawn: &Drawn| lightmap::is_for(&materials[drawn.material.index()]);
    let mapped = lightmap::build(&world, bsp, &surfaces, &takes);
    let colors: Vec<Vec<Light>> = surfaces
        .par_iter()
        .zip(&mapped)
        .map(|((drawn, origin), mapped)| if *mapped { Vec::new() } else { world.corners(drawn, *origin) })
        .collect();
    for (surface, colors) in bsp.surfaces.iter().zip(colors) {
        let verts = &mut bsp.draw_verts[surface.verts.first as usize..];
        verts.iter_mut().zip(colors).for_each(|(vert, color)| vert.color = bytes(color));
    }
    match grid::build(&World { least: least_of_models, ..world }, bsp, scene) {
        Ok(grid) => bsp.light_grid = grid,
        Err(wrong) => said.push(*wrong),
    }
}

/// What light is asked of.
struct World<'a> {
    clip: &'a ClipMap,
    sources: &'a Sources,
    /// What comes from everywhere. Unit: as [`AMBIENT`].
    ambient: f64,
    /// Nothing is darker. Unit: as [`AMBIENT`].
    least: f64,
}

impl World<'_> {
    /// Light of each corner of a surface of a model that stands at `origin`.
    fn corners(&self, drawn: &Drawn, origin: DVec3) -> Vec<Light> {
        let normals = drawn.corners.iter().map(|corner| corner.normal);
        let samples: Vec<Vec<DVec3>> = match drawn.shape {
            Shape::Flat(_) => places_of_flat(drawn),
            Shape::Patch(size) | Shape::HiddenPatch(size) => places_of_patch(drawn, size),
            Shape::Mesh => drawn.corners.iter().map(|corner| vec![corner.position]).collect(),
        };
        let mut lights: Vec<Option<Light>> = Vec::with_capacity(samples.len());
        for (places, normal) in samples.iter().zip(normals) {
            let found: Vec<Light> =
                places.iter().filter_map(|&place| self.on_face(place + origin, normal)).collect();
            let sum = found.iter().fold([0.0; 3], |sum, light| [0, 1, 2].map(|part| sum[part] + light[part]));
            lights.push((!found.is_empty()).then(|| sum.map(|part| part / found.len() as f64)));
        }
        // What lies in a wall takes what the rest has on average.
        let known = lights.iter().flatten().count().max(1) as f64;
        let mean = lights
            .iter()
            .flatten()
            .fold([0.0; 3], |sum, light| [0, 1, 2].map(|part| sum[part] + light[part] / known));
        lights.into_iter().map(|light| self.at_least(light.unwrap_or(mean))).collect()
    }

    /// With what comes from everywhere.
    fn at_least(&self, light: Light) -> Light {
        light.map(|part| (part + self.ambient).max(self.least))
    }

    fn is_open(&self, place: DVec3) -> bool {
        self.clip.contents_at(place.to_f32()) & fogline_common::proto::contents::SOLID == 0
    }

    /// Light that falls on a face at a point of it; `None` if that lies in a wall.
    fn on_face(&self, point: DVec3, normal: DVec3) -> Option<Light> {
        let place = point + normal * LIFT;
        if !self.is_open(place) {
            return None;
        }
        let mut sum = [0.0; 3];
        self.sources.reach(self.clip, place, Some(normal), |_, light| {
            sum = [0, 1, 2].map(|part| sum[part] + light[part]);
        });
        Some(sum)
    }
}

/// Where the light of each corner is asked: in every cell that it is a corner of, a little inward.
fn places_of_flat(drawn: &Drawn) -> Vec<Vec<DVec3>> {
    let mut places = vec![Vec::new(); drawn.corners.len()];
    for polygon in &drawn.polygons {
        let corner = |number: u32| drawn.corners[number as usize].position;
        let sum = polygon.iter().fold(DVec3::ZERO, |sum, &number| sum + corner(number));
        let middle = sum * (1.0 / polygon.len() as f64);
        for &number in polygon {
            let way = middle - corner(number);
            let step = INWARD.min(way.length() / 2.0);
            places[number as usize].push(corner(number) + way.normalized() * step);
        }
    }
    places
}

/// Where the light of each control point is asked: at its place on the curve, from the rim a little inward.
fn places_of_patch(drawn: &Drawn, size: [usize; 2]) -> Vec<Vec<DVec3>> {
    let points: Vec<DVec3> = drawn.corners.iter().map(|corner| corner.position).collect();
    let places = crate::patches::on_curve(size, &points);
    inward(size, &places).into_iter().map(|place| vec![place]).collect()
}

/// The places of a curve, row by row, those on its rim moved a little inward.
fn inward([across, down]: [usize; 2], places: &[DVec3]) -> Vec<DVec3> {
    let inward = |x: usize, y: usize| {
        let place = places[y * across + x];
        let mut moved = place;
        for (at, count, step) in [(x, across, 1), (y, down, across)] {
            let towards = match at {
                0 => places[y * across + x + step],
                last if last + 1 == count => places[y * across + x - step],
                _ => continue,
            };
            let way = towards - place;
            moved += way.normalized() * INWARD.min(way.length() / 2.0);
        }
        moved
    };
    (0..down).flat_map(|y| (0..across).map(move |x| (x, y))).map(|(x, y)| inward(x, y)).collect()
}

/// Light beyond white keeps its hue.
fn bytes(light: Light) -> [u8; 4] {
    let most = light.into_iter().fold(255.0, f64::max);
    let [red, green, blue] = light.map(|part| (part.max(0.0) * 255.0 / most).round() as u8);
    [red, green, blue, 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_beyond_white_keeps_its_hue() {
        assert_eq!(bytes([510.0, 255.0, 0.0]), [255, 128, 0, 255]);
        assert_eq!(bytes([100.2, -3.0, 254.9]), [100, 0, 255, 255]);
    }
}
