//! Proofs and what is remembered of each pair change no decision, only its cost: the same players, moving, with and without.
//!
//! On many maps (minutes): `cargo test --release -p fogline-tests --test it visibility_decisions -- --ignored --nocapture`.
//! `FOGLINE_ONLY=oa_dm1,kaos` takes some of the maps, `FOGLINE_SEED=1021` one of the seeds.
#![allow(clippy::disallowed_methods, reason = "which maps and seeds are the caller's choice")]

use fogline_common::collision::{ClipMap, Light};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::trajectory;
use fogline_common::proto::mask;
use fogline_common::time::Millis;
use fogline_common::trace::TraceRequest;
use fogline_server::visibility::{Cause, Recall};
use fogline_tests::fixture::installed_map;
use fogline_tests::stage::{EYE, Stage};

const BODY: Bounds = Bounds { mins: vec3(-15.0, -15.0, -24.0), maxs: vec3(15.0, 15.0, 32.0) };
const PLAYERS: usize = 20;
/// Entities that stand for the map's own doors and platforms.
const DOORS: std::ops::Range<usize> = 100..108;

/// Somewhere to stand.
fn place(map: &ClipMap, rng: &mut fastrand::Rng) -> Vec3 {
    let bounds = map.model_bounds(0).unwrap_or_default();
    let size = bounds.size();
    loop {
        let from = bounds.mins + vec3(rng.f32() * size.x, rng.f32() * size.y, rng.f32() * size.z);
        let down = from - vec3(0.0, 0.0, 128.0);
        let trace = map.trace(&TraceRequest::sweep(from, down, BODY, mask::PLAYERSOLID, None));
        let inside = map.leaf_cluster(map.leaf_at(from)).is_some();
        if inside && !trace.start_solid && trace.fraction < 1.0 && trace.plane.normal.z > 0.7 {
            return trace.end;
        }
    }
}

/// The same match twice.
struct Twice {
    proving: Stage,
    casting: Stage,
}

impl Twice {
    fn both(&mut self, mut change: impl FnMut(&mut Stage)) {
        change(&mut self.proving);
        change(&mut self.casting);
    }

    /// Everybody runs on until it meets something; some stop, some turn, a few are teleported. Doors open and close.
    fn step(&mut self, map: &ClipMap, players: &[ClientNum], rng: &mut fastrand::Rng) {
        for &player in players {
            let state = *self.proving.state(player);
            let to = state.origin + state.velocity * 0.05;
            let trace = map.trace(&TraceRequest::sweep(state.origin, to, BODY, mask::PLAYERSOLID, None));
            let (mut origin, mut velocity) = (trace.end, state.velocity);
            if trace.fraction < 1.0 || rng.u8(..) < 10 {
                let turn = rng.f32() * std::f32::consts::TAU;
                let speed = [0.0, 60.0, 320.0, 320.0][rng.usize(..4)];
                velocity = vec3(turn.cos() * speed, turn.sin() * speed, 0.0);
            }
            if rng.u8(..) < 2 {
                origin = place(map, rng);
            }
            self.both(|stage| {
                stage.state(player).velocity = velocity;
                stage.place(player, origin);
            });
        }
        for door in DOORS.take(map.model_count().saturating_sub(1)) {
            if rng.u8(..) < 20 {
                let moves = rng.bool();
                let kind = if moves { trajectory::LINEAR } else { trajectory::STATIONARY };
                let up = vec3(0.0, 0.0, if moves { 40.0 } else { 0.0 });
                self.both(|stage| {
                    let entity = stage.entity(door);
                    entity.state.pos.kind = kind;
                    entity.link.origin = up;
                    stage.link(door);
                });
            }
        }
        self.both(|stage| {
            stage.now += Millis(50);
            stage.freeze();
        });
        // Nothing is remembered here.
        self.casting.recall = Recall::default();
    }
}

#[derive(Debug, Default)]
struct Found {
    pairs: u32,
    hidden: u32,
    /// Seen along a line that rays, cast anew, do not find; or given up a few looks ago.
    only_remembered: u32,
    /// Proved to be hidden where feeling over came to no end.
    only_proved: u32,
    rays: [u64; 2],
}

/// A line from the eye to any of many points of the body.
fn is_seen(map: &ClipMap, eye: Vec3, origin: Vec3, rng: &mut fastrand::Rng) -> bool {
    let size = BODY.size();
    (0..400).any(|_| {
        let inside = vec3(rng.f32() * size.x, rng.f32() * size.y, rng.f32() * size.z);
        map.light(eye, origin + BODY.mins + inside) == Light::Passes
    })
}

fn compare(name: &str, frames: u32, seed: u64) -> Option<Found> {
    let map = installed_map(name)?;
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut twice = Twice { proving: Stage::new(map.clone()), casting: Stage::new(map.clone()) };
    twice.casting.prover = None;
    let mut players = Vec::new();
    for _ in 0..PLAYERS {
        let at = place(&map, &mut rng);
        players.push(twice.proving.player(at));
        twice.casting.player(at);
    }
    for (model, door) in DOORS.enumerate().take(map.model_count().saturating_sub(1)) {
        twice.both(|stage| stage.model(door, model + 1, Vec3::ZERO));
    }
    let mut found = Found::default();
    for frame in 0..frames {
        twice.step(&map, &players, &mut rng);
        let before = twice.casting.work.undecided.get();
        let mut only_proved = 0;
        for &viewer in &players {
            twice.both(|stage| {
                stage.build(viewer);
            });
            for &target in &players {
                let causes = [&twice.proving, &twice.casting].map(|stage| stage.builder.cause(target));
                let [Some(proved), Some(cast)] = causes else { continue };
                let looked_for = |cause: Cause| cause.gate() == "sight" || cause.gate() == "linger";
                if !looked_for(proved) || !looked_for(cast) {
                    assert_eq!(proved, cast, "{name}, seed {seed}, frame {frame}");
                    continue;
                }
                found.pairs += 1;
                found.hidden += u32::from(!proved.is_sighting());
                match (proved.is_sighting(), cast.is_sighting()) {
                    (true, false) => found.only_remembered += 1,
                    (false, true) => {
                        only_proved += 1;
                        let [a, b] = [viewer, target].map(|player| twice.casting.state(player).origin);
                        for (from, to) in [(a, b), (b, a)] {
                            let eye = from + vec3(0.0, 0.0, EYE as f32);
                            assert!(
                                !is_seen(&map, eye, to, &mut rng),
                                "{name}, seed {seed}, frame {frame}: {viewer} and {target}, {proved:?} and {cast:?}: {eye:?} {to:?}"
                            );
                        }
                    }
                    _ => {}
                }
            }
        }
        // What rays leave undecided both players of a pair are told of.
        let undecided = twice.casting.work.undecided.get() - before;
        assert!(
            only_proved <= 2 * undecided,
            "{name}, seed {seed}, frame {frame}: {only_proved} proved hidden, {undecided} undecided"
        );
        found.only_proved += only_proved as u32;
    }
    found.rays = [&twice.proving, &twice.casting].map(|stage| stage.work.rays.get());
    eprintln!("{name}, seed {seed}: {found:?}");
    Some(found)
}

fn check(name: &str, frames: u32, seed: u64) {
    let Some(found) = compare(name, frames, seed) else { return };
    assert!(found.hidden > found.pairs / 20, "{name}: nothing was hidden: {found:?}");
    assert!(found.only_remembered * 50 < found.pairs, "{name}: too much is remembered: {found:?}");
    assert!(found.rays[0] < found.rays[1], "{name}: nothing was saved: {found:?}");
}

#[test]
fn decisions_are_those_of_rays_alone() {
    check("oa_dm5", 40, 21);
    check("ctf_gate1", 40, 22);
    check("oa_ctf2", 40, 23);
}

#[test]
#[ignore = "minutes of work"]
fn decisions_are_those_of_rays_alone_on_many_maps() {
    let maps = std::env::var("FOGLINE_ONLY").ok();
    let only: Option<u64> = std::env::var("FOGLINE_SEED").ok().map(|text| text.parse().expect("a seed"));
    for (n, name) in ["oa_dm1", "oa_dm5", "oa_dm6", "aggressor", "kaos", "ctf_gate1", "czest3ctf", "oa_thor"]
        .into_iter()
        .enumerate()
        .filter(|(_, name)| maps.as_ref().is_none_or(|maps| maps.split(',').any(|wanted| wanted == *name)))
    {
        let seeds = (0..4).map(|seed| 1000 + n as u64 * 10 + seed);
        for seed in seeds.filter(|seed| only.is_none_or(|only| only == *seed)) {
            check(name, 300, seed);
        }
    }
}
