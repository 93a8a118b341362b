//! Small maps, one effect each, and the questions that stand in them.
//!
//! A line `// ? sees 0 0 32 | 512 0 32 = yes` in a map of `tests/maps` asks the compiled map something; the words are those of
//! `ask` below. Points are three numbers, two of them are parted by a bar.
#![allow(clippy::disallowed_methods, reason = "reads the maps of the repository")]

use fogline_common::bsp::{Bsp, Surface, SurfaceKind};
use fogline_common::collision::{AreaPortals, ClipMap};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::{contents, mask, surface};
use fogline_common::trace::TraceRequest;
use fogline_maps::build::{Built, Options, build};
use fogline_maps::diagnostics::Diagnostic;
use fogline_maps::map_file::MapFile;
use fogline_maps::material::Materials;
use fogline_maps::search_path::SearchPath;
use fogline_maps::texture;
use fogline_maps::vis::Level;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/maps")
}

fn compile(text: &[u8], level: Level) -> (Built, Vec<Diagnostic>) {
    let map = MapFile::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut said = Vec::new();
    let options = Options { vis: Some(level), light: true, ..Options::default() };
    let built = build(&map, Materials::new(SearchPath::empty()), &options, &mut said, &mut |_| {});
    (built, said)
}

struct Asked {
    built: Built,
    said: Vec<Diagnostic>,
    bsp: Option<(Bsp, ClipMap)>,
}

impl Asked {
    fn clip(&self) -> &ClipMap {
        &self.bsp.as_ref().expect("the question needs a compiled map").1
    }

    fn bsp(&self) -> &Bsp {
        &self.bsp.as_ref().expect("the question needs a compiled map").0
    }

    /// The answer to a question.
    fn ask(&self, question: &str) -> String {
        let (word, rest) = question.split_once(' ').unwrap_or((question, ""));
        let yes = |answer: bool| if answer { "yes" } else { "no" }.to_owned();
        match word {
            "leaks" => yes(self.built.leak.is_some()),
            "clusters" => self.built.counts.clusters.to_string(),
            "areas" => self.built.counts.areas.to_string(),
            "models" => self.bsp().models.len().to_string(),
            "patches" => {
                self.bsp().surfaces.iter().filter(|one| one.kind == SurfaceKind::Patch).count().to_string()
            }
            "drawn-patches" => {
                let drawn = |one: &&Surface| {
                    let shader = self.bsp().shaders[one.shader as usize];
                    one.kind == SurfaceKind::Patch && shader.surface_flags & surface::NODRAW == 0
                };
                self.bsp().surfaces.iter().filter(drawn).count().to_string()
            }
            "meshes" => self.meshes().count().to_string(),
            "mesh-corners" => self.meshes().map(|one| one.verts.count).sum::<u32>().to_string(),
            "mesh-corner" => {
                let corners = self.meshes().flat_map(|one| &self.bsp().draw_verts[one.verts.range()]);
                yes(corners.map(|vert| vert.position.distance(point(rest))).any(|off| off < 0.01))
            }
            "texture" => self.texture_at(pair(rest)),
            "contents" => spell_contents(self.clip().contents_at(point(rest))),
            "model-contents" => {
                let (model, place) = rest.split_once(' ').expect("a model and a point");
                let model = model.parse().expect("a model");
                spell_contents(self.clip().model_contents_at(model, Vec3::ZERO, Vec3::ZERO, point(place)))
            }
            "cluster" => {
                let clip = self.clip();
                clip.leaf_cluster(clip.leaf_at(point(rest)))
                    .map_or("none".to_owned(), |one| one.index().to_string())
            }
            "sees" => yes(self.sees(pair(rest))
                && self.sees({
                    let (a, b) = pair(rest);
                    (b, a)
                })),
            "connected" => {
                let (clip, (a, b)) = (self.clip(), pair(rest));
                let area = |place: Vec3| clip.leaf_area(clip.leaf_at(place)).expect("a point in the open");
                yes(AreaPortals::new(clip.area_count()).connected(area(a), area(b)))
            }
            "stops" => {
                let (a, b) = pair(rest);
                yes(self.clip().trace(&TraceRequest::ray(a, b, mask::SHOT, None)).fraction < 1.0)
            }
            "blocks" => {
                let (a, b) = pair(rest);
                let player = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
                let sweep = TraceRequest::sweep(a, b, player, mask::PLAYERSOLID, None);
                yes(self.clip().trace(&sweep).fraction < 1.0)
            }
            "lights-models" => yes(model_light(self.bsp(), point(rest)) > 0.0),
            "key" => {
                let (entity, key) = rest.split_once(' ').expect("an entity and a key");
                let text = self.bsp().entity_text();
                let map = MapFile::parse(text.as_bytes()).expect("entities parse as a map does");
                let entity = &map.entities[entity.parse::<usize>().expect("a number")];
                entity.value(key).unwrap_or("none").to_owned()
            }
            other => panic!("`{other}` is no question"),
        }
    }

    fn meshes(&self) -> impl Iterator<Item = &Surface> {
        self.bsp().surfaces.iter().filter(|surface| surface.kind == SurfaceKind::Triangles)
    }

    /// Texture coordinates at a point of a face that faces that way, in pixels of a picture of 64 by 64, without whole pictures.
    fn texture_at(&self, (place, normal): (Vec3, Vec3)) -> String {
        let faces = self.bsp().surfaces.iter().filter(|one| one.lightmap_vectors[2].distance(normal) < 1e-3);
        let found: Vec<[f32; 2]> = faces.filter_map(|face| texture::at(self.bsp(), face, place)).collect();
        let [first, ..] = found[..] else { return "nothing".to_owned() };
        first.map(|part| (part * 64.0).round().rem_euclid(64.0).to_string()).join(" ")
    }

    fn sees(&self, (a, b): (Vec3, Vec3)) -> bool {
        let clip = self.clip();
        let cluster = |place: Vec3| clip.leaf_cluster(clip.leaf_at(place)).expect("a point in the open");
        clip.pvs(Some(cluster(a)))[cluster(b).index()]
    }

    /// Light of the corner of a floor.
    fn light_at(&self, place: Vec3) -> u8 {
        let up = vec3(0.0, 0.0, 1.0);
        let corners = self.bsp().draw_verts.iter().filter(|vert| vert.position == place && vert.normal == up);
        corners.map(|vert| vert.color[0]).max().expect("a corner of the floor")
    }

    /// Statements without an answer: they hold or not.
    fn holds(&self, statement: &str) -> bool {
        let (word, rest) = statement.split_once(' ').unwrap_or((statement, ""));
        match word {
            "says" => self.said.iter().any(|one| one.code == rest),
            "grid" => self.bsp().light_grid.chunks_exact(8).any(|cell| cell[3] > 0),
            "leak-from" => self.built.leak.as_ref().is_some_and(|leak| leak.entity.class == rest),
            "hole" => {
                let place = point(rest);
                let hole = self.built.leak.as_ref().expect("a leak").hole.to_f32();
                hole.distance(place) < 16.0
            }
            "light" => {
                let (one, other) = rest.split_once(" > light ").expect("two corners");
                self.light_at(point(one)) > self.light_at(point(other))
            }
            "light-map" => {
                let (one, other) = rest.split_once(" > light-map ").expect("two places");
                light_map_at(self.bsp(), point(one)) > light_map_at(self.bsp(), point(other))
            }
            other => panic!("`{other}` is no statement"),
        }
    }
}

/// Light of a model, mixed of the eight corners around it as the client does, black ones passed over. Zero: it is drawn black.
fn model_light(bsp: &Bsp, place: Vec3) -> f32 {
    const CELL: [f32; 3] = [64.0, 64.0, 128.0];
    let around = bsp.models[0].bounds;
    let first = [0, 1, 2].map(|axis| CELL[axis] * (around.mins[axis] / CELL[axis]).ceil());
    let count = [0, 1, 2].map(|axis| {
        ((CELL[axis] * (around.maxs[axis] / CELL[axis]).floor() - first[axis]) / CELL[axis]) as usize + 1
    });
    let at = [0, 1, 2].map(|axis| (place[axis] - first[axis]) / CELL[axis]);
    let (mut sum, mut total) = (0.0, 0.0);
    for corner in 0..8_usize {
        let mut weight = 1.0;
        let step = [0, 1, 2].map(|axis| {
            let part = at[axis].rem_euclid(1.0);
            weight *= if corner >> axis & 1 == 1 { part } else { 1.0 - part };
            (at[axis].floor().max(0.0) as usize + (corner >> axis & 1)).min(count[axis] - 1)
        });
        let number = step[0] + (step[1] + step[2] * count[1]) * count[0];
        let cell = &bsp.light_grid[number * 8..][..6];
        if cell[..3].iter().any(|&part| part > 0) {
            total += weight;
            sum += weight * cell.iter().map(|&part| f32::from(part)).sum::<f32>();
        }
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Red of the light map at a place of a floor.
fn light_map_at(bsp: &Bsp, place: Vec3) -> u8 {
    const PAGE: f32 = 128.0;
    let floors = bsp.surfaces.iter().filter(|one| one.lightmap >= 0 && one.lightmap_vectors[2].z > 0.9);
    let found = floors.flat_map(|one| {
        let verts = &bsp.draw_verts[one.verts.range()];
        let holds = |[a, b, c]: [Vec3; 3]| {
            let side = |p: Vec3, q: Vec3| (q - p).cross(place - p).z <= 1e-3;
            (a.z - place.z).abs() < 0.1 && side(a, b) && side(b, c) && side(c, a)
        };
        bsp.draw_indexes[one.indexes.range()].chunks_exact(3).filter_map(move |corners| {
            let corners = [0, 1, 2].map(|at| &verts[corners[at] as usize]);
            let [a, b, c] = corners.map(|vert| vert.position);
            let area = |p: Vec3, q: Vec3, r: Vec3| (q - p).cross(r - p).z;
            let whole = area(a, b, c);
            holds([a, b, c]).then(|| {
                let weights =
                    [area(place, b, c), area(a, place, c), area(a, b, place)].map(|part| part / whole);
                let at = [0, 1].map(|way| {
                    (0..3).map(|corner| corners[corner].lightmap[way] * weights[corner]).sum::<f32>() * PAGE
                });
                let luxel = (at[1] as usize * PAGE as usize + at[0] as usize) * 3;
                bsp.lightmaps[one.lightmap as usize * (PAGE * PAGE) as usize * 3 + luxel]
            })
        })
    });
    found.max().unwrap_or_else(|| panic!("no floor with a light map at {place:?}"))
}

fn point(text: &str) -> Vec3 {
    let parts: Vec<f32> = text.split_whitespace().map(|part| part.parse().expect("a number")).collect();
    let [x, y, z] = parts[..] else { panic!("a point has three numbers: {text}") };
    vec3(x, y, z)
}

fn pair(text: &str) -> (Vec3, Vec3) {
    let (a, b) = text.split_once('|').expect("two points");
    (point(a), point(b))
}

fn spell_contents(bits: i32) -> String {
    let names = [(contents::SOLID, "solid"), (contents::WATER, "water"), (contents::PLAYERCLIP, "clip")];
    let found: Vec<&str> = names.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name).collect();
    if found.is_empty() { "empty".to_owned() } else { found.join("+") }
}

fn small_maps() -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder of small maps")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "map"));
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).expect("a small map"))).collect()
}

#[test]
fn every_small_map_answers_its_questions() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for (name, text) in small_maps() {
        let (built, said) = compile(&text, Level::Full);
        let bsp = built.bsp.clone().map(|bsp| {
            let clip = ClipMap::build(&bsp).unwrap_or_else(|e| panic!("{name}: {e}"));
            (bsp, clip)
        });
        let asked_of = Asked { built, said, bsp };
        let source = String::from_utf8(text).expect("small maps are plain text");
        for question in source.lines().filter_map(|line| line.strip_prefix("// ? ")) {
            asked += 1;
            match question.split_once(" = ") {
                Some((question, wanted)) => {
                    let answer = asked_of.ask(question);
                    if answer != wanted {
                        wrong.push(format!("{name}: {question} = {answer}, wanted {wanted}"));
                    }
                }
                None if !asked_of.holds(question) => wrong.push(format!("{name}: {question} does not hold")),
                None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(asked > 80, "only {asked} questions were found");
}

#[test]
fn the_same_map_gives_the_same_bytes_and_the_reader_takes_them() {
    for (name, text) in small_maps() {
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| compile(&text, Level::Full).0.bsp.map(|bsp| bsp.emit()))
        };
        let first = bytes(1);
        assert_eq!(first, bytes(3), "{name}");
        if let Some(first) = first {
            let read = Bsp::parse(&first).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(read.emit(), first, "{name}");
        }
    }
}

#[test]
fn no_ray_finds_a_hole_in_the_pvs_of_a_small_map() {
    for (name, text) in small_maps() {
        let Some(bsp) = compile(&text, Level::Full).0.bsp else { continue };
        let report = fogline_maps::check::check(&bsp, 20_000, 7).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(report.hole_count, 0, "{name}, seed 7: {:?}", report.holes);
        assert!(report.proved > 0, "{name}");
    }
}

#[test]
fn no_model_in_the_open_of_a_lit_map_is_black() {
    let mut asked = 0;
    for (name, text) in small_maps() {
        let Some(bsp) = compile(&text, Level::Fast).0.bsp.filter(|bsp| !bsp.light_grid.is_empty()) else {
            continue;
        };
        let clip = ClipMap::build(&bsp).unwrap_or_else(|e| panic!("{name}: {e}"));
        let around = bsp.models[0].bounds;
        let item = Bounds::new(vec3(-15.0, -15.0, -15.0), vec3(15.0, 15.0, 15.0));
        let steps = |axis: usize| {
            (around.mins[axis] as i32 + 20..around.maxs[axis] as i32 - 20).step_by(36).map(|at| at as f32)
        };
        for place in steps(0)
            .flat_map(|x| steps(1).map(move |y| (x, y)))
            .flat_map(|(x, y)| steps(2).map(move |z| vec3(x, y, z)))
        {
            let stands = clip.trace(&TraceRequest::sweep(place, place, item, mask::PLAYERSOLID, None));
            if !stands.start_solid && clip.leaf_cluster(clip.leaf_at(place)).is_some() {
                asked += 1;
                assert!(model_light(&bsp, place) > 0.0, "{name}: an item at {place:?} is black");
            }
        }
    }
    assert!(asked > 500, "only {asked} places were open");
}

#[test]
fn a_hole_is_found_where_there_is_one() {
    let text = std::fs::read(folder().join("window.map")).expect("a small map");
    let mut bsp = compile(&text, Level::Full).0.bsp.expect("a compiled map");
    let visibility = bsp.visibility.as_mut().expect("visibility");
    // Every cluster sees itself alone.
    visibility.rows.fill(0);
    for cluster in 0..visibility.cluster_count as usize {
        visibility.rows[cluster * visibility.row_bytes as usize + cluster / 8] |= 1 << (cluster % 8);
    }
    assert!(fogline_maps::check::check(&bsp, 20_000, 7).expect("a sound map").hole_count > 0);
}

#[test]
fn every_drawn_corner_is_clockwise_and_every_brush_has_its_box() {
    for (name, text) in small_maps() {
        let Some(bsp) = compile(&text, Level::Fast).0.bsp else { continue };
        for surface in bsp.surfaces.iter().filter(|surface| surface.kind == SurfaceKind::Planar) {
            let verts = &bsp.draw_verts[surface.verts.range()];
            for corner in bsp.draw_indexes[surface.indexes.range()].chunks_exact(3) {
                let [a, b, c] = [0, 1, 2].map(|at| verts[corner[at] as usize].position);
                let front = (c - a).cross(b - a).dot(surface.lightmap_vectors[2]);
                assert!(front > 0.0, "{name}: a triangle is seen from behind");
            }
        }
        for brush in &bsp.brushes {
            for (place, side) in bsp.brush_sides[brush.sides.range()].iter().take(6).enumerate() {
                let mut normal = Vec3::ZERO;
                normal[place / 2] = if place % 2 == 0 { -1.0 } else { 1.0 };
                assert_eq!(bsp.planes[side.plane as usize].normal, normal, "{name}");
            }
        }
        for pair in bsp.planes.chunks_exact(2) {
            assert!(pair[0].normal == -pair[1].normal && pair[0].dist == -pair[1].dist, "{name}");
        }
    }
}
