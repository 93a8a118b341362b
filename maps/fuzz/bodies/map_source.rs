//! What the fuzz target and the tests do with a map source of unknown quality.

use fogline_common::bsp::Bsp;
use fogline_common::collision::ClipMap;
use fogline_maps::build::{Options, build_scene};
use fogline_maps::diagnostics::{Diagnostic, Severity};
use fogline_maps::map_file::MapFile;
use fogline_maps::material::Materials;
use fogline_maps::scene::Scene;
use fogline_maps::search_path::SearchPath;
use fogline_maps::vis::Level;

/// Larger maps are read but not compiled: a compile of thousands of faces would take the time of thousands of small ones.
const MAX_FACES: usize = 96;
/// Likewise control points of patches.
const MAX_CONTROL_POINTS: usize = 400;
/// Likewise space, which the block grid cuts up. Unit: world units.
const MAX_EDGE: f64 = 8192.0;

/// Reads the bytes and, if they are a small map, compiles it. Never panics, whatever the bytes are.
pub(crate) fn exercise(bytes: &[u8]) {
    let map = match MapFile::parse(bytes) {
        Ok(map) => map,
        Err(wrong) => {
            assert!(wrong.span.start <= bytes.len() && wrong.span.line >= 1, "{wrong}");
            let said = Diagnostic::from(&wrong);
            assert!(said.severity == Severity::Error && !said.message.is_empty() && !said.help.is_empty());
            return;
        }
    };
    check_shape(&map, bytes.len());
    let faces: usize = map.entities.iter().flat_map(|one| &one.brushes).map(|brush| brush.faces.len()).sum();
    let points: usize = map.entities.iter().flat_map(|one| &one.patches).map(|one| one.points.len()).sum();
    if faces > MAX_FACES || points > MAX_CONTROL_POINTS {
        return;
    }
    let mut said = Vec::new();
    let scene = Scene::new(&map, Materials::new(SearchPath::empty()), &mut said);
    let around = scene.world_bounds();
    if around.is_empty() || (0..3).all(|axis| around.maxs[axis] - around.mins[axis] <= MAX_EDGE) {
        compile(&map, scene, said);
    }
}

/// What must be true of every map that was read, and that it is no larger than the text that it came from.
fn check_shape(map: &MapFile, text_bytes: usize) {
    let mut parts = 0;
    for entity in &map.entities {
        let mut numbers: Vec<usize> = entity.brushes.iter().map(|brush| brush.number).collect();
        numbers.extend(entity.patches.iter().map(|patch| patch.number));
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..numbers.len()), "brushes and patches are counted together");
        for patch in &entity.patches {
            assert_eq!(patch.points.len(), patch.size[0] * patch.size[1]);
            parts += patch.points.len();
        }
        for face in entity.brushes.iter().flat_map(|brush| &brush.faces) {
            assert!(face.points.iter().all(|point| point.is_finite()));
            assert!(face.span.start + face.span.len <= text_bytes);
            parts += 1;
        }
        parts += entity.pairs.len();
    }
    assert!(parts <= text_bytes);
}

/// A compile ends with a map that loads, or with an error that says why there is none.
fn compile(map: &MapFile, scene: Scene, mut said: Vec<Diagnostic>) {
    let options = Options { vis: Some(Level::Fast), light: true, leak_test: false };
    let built = build_scene(map, scene, &options, &mut said, &mut |_| {});
    let Some(bsp) = built.bsp else {
        assert!(said.iter().any(|one| one.severity == Severity::Error), "no map and no reason: {said:?}");
        return;
    };
    let file = bsp.emit();
    let again = Bsp::parse(&file).expect("what was compiled can be read");
    ClipMap::build(&again).expect("and be walked on");
}
