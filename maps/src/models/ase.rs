//! ASE models, the text that 3D Studio exports: materials, then objects of vertices and faces.
//!
//! ```text
//! *MATERIAL_LIST { *MATERIAL 0 { *MATERIAL_NAME "textures/e7/wall" *MAP_DIFFUSE { *BITMAP "..\textures\e7\wall.jpg" } } }
//! *GEOMOBJECT { *MESH { *MESH_VERTEX 0 x y z   *MESH_FACE 0: A: 0 B: 2 C: 1   *MESH_TVERT 0 u v w   *MESH_TFACE 0 0 2 1
//!     *MESH_VERTEXNORMAL 0 x y z } *MATERIAL_REF 4 }
//! ```
//!
//! Faces run counter-clockwise and `v` runs up, so both are turned over. Corners of a face may have texture coordinates of their
//! own, so each corner of each face becomes a vertex. Source: files of the game, and what its stock maps have of them.

use super::{ModelError, Part, Vertex, material_name};
use crate::geometry::{DVec3, dvec3};

/// Larger numbers are damage.
const MAX_NUMBER: f64 = 1e7;

/// Words of an ASE file: bare ones, and quoted ones without the quotes.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start();
        if rest.is_empty() {
            self.0 = rest;
            return None;
        }
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        self.0 = after;
        Some(word)
    }
}

/// An object before its faces are made into triangles.
#[derive(Default)]
struct Object {
    material: usize,
    vertices: Vec<DVec3>,
    normals: Vec<Option<DVec3>>,
    textures: Vec<[f64; 2]>,
    faces: Vec<[usize; 3]>,
    texture_faces: Vec<[usize; 3]>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Part>, ModelError> {
    let text = String::from_utf8_lossy(bytes);
    if !text.trim_start().starts_with("*3DSMAX_ASCIIEXPORT") {
        return Err(ModelError::NotOne("ASE"));
    }
    let mut names: Vec<String> = Vec::new();
    let mut objects: Vec<Object> = Vec::new();
    for line in text.lines() {
        let mut words = Words(line);
        let Some(keyword) = words.next().and_then(|word| word.strip_prefix('*')) else { continue };
        match keyword {
            "MATERIAL" => names.push(String::new()),
            // The picture's path counts only where the name is none of the game's.
            "MATERIAL_NAME" | "BITMAP" => {
                let said = words.next().unwrap_or_default();
                if let Some(name) = names.last_mut().filter(|name| !is_path(name)) {
                    *name = said.to_owned();
                }
            }
            "GEOMOBJECT" => objects.push(Object::default()),
            keyword => {
                if let Some(object) = objects.last_mut() {
                    object.obey(keyword, words).ok_or(ModelError::Damaged("lists of a mesh"))?;
                }
            }
        }
    }
    objects.into_iter().map(|object| object.part(&names)).collect()
}

fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name == "noshader"
}

impl Object {
    /// Takes what a line says, `None` if it is damaged. Lines of other kinds say nothing.
    fn obey(&mut self, keyword: &str, words: Words<'_>) -> Option<()> {
        let words: Vec<&str> = words.collect();
        let float = |at: usize| words.get(at)?.parse::<f64>().ok().filter(|value| value.abs() <= MAX_NUMBER);
        let index = |at: usize| words.get(at)?.trim_end_matches(':').parse::<usize>().ok();
        match keyword {
            "MESH_VERTEX" => self.vertices.push(dvec3(float(1)?, float(2)?, float(3)?)),
            "MESH_TVERT" => self.textures.push([float(1)?, 1.0 - float(2)?]),
            "MESH_FACE" => {
                let corner = |letter: &str| {
                    let at = words.iter().position(|word| word.eq_ignore_ascii_case(letter))?;
                    index(at + 1)
                };
                self.faces.push([corner("A:")?, corner("B:")?, corner("C:")?]);
            }
            "MESH_TFACE" => self.texture_faces.push([index(1)?, index(2)?, index(3)?]),
            "MESH_VERTEXNORMAL" => {
                let (vertex, normal) = (index(0)?, dvec3(float(1)?, float(2)?, float(3)?));
                // The numbers of vertices come before their normals.
                let known = self.vertices.len();
                if vertex >= known {
                    return None;
                }
                self.normals.resize(known, None);
                self.normals[vertex] = Some(normal.normalized());
            }
            "MATERIAL_REF" => self.material = index(0)?,
            _ => {}
        }
        Some(())
    }

    fn part(self, names: &[String]) -> Result<Part, ModelError> {
        let written = names.get(self.material).map_or("noshader", String::as_str);
        let mut part = Part { material: material_name(written), ..Part::default() };
        for (number, &face) in self.faces.iter().enumerate() {
            let damaged = ModelError::Damaged("faces");
            let corners = face.map(|corner| self.vertices.get(corner).copied());
            let [Some(a), Some(b), Some(c)] = corners else { return Err(damaged) };
            // Counter-clockwise, so the front is where this points to.
            let flat = (b - a).cross(c - a).normalized();
            let textures = self.texture_faces.get(number).copied().unwrap_or(face);
            let first = part.vertices.len() as u32;
            for (corner, texture) in face.into_iter().zip(textures) {
                let given = self.normals.get(corner).copied().flatten();
                let normal = given.filter(|normal| normal.dot(flat) > 0.0).unwrap_or(flat);
                let texture = self.textures.get(texture).copied().unwrap_or_default();
                part.vertices.push(Vertex { position: self.vertices[corner], normal, texture });
            }
            part.triangles.push([first, first + 2, first + 1]);
        }
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALL: &str = "*3DSMAX_ASCIIEXPORT\t200\n*MATERIAL_LIST\t{\n*MATERIAL\t0\t{\n*MATERIAL_NAME\t\"Material #1\"\n*BITMAP\t\
        \"..\\textures\\e7\\wall.jpg\"\n}\n*MATERIAL\t1\t{\n*MATERIAL_NAME\t\"textures/e7/trim\"\n*BITMAP\t\"c:\\x.tga\"\n}\n}\n\
        *GEOMOBJECT\t{\n*MESH\t{\n*MESH_VERTEX\t0\t0\t0\t0\n*MESH_VERTEX\t1\t8\t0\t0\n*MESH_VERTEX\t2\t0\t8\t0\n\
        *MESH_VERTEXNORMAL\t1\t0\t0.6\t0.8\n*MESH_FACE\t0:\tA:\t0\tB:\t1\tC:\t2\tAB:\t1\n*MESH_TVERT\t0\t0.25\t0.75\t0\n\
        *MESH_TVERT\t1\t1\t0\t0\n*MESH_TFACE\t0\t0\t1\t0\n}\n*MATERIAL_REF\t1\n}\n";

    #[test]
    fn faces_are_turned_over_and_so_is_v() {
        let [part] = &read(WALL.as_bytes()).expect("a model")[..] else { panic!("one object") };
        assert_eq!(part.material, "textures/e7/trim");
        assert_eq!(part.triangles, [[0, 2, 1]]);
        assert_eq!(part.vertices[0].texture, [0.25, 0.25]);
        assert_eq!(part.vertices[2].texture, [0.25, 0.25], "a corner has what its texture face says");
        assert_eq!(part.vertices[1].normal, dvec3(0.0, 0.6, 0.8));
        assert_eq!(part.vertices[0].normal, DVec3::axis(2), "without a normal of its own it has the face's");
    }

    #[test]
    fn a_name_that_is_no_path_gives_way_to_the_picture() {
        let text = WALL.replace("*MATERIAL_REF\t1", "*MATERIAL_REF\t0");
        assert_eq!(read(text.as_bytes()).expect("a model")[0].material, "textures/e7/wall");
    }

    #[test]
    fn damage_is_named_and_harmless() {
        assert_eq!(read(b"v 0 0 0"), Err(ModelError::NotOne("ASE")));
        assert!(read(WALL.replace("C:\t2", "C:\t9").as_bytes()).is_err());
        assert!(read(WALL.replace("VERTEXNORMAL\t1", "VERTEXNORMAL\t99999999999").as_bytes()).is_err());
        for length in 0..WALL.len() {
            let _ = read(&WALL.as_bytes()[..length]);
        }
    }
}
