//! The six ways in which proofs of being hidden have been wrong elsewhere, each tried on the real maps that have it. Numbers as in the
//! table of `server/docs/proofs.md`; the small scenes of each are at the foot of the files of `server/src/visibility/proof/`.

use fogline_common::bsp::Bsp;
use fogline_common::collision::{ClipMap, Glass, Light};
use fogline_common::ids::ClusterNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_server::visibility::proof::{Flow, Prover, Space};
use fogline_tests::fixture::installed_map;
use fogline_tests::gamedata;
use std::sync::Arc;

/// A map and what proves on it.
struct Ground {
    map: Arc<ClipMap>,
    prover: Prover,
    space: Space,
    flow: Flow,
    rng: fastrand::Rng,
    name: String,
}

impl Ground {
    fn of(name: &str, seed: u64) -> Option<Self> {
        Some(Self::on(name, installed_map(name)?, seed))
    }

    fn on(name: &str, map: Arc<ClipMap>, seed: u64) -> Self {
        let prover = Prover::build(map.clone());
        let rng = fastrand::Rng::with_seed(seed);
        Self {
            map,
            prover,
            space: Space::default(),
            flow: Flow::default(),
            rng,
            name: format!("{name}, seed {seed}"),
        }
    }

    /// A point within the map that light comes to.
    fn lit(&mut self) -> Vec3 {
        let bounds = self.map.model_bounds(0).unwrap();
        let size = bounds.size();
        loop {
            let mut part = |axis: usize| bounds.mins[axis] + self.rng.f32() * size[axis];
            let point = vec3(part(0), part(1), part(2));
            if self.cluster(point).is_some() && !self.map.is_dark(point) {
                return point;
            }
        }
    }

    /// An open line, within `reach` where it can be found so.
    fn open_line(&mut self, reach: f32) -> [Vec3; 2] {
        loop {
            let from = self.lit();
            for _ in 0..8 {
                let mut part = || (self.rng.f32() - 0.5) * 2.0 * reach;
                let to = from + vec3(part(), part(), part() * 0.3);
                if self.prover.is_lit(to) && self.map.light(from, to) == Light::Passes {
                    return [from, to];
                }
            }
        }
    }

    fn cluster(&self, point: Vec3) -> Option<ClusterNum> {
        self.map.leaf_cluster(self.map.leaf_at(point))
    }

    /// Nothing is proved of the two ends of an open line.
    fn claims_nothing(&mut self, [from, to]: [Vec3; 2]) {
        let [eyes, bodies] = [from, to].map(|point| Bounds::POINT.translated(point));
        let proof = self.prover.prove(&eyes, &bodies, &mut self.space);
        assert_eq!(proof, None, "{}: an open line from {from:?} to {to:?}", self.name);
        let is_crooked = self.prover.is_crooked(&eyes, &bodies, &mut self.flow);
        assert!(!is_crooked, "{}: no crooked line from {from:?} to {to:?}", self.name);
    }
}

#[test]
fn trap_1_rows_of_the_pvs_that_miss_what_can_be_seen_prove_nothing() {
    let Some(mut ground) = Ground::of("oa_dm5", 1) else { return };
    let mut missed = 0;
    for _ in 0..60_000 {
        let line = ground.open_line(1500.0);
        let [Some(from), Some(to)] = line.map(|point| ground.cluster(point)) else { continue };
        if !ground.map.pvs(Some(from))[to.index()] {
            missed += 1;
            ground.claims_nothing(line);
        }
    }
    assert!(missed > 20, "this map's rows are known to miss what can be seen, {missed} found");
}

#[test]
fn trap_2_slivers_of_portals_let_light_through() {
    for (name, seed) in [("oa_dm5", 2), ("aggressor", 3)] {
        let Some(mut ground) = Ground::of(name, seed) else { return };
        for _ in 0..20_000 {
            // Short lines and long ones: a portal lost leaves its cells sealed from each other.
            let reach = if ground.rng.bool() { 200.0 } else { 1500.0 };
            let line = ground.open_line(reach);
            ground.claims_nothing(line);
        }
    }
}

#[test]
fn trap_3_leafs_without_a_cluster_that_light_crosses_are_not_dark() {
    let mut crossed = 0;
    for (name, seed) in [("oa_dm1", 4), ("oa_dm3", 5), ("oa_dm6", 6), ("oa_dm7", 7)] {
        let Some(mut ground) = Ground::of(name, seed) else { return };
        for _ in 0..20_000 {
            let [from, to] = ground.open_line(600.0);
            for step in 0..=32 {
                let at = from.mul_add(step as f32 / 32.0, to - from);
                crossed += u32::from(ground.cluster(at).is_none());
                // Rays take brushes for larger than they are, so who is on an open line is in no brush; but leafs end exactly.
                assert!(ground.prover.is_lit(at), "{}: {from:?} to {to:?} is open at {at:?}", ground.name);
            }
        }
    }
    eprintln!("{crossed} places on open lines are in leafs without a cluster");
}

#[test]
fn trap_4_solids_that_are_seen_through_hide_nobody() {
    let mut glass = Glass::default();
    if !gamedata::each_file("scripts/", ".shader", |_, _, bytes| {
        glass.add_script(&String::from_utf8_lossy(bytes));
    }) {
        return;
    }
    for (name, seed) in [("oa_thor", 8), ("oa_dm6", 9)] {
        let bsp = Bsp::parse(&gamedata::map(name).unwrap()).unwrap();
        let (seeing, plain) = (ClipMap::build_with(&bsp, &glass).unwrap(), ClipMap::build(&bsp).unwrap());
        assert!(seeing.glass_count() > 10, "{name}: {}", seeing.glass_count());
        let (mut ground, mut through) = (Ground::on(name, Arc::new(seeing), seed), 0);
        for _ in 0..30_000 {
            let line = ground.open_line(300.0);
            if plain.light(line[0], line[1]) != Light::Passes {
                through += 1;
                ground.claims_nothing(line);
            }
        }
        eprintln!("{name}: {through} lines go through what the map calls solid");
    }
}

#[test]
fn trap_5_pockets_in_walls_that_have_a_cluster_open_and_close_nothing() {
    let Some(mut ground) = Ground::of("czest3ctf", 10) else { return };
    // Its pockets are among the places that are picked.
    for _ in 0..30_000 {
        let line = ground.open_line(900.0);
        ground.claims_nothing(line);
    }
}

#[test]
fn trap_6_no_line_is_open_through_a_proof_that_is_kept_for_larger_boxes() {
    for (name, seed) in [("oa_dm1", 11), ("ctf_gate1", 12)] {
        let Some(mut ground) = Ground::of(name, seed) else { return };
        let (mut proved, mut crooked) = (0, 0);
        for _ in 0..3000 {
            let [from, to] = [ground.lit(), ground.lit()];
            let grow = 4.0 + ground.rng.f32() * 60.0;
            let [eyes, bodies] = [from, to].map(|point| Bounds::POINT.translated(point).grown(grow));
            if ground.prover.prove(&eyes, &bodies, &mut ground.space).is_none() {
                if !ground.prover.is_crooked(&eyes, &bodies, &mut ground.flow) {
                    continue;
                }
                crooked += 1;
            }
            proved += 1;
            for _ in 0..40 {
                let [from, to] = [eyes, bodies].map(|bounds| {
                    let mut part = |axis: usize| bounds.mins[axis] + ground.rng.f32() * bounds.size()[axis];
                    vec3(part(0), part(1), part(2))
                });
                let lit = ground.prover.is_lit(from) && !ground.map.is_dark(from);
                let open = lit && ground.map.light(from, to) == Light::Passes;
                assert!(!open, "{}: {from:?} sees {to:?}", ground.name);
            }
        }
        assert!(proved > 500 && crooked > 5, "{}: {proved}, of them {crooked} by flows alone", ground.name);
    }
}
