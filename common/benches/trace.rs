//! Sweeps through oa_dm5: what movement asks (short box sweeps), what weapons ask (long rays), what sight asks (is it blocked?).
//!
//! `cargo bench -p fogline-common --bench trace`. Needs OpenArena's data (`FOGLINE_OPENARENA` names the folder that holds
//! `baseoa`, Debian's place is found by itself); without it a message is all that happens. The ways are random between points
//! in open space, from a fixed seed; a figure is the time of one sweep, averaged over 4096 different ones.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fogline_common::bsp::Bsp;
use fogline_common::collision::{ClipMap, trace_box};
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::{contents, mask};
use fogline_common::trace::TraceRequest;
use std::hint::black_box;

#[path = "../../tests/src/gamedata.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests, a library that others use more of")]
mod gamedata;

const SWEEPS: usize = 4096;
const PLAYER: Bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));

fn load() -> Option<ClipMap> {
    let bsp = Bsp::parse(&gamedata::map("oa_dm5")?).expect("the installed map is sound");
    Some(ClipMap::build(&bsp).expect("the installed map is sound"))
}

/// A share of 0.0..1.0 from a linear congruential generator.
struct Shares(u64);

impl Shares {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn point(&mut self, bounds: &Bounds) -> Vec3 {
        let size = bounds.size();
        bounds.mins + vec3(self.next() * size.x, self.next() * size.y, self.next() * size.z)
    }

    /// A place where a player has room.
    fn open_point(&mut self, map: &ClipMap) -> Vec3 {
        let bounds = map.model_bounds(0).unwrap_or_default();
        loop {
            let point = self.point(&bounds);
            let stand = TraceRequest::sweep(point, point, PLAYER, mask::PLAYERSOLID, None);
            if map.leaf_cluster(map.leaf_at(point)).is_some() && !map.trace(&stand).start_solid {
                return point;
            }
        }
    }
}

fn traces(c: &mut Criterion) {
    let Some(map) = load() else {
        eprintln!(
            "skipped: OpenArena's data is not installed (FOGLINE_OPENARENA names the folder that holds baseoa)"
        );
        return;
    };
    let mut shares = Shares(5);
    let ends: Vec<(Vec3, Vec3)> =
        (0..SWEEPS).map(|_| (shares.open_point(&map), shares.open_point(&map))).collect();
    let near = Bounds::new(vec3(-16.0, -16.0, -24.0), vec3(16.0, 16.0, 24.0));
    let steps: Vec<(Vec3, Vec3)> =
        ends.iter().map(|&(start, _)| (start, start + shares.point(&near))).collect();

    let mut group = c.benchmark_group("trace");
    group.throughput(Throughput::Elements(SWEEPS as u64));
    group.bench_function("box_step", |b| {
        b.iter(|| {
            for &(start, end) in &steps {
                let request = TraceRequest::sweep(start, end, PLAYER, mask::PLAYERSOLID, None);
                black_box(map.trace(black_box(&request)));
            }
        });
    });
    group.bench_function("box_stand", |b| {
        b.iter(|| {
            for &(start, _) in &ends {
                let request = TraceRequest::sweep(start, start, PLAYER, mask::PLAYERSOLID, None);
                black_box(map.trace(black_box(&request)));
            }
        });
    });
    group.bench_function("box_across_map", |b| {
        b.iter(|| {
            for &(start, end) in &ends {
                let request = TraceRequest::sweep(start, end, PLAYER, mask::PLAYERSOLID, None);
                black_box(map.trace(black_box(&request)));
            }
        });
    });
    group.bench_function("ray_across_map", |b| {
        b.iter(|| {
            for &(start, end) in &ends {
                black_box(map.trace(black_box(&TraceRequest::ray(start, end, mask::SHOT, None))));
            }
        });
    });
    group.bench_function("blocked_across_map", |b| {
        b.iter(|| {
            for &(start, end) in &ends {
                black_box(map.blocked(black_box(start), black_box(end), mask::OPAQUE));
            }
        });
    });
    group.bench_function("ray_through_player_box", |b| {
        b.iter(|| {
            for &(start, end) in &steps {
                let request = TraceRequest::ray(start, end, mask::SHOT, None);
                let near = start + vec3(20.0, 4.0, 0.0);
                black_box(trace_box(&PLAYER, near, contents::BODY, black_box(&request)));
            }
        });
    });
    group.finish();

    let mut group = c.benchmark_group("place");
    group.throughput(Throughput::Elements(SWEEPS as u64));
    group.bench_function("contents_at", |b| {
        b.iter(|| {
            for &(start, _) in &ends {
                black_box(map.contents_at(black_box(start)));
            }
        });
    });
    group.bench_function("leafs_in_box", |b| {
        let mut list = Vec::with_capacity(128);
        b.iter(|| {
            for &(start, _) in &ends {
                black_box(map.leafs_in_box(&PLAYER.translated(start), 128, &mut list));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, traces);
criterion_main!(benches);
