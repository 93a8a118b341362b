//! What the fuzz target and the tests do with a model of unknown quality.

use fogline_maps::map_file::Entity;
use fogline_maps::models::{self, Placement};

/// Reads the bytes as each format and, if they are a model, puts it into a map. Never panics, whatever the bytes are.
pub(crate) fn exercise(bytes: &[u8]) {
    let turned = [("angles", "10 20 30"), ("modelscale_vec", "-1 2 0.5"), ("_remap", "*;textures/a")];
    let pairs = turned.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let place = Placement::of_entity(&Entity { pairs, ..Entity::default() });
    for path in ["a.md3", "b.ASE", "c"] {
        for frame in [0, 1] {
            match models::read(path, bytes, frame) {
                Ok(parts) => {
                    for part in &parts {
                        let (vertices, triangles) = place.placed(part);
                        assert_eq!(place.material_of(part), "textures/a");
                        assert!(vertices.iter().all(|one| one.position.is_finite()));
                        let count = vertices.len();
                        assert!(triangles.iter().flatten().all(|&corner| (corner as usize) < count));
                    }
                }
                Err(wrong) => assert!(!wrong.to_string().is_empty()),
            }
        }
    }
}
