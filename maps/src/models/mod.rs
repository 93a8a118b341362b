//! Models that stand in a map (`misc_model`) and become part of it: files of other programs to triangles in the world.
//!
//! ```text
//! entity -> Placement (where, how turned, how large, which materials) \
//! file   -> parts in the model's own frame                             -> Mesh in the map's frame
//! ```
//!
//! Read are MD3 and ASE. Triangles run clockwise seen from the front, as all that the client draws.

mod ase;
mod clip;
mod md3;
mod place;

pub use clip::clip_brushes;
pub use place::Placement;

use crate::geometry::{Box3, DVec3};
use crate::material::MaterialNum;
use std::fmt;

/// Corners that one surface may have. Source: the client's `SHADER_MAX_VERTEXES`, less some.
pub const MAX_CORNERS: usize = 999;
/// Triangles that one surface may have. Source: the client's `SHADER_MAX_INDEXES`, less some.
pub const MAX_TRIANGLES: usize = 1999;
/// Most triangles of a model; real ones have some hundreds.
const MAX_MODEL_TRIANGLES: usize = 1 << 16;

/// A corner of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Where it is.
    pub position: DVec3,
    /// Unit vector.
    pub normal: DVec3,
    /// Texture coordinates.
    pub texture: [f64; 2],
}

/// Triangles of one material, in the model's own frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Path of the material as the file has it, without the ending of a picture.
    pub material: String,
    /// Corners.
    pub vertices: Vec<Vertex>,
    /// Numbers of corners, clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
}

/// Triangles of one material, in the frame of a [`crate::scene::Model`].
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// What it is made of.
    pub material: MaterialNum,
    /// At most [`MAX_CORNERS`].
    pub vertices: Vec<Vertex>,
    /// At most [`MAX_TRIANGLES`]; clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The box around it.
    pub fn bounds(&self) -> Box3 {
        Box3::around(self.vertices.iter().map(|vertex| vertex.position))
    }
}

/// Why a model file cannot be used. Display ends a sentence that begins with the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// Its ending is of no format that is read.
    Format,
    /// It is not what its ending says.
    NotOne(&'static str),
    /// It ends, or points beyond its end, within something.
    Damaged(&'static str),
    /// A frame that it does not have.
    NoFrame(usize),
    /// More triangles than any model has.
    TooLarge,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format => write!(f, "is of no format that is read (MD3 and ASE are)"),
            Self::NotOne(format) => write!(f, "is no {format} file"),
            Self::Damaged(what) => write!(f, "is damaged at its {what}"),
            Self::NoFrame(frame) => write!(f, "has no frame {frame}"),
            Self::TooLarge => write!(f, "has more than {MAX_MODEL_TRIANGLES} triangles"),
        }
    }
}

impl std::error::Error for ModelError {}

/// Reads a model file; its format is known by its ending.
///
/// # Errors
/// What is wrong with it. Nothing that a file can hold makes this panic, and what it allocates is a small multiple of the file.
pub fn read(path: &str, bytes: &[u8], frame: usize) -> Result<Vec<Part>, ModelError> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    let parts = match ending.as_str() {
        "md3" => md3::read(bytes, frame)?,
        "ase" => ase::read(bytes)?,
        _ => return Err(ModelError::Format),
    };
    if parts.iter().map(|part| part.triangles.len()).sum::<usize>() > MAX_MODEL_TRIANGLES {
        return Err(ModelError::TooLarge);
    }
    Ok(parts)
}

/// The material of a part by the name that the modeller's program wrote: no ending, slashes, from `models/` or `textures/` on.
fn material_name(written: &str) -> String {
    let mut name = written.trim().replace('\\', "/");
    let lower = name.to_ascii_lowercase();
    if let Some(at) = ["models/", "textures/"].iter().filter_map(|folder| lower.find(folder)).min() {
        name.drain(..at);
    }
    for ending in [".tga", ".jpg", ".jpeg", ".png"] {
        if name.to_ascii_lowercase().ends_with(ending) {
            name.truncate(name.len() - ending.len());
        }
    }
    name
}

/// Cuts what is too large for one surface, triangle after triangle.
pub fn in_surfaces(material: MaterialNum, vertices: &[Vertex], triangles: &[[u32; 3]]) -> Vec<Mesh> {
    let mut meshes = Vec::new();
    let mut mesh = Mesh { material, vertices: Vec::new(), triangles: Vec::new() };
    let mut numbers = vec![None; vertices.len()];
    for triangle in triangles {
        let fresh = triangle.iter().filter(|&&corner| numbers[corner as usize].is_none()).count();
        if mesh.vertices.len() + fresh > MAX_CORNERS || mesh.triangles.len() == MAX_TRIANGLES {
            let empty = Mesh { material, vertices: Vec::new(), triangles: Vec::new() };
            meshes.push(std::mem::replace(&mut mesh, empty));
            numbers.fill(None);
        }
        let corners = triangle.map(|corner| {
            *numbers[corner as usize].get_or_insert_with(|| {
                mesh.vertices.push(vertices[corner as usize]);
                mesh.vertices.len() as u32 - 1
            })
        });
        mesh.triangles.push(corners);
    }
    if !mesh.triangles.is_empty() {
        meshes.push(mesh);
    }
    meshes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Materials;
    use crate::search_path::SearchPath;

    #[test]
    fn names_of_materials_begin_at_the_games_folder() {
        let check = |written, wanted| assert_eq!(material_name(written), wanted);
        check("models/mapobjects/torch/torch.JPG", "models/mapobjects/torch/torch");
        check("C:\\Games\\baseoa\\Textures\\e7\\wall.tga", "Textures/e7/wall");
        check("..\\textures\\common\\caulk.tga", "textures/common/caulk");
        check("noshader", "noshader");
    }

    #[test]
    fn a_large_part_becomes_several_surfaces_with_the_same_triangles() {
        let count = 3 * 700;
        let vertices: Vec<Vertex> = (0..count)
            .map(|at| Vertex {
                position: DVec3 { x: f64::from(at), y: 0.0, z: 0.0 },
                normal: DVec3::axis(2),
                texture: [0.0; 2],
            })
            .collect();
        let triangles: Vec<[u32; 3]> = (0..700).map(|at| [3 * at, 3 * at + 2, 3 * at + 1]).collect();
        let material = Materials::new(SearchPath::empty()).of_face("a");
        let meshes = in_surfaces(material, &vertices, &triangles);
        assert!(meshes.len() == 3 && meshes.iter().all(|mesh| mesh.vertices.len() <= MAX_CORNERS));
        let back: Vec<[u32; 3]> = meshes
            .iter()
            .flat_map(|mesh| {
                mesh.triangles
                    .iter()
                    .map(|corners| corners.map(|corner| mesh.vertices[corner as usize].position.x as u32))
            })
            .collect();
        assert_eq!(back, triangles);
    }

    #[test]
    fn formats_that_are_not_read_are_said_so() {
        assert_eq!(read("models/a.obj", b"v 0 0 0", 0), Err(ModelError::Format));
        assert!(read("models/a.md3", b"IDP2", 0).is_err());
    }
}
