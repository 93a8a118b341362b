//! What the fuzz target and the tests do with a portal file of unknown quality.

use fogline_maps::prt::{PortalFile, Shape};
use fogline_maps::vis::{self, Level, PortalGraph};

/// Larger files are read but not vised: each cluster shoots its lines, and in impossible places they go round and round.
const MAX_CLUSTERS: u32 = 12;
/// Likewise openings.
const MAX_PORTALS: usize = 48;

/// Reads the bytes and, if they are a small portal file, computes its vis. Never panics, whatever the bytes are.
pub(crate) fn exercise(bytes: &[u8]) {
    let file = match PortalFile::parse(bytes) {
        Ok(file) => file,
        Err(wrong) => {
            assert!(wrong.line >= 1 && !wrong.to_string().is_empty());
            return;
        }
    };
    for shape in [Shape::Quake2, Shape::Quake3] {
        let text = file.emit(shape);
        let again = PortalFile::parse(text.as_bytes()).expect("what was written can be read");
        assert_eq!(again.portals.len(), file.portals.len());
        assert_eq!(again.emit(shape), text, "what is read again is written the same");
    }
    if file.cluster_count <= MAX_CLUSTERS && file.portals.len() <= MAX_PORTALS {
        look(&file);
    }
}

/// Each level holds what the next one holds, and all are symmetric.
fn look(file: &PortalFile) {
    let graph = PortalGraph::from_file(file).expect("what is read names clusters that there are");
    let tables =
        [Level::Fast, Level::Medium, Level::Full].map(|level| vis::compute(&graph, level, &mut |_| {}).0);
    for table in &tables {
        assert!(table.is_symmetric());
    }
    let count = graph.cluster_count();
    for pair in tables.windows(2) {
        for a in 0..count {
            assert!(pair[0].sees(a, a), "a cluster sees itself");
            assert!((0..count).all(|b| pair[0].sees(a, b) || !pair[1].sees(a, b)));
        }
    }
}
