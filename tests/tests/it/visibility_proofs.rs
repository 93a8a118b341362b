//! Proofs that something is hidden against the rays that they speak of, on real maps: an open line through a proof is a bug.

use fogline_common::bsp::Bsp;
use fogline_common::collision::{ClipMap, Light};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::mask;
use fogline_common::trace::TraceRequest;
use fogline_server::visibility::proof::{Flow, Proof, Prover, Space};
use fogline_tests::fixture::installed_map;
use fogline_tests::gamedata;
use std::sync::Arc;

const BODY: Bounds = Bounds { mins: vec3(-15.0, -15.0, -24.0), maxs: vec3(15.0, 15.0, 32.0) };
/// Height of an eye above the origin.
const EYE: Vec3 = vec3(0.0, 0.0, 26.0);

/// Somewhere to stand.
fn place(map: &ClipMap, rng: &mut fastrand::Rng) -> Vec3 {
    let bounds = map.model_bounds(0).unwrap_or_default();
    loop {
        let from = within(&bounds, rng);
        let down = from - vec3(0.0, 0.0, 128.0);
        let trace = map.trace(&TraceRequest::sweep(from, down, BODY, mask::PLAYERSOLID, None));
        let inside = map.leaf_cluster(map.leaf_at(from)).is_some();
        if inside && !trace.start_solid && trace.fraction < 1.0 && trace.plane.normal.z > 0.7 {
            return trace.end;
        }
    }
}

fn within(bounds: &Bounds, rng: &mut fastrand::Rng) -> Vec3 {
    let size = bounds.size();
    bounds.mins + vec3(rng.f32() * size.x, rng.f32() * size.y, rng.f32() * size.z)
}

/// A point of a box: anywhere, on a face, on an edge or at a corner.
fn any_of(bounds: &Bounds, rng: &mut fastrand::Rng) -> Vec3 {
    let mut point = within(bounds, rng);
    let kind = rng.u8(..4);
    for axis in 0..3 {
        if rng.u8(..3) < kind {
            point[axis] = if rng.bool() { bounds.mins[axis] } else { bounds.maxs[axis] };
        }
    }
    point
}

#[derive(Default)]
struct Found {
    pairs: u32,
    by_one: u32,
    sealed: u32,
    crooked: u32,
    /// By nothing but a flow.
    by_flow: u32,
    /// Steps of all flows, and of the longest.
    steps: u64,
    most_steps: u32,
    open: u32,
}

/// Random pairs of boxes, each proof tried by many rays.
fn survey(name: &str, pairs: u32, rays: u32, seed: u64) -> Option<Found> {
    let map = installed_map(name)?;
    let prover = Prover::build(map.clone());
    let (mut space, mut flow) = (Space::default(), Flow::default());
    let mut rng = fastrand::Rng::with_seed(seed);
    let places: Vec<Vec3> = (0..400).map(|_| place(&map, &mut rng)).collect();
    let mut found = Found::default();
    while found.pairs < pairs {
        let [from, to] = [(); 2].map(|()| places[rng.usize(..places.len())]);
        if !map.pvs(map.leaf_cluster(map.leaf_at(from + EYE)))
            [map.leaf_cluster(map.leaf_at(to)).map_or(0, fogline_common::ids::ClusterNum::index)]
        {
            continue;
        }
        found.pairs += 1;
        // From a point to what a fast player can reach in a third of a second.
        let reach = if rng.u8(..4) == 0 { 0.0 } else { rng.f32() * 96.0 };
        let eyes = Bounds::POINT.translated(from + EYE);
        let grow = vec3(reach, reach, rng.f32() * reach * 0.5);
        let eyes = Bounds::new(eyes.mins - grow, eyes.maxs + grow);
        let bodies = BODY.translated(to).grown(rng.f32() * 48.0);
        let proofs = [
            prover.find_solid(&eyes, &bodies).map(Proof::By),
            prover.is_sealed(&eyes, &bodies, &mut space).then_some(Proof::Sealed),
            prover.is_crooked(&eyes, &bodies, &mut flow).then_some(Proof::Crooked),
        ];
        found.by_one += u32::from(proofs[0].is_some());
        found.sealed += u32::from(proofs[1].is_some());
        found.crooked += u32::from(proofs[2].is_some());
        found.by_flow += u32::from(proofs[0].or(proofs[1]).is_none() && proofs[2].is_some());
        found.steps += u64::from(flow.steps());
        found.most_steps = found.most_steps.max(flow.steps());
        let hidden = proofs[0].or(proofs[1]).or(proofs[2]);
        for _ in 0..rays {
            let (eye, point) = (any_of(&eyes, &mut rng), any_of(&bodies, &mut rng));
            if map.leaf_cluster(map.leaf_at(eye)).is_none() || map.light(eye, point) != Light::Passes {
                continue;
            }
            assert!(
                hidden.is_none(),
                "{name}, seed {seed}: {eye:?} sees {point:?} through {proofs:?} of {eyes:?} and {bodies:?}"
            );
            found.open += 1;
            break;
        }
    }
    let inventory = prover.inventory();
    eprintln!(
        "{name}: {pairs} pairs, {} seen, {} hidden by one volume, {} sealed, {} crooked, {} of them nothing else; \
         {} steps of flows, {} at most; {inventory:?}",
        found.open, found.by_one, found.sealed, found.crooked, found.by_flow, found.steps, found.most_steps
    );
    Some(found)
}

fn check(name: &str, pairs: u32, rays: u32, seed: u64) {
    let Some(found) = survey(name, pairs, rays, seed) else { return };
    let some = found.by_one > pairs / 20 && found.sealed > pairs / 40 && found.by_flow > pairs / 500;
    assert!(some, "{name}: next to nothing is proved");
}

/// An indoor map, one of detail brushes and one of slanted walls.
#[test]
fn no_line_is_open_through_a_proof() {
    check("oa_dm5", 1000, 300, 1);
    check("ctf_gate1", 1000, 300, 2);
    check("aggressor", 1000, 300, 3);
}

#[test]
#[ignore = "minutes of work: --ignored visibility_proofs"]
fn no_line_is_open_through_any_of_many_proofs() {
    let maps = [
        "oa_dm1",
        "oa_dm5",
        "oa_dm6",
        "aggressor",
        "kaos",
        "ctf_gate1",
        "czest3ctf",
        "oa_thor",
        "wrackdm17",
        "oa_ctf2",
    ];
    for (seed, name) in maps.into_iter().enumerate() {
        check(name, 20_000, 1000, 100 + seed as u64);
    }
}

/// What proofs add to the load of each map, on a core: `--ignored what_the_prover_makes`.
#[test]
#[ignore = "a table, not a check"]
fn what_the_prover_makes_of_every_map() {
    let mut all = Vec::new();
    gamedata::each_map(|_, name, bytes| {
        let Ok(bsp) = Bsp::parse(bytes) else { return };
        let Ok(clip) = ClipMap::build(&bsp) else { return };
        let begin = seconds_on_a_core();
        let prover = Prover::build(Arc::new(clip));
        all.push((seconds_on_a_core() - begin, name.to_owned(), prover.inventory()));
    });
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let sum: f64 = all.iter().map(|(took, ..)| took).sum();
    for (took, name, inventory) in all.iter().take(10) {
        println!("{name:28} {took:6.3} s {inventory:?}");
    }
    println!("{} maps, {:.3} s each on average", all.len(), sum / all.len().max(1) as f64);
    assert!(all.first().is_none_or(|worst| worst.0 < 2.0), "more than a load may take");
}

/// Time that this thread has had on a core, where the system says so.
fn seconds_on_a_core() -> f64 {
    #![allow(clippy::disallowed_methods, reason = "the time that it takes is what it measures")]
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1.0e9
}
