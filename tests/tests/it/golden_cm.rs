//! The collision model against recordings of the original: every row of `cm/`, on the maps that they were made on.

use fogline_common::collision::{AreaPortals, ClipMap, trace_box};
use fogline_common::ids::{AreaNum, ClusterNum, LeafNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::trace::{Trace, TraceRequest};
use fogline_tests::fixture::installed_map;
use fogline_tests::golden;
use std::collections::HashMap;

const MAPS: [&str; 3] = ["oa_dm1", "oa_dm5", "aggressor"];

/// Rows of one recorded table, fields by column name.
struct Table {
    name: String,
    columns: HashMap<String, usize>,
    rows: Vec<Vec<String>>,
}

struct Row<'a> {
    table: &'a Table,
    fields: &'a [String],
}

impl Table {
    fn read(map: &str, set: &str) -> Self {
        let name = format!("cm/{map}_{set}.csv.gz");
        let (header, rows) = golden::csv(&name);
        // A map without area portals has none recorded; every other table has rows, or nothing would be tested.
        let may_be_empty = set == "areaportals" || std::env::var_os("FOGLINE_GOLDEN").is_some();
        assert!(may_be_empty || !rows.is_empty(), "{name} is empty");
        Self { columns: header.into_iter().enumerate().map(|(at, name)| (name, at)).collect(), name, rows }
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|fields| Row { table: self, fields })
    }
}

impl Row<'_> {
    fn text(&self, column: &str) -> &str {
        let at = self.table.columns.get(column).unwrap_or_else(|| panic!("{}: no {column}", self.table.name));
        &self.fields[*at]
    }

    fn int(&self, column: &str) -> i32 {
        self.text(column).parse().unwrap_or_else(|e| panic!("{}: {column}: {e}", self.place()))
    }

    fn float(&self, column: &str) -> f32 {
        self.text(column).parse().unwrap_or_else(|e| panic!("{}: {column}: {e}", self.place()))
    }

    fn vec3(&self, prefix: &str) -> Vec3 {
        let part = |axis: &str| self.float(&format!("{prefix}{axis}"));
        Vec3::new(part("x"), part("y"), part("z"))
    }

    fn bounds(&self, prefix: &str) -> Bounds {
        Bounds::new(self.vec3(&format!("{prefix}min")), self.vec3(&format!("{prefix}max")))
    }

    fn place(&self) -> String {
        format!("{} id {}", self.table.name, self.text("id"))
    }

    fn request(&self, capsule: &str) -> TraceRequest {
        TraceRequest {
            start: self.vec3("s"),
            end: self.vec3("e"),
            bounds: self.bounds(""),
            mask: self.int("mask"),
            pass: None,
            capsule: self.int(capsule) != 0,
        }
    }
}

fn each_map(check: impl Fn(&str, &ClipMap)) {
    for map in MAPS {
        let Some(clip) = installed_map(map) else { return };
        check(map, &clip);
    }
}

/// Compares a trace with a row: everything exactly, floats to the last bit, but for the sign of a zero.
fn check_trace(row: &Row<'_>, trace: &Trace, faults: &mut Vec<String>) {
    let end = row.vec3("end");
    let normal = row.vec3("n");
    let wanted = Trace {
        all_solid: row.int("allsolid") != 0,
        start_solid: row.int("startsolid") != 0,
        fraction: row.float("fraction"),
        end,
        plane: fogline_common::math::Plane { normal, dist: row.float("dist") },
        surface_flags: row.int("surfaceFlags"),
        contents: row.int("contents"),
        entity: None,
    };
    if *trace != wanted {
        faults.push(format!("{}:\n  wanted {wanted:?}\n  got    {trace:?}", row.place()));
    }
}

/// Fails with the first few faults and the number of all.
fn report(rows: usize, faults: &[String]) {
    let shown = faults.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} of {rows} rows differ:\n{shown}", faults.len());
}

/// What the original keeps beside a plane: its type (the axis that it faces up, else 3) and which parts of the normal are
/// negative. We make both from the normal where a plane is used.
fn plane_class(normal: Vec3) -> (i32, i32) {
    let parts = normal.to_array();
    let axis = parts.iter().position(|&part| part == 1.0).unwrap_or(3);
    let signs = parts.iter().enumerate().map(|(axis, &part)| i32::from(part < 0.0) << axis).sum();
    (axis as i32, signs)
}

/// Holds for what a brush stopped. A patch leaves these two fields as the brush that was hit before it set them (a defect of the
/// original that nothing reads), so maps with patches are left out.
#[test]
fn golden_cm_plane_types_and_signs_follow_from_the_normal() {
    each_map(|map, clip| {
        let Some(bytes) = golden::bytes(&format!("cm/{map}_meta.json")) else { return };
        let meta: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        if meta["num_collision_patches"] != 0 {
            return;
        }
        let table = Table::read(map, "box");
        let hits = table.rows().filter(|row| row.vec3("n") != Vec3::ZERO);
        for row in hits {
            let normal = clip.trace(&row.request("capsule")).plane.normal;
            assert_eq!(plane_class(normal), (row.int("ptype"), row.int("psignbits")), "{}", row.place());
        }
    });
}

fn check_world_traces(set: &str) {
    each_map(|map, clip| {
        let table = Table::read(map, set);
        let mut faults = Vec::new();
        for row in table.rows() {
            check_trace(&row, &clip.trace(&row.request("capsule")), &mut faults);
        }
        report(table.rows.len(), &faults);
    });
}

#[test]
fn golden_cm_box_traces_through_the_world() {
    check_world_traces("box");
}

#[test]
fn golden_cm_capsule_traces_through_the_world() {
    check_world_traces("capsule");
}

/// `blocked` says of every recorded ray what its trace says.
#[test]
fn golden_cm_rays_are_blocked_exactly_when_a_trace_hits() {
    each_map(|map, clip| {
        let table = Table::read(map, "box");
        for row in table.rows() {
            let (start, end, mask) = (row.vec3("s"), row.vec3("e"), row.int("mask"));
            let hit = clip.trace(&TraceRequest::ray(start, end, mask, None)).hit();
            assert_eq!(clip.blocked(start, end, mask), hit, "{}", row.place());
        }
    });
}

#[test]
fn golden_cm_traces_and_contents_of_inline_models() {
    each_map(|map, clip| {
        let table = Table::read(map, "inline");
        let mut faults = Vec::new();
        for row in table.rows() {
            let (model, origin, angles) = (row.int("model") as usize, row.vec3("org"), row.vec3("ang"));
            let request = row.request("capsule");
            check_trace(&row, &clip.trace_model(model, origin, angles, &request), &mut faults);
            let contents = clip.model_contents_at(model, origin, angles, request.start);
            assert_eq!(contents, row.int("point_contents_at_start"), "{}", row.place());
        }
        report(table.rows.len(), &faults);
    });
}

#[test]
fn golden_cm_traces_through_temporary_boxes() {
    for map in MAPS {
        let table = Table::read(map, "tempbox");
        let mut faults = Vec::new();
        for row in table.rows() {
            assert_eq!(row.int("model_capsule"), 0, "{}: the original has no such model", row.place());
            let request = row.request("trace_capsule");
            let body = fogline_common::proto::contents::BODY;
            let trace = trace_box(&row.bounds("b"), row.vec3("org"), body, &request);
            check_trace(&row, &trace, &mut faults);
        }
        report(table.rows.len(), &faults);
    }
}

#[test]
fn golden_cm_point_contents() {
    each_map(|map, clip| {
        for row in Table::read(map, "contents").rows() {
            let point = Vec3::new(row.float("x"), row.float("y"), row.float("z"));
            assert_eq!(clip.contents_at(point), row.int("contents"), "{}", row.place());
        }
    });
}

/// As the original says it: -1 for none.
fn cluster_of(clip: &ClipMap, leaf: LeafNum) -> i32 {
    clip.leaf_cluster(leaf).map_or(-1, |cluster| cluster.index() as i32)
}

fn area_of(clip: &ClipMap, leaf: LeafNum) -> i32 {
    clip.leaf_area(leaf).map_or(-1, |area| area.index() as i32)
}

#[test]
fn golden_cm_leafs_clusters_and_areas() {
    each_map(|map, clip| {
        for row in Table::read(map, "leaf").rows() {
            let leaf = clip.leaf_at(Vec3::new(row.float("x"), row.float("y"), row.float("z")));
            let found = (leaf.index() as i32, cluster_of(clip, leaf), area_of(clip, leaf));
            assert_eq!(found, (row.int("leafnum"), row.int("cluster"), row.int("area")), "{}", row.place());
        }
    });
}

#[test]
fn golden_cm_pvs_bits_and_areas() {
    each_map(|map, clip| {
        let shut = AreaPortals::new(clip.area_count());
        for row in Table::read(map, "pvs").rows() {
            let (a, b) = (clip.leaf_at(row.vec3("a")), clip.leaf_at(row.vec3("b")));
            let found = (cluster_of(clip, a), cluster_of(clip, b), area_of(clip, a), area_of(clip, b));
            let wanted = (row.int("cluster_a"), row.int("cluster_b"), row.int("area_a"), row.int("area_b"));
            assert_eq!(found, wanted, "{}", row.place());
            let sees = clip.leaf_cluster(b).is_some_and(|b| clip.pvs(clip.leaf_cluster(a))[b.index()]);
            assert_eq!(i32::from(sees), row.int("pvs"), "{}", row.place());
            let areas = clip.leaf_area(a).zip(clip.leaf_area(b));
            let connected = areas.is_some_and(|(a, b)| shut.connected(a, b));
            assert_eq!(i32::from(connected), row.int("areas_connected_initial"), "{}", row.place());
        }
    });
}

#[test]
fn golden_cm_leafs_in_boxes() {
    /// The limit that the recording was made with.
    const LIMIT: usize = 128;
    each_map(|map, clip| {
        let mut list = Vec::new();
        for row in Table::read(map, "boxleafs").rows() {
            let last = clip.leafs_in_box(&row.bounds(""), LIMIT, &mut list);
            let wanted: Vec<usize> =
                row.text("leafs").split_whitespace().map(|n| n.parse().unwrap()).collect();
            assert_eq!(list.iter().map(|leaf| leaf.index()).collect::<Vec<_>>(), wanted, "{}", row.place());
            assert_eq!(list.len() as i32, row.int("count"), "{}", row.place());
            // Where no leaf has a cluster the original says 0.
            assert_eq!(last.map_or(0, LeafNum::index) as i32, row.int("last_leaf"), "{}", row.place());
        }
    });
}

#[test]
fn golden_cm_area_portals() {
    each_map(|map, clip| {
        let mut portals = AreaPortals::new(clip.area_count());
        let areas: Vec<AreaNum> = (0..clip.area_count() as u32).map(AreaNum::new).collect();
        for row in Table::read(map, "areaportals").rows() {
            if row.text("op") == "adjust" {
                let (a, b) = (row.int("a") as usize, row.int("b") as usize);
                portals.adjust(areas[a], areas[b], row.int("open") != 0);
            }
            let connected =
                |a| areas.iter().map(|&b| if portals.connected(a, b) { '1' } else { '0' }).collect();
            let matrix: Vec<String> = areas.iter().map(|&a| connected(a)).collect();
            assert_eq!(matrix.join(" "), row.text("connected_matrix_rows"), "{}", row.place());
            let used = clip.area_count().div_ceil(8);
            let viewers = std::iter::once(None).chain(areas.iter().copied().map(Some));
            for (viewer, wanted) in viewers.zip(row.text("areabits_hex_per_area(-1 first)").split(' ')) {
                let mask = portals.visible_mask(viewer);
                // From no area the original sets whole bytes, recorded as far as there are areas.
                assert_eq!(mask[..used], golden::unhex(wanted)[..], "{} {viewer:?}", row.place());
            }
        }
    });
}

#[test]
fn golden_cm_maps_have_the_recorded_sizes_and_checksums() {
    each_map(|map, clip| {
        let Some(bytes) = golden::bytes(&format!("cm/{map}_meta.json")) else { return };
        let meta: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let int = |key: &str| meta[key].as_i64().unwrap_or_else(|| panic!("{map}: {key}"));
        assert_eq!(i64::from(clip.checksum() as i32), int("bsp_checksum"), "{map}");
        assert_eq!(clip.cluster_count() as i64, int("num_clusters"), "{map}");
        assert_eq!(clip.area_count() as i64, int("num_areas"), "{map}");
        assert_eq!(clip.model_count() as i64, int("num_inline_models"), "{map}");
        let models = meta["models"].as_array().unwrap();
        for (number, corners) in models.iter().enumerate() {
            let corner = |which: usize| {
                let part = |axis: usize| corners[which][axis].as_f64().unwrap() as f32;
                Vec3::new(part(0), part(1), part(2))
            };
            let bounds = Bounds::new(corner(0), corner(1));
            assert_eq!(clip.model_bounds(number), Some(bounds), "{map} model {number}");
        }
        let last = ClusterNum::new(u32::MAX);
        assert_eq!(
            clip.pvs(Some(last)),
            clip.pvs(None),
            "{map}: a cluster that is not there has the first row"
        );
    });
}
