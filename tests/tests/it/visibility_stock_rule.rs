//! With the filter off a client is told of exactly what the stock server's rule says, restated here from the facts.
//!
//! An entity is told of if it has no flag against it, lies in an area that is joined to the viewpoint's, and touches a cluster that
//! the viewpoint's cluster sees. `tests/real/stock_server.rs` holds the same against the stock server itself.

use fogline_common::collision::ClipMap;
use fogline_common::ids::LeafNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::entity_type;
use fogline_common::proto::sv_flag;
use fogline_server::visibility::Mode;
use fogline_tests::fixture::installed_map;
use fogline_tests::stage::{EYE, Stage};

/// Clusters of one entity that a stock server keeps. Source: `MAX_ENT_CLUSTERS`.
const MAX_CLUSTERS: usize = 16;
/// Entities of a round, players aside: their numbers begin at [`FIRST`].
const THINGS: usize = 150;
const FIRST: usize = 80;

/// By how much a linked box is larger than the entity's own. Source: `SV_LinkEntity`.
const LINK_MARGIN: f32 = 1.0;

/// Whether a stock server tells a viewer at `eye` of a box with these flags. Every door is shut: an area is joined to itself only.
fn is_told(map: &ClipMap, eye: Vec3, bounds: &Bounds, flags: i32, single: i32) -> bool {
    if flags & sv_flag::NOCLIENT != 0
        || (flags & sv_flag::SINGLECLIENT != 0 && single != 0)
        || (flags & sv_flag::NOTSINGLECLIENT != 0 && single == 0)
    {
        return false;
    }
    if flags & sv_flag::BROADCAST != 0 {
        return true;
    }
    let mut leafs: Vec<LeafNum> = Vec::new();
    map.leafs_in_box(&bounds.grown(LINK_MARGIN), 128, &mut leafs);
    let from = map.leaf_at(eye);
    if let Some(area) = map.leaf_area(from)
        && !leafs.iter().any(|&leaf| map.leaf_area(leaf) == Some(area))
    {
        return false;
    }
    let clusters: Vec<_> = leafs.iter().filter_map(|&leaf| map.leaf_cluster(leaf)).collect();
    assert!(clusters.len() <= MAX_CLUSTERS, "boxes here are small");
    let pvs = map.pvs(map.leaf_cluster(from));
    clusters.iter().any(|cluster| pvs.get(cluster.index()).is_some_and(|bit| *bit))
}

fn check(name: &str, rounds: u32) {
    let Some(map) = installed_map(name) else { return };
    let extent = map.model_bounds(0).unwrap_or_default();
    let mut rng = fastrand::Rng::with_seed(41);
    let mut stage = Stage::new(map.clone());
    stage.rules.mode = Mode::Off;
    let viewer = stage.player(Vec3::ZERO);
    let (mut told, mut untold) = (0, 0);
    for round in 0..rounds {
        let mut anywhere = || {
            let mut part =
                |axis: usize| extent.mins[axis] + rng.f32() * (extent.maxs[axis] - extent.mins[axis]);
            vec3(part(0), part(1), part(2)).truncated()
        };
        let place = anywhere();
        stage.place(viewer, place);
        let eye = place + vec3(0.0, 0.0, EYE as f32);
        let mut expected = Vec::new();
        for number in FIRST..FIRST + THINGS {
            let origin = anywhere();
            let box_of = Bounds::POINT.grown(8.0);
            let (flags, single) = match number % 10 {
                0 => (sv_flag::NOCLIENT, 0),
                1 => (sv_flag::SINGLECLIENT, (number / 10 % 2) as i32),
                2 => (sv_flag::NOTSINGLECLIENT, (number / 10 % 2) as i32),
                3 => (sv_flag::BROADCAST, 0),
                _ => (0, 0),
            };
            let entity = stage.entity(number);
            entity.state.entity_type = entity_type::ITEM;
            entity.link.origin = origin;
            entity.link.bounds = box_of;
            entity.link.sv_flags = flags;
            entity.link.single_client = single;
            stage.link(number);
            if is_told(&map, eye, &box_of.translated(origin), flags, single) {
                expected.push(number as i32);
            }
        }
        stage.freeze();
        stage.build(viewer);
        let got: Vec<i32> = stage.told().map(|state| state.number).collect();
        assert_eq!(got, expected, "{name}, seed 41, round {round}: eyes at {eye:?}");
        told += expected.len();
        untold += THINGS - expected.len();
    }
    assert!(told > 100 && untold > 100, "{name}: {told} told, {untold} not");
}

#[test]
fn with_the_filter_off_a_client_is_told_what_the_stock_rule_says() {
    for name in ["oa_dm5", "oa_ctf2", "ctf_gate1"] {
        check(name, 200);
    }
}
