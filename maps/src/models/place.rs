//! Where and how a `misc_model` stands, as its entity says.

use super::{Part, Vertex};
use crate::geometry::epsilon::WORLD_REACH;
use crate::geometry::{DVec3, dvec3};
use crate::map_file::Entity;

/// Where a model stands, how it is turned, how large it is, and what it is made of in place of what its file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Where its own origin is.
    pub origin: DVec3,
    /// Degrees about x, then y, then z, counter-clockwise seen against the axis.
    turns: [f64; 3],
    /// Size on each of its own axes.
    scale: DVec3,
    /// Materials and what stands for them; `*` stands for all.
    remaps: Vec<(String, String)>,
    /// The frame of its file.
    pub frame: usize,
    /// Its triangles stop players and shots.
    pub is_solid: bool,
}

/// `spawnflags` of a model whose triangles stop players and shots. Source: q3map2's behaviour.
const SOLID: i64 = 2;

impl Placement {
    /// From the keys `origin`, `angle`, `angles` (pitch yaw roll), `modelscale`, `modelscale_vec`, `_remap…`, `_frame` and
    /// `spawnflags`.
    pub fn of_entity(entity: &Entity) -> Self {
        let yaw = entity.number("angle").unwrap_or(0.0);
        let [pitch, yaw, roll] = entity.vector("angles").map_or([0.0, yaw, 0.0], DVec3::to_array);
        let even = entity.number("modelscale").filter(|&scale| scale != 0.0).map(DVec3::splat);
        let uneven = entity.vector("modelscale_vec").filter(|scale| !scale.to_array().contains(&0.0));
        let scale = uneven.or(even).unwrap_or(DVec3::splat(1.0));
        let remaps = entity
            .pairs
            .iter()
            .filter(|(key, _)| key.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("_remap")));
        let frame = ["_frame", "frame"].iter().find_map(|key| entity.number(key)).unwrap_or(0.0);
        Self {
            origin: entity.vector("origin").unwrap_or_default(),
            turns: [roll, pitch, yaw],
            scale,
            remaps: remaps
                .filter_map(|(_, value)| value.split_once(';'))
                .map(|(from, to)| (from.trim().to_ascii_lowercase(), to.trim().to_owned()))
                .collect(),
            frame: frame.max(0.0) as usize,
            is_solid: entity.number("spawnflags").unwrap_or(0.0) as i64 & SOLID != 0,
        }
    }

    /// The path of a part's material. An end of a path stands for the whole in a remap, as in q3map2.
    pub fn material_of(&self, part: &Part) -> String {
        let name = part.material.to_ascii_lowercase();
        let exact = self.remaps.iter().find(|(from, _)| *from != "*" && name.ends_with(from.as_str()));
        let any = self.remaps.iter().find(|(from, _)| from == "*");
        exact.or(any).map_or_else(|| part.material.clone(), |(_, to)| to.clone())
    }

    /// Whether all of a part is where maps can be.
    pub fn keeps_in_world(&self, part: &Part) -> bool {
        let near = |point: DVec3| point.to_array().into_iter().all(|at| at.abs() <= WORLD_REACH);
        self.placed(part).0.iter().all(|vertex| near(vertex.position))
    }

    /// A part in the map's frame: corners, and triangles that still run clockwise.
    pub fn placed(&self, part: &Part) -> (Vec<Vertex>, Vec<[u32; 3]>) {
        let against = DVec3::from(self.scale.to_array().map(|part| 1.0 / part));
        let vertices = part.vertices.iter().map(|vertex| Vertex {
            position: self.origin + self.turned(scaled(vertex.position, self.scale)),
            // Normals grow against the scale.
            normal: self.turned(scaled(vertex.normal, against)).normalized(),
            ..*vertex
        });
        let mirrored = self.scale.x * self.scale.y * self.scale.z < 0.0;
        let turn = |&[a, b, c]: &[u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        (vertices.collect(), part.triangles.iter().map(turn).collect())
    }

    fn turned(&self, point: DVec3) -> DVec3 {
        let mut turned = point;
        for (axis, degrees) in self.turns.into_iter().enumerate() {
            let (sine, cosine) = match degrees.rem_euclid(360.0) {
                0.0 => continue,
                90.0 => (1.0, 0.0),
                180.0 => (0.0, -1.0),
                270.0 => (-1.0, 0.0),
                other => other.to_radians().sin_cos(),
            };
            let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
            let (a, b) = (turned[first], turned[second]);
            turned[first] = a * cosine - b * sine;
            turned[second] = a * sine + b * cosine;
        }
        turned
    }
}

fn scaled(point: DVec3, scale: DVec3) -> DVec3 {
    dvec3(point.x * scale.x, point.y * scale.y, point.z * scale.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(pairs: &[(&str, &str)]) -> Placement {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Placement::of_entity(&Entity { pairs, ..Entity::default() })
    }

    fn part() -> Part {
        let vertex = Vertex { position: dvec3(1.0, 2.0, 3.0), normal: DVec3::axis(0), texture: [0.0; 2] };
        Part { material: "models/a/Skin".to_owned(), vertices: vec![vertex; 3], triangles: vec![[0, 1, 2]] }
    }

    fn at(pairs: &[(&str, &str)]) -> DVec3 {
        placement(pairs).placed(&part()).0[0].position
    }

    #[test]
    fn turns_are_those_of_the_game() {
        assert_eq!(at(&[("origin", "10 0 0")]), dvec3(11.0, 2.0, 3.0));
        assert_eq!(at(&[("angle", "90")]), dvec3(-2.0, 1.0, 3.0));
        // Pitch down: forward goes to below.
        assert_eq!(at(&[("angles", "90 0 0")]), dvec3(3.0, 2.0, -1.0));
        assert_eq!(at(&[("angles", "0 0 90")]), dvec3(1.0, -3.0, 2.0));
        assert_eq!(at(&[("angles", "0 180 0"), ("angle", "90")]), dvec3(-1.0, -2.0, 3.0));
    }

    #[test]
    fn sizes_scale_before_turns_and_a_mirror_turns_triangles_over() {
        assert_eq!(at(&[("modelscale", "2"), ("angle", "90")]), dvec3(-4.0, 2.0, 6.0));
        let mirrored = placement(&[("modelscale_vec", "-1 1 1")]);
        let (vertices, triangles) = mirrored.placed(&part());
        assert_eq!((vertices[0].position, vertices[0].normal), (dvec3(-1.0, 2.0, 3.0), -DVec3::axis(0)));
        assert_eq!(triangles, [[0, 2, 1]]);
    }

    #[test]
    fn remaps_name_an_end_of_a_path_or_all() {
        let check =
            |pairs: &[(&str, &str)], wanted| assert_eq!(placement(pairs).material_of(&part()), wanted);
        check(&[], "models/a/Skin");
        check(&[("_remap", "*;textures/b")], "textures/b");
        check(&[("_remap", "*;textures/b"), ("_remap2", "a/skin;textures/c")], "textures/c");
    }
}
