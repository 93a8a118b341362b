//! Vis held against hand-made scenes, which always run, and against portal files of real maps, which run where they are present:
//! in the folder that `FOGLINE_MAPS` names, or in `../shared/maps` beside the workspace.
#![allow(clippy::disallowed_methods, reason = "the oracle files are read here")]

use flate2::read::GzDecoder;
use fogline_maps::prt::{Point, PortalFile, Shape};
use fogline_maps::vis::rays::{self, RayPlan};
use fogline_maps::vis::{self, Counters, Level, PortalGraph, VisTable};
use proptest::prelude::*;
use std::io::Read;
use std::path::PathBuf;

type Opening = ([u32; 2], Vec<Point>);

/// An upright rectangle across x, from y0 to y1, 64 high; it leads towards greater x.
fn across_x(clusters: [u32; 2], x: f64, y0: f64, y1: f64) -> Opening {
    (clusters, vec![[x, y0, 0.0], [x, y1, 0.0], [x, y1, 64.0], [x, y0, 64.0]])
}

/// An upright rectangle across y, from x0 to x1, 64 high; it leads towards greater y.
fn across_y(clusters: [u32; 2], y: f64, x0: f64, x1: f64) -> Opening {
    (clusters, vec![[x1, y, 0.0], [x0, y, 0.0], [x0, y, 64.0], [x1, y, 64.0]])
}

fn graph_of(clusters: u32, openings: &[Opening]) -> PortalGraph {
    PortalGraph::new(clusters, openings.iter().map(|(c, w)| (*c, w.as_slice()))).expect("a sound scene")
}

fn compute(graph: &PortalGraph, level: Level) -> (VisTable, Counters) {
    vis::compute(graph, level, &mut |_| {})
}

/// Computes all levels; each must hold what the next holds, and what rays prove. Answers the last.
fn sound_table(graph: &PortalGraph) -> VisTable {
    let tables = [Level::Fast, Level::Medium, Level::Full].map(|level| compute(graph, level).0);
    for pair in tables.windows(2) {
        assert!(lacking(&pair[0], &pair[1]).is_empty());
    }
    let [_, _, full] = tables;
    assert!(full.is_symmetric());
    let report = rays::check(graph, &full, &RayPlan { rays: 50_000, seed: 7, clearance: 0.0 });
    assert_eq!(report.holes, []);
    full
}

/// Pairs that `all` lacks and `some` has.
fn lacking(all: &VisTable, some: &VisTable) -> Vec<[usize; 2]> {
    let count = some.cluster_count();
    (0..count)
        .flat_map(|a| (0..count).map(move |b| [a, b]))
        .filter(|&[a, b]| some.sees(a, b) && !all.sees(a, b))
        .collect()
}

#[test]
fn corner_hides_the_far_end_of_the_next_corridor() {
    let graph = graph_of(
        5,
        &[
            across_x([0, 1], 0.0, 0.0, 64.0),
            across_x([1, 2], 512.0, 0.0, 64.0),
            across_y([2, 3], 64.0, 512.0, 576.0),
            across_y([3, 4], 512.0, 512.0, 576.0),
        ],
    );
    assert!(compute(&graph, Level::Fast).0.sees(0, 4), "the base bound does not look round corners");
    let table = sound_table(&graph);
    assert!(table.sees(0, 3));
    assert!(!table.sees(0, 4));
}

#[test]
fn no_line_comes_back_through_the_wall_it_left_by() {
    let graph = graph_of(
        4,
        &[
            across_x([0, 1], 0.0, 0.0, 64.0),
            across_y([1, 2], 64.0, 0.0, 64.0),
            across_x([3, 2], 0.0, 64.0, 128.0),
        ],
    );
    assert!(!compute(&graph, Level::Fast).0.sees(0, 3));
    sound_table(&graph);
}

#[test]
fn window_shows_what_its_cone_meets_and_nothing_beside_it() {
    let graph = graph_of(
        5,
        &[
            across_x([0, 1], 0.0, 0.0, 64.0),
            across_x([1, 2], 64.0, 24.0, 40.0),
            across_y([2, 3], 200.0, 256.0, 512.0),
            across_y([2, 4], 200.0, 64.0, 256.0),
        ],
    );
    let table = sound_table(&graph);
    assert!(table.sees(0, 3));
    assert!(!table.sees(0, 4));
    assert!(table.sees(1, 4));
}

#[test]
fn thin_wedges_lose_no_sight_line() {
    for thickness in [1.0, 0.1, 0.05, 0.01, 0.002, 0.0005] {
        let slanted = vec![
            [thickness / 64.0, 1.0, 0.0],
            [thickness, 64.0, 0.0],
            [thickness, 64.0, 64.0],
            [thickness / 64.0, 1.0, 64.0],
        ];
        let graph = graph_of(
            5,
            &[
                across_x([0, 1], -256.0, 0.0, 64.0),
                across_x([1, 2], 0.0, 1.0, 64.0),
                ([2, 3], slanted),
                across_x([3, 4], 256.0, 0.0, 64.0),
            ],
        );
        let table = sound_table(&graph);
        assert_eq!(table.count(), 25, "a wedge of {thickness} units");
    }
}

#[test]
fn empty_and_closed_maps_have_an_answer() {
    assert_eq!(sound_table(&graph_of(0, &[])).count(), 0);
    assert_eq!(sound_table(&graph_of(3, &[])).count(), 3);
}

#[test]
fn corridor_longer_than_a_chain_keeps_all_that_it_may_see() {
    // Too narrow for the rays that would prove it all beforehand.
    let openings: Vec<Opening> =
        (0..300).map(|i| across_x([i, i + 1], f64::from(i) * 16.0, 0.0, 0.03)).collect();
    let (table, counters) = compute(&graph_of(301, &openings), Level::Full);
    assert_eq!(table.count(), 301 * 301);
    assert!(counters.chains_cut > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any bytes behind a sound head, and any damage to a sound file, give a table or a sentence.
    #[test]
    fn damaged_portal_files_never_panic(at in 0usize..400, bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
        let mut text = String::from("PRT1\n4\n3\n0\n");
        for i in 0..3 {
            text += &format!("4 {i} {} 0 ({i} 0 0 ) ({i} 64 0 ) ({i} 64 64 ) ({i} 0 64 ) \n", i + 1);
        }
        let mut file = text.into_bytes();
        let at = at.min(file.len());
        file.splice(at..(at + bytes.len()).min(file.len()), bytes.iter().copied());
        if let Ok(parsed) = PortalFile::parse(&file) {
            if let Ok(graph) = PortalGraph::from_file(&parsed) {
                prop_assert!(compute(&graph, Level::Full).0.is_symmetric());
            }
            prop_assert!(PortalFile::parse(parsed.emit(Shape::Quake3).as_bytes()).is_ok());
        }
    }
}

/// The folder of real portal files, if it is there.
fn maps_folder() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/maps");
    let folder = std::env::var_os("FOGLINE_MAPS").map_or_else(beside, PathBuf::from);
    folder.join("prt").is_dir().then_some(folder)
}

fn unpacked(path: &str) -> Option<Vec<u8>> {
    let file = std::fs::File::open(maps_folder()?.join(path)).ok()?;
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("a whole gzip file");
    Some(bytes)
}

fn oracle(map: &str, kind: &str) -> Option<VisTable> {
    unpacked(&format!("oracle/{map}.{kind}.bin.gz"))
        .map(|lump| VisTable::from_lump(&lump).expect("an oracle"))
}

/// Holds one real map against its oracles.
fn check_map(map: &str) {
    let Some(bytes) = unpacked(&format!("prt/{map}.prt.gz")) else {
        eprintln!(
            "skipped: no portal file of {map}; set FOGLINE_MAPS to the folder that holds prt/ and oracle/"
        );
        return;
    };
    let file = PortalFile::parse(&bytes).expect("a portal file of q3map2");
    let graph = PortalGraph::from_file(&file).expect("a sound graph");
    let run = |threads, level| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| compute(&graph, level))
    };
    let (full, work) = run(1, Level::Full);
    let (again, work_again) = run(2, Level::Full);
    assert_eq!(full.to_lump(), again.to_lump(), "{map}: threads show");
    assert_eq!(work, work_again, "{map}: threads show in the work");
    assert!(full.is_symmetric(), "{map}");
    let (medium, some_work) = run(2, Level::Medium);
    assert_eq!(lacking(&medium, &full), Vec::<[usize; 2]>::new(), "{map}: medium lacks pairs");
    // Medium is the beginning of the full run, so it cannot be slower.
    assert!(some_work.chains <= work.chains && some_work.targets <= work.targets, "{map}: {some_work:?}");
    let rays = oracle(map, "rays");
    if let Some(rays) = &rays {
        assert_eq!(lacking(&full, rays), Vec::<[usize; 2]>::new(), "{map}: pairs proved by rays");
    }
    if let Some(peer) = oracle(map, "full1") {
        let ratio = full.count() as f64 / peer.count() as f64;
        println!("{map}: {} pairs, {ratio:.4} of the peer's, {work:?}", full.count());
        assert!(ratio <= 1.01, "{map}: {ratio:.4} of the peer's bits");
    }
    if let Some(fast) = oracle(map, "fast") {
        let proved = |&[a, b]: &[usize; 2]| rays.as_ref().is_some_and(|r| r.sees(a, b));
        let beyond = lacking(&fast, &full).iter().filter(|pair| !proved(pair)).count() as u64;
        println!("{map}: {beyond} pairs beyond the peer's base bound and the rays");
        // The peer's base bound drops what stands less than 0.1 units in front; such wedges can be seen through.
        assert!(beyond * 4000 <= full.count(), "{map}: {beyond} pairs beyond the base bound and the rays");
    }
    let report = rays::check(&graph, &full, &RayPlan { rays: 300_000, seed: 3, clearance: 0.02 });
    assert_eq!(report.holes, [], "{map}");
    check_lines(map, &full);
}

/// Lines that are known to be open although a peer drops them: all clusters on their way see each other.
fn check_lines(map: &str, table: &VisTable) {
    for peer in ["q3map2", "any"] {
        let Some(path) = maps_folder().map(|folder| folder.join(format!("oracle/{map}.{peer}_missed.txt")))
        else {
            return;
        };
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        for line in text.lines() {
            let Some((_, path)) = line.split_once(" path ") else { continue };
            let path: Vec<usize> = path.split_whitespace().map(|c| c.parse().expect("a cluster")).collect();
            for (&a, &b) in path.iter().flat_map(|a| path.iter().map(move |b| (a, b))) {
                assert!(table.sees(a, b), "{map}: {a} and {b} on the line {line}");
            }
        }
    }
}

#[test]
fn am_galmevish_is_between_its_oracles() {
    check_map("am_galmevish");
}

#[test]
fn oa_dm1_is_between_its_oracles() {
    check_map("oa_dm1");
}

#[test]
fn ctf_gate1_is_between_its_oracles() {
    check_map("ctf_gate1");
}

#[test]
fn kaos_is_between_its_oracles() {
    check_map("kaos");
}

#[test]
fn czest3ctf_is_between_its_oracles() {
    check_map("czest3ctf");
}

#[test]
#[ignore = "20 CPU seconds; cargo test --release -p fogline-maps --test vis -- --ignored"]
fn oa_koth1_is_between_its_oracles() {
    check_map("oa_koth1");
}

#[test]
#[ignore = "60 CPU seconds; cargo test --release -p fogline-maps --test vis -- --ignored"]
fn pul1ctf_is_between_its_oracles() {
    check_map("pul1ctf");
}

#[test]
#[ignore = "minutes of CPU; cargo test --release -p fogline-maps --test vis -- --ignored"]
fn oacmpdm10_is_between_its_oracles() {
    check_map("oacmpdm10");
}
