//! How long the stages up to the lumps take, on fields of pillars of rising size: the text alone, then all of it.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fogline_maps::build::{Options, build};
use fogline_maps::map_file::MapFile;
use fogline_maps::material::Materials;
use fogline_maps::search_path::SearchPath;
use std::hint::black_box;

/// A box as a map source has it.
fn block([a, b, c]: [i32; 3], [x, y, z]: [i32; 3]) -> String {
    let faces = [
        format!("( {a} {y} {z} ) ( {a} {b} {z} ) ( {a} {b} {c} )"),
        format!("( {x} {y} {z} ) ( {x} {y} {c} ) ( {x} {b} {c} )"),
        format!("( {x} {b} {z} ) ( {x} {b} {c} ) ( {a} {b} {c} )"),
        format!("( {x} {y} {z} ) ( {a} {y} {z} ) ( {a} {y} {c} )"),
        format!("( {x} {y} {c} ) ( {a} {y} {c} ) ( {a} {b} {c} )"),
        format!("( {x} {y} {z} ) ( {x} {b} {z} ) ( {a} {b} {z} )"),
    ];
    format!("{{\n{}}}\n", faces.map(|points| format!("{points} base/wall 0 0 0 1 1 0 0 0\n")).concat())
}

/// A closed hall of `side` times `side` pillars, each of its own size, so that few planes are shared.
fn hall(side: i32) -> String {
    let edge = side * 128;
    let mut brushes = vec![
        block([-16, -16, -16], [edge + 16, edge + 16, 0]),
        block([-16, -16, 256], [edge + 16, edge + 16, 272]),
        block([-16, -16, 0], [0, edge + 16, 256]),
        block([edge, -16, 0], [edge + 16, edge + 16, 256]),
        block([0, -16, 0], [edge, 0, 256]),
        block([0, edge, 0], [edge, edge + 16, 256]),
    ];
    for number in 0..side * side {
        let (x, y) = (number % side * 128 + 48, number / side * 128 + 48);
        let (wide, deep) = (16 + number * 7 % 31, 16 + number * 11 % 29);
        brushes.push(block([x, y, 0], [x + wide, y + deep, 128 + number * 13 % 128]));
    }
    let spawn = "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"16 16 32\" }";
    format!("{{\n\"classname\" \"worldspawn\"\n{}}}\n{spawn}\n", brushes.concat())
}

fn compile(map: &MapFile) -> usize {
    let materials = Materials::new(SearchPath::empty());
    let built = build(map, materials, &Options::default(), &mut Vec::new(), &mut |_| {});
    built.counts.leafs
}

fn stages(c: &mut Criterion) {
    let mut group = c.benchmark_group("build");
    group.sample_size(10);
    for side in [4, 10, 20] {
        let text = hall(side);
        let map = MapFile::parse(text.as_bytes()).expect("a hall");
        assert!(compile(&map) > 1, "the hall does not compile");
        group.bench_function(BenchmarkId::new("read", side * side), |b| {
            b.iter(|| MapFile::parse(black_box(text.as_bytes())));
        });
        group.bench_function(BenchmarkId::new("to lumps", side * side), |b| {
            b.iter(|| compile(black_box(&map)));
        });
    }
    group.finish();
}

criterion_group!(benches, stages);
criterion_main!(benches);
