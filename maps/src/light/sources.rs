//! What gives light: `light` entities, glowing faces in pieces, suns behind sky.
//!
//! Strengths follow q3map2: a lamp of 300 gives 300 * 7500 over the square of the distance, a glowing face a quarter of its strength
//! for each unit of its area. Source: q3map2's behaviour. What comes of a face is its solid angle, weighed by how steep it is seen
//! (Lambert's formula for polygons), so that near panels do not glare: nothing can be lit more than by a glowing sky of its strength.

use super::Light;
use crate::faces::{Drawn, diced};
use crate::geometry::{DVec3, Winding};
use crate::map_file::Entity;
use crate::material::Material;
use crate::scene::Scene;
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClusterNum;
use fogline_common::proto::{contents, surface};
use fogline_common::trace::TraceRequest;
use std::f64::consts::PI;

/// Strength of a lamp of one.
const LAMP: f64 = 7500.0;
/// Strength of a lamp that does not say.
const USUAL_LAMP: f64 = 300.0;
/// Strength of a unit of glowing area of one.
const AREA: f64 = 0.25;
/// Light that a linear lamp loses a unit. Source: q3map2's `linearScale`.
const LINEAR: f64 = 1.0 / 8000.0;
/// Larger pieces of glowing faces, such as skies, send light from several places. Unit: world units.
const LARGEST_PIECE: f64 = 256.0;
/// From a distance beyond so many times its size, a face is as good as its middle: that is within 2 % then. Unit: squared sizes.
const FAR: f64 = 16.0;
/// Weaker light is not followed.
const DIM: f64 = 1.0;
/// How far suns are. Unit: world units.
const SUN_DISTANCE: f64 = 16384.0;
/// How far before a glowing face a ray to it ends. Unit: world units.
const BEFORE_FACE: f64 = 2.0;

/// Something that gives light.
struct Source {
    at: DVec3,
    /// Strength times colour, at distance one.
    power: Light,
    kind: Kind,
    /// Where it is in the PVS; `None` if that tells nothing.
    cluster: Option<ClusterNum>,
}

enum Kind {
    /// To all sides, falling with the square of the distance.
    Lamp,
    /// To all sides, falling evenly to nothing.
    Linear { fade: f64 },
    /// A cone: its axis, the cosine of half its angle.
    Spot { axis: DVec3, cosine: f64 },
    /// A piece of a face: corners run counter-clockwise seen from its front.
    Face { normal: DVec3, area: f64, outline: Vec<DVec3> },
    /// From a direction; power does not fall.
    Sun { towards: DVec3 },
}

/// All that gives light.
pub(super) struct Sources {
    all: Vec<Source>,
}

impl Sources {
    /// From the entities, and from the drawn faces of the world.
    pub(super) fn new(scene: &Scene, world: &[Drawn]) -> Self {
        let mut all: Vec<Source> =
            scene.entities.iter().filter_map(|entity| lamp(&entity.entity, scene)).collect();
        for drawn in world {
            all.extend(glowing(drawn, &scene.materials[drawn.material]));
        }
        let mut suns: Vec<&Material> = Vec::new();
        for drawn in world {
            let material = &scene.materials[drawn.material];
            if !material.suns.is_empty() && !suns.iter().any(|known| known.name == material.name) {
                suns.push(material);
            }
        }
        for sun in suns.into_iter().flat_map(|material| &material.suns) {
            let (yaw, pitch) = (sun.yaw.to_radians(), sun.pitch.to_radians());
            let towards = DVec3 { x: yaw.cos() * pitch.cos(), y: yaw.sin() * pitch.cos(), z: pitch.sin() };
            let power = hue(sun.color).map(|part| part * sun.intensity);
            all.push(Source { at: DVec3::ZERO, power, kind: Kind::Sun { towards }, cluster: None });
        }
        Self { all }
    }

    /// Finds where each source is in the PVS, so that what cannot be seen need not be looked for.
    pub(super) fn locate(&mut self, clip: &ClipMap) {
        for source in &mut self.all {
            let place = match &source.kind {
                Kind::Sun { .. } => continue,
                Kind::Face { normal, .. } => source.at + *normal * BEFORE_FACE,
                _ => source.at,
            };
            source.cluster = clip.leaf_cluster(clip.leaf_at(place.to_f32()));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Calls `visit` with the direction to each source that reaches a point, and the light that it sends. With a normal, the light
    /// that falls on a face which faces that way.
    pub(super) fn reach(
        &self,
        clip: &ClipMap,
        place: DVec3,
        normal: Option<DVec3>,
        mut visit: impl FnMut(DVec3, Light),
    ) {
        let cluster = clip.leaf_cluster(clip.leaf_at(place.to_f32()));
        let row = clip.pvs(cluster);
        for source in &self.all {
            if cluster.is_some() && source.cluster.is_some_and(|source| !row[source.index()]) {
                continue;
            }
            let Some((way, share, target)) = source.share(place) else { continue };
            let slant = normal.map_or(1.0, |normal| normal.dot(way));
            if slant <= 0.0 {
                continue;
            }
            let light = source.power.map(|part| part * share * slant);
            if light.into_iter().fold(0.0, f64::max) >= DIM && source.is_seen(clip, place, target) {
                visit(way, light);
            }
        }
    }
}

impl Source {
    /// The direction from a point to the source, what share of its power comes there, and where a ray to it ends.
    fn share(&self, place: DVec3) -> Option<(DVec3, f64, DVec3)> {
        if let Kind::Sun { towards } = self.kind {
            return Some((towards, 1.0, place + towards * SUN_DISTANCE));
        }
        let off = self.at - place;
        let distance = off.length().max(16.0);
        let way = off.normalized();
        let falling = 1.0 / (distance * distance);
        let (way, share) = match &self.kind {
            Kind::Lamp | Kind::Sun { .. } => (way, falling),
            Kind::Linear { fade } => {
                let strongest = self.power.into_iter().fold(1e-9, f64::max);
                (way, (1.0 - distance * fade / strongest).max(0.0))
            }
            Kind::Spot { axis, cosine } => {
                let inside = -axis.dot(way);
                (way, if inside > *cosine { falling } else { 0.0 })
            }
            Kind::Face { normal, .. } if -normal.dot(off) <= 0.0 => return None,
            Kind::Face { normal, area, .. } if off.dot(off) > area * FAR => (way, -normal.dot(way) * falling),
            Kind::Face { area, outline, .. } => {
                let flow = flow_of_polygon(outline, place);
                (flow.normalized(), flow.length() * PI / area)
            }
        };
        (share > 0.0).then_some((way, share, self.at))
    }

    fn is_seen(&self, clip: &ClipMap, place: DVec3, target: DVec3) -> bool {
        match &self.kind {
            Kind::Sun { .. } => {
                let ray = TraceRequest::ray(place.to_f32(), target.to_f32(), contents::SOLID, None);
                let hit = clip.trace(&ray);
                !hit.start_solid && hit.fraction < 1.0 && hit.surface_flags & surface::SKY != 0
            }
            Kind::Face { normal, .. } => {
                !clip.blocked(place.to_f32(), (target + *normal * BEFORE_FACE).to_f32(), contents::SOLID)
            }
            _ => !clip.blocked(place.to_f32(), target.to_f32(), contents::SOLID),
        }
    }
}

/// A `light` entity. `spawnflags` 1: it falls evenly. A `target` makes it a spot.
fn lamp(entity: &Entity, scene: &Scene) -> Option<Source> {
    if !entity.class().eq_ignore_ascii_case("light") && !entity.class().eq_ignore_ascii_case("lightJunior") {
        return None;
    }
    let at = entity.vector("origin")?;
    let number = |keys: [&str; 2]| keys.iter().find_map(|key| entity.number(key));
    let strength =
        number(["_light", "light"]).unwrap_or(USUAL_LAMP) * number(["scale", "_scale"]).unwrap_or(1.0);
    let color = hue(entity.vector("_color").map_or([1.0; 3], DVec3::to_array));
    let target = entity.value("target").and_then(|target| {
        scene
            .entities
            .iter()
            .find(|other| other.entity.value("targetname") == Some(target))?
            .entity
            .vector("origin")
    });
    let photons = strength * LAMP;
    let linear = entity.number("spawnflags").is_some_and(|flags| flags as i64 & 1 != 0);
    if linear {
        let fade = number(["fade", "_fade"]).unwrap_or(1.0);
        let power = color.map(|part| part * photons * LINEAR);
        return Some(Source { at, power, kind: Kind::Linear { fade }, cluster: None });
    }
    let kind = match target {
        Some(target) if (target - at).length() > 1.0 => {
            let radius = number(["radius", "_radius"]).filter(|&radius| radius > 0.0).unwrap_or(64.0);
            let distance = (target - at).length();
            Kind::Spot { axis: (target - at).normalized(), cosine: distance / distance.hypot(radius) }
        }
        _ => Kind::Lamp,
    };
    Some(Source { at, power: color.map(|part| part * photons), kind, cluster: None })
}

/// The pieces of a glowing face.
fn glowing(drawn: &Drawn, material: &Material) -> Vec<Source> {
    if material.surface_light <= 0.0 {
        return Vec::new();
    }
    let color = glow_color(material);
    let outline = |polygon: &Vec<u32>| {
        // Drawn polygons run clockwise.
        let corners = polygon.iter().rev().map(|&number| drawn.corners[number as usize].position);
        Winding::new(corners.collect())
    };
    let pieces = drawn.polygons.iter().filter_map(outline).flat_map(|outline| diced(&outline, LARGEST_PIECE));
    pieces
        .map(|piece| {
            let (area, normal) = (piece.area(), piece.normal());
            let power = color.map(|part| part * material.surface_light * area * AREA);
            Source {
                at: piece.center(),
                power,
                kind: Kind::Face { normal, area, outline: piece.points().to_vec() },
                cluster: None,
            }
        })
        .collect()
}

/// What flows from an evenly glowing polygon through a point, as a share of what a glowing half of the sky would send along one axis:
/// the dot product with a normal is the form factor for a face with that normal. Source: J. H. Lambert, Photometria, 1760.
fn flow_of_polygon(outline: &[DVec3], place: DVec3) -> DVec3 {
    let mut flow = DVec3::ZERO;
    let way = |at: usize| (outline[at % outline.len()] - place).normalized();
    for at in 0..outline.len() {
        let (start, end) = (way(at), way(at + 1));
        let across = end.cross(start);
        // The angle that an edge takes up, about the axis that it is seen along.
        let angle = across.length().atan2(start.dot(end));
        flow += across.normalized() * angle;
    }
    flow * (0.5 / PI)
}

/// The colour that a script gives, or the one that lava and slime have everywhere.
fn glow_color(material: &Material) -> Light {
    let own = hue(material.light_color);
    match material.flags.contents {
        bits if own == [1.0; 3] && bits & contents::LAVA != 0 => [1.0, 0.45, 0.1],
        bits if own == [1.0; 3] && bits & contents::SLIME != 0 => [0.4, 1.0, 0.3],
        _ => own,
    }
}

/// A colour whose strongest part is one.
fn hue(color: [f64; 3]) -> Light {
    let most = color.into_iter().fold(0.0, f64::max);
    if most > 0.0 { color.map(|part| part.max(0.0) / most) } else { [1.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::dvec3;

    /// A square panel in the ceiling at height zero, its light falling down, of strength one.
    fn panel(size: f64) -> Source {
        let half = size / 2.0;
        let outline = vec![
            dvec3(-half, -half, 0.0),
            dvec3(-half, half, 0.0),
            dvec3(half, half, 0.0),
            dvec3(half, -half, 0.0),
        ];
        let area = size * size;
        let kind = Kind::Face { normal: -DVec3::axis(2), area, outline };
        Source { at: DVec3::ZERO, power: [area * AREA; 3], kind, cluster: None }
    }

    /// What falls on a floor at a point, and what the sum over small parts of the panel says.
    fn light_on_floor(size: f64, place: DVec3) -> (f64, f64) {
        const PARTS: i32 = 200;
        let source = panel(size);
        let (way, share, _) = source.share(place).expect("below the panel");
        let got = source.power[0] * share * way.z;
        let step = size / f64::from(PARTS);
        let mut wanted = 0.0;
        for x in 0..PARTS {
            for y in 0..PARTS {
                let part = [x, y].map(|at| (f64::from(at) + 0.5) * step - size / 2.0);
                let off = dvec3(part[0], part[1], 0.0) - place;
                let slant = off.z / off.length();
                wanted += AREA * step * step * slant * slant / off.dot(off);
            }
        }
        (got, wanted)
    }

    #[test]
    fn a_panel_gives_what_its_parts_give_from_any_distance() {
        for size in [16.0, 64.0, 256.0] {
            for far in [0.25, 0.5, 1.0, 2.0, 3.9, 4.1, 8.0, 40.0] {
                for aside in [0.0, 0.5, 1.5] {
                    let place = dvec3(size * aside, 0.0, -size * far);
                    let (got, wanted) = light_on_floor(size, place);
                    assert!((got - wanted).abs() < 0.02 * wanted, "{size} {far} {aside}: {got} for {wanted}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_lit_more_than_by_a_whole_sky_of_that_strength() {
        let most = AREA * PI;
        for far in [0.1, 1.0, 4.0, 16.0, 100.0] {
            let (got, _) = light_on_floor(64.0, dvec3(1.0, 2.0, -far));
            assert!(got <= most * (1.0 + 1e-9), "{got} at {far}");
        }
        let (near, _) = light_on_floor(4096.0, dvec3(0.0, 0.0, -1.0));
        assert!(near > 0.99 * most, "a ceiling of panels is a sky: {near} of {most}");
    }

    #[test]
    fn four_panels_side_by_side_give_what_one_of_their_size_gives() {
        let place = dvec3(10.0, 20.0, -40.0);
        let (whole, _) = light_on_floor(128.0, place);
        let quarters = [(-32.0, -32.0), (-32.0, 32.0), (32.0, -32.0), (32.0, 32.0)];
        let sum: f64 = quarters.iter().map(|&(x, y)| light_on_floor(64.0, place - dvec3(x, y, 0.0)).0).sum();
        assert!((sum - whole).abs() < 1e-9 * whole, "{sum} for {whole}");
    }

    #[test]
    fn a_panel_sends_nothing_behind_itself() {
        assert!(panel(64.0).share(dvec3(0.0, 0.0, 8.0)).is_none());
    }
}
