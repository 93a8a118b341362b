//! The visibility filter against dense truth on real maps: who can be seen is told of.
//!
//! A million poses a map (`server/docs/visibility.md` has the table), minutes for each:
//! `cargo test --release -p fogline-tests --test it visibility_oracles -- --ignored --nocapture`. `FOGLINE_ONLY=oa_dm1,oa_dm5`
//! takes other maps, `FOGLINE_PAIRS` and `FOGLINE_SEED` other counts and poses.
#![allow(clippy::disallowed_methods, reason = "which maps and how many poses are the caller's choice")]

use fogline_common::collision::{ClipMap, Light};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::pers;
use fogline_server::visibility::Cause;
use fogline_server::visibility::proof::{Proof, Space};
use fogline_tests::fixture::installed_map;
use fogline_tests::places::{BODY, is_seen, standing_places};
use fogline_tests::stage::{EYE, Stage};
use std::sync::Arc;

/// A ray that ends the walk down the tree early says the same as every brush alone.
#[test]
fn light_stops_where_any_brush_stops_it() {
    let Some(map) = installed_map("oa_dm5") else { return };
    let mut rng = fastrand::Rng::with_seed(5);
    let places = standing_places(&map, 300, &mut rng);
    let mut stopped = 0;
    for round in 0..20_000 {
        let [a, b, c] = [(); 3].map(|()| places[rng.usize(..places.len())]);
        // What stops one way is a brush; it must be found for other ways that it stops.
        let Light::StoppedBy(brush) = map.light(a, b) else { continue };
        let near = b.mul_add(rng.f32() * 0.05, c - b);
        if map.occludes(brush, a, near) {
            stopped += 1;
            assert_ne!(map.light(a, near), Light::Passes, "seed 5 round {round}: {a:?} {near:?}");
        }
    }
    assert!(stopped > 5_000, "seed 5: only {stopped}");
}

/// One player as it stands.
#[derive(Clone, Copy, Debug)]
struct Stance {
    at: Vec3,
    crouches: bool,
}

impl Stance {
    fn any(places: &[Vec3], rng: &mut fastrand::Rng) -> Self {
        Self { at: places[rng.usize(..places.len())], crouches: rng.u8(..4) == 0 }
    }

    fn eye(&self) -> Vec3 {
        self.at + vec3(0.0, 0.0, if self.crouches { CROUCHED_EYE } else { EYE } as f32)
    }

    fn body(&self) -> Bounds {
        let mut body = BODY;
        if self.crouches {
            body.maxs.z = CROUCHED_TOP;
        }
        body.translated(self.at)
    }

    /// `life` is another each time, so that nothing lingers.
    fn take(&self, player: ClientNum, stage: &mut Stage, life: i32) {
        stage.entity(player.index()).link.bounds = self.body().translated(-self.at);
        stage.state(player).view_height = if self.crouches { CROUCHED_EYE } else { EYE };
        stage.state(player).persistant[pers::SPAWN_COUNT as usize] = life;
        stage.place(player, self.at);
    }
}

/// Height of a crouched player's eye and of its head above the origin.
const CROUCHED_EYE: i32 = 12;
const CROUCHED_TOP: f32 = 16.0;

#[derive(Default)]
struct Found {
    seen: u32,
    withheld: u32,
    /// Withheld although a line is clear: proved by one volume, sealed, or covered piece by piece.
    false_hides: [u32; 3],
    /// How some of the withheld were proved to be hidden: the same three ways.
    ways: [u32; 3],
    /// Withheld by areas or the PVS although a line is clear: the map's own data says so, on a stock server too.
    false_by_map: u32,
    undecided: u64,
}

/// Of so many pairs that are withheld it is asked how.
const SAMPLED: u32 = 8;

/// Which of the ways to be hidden it was.
fn way_of(stage: &Stage, from: &Stance, to: &Stance) -> usize {
    let Some(prover) = &stage.prover else { return 2 };
    // What is drawn is larger than the box.
    let body = to.body();
    let drawn = Bounds::new(body.mins - vec3(6.0, 6.0, 0.0), body.maxs + vec3(6.0, 6.0, 6.0));
    match prover.prove(&Bounds::POINT.translated(from.eye()), &drawn, &mut Space::default()) {
        Some(Proof::By(_)) => 0,
        Some(Proof::Sealed | Proof::Crooked) => 1,
        None => 2,
    }
}

/// Random pairs of still players against dense truth.
fn survey(name: &str, map: &Arc<ClipMap>, pairs: u32, lines: usize, seed: u64) -> Found {
    let mut rng = fastrand::Rng::with_seed(seed);
    let places = standing_places(map, pairs.clamp(600, 20_000) as usize, &mut rng);
    let mut stage = Stage::new(map.clone());
    let (a, b) = (stage.player(places[0]), stage.player(places[1]));
    let mut found = Found::default();
    for round in 0..pairs {
        let (from, to) = (Stance::any(&places, &mut rng), Stance::any(&places, &mut rng));
        from.take(a, &mut stage, round as i32);
        to.take(b, &mut stage, round as i32);
        let cause = stage.look(a, b);
        let by_map = matches!(cause, Cause::NotInPvs | Cause::ClosedArea | Cause::NoCluster);
        let withheld = cause == Cause::OutOfSight;
        found.withheld += u32::from(withheld);
        if withheld && round % SAMPLED == 0 {
            found.ways[way_of(&stage, &from, &to)] += 1;
        }
        if is_seen(map, &[], from.eye(), &to.body(), lines, &mut rng) {
            found.seen += 1;
            found.false_by_map += u32::from(by_map);
            if withheld {
                let way = way_of(&stage, &from, &to);
                found.false_hides[way] += 1;
                let name_of = ["by one volume", "as sealed", "piece by piece"][way];
                eprintln!("{name} seed {seed} pair {round}: hidden {name_of}, {from:?} sees {to:?}");
            }
        }
    }
    found.undecided = stage.work.undecided.get();
    found
}

/// How many are withheld, in percent.
fn check(name: &str, pairs: u32, lines: usize, seed: u64) {
    let Some(map) = installed_map(name) else { return };
    let found = survey(name, &map, pairs, lines, seed);
    let percent = |part: u32| 100.0 * f64::from(part) / f64::from(pairs);
    eprintln!(
        "{name} seed {seed}: {pairs} pairs, {:.2} % seen, {:.2} % withheld, {} falsely; {:.2} % undecided, {} falsely by the map; hidden \
         by one volume, as sealed, piece by piece: {:.1?} %",
        percent(found.seen),
        percent(found.withheld),
        found.false_hides.iter().sum::<u32>(),
        percent(found.undecided as u32),
        found.false_by_map,
        found.ways.map(|ways| 100.0 * f64::from(ways) / f64::from(found.ways.iter().sum::<u32>().max(1)))
    );
    assert_eq!(found.false_hides, [0; 3], "{name}: seed {seed}");
    assert!(found.withheld > pairs / 50, "{name}: nothing is withheld");
}

#[test]
fn who_stands_in_sight_is_told_of() {
    check("oa_dm5", 6_000, 60, 17);
    check("oa_ctf2", 3_000, 60, 17);
}

/// The full count of the issue: a million poses a map.
#[test]
#[ignore = "minutes for each map"]
fn who_stands_in_sight_is_told_of_a_million_times() {
    let of = |name: &str| std::env::var(name).ok();
    let maps = of("FOGLINE_ONLY").unwrap_or_else(|| MANY.join(","));
    let number = |name: &str, usual: u64| of(name).map_or(usual, |text| text.parse().expect("a number"));
    let (pairs, seed) = (number("FOGLINE_PAIRS", 1_000_000), number("FOGLINE_SEED", 17));
    for name in maps.split(',') {
        check(name, pairs as u32, 100, seed);
    }
}

/// Small and large, of rooms, halls, caves and open ground.
const MANY: [&str; 12] = [
    "oa_dm1",
    "oa_dm5",
    "oa_dm6",
    "aggressor",
    "kaos",
    "oa_ctf2",
    "ctf_gate1",
    "czest3ctf",
    "oa_rpg3dm2",
    "wrackdm17",
    "oa_shine",
    "oa_thor",
];
