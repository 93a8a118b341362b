//! What the fuzz target and the tests do with a finished map of unknown quality: all that `fogmap` does with one.

use fogline_common::bsp::{Bsp, Lump};
use fogline_common::collision::ClipMap;
use fogline_maps::compiled::Compiled;
use fogline_maps::vis::{self, Level, PortalGraph, VisTable};
use fogline_maps::{causes, check, lump};

/// Larger maps are opened but not vised.
const MAX_CLUSTERS: u32 = 12;
/// Likewise openings.
const MAX_PORTALS: usize = 48;
/// Rays of the check.
const RAYS: u64 = 200;

/// Reads the bytes and, if they are a map, opens it again. Never panics, whatever the bytes are.
pub(crate) fn exercise(bytes: &[u8]) {
    let bsp = match Bsp::parse(bytes) {
        Ok(bsp) => bsp,
        Err(wrong) => {
            assert!(!wrong.to_string().is_empty());
            return;
        }
    };
    let _ = ClipMap::build(&bsp);
    let compiled = match Compiled::open(&bsp) {
        Ok(compiled) => compiled,
        Err(wrong) => {
            assert!(!wrong.to_string().is_empty());
            return;
        }
    };
    let _ = causes::find(&compiled, &bsp);
    let file = compiled.portal_file();
    if file.cluster_count > MAX_CLUSTERS || file.portals.len() > MAX_PORTALS {
        return;
    }
    let _ = check::check(&bsp, RAYS, 1);
    // A damaged tree may have openings that are none; then there is a sentence.
    let graph = match PortalGraph::from_file(&file) {
        Ok(graph) => graph,
        Err(wrong) => {
            assert!(!wrong.to_string().is_empty());
            return;
        }
    };
    let (table, _) = vis::compute(&graph, Level::Fast, &mut |_| {});
    assert!(table.is_symmetric());
    let lump = table.to_lump();
    assert_eq!(VisTable::from_lump(&lump), Ok(table));
    if let Ok(anew) = lump::replace(bytes, Lump::Visibility, &lump) {
        let _ = Bsp::parse(&anew);
    }
}
