//! Rays that are traced together get what each gets alone.

use fogline_common::collision::ClipMap;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::{contents, mask};
use fogline_common::trace::{Trace, TraceRequest};
use fogline_tests::fixture::{self, Setup};

/// Where two surfaces lie in one another, a ray may be stopped by either. Unit: world units.
const SAME_PLACE: f32 = 0.125;

/// Fans of every width through a map, from anywhere to anywhere. Rays compared, and those of them that are stopped by the other of two
/// surfaces in one place.
fn compare(map: &ClipMap, seed: u64, fans: usize) -> (u32, u32) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let size = map.model_bounds(0).unwrap_or(Bounds::POINT);
    let (mut rays_seen, mut other_name) = (0, 0);
    for _ in 0..fans {
        let mut within = || {
            size.mins
                + Vec3::new(rng.f32() * size.size().x, rng.f32() * size.size().y, rng.f32() * size.size().z)
        };
        let (mut start, mut aim) = (within(), within());
        if rng.bool() {
            // As muzzles are.
            start = start.truncated();
        }
        if rng.u8(0..4) == 0 {
            // Along an axis, or two.
            let axis = rng.usize(0..3);
            aim[axis] = start[axis];
        }
        let aim = if rng.bool() { start + (aim - start).normalized() * 131_072.0 } else { aim };
        let spread = (aim - start).length() * [0.0, 0.001, 0.08, 1.0][rng.usize(0..4)];
        let mask = [mask::SHOT, contents::SOLID, contents::PLAYERCLIP | contents::SOLID][rng.usize(0..3)];
        let mut aside = || (rng.f32() * 2.0 - 1.0) * spread;
        let mut rays = Vec::new();
        for _ in 0..1 + rays_seen % 26 {
            let end = aim + vec3(aside(), aside(), aside());
            rays.push(TraceRequest::ray(start, end, mask, None));
        }
        let mut traces = vec![Trace::clear(Vec3::ZERO); rays.len()];
        map.trace_fan(&rays, &mut traces);
        for (ray, trace) in rays.iter().zip(&traces) {
            let alone = map.trace(ray);
            let solid = |trace: &Trace| (trace.start_solid, trace.all_solid, trace.hit());
            let apart = (trace.end - alone.end).length();
            let is_same = solid(trace) == solid(&alone) && apart <= SAME_PLACE;
            assert!(is_same, "seed {seed}: {ray:?}\n{trace:?}\n{alone:?}");
            rays_seen += 1;
            other_name += u32::from(*trace != alone);
        }
    }
    (rays_seen, other_name)
}

#[test]
fn a_ray_of_a_fan_comes_as_far_as_alone() {
    for (seed, name) in ["oa_dm1", "oa_dm5", "oa_ctf2", "oa_rpg3dm2"].into_iter().enumerate() {
        let map = Setup::installed_or_halls(name).map;
        let (rays, other_name) = compare(&fixture::clip_map(&map), seed as u64, 4000);
        eprintln!("{map}: {rays} rays, {other_name} are stopped by another surface in the same place");
        assert!(other_name * 1000 <= rays, "{map}: {other_name} of {rays}");
    }
}
