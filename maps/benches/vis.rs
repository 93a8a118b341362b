//! Base and full vis on portal files of rising size, read from the folder that `FOGLINE_MAPS` names or from `../shared/maps`;
//! without them, on a grid of rooms made here.
#![allow(
    clippy::disallowed_methods,
    missing_docs,
    reason = "the portal files are read here; criterion makes its own items"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use flate2::read::GzDecoder;
use fogline_maps::prt::{Point, PortalFile};
use fogline_maps::vis::{self, Level, PortalGraph};
use std::io::Read;
use std::path::PathBuf;

fn real_map(map: &str) -> Option<PortalGraph> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/maps");
    let folder = std::env::var_os("FOGLINE_MAPS").map_or_else(beside, PathBuf::from);
    let mut bytes = Vec::new();
    let file = std::fs::File::open(folder.join(format!("prt/{map}.prt.gz"))).ok()?;
    GzDecoder::new(file).read_to_end(&mut bytes).ok()?;
    PortalGraph::from_file(&PortalFile::parse(&bytes).ok()?).ok()
}

/// Rooms of 256 units in a square, joined by doors that stand a little off the middle, so that rows see a part of each other.
fn rooms(side: u32) -> PortalGraph {
    let mut openings: Vec<([u32; 2], Vec<Point>)> = Vec::new();
    let room = |x: u32, y: u32| y * side + x;
    for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
        let (left, low) = (f64::from(x) * 256.0, f64::from(y) * 256.0);
        let door = 64.0 + f64::from((x * 7 + y * 13) % 5) * 16.0;
        if x + 1 < side {
            let (at, a, b) = (left + 256.0, low + door, low + door + 64.0);
            let winding = vec![[at, a, 0.0], [at, b, 0.0], [at, b, 112.0], [at, a, 112.0]];
            openings.push(([room(x, y), room(x + 1, y)], winding));
        }
        if y + 1 < side {
            let (at, a, b) = (low + 256.0, left + door, left + door + 64.0);
            let winding = vec![[b, at, 0.0], [a, at, 0.0], [a, at, 112.0], [b, at, 112.0]];
            openings.push(([room(x, y), room(x, y + 1)], winding));
        }
    }
    PortalGraph::new(side * side, openings.iter().map(|(c, w)| (*c, w.as_slice()))).expect("rooms")
}

fn bench(c: &mut Criterion) {
    let mut scenes = vec![("rooms_16x16", Some(rooms(16)))];
    scenes.extend(["oa_dm1", "ctf_gate1", "kaos"].map(|map| (map, real_map(map))));
    let mut group = c.benchmark_group("vis");
    group.sample_size(10);
    for (name, graph) in &scenes {
        let Some(graph) = graph else {
            eprintln!("skipped: no portal file of {name}");
            continue;
        };
        for (level, text) in [(Level::Fast, "base"), (Level::Full, "full")] {
            group.bench_function(format!("{text}/{name}"), |b| {
                b.iter(|| vis::compute(graph, level, &mut |_| {}));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
