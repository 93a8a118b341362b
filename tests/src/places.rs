//! Places in a map where a player can stand, and what can be seen from one of another: the truth that the filter is held against.

use crate::stage::Stage;
use fogline_common::collision::{ClipMap, Light, Placement};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::openarena::pers;
use fogline_common::proto::mask;
use fogline_common::trace::TraceRequest;
use fogline_server::visibility::Cause;
use std::ops::Range;
use std::sync::Arc;

/// The box of a standing player around its origin.
pub const BODY: Bounds = Bounds { mins: vec3(-15.0, -15.0, -24.0), maxs: vec3(15.0, 15.0, 32.0) };

/// Places where a player can stand: on something, and inside the map.
pub fn standing_places(map: &ClipMap, count: usize, rng: &mut fastrand::Rng) -> Vec<Vec3> {
    let bounds = map.model_bounds(0).unwrap_or_default();
    let mut places = Vec::new();
    while places.len() < count {
        let part = |rng: &mut fastrand::Rng, axis: usize| {
            bounds.mins[axis] + rng.f32() * (bounds.maxs[axis] - bounds.mins[axis])
        };
        let from = vec3(part(rng, 0), part(rng, 1), part(rng, 2));
        if map.leaf_cluster(map.leaf_at(from)).is_none() {
            continue;
        }
        let down = from - vec3(0.0, 0.0, 128.0);
        let trace = map.trace(&TraceRequest::sweep(from, down, BODY, mask::PLAYERSOLID, None));
        if !trace.start_solid && trace.fraction < 1.0 && trace.plane.normal.z > 0.7 {
            places.push(trace.end);
        }
    }
    places
}

/// Whether light passes a line: nothing of the world and none of these brush models stops it.
///
/// What a bullet passes light passes too, whatever the filter's own rays say.
pub fn is_clear(map: &ClipMap, models: &[Placement], from: Vec3, to: Vec3) -> bool {
    let flies = || map.trace(&TraceRequest::ray(from, to, mask::SOLID, None)).fraction == 1.0;
    (map.light(from, to) == Light::Passes || flies())
        && models.iter().all(|placed| {
            let (from, to) = (placed.to_model(from), placed.to_model(to));
            map.light_through_model(placed.model, from, to) == Light::Passes
        })
}

/// Whether any of many random lines from the eye into a box is clear.
pub fn is_seen(
    map: &ClipMap,
    models: &[Placement],
    eye: Vec3,
    body: &Bounds,
    lines: usize,
    rng: &mut fastrand::Rng,
) -> bool {
    let size = body.size();
    (0..lines).any(|_| {
        let inside = vec3(rng.f32() * size.x, rng.f32() * size.y, rng.f32() * size.z);
        is_clear(map, models, eye, body.mins + inside)
    })
}

/// A place for a player and one for each of `observers`, at such distances of it that none of them is told of it there, nor `roam`
/// units around there. `None` if none was found.
pub fn hidden_places(
    map: &Arc<ClipMap>,
    observers: usize,
    distances: Range<f32>,
    roam: f32,
    rng: &mut fastrand::Rng,
) -> Option<Vec<Vec3>> {
    const TRIES: usize = 200;
    let places = standing_places(map, TRIES, rng);
    let mut stage = Stage::new(map.clone());
    let (watcher, hidden) = (stage.player(places[0]), stage.player(places[1]));
    let mut unseen = |from: Vec3, to: Vec3| {
        stage.place(watcher, from);
        [(0.0, 0.0), (roam, 0.0), (-roam, 0.0), (0.0, roam), (0.0, -roam)].into_iter().all(|(x, y)| {
            stage.place(hidden, to + vec3(x, y, 0.0));
            // Nothing lingers: each look is in another life.
            stage.state(hidden).persistant[pers::SPAWN_COUNT as usize] += 1;
            stage.look(watcher, hidden) == Cause::OutOfSight
        })
    };
    for _ in 0..TRIES {
        let hidden = places[rng.usize(..places.len())];
        let mut fits = |place: &&Vec3| distances.contains(&place.distance(hidden)) && unseen(**place, hidden);
        let found: Vec<Vec3> = places.iter().filter(&mut fits).take(observers).copied().collect();
        if found.len() == observers {
            return Some(std::iter::once(hidden).chain(found).collect());
        }
    }
    None
}
